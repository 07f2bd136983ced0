package runs

import (
	"context"
	"slices"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"blackboard/board"
	"blackboard/tui/cells"
	"blackboard/tui/page"
)

// pageRows is the number of entries in a read. As many are held around the visible ones.
const pageRows = 300

// feed lists a run's entries, newest first. Ids are 1 to total without gaps, so they give the row,
// and only visible rows are read; with a filter, what the board finds.
type feed struct {
	paneList
	total int64
	held  window

	results             // with a filter
	asked   page.Latest // the last query
}

// results are the entries that a filter lets through.
type results struct {
	narrow  bool // they are shown
	found   []entryRow
	more    bool     // there are more
	marked  []string // the words of the filter
	asking  bool
	stale   bool // they must be queried again after the current query
	problem error
}

// window is some consecutive entries, oldest first.
type window struct {
	first   int64 // the number in the id of the first row
	rows    []entryRow
	reading bool
	stale   bool // something in it has changed
}

// has reports whether it has all entries from one to another.
func (w *window) has(from, to int64) bool {
	return from >= w.first && to < w.first+int64(len(w.rows))
}

type entryRow struct {
	id                   string // "": not read yet
	kind, status, worker string
	text                 string
	created              time.Time
	must                 bool
}

func newFeed(p *Page) *feed {
	f := &feed{}
	f.init(p, PaneFeed, "words  type:gap  worker:name  status:disputed  tag:x  doc:x  since:1h  must", f.row)
	return f
}

func newEntryRow(e *board.Entry) entryRow {
	return entryRow{id: e.ID, kind: e.Type, status: e.Status, worker: cells.OneLine(e.Worker, 80), text: cells.OneLine(e.Content, page.RowRunes), created: e.Created, must: e.MustSurface}
}

// at returns a row of the list; one that is not read is empty.
func (f *feed) at(i int) entryRow {
	if f.narrow {
		if i < len(f.found) {
			return f.found[i]
		}
		return entryRow{}
	}
	n := f.posted() - int64(i) // the id
	if !f.held.has(n, n) {
		return entryRow{}
	}
	r := f.held.rows[n-f.held.first]
	if past := f.page.back.past; past != nil {
		r.status, r.must = past.Status(r.id), past.MustSurface(r.id)
	}
	return r
}

func (f *feed) posted() int64 {
	if past := f.page.back.past; past != nil {
		return past.Posted
	}
	return f.total
}

// reading returns the function that queries the entries, now or at the moment that is shown.
func (f *feed) reading() func(context.Context, board.Query) (board.Found, error) {
	if past := f.page.back.past; past != nil {
		return past.Query
	}
	return f.page.b.Query
}

func (f *feed) chosen() string {
	if r := f.at(f.list.Cursor); r.id != "" || f.narrow || f.list.Len == 0 {
		return r.id
	}
	return board.EntryID(f.posted() - int64(f.list.Cursor))
}

// grow makes room for new entries.
func (f *feed) grow(total int64) {
	if total <= f.total {
		return
	}
	added := total - f.total
	f.total = total
	if !f.narrow && f.page.back.past == nil {
		f.list.Grew(int(added))
	}
}

// forget resets the list for another board.
func (f *feed) forget() {
	f.asked.Drop()
	f.held, f.total, f.results = window{}, 0, results{}
	f.list.SetLen(0)
	f.list.Follow()
}

// markStale records that the held entries must be read again after events.
func (f *feed) markStale(events []board.Event) {
	var newest int64
	for _, e := range events {
		n, err := board.ParseEntryID(e.ID)
		if err != nil {
			continue
		}
		switch e.Verb {
		case "post":
			newest = max(newest, n)
		case "dispute", "supersede", "settle", "link", "must-surface":
		default:
			continue // a variable may have the name e1
		}
		f.held.stale = f.held.stale || f.held.has(n, n)
	}
	f.grow(newest)
}

// need reads the visible rows and some around them.
func (f *feed) need() tea.Cmd {
	if f.page.b == nil || f.posted() == 0 || f.narrow {
		return nil
	}
	from := max(f.posted()-int64(f.list.Top+2*f.list.Height), 1)
	to := min(f.posted()-int64(f.list.Top-f.list.Height), f.posted())
	if f.held.reading || f.held.has(from, to) && !f.held.stale {
		return nil
	}
	f.held.reading, f.held.stale = true, false
	return f.read((from + to + pageRows) / 2)
}

