package hooks

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"blackboard/board/replace"
	"blackboard/hooks/topics"
)

const (
	maxSeen    = 300 // things that are remembered of a session, at most
	maxSeenLen = 64 << 10
	// seenFor is how long the file of a session that never ended is kept.
	seenFor = 7 * 24 * time.Hour
)

// seen is what a session was given already, and since when it runs. It is a file of its own for each session, written whole; of two hooks that write at the same moment one is forgotten, and
// a capsule comes twice.
type seen struct {
	path    string
	Started time.Time `json:"started"`
	Given   []string  `json:"given"` // ids of capsules, RUN/ID of signals
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
		s.Started, s.Given = time.Time{}, nil
		return s, fmt.Errorf("%s cannot be read: %w", s.path, err)
	}
	return s, nil
}

func (s *seen) has(id string) bool { return slices.Contains(s.Given, id) }

// add notes what is given now; the oldest is forgotten where there is too much.
func (s *seen) add(ids ...string) {
	for _, id := range ids {
		if !s.has(id) {
			s.Given = append(s.Given, clip(id, 128))
		}
	}
	if n := len(s.Given) - maxSeen; n > 0 {
		s.Given = slices.Delete(s.Given, 0, n)
	}
}

// save writes the file, whole or not at all. It is not made to last on the disk, which would take longer than all else that a hook does.
func (s *seen) save() error {
	if s.path == "" {
		return nil
	}
	if s.Given == nil {
		s.Given = []string{}
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

// forget removes the file.
func (s *seen) forget() error {
	if s.path == "" {
		return nil
	}
	if err := os.Remove(s.path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// forgetOld removes the files of sessions that nobody has heard of for long, some at a time.
func forgetOld(home string, now time.Time) {
	if home == "" {
		return
	}
	d, err := os.Open(seenDir(home))
	if err != nil {
		return
	}
	defer d.Close()
	const some = 500
	entries, _ := d.ReadDir(some)
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() && now.Sub(info.ModTime()) > seenFor {
			os.Remove(filepath.Join(seenDir(home), e.Name()))
		}
	}
}
