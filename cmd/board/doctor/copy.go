package doctor

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"blackboard/board/disk"
	"blackboard/board/fault"
	"blackboard/board/sqlite"
	"blackboard/hooks/topics"
	"blackboard/kb/chunks"
)

type StoresCopy struct {
	Directory string   `json:"directory"` // where the copy is
	Databases int      `json:"databases"` // databases that were copied and checked
	Files     int      `json:"files"`     // besides databases
	Bytes     int64    `json:"bytes"`     // of all that was copied
	Problems  []string `json:"problems"`  // what could not be copied, or is damaged
}

// remade are directories of a data home that a copy does not need: what the daemon keeps while it runs, logs, models
// that can be fetched again, and the doctor's backups.
var remade = []string{"run", "log", "models", backupsDir}

// Copy copies all stores while they are used: the data home as it is, for $BOARD_HOME, topics
// below "topics", the directory's context store below "context".
func Copy(ctx context.Context, home, dir string, env func(string) string,
	progress Progress) (*StoresCopy, error) {
	defer progress("", 0, 0)
	c := &StoresCopy{Directory: dir, Problems: []string{}}
	if names, err := os.ReadDir(dir); err == nil && len(names) > 0 {
		return c, fault.Conflict.New(dir+" is not empty", "name a new directory")
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return c, err
	}
	if within(home, dir) {
		return c, fault.Invalid.New(dir+" is in the data home", "name a directory elsewhere")
	}
	err := c.tree(ctx, home, dir, remade, progress)
	if root, e := topics.Root(env); err == nil && e == nil && !within(home, root) {
		err = c.tree(ctx, root, filepath.Join(dir, "topics"), nil, progress)
	}
	store := filepath.Join(chunks.DefaultDir(env), chunks.FileName)
	if _, e := os.Stat(store); err == nil && e == nil {
		c.one(ctx, store, filepath.Join(dir, "context", chunks.FileName))
	}
	return c, errors.Join(err, disk.SyncDir(dir))
}

// within reports whether a path lies below a directory, with links resolved.
func within(dir, path string) bool {
	for _, p := range []*string{&dir, &path} {
		if real, err := filepath.EvalSymlinks(*p); err == nil {
			*p = real
		}
		*p, _ = filepath.Abs(*p)
	}
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

// tree copies what lies below a directory, without some of its own directories.
func (c *StoresCopy) tree(ctx context.Context, root, to string, without []string,
	progress Progress) error {
	return filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		rel, relErr := filepath.Rel(root, path)
		switch {
		case ctx.Err() != nil || relErr != nil:
			return errors.Join(ctx.Err(), relErr)
		case errors.Is(err, fs.ErrNotExist): // a store that is not there yet, or gone meanwhile
			return nil
		case err != nil:
			c.fail(path, err)
			return nil
		case e.IsDir() && slices.Contains(without, rel):
			return fs.SkipDir
		case e.IsDir() || isBeside(path):
			return nil
		}
		progress(rel, 0, 0)
		c.one(ctx, path, filepath.Join(to, rel))
		return nil
	})
}

// isBeside reports whether a file is of use only to a running program: a lock, a file that SQLite keeps beside a
// database, an unfinished file.
func isBeside(path string) bool {
	for _, suffix := range []string{"-wal", "-shm", "-lock", "-journal"} {
		if rest, ok := strings.CutSuffix(path, suffix); ok && filepath.Ext(rest) == ".sqlite3" {
			return true
		}
	}
	return unfinishedName.MatchString(filepath.Base(path)) || filepath.Base(path) == "_lock"
}

func (c *StoresCopy) one(ctx context.Context, path, to string) {
	copyFile, n := copyPlain, &c.Files
	if filepath.Ext(path) == ".sqlite3" {
		copyFile, n = sqlite.Backup, &c.Databases
	}
	if err := copyFile(ctx, path, to); err != nil && !errors.Is(err, fs.ErrNotExist) {
		c.fail(path, err)
	}
	if info, err := os.Stat(to); err == nil {
		*n++
		c.Bytes += info.Size()
	}
}

func (c *StoresCopy) fail(path string, err error) {
	c.Problems = append(c.Problems, path+": "+disk.Cause(err).Error())
}

func copyPlain(ctx context.Context, path, to string) error {
	in, err := disk.Open(path)
	if err != nil {
		return err
	}
	defer in.Close()
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	out, err := disk.Temp(to, 0o600)
	if err != nil {
		return err
	}
	err = disk.Fill(out, func(f *os.File) error {
		if _, err := io.Copy(f, in); err != nil {
			return err
		}
		return ctx.Err()
	})
	if err != nil {
		return err
	}
	return disk.Put(out.Name(), to)
}
