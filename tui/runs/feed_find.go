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

func (f *feed) typed(msg tea.KeyMsg) tea.Cmd {
	changed, cmd := f.filter.Update(msg)
	switch {
	case !changed:
		return cmd
	case f.filter.Value() == "":
		return tea.Batch(cmd, f.clearFilter())
	}
	return tea.Batch(cmd, f.find())
}

// clearFilter shows all entries again. The chosen one stays chosen.
func (f *feed) clearFilter() tea.Cmd {
	chosen := f.chosen()
	f.list.Touched = f.list.Touched || chosen != "" && chosen != f.newestID()
	if f.filter.Value() != "" { // else it is typed into still
		f.filter.Clear()
	}
	return f.showMoment(chosen)
}

// showMoment shows the entries of the moment that is shown now, through the filter if there is one.
// What was chosen before stays chosen if it is among them.
func (f *feed) showMoment(chosen string) tea.Cmd {
	if f.filter.Value() != "" {
		return f.find()
	}
	f.asked.Drop()
	f.results = results{}
	f.list.Keep(int(f.posted()), f.rowIndex(chosen), true)
	return nil
}

// rowIndex returns the row of an entry in the list of all; -1: it has none.
func (f *feed) rowIndex(id string) int {
	if n := entryNumber(id); n > 0 && n <= f.posted() {
		return int(f.posted() - n)
	}
	return -1
}

// filterNames are the filters name:value. The word must, alone, selects what must surface.
var filterNames = []string{"type", "kind", "status", "worker", "tag", "doc", "since"}

// query parses the filter, and returns its words too. A worker is selected by any part of its
// name. A single text is searched as it is; of several, each must occur, as a word or its prefix.
func (f *feed) query() (q board.Query, since time.Time, words []string) {
	t := page.ParseTerms(f.filter.Value(), filterNames...)
	t.Filters["type"] = append(t.Filters["type"], t.Filters["kind"]...) // as a search for knowledge calls it
	q = board.Query{Types: t.In("type", board.EntryTypes), Statuses: t.In("status", board.EntryStatuses),
		Tags: t.Filters["tag"], Source: strings.Join(t.Filters["doc"], " ")}
	if at := slices.Index(t.Words, "must"); at >= 0 {
		q.MustSurface, t.Words = true, slices.Delete(t.Words, at, at+1)
	}
	since = t.Since(f.page.app.Now())
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
		return q, since, t.Words
	}
	for _, w := range t.Words {
		if strings.Contains(w, " ") {
			q.Match += ` "` + w + `"`
		} else {
			q.Match += " " + strings.ReplaceAll(w, `"`, "") + "*"
		}
	}
	return q, since, t.Words
}

// maxFound is the most results of a filter.
const maxFound = 1000

func (f *feed) find() tea.Cmd {
	if f.filter.Value() == "" || f.page.b == nil {
		return nil
	}
	f.narrow, f.asking, f.stale = true, true, false
	q, since, words := f.query()
	q.Order, q.Limit, f.marked = board.Newest, maxFound, words
	b, query := f.page.b, f.reading()
	return f.asked.Ask(f.page.app, f.page, func(ctx context.Context) func() tea.Cmd {
		var found board.Found
		var err error
		if !since.IsZero() {
			q.Since, err = eventAt(ctx, b, since)
		}
		if err == nil {
			found, err = query(ctx, q)
		}
		rows := make([]entryRow, len(found.Entries))
		for i := range found.Entries {
			rows[i] = newEntryRow(&found.Entries[i])
		}
		return func() tea.Cmd { return f.foundThem(rows, found.More, err) }
	})
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

func (f *feed) foundThem(rows []entryRow, more bool, err error) tea.Cmd {
	chosen := ""
	if f.list.Cursor < len(f.found) {
		chosen = f.found[f.list.Cursor].id
	}
	f.asking, f.problem, f.found, f.more = false, err, rows, more
	at := slices.IndexFunc(rows, func(r entryRow) bool { return r.id == chosen })
	if f.list.Len = len(rows); at >= 0 {
		f.list.Shift(at - f.list.Cursor)
	}
	f.list.Keep(len(rows), at, true)
	if f.stale {
		return f.find()
	}
	return nil
}
