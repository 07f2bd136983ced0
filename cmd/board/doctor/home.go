package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"blackboard/board/disk"
	"blackboard/board/sqlite"
	"blackboard/board/text"
	"blackboard/hooks/topics"
	"blackboard/kb"
)

// backupsDir is the directory of the data home that is the doctor's own.
const backupsDir = "backups"

const (
	// aheadOfTime is how far in the future a file's time may be before it is the clock's:
	// file systems of other machines have clocks of their own.
	aheadOfTime = 2 * time.Minute
	// staleAfter is how old an unfinished file must be for nobody to be at it any more.
	staleAfter = time.Minute
	// fewPaths is how many paths a finding names.
	fewPaths = 3
)

// Free space below which there is something to say, in bytes.
const (
	littleSpace = 500 << 20
	noSpace     = 20 << 20
)

type fileLook struct {
	files, bytes int64
	open         []string // paths that others may read, or write to
	locked       []string // paths that their owner cannot read, or write to
	foreign      []string // paths of another owner
	future       []string
	ahead        time.Duration // how far the furthest of them is
	left         []string
	unread       []error
}

// lookAtHome walks the data home: permissions, times, leftovers, and the space left.
func (d *Doctor) lookAtHome(ctx context.Context) {
	info, err := os.Stat(d.Home)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		d.ok("directory", "%s: not created yet; the first command that writes creates it", d.Home)
		d.lookAtSpace()
		return
	case err != nil:
		d.failed("directory", err)
		return
	case !info.IsDir():
		d.broken("directory", "name a directory with $BOARD_HOME", "%s is not a directory", d.Home)
		return
	}
	l := &fileLook{}
	d.walkHome(ctx, l)
	d.ok("directory", "%s: %s, %s", d.Home, text.Count(l.files, "file", "files"), text.Megabytes(l.bytes))
	for _, err := range l.unread {
		d.failed("directory", err)
	}
	d.tellPermissions(l, info)
	d.lookAtSpace()
	if len(l.future) > 0 {
		d.note("clock", "compare `date` with another clock; what was written keeps its time, so new entries may seem older", "%s in the future, up to %s ahead: %s",
			text.Count(int64(len(l.future)), "file was written", "files were written"), l.ahead.Round(time.Second), text.Few(l.future, fewPaths))
	} else {
		d.ok("clock", "nothing was written in the future")
	}
	l.left = append(l.left, d.leftInTopics(ctx)...)
	if len(l.left) > 0 {
		d.repairable("leftovers", kb.StateNote, d.moveLeftovers(l.left), "%s left over from interrupted commands: %s", text.Count(int64(len(l.left)), "file", "files"), d.short(text.Few(l.left, fewPaths)))
	} else {
		d.ok("leftovers", "none")
	}
}

func (d *Doctor) walkHome(ctx context.Context, l *fileLook) {
	filepath.WalkDir(d.Home, func(path string, e fs.DirEntry, err error) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			if !errors.Is(err, fs.ErrNotExist) { // gone meanwhile
				l.unread = append(l.unread, err)
			}
			return nil
		}
		if filepath.Ext(path) == ".sqlite3" {
			d.lookAtLinks(path)
		}
		info, err := e.Info()
		if err != nil || info.Mode()&fs.ModeSymlink != 0 { // a link has no permissions of its own
			return nil
		}
		rel, err := filepath.Rel(d.Home, path)
		if err != nil {
			return err
		}
		if !e.IsDir() {
			l.files++
			l.bytes += info.Size()
		}
		l.permissions(path, info)
		if rel == backupsDir || strings.HasPrefix(rel, backupsDir+string(filepath.Separator)) {
			return nil // what lies there has been dealt with
		}
		if ahead := info.ModTime().Sub(d.now); ahead > aheadOfTime && info.Mode().IsRegular() {
			l.future, l.ahead = append(l.future, rel), max(l.ahead, ahead)
		}
		if info.Mode().IsRegular() && d.isLeftover(path, rel, info) {
			l.left = append(l.left, path)
		}
		return nil
	})
}

// lookAtLinks names a database with several names.
func (d *Doctor) lookAtLinks(path string) {
	if err := sqlite.CheckLinks(path); err != nil {
		d.failed("links", err)
	}
}

func (l *fileLook) permissions(path string, info fs.FileInfo) {
	if runtime.GOOS == "windows" { // where a mode says nothing about others
		return
	}
	mode, need := info.Mode().Perm(), fs.FileMode(0o600)
	if info.IsDir() {
		need = 0o700
	}
	switch {
	case !ownFile(info):
		l.foreign = append(l.foreign, path)
	case mode&0o077 != 0:
		l.open = append(l.open, path)
	case mode&need != need:
		l.locked = append(l.locked, path)
	}
}

