package ops

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"blackboard/board"
	"blackboard/board/fault"
	"blackboard/board/op"
	"blackboard/board/text"
)

type GlanceIn struct {
	OnRun
	Log bool `json:"log,omitempty" only:"cli" flag:"-"` // what was given and seen, for people
}

// Glance is where a run stands; without one, which runs there are.
type Glance struct {
	State      *board.State      `json:"state,omitempty"`
	Gate       *board.Verdict    `json:"gate,omitempty"`
	Signals    []board.Signal    `json:"open_signals,omitempty"`
	Retrievals []board.Retrieval `json:"retrievals,omitempty"`
	Receipts   []board.Receipt   `json:"receipts,omitempty"`
	RanClaims  []board.RanClaim  `json:"ran_claims,omitempty"`
	Runs       []board.Info      `json:"runs,omitempty"`
	begins     string            // the run that the first post will make; "" if it exists
}

const (
	maxWorkers    = 12
	maxLog        = 5
	maxLogJSON    = 50
	maxOpen       = 20
	maxGateShown  = 200
	maxModelGate  = 8 // reasons, for models
	maxGlanceText = 200
)

var ShowRun = op.Op[Runs, GlanceIn, Glance]{
	Info: op.Info{Tool: "board_state", Profile: "run", Budget: 2000, Short: "Where the run stands",
		About: "Start here: goal, counts, open questions, workers, variables. " +
			"Without a run it lists the runs."},
	Do: func(ctx context.Context, h Runs, in GlanceIn) (out Glance, err error) {
		run, begins := h.Which(in.Run)
		if run == "" {
			out.Runs, err = h.List(ctx, false)
			return out, err
		}
		err = h.Board(ctx, in.Run, Read, func(b *board.Board) error {
			out, err = glance(ctx, h, b, in.Log)
			return err
		})
		if errors.Is(err, fault.NotFound) && begins {
			return Glance{begins: run}, nil
		}
		return out, err
	},
	Text: func(p *op.Page, o Glance) {
		switch {
		case o.State != nil:
			GlanceText(p, &o)
		case o.Runs != nil:
			p.Printf("Name one of the runs:\n")
			runsText(p, RunsOut{Runs: o.Runs})
		default:
			p.Printf("Run %s: nothing posted yet%s.\n", o.begins,
				p.Step(fault.Do("entry.post", "; the first {} begins it")))
		}
	},
}

func glance(ctx context.Context, h Runs, b *board.Board, log bool) (out Glance, err error) {
	st, err := b.State(ctx)
	if err != nil {
		return out, err
	}
	f, err := h.Policy(ctx, b)
	if err != nil {
		return out, err
	}
	v, err := b.Gate(ctx, f.Gate)
	if err != nil {
		return out, err
	}
	InWords(h, &v)
	out.State, out.Gate = &st, &v
	if !log {
		open, err := b.Signals(ctx, board.SignalQuery{Statuses: []string{board.SignalOpen}, Limit: maxOpen})
		out.Signals = open.Signals
		return out, err
	}
	given, err := b.Retrievals(ctx, maxLogJSON)
	if err != nil {
		return out, err
	}
	out.Retrievals = append([]board.Retrieval{}, given...)
	seen, err := b.Receipts(ctx)
	if err != nil {
		return out, err
	}
	claims, err := b.RanClaims(ctx)
	out.Receipts, out.RanClaims = lastOf(seen, maxLogJSON), lastOf(claims, maxLogJSON)
	return out, err
}

func lastOf[T any](all []T, most int) []T {
	return append([]T{}, all[max(0, len(all)-most):]...)
}

