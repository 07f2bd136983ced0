package runcmd

import (
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"blackboard/board"
	"blackboard/cmd/board/base"
	"blackboard/hooks/ops"
)

func (p *program) showCommands() []*cli.Command {
	show := p.operation(&ops.Show)
	one := show.Action
	show.ArgsUsage = "[ID]"
	show.Flags = append([]cli.Flag{&cli.Int64Flag{Name: "at",
		Usage: "as it was after the event `SEQ`, rebuilt from the log alone"}}, show.Flags...)
	show.Action = func(c *cli.Context) error {
		switch {
		case c.IsSet("at"):
			return p.replay(c)
		case c.NArg() > 0:
			return one(c)
		}
		return base.OnBoard(p.OpenRun(c))(func(b *board.Board) error { return p.showState(c, b) })
	}
	return []*cli.Command{show, p.operation(&ops.Query), p.operation(&ops.Signals)}
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
	ops.InWords(&host{p, c}, &v)
	latest, err := b.Retrievals(c.Context, mostRetrievals)
	if err != nil {
		return err
	}
	seen, err := b.Receipts(c.Context)
	if err != nil {
		return err
	}
	claims, err := b.RanClaims(c.Context)
	if err != nil {
		return err
	}
	text := func() {
		p.printState(&st, &v, latest)
		p.printRan(seen, claims)
	}
	return p.Answer(c, nil, text, "state", st, "gate", v, "retrievals", latest,
		"receipts", lastOf(seen, mostRetrievals), "ran_claims", lastOf(claims, mostRetrievals))
}

const (
	shownWorkers    = 12
	shownRetrievals = 5
	mostRetrievals  = 50 // in JSON
	shownReasons    = 200
)

// printState prints the summary of a board and what keeps its gate closed.
func (p *program) printState(st *board.State, v *board.Verdict, latest []board.Retrieval) {
	p.Printf("%s", p.Paint(base.Bold, "run "+st.Run))
	if st.Goal != "" {
		p.Printf("  %s", base.Line(st.Goal, 200))
	}
	p.Printf("\ngate       %s\n", ops.GateLine(p.Page(), v))
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
		p.Printf("%s\n", ops.ReasonLine(p.Page(), &v.Reasons[i]))
	}
}

// printRan prints what hooks saw last, and what workers say to have run.
func (p *program) printRan(seen []board.Receipt, claims []board.RanClaim) {
	if len(seen) > 0 {
		p.Printf("ran        %s seen by hooks\n", base.Count(int64(len(seen)), "command or edit",
			"commands and edits"))
	}
	for _, r := range lastOf(seen, shownRetrievals) {
		p.Printf("  %s  %s\n", base.Line(r.Worker, board.MaxName), base.Line(r.Describe(), 200))
	}
	for _, c := range lastOf(claims, shownRetrievals) {
		p.Printf("  %s says %s\n", base.Line(c.Worker, board.MaxName), base.Line(c.Describe(), 240))
	}
}

// lastOf are the last members of a list.
func lastOf[T any](all []T, most int) []T {
	return append([]T{}, all[max(0, len(all)-most):]...)
}

// counts are the names with a count, in the given order: "observation 3, gap 1".
func counts(c board.CountsByName, order []string) string {
	var parts []string
	for _, name := range order {
		if n := c[name]; n > 0 {
			parts = append(parts, fmt.Sprintf("%s %d", name, n))
		}
	}
	if len(parts) == 0 {
		return "none"
	}
	return strings.Join(parts, ", ")
}
