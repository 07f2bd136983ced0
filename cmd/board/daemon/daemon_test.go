package daemon

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"blackboard/board"
	"blackboard/board/fault"
	"blackboard/embed"
	"blackboard/kb"
	"blackboard/testdata/cost"
	"blackboard/testdata/embedtest"
	"blackboard/testdata/expect"
	"blackboard/testdata/kbtest"
	"blackboard/testdata/wait"
)

func TestEmbedderConformance(t *testing.T) {
	embedtest.TestEmbedder(t, func(t *testing.T) embed.Embedder {
		e := expect.Value(start(t, home(t), nil).client(t).Embedder(t.Context()))(t)
		return e
	})
}

func TestSearcherConformance(t *testing.T) {
	cost.SkipQuickUnlessRace(t)
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
	all := []error{fault.Invalid, fault.NotFound, fault.Conflict, fault.Denied, fault.BadIndex, fault.NoModel, fault.BadModel, fault.Closed, fault.Gone, fault.Newer, fault.Corrupt, fault.Busy,
		fault.Full, fault.ReadOnly, &fault.Error{Kind: fault.Conflict, Msg: "it is there", ID: "k1", Next: fault.Steps("wait", fault.Do("kb.get", "{} shows it", "id", "k1"))}}
	for _, id := range identities {
		all = append(all, id.is)
	}
	for _, is := range all {
		sent := fmt.Errorf("it went wrong: %w", is)
		wire, status := encodeError(sent)
		raw := expect.Value(json.Marshal(wire))(t)
		var back wireError
		expect.OK(t, json.Unmarshal(raw, &back))
		got := decodeError(back)
		if _, ok := is.(*fault.Error); !ok && !errors.Is(got, is) || got.Error() != sent.Error() || status < 400 || fault.KindOf(got) != fault.KindOf(sent) {
			t.Errorf("%v became %v, status %d", sent, got, status)
		}
		if again, _ := encodeError(got); !reflect.DeepEqual(again, back) {
			t.Errorf("%v became %v, with %v instead of %v", sent, got, again, back)
		}
	}
	dir := home(t)
	c := start(t, dir, nil).client(t)
	if _, err := c.Search(t.Context(), kb.Query{Text: "x"}); !errors.Is(err, fault.NotFound) {
		t.Errorf("without a knowledge base: %v", err)
	}
	remember(t, dir, 1) // and it is found when it is made
	if r, err := c.Search(t.Context(), kb.Query{Text: "capsule"}); err != nil || len(r.Hits) != 1 {
		t.Errorf("after the first capsule: %+v, %v", r, err)
	}
	other := patient(placeOf(t, dir), "another", filepath.Join(dir, "model"))
	defer other.Close()
	if _, err := other.Search(t.Context(), kb.Query{Text: "capsule"}); !errors.Is(err, ErrOtherBuild) || !Unusable(err) {
		t.Errorf("another build: %v", err)
	}
	elsewhere := patient(placeOf(t, dir), "test", filepath.Join(dir, "other-model"))
	defer elsewhere.Close()
	if _, err := elsewhere.Search(t.Context(), kb.Query{Text: "capsule"}); !errors.Is(err, ErrOtherModel) {
		t.Errorf("another model: %v", err)
	}
	if r, err := elsewhere.Search(t.Context(), kb.Query{Text: "capsule", Mode: kb.ModeBM25}); err != nil || len(r.Hits) != 1 {
		t.Errorf("by words, with another model: %+v, %v", r, err)
	}
}

