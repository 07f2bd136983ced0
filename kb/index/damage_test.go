package index

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"runtime/debug"
	"slices"
	"testing"
	"time"

	"blackboard/board/sqlite"
	"blackboard/embed"
	"blackboard/testdata/cost"
	"blackboard/testdata/expect"
	"blackboard/testdata/wait"
)

var errUndo = errors.New("undone")

// damageConfig makes segments of some hundred documents, so that lists, bitmaps and codes of
// several words are among what is damaged.
var damageConfig = Config{Name: "ix", Weights: []float64{2, 1}, K1: 0.9, B: 0.4, Seal: 32}

// indexToDamage is a file with several segments, dead documents in some, a tail and vectors.
func indexToDamage(t *testing.T, db *sqlite.DB) map[int64]Doc {
	x := newIndex(t, db, damageConfig)
	r := rand.New(rand.NewPCG(4, 4))
	docs := map[int64]Doc{}
	write(t, db, func(tx *sqlite.Tx) error {
		if err := x.SetModel(tx, testModel); err != nil {
			return err
		}
		put := func(n int, first int64) error {
			var batch []Doc
			for i := range n {
				d := randomDoc(r, first+int64(i))
				docs[d.ID] = d
				batch = append(batch, d)
			}
			return x.Put(tx, batch...)
		}
		for i, n := range []int{128, 40, 33, 32, 20} {
			if err := put(n, int64(1000*i)); err != nil {
				return err
			}
		}
		gone := []int64{3, 64, 127, 1005, 1006, 4002, 4007}
		for _, id := range gone {
			delete(docs, id)
		}
		if err := x.Delete(tx, gone...); err != nil {
			return err
		}
		if err := put(1, 2010); err != nil { // edited
			return err
		}
		return x.Check(tx)
	})
	read(t, db, func(tx *sqlite.Tx) error {
		st, err := x.Stats(tx)
		if err == nil && (st.Segments != 4 || st.Tail != 19 || st.Dead != 6 || int(st.Docs) != len(docs)) {
			t.Fatalf("not an index worth damaging: %+v", st)
		}
		return err
	})
	return docs
}

// damage changes one stored value, or takes away a row, and says what it did; "" if there was
// nothing to change.
func damage(tx *sqlite.Tx, r *rand.Rand, table, column string) (string, error) {
	var row int64
	err := tx.QueryRow(fmt.Sprintf(`SELECT rowid FROM %s ORDER BY rowid LIMIT 1 OFFSET abs(?) %% max(1, (SELECT count(*) FROM %s))`, table, table), r.Int64()).Scan(&row)
	if sqlite.IsNoRows(err) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	if column == "" {
		_, err := tx.Exec(fmt.Sprintf(`DELETE FROM %s WHERE rowid = ?`, table), row)
		return fmt.Sprintf("row %d of %s deleted", row, table), err
	}
	var was any
	if err := tx.QueryRow(fmt.Sprintf(`SELECT %s FROM %s WHERE rowid = ?`, column, table), row).Scan(&was); err != nil {
		return "", err
	}
	var now any
	switch v := was.(type) {
	case int64:
		now = damagedInt(r, v)
	case string:
		now = string(damagedBytes(r, []byte(v)))
	case []byte:
		now = damagedBytes(r, v)
	}
	if reflect.DeepEqual(was, now) {
		return "", nil
	}
	_, err = tx.Exec(fmt.Sprintf(`UPDATE %s SET %s = ? WHERE rowid = ?`, table, column), now, row)
	return fmt.Sprintf("%s.%s of row %d: %.40x became %.40x", table, column, row, was, now), err
}

func damagedInt(r *rand.Rand, v int64) int64 {
	return []int64{v + 1, v - 1, -v, 0, -1, 1, v ^ 1<<r.IntN(64), v ^ 1<<r.IntN(16), math.MaxInt64, math.MinInt64, 1 << 62, MaxSegment, MaxSegment + 1, 1 << 40, maxDim}[r.IntN(15)]
}