// GlanceText writes the summary of a board and what keeps its gate closed.
func GlanceText(p *op.Page, o *Glance) {
	st := o.State
	p.Printf("%s", p.Paint(op.Bold, "run "+st.Run))
	if st.Goal != "" {
		p.Printf("  %s", p.Text(st.Goal, maxGlanceText, "", ""))
	}
	p.Printf("\ngate       %s\n", GateLine(p, o.Gate))
	e, s := &st.Entries, &st.Signals
	p.Printf("entries    %d: %s", e.Total, countsOf(e.ByType, board.EntryTypes))
	for _, extra := range []struct {
		n    int64
		name string
	}{{e.ByStatus[board.Disputed], "disputed"}, {e.ByStatus[board.Superseded], "superseded"},
		{e.MustSurface, "must surface"}} {
		if extra.n > 0 {
			p.Printf("; %d %s", extra.n, extra.name)
		}
	}
	p.Printf("\nquestions  %d: open %d (%s), answered %d, waived %d\n", s.Total, s.Open.Total(),
		countsOf(s.Open, board.Priorities), s.Addressed.Total(), s.Waived.Total())
	if st.Links.Total() > 0 {
		p.Printf("links      %d: %s\n", st.Links.Total(), countsOf(st.Links, board.LinkKinds))
	}
	p.Printf("workers    %d: %s\n", len(st.Workers), someOf(p, st.Workers, func(w *board.Worker) string {
		is := fmt.Sprintf("%s %d", p.Line(w.Name, board.MaxName), w.Entries)
		if spent := st.Spent(w.Name).Describe(); spent != "" {
			is += " (" + spent + ")"
		}
		return is
	}))
	if len(st.Expected) > 0 {
		p.Printf("expected   %s\n", someOf(p, st.Expected, func(e *board.Expected) string {
			return p.Line(e.Worker, board.MaxName) + " " + e.Status
		}))
	}
	for i := range op.FirstRows(p, st.Checks) {
		c := &st.Checks[i]
		said := fmt.Sprintf("%s (%s, %s", c.Describe(), c.Worker, seconds(c.At))
		p.Printf("check      %s)\n", p.Line(strings.TrimSuffix(said+", "+st.DescribeNewEntries(*c), ", "), 300))
	}
	if spent := st.Spent("").Describe(); spent != "" {
		p.Printf("spent      %s\n", spent)
	}
	for _, v := range op.FirstRows(p, st.Variables) {
		p.Printf("variable   %s = %s  %s\n", p.Line(v.Key, board.MaxName), p.Text(string(v.Value), 120,
			"variable.get", v.Key), p.Paint(op.Dim, fmt.Sprintf("(version %d, %s)", v.Version,
			p.Line(v.Worker, board.MaxName))))
	}
	glanceLog(p, o)
	p.Printf("last       event %d at %s\n", st.Seq, seconds(st.Updated))
	most := maxGateShown
	if p.Shorten != nil {
		most = maxModelGate
	}
	said := map[string]bool{}
	reasons := o.Gate.Reasons[:min(len(o.Gate.Reasons), most)]
	for i := range op.FirstRows(p, reasons) {
		said[reasons[i].ID] = true
		p.Printf("%s\n", ReasonLine(p, &reasons[i]))
	}
	for _, s := range op.FirstRows(p, o.Signals) {
		if !said[s.ID] {
			p.Printf("  %s\n", SignalLine(p, &s, time.Now()))
		}
	}
	if more := len(o.Gate.Reasons) - len(reasons); more > 0 {
		p.Printf("  and %d more reasons\n", more)
	}
}

