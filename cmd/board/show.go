package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"blackboard/board"
)

func (p *program) showCommands() []*cli.Command {
	return []*cli.Command{
		{
			Name: "show", Category: catRead, Usage: "show the run at a glance, or one entry or signal with its links both ways", ArgsUsage: "[ID]",
			Flags: readFlags(), Action: p.show,
		},
		{
			Name: "query", Category: catRead, Usage: "find entries", ArgsUsage: "[WORDS]",
			Description: `Filters narrow each other. WORDS are the same as --match: every word must occur; "a phrase"; word* begins a word; -word must not occur.
Newest first; with --since oldest first; --order best puts the best match first.`,
			Flags: readFlags(
				&cli.StringSliceFlag{Name: "type", Aliases: []string{"t"}, Usage: "`TYPE`, repeatable: " + strings.Join(board.EntryTypes, ", ")},
				&cli.StringSliceFlag{Name: "status", Usage: "`STATUS`, repeatable: " + strings.Join(board.EntryStatuses, ", ")},
				&cli.StringSliceFlag{Name: "by", Usage: "posted by this `WORKER`, repeatable"},
				&cli.StringSliceFlag{Name: "tag", Aliases: []string{"tags"}, Usage: "has this `TAG`; repeated: all of them"},
				&cli.StringFlag{Name: "signal", Usage: "addresses this `SIGNAL`"},
				&cli.BoolFlag{Name: "must-surface", Aliases: []string{"must"}, Usage: "must be carried by the artifact"},
				&cli.Int64Flag{Name: "since", Usage: "posted after event `SEQ`"},
				&cli.StringFlag{Name: "before", Usage: "only those older than the entry `ID`: the next page"},
				&cli.StringFlag{Name: "match", Aliases: []string{"m"}, Usage: "full text `WORDS`"},
				&cli.StringFlag{Name: "contains", Usage: "has this `TEXT`, to the character"},
				&cli.StringFlag{Name: "order", Usage: "`ORDER`: newest, oldest or best (default newest; oldest with --since)"},
				limitFlag(), &cli.BoolFlag{Name: "full", Usage: "print entries whole"}, quietIDs()),
			Action: p.query,
		},
		{
			Name: "signals", Category: catRead, Usage: "list signals, open and urgent ones first",
			Flags: readFlags(
				&cli.StringSliceFlag{Name: "status", Usage: "`STATUS`, repeatable: " + strings.Join(board.SignalStatuses, ", ")},
				&cli.StringSliceFlag{Name: "priority", Aliases: []string{"p"}, Usage: "`PRIORITY`, repeatable: " + strings.Join(board.Priorities, ", ")},
				&cli.StringFlag{Name: "by", Usage: "raised by this `WORKER`"},
				&cli.StringFlag{Name: "claimed-by", Usage: "held by this `WORKER`"},
				&cli.BoolFlag{Name: "free", Usage: "open, and held by nobody"},
				limitFlag(), quietIDs()),
			Action: p.signals,
		},
	}
}

func limitFlag() cli.Flag {
	return &cli.IntFlag{Name: "limit", Aliases: []string{"n"}, Usage: "at most `N`; 0: all", Value: 50}
}

// listLimit is how many are listed at most, 0 for all.
func listLimit(c *cli.Context) (int, error) {
	n := c.Int("limit")
	if n < 0 {
		return 0, usagef("give 1 or more; 0 lists all", "a limit of %d makes no sense", n)
	}
	return n, nil
}

func quietIDs() cli.Flag {
	return &cli.BoolFlag{Name: "quiet", Aliases: []string{"q"}, Usage: "print only the ids"}
}

func (p *program) show(c *cli.Context) error {
	if c.NArg() > 1 {
		return usagef("show them one by one", "one id is needed, but %d are given", c.NArg())
	}
	b, err := p.open(c)
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
			return p.json("signal", d.Signal, "linked_by", d.Linked, "history", d.History)
		}
		p.printSignal(&d)
		return nil
	default:
		d, err := b.Entry(c.Context, id)
		if err != nil {
			return err
		}
		if c.Bool("json") {
			return p.json("entry", d.Entry, "linked_by", d.Linked, "raised", d.Raised, "dropped_duties", d.Dropped, "settled", d.Settled, "history", d.History)
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
	follow, err := p.policy(c)
	if err != nil {
		return err
	}
	v, err := b.Gate(c.Context, follow.Gate)
	if err != nil {
		return err
	}
	commanded(&v)
	latest, err := b.Retrievals(c.Context, mostRetrievals)
	if err != nil {
		return err
	}
	return p.answer(c, nil, func() { p.printState(&st, &v, latest) }, "state", st, "gate", v,
		"retrievals", latest)
}

const (
	shownWorkers    = 12
	shownRetrievals = 5
	mostRetrievals  = 50 // in JSON
)

