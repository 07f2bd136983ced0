package runs

import (
	"context"
	"errors"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"blackboard/board"
	"blackboard/board/fault"
	"blackboard/tui/cells"
	"blackboard/tui/page"
)

// preview shows the chosen row: an entry or signal as its page does, others in a few words.
type preview struct {
	page    *Page
	doc     page.Document
	of      subject    // what is to be shown; empty: to be read again
	title   string     // of what is shown
	found   itemDetail // what is shown, if it is an entry or a signal
	mark    []string   // words that are highlighted in it
	reading page.Once
	w       int
}

type subject struct {
	b    *board.Board
	id   string
	past *board.Past
}

// CatchUp gives the lists the room that they need now, reads the rows that have come into view,
// and makes the preview follow the chosen one, whatever has changed it.
func (p *Page) CatchUp() tea.Cmd {
	if !p.known || p.w == 0 {
		return nil
	}
	p.layout()
	return tea.Batch(p.feed.need(), p.showChosen())
}

func (p *Page) showChosen() tea.Cmd {
	if !p.hasPreview() || p.back.on && p.back.past == nil {
		return nil
	}
	if id := p.Chosen(); id != "" {
		return p.preview.show(subject{p.b, id, p.back.past}, p.marked())
	}
	title, x := "Nothing is chosen", cells.NewWriter(p.app.Styles, p.preview.w)
	if p.focus == PaneWorkers {
		if w := p.workers.at(); w != nil {
			title = cells.ShortName("worker "+w.Name, 60)
			p.describeWorker(x, w)
		}
	} else if q := p.questions.at(); p.focus == PaneQuestions && q != nil {
		title = cells.ShortName(strings.TrimSpace(q.reason.Rule+" "+q.reason.Worker), 60)
		describeReason(x, q.reason)
	}
	p.preview.set(title, x.Lines)
	p.preview.of, p.preview.found = subject{}, itemDetail{}
	return nil
}

// marked returns the words of the filter of the list with the keys.
func (p *Page) marked() []string {
	if p.focus == PaneFeed {
		return p.feed.marked
	}
	return strings.Fields(p.panes[p.focus].narrowing().Value())
}

// show shows another entry or signal with words highlighted; the old one until it is read.
func (v *preview) show(of subject, words []string) tea.Cmd {
	marked := slices.Equal(words, v.mark)
	if v.mark = words; of == v.of {
		if !marked {
			v.compose()
		}
		return nil
	}
	v.of = of
	return v.read()
}

// read reads what is to be shown, one read at a time.
func (v *preview) read() tea.Cmd {
	if !v.reading.Begin() {
		return nil
	}
	of := v.of
	return v.page.app.Ask(v.page, func(ctx context.Context) func() tea.Cmd {
		found, err := readEvidence(ctx, of.b, v.page.app.Files, of.past, of.id)
		return func() tea.Cmd {
			again := v.reading.End()
			switch {
			case of != v.of, errors.Is(err, fault.Away) && v.found.id == of.id: // what is shown stays
			case err != nil:
				v.found = itemDetail{}
				v.set(of.id, nil)
				v.doc.SetText(cells.Wrap(v.page.app.Explain(err), v.w-2)...)
			default:
				v.found = found
				v.compose()
			}
			if again && v.of.id != "" {
				return v.read()
			}
			return nil
		}
	})
}

// compose writes the entry or the signal that was read.
func (v *preview) compose() {
	if v.found.id != "" {
		x := cells.NewWriter(v.page.app.Styles, v.w)
		x.Mark = v.mark
		v.found.write(x, v.page.app.Now())
		v.set(v.found.id, x.Lines)
	}
}

func (v *preview) set(title string, lines []cells.Line) {
	if title != v.title {
		v.title, v.doc.Top = title, 0
	}
	v.doc.SetLines(lines)
}

// describeWorker says what a worker has done, has used and does now.
func (p *Page) describeWorker(x *cells.Writer, w *board.Worker) {
	s := &p.scene
	x.Field("posted", cells.Plural(w.Entries, "entry"))
	if w.Events > 0 {
		x.Field("did", cells.Plural(w.Events, "thing")+" in all")
	}
	x.Field("used", s.state.Spent(w.Name).Describe())
	if !w.Last.IsZero() {
		x.Field("last", cells.Clock(w.Last)+", "+cells.Since(w.Last, p.moment()))
	}
	if e := s.expectation(w.Name); e != nil {
		x.Field("expected", e.Status+" since "+cells.Clock(e.At)+", says "+e.By)
		why := "because"
		if e.Status == board.WorkerDone {
			why = "note"
		}
		x.Field(why, e.Reason)
	}
	if claimed := s.claims(w.Name, p.moment()); len(claimed) > 0 {
		x.Heading("Works on")
		for _, g := range claimed {
			x.Line(cells.Fit("  "+x.Styles.Key.Render(cells.Fit(g.ID, 6))+" "+cells.OneLine(g.Content, page.RowRunes), x.Width+1))
		}
	}
}

// describeReason describes why the gate is closed, if not for a signal or an entry.
func describeReason(x *cells.Writer, r *board.Reason) {
	x.Line(x.Styles.Warn.Render(r.Rule) + x.Styles.Bad.Render("  keeps the gate closed"))
	x.Line("")
	x.Text(r.Content, "")
	if r.Clear != "" {
		x.Heading("To clear it")
		x.Text(r.Clear, "")
	}
}

func (v *preview) place(r page.Rect) {
	v.doc.SetSize(r.W, max(r.H-1, 0))
	if r.W != v.w {
		v.w = r.W
		v.compose()
	}
}

// draw renders the pane. Its links are not chosen here: enter opens the page for that.
func (v *preview) draw(r page.Rect, focused bool) []string {
	v.doc.At = -1
	return v.page.app.Styles.Pane(v.title, v.doc.More(), v.doc.View(), r.W, r.H, focused)
}
