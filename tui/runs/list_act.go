package runs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"blackboard/board"
	kbhome "blackboard/kb/home"
	"blackboard/tui/cells"
	"blackboard/tui/page"
)

// Actions in the list of runs: create, delete.

// sorted returns the runs: what needs somebody first, and the latest first among equals.
func (p *List) sorted() []board.Info {
	all, now := slices.Clone(p.all), p.app.Now()
	slices.SortFunc(all, func(a, b board.Info) int {
		return cmp.Or(pressing(&a, now)-pressing(&b, now), b.Updated.Compare(a.Updated))
	})
	return all
}

// chosen returns the chosen run, or nil.
func (p *List) chosen() *board.Info {
	if p.Items.Cursor < len(p.shown) {
		return &p.shown[p.Items.Cursor]
	}
	return nil
}

func (p *List) copyGoal() tea.Cmd {
	r := p.chosen()
	return p.app.CopyWhole(r.Run, func(context.Context) (string, error) { return r.Goal, nil })
}

// create asks for a new run, and opens it.
func (p *List) create() tea.Cmd {
	f := page.NewForm(p.app, page.Form{Heading: "A new run", Button: "make it",
		Fields: []*page.Field{
			{Name: "name", Label: "Name", Hint: "letters, digits, . _ -", Required: true},
			{Name: "goal", Label: "Goal", Hint: "what shall be found out; may be empty"},
		}, Submit: func(ctx context.Context, v page.Values) (page.Outcome, error) {
			err := kbhome.StartRun(ctx, p.app.Boards, v["name"], v["goal"], p.app.Worker,
				p.app.Files)
			if err != nil {
				return page.Outcome{}, err
			}
			done := page.Outcome{Text: "created run " + v["name"], Kind: page.ChangedRun}
			done.Page = New(p.app, v["name"])
			return done, nil
		}})
	f.Tried = func(err error) tea.Cmd {
		if err == nil {
			p.made = f.Values()["name"]
		}
		return nil
	}
	return p.app.Overlay(f)
}

// remove asks whether to delete a run. It cannot be undone, so the person must type its
// name.
func (p *List) remove() tea.Cmd {
	r := p.chosen()
	if r == nil {
		return nil
	}
	name, seen := r.Run, r.Seq
	intro := []string{fmt.Sprintf("%s with %s, %s open.", name, cells.Plural(r.Entries, "entry"),
		cells.Plural(r.OpenSignal, "question")), "It is removed from the disk for good: u cannot undo this."}
	asked := &page.Field{Name: "name", Label: "Its name, to confirm", Required: true}
	return p.app.Overlay(page.NewForm(p.app,
		page.Form{Heading: "Delete the run " + name, Intro: intro,
			Button: "delete", Fields: []*page.Field{asked}, Submit: func(ctx context.Context, v page.Values) (page.Outcome, error) {
				if v["name"] != name {
					return page.Outcome{}, errors.New("the name does not match: it is " + name)
				}
				err := board.Remove(ctx, p.app.Boards, name, seen)
				gone := &page.Undo{Text: "a run that was deleted is gone"}
				return page.Outcome{Text: "deleted run " + name, Kind: page.ChangedRun,
					Undo: gone}, err
			}}))
}
