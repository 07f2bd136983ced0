package hooks

import (
	"path/filepath"
	"strings"
	"testing"

	"blackboard/board"
	"blackboard/testdata/expect"
)

// TestKeepGiven: what was given unasked is on the board of $BOARD_RUN, and no word of
// the prompt. What was not given is not there; a run that there is not is not made, and
// nobody is troubled with it.
func TestKeepGiven(t *testing.T) {
	w := newWorld(t)
	t.Cleanup(openBoards.Wait) // before the files go
	w.searcher = found(hit("k1", "Retries", "b", 1), hit("k2", "Far", "b", 0.5))
	w.env["BOARD_RUN"] = "audit"
	boards := filepath.Join(w.home, "boards")
	tell := func(session string) string {
		return w.tell("UserPromptSubmit",
			map[string]any{"prompt": question, "session_id": session})
	}
	if got := tell("s1"); !strings.Contains(got, "(k1)") {
		t.Fatalf("without a run: %s", got)
	}
	if names, _ := board.RunNames(boards); len(names) > 0 || w.logged() != "" {
		t.Fatalf("it made %v, and the log has %s", names, w.logged())
	}
	b := expect.Value(board.Create(t.Context(), boards, "audit", "", "lead", nil))(t)
	defer b.Close()
	tell("s2")
	w.env["BOARD_WORKER"] = "reader-1"
	tell("s3")
	tell("s3") // nothing is given twice
	all, err := b.Retrievals(t.Context(), 0)
	if err != nil || len(all) != 2 || all[1].Worker != "claude" || all[0].Worker != "reader-1" {
		t.Fatalf("%+v, %v; the log has %s", all, err, w.logged())
	}
	if r := all[0]; r.Way != board.ByPrompt || r.Task != "" || len(r.Capsules) != 1 ||
		r.Capsules[0] != (board.Given{ID: "k1", Score: 1, Evidence: 1}) {
		t.Errorf("%+v", r)
	}
	if !all[0].At.Equal(w.now) {
		t.Errorf("at %s, not %s", all[0].At, w.now)
	}
}

// TestKeepGivenAtStart: what a session's start gives is on the board, too, with the
// topic.
func TestKeepGivenAtStart(t *testing.T) {
	w := newWorld(t)
	t.Cleanup(openBoards.Wait) // before the files go
	w.searcher = found(hit("k1", "Retries", "b", 1))
	w.named("retry", "The client retries too often, and hides the error of its first call.")
	w.env["BOARD_RUN"] = "audit"
	b := expect.Value(board.Create(t.Context(), filepath.Join(w.home, "boards"), "audit", "", "lead", nil))(t)
	defer b.Close()
	if got := w.tell("SessionStart", map[string]any{"source": "startup"}); !strings.Contains(got,
		"(k1)") {
		t.Fatalf("it gave %s", got)
	}
	all, err := b.Retrievals(t.Context(), 0)
	if err != nil || len(all) != 1 || all[0].Way != board.ByStart || all[0].Task != "topic retry" {
		t.Errorf("%+v, %v; the log has %s", all, err, w.logged())
	}
}

// TestKeepGivenFails: where the board cannot take it, the answer is the same, and the
// log says so.
func TestKeepGivenFails(t *testing.T) {
	w := newWorld(t)
	w.searcher = found(hit("k1", "Retries", "b", 1))
	want := w.tell("UserPromptSubmit", map[string]any{"prompt": question})
	w.env["BOARD_RUN"] = "no name of a run"
	got := w.tell("UserPromptSubmit", map[string]any{"prompt": question, "session_id": "s2"})
	if got != want || want == "" {
		t.Errorf("it gave %s", got)
	}
	if !strings.Contains(w.logged(), "record on the board which capsules") {
		t.Errorf("the log has %s", w.logged())
	}
}

// TestGivenOnce: a title that is the beginning of the text is not given beside it.
func TestGivenOnce(t *testing.T) {
	w := newWorld(t)
	more := strings.Repeat("They do so always. ", 12)
	body := "Retries hide the error of the first call. " + more + "END"
	w.searcher = found(hit("k1", "Retries hide the error of the first call…", body, 1))
	got := w.tell("UserPromptSubmit", map[string]any{"prompt": question})
	if strings.Count(got, "Retries hide") != 1 || !strings.Contains(got, "END") {
		t.Errorf("it gave %s", got)
	}
	w.budget = 90 // no room for all of it
	got = w.tell("UserPromptSubmit", map[string]any{"prompt": question, "session_id": "s2"})
	if strings.Count(got, "Retries hide") != 1 || strings.Contains(got, "END") {
		t.Errorf("within a small budget it gave %s", got)
	}
}
