package hooks

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"blackboard/kb"
	"blackboard/testdata/cost"
	"blackboard/testdata/expect"
)

func TestMain(m *testing.M) { os.Exit(cost.Main(m)) }

// searchFunc is a searcher that is a function.
type searchFunc func(context.Context, kb.Query) (kb.Result, error)

func (f searchFunc) Search(ctx context.Context, q kb.Query) (kb.Result, error) { return f(ctx, q) }

// TestHangs: whatever never comes back, there is an answer. A search that hangs costs a
// session's start its capsules only, if it heeds its context; else everything.
func TestHangs(t *testing.T) { synctest.Test(t, hangs) }

func hangs(t *testing.T) {
	forever := make(chan struct{})
	in, out := io.Pipe()
	defer func() { // what was left behind writes its log before the directory goes
		close(forever)
		out.Close()
		synctest.Wait()
	}()
	w := newWorld(t)
	w.env["BOARD_HOOK_TIMEOUT"] = "2s"
	w.named("auth", "# Auth\nGoal: rotate.")
	w.searcher = searchFunc(func(ctx context.Context, _ kb.Query) (kb.Result, error) {
		<-ctx.Done()
		return kb.Result{}, ctx.Err()
	})
	if got := w.tell("SessionStart", nil); !strings.Contains(got, "Goal: rotate.") ||
		!strings.Contains(w.logged(), "search, after") {
		t.Errorf("it gave %s, logged %s", got, w.logged())
	}
	w.searcher = searchFunc(func(context.Context, kb.Query) (kb.Result, error) {
		<-forever
		return kb.Result{}, nil
	})
	if got := w.tell("UserPromptSubmit", map[string]any{"prompt": question}); got != "" ||
		!strings.Contains(w.logged(), "timed out after 2s") {
		t.Errorf("it gave %s, logged %s", got, w.logged())
	}
	// A harness that opens standard input and sends nothing.
	cfg := Config{Harness: "claude", Event: "Stop", Home: w.home,
		Env: func(k string) string { return w.env[k] }}
	if r := Handle(context.Background(), cfg, in); string(r.Answer) != "{}\n" || r.Kind != "" {
		t.Errorf("without an end of the input: %q", r.Answer)
	}
}

// TestLateStart: a start that took too long comes with the next prompt, once, and what
// a late one has found does not count as given.
func TestLateStart(t *testing.T) {
	for _, source := range []string{"startup", "resume"} {
		t.Run(source, func(t *testing.T) {
			synctest.Test(t,
				func(t *testing.T) { lateStart(t, source) })
		})
	}
}

func lateStart(t *testing.T, source string) {
	w := newWorld(t)
	w.env["BOARD_HOOK_TIMEOUT"] = "2s"
	w.named("auth", "# Auth\nGoal: rotate.")
	if source == "resume" {
		if got := w.tell("SessionStart",
			map[string]any{"source": "startup"}); !strings.Contains(got, "Goal: rotate.") {
			t.Fatalf("it starts with %s", got)
		}
		w.now = w.now.Add(time.Minute)
		w.records("auth", "other", "make generate")
	}
	hangs := make(chan struct{})
	w.searcher = searchFunc(func(context.Context, kb.Query) (kb.Result, error) {
		<-hangs
		return kb.Result{}, nil
	})
	if got := w.tell("SessionStart", map[string]any{"source": source}); got != "" {
		t.Fatalf("it was in time: %s", got)
	}
	close(hangs)
	synctest.Wait() // the late start has ended as well
	w.searcher = nil
	got := w.tell("UserPromptSubmit", map[string]any{"prompt": question})
	want, not := "Goal: rotate.", "make generate"
	if source == "resume" {
		want, not = not, want
	}
	if !strings.Contains(got, want) || strings.Contains(got, not) {
		t.Errorf("the first prompt after it is given %s", got)
	}
	if got := w.tell("UserPromptSubmit", map[string]any{"prompt": question}); got != "" {
		t.Errorf("the next one is given %s", got)
	}
}

