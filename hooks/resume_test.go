package hooks

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"blackboard/hooks/topics"
	"blackboard/kb"
	"blackboard/kb/memory"
	"blackboard/testdata/expect"
)

// asks sends a payload to a harness's hook, and returns the text that its model gets.
func (w *world) asks(harness, event string, fields map[string]any) string {
	w.t.Helper()
	p := map[string]any{"hook_event_name": event, "session_id": "s1", "cwd": w.project}
	maps.Copy(p, fields)
	r := w.handle(harness, event, encodeJSON(p))
	oneAnswer(w.t, event, r.Answer)
	var out struct {
		Specific struct{ AdditionalContext string } `json:"hookSpecificOutput"`
		Plugin   string                             `json:"additionalContext"`
		Cursor   string                             `json:"additional_context"`
	}
	if err := json.Unmarshal(r.Answer, &out); err != nil {
		w.t.Fatal(err)
	}
	return out.Specific.AdditionalContext + out.Plugin + out.Cursor
}

// worked is a project with a topic, a capsule about it, one about the question,
// memories and a line in the worklog.
func worked(t *testing.T) *world {
	w := newWorld(t)
	w.withMemory, w.env["BOARD_WORKER"] = true, "claude"
	w.searcher = found(known()...)
	w.named("auth", "# Auth\nGoal: rotate the keys.")
	m := expect.Value(memory.Open(w.home, memory.Options{Workspace: real(t, w.project), Agent: "claude",
		Now: func() time.Time { return w.now }}))(t)
	defer m.Close()
	for i := range 40 { // more than there is room for
		text := fmt.Sprintf("The ledger %d counts in cents, and rounds %d times, %s", i, i,
			strings.Repeat("again and ", 9))
		expect.Value(m.Put(t.Context(), memory.Item{Tier: memory.Workspace, Content: text},
			memory.PutOptions{}))(t)
	}
	for _, text := range []string{"Never force-push to main", "The ledger counts in cents"} {
		expect.Value(m.Put(t.Context(), memory.Item{Tier: memory.Workspace, Content: text,
			Importance: 0.95}, memory.PutOptions{}))(t)
	}
	expect.Value(m.SaveNote(t.Context(), memory.Core, "",
		"I run the tests before I say that it works", false))(t)
	w.records("auth", "other", "make generate")
	return w
}

// known are capsules of which the last are about a topic, and not surely about a prompt.
func known() []kb.Hit {
	hits := []kb.Hit{hit("k1", "Retry bug", "It is in the client.", 1)}
	for i := range 5 {
		hits = append(hits, hit(fmt.Sprint("k1", i), "Other", "It is elsewhere.", 0.8))
	}
	return hits
}

// records writes the use of a tool by a session into a topic's worklog.
func (w *world) records(topic, session, command string) {
	w.t.Helper()
	ok := true
	e := topics.Entry{Time: w.now, Session: session, Tool: "Bash", Command: command, OK: &ok}
	if _, err := w.topicsDir().Record(w.t.Context(), topic, e); err != nil {
		w.t.Fatal(err)
	}
}

// once are texts of which a context needs each once.
var once = []string{strings.TrimSpace(defaultPrefix), "Goal: rotate the keys.", "make generate",
	"It is in the client.", "Never force-push", "I run the tests", "`board kb search` before"}

// TestResumeRepeatsNothing: in a harness that replays a session's context on resume,
// what was given is given once, however often the session is resumed and by whatever
// word; what is new is given.
func TestResumeRepeatsNothing(t *testing.T) {
	for _, c := range []struct {
		harness, first, again, prompt, end string
		fields                             map[string]any
	}{
		{harness: "claude", first: "startup", again: "resume"},
		{harness: "codex", first: "startup", again: "resume",
			fields: map[string]any{"turn_id": "t", "permission_mode": "default"}},
		{harness: "pi", first: "startup", again: "startup"},
		{harness: "pi", first: "new", again: "resume"},
	} {
		t.Run(c.harness+" "+c.again, func(t *testing.T) {
			w := worked(t)
			tell := func(event, source string) string {
				p := map[string]any{"source": source, "prompt": question, "reason": "other"}
				maps.Copy(p, c.fields)
				w.now = w.now.Add(time.Minute)
				return w.asks(c.harness, event, p)
			}
			context := tell("SessionStart", c.first) + tell("UserPromptSubmit", "")
			for _, s := range once {
				if strings.Count(context, s) != 1 {
					t.Errorf("the session has %q %d times: %s", s, strings.Count(context, s),
						context)
				}
			}
			w.records("auth", "s1", "make mine")
			tell("SessionEnd", "")
			for range 2 {
				if got := tell("SessionStart", c.again) + tell("UserPromptSubmit", ""); got != "" {
					t.Errorf("resumed, it is given %s", got)
				}
				tell("SessionEnd", "")
			}
			w.records("auth", "another", "make release")
			w.named("auth", "# Auth\nGoal: retire the keys.")
			got := tell("SessionStart", c.again)
			if !strings.Contains(got, "make release") ||
				!strings.Contains(got, "Goal: retire the keys.") {
				t.Errorf("what is new is not given: %s", got)
			}
			for _, old := range append([]string{"make mine"}, once...) {
				if strings.Contains(got, old) {
					t.Errorf("%q comes again: %s", old, got)
				}
			}
		})
	}
}

