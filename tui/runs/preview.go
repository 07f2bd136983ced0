package runs

import (
	"cmp"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"blackboard/board"
	"blackboard/tui/cells"
	"blackboard/tui/page"
)

// The least widths of a run's page with the preview beside the lists, and with the
// preview as a column between them.
const (
	previewWide  = 120
	previewWider = 200
)

// preview shows the chosen row of a run's lists: an entry or a signal as its page does,
// others in a few words.
type preview struct {
	*detailPage
	page  *Page
	about string // what is shown has no page: a worker, or a reason
}

func newPreview(p *Page) *preview {
	d := newDetailPage(p.app, p.Name, nil, "")
	d.on = p
	return &preview{detailPage: d, page: p}
}

// previewed reports whether the preview is shown: if there is room, or the person wants
// it.
func (p *Page) previewed() bool { return (p.w >= previewWide) != p.app.PreviewOther }

// togglePreview shows or hides the preview.
func (p *Page) togglePreview() tea.Cmd {
	p.app.PreviewOther = !p.app.PreviewOther
	p.inPreview = p.inPreview && p.previewed()
	p.layout()
	return nil
}

// CatchUp makes the preview follow the chosen row, whatever changed it.
func (p *Page) CatchUp() tea.Cmd {
	if !p.known || p.w == 0 || !p.previewed() || p.back.on && p.back.past == nil {
		return nil
	}
	v := p.preview
	if v.b != p.b { // the run was opened again, and may be another one
		v.b, v.id, v.about = p.b, "", ""
	}
	if p.focus == PaneWorkers {
		v.aboutWorker(p.workers.at())
		return nil
	}
	if q := p.questions.at(); p.focus == PaneQuestions && q != nil && q.id() == "" {
		v.aboutReason(q.reason)
		return nil
	}
	return v.show(p.Chosen(), p.back.past, p.marked())
}

// marked returns the words of the filter of the list with the keys.
func (p *Page) marked() []string {
	if p.focus == PaneFeed {
		return p.feed.marked
	}
	return strings.Fields(p.panes[p.focus].narrowing().Value())
}

// show shows another entry or signal, as of now or the past, and highlights words in it.
// The old one is shown until it is read, to avoid flicker.
func (v *preview) show(id string, past *board.Past, words []string) tea.Cmd {
	marked := slices.Equal(words, v.mark)
	if id == v.id && past == v.past && v.about == "" {
		if v.mark = words; !marked {
			v.compose()
		}
		return nil
	}
	v.id, v.past, v.mark, v.about = id, past, words, ""
	if id == "" {
		v.words("", nil)
		return nil
	}
	return v.read()
}

// words shows a text that has no page.
func (v *preview) words(about string, lines []cells.Line) {
	if v.about != about {
		v.doc.Top = 0
	}
	v.id, v.about, v.evidence, v.err = "", about, evidence{}, nil
	v.doc.SetLines(lines)
}

// aboutWorker describes a worker.
func (v *preview) aboutWorker(w *board.Worker) {
	if w == nil {
		v.words("worker", nil)
		return
	}
	st, s, p := v.app.Styles, &v.page.scene, v.page
	x := cells.NewWriter(st, v.w)
	x.Text(w.Name, "")
	x.Line("")
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
		if e.Status == board.WorkerDone {
			x.Field("note", e.Reason)
		} else {
			x.Field("because", e.Reason)
		}
	}
	var claimed []branch
	for i := range s.signals {
		g := s.signals[i]
		if g.Status == board.SignalOpen && g.ClaimedBy == w.Name && g.ClaimedAt(p.moment()) {
			claimed = append(claimed,
				branch{id: g.ID, line: cells.OneLine(g.Content, page.RowRunes)})
		}
	}
	if len(claimed) > 0 {
		x.Heading("Works on")
		for _, c := range claimed {
			x.Link(cells.Fit("  "+st.Key.Render(cells.Fit(c.id, 6))+" "+c.line, x.Width+1), c.id)
		}
	}
	v.words("worker "+w.Name, x.Lines)
}

// aboutReason describes a reason why the gate is closed, if it is not about a signal or
// an entry.
func (v *preview) aboutReason(r *board.Reason) {
	x := cells.NewWriter(v.app.Styles, v.w)
	x.Line(v.app.Styles.Warn.Render(r.Rule) + v.app.Styles.Bad.Render("  keeps the gate closed"))
	x.Line("")
	x.Text(r.Content, "")
	if r.Clear != "" {
		x.Heading("To clear it")
		x.Text(r.Clear, "")
	}
	v.words(strings.TrimSpace(r.Rule+" "+r.Worker), x.Lines)
}

// name returns the subject of the preview.
func (v *preview) name() string {
	if name := cmp.Or(v.evidence.id(), cells.ShortName(v.about, 60)); name != "" {
		return name
	}
	return "Nothing is chosen"
}

// place sets the preview's place on the page.
func (v *preview) place(r page.Rect) {
	w, h := r.W, max(r.H-1, 0)
	v.doc.SetSize(w, h)
	if w != v.w {
		if v.w = w; v.id != "" {
			v.compose()
		}
	}
}

// draw renders the pane. Its links cannot be chosen: enter opens the page with the keys
// for that.
func (v *preview) draw(r page.Rect, focused bool) []string {
	v.doc.At = -1
	return v.app.Styles.Pane(v.name(), v.doc.More(), v.doc.View(), r.W, r.H, focused)
}
