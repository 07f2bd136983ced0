package runs

import (
	"context"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"blackboard/board"
	"blackboard/board/check"
	"blackboard/tui/cells"
	"blackboard/tui/page"
)

type difference struct {
	from    string // the time of the earlier moment
	after   *board.Past
	was, is string // the state of the gate at both
	changes board.Changes
}

// maxChanged is the most new entries, and the most changed ones, that are shown.
const maxChanged = 200

func (p *Page) ShowChanges(since func(context.Context) (int64, error)) tea.Cmd {
	a, b, name, to := p.app, p.b, p.Name, p.back.now
	var found *difference
	t := &page.Text{App: a, Name: "changes", Link: "one", Heading: func() string { return "What has changed" }}
	t.Read = func(ctx context.Context) (func(*cells.Writer), error) {
		from, err := since(ctx)
		if err != nil {
			return nil, err
		}
		d, err := readDifference(ctx, b, a.Files, max(from, 1), to)
		return func(x *cells.Writer) {
			found = d
			d.write(x)
		}, err
	}
	// entries and signals are shown as of the later moment
	t.Follow = func(id string) tea.Cmd { return a.Push(NewEntry(a, name, b, id, found.after)) }
	return a.Push(t)
}

func (p *Page) ShowChangesSince(at time.Time) tea.Cmd {
	b := p.b
	return p.ShowChanges(func(ctx context.Context) (int64, error) { return eventAt(ctx, b, at) })
}

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
	d.changes = d.after.ChangesSince(before, maxChanged)
	return d, nil
}

func (d *difference) write(x *cells.Writer) {
	st, c := x.Styles, &d.changes
	x.Line(st.Faint.Render("from " + d.from + ", to event " + cells.Count(d.after.Seq) + ", " + cells.Clock(d.after.At)))
	if d.was == d.is {
		x.Line("the same " + d.is)
	} else {
		x.Line(d.was + " → " + d.is)
	}
	var changed, posted changedRows
	for i := range c.Status {
		e := &c.Status[i].Entry
		changed.add(e.ID, statusWord(st, e.Status)+st.Faint.Render(" was "+c.Status[i].Was), e.Content)
	}
	for i := range c.Entries {
		e := &c.Entries[i]
		what := cells.Paint(st.Kind, e.Type, typeName(e.Type, 6))
		if e.Status != board.Active {
			what += " " + statusWord(st, e.Status)
		}
		posted.add(e.ID, what+" "+st.Faint.Render(cells.ShortName(e.Worker, 24)), e.Content)
	}
	heading := "Entries that are no longer what they were"
	if len(changed) == maxChanged {
		heading += ", the first " + cells.Count(maxChanged)
	}
	changed.write(x, heading, len(changed))
	d.questions(x)
	posted.write(x, cells.Plural(c.Posted, "new entry"), int(c.Posted))
	var others changedRows
	for _, e := range c.Expected {
		others.add("", cells.OneLine(e.Worker, 60)+" is "+e.Status, e.Reason)
	}
	for _, v := range c.Variables {
		is := " is " + cells.OneLine(string(v.Value), page.RowRunes)
		if v.Value == nil {
			is = " is no longer set"
		}
		others.add("", cells.OneLine(v.Key, 60)+is, "")
	}
	others.write(x, "Workers and variables", len(others))
}

func (d *difference) questions(x *cells.Writer) {
	c := &d.changes
	var raised, closed, reopened changedRows
	for i := range c.Signals {
		s, to := &c.Signals[i], &reopened
		switch {
		case s.Status != board.SignalOpen:
			to = &closed
		case c.Was[i] == "":
			to = &raised
		}
		what := cells.Paint(x.Styles.Priority, s.Priority, cells.Fit(s.Priority, 8)) + " " + signalMark(x.Styles, s.Status)
		if s.AddressedBy != "" {
			what += x.Styles.Faint.Render(" by " + s.AddressedBy)
		}
		to.add(s.ID, what, s.Content)
	}
	raised.write(x, "New questions", len(raised))
	closed.write(x, "Questions that were closed", len(closed))
	reopened.write(x, "Questions that are open again", len(reopened))
}

// changedRows are changes of one kind: what each is about, what has changed, and a text.
type changedRows []struct{ id, what, text string }

func (rows *changedRows) add(id, what, text string) {
	*rows = append(*rows, struct{ id, what, text string }{id, what, text})
}

// write writes a heading, the first rows and how many of all follow; nothing if there are none.
func (rows changedRows) write(x *cells.Writer, heading string, of int) {
	if of == 0 {
		return
	}
	x.Heading(heading)
	for _, r := range rows[:min(len(rows), maxChanged)] {
		id := ""
		if r.id != "" {
			id = x.Styles.Key.Render(cells.Fit(r.id, 7)) + " "
		}
		x.Link(cells.Fit("  "+id+r.what+" "+cells.OneLine(r.text, page.RowRunes), x.Width+1), r.id)
	}
	if more := of - min(len(rows), maxChanged); more > 0 {
		x.Line(x.Styles.Faint.Render("  and " + cells.Count(int64(more)) + " more"))
	}
}