// TestPanics: a panic is a line in the log, wherever it happens.
func TestPanics(t *testing.T) {
	w := newWorld(t)
	w.searcher = searchFunc(func(context.Context, kb.Query) (kb.Result, error) { panic("search") })
	if got := w.tell("UserPromptSubmit", map[string]any{"prompt": question}); got != "" ||
		!strings.Contains(w.logged(), "panicked: search") {
		t.Errorf("it gave %s, logged %s", got, w.logged())
	}
	cfg := Config{Harness: "claude", Event: "SessionStart", Home: w.home,
		Env: func(k string) string {
			if k == "BOARD_DEPTH" {
				panic("environment")
			}
			return w.env[k]
		}}
	if r := Handle(context.Background(), cfg,
		strings.NewReader("{}")); string(r.Answer) != "{}\n" ||
		!strings.Contains(w.logged(), "panic: environment") {
		t.Errorf("it gave %q, logged %s", r.Answer, w.logged())
	}
}

// TestBroken: with nothing of its own in order, a hook still answers.
func TestBroken(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir) // where a relative place would be
	file := filepath.Join(dir, "file")
	expect.OK(t, os.WriteFile(file, []byte("x"), 0o600))
	for _, home := range []string{"", file, filepath.Join(file, "below"),
		filepath.Join(dir, "new")} {
		for _, specs := range []string{"", file, "relative"} {
			w := newWorld(t)
			w.home, w.env["BOARD_SPEC_ROOT"], w.env["BOARD_CONFIG_DIR"], w.env["BOARD_RUN"],
				w.env["BOARD_WORKER"] = home, specs, file, "r/../un", "w"
			w.searcher = found(hit("k1", "t", "b", 1))
			if got := w.tell("SessionStart", nil); !strings.Contains(got, "board kb search") {
				t.Errorf("home %q, specs %q: %s", home, specs, got)
			}
			if got := w.tell("UserPromptSubmit",
				map[string]any{"prompt": question}); !strings.Contains(got, "k1") {
				t.Errorf("home %q, specs %q: %s", home, specs, got)
			}
			for _, event := range []string{"PostToolUse", "PostToolUseFailure", "PostCompact",
				"SessionEnd", "Unheard"} {
				w.tell(event, map[string]any{"tool_name": "Bash",
					"tool_input": map[string]any{"command": "make"}})
			}
		}
	}
	if data, err := os.ReadFile(file); err != nil || string(data) != "x" {
		t.Errorf("the file has %q (%v)", data, err)
	}
}

// TestPayloads: what is no object is answered with nothing, and logged without what it
// says.
func TestPayloads(t *testing.T) {
	w := newWorld(t)
	for _, in := range []string{"", "null", "[]", "423", `"text"`, "{", "\xff\xfe",
		strings.Repeat("[", 20_000), `{"a":` + strings.Repeat(`{"a":`, 20_000),
		strings.Repeat(" ", maxPayload+1) + "{}"} {
		if r := w.handle("gemini", "BeforeAgent", []byte(in)); string(r.Answer) != "{}\n" {
			t.Errorf("%.40q: %s", in, r.Answer)
		}
	}
	if lines := strings.Count(w.logged(), "\n"); lines != 10 {
		t.Errorf("%d lines are logged: %s", lines, w.logged())
	}
	w.searcher = found(hit("k1", "t", "b", 1))
	if r := w.handle("gemini", "BeforeAgent", []byte("\xef\xbb\xbf\xef\xbb\xbf{\"prompt\":\""+
		question+"\"}\n")); !strings.Contains(string(r.Answer), `"BeforeAgent"`) {
		t.Errorf("with byte order marks: %s", r.Answer)
	}
}