// unfinishedName matches the names of files that were being written: those of package
// disk, those of older versions, of copies of a database.
var unfinishedName = text.NewRegexp(`^\.new-|^\..+\.[0-9]+\.tmp$|\.json\.[0-9]+\.tmp$|^\.token-[0-9]+$|^\..+\.new-[0-9]+(-wal|-shm|-lock)?$`)

// brokenName matches what `board kb rebuild` and repairs have moved out of their way.
var brokenName = text.NewRegexp(`\.sqlite3\.broken-[0-9]+(-wal|-shm)?$`)

// isLeftover reports whether a file is of no use to anybody. Lock files stay for ever,
// and so do a -wal and a -shm beside their file; unfinished capsules are the knowledge
// base's to deal with, and models' half downloads are continued by the next pull.
func (d *Doctor) isLeftover(path, rel string, info fs.FileInfo) bool {
	if d.now.Sub(info.ModTime()) < staleAfter || strings.HasPrefix(path, kb.Sidecars(d.Home)+string(filepath.Separator)) || strings.HasPrefix(rel, "models"+string(filepath.Separator)) {
		return false
	}
	name := filepath.Base(path)
	if main, ok := strings.CutSuffix(path, ".sqlite3-wal"); ok && info.Size() > 0 {
		_, err := os.Lstat(main + ".sqlite3")
		return errors.Is(err, fs.ErrNotExist)
	}
	return unfinishedName.MatchString(name) || brokenName.MatchString(name)
}

// leftInTopics returns the unfinished files of topics.
func (d *Doctor) leftInTopics(ctx context.Context) (left []string) {
	root, err := topics.Root(d.Env)
	if err != nil {
		return nil
	}
	filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err == nil && e.Type().IsRegular() && strings.HasPrefix(e.Name(), disk.TempPrefix) {
			if info, err := e.Info(); err == nil && d.now.Sub(info.ModTime()) > staleAfter {
				left = append(left, path)
			}
		}
		return nil
	})
	return left
}

// tellPermissions says who can get at what. Where nobody else gets into the data home,
// the modes of what lies in it are worth a word, no more.
func (d *Doctor) tellPermissions(l *fileLook, home fs.FileInfo) {
	names := func(paths []string) string {
		short := make([]string, len(paths))
		for i, path := range paths {
			if short[i] = d.short(path); path == d.Home {
				short[i] = "the data home itself"
			}
		}
		return text.Few(short, fewPaths)
	}
	if len(l.open) > 0 {
		state := kb.StateNote
		if home.Mode().Perm()&0o077 != 0 {
			state = kb.StateBroken
		}
		d.repairable("permissions", state, d.closeModes(l.open), "users other than the owner have access to %s: %s", text.Count(int64(len(l.open)), "path", "paths"), names(l.open))
	}
	if len(l.foreign) > 0 {
		d.broken("permissions", "have whoever owns them, or an administrator, give them to this user", "%s to somebody else: %s",
			text.Count(int64(len(l.foreign)), "path belongs", "paths belong"), names(l.foreign))
	}
	if len(l.locked) > 0 {
		d.note("permissions", "`chmod u+rw` if that is not meant", "their owner cannot read or write %s: %s", text.Count(int64(len(l.locked)), "path", "paths"), names(l.locked))
	}
	if len(l.open)+len(l.foreign)+len(l.locked) == 0 {
		d.ok("permissions", "for the owner alone")
	}
}

// lookAtSpace says how much can still be written to the data home's disk.
func (d *Doctor) lookAtSpace() {
	free, known := freeSpace(nearest(d.Home))
	switch {
	case !known:
	case free < noSpace:
		d.broken("space", "free some space; until then writing may fail, and nothing is lost", "%s are left on the disk of the data home", text.Megabytes(free))
	case free < littleSpace:
		d.note("space", "free some space", "%s are left on the disk of the data home", text.Megabytes(free))
	default:
		d.ok("space", "%s are left", fmt.Sprintf("%.1f GB", float64(free)/1e9))
	}
}

// nearest returns path, or the nearest directory above it that exists.
func nearest(path string) string {
	for {
		if _, err := os.Stat(path); err == nil || path == filepath.Dir(path) {
			return path
		}
		path = filepath.Dir(path)
	}
}