// printState prints the summary of a board and what keeps its gate closed.
func (p *program) printState(st *board.State, v *board.Verdict, latest []board.Retrieval) {
	p.printf("%s", p.paint(bold, "run "+st.Run))
	if st.Goal != "" {
		p.printf("  %s", line(st.Goal, 200))
	}
	p.printf("\ngate       %s\n", p.gateLine(v))
	e := &st.Entries
	p.printf("entries    %d: %s", e.Total, counts(e.ByType, board.EntryTypes))
	for _, extra := range []struct {
		n    int64
		name string
	}{{e.ByStatus[board.Disputed], "disputed"}, {e.ByStatus[board.Superseded], "superseded"}, {e.MustSurface, "must surface"}} {
		if extra.n > 0 {
			p.printf("; %d %s", extra.n, extra.name)
		}
	}
	s := &st.Signals
	p.printf("\nsignals    %d: open %d (%s), addressed %d, waived %d\n", s.Total, s.Open.Total(), counts(s.Open, board.Priorities), s.Addressed.Total(), s.Waived.Total())
	if st.Links.Total() > 0 {
		p.printf("links      %d: %s\n", st.Links.Total(), counts(st.Links, board.LinkKinds))
	}
	var workers []string
	for i, w := range st.Workers {
		if i == shownWorkers {
			workers = append(workers, fmt.Sprintf("and %d more", len(st.Workers)-shownWorkers))
			break
		}
		workers = append(workers, fmt.Sprintf("%s %d", line(w.Name, board.MaxName), w.Entries))
	}
	p.printf("workers    %d: %s\n", len(st.Workers), strings.Join(workers, ", "))
	if len(st.Expected) > 0 {
		var is []string
		for i, e := range st.Expected {
			if i == shownWorkers {
				is = append(is, fmt.Sprintf("and %d more", len(st.Expected)-shownWorkers))
				break
			}
			is = append(is, line(e.Worker, board.MaxName)+" "+e.Status)
		}
		p.printf("expected   %s\n", strings.Join(is, ", "))
	}
	for _, v := range st.Variables {
		p.printf("variable   %s = %s  %s\n", line(v.Key, board.MaxName), line(string(v.Value), 120), p.paint(dim, fmt.Sprintf("(version %d, %s)", v.Version, line(v.Worker, board.MaxName))))
	}
	if st.Retrievals > 0 {
		p.printf("given      %s of the knowledge base\n", count(st.Retrievals, "time", "times"))
	}
	for i := range latest[:min(len(latest), shownRetrievals)] {
		r := &latest[i]
		p.printf("  #%-6d %s  %s  %s: %s\n", r.Seq, clock(r.At), line(r.Worker, board.MaxName),
			line(r.Describe(), 140), line(r.IDs(), 200))
	}
	p.printf("last       event %d at %s\n", st.Seq, clock(st.Updated))
	for i := range v.Reasons[:min(len(v.Reasons), shownReasons)] {
		p.printf("%s\n", p.reasonLine(&v.Reasons[i]))
	}
}

func (p *program) printEntry(d *board.EntryDetail) {
	e := &d.Entry
	p.printf("%s  %s, %s", p.paint(bold, e.ID), e.Type, e.Status)
	if e.MustSurface {
		p.printf(", must surface")
	}
	p.printf("\nby         %s at %s\n", line(e.Worker, board.MaxName), clock(e.Created))
	if src := source(e); src != "" {
		p.printf("source     %s\n", line(src, 400))
	}
	if e.Verified != nil {
		p.printf("verified   %s\n", line(e.Verified.Describe(), 400))
	}
	if e.Confidence != nil {
		p.printf("confidence %g\n", *e.Confidence)
	}
	if len(e.Tags) > 0 {
		p.printf("tags       %s\n", safe(strings.Join(e.Tags, ", ")))
	}
	if e.Key != "" {
		p.printf("key        %s\n", line(e.Key, 200))
	}
	if e.ExternalID != "" {
		p.printf("elsewhere  %s\n", line(e.ExternalID, 200))
	}
	p.printf("\n%s\n", indent(e.Content, "  | "))
	if e.Evidence != "" {
		p.printf("\n%s\n", indent(e.Evidence, "  > "))
	}
	p.printf("\n")
	for _, kind := range board.LinkKinds {
		for _, id := range e.Of(kind) {
			p.printf("→ %-12s %s\n", kind, id)
		}
	}
	p.backlinks(d.Linked)
	for _, x := range d.Dropped {
		if x.By == e.ID {
			p.printf("%s need not surface: %s\n", x.ID, line(x.Reason, 400))
		} else {
			p.printf("need not surface: %s dropped that with %s: %s\n", line(x.Worker, board.MaxName), x.By, line(x.Reason, 400))
		}
	}
	for i := range d.Raised {
		p.printf("← %-12s %s\n", "raised", p.signalLine(&d.Raised[i], time.Now()))
	}
	for i := range d.Settled {
		s := &d.Settled[i]
		p.printf("↔ %-12s %s by %s: %s\n", "settled with", s.Other(e.ID), line(s.Worker, board.MaxName), line(s.Reason, 200))
	}
	p.history(d.History)
}

