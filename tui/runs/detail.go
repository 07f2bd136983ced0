package runs

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"blackboard/board"
	"blackboard/board/check"
	"blackboard/board/fault"
	"blackboard/tui/cells"
	"blackboard/tui/page"
)

// detailPage shows an entry or a signal with its context, and links to walk along.
type detailPage struct {
	page.Plain
	app  *page.App
	name string // the name of the run
	b    *board.Board
	id   string

	evidence
	err     error
	reading page.Once
	doc     page.Document
	w       int

	on   page.Page                // itself, or the page that it is a part of
	mark []string                 // words that are highlighted in its text
	past *board.Past              // show it as of then; nil: as it is now
	step func(by int) (id string) // moves on in the list that opened it; nil: none
}

// evidence is the data of an entry or a signal.
type evidence struct {
	entry  *board.EntryDetail // one of the two is set once it is read
	signal *board.SignalDetail
	blocks bool                // the signal closes the gate
	lines  map[string]string   // the first lines of the linked entries and signals, by id
	beyond map[string][]branch // the links of those, by id
}

func newDetailPage(a *page.App, name string, b *board.Board, id string) *detailPage {
	p := &detailPage{app: a, name: name, b: b, id: id, doc: page.Document{App: a}}
	p.on = p
	return p
}

// NewEntry shows an entry or a signal as of a moment; past nil: as it is now.
func NewEntry(
	a *page.App, name string, b *board.Board, id string, past *board.Past,
) page.Page {
	p := newDetailPage(a, name, b, id)
	p.past = past
	return p
}

// newDetailOf shows the chosen row of a run's page: as of the past if the page shows
// that.
func newDetailOf(run *Page, id string) *detailPage {
	p := newDetailPage(run.app, run.Name, run.b, id)
	focus := run.focus
	p.past, p.step = run.back.past, func(by int) string {
		run.focus = focus
		run.panes[focus].rows().Move(by)
		return run.Chosen()
	}
	return p
}

func (p *detailPage) Init() tea.Cmd { return p.read() }

// read reads the data, once at a time.
func (p *detailPage) read() tea.Cmd {
	if !p.reading.Begin() {
		return nil
	}
	b, id, past := p.b, p.id, p.past // copied, since a preview may move to another run
	return p.app.Ask(p.on, func(ctx context.Context) func() tea.Cmd {
		found, err := readEvidence(ctx, sourceOf(b, past), id)
		if err == nil && found.signal != nil {
			var by check.Policy
			by, err = check.PolicyOf(ctx, b, p.app.Files)
			found.blocks = by.Gate.Blocks(&found.signal.Signal)
		}
		return func() tea.Cmd { return p.took(id, found, err) }
	})
}

// source is what entries and signals are read from: the current or a past board.
type source interface {
	Entry(ctx context.Context, id string) (board.EntryDetail, error)
	SignalByID(ctx context.Context, id string) (board.SignalDetail, error)
}

// sourceOf returns the past if there is one, else the board.
func sourceOf(b *board.Board, past *board.Past) source {
	if past != nil {
		return past
	}
	return b
}

func readEvidence(ctx context.Context, b source, id string) (found evidence, err error) {
	if page.IsSignal(id) {
		d, err := b.SignalByID(ctx, id)
		if err != nil {
			return found, err
		}
		found.signal = &d
	} else {
		d, err := b.Entry(ctx, id)
		if err != nil {
			return found, err
		}
		found.entry = &d
	}
	found.readAround(ctx, b)
	return found, nil
}

// took shows the data, unless another item is shown by now.
func (p *detailPage) took(id string, found evidence, err error) tea.Cmd {
	again := p.reading.End()
	if id == p.id {
		if p.err = err; err == nil {
			if found.id() != p.evidence.id() {
				p.doc.Top, p.doc.At = 0, 0
			}
			p.evidence = found
		}
		p.compose()
	}
	if again && p.id != "" {
		return p.read()
	}
	return nil
}

func (p *detailPage) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case page.ContactMsg:
		p.compose()
	case page.EventsMsg:
		if msg.From.Board() == p.b && msg.Err == nil {
			return p.changed()
		}
	case page.DoneMsg:
		if msg.Kind == page.ChangedRun {
			return p.changed()
		}
	case tea.KeyMsg:
		return p.key(msg)
	}
	return nil
}

// changed reads the data again, now or when the page is shown again.
func (p *detailPage) changed() tea.Cmd {
	if p.past != nil {
		return nil
	}
	if p.app.Shown != p.on {
		p.reading.Again = true
		return nil
	}
	return p.read()
}

