package runcmd

import (
	"fmt"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"blackboard/board"
	"blackboard/cmd/board/base"
)

func (p *program) showCommands() []*cli.Command {
	return []*cli.Command{
		{
			Name: "show", Category: base.CategoryRead,
			Usage:     "show the run at a glance, or one entry or signal with its links both ways",
			ArgsUsage: "[ID]",
			Flags:     base.ReadFlags(), Action: p.show,
		},
		{
			Name: "query", Category: base.CategoryRead, Usage: "find entries", ArgsUsage: "[WORDS]",
			Description: `An entry must match all filters. WORDS are the same as --match: every
word must occur; "a phrase"; word* begins a word; -word must not occur. Newest first; with
--since oldest first; --order best puts the best match first.`,
			Flags: base.ReadFlags(
				&cli.StringSliceFlag{Name: "type", Aliases: []string{"t"},
					Usage: "`TYPE`, repeatable: " + strings.Join(board.EntryTypes, ", ")},
				&cli.StringSliceFlag{Name: "status",
					Usage: "`STATUS`, repeatable: " + strings.Join(board.EntryStatuses, ", ")},
				&cli.StringSliceFlag{Name: "by", Usage: "posted by this `WORKER`, repeatable"},
				&cli.StringSliceFlag{Name: "tag", Aliases: []string{"tags"},
					Usage: "has this `TAG`; repeated: all of them"},
				&cli.StringFlag{Name: "signal", Usage: "addresses this `SIGNAL`"},
				&cli.BoolFlag{Name: "must", Aliases: []string{"must-surface"},
					Usage: "must be in the report"},
				&cli.Int64Flag{Name: "since", Usage: "posted after event `SEQ`"},
				&cli.StringFlag{Name: "before", Usage: "only those older than the entry `ID`: " +
					"the next page"},
				&cli.StringFlag{Name: "match", Usage: "full text `WORDS`"},
				&cli.StringFlag{Name: "contains", Usage: "contains exactly this `TEXT`"},
				&cli.StringFlag{Name: "order",
					Usage: "`ORDER`: newest, oldest or best (default newest; oldest with --since)"},
				base.LimitFlag(), &cli.BoolFlag{Name: "full",
					Usage: "print full entries"}, base.QuietIDsFlag()),
			Action: p.query,
		},
		{
			Name: "signals", Category: base.CategoryRead, Usage: "list signals, open and " +
				"urgent ones first",
			Flags: base.ReadFlags(
				&cli.StringSliceFlag{Name: "status",
					Usage: "`STATUS`, repeatable: " + strings.Join(board.SignalStatuses, ", ")},
				&cli.StringSliceFlag{Name: "priority", Aliases: []string{"p"},
					Usage: "`PRIORITY`, repeatable: " + strings.Join(board.Priorities, ", ")},
				&cli.StringFlag{Name: "by", Usage: "raised by this `WORKER`"},
				&cli.StringFlag{Name: "claimed-by", Usage: "claimed by this `WORKER`"},
				&cli.BoolFlag{Name: "free", Usage: "open, and not claimed"},
				base.LimitFlag(), base.QuietIDsFlag()),
			Action: p.signals,
		},
	}
}

func (p *program) show(c *cli.Context) error {
	if c.NArg() > 1 {
		return base.Usagef("show them one by one", "one id is needed, but %d are given", c.NArg())
	}
	b, err := p.OpenRun(c)
	if err != nil {
		return err
	}
	defer b.Close()
	id := c.Args().First()
	switch {
	case id == "":
		return p.showState(c, b)
	case strings.HasPrefix(id, "s"):
		d, err := b.SignalByID(c.Context, id)
		if err != nil {
			return err
		}
		if c.Bool("json") {
			return p.JSON("signal", d.Signal, "linked_by", d.Linked, "history", d.History)
		}
		p.printSignal(&d)
		return nil
	default:
		d, err := b.Entry(c.Context, id)
		if err != nil {
			return err
		}
		if c.Bool("json") {
			return p.JSON("entry", d.Entry, "linked_by", d.Linked, "raised", d.Raised, "dropped_duties",
				d.Dropped, "settled", d.Settled, "history", d.History)
		}
		p.printEntry(&d)
		return nil
	}
}

