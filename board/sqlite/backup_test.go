package sqlite

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"blackboard/board/fault"
	"blackboard/testdata/expect"
)

// TestBackup: a copy has what was acknowledged before, whoever writes meanwhile, and is
// complete without a -wal.
func TestBackup(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "db.sqlite3")
	db := open(t, path, testSchema, Create)
	for range 200 {
		expect.OK(t, insert(db, "before"))
	}
	stop := make(chan struct{})
	var writer sync.WaitGroup
	writer.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				if err := insert(db, "meanwhile"); err != nil {
					t.Error(err)
				}
			}
		}
	})
	for i := range 3 {
		to := filepath.Join(dir, "copies", string(rune('a'+i))+".sqlite3")
		expect.OK(t, Backup(t.Context(), path, to))
		if left, _ := filepath.Glob(to + "-*"); len(left) > 0 {
			t.Errorf("beside the copy lies %v", left)
		}
		copied := open(t, to, testSchema, ReadWrite)
		if n := countRows(t, copied); n < 200 {
			t.Errorf("the copy has %d of 200 rows", n)
		}
		if err := insert(copied, "after"); err != nil {
			t.Error(err)
		}
		copied.Close()
	}
	close(stop)
	writer.Wait()
	if err := Backup(t.Context(), filepath.Join(dir, "gone"), filepath.Join(dir, "x")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file that is missing: %v", err)
	}
}

// TestHardLink: a file with two names is read, and not written to; one that a symbolic
// link leads to is written to by both names.
func TestHardLink(t *testing.T) {
	dir := t.TempDir()
	path, hard, soft := filepath.Join(dir, "db"), filepath.Join(dir, "hard"), filepath.Join(dir, "soft")
	db := open(t, path, testSchema, Create)
	if err := os.Symlink(path, soft); err != nil {
		t.Skip(err)
	}
	for _, err := range []error{insert(db, "x"), insert(open(t, soft, testSchema, ReadWrite), "x"),
		os.Link(path, hard)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, db := range []*DB{db, open(t, soft, testSchema, ReadWrite)} {
		if err := insert(db, "y"); !errors.Is(err, fault.Conflict) {
			t.Errorf("%s was written to: %v", db.Path(), err)
		}
	}
	if err := CheckLinks(hard); !errors.Is(err, fault.Conflict) {
		t.Errorf("the second name: %v", err)
	}
	if n := countRows(t, db); n != 2 {
		t.Errorf("%d rows are read", n)
	}
	if err := errors.Join(os.Remove(hard), insert(db, "y")); err != nil {
		t.Errorf("with one name again: %v", err)
	}
}
