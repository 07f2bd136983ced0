package tui

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"blackboard/board"
	"blackboard/board/fault"
	"blackboard/testdata/expect"
	"blackboard/tui/page"
	"blackboard/tui/runs"
)

// TestGateRowStays: a key at the gate is about the question that is seen, also if one that is more
// urgent comes before it.
func TestGateRowStays(t *testing.T) {
	for _, pane := range []string{"2"} {
		h := openAudit(t)
		h.press(pane)
		p := h.m.top().(*runs.Page)
		was := p.Chosen()
		b := h.openRun("audit-7")
		s := must(b.Signal(context.Background(), "reader-1", board.Raise{Content: "Is it on fire?", Priority: "critical"})).Signal.ID
		h.do(p.Look())
		h.wants("Is it on fire?")
		if now := p.Chosen(); now != was || now == s {
			t.Errorf("pane %s: %s was chosen, now it is %s", pane, was, now)
		}
		// Whoever left it there sees the most urgent one first when coming back.
		h.press("1", pane)
		if now := p.Chosen(); pane == "3" && now != was {
			t.Errorf("pane %s: %s was chosen, now it is %s", pane, was, now)
		}
	}
}

// TestPastIsNotNow: while a moment is read, and after the way back, no moment is shown as another.
func TestPastIsNotNow(t *testing.T) {
	h := openAudit(t)
	_, reading := h.m.Update(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("{")})
	h.wants("event 16…", "shown is now", "gate at event 16…")
	h.lacks("2 reasons")
	h.do(reading)
	h.lacks("reading the board", "shown is")
	h.wants("at event 16")
	for range 10 {
		h.press("[")
	}
	h.wants("at event 6", "2 entries")
	_, reading = h.m.Update(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("L")}) // and what was read last is there at once
	h.wants("live", "6 entries", "gate closed: 2 reasons")
	h.lacks("at event")
	h.do(reading)
}

// TestPastWithoutConflicts: a policy that limits conflicts does not have a moment of the past
// compared, and the gate says that it was not.
func TestPastWithoutConflicts(t *testing.T) {
	h := openAudit(t)
	file := filepath.Join(h.cfg.Files, "board.yaml")
	expect.OK(t, os.WriteFile(file, []byte("gate:\n  max_conflicts: 0\n"), 0o600))
	h.press("[")
	h.wants("conflicts not compared")
	h.lacks("synthesis may begin")
	h.press("L")
	h.lacks("conflicts not compared")
}

// TestErrorsInKeys: an error says the next step by its keys, and moments as the screen does.
func TestErrorsInKeys(t *testing.T) {
	h := openAudit(t)
	until := time.Date(2026, 1, 2, 16, 0, 0, 0, time.FixedZone("", 3600))
	for _, c := range []struct {
		err  error
		want string
	}{
		{fault.Conflict.New("s3 is claimed until "+until.Format(time.RFC3339), "", fault.Do("signal.claim", "{} takes another")), "s3 is claimed until 2026-01-02 15:00:00Z"},
		{fault.NotFound.New("there is no entry e9", "", fault.Do("entry.list", "{} lists the entries")), "there is no entry e9 · 1 of the run lists the entries"},
		{fault.Conflict.New("it is open", "", fault.Do("signal.show", "{} shows it", "signal", "s2")), "it is open · enter on s2 shows it"},
		{fault.Conflict.New("it is taken", "wait", fault.Give("force", "", "or take it with {}")), "it is taken · wait"},
		{fault.Invalid.New("no reason", "", fault.Give("reason", "", "give {}")), "no reason · give a reason"},
		{fault.NotFound.New("no model", "", fault.Do("model.pull", "{} fetches one")), "no model · `board model pull` in a shell fetches one"},
		{errors.New("in 2026-01-02T later"), "in 2026-01-02T later"},
	} {
		if got := h.m.app.Explain(c.err); got != c.want {
			t.Errorf("%q instead of %q", got, c.want)
		}
	}
}

// TestCountsAnew: after an act the counts of the status bar are those after it.
func TestCountsAnew(t *testing.T) {
	h := openAudit(t)
	var asked []bool
	h.m.app.Status = func(_ context.Context, anew bool) page.Status {
		asked = append(asked, anew)
		return page.Status{Capsules: 84}
	}
	h.send(page.DoneMsg{Outcome: page.Outcome{Text: "done"}})
	if len(asked) != 1 || !asked[0] || !strings.Contains(h.screen(), "KB:84") {
		t.Errorf("asked %v:\n%s", asked, h.screen())
	}
}

// TestRunsAnew: the list of runs is read when it is shown again.
func TestRunsAnew(t *testing.T) {
	h := openAudit(t)
	must(h.openRun("another").Post(context.Background(), "w", board.Post{Content: "one"}))
	h.press("q")
	h.wants("another", "audit-7")
}

// TestDisputedLeadsThere: a word shows the disputed entries.
func TestDisputedLeadsThere(t *testing.T) {
	h := openAudit(t)
	h.press("3")
	h.press(":")
	h.typeText("disputed")
	h.press("enter")
	h.wants("status:disputed", "never expire", "1 of 1")
	h.lacks("Tokens do expire")
}
