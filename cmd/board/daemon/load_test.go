package daemon

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"blackboard/board"
	"blackboard/embed"
	"blackboard/kb"
	"blackboard/testdata/cost"
	"blackboard/testdata/embedtest"
	"blackboard/testdata/expect"
	"blackboard/testdata/wait"
)

// TestMain lets the test binary be a daemon that is killed.
func TestMain(m *testing.M) {
	if dir := os.Getenv("BOARD_TEST_DAEMON_HOME"); dir != "" {
		place, err := PlaceOf(dir, noEnv)
		if err == nil {
			err = Run(context.Background(), Config{Place: place, Build: "test", ModelDir: filepath.Join(dir, "model"), OpenModel: func(context.Context, string) (embed.Embedder, func() error, error) {
				return slow{embedtest.NewHash(64)}, func() error { return nil }, nil
			}}, nil)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(cost.Main(m))
}

// slow takes its time, so that it can be killed meanwhile.
type slow struct{ embed.Embedder }

func (s slow) Embed(ctx context.Context, texts []string) ([]embed.Vector, error) {
	time.Sleep(time.Duration(len(texts)) * 200 * time.Microsecond)
	return s.Embedder.Embed(ctx, texts)
}

// TestKilledWhileEmbedding kills daemons that are at their backfill. The next goes on, and nothing
// is lost.
func TestKilledWhileEmbedding(t *testing.T) {
	cost.SkipQuick(t)
	dir := home(t)
	const n = 400
	k := expect.Value(kb.Open(t.Context(), dir, kb.Options{}))(t)
	defer k.Close()
	for i := range n {
		expect.Value(k.Remember(t.Context(), kb.Capsule{Kind: "fact", Scope: "universal", Title: fmt.Sprint("capsule ", i), Body: fmt.Sprint("what holds for ", i), Source: "test"}, kb.RememberOptions{Force: true}))(t)
	}
	embedded := func() int {
		t.Helper()
		s, err := k.Stats(t.Context())
		if err != nil || s.Capsules != n {
			t.Fatalf("%+v, %v", s, err)
		}
		return int(s.Embedded)
	}
	c := patient(placeOf(t, dir), "test", filepath.Join(dir, "model"))
	defer c.Close()
	kills, most := 0, 2
	if cost.Quick() {
		most = 1
	}
	for at := embedded(); at < n; at = embedded() {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), "BOARD_TEST_DAEMON_HOME="+dir)
		cmd.Stderr = os.Stderr
		expect.OK(t, cmd.Start())
		expect.Value(c.WaitReady(t.Context()))(t)
		for embedded() == at { // it has begun: rows without an embedding are seen within seconds
			time.Sleep(5 * time.Millisecond)
		}
		time.Sleep(time.Duration(rand.IntN(15)) * time.Millisecond)
		cmd.Process.Kill()
		cmd.Wait()
		if kills++; kills == most {
			break // each takes some seconds to notice
		}
	}
	m := embedtest.NewHash(64)
	all := expect.Value(kb.Open(t.Context(), dir, kb.Options{Embedder: m}))(t)
	defer all.Close()
	expect.Value(all.Reembed(t.Context(), nil))(t)
	if got := embedded(); got != n {
		t.Errorf("%d of %d are embedded", got, n)
	}
	if err := all.Check(t.Context()); err != nil {
		t.Error(err)
	}
	t.Logf("%d kills", kills)
}

