package daemon

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"blackboard/board/fault"
	"blackboard/embed"
	"blackboard/kb"
	"blackboard/testdata/embedtest"
	"blackboard/testdata/expect"
	"blackboard/testdata/wait"
)

// home makes a data home with a path that is short enough for a socket.
func home(t testing.TB) string {
	t.Helper()
	dir := expect.Value(os.MkdirTemp("", "bd"))(t)
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
	place := expect.Value(PlaceOf(dir, noEnv))(t)
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
	r.wait(t)
}

// wait waits until it has ended.
func (r *running) wait(t testing.TB) {
	t.Helper()
	select {
	case err := <-r.done:
		if err != nil {
			t.Errorf("it ended with %v", err)
		}
		r.done <- nil
	case <-time.After(wait.Limit(t)):
		t.Fatalf("it does not end\n%s", r.log)
	}
}

func (r *running) client(t testing.TB) *Client {
	t.Helper()
	c := patient(r.place, "test", filepath.Join(r.place.Home, "model"))
	t.Cleanup(c.Close)
	return c
}

// patient is NewClient for tests that expect an answer, however long it takes.
func patient(place Place, build, modelDir string) *Client {
	c := NewClient(place, build, modelDir)
	c.patience = time.Hour
	return c
}

func remember(t testing.TB, dir string, n int) {
	t.Helper()
	k := expect.Value(kb.Open(t.Context(), dir, kb.Options{Embedder: embedtest.NewHash(64)}))(t)
	defer k.Close()
	for i := range n {
		c := kb.Capsule{Kind: kb.Kinds[i%3], Scope: "universal", Title: fmt.Sprintf("Capsule %d about topic %d", i, i%7), Body: fmt.Sprintf("What holds for item %d, of group %d, with pane and socket %d.", i, i%5, i%11),
			Tags: []string{fmt.Sprint("t", i%4)}, Source: "test", Project: fmt.Sprint("p", i%2)}
		expect.Value(k.Remember(t.Context(), c, kb.RememberOptions{Force: true}))(t)
	}
}

// placeOf is PlaceOf for tests.
func placeOf(t testing.TB, dir string) Place {
	t.Helper()
	p := expect.Value(PlaceOf(dir, noEnv))(t)
	return p
}

func noModel(context.Context, string) (embed.Embedder, func() error, error) {
	return nil, nil, fault.NoModel
}

// clientModel is the model of a daemon, asked by a client alone.
type clientModel struct {
	*Client
	model embed.Model
}

func (c *Client) Embedder(ctx context.Context) (*clientModel, error) {
	m, _, err := c.Embed(ctx, nil)
	return &clientModel{c, m}, err
}

func (m *clientModel) Model() embed.Model { return m.model }

func (m *clientModel) Embed(ctx context.Context, texts []string) ([]embed.Vector, error) {
	_, vs, err := m.Client.Embed(ctx, texts)
	return vs, err
}

// Search makes a client a kb.Searcher.
func (c *Client) Search(ctx context.Context, q kb.Query) (kb.Result, error) {
	res, _, err := c.SearchNotes(ctx, q)
	return res, err
}
