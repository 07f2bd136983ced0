package topics

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"blackboard/board/disk"
	"blackboard/board/text"
)

// This file copies topics to a place that is never cleaned up. The archive has one
// directory for each day with changes. In it, files have the same paths as below the
// root:
//
//	2026-11-21/WORKSPACE/TOPIC.txt
//	2026-11-21.2/…    files that changed again on that day: nothing is ever overwritten
//	_lock             held by a run

func ArchiveDir(home string) string { return filepath.Join(home, "specs-archive") }

// maxArchived is the largest archived file in bytes; topics' files are far smaller.
const maxArchived = 64 << 20

type ArchiveOptions struct {
	Now time.Time // the run's time; zero: time.Now
	// OlderThan removes archived topics unchanged for that long; 0: none. Pinned topics stay, and
	// so does a sentinel without one.
	OlderThan time.Duration
	// DryRun changes nothing and reports what would be done.
	DryRun bool
}

type Moved struct {
	Workspace string    `json:"workspace"` // the root directory of its project
	Topic     string    `json:"topic"`     // its name
	Changed   time.Time `json:"changed"`   // the latest time of its files
}

type ArchiveResult struct {
	Archive     string   `json:"archive"`      // its directory
	Files       int      `json:"files"`        // checked
	Copied      int      `json:"copied"`       // files that had changed
	CopiedBytes int64    `json:"copied_bytes"` // of the copied files
	Moved       []Moved  `json:"moved"`        // topics that were removed
	Problems    []string `json:"problems"`     // files that could not be archived
}

// ArchiveAfter is how long a topic stays in the list without a change.
const ArchiveAfter = 30 * 24 * time.Hour

// Archive copies everything below root that changed since the last run, with bytes and
// times unchanged. Each file is copied whole or not at all, so the next run resumes an
// interrupted one. It fails on errors of the archive as a whole; an error of a single
// file goes into Problems.
func Archive(ctx context.Context, root, into string, opt ArchiveOptions) (ArchiveResult, error) {
	a, done, err := newArchiver(ctx, root, into, opt)
	if err != nil {
		return a.result, err
	}
	defer done()
	if opt.OlderThan > 0 {
		a.may = a.expired
	}
	return a.result, eachWorkspace(ctx, root,
		func(d *Dir) error { return a.archiveWorkspace(ctx, d) })
}

func newArchiver(ctx context.Context, root, into string, opt ArchiveOptions) (a *archiver,
	done func(), err error) {
	if opt.Now.IsZero() {
		opt.Now = time.Now()
	}
	a = &archiver{root: root, into: into, opt: opt, have: map[string]copyInfo{}}
	a.result = ArchiveResult{Archive: into, Moved: []Moved{}, Problems: []string{}}
	for _, dirs := range [][2]string{{root, into}, {into, root}} {
		if rel, err := filepath.Rel(dirs[0], dirs[1]); err == nil && filepath.IsLocal(rel) {
			return a, nil, invalid("the archive "+into+" and the topics "+root+
				" overlap", "set $BOARD_SPEC_ROOT or $BOARD_HOME to another directory")
		}
	}
	done = func() {}
	if !opt.DryRun {
		if done, err = lock(ctx, into); err != nil {
			return a, nil, err
		}
	}
	if err := a.findLatest(ctx); err != nil {
		done()
		return a, nil, err
	}
	return a, done, nil
}

type archiver struct {
	root, into string
	opt        ArchiveOptions
	have       map[string]copyInfo // the latest copy of each file, by its path below root
	only       string              // the topic that it is about; "": all
	may        func(*Info) bool    // which topics are removed; nil: none
	result     ArchiveResult
}

type copyInfo struct {
	path    string
	size    int64
	changed time.Time
}

