package tui

import (
	"context"

	tea "github.com/charmbracelet/bubbletea"

	"blackboard/board"
	"blackboard/kb"
	"blackboard/kb/memory"
	"blackboard/tui/cells"
	"blackboard/tui/items"
	"blackboard/tui/page"
	"blackboard/tui/runs"
)

func openersOf(a *page.App) page.Openers {
	return page.Openers{
		Run: func(name, entry string) page.Page {
			return runs.NewAt(a, name, entry)
		},
		Given: func(b *board.Board, past *board.Past) page.Page { return items.NewGiven(a, b, past) },
		Link: func(ctx context.Context, in *page.Linked, id string) page.TextLink {
			return idLink(ctx, a, in, id)
		},
	}
}

// idLink returns the link of an id, without Open if it does not exist.
func idLink(ctx context.Context, a *page.App, in *page.Linked, id string) (l page.TextLink) {
	l.Name = id
	switch {
	case page.EntryOrSignalID.MatchString(id) && in.Board != nil:
		line, there := runs.LineOf(ctx, in.Board, in.Past, id)
		if !there {
			return l
		}
		l.Note = line
		l.Open = func() tea.Cmd {
			return a.Push(runs.NewEntry(a, in.Run, in.Board, id, in.Past))
		}
	case page.EntryOrSignalID.MatchString(id) && in.Run != "" && !page.IsSignal(id):
		l.Note = "of the run " + in.Run
		l.Open = func() tea.Cmd { return a.OpenEntry(in.Run, id) }
	case page.CapsuleID.MatchString(id):
		k, err := a.KB(ctx)
		if err != nil {
			return l
		}
		if c, err := k.Get(ctx, id); err == nil {
			l.Note = cells.OneLine(c.Title, kb.MaxTitle)
			l.Open = func() tea.Cmd { return a.Push(items.NewCapsule(a, id)) }
		}
	case page.ItemID.MatchString(id):
		_ = a.WithMemory(ctx, in.Agent, func(s *memory.Store) error {
			it, err := s.Peek(ctx, id)
			if err == nil {
				ref := items.Ref{Kind: items.KindItem, ID: id, Tier: it.Tier}
				l.Note = items.Headline(&it)
				l.Open = func() tea.Cmd { return a.Push(items.NewDetail(a, in.Agent, ref)) }
			}
			return err
		})
	}
	return l
}
