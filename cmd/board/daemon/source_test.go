package daemon

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"blackboard/board/fault"
	"blackboard/embed"
	"blackboard/kb"
	"blackboard/testdata/cost"
	"blackboard/testdata/embedtest"
	"blackboard/testdata/expect"
	"blackboard/testdata/kbtest"
)

// source is a source of a data home that has a directory of a model, which is small and needs no
// files.
func source(t *testing.T, dir string, change func(*SourceConfig)) *Source {
	t.Helper()
	cfg := SourceConfig{Home: dir, Env: noEnv, Build: "test", ModelDir: filepath.Join(dir, "model"), Mode: Auto, Patience: time.Hour,
		Spawn: func(Place) error { return errors.New("not here") },
		OpenModel: func(context.Context, string) (embed.Embedder, func() error, error) {
			return embedtest.NewHash(64), func() error { return nil }, nil
		}}
	if change != nil {
		change(&cfg)
	}
	expect.OK(t, os.MkdirAll(cfg.ModelDir, 0o700))
	s := NewSource(cfg)
	t.Cleanup(s.Close)
	return s
}

// TestSourceModelConformance: its model is one, the daemon's and its own.
func TestSourceModelConformance(t *testing.T) {
	for name, warm := range map[string]bool{"the daemon's": true, "its own": false} {
		t.Run(name, func(t *testing.T) {
			embedtest.TestEmbedder(t, func(t *testing.T) embed.Embedder {
				dir := home(t)
				if warm {
					start(t, dir, nil)
				}
				e := expect.Value(source(t, dir, nil).Embedder(t.Context()))(t)
				return e
			})
		})
	}
}

// sourceSearcher is a source with how its owner opens the file.
type sourceSearcher struct{ *Source }

func (s sourceSearcher) Search(ctx context.Context, q kb.Query) (kb.Result, error) {
	res, _, err := s.Source.Search(ctx, q, func(ctx context.Context, _ bool) (*kb.KB, func(), error) {
		k, err := kb.OpenExisting(ctx, s.cfg.Home, kb.Options{Embedder: s.Model()})
		return k, func() { k.Close() }, err
	})
	return res, err
}

// TestSourceConformance: without a daemon it answers as everybody does.
func TestSourceConformance(t *testing.T) {
	cost.SkipQuickUnlessRace(t)
	kbtest.TestSearcher(t, func(t *testing.T, home string, model embed.Embedder) kb.Searcher {
		s := source(t, home, func(c *SourceConfig) {
			c.OpenModel = func(context.Context, string) (embed.Embedder, func() error, error) {
				return model, func() error { return nil }, nil
			}
		})
		if model == nil {
			expect.OK(t, os.Remove(s.cfg.ModelDir))
		}
		return sourceSearcher{s}
	})
}

// TestSourceLosesTheDaemon: between two texts it goes away. Who may loads the model, and others
// say what is lacking and have it again from the next daemon.
func TestSourceLosesTheDaemon(t *testing.T) {
	for name, c := range map[string]struct {
		own  Own
		mode string
		goes bool
	}{
		"own instead":           {OwnInstead, Auto, true},
		"own alone":             {OwnAlone, Auto, false},
		"never":                 {OwnNever, Auto, false},
		"own instead, required": {OwnInstead, Require, false},
	} {
		t.Run(name, func(t *testing.T) {
			dir := home(t)
			s := source(t, dir, func(cfg *SourceConfig) { cfg.Own, cfg.Mode = c.own, c.mode })
			r := start(t, dir, nil)
			e := expect.Value(s.Embedder(t.Context()))(t)
			texts := []string{"pane", "socket"}
			if vs, err := e.Embed(t.Context(), texts); err != nil || len(vs) != 2 || s.own != nil {
				t.Fatalf("%d vectors, %v, own model %v", len(vs), err, s.own)
			}
			r.end(t)
			vs, err := e.Embed(t.Context(), texts)
			if c.goes && (err != nil || len(vs) != 2) {
				t.Errorf("%d vectors, %v", len(vs), err)
			}
			var none *NoAnswer
			if !c.goes && (!errors.As(err, &none) || !errors.Is(err, fault.Closed) || s.own != nil || none.required != (c.mode == Require)) {
				t.Errorf("%v, own model %v", err, s.own)
			}
			start(t, dir, nil)
			if vs, err := e.Embed(t.Context(), texts); err != nil || len(vs) != 2 {
				t.Errorf("with the next: %d vectors, %v", len(vs), err)
			}
		})
	}
}

// TestSourceOwnAlone: a model that no daemon can have is loaded here, by who may.
func TestSourceOwnAlone(t *testing.T) {
	dir := home(t)
	start(t, dir, func(c *Config) { c.ModelDir = filepath.Join(dir, "another") })
	for _, mode := range []string{Auto, Off} {
		for _, own := range []Own{OwnAlone, OwnNever} {
			s := source(t, dir, func(c *SourceConfig) { c.Own, c.Mode = own, mode })
			e := expect.Value(s.Embedder(t.Context()))(t)
			if _, err := e.Embed(t.Context(), []string{"pane"}); (err == nil) != (own == OwnAlone) || own == OwnNever && e.Model().Dim != 0 {
				t.Errorf("mode %s, own %d: %v, %+v", mode, own, err, e.Model())
			}
		}
	}
}

// TestSourceSpawns: a daemon that is missed is started when the model was needed, at once or at
// the end, and once.
func TestSourceSpawns(t *testing.T) {
	for name, c := range map[string]struct {
		lives    bool
		mode     string
		question string
		now, end int
	}{
		"a command":             {false, Auto, kb.ModeAuto, 0, 1},
		"a command, by words":   {false, Auto, kb.ModeBM25, 0, 0},
		"one that lives":        {true, Auto, kb.ModeAuto, 1, 1},
		"it, by words":          {true, Auto, kb.ModeBM25, 0, 0},
		"none is to be started": {true, Off, kb.ModeAuto, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			dir := home(t)
			remember(t, dir, 1)
			n := 0
			s := source(t, dir, func(cfg *SourceConfig) {
				cfg.Mode, cfg.Lives, cfg.Spawn = c.mode, c.lives, func(Place) error { n++; return nil }
			})
			for range 2 {
				if res, err := (sourceSearcher{s}).Search(t.Context(), kb.Query{Text: "pane", Mode: c.question}); err != nil || len(res.Hits) != 1 {
					t.Fatalf("%+v, %v", res, err)
				}
			}
			now := n
			if s.Close(); now != c.now || n != c.end {
				t.Errorf("started %d times, and %d at the end", now, n)
			}
		})
	}
}

// TestPatience: a daemon has half of the time that is left.
func TestPatience(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
	defer cancel()
	until, _ := ctx.Deadline()
	begin := until.Add(-time.Hour)
	asking, stop := patience(ctx)
	defer stop()
	if d, ok := asking.Deadline(); !ok || d.Before(begin.Add(time.Hour/2)) || !d.Before(until) {
		t.Errorf("until %v of %v, begun at %v", d, until, begin)
	}
	asking, stop = patience(t.Context())
	defer stop()
	if _, ok := asking.Deadline(); ok {
		t.Error("there is a deadline where the caller has none")
	}
}
