package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"blackboard/board/fault"
	"blackboard/testdata/cost"
	"blackboard/testdata/expect"
	"blackboard/testdata/nobody"
)

func TestMain(m *testing.M) { os.Exit(cost.Main(m)) }

var testSchema = Schema{Name: "test file", ApplicationID: 0x74657374, Migrations: []string{
	`CREATE TABLE a (id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT`,
	`ALTER TABLE a ADD COLUMN n INTEGER NOT NULL DEFAULT 7`,
}}

func open(t *testing.T, path string, s Schema, mode Mode) *DB {
	t.Helper()
	db := expect.Value(Open(t.Context(), path, s, mode))(t)
	t.Cleanup(func() { db.Close() })
	return db
}

func insert(db *DB, text string) error {
	return db.Write(context.Background(), func(tx *Tx) error {
		_, err := tx.Exec(`INSERT INTO a(text) VALUES (?)`, text)
		return err
	})
}

func countRows(t *testing.T, db *DB) (n int) {
	t.Helper()
	expect.OK(t, db.Read(t.Context(), func(tx *Tx) error { return tx.QueryRow(`SELECT count(*) FROM a`).Scan(&n) }))
	return n
}

func TestOpenMakesPrivateFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "home", "x.sqlite3")
	if _, err := Open(t.Context(), path, testSchema, ReadWrite); !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("opening a missing file: %v", err)
	}
	if _, err := os.Stat(filepath.Dir(path)); err == nil {
		t.Fatal("looking made the directory")
	}
	db := open(t, path, testSchema, Create)
	expect.OK(t, insert(db, "x"))
	files := expect.Value(os.ReadDir(filepath.Dir(path)))(t)
	for _, f := range files {
		info, err := f.Info()
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %v, %v", f.Name(), info.Mode(), err)
		}
	}
	if info, err := os.Stat(filepath.Dir(path)); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the directory has mode %v, %v", info.Mode(), err)
	}
	var mode, sync string
	err := db.Read(t.Context(), func(tx *Tx) error {
		if err := tx.QueryRow(`PRAGMA journal_mode`).Scan(&mode); err != nil {
			return err
		}
		return tx.QueryRow(`PRAGMA synchronous`).Scan(&sync)
	})
	if err != nil || mode != "wal" || sync != "2" {
		t.Errorf("journal_mode %s, synchronous %s, %v; want wal and 2 (FULL)", mode, sync, err)
	}
}

// TestOddPaths: characters that mean something in a URI are part of a name.
func TestOddPaths(t *testing.T) {
	for _, name := range []string{"a b", "what?", "50%", "a#b", "ä日本", "a&mode=ro", "%41"} {
		path := filepath.Join(t.TempDir(), name, "x.sqlite3")
		db := open(t, path, testSchema, Create)
		if err := insert(db, "x"); err != nil {
			t.Errorf("%q: %v", name, err)
		}
		if _, err := os.Stat(path); err != nil {
			t.Errorf("%q: the file is elsewhere: %v", name, err)
		}
	}
	t.Chdir(t.TempDir())
	db := open(t, "relative?.sqlite3", testSchema, Create)
	if err := insert(db, "x"); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat("relative?.sqlite3"); err != nil {
		t.Error(err)
	}
}

func TestMigrations(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.sqlite3")
	old := testSchema
	old.Migrations = old.Migrations[:1]
	db := open(t, path, old, Create)
	expect.OK(t, insert(db, "kept"))
	db.Close()

	db = open(t, path, testSchema, ReadWrite)
	var text string
	var n int
	if err := db.Read(t.Context(), func(tx *Tx) error { return tx.QueryRow(`SELECT text, n FROM a`).Scan(&text, &n) }); err != nil || text != "kept" || n != 7 {
		t.Fatalf("migrated row: %q %d, %v", text, n, err)
	}
	// A migrated file has the schema of a fresh one.
	if got, want := dump(t, db), dump(t, open(t, filepath.Join(t.TempDir(), "y"), testSchema, Create)); got != want {
		t.Errorf("migrated schema:\n%s\nfresh schema:\n%s", got, want)
	}

	if _, err := Open(t.Context(), path, old, ReadWrite); !errors.Is(err, fault.Newer) || !strings.Contains(err.Error(), "has schema 2; this program knows up to 1") {
		t.Errorf("opening a newer file: %v", err)
	}
	other := testSchema
	other.ApplicationID++
	if _, err := Open(t.Context(), path, other, ReadWrite); !errors.Is(err, fault.Corrupt) || !strings.Contains(err.Error(), "not a test file") {
		t.Errorf("opening somebody else's file: %v", err)
	}
}