func (p *detailPage) Resume() tea.Cmd {
	if p.reading.Again {
		return p.read()
	}
	return nil
}

// goOn shows the next item of the list from which it was opened.
func (p *detailPage) goOn(by int) tea.Cmd {
	id := p.step(by)
	if id == "" || id == p.id {
		return page.Notice("there is no other one")
	}
	p.id, p.evidence, p.err = id, evidence{}, nil
	p.doc.Top, p.doc.At = 0, 0
	p.compose()
	return p.read()
}

func (p *detailPage) key(msg tea.KeyMsg) tea.Cmd {
	if cmd, ok := p.Actions().Press(msg); ok {
		return cmd
	}
	p.doc.Update(msg)
	return nil
}

func (p *detailPage) acts() *acts { return &acts{p.app, p.name, p.b, p.past != nil} }

// follow opens the target of the chosen link.
func (p *detailPage) follow() tea.Cmd {
	to := p.doc.Chosen()
	if seq, isEvent := strings.CutPrefix(to, "@"); isEvent {
		n, _ := strconv.ParseInt(seq, 10, 64)
		return p.app.Soon(MomentMsg{p.b, n})
	}
	if to == "" {
		return nil
	}
	next := newDetailPage(p.app, p.name, p.b, to)
	next.past = p.past
	return p.app.Push(next)
}

func (p *detailPage) SetSize(w, h int) {
	p.w = w
	p.doc.SetSize(w, h)
	p.compose()
}

func (p *detailPage) View() []string { return p.doc.View() }

// compose renders the page. It runs after changes, not for each view.
func (p *detailPage) compose() {
	switch {
	// the data from before stays
	case p.err != nil && (p.evidence.id() == "" || !errors.Is(p.err, fault.Away)):
		p.doc.SetText(cells.Wrap(p.app.Explain(p.err), p.w-2)...)
	case p.entry != nil:
		p.doc.SetLines(p.entryLines())
	case p.signal != nil:
		p.doc.SetLines(p.signalLines())
	default:
		p.doc.SetText(cells.Wrap(p.app.Waiting("reading…"), p.w-2)...)
	}
}

func (p *detailPage) history(x *cells.Writer, events []board.Event) {
	hint := ""
	if p.on == page.Page(p) {
		hint = "   enter on a line goes back to that moment"
	}
	x.Heading("History" + x.Styles.Faint.Render(hint))
	for i := range events {
		e := &events[i]
		what := "  " + x.Styles.Faint.Render(fmt.Sprintf("%s  event %s", cells.Clock(e.At),
			cells.Count(e.Seq))) + "  " + e.Verb + x.Styles.Faint.Render(" by ") +
			cells.OneLine(e.Actor, 60)
		d := e.Describe()
		if e.Verb == "claim" { // the time at which the lease ends
			d = page.WithClocks(d)
		}
		if d = cells.OneLine(d, page.RowRunes); d != "" {
			what += x.Styles.Faint.Render(": " + d)
		}
		x.Link(what, fmt.Sprintf("@%d", e.Seq))
	}
}

// statusWord returns a status with its sign.
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

// head returns the id, unless the heading of the pane has it.
func (p *detailPage) head(id string) string {
	if p.on != page.Page(p) {
		return ""
	}
	return p.app.Styles.Bold.Render(id) + "  "
}

// disputers are the ids of the entries that contradict the entry.
func (p *detailPage) disputers() string {
	var ids []string
	for _, l := range p.entry.Linked {
		if l.Kind == board.Contradicts {
			ids = append(ids, l.From)
		}
	}
	return strings.Join(ids, ", ")
}

func (p *detailPage) entryLines() []cells.Line {
	st, e := p.app.Styles, &p.entry.Entry
	x := cells.NewWriter(st, p.w)
	x.Mark = p.mark
	p.when(x)
	head := p.head(e.ID) + cells.Paint(st.Kind, e.Type, e.Type) + "  " + statusWord(st, e.Status)
	if by := p.disputers(); e.Status == board.Disputed && by != "" {
		head += " by " + by
	}
	if e.MustSurface {
		head += st.Warn.Render("  ◆ must surface")
	}
	x.Line(head)
	by := "by " + cells.OneLine(e.Worker, 60) + " · " + cells.Since(e.Created, p.now())
	if e.Confidence != nil {
		by += fmt.Sprintf(" · confidence %.2g", *e.Confidence)
	}
	x.Line(st.Faint.Render(by + " · " + cells.Clock(e.Created)))
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
	if e.SourceDoc != "" || e.SourceRef != "" {
		x.Heading("Source")
		for _, c := range e.Cites() {
			source := "  " + cells.OneLine(c.SourceDoc, 200)
			if c.SourceRef != "" {
				source += st.Faint.Render(" @ ") + cells.OneLine(c.SourceRef, 200)
			}
			x.Line(source)
		}
		if v := e.Verified; v != nil {
			mark := st.Warn
			if v.Holds() {
				mark = st.Good
			}
			x.Line("  " + mark.Render(v.Mark()) +
				st.Faint.Render(strings.TrimPrefix(cells.OneLine(v.Describe(), page.RowRunes),
					v.Mark())))
		}
	}
	p.tree(x)
	p.history(x, p.entry.History)
	return x.Lines
}

