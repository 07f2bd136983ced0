package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"blackboard/board/fault"
	"blackboard/board/sqlite"
	"blackboard/board/text"
)

// backup is a directory that keeps what a repair changes and removes, as it was: below
// "home" as in the data home, below "elsewhere" by the whole path. An SQLite file is kept
// with its -wal, whose changes are not in the file yet; both belong together. The file
// what.txt says what came from where.
type backup struct {
	home string
	dir  string
	log  *os.File
	kept []string
}

const whatFile = "what.txt"

// backupName returns the directory for a backup that begins now: a name that is not taken yet.
func backupName(home string, now time.Time) string {
	name := filepath.Join(home, backupsDir, now.UTC().Format("20060102T150405Z"))
	for dir, i := name, 2; ; i++ {
		// also one that cannot be looked at: making it says why
		if _, err := os.Lstat(dir); err != nil {
			return dir
		}
		dir = fmt.Sprintf("%s-%d", name, i)
	}
}

// begin creates the directory and its log, if the disk has room for copies of what will change.
func (b *backup) begin(changes []string) error {
	size := int64(0)
	for _, path := range changes {
		for _, suffix := range besideFile {
			if info, err := os.Stat(path + suffix); err == nil {
				size += info.Size()
			}
		}
	}
	if free, known := freeSpace(nearest(b.home)); known && free < size+noSpace {
		return fault.Failure.New(fmt.Sprintf("nothing was changed: the backup needs %s, and %s are left on the disk", text.Megabytes(size), text.Megabytes(free)), "free some space, and repeat it")
	}
	if err := os.MkdirAll(b.dir, 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(filepath.Join(b.dir, whatFile), os.O_CREATE|os.O_EXCL|os.O_APPEND|os.O_WRONLY, 0o600)
	b.log = f
	return err
}

// note writes a line to the backup's log. It is called before what the line says is done.
func (b *backup) note(format string, a ...any) error {
	_, err := fmt.Fprintf(b.log, "%s %s\n", time.Now().UTC().Format(time.RFC3339), strings.ReplaceAll(fmt.Sprintf(format, a...), "\n", "␤"))
	return err
}

// place returns the path that a file or directory has in the backup, and creates the directory for it.
func (b *backup) place(path string) (string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	to := filepath.Join(b.dir, "elsewhere", strings.ReplaceAll(filepath.VolumeName(abs), ":", ""), abs[len(filepath.VolumeName(abs)):])
	if rel, err := filepath.Rel(b.home, abs); err == nil && filepath.IsLocal(rel) {
		to = filepath.Join(b.dir, "home", rel)
	}
	return to, os.MkdirAll(filepath.Dir(to), 0o700)
}

// besideFile is what belongs to an SQLite file, and the file itself.
var besideFile = []string{"", "-wal", "-journal"}

// copy keeps a file as it is now, with what SQLite has beside it. One that is not there
// needs no copy, and one that is kept already is not kept again.
func (b *backup) copy(ctx context.Context, path string) error {
	if _, err := os.Lstat(path); slices.Contains(b.kept, path) || errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	to, err := b.place(path)
	if err != nil {
		return err
	}
	if err := sqlite.CopyBeside(path, to, math.MaxInt64, func(from, to string) error {
		return copyOver(ctx, from, to)
	}); err != nil {
		return err
	}
	b.kept = append(b.kept, path)
	return b.note("copied %s", path)
}

func copyOver(ctx context.Context, from, to string) error {
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	if err = sqlite.CopyFile(ctx, from, out); err == nil {
		err = out.Sync()
	}
	return errors.Join(err, out.Close())
}

// take moves a file or directory into the backup; from another disk it copies, then removes.
func (b *backup) take(ctx context.Context, path string) error {
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	to, err := b.place(path)
	if err != nil {
		return err
	}
	if _, err := os.Lstat(to); err == nil { // of something else that had the name
		to += fmt.Sprintf(".%d", time.Now().UnixNano())
	}
	if err := b.note("moved %s", path); err != nil {
		return err
	}
	if err = os.Rename(path, to); err == nil {
		return nil
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s cannot be moved into the backup: %w", path, err)
	}
	if err := copyOver(ctx, path, to); err != nil {
		return err
	}
	return os.Remove(path)
}
