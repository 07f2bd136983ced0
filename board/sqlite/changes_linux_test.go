package sqlite

import (
	"os"
	"path/filepath"
	"testing"

	"blackboard/testdata/expect"
)

// TestChanges: who waits for a database is told of what is written to it by anybody, by its name
// or that of a link; not of what is written beside it. Without anybody who waits there is no
// watcher.
func TestChanges(t *testing.T) {
	dir := t.TempDir()
	if !notifiesAllWrites(dir) {
		t.Skip("this file system does not tell of every write")
	}
	path := filepath.Join(dir, "a.sqlite3")
	db := expect.Value(Open(t.Context(), path, Schema{Name: "test", Migrations: []string{`CREATE TABLE t (x)`}}, Create))(t)
	defer db.Close()
	link := filepath.Join(t.TempDir(), "link")
	expect.OK(t, os.Symlink(path, link))
	one, stopOne := Changes(path)
	linked, stopLinked := Changes(link)
	other, stopOther := Changes(filepath.Join(dir, "b.sqlite3"))
	inDir, stopInDir := ChangesIn(filepath.Dir(link))
	all, stopAll := ChangesIn(dir)
	expect.OK(t, db.Write(t.Context(), func(tx *Tx) error { _, err := tx.Exec(`INSERT INTO t VALUES (1)`); return err }))
	<-one
	<-linked
	expect.OK(t, os.WriteFile(filepath.Join(dir, "b.sqlite3-wal"), []byte("x"), 0o600))
	<-other
	<-all
	expect.OK(t, os.WriteFile(filepath.Join(filepath.Dir(link), "new.sqlite3"), nil, 0o600))
	<-inDir
	stopInDir()
	stopAll()
	stopOne()
	stopOne()
	stopLinked()
	stopOther()
	if notices.watcher != nil || len(notices.waiting) != 0 {
		t.Errorf("somebody still waits: %v", notices.waiting)
	}
}
