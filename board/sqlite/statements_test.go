package sqlite

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"blackboard/testdata/expect"
)

// TestKeptStatements uses statements in all the ways that could trip over their being kept: twice
// at once, half read, after an error, after the table has changed, and more of them than are kept.
func TestKeptStatements(t *testing.T) {
	ctx := context.Background()
	db := expect.Value(Open(ctx, filepath.Join(t.TempDir(), "t.db"), Schema{Name: "test", ApplicationID: 7, Migrations: []string{`CREATE TABLE n (i INTEGER PRIMARY KEY, s TEXT UNIQUE)`}}, Create))(t)
	defer db.Close()
	const insert, all = `INSERT INTO n VALUES (?, ?)`, `SELECT i FROM n ORDER BY i`
	collect := func(tx *Tx, within func(i int)) (got []int) {
		t.Helper()
		rows := expect.Value(tx.Query(all))(t)
		defer rows.Close()
		for rows.Next() {
			var i int
			expect.OK(t, rows.Scan(&i))
			got = append(got, i)
			if within != nil {
				within(i)
			}
		}
		expect.OK(t, rows.Err())
		return got
	}
	if err := db.Write(ctx, func(tx *Tx) error {
		for i := range 5 {
			if _, err := tx.Exec(insert, i, fmt.Sprint(i)); err != nil {
				return err
			}
		}
		if _, err := tx.Exec(insert, 9, "3"); err == nil { // and the statement is good afterwards
			t.Error("the same twice is taken")
		}
		_, err := tx.Exec(insert, 5, "five")
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if err := db.Read(ctx, func(tx *Tx) error {
		inner := 0
		outer := collect(tx, func(int) { inner += len(collect(tx, nil)) })
		if len(outer) != 6 || inner != 36 {
			t.Errorf("nested: %d rows and %d within", len(outer), inner)
		}
		rows, err := tx.Query(all) // half read
		if err != nil || !rows.Next() {
			t.Fatal(err)
		}
		rows.Close()
		if got := collect(tx, nil); len(got) != 6 {
			t.Errorf("after half a reading: %v", got)
		}
		var one int
		for i := range 3 * maxKept { // a new statement each time
			if err := tx.QueryRow(fmt.Sprintf(`SELECT i + %d FROM n WHERE i = ?`, i), 2).Scan(&one); err != nil || one != i+2 {
				t.Fatalf("statement %d: %d, %v", i, one, err)
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	expect.OK(t, db.Write(ctx, func(tx *Tx) error {
		for _, stmt := range []string{`DROP TABLE n`, `CREATE TABLE n (i INTEGER PRIMARY KEY, s TEXT, more TEXT NOT NULL DEFAULT 'x')`, `INSERT INTO n (i) VALUES (77)`} {
			if _, err := tx.Exec(stmt); err != nil {
				return err
			}
		}
		if got := collect(tx, nil); len(got) != 1 || got[0] != 77 {
			t.Errorf("of a table made anew: %v", got)
		}
		return nil
	}))
	var wg sync.WaitGroup
	for w := range 8 {
		wg.Go(func() {
			for i := range 50 {
				id := 1000 + 100*w + i
				if err := db.Write(ctx, func(tx *Tx) error {
					_, err := tx.Exec(`INSERT INTO n (i) VALUES (?)`, id)
					return err
				}); err != nil {
					t.Error(err)
				}
				stopped, cancel := context.WithCancel(ctx)
				err := db.Read(stopped, func(tx *Tx) error {
					rows, err := tx.Query(`SELECT i FROM n WHERE i = ?`, id)
					if err != nil {
						return err
					}
					if i%2 == 0 {
						cancel() // with a statement in use
					}
					rows.Next()
					return rows.Close()
				})
				cancel()
				if err != nil && !errors.Is(err, context.Canceled) {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	expect.OK(t, db.Read(ctx, func(tx *Tx) error {
		if got := collect(tx, nil); len(got) != 401 {
			t.Errorf("%d rows of 401", len(got))
		}
		return nil
	}))
}

// TestTransactionsAreKept sees that BEGIN and COMMIT are compiled once for a connection, and that
// one whose COMMIT failed is as good as new.
func TestTransactionsAreKept(t *testing.T) {
	ctx := context.Background()
	db := expect.Value(Open(ctx, filepath.Join(t.TempDir(), "t.db"), Schema{Name: "test", ApplicationID: 7, Migrations: []string{
		`CREATE TABLE n (i INTEGER PRIMARY KEY, of INTEGER REFERENCES n DEFERRABLE INITIALLY DEFERRED)`}}, Create))(t)
	defer db.Close()
	count := func() (n int) {
		expect.OK(t, db.Read(ctx, func(tx *Tx) (err error) {
			n, err = One[int](tx, `SELECT count(*) FROM n`)
			return err
		}))
		return n
	}
	add := func(i, of int) error {
		return db.Write(ctx, func(tx *Tx) error {
			_, err := tx.Exec(`INSERT INTO n VALUES (?, ?)`, i, of)
			return err
		})
	}
	kept := func() []driver.Stmt {
		c := expect.Value(db.sql.Conn(ctx))(t)
		defer c.Close()
		var all []driver.Stmt
		expect.OK(t, c.Raw(func(c any) error {
			for _, s := range []string{"BEGIN", "BEGIN IMMEDIATE", "COMMIT"} {
				all = append(all, c.(*conn).kept[s])
			}
			return nil
		}))
		return all
	}
	if err := add(1, 1); err != nil || count() != 1 {
		t.Fatalf("%d rows, %v", count(), err)
	}
	first := kept()
	if slices.Contains(first, nil) {
		t.Errorf("kept after a reading and a writing: %v", first)
	}
	if err := add(2, 1); err != nil || count() != 2 {
		t.Fatalf("%d rows, %v", count(), err)
	}
	if again := kept(); !slices.Equal(again, first) {
		t.Errorf("kept: %v, and then %v", first, again)
	}
	if err := add(3, 99); err == nil {
		t.Error("what refers to nothing was committed")
	}
	if n := count(); n != 2 {
		t.Errorf("%d rows after a COMMIT that failed", n)
	}
	if err := add(3, 2); err != nil || count() != 3 {
		t.Errorf("%d rows, %v", count(), err)
	}
}

// TestCalledOff calls transactions off in the middle: rows end, nothing is written, and what
// comes after finds the connection in order. What cannot be called off starts no goroutine.
func TestCalledOff(t *testing.T) {
	db := expect.Value(Open(t.Context(), filepath.Join(t.TempDir(), "t.db"), Schema{Name: "test", ApplicationID: 7, Migrations: []string{`CREATE TABLE n (i INTEGER PRIMARY KEY)`}}, Create))(t)
	defer db.Close()
	db.sql.SetMaxOpenConns(1)
	const add = `INSERT INTO n WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 100) SELECT i FROM c`
	off, cancel := context.WithCancel(t.Context())
	if err := db.Write(off, func(tx *Tx) error {
		_, err := tx.Exec(add)
		cancel()
		return err
	}); !errors.Is(err, context.Canceled) {
		t.Errorf("a writing that was called off before its end: %v", err)
	}
	if err := db.Write(t.Context(), func(tx *Tx) error { _, err := tx.Exec(add); return err }); err != nil {
		t.Fatal(err) // of the same, had it been written
	}
	off, cancel = context.WithCancel(t.Context())
	seen, i := 0, 0
	err := db.Read(off, func(tx *Tx) error {
		return tx.Each([]any{&i}, func() error { seen++; cancel(); return nil }, `SELECT i FROM n`)
	})
	if !errors.Is(err, context.Canceled) || seen != 1 {
		t.Errorf("a reading that was called off at the first row: %v, %d rows", err, seen)
	}
	off, cancel = context.WithCancel(t.Context())
	defer cancel()
	err = db.Read(off, func(tx *Tx) error {
		time.AfterFunc(time.Millisecond, cancel)
		_, err := One[int](tx, `WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c) SELECT count(*) FROM c`)
		return err
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("a question without end: %v", err)
	}
	// What is quick is called off before it begins, and what was slow in its middle.
	const upTo = `WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < ?) SELECT count(*) FROM c`
	for _, n := range []int{3, 100_000} {
		off, cancel := context.WithCancel(t.Context())
		defer cancel()
		err := db.Read(off, func(tx *Tx) error {
			if _, err := One[int](tx, upTo, n); err != nil {
				return err
			}
			if n == 3 {
				cancel()
			} else {
				time.AfterFunc(time.Millisecond, cancel)
			}
			_, err := One[int](tx, upTo, 1<<60)
			return err
		})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("a question without end after one up to %d: %v", n, err)
		}
	}
	before := runtime.NumGoroutine()
	if err := db.Read(context.WithoutCancel(t.Context()), func(tx *Tx) error {
		return tx.Each([]any{&i}, func() error {
			if n := runtime.NumGoroutine(); n > before {
				return fmt.Errorf("%d goroutines more", n-before)
			}
			return nil
		}, `SELECT i FROM n`)
	}); err != nil {
		t.Error(err)
	}
}
