package chunks

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"blackboard/board/sqlite"
	"blackboard/testdata/cost"
	"blackboard/testdata/expect"
)

// TestProcess is not a test but the process that the tests below start. The environment
// says what it does.
func TestProcess(t *testing.T) {
	dir, do := os.Getenv("BOARD_TEST_STORE"), os.Getenv("BOARD_TEST_DO")
	if dir == "" {
		t.Skip("is a process that other tests start")
	}
	s, res := expect.Values(Open(t.Context(), dir, Options{Import: true, Embedder: newConcepts()}))(t)
	defer s.Close()
	fmt.Println("imported", res.Chunks.Added)
	switch do {
	case "import":
		l, err := s.List(t.Context(), ListQuery{})
		fmt.Println("listed", l.Total, err)
	case "write":
		for i := range processWrites() {
			c := expect.Value(s.Write(t.Context(), NewChunk{Topic: fmt.Sprint("auth ", os.Getpid(), " ", i), Content: "of a process", Tags: []string{fmt.Sprint("p", os.Getpid())}}))(t)
			fmt.Println("wrote", c.ID)
			expect.Value(s.Embed(t.Context(), c.ID))(t)
			// Acknowledged writes are found in every mode.
			for _, mode := range Modes {
				if r, err := s.Search(t.Context(), Query{Text: fmt.Sprint("auth ", os.Getpid(), " ", i), Tags: c.Tags, Mode: mode}); err != nil || len(r.Hits) == 0 || len(r.Degraded) > 0 && mode == ModeBM25 {
					t.Fatalf("%s: %+v, %v", mode, r, err)
				}
			}
			expect.Value(s.SetState(t.Context(), "last", fmt.Append(nil, os.Getpid())))(t)
			if i%10 == 9 {
				expect.OK(t, s.Delete(t.Context(), c.ID))
				fmt.Println("deleted", c.ID)
			}
		}
	}
}

// processWrites is the number of chunks that each process writes.
func processWrites() int {
	if cost.Race {
		return 30
	}
	return 100
}

// importedChunks is the number of chunks to import: enough to interrupt the import.
func importedChunks() int {
	if cost.Race {
		return 300
	}
	return 2000
}

// process is a running child process.
type process struct {
	cmd  *exec.Cmd
	out  *bufio.Scanner
	errs strings.Builder
}

func startProcess(t *testing.T, dir, do string) *process {
	t.Helper()
	p := &process{cmd: exec.Command(os.Args[0], "-test.run=^TestProcess$")}
	p.cmd.Env = append(os.Environ(), "BOARD_TEST_STORE="+dir, "BOARD_TEST_DO="+do, "TMPDIR="+t.TempDir())
	p.cmd.Stderr = &p.errs
	out := expect.Value(p.cmd.StdoutPipe())(t)
	p.out = bufio.NewScanner(out)
	expect.OK(t, p.cmd.Start())
	return p
}

// said returns the lines of a process that begin with a word, without that word, and
// whether it succeeded. If it failed, the rest of its output is logged.
func (p *process) said(word string) (all []string, rest string, ok bool) {
	for p.out.Scan() {
		if line, found := strings.CutPrefix(p.out.Text(), word+" "); found {
			all = append(all, line)
		} else {
			rest += p.out.Text() + "\n"
		}
	}
	err := p.cmd.Wait()
	return all, rest + p.errs.String(), err == nil
}

// TestManyProcesses: eight processes write, embed, search, set and delete in a new store.
// Nothing is lost, and no process gets a lock error.
func TestManyProcesses(t *testing.T) {
	cost.SkipQuick(t)
	t.Parallel()
	dir := t.TempDir() + "/store"
	const processes = 8
	var wg sync.WaitGroup
	var mu sync.Mutex
	var wrote, deleted []string
	for range processes {
		p := startProcess(t, dir, "write")
		wg.Go(func() {
			ids, rest, ok := p.said("wrote")
			mu.Lock()
			defer mu.Unlock()
			if !ok || len(ids) != processWrites() {
				t.Errorf("a process wrote %d: %s", len(ids), rest)
			}
			wrote = append(wrote, ids...)
			for l := range strings.Lines(rest) {
				if id, found := strings.CutPrefix(strings.TrimSpace(l), "deleted "); found {
					deleted = append(deleted, id)
				}
			}
		})
	}
	wg.Wait()
	s := openStore(t, dir, Options{Embedder: newConcepts()})
	var there []string
	for offset := 0; ; offset += MaxLimit {
		l := expect.Value(s.List(t.Context(), ListQuery{Limit: new(MaxLimit), Offset: offset}))(t)
		if len(l.Chunks) == 0 {
			break
		}
		for _, m := range l.Chunks {
			there = append(there, m.ID)
			if m.Model == "" {
				t.Errorf("%s has no embedding", m.ID)
			}
		}
	}
	want := slices.DeleteFunc(wrote, func(id string) bool { return slices.Contains(deleted, id) })
	slices.Sort(want)
	slices.Sort(there)
	if !slices.Equal(there, want) || len(want) != processes*processWrites()*9/10 {
		t.Errorf("there are %d chunks, want %d", len(there), len(want))
	}
}