func damagedBytes(r *rand.Rand, b []byte) []byte {
	b = slices.Clone(b)
	switch r.IntN(9) {
	case 0:
		return []byte{}
	case 1:
		return b[:r.IntN(len(b)+1)]
	case 2:
		for range 1 + r.IntN(9) {
			b = append(b, byte(r.Uint32()))
		}
		return b
	case 3:
		return append(b, b...)
	case 4:
		for i := range b {
			b[i] = byte(r.Uint32())
		}
		return b
	case 5:
		for i := range b {
			b[i] = 0xff
		}
		return b
	case 6:
		if len(b) > 0 {
			i := r.IntN(len(b))
			return slices.Delete(b, i, min(len(b), i+1+r.IntN(4)))
		}
	}
	for range 1 + r.IntN(3) {
		if len(b) > 0 {
			b[r.IntN(len(b))] ^= 1 << r.IntN(8)
		}
	}
	return b
}

// TestDamage changes what is stored, one value at a time, and does everything with the index that
// can be done. Nothing panics, hangs or takes room without end; what does not work says that the
// index is damaged; what Check finds sound is; and Reset cures it.
func TestDamage(t *testing.T) {
	cost.SkipUnlessLong(t)
	t.Parallel()
	seeds := 6
	if !cost.Long() {
		seeds = 2
	}
	if cost.Quick() {
		seeds = 1
	}
	path := filepath.Join(t.TempDir(), "index.sqlite3")
	db := openFile(t, path)
	docs := indexToDamage(t, db)
	var columns [][2]string
	read(t, db, func(tx *sqlite.Tx) error {
		for _, table := range tableNames {
			columns = append(columns, [2]string{"ix_" + table, ""})
			var column string
			if err := tx.Each([]any{&column}, func() error {
				columns = append(columns, [2]string{"ix_" + table, column})
				return nil
			}, `SELECT name FROM pragma_table_info(?)`, "ix_"+table); err != nil {
				return err
			}
		}
		return nil
	})
	var whole map[int64]record
	read(t, db, func(tx *sqlite.Tx) (err error) {
		whole, _, err = New(damageConfig).dump(tx)
		return err
	})
	expect.OK(t, db.Close())
	file := expect.Value(os.ReadFile(path))(t)
	vectors, cases := 0, 0
	for _, d := range docs {
		if d.Vector != nil {
			vectors++
		}
	}
	for _, c := range columns {
		t.Run(c[0]+"."+c[1], func(t *testing.T) {
			unnoticed := 0
			for seed := range seeds {
				for _, suffix := range []string{"-wal", "-shm"} {
					os.Remove(path + suffix)
				}
				expect.OK(t, os.WriteFile(path, file, 0o600))
				d := damaged{t: t, r: rand.New(rand.NewPCG(uint64(seed), 77)), often: c[0] == "ix_meta", salvage: c[0] != "ix_meta", vectors: vectors}
				d.db = expect.Value(sqlite.Open(t.Context(), path, sqlite.Schema{Name: "test", ApplicationID: 7, Migrations: []string{""}}, sqlite.ReadWrite))(t)
				what := ""
				err := d.db.Write(t.Context(), func(tx *sqlite.Tx) (err error) {
					what, err = damage(tx, d.r, c[0], c[1])
					return err
				})
				if err == nil && what != "" { // else SQLite itself refuses it, or nothing was changed
					cases++
					d.what = fmt.Sprintf("seed %d: %s", seed, what)
					d.run(docs, whole)
				}
				expect.OK(t, d.db.Close())
				if d.unnoticed {
					unnoticed++
				}
				if t.Failed() {
					return
				}
			}
			if unnoticed > 0 {
				t.Logf("%d of %d damages are such as Check cannot tell", unnoticed, seeds)
			}
		})
	}
	t.Logf("%d damages", cases)
}

// damaged is one damage under test.
type damaged struct {
	t         *testing.T
	db        *sqlite.DB
	tx        *sqlite.Tx // under way
	what      string
	r         *rand.Rand
	often     bool // cure it always
	salvage   bool // the damage is to one vector at most
	vectors   int  // how many there were
	unnoticed bool
}

