package topics

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"blackboard/board/disk"
	"blackboard/board/fault"
)

type Info struct {
	Workspace string    `json:"workspace"`     // the root directory of its project
	Name      string    `json:"name"`          // also the prefix of its files
	Kind      string    `json:"kind"`          // KindOf the name
	Pinned    bool      `json:"pinned"`        // pinned for the workspace
	Changed   time.Time `json:"changed"`       // the latest modification time of its files
	Spec      int64     `json:"spec_bytes"`    // size of its spec; 0: none
	Worklog   int64     `json:"worklog_bytes"` // size of its worklog; 0: none
	NoContext bool      `json:"no_context"`    // its .no_context file exists

	files []string // names of its files
}

func (d *Dir) List() ([]Info, error) {
	entries, err := os.ReadDir(d.path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("list the topics: %w", err)
	}
	pinned, _ := d.Pinned()
	byName := map[string]*Info{}
	for _, e := range entries {
		name, ext := topicOf(e.Name())
		if name == "" {
			continue
		}
		info, err := os.Stat(filepath.Join(d.path, e.Name()))
		// removed in the meantime, or the directory of a workspace with such a name
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		t := byName[name]
		if t == nil {
			t = &Info{Workspace: d.workspace, Name: name,
				Kind: KindOf(name), Pinned: name == pinned}
			byName[name] = t
		}
		t.files = append(t.files, e.Name())
		switch ext {
		case specExt:
			t.Spec = info.Size()
		case worklogExt:
			t.Worklog = info.Size()
		case noContextExt:
			t.NoContext = true
		}
		if changed := info.ModTime().UTC().Truncate(time.Millisecond); changed.After(t.Changed) {
			t.Changed = changed
		}
	}
	all := make([]Info, 0, len(byName))
	for _, t := range byName {
		all = append(all, *t)
	}
	slices.SortFunc(all, func(a, b Info) int {
		return cmp.Or(b.Changed.Compare(a.Changed),
			strings.Compare(a.Name, b.Name))
	})
	return all, nil
}

// All returns the topics of all workspaces below a root, by workspace, the last changed
// first in each. Unreadable topics are left out.
func All(ctx context.Context, root string) ([]Info, error) {
	all := []Info{}
	err := eachWorkspace(ctx, root, func(d *Dir) error {
		found, err := d.List()
		if err == nil {
			all = append(all, found...)
		}
		return nil
	})
	return all, err
}

// eachWorkspace calls fn for each directory below a root that may be a workspace's.
func eachWorkspace(ctx context.Context, root string, fn func(*Dir) error) error {
	if _, err := os.Stat(root); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return filepath.WalkDir(root, func(name string, e fs.DirEntry, err error) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil || !e.IsDir() || name == root {
			return nil
		}
		rel, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		d, err := Open(root, workspaceOf(rel), Options{})
		if err != nil {
			return nil
		}
		return fn(d)
	})
}

type Removed struct {
	Path  string `json:"path"`  // its former path
	Bytes int64  `json:"bytes"` // its size
}

// Wipe deletes a topic: its spec, its worklog and its .no_context file. Other topics,
// the pin and the archive stay. A topic without files is fault.NotFound.
func (d *Dir) Wipe(ctx context.Context, topic string) ([]Removed, error) {
	if err := CheckName(topic); err != nil {
		return nil, err
	}
	if _, err := os.Stat(d.path); errors.Is(err, fs.ErrNotExist) {
		return nil, d.noFiles(topic)
	}
	unlock, err := d.lock(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	removed := []Removed{}
	for _, ext := range []string{specExt, worklogExt, noContextExt} {
		name := filepath.Join(d.path, topic+ext)
		info, err := os.Lstat(name)
		// a directory with this name belongs to another workspace
		if errors.Is(err, fs.ErrNotExist) || err == nil && info.IsDir() {
			continue
		}
		if err == nil {
			err = os.Remove(name)
		}
		if err != nil {
			return removed, fmt.Errorf("wipe %s: %w", topic, err)
		}
		removed = append(removed, Removed{name, info.Size()})
	}
	if len(removed) == 0 {
		return nil, d.noFiles(topic)
	}
	return removed, disk.SyncDir(d.path)
}

func (d *Dir) noFiles(topic string) error {
	return fault.NotFound.New("no files of topic "+topic+" in "+d.workspace, "",
		fault.Do("topic.list", "{} shows the topics of this workspace"))
}
