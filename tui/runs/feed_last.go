package runs

import (
	"context"
	"slices"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"blackboard/board"
	"blackboard/tui/keys"
	"blackboard/tui/page"
)

// Results of a filter are read from the newest on, page by page. To jump to the last one
// they are read from the oldest on instead. Then found has the end of the results, and
// more are added above.

// edge handles the keys to the first and last result, and reports whether it had to read
// something.
func (f *feed) edge(msg tea.KeyMsg) (cmd tea.Cmd, ok bool) {
	if !f.narrow {
		return nil, false
	}
	switch {
	case f.more && key.Matches(msg, keys.Last):
		f.list.MoveTo(f.list.Len - 1)
		f.asking, f.stale = true, false
		return f.askLast(), true
	case f.earlier && key.Matches(msg, keys.First):
		f.found, f.earlier = nil, false
		f.list.Follow()
		return f.find(), true
	}
	return nil, false
}

// askLast reads the last results, as many as are shown of the end.
func (f *feed) askLast() tea.Cmd {
	n := pageRows
	if f.earlier {
		n = max(n, len(f.found))
	}
	return f.askOldest(board.Query{Limit: n}, func(rows []entryRow, more bool) {
		chosen := ""
		if f.earlier {
			chosen = f.chosen()
		}
		f.found, f.more, f.earlier = rows, false, more
		at := slices.IndexFunc(rows, func(r entryRow) bool { return r.id == chosen })
		f.list.SetLen(len(rows))
		if at < 0 {
			at = len(rows) - 1
		}
		f.list.MoveTo(at)
	})
}

// needAbove reads more results above the shown ones when the cursor is near the first.
func (f *feed) needAbove() tea.Cmd {
	if f.asking || f.list.Top > 2*f.list.Height || len(f.found) == 0 {
		return nil
	}
	f.asking = true
	newer := board.Query{Limit: pageRows, Since: f.found[0].seq}
	return f.askOldest(newer, func(rows []entryRow, more bool) {
		f.found, f.earlier = append(rows, f.found...), more
		f.list.Grew(len(rows))
	})
}

// askOldest queries entries for the filter, oldest first, and returns them newest first.
func (f *feed) askOldest(part board.Query, took func(rows []entryRow, more bool)) tea.Cmd {
	query, q := f.reading(), f.query().Query
	q.Order, q.Limit, q.Since = board.Oldest, part.Limit, part.Since
	return f.asked.Ask(f.page.app, f.page, func(ctx context.Context) func() tea.Cmd {
		found, err := query(ctx, q)
		rows := make([]entryRow, len(found.Entries))
		for i := range found.Entries {
			rows[len(rows)-1-i] = rowOf(&found.Entries[i])
		}
		return func() tea.Cmd {
			if f.asking = false; err != nil {
				return page.Unread(err)
			}
			took(rows, found.More)
			if f.stale {
				return f.refind()
			}
			return f.need()
		}
	})
}