// read reads entries, the last of which has a number.
func (f *feed) read(last int64) tea.Cmd {
	q := board.Query{Order: board.Newest, Limit: pageRows}
	if last = max(last, pageRows); last < f.total {
		q.Before = board.EntryID(last + 1)
	}
	b := f.page.b
	return f.page.app.Read(f.page, func(ctx context.Context) func() tea.Cmd {
		found, err := b.Query(ctx, q)
		return func() tea.Cmd { return f.takeRows(found.Entries, err) }
	})
}

func (f *feed) takeRows(entries []board.Entry, err error) tea.Cmd {
	if err != nil || len(entries) == 0 { // read again, but not at once
		return tea.Batch(page.Unread(err), f.page.app.After(reconnectEvery, f.page, func() tea.Cmd {
			f.held.reading, f.held.stale = false, true
			return nil
		}))
	}
	f.held.reading = false
	f.held.first = entryNumber(entries[len(entries)-1].ID)
	f.held.rows = f.held.rows[:0:0]
	for i := range slices.Backward(entries) {
		f.held.rows = append(f.held.rows, newEntryRow(&entries[i]))
	}
	f.grow(entryNumber(entries[0].ID))
	return nil
}

// entryNumber returns the number in an entry's id; 0: it is none.
func entryNumber(id string) int64 {
	n, err := board.ParseEntryID(id)
	if err != nil {
		return 0
	}
	return n
}

func (f *feed) view(focused bool) []string {
	empty := "no entry yet; p posts one"
	switch {
	case f.problem != nil:
		empty = f.page.app.Explain(f.problem)
	case f.asking:
		empty = "looking…"
	case f.filter.Value() != "":
		empty = "no entry matches. Words narrow the list, and so do type:gap, worker:reader, status:disputed, tag:x, doc:x, since:1h and must; esc clears the filter"
	}
	note := f.list.Place()
	if f.more {
		note += ", the newest of more"
	}
	title := "Entries, newest first"
	if !f.list.Touched && !f.page.back.on && !f.page.isUnreachable() && f.page.follow.err == nil {
		title += ", following"
	}
	return f.draw(title, note, empty, focused)
}

func marks(status string, must bool) string {
	first, second := " ", " "
	switch status {
	case board.Superseded:
		first = "†"
	case board.Disputed:
		first = "≠"
	}
	if must && status != board.Superseded {
		second = "◆"
	}
	return first + second
}

// shortTypes are the types for narrow lists.
var shortTypes = map[string]string{board.Observation: "observ", board.Analysis: "analys", board.Calculation: "calc", board.Strategy: "strat", board.Gap: "gap", board.Contradiction: "CONTRA"}

// typeName returns an entry's type in w cells.
func typeName(kind string, w int) string {
	if short := shortTypes[kind]; w < len(board.Contradiction) && short != "" {
		kind = short
	}
	return cells.Fit(kind, w)
}

func (f *feed) row(i, w int) string {
	st, e := f.page.app.Styles, f.at(i)
	if e.id == "" {
		return st.Faint.Render(cells.Fit(board.EntryID(f.posted()-int64(i))+" …", w))
	}
	id := cells.Fit(e.id, min(max(cells.Width(f.newestID()), 3), 8))
	name := min(max(f.page.longest, 8), max(w/5, 8)) // if enough is left for the text
	kind := typeName(e.kind, 6)
	if w >= 90 {
		kind = typeName(e.kind, len(board.Contradiction))
	}
	text := cells.Highlight(st, e.text, f.marked)
	if e.status == board.Superseded {
		text = st.Strike.Render(text)
	}
	mark := st.Warn.Render(marks(e.status, e.must))
	age := ""
	if w >= 80 {
		age = st.Faint.Render(cells.Ago(e.created, f.page.moment()))
	}
	worker := st.Faint.Render(cells.FitName(e.worker, name))
	return cells.Spread(page.Columns(st.Faint.Render(id), cells.Paint(st.Kind, e.kind, kind),
		worker, mark, text), age, w)
}

func (f *feed) newestID() string { return board.EntryID(f.posted()) }