// TestFailedMigration leaves the file as it was.
func TestFailedMigration(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.sqlite3")
	db := open(t, path, testSchema, Create)
	expect.OK(t, insert(db, "kept"))
	before := dump(t, db)
	db.Close()
	bad := testSchema
	bad.Migrations = append(bad.Migrations[:2:2], `CREATE TABLE b (x); SELECT nonsense`)
	if _, err := Open(t.Context(), path, bad, ReadWrite); err == nil || !strings.Contains(err.Error(), "version 3") {
		t.Fatalf("a migration that fails: %v", err)
	}
	if db = open(t, path, testSchema, ReadWrite); dump(t, db) != before || countRows(t, db) != 1 {
		t.Error("the failed migration left something behind")
	}
}

func dump(t *testing.T, db *DB) string {
	t.Helper()
	var s string
	expect.OK(t, db.Read(t.Context(), func(tx *Tx) error {
		return tx.QueryRow(`SELECT group_concat(name || ' ' || coalesce(sql, ''), char(10)) FROM (SELECT * FROM sqlite_schema ORDER BY name)`).Scan(&s)
	}))
	return s
}

func TestWriteIsAllOrNothing(t *testing.T) {
	db := open(t, filepath.Join(t.TempDir(), "x"), testSchema, Create)
	boom := errors.New("boom")
	err := db.Write(t.Context(), func(tx *Tx) error {
		if _, err := tx.Exec(`INSERT INTO a(text) VALUES ('lost')`); err != nil {
			return err
		}
		return boom
	})
	if !errors.Is(err, boom) || countRows(t, db) != 0 {
		t.Fatalf("%v, %d rows", err, countRows(t, db))
	}
	if err := insert(db, "after"); err != nil { // the turn was given back
		t.Fatal(err)
	}
}

func TestCorruptFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.sqlite3")
	db := open(t, path, testSchema, Create)
	for i := range 2000 {
		if i%500 == 0 {
			expect.OK(t, db.Check(t.Context()))
		}
		expect.OK(t, db.Write(t.Context(), func(tx *Tx) error {
			_, err := tx.Exec(`INSERT INTO a(text) VALUES (?)`, strings.Repeat("x", 100))
			return err
		}))
	}
	db.Close()
	whole := expect.Value(os.ReadFile(path))(t)
	for name, damage := range map[string]func([]byte) []byte{
		"text":      func([]byte) []byte { return []byte(strings.Repeat("not a database ", 500)) },
		"header":    func(b []byte) []byte { copy(b, "garbage!"); return b },
		"truncated": func(b []byte) []byte { return b[:len(b)/2+100] },
		"page": func(b []byte) []byte {
			for i := range 4096 {
				b[4096*5+i] = 0xff
			}
			return b
		},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "bad.sqlite3")
			expect.OK(t, os.WriteFile(path, damage(append([]byte(nil), whole...)), 0o600))
			db, err := Open(t.Context(), path, testSchema, ReadWrite)
			if err == nil {
				err = db.Check(t.Context())
				db.Close()
			}
			if !errors.Is(err, fault.Corrupt) || !strings.Contains(err.Error(), path) {
				t.Errorf("got %v", err)
			}
		})
	}
}

