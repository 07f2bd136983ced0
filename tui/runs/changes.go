package runs

import (
	"context"
	"fmt"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"blackboard/board"
	"blackboard/board/check"
	"blackboard/tui/cells"
	"blackboard/tui/page"
)

// difference is the data of the page.
type difference struct {
	from    string // the time of the earlier moment
	after   *board.Past
	was, is string // the state of the gate at both
	changes board.Changes
}

// maxChanged is the most new entries, and the most changed ones, that are shown.
const maxChanged = 200

// ShowChanges shows the changes between two events.
func (p *Page) ShowChanges(from, to int64) tea.Cmd {
	a, b, name := p.app, p.b, p.Name
	var found *difference
	t := &page.Text{App: a, Name: "changes", Link: "one", Heading: func() string { return "What has changed" }}
	t.Read = func(ctx context.Context) (func(*cells.Writer), error) {
		d, err := readDifference(ctx, b, a.Files, from, to)
		return func(x *cells.Writer) {
			found = d
			d.write(x)
		}, err
	}
	// entries and signals are shown as of the later moment
	t.Follow = func(id string) tea.Cmd { return a.Push(NewEntry(a, name, b, id, found.after)) }
	return a.Push(t)
}

// EventAt returns the last event until a moment; 0: none, or the log was not read yet.
func (p *Page) EventAt(at time.Time) int64 { return p.time.eventAt(at) }

// Last returns the last event.
func (p *Page) Last() int64 { return p.back.now }

func readDifference(ctx context.Context, b *board.Board, dir string, from, to int64) (d *difference, err error) {
	by, err := check.PolicyOf(ctx, b, dir)
	if err != nil {
		return nil, err
	}
	light := func(p *board.Past) (string, error) {
		v, err := p.Gate(ctx, by.Gate)
		return cells.GateWord(v.Open, len(v.Reasons)), err
	}
	before, err := b.At(ctx, from)
	if err != nil {
		return nil, err
	}
	d = &difference{from: "event " + cells.Count(before.Seq) + ", " + cells.Clock(before.At)}
	if d.after, err = b.At(ctx, to); err != nil {
		return nil, err
	}
	if d.was, err = light(before); err != nil {
		return nil, err
	}
	if d.is, err = light(d.after); err != nil {
		return nil, err
	}
	d.changes = d.after.Since(before, maxChanged)
	return d, nil
}

func (d *difference) write(x *cells.Writer) {
	st, c := x.Styles, &d.changes
	to := "event " + cells.Count(d.after.Seq) + ", " + cells.Clock(d.after.At)
	x.Line(st.Faint.Render("from " + d.from + ", to " + to))
	if d.was == d.is {
		x.Line("the same " + d.is)
	} else {
		x.Line(d.was + " → " + d.is)
	}
	entry := func(e *board.Entry, what string) {
		x.Link(cells.Fit("  "+st.Key.Render(cells.Fit(e.ID, 7))+" "+what+" "+cells.OneLine(e.Content, page.RowRunes), x.Width+1), e.ID)
	}
	if len(c.Status) > 0 {
		x.Heading("Entries that are no longer what they were")
		for i := range c.Status {
			s := &c.Status[i]
			entry(&s.Entry, statusWord(st, s.Entry.Status)+st.Faint.Render(" was "+s.Was))
		}
		noteCut(x, len(c.Status))
	}
	d.questions(x)
	if c.Posted > 0 {
		x.Heading(cells.Plural(c.Posted, "new entry"))
		for i := range c.Entries {
			e := &c.Entries[i]
			what := cells.Paint(st.Kind, e.Type, typeName(e.Type, 6))
			if e.Status != board.Active {
				what += " " + statusWord(st, e.Status)
			}
			entry(e, what+" "+st.Faint.Render(cells.ShortName(e.Worker, 24)))
		}
		if more := c.Posted - int64(len(c.Entries)); more > 0 {
			x.Line(st.Faint.Render("  and " + cells.Count(more) + " more"))
		}
	}
	if len(c.Expected)+len(c.Variables) > 0 {
		x.Heading("Workers and variables")
		for _, e := range c.Expected {
			x.Line(cells.Fit("  "+cells.OneLine(e.Worker, 60)+" is "+e.Status+" "+cells.OneLine(e.Reason, page.RowRunes), x.Width))
		}
		for _, v := range c.Variables {
			is := " is " + cells.OneLine(string(v.Value), page.RowRunes)
			if v.Value == nil {
				is = " is no longer set"
			}
			x.Line(cells.Fit("  "+cells.OneLine(v.Key, 60)+is, x.Width))
		}
	}
}

// questions writes the signals that were raised, closed or reopened.
func (d *difference) questions(x *cells.Writer) {
	c := &d.changes
	for _, part := range []struct {
		name string
		has  func(was string, s *board.Signal) bool
	}{
		{"New questions", func(was string, s *board.Signal) bool {
			return was == "" && s.Status == board.SignalOpen
		}},
		{"Questions that were closed", func(_ string, s *board.Signal) bool {
			return s.Status != board.SignalOpen
		}},
		{"Questions that are open again", func(was string, s *board.Signal) bool {
			return was != "" && s.Status == board.SignalOpen
		}},
	} {
		n := 0
		for i := range c.Signals {
			s := &c.Signals[i]
			if !part.has(c.Was[i], s) {
				continue
			}
			if n++; n == 1 {
				x.Heading(part.name)
			}
			if n <= maxChanged {
				what := cells.Paint(x.Styles.Priority, s.Priority, cells.Fit(s.Priority, 8)) +
					" " + signalMark(x.Styles, s.Status)
				if s.AddressedBy != "" {
					what += x.Styles.Faint.Render(" by " + s.AddressedBy)
				}
				x.Link(cells.Fit("  "+x.Styles.Key.Render(cells.Fit(s.ID, 7))+" "+what+" "+cells.OneLine(s.Content, page.RowRunes), x.Width+1), s.ID)
			}
		}
		if n > maxChanged {
			x.Line(x.Styles.Faint.Render("  and " + cells.Count(int64(n-maxChanged)) + " more"))
		}
	}
}

// noteCut notes that there may be more than was read.
func noteCut(x *cells.Writer, n int) {
	if n == maxChanged {
		x.Line(x.Styles.Faint.Render(fmt.Sprintf("  these are the first %d; there may be more", n)))
	}
}
