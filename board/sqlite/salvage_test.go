package sqlite

import (
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"blackboard/board/fault"
	"blackboard/testdata/expect"
)

// pagedFile is a file of notes on many pages, and returns the numbers of the pages that
// hold rows.
func pagedFile(t *testing.T, path string, rows int) (leaves []int64, pageSize int64) {
	t.Helper()
	db := expect.Value(Open(t.Context(), path, paged, Create))(t)
	expect.OK(t, db.Write(t.Context(), func(tx *Tx) error {
		for i := range rows {
			if _, err := tx.Exec(`INSERT INTO notes VALUES (?, ?)`, i+1, fmt.Sprintf("%0400d", i+1)); err != nil {
				return err
			}
		}
		return nil
	}))
	expect.OK(t, db.Close())
	raw := expect.Value(sql.Open("sqlite", path))(t)
	defer raw.Close()
	expect.OK(t, raw.QueryRow(`PRAGMA page_size`).Scan(&pageSize))
	data := expect.Value(os.ReadFile(path))(t)
	for n := int64(2); n*pageSize <= int64(len(data)); n++ { // the first has the schema
		if data[(n-1)*pageSize] == 0x0d { // a leaf of a table
			leaves = append(leaves, n)
		}
	}
	return leaves, pageSize
}

var paged = Schema{Name: "paged", ApplicationID: 7, Migrations: []string{`CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT;
	CREATE TABLE words (word TEXT PRIMARY KEY, n INTEGER NOT NULL) STRICT, WITHOUT ROWID`}}

// TestSalvage reads what is before, after and between pages that cannot be read, each
// row once, and leaves the damaged file alone.
func TestSalvage(t *testing.T) {
	dir := t.TempDir()
	path, to := filepath.Join(dir, "a.sqlite3"), filepath.Join(dir, "b.sqlite3")
	const rows = 200
	leaves, size := pagedFile(t, path, rows)
	if len(leaves) < 8 {
		t.Fatalf("%d leaves", len(leaves))
	}
	data := expect.Value(os.ReadFile(path))(t)
	for _, n := range []int64{leaves[2], leaves[5]} {
		for i := range size {
			data[(n-1)*size+i] = 0xff
		}
	}
	expect.OK(t, os.WriteFile(path, data, 0o600))
	s, err := Salvage(t.Context(), path, to, paged, "notes", "words", "none")
	if err != nil || len(s.Lost) != 2 || s.Lost[0].Table != "notes" || s.Lost[1].Table != "none" {
		t.Fatalf("%+v, %v", s, err)
	}
	perPage := int64(rows / len(leaves))
	if got := s.Rows["notes"]; got < rows-3*(perPage+1) || got >= rows {
		t.Errorf("%d rows of %d, with %d on a page", got, rows, perPage)
	}
	db := expect.Value(Open(t.Context(), to, paged, ReadWrite))(t)
	defer db.Close()
	if err := db.Check(t.Context()); err != nil {
		t.Error(err)
	}
	if err := db.Read(t.Context(), func(tx *Tx) error {
		var n, wrong int64
		if err := tx.QueryRow(`SELECT count(*), coalesce(sum(CAST(text AS INTEGER) <> id), 0) FROM notes`).Scan(&n, &wrong); err != nil {
			return err
		}
		if n != s.Rows["notes"] || wrong != 0 {
			t.Errorf("%d rows, %d wrong, of %d", n, wrong, s.Rows["notes"])
		}
		return nil
	}); err != nil {
		t.Error(err)
	}
}

// TestReplace: a file that could not be made changes nothing; else the old one is aside
// with what lay beside it, and those who have it open cannot write to it any more.
func TestReplace(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.sqlite3")
	pagedFile(t, path, 3)
	open := expect.Value(Open(t.Context(), path, paged, ReadWrite))(t)
	defer open.Close()
	insert := func(tx *Tx) error { _, err := tx.Exec(`INSERT INTO words VALUES ('late', 1)`); return err }
	if err := open.Write(t.Context(), insert); err != nil { // is in the -wal alone
		t.Fatal(err)
	}
	failed := errors.New("failed")
	if _, err := Replace(t.Context(), path, nil, func(to string) error {
		expect.OK(t, os.WriteFile(to, []byte("half"), 0o600))
		return failed
	}); !errors.Is(err, failed) {
		t.Fatal(err)
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), ".*")); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
	expect.OK(t, open.CheckFile())
	aside := expect.Value(Replace(t.Context(), path, nil, func(to string) error {
		_, err := Salvage(t.Context(), path, to, paged, "notes", "words")
		return err
	}))(t)
	for _, name := range []string{path, aside} {
		db := expect.Value(Open(t.Context(), name, paged, ReadWrite))(t)
		defer db.Close()
		if err := db.Read(t.Context(), func(tx *Tx) error {
			var n, late int
			if err := tx.QueryRow(`SELECT (SELECT count(*) FROM notes), (SELECT count(*) FROM words)`).Scan(&n, &late); err != nil || n != 3 || late != 1 {
				t.Errorf("%s: %d notes, %d words, %v", name, n, late, err)
			}
			return nil
		}); err != nil {
			t.Error(err)
		}
	}
	if err := open.Write(t.Context(), insert); !errors.Is(err, fault.Gone) {
		t.Errorf("a write to what is aside: %v", err)
	}
}
