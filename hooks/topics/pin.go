package topics

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"blackboard/board/fault"
)

// Pinned returns the topic that is pinned, "" if none is: then problem says if the file that would name it makes no sense.
func (d *Dir) Pinned() (topic, problem string) {
	name := filepath.Join(d.path, activeFile)
	text, err := readSmall(name)
	if text = strings.TrimSpace(text); errors.Is(err, fs.ErrNotExist) || err == nil && (text == "" || strings.EqualFold(text, Current)) {
		return "", ""
	}
	if err != nil || CheckName(text) != nil {
		return "", name + " names no topic, and is not used"
	}
	return d.Spelling(text), ""
}

// Used is what Use has done.
type Used struct {
	Topic  Topic  `json:"topic"`  // that is pinned now
	Spec   string `json:"spec"`   // the path of its spec
	Seeded bool   `json:"seeded"` // the spec is new
	Was    string `json:"was"`    // the topic that was pinned before, "" if none was
}

// Use pins a topic: it is that of every session in the workspace until another is pinned. If it has no spec yet, it gets one with its name and the goal, which may be "" and is one line.
// The generic topic of a branch (current) and the sessions' own are refused.
func (d *Dir) Use(ctx context.Context, name, goal string) (Used, error) {
	if err := checkPinned(name); err != nil {
		return Used{}, err
	}
	if goal = strings.Join(strings.Fields(goal), " "); goal != "" {
		if err := checkText("the goal", goal, MaxNote); err != nil {
			return Used{}, err
		}
	}
	unlock, err := d.lock(ctx)
	if err != nil {
		return Used{}, err
	}
	defer unlock()
	t, err := d.Named(name)
	if err != nil {
		return Used{}, err
	}
	t.Why = "it is pinned for this workspace"
	u := Used{Topic: t, Spec: d.SpecPath(t.Name)}
	u.Was, _ = d.Pinned()
	if _, err := os.Stat(u.Spec); errors.Is(err, fs.ErrNotExist) {
		if err := writeFile(u.Spec, []byte(seed(t.Name, goal))); err != nil {
			return u, err
		}
		u.Seeded = true
	} else if err != nil {
		return u, err
	}
	return u, writeFile(filepath.Join(d.path, activeFile), []byte(t.Name+"\n"))
}

// Unpin lets the branch decide again. It returns the topic that was pinned, "" if none was.
func (d *Dir) Unpin(ctx context.Context) (was string, err error) {
	name := filepath.Join(d.path, activeFile)
	if _, err := os.Lstat(name); errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	unlock, err := d.lock(ctx)
	if err != nil {
		return "", err
	}
	defer unlock()
	was, _ = d.Pinned()
	if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	return was, nil
}

// checkPinned refuses names that are topics but cannot be pinned.
func checkPinned(name string) error {
	if err := CheckName(name); err != nil {
		return err
	}
	switch {
	case strings.EqualFold(name, Current):
		return invalid(name+" is the topic of a branch, and not to be pinned", "", nameWork, fault.Do("topic.use", "{} leaves the choice to the branch again", "none", ""))
	case KindOf(name) == KindSession:
		return invalid(clip(name, 60)+" is a session's own topic, and not to be pinned", "", nameWork)
	}
	return nil
}