func (p *program) printSignal(d *board.SignalDetail) {
	s := &d.Signal
	p.printf("%s  %s, %s\n", p.paint(bold, s.ID), p.priority(s.Priority), s.Status)
	p.printf("by         %s at %s", line(s.Worker, board.MaxName), clock(s.Created))
	if s.Origin != "" {
		p.printf(", from %s", s.Origin)
	}
	p.printf("\n")
	if s.ClaimedAt(time.Now()) {
		p.printf("claimed    by %s until %s\n", line(s.ClaimedBy, board.MaxName), clock(*s.LeaseUntil))
	}
	switch s.Status {
	case board.Addressed:
		p.printf("addressed  by %s with %s at %s\n", line(s.ClosedBy, board.MaxName), s.AddressedBy, clock(*s.Closed))
	case board.Waived:
		p.printf("waived     by %s at %s: %s\n", line(s.ClosedBy, board.MaxName), clock(*s.Closed), line(s.Reason, 400))
	}
	if s.ExternalID != "" {
		p.printf("elsewhere  %s\n", line(s.ExternalID, 200))
	}
	p.printf("\n%s\n\n", indent(s.Content, "  | "))
	p.backlinks(d.Linked)
	p.history(d.History)
}

func (p *program) backlinks(links []board.Backlink) {
	verb := map[string]string{board.Supports: "supported by", board.Contradicts: "contradicted by", board.Supersedes: "superseded by", board.Addresses: "addressed by"}
	for _, l := range links {
		p.printf("← %-15s %-5s %s\n", verb[l.Kind], l.From, safe(l.Line))
	}
}

func (p *program) history(events []board.Event) {
	p.printf("\nhistory\n")
	for _, e := range events {
		p.printf("%s\n", p.paint(dim, p.eventLine(&e)))
	}
}

// eventLine is an event in a list: what happened, without repeating what the reader can look up by id.
func (p *program) eventLine(e *board.Event) string {
	what := e.Describe()
	if what != "" {
		what = ": " + line(what, 140)
	}
	return fmt.Sprintf("#%-5d %s  %s  %s %s%s", e.Seq, clock(e.At), line(e.Actor, board.MaxName), e.Verb, line(e.ID, 60), what)
}

func (p *program) query(c *cli.Context) error {
	q := board.Query{Types: list(c, "type"), Statuses: list(c, "status"), Workers: c.StringSlice("by"), Tags: c.StringSlice("tag"), Signal: c.String("signal"),
		MustSurface: c.Bool("must-surface"), Since: c.Int64("since"), Before: c.String("before"), Match: c.String("match"), Contains: c.String("contains"), Order: c.String("order"), Limit: c.Int("limit")}
	if c.NArg() > 0 {
		if q.Match != "" {
			return usagef("give the words once", "both --match and words are given")
		}
		q.Match = strings.Join(c.Args().Slice(), " ")
	}
	b, err := p.open(c)
	if err != nil {
		return err
	}
	defer b.Close()
	found, err := b.Query(c.Context, q)
	if err != nil {
		return err
	}
	if c.Bool("json") {
		return p.json("entries", found.Entries, "more", found.More)
	}
	for i := range found.Entries {
		e := &found.Entries[i]
		switch {
		case c.Bool("quiet"):
			p.printf("%s\n", e.ID)
		case c.Bool("full"):
			p.printf("%s\n", p.entryLine(e))
			p.printf("%s\n", indent(e.Content, "       | "))
			if e.Evidence != "" {
				p.printf("%s\n", indent(e.Evidence, "       > "))
			}
		default:
			p.printf("%s\n", p.entryLine(e))
		}
	}
	if n := len(found.Entries); found.More && (q.Order == board.Newest || q.Order == "" && q.Since == 0) {
		p.talk("the newest %d are shown; --before %s shows the next", n, found.Entries[n-1].ID)
	} else {
		p.listEnd(n, found.More, "entries")
	}
	return nil
}

// listEnd says on stderr when a list is empty or was cut.
func (p *program) listEnd(n int, more bool, what string) {
	switch {
	case n == 0:
		p.talk("no %s match", what)
	case more:
		p.talk("the first %d are shown; --limit 0 shows all", n)
	}
}

func (p *program) signals(c *cli.Context) error {
	limit, err := listLimit(c)
	if err != nil {
		return err
	}
	b, err := p.open(c)
	if err != nil {
		return err
	}
	defer b.Close()
	found, err := b.Signals(c.Context, board.SignalQuery{Statuses: list(c, "status"), Priorities: list(c, "priority"), Worker: c.String("by"),
		ClaimedBy: c.String("claimed-by"), Free: c.Bool("free"), Limit: limit})
	if err != nil {
		return err
	}
	return p.answer(c, nil, func() {
		for i := range found.Signals {
			if c.Bool("quiet") {
				p.printf("%s\n", found.Signals[i].ID)
				continue
			}
			p.printf("%s\n", p.signalLine(&found.Signals[i], time.Now()))
		}
		p.listEnd(len(found.Signals), found.More, "signals")
	}, "signals", found.Signals, "more", found.More)
}
