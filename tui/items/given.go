package items

import (
	"context"
	"fmt"

	tea "github.com/charmbracelet/bubbletea"

	"blackboard/board"
	"blackboard/tui/cells"
	"blackboard/tui/page"
)

// maxGiven is the most retrievals that are shown.
const maxGiven = 500

// NewGiven shows capsules given to a run's workers until a moment, latest first; past nil: now.
func NewGiven(a *page.App, b *board.Board, past *board.Past) page.Page {
	read, heading := b.Retrievals, "Given from the knowledge base"
	if past != nil {
		read = past.Retrievals
		heading += ", as of event " + cells.Count(past.Seq)
	}
	t := &page.Text{App: a, Name: "given", Link: "capsule", Heading: func() string { return heading },
		Follow: func(to string) tea.Cmd { return a.Push(NewCapsule(a, to)) }}
	t.Read = func(ctx context.Context) (func(*cells.Writer), error) {
		all, err := read(ctx, maxGiven+1)
		return func(x *cells.Writer) { writeGiven(x, all) }, err
	}
	return t
}

func writeGiven(x *cells.Writer, all []board.Retrieval) {
	st := x.Styles
	for i := range all[:min(len(all), maxGiven)] {
		r := &all[i]
		when := st.Faint.Render(cells.Clock(r.At) + "  event " + cells.Count(r.Seq))
		x.Line(cells.Fit(when+"  "+cells.OneLine(r.Worker, 60)+"  "+cells.OneLine(r.Describe(), page.RowRunes), x.Width))
		for _, c := range r.Capsules {
			scores := fmt.Sprintf("  score %.2f, evidence %.2f", c.Score, c.Evidence)
			x.Link(cells.Fit("  "+st.Key.Render(cells.OneLine(c.ID, 40))+scores, x.Width), c.ID)
		}
		x.Line("")
	}
	if len(all) > maxGiven {
		x.Line(fmt.Sprintf("These are the latest %d; board watch --since 0 has all.", maxGiven))
	}
}
