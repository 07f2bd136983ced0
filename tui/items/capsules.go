package items

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"blackboard/board/fault"
	"blackboard/kb"
	"blackboard/tui/cells"
	"blackboard/tui/page"
)

// editCapsule reads the capsule's file. If it was changed meanwhile, the first attempt to save it
// fails; a second one overwrites the change.
func (m *hands) editCapsule(ctx context.Context, id string) (page.Editing, error) {
	k, err := m.app.KB(ctx)
	if err != nil {
		return page.Editing{}, err
	}
	text, seen, err := k.Text(ctx, id)
	return page.Editing{ID: id, Text: string(text), Forces: true,
		Save: func(ctx context.Context, text string, force bool) (page.Outcome, error) {
			return m.saveCapsule(ctx, id, text, &seen, force)
		}}, err
}

// saveCapsule updates a capsule from a text, if it is at the revision that the person has seen.
func (m *hands) saveCapsule(ctx context.Context, id, text string, seen *int, force bool) (page.Outcome, error) {
	k, err := m.app.KB(ctx)
	if err != nil {
		return page.Outcome{}, err
	}
	r, err := k.EditText(ctx, id, []byte(text), kb.EditOptions{Revision: seen, Force: force})
	if err != nil {
		var known *fault.Error
		if errors.As(err, &known) && errors.Is(err, fault.Conflict) && known.ID == id {
			if c, err := k.Get(ctx, id); err == nil {
				*seen = c.Revision
			}
		}
		return page.Outcome{}, err
	}
	return page.Outcome{Text: fmt.Sprintf("%s is at revision %d", id, r.Capsule.Revision), Kind: page.ChangedKnowledge,
		Undo: m.takeBack("undo the edit of "+id, &r.Capsule)}, nil
}

// takeBack restores the revision before an action, unless the capsule was changed since,
// because that change would be undone as well.
func (m *hands) takeBack(text string, made *kb.Capsule) *page.Undo {
	id, n := made.ID, made.Revision
	return &page.Undo{Text: text, Do: func(ctx context.Context) (page.Outcome, error) {
		k, err := m.app.KB(ctx)
		if err != nil {
			return page.Outcome{}, err
		}
		if err := k.PickUp(ctx, id); err != nil {
			return page.Outcome{}, err
		}
		c, err := k.Get(ctx, id)
		if err != nil {
			return page.Outcome{}, err
		}
		if c.Revision != n {
			return page.Outcome{}, fmt.Errorf("%s was changed since, and is at revision %d, not %d: that would be undone too · its page shows by whom", id, c.Revision, n)
		}
		_, err = k.Restore(ctx, id, n-1, "taken back")
		return page.Outcome{Text: fmt.Sprintf("%s is what it was at revision %d", id, n-1), Kind: page.ChangedKnowledge}, err
	}}
}

// capsuleRevisions restores a retired capsule, or lets the person choose a revision.
func (m *hands) capsuleRevisions(ctx context.Context, id string) (tea.Msg, error) {
	f := &facts{ref: Ref{Kind: KindCapsule, ID: id}}
	if err := f.readCapsule(ctx, m.app, false); err != nil {
		return nil, err
	}
	now, of := f.capsule, f.of
	var all []page.Revision
	for i := range slices.Backward(of.events) {
		was := of.events[i].Before
		same := func(r page.Revision) bool { return r.Number == was.Revision }
		if was == nil || was.Revision == now.Revision || slices.ContainsFunc(all, same) {
			continue
		}
		if now.Retired != nil && was.Retired == nil {
			out, err := m.restoreCapsule(ctx, id, was.Revision)
			return page.DoneMsg{Outcome: out, Err: err}, nil
		}
		all = append(all, page.Revision{Number: was.Revision, Note: madeBy(of.events, was.Revision), Text: was.Body,
			Write: func(x *cells.Writer) {
				then := facts{ref: f.ref, capsule: was, of: &capsuleFacts{titles: of.titles}}
				then.lines(x, m.app, m.agent)
			},
			Restore: func(ctx context.Context) (page.Outcome, error) { return m.restoreCapsule(ctx, id, was.Revision) },
		})
	}
	return m.app.PickRevision(id, all), nil
}

// madeBy describes the event that made a revision.
func madeBy(events []kb.Event, n int) string {
	for i := range events {
		if e := &events[i]; e.Revision == n {
			return cells.Clock(e.At) + "  " + e.Verb + " by " + e.Actor + page.Because(e.Why)
		}
	}
	return ""
}

// restoreCapsule restores a revision of a capsule.
func (m *hands) restoreCapsule(ctx context.Context, id string, n int) (page.Outcome, error) {
	k, err := m.app.KB(ctx)
	if err != nil {
		return page.Outcome{}, err
	}
	c, err := k.Restore(ctx, id, n, "")
	text := fmt.Sprintf("%s is what it was at revision %d", id, n)
	return page.Outcome{Text: text, Undo: m.takeBack("undo restoring "+id, &c), Kind: page.ChangedKnowledge}, err
}

// retire asks for the reason to retire a capsule.
func (m *hands) retire(ctx context.Context, id string) (tea.Msg, error) {
	k, err := m.app.KB(ctx)
	if err != nil {
		return nil, err
	}
	c, err := k.Get(ctx, id)
	switch {
	case err != nil:
		return nil, err
	case c.Retired != nil:
		return page.NoticeMsg{Text: id + " is already retired · " + page.KeyReopen.Help().Key + " brings it back"}, nil
	}
	return page.OverlayMsg{Over: page.NewAct(m.app, page.Act{Heading: "Retire " + id, Button: "retire", Why: "Why?",
		Intro: []string{cells.OneLine(c.Title, kb.MaxTitle), "Searches and lists leave it out. It can be restored."},
		Do: func(ctx context.Context, why string) (page.Outcome, error) {
			k, err := m.app.KB(ctx)
			if err != nil {
				return page.Outcome{}, err
			}
			c, err := k.Retire(ctx, id, why)
			return page.Outcome{Text: id + " is retired", Kind: page.ChangedKnowledge, Undo: m.takeBack("restore "+id, &c)}, err
		}})}, nil
}

// capsuleLinks has what a capsule names. Ids of entries are those of the run that it refers to.
func (m *hands) capsuleLinks(ctx context.Context, id string) (page.Linked, error) {
	k, err := m.app.KB(ctx)
	if err != nil {
		return page.Linked{}, err
	}
	c, err := k.Get(ctx, id)
	in := page.Linked{Own: c.ID, Source: c.Source, Texts: append([]string{c.Body}, c.Refs...)}
	for i := range c.Refs {
		if to, _, _ := boardRef(c.Refs, i); to != "" && in.Run == "" {
			in.Run, _, _ = strings.Cut(strings.TrimPrefix(to, toBoard), "/")
		}
	}
	return in, err
}
