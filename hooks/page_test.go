package hooks

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"blackboard/board"
	"blackboard/board/text"
	"blackboard/hooks/topics"
	"blackboard/kb/memory"
	"blackboard/testdata/cost"
	"blackboard/testdata/expect"
)

// remembers opens the project's memory for an agent, and puts texts into it.
func (w *world) remembers(importance float64, texts ...string) *memory.Store {
	w.t.Helper()
	w.withMemory = true
	m, err := memory.Open(w.home, memory.Options{Workspace: real(w.t, w.project), Agent: "claude",
		Now: w.clock})
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { m.Close() })
	for _, said := range texts {
		if _, err := m.Put(w.t.Context(), memory.Item{Tier: memory.Workspace, Content: said,
			Importance: importance}, memory.PutOptions{}); err != nil {
			w.t.Fatal(err)
		}
	}
	return m
}

// TestReviewIsJudgedAfresh: a review, by its topic or its branch, is given no verdict,
// finding, memory, journal or capsule, neither at its start nor at a prompt; any other
// session is.
func TestReviewIsJudgedAfresh(t *testing.T) {
	const verdict = "The ledger migration is unsafe: verdict reject"
	for _, c := range []struct {
		branch, topic string
		review        bool
	}{{"review/ledger-migration", "", true}, {"main", "ledger-migration-review", true},
		{"review/ledger-migration", "ledger-migration", true}, {"feature/ledger-migration", "", false}} {
		w := newWorld(t)
		w.branch(c.branch)
		if c.topic != "" {
			w.named(c.topic, "# Ledger migration\n\nGoal: judge the ledger migration\n\n## Verdict\n\n"+verdict)
		}
		m := w.remembers(1, verdict)
		for _, kind := range []string{memory.Journal, memory.Core} {
			expect.Value(m.SaveNote(t.Context(), kind, "", verdict+", as I noted", false))(t)
		}
		w.searcher = found(hit("k1", "Ledger migration", verdict, 1))
		got := w.tell("SessionStart", nil)
		got += w.tell("UserPromptSubmit", map[string]any{"prompt": "Is the ledger migration unsafe?"})
		got += w.tell("SessionStart", map[string]any{"source": "compact"})
		if strings.Contains(got, "verdict") == c.review {
			t.Errorf("%s, topic %q: %s", c.branch, c.topic, got)
		}
		if log, _ := os.ReadFile(RecallPath(w.home)); c.review && !strings.Contains(string(log),
			cleanRoom) {
			t.Errorf("the log does not say why: %s", log)
		}
	}
}

// TestNoCliff: however long the notes of a topic are, what keeps the gate closed, critical
// memory and the newest note are given whole.
func TestNoCliff(t *testing.T) {
	cost.SkipTable(t)
	w := newWorld(t)
	t.Cleanup(openBoards.Wait)
	w.env["BOARD_RUN"] = "audit"
	b := expect.Value(board.Create(t.Context(), filepath.Join(w.home, "boards"), "audit", "", "lead", nil))(t)
	defer b.Close()
	expect.Value(b.Signal(t.Context(), "r1", board.Raise{Content: "Who rotates the signing keys?",
		Priority: "critical"}))(t)
	w.remembers(1, "Never force-push to main", "Secrets stay out of logs")
	w.named("auth", "# auth\n\nGoal: rotate the keys\n")
	for i := range 120 {
		expect.Value(w.topicsDir().Note(t.Context(), "auth", fmt.Sprintf("note %d: %s, end %d", i,
			strings.Repeat("what was tried ", 12), i)))(t)
		if i > 30 && i%5 > 0 {
			continue
		}
		got := w.tell("SessionStart", map[string]any{"session_id": fmt.Sprint("s", i)})
		for _, want := range []string{"Who rotates the signing keys?", "Never force-push to main",
			"Secrets stay out of logs", "Goal: rotate the keys", fmt.Sprintf(", end %d\n", i)} {
			if !strings.Contains(got, want) {
				t.Fatalf("with %d notes, %q is missing in\n%s", i+1, want, got)
			}
		}
		if tokens(got) > Depths[0].StartBudget {
			t.Fatalf("with %d notes: %d tokens", i+1, tokens(got))
		}
	}
}

// TestSessionBudget: a session is given no more than its budget, and a new one begins afresh.
func TestSessionBudget(t *testing.T) {
	w := newWorld(t)
	spent := 0
	for i := range 60 {
		w.searcher = found(hit(fmt.Sprint("k", i), "Retries", strings.Repeat("It is in the client. ", 20), 1))
		spent += tokens(w.tell("UserPromptSubmit", map[string]any{"prompt": question}))
	}
	if most := Depths[0].SessionBudget; spent > most || spent < most*8/10 {
		t.Errorf("%d tokens of %d", spent, most)
	}
	if log, _ := os.ReadFile(RecallPath(w.home)); !strings.Contains(string(log), "the session has had") {
		t.Error("the log does not say that it is spent")
	}
	if got := w.tell("SessionStart", map[string]any{"source": "compact"}); got == "" {
		t.Error("after a compaction there is nothing")
	}
}

// TestFixedText: what stands in every page is short.
func TestFixedText(t *testing.T) {
	if n := tokens(text.Framed([]string{strings.TrimSpace(defaultPrefix), reminder})); n > 60 {
		t.Errorf("%d tokens", n)
	}
}

// TestSessionNamed: a command in Claude Code knows its session, so that what a page names
// works there.
func TestSessionNamed(t *testing.T) {
	w := newWorld(t)
	file := filepath.Join(w.home, "env")
	w.env["CLAUDE_ENV_FILE"] = file
	expect.OK(t, os.MkdirAll(w.home, 0o700))
	w.tell("SessionStart", nil)
	w.tell("SessionStart", map[string]any{"source": "resume"})
	if got, err := os.ReadFile(file); string(got) != "export BOARD_SESSION=s1\n" {
		t.Errorf("%q, %v", got, err)
	}
	w.tell("SessionStart", map[string]any{"session_id": "s1; rm -rf /"})
	if got, _ := os.ReadFile(file); strings.Contains(string(got), "rm") {
		t.Errorf("%q", got)
	}
}

// TestPreview: what a session would be given is told without giving it.
func TestPreview(t *testing.T) {
	w := newWorld(t)
	w.remembers(1, "Never force-push to main")
	w.named("auth", "# auth\n\nGoal: rotate the keys\n")
	preview := func() Result {
		return Handle(t.Context(), Config{Harness: "claude", Event: "SessionStart", Home: w.home,
			Env: func(k string) string { return w.env[k] }, Now: w.clock, Preview: true, Topic: "auth",
			Memory: func(o memory.Options) (*memory.Store, error) { return memory.Open(w.home, o) }},
			strings.NewReader(string(encodeJSON(map[string]any{"cwd": w.project,
				"hook_event_name": "SessionStart", "session_id": "s1"}))))
	}
	before := preview()
	var given []string
	for _, c := range before.Considered {
		given = append(given, c.String())
	}
	for _, want := range []string{"topic, ", "given: Critical", "reminder, "} {
		if !strings.Contains(strings.Join(given, "\n"), want) {
			t.Errorf("%q is missing in\n%s", want, strings.Join(given, "\n"))
		}
	}
	if again := preview(); again.Text != before.Text || before.Text == "" {
		t.Errorf("a preview changed something: %q, then %q", before.Text, again.Text)
	}
	if got := w.tell("SessionStart", nil); got != before.Text {
		t.Errorf("given is\n%s\nnot\n%s", got, before.Text)
	}
	expect.Value(topics.Open(w.specs, real(t, w.project), topics.Options{}))(t)
}