// TestBorrowed: harnesses that read Claude's configuration get their answers from what
// is installed for themselves.
func TestBorrowed(t *testing.T) {
	w := newWorld(t)
	w.searcher = found(hit("k1", "t", "b", 1))
	payload := []byte(fmt.Sprintf(
		`{"cursor_version":"3","hook_event_name":"beforeSubmitPrompt","workspace_roots":[%q],"conversation_id":"c","prompt":%q}`, w.project, question))
	if r := w.handle("claude", "UserPromptSubmit", payload); string(r.Answer) != "{}\n" {
		t.Errorf("installed for Claude: %s", r.Answer)
	}
	if r := w.handle("cursor", "beforeSubmitPrompt", payload); !strings.HasPrefix(string(r.Answer),
		`{"continue":true,"additional_context":`) {
		t.Errorf("installed for Cursor: %s", r.Answer)
	}
	w.env["CURSOR_VERSION"] = "3" // inherited by an agent that Cursor's shell has started
	if r := w.handle("claude", "UserPromptSubmit",
		[]byte(`{"session_id":"x","prompt":"`+question+`"}`)); !strings.Contains(string(r.Answer),
		"hookSpecificOutput") {
		t.Errorf("Claude within Cursor: %s", r.Answer)
	}
}

// TestQwen: what is asked of the model once more is no prompt.
func TestQwen(t *testing.T) {
	w := newWorld(t)
	w.searcher = found(hit("k1", "t", "b", 1))
	payload := func(fields string) []byte {
		return []byte(fmt.Sprintf(
			`{"hook_event_name":"UserPromptSubmit","permission_mode":"yolo","session_id":"q","cwd":%q,%s}`, w.project, fields))
	}
	if r := w.handle("qwen", "UserPromptSubmit",
		payload(`"prompt":"`+question+`"`)); string(r.Answer) != "{}\n" {
		t.Errorf("a continuation: %s", r.Answer)
	}
	if r := w.handle("qwen", "UserPromptSubmit",
		payload(`"prompt":"x","submitted_prompt":"`+question+`"`)); !strings.Contains(
		string(r.Answer), "k1") {
		t.Errorf("a prompt: %s", r.Answer)
	}
}

// TestOpenCodeCompaction: before a compaction, OpenCode is given what the session
// started with, and what was given counts as forgotten.
func TestOpenCodeCompaction(t *testing.T) {
	w := newWorld(t)
	w.searcher = found(hit("k1", "t", "b", 1))
	ask := func(event string) string {
		return string(w.handle("opencode", event,
			[]byte(fmt.Sprintf(`{"session_id":"o","cwd":%q,"prompt":"\"%s\""}`,
				w.project, question))).Answer)
	}
	if got := ask("UserPromptSubmit"); !strings.HasPrefix(got, `{"additionalContext":`) ||
		!strings.Contains(got, "k1") {
		t.Errorf("a prompt: %s", got)
	}
	if got := ask("PreCompact"); !strings.Contains(got, "board kb remember") {
		t.Errorf("before the compaction: %s", got)
	}
	if got := ask("UserPromptSubmit"); !strings.Contains(got, "k1") {
		t.Errorf("after the compaction: %s", got)
	}
	if q := w.searcher.(*answering).asked[0]; q.Text != question {
		t.Errorf("%q was searched for", q.Text)
	}
}

// TestSeen: what was seen is bounded, survives nonsense in its file, and goes when it
// is old.
func TestSeen(t *testing.T) {
	home := t.TempDir()
	s := expect.Value(openSession(home, "../../evil"))(t)
	if rel, err := filepath.Rel(sessionDir(home), s.path); err != nil ||
		strings.Contains(rel, string(filepath.Separator)) {
		t.Errorf("the file is %s", s.path)
	}
	for i := range maxGivenIDs + 50 {
		s.addPrompt(fmt.Sprint("k", i))
	}
	if err := s.save(); err != nil || len(s.Given) != maxGivenIDs || s.has("k0") ||
		!s.has(fmt.Sprint("k", maxGivenIDs+49)) {
		t.Errorf("%d are kept (%v)", len(s.Given), err)
	}
	if info, err := os.Stat(s.path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file: %v (%v)", info, err)
	}
	for _, nonsense := range []string{"", "[]", `{"given":42}`,
		strings.Repeat("x", maxStateBytes+1)} {
		expect.OK(t, os.WriteFile(s.path, []byte(nonsense), 0o600))
		if s, err := openSession(home, "../../evil"); err == nil || len(s.Given) > 0 {
			t.Errorf("%.20q: %v, %v", nonsense, s.Given, err)
		}
	}
	young, _ := openSession(home, "young")
	expect.OK(t, young.save())
	old := time.Now().Add(-2 * stateTTL)
	expect.OK(t, os.Chtimes(s.path, old, old))
	forgetOld(home, time.Now())
	if files, err := os.ReadDir(sessionDir(home)); err != nil || len(files) != 1 ||
		files[0].Name() != filepath.Base(young.path) {
		t.Errorf("left: %v (%v)", files, err)
	}
}

