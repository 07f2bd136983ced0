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

	"blackboard/board/lazyregexp"
	"blackboard/board/replace"
)

// This file keeps what topics have said where nobody clears it. An archive has a directory for each day on which something had changed, and in it the files as they lie below the root:
//
//	2026-11-21/WORKSPACE/TOPIC.txt
//	2026-11-21.2/…            what has changed once more on that day: nothing in an archive is ever overwritten
//	_lock                     held by a run

// ArchiveDir is the archive of a data home.
func ArchiveDir(home string) string { return filepath.Join(home, "specs-archive") }

// maxArchived is the most bytes of a file that is archived. Topics' own are far smaller.
const maxArchived = 64 << 20

// ArchiveOptions are what an archiving run is to do.
type ArchiveOptions struct {
	Now time.Time // the day that it is; now, for the zero time
	// OlderThan takes away, once they are in the archive, the topics that nobody has changed for that long; 0 takes none away. What is pinned stays, and so does a sentinel without a topic.
	OlderThan time.Duration
	// DryRun only says what would be done.
	DryRun bool
}

// Moved is a topic that is in the archive alone.
type Moved struct {
	Workspace string    `json:"workspace"` // the root directory of its project
	Topic     string    `json:"topic"`     // its name
	Changed   time.Time `json:"changed"`   // the latest time of its files
}

// ArchiveResult is what an archiving run has done.
type ArchiveResult struct {
	Archive     string   `json:"archive"`      // its directory
	Files       int      `json:"files"`        // that were looked at
	Copied      int      `json:"copied"`       // that had changed
	CopiedBytes int64    `json:"copied_bytes"` // of those
	Moved       []Moved  `json:"moved"`        // topics that were taken away
	Problems    []string `json:"problems"`     // files that could not be archived; all others were
}

// Archive copies what has changed below root since the last run into the archive, with the bytes and times as they are. Each file is copied whole or not at all, so a run that was interrupted is
// resumed by the next; one that has nothing new to copy changes nothing. It fails for what concerns the archive as a whole, and goes on where a single file is the problem.
func Archive(ctx context.Context, root, into string, opt ArchiveOptions) (ArchiveResult, error) {
	a, done, err := newArchiver(ctx, root, into, opt)
	if err != nil {
		return a.result, err
	}
	defer done()
	return a.result, eachWorkspace(ctx, root, func(d *Dir) error { return a.workspace(ctx, d) })
}

// newArchiver begins a run, which ends with done.
func newArchiver(ctx context.Context, root, into string, opt ArchiveOptions) (a *archiver, done func(), err error) {
	if opt.Now.IsZero() {
		opt.Now = time.Now()
	}
	a = &archiver{root: root, into: into, opt: opt, have: map[string]archived{}}
	a.result = ArchiveResult{Archive: into, Moved: []Moved{}, Problems: []string{}}
	for _, dirs := range [][2]string{{root, into}, {into, root}} {
		if rel, err := filepath.Rel(dirs[0], dirs[1]); err == nil && filepath.IsLocal(rel) {
			return a, nil, invalid("the archive "+into+" and the topics "+root+" lie in each other", "set $BOARD_SPEC_ROOT or $BOARD_HOME to another place")
		}
	}
	done = func() {}
	if !opt.DryRun {
		if done, err = lock(ctx, into); err != nil {
			return a, nil, err
		}
	}
	if err := a.look(ctx); err != nil {
		done()
		return a, nil, err
	}
	return a, done, nil
}

// archiver is a run.
type archiver struct {
	root, into string
	opt        ArchiveOptions
	have       map[string]archived // the latest copy of each file, by its path below root
	result     ArchiveResult
}

// archived is a copy.
type archived struct {
	path    string
	size    int64
	changed time.Time
}

// look finds the latest copy of each file.
func (a *archiver) look(ctx context.Context) error {
	snapshots, err := listSnapshots(a.into)
	if err != nil {
		return err
	}
	for _, s := range snapshots {
		dir := filepath.Join(a.into, s.name)
		err := filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
			if err != nil || ctx.Err() != nil {
				return errors.Join(err, ctx.Err())
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
				a.have[rel] = archived{name, info.Size(), info.ModTime()}
			}
			return err
		})
		if err != nil {
			return fmt.Errorf("read the archive: %w", err)
		}
	}
	return nil
}

// snapshot is a day's directory, or a later one of the same day.
type snapshot struct {
	name, day string
	n         int
}

var snapshotName = lazyregexp.New(`^(\d{4}-\d{2}-\d{2})(?:\.(\d{1,6}))?$`)

// listSnapshots are the directories of an archive, the oldest first.
func listSnapshots(into string) ([]snapshot, error) {
	entries, err := os.ReadDir(into)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read the archive: %w", err)
	}
	var all []snapshot
	for _, e := range entries {
		if m := snapshotName.FindStringSubmatch(e.Name()); m != nil && e.IsDir() {
			n, _ := strconv.Atoi("0" + m[2]) // digits, and few of them
			all = append(all, snapshot{e.Name(), m[1], n})
		}
	}
	slices.SortFunc(all, func(a, b snapshot) int { return cmp.Or(strings.Compare(a.day, b.day), cmp.Compare(a.n, b.n)) })
	return all, nil
}

