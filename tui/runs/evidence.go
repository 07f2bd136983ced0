package runs

import (
	"context"
	"fmt"
	"strings"
	"time"

	"blackboard/board"
	"blackboard/board/check"
	"blackboard/tui/cells"
	"blackboard/tui/page"
)

type itemDetail struct {
	id, worker, content string
	line                string // the first line
	created             time.Time
	entry               *board.Entry // one of the two is set
	signal              *board.Signal
	blocks              bool // the signal closes the gate
	links               []link
	history             []board.Event
	past                *board.Past // as it was then; nil: as it is now
}

// link is a link of an entry or a signal, in either direction.
type link struct{ what, id, line string }

// backwards are the names of incoming links.
var backwards = map[string]string{
	board.Supports: "supported by", board.Contradicts: "contradicted by",
	board.Supersedes: "superseded by", board.Addresses: "addressed by",
}

// maxLinkLines is for how many of the links out of an entry the other text is read.
const maxLinkLines = 100

// readOne reads an entry or a signal; past nil: as it is now. Links out of it have no lines yet.
func readOne(
	ctx context.Context, b *board.Board, past *board.Past, id string,
) (found itemDetail, err error) {
	var from interface {
		Entry(ctx context.Context, id string) (board.EntryDetail, error)
		SignalByID(ctx context.Context, id string) (board.SignalDetail, error)
	} = b
	if past != nil {
		from = past
	}
	if page.IsSignal(id) {
		d, err := from.SignalByID(ctx, id)
		if err != nil {
			return found, err
		}
		s := &d.Signal
		found = itemDetail{id: s.ID, worker: s.Worker, content: s.Content, created: s.Created, signal: s,
			history: d.History, past: past}
		found.line = s.Status + ": " + cells.OneLine(s.Content, page.RowRunes)
		if s.Origin != "" {
			found.links = []link{{what: "→ arose from", id: s.Origin}}
		}
		found.linked(d.Linked)
		return found, nil
	}
	d, err := from.Entry(ctx, id)
	if err != nil {
		return found, err
	}
	e := &d.Entry
	found = itemDetail{id: e.ID, worker: e.Worker, content: e.Content, created: e.Created, entry: e,
		history: d.History, past: past}
	found.line = cells.OneLine(e.Worker, 30) + ": " + cells.OneLine(e.Content, page.RowRunes)
	for _, kind := range board.LinkKinds {
		for _, id := range e.Of(kind) {
			found.links = append(found.links, link{what: "→ " + kind, id: id})
		}
	}
	found.linked(d.Linked)
	for i := range d.Raised {
		s := &d.Raised[i]
		found.links = append(found.links, link{"← raised", s.ID, s.Status + ": " + cells.OneLine(s.Content, page.RowRunes)})
	}
	return found, nil
}

func (found *itemDetail) linked(all []board.Backlink) {
	for _, l := range all {
		found.links = append(found.links, link{"← " + backwards[l.Kind], l.From, cells.OneLine(l.Line, page.RowRunes)})
	}
}

// readEvidence reads an entry or a signal whole: whether it closes the gate by the policy of a
// directory, and what its links lead to.
func readEvidence(
	ctx context.Context, b *board.Board, dir string, past *board.Past, id string,
) (found itemDetail, err error) {
	if found, err = readOne(ctx, b, past, id); err != nil {
		return found, err
	}
	for i := range found.links[:min(len(found.links), maxLinkLines)] {
		if l := &found.links[i]; l.line == "" { // what cannot be read has no line
			other, _ := readOne(ctx, b, past, l.id)
			l.line = other.line
		}
	}
	if found.signal != nil {
		by, err := check.PolicyOf(ctx, b, dir)
		if err != nil {
			return found, err
		}
		found.blocks = by.Gate.Blocks(found.signal)
	}
	return found, nil
}

// LineOf is the first line of an entry or signal, and whether it exists; past nil: now.
func LineOf(ctx context.Context, b *board.Board, past *board.Past, id string) (string, bool) {
	found, err := readOne(ctx, b, past, id)
	return found.line, err == nil
}