// TestWritesOfOthersAreFound writes by another handle, as another process does, and asks right
// afterwards.
func TestWritesOfOthersAreFound(t *testing.T) {
	dir := home(t)
	remember(t, dir, 5)
	c := start(t, dir, nil).client(t)
	k := expect.Value(kb.Open(t.Context(), dir, kb.Options{Embedder: embedtest.NewHash(64)}))(t)
	defer k.Close()
	for i := range 300 { // beyond where segments are sealed
		word := fmt.Sprintf("unheard%dof", i)
		r := expect.Value(k.Remember(t.Context(), kb.Capsule{Kind: "fact", Scope: "universal", Title: word, Body: "Body of " + word, Source: "test"}, kb.RememberOptions{Force: true}))(t)
		got, err := c.Search(t.Context(), kb.Query{Text: word, Limit: 1})
		if err != nil || len(got.Hits) != 1 || got.Hits[0].ID != r.Capsule.ID {
			t.Fatalf("%s: %+v, %v", word, got.Hits, err)
		}
		if i%10 == 0 {
			expect.Value(k.Retire(t.Context(), r.Capsule.ID, "test"))(t)
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
	data := expect.Value(os.ReadFile(path))(t)
	expect.OK(t, os.WriteFile(path, []byte(strings.Replace(string(data), "What holds", "Handwritten words hold", 1)), 0o600))
	found := func(text string, n int) {
		t.Helper()
		var got kb.Result
		wait.For(t, func() bool {
			got = expect.Value(c.Search(t.Context(), kb.Query{Text: text, Mode: kb.ModeBM25}))(t)
			return len(got.Hits) == n
		}, func() string { return fmt.Sprintf("%q finds %d, not %d", text, len(got.Hits), n) })
	}
	found("handwritten", 1)
	// A file that is removed is written again.
	expect.OK(t, os.Remove(path))
	wait.For(t, func() bool {
		data, err = os.ReadFile(path)
		return err == nil
	}, func() string { return err.Error() })
	if !strings.Contains(string(data), "Handwritten") {
		t.Errorf("%s", data)
	}
	found("handwritten", 1)
}

func TestModelThatVanishes(t *testing.T) {
	dir := home(t)
	remember(t, dir, 2)
	model := filepath.Join(dir, "model")
	expect.OK(t, errors.Join(os.Mkdir(model, 0o700), os.WriteFile(filepath.Join(model, "model.onnx"), []byte("1"), 0o600)))
	c := start(t, dir, func(cfg *Config) {
		cfg.OpenModel = func(_ context.Context, dir string) (embed.Embedder, func() error, error) {
			if _, err := os.Stat(filepath.Join(dir, "model.onnx")); errors.Is(err, fs.ErrNotExist) {
				return nil, nil, fault.NoModel
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
	expect.OK(t, os.RemoveAll(model))
	if m := mode(); m != kb.ModeBM25 {
		t.Errorf("without: %s", m)
	}
	if _, err := c.Embedder(t.Context()); !errors.Is(err, fault.NoModel) {
		t.Errorf("without: %v", err)
	}
}

// TestBadClients sends what no client of ours sends. The daemon goes on.
func TestBadClients(t *testing.T) {
	cost.SkipQuickUnlessRace(t)
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
		conn := expect.Value(net.Dial("unix", r.place.Socket))(t)
		conn.Write([]byte(raw))
		conn.(*net.UnixConn).CloseWrite() // so that it has nothing to wait for
		answer, _ := io.ReadAll(conn)
		conn.Close()
		if strings.HasPrefix(string(answer), "HTTP/1.1 200") {
			t.Errorf("%s is answered with\n%s", what, answer)
		}
	}
	// A body of 100 MB.
	conn := expect.Value(net.Dial("unix", r.place.Socket))(t)
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
	req := expect.Value(http.NewRequestWithContext(ctx, http.MethodGet, "http://board/v1/events", nil))(t)
	req.Header.Set(headerBuild, "test")
	resp := expect.Value(r.client(t).http.Do(req))(t)
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
	b := expect.Value(board.OpenOrCreate(ctx, boards, "live"))(t)
	defer b.Close()
	raised := expect.Value(b.Signal(ctx, "w", board.Raise{Content: "Who knows?", Priority: "critical"}))(t)
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
			case <-time.After(wait.Limit(t)):
				t.Fatalf("no %s", what)
			}
		}
	}
	want("signal", func(e Event) bool { return e.Run == "live" && e.Event != nil && e.Event.ID == sig.ID })
	want("closed gate", func(e Event) bool { return e.Gate != nil && !e.Gate.Open })
	expect.Value(b.Waive(ctx, "w", sig.ID, "not now"))(t)
	want("open gate", func(e Event) bool { return e.Gate != nil && e.Gate.Open })
	r.end(t) // and the stream does not keep it
	for range events {
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
	e := expect.Value(c.Embedder(t.Context()))(t)
	m.panics.Store(true)
	if _, err := e.Embed(t.Context(), []string{"x"}); err == nil || !strings.Contains(err.Error(), "the daemon failed") {
		t.Errorf("the request that failed: %v", err)
	}
	if err := os.MkdirAll(filepath.Join(dir, "model"), 0o700); err != nil { // another model: everything is opened anew
		t.Fatal(err)
	}
	expect.OK(t, os.WriteFile(filepath.Join(dir, "model", "model.onnx"), []byte("1"), 0o600))
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

// counted counts the texts that a model is given.
type counted struct {
	embed.Embedder
	texts atomic.Int64
}

func (c *counted) Embed(ctx context.Context, texts []string) ([]embed.Vector, error) {
	c.texts.Add(int64(len(texts)))
	return c.Embedder.Embed(ctx, texts)
}

// TestPromptIsEmbeddedOnce: a prompt asks the knowledge base, and then the memory.
func TestPromptIsEmbeddedOnce(t *testing.T) {
	dir := home(t)
	remember(t, dir, 2)
	model := &counted{Embedder: embedtest.NewHash(64)}
	c := start(t, dir, func(cfg *Config) {
		cfg.OpenModel = func(context.Context, string) (embed.Embedder, func() error, error) {
			return model, func() error { return nil }, nil
		}
	}).client(t)
	asks := func(text string) int64 {
		t.Helper()
		before := model.texts.Load()
		expect.Value(c.Search(t.Context(), kb.Query{Text: text}))(t)
		_, got, err := c.Embed(t.Context(), []string{text})
		want, _ := embedtest.NewHash(64).Embed(t.Context(), []string{text})
		if err != nil || !slices.Equal(got[0], want[0]) {
			t.Fatalf("%v: %v, want %v", err, got, want)
		}
		return model.texts.Load() - before
	}
	for _, text := range []string{"how does a capsule end", "and another prompt"} {
		if n := asks(text); n != 1 {
			t.Errorf("%q is embedded %d times", text, n)
		}
	}
}
