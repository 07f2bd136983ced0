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

// minBesideWidth is the least width at which the entries of a pair stand beside each other.
const minBesideWidth = 90

// pairLines show both entries of a pair, beside each other if there is room.
func pairLines(x *cells.Writer, f *check.Finding) {
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
		x.Link(x.Styles.Key.Render(cells.Fit(heads[i], x.Width)), id)
		if x.Width < minBesideWidth {
			x.Text(texts[i], "▏ ")
		}
	}
	if x.Width >= minBesideWidth {
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

func newPairPage(a *page.App, name string, b *board.Board, f *check.Finding) *page.Text {
	t := &page.Text{App: a, Name: "pair", Link: "entry",
		Heading: func() string { return f.ID + " and " + f.Other + " may contradict each other" },
		Follow:  func(id string) tea.Cmd { return a.Push(NewEntry(a, name, b, id, nil)) }}
	t.Write = func(x *cells.Writer) {
		x.Text(f.Why, "")
		x.Line("")
		pairLines(x, f)
		x.Heading("To clear it")
		x.Text("b settles them, if both hold · d lets the other one supersede the chosen one", "")
	}
	var settling *page.Form // asks why both hold, or which does not
	ask := func(form func(*page.App, *board.Board, *check.Finding, string) *page.Form) func() tea.Cmd {
		return func() tea.Cmd {
			settling = form(a, b, f, t.Doc.Chosen())
			return a.Overlay(settling)
		}
	}
	t.Heard = func(msg tea.Msg) tea.Cmd {
		if done, ok := msg.(page.DoneMsg); ok && done.Err == nil && done.Form != nil && done.Form == settling {
			return a.Pop(t) // it is a pair no more
		}
		return nil
	}
	t.Keys = func() page.Actions {
		return page.Actions{page.On(page.KeySettle, ask(settleForm)),
			page.On(page.Renamed(page.KeyPutAway, "this one is superseded"), ask(supersedeForm)),
			page.On(page.KeyCopyID, func() tea.Cmd { return a.CopyText(t.Doc.Chosen()) })}
	}
	return t
}

// settleForm asks why both entries hold.
func settleForm(a *page.App, b *board.Board, f *check.Finding, _ string) *page.Form {
	intro := []string{cells.OneLine(f.Why, 300)}
	if c := f.Pair; c != nil {
		intro = append(intro, f.ID+": "+cells.OneLine(c.A.Content, 300), f.Other+": "+cells.OneLine(c.B.Content, 300))
	}
	return page.NewAct(a, page.Act{Heading: "Settle " + f.ID + " and " + f.Other, Intro: intro, Button: "settle",
		Why: a.Form("accept", "reason"), Do: func(ctx context.Context, why string) (page.Outcome, error) {
			_, err := b.Settle(ctx, a.Worker, f.ID, f.Other, why)
			return changedRun(f.ID+" and "+f.Other+" are settled", nil), err
		}})
}

// supersedeForm asks whether the other entry takes the place of the chosen one.
func supersedeForm(a *page.App, b *board.Board, f *check.Finding, id string) *page.Form {
	by := f.Other
	if id == by {
		by = f.ID
	}
	return page.NewAct(a, page.Act{Heading: by + " supersedes " + id, Button: "supersede",
		Intro: []string{id + " is wrong, or holds no more. It stays on the board, and no report needs it."},
		Do: func(ctx context.Context, _ string) (page.Outcome, error) {
			_, err := b.Link(ctx, a.Worker, by, board.Links{Supersedes: []string{id}})
			return changedRun(by+" supersedes "+id,
				&page.Undo{Text: id + " stays superseded: nothing is deleted; post what holds"}), err
		}})
}