// TestResumeOfAnUnseenSession: a session that nothing was given to gets all of it,
// whatever the word is.
func TestResumeOfAnUnseenSession(t *testing.T) {
	for _, source := range []string{"startup", "resume", "clear", "compact"} {
		w := worked(t)
		got := w.tell("SessionStart", map[string]any{"source": source})
		for _, s := range once {
			if !strings.Contains(got, s) {
				t.Errorf("%s: there is no %q in %s", source, s, got)
			}
		}
	}
}

// TestResumeTellsTheLastState: what changes and changes back is told again.
func TestResumeTellsTheLastState(t *testing.T) {
	w := worked(t)
	w.tell("SessionStart", map[string]any{"source": "startup"})
	for _, spec := range []string{"Goal: retire the keys.", "# Auth\nGoal: rotate the keys."} {
		w.named("auth", spec)
		got := w.tell("SessionStart", map[string]any{"source": "resume"})
		if !strings.Contains(got, strings.TrimPrefix(spec, "# Auth\n")) {
			t.Errorf("of %q it gives %s", spec, got)
		}
	}
}

// TestResumeWithoutReplay: Gemini has nothing of what hooks gave when a session is
// resumed, so it is given again; Qwen keeps what prompts were given; so does OpenCode,
// and asks for the start with each process; Copilot keeps no start.
func TestResumeWithoutReplay(t *testing.T) {
	w := worked(t)
	gemini := func(event, source string) string {
		return w.asks("gemini", event, map[string]any{"source": source, "prompt": question,
			"transcript_path": "/home/dev/.gemini/tmp/x.json"})
	}
	if got := gemini("SessionStart", "startup"); !strings.Contains(got, "It is in the client.") {
		t.Fatalf("Gemini: %s", got)
	}
	w.records("auth", "s1", "make mine") // which is in the conversation, and that is there again
	gemini("SessionEnd", "")
	got := gemini("SessionStart", "resume")
	if strings.Contains(got, "make mine") {
		t.Errorf("Gemini, resumed, is told what it did itself: %s", got)
	}
	for _, s := range once {
		if strings.Count(got, s) != 1 {
			t.Errorf("Gemini, resumed: there is no %q in %s", s, got)
		}
	}
	if got := gemini("BeforeAgent", ""); got != "" {
		t.Errorf("Gemini, after that: %s", got)
	}

	w = worked(t)
	qwen := func(event, source string) string {
		return w.asks("qwen", event, map[string]any{"source": source, "submitted_prompt": question,
			"permission_mode": "yolo"})
	}
	w.searcher = found()
	qwen("SessionStart", "startup")
	w.searcher = found(known()...)
	if got := qwen("UserPromptSubmit", ""); !strings.Contains(got, "(k1)") {
		t.Fatalf("Qwen: %s", got)
	}
	got = qwen("SessionStart", "resume") + qwen("UserPromptSubmit", "")
	if strings.Contains(got, "(k1)") || strings.Count(got, "`board kb search`") != 1 ||
		!strings.Contains(got, "Never force-push") {
		t.Errorf("Qwen, resumed: %s", got)
	}

	w = worked(t)
	copilot := func(event, source string) string {
		return w.asks("copilot", event, map[string]any{"source": source, "prompt": question,
			"initial_prompt": ""})
	}
	copilot("SessionStart", "new")
	got = copilot("SessionStart", "resume")
	for _, s := range once {
		if strings.Count(got, s) != 1 {
			t.Errorf("Copilot, continued: there is no %q in %s", s, got)
		}
	}

	w = worked(t)
	w.searcher = found()
	opencode := func(event string) string {
		return w.asks("opencode", event, map[string]any{"source": "startup", "prompt": question})
	}
	first := opencode("SessionStart")
	w.searcher = found(known()...)
	if got := opencode("UserPromptSubmit"); !strings.Contains(got, "k1") {
		t.Fatalf("OpenCode: %s", got)
	}
	second := opencode("SessionStart") // of the next process
	if strings.Contains(second, "(k1)") || first == "" ||
		!strings.Contains(second, "Never force-push") || !strings.Contains(second, "`board kb search`") {
		t.Errorf("OpenCode, resumed, is given %s\nnot %s", second, first)
	}
	if got := opencode("UserPromptSubmit"); got != "" {
		t.Errorf("OpenCode, after that: %s", got)
	}
	opencode("PreCompact")
	if got := opencode("SessionStart") + opencode("UserPromptSubmit"); strings.Count(got,
		"(k1)") != 1 {
		t.Errorf("OpenCode, after a compaction: %s", got)
	}
	if w.asks("opencode", "SessionEnd",
		map[string]any{"reason": "deleted"}); len(w.seenFiles()) > 0 {
		t.Errorf("OpenCode, deleted: %v", w.seenFiles())
	}
}

