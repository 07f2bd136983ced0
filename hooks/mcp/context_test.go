package mcp

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"blackboard/board/sqlite"
	"blackboard/hooks/ops"
	"blackboard/kb/chunks"
	"blackboard/testdata/expect"
)

// occupied is a context store whose first use has a folder to take over, and cannot:
// somebody else writes to its file until release is called.
func occupied(t *testing.T, dir string) (release func()) {
	t.Helper()
	ctx := context.Background()
	s, _, err := chunks.Open(ctx, dir, chunks.Options{})
	if err == nil {
		_, err = s.Write(ctx, chunks.NewChunk{Topic: "first", Content: "here already"})
		err = errors.Join(err, s.Close(), os.MkdirAll(filepath.Join(dir, "chunks"), 0o700),
			os.WriteFile(filepath.Join(dir, "chunks", "a.md"), []byte("of the other tool"), 0o600))
	}
	if err != nil {
		t.Fatal(err)
	}
	schema := sqlite.Schema{Name: "context store", ApplicationID: 0x62636831,
		Migrations: []string{"", "", ""}}
	db := expect.Value(sqlite.Open(ctx, filepath.Join(dir, chunks.FileName), schema, sqlite.ReadWrite))(t)
	expect.OK(t, db.Write(ctx, func(tx *sqlite.Tx) error {
		_, err := tx.Exec(`DELETE FROM meta WHERE key = 'import'`)
		return err
	}))
	held, let, done := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		done <- db.Write(ctx, func(*sqlite.Tx) error { close(held); <-let; return nil })
	}()
	<-held
	released := false
	release = func() {
		if released {
			return
		}
		released = true
		close(let)
		if err := errors.Join(<-done, db.Close()); err != nil {
			t.Error(err)
		}
	}
	t.Cleanup(release)
	return release
}

// TestOpeningTheStoreHoldsNobody: while the store is opened, which may be a long import,
// a call ends when its caller calls it off, the one that began the opening too. The
// opening goes on, for the calls that come.
func TestOpeningTheStoreHoldsNobody(t *testing.T) {
	var release func()
	s := everything(t, func(cfg *Config) { cfg.Embedder, release = nil, occupied(t, cfg.Store) })
	search := func(ctx context.Context) error {
		c := &call{Server: s, ctx: ctx}
		_, err := ops.ContextSearch.Do(c.ctx, c, ops.ContextSearchIn{Query: "tool", TopK: 6})
		return err
	}
	first, cancel := context.WithCancel(t.Context())
	began := make(chan error, 1)
	go func() { began <- search(first) }()
	for isOpening := false; !isOpening; runtime.Gosched() {
		s.context.mu.Lock()
		isOpening = s.context.opening != nil
		s.context.mu.Unlock()
	}
	gone, callOff := context.WithCancel(t.Context())
	behind := make(chan error, 1)
	go func() { behind <- search(gone) }()
	callOff()
	if err := <-behind; !errors.Is(err, context.Canceled) {
		t.Errorf("a call behind another's opening, called off: %v", err)
	}
	cancel()
	if err := <-began; !errors.Is(err, context.Canceled) {
		t.Errorf("the call that began the opening, called off: %v", err)
	}
	release()
	c := &call{Server: s, ctx: t.Context()}
	out, err := ops.ContextList.Do(c.ctx, c, ops.ContextListIn{Limit: 9})
	if err != nil || out.Total != 2 {
		t.Errorf("there are %d chunks, not 2: %v", out.Total, err)
	}
}

// TestServerEndsWhileStoreOpens: the end of the server calls off an opening that nobody
// can finish.
func TestServerEndsWhileStoreOpens(t *testing.T) {
	var release func()
	s := everything(t, func(cfg *Config) { cfg.Embedder, release = nil, occupied(t, cfg.Store) })
	c := &call{Server: s, ctx: t.Context()}
	done := make(chan error, 1)
	go func() {
		_, err := ops.ContextSearch.Do(c.ctx, c, ops.ContextSearchIn{Query: "tool", TopK: 6})
		done <- err
	}()
	for isOpening := false; !isOpening; runtime.Gosched() {
		s.context.mu.Lock()
		isOpening = s.context.opening != nil
		s.context.mu.Unlock()
	}
	s.Close()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("a call whose server has ended: %v", err)
	}
	release()
}

// TestNothingMatched: what is remembered and is not about the task is not said to be
// unknown.
func TestNothingMatched(t *testing.T) {
	now := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	c := connect(t, everything(t, func(c *Config) {
		c.Embedder, c.Now = nil, func() time.Time { return now }
	}), nil)
	if text := must(t, c, "memory_context", `{"task":"grapefruit"}`); !strings.HasPrefix(text,
		"the memory is empty") {
		t.Error(text)
	}
	must(t, c, "channel_create", `{"name":"billing"}`)
	must(t, c, "memory_put",
		`{"content":"The release is cut on Thursdays","tier":"channel","channel":"billing"}`)
	now = now.AddDate(0, 1, 0)
	if text := must(t, c, "memory_context", `{"task":"grapefruit"}`); !strings.HasPrefix(text,
		"nothing matched") {
		t.Error(text)
	}
}
