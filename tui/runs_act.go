package tui

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"blackboard/board"
	"blackboard/tui/cells"
)

// Actions in the list of runs: create, delete, change the order.

// runOrders are the orders of the list of runs.
var runOrders = []struct {
	name    string
	compare func(a, b board.Info) int
}{
	{"the latest first", func(a, b board.Info) int { return b.Updated.Compare(a.Updated) }},
	{"by name", func(a, b board.Info) int { return strings.Compare(a.Run, b.Run) }},
	{"what blocks most first", func(a, b board.Info) int { return b.Reasons - a.Reasons }},
	{"the most entries first", func(a, b board.Info) int { return int(b.Entries - a.Entries) }},
}

// nextOrder changes the order. The chosen run stays chosen.
func (p *runsPage) nextOrder() tea.Cmd {
	p.order = (p.order + 1) % len(runOrders)
	p.narrow()
	return nil
}

// sorted returns runs in the selected order, latest first among equals.
func (p *runsPage) sorted(all []board.Info) []board.Info {
	all = slices.Clone(all)
	slices.SortStableFunc(all, runOrders[0].compare)
	slices.SortStableFunc(all, runOrders[p.order].compare)
	return all
}

// chosen returns the chosen run, or nil.
func (p *runsPage) chosen() *board.Info {
	if p.list.cursor < len(p.shown) {
		return &p.shown[p.list.cursor]
	}
	return nil
}

func (p *runsPage) copyGoal() tea.Cmd {
	r := p.chosen()
	return p.app.copyWhole(r.Run, func(context.Context) (string, error) { return r.Goal, nil })
}

// create asks for a new run, and opens it.
func (p *runsPage) create() tea.Cmd {
	f := newForm(p.app, form{heading: "A new run", button: "make it", fields: []*field{
		{name: "name", label: "Name", hint: "letters, digits, . _ -", required: true},
		{name: "goal", label: "Goal", hint: "what shall be found out; may be empty"},
	}, submit: func(ctx context.Context, v values) (outcome, error) {
		b, err := board.Create(ctx, p.app.Boards, v["name"], v["goal"], p.app.Worker)
		if err != nil {
			return outcome{}, err
		}
		err = b.Close()
		done := outcome{text: "created run " + v["name"], kind: changedRun}
		done.page = newRunPage(p.app, v["name"])
		return done, err
	}})
	f.tried = func(err error) tea.Cmd {
		if err == nil {
			p.made = f.values()["name"]
		}
		return nil
	}
	return p.app.overlay(f)
}

// remove asks whether to delete a run. It cannot be undone, so the person must type its
// name.
func (p *runsPage) remove() tea.Cmd {
	r := p.chosen()
	if r == nil {
		return nil
	}
	name, seen := r.Run, r.Seq
	intro := []string{fmt.Sprintf("%s with %s, %s open.", name, cells.Plural(r.Entries, "entry"),
		cells.Plural(r.OpenSignal, "question")), "It is removed from the disk for good: u cannot undo this."}
	asked := &field{name: "name", label: "Its name, to confirm", required: true}
	return p.app.overlay(newForm(p.app, form{heading: "Delete the run " + name, intro: intro,
		button: "delete", fields: []*field{asked}, submit: func(ctx context.Context, v values) (outcome, error) {
			if v["name"] != name {
				return outcome{}, errors.New("the name does not match: it is " + name)
			}
			err := board.Remove(ctx, p.app.Boards, name, seen)
			gone := &undo{text: "a run that was deleted is gone"}
			return outcome{text: "deleted run " + name, kind: changedRun, undo: gone}, err
		}}))
}
