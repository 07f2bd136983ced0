package topics

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"blackboard/board/disk"
)

// Adopted says which files of another workspace Adopt has moved, and which it has left,
// since this workspace has files of these names.
type Adopted struct {
	Moved []string `json:"moved"` // names of files of topics
	Left  []string `json:"left"`  // paths of files that stay in the other place
}

func HasAny(root, workspace string) bool {
	d, err := Open(root, workspace, Options{})
	return err == nil && disk.Exists(d.path)
}

// Adopt takes over another workspace's topics, for a moved project: specs, worklogs and the pin.
// Worklogs are joined, old entries first. If interrupted, repeat it.
func (d *Dir) Adopt(ctx context.Context, from *Dir) (a Adopted, err error) {
	a = Adopted{Moved: []string{}, Left: []string{}}
	if _, err := os.Stat(from.path); errors.Is(err, fs.ErrNotExist) {
		return a, nil
	}
	for _, dir := range []*Dir{from, d} {
		unlock, err := dir.lock(ctx)
		if err != nil {
			return a, err
		}
		defer unlock()
	}
	entries, err := os.ReadDir(from.path)
	for _, e := range entries {
		name := e.Name()
		if !e.Type().IsRegular() || name == lockFile || strings.HasPrefix(name, unfinished) {
			continue
		}
		moved, err := d.adoptFile(filepath.Join(from.path, name), filepath.Join(d.path, name))
		switch {
		case err != nil:
			return a, err
		case moved:
			a.Moved = append(a.Moved, name)
		default:
			a.Left = append(a.Left, filepath.Join(from.path, name))
		}
	}
	slices.Sort(a.Moved)
	return a, err
}

// adoptFile moves a file, or joins a worklog with the one in its place. Another file stays if there is one of its name.
// The callers hold the locks of both directories.
func (d *Dir) adoptFile(from, to string) (moved bool, err error) {
	if !disk.Exists(to) {
		return true, os.Rename(from, to)
	}
	if !strings.HasSuffix(to, worklogExt) {
		return false, nil
	}
	old, _, err := d.readWorklog(from)
	if err != nil {
		return false, err
	}
	own, _, err := d.readWorklog(to)
	if err != nil {
		return false, err
	}
	if !bytes.HasPrefix(own, old) { // else an interrupted call has written it
		if len(old) > 0 && old[len(old)-1] != '\n' {
			old = append(old, '\n')
		}
		if err := writeFile(to, d.trimOldest(append(old, own...))); err != nil {
			return false, err
		}
	}
	return true, os.Remove(from)
}
