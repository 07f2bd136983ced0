package index

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"blackboard/board/sqlite"
	"blackboard/testdata/cost"
	"blackboard/testdata/expect"
)

// writerConfig seals at four documents, so that segments are made and merged all the time.
var writerConfig = Config{Name: "ix", Weights: []float64{2, 1}, K1: 0.9, B: 0.4, Seal: 4}

// change is what a writer does in one transaction: versions of documents put, and documents
// deleted.
type change struct {
	Put  map[int64]int `json:"put,omitempty"`
	Del  []int64       `json:"del,omitempty"`
	Seal bool          `json:"seal,omitempty"`
	Done bool          `json:"done,omitempty"` // it was acknowledged; else it begins
}

func (c *change) apply(to map[int64]int) {
	maps.Copy(to, c.Put)
	for _, id := range c.Del {
		delete(to, id)
	}
}

// versionDoc is a document as a writer writes it: one word is in no other version of any document.
func versionDoc(id int64, version int) Doc {
	d := randomDoc(rand.New(rand.NewPCG(uint64(id), uint64(version))), id)
	d.Text[0] += " " + versionWord(id, version)
	return d
}

func versionWord(id int64, version int) string { return word(int(id)*10_000 + version) }

// write does a change in one transaction: in the index, and in a table beside it that says what
// the index must hold.
func (c *change) write(db *sqlite.DB, x *Index) error {
	return db.Write(context.Background(), func(tx *sqlite.Tx) error {
		var docs []Doc
		for id, version := range c.Put {
			docs = append(docs, versionDoc(id, version))
			if _, err := tx.Exec(`INSERT INTO things VALUES (?, ?) ON CONFLICT DO UPDATE SET word = excluded.word`, id, strconv.Itoa(version)); err != nil {
				return err
			}
		}
		if err := x.Put(tx, docs...); err != nil {
			return err
		}
		for _, id := range c.Del {
			if _, err := tx.Exec(`DELETE FROM things WHERE id = ?`, id); err != nil {
				return err
			}
		}
		if len(c.Del) > 0 {
			if err := x.Delete(tx, c.Del...); err != nil {
				return err
			}
		}
		if c.Seal {
			return x.Seal(tx)
		}
		return nil
	})
}

// readThings returns what the index must hold.
func readThings(tx *sqlite.Tx) (map[int64]int, error) {
	things := map[int64]int{}
	var id int64
	var version string
	err := tx.Each([]any{&id, &version}, func() error {
		things[id], _ = strconv.Atoi(version)
		return nil
	}, `SELECT id, word FROM things`)
	return things, err
}

// randomWrite is what a writer does next to the documents that are its own.
func randomWrite(r *rand.Rand, mine map[int64]int, next *int64, step int64) change {
	c := change{Put: map[int64]int{}, Seal: r.IntN(40) == 0}
	ids := slices.Sorted(maps.Keys(mine))
	pick := func() int64 { return ids[r.IntN(len(ids))] }
	most := 100
	for range 1 + r.IntN(5) {
		switch n := r.IntN(10); {
		case len(ids) > most || n == 0 && len(ids) > 0:
			c.Del = append(c.Del, pick(), pick())
		case n < 4 && len(ids) > 0:
			id := pick()
			c.Put[id] = mine[id] + 1
		default:
			c.Put[*next] = 1
			*next += step
		}
	}
	for _, id := range c.Del {
		delete(c.Put, id)
	}
	return c
}

// TestWriterProcess is no test but the process that the tests below start: it writes and says so
// until it is killed, or as often as it is told.
func TestWriterProcess(t *testing.T) {
	path := os.Getenv("BOARD_TEST_INDEX")
	if path == "" {
		t.Skip("is a process that other tests start")
	}
	number, _ := strconv.ParseInt(os.Getenv("BOARD_TEST_WRITER"), 10, 64)
	of, _ := strconv.ParseInt(os.Getenv("BOARD_TEST_WRITERS"), 10, 64)
	changes, _ := strconv.Atoi(os.Getenv("BOARD_TEST_CHANGES"))
	db := openFile(t, path)
	x := New(writerConfig)
	mine, next := map[int64]int{}, number
	read(t, db, func(tx *sqlite.Tx) error {
		things, err := readThings(tx)
		for id, version := range things {
			if id%of == number {
				mine[id] = version
				next = max(next, id+of)
			}
		}
		return err
	})
	r := rand.New(rand.NewPCG(rand.Uint64(), 1))
	say := func(c change) {
		b := expect.Value(json.Marshal(c))(t)
		fmt.Printf("%s\n", b)
	}
	for i := 0; changes == 0 || i < changes; i++ {
		c := randomWrite(r, mine, &next, of)
		say(c)
		expect.OK(t, c.write(db, x))
		c.apply(mine)
		c.Done = true
		say(c)
	}
}

func startWriter(t *testing.T, path string, number, of, changes int) (*exec.Cmd, *bufio.Reader, *strings.Builder) {
	t.Helper()
	return cost.Child(t, "TestWriterProcess", "BOARD_TEST_INDEX="+path, fmt.Sprint("BOARD_TEST_WRITER=", number), fmt.Sprint("BOARD_TEST_WRITERS=", of), fmt.Sprint("BOARD_TEST_CHANGES=", changes))
}

// changesOf calls fn for each change that a writer tells of, as long as whole lines come. It
// returns what else the writer said: why it failed.
func changesOf(out io.Reader, fn func(change)) (failed string) {
	lines := bufio.NewReader(out)
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			return failed
		}
		var c change
		if json.Unmarshal([]byte(line), &c) == nil {
			fn(c)
		} else {
			failed += line
		}
	}
}

