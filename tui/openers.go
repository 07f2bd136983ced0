package tui

import (
	"context"

	tea "github.com/charmbracelet/bubbletea"

	"blackboard/board"
	"blackboard/kb"
	"blackboard/kb/memory"
	"blackboard/tui/cells"
	"blackboard/tui/knowledge"
	"blackboard/tui/memories"
	"blackboard/tui/page"
	"blackboard/tui/runs"
)

// openersOf returns how pages open those of other packages.
func openersOf(a *page.App) page.Openers {
	return page.Openers{
		Run: func(name, entry string) page.Page {
			return runs.NewAt(a, name, entry)
		},
		Entry: func(run string, b *board.Board, id string, past *board.Past) page.Page {
			return runs.NewEntry(a, run, b, id, past)
		},
		Check: func(run string, b *board.Board, step string) page.Page {
			return runs.NewCheckPage(a, run, b, step)
		},
		Given:   func(b *board.Board, past *board.Past) page.Page { return knowledge.NewGiven(a, b, past) },
		Capsule: func(id string) page.Page { return knowledge.NewCapsule(a, id) },
		Correct: func(run string, b *board.Board, id string) tea.Cmd { return runs.Correct(a, run, b, id) },
		Link: func(ctx context.Context, in *page.Linked, id string) page.TextLink {
			return idLink(ctx, a, in, id)
		},
	}
}

// idLink returns the link of an id, if it exists.
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
			return a.Push(a.Open.Entry(in.Run, in.Board, id, in.Past))
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
			l.Open = func() tea.Cmd { return a.Push(knowledge.NewCapsule(a, id)) }
		}
	case page.ItemID.MatchString(id):
		_ = a.WithMemory(ctx, in.Agent, func(s *memory.Store) error {
			it, err := s.Peek(ctx, id)
			if err == nil {
				ref := memories.Ref{Kind: memories.KindItem, ID: id, Tier: it.Tier}
				l.Note = memories.Headline(&it)
				l.Open = func() tea.Cmd { return a.Push(memories.NewDetail(a, in.Agent, ref, nil)) }
			}
			return err
		})
	}
	return l
}