func (a *archiver) findLatest(ctx context.Context) error {
	snapshots, err := listSnapshots(a.into)
	if err != nil {
		return err
	}
	for _, name := range snapshots {
		dir := filepath.Join(a.into, name)
		err := filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
			if err != nil || ctx.Err() != nil {
				return errors.Join(err, ctx.Err())
			}
			if strings.HasPrefix(e.Name(), unfinished) && !a.opt.DryRun {
				return os.Remove(name) // by a run that was interrupted
			}
			if !e.Type().IsRegular() || strings.HasPrefix(e.Name(), unfinished) {
				return nil
			}
			rel, err := filepath.Rel(dir, name)
			if err != nil {
				return err
			}
			info, err := e.Info()
			if err == nil {
				a.have[rel] = copyInfo{name, info.Size(), info.ModTime()}
			}
			return err
		})
		if err != nil {
			return fmt.Errorf("read the archive: %w", err)
		}
	}
	return nil
}

// snapshotName matches the directory of a day, or a later one of the same day.
var snapshotName = text.NewRegexp(`^\d{4}-\d{2}-\d{2}(?:\.\d{1,6})?$`)

// listSnapshots returns the snapshots of an archive, the oldest first.
func listSnapshots(into string) ([]string, error) {
	entries, err := os.ReadDir(into)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read the archive: %w", err)
	}
	var all []string
	for _, e := range entries {
		if e.IsDir() && snapshotName.MatchString(e.Name()) {
			all = append(all, e.Name())
		}
	}
	slices.SortFunc(all, func(a, b string) int { // .10 comes after .9
		const day = len(time.DateOnly)
		return cmp.Or(strings.Compare(a[:day], b[:day]), cmp.Compare(len(a), len(b)), strings.Compare(a, b))
	})
	return all, nil
}

