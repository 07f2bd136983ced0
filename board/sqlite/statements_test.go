package sqlite

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"testing"
)

// TestKeptStatements uses statements in all the ways that could trip over their being kept: twice at once, half read, after an error, after the table has changed, and more of
// them than are kept.
func TestKeptStatements(t *testing.T) {
	ctx := context.Background()
	db, err := Open(ctx, filepath.Join(t.TempDir(), "t.db"), Schema{Name: "test", ApplicationID: 7, Migrations: []string{`CREATE TABLE n (i INTEGER PRIMARY KEY, s TEXT UNIQUE)`}}, Create)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	const insert, all = `INSERT INTO n VALUES (?, ?)`, `SELECT i FROM n ORDER BY i`
	collect := func(tx *Tx, within func(i int)) (got []int) {
		t.Helper()
		rows, err := tx.Query(all)
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		for rows.Next() {
			var i int
			if err := rows.Scan(&i); err != nil {
				t.Fatal(err)
			}
			got = append(got, i)
			if within != nil {
				within(i)
			}
		}
		if err := rows.Err(); err != nil {
			t.Fatal(err)
		}
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
	if err := db.Write(ctx, func(tx *Tx) error {
		for _, stmt := range []string{`DROP TABLE n`, `CREATE TABLE n (i INTEGER PRIMARY KEY, s TEXT, more TEXT NOT NULL DEFAULT 'x')`, `INSERT INTO n (i) VALUES (77)`} {
			if _, err := tx.Exec(stmt); err != nil {
				return err
			}
		}
		if got := collect(tx, nil); len(got) != 1 || got[0] != 77 {
			t.Errorf("of a table made anew: %v", got)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
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
	if err := db.Read(ctx, func(tx *Tx) error {
		if got := collect(tx, nil); len(got) != 401 {
			t.Errorf("%d rows of 401", len(got))
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}
