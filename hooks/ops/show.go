package ops

import (
	"context"
	"fmt"
	"strings"
	"time"

	"blackboard/board"
	"blackboard/board/fault"
	"blackboard/board/op"
)

type QueryIn struct {
	OnRun
	Match       string   `json:"match,omitempty" arg:"[WORDS]" as:"line" flag:"match" value:"WORDS" jsonschema:"words, \"phrases\", word*, -without"`
	Contains    string   `json:"contains,omitempty" value:"TEXT" rare:"true" jsonschema:"exactly this text"`
	Types       []string `json:"types,omitempty" enum:"entry_types" flag:"type,t" rare:"true" jsonschema:"of these"`
	Statuses    []string `json:"statuses,omitempty" enum:"entry_statuses" flag:"status" rare:"true" jsonschema:"of these"`
	Workers     []string `json:"workers,omitempty" flag:"by" value:"WORKER" commas:"no" rare:"true" jsonschema:"of these"`
	Tags        []string `json:"tags,omitempty" flag:"tag,tags" commas:"no" jsonschema:"with all of these"`
	Signal      string   `json:"signal,omitempty" rare:"true" jsonschema:"answers to it (s3)"`
	MustSurface bool     `json:"must_surface,omitempty" flag:"must,must-surface" rare:"true" jsonschema:"only these"`
	Since       int64    `json:"since,omitempty" value:"SEQ" rare:"true" jsonschema:"after this event (seq)"`
	Before      string   `json:"before,omitempty" value:"ID" rare:"true" jsonschema:"for the next page: the last entry of this one"`
	Order       string   `json:"order,omitempty" enum:"orders" rare:"true" jsonschema:"default newest; oldest with since"`
	Limit       int      `json:"limit,omitempty" min:"0" flag:"limit,n" value:"N" default:"50" rare:"true" jsonschema:"default 50" cli:"at most this many; 0: all"`
	Full        bool     `json:"full,omitempty" only:"cli" jsonschema:"print full entries"`
}

type QueryOut struct {
	Entries []board.Entry `json:"entries"`
	More    bool          `json:"more"`
	in      QueryIn
}

func (o QueryOut) IDs() []string {
	return op.Each(o.Entries, func(x *board.Entry) string { return x.ID })
}

var Query = op.Op[Runs, QueryIn, QueryOut]{
	Info: op.Info{Command: "query", Group: "Look", Tool: "board_query", Profile: "run",
		Budget: 4000, Short: "find entries",
		About: "Find entries. Look before you post.",
		Long: `An entry must match all filters. WORDS: every word must occur; "a phrase"; word* begins a
word; -word must not occur. Newest first; with --since oldest first; --order best puts the
best match first.`},
	Do: onBoard(Read, func(ctx context.Context, _ Runs, b *board.Board, in QueryIn) (QueryOut, error) {
		found, err := b.Query(ctx, board.Query{Types: in.Types, Statuses: in.Statuses,
			Workers: in.Workers, Tags: in.Tags, Signal: in.Signal, MustSurface: in.MustSurface,
			Since: in.Since, Before: in.Before, Match: in.Match, Contains: in.Contains,
			Order: in.Order, Limit: in.Limit})
		return QueryOut{found.Entries, found.More, in}, err
	}),
	Text: func(p *op.Page, o QueryOut) {
		shown := op.FirstRows(p, o.Entries)
		for i := range shown {
			p.Printf("%s\n", entryLine(p, &shown[i]))
			if p.Shorten != nil || o.in.Full {
				printWhole(p, &shown[i])
			}
		}
		n, newest := len(shown), o.in.Order == board.Newest || o.in.Order == "" && o.in.Since == 0
		switch more := o.More || n < len(o.Entries); {
		case len(o.Entries) == 0:
			p.Note("no entries found")
		case !more:
		case n == 0:
			p.Note("there is no room for an entry")
		case newest:
			p.Note(fmt.Sprintf("the newest %d are shown", n) + p.Step(fault.Give("before", shown[n-1].ID,
				"; {} shows the next")))
		case o.in.Order != board.Best:
			p.Note(fmt.Sprintf("the first %d are shown", n) + p.Step(fault.Give("since",
				fmt.Sprint(shown[n-1].Seq), "; {} shows the next")))
		default:
			p.Note(fmt.Sprintf("the first %d are shown", n) + p.Step(fault.Give("limit", "0",
				"; {} shows all")))
		}
	},
}

