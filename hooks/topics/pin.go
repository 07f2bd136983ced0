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

// Pinned returns the pinned topic, or "": then problem says if the file that pins is invalid.
func (d *Dir) Pinned() (topic, problem string) {
	name := filepath.Join(d.path, activeFile)
	text, err := readSmall(name)
	if text = strings.TrimSpace(text); errors.Is(err, fs.ErrNotExist) || err == nil &&
		(text == "" || strings.EqualFold(text, Current)) {
		return "", ""
	}
	if err != nil || CheckName(text) != nil {
		return "", name + " is ignored: it has no valid topic name"
	}
	return d.Spelling(text), ""
}

type UseResult struct {
	Topic  Topic  `json:"topic"`  // the pinned topic
	Spec   string `json:"spec"`   // the path of its spec
	Seeded bool   `json:"seeded"` // the spec is new
	Was    string `json:"was"`    // the topic that was pinned before, or ""
}

// Use pins a topic for all the workspace's sessions, until another. A missing spec is made from
// name and goal (one line or ""). current and sessions' topics are refused.
func (d *Dir) Use(ctx context.Context, name, goal string) (UseResult, error) {
	if err := checkPinned(name); err != nil {
		return UseResult{}, err
	}
	if goal = strings.Join(strings.Fields(goal), " "); goal != "" {
		if err := checkText("the goal", goal, MaxNote); err != nil {
			return UseResult{}, err
		}
	}
	unlock, err := d.lock(ctx)
	if err != nil {
		return UseResult{}, err
	}
	defer unlock()
	t, err := d.Named(name)
	if err != nil {
		return UseResult{}, err
	}
	t.Why = "it is pinned for this workspace"
	u := UseResult{Topic: t, Spec: d.SpecPath(t.Name)}
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

// Unpin lets the branch decide again. It returns the topic that was pinned, or "".
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

// checkPinned refuses names of topics that cannot be pinned.
func checkPinned(name string) error {
	if err := CheckName(name); err != nil {
		return err
	}
	switch {
	case strings.EqualFold(name, Current):
		return invalid(name+" is the topic of a branch and cannot be pinned", "", nameWork,
			fault.Do("topic.use", "{} unpins, so that the branch decides again", "none", ""))
	case KindOf(name) == KindSession:
		return invalid(clip(name, 60)+" is a session's own topic and cannot be pinned", "",
			nameWork)
	}
	return nil
}