// do runs one operation. It reports whether it went well.
func (d *damaged) do(name string, fn func() error) (ok bool) {
	hang := time.AfterFunc(wait.Limit(d.t), func() { panic(fmt.Sprintf("%s: %s hangs", d.what, name)) })
	defer hang.Stop()
	defer func() {
		if p := recover(); p != nil {
			d.t.Errorf("%s\n%s panics: %v\n%s", d.what, name, p, debug.Stack())
			ok = false
		}
	}()
	err := fn()
	if err != nil && !isDamage(err) {
		d.t.Errorf("%s\n%s says: %v", d.what, name, err)
	}
	return err == nil
}

// change is do for what writes: what it did is taken back, unless it went well.
func (d *damaged) change(name string, fn func() error) bool {
	if _, err := d.tx.Exec("SAVEPOINT change"); err != nil {
		d.t.Fatal(err)
	}
	ok := d.do(name, fn)
	if !ok {
		if _, err := d.tx.Exec("ROLLBACK TO change"); err != nil {
			d.t.Fatal(err)
		}
	}
	if _, err := d.tx.Exec("RELEASE change"); err != nil {
		d.t.Fatal(err)
	}
	return ok
}

// isDamage reports whether an error says that the index is damaged, or of another model, or that
// SQLite refused a statement because of what it found.
func isDamage(err error) bool {
	var sqlError interface{ Code() int }
	return errors.Is(err, ErrCorrupt) || errors.Is(err, ErrOtherModel) || errors.As(err, &sqlError)
}

func (d *damaged) run(docs map[int64]Doc, whole map[int64]record) {
	var before map[int64]record
	var old *salvaged
	sound := false
	warm := New(damageConfig)
	if err := d.db.Read(context.Background(), func(tx *sqlite.Tx) error {
		d.tx = tx
		if sound = d.do("Check", func() error { return New(damageConfig).Check(tx) }); sound {
			d.do("dump", func() (err error) {
				before, _, err = New(damageConfig).dump(tx)
				return err
			})
			d.unnoticed = !reflect.DeepEqual(before, whole)
		}
		d.search(New(damageConfig), sound)
		d.do("Warm", func() error { return warm.Warm(tx) })
		d.search(warm, sound)
		d.do("State", func() error {
			_, err := New(damageConfig).State(tx)
			return err
		})
		d.do("Stats", func() error {
			_, err := New(damageConfig).Stats(tx)
			return err
		})
		d.do("Documents", func() error {
			ids, err := warm.seen(tx)
			if err == nil && sound && !slices.Equal(ids, slices.Sorted(maps.Keys(before))) {
				d.t.Errorf("%s\nDocuments and Check disagree", d.what)
			}
			return err
		})
		d.do("Vectors", func() error {
			_, err := warm.Vectors(tx, 1, 2, 2010, 4000)
			return err
		})
		old = New(damageConfig).salvage(tx)
		return nil
	}); err != nil {
		d.t.Fatal(err)
	}
	if d.salvage { // one vector is damaged at most
		n := 0
		for id := range docs {
			if old != nil && old.all[id] != nil {
				n++
			}
		}
		if n < d.vectors-1 {
			d.t.Errorf("%s\nsalvage finds %d vectors of %d", d.what, n, d.vectors)
		}
	}
	// What is written is undone at the end, so that the cure begins with the damage.
	err := d.db.Write(context.Background(), func(tx *sqlite.Tx) error {
		d.tx = tx
		d.changes(warm, sound)
		return errUndo
	})
	if !errors.Is(err, errUndo) {
		d.t.Fatal(err)
	}
	if d.often || d.r.IntN(8) == 0 {
		if err := d.db.Write(context.Background(), func(tx *sqlite.Tx) error {
			d.tx = tx
			d.cure(old, docs, whole)
			return nil
		}); err != nil {
			d.t.Fatal(err)
		}
		if err := d.db.Read(context.Background(), func(tx *sqlite.Tx) error {
			d.tx = tx
			d.search(warm, true)
			return nil
		}); err != nil {
			d.t.Fatal(err)
		}
	}
}

