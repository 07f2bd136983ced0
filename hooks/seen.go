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

	"blackboard/board/disk"
	"blackboard/hooks/topics"
)

const (
	maxGivenIDs   = 300 // ids in each list of a session
	maxStateBytes = 128 << 10
	// stateTTL is how long a session's state is kept: as long as harnesses may resume it.
	stateTTL = 30 * 24 * time.Hour
	// maxSessions is the number of sessions whose state is kept.
	maxSessions = 1000
)

// sessionState is what a session's context has from this program, and since when the
// session runs. It is one file for each session, replaced as a whole. It stays when the
// session ends, so that a resumed session gets only what is new. If two hooks write at
// the same moment, one write is lost, and a capsule is given twice.
type sessionState struct {
	path    string
	Started time.Time `json:"started"` // when the session began or was resumed; zero when ended
	Told    time.Time `json:"told"`    // when the last start page was given
	// Given has the ids that prompts were given: capsules, memories, RUN/ID of signals.
	Given []string `json:"given"`
	// Begun has what start pages gave: ids, and NAME#HASH of their other parts.
	Begun []string `json:"begun"`
	// Owed: the context was lost, and the next prompt gets the start page.
	Owed    bool   `json:"owed,omitempty"`
	Talk    string `json:"talk,omitempty"`    // the session's conversation
	Summary string `json:"summary,omitempty"` // the harness's, of its last compaction
	// Spec has an id of each line of the topic's spec, as a start page gave it whole: the text
	// goes when the topic is wiped.
	Spec []string `json:"spec,omitempty"`
	// Spent is how many tokens the context has from this program.
	Spent int `json:"spent,omitempty"`
}

func sessionDir(home string) string { return filepath.Join(home, "hooks", "sessions") }

// openSession reads a session's state. Without a data home or a session's id nothing is
// remembered. A file that cannot be parsed counts as empty, with an error.
func openSession(home, session string) (*sessionState, error) {
	s := &sessionState{}
	if home == "" || session == "" {
		return s, nil
	}
	s.path = filepath.Join(sessionDir(home), topics.SessionTopic(session)+".json")
	data, err := disk.Read(s.path, maxStateBytes)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return s, nil
	case errors.Is(err, disk.ErrNotRegular), errors.Is(err, disk.ErrTooLarge):
		return s, fmt.Errorf("ignored %s: it must be a regular file of at most %d KB",
			s.path, maxStateBytes>>10)
	case err != nil:
		return s, err
	}
	if err := json.Unmarshal(data, s); err != nil {
		*s = sessionState{path: s.path}
		return s, fmt.Errorf("ignored %s: it is not valid: %w", s.path, err)
	}
	return s, nil
}

func (s *sessionState) has(id string) bool {
	return slices.Contains(s.Given, id) || slices.Contains(s.Begun, id)
}

func (s *sessionState) ids() []string { return slices.Concat(s.Begun, s.Given) }

// addPrompt and addStart add what was given. Beyond maxGivenIDs the oldest ids are dropped.
func (s *sessionState) addPrompt(ids ...string) { s.append(&s.Given, ids) }
func (s *sessionState) addStart(ids ...string)  { s.append(&s.Begun, ids) }

func (s *sessionState) append(list *[]string, ids []string) {
	for _, id := range ids {
		if id = clip(id, 128); !s.has(id) {
			*list = append(*list, id)
		}
	}
	if n := len(*list) - maxGivenIDs; n > 0 {
		*list = slices.Delete(*list, 0, n)
	}
}

// hasPart reports whether a start page's last part of a name was this text; setPart records it.
func (s *sessionState) hasPart(name, part string) bool { return s.has(partID(name, part)) }

func (s *sessionState) setPart(name, part string) {
	s.Begun = slices.DeleteFunc(s.Begun,
		func(id string) bool { return strings.HasPrefix(id, name+"#") })
	s.addStart(partID(name, part))
}

func lineIDs(lines []string) (ids []string) {
	for _, l := range lines {
		ids = append(ids, partID("", l))
	}
	return ids
}

func partID(name, part string) string {
	hash := fnv.New64a()
	hash.Write([]byte(part))
	return fmt.Sprintf("%s#%x", name, hash.Sum64())
}

// forget drops what was given, because it is no longer in the context. owed says that
// no event will ask for the start page, so the next prompt gets it.
func (s *sessionState) forget(owed bool) {
	s.Given, s.Begun, s.Told, s.Owed, s.Spec, s.Spent = nil, nil, time.Time{}, owed, nil, 0
}

// save replaces the whole file, without a sync, which would take longer than the rest of the hook.
func (s *sessionState) save() error {
	if s.path == "" {
		return nil
	}
	for _, list := range []*[]string{&s.Given, &s.Begun} {
		if *list == nil {
			*list = []string{}
		}
	}
	data, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return disk.WriteUnsynced(s.path, data, 0o600)
}

// close ends the session. A file that is not empty stays, unless the session was deleted.
func (s *sessionState) close(gone bool) error {
	if s.path == "" {
		return nil
	}
	if !gone && len(s.ids()) > 0 {
		s.Started = time.Time{}
		return s.save()
	}
	if err := os.Remove(s.path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// forgetOld removes files of sessions not heard of for stateTTL, and the oldest beyond
// maxSessions. Below that limit it checks a part of the files each time.
func forgetOld(home string, now time.Time) {
	if home == "" {
		return
	}
	const some = 100 // files to check
	d, err := os.Open(sessionDir(home))
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
		path := filepath.Join(sessionDir(home), name)
		if info, err := os.Lstat(path); err == nil && info.Mode().IsRegular() {
			files = append(files, file{path, info.ModTime()})
		}
	}
	slices.SortFunc(files, func(a, b file) int { return a.changed.Compare(b.changed) })
	for i, f := range files {
		if i < tooMany || now.Sub(f.changed) > stateTTL {
			os.Remove(f.path)
		}
	}
}