// TestLog: the log is for its owner, has a bound, and one line for each thing.
func TestLog(t *testing.T) {
	cost.SkipQuick(t)
	home := t.TempDir()
	for i := range 3000 {
		logLine(home, t0, "%d\nline </system-reminder> %s", i, strings.Repeat("x", 1000))
	}
	for _, name := range []string{LogPath(home), LogPath(home) + ".1"} {
		info, err := os.Stat(name)
		if err != nil || info.Mode().Perm() != 0o600 || info.Size() > maxLog+1000 {
			t.Errorf("%s: %v (%v)", name, info, err)
		}
	}
	data, err := os.ReadFile(LogPath(home))
	if err != nil || !strings.Contains(string(data), "2999 line ‹/system-reminder> xxx") {
		t.Errorf("it ends in %s (%v)", data[max(0, len(data)-600):], err)
	}
}

// TestLogOnce: what goes wrong at every event is a line a day, but each line of the
// worklog that is lost is one.
func TestLogOnce(t *testing.T) {
	home := t.TempDir()
	for i := range 5 {
		now := t0.Add(time.Duration(i) * time.Hour)
		logLine(home, now, "the topic: no such file")
		logLine(home, now, "another: no such file")
		logLine(home, now, LostLine+": not written within 1s")
	}
	logLine(home, t0.Add(24*time.Hour), "the topic: no such file")
	data := expect.Value(os.ReadFile(LogPath(home)))(t)
	for text, want := range map[string]int{"the topic": 2, "another": 1, LostLine: 5} {
		if n := strings.Count(string(data), text); n != want {
			t.Errorf("%q is said %d times, not %d:\n%s", text, n, want, data)
		}
	}
}

func TestTimeout(t *testing.T) {
	for in, want := range map[string]time.Duration{"": DefaultTimeout, "1s": time.Second,
		"1h": maxTimeout, "1ns": minTimeout, "300": DefaultTimeout, "-1s": DefaultTimeout} {
		got, err := timeout(func(string) string { return in })
		if got != want || (err != nil) != slices.Contains([]string{"300", "-1s"}, in) {
			t.Errorf("%q: %s, %v", in, got, err)
		}
	}
}

// TestDepths: what a start is given is bounded, and a prompt is given no more.
func TestDepths(t *testing.T) {
	for _, d := range Depths {
		if d.StartBudget > MaxBudget || d.Budget > d.StartBudget {
			t.Errorf("%+v", d)
		}
	}
}

// TestUnknownEventsAreLogged: a typing error in somebody's configuration can be seen in
// the log, and what streams in by the hundred is not in it.
func TestUnknownEventsAreLogged(t *testing.T) {
	for _, c := range []struct{ harness, event, payload, want string }{
		{"claude", "Bogus", `{"session_id":"s1"}`, `"Bogus" of claude`},
		{"claud", "Stop", `{"session_id":"s1"}`, `unknown harness "claud"`},
		{"claude", "Stop", `{"session_id":"s1"}`, ""},
		{"opencode", "event",
			`{"hook":"event","input":{"event":{"type":"message.part.updated","properties":{"part":{"type":"text","text":"word","sessionID":"s1"}}}}}`, ""},
		{"opencode", "event",
			`{"hook":"event","input":{"event":{"type":"message.part.updated","properties":{"part":{"type":"tool","tool":"bash","sessionID":"s1","state":{"status":"running"}}}}}}`, ""},
	} {
		w := newWorld(t)
		oneAnswer(t, c.event, w.handle(c.harness, c.event, []byte(c.payload)).Answer)
		if log := w.logged(); c.want == "" && log != "" || !strings.Contains(log, c.want) {
			t.Errorf("%s %s: the log has %q, not %q", c.harness, c.event, log, c.want)
		}
	}
}
