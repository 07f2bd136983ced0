package index

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"blackboard/board/sqlite"
	"blackboard/testdata/cost"
	"blackboard/testdata/expect"
	"blackboard/testdata/wait"
)

// TestManyAtOnce lets processes and goroutines write and search one file. Whoever searches in a
// transaction that begins after a change was acknowledged finds the change, whatever its index
// knew before; and what it finds is what the file holds at that moment, no more and no less.
func TestManyAtOnce(t *testing.T) {
	cost.SkipQuickUnlessRace(t)
	t.Parallel()
	const processes, goroutines, readers = 2, 2, 3
	const of = processes + goroutines
	duration := 4 * time.Second
	if !cost.Long() {
		duration = 2 * time.Second
	}
	path := filepath.Join(t.TempDir(), "index.sqlite3")
	db := openFile(t, path)
	write(t, db, func(tx *sqlite.Tx) error {
		x := New(writerConfig)
		return errors.Join(x.Reset(tx), x.SetModel(tx, testModel))
	})
	// The indexes that search: one alone with its file, warm; one that a writer uses too; one for
	// several goroutines.
	type place struct {
		db *sqlite.DB
		x  *Index
	}
	shared := place{openFile(t, path), New(writerConfig)}
	var writers, searchers []place
	for range goroutines {
		writers = append(writers, place{openFile(t, path), New(writerConfig)})
	}
	alone := place{openFile(t, path), New(writerConfig)}
	read(t, alone.db, alone.x.Warm)
	searchers = append(searchers, writers[0], alone, shared, shared)
	read(t, shared.db, shared.x.Warm)

	var mu sync.Mutex
	latest := map[int64]int{} // of each document, the version that was acknowledged last; 0: deleted
	acked := make(chan int64, 1024)
	publish := func(c change) {
		mu.Lock()
		defer mu.Unlock()
		for _, id := range c.Del {
			latest[id] = 0
		}
		for id, version := range c.Put {
			latest[id] = version
			select {
			case acked <- id:
			default:
			}
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var wg sync.WaitGroup
	var changes, searches int
	time.AfterFunc(duration, func() {
		defer cancel()
		for end := time.Now().Add(wait.Limit(t)); time.Now().Before(end); time.Sleep(20 * time.Millisecond) { // on a busy machine the first take longer
			mu.Lock()
			enough := changes > 0 && searches > 0
			mu.Unlock()
			if enough {
				return
			}
		}
	})
	count := func(n *int) {
		mu.Lock()
		defer mu.Unlock()
		*n++
	}
	for i := range processes {
		cmd, out, stderr := startWriter(t, path, i, of, 0)
		wg.Go(func() {
			failed := changesOf(out, func(c change) {
				if c.Done {
					publish(c)
					count(&changes)
				}
			})
			cmd.Wait()
			if failed += stderr.String(); failed != "" {
				t.Errorf("a writer failed before it was killed: %s", failed)
			}
		})
		context.AfterFunc(ctx, func() { cmd.Process.Kill() })
	}
	for i, w := range writers {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(uint64(i), 3))
			mine, next := map[int64]int{}, int64(processes+i)
			for ctx.Err() == nil {
				c := randomWrite(r, mine, &next, of)
				if err := c.write(w.db, w.x); err != nil {
					t.Errorf("writer %d: %v", i, err)
					return
				}
				c.apply(mine)
				publish(c)
				count(&changes)
			}
		})
	}
	for i, s := range searchers {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(uint64(i), 4))
			for ctx.Err() == nil {
				id := int64(-1)
				select {
				case id = <-acked:
				case <-ctx.Done():
					return
				}
				mu.Lock()
				known := latest[id]
				mu.Unlock()
				if err := s.db.Read(t.Context(), func(tx *sqlite.Tx) error { return askMoment(tx, s.x, r, id, known) }); err != nil {
					t.Errorf("searcher %d: %v", i, err)
					cancel()
					return
				}
				count(&searches)
			}
		})
	}
	wg.Wait()
	things := map[int64]int{}
	read(t, db, func(tx *sqlite.Tx) (err error) {
		if things, err = readThings(tx); err != nil {
			return err
		}
		return shared.x.Check(tx)
	})
	for _, s := range append(searchers, writers...) {
		read(t, s.db, func(tx *sqlite.Tx) error {
			ids, err := s.x.seen(tx)
			if !slices.Equal(ids, slices.Sorted(maps.Keys(things))) {
				t.Errorf("an index knows %v, the file holds %v", ids, things)
			}
			return err
		})
	}
	answersAsNew(t, db, things)
	if changes == 0 || searches == 0 {
		t.Errorf("only %d changes and %d searches", changes, searches)
	}
	t.Logf("%d changes, %d searches, %d documents at the end", changes, searches, len(things))
}

