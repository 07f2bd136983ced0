package page

import (
	"context"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"blackboard/board/op"
)

// Editing is a stored text that is changed in the editor. Nothing of it is lost: the file of
// a failed editor stays, and a refused text is edited again.
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
				return a.saveEdited(of, &e, text, err)
			})
		}}, err
	})
}

// saveEdited saves the edited text.
func (a *App) saveEdited(of Page, e *Editing, text string, err error) tea.Cmd {
	switch {
	case err != nil:
		return NoticeError(err)
	case strings.TrimSpace(text) == strings.TrimSpace(e.Text):
		return Notice(e.ID + " is as it was")
	}
	return a.Hold(func(ctx context.Context) (tea.Msg, error) {
		out, err := e.Save(ctx, text, false)
		if err != nil {
			return OverlayMsg{a.refusalForm(of, e, text, err)}, nil
		}
		return DoneMsg{Outcome: out}, nil
	})
}

// refusalForm returns the form that asks what to do with a text that could not be saved.
func (a *App) refusalForm(of Page, e *Editing, text string, why error) *Form {
	const again, anyway = "edit it again", "save it all the same"
	choices := []string{again}
	if e.Forces {
		choices = append(choices, anyway)
	}
	f := NewForm(a, Form{Heading: "Edit " + e.ID, Intro: []string{"It is not saved: " + a.Explain(why)}, Button: "do it",
		Fields: []*Field{{Asked: op.Asked{Name: "then", Label: "Then", Choices: choices}}},
		Submit: func(ctx context.Context, v Values) (Outcome, error) {
			if v["then"] == anyway {
				return e.Save(ctx, text, true)
			}
			return Outcome{Text: e.ID + " is not saved yet"}, nil
		}})
	f.Tried = func(err error) tea.Cmd {
		if err != nil || f.Values()["then"] == anyway {
			return nil
		}
		return a.EditText(of, text, ".md", func(text string, err error) tea.Cmd { return a.saveEdited(of, e, text, err) })
	}
	f.Began = nil // it is stored nowhere else, so discarding it needs a second key
	return f
}
