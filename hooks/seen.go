package hooks

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"blackboard/board/replace"
	"blackboard/hooks/topics"
)

const (
	maxSeen    = 300 // things of each list that are remembered of a session, at most
	maxSeenLen = 128 << 10
	// seenFor is how long what a session has seen is kept: harnesses keep its conversation as
	// long, and it may be resumed.
	seenFor = 30 * 24 * time.Hour
	// maxSessions is of how many sessions it is kept.
	maxSessions = 1000
)

// seen is what the context of a session has from us, and since when the session runs. It is a file
// of its own for each session, written whole, that stays when the session ends: who resumes it gets
// what is new. Of two hooks that write at the same moment one is forgotten, and a capsule comes
// twice.
type seen struct {
	path    string
	Started time.Time `json:"started"` // when this sitting began; zero between two
	Told    time.Time `json:"told"`    // when a start was given last
	// Given has the ids of capsules and memories, and RUN/ID of signals, that prompts were given.
	Given []string `json:"given"`
	// Begun has the ids that starts were given, and NAME#HASH of their other parts.
	Begun []string `json:"begun"`
	// Owed says that the context was lost, and that the next prompt gets the start.
	Owed bool `json:"owed,omitempty"`
}

func seenDir(home string) string { return filepath.Join(home, "hooks", "sessions") }

// openSeen reads what a session has seen. Without a data home or a session's id nothing is remembered. A file that cannot be understood counts as none.
func openSeen(home, session string) (*seen, error) {
	s := &seen{}
	if home == "" || session == "" {
		return s, nil
	}
	s.path = filepath.Join(seenDir(home), topics.SessionTopic(session)+".json")
	info, err := os.Stat(s.path)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err != nil {
		return s, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxSeenLen {
		return s, fmt.Errorf("%s is not used: it is no regular file, or has more than %d KB", s.path, maxSeenLen>>10)
	}
	data, err := os.ReadFile(s.path)
	if err != nil {
		return s, err
	}
	if err := json.Unmarshal(data, s); err != nil {
		*s = seen{path: s.path}
		return s, fmt.Errorf("%s cannot be read: %w", s.path, err)
	}
	return s, nil
}

func (s *seen) has(id string) bool {
	return slices.Contains(s.Given, id) || slices.Contains(s.Begun, id)
}

// all are the ids of everything that was given.
func (s *seen) all() []string { return slices.Concat(s.Begun, s.Given) }

// add notes what a prompt is given, and start what a session's start is given; the oldest is
// forgotten where there is too much.
func (s *seen) add(ids ...string)   { s.note(&s.Given, ids) }
func (s *seen) start(ids ...string) { s.note(&s.Begun, ids) }

func (s *seen) note(list *[]string, ids []string) {
	for _, id := range ids {
		if id = clip(id, 128); !s.has(id) {
			*list = append(*list, id)
		}
	}
	if n := len(*list) - maxSeen; n > 0 {
		*list = slices.Delete(*list, 0, n)
	}
}

// told says whether the last part of that name which a start gave was this one, and tell notes it.
func (s *seen) told(name, part string) bool { return s.has(partID(name, part)) }

func (s *seen) tell(name, part string) {
	s.Begun = slices.DeleteFunc(s.Begun, func(id string) bool { return strings.HasPrefix(id, name+"#") })
	s.start(partID(name, part))
}

// partID names a part of a start among what was given.
func partID(name, part string) string {
	hash := fnv.New64a()
	hash.Write([]byte(part))
	return fmt.Sprintf("%s#%x", name, hash.Sum64())
}

// lost forgets what was given: it is not in the context any more. owed says that nobody will ask
// for the start.
func (s *seen) lost(owed bool) { s.Given, s.Begun, s.Told, s.Owed = nil, nil, time.Time{}, owed }

// save writes the file, whole or not at all. It is not made to last on the disk, which would take longer than all else that a hook does.
func (s *seen) save() error {
	if s.path == "" {
		return nil
	}
	for _, list := range []*[]string{&s.Given, &s.Begun} {
		if *list == nil {
			*list = []string{}
		}
	}
	data, err := json.Marshal(s)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(s.path), 0o700)
	}
	if err != nil {
		return err
	}
	tmp := fmt.Sprintf("%s.%d.tmp", s.path, os.Getpid())
	if err := os.WriteFile(tmp, data, 0o600); err != nil {
		os.Remove(tmp)
		return err
	}
	return replace.Put(tmp, s.path)
}

// close ends a sitting. The file stays if it says anything, unless the session cannot come back.
func (s *seen) close(gone bool) error {
	if s.path == "" {
		return nil
	}
	if !gone && len(s.all()) > 0 {
		s.Started = time.Time{}
		return s.save()
	}
	if err := os.Remove(s.path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// forgetOld removes the files of sessions that nobody has heard of for long, and, where there are
// too many, the oldest. Of a directory that has not many it looks at some at a time.
func forgetOld(home string, now time.Time) {
	if home == "" {
		return
	}
	const some = 100
	d, err := os.Open(seenDir(home))
	if err != nil {
		return
	}
	names, _ := d.Readdirnames(-1)
	d.Close()
	slices.Sort(names)
	tooMany := len(names) - maxSessions*3/4
	if len(names) <= maxSessions {
		tooMany = 0
		if at := len(names) - some; at > 0 {
			at = int(now.Unix() % int64(at+1))
			names = names[at : at+some]
		}
	}
	type file struct {
		path    string
		changed time.Time
	}
	var files []file
	for _, name := range names {
		path := filepath.Join(seenDir(home), name)
		if info, err := os.Lstat(path); err == nil && info.Mode().IsRegular() {
			files = append(files, file{path, info.ModTime()})
		}
	}
	slices.SortFunc(files, func(a, b file) int { return a.changed.Compare(b.changed) })
	for i, f := range files {
		if i < tooMany || now.Sub(f.changed) > seenFor {
			os.Remove(f.path)
		}
	}
}