func (p *program) showState(c *cli.Context, b *board.Board) error {
	st, err := b.State(c.Context)
	if err != nil {
		return err
	}
	follow, err := p.policy(c, b)
	if err != nil {
		return err
	}
	v, err := b.Gate(c.Context, follow.Gate)
	if err != nil {
		return err
	}
	useCommands(&v)
	latest, err := b.Retrievals(c.Context, mostRetrievals)
	if err != nil {
		return err
	}
	return p.Answer(c, nil, func() { p.printState(&st, &v, latest) }, "state", st, "gate", v,
		"retrievals", latest)
}

const (
	shownWorkers    = 12
	shownRetrievals = 5
	mostRetrievals  = 50 // in JSON
)

// printState prints the summary of a board and what keeps its gate closed.
func (p *program) printState(st *board.State, v *board.Verdict, latest []board.Retrieval) {
	p.Printf("%s", p.Paint(base.Bold, "run "+st.Run))
	if st.Goal != "" {
		p.Printf("  %s", base.Line(st.Goal, 200))
	}
	p.Printf("\ngate       %s\n", p.gateLine(v))
	e := &st.Entries
	p.Printf("entries    %d: %s", e.Total, counts(e.ByType, board.EntryTypes))
	for _, extra := range []struct {
		n    int64
		name string
	}{{e.ByStatus[board.Disputed], "disputed"}, {e.ByStatus[board.Superseded], "superseded"},
		{e.MustSurface, "must surface"}} {
		if extra.n > 0 {
			p.Printf("; %d %s", extra.n, extra.name)
		}
	}
	s := &st.Signals
	p.Printf("\nsignals    %d: open %d (%s), addressed %d, waived %d\n", s.Total, s.Open.Total(),
		counts(s.Open, board.Priorities), s.Addressed.Total(), s.Waived.Total())
	if st.Links.Total() > 0 {
		p.Printf("links      %d: %s\n", st.Links.Total(), counts(st.Links, board.LinkKinds))
	}
	var workers []string
	for i, w := range st.Workers {
		if i == shownWorkers {
			workers = append(workers, fmt.Sprintf("and %d more", len(st.Workers)-shownWorkers))
			break
		}
		is := fmt.Sprintf("%s %d", base.Line(w.Name, board.MaxName), w.Entries)
		if spent := st.Spent(w.Name).Describe(); spent != "" {
			is += " (" + spent + ")"
		}
		workers = append(workers, is)
	}
	p.Printf("workers    %d: %s\n", len(st.Workers), strings.Join(workers, ", "))
	if len(st.Expected) > 0 {
		var is []string
		for i, e := range st.Expected {
			if i == shownWorkers {
				is = append(is, fmt.Sprintf("and %d more", len(st.Expected)-shownWorkers))
				break
			}
			is = append(is, base.Line(e.Worker, board.MaxName)+" "+e.Status)
		}
		p.Printf("expected   %s\n", strings.Join(is, ", "))
	}
	if spent := st.Spent("").Describe(); spent != "" {
		p.Printf("spent      %s\n", spent)
	}
	for _, v := range st.Variables {
		p.Printf("variable   %s = %s  %s\n", base.Line(v.Key, board.MaxName),
			base.Line(string(v.Value), 120), p.Paint(base.Dim, fmt.Sprintf("(version %d, %s)", v.Version,
				base.Line(v.Worker, board.MaxName))))
	}
	if st.Retrievals > 0 {
		p.Printf("given      %s of the knowledge base\n", base.Count(st.Retrievals, "time", "times"))
	}
	for i := range latest[:min(len(latest), shownRetrievals)] {
		r := &latest[i]
		p.Printf("  #%-6d %s  %s  %s: %s\n", r.Seq, base.FormatTime(r.At),
			base.Line(r.Worker, board.MaxName),
			base.Line(r.Describe(), 140), base.Line(r.IDs(), 200))
	}
	p.Printf("last       event %d at %s\n", st.Seq, base.FormatTime(st.Updated))
	for i := range v.Reasons[:min(len(v.Reasons), shownReasons)] {
		p.Printf("%s\n", p.reasonLine(&v.Reasons[i]))
	}
}

