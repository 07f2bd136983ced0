package tui

import (
	"context"
	"slices"
	"time"

	"blackboard/board"
)

// momentMsg shows a run as it was after an event; after the last one, and any beyond it, that is now.
type momentMsg struct {
	b   *board.Board
	seq int64
}

// readPast reads what is shown as it was, from the board of that moment. Only its history comes from the log.
func (p *detailPage) readPast(ctx context.Context, id string, past *board.Snapshot) (found evidence, err error) {
	found.lines = map[string]string{}
	for i := range past.Entries {
		found.lines[past.Entries[i].ID] = past.Entries[i].Content
	}
	for i := range past.Signals {
		found.lines[past.Signals[i].ID] = past.Signals[i].Status + ": " + past.Signals[i].Content
	}
	history, err := p.b.History(ctx, id)
	history = slices.DeleteFunc(history, func(e board.Event) bool { return e.Seq > past.Seq })
	linked := past.Backlinks(id)
	if i := slices.IndexFunc(past.Signals, func(s board.Signal) bool { return s.ID == id }); i >= 0 {
		found.signal = &board.SignalDetail{Signal: past.Signals[i], Linked: linked, History: history}
	} else if i := slices.IndexFunc(past.Entries, func(e board.Entry) bool { return e.ID == id }); i >= 0 {
		found.entry = &board.EntryDetail{Entry: past.Entries[i], Linked: linked, History: history}
		for _, s := range past.Signals {
			if s.Origin == id {
				found.entry.Raised = append(found.entry.Raised, s)
			}
		}
	} else if err == nil {
		_, err = p.b.Entry(ctx, id) // it came later, or not at all
	}
	return found, err
}

// now is the moment that ages and leases are judged by.
func (p *detailPage) now() time.Time {
	if p.past != nil {
		return p.past.At
	}
	return p.app.Now()
}

// when says that what is shown is the past.
func (p *detailPage) when(x *writer) {
	if p.past != nil {
		x.line(p.app.st.warn.Render("as it was after event " + count(p.past.Seq) + ", " + clock(p.past.At)))
	}
}