// manyChunks creates a database that takes some time to import.
func manyChunks(t *testing.T, dir string, n int) {
	t.Helper()
	db := original(t, dir, originalSchema)
	r := rand.New(rand.NewPCG(1, 1))
	words := make([]string, 60)
	var rows []string
	for i := range n {
		for j := range words {
			words[j] = fmt.Sprintf("w%d", r.IntN(20_000))
		}
		rows = append(rows, fmt.Sprintf("('%010x', 'topic %d', 'global', '[\"t%d\"]', 'medium', '%s', NULL, '2025-01-01T00:00:00.000Z', '2025-01-01T00:00:00.000Z', NULL)", i, i, i%10, strings.Join(words, " ")))
		if len(rows) == 500 || i == n-1 {
			run(t, db, "INSERT INTO chunks VALUES "+strings.Join(rows, ", "))
			rows = rows[:0]
		}
	}
}

// TestFirstUseByMany: of several processes that use a store first, one imports its files,
// and the others wait for the complete import.
func TestFirstUseByMany(t *testing.T) {
	cost.SkipQuick(t)
	t.Parallel()
	dir := t.TempDir()
	n := importedChunks()
	manyChunks(t, dir, n)
	var processes []*process
	for range 6 {
		processes = append(processes, startProcess(t, dir, "import"))
	}
	importers := 0
	for _, p := range processes {
		listed, rest, ok := p.said("listed")
		if !ok || !slices.Equal(listed, []string{fmt.Sprint(n, " <nil>")}) {
			t.Errorf("a process has found %v: %s", listed, rest)
		}
		if strings.Contains(rest, fmt.Sprintln("imported", n)) {
			importers++
		}
	}
	if importers != 1 {
		t.Errorf("%d processes have taken it over", importers)
	}
}

// TestKilledImport kills first uses at random moments. The next one finds all or nothing,
// and imports everything once.
func TestKilledImport(t *testing.T) {
	cost.SkipQuick(t)
	t.Parallel()
	dir := t.TempDir()
	n := importedChunks()
	manyChunks(t, dir, n)
	before := contents(t, dir)
	rounds := 25
	if !cost.Long() {
		rounds = 8
	}
	if cost.Quick() {
		rounds = 1
	}
	start := time.Now()
	if _, rest, ok := startProcess(t, dir, "import").said("imported"); !ok {
		t.Fatal(rest)
	}
	took := time.Since(start)
	remove := func() {
		for _, suffix := range []string{"", "-wal", "-shm", "-lock"} {
			if err := os.Remove(filepath.Join(dir, FileName) + suffix); err != nil && !os.IsNotExist(err) {
				t.Fatal(err)
			}
		}
	}
	remove()
	r := rand.New(rand.NewPCG(3, 3))
	within := 0
	for round := 0; round < rounds || within == 0; round++ { // until one was killed in the middle
		p := startProcess(t, dir, "import")
		timer := time.AfterFunc(time.Duration(r.Int64N(int64(took))), func() { p.cmd.Process.Kill() })
		said, _, _ := p.said("imported")
		timer.Stop()
		// The file exists, but its first use is not complete: the process was killed in
		// the middle.
		used := false
		db, err := sqlite.Open(t.Context(), filepath.Join(dir, FileName), schema, sqlite.ReadWrite)
		if err == nil {
			err = db.Read(t.Context(), func(tx *sqlite.Tx) (err error) {
				used, err = isUsed(tx)
				return err
			})
		} else if errors.Is(err, fs.ErrNotExist) {
			db, err = nil, nil
		}
		expect.OK(t, err)
		if db != nil {
			if !used {
				within++
			}
			db.Close()
		}
		if db == nil { // adapts to the speed of the machine
			took = took * 6 / 5
		} else if used {
			took = took * 5 / 6
		}
		s, res := imported(t, dir, Options{})
		if want := map[bool]int{false: n}[used]; res.Chunks.Added != want || len(said) > 0 && !used {
			t.Errorf("after a kill %+v is taken over, want %d", res.Chunks, want)
		}
		if l, err := s.List(t.Context(), ListQuery{}); err != nil || l.Total != n {
			t.Fatalf("%d chunks, %v", l.Total, err)
		}
		agrees(t, s)
		expect.OK(t, s.Close())
		remove()
	}
	if after := contents(t, dir); len(after) != len(before) || after[dir+"/"+storeFile] != before[dir+"/"+storeFile] {
		t.Error("the original has changed")
	}
	t.Logf("%d of %d were killed in the middle", within, rounds)
}
