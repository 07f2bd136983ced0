package daemon

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"blackboard/board"
	"blackboard/embed"
	"blackboard/embed/embedtest"
	"blackboard/kb"
	"blackboard/kb/kbtest"
	"blackboard/kb/memory"
)

// home makes a data home with a path that is short enough for a socket.
func home(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "bd")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

func noEnv(string) string { return "" }

type running struct {
	place Place
	stop  context.CancelFunc
	done  chan error
	log   *syncBuffer
}

type syncBuffer struct {
	mu sync.Mutex
	b  strings.Builder
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *syncBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// start runs a daemon for a data home in this process, with a model that needs no files.
func start(t testing.TB, dir string, change func(*Config)) *running {
	t.Helper()
	place, err := PlaceOf(dir, noEnv)
	if err != nil {
		t.Fatal(err)
	}
	r := &running{place: place, done: make(chan error, 1), log: &syncBuffer{}}
	cfg := Config{Place: place, Build: "test", ModelDir: filepath.Join(dir, "model"), Log: slog.New(slog.NewTextHandler(r.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
		OpenModel: func(context.Context, string) (embed.Embedder, func() error, error) {
			return embedtest.NewHash(64), func() error { return nil }, nil
		}}
	if change != nil {
		change(&cfg)
	}
	ctx, cancel := context.WithCancel(context.Background())
	r.stop = cancel
	ready := make(chan struct{})
	go func() { r.done <- Run(ctx, cfg, func() { close(ready) }) }()
	select {
	case <-ready:
	case err := <-r.done:
		t.Fatalf("it does not start: %v\n%s", err, r.log)
	}
	t.Cleanup(func() { r.end(t) })
	return r
}

// end stops it and waits for it.
func (r *running) end(t testing.TB) {
	t.Helper()
	r.stop()
	select {
	case err := <-r.done:
		if err != nil {
			t.Errorf("it ended with %v", err)
		}
		r.done <- nil
	case <-time.After(30 * time.Second):
		t.Errorf("it does not end\n%s", r.log)
	}
}

// wait waits until it ends by itself.
func (r *running) wait(t testing.TB) {
	t.Helper()
	select {
	case err := <-r.done:
		if err != nil {
			t.Errorf("it ended with %v", err)
		}
		r.done <- nil
	case <-time.After(30 * time.Second):
		t.Fatalf("it does not end\n%s", r.log)
	}
}

func (r *running) client(t testing.TB) *Client {
	t.Helper()
	c := NewClient(r.place, "test", filepath.Join(r.place.Home, "model"))
	t.Cleanup(c.Close)
	return c
}

func remember(t testing.TB, dir string, n int) {
	t.Helper()
	k, err := kb.Open(t.Context(), dir, kb.Options{Embedder: embedtest.NewHash(64)})
	if err != nil {
		t.Fatal(err)
	}
	defer k.Close()
	for i := range n {
		c := kb.Capsule{Kind: kb.Kinds[i%3], Scope: "universal", Title: fmt.Sprintf("Capsule %d about topic %d", i, i%7), Body: fmt.Sprintf("What holds for item %d, of group %d, with pane and socket %d.", i, i%5, i%11),
			Tags: []string{fmt.Sprint("t", i%4)}, Source: "test", Project: fmt.Sprint("p", i%2)}
		if _, err := k.Remember(t.Context(), c, kb.RememberOptions{Force: true}); err != nil {
			t.Fatal(err)
		}
	}
}

func TestEmbedderConformance(t *testing.T) {
	embedtest.TestEmbedder(t, func(t *testing.T) embed.Embedder {
		e, err := start(t, home(t), nil).client(t).Embedder(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return e
	})
}

func TestSearcherConformance(t *testing.T) {
	kbtest.TestSearcher(t, func(t *testing.T, home string, model embed.Embedder) kb.Searcher {
		return start(t, home, func(c *Config) {
			c.OpenModel = noModel
			if model != nil {
				c.OpenModel = func(context.Context, string) (embed.Embedder, func() error, error) {
					return model, func() error { return nil }, nil
				}
			}
		}).client(t)
	})
}

func TestErrorsKeepWhatTheyAre(t *testing.T) {
	for _, id := range identities {
		sent := fmt.Errorf("it went wrong: %w", id.is)
		wire, status := encodeError(sent)
		raw, err := json.Marshal(wire)
		if err != nil {
			t.Fatal(err)
		}
		var back wireError
		if err := json.Unmarshal(raw, &back); err != nil {
			t.Fatal(err)
		}
		if got := decodeError(back); !errors.Is(got, id.is) || got.Error() != sent.Error() || status < 400 {
			t.Errorf("%s became %v, status %d", id.name, got, status)
		}
	}
	dir := home(t)
	c := start(t, dir, nil).client(t)
	if _, err := c.Search(t.Context(), kb.Query{Text: "x"}); !errors.Is(err, kb.ErrNotFound) {
		t.Errorf("without a knowledge base: %v", err)
	}
	remember(t, dir, 1) // and it is found when it is made
	if r, err := c.Search(t.Context(), kb.Query{Text: "capsule"}); err != nil || len(r.Hits) != 1 {
		t.Errorf("after the first capsule: %+v, %v", r, err)
	}
	other := NewClient(PlaceMust(t, dir), "another", filepath.Join(dir, "model"))
	defer other.Close()
	if _, err := other.Search(t.Context(), kb.Query{Text: "capsule"}); !errors.Is(err, ErrOtherBuild) || !Unusable(err) {
		t.Errorf("another build: %v", err)
	}
	elsewhere := NewClient(PlaceMust(t, dir), "test", filepath.Join(dir, "other-model"))
	defer elsewhere.Close()
	if _, err := elsewhere.Search(t.Context(), kb.Query{Text: "capsule"}); !errors.Is(err, ErrOtherModel) {
		t.Errorf("another model: %v", err)
	}
	if r, err := elsewhere.Search(t.Context(), kb.Query{Text: "capsule", Mode: kb.ModeBM25}); err != nil || len(r.Hits) != 1 {
		t.Errorf("by words, with another model: %+v, %v", r, err)
	}
}

// PlaceMust is PlaceOf for tests.
func PlaceMust(t testing.TB, dir string) Place {
	t.Helper()
	p, err := PlaceOf(dir, noEnv)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestWritesOfOthersAreFound writes by another handle, as another process does, and asks right afterwards.
func TestWritesOfOthersAreFound(t *testing.T) {
	dir := home(t)
	remember(t, dir, 5)
	c := start(t, dir, nil).client(t)
	k, err := kb.Open(t.Context(), dir, kb.Options{Embedder: embedtest.NewHash(64)})
	if err != nil {
		t.Fatal(err)
	}
	defer k.Close()
	for i := range 300 { // beyond where segments are sealed
		word := fmt.Sprintf("unheard%dof", i)
		r, err := k.Remember(t.Context(), kb.Capsule{Kind: "fact", Scope: "universal", Title: word, Body: "Body of " + word, Source: "test"}, kb.RememberOptions{Force: true})
		if err != nil {
			t.Fatal(err)
		}
		got, err := c.Search(t.Context(), kb.Query{Text: word, Limit: 1})
		if err != nil || len(got.Hits) != 1 || got.Hits[0].ID != r.Capsule.ID {
			t.Fatalf("%s: %+v, %v", word, got.Hits, err)
		}
		if i%10 == 0 {
			if _, err := k.Retire(t.Context(), r.Capsule.ID, "test"); err != nil {
				t.Fatal(err)
			}
			if got, err := c.Search(t.Context(), kb.Query{Text: word, Mode: kb.ModeBM25}); err != nil || len(got.Hits) != 0 {
				t.Fatalf("%s is retired: %+v, %v", word, got.Hits, err)
			}
		}
	}
}

// TestEditsByHandAreFound edits a capsule's file, and waits for the watcher.
func TestEditsByHandAreFound(t *testing.T) {
	dir := home(t)
	remember(t, dir, 3)
	c := start(t, dir, nil).client(t)
	res, err := c.Search(t.Context(), kb.Query{Text: "capsule", Limit: 1})
	if err != nil || len(res.Hits) != 1 {
		t.Fatal(res, err)
	}
	path := filepath.Join(kb.Sidecars(dir), res.Hits[0].ID+".md")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(strings.Replace(string(data), "What holds", "Handwritten words hold", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	found := func(text string, n int) {
		t.Helper()
		var got kb.Result
		for range 500 {
			if got, err = c.Search(t.Context(), kb.Query{Text: text, Mode: kb.ModeBM25}); err != nil {
				t.Fatal(err)
			}
			if len(got.Hits) == n {
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
		t.Errorf("%q finds %d, not %d", text, len(got.Hits), n)
	}
	found("handwritten", 1)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	found("handwritten", 0)
}

// TestOneWins starts daemons at once, many times: one serves, the others say so.
func TestOneWins(t *testing.T) {
	dir := home(t)
	for round := range 50 {
		var won, lost atomic.Int32
		ctx, cancel := context.WithCancel(context.Background())
		var wg sync.WaitGroup
		const racers = 3
		ended := make(chan struct{}, racers)
		for range racers {
			wg.Go(func() {
				err := Run(ctx, Config{Place: PlaceMust(t, dir), Build: "test", OpenModel: noModel}, func() { won.Add(1) })
				if errors.Is(err, ErrRunning) {
					lost.Add(1)
				} else if err != nil {
					t.Errorf("round %d: %v", round, err)
				}
				ended <- struct{}{}
			})
		}
		for range racers - 1 {
			<-ended
		}
		c := NewClient(PlaceMust(t, dir), "test", "")
		if _, err := c.WaitReady(t.Context()); err != nil {
			t.Errorf("round %d: %v", round, err)
		}
		c.Close()
		cancel()
		wg.Wait()
		if won.Load() != 1 || lost.Load() != racers-1 {
			t.Fatalf("round %d: %d won, %d lost", round, won.Load(), lost.Load())
		}
		if there(PlaceMust(t, dir).Socket) {
			t.Fatalf("round %d: the socket is left behind", round)
		}
	}
}

func noModel(context.Context, string) (embed.Embedder, func() error, error) {
	return nil, nil, embed.ErrNoModel
}

func TestWhatIsAtTheSocketsPlace(t *testing.T) {
	for what, put := range map[string]func(path string) error{
		"a socket that was left behind": func(path string) error {
			l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
			if err != nil {
				return err
			}
			l.SetUnlinkOnClose(false)
			return l.Close()
		},
		"an empty file": func(path string) error { return os.WriteFile(path, nil, 0o600) },
		"a file":        func(path string) error { return os.WriteFile(path, []byte("somebody's"), 0o600) },
		"a directory":   func(path string) error { return os.Mkdir(path, 0o700) },
	} {
		dir := home(t)
		place := PlaceMust(t, dir)
		if err := place.prepare(); err != nil {
			t.Fatal(err)
		}
		if err := put(place.Socket); err != nil {
			t.Fatal(err)
		}
		c := NewClient(place, "test", "")
		if _, err := c.Search(t.Context(), kb.Query{Text: "x"}); !errors.Is(err, ErrNone) {
			t.Errorf("%s answers: %v", what, err)
		}
		c.Close()
		r := start(t, dir, nil)
		if _, err := r.client(t).Status(t.Context()); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		r.end(t)
		if b, err := os.ReadFile(place.Socket + ".aside"); what == "a file" && string(b) != "somebody's" {
			t.Errorf("what was in the file is lost: %v", err)
		}
	}
}

func TestEndsWhenItCannotBeReached(t *testing.T) {
	for what, do := range map[string]func(p Place) error{
		"the socket became a file": func(p Place) error {
			return errors.Join(os.Remove(p.Socket), os.WriteFile(p.Socket, []byte("x"), 0o600))
		},
		"the socket is gone":    func(p Place) error { return os.Remove(p.Socket) },
		"the data home is gone": func(p Place) error { return os.RemoveAll(p.Home) },
	} {
		dir := home(t)
		remember(t, dir, 2)
		r := start(t, dir, nil)
		if _, err := r.client(t).Search(t.Context(), kb.Query{Text: "capsule"}); err != nil {
			t.Fatal(err)
		}
		if err := do(r.place); err != nil {
			t.Fatal(err)
		}
		r.wait(t)
		if !strings.Contains(r.log.String(), "is gone") {
			t.Errorf("%s: the log does not say so:\n%s", what, r.log)
		}
	}
}

func TestModelThatVanishes(t *testing.T) {
	dir := home(t)
	remember(t, dir, 2)
	model := filepath.Join(dir, "model")
	if err := errors.Join(os.Mkdir(model, 0o700), os.WriteFile(filepath.Join(model, "model.onnx"), []byte("1"), 0o600)); err != nil {
		t.Fatal(err)
	}
	c := start(t, dir, func(cfg *Config) {
		cfg.OpenModel = func(_ context.Context, dir string) (embed.Embedder, func() error, error) {
			if _, err := os.Stat(filepath.Join(dir, "model.onnx")); errors.Is(err, fs.ErrNotExist) {
				return nil, nil, embed.ErrNoModel
			}
			return embedtest.NewHash(64), func() error { return nil }, nil
		}
	}).client(t)
	mode := func() string {
		t.Helper()
		r, err := c.Search(t.Context(), kb.Query{Text: "capsule"})
		if err != nil || len(r.Hits) != 2 {
			t.Fatal(r, err)
		}
		return r.Mode
	}
	if m := mode(); m != kb.ModeHybrid {
		t.Errorf("with a model: %s", m)
	}
	if err := os.RemoveAll(model); err != nil {
		t.Fatal(err)
	}
	if m := mode(); m != kb.ModeBM25 {
		t.Errorf("without: %s", m)
	}
	if _, err := c.Embedder(t.Context()); !errors.Is(err, embed.ErrNoModel) {
		t.Errorf("without: %v", err)
	}
}

// TestBadClients sends what no client of ours sends. The daemon goes on.
func TestBadClients(t *testing.T) {
	dir := home(t)
	remember(t, dir, 2)
	r := start(t, dir, nil)
	c := r.client(t)
	for what, raw := range map[string]string{
		"garbage":           "\x00\x01\x02 hello\r\n\r\n",
		"half a request":    "POST /v1/search HTTP/1.1\r\nHost: board\r\nContent-Le",
		"half a body":       "POST /v1/search HTTP/1.1\r\nHost: board\r\nBoard-Build: test\r\nContent-Length: 100\r\n\r\n{",
		"no JSON":           "POST /v1/search HTTP/1.1\r\nHost: board\r\nBoard-Build: test\r\nContent-Length: 3\r\n\r\nabc",
		"two values":        "POST /v1/search HTTP/1.1\r\nHost: board\r\nBoard-Build: test\r\nContent-Length: 4\r\n\r\n{}{}",
		"a long header":     "GET / HTTP/1.1\r\nX: " + strings.Repeat("x", 1<<20) + "\r\n\r\n",
		"no such verb":      "POST /v1/rm HTTP/1.1\r\nHost: board\r\nBoard-Build: test\r\nContent-Length: 2\r\n\r\n{}",
		"no such event":     "GET /v1/events?since=-3 HTTP/1.1\r\nHost: board\r\nBoard-Build: test\r\n\r\n",
		"a run that is not": "GET /v1/events?run=../x HTTP/1.1\r\nHost: board\r\nBoard-Build: test\r\n\r\n",
	} {
		conn, err := net.Dial("unix", r.place.Socket)
		if err != nil {
			t.Fatal(err)
		}
		conn.Write([]byte(raw))
		conn.SetReadDeadline(time.Now().Add(200 * time.Millisecond))
		answer, _ := io.ReadAll(conn)
		conn.Close()
		if strings.HasPrefix(string(answer), "HTTP/1.1 200") {
			t.Errorf("%s is answered with\n%s", what, answer)
		}
	}
	// A body of 100 MB.
	conn, err := net.Dial("unix", r.place.Socket)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprintf(conn, "POST /v1/search HTTP/1.1\r\nHost: board\r\nBoard-Build: test\r\nContent-Length: %d\r\n\r\n\"", 100<<20)
	sent := 0
	conn.SetWriteDeadline(time.Now().Add(20 * time.Second))
	for range 100 {
		n, err := conn.Write(make([]byte, 1<<20))
		if sent += n; err != nil {
			break
		}
	}
	if sent > 2*maxRequest {
		t.Errorf("it reads %d MB", sent>>20)
	}
	if res, err := c.Search(t.Context(), kb.Query{Text: "capsule"}); err != nil || len(res.Hits) != 2 {
		t.Errorf("afterwards: %+v, %v", res, err)
	}
}

func TestEvents(t *testing.T) {
	dir := home(t)
	boards := filepath.Join(dir, "boards")
	ctx := t.Context()
	r := start(t, dir, nil)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://board/v1/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set(headerBuild, "test")
	resp, err := r.client(t).http.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	events := make(chan Event, 100)
	go func() {
		defer close(events)
		for sc := bufio.NewScanner(resp.Body); sc.Scan(); {
			if data, ok := strings.CutPrefix(sc.Text(), "data: "); ok {
				var e Event
				if err := json.Unmarshal([]byte(data), &e); err != nil {
					t.Error(err)
				}
				events <- e
			}
		}
	}()
	b, err := board.OpenOrCreate(ctx, boards, "live")
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	raised, err := b.Signal(ctx, "w", board.Raise{Content: "Who knows?", Priority: "critical"})
	if err != nil {
		t.Fatal(err)
	}
	sig := raised.Signal
	var seen []Event
	want := func(what string, is func(Event) bool) {
		t.Helper()
		for {
			if slices.ContainsFunc(seen, is) {
				return
			}
			select {
			case e, ok := <-events:
				if !ok {
					t.Fatalf("the stream ended before %s", what)
				}
				seen = append(seen, e)
			case <-time.After(20 * time.Second):
				t.Fatalf("no %s", what)
			}
		}
	}
	want("signal", func(e Event) bool { return e.Run == "live" && e.Event != nil && e.Event.ID == sig.ID })
	want("closed gate", func(e Event) bool { return e.Gate != nil && !e.Gate.Open })
	if _, err := b.Waive(ctx, "w", sig.ID, "not now"); err != nil {
		t.Fatal(err)
	}
	want("open gate", func(e Event) bool { return e.Gate != nil && e.Gate.Open })
	r.end(t) // and the stream does not keep it
	for range events {
	}
}

// TestNothingIsLeft asks for a while, with clients that come and go and one that never reads, and looks at what is left afterwards.
func TestNothingIsLeft(t *testing.T) {
	dir := home(t)
	remember(t, dir, 50)
	r := start(t, dir, nil)
	c := r.client(t)
	if _, err := c.Search(t.Context(), kb.Query{Text: "pane"}); err != nil {
		t.Fatal(err)
	}
	base := runtime.NumGoroutine()
	deaf, err := net.Dial("unix", r.place.Socket)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(deaf, "GET /v1/events HTTP/1.1\r\nHost: board\r\nBoard-Build: test\r\n\r\n")
	e, err := c.Embedder(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			own := NewClient(r.place, "test", filepath.Join(dir, "model"))
			defer own.Close()
			for j := range 30 {
				var err error
				if (i+j)%3 == 0 {
					_, err = e.Embed(t.Context(), []string{fmt.Sprint("text ", i, j)})
				} else {
					_, err = own.Search(t.Context(), kb.Query{Text: fmt.Sprint("topic ", j)})
				}
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	deaf.Close()
	c.Close()
	for range 200 {
		if runtime.NumGoroutine() <= base+2 {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	buf := make([]byte, 1<<20)
	t.Errorf("%d goroutines, %d before\n%s", runtime.NumGoroutine(), base, buf[:runtime.Stack(buf, true)])
}

func TestPlaces(t *testing.T) {
	env := func(dir string) func(string) string {
		return func(name string) string { return map[string]string{"XDG_RUNTIME_DIR": dir}[name] }
	}
	a, err := PlaceOf("/home/a/data", env("/run/user/7"))
	if err != nil || a.Socket != "/run/user/7/blackboard/"+filepath.Base(a.Socket) || a.Lock != "/home/a/data/run/daemon.lock" || a.Log != "/home/a/data/log/daemon.log" {
		t.Errorf("%+v, %v", a, err)
	}
	b, err := PlaceOf("/home/b/data", env("/run/user/7"))
	if err != nil || b.Socket == a.Socket {
		t.Errorf("two data homes have one socket: %+v, %v", b, err)
	}
	for _, long := range []string{"/" + strings.Repeat("x", 120), "/" + strings.Repeat("x/", 60)} {
		p, err := PlaceOf(long, noEnv)
		if err != nil || len(p.Socket) > maxSocket {
			t.Errorf("a long path: %+v, %v", p, err)
		}
	}
	if p, err := PlaceOf("/home/a/data", env("relative")); err != nil || p.Socket != "/home/a/data/run/"+filepath.Base(p.Socket) {
		t.Errorf("a relative directory: %+v, %v", p, err)
	}
}

// TestMemoryIsLookedAfter runs the upkeep of two workspaces and the account.
func TestMemoryIsLookedAfter(t *testing.T) {
	dir := home(t)
	r := newServer(Config{Place: PlaceMust(t, dir), OpenModel: func(context.Context, string) (embed.Embedder, func() error, error) {
		return embedtest.NewHash(64), func() error { return nil }, nil
	}})
	r.warm.cfg.OpenModel = r.cfg.OpenModel
	defer r.end()
	defer r.warm.close()
	then := time.Now().Add(-time.Hour)
	soon := then.Add(time.Minute)
	for _, ws := range []string{"", filepath.Join(dir, "a"), filepath.Join(dir, "b")} {
		m, err := memory.Open(dir, memory.Options{Workspace: ws, Author: true, Now: func() time.Time { return then }})
		if err != nil {
			t.Fatal(err)
		}
		tier := memory.Workspace
		if ws == "" {
			tier = memory.Account
		}
		for _, it := range []memory.Item{{Tier: tier, Content: "stays"}, {Tier: tier, Content: "is over soon", Expires: &soon}} {
			if _, err := m.Put(t.Context(), it, memory.PutOptions{}); err != nil {
				t.Fatal(err)
			}
		}
		if err := m.Close(); err != nil {
			t.Fatal(err)
		}
	}
	want := map[string]string{"embed memories": "6 embedded", "consolidate memories": "3 scopes consolidated"}
	for _, j := range r.upkeep.jobs {
		if want[j.Name] == "" {
			continue
		}
		if got, err := j.Run(t.Context()); err != nil || got != want[j.Name] {
			t.Errorf("%s: %q, %v", j.Name, got, err)
		}
		if got, err := j.Run(t.Context()); err != nil || got != "" {
			t.Errorf("%s once more: %q, %v", j.Name, got, err)
		}
	}
}

// TestMemoriesAreEmbeddedAtOnce sees that a write to a memory is noticed from outside, and the daemon's own is the last.
func TestMemoriesAreEmbeddedAtOnce(t *testing.T) {
	dir := home(t)
	s := newServer(Config{Place: PlaceMust(t, dir), OpenModel: func(context.Context, string) (embed.Embedder, func() error, error) {
		return embedtest.NewHash(64), func() error { return nil }, nil
	}})
	defer s.end()
	defer s.warm.close()
	var job Job
	for _, job = range s.upkeep.jobs {
		if job.Name == "embed memories" {
			break
		}
	}
	if job.Wake(t.Context()) {
		t.Error("it is wanted where there is no memory")
	}
	for i, ws := range []string{"", filepath.Join(dir, "a"), ""} {
		m, err := memory.Open(dir, memory.Options{Workspace: ws, Author: true})
		if err != nil {
			t.Fatal(err)
		}
		tier := map[bool]string{true: memory.Account, false: memory.Workspace}[ws == ""]
		if _, err := m.Put(t.Context(), memory.Item{Tier: tier, Content: fmt.Sprint("item ", i)}, memory.PutOptions{}); err != nil {
			t.Fatal(err)
		}
		if !job.Wake(t.Context()) {
			t.Errorf("write %d is not noticed", i)
		}
		if got, err := job.Run(t.Context()); err != nil || got != "1 embedded" {
			t.Errorf("write %d: %q, %v", i, got, err)
		}
		if err := m.Close(); err != nil {
			t.Fatal(err)
		}
		for n := 0; job.Wake(t.Context()); n++ { // its own write, and what was closed
			if got, err := job.Run(t.Context()); err != nil || got != "" || n > 3 {
				t.Fatalf("write %d, once more: %q, %v", i, got, err)
			}
		}
	}
}

// TestClockJumps has the clock of a daemon jump years to and fro, while others write by theirs. What was written is found, nothing is forgotten for its age, and the daemon goes on.
func TestClockJumps(t *testing.T) {
	dir := home(t)
	remember(t, dir, 20)
	var off atomic.Int64
	now := func() time.Time { return time.Now().Add(time.Duration(off.Load())) }
	var s *Server
	r := start(t, dir, func(c *Config) {
		c.Now, c.Idle = now, time.Minute
		s = newServer(*c) // its jobs are run by hand
	})
	defer s.end()
	defer s.warm.close()
	c := r.client(t)
	m, err := memory.Open(dir, memory.Options{Agent: "a"})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	soon := time.Now().Add(30 * 24 * time.Hour)
	for i := range 5 {
		if _, err := m.Put(t.Context(), memory.Item{Tier: memory.Account, Content: fmt.Sprint("short-lived ", i), Lifetime: memory.ShortTerm, Importance: .1, Expires: &soon}, memory.PutOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	k, err := kb.Open(t.Context(), dir, kb.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer k.Close()
	const year = 365 * 24 * time.Hour
	for i, by := range []time.Duration{0, 10 * year, -40 * year, 200 * year, 0} {
		off.Store(int64(by))
		word := fmt.Sprint("zeppelin", i)
		if _, err := k.Remember(t.Context(), kb.Capsule{Kind: "fact", Scope: "universal", Title: "About " + word, Body: "It is " + word + ".", Source: "test"}, kb.RememberOptions{}); err != nil {
			t.Fatal(err)
		}
		for _, j := range s.upkeep.jobs {
			if got, err := j.Run(t.Context()); err != nil && !errors.Is(err, errLater) {
				t.Errorf("by %v, %s: %q, %v", by, j.Name, got, err)
			}
		}
		if res, err := c.Search(t.Context(), kb.Query{Text: word}); err != nil || len(res.Hits) == 0 || !strings.Contains(res.Hits[0].Title, word) {
			t.Errorf("by %v: %d hits, %v", by, len(res.Hits), err)
		}
		if st, err := c.Status(t.Context()); err != nil || st.IdleIn < 30 || st.Failed != 0 {
			t.Errorf("by %v: %+v, %v", by, st, err)
		}
	}
	if st, err := k.Stats(t.Context()); err != nil || st.Capsules != 25 {
		t.Errorf("%+v, %v", st, err)
	}
	if got, _, err := m.List(t.Context(), memory.ListQuery{}); err != nil || len(got) != 5 {
		t.Errorf("%d items are left: %v", len(got), err)
	}
	if err := k.Check(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestAPanicIsSurvived has the model panic once. The daemon goes on, and ends when it is told to.
func TestAPanicIsSurvived(t *testing.T) {
	dir := home(t)
	remember(t, dir, 2)
	m := &once{Hash: embedtest.NewHash(64)}
	r := start(t, dir, func(c *Config) {
		c.OpenModel = func(context.Context, string) (embed.Embedder, func() error, error) {
			return m, func() error { return nil }, nil
		}
	})
	c := r.client(t)
	e, err := c.Embedder(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	m.panics.Store(true)
	if _, err := e.Embed(t.Context(), []string{"x"}); err == nil || !strings.Contains(err.Error(), "the daemon failed") {
		t.Errorf("the request that failed: %v", err)
	}
	if err := os.MkdirAll(filepath.Join(dir, "model"), 0o700); err != nil { // another model: everything is opened anew
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "model", "model.onnx"), []byte("1"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := c.Search(t.Context(), kb.Query{Text: "capsule"}); err != nil || len(got.Hits) != 2 {
		t.Errorf("afterwards: %+v, %v", got, err)
	}
	r.end(t)
}

// once is a model that panics when it is told to.
type once struct {
	*embedtest.Hash
	panics atomic.Bool
}

func (o *once) Embed(ctx context.Context, texts []string) ([]embed.Vector, error) {
	if o.panics.Swap(false) {
		panic("oh")
	}
	return o.Hash.Embed(ctx, texts)
}

// TestStuckDaemon asks one that takes the call and does not answer.
func TestStuckDaemon(t *testing.T) {
	place := PlaceMust(t, home(t))
	if err := place.prepare(); err != nil {
		t.Fatal(err)
	}
	l, err := listen(place.Socket)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	c := NewClient(place, "test", "")
	defer c.Close()
	if _, err := c.Search(t.Context(), kb.Query{Text: "x"}); !errors.Is(err, ErrNone) || !Unusable(err) {
		t.Errorf("a search: %v", err)
	}
	if _, err := c.Status(t.Context()); !errors.Is(err, ErrNone) {
		t.Errorf("how it is: %v", err)
	}
}

// TestOneForAHomeInWhateverEnvironment starts a daemon as a session has it, and looks from where there is none.
func TestOneForAHomeInWhateverEnvironment(t *testing.T) {
	dir, runtime := home(t), home(t)
	there, err := PlaceOf(dir, func(name string) string { return map[string]string{"XDG_RUNTIME_DIR": runtime}[name] })
	if err != nil {
		t.Fatal(err)
	}
	r := start(t, dir, func(c *Config) { c.Place = there })
	link := filepath.Join(home(t), "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	for what, path := range map[string]string{"without the variable": dir, "by a link": link} {
		place := PlaceMust(t, path)
		if place.Socket != there.Socket {
			t.Errorf("%s: the socket is %s, not %s", what, place.Socket, there.Socket)
		}
		if err := Run(t.Context(), Config{Place: place, Build: "test", OpenModel: noModel}, nil); !errors.Is(err, ErrRunning) {
			t.Errorf("%s: a second one: %v", what, err)
		}
	}
	r.end(t)
	if place := PlaceMust(t, dir); place.Socket == there.Socket {
		t.Error("the note is left behind")
	}
}

// TestKilledLeavesItsSocket: a socket where nobody listens is no daemon, and the next command starts one.
func TestKilledLeavesItsSocket(t *testing.T) {
	dir := home(t)
	place := PlaceMust(t, dir)
	if err := place.prepare(); err != nil {
		t.Fatal(err)
	}
	c := NewClient(place, "test", "")
	defer c.Close()
	if c.There() || Held(place) {
		t.Error("there is one before there is any")
	}
	l, err := net.Listen("unix", place.Socket)
	if err != nil {
		t.Fatal(err)
	}
	l.(*net.UnixListener).SetUnlinkOnClose(false)
	if !c.There() {
		t.Error("one that listens is none")
	}
	l.Close()
	if !there(place.Socket) || c.There() {
		t.Error("one that was killed is one")
	}
	r := start(t, dir, nil)
	if !Held(place) {
		t.Error("nobody holds the lock of one that runs")
	}
	r.end(t)
	if Held(place) {
		t.Error("somebody holds the lock of one that has ended")
	}
}