// TestKilledWriter kills writers with SIGKILL at random moments, in many rounds on one file. Every
// acknowledged change is in the index, the one under way is there in whole or not at all, the
// index is sound, and it answers as one that was made anew of the same documents.
func TestKilledWriter(t *testing.T) {
	cost.SkipQuick(t)
	t.Parallel()
	rounds := cost.Rounds(80, 40, 12)
	const writers = 2
	path := filepath.Join(t.TempDir(), "index.sqlite3")
	db := openFile(t, path)
	write(t, db, func(tx *sqlite.Tx) error {
		x := New(writerConfig)
		return errors.Join(x.Reset(tx), x.SetModel(tx, testModel))
	})
	db.Close()
	var acked, underWay, kept int
	now := map[int64]int{} // what must be there
	for round := range rounds {
		var cmds []*exec.Cmd
		var wg sync.WaitGroup
		var begun [writers]*change
		var done [writers][]change
		first := make(chan bool, writers)
		started := 1 + round%writers
		for i := range started {
			cmd, out, _ := startWriter(t, path, i, writers, 0)
			cmds = append(cmds, cmd)
			wg.Go(func() {
				once := sync.OnceFunc(func() { first <- true })
				defer once()
				if failed := changesOf(out, func(c change) {
					once()
					if begun[i] = &c; c.Done {
						done[i] = append(done[i], c)
						begun[i] = nil
					}
				}); failed != "" {
					t.Errorf("round %d: a writer failed before it was killed: %s", round, failed)
				}
			})
		}
		<-first // the start of a process is of no interest
		time.Sleep(time.Duration(rand.IntN(60_000)) * time.Microsecond)
		for _, cmd := range cmds {
			cmd.Process.Kill()
		}
		wg.Wait()
		for _, cmd := range cmds {
			cmd.Wait()
		}
		for i := range started {
			for _, c := range done[i] {
				c.apply(now)
				acked++
			}
		}
		db := openFile(t, path)
		if err := db.Check(t.Context()); err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		var have map[int64]record
		read(t, db, func(tx *sqlite.Tx) error {
			x := New(writerConfig)
			if err := x.Check(tx); err != nil {
				return err
			}
			things, err := readThings(tx)
			if err != nil {
				return err
			}
			have, _, err = x.dump(tx)
			// The changes under way are whole or not at all, each by itself.
			for _, c := range begun {
				if c == nil {
					continue
				}
				with := maps.Clone(now)
				c.apply(with)
				underWay++
				if touched := func(id int64) bool { return now[id] != with[id] }; sameWhere(things, with, touched) {
					now = with
					kept++
				}
			}
			if !maps.Equal(things, now) {
				t.Fatalf("round %d: the file holds %v, acknowledged is %v", round, things, now)
			}
			return err
		})
		want := expect.Value(recordsOf(now))(t)
		if !reflect.DeepEqual(have, want) {
			t.Fatalf("round %d: the index holds %d documents, or not as they are; it should hold %d", round, len(have), len(want))
		}
		if round%8 == 0 || round == rounds-1 {
			answersAsNew(t, db, now)
		}
		db.Close()
	}
	t.Logf("%d rounds: %d acknowledged changes, all there; of %d under way %d are there, the others are not; %d documents at the end", rounds, acked, underWay, kept, len(now))
}

// sameWhere reports whether two states are the same in the documents that were touched.
func sameWhere(a, b map[int64]int, touched func(int64) bool) bool {
	for _, m := range []map[int64]int{a, b} {
		for id := range m {
			if touched(id) && a[id] != b[id] {
				return false
			}
		}
	}
	return true
}

// recordsOf returns what an index of documents holds.
func recordsOf(things map[int64]int) (map[int64]record, error) {
	x := New(writerConfig)
	all := map[int64]record{}
	for id, version := range things {
		d := versionDoc(id, version)
		r, err := x.analyse(&d)
		if err != nil {
			return nil, err
		}
		all[id] = r
	}
	return all, nil
}

// answersAsNew compares the answers of a file's index with those of one that is made of the
// documents at once.
func answersAsNew(t *testing.T, db *sqlite.DB, things map[int64]int) {
	t.Helper()
	freshDB := openFile(t, filepath.Join(t.TempDir(), "fresh.sqlite3"))
	defer freshDB.Close()
	fresh := New(writerConfig)
	write(t, freshDB, func(tx *sqlite.Tx) error {
		if err := fresh.Reset(tx); err != nil {
			return err
		}
		if err := fresh.SetModel(tx, testModel); err != nil {
			return err
		}
		var docs []Doc
		for id, version := range things {
			docs = append(docs, versionDoc(id, version))
		}
		return fresh.Put(tx, docs...)
	})
	x, warm := New(writerConfig), New(writerConfig)
	read(t, db, warm.Warm)
	r := rand.New(rand.NewPCG(6, 6))
	for range 5 {
		q := Query{Text: randomDoc(r, 0).Text[1], Depth: 1 + r.IntN(50), Vector: randomVector(r, testModel.Dim), Model: testModel.Name, KeepVectors: true}
		if r.IntN(2) == 0 {
			q.Filter.None = []string{"kind:1", "superseded"}
		}
		want := ask(t, freshDB, fresh, q)
		for name, x := range map[string]*Index{"cold": x, "warm": warm} {
			if got := ask(t, db, x, q); !reflect.DeepEqual(got, want) {
				t.Fatalf("the %s index answers %+v\na fresh one %+v", name, got, want)
			}
		}
	}
}
