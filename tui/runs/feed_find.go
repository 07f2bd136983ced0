package runs

import (
	"context"
	"slices"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"blackboard/board"
	"blackboard/tui/page"
)

// filterBy sets the filter as if it had been typed.
func (f *feed) filterBy(text string) tea.Cmd {
	f.filter.Set(text)
	f.list.Follow()
	return f.find()
}

// typed handles a key of the filter. The list follows after a short pause.
func (f *feed) typed(msg tea.KeyMsg) tea.Cmd {
	changed, cmd := f.filter.Update(msg)
	switch {
	case !changed:
		return tea.Batch(cmd, f.need())
	case f.filter.Value() == "":
		return tea.Batch(cmd, f.clearFilter())
	case f.page.app.Still:
		return f.find()
	}
	typed := f.filter.Value()
	return tea.Batch(cmd, f.page.app.After(typePause, f.page, func() tea.Cmd {
		if typed != f.filter.Value() {
			return nil
		}
		return f.find()
	}))
}

// typePause is the delay between a key and the query, since further keys would make its
// answer useless.
const typePause = 80 * time.Millisecond

// clearFilter shows all entries again. The chosen one stays chosen.
func (f *feed) clearFilter() tea.Cmd {
	chosen := f.chosen()
	if f.filter.Value() != "" {
		f.filter.Clear()
	}
	f.asked.Drop()
	f.asking, f.problem, f.more, f.narrow, f.found, f.marked = false, nil, false, false, nil, nil
	f.list.SetLen(int(f.posted()))
	if n, err := board.ParseEntryID(chosen); err == nil && n < f.posted() {
		f.list.MoveTo(int(f.posted() - n))
	}
	return f.need()
}

// filterNames are the filters of entries; must stands alone.
var filterNames = []string{"type", "status", "worker", "tag", "doc", "since"}

// query parses the filter, and returns its words too. A worker is selected by any part of its
// name. A single text is searched as it is; of several, each must occur, as a word or its prefix.
func (f *feed) query() (q board.Query, words []string) {
	t := page.ParseTerms(f.filter.Value(), filterNames...)
	q = board.Query{Types: t.In("type", board.EntryTypes), Statuses: t.In("status", board.EntryStatuses),
		Tags: t.Filters["tag"], Source: strings.Join(t.Filters["doc"], " ")}
	if at := slices.Index(t.Words, "must"); at >= 0 {
		q.MustSurface, t.Words = true, slices.Delete(t.Words, at, at+1)
	}
	if from := t.Since(f.page.app.Now()); !from.IsZero() {
		q.Since = f.page.time.eventAt(from)
	}
	for _, part := range t.Filters["worker"] {
		before := len(q.Workers)
		for _, w := range f.page.scene.state.Workers {
			if strings.Contains(strings.ToLower(w.Name), strings.ToLower(part)) {
				q.Workers = append(q.Workers, w.Name)
			}
		}
		if len(q.Workers) == before {
			q.Workers = append(q.Workers, part)
		}
	}
	if len(t.Words) == 1 {
		q.Contains = t.Words[0]
		return q, t.Words
	}
	for _, w := range t.Words {
		if strings.Contains(w, " ") {
			q.Match += ` "` + w + `"`
		} else {
			q.Match += " " + strings.ReplaceAll(w, `"`, "") + "*"
		}
	}
	return q, t.Words
}

// find queries the board for the filter.
func (f *feed) find() tea.Cmd {
	if f.filter.Value() == "" || f.page.b == nil {
		return nil
	}
	f.narrow, f.asking, f.stale = true, true, false
	var q board.Query
	q, f.marked = f.query()
	return f.ask(q, false)
}

// refind queries again after events.
func (f *feed) refind() tea.Cmd {
	if !f.narrow || f.page.back.on {
		return nil
	}
	if f.asking {
		f.stale = true
		return nil
	}
	return f.find()
}

// needMore reads more results when the cursor is near the end.
func (f *feed) needMore() tea.Cmd {
	if !f.more || f.asking || f.list.Top+3*f.list.Height < len(f.found) {
		return nil
	}
	return f.readOn(pageRows)
}

// maxFound is the most results that the key to the last one reads.
const maxFound = 20_000

// toLast reads the results that are left, and chooses the last.
func (f *feed) toLast() tea.Cmd {
	f.toEnd = true
	return f.readOn(maxFound)
}

// readOn reads results after the last one.
func (f *feed) readOn(most int) tea.Cmd {
	f.asking = true
	q, _ := f.query()
	q.Before, q.Limit = f.found[len(f.found)-1].id, most
	return f.ask(q, true)
}

func (f *feed) ask(q board.Query, after bool) tea.Cmd {
	query := f.reading()
	if q.Order = board.Newest; !after {
		q.Limit = max(pageRows, len(f.found)) // as many as the person has scrolled through
	}
	return f.asked.Ask(f.page.app, f.page, func(ctx context.Context) func() tea.Cmd {
		found, err := query(ctx, q)
		rows := make([]entryRow, len(found.Entries))
		for i := range found.Entries {
			rows[i] = rowOf(&found.Entries[i])
		}
		return func() tea.Cmd { return f.foundThem(rows, found.More, after, err) }
	})
}

// foundThem shows results; after means that they follow those that are shown.
func (f *feed) foundThem(rows []entryRow, more, after bool, err error) tea.Cmd {
	f.asking = false
	if f.problem = err; err != nil {
		f.found, f.more = nil, false
		f.list.SetLen(0)
		return nil
	}
	if after {
		f.found = append(f.found, rows...)
		if f.list.SetLen(len(f.found)); f.toEnd {
			f.list.MoveTo(f.list.Len - 1)
		}
	} else {
		chosen := ""
		if f.list.Cursor < len(f.found) {
			chosen = f.found[f.list.Cursor].id
		}
		f.found = rows
		at := slices.IndexFunc(f.found, func(r entryRow) bool { return r.id == chosen })
		if f.list.Len = len(rows); at >= 0 {
			f.list.Shift(at - f.list.Cursor)
		}
		f.list.Keep(len(f.found), at, true)
	}
	f.more, f.toEnd = more, false
	f.list.SetLen(len(f.found))
	if f.stale {
		return f.find()
	}
	return f.needMore()
}
