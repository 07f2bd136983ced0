//go:build unix

package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"blackboard/cmd/board/base"
	"blackboard/cmd/board/daemon"
	"blackboard/cmd/board/hookcmd"
	"blackboard/embed/minilm"
	"blackboard/kb"
	"blackboard/testdata/expect"
)

// sourceQuestion is asked of all; the tiny model knows its words.
const sourceQuestion = "the gate opens"

// sourceHome is a data home with a knowledge base that is embedded, and the environment of those
// who ask it. Nobody can start a daemon there: who would, finds that another is at it.
func sourceHome(t *testing.T, model string) map[string]string {
	t.Helper()
	dir := expect.Value(os.MkdirTemp("", "bs"))(t)
	t.Cleanup(func() { os.RemoveAll(dir) })
	e := expect.Value(minilm.Open(t.Context(), model))(t)
	defer e.Close()
	k := expect.Value(kb.Open(t.Context(), dir, kb.Options{Embedder: e}))(t)
	defer k.Close()
	for i := range 5 {
		c := kb.Capsule{Kind: "fact", Scope: "universal", Title: fmt.Sprintf("The gate %d", i), Body: strings.Repeat("the gate opens ", i+1), Source: "s"}
		expect.Value(k.Remember(t.Context(), c, kb.RememberOptions{Force: true}))(t)
	}
	env := map[string]string{"BOARD_HOME": dir, "XDG_RUNTIME_DIR": dir, "BOARD_MODEL_DIR": model, "BOARD_DAEMON": daemon.Auto, "BOARD_WORKSPACE": dir}
	place := sourcePlace(t, env)
	for _, d := range []string{filepath.Dir(place.Socket), filepath.Dir(place.Lock)} {
		expect.OK(t, os.MkdirAll(d, 0o700))
	}
	starting := expect.Value(os.Create(place.Lock + "-start"))(t)
	t.Cleanup(func() { starting.Close() })
	expect.OK(t, syscall.Flock(int(starting.Fd()), syscall.LOCK_EX))
	return env
}

func sourcePlace(t *testing.T, env map[string]string) daemon.Place {
	t.Helper()
	place := expect.Value(daemon.PlaceOf(env["BOARD_HOME"], func(k string) string { return env[k] }))(t)
	return place
}

// runDaemon runs one in this process, and gives what ends it.
func runDaemon(t *testing.T, env map[string]string, build string) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ready, done := make(chan struct{}), make(chan error, 1)
	cfg := daemon.Config{Place: sourcePlace(t, env), Build: build, ModelDir: env["BOARD_MODEL_DIR"], Log: slog.New(slog.DiscardHandler)}
	go func() { done <- daemon.Run(ctx, cfg, func() { close(ready) }) }()
	select {
	case <-ready:
	case err := <-done:
		t.Fatal(err)
	}
	stop = func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
		done <- nil
	}
	t.Cleanup(stop)
	return stop
}

type fake struct {
	asked atomic.Int32
	close func()
}

// fakeDaemon listens where a daemon would, and counts what it is asked; then it does as it is
// told.
func fakeDaemon(t *testing.T, env map[string]string, then func(net.Conn)) *fake {
	t.Helper()
	l := expect.Value(net.Listen("unix", sourcePlace(t, env).Socket))(t)
	f := &fake{close: func() { l.Close() }}
	t.Cleanup(f.close)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			t.Cleanup(func() { c.Close() })
			go func() {
				if _, err := bufio.NewReader(c).ReadString('\n'); err == nil {
					f.asked.Add(1)
					then(c)
				}
			}()
		}
	}()
	return f
}

