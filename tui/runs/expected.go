package runs

import (
	"context"

	tea "github.com/charmbracelet/bubbletea"

	"blackboard/board"
	"blackboard/tui/cells"
	"blackboard/tui/page"
)

// awaitedWorker returns the chosen worker if the gate waits for it: in the list of workers, or
// in a reason that closes the gate. Otherwise it returns "".
func (p *Page) awaitedWorker() string {
	switch p.Here() {
	case PaneWorkers:
		name := p.workers.chosen()
		if e := p.scene.expectation(name); e != nil && e.Status == board.WorkerExpected {
			return name
		}
	case PaneQuestions:
		if q := p.questions.at(); q != nil && q.reason != nil && q.reason.Rule == board.RuleExpected {
			return q.reason.Worker
		}
	}
	return ""
}

func (x *acts) awaitedActions(name string) page.Actions {
	if name == "" || x.past {
		return nil
	}
	return page.Actions{
		page.On(page.Renamed(page.KeyAddress, "it has finished"), func() tea.Cmd { return x.app.Overlay(x.doneForm(name)) }),
		page.On(page.Renamed(page.KeyWaive, "wait no longer"), func() tea.Cmd { return x.app.Overlay(x.dropForm(name)) }),
	}
}

func (x *acts) doneForm(name string) *page.Form {
	who := cells.OneLine(name, 60)
	return page.NewAct(x.app, page.Act{Heading: who + " has finished", Button: "done", Why: x.app.Form("done", "note"),
		Intro: []string{"The gate waits for it no longer. The note says what others should know."},
		Do: func(ctx context.Context, note string) (page.Outcome, error) {
			_, err := x.b.DoneWithNote(ctx, x.app.Worker, note, name)
			return changedRun(who+" is done", x.undoAwaited(name)), err
		}})
}

func (x *acts) dropForm(name string) *page.Form {
	who := cells.OneLine(name, 60)
	return page.NewAct(x.app, page.Act{Heading: "Wait no longer for " + who, Button: "drop", Why: x.app.Form("expect", "reason"), Must: true,
		Intro: []string{"The gate waits for it no longer, whatever it has posted."},
		Do: func(ctx context.Context, why string) (page.Outcome, error) {
			// the policy may expect it
			if _, err := x.b.Expect(ctx, x.app.Worker, []string{name}, false); err != nil {
				return page.Outcome{}, err
			}
			_, err := x.b.Drop(ctx, x.app.Worker, name, why)
			return changedRun(who+" is dropped", x.undoAwaited(name)), err
		}})
}

func (x *acts) undoAwaited(name string) *page.Undo {
	text := "have the gate of " + x.run + " wait for " + cells.OneLine(name, 60) + " again"
	done := "the gate waits for " + cells.OneLine(name, 60) + " again"
	return x.undo(text, done, func(ctx context.Context, b *board.Board) error {
		_, err := b.Expect(ctx, x.app.Worker, []string{name}, true)
		return err
	})
}