// TestLoad has 64 clients ask, embed and watch at once, for some seconds, or as many as
// BOARD_LOAD_SECONDS says, and looks at what is left.
func TestLoad(t *testing.T) {
	cost.SkipQuickUnlessRace(t)
	seconds := 3
	if s := os.Getenv("BOARD_LOAD_SECONDS"); s != "" {
		var err error
		if seconds, err = strconv.Atoi(s); err != nil {
			t.Fatal(err)
		}
	}
	dir := home(t)
	remember(t, dir, 300)
	boards := filepath.Join(dir, "boards")
	b := expect.Value(board.OpenOrCreate(t.Context(), boards, "live"))(t)
	if _, err := b.Post(t.Context(), "w", board.Post{Content: "the run begins"}); err != nil { // a stream is of a run that exists
		t.Fatal(err)
	}
	defer b.Close()
	r := start(t, dir, nil)
	first := r.client(t)
	expect.Value(first.Search(t.Context(), kb.Query{Text: "pane"}))(t)
	first.Close()
	goroutines := runtime.NumGoroutine()
	heap := heapNow()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var mu sync.Mutex
	var took []time.Duration
	var events atomic.Int64
	time.AfterFunc(time.Duration(seconds)*time.Second, func() {
		defer cancel()
		for end := time.Now().Add(wait.Limit(t)); events.Load() == 0 && time.Now().Before(end); { // on a busy machine the first takes longer
			time.Sleep(20 * time.Millisecond)
		}
	})
	var wg sync.WaitGroup
	for i := range 64 {
		wg.Go(func() {
			c := patient(r.place, "test", filepath.Join(dir, "model"))
			defer c.Close()
			if i%8 == 0 {
				if err := watchFor(ctx, c, &events); err != nil && ctx.Err() == nil {
					t.Error(err)
				}
				return
			}
			e, err := c.Embedder(ctx)
			if err != nil {
				if ctx.Err() == nil {
					t.Error(err)
				}
				return
			}
			for j := 0; ctx.Err() == nil; j++ {
				begin := time.Now()
				if j%4 == 0 {
					_, err = e.Embed(ctx, []string{fmt.Sprint("text ", i, j)})
				} else {
					_, err = c.Search(ctx, kb.Query{Text: fmt.Sprintf("topic %d with pane %d", j%7, j%11)})
				}
				if err != nil && ctx.Err() == nil {
					t.Error(err)
				}
				mu.Lock()
				took = append(took, time.Since(begin))
				mu.Unlock()
			}
		})
	}
	wg.Go(func() {
		for ctx.Err() == nil {
			if _, err := b.Post(ctx, "w", board.Post{Content: fmt.Sprint("seen at ", time.Now().UnixNano()), SourceDoc: "x"}); err != nil && ctx.Err() == nil {
				t.Error(err)
			}
			time.Sleep(20 * time.Millisecond)
		}
	})
	wg.Wait()
	slices.Sort(took)
	t.Logf("64 clients, %d s: %d requests, median %v, p99 %v; %d events read", seconds, len(took), took[len(took)/2], took[len(took)*99/100], events.Load())
	if events.Load() == 0 {
		t.Error("nobody has seen an event")
	}
	noMoreThan(t, goroutines)
	took = nil
	if now := heapNow(); now > heap+16<<20 {
		t.Errorf("%d MB of heap, %d before", now>>20, heap>>20)
	}
}

func heapNow() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// watchFor reads events, and counts them, until ctx ends.
func watchFor(ctx context.Context, c *Client, n *atomic.Int64) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://board/v1/events?run=live", nil)
	if err != nil {
		return err
	}
	req.Header.Set(headerBuild, "test")
	resp, err := c.http.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	sc := bufio.NewScanner(resp.Body)
	for sc.Scan() {
		if len(sc.Bytes()) > 5 && string(sc.Bytes()[:5]) == "data:" {
			n.Add(1)
		}
	}
	return sc.Err()
}

// BenchmarkDaemon asks over the socket: the round trip of an embedding, and a search by words and
// by meaning, beside the same of a warm knowledge base in this process. The model takes no time,
// so that what is measured is the way there and back.
func BenchmarkDaemon(b *testing.B) {
	dir := home(b)
	n := 10_000
	if s := os.Getenv("BOARD_BENCH_DOCS"); s != "" {
		var err error
		if n, err = strconv.Atoi(s); err != nil {
			b.Fatal(err)
		}
	}
	remember(b, dir, n)
	c := start(b, dir, nil).client(b)
	warm := expect.Value(kb.Open(b.Context(), dir, kb.Options{Embedder: embedtest.NewHash(64), Warm: true}))(b)
	defer warm.Close()
	e := expect.Value(c.Embedder(b.Context()))(b)
	ask := func(i int) kb.Query { return kb.Query{Text: fmt.Sprintf("topic %d, item %d", i%7, i)} }
	for _, op := range []struct {
		name string
		do   func(i int) error
	}{
		{"embed", func(i int) error { _, err := e.Embed(b.Context(), []string{fmt.Sprint("text ", i)}); return err }},
		{"search", func(i int) error { _, err := c.Search(b.Context(), ask(i)); return err }},
		{"search/in process", func(i int) error { _, err := warm.Search(b.Context(), ask(i)); return err }},
	} {
		b.Run(op.name, func(b *testing.B) {
			took := make([]time.Duration, 0, b.N)
			for i := range b.N {
				begin := time.Now()
				expect.OK(b, op.do(i))
				took = append(took, time.Since(begin))
			}
			cost.Percentiles(b, took)
		})
	}
}