// changes writes in every way there is, in any order.
func (d *damaged) changes(warm *Index, sound bool) {
	tx, x := d.tx, New(damageConfig)
	writes := []func() bool{
		func() bool {
			return d.change("Put", func() error { return x.Put(tx, randomDoc(d.r, 2010), randomDoc(d.r, 4001), randomDoc(d.r, 7777)) })
		},
		func() bool { return d.change("Delete", func() error { return x.Delete(tx, 0, 1, 2, 3, 1001, 4003) }) },
		func() bool {
			return d.change("many", func() error {
				var many []Doc
				for i := range 40 {
					many = append(many, randomDoc(d.r, int64(1990+i)))
				}
				return x.Put(tx, many...)
			})
		},
		func() bool { return d.change("Seal", func() error { return x.Seal(tx) }) },
		func() bool {
			return d.change("SetModel", func() error { return x.SetModel(tx, embed.Model{Name: "b", Dim: 8}) })
		},
	}
	for i, n := range d.r.Perm(len(writes)) {
		if writes[n]() && sound {
			if !d.do("Check after a change", func() error { return x.Check(tx) }) {
				d.t.Errorf("%s\nwas sound before, but not after change %d (%d)", d.what, i, n)
			}
		}
		d.search(warm, false)
	}
}

func (d *damaged) search(x *Index, sound bool) {
	r := rand.New(rand.NewPCG(1, 8))
	for i, q := range []Query{
		{Text: randomDoc(r, 0).Text[1], Depth: 5, Filter: Filter{All: [][]string{{"kind:0", "kind:1"}}, None: []string{"superseded"}}},
		{Text: "w0x w1x w2x w30x", Vector: randomVector(r, testModel.Dim), Model: testModel.Name, Depth: 300, KeepVectors: true},
		{Text: "wxyz", Depth: 3, Expand: true},
		{Vector: randomVector(r, testModel.Dim), Model: testModel.Name, Depth: 3, Filter: Filter{None: []string{"kind:2"}}},
	} {
		other := false
		ok := d.do(fmt.Sprint("Search ", i), func() error {
			res, err := x.Search(d.tx, q)
			other = errors.Is(err, ErrOtherModel) // the model's name was damaged
			for _, c := range res.Candidates {
				if math.IsNaN(c.BM25) || math.IsInf(c.BM25, 0) || math.IsNaN(c.Cosine) || math.IsInf(c.Cosine, 0) {
					d.t.Errorf("%s\nsearch %d has the scores of %+v", d.what, i, c)
					break
				}
			}
			return err
		})
		if sound && !ok && !other {
			d.t.Errorf("%s\nis sound, but search %d fails", d.what, i)
		}
	}
	d.do("Explain", func() error {
		_, err := x.Explain(d.tx, Query{Text: "w0x w1x w2x w30x"}, []int64{0, 1, 5, 1001, 2010, 4000, 4001, 9999})
		return err
	})
}

// cure makes the index anew, with the vectors that can be read: it is what it was.
func (d *damaged) cure(old *salvaged, docs map[int64]Doc, whole map[int64]record) {
	tx, x := d.tx, New(damageConfig)
	d.do("cure", func() error {
		if err := x.Reset(tx); err != nil {
			return err
		}
		if err := x.SetModel(tx, testModel); err != nil {
			return err
		}
		var all []Doc
		for _, id := range slices.Sorted(maps.Keys(docs)) {
			doc := docs[id]
			if old != nil && old.model == testModel && old.all[id] != nil {
				doc.Vector = old.all[id]
			}
			all = append(all, doc)
		}
		if err := x.Put(tx, all...); err != nil {
			return err
		}
		if err := x.Check(tx); err != nil {
			d.t.Errorf("%s\nis not cured: %v", d.what, err)
			return nil
		}
		got, _, err := x.dump(tx)
		if err == nil && !reflect.DeepEqual(got, whole) {
			d.t.Errorf("%s\nis not cured: it holds something else", d.what)
		}
		return err
	})
}