func entryLine(p *op.Page, e *board.Entry) string {
	var marks []string
	if e.Status != board.Active {
		marks = append(marks, p.Paint(op.Yellow, e.Status))
	}
	if e.MustSurface {
		marks = append(marks, "must-surface")
	}
	if mark := e.Verified.Mark(); mark != "" {
		marks = append(marks, mark)
	}
	tail := p.Line(e.Worker, board.MaxName)
	if p.Shorten != nil {
		tail = "by " + tail
	}
	if src := sourceOf(e); src != "" {
		tail += " · " + p.Text(src, 60, "entry.show", e.ID)
	}
	if len(marks) > 0 {
		tail += " · " + strings.Join(marks, ", ")
	}
	return fmt.Sprintf("%-6s %-13s %s\n       %s", e.ID, e.Type, p.Text(e.Content, 160, "entry.show",
		e.ID), p.Paint(op.Dim, tail))
}

// printWhole prints what the line of an entry leaves out.
func printWhole(p *op.Page, e *board.Entry) {
	if p.Shorten == nil {
		p.Printf("%s\n", p.Block(e.Content, "       | "))
	} else if links := linksOf(e); links != "" {
		p.Printf("       %s\n", strings.TrimPrefix(links, ", "))
	}
	for _, c := range e.Cites() {
		if c.Evidence != "" {
			p.Printf("%s\n", p.Whole(c.Evidence, "       > ", "entry.show", e.ID))
		}
	}
}

func sourceOf(e *board.Entry) string {
	return strings.Join(op.Each(e.Cites(), func(c *board.Cited) string { return c.String() }), " and ")
}

type SignalsIn struct {
	OnRun
	Statuses   []string `json:"status,omitempty" enum:"signal_statuses" jsonschema:"only these"`
	Priorities []string `json:"priority,omitempty" enum:"priorities" flag:"priority,p" rare:"true" jsonschema:"only these"`
	By         string   `json:"by,omitempty" value:"WORKER" rare:"true" jsonschema:"raised by this one"`
	ClaimedBy  string   `json:"claimed_by,omitempty" value:"WORKER" rare:"true" jsonschema:"claimed by this one"`
	Free       bool     `json:"free,omitempty" jsonschema:"open, and claimed by nobody"`
	Limit      int      `json:"limit,omitempty" min:"0" flag:"limit,n" value:"N" default:"50" rare:"true" jsonschema:"default 50" cli:"at most this many; 0: all"`
}

type SignalsOut struct {
	Signals []board.Signal `json:"signals"`
	More    bool           `json:"more"`
}

func (o SignalsOut) IDs() []string {
	return op.Each(o.Signals, func(x *board.Signal) string { return x.ID })
}

var Signals = op.Op[Runs, SignalsIn, SignalsOut]{
	Info: op.Info{Command: "signals", Group: "Look", Tool: "board_signals", Profile: "run",
		Budget: 4000, Short: "list questions, open and urgent ones first",
		About: "List questions, the open and urgent ones first."},
	Do: onBoard(Read, func(ctx context.Context, _ Runs, b *board.Board, in SignalsIn) (SignalsOut, error) {
		found, err := b.Signals(ctx, board.SignalQuery{Statuses: in.Statuses,
			Priorities: in.Priorities, Worker: in.By, ClaimedBy: in.ClaimedBy, Free: in.Free,
			Limit: in.Limit})
		return SignalsOut{found.Signals, found.More}, err
	}),
	Text: func(p *op.Page, o SignalsOut) {
		listed(p, o.Signals, o.More, "questions", func(x *board.Signal) string {
			return SignalLine(p, x, time.Now())
		})
	},
}

