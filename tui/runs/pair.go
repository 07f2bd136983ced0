package runs

import (
	"context"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"blackboard/board"
	"blackboard/board/check"
	"blackboard/tui/cells"
	"blackboard/tui/page"
)

// sideBySide is the least width at which the entries of a pair stand beside each other.
const sideBySide = 90

// pairLines show both entries of a pair; with ways they lead there, and stand beside each other
// if there is room.
func pairLines(x *cells.Writer, f *check.Finding, ways bool) {
	var heads, texts [2]string
	for i, id := range []string{f.ID, f.Other} {
		heads[i] = id
		if f.Pair != nil {
			item := &f.Pair.A
			if i == 1 {
				item = &f.Pair.B
			}
			heads[i] = strings.TrimSpace(id + "  by " + cells.OneLine(item.Worker, 40) + "  " + cells.OneLine(item.Source, 60))
			texts[i] = item.Content
		}
	}
	for i, id := range []string{f.ID, f.Other} {
		head := cells.FitLeft(heads[i], min(cells.Width(heads[i]), x.Width))
		switch {
		case ways:
			x.Link(cells.Fit(heads[i], x.Width), id)
		case i > 0:
			x.Line("")
			fallthrough
		default:
			x.Line(x.Styles.Key.Render(head))
		}
		if !ways || x.Width < sideBySide {
			x.Text(texts[i], "▏ ")
		}
	}
	if ways && x.Width >= sideBySide {
		x.Line("")
		x.Beside(f.ID+"\n"+texts[0], f.Other+"\n"+texts[1])
	}
	if f.Pair != nil && len(f.Pair.Why) > 1 {
		x.Heading("Also")
		for _, why := range f.Pair.Why[1:] {
			x.Text(why, "  ")
		}
	}
}

// pairPage shows two entries that may contradict each other.
type pairPage struct {
	page.Plain
	app   *page.App
	name  string // of the run
	b     *board.Board
	found *check.Finding
	doc   page.Document
	w     int

	settling *page.Form // that asks why both hold, or which does not
}

func newPairPage(a *page.App, name string, b *board.Board, f *check.Finding) *pairPage {
	return &pairPage{app: a, name: name, b: b, found: f, doc: page.Document{App: a}}
}

func (p *pairPage) Update(msg tea.Msg) tea.Cmd {
	if done, ok := msg.(page.DoneMsg); ok {
		if done.Err == nil && done.Form != nil && done.Form == p.settling {
			return p.app.Pop(p) // it is a pair no more
		}
		return nil
	}
	return p.doc.Take(msg, p.Actions, p.follow)
}

// settle asks why both entries hold.
func (p *pairPage) settle() tea.Cmd {
	id, other := p.found.ID, p.found.Other
	intro := []string{cells.OneLine(p.found.Why, 300)}
	if c := p.found.Pair; c != nil {
		intro = append(intro, id+": "+cells.OneLine(c.A.Content, 300), other+": "+cells.OneLine(c.B.Content, 300))
	}
	reason := &page.Field{Name: "reason", Label: "Why do both hold? (goes on record)",
		Required: true}
	p.settling = page.NewForm(p.app,
		page.Form{Heading: "Settle " + id + " and " + other, Intro: intro,
			Button: "settle", Fields: []*page.Field{reason}, Submit: func(ctx context.Context, v page.Values) (page.Outcome, error) {
				_, err := p.b.Settle(ctx, p.app.Worker, id, other, v["reason"])
				return page.Outcome{Text: id + " and " + other + " are settled",
					Kind: page.ChangedRun}, err
			}})
	return p.app.Overlay(p.settling)
}

// supersede asks whether the other entry takes the place of the chosen one.
func (p *pairPage) supersede() tea.Cmd {
	id, by := p.doc.Chosen(), p.found.Other
	if id == by {
		by = p.found.ID
	}
	p.settling = page.NewForm(p.app, page.Form{Heading: by + " supersedes " + id, Button: "supersede",
		Intro: []string{id + " is wrong, or holds no more. It stays on the board, and no report needs it."},
		Submit: func(ctx context.Context, _ page.Values) (page.Outcome, error) {
			_, err := p.b.Link(ctx, p.app.Worker, by, board.Links{Supersedes: []string{id}})
			return page.Outcome{Text: by + " supersedes " + id, Kind: page.ChangedRun,
				Undo: &page.Undo{Text: id + " stays superseded: nothing is deleted; post what holds"}}, err
		}})
	return p.app.Overlay(p.settling)
}

// follow shows the chosen entry.
func (p *pairPage) follow() tea.Cmd {
	if id := p.doc.Chosen(); id != "" {
		return p.app.Push(p.app.Open.Entry(p.name, p.b, id, nil))
	}
	return nil
}

func (p *pairPage) SetSize(w, h int) {
	p.w = w
	p.doc.SetSize(w, h-1)
	x := cells.NewWriter(p.app.Styles, w)
	x.Text(p.found.Why, "")
	x.Line("")
	pairLines(x, p.found, true)
	if clear := p.found.In(p.app.Words); clear != "" {
		x.Heading("To clear it")
		x.Text(clear, "")
	}
	p.doc.SetLines(x.Lines)
}

func (p *pairPage) View() []string {
	heading := p.found.ID + " and " + p.found.Other + " may contradict each other"
	return append([]string{p.app.Styles.Heading(heading, p.doc.More(), p.w, true)},
		p.doc.View()...)
}

func (p *pairPage) Title() string { return "pair" }

func (p *pairPage) Actions() page.Actions {
	all := p.doc.PlaceActions(p.follow, "the other entry", "the other entry")
	all = append(all, page.On(page.KeySettle, p.settle), page.On(page.Renamed(page.KeyPutAway, "this one is superseded"), p.supersede))
	id := func() tea.Cmd { return p.app.CopyText(p.doc.Chosen()) }
	return append(all, page.On(page.KeyCopyID, id)).Also(page.MovingKeys()...)
}
