package items

import (
	"context"
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"blackboard/kb"
	"blackboard/kb/memory"
	"blackboard/tui/cells"
	"blackboard/tui/page"
)

// write changes an item's or named entry's text at the revision read; undo writes the old one.
func (m *hands) write(ctx context.Context, was *facts, text string) (page.Outcome, error) {
	id := was.ref.ID
	now, also, err := m.store(ctx, was.ref, was.revision, text)
	back := &page.Undo{Text: id + " had no text before: e changes it"}
	if was.revision > 0 {
		back.Text = "give " + id + " back what it said before"
		back.Do = func(ctx context.Context) (page.Outcome, error) {
			_, _, err := m.store(ctx, was.ref, now, was.body)
			return page.Outcome{Text: id + " says again what it said", Kind: page.ChangedMemory}, err
		}
	}
	said := id + " is at revision " + cells.Count(int64(now)) + also
	return page.Outcome{Text: said, Undo: back, Kind: page.ChangedMemory}, err
}

// store writes a text over a revision, and returns the new one and what to say of it.
func (m *hands) store(ctx context.Context, ref Ref, revision int, text string) (now int, also string, err error) {
	err = m.app.WithMemory(ctx, m.agent, func(s *memory.Store) error {
		if ref.Kind == KindNamed {
			n, err := s.EditNamed(ctx, ref.ID, ref.Tier, text, revision)
			now = n.Revision
			return err
		}
		out, err := s.Update(ctx, ref.ID, memory.UpdateOptions{Revision: &revision},
			func(to *memory.Item) error { to.Content = text; return nil })
		now, also = out.Item.Revision, warningSuffix(out.Warnings)
		return err
	})
	return now, also, err
}

// warningSuffix returns warnings as the end of an outcome's text.
func warningSuffix(all []string) string {
	if len(all) == 0 {
		return ""
	}
	return "; " + strings.Join(all, "; ")
}

func (m *hands) forgetNow(ctx context.Context, id, why string) (page.Outcome, error) {
	err := m.app.WithMemory(ctx, m.agent, func(s *memory.Store) error {
		_, err := s.Forget(ctx, id, why, "")
		return err
	})
	back := &page.Undo{Text: "remember " + id + " again",
		Do: func(ctx context.Context) (page.Outcome, error) { return m.restoreNow(ctx, id) }}
	return page.Outcome{Text: id + " is forgotten", Undo: back, Kind: page.ChangedMemory}, err
}

// forget asks whether to forget something, or to retire a capsule, and shows its text.
func (m *hands) forget(ref Ref) tea.Cmd {
	if !ref.canForget() {
		return page.Notice(cells.OneLine(ref.ID, 40) + " can be taken away in a shell alone")
	}
	return m.app.Hold(func(ctx context.Context) (tea.Msg, error) {
		f, err := readFacts(ctx, m.app, m.agent, ref, false)
		act := page.Act{Heading: fmt.Sprintf("Forget %s (%s)", cells.OneLine(ref.ID, 40), cells.OneLine(f.where, 80)),
			Button: "forget it",
			Intro:  []string{"No read finds it any more. u brings it back.", "“" + cells.OneLine(f.says, MaxRunes) + "”"},
			Do:     func(ctx context.Context, why string) (page.Outcome, error) { return m.forgetNow(ctx, ref.ID, why) }}
		switch {
		case ref.Kind == KindItem: // the memory stores no reason for a note
			act.Why = m.app.Form("memory forget", "reason")
		case ref.Kind == KindCapsule && !f.inUse && err == nil:
			return page.NoticeMsg{Text: ref.ID + " is already retired · " + page.KeyReopen.Help().Key + " brings it back"}, nil
		case ref.Kind == KindCapsule:
			act.Heading, act.Button = "Retire "+ref.ID, "retire"
			act.Why = m.app.Form("kb retire", "why")
			act.Intro = []string{cells.OneLine(f.says, kb.MaxTitle), "Searches and lists leave it out. It can be restored."}
			act.Do = func(ctx context.Context, why string) (page.Outcome, error) { return m.retireNow(ctx, ref.ID, why) }
		}
		return page.OverlayMsg{Over: page.NewAct(m.app, act)}, err
	})
}

func (r Ref) canForget() bool {
	return r.Kind == KindCapsule || r.Kind == KindItem || r.Kind == KindNote
}

// bringBack restores what was forgotten, archived or retired.
func (m *hands) bringBack(ref Ref) tea.Cmd {
	return m.app.Hold(func(ctx context.Context) (tea.Msg, error) {
		switch ref.Kind {
		case KindCapsule:
			return m.restoreCapsule(ctx, ref.ID)
		case KindItem:
			out, err := m.restoreNow(ctx, ref.ID)
			return page.DoneMsg{Outcome: out, Err: err}, nil
		}
		return page.NoticeMsg{Text: "this cannot be brought back · u undoes the last action"}, nil
	})
}

// restoreNow restores a forgotten or archived item. Undo forgets it again.
func (m *hands) restoreNow(ctx context.Context, id string) (page.Outcome, error) {
	var warnings []string
	err := m.app.WithMemory(ctx, m.agent, func(s *memory.Store) error {
		r, err := s.Restore(ctx, id)
		warnings = r.Warnings
		return err
	})
	back := &page.Undo{Text: "forget " + id + " again",
		Do: func(ctx context.Context) (page.Outcome, error) { return m.forgetNow(ctx, id, "taken back") }}
	text := id + " is remembered again" + warningSuffix(warnings)
	return page.Outcome{Text: text, Undo: back, Kind: page.ChangedMemory}, err
}