// archiveWorkspace archives the files of one directory, and removes its expired topics.
func (a *archiver) archiveWorkspace(ctx context.Context, d *Dir) error {
	entries, err := os.ReadDir(d.path)
	if err != nil {
		a.addProblem(err)
		return nil
	}
	for _, e := range entries {
		topic, _ := topicOf(e.Name())
		if e.IsDir() || e.Name() == lockFile || strings.HasPrefix(e.Name(), unfinished) ||
			a.only != "" && topic != a.only {
			continue
		}
		if err := a.copyFile(ctx, d, e.Name()); ctx.Err() != nil {
			return ctx.Err()
		} else if !errors.Is(err, fs.ErrNotExist) { // NotExist: it was wiped in the meantime
			a.addProblem(err)
		}
	}
	if a.may == nil {
		return nil
	}
	all, err := d.List()
	a.addProblem(err)
	for i := range all {
		if a.may(&all[i]) {
			a.addProblem(a.removeArchived(ctx, d, &all[i]))
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return nil
}

func (a *archiver) addProblem(err error) {
	if err != nil {
		a.result.Problems = append(a.result.Problems, err.Error())
	}
}

// readStable reads a file, a worklog under the lock, because it is appended to.
func (a *archiver) readStable(ctx context.Context, d *Dir, file string) ([]byte, fs.FileInfo,
	error) {
	if strings.HasSuffix(file, worklogExt) {
		unlock, err := d.lock(ctx)
		if err != nil {
			return nil, nil, err
		}
		defer unlock()
	}
	data, info, err := readFile(filepath.Join(d.path, file), maxArchived)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("archive %s: %w", filepath.Join(d.path, file), err)
	}
	return data, info, err
}

func (a *archiver) copyFile(ctx context.Context, d *Dir, name string) error {
	a.result.Files++
	rel, err := filepath.Rel(a.root, filepath.Join(d.path, name))
	if err != nil {
		return err
	}
	// Same size and time as the latest copy: unchanged.
	if info, err := os.Stat(filepath.Join(d.path, name)); err == nil &&
		a.have[rel].size == info.Size() && a.have[rel].changed.Equal(info.ModTime()) {
		return nil
	}
	data, info, err := a.readStable(ctx, d, name)
	if err != nil || a.hasContent(rel, data) {
		return err
	}
	a.result.Copied++
	a.result.CopiedBytes += int64(len(data))
	if a.opt.DryRun {
		return nil
	}
	day := a.opt.Now.UTC().Format(time.DateOnly)
	to := filepath.Join(a.into, day, rel)
	for n := 2; disk.Exists(to); n++ {
		to = filepath.Join(a.into, day+"."+strconv.Itoa(n), rel)
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	if err := writeFile(to, data); err != nil {
		return err
	}
	a.have[rel] = copyInfo{to, info.Size(), info.ModTime()}
	return os.Chtimes(to, info.ModTime(), info.ModTime())
}

// hasContent reports whether the latest copy of a file has this content.
func (a *archiver) hasContent(rel string, data []byte) bool {
	c, ok := a.have[rel]
	if !ok || c.size != int64(len(data)) {
		return false
	}
	copied, _, err := readFile(c.path, maxArchived)
	return err == nil && bytes.Equal(copied, data)
}

// expired reports whether a topic is to be removed. A lone sentinel, a user's setting, stays.
func (a *archiver) expired(t *Info) bool {
	return !t.Pinned && a.opt.Now.Sub(t.Changed) > a.opt.OlderThan && slices.ContainsFunc(t.files,
		func(f string) bool { return !strings.HasSuffix(f, noContextExt) })
}

// removeArchived removes a topic that is in the archive. It checks again first, because
// another process may have changed or pinned the topic.
func (a *archiver) removeArchived(ctx context.Context, d *Dir, t *Info) error {
	moved := Moved{d.workspace, t.Name, t.Changed}
	if a.opt.DryRun {
		a.result.Moved = append(a.result.Moved, moved)
		return nil
	}
	unlock, err := d.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	now, err := d.List()
	if err != nil {
		return err
	}
	i := slices.IndexFunc(now, func(n Info) bool { return n.Name == t.Name })
	if i < 0 || !a.may(&now[i]) {
		return nil
	}
	for _, file := range now[i].files {
		rel, err := filepath.Rel(a.root, filepath.Join(d.path, file))
		if err != nil {
			return err
		}
		data, _, err := readFile(filepath.Join(d.path, file), maxArchived)
		if err != nil {
			return err
		}
		if !a.hasContent(rel, data) {
			return nil // not in the archive; the reason is among the problems
		}
	}
	for _, file := range now[i].files {
		if err := os.Remove(filepath.Join(d.path, file)); err != nil {
			return err
		}
	}
	a.result.Moved = append(a.result.Moved, moved)
	return disk.SyncDir(d.path)
}

// ArchivedFile is a file of the archive.
type ArchivedFile struct {
	Snapshot  string    `json:"snapshot"`  // name of the day's directory
	Workspace string    `json:"workspace"` // the root directory of its project
	Topic     string    `json:"topic"`     // its name
	Path      string    `json:"path"`      // in the archive
	Bytes     int64     `json:"bytes"`     // its size
	Changed   time.Time `json:"changed"`   // its modification time when it was archived
}

// Archived lists the archived files of a workspace, or of all for "", the latest day first.
func Archived(ctx context.Context, into, workspace string) ([]ArchivedFile, error) {
	snapshots, err := listSnapshots(into)
	if err != nil {
		return nil, err
	}
	all := []ArchivedFile{}
	for _, name := range slices.Backward(snapshots) {
		dir := filepath.Join(into, name)
		err := eachWorkspace(ctx, dir, func(d *Dir) error {
			if workspace != "" && d.workspace != workspace {
				return nil
			}
			found, err := d.List()
			for i := range found {
				for _, file := range found[i].files {
					info, err := os.Stat(filepath.Join(d.path, file))
					if err != nil {
						return err
					}
					all = append(all, ArchivedFile{name, d.workspace, found[i].Name,
						filepath.Join(d.path, file), info.Size(),
						info.ModTime().UTC().Truncate(time.Millisecond)})
				}
			}
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("read the archive: %w", err)
		}
	}
	return all, nil
}