// askMoment holds an index against what the file says at the moment of a transaction. A version of
// a document is known to have been there before the transaction began; 0 if it was deleted.
func askMoment(tx *sqlite.Tx, x *Index, r *rand.Rand, id int64, known int) error {
	things, err := readThings(tx)
	if err != nil {
		return err
	}
	version, there := things[id]
	if there && version < known {
		return fmt.Errorf("version %d of %d was acknowledged, the file has %d", known, id, version)
	}
	for range 2 { // twice, since others use the index meanwhile at moments of their own
		for v := max(1, version-1); v <= version+1; v++ {
			d := versionDoc(id, v)
			q := Query{Text: versionWord(id, v), Depth: 3}
			if d.Vector != nil && there && r.IntN(2) == 0 {
				q.Vector, q.Model, q.KeepVectors = d.Vector, testModel.Name, true
			}
			res, err := x.Search(tx, q)
			if err != nil {
				return err
			}
			if int(res.Docs) != len(things) {
				return fmt.Errorf("it counts %d documents, the file %d", res.Docs, len(things))
			}
			var want []int64
			if there && v == version {
				want = []int64{id}
			}
			if got := ranked(res, byText); !slices.Equal(got, want) {
				return fmt.Errorf("version %d of %d is found as %v; the file has version %d", v, id, got, version)
			}
			if q.Vector == nil || v != version {
				continue
			}
			if got := ranked(res, byVector); len(got) == 0 || got[0] != id {
				return fmt.Errorf("the nearest to %d are %v", id, got)
			}
			for _, c := range res.Candidates {
				have := versionDoc(c.ID, things[c.ID]).Vector
				if u, ok := unit(have); c.HasVector != ok || ok && math.Abs(Cosine(u, q.Vector)-c.Cosine) > 1e-4 {
					return fmt.Errorf("document %d has the cosine %g, not %g", c.ID, c.Cosine, Cosine(u, q.Vector))
				}
			}
		}
	}
	return nil
}

// TestMomentsInAnyOrder: snapshots of three moments use one index, the newest first, then the
// oldest, then the one between. Each finds what was there at its moment, though the count of
// documents is the same at all of them.
func TestMomentsInAnyOrder(t *testing.T) {
	db := openFile(t, filepath.Join(t.TempDir(), "index.sqlite3"))
	cfg := writerConfig
	cfg.Seal = 1000 // all stay in the tail
	writer, x := newIndex(t, db, cfg), New(cfg)
	put := func(id int64, version int) {
		t.Helper()
		write(t, db, func(tx *sqlite.Tx) error {
			return writer.Put(tx, Doc{ID: id, Text: []string{versionWord(id, version), ""}})
		})
	}
	for id := range int64(20) {
		put(id+1, 1)
	}
	find := func(when string, tx *sqlite.Tx, version int) {
		t.Helper()
		for v := 1; v <= 3; v++ {
			res := expect.Value(x.Search(tx, Query{Text: versionWord(1, v), Depth: 3}))(t)
			if got := ranked(res, byText); len(got) != 0 != (v == version) {
				t.Errorf("%s, version %d is found as %v", when, v, got)
			}
		}
	}
	read(t, db, func(oldest *sqlite.Tx) error {
		find("at first", oldest, 1)
		put(1, 2)
		read(t, db, func(between *sqlite.Tx) error {
			if _, err := readThings(between); err != nil { // its moment begins with what it reads first
				return err
			}
			put(1, 3)
			read(t, db, func(newest *sqlite.Tx) error {
				find("at last", newest, 3)
				find("back at first", oldest, 1)
				find("in between", between, 2)
				find("at last again", newest, 3)
				return nil
			})
			return nil
		})
		return nil
	})
}