// workspace archives the files of one directory, and takes away its old topics.
func (a *archiver) workspace(ctx context.Context, d *Dir) error {
	entries, err := os.ReadDir(d.path)
	if err != nil {
		a.problem(err)
		return nil
	}
	for _, e := range entries {
		if e.IsDir() || e.Name() == lockFile || strings.HasPrefix(e.Name(), unfinished) {
			continue
		}
		if err := a.file(ctx, d, e.Name()); ctx.Err() != nil {
			return ctx.Err()
		} else if !errors.Is(err, fs.ErrNotExist) { // else it was wiped meanwhile
			a.problem(err)
		}
	}
	if a.opt.OlderThan <= 0 {
		return nil
	}
	all, err := d.List()
	a.problem(err)
	for i := range all {
		if a.old(&all[i]) {
			a.problem(a.move(ctx, d, &all[i], a.old))
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	return nil
}

// problem notes what is the matter with a single file, if anything.
func (a *archiver) problem(err error) {
	if err != nil {
		a.result.Problems = append(a.result.Problems, err.Error())
	}
}

// read reads a file as it is at one moment: a worklog is appended to.
func (a *archiver) read(ctx context.Context, d *Dir, file string) ([]byte, fs.FileInfo, error) {
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

// file copies a file if its latest copy is another.
func (a *archiver) file(ctx context.Context, d *Dir, name string) error {
	a.result.Files++
	rel, err := filepath.Rel(a.root, filepath.Join(d.path, name))
	if err != nil {
		return err
	}
	// The latest copy may have its size and time.
	if info, err := os.Stat(filepath.Join(d.path, name)); err == nil && a.have[rel].size == info.Size() && a.have[rel].changed.Equal(info.ModTime()) {
		return nil
	}
	data, info, err := a.read(ctx, d, name)
	if err != nil || a.holds(rel, data) {
		return err
	}
	a.result.Copied++
	a.result.CopiedBytes += int64(len(data))
	if a.opt.DryRun {
		return nil
	}
	day := a.opt.Now.UTC().Format(time.DateOnly)
	to := filepath.Join(a.into, day, rel)
	for n := 2; exists(to); n++ {
		to = filepath.Join(a.into, day+"."+strconv.Itoa(n), rel)
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	if err := writeFile(to, data); err != nil {
		return err
	}
	a.have[rel] = archived{to, info.Size(), info.ModTime()}
	return os.Chtimes(to, info.ModTime(), info.ModTime())
}

// holds says whether the latest copy has a file's content.
func (a *archiver) holds(rel string, data []byte) bool {
	c, ok := a.have[rel]
	if !ok || c.size != int64(len(data)) {
		return false
	}
	copied, _, err := readFile(c.path, maxArchived)
	return err == nil && bytes.Equal(copied, data)
}

// old says whether a topic is to be taken away. A sentinel alone is a wish, and no trace.
func (a *archiver) old(t *Info) bool {
	return !t.Pinned && a.opt.Now.Sub(t.Changed) > a.opt.OlderThan && slices.ContainsFunc(t.files, func(f string) bool { return !strings.HasSuffix(f, noContextExt) })
}

// move takes away a topic that is in the archive, unless somebody has changed or pinned it meanwhile: it still has to be what may go.
func (a *archiver) move(ctx context.Context, d *Dir, t *Info, may func(*Info) bool) error {
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
	if i < 0 || !may(&now[i]) {
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
		if !a.holds(rel, data) {
			return nil // it is not in the archive; what was the matter is among the problems
		}
	}
	for _, file := range now[i].files {
		if err := os.Remove(filepath.Join(d.path, file)); err != nil {
			return err
		}
	}
	a.result.Moved = append(a.result.Moved, moved)
	return replace.SyncDir(d.path)
}

// ArchivedFile is a file of an archive.
type ArchivedFile struct {
	Snapshot  string    `json:"snapshot"`  // the directory of the day, by its name
	Workspace string    `json:"workspace"` // the root directory of its project
	Topic     string    `json:"topic"`     // its name
	Path      string    `json:"path"`      // where it is in the archive
	Bytes     int64     `json:"bytes"`     // how long it is
	Changed   time.Time `json:"changed"`   // when it was, before it was archived
}

// Archived lists the topics' files of an archive, those of the latest day first: of one workspace, or of all for "".
func Archived(ctx context.Context, into, workspace string) ([]ArchivedFile, error) {
	snapshots, err := listSnapshots(into)
	if err != nil {
		return nil, err
	}
	all := []ArchivedFile{}
	for _, s := range slices.Backward(snapshots) {
		dir := filepath.Join(into, s.name)
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
					all = append(all, ArchivedFile{s.name, d.workspace, found[i].Name, filepath.Join(d.path, file), info.Size(), info.ModTime().UTC().Truncate(time.Millisecond)})
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
