package page

import (
	"context"
	"fmt"
	"strconv"

	tea "github.com/charmbracelet/bubbletea"

	"blackboard/tui/cells"
)

// Revision is an earlier text, and the way to restore it.
type Revision struct {
	Number  int
	Note    string // when, by whom, why
	Text    string // for the clipboard
	Write   func(*cells.Writer)
	Restore func(context.Context) (Outcome, error)
}

// PickRevision lets the person choose a revision, newest first. It is shown on a page,
// where it can be restored.
func (a *App) PickRevision(id string, all []Revision) tea.Msg {
	if len(all) == 0 {
		return NoticeMsg{Text: id + " has said nothing else before"}
	}
	var choices []Choice
	for i := range all {
		label := fmt.Sprintf("revision %d", all[i].Number)
		choices = append(choices, Choice{strconv.Itoa(i), label, all[i].Note})
	}
	return OverlayMsg{a.Choose("Which revision of "+cells.OneLine(id, 40)+"?", choices, "", func(value string) tea.Cmd {
		i, _ := strconv.Atoi(value)
		return a.Push(a.revision(id, &all[i]))
	})}
}

// revision shows an earlier revision.
func (a *App) revision(id string, r *Revision) *Text {
	restoring := false
	t := &Text{App: a, Name: fmt.Sprintf("revision %d", r.Number), Write: r.Write}
	t.Heading = func() string {
		return fmt.Sprintf("%s as it was at revision %d", cells.OneLine(id, 40), r.Number)
	}
	t.Heard = func(msg tea.Msg) tea.Cmd {
		done, ok := msg.(DoneMsg)
		if ok && restoring && done.Err == nil {
			return a.Pop(t)
		}
		restoring = restoring && !ok
		return nil
	}
	restore := func() tea.Cmd {
		restoring = true
		return a.Hold(func(ctx context.Context) (tea.Msg, error) {
			out, err := r.Restore(ctx)
			return DoneMsg{Outcome: out, Err: err}, nil
		})
	}
	said := func(context.Context) (string, error) { return r.Text, nil }
	t.Keys = func() Actions {
		return Actions{On(Renamed(KeyReopen, "make it this again"), restore),
			On(KeyCopyText, func() tea.Cmd { return a.CopyWhole(t.Name, said) })}.Also(KeyBack)
	}
	return t
}

// Because writes a reason after what it is for; nothing without one.
func Because(why string) string {
	if why == "" {
		return ""
	}
	return ": " + why
}