// sourceWorlds are what there may be where a daemon is looked for. warm says that there is one
// that answers; none may be asked more often than once by one who goes on asking, and those that
// are not there cannot be.
var sourceWorlds = []struct {
	name string
	warm bool
	set  func(*testing.T, map[string]string) *fake
}{
	{"no daemon", false, func(*testing.T, map[string]string) *fake { return nil }},
	{"a warm one", true, func(t *testing.T, env map[string]string) *fake {
		runDaemon(t, env, daemon.Build(base.Version()))
		return nil
	}},
	{"one that never answers", false, func(t *testing.T, env map[string]string) *fake {
		return fakeDaemon(t, env, func(net.Conn) {})
	}},
	{"one that dies at the first question", false, func(t *testing.T, env map[string]string) *fake {
		return fakeDaemon(t, env, func(c net.Conn) { c.Close() })
	}},
	{"one of another build", false, func(t *testing.T, env map[string]string) *fake {
		runDaemon(t, env, "another")
		return nil
	}},
	{"one of another data home, of which this is a copy", false, func(t *testing.T, env map[string]string) *fake {
		other := sourceHome(t, env["BOARD_MODEL_DIR"])
		runDaemon(t, other, daemon.Build(base.Version()))
		note := expect.Value(os.ReadFile(sourcePlace(t, other).Note))(t)
		expect.OK(t, os.WriteFile(sourcePlace(t, env).Note, note, 0o600))
		return nil
	}},
}

// sourceConsumers are those who ask, and whether they load the model themselves where no daemon
// has it. Who is patient waits for a daemon as long as it takes; a command cannot be made to, and
// has the same from the file.
var sourceConsumers = []struct {
	name string
	own  bool
	ask  func(t *testing.T, p *program, patient bool) func(kb.Query) (kb.Result, error)
}{
	{"command", true, func(t *testing.T, p *program, _ bool) func(kb.Query) (kb.Result, error) {
		return func(q kb.Query) (res kb.Result, err error) {
			var out, said bytes.Buffer
			if code := run(t.Context(), []string{"kb", "search", "--json", q.Text}, p.Env, strings.NewReader(""), &out, &said); code != base.ExitOK || said.Len() > 0 {
				return res, fmt.Errorf("exit %d: %s", code, &said)
			}
			return res, json.Unmarshal(out.Bytes(), &res)
		}
	}},
	{"hook", false, func(t *testing.T, p *program, patient bool) func(kb.Query) (kb.Result, error) {
		s := hookcmd.NewSearcher(func() (*daemon.Source, error) {
			return sourceFor(t, p, daemon.OwnNever, false, patient), nil
		}, p.Env("BOARD_HOME"))
		return func(q kb.Query) (kb.Result, error) { return s.Search(t.Context(), q) }
	}},
	{"screen", true, func(t *testing.T, p *program, patient bool) func(kb.Query) (kb.Result, error) {
		s := &screenKnowledge{p: p, source: sourceFor(t, p, daemon.OwnInstead, true, patient), home: p.Env("BOARD_HOME"), knowledgeHome: p.Env("BOARD_HOME"), worker: "tester"}
		t.Cleanup(s.close)
		return func(q kb.Query) (kb.Result, error) { return s.Search(t.Context(), q) }
	}},
	{"MCP server", false, func(t *testing.T, p *program, patient bool) func(kb.Query) (kb.Result, error) {
		search := searchFor(sourceFor(t, p, daemon.OwnAlone, true, patient), p.Env("BOARD_HOME"))
		return func(q kb.Query) (kb.Result, error) {
			res, notes, err := search(t.Context(), q)
			res.Degraded = append(res.Degraded, notes...)
			return res, err
		}
	}},
}

// sourceFor is newSource, with patience or without.
func sourceFor(t *testing.T, p *program, own daemon.Own, lives, patient bool) *daemon.Source {
	t.Helper()
	cfg := expect.Value(p.SourceConfig())(t)
	if cfg.Own, cfg.Lives = own, lives; patient {
		cfg.Patience = time.Hour
	}
	src := daemon.NewSource(cfg)
	t.Cleanup(src.Close)
	return src
}