// TestFullDisk stands in for a full disk with a limit on the pages of the file, which fails in the
// same place with the same code.
func TestFullDisk(t *testing.T) {
	db := open(t, filepath.Join(t.TempDir(), "x"), testSchema, Create)
	db.sql.SetMaxOpenConns(1) // the limit holds for a connection
	expect.Value(db.sql.Exec(`PRAGMA max_page_count = 40`))(t)
	kept := 0
	var err error
	for err == nil {
		if err = insert(db, strings.Repeat("x", 10_000)); err == nil {
			kept++
		}
	}
	if !errors.Is(err, fault.Full) || kept == 0 {
		t.Fatalf("after %d rows: %v", kept, err)
	}
	if n := countRows(t, db); n != kept {
		t.Errorf("%d rows were acknowledged, %d are there", kept, n)
	}
	if err := db.Check(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestBusyGivesUp(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x")
	db, other := open(t, path, testSchema, Create), open(t, path, testSchema, ReadWrite)
	inside, leave := make(chan bool), make(chan bool)
	go other.Write(context.Background(), func(*Tx) error { close(inside); <-leave; return nil })
	<-inside
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	err := db.Write(ctx, func(*Tx) error { t.Error("two writers at once"); return nil })
	if !errors.Is(err, fault.Busy) {
		t.Errorf("got %v", err)
	}
	close(leave)
	if err := insert(db, "after"); err != nil {
		t.Error(err)
	}
}

// TestReadersDoNotWait: a reader sees the last commit while a writer is inside its transaction.
func TestReadersDoNotWait(t *testing.T) {
	db := open(t, filepath.Join(t.TempDir(), "x"), testSchema, Create)
	err := db.Write(t.Context(), func(tx *Tx) error {
		if _, err := tx.Exec(`INSERT INTO a(text) VALUES ('x')`); err != nil {
			return err
		}
		if n := countRows(t, db); n != 0 {
			return fmt.Errorf("a reader saw %d uncommitted rows", n)
		}
		return nil
	})
	if err != nil || countRows(t, db) != 1 {
		t.Error(err)
	}
}

func TestRemove(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x")
	if err := Remove(t.Context(), path, nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("removing nothing: %v", err)
	}
	db := open(t, path, testSchema, Create)
	expect.OK(t, Remove(t.Context(), path, nil))
	if err := insert(db, "x"); !errors.Is(err, fault.Gone) {
		t.Errorf("writing to a removed file: %v", err)
	}
	// A new file under the old name is another file.
	open(t, path, testSchema, Create)
	if err := insert(db, "x"); !errors.Is(err, fault.Gone) {
		t.Errorf("writing to a replaced file: %v", err)
	}
}

// TestReadOnlyStorage opens files for reading where they cannot be written. Root may write
// anywhere, so the test gives up its rights: it runs itself as nobody.
func TestReadOnlyStorage(t *testing.T) {
	if dir := os.Getenv("SQLITE_TEST_READONLY"); dir != "" {
		readOnlyChild(t, dir)
		return
	}
	dir := expect.Value(os.MkdirTemp("", "board-ro-"))(t)
	t.Cleanup(func() { os.Chmod(dir, 0o700); os.RemoveAll(dir) })
	path := filepath.Join(dir, "x.sqlite3")
	db := open(t, path, testSchema, Create)
	expect.OK(t, insert(db, "kept"))
	db.Close()
	// A second file with commits that only its WAL has: whoever cannot read those must not answer
	// without them.
	stale := filepath.Join(dir, "stale.sqlite3")
	db = open(t, stale, testSchema, Create)
	expect.OK(t, insert(db, "kept"))
	wal := expect.Value(os.ReadFile(stale + "-wal"))(t)
	db.Close()
	expect.OK(t, os.WriteFile(stale+"-wal", wal, 0o644))
	for _, f := range []string{path, path + "-lock", stale, stale + "-lock"} {
		expect.OK(t, os.Chmod(f, 0o444))
	}
	expect.OK(t, os.Chmod(dir, 0o555))
	if os.Geteuid() != 0 {
		readOnlyChild(t, dir)
		return
	}
	nobody.Run(t, "TestReadOnlyStorage", "SQLITE_TEST_READONLY="+dir)
}

func readOnlyChild(t *testing.T, dir string) {
	db := expect.Value(Open(t.Context(), filepath.Join(dir, "x.sqlite3"), testSchema, Create))(t)
	if !db.ReadOnly() || countRows(t, db) != 1 {
		t.Errorf("read-only: %v, rows: %d", db.ReadOnly(), countRows(t, db))
	}
	if err := insert(db, "x"); !errors.Is(err, fault.ReadOnly) {
		t.Errorf("writing: %v", err)
	}
	db.Close()
	if _, err := Open(t.Context(), filepath.Join(dir, "new.sqlite3"), testSchema, Create); !errors.Is(err, fault.ReadOnly) {
		t.Errorf("making a file: %v", err)
	}
	newer := testSchema
	newer.Migrations = append(newer.Migrations[:2:2], `CREATE TABLE b (x)`)
	if _, err := Open(t.Context(), filepath.Join(dir, "x.sqlite3"), newer, ReadWrite); !errors.Is(err, fault.ReadOnly) {
		t.Errorf("migrating: %v", err)
	}
	stale, err := Open(t.Context(), filepath.Join(dir, "stale.sqlite3"), testSchema, ReadWrite)
	if err == nil {
		defer stale.Close()
		if n := countRows(t, stale); n != 1 {
			t.Errorf("a file with commits in its WAL was answered without them: %d rows", n)
		}
	} else if !errors.Is(err, fault.ReadOnly) {
		t.Errorf("unmerged WAL: %v", err)
	}
}

// TestPanicInATransaction checks that a panic that somebody survives leaves nothing written and
// nothing locked.
func TestPanicInATransaction(t *testing.T) {
	db := open(t, filepath.Join(t.TempDir(), "x.sqlite3"), testSchema, Create)
	func() {
		defer func() { recover() }()
		db.Write(t.Context(), func(tx *Tx) error {
			if _, err := tx.Exec(`INSERT INTO a(text) VALUES ('lost')`); err != nil {
				return err
			}
			panic("oh")
		})
	}()
	expect.OK(t, insert(db, "kept"))
	if n := countRows(t, db); n != 1 {
		t.Errorf("%d rows", n)
	}
}
