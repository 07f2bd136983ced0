package sqlite

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"blackboard/board/fault"
	"blackboard/testdata/expect"
)

// openKeeping opens a file by a keeper, as a call does.
func openKeeping(t *testing.T, k *Keeper, path string, s Schema, mode Mode) *DB {
	t.Helper()
	db := expect.Value(Open(k.Keeping(t.Context()), path, s, mode))(t)
	return db
}

// use opens, writes and closes.
func use(t *testing.T, k *Keeper, path string) *DB {
	t.Helper()
	db := openKeeping(t, k, path, testSchema, Create)
	expect.OK(t, errors.Join(insert(db, "x"), db.Close()))
	return db
}

func (k *Keeper) open() int {
	k.mu.Lock()
	defer k.mu.Unlock()
	return len(k.files)
}

// TestKeeper: a file stays open between its users, each of whom has a clock of its own.
func TestKeeper(t *testing.T) {
	k := NewKeeper(4, time.Hour)
	defer k.Close()
	path := filepath.Join(t.TempDir(), "db")
	first, second := use(t, k, path), openKeeping(t, k, path, testSchema, ReadWrite)
	if first.sql != second.sql || countRows(t, second) != 1 {
		t.Error("the file was opened twice")
	}
	a := second.Beside("x", func() any { return new(int) })
	second.SetNow(func() time.Time { return time.Unix(0, 0) })
	second.Close()
	third := openKeeping(t, k, path, testSchema, ReadWrite)
	if third.Now().Year() < 2000 {
		t.Error("the clock of another user is used")
	}
	if third.Beside("x", func() any { return new(int) }) != a {
		t.Error("what was kept with the file is gone")
	}
	other, err := Open(t.Context(), path, testSchema, ReadWrite)
	if err != nil || other.sql == third.sql || other.Beside("x", func() any { return new(int) }) == a {
		t.Errorf("without a keeper, a kept file was used (%v)", err)
	}
	other.Close()
	third.Close()
	if err := k.Close(); err != nil || k.open() != 0 {
		t.Errorf("%d files are left, %v", k.open(), err)
	}
	if _, err := os.Stat(path + "-wal"); err == nil {
		t.Error("the last to close the file has left its WAL")
	}
}

// TestKeeperSeesChanges: a file that was replaced, removed and made anew, or migrated by
// a newer program is opened anew, and its new content is not harmed by the old one.
func TestKeeperSeesChanges(t *testing.T) {
	for name, change := range map[string]func(t *testing.T, path string){
		"removed and made anew": func(t *testing.T, path string) {
			expect.OK(t, Remove(t.Context(), path, nil))
			db := open(t, path, testSchema, Create)
			for range 3 {
				expect.OK(t, insert(db, "new"))
			}
		},
		"replaced by a rename": func(t *testing.T, path string) {
			db := open(t, path+"2", testSchema, Create)
			for range 3 {
				expect.OK(t, insert(db, "new"))
			}
			db.Close()
			for _, suffix := range []string{"-wal", "-shm"} {
				os.Remove(path + suffix)
			}
			expect.OK(t, os.Rename(path+"2", path))
		},
	} {
		t.Run(name, func(t *testing.T) {
			k := NewKeeper(4, time.Hour)
			defer k.Close()
			path := filepath.Join(t.TempDir(), "db")
			held := openKeeping(t, k, path, testSchema, Create)
			expect.OK(t, insert(held, "old"))
			use(t, k, path)
			change(t, path)
			for range 2 {
				db := openKeeping(t, k, path, testSchema, ReadWrite)
				if n := countRows(t, db); n != 3 {
					t.Errorf("%d rows are found", n)
				}
				db.Close()
			}
			if err := insert(held, "lost"); !errors.Is(err, fault.Gone) {
				t.Errorf("a user of the old file wrote: %v", err)
			}
			held.Close()
			k.Close()
			if n := countRows(t, open(t, path, testSchema, ReadWrite)); n != 3 {
				t.Errorf("%d rows are left after the old file was closed", n)
			}
		})
	}
	k := NewKeeper(4, time.Hour)
	defer k.Close()
	path := filepath.Join(t.TempDir(), "db")
	use(t, k, path)
	newer := testSchema
	newer.Migrations = append(newer.Migrations[:2:2], `CREATE TABLE b (x TEXT) STRICT`)
	open(t, path, newer, ReadWrite).Close()
	old := openKeeping(t, k, path, testSchema, ReadWrite)
	defer old.Close()
	nothing := func(*Tx) error { t.Error("a file of a newer version is used"); return nil }
	for name, err := range map[string]error{"read": old.Read(t.Context(), nothing),
		"written to": old.Write(t.Context(), nothing)} {
		if !errors.Is(err, fault.Newer) {
			t.Errorf("a file of a newer version is %s: %v", name, err)
		}
	}
	if _, err := Open(k.Keeping(t.Context()), path, testSchema, ReadWrite); !errors.Is(err, fault.Newer) {
		t.Errorf("a file of a newer version is opened: %v", err)
	}
}

// TestKeeperIsBounded: few unused files stay open, and not for ever; those in use do.
func TestKeeperIsBounded(t *testing.T) {
	k := NewKeeper(2, time.Hour)
	defer k.Close()
	dir := t.TempDir()
	now := time.Unix(1000, 0)
	k.now = func() time.Time { now = now.Add(time.Second); return now }
	inUse := openKeeping(t, k, filepath.Join(dir, "used"), testSchema, Create)
	for i := range 5 {
		use(t, k, filepath.Join(dir, fmt.Sprint(i)))
	}
	if n := k.open(); n != 3 {
		t.Errorf("%d files are open", n)
	}
	if use(t, k, filepath.Join(dir, "4")).sql == use(t, k, filepath.Join(dir, "3")).sql {
		t.Error("two files are one")
	}
	now = now.Add(2 * time.Hour)
	k.closeIdle()
	if n := k.open(); n != 1 {
		t.Errorf("%d files are open after a while", n)
	}
	if err := errors.Join(insert(inUse, "x"), inUse.Close()); err != nil {
		t.Error(err)
	}
}

// TestKeeperAtOnce: any number of users at once lose nothing.
func TestKeeperAtOnce(t *testing.T) {
	k := NewKeeper(1, time.Nanosecond)
	dir := t.TempDir()
	var users sync.WaitGroup
	const each = 30
	for i := range 8 {
		users.Go(func() {
			for j := range each {
				path := filepath.Join(dir, fmt.Sprint((i+j)%3))
				db, err := Open(k.Keeping(context.Background()), path, testSchema, Create)
				if err == nil {
					err = errors.Join(insert(db, "x"), db.Close())
				}
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	users.Wait()
	k.Close()
	total := 0
	for i := range 3 {
		total += countRows(t, open(t, filepath.Join(dir, fmt.Sprint(i)), testSchema, ReadWrite))
	}
	if total != 8*each {
		t.Errorf("%d of %d rows are there", total, 8*each)
	}
}