func (found *itemDetail) write(x *cells.Writer, now time.Time) {
	st, facts := x.Styles, ""
	if found.past != nil {
		now = found.past.At
		x.Line(st.Warn.Render("as it was after event " + cells.Count(found.past.Seq) + ", " + cells.Clock(now)))
	}
	if s := found.signal; s != nil {
		head := cells.Paint(st.Priority, s.Priority, s.Priority) + "  " + statusWord(st, s.Status)
		if found.blocks {
			head += st.Bad.Render("  keeps the gate closed")
		}
		x.Line(head)
		facts = "raised "
	} else {
		x.Line(found.entryHead(st))
	}
	facts += "by " + cells.OneLine(found.worker, 60) + " · " + cells.Since(found.created, now)
	if e := found.entry; e != nil && e.Confidence != nil {
		facts += fmt.Sprintf(" · confidence %.2g", *e.Confidence)
	}
	x.Line(st.Faint.Render(facts + " · " + cells.Clock(found.created)))
	if found.signal != nil {
		found.writeSignal(x, now)
	} else {
		found.writeEntry(x)
	}
	if len(found.links) > 0 {
		x.Heading("Links")
	}
	for _, l := range found.links {
		x.Link(cells.Fit("  "+page.Columns(st.Faint.Render(cells.Fit(l.what, 18)), st.Key.Render(cells.Fit(l.id, 6)), l.line), x.Width+1), l.id)
	}
	x.Heading("History")
	for i := range found.history {
		x.Line(describeEvent(x.Styles, &found.history[i]))
	}
}

func (found *itemDetail) entryHead(st *cells.Styles) string {
	e := found.entry
	head := cells.Paint(st.Kind, e.Type, e.Type) + "  " + statusWord(st, e.Status)
	var by []string
	for _, l := range found.links {
		if e.Status == board.Disputed && l.what == "← "+backwards[board.Contradicts] {
			by = append(by, l.id)
		}
	}
	if len(by) > 0 {
		head += " by " + strings.Join(by, ", ")
	}
	if e.MustSurface {
		head += st.Warn.Render("  ◆ must surface")
	}
	return head
}

func (found *itemDetail) writeEntry(x *cells.Writer) {
	st, e := x.Styles, found.entry
	if len(e.Tags) > 0 {
		x.Line(st.Faint.Render("tags: ") +
			cells.OneLine(strings.Join(e.Tags, ", "), page.RowRunes))
	}
	x.Line("")
	x.Prose(e.Content)
	for _, c := range e.Cites() {
		if c.Evidence != "" {
			x.Heading("Evidence")
			x.Text(c.Evidence, "▏ ")
		}
	}
	if e.SourceDoc == "" && e.SourceRef == "" {
		return
	}
	x.Heading("Source")
	for _, c := range e.Cites() {
		x.Line("  " + cells.OneLine(c.String(), 400))
	}
	if v := e.Verified; v != nil {
		mark := st.Warn
		if v.Holds() {
			mark = st.Good
		}
		said := strings.TrimPrefix(cells.OneLine(v.Describe(), page.RowRunes), v.Mark())
		x.Line("  " + mark.Render(v.Mark()) + st.Faint.Render(said))
	}
}

func (found *itemDetail) writeSignal(x *cells.Writer, now time.Time) {
	st, s := x.Styles, found.signal
	claimed := s.ClaimedAt(now)
	if s.To != "" {
		x.Line(st.Faint.Render("for " + cells.OneLine(s.To, 60)))
	}
	if claimed {
		x.Line(st.Accent.Render("⚑ claimed by "+cells.OneLine(s.ClaimedBy, 60)) +
			st.Faint.Render(" until "+cells.Clock(*s.LeaseUntil)))
	}
	x.Line("")
	x.Prose(s.Content)
	switch {
	case s.Status == board.Waived:
		x.Heading("Waived by " + cells.OneLine(s.ClosedBy, 60) + ", because")
		x.Text(s.Reason, "▏ ")
	case s.Status == board.SignalOpen && found.past == nil:
		ways := "a addresses it with an answer · w waives it with a reason"
		if !claimed {
			ways += " · c claims it"
		}
		x.Line("")
		for _, line := range cells.Wrap(ways, x.Width) {
			x.Line(st.Faint.Render(line))
		}
	}
}

func describeEvent(st *cells.Styles, e *board.Event) string {
	faint := st.Faint.Render
	what := "  " + faint(cells.Clock(e.At)+"  event "+cells.Count(e.Seq)) + "  " + e.Verb +
		faint(" by ") + cells.OneLine(e.Actor, 60)
	d := e.Describe()
	if e.Verb == "claim" { // the time at which the lease ends
		d = page.WithClocks(d)
	}
	if d = cells.OneLine(d, page.RowRunes); d != "" {
		what += faint(": " + d)
	}
	return what
}

func statusWord(st *cells.Styles, status string) string {
	switch status {
	case board.Disputed:
		return st.Warn.Render("≠ disputed")
	case board.Superseded:
		return st.Strike.Render("† superseded")
	case board.SignalOpen:
		return st.Warn.Render("● open")
	case board.Addressed:
		return st.Good.Render("✓ addressed")
	case board.Waived:
		return st.Faint.Render("○ waived")
	}
	return st.Good.Render(status)
}