func (p *program) printEntry(d *board.EntryDetail) {
	e := &d.Entry
	p.Printf("%s  %s, %s", p.Paint(base.Bold, e.ID), e.Type, e.Status)
	if e.MustSurface {
		p.Printf(", must surface")
	}
	p.Printf("\nby         %s at %s\n", base.Line(e.Worker, board.MaxName),
		base.FormatTime(e.Created))
	if src := source(e); src != "" {
		p.Printf("source     %s\n", base.Line(src, 400))
	}
	if e.Verified != nil {
		p.Printf("verified   %s\n", base.Line(e.Verified.Describe(), 400))
	}
	if e.Confidence != nil {
		p.Printf("confidence %g\n", *e.Confidence)
	}
	if len(e.Tags) > 0 {
		p.Printf("tags       %s\n", base.Safe(strings.Join(e.Tags, ", ")))
	}
	if e.Key != "" {
		p.Printf("key        %s\n", base.Line(e.Key, 200))
	}
	if e.ExternalID != "" {
		p.Printf("elsewhere  %s\n", base.Line(e.ExternalID, 200))
	}
	p.Printf("\n%s\n", base.Indent(e.Content, "  | "))
	if e.Evidence != "" {
		p.Printf("\n%s\n", base.Indent(e.Evidence, "  > "))
	}
	p.Printf("\n")
	for _, kind := range board.LinkKinds {
		for _, id := range e.Of(kind) {
			p.Printf("→ %-12s %s\n", kind, id)
		}
	}
	p.backlinks(d.Linked)
	for _, x := range d.Dropped {
		if x.By == e.ID {
			p.Printf("%s need not surface: %s\n", x.ID, base.Line(x.Reason, 400))
		} else {
			p.Printf("need not surface: %s dropped that with %s: %s\n", base.Line(x.Worker,
				board.MaxName), x.By, base.Line(x.Reason, 400))
		}
	}
	for i := range d.Raised {
		p.Printf("← %-12s %s\n", "raised", p.signalLine(&d.Raised[i]))
	}
	for i := range d.Settled {
		s := &d.Settled[i]
		p.Printf("↔ %-12s %s by %s: %s\n", "settled with", s.Other(e.ID),
			base.Line(s.Worker, board.MaxName), base.Line(s.Reason, 200))
	}
	p.history(d.History)
}

func (p *program) printSignal(d *board.SignalDetail) {
	s := &d.Signal
	p.Printf("%s  %s, %s\n", p.Paint(base.Bold, s.ID), p.priority(s.Priority), s.Status)
	p.Printf("by         %s at %s", base.Line(s.Worker, board.MaxName), base.FormatTime(s.Created))
	if s.Origin != "" {
		p.Printf(", from %s", s.Origin)
	}
	p.Printf("\n")
	if s.ClaimedAt(time.Now()) {
		p.Printf("claimed    by %s until %s\n", base.Line(s.ClaimedBy, board.MaxName),
			base.FormatTime(*s.LeaseUntil))
	}
	switch s.Status {
	case board.Addressed:
		p.Printf("addressed  by %s with %s at %s\n", base.Line(s.ClosedBy, board.MaxName), s.AddressedBy,
			base.FormatTime(*s.Closed))
	case board.Waived:
		p.Printf("waived     by %s at %s: %s\n", base.Line(s.ClosedBy, board.MaxName),
			base.FormatTime(*s.Closed), base.Line(s.Reason, 400))
	}
	if s.ExternalID != "" {
		p.Printf("elsewhere  %s\n", base.Line(s.ExternalID, 200))
	}
	p.Printf("\n%s\n\n", base.Indent(s.Content, "  | "))
	p.backlinks(d.Linked)
	p.history(d.History)
}

