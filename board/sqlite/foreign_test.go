package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"blackboard/board/fault"
	"blackboard/testdata/expect"
)

// foreign makes a file of another program, still open and in WAL mode.
func foreign(t *testing.T, statements ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a b#1.db")
	db := expect.Value(sql.Open("sqlite", path))(t)
	t.Cleanup(func() { db.Close() })
	for _, s := range append([]string{"PRAGMA journal_mode = WAL"}, statements...) {
		expect.Value(db.Exec(s))(t)
	}
	return path
}

func openForeign(t *testing.T, path string) *Foreign {
	t.Helper()
	f := expect.Value(OpenForeign(context.Background(), path))(t)
	return f
}

func TestForeign(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	path := foreign(t, `CREATE TABLE "a ""b" (x, y TEXT)`, `CREATE VIEW v AS SELECT 1`, `INSERT INTO "a ""b" VALUES (1, 'one'), (NULL, 'two')`)
	look := func() (all []string) {
		entries := expect.Value(os.ReadDir(filepath.Dir(path)))(t)
		for _, e := range entries {
			all = append(all, e.Name())
		}
		return all
	}
	before, content := look(), read(t, path)
	f := openForeign(t, path)
	ctx := context.Background()
	if tables, err := f.Tables(ctx); err != nil || !slices.Equal(tables, []string{`a "b`}) {
		t.Errorf("%q %v", tables, err)
	}
	if cols, err := f.Columns(ctx, `a "b`); err != nil || !slices.Equal(cols, []string{"x", "y"}) {
		t.Errorf("%q %v", cols, err)
	}
	if cols, err := f.Columns(ctx, "none"); err != nil || len(cols) != 0 {
		t.Errorf("%q %v", cols, err)
	}
	var got []any
	if err := f.Each(ctx, "SELECT * FROM "+Quote(`a "b`), func(row []any) error { got = append(got, row...); return nil }); err != nil || !slices.Equal(got, []any{int64(1), "one", nil, "two"}) {
		t.Errorf("%v %v", got, err)
	}
	stop := errors.New("stop")
	if err := f.Each(ctx, "SELECT 1", func([]any) error { return stop }); err != stop {
		t.Error(err)
	}
	if err := f.Each(ctx, "DELETE FROM "+Quote(`a "b`)+" RETURNING 1", func([]any) error { return nil }); err == nil {
		t.Error("it could be written to")
	}
	if err := f.Each(ctx, "SELECT nothing", nil); err == nil || !strings.HasPrefix(err.Error(), path) {
		t.Errorf("%v does not name the file", err)
	}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	if err := f.Each(cancelled, "SELECT 1", nil); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	if after := look(); !slices.Equal(before, after) || read(t, path) != content {
		t.Errorf("left beside it: %v, before %v", after, before)
	}
	if left, err := os.ReadDir(os.Getenv("TMPDIR")); err != nil || len(left) > 0 {
		t.Errorf("copies are left: %v %v", left, err)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	b := expect.Value(os.ReadFile(path))(t)
	return string(b)
}

func TestForeignErrors(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	dir := t.TempDir()
	text, big := filepath.Join(dir, "text"), filepath.Join(dir, "big")
	for _, path := range []string{text, big} {
		expect.OK(t, os.WriteFile(path, []byte(strings.Repeat("hello ", 1000)), 0o600))
	}
	expect.OK(t, os.Truncate(big, MaxForeign+1))
	for path, want := range map[string]error{filepath.Join(dir, "absent"): fs.ErrNotExist, dir: fault.Corrupt, text: fault.Corrupt, big: fault.Full} {
		if f, err := OpenForeign(context.Background(), path); !errors.Is(err, want) {
			t.Errorf("%s: %v %v, want %v", path, f, err, want)
		}
	}
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := OpenForeign(cancelled, text); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if left, err := os.ReadDir(os.Getenv("TMPDIR")); err != nil || len(left) > 0 {
		t.Errorf("copies are left: %v %v", left, err)
	}
}

// TestForeignWhileWritten: what is read is one moment of a file that another process goes on writing to.
func TestForeignWhileWritten(t *testing.T) {
	path := foreign(t, `CREATE TABLE t (x)`)
	db := expect.Value(sql.Open("sqlite", path))(t)
	defer db.Close()
	for i := range 20 {
		expect.Value(db.Exec(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50) INSERT INTO t SELECT i FROM n`))(t)
		f := openForeign(t, path)
		var n int64
		if err := f.Each(context.Background(), "SELECT count(*) FROM t", func(row []any) error { n = row[0].(int64); return nil }); err != nil || n != int64(50*(i+1)) {
			t.Fatalf("%d rows after %d writes: %v", n, i+1, err)
		}
		f.Close()
	}
}
