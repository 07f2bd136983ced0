package knowledge

import (
	"context"
	"errors"
	"fmt"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"blackboard/board/fault"
	"blackboard/kb"
	"blackboard/tui/cells"
	"blackboard/tui/page"
)

// edit opens the capsule's file in the editor. If it was changed meanwhile, the first
// attempt to save it fails; a second one overwrites the change.
func (p *CapsulePage) edit() tea.Cmd {
	return p.app.Edit(p, func(ctx context.Context) (page.Editing, error) {
		k, err := p.app.KB(ctx)
		if err != nil {
			return page.Editing{}, err
		}
		text, seen, err := k.Text(ctx, p.id)
		return page.Editing{ID: p.id, Text: string(text), Forces: true,
			Save: func(ctx context.Context, text string, force bool) (page.Outcome, error) {
				return p.save(ctx, text, &seen, force)
			}}, err
	})
}

// save updates the capsule from the text, if it is at the revision that the person has seen.
func (p *CapsulePage) save(ctx context.Context, text string, seen *int, force bool) (page.Outcome, error) {
	k, err := p.app.KB(ctx)
	if err != nil {
		return page.Outcome{}, err
	}
	r, err := k.EditText(ctx, p.id, []byte(text), kb.EditOptions{Revision: seen, Force: force})
	if err != nil {
		var known *fault.Error
		if errors.As(err, &known) && errors.Is(err, fault.Conflict) && known.ID == p.id {
			if c, err := k.Get(ctx, p.id); err == nil {
				*seen = c.Revision
			}
		}
		return page.Outcome{}, err
	}
	back := p.restore("undo the edit of "+p.id, r.Capsule.Revision)
	return page.Outcome{Text: fmt.Sprintf("%s is at revision %d", p.id, r.Capsule.Revision), Kind: page.ChangedKnowledge, Undo: back}, nil
}

// restore restores the revision before an action, unless the capsule was changed since,
// because that change would be undone as well.
func (p *CapsulePage) restore(text string, made int) *page.Undo {
	return &page.Undo{Text: text, Do: func(ctx context.Context) (page.Outcome, error) {
		k, err := p.app.KB(ctx)
		if err != nil {
			return page.Outcome{}, err
		}
		if err := k.PickUp(ctx, p.id); err != nil {
			return page.Outcome{}, err
		}
		c, err := k.Get(ctx, p.id)
		if err != nil {
			return page.Outcome{}, err
		}
		if c.Revision != made {
			return page.Outcome{}, fmt.Errorf("%s was changed since, and is at revision %d, not %d: that would be undone too · i on its page shows by whom", p.id, c.Revision, made)
		}
		_, err = k.Restore(ctx, p.id, made-1, "taken back")
		return page.Outcome{Text: fmt.Sprintf("%s is what it was at revision %d", p.id, made-1), Kind: page.ChangedKnowledge}, err
	}}
}

// bringBack restores a retired capsule, or lets the person choose a revision.
func (p *CapsulePage) bringBack() tea.Cmd {
	now := p.capsule
	var all []page.Revision
	for i := range slices.Backward(p.events) {
		was := p.events[i].Before
		same := func(r page.Revision) bool { return r.Number == was.Revision }
		if was == nil || was.Revision == now.Revision || slices.ContainsFunc(all, same) {
			continue
		}
		if now.Retired != nil && was.Retired == nil {
			return p.app.Hold(func(ctx context.Context) (tea.Msg, error) {
				out, err := p.restoreTo(ctx, was.Revision)
				return page.DoneMsg{Outcome: out, Err: err}, nil
			})
		}
		all = append(all, page.Revision{
			Number: was.Revision, Note: p.madeBy(was.Revision), Text: was.Body,
			Lines: func(w int) []cells.Line {
				then := CapsulePage{app: p.app, id: p.id, capsule: was, titles: p.titles, w: w}
				return then.lines()
			},
			Restore: func(ctx context.Context) (page.Outcome, error) { return p.restoreTo(ctx, was.Revision) },
		})
	}
	return p.app.Soon(p.app.PickRevision(p.id, all))
}

// madeBy describes the event that made a revision.
func (p *CapsulePage) madeBy(n int) string {
	for i := range p.events {
		if e := &p.events[i]; e.Revision == n {
			return cells.Clock(e.At) + "  " + e.Verb + " by " + e.Actor + page.Because(e.Why)
		}
	}
	return ""
}

// restoreTo restores a revision of the capsule.
func (p *CapsulePage) restoreTo(ctx context.Context, n int) (page.Outcome, error) {
	k, err := p.app.KB(ctx)
	if err != nil {
		return page.Outcome{}, err
	}
	c, err := k.Restore(ctx, p.id, n, "")
	back := p.restore("undo restoring "+p.id, c.Revision)
	text := fmt.Sprintf("%s is what it was at revision %d", p.id, n)
	return page.Outcome{Text: text, Undo: back, Kind: page.ChangedKnowledge}, err
}

// retire asks for the reason to retire the capsule.
func (p *CapsulePage) retire() tea.Cmd {
	if p.capsule.Retired != nil {
		return page.Notice(p.id + " is already retired · " + page.KeyReopen.Help().Key +
			" brings it back")
	}
	intro := []string{cells.OneLine(p.capsule.Title, kb.MaxTitle), "Searches and lists leave it out. It can be restored."}
	return p.app.Overlay(page.NewForm(p.app,
		page.Form{Heading: "Retire " + p.id, Intro: intro, Button: "retire", Fields: []*page.Field{
			{Name: "why", Label: "Why?", Hint: "goes on record; may be empty"},
		}, Submit: func(ctx context.Context, v page.Values) (page.Outcome, error) {
			k, err := p.app.KB(ctx)
			if err != nil {
				return page.Outcome{}, err
			}
			c, err := k.Retire(ctx, p.id, v["why"])
			if err != nil {
				return page.Outcome{}, err
			}
			return page.Outcome{Text: p.id + " is retired", Kind: page.ChangedKnowledge, Undo: p.restore("restore "+p.id, c.Revision)}, nil
		}}))
}
