package page

import (
	"context"
	"errors"

	tea "github.com/charmbracelet/bubbletea"

	"blackboard/board/fault"
	"blackboard/tui/cells"
)

// Text is a page of text below a heading, with lines that are links. Fields may be nil.
type Text struct {
	Plain
	App     *App
	Name    string // in the path of pages
	Heading func() string
	// Read reads what the text is about, one goroutine at a time, and returns what writes it.
	Read  func(context.Context) (write func(*cells.Writer), err error)
	Write func(*cells.Writer) // what was read; without Read, all there is
	// Heard handles messages that are no keys.
	Heard  func(tea.Msg) tea.Cmd
	Follow func(to string) tea.Cmd // opens a link
	Link   string                  // what a link leads to, in a word
	Keys   func() Actions

	Doc     Document
	err     error
	reading Once
	w       int
}

func (t *Text) Init() tea.Cmd {
	t.Doc.App = t.App
	return t.Reload()
}

// Reload reads it again, once at a time.
func (t *Text) Reload() tea.Cmd {
	if t.Read == nil || !t.reading.Begin() {
		return nil
	}
	return t.App.Ask(t, func(ctx context.Context) func() tea.Cmd {
		write, err := t.Read(ctx)
		return func() tea.Cmd {
			again := t.reading.End()
			if t.err = err; err == nil {
				t.Write = write
			}
			if t.compose(); again {
				return t.Reload()
			}
			return nil
		}
	})
}

func (t *Text) Update(msg tea.Msg) tea.Cmd {
	if msg, ok := msg.(tea.KeyMsg); ok {
		if cmd, ok := t.Actions().Press(msg); ok {
			return cmd
		}
		t.Doc.Update(msg)
		return nil
	}
	if t.Heard == nil {
		return nil
	}
	return t.Heard(msg)
}

func (t *Text) follow() tea.Cmd {
	if to := t.Doc.Chosen(); to != "" && t.Follow != nil {
		return t.Follow(to)
	}
	return nil
}

// SetSize lays out the text anew, since it is wrapped.
func (t *Text) SetSize(w, h int) {
	t.Doc.App, t.w = t.App, w
	t.Doc.SetSize(w, h-1)
	t.compose()
}

// compose lays out the text. It runs after changes, not for each view.
func (t *Text) compose() {
	switch {
	case t.w == 0: // the size is unknown yet
	case t.err != nil && (t.Write == nil || !errors.Is(t.err, fault.Away)): // else what was read stays
		t.Doc.SetText(cells.Wrap(t.App.Explain(t.err), t.w-2)...)
	case t.Write == nil:
		t.Doc.SetText("reading…")
	default:
		x := cells.NewWriter(t.App.Styles, t.w)
		t.Write(x)
		if t.Follow == nil {
			for i := range x.Lines {
				x.Lines[i].To = ""
			}
		}
		t.Doc.SetLines(x.Lines)
	}
}

func (t *Text) View() []string {
	return append([]string{t.App.Styles.Heading(t.Heading(), t.Doc.More(), t.w, true)},
		t.Doc.View()...)
}

func (t *Text) Title() string { return t.Name }

// Actions returns the keys for links, those of the page, and those of every text.
func (t *Text) Actions() (all Actions) {
	links := t.Follow != nil && len(t.Doc.Links) > 0
	if links {
		all = Actions{On(Renamed(KeyOpen, "go there"), t.follow)}
	}
	if t.Keys != nil {
		all = append(all, t.Keys()...)
	}
	if links {
		all = all.Also(Renamed(KeyNext, "next "+t.Link), Renamed(KeyPrevious, t.Link+" before"))
	}
	if t.Read != nil {
		all = append(all, On(KeyRefresh, t.Reload))
	}
	return all.Also(MovingKeys()...)
}