type ShowIn struct {
	OnRun
	ID string `json:"id,omitempty" arg:"ID" jsonschema:"e12 or s3"`
}

// ShowOut is an entry or a question, with what is linked to it.
type ShowOut struct {
	Signal  *board.Signal        `json:"signal,omitempty"`
	Entry   *board.Entry         `json:"entry,omitempty"`
	Linked  []board.Backlink     `json:"linked_by"`
	Raised  *[]board.Signal      `json:"raised,omitempty"`
	Dropped *[]board.DroppedDuty `json:"dropped_duties,omitempty"`
	Settled *[]board.Settlement  `json:"settled,omitempty"`
	History []board.Event        `json:"history"`
}

var Show = op.Op[Runs, ShowIn, ShowOut]{
	Info: op.Info{Command: "show", Group: "Look", Tool: "board_show", Profile: "run", Budget: 4000,
		Short: "show the run at a glance, or one entry or question with its links both ways",
		About: "Start here: where the run stands, what keeps the gate closed, open questions, " +
			"workers. With id, one entry or question whole."},
	Do: onBoard(Read, func(ctx context.Context, _ Runs, b *board.Board, in ShowIn) (ShowOut, error) {
		return Shown(ctx, b, in.ID)
	}),
	Text: func(p *op.Page, o ShowOut) {
		if o.Signal != nil {
			printSignal(p, o.Signal)
		} else {
			printEntry(p, o.Entry, o.History)
		}
		backlinks(p, o.Linked)
		if o.Entry != nil {
			printRelated(p, &o)
		}
		p.Printf("\nhistory\n")
		events := o.History
		if shown := op.FirstRows(p, events); len(shown) < len(events) {
			p.Printf("%d events before\n", len(events)-len(shown))
			events = events[len(events)-len(shown):]
		}
		for i := range events {
			p.Printf("%s\n", p.Paint(op.Dim, EventLine(p, &events[i])))
		}
	},
}

// Shown is an entry or a question of a board, as it is or as it was.
func Shown(ctx context.Context, b interface {
	SignalByID(ctx context.Context, id string) (board.SignalDetail, error)
	Entry(ctx context.Context, id string) (board.EntryDetail, error)
}, id string) (ShowOut, error) {
	if strings.HasPrefix(id, "s") {
		d, err := b.SignalByID(ctx, id)
		return ShowOut{Signal: &d.Signal, Linked: d.Linked, History: d.History}, err
	}
	d, err := b.Entry(ctx, id)
	return ShowOut{Entry: &d.Entry, Linked: d.Linked, Raised: &d.Raised, Dropped: &d.SurfaceWaivers,
		Settled: &d.Settled, History: d.History}, err
}

func row(p *op.Page, name, value string) { column(p, 10)(name, value) }

func column(p *op.Page, width int) func(name, value string) {
	return func(name, value string) {
		if value != "" {
			p.Printf("%-*s %s\n", width, name, value)
		}
	}
}

func printEntry(p *op.Page, e *board.Entry, history []board.Event) {
	p.Printf("%s  %s, %s", p.Paint(op.Bold, e.ID), e.Type, e.Status)
	if e.MustSurface {
		p.Printf(", must surface")
	}
	p.Printf("\n")
	row(p, "by", p.Line(e.Worker, board.MaxName)+" at "+seconds(e.Created))
	for i, c := range e.Cites() {
		row(p, []string{"source", "and"}[min(i, 1)], p.Text(c.String(), 400, "", ""))
	}
	if e.Verified != nil {
		row(p, "verified", p.Text(e.Verified.Describe(), 400, "", ""))
	}
	if len(history) > 0 {
		if posted, err := history[0].Post(); err == nil && posted.Correction != nil {
			row(p, "corrects", p.Text(posted.Correction.Describe(), 400, "", ""))
		}
	}
	if e.Confidence != nil {
		row(p, "confidence", fmt.Sprintf("%g", *e.Confidence))
	}
	row(p, "tags", p.Text(strings.Join(op.FirstRows(p, e.Tags), ", "), board.MaxContent, "", ""))
	row(p, "key", p.Line(e.Key, 200))
	row(p, "elsewhere", p.Line(e.ExternalID, 200))
	p.Printf("\n%s\n", p.Whole(e.Content, "  | ", "", ""))
	for _, c := range e.Cites() {
		if c.Evidence != "" {
			p.Printf("\n%s\n", p.Whole(c.Evidence, "  > ", "", ""))
		}
	}
	p.Printf("\n")
	for _, kind := range board.LinkKinds {
		for _, id := range op.FirstRows(p, e.Of(kind)) {
			p.Printf("→ %-12s %s\n", kind, id)
		}
	}
}

