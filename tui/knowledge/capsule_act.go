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
	"blackboard/tui/keys"
	"blackboard/tui/page"
	"blackboard/tui/prose"
)

// capsuleEdit is a capsule's file while it is edited. The text is kept until it is saved
// or discarded: the file of a failed editor stays, and a refused text is shown in a form.
type capsuleEdit struct {
	from     *CapsulePage
	text     string // the original text
	revision int    // the revision that the person has seen
}

// edit opens the capsule's file in the editor.
func (p *CapsulePage) edit() tea.Cmd {
	return p.app.Hold(func(ctx context.Context) (tea.Msg, error) {
		e, err := p.toEdit(ctx)
		return page.Answer{To: p,
			Take: func() tea.Cmd { return p.app.EditText(p, e.text, ".md", e.edited) }}, err
	})
}

func (p *CapsulePage) toEdit(ctx context.Context) (*capsuleEdit, error) {
	k, err := p.app.KB(ctx)
	if err != nil {
		return nil, err
	}
	text, revision, err := k.Text(ctx, p.id)
	return &capsuleEdit{p, string(text), revision}, err
}

// edited saves the edited text. If it is refused, a form shows the text and the reason.
func (e *capsuleEdit) edited(text string, err error) tea.Cmd {
	if err != nil {
		return page.NoticeError(err)
	}
	if text == e.text {
		return page.Notice(e.from.id + " is as it was")
	}
	return e.from.app.Hold(func(ctx context.Context) (tea.Msg, error) {
		out, err := e.save(ctx, text, false)
		if err != nil {
			return page.OverlayMsg{Over: e.form(text, err)}, nil
		}
		return page.DoneMsg{Outcome: out}, nil
	})
}

// save updates the capsule from the text. If it was changed meanwhile, the first attempt
// fails; a second one overwrites the change.
func (e *capsuleEdit) save(ctx context.Context, text string, force bool) (page.Outcome, error) {
	id := e.from.id
	k, err := e.from.app.KB(ctx)
	if err != nil {
		return page.Outcome{}, err
	}
	r, err := k.EditText(ctx, id, []byte(text), kb.EditOptions{Revision: &e.revision, Force: force})
	if err != nil {
		var known *fault.Error
		if errors.As(err, &known) && errors.Is(err, fault.Conflict) && known.ID == id {
			if c, err := k.Get(ctx, id); err == nil {
				e.revision = c.Revision
			}
		}
		return page.Outcome{}, err
	}
	if r.Unchanged {
		return page.Outcome{Text: id + " is as it was"}, nil
	}
	back := e.from.restore("undo the edit of "+id, r.Capsule.Revision)
	return page.Outcome{Text: fmt.Sprintf("%s is at revision %d", id, r.Capsule.Revision), Kind: page.ChangedKnowledge, Undo: back}, nil
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
			Lines: func(w int) []prose.Line {
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

// form shows a text that could not be saved.
func (e *capsuleEdit) form(text string, why error) *page.Form {
	intro := []string{"It is not saved: " + e.from.app.Explain(why)}
	if errors.Is(why, fault.Conflict) {
		intro[0] = "It is not saved yet. Saving it replaces what others changed meanwhile; both stay in the history."
	}
	intro = append(intro, page.AboutTabs(text)...)
	f := page.NewForm(e.from.app, page.Form{Heading: "Edit " + e.from.id, Intro: intro, Button: "save", Fields: []*page.Field{
		{Name: "text", Label: "What you have written", Value: text, Lines: 30, Required: true},
		{Name: "force", Label: "Even if it resembles another or looks like a secret", Choices: []string{"no", "yes"}},
	}, Submit: func(ctx context.Context, v page.Values) (page.Outcome, error) {
		return e.save(ctx, v["text"], v["force"] == "yes")
	}})
	f.Began, f.Err = nil, why // it is stored nowhere else, so discarding it needs a second key
	return f
}

// retire asks for the reason to retire the capsule.
func (p *CapsulePage) retire() tea.Cmd {
	if p.capsule.Retired != nil {
		return page.Notice(p.id + " is already retired · " + keys.Reopen.Help().Key +
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
