package items

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"blackboard/kb/memory"
	"blackboard/tui/cells"
	"blackboard/tui/page"
)

// updateItem changes an item, if its revision is the one that was read. Undo writes the
// old text.
func (m *hands) updateItem(ctx context.Context, it *memory.Item, why string, fn func(*memory.Item)) (page.Outcome, error) {
	now, warnings, err := m.store(ctx, it, it.Revision, why, fn)
	if err != nil {
		return page.Outcome{}, err
	}
	back := func(ctx context.Context) (page.Outcome, error) {
		_, _, err := m.store(ctx, it, now.Revision, "taken back", func(to *memory.Item) {
			to.Title, to.Content, to.Importance, to.Lifetime, to.Tags = it.Title, it.Content, it.Importance, it.Lifetime, it.Tags
		})
		return page.Outcome{Text: it.ID + " says again what it said",
			Kind: page.ChangedMemory}, err
	}
	text := it.ID + " is at revision " + cells.Count(int64(now.Revision)) + warned(warnings)
	return page.Outcome{Text: text,
		Undo: &page.Undo{Text: "give " + it.ID + " back what it said before", Do: back},
		Kind: page.ChangedMemory}, nil
}

func (m *hands) store(ctx context.Context, it *memory.Item, revision int, why string, fn func(*memory.Item)) (now memory.Item, warnings []string, err error) {
	err = m.app.WithMemory(ctx, m.agent, func(s *memory.Store) error {
		out, err := s.Update(ctx, it.ID, memory.UpdateOptions{Revision: &revision, Why: why}, func(to *memory.Item) error { fn(to); return nil })
		now, warnings = out.Item, out.Warnings
		return err
	})
	return now, warnings, err
}

// warned adds warnings to the text of an outcome.
func warned(all []string) string {
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

// writeNamed writes a named entry, if its revision is the one that was read. Undo writes the old
// text.
func (m *hands) writeNamed(ctx context.Context, was *memory.Named, body string) (page.Outcome, error) {
	now, err := m.storeNamed(ctx, was, body, was.Revision)
	if err != nil {
		return page.Outcome{}, err
	}
	back := &page.Undo{Text: now.Name + " had no text before: e changes it"}
	if was.Revision > 0 {
		back.Text = "give " + now.Name + " back what it said before"
		back.Do = func(ctx context.Context) (page.Outcome, error) {
			_, err := m.storeNamed(ctx, &now, was.Body, now.Revision)
			return page.Outcome{Text: now.Name + " says again what it said", Kind: page.ChangedMemory}, err
		}
	}
	text := now.Name + " is at revision " + cells.Count(int64(now.Revision))
	return page.Outcome{Text: text, Undo: back, Kind: page.ChangedMemory}, nil
}

func (m *hands) storeNamed(ctx context.Context, n *memory.Named, body string, revision int) (now memory.Named, err error) {
	err = m.app.WithMemory(ctx, m.agent, func(s *memory.Store) error {
		now, err = s.EditNamed(ctx, n.Name, n.Tier, body, revision)
		return err
	})
	return now, err
}

// forget asks whether to forget something, or to retire a capsule, and shows its text.
func (m *hands) forget(ref Ref) tea.Cmd {
	if !ref.forgettable() {
		return page.Notice(cells.OneLine(ref.ID, 40) + " can be taken away in a shell alone")
	}
	return m.app.Hold(func(ctx context.Context) (tea.Msg, error) {
		if ref.Kind == KindCapsule {
			return m.retire(ctx, ref.ID)
		}
		f, err := readFacts(ctx, m.app, m.agent, ref, false)
		act := page.Act{Heading: fmt.Sprintf("Forget %s (%s)", cells.OneLine(ref.ID, 40), cells.OneLine(f.where, 80)),
			Button: "forget it",
			Intro:  []string{"No read finds it any more. u brings it back.", "“" + cells.OneLine(cmp.Or(f.says, f.body), MaxRunes) + "”"},
			Do:     func(ctx context.Context, why string) (page.Outcome, error) { return m.forgetNow(ctx, ref.ID, why) }}
		if ref.Kind == KindItem { // the memory stores no reason for notes
			act.Why = "Why?"
		}
		return page.OverlayMsg{Over: page.NewAct(m.app, act)}, err
	})
}

// forgettable reports whether d takes it out of use.
func (r Ref) forgettable() bool {
	return r.Kind == KindCapsule || r.Kind == KindItem || r.Kind == KindNote
}

// bringBack restores what was forgotten, archived or retired.
func (m *hands) bringBack(ref Ref) tea.Cmd {
	return m.app.Hold(func(ctx context.Context) (tea.Msg, error) {
		switch ref.Kind {
		case KindCapsule:
			return m.capsuleBack(ctx, ref.ID)
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
	text := id + " is remembered again" + warned(warnings)
	return page.Outcome{Text: text, Undo: back, Kind: page.ChangedMemory}, err
}