// printRelated prints the dropped must-surface duties, the signals that the entry raised, and the entries that it was
// settled with.
func printRelated(p *op.Page, o *ShowOut) {
	for _, x := range op.FirstRows(p, *o.Dropped) {
		if x.By == o.Entry.ID {
			p.Printf("%s need not surface: %s\n", x.ID, p.Text(x.Reason, 400, "", ""))
		} else {
			p.Printf("need not surface: %s dropped that with %s: %s\n", p.Line(x.Worker,
				board.MaxName), x.By, p.Text(x.Reason, 400, "", ""))
		}
	}
	for _, s := range op.FirstRows(p, *o.Raised) {
		p.Printf("← %-12s %s\n", "raised", SignalLine(p, &s, time.Now()))
	}
	for _, s := range op.FirstRows(p, *o.Settled) {
		p.Printf("↔ %-12s %s by %s: %s\n", "settled with", s.Other(o.Entry.ID),
			p.Line(s.Worker, board.MaxName), p.Text(s.Reason, 200, "", ""))
	}
}

func printSignal(p *op.Page, s *board.Signal) {
	p.Printf("%s  %s, %s\n", p.Paint(op.Bold, s.ID), Priority(p, s.Priority), s.Status)
	by := p.Line(s.Worker, board.MaxName) + " at " + seconds(s.Created)
	if s.Origin != "" {
		by += ", from " + s.Origin
	}
	row(p, "by", by)
	row(p, "for", p.Line(s.To, board.MaxName))
	if s.ClaimedAt(time.Now()) {
		row(p, "claimed", "by "+p.Line(s.ClaimedBy, board.MaxName)+" until "+seconds(*s.LeaseUntil))
	}
	switch s.Status {
	case board.Addressed:
		row(p, "answered", fmt.Sprintf("by %s with %s at %s", p.Line(s.ClosedBy, board.MaxName),
			s.AddressedBy, seconds(*s.Closed)))
	case board.Waived:
		row(p, "waived", fmt.Sprintf("by %s at %s: %s", p.Line(s.ClosedBy, board.MaxName),
			seconds(*s.Closed), p.Text(s.Reason, 400, "", "")))
	}
	row(p, "elsewhere", p.Line(s.ExternalID, 200))
	p.Printf("\n%s\n\n", p.Whole(s.Content, "  | ", "", ""))
}

func backlinks(p *op.Page, links []board.Backlink) {
	for _, l := range op.FirstRows(p, links) {
		verb := map[string]string{board.Supports: "supported by", board.Contradicts: "contradicted by",
			board.Supersedes: "superseded by", board.Addresses: "answered by"}[l.Kind]
		p.Printf("← %-15s %-5s %s\n", verb, l.From, p.Text(l.Line, board.MaxContent, "", ""))
	}
	if left := len(links) - len(op.FirstRows(p, links)); left > 0 {
		p.Printf("%d more link to it\n", left)
	}
}

// EventLine is an event in a list, without content that can be looked up by id.
func EventLine(p *op.Page, e *board.Event) string {
	what := e.Describe()
	if what != "" {
		what = ": " + p.Text(what, 140, "entry.show", e.ID)
	}
	return fmt.Sprintf("#%-5d %s  %s  %s %s%s", e.Seq, seconds(e.At), p.Line(e.Actor, board.MaxName),
		e.Verb, p.Line(e.ID, 60), what)
}

// seconds is a time for people: UTC, to the second.
func seconds(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05Z") }
