package page

import (
	"context"
	"errors"
	"fmt"

	tea "github.com/charmbracelet/bubbletea"

	"blackboard/board"
	"blackboard/board/fault"
	kbhome "blackboard/kb/home"
	"blackboard/tui/cells"
)

// Openers return pages by what they show. Package tui sets them: pages do not import each other.
type Openers struct {
	// Run is the page of a run; it shows the entry first, or the last one if that is "".
	Run func(name, entry string) Page
	// Given are the capsules that a run was given; past nil: until now.
	Given func(b *board.Board, past *board.Past) Page
	// Link is the link of an id in a text; its Open is nil if there is no such id.
	Link func(ctx context.Context, in *Linked, id string) TextLink
}

// OpenEntry opens a run's page, on an entry or, without one, alone.
func (a *App) OpenEntry(run, entry string) tea.Cmd {
	return a.Hold(func(ctx context.Context) (tea.Msg, error) {
		b, err := kbhome.Run(ctx, a.Boards, run)
		if errors.Is(err, fault.NotFound) || errors.Is(err, fault.Invalid) {
			const gone = "the board of the run %s is not here: it was removed, or never was on this machine"
			return nil, fmt.Errorf(gone, cells.OneLine(run, 100))
		}
		if err != nil {
			return nil, err
		}
		defer b.Close()
		if entry != "" {
			if _, err := b.Entry(ctx, entry); err != nil {
				return nil, fmt.Errorf("run %s: %w", run, err)
			}
		}
		return PushMsg{a.Open.Run(run, entry)}, nil
	})
}