// seenFiles are the names of the files of what sessions have seen.
func (w *world) seenFiles() []string {
	names, _ := filepath.Glob(filepath.Join(sessionDir(w.home), "*"))
	return names
}

// TestCompactionGivesOnce: after a compaction all is given once more, in whatever order
// its events come; where no start follows, the next prompt has it.
func TestCompactionGivesOnce(t *testing.T) {
	type step struct{ event, source string }
	for _, c := range []struct {
		harness string
		fields  map[string]any
		steps   []step
	}{
		{"claude", nil, []step{{"PreCompact", ""}, {"SessionStart", "compact"},
			{"PostCompact", ""}, {"UserPromptSubmit", ""}}},
		{"claude", nil, []step{{"PreCompact", ""}, {"PostCompact", ""},
			{"SessionStart", "compact"}, {"UserPromptSubmit", ""}}},
		{"codex", map[string]any{"turn_id": "t"}, []step{{"PreCompact", ""},
			{"SessionStart", "compact"}, {"PostCompact", ""}, {"UserPromptSubmit", ""}}},
		{"claude", nil, []step{{"SessionEnd", ""}, {"SessionStart", "clear"},
			{"UserPromptSubmit", ""}}},
		{"pi", nil, []step{{"SessionStart", "compact"}, {"UserPromptSubmit", ""}}},
		{"cursor", map[string]any{"cursor_version": "3"}, []step{{"preCompact", ""},
			{"beforeSubmitPrompt", ""}, {"beforeSubmitPrompt", ""}}},
		{"gemini", map[string]any{"transcript_path": "/x/.gemini/y"},
			[]step{{"SessionStart", "clear"}, {"BeforeAgent", ""}, {"BeforeAgent", ""}}},
	} {
		w := worked(t)
		send := func(s step) string {
			p := map[string]any{"source": s.source, "prompt": question,
				"trigger": "auto", "reason": "clear"}
			maps.Copy(p, c.fields)
			w.now = w.now.Add(time.Minute)
			return w.asks(c.harness, s.event, p)
		}
		start := "SessionStart"
		if c.harness == "cursor" {
			start = "sessionStart"
		}
		if got := send(step{start, "startup"}); !strings.Contains(got, "(k1)") {
			t.Fatalf("%s: %s", c.harness, got)
		}
		got := ""
		for _, s := range c.steps {
			got += send(s)
		}
		for _, s := range once {
			if n := strings.Count(got, s); n != 1 {
				t.Errorf("%s %v: %q is given %d times: %s", c.harness, c.steps, s, n, got)
			}
		}
	}
}

// TestSeenOutlivesTheSession: the file stays at a session's end, and its number and age
// are bounded.
func TestSeenOutlivesTheSession(t *testing.T) {
	w := worked(t)
	w.tell("SessionStart", map[string]any{"source": "startup"})
	w.tell("SessionEnd", nil)
	s, err := openSession(w.home, "s1")
	if err != nil || !s.Started.IsZero() || !s.has("k1") {
		t.Errorf("after its end the session has seen %+v (%v)", s, err)
	}
	var ids []string
	for i := range maxSessions + 10 {
		s, _ := openSession(w.home, "t"+string(rune('a'+i%26))+strings.Repeat("x", i/26))
		s.addPrompt("k")
		expect.OK(t, s.save())
		ids = append(ids, s.path)
	}
	forgetOld(w.home, time.Now())
	left := w.seenFiles()
	if len(left) > maxSessions || len(left) < maxSessions/2 ||
		!slices.Contains(left, ids[len(ids)-1]) {
		t.Errorf("%d files are left", len(left))
	}
}