func someOf[T any](p *op.Page, all []T, say func(*T) string) string {
	var said []string
	for i := range op.FirstRows(p, all[:min(len(all), maxWorkers)]) {
		said = append(said, say(&all[i]))
	}
	if more := len(all) - len(said); more > 0 {
		said = append(said, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(said, ", ")
}

func glanceLog(p *op.Page, o *Glance) {
	if o.State.Retrievals > 0 {
		p.Printf("given      %s of the knowledge base\n", text.Count(o.State.Retrievals, "time", "times"))
	}
	for i := range o.Retrievals[:min(len(o.Retrievals), maxLog)] {
		r := &o.Retrievals[i]
		p.Printf("  #%-6d %s  %s  %s: %s\n", r.Seq, seconds(r.At), p.Line(r.Worker, board.MaxName),
			p.Line(r.Describe(), 140), p.Line(r.IDs(), 200))
	}
	if len(o.Receipts) > 0 {
		p.Printf("ran        %s seen by hooks\n", amount(len(o.Receipts), "command or edit",
			"commands and edits"))
	}
	for _, r := range lastOf(o.Receipts, maxLog) {
		p.Printf("  %s  %s\n", p.Line(r.Worker, board.MaxName), p.Line(r.Describe(), 200))
	}
	for _, c := range lastOf(o.RanClaims, maxLog) {
		p.Printf("  %s says %s\n", p.Line(c.Worker, board.MaxName), p.Line(c.Describe(), 240))
	}
}

// countsOf are the names with a count, in the given order: "observation 3, gap 1".
func countsOf(c board.CountsByName, order []string) string {
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

type RunsIn struct {
	Names []string `json:"names,omitempty" arg:"[RUN…]" as:"words"`
	Check bool     `json:"check,omitempty" cli:"verify every file"`
}

type RunsOut struct {
	Runs      []board.Info `json:"runs"`
	Knowledge *Soundness   `json:"knowledge,omitempty"`
	checked   bool
}

type Soundness struct {
	Capsules int64  `json:"capsules"` // that were checked
	Error    string `json:"error"`    // "": it is sound
}

func (o RunsOut) Failed() bool {
	return o.Knowledge != nil && o.Knowledge.Error != "" ||
		o.checked && slices.ContainsFunc(o.Runs, func(r board.Info) bool { return r.Error != "" })
}

var ListRuns = op.Op[Runs, RunsIn, RunsOut]{
	Info: op.Info{Command: "runs", Group: "Runs", Short: "list the runs, with gate and counts",
		Long: "--check also verifies every file: SQLite's integrity check, the counts, and that the event " +
			"log\nrebuilds exactly what the tables hold. A run that fails is shown with the reason, and " +
			"the exit code is 1.\nWithout RUN it verifies the knowledge base too, where it is in a database with the runs."},
	Do: func(ctx context.Context, h Runs, in RunsIn) (out RunsOut, err error) {
		out.checked = in.Check
		if out.Runs, err = h.List(ctx, in.Check, in.Names...); err != nil {
			return out, err
		}
		for _, name := range in.Names {
			if !slices.ContainsFunc(out.Runs, func(r board.Info) bool { return r.Run == name }) {
				return out, fault.NotFound.New("there is no run "+fault.Clip(name, 60), "", fault.Do("run.list", "{} lists them"))
			}
		}
		if len(in.Names) > 0 {
			out.Runs = slices.DeleteFunc(out.Runs, func(r board.Info) bool { return !slices.Contains(in.Names, r.Run) })
		} else if in.Check {
			out.Knowledge, err = h.Sound(ctx)
		}
		return out, err
	},
	Text: runsText,
}

func runsText(p *op.Page, o RunsOut) {
	if k := o.Knowledge; k != nil && k.Error == "" {
		p.Printf("knowledge base  verified, %s\n", text.Count(k.Capsules, "capsule", "capsules"))
	} else if k != nil {
		p.Printf("knowledge base  %s  %s\n", p.Paint(op.Red, "ERROR"), p.Line(k.Error, 1000))
	}
	if len(o.Runs) == 0 {
		p.Note("no runs yet" + p.Step(fault.Do("demo.show", "; {} shows one")) +
			p.Step(fault.Do("entry.post", "; the first {} creates one")))
	}
	width := 0
	for _, r := range o.Runs {
		width = max(width, len(r.Run))
	}
	shown := op.FirstRows(p, o.Runs)
	for i := range shown {
		p.Printf("%s\n", runLine(p, &shown[i], width, o.checked))
	}
	if more := len(o.Runs) - len(shown); more > 0 {
		p.Printf("and %d more\n", more)
	}
}

func runLine(p *op.Page, r *board.Info, width int, checked bool) string {
	name := r.Run + strings.Repeat(" ", width-len(r.Run))
	if r.Error != "" {
		return name + "  " + p.Paint(op.Red, "ERROR ") + "  " + p.Line(r.Error, 1000)
	}
	gate := p.Paint(op.Green, "open  ")
	facts := []string{text.Count(r.Entries, "entry", "entries"),
		text.Count(r.OpenSignal, "open question", "open questions"), amount(r.Workers, "worker", "workers")}
	if !r.Open {
		gate = p.Paint(op.Red, "CLOSED")
		facts = append(facts, amount(r.Reasons, "reason keeps", "reasons keep")+" the gate closed")
	}
	if checked {
		facts = append(facts, "verified")
	}
	line := fmt.Sprintf("%s  %s  %s  %s", name, gate, seconds(r.Updated), strings.Join(facts, ", "))
	if r.Goal != "" && p.Shorten != nil {
		line += ". " + p.Text(r.Goal, maxGlanceText, "", "")
	}
	return line
}
