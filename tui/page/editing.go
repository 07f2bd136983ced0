package page

import (
	"context"
	"errors"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"blackboard/board/fault"
)

// Editing is a stored text that is changed in the editor. Nothing of it is lost: the file of
// a failed editor stays, and a refused text is shown in a form.
type Editing struct {
	ID   string
	Text string // as it was read
	// Save saves the text; by force although it resembles another or seems to hold a secret.
	Save   func(ctx context.Context, text string, force bool) (Outcome, error)
	Forces bool // Save heeds force
}

// Edit opens the text that read returns in the editor, and saves it.
func (a *App) Edit(of Page, read func(context.Context) (Editing, error)) tea.Cmd {
	return a.Hold(func(ctx context.Context) (tea.Msg, error) {
		e, err := read(ctx)
		return Answer{To: of, Take: func() tea.Cmd {
			return a.EditText(of, e.Text, ".md", func(text string, err error) tea.Cmd {
				return a.edited(&e, text, err)
			})
		}}, err
	})
}

// edited saves the edited text.
func (a *App) edited(e *Editing, text string, err error) tea.Cmd {
	switch {
	case err != nil:
		return NoticeError(err)
	case strings.TrimSpace(text) == strings.TrimSpace(e.Text):
		return Notice(e.ID + " is as it was")
	}
	return a.Hold(func(ctx context.Context) (tea.Msg, error) {
		out, err := e.Save(ctx, text, false)
		if err != nil {
			return OverlayMsg{a.refused(e, text, err)}, nil
		}
		return DoneMsg{Outcome: out}, nil
	})
}

// refused is the form of a text that could not be saved.
func (a *App) refused(e *Editing, text string, why error) *Form {
	intro := []string{"It is not saved: " + a.Explain(why)}
	if e.Forces && errors.Is(why, fault.Conflict) {
		intro[0] = "It is not saved yet. Saving it replaces what others changed meanwhile; both stay in the history."
	}
	if strings.Contains(text, "\t") {
		intro = append(intro, "If it is changed here its tabs become blanks.")
	}
	fields := []*Field{{Name: "text", Label: "What you have written", Value: text, Lines: 30, Required: true}}
	if e.Forces {
		fields = append(fields, &Field{Name: "force", Label: "Even if it resembles another or looks like a secret", Choices: []string{"no", "yes"}})
	}
	f := NewForm(a, Form{Heading: "Edit " + e.ID, Intro: intro, Button: "save", Fields: fields,
		Submit: func(ctx context.Context, v Values) (Outcome, error) {
			return e.Save(ctx, v["text"], v["force"] == "yes")
		}})
	f.Began, f.Err = nil, why // it is stored nowhere else, so discarding it needs a second key
	return f
}
