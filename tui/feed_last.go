package tui

import (
	"context"
	"slices"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"

	"blackboard/board"
	"blackboard/tui/keys"
)

// What a filter has found is read from the newest on, a page at a time. To go to the last
// of it at once it is read from the oldest on instead: then found is its end, and more of
// it comes above.

// edge takes a key that goes to the first or the last of what a filter has found, and
// reports whether it was one for which something has to be read.
func (f *feed) edge(msg tea.KeyMsg) (cmd tea.Cmd, ok bool) {
	if !f.narrow {
		return nil, false
	}
	switch {
	case f.more && key.Matches(msg, keys.Last):
		f.list.moveTo(f.list.n - 1)
		f.asking, f.stale = true, false
		return f.askLast(), true
	case f.earlier && key.Matches(msg, keys.First):
		f.found, f.earlier = nil, false
		f.list.follow()
		return f.find(), true
	}
	return nil, false
}

// askLast asks for the last of what passes the filter, as many as are shown of its end.
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
		f.list.setLen(len(rows))
		if at < 0 {
			at = len(rows) - 1
		}
		f.list.moveTo(at)
	})
}

// needAbove asks for more of what was found above what is shown, when its beginning comes
// near.
func (f *feed) needAbove() tea.Cmd {
	if f.asking || f.list.top > 2*f.list.h || len(f.found) == 0 {
		return nil
	}
	f.asking = true
	newer := board.Query{Limit: pageRows, Since: f.found[0].seq}
	return f.askOldest(newer, func(rows []entryRow, more bool) {
		f.found, f.earlier = append(rows, f.found...), more
		f.list.grew(len(rows))
	})
}

// askOldest asks for entries that pass the filter, the oldest first, and hands them over
// the newest first.
func (f *feed) askOldest(part board.Query, took func(rows []entryRow, more bool)) tea.Cmd {
	query, q := f.reading(), f.query().Query
	q.Order, q.Limit, q.Since = board.Oldest, part.Limit, part.Since
	return f.asked.ask(f.page.app, f.page, func(ctx context.Context) func() tea.Cmd {
		found, err := query(ctx, q)
		rows := make([]entryRow, len(found.Entries))
		for i := range found.Entries {
			rows[len(rows)-1-i] = rowOf(&found.Entries[i])
		}
		return func() tea.Cmd {
			if f.asking = false; err != nil {
				return unread(err)
			}
			took(rows, found.More)
			if f.stale {
				return f.refind()
			}
			return f.need()
		}
	})
}