func (p *detailPage) signalLines() []cells.Line {
	st, s := p.app.Styles, &p.signal.Signal
	x := cells.NewWriter(st, p.w)
	x.Mark = p.mark
	p.when(x)
	head := p.head(s.ID) + cells.Paint(st.Priority, s.Priority, s.Priority) + "  " +
		statusWord(st, s.Status)
	if p.blocks {
		head += st.Bad.Render("  keeps the gate closed")
	}
	x.Line(head)
	x.Line(st.Faint.Render("raised by " + cells.OneLine(s.Worker, 60) + " · " +
		cells.Since(s.Created, p.now()) + " · " + cells.Clock(s.Created)))
	if s.ClaimedAt(p.now()) {
		x.Line(st.Accent.Render("⚑ claimed by "+cells.OneLine(s.ClaimedBy, 60)) +
			st.Faint.Render(" until "+cells.Clock(*s.LeaseUntil)))
	}
	x.Line("")
	x.Prose(s.Content)
	switch s.Status {
	case board.Waived:
		x.Heading("Waived by " + cells.OneLine(s.ClosedBy, 60) + ", because")
		x.Text(s.Reason, "▏ ")
	case board.SignalOpen:
		if p.past != nil {
			break
		}
		x.Line("")
		ways := "a addresses it with an answer · w waives it with a reason"
		if !s.ClaimedAt(p.now()) {
			ways += " · c claims it"
		}
		for _, line := range cells.Wrap(ways, x.Width) {
			x.Line(st.Faint.Render(line))
		}
	}
	p.tree(x)
	p.history(x, p.signal.History)
	return x.Lines
}

func (p *detailPage) Title() string { return p.id }

func (p *detailPage) Actions() page.Actions {
	var all page.Actions
	if len(p.doc.Links) > 0 {
		all = all.Also(page.Renamed(page.KeyNext, "next link"))
		all = append(all, page.On(page.Renamed(page.KeyOpen, "go there"), p.follow))
	}
	if p.step != nil {
		all = append(all, page.On(page.KeyNextOne, func() tea.Cmd { return p.goOn(1) }))
	}
	if p.past != nil {
		all = append(all, page.On(page.KeyLive,
			func() tea.Cmd { return p.app.Soon(MomentMsg{p.b, math.MaxInt64}) }))
	}
	switch {
	case p.signal != nil:
		all = append(all, p.acts().actions(p.id, &p.signal.Signal)...)
	case p.entry != nil:
		all = append(all, p.acts().actions(p.id, nil)...)
	}
	if p.step != nil {
		all = append(all, page.On(page.KeyPreviousOne, func() tea.Cmd { return p.goOn(-1) }))
	}
	all = append(all, page.On(page.KeyCopyID, func() tea.Cmd { return p.app.CopyText(p.id) }),
		page.On(page.KeyCopyText, func() tea.Cmd { return copyContent(p.app, p.b, p.id) }))
	all = all.Also(page.KeySearch, page.KeyBack, page.Renamed(page.KeyPrevious, "link before"))
	return append(all, page.On(page.KeyRefresh, p.read)).Also(page.MovingKeys()...)
}

// MomentMsg shows a run as of an event. The last event, or any later number, means now.
type MomentMsg struct {
	Board *board.Board
	Seq   int64
}

// now returns the time for ages and leases.
func (p *detailPage) now() time.Time {
	if p.past != nil {
		return p.past.At
	}
	return p.app.Now()
}

// when notes that the page shows the past.
func (p *detailPage) when(x *cells.Writer) {
	if p.past != nil {
		x.Line(p.app.Styles.Warn.Render("as it was after event " + cells.Count(p.past.Seq) + ", " +
			cells.Clock(p.past.At)))
	}
}
