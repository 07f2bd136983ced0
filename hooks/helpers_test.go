package hooks

import (
	"bytes"
	"context"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"blackboard/board/fault"
	"blackboard/hooks/topics"
	"blackboard/kb"
	"blackboard/kb/memory"
	"blackboard/testdata/expect"
)

var t0 = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

func noEnv(string) string { return "" }

// encodeJSON is a value on one line, without the escapes that are for web pages.
func encodeJSON(v any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(err)
	}
	return b.Bytes()
}

// tokens is about how many tokens a text has.
func tokens(s string) int { return (len(s) + tokenBytes - 1) / tokenBytes }

// world is a place where hooks run: a data home, a project, an environment, a clock.
type world struct {
	t        testing.TB
	home     string
	specs    string
	project  string
	env      map[string]string
	searcher kb.Searcher
	budget   int
	limit    int
	now      time.Time
	// withMemory says that there is a memory.
	withMemory bool
}

// newWorld makes one whose project is no git repository, so that each session has a
// topic of its own.
func newWorld(t testing.TB) *world {
	t.Helper()
	dir := t.TempDir()
	w := &world{t: t, home: filepath.Join(dir, "home"), specs: filepath.Join(dir, "specs"),
		project: filepath.Join(dir, "project"), now: t0}
	expect.OK(t, os.MkdirAll(w.project, 0o700))
	w.env = map[string]string{"BOARD_SPEC_ROOT": w.specs, "BOARD_CONFIG_DIR": filepath.Join(dir,
		"config"), "HOME": dir, "BOARD_HOOK_TIMEOUT": "1m"}
	return w
}

func (w *world) handle(harness, event string, data []byte) Result {
	cfg := Config{Harness: harness, Event: event, Home: w.home,
		Env: func(k string) string { return w.env[k] }, Searcher: w.searcher,
		Words: func(s fault.Step) string {
			return s.Op + " " +
				s.Args["name"] + " " + s.Args["tier"]
		},
		Budget: w.budget, Limit: w.limit, Now: func() time.Time { return w.now }}
	if w.withMemory {
		cfg.Memory = func(o memory.Options) (*memory.Store,
			error) {
			return memory.Open(w.home, o)
		}
	}
	return Handle(context.Background(), cfg, bytes.NewReader(data))
}

func (w *world) clock() time.Time { return w.now }

// tell sends an event of Claude's with its fields, and returns the text that the model
// is given.
func (w *world) tell(event string, fields map[string]any) string {
	w.t.Helper()
	p := map[string]any{"hook_event_name": event, "session_id": "s1", "cwd": w.project}
	for k, v := range fields {
		p[k] = v
	}
	r := w.handle("claude", event, encodeJSON(p))
	oneAnswer(w.t, event, r.Answer)
	var out struct {
		HookSpecificOutput struct{ HookEventName, AdditionalContext string }
	}
	if err := json.Unmarshal(r.Answer, &out); err != nil {
		w.t.Fatal(err)
	}
	if name := out.HookSpecificOutput.HookEventName; name != "" && name != event {
		w.t.Errorf("the answer to %s names %s", event, name)
	}
	return out.HookSpecificOutput.AdditionalContext
}

// topicsDir is the project's topics.
func (w *world) topicsDir() *topics.Dir {
	w.t.Helper()
	d, err := topics.Open(w.specs, real(w.t, w.project),
		topics.Options{Now: func() time.Time { return w.now }})
	if err != nil {
		w.t.Fatal(err)
	}
	return d
}

func real(t testing.TB, dir string) string {
	t.Helper()
	dir = expect.Value(filepath.EvalSymlinks(dir))(t)
	return dir
}

// worklog is what stands in the worklog of a topic.
func (w *world) worklog(topic string) []topics.Entry {
	w.t.Helper()
	entries, err := w.topicsDir().Tail(topic, topics.TailLimits{})
	if err != nil {
		w.t.Fatal(err)
	}
	return entries
}

// logged is what the log has.
func (w *world) logged() string {
	data, _ := os.ReadFile(LogPath(w.home))
	return string(data)
}

// everything is the text of all files below some directories.
func everything(t testing.TB, dirs ...string) string {
	t.Helper()
	var b strings.Builder
	for _, dir := range dirs {
		expect.OK(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() {
				return nil
			}
			data, err := os.ReadFile(path)
			b.WriteString(path + "\n")
			b.Write(data)
			return err
		}))
	}
	return b.String()
}

// answering is a searcher with the same answers to every question; it keeps the
// questions.
type answering struct {
	mu    sync.Mutex
	asked []kb.Query
	own   []kb.Hit // of the workspace
	wide  []kb.Hit // of what holds beyond it
	// evidence of each; 1 unless it is set.
	ownEvidence, wideEvidence float64
	leftOut                   []kb.Hit // by the gate
}

// found is a searcher that finds capsules which hold everywhere.
func found(hits ...kb.Hit) *answering { return &answering{wide: hits} }

func (a *answering) Search(_ context.Context, q kb.Query) (kb.Result, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.asked = append(a.asked, q)
	hits, evidence := a.wide, a.wideEvidence
	if len(q.Workspaces) > 0 {
		hits, evidence = a.own, a.ownEvidence
	}
	if evidence == 0 {
		evidence = 1
	}
	hits = slices.Clone(hits[:min(len(hits), q.Limit)])
	for i := range hits {
		hits[i].Evidence *= evidence
	}
	return kb.Result{Hits: hits, Evidence: evidence, Threshold: 0.5, LeftOut: a.leftOut}, nil
}

func hit(id, title, body string, score float64) kb.Hit {
	return kb.Hit{Capsule: kb.Capsule{ID: id, Kind: "fact", Scope: "universal", Title: title,
		Body: body}, Score: score, Evidence: score}
}