func (p *program) backlinks(links []board.Backlink) {
	verb := map[string]string{board.Supports: "supported by", board.Contradicts: "contradicted by",
		board.Supersedes: "superseded by", board.Addresses: "addressed by"}
	for _, l := range links {
		p.Printf("← %-15s %-5s %s\n", verb[l.Kind], l.From, base.Safe(l.Line))
	}
}

func (p *program) history(events []board.Event) {
	p.Printf("\nhistory\n")
	for _, e := range events {
		p.Printf("%s\n", p.Paint(base.Dim, p.eventLine(&e)))
	}
}

// eventLine is an event in a list. Content that the reader can look up by id is not
// repeated.
func (p *program) eventLine(e *board.Event) string {
	what := e.Describe()
	if what != "" {
		what = ": " + base.Line(what, 140)
	}
	return fmt.Sprintf("#%-5d %s  %s  %s %s%s", e.Seq, base.FormatTime(e.At),
		base.Line(e.Actor, board.MaxName), e.Verb, base.Line(e.ID, 60), what)
}

func (p *program) query(c *cli.Context) error {
	q := board.Query{Types: base.List(c, "type"), Statuses: base.List(c, "status"),
		Workers: c.StringSlice("by"), Tags: c.StringSlice("tag"), Signal: c.String("signal"),
		MustSurface: c.Bool("must"), Since: c.Int64("since"), Before: c.String("before"),
		Match: c.String("match"), Contains: c.String("contains"), Order: c.String("order"),
		Limit: c.Int("limit")}
	if c.NArg() > 0 {
		if q.Match != "" {
			return base.Usagef("give the words once", "both --match and words are given")
		}
		q.Match = strings.Join(c.Args().Slice(), " ")
	}
	return base.OnBoard(p.OpenRun(c))(func(b *board.Board) error {
		found, err := b.Query(c.Context, q)
		return p.Answer(c, err, func() {
			for i := range found.Entries {
				e := &found.Entries[i]
				switch {
				case c.Bool("quiet"):
					p.Printf("%s\n", e.ID)
				case c.Bool("full"):
					p.Printf("%s\n", p.entryLine(e))
					p.Printf("%s\n", base.Indent(e.Content, "       | "))
					if e.Evidence != "" {
						p.Printf("%s\n", base.Indent(e.Evidence, "       > "))
					}
				default:
					p.Printf("%s\n", p.entryLine(e))
				}
			}
			if n := len(found.Entries); found.More && (q.Order == board.Newest || q.Order == "" &&
				q.Since == 0) {
				p.Messagef("the newest %d are shown; --before %s shows the next", n,
					found.Entries[n-1].ID)
			} else {
				p.EndList(n, found.More, "entries")
			}
		}, "entries", found.Entries, "more", found.More)
	})
}

func (p *program) signals(c *cli.Context) error {
	limit, err := base.Limit(c)
	if err != nil {
		return err
	}
	return base.OnBoard(p.OpenRun(c))(func(b *board.Board) error {
		found, err := b.Signals(c.Context, board.SignalQuery{Statuses: base.List(c, "status"),
			Priorities: base.List(c, "priority"), Worker: c.String("by"),
			ClaimedBy: c.String("claimed-by"), Free: c.Bool("free"), Limit: limit})
		if err != nil {
			return err
		}
		return p.Answer(c, nil, func() {
			for i := range found.Signals {
				if c.Bool("quiet") {
					p.Printf("%s\n", found.Signals[i].ID)
					continue
				}
				p.Printf("%s\n", p.signalLine(&found.Signals[i]))
			}
			p.EndList(len(found.Signals), found.More, "signals")
		}, "signals", found.Signals, "more", found.More)
	})
}