// TestSource: whatever there is in the daemon's place, whoever asks gets the file's hits, and is
// told what they lack, in the same words; and what was of no use is not asked again.
func TestSource(t *testing.T) {
	t.Parallel()
	model := tinyModel(t)
	for _, w := range sourceWorlds {
		for _, c := range sourceConsumers {
			t.Run(w.name+"/"+c.name, func(t *testing.T) {
				t.Parallel()
				env := sourceHome(t, model)
				want := fromFile(t, env, w.warm || c.own)
				there := w.set(t, env)
				p := &program{&base.Program{Env: func(k string) string { return env[k] }, Err: io.Discard}}
				ask := c.ask(t, p, w.warm)
				for range 2 {
					got := expect.Value(ask(kb.Query{Text: sourceQuestion}))(t)
					if len(want.Degraded) > 0 && (len(got.Degraded) != 1 || !strings.Contains(got.Degraded[0], "the daemon did not answer") || !strings.HasSuffix(got.Degraded[0], ": searched by words only")) ||
						len(want.Degraded) == 0 && len(got.Degraded) > 0 {
						t.Errorf("degraded: %q", got.Degraded)
					}
					if g, w := hitsText(&got), hitsText(&want); g != w || len(got.Hits) == 0 {
						t.Errorf("%s; the file has %s", g, w)
					}
				}
				if there != nil && c.name != "command" && there.asked.Load() != 1 {
					t.Errorf("it was asked %d times", there.asked.Load())
				}
			})
		}
	}
}

// hitsText says what was found, and how.
func hitsText(r *kb.Result) string {
	s := r.Mode
	for i := range r.Hits {
		s += fmt.Sprintf(" %s %g", r.Hits[i].ID, r.Hits[i].Score)
	}
	return s
}

// fromFile is what the file answers, with the model or without.
func fromFile(t *testing.T, env map[string]string, withModel bool) kb.Result {
	t.Helper()
	var opt kb.Options
	if withModel {
		e := expect.Value(minilm.Open(t.Context(), env["BOARD_MODEL_DIR"]))(t)
		defer e.Close()
		opt.Embedder = e
	}
	k := expect.Value(kb.OpenExisting(t.Context(), env["BOARD_HOME"], opt))(t)
	defer k.Close()
	res := expect.Value(k.Search(t.Context(), kb.Query{Text: sourceQuestion, Workspace: env["BOARD_WORKSPACE"], Peek: true}))(t)
	return res
}

// TestSourceComesAndGoes: those who live long notice a daemon that comes, one that goes, and one
// that takes the place of one that broke off; and who insists on one says what is wrong.
func TestSourceComesAndGoes(t *testing.T) {
	t.Parallel()
	model := tinyModel(t)
	for _, c := range sourceConsumers {
		if c.name == "hook" { // which ends
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			env := sourceHome(t, model)
			p := &program{&base.Program{Env: func(k string) string { return env[k] }, Err: io.Discard}}
			ask := c.ask(t, p, true)
			mode := func(want string) {
				t.Helper()
				if res, err := ask(kb.Query{Text: sourceQuestion}); err != nil || res.Mode != want {
					t.Errorf("%s, %v", res.Mode, err)
				}
			}
			without := kb.ModeBM25
			if c.own {
				without = kb.ModeHybrid
			}
			mode(without)
			stop := runDaemon(t, env, daemon.Build(base.Version()))
			mode(kb.ModeHybrid)
			stop()
			mode(without)
			broken := fakeDaemon(t, env, func(c net.Conn) { c.Close() })
			mode(without)
			broken.close()
			runDaemon(t, env, daemon.Build(base.Version()))
			mode(kb.ModeHybrid)
		})
		t.Run(c.name+" that insists", func(t *testing.T) {
			t.Parallel()
			env := sourceHome(t, model)
			env["BOARD_DAEMON"] = daemon.Require
			ask := c.ask(t, &program{&base.Program{Env: func(k string) string { return env[k] }, Err: io.Discard}}, true)
			if _, err := ask(kb.Query{Text: sourceQuestion}); err == nil || !strings.Contains(err.Error(), "the daemon did not answer") {
				t.Errorf("without one: %v", err)
			}
			runDaemon(t, env, daemon.Build(base.Version()))
			if _, err := ask(kb.Query{Text: sourceQuestion}); err != nil {
				t.Error(err)
			}
		})
	}
}
