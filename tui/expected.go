package tui

import (
	"context"
	"strings"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"blackboard/board"
	"blackboard/tui/cells"
	"blackboard/tui/keys"
)

// awaited returns the chosen worker if the gate waits for it: in the list of workers, or
// in a reason that closes the gate. Otherwise it returns "".
func (p *runPage) awaited() string {
	switch p.here() {
	case paneWorkers:
		name := p.workers.chosen()
		if e := p.scene.expectation(name); e != nil && e.Status == board.WorkerExpected {
			return name
		}
	case paneQuestions:
		if q := p.questions.at(); q != nil && q.reason != nil && q.reason.Rule == board.RuleExpected {
			return q.reason.Worker
		}
	}
	return ""
}

// awaitedBindings returns the keys for a worker that the gate waits for.
func awaitedBindings() []key.Binding {
	return []key.Binding{keys.Renamed(keys.Address, "it has finished"), keys.Renamed(keys.Waive, "wait no longer")}
}

// awaitedKey handles a key for a worker that the gate waits for, and reports whether it
// was one.
func (x *acts) awaitedKey(msg tea.KeyMsg, name string) (tea.Cmd, bool) {
	switch {
	case name == "" || x.past:
		return nil, false
	case key.Matches(msg, keys.Address):
		return x.app.overlay(x.doneForm(name)), true
	case key.Matches(msg, keys.Waive):
		return x.app.overlay(x.dropForm(name)), true
	}
	return nil, false
}

func (x *acts) doneForm(name string) *form {
	intro := []string{"The gate waits for it no longer. The note says what others should know."}
	return newForm(x.app, form{heading: cells.OneLine(name, 60) + " has finished", intro: intro, button: "done", fields: []*field{
		{name: "note", label: "Note", hint: "goes on record; may be empty"},
	}, submit: func(ctx context.Context, v values) (outcome, error) {
		_, err := x.b.DoneWithNote(ctx, x.app.Worker, v["note"], name)
		return outcome{text: cells.OneLine(name, 60) + " is done", kind: changedRun, undo: x.undoAwaited(name)}, err
	}})
}

func (x *acts) dropForm(name string) *form {
	intro := []string{"The gate waits for it no longer, whatever it has posted."}
	return newForm(x.app, form{heading: "Wait no longer for " + cells.OneLine(name, 60), intro: intro, button: "drop", fields: []*field{
		{name: "reason", label: "Why? (goes on record)", required: true},
	}, submit: func(ctx context.Context, v values) (outcome, error) {
		// the policy may expect it
		if _, err := x.b.Expect(ctx, x.app.Worker, []string{name}, false); err != nil {
			return outcome{}, err
		}
		_, err := x.b.Drop(ctx, x.app.Worker, name, strings.TrimSpace(v["reason"]))
		return outcome{text: cells.OneLine(name, 60) + " is dropped", kind: changedRun, undo: x.undoAwaited(name)}, err
	}})
}

// undoAwaited makes the gate wait for a worker again.
func (x *acts) undoAwaited(name string) *undo {
	text := "have the gate of " + x.run + " wait for " + cells.OneLine(name, 60) + " again"
	done := "the gate waits for " + cells.OneLine(name, 60) + " again"
	return x.undo(text, done, func(ctx context.Context, b *board.Board) (*undo, error) {
		_, err := b.Expect(ctx, x.app.Worker, []string{name}, true)
		return nil, err
	})
}
