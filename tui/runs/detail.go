package runs

import (
	"context"

	tea "github.com/charmbracelet/bubbletea"

	"blackboard/board"
	"blackboard/tui/cells"
	"blackboard/tui/page"
)

// NewEntry shows an entry or a signal as of a moment; past nil: as it is now.
func NewEntry(
	a *page.App, name string, b *board.Board, id string, past *board.Past,
) page.Page {
	var found itemDetail // what is shown
	kind := "Entry "
	if page.IsSignal(id) {
		kind = "Question "
	}
	t := &page.Text{App: a, Name: id, Link: "link", Heading: func() string { return kind + id }}
	t.Read = func(ctx context.Context) (func(*cells.Writer), error) {
		read, err := readEvidence(ctx, b, a.Files, past, id)
		return func(x *cells.Writer) {
			found = read
			found.write(x, a.Now())
		}, err
	}
	t.Heard = func(msg tea.Msg) tea.Cmd {
		events, ok := msg.(page.EventsMsg)
		if done, acted := msg.(page.DoneMsg); past == nil &&
			(ok && events.From.Board() == b && events.Err == nil || acted && done.Kind == page.ChangedRun) {
			return t.Reload()
		}
		return nil
	}
	t.Follow = func(to string) tea.Cmd { return a.Push(NewEntry(a, name, b, to, past)) }
	t.Keys = func() (all page.Actions) {
		if found.id != "" {
			all = append(all, (&acts{a, name, b, past != nil}).actions(id, found.signal)...)
		}
		return append(all, page.On(page.KeyCopyID, func() tea.Cmd { return a.CopyText(id) }),
			page.On(page.KeyCopyText, func() tea.Cmd { return copyContent(a, b, id) })).Also(page.KeySearch, page.KeyBack)
	}
	return t
}

func copyContent(a *page.App, b *board.Board, id string) tea.Cmd {
	if id == "" {
		return nil
	}
	return a.CopyWhole(id, func(ctx context.Context) (string, error) {
		found, err := readOne(ctx, b, nil, id)
		return found.content, err
	})
}
