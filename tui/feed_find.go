package tui

import (
	"context"
	"slices"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"blackboard/board"
)

// startFilter begins to type into the filter.
func (f *feed) startFilter() tea.Cmd {
	cmd := f.filter.start()
	f.page.layout()
	return cmd
}

// filterBy narrows the list as if it had been typed.
func (f *feed) filterBy(text string) tea.Cmd {
	f.filter.set(text)
	f.page.layout()
	return f.find()
}

// typed takes a key while the filter is typed into. The list follows after a short pause.
func (f *feed) typed(msg tea.KeyMsg) tea.Cmd {
	if msg.Type == tea.KeyUp || msg.Type == tea.KeyDown || msg.Type == tea.KeyPgUp || msg.Type == tea.KeyPgDown {
		f.list.update(msg)
		return f.need()
	}
	changed, cmd := f.filter.update(msg)
	f.page.layout()
	switch {
	case !changed:
		return cmd
	case f.filter.value() == "":
		f.clearFilter()
		return tea.Batch(cmd, f.need())
	case f.page.app.still:
		return f.find()
	}
	return tea.Batch(cmd, f.page.app.after(typePause, feedTypedMsg{f, f.filter.value()}))
}

// typePause is how long after a key a question is asked: who types on does not want the answer.
const typePause = 80 * time.Millisecond

func (f *feed) clearFilter() {
	active := f.filter.active && f.filter.value() == ""
	f.filter.clear()
	f.filter.active = active
	f.asked++
	f.asking, f.problem, f.more = false, nil, false
	if f.page.back.on {
		f.showPast()
		return
	}
	f.narrow, f.found = false, nil
	f.list.setLen(int(f.total))
}

// queryOf reads what is typed into a filter.
func queryOf(text string) board.Query {
	var q board.Query
	var words []string
	for _, w := range strings.Fields(text) {
		name, value, _ := strings.Cut(w, ":")
		switch {
		case w == "must":
			q.MustSurface = true
		case value == "":
			words = append(words, w)
		case name == "type":
			q.Types = append(q.Types, complete(value, board.EntryTypes))
		case name == "status":
			q.Statuses = append(q.Statuses, complete(value, board.EntryStatuses))
		case name == "worker":
			q.Workers = append(q.Workers, value)
		case name == "tag":
			q.Tags = append(q.Tags, value)
		default:
			words = append(words, w)
		}
	}
	q.Contains = strings.Join(words, " ")
	return q
}

// complete is the word that a beginning means, or the beginning if it is not clear.
func complete(beginning string, words []string) string {
	var match []string
	for _, w := range words {
		if strings.HasPrefix(w, strings.ToLower(beginning)) {
			match = append(match, w)
		}
	}
	if len(match) == 1 {
		return match[0]
	}
	return beginning
}

// find asks the board for what passes the filter.
func (f *feed) find() tea.Cmd {
	if f.page.back.on {
		f.showPast()
		return nil
	}
	if f.filter.value() == "" || f.page.b == nil {
		return nil
	}
	f.narrow, f.asking, f.stale = true, true, false
	return f.ask(queryOf(f.filter.value()), false)
}

// refind asks again, since something happened.
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

// needMore asks for more of what was found when the end comes near.
func (f *feed) needMore() tea.Cmd {
	if !f.more || f.asking || f.page.back.on || f.list.top+3*f.list.h < len(f.found) {
		return nil
	}
	f.asking = true
	q := queryOf(f.filter.value())
	q.Before = f.found[len(f.found)-1].id
	return f.ask(q, true)
}

func (f *feed) ask(q board.Query, after bool) tea.Cmd {
	f.asked++
	asked, b := f.asked, f.page.b
	q.Order, q.Limit = board.Newest, pageRows
	if !after {
		q.Limit = max(pageRows, min(len(f.found), 10*pageRows)) // as many as are looked at
	}
	return f.page.app.do(func(ctx context.Context) tea.Msg {
		found, err := b.Query(ctx, q)
		rows := make([]entryRow, len(found.Entries))
		for i := range found.Entries {
			rows[i] = rowOf(&found.Entries[i])
		}
		return feedFoundMsg{f, asked, after, rows, found.More, err}
	})
}

func (f *feed) foundThem(msg feedFoundMsg) tea.Cmd {
	f.asking = false
	if f.problem = msg.err; msg.err != nil {
		f.found, f.more = nil, false
		f.list.setLen(0)
		return nil
	}
	if msg.after {
		f.found = append(f.found, msg.rows...)
	} else {
		chosen := ""
		if f.list.cursor > 0 && f.list.cursor < len(f.found) {
			chosen = f.found[f.list.cursor].id
		}
		f.found = msg.rows
		if i := slices.IndexFunc(f.found, func(r entryRow) bool { return r.id == chosen }); i >= 0 {
			f.list.n = len(f.found)
			f.list.moveTo(i)
		}
	}
	f.more = msg.more
	f.list.setLen(len(f.found))
	if f.stale {
		return f.find()
	}
	return f.needMore()
}
