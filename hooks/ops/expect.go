package ops

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"blackboard/board"
	"blackboard/board/fault"
	"blackboard/board/op"
	"blackboard/board/text"
)

// What Expect does.
const (
	ExpectAct = "expect"
	DoneAct   = "done"
	DropAct   = "drop"
)

type ExpectIn struct {
	On
	Do     string   `json:"do,omitempty" only:"mcp" enum:"expectations" default:"expect" jsonschema:"default expect"`
	Names  []string `json:"names,omitempty" arg:"[WORKER…]" as:"words" jsonschema:"workers"`
	Again  bool     `json:"again,omitempty" only:"cli" jsonschema:"expect workers again that are done or dropped"`
	Drop   string   `json:"drop,omitempty" only:"cli" value:"WORKER" jsonschema:"stop waiting for this worker; needs a reason"`
	Reason string   `json:"reason,omitempty" value:"TEXT" jsonschema:"why, or a note"`
	Ran    []string `json:"ran,omitempty" only:"mcp" jsonschema:"what passed"`
	KeepSecrets
	op.Given
}

type ExpectOut struct {
	Expected []board.Expected `json:"expected"`
	// Ran are the commands that a worker says to have run, with what hooks saw of them.
	Ran    []board.RanClaim `json:"ran,omitempty"`
	posted map[string]int64 // entries, by worker
	held   []string         // open questions that who is done has claimed
	gate   *board.Verdict   // after one is done
}

var Expect = op.Op[Runs, ExpectIn, ExpectOut]{
	Info: op.Info{Command: "expect", Group: "Post and settle", Tool: "board_expect", Profile: "run",
		Kind: op.Writes, Short: "make the gate wait for workers; without a name, list them",
		About: "Workers that the gate waits for: expect them, say one is done, or drop one with a " +
			"reason.",
		Long: `The gate stays closed until each worker is done (board done) or dropped with a reason.
Naming a worker that is done or dropped changes nothing, so a start script may run twice;
--again expects it again. Without a worker, lists the expected workers and their status.`},
	Do: func(ctx context.Context, h Runs, in ExpectIn) (ExpectOut, error) {
		drop := in.Has("drop")
		switch {
		case in.Do == DoneAct:
			return done(ctx, h, in.On, in.Reason, in.Names, in.Ran)
		case in.Do == DropAct && len(in.Names) != 1:
			return ExpectOut{}, fault.Usage.New(fmt.Sprintf("drop takes one worker, not %d",
				len(in.Names)), "give one name in names, and the reason")
		case in.Do == DropAct:
			drop, in.Drop, in.Names = true, in.Names[0], nil
		case drop && (len(in.Names) > 0 || in.Again):
			return ExpectOut{}, fault.Usage.New("drop takes one worker, and no further names",
				"do one after the other")
		case !drop && in.Reason != "":
			return ExpectOut{}, fault.Usage.New("a reason is for dropping a worker", "",
				fault.Give("drop", "WORKER", "add {}"))
		case !drop && len(in.Names) == 0 && in.Again:
			return ExpectOut{}, fault.Usage.New("no worker is named", "say who is expected again")
		}
		need, shown := Create, in.Names
		if drop || len(in.Names) == 0 {
			need = Write
		}
		if drop {
			shown = []string{in.Drop}
		}
		return onWorkers(ctx, h, in.On, need, shown, func(b *board.Board, who string) (err error) {
			switch {
			case drop:
				err = dropWorker(ctx, h, b, who, in.Drop, in.Reason)
			case len(in.Names) > 0:
				_, err = b.Expect(ctx, who, in.Names, in.Again)
			}
			return err
		})
	},
	Text: expectText,
}

// dropWorker stops the gate from waiting for a worker, even if only the policy expects it.
func dropWorker(ctx context.Context, h Runs, b *board.Board, who, name, reason string) error {
	_, err := b.Drop(ctx, who, name, reason)
	if !errors.Is(err, fault.NotFound) {
		return err
	}
	f, findErr := h.Policy(ctx, b)
	if findErr != nil || !slices.Contains(f.Gate.Expect, name) {
		return err
	}
	if _, err := b.Expect(ctx, who, []string{name}, false); err != nil {
		return err
	}
	_, err = b.Drop(ctx, who, name, reason)
	return err
}

type DoneIn struct {
	On
	Note  string   `json:"note,omitempty" flag:"reason,note" value:"TEXT" jsonschema:"what is left open" cli:"what others should know, for the record"`
	Names []string `json:"names,omitempty" arg:"[WORKER…]" as:"words" jsonschema:"others"`
	Drop  bool     `json:"drop,omitempty" only:"mcp" jsonschema:"they will not come; note says why"`
	Ran   []string `json:"ran,omitempty" value:"COMMAND" commas:"no" blank:"no" jsonschema:"commands that passed" cli:"a command that was run and passed, as go test ./...; what hooks saw of it is said at once"`
	KeepSecrets
}

var Done = op.Op[Runs, DoneIn, ExpectOut]{
	Info: op.Info{Command: "done", Group: "Post and settle", Tool: "board_done", Profile: "run",
		Kind: op.Writes, About: "You have finished: the gate waits for this. Or end the wait for others.",
		Short: "mark workers as done: you, or those you name",
		Long: `Without a name it is the worker of --worker or $BOARD_WORKER. A worker that is done may
still post, and stays done. A worker that is not expected is recorded as done. A note says
what is left open; a later note replaces it.

--ran COMMAND says that the command was run and passed. It is held against what hooks saw of
the worker, and the answer says which: passed, failed, stale (files were edited since), untold
(the harness tells no exit code), not found, or unseen (no hook has seen this worker).`},
	Do: func(ctx context.Context, h Runs, in DoneIn) (ExpectOut, error) {
		if in.Drop {
			return Expect.Do(ctx, h, ExpectIn{On: in.On, Do: DropAct, Names: in.Names, Reason: in.Note})
		}
		return done(ctx, h, in.On, in.Note, in.Names, in.Ran)
	},
	Text: expectText,
}

func done(ctx context.Context, h Runs, on On, note string, names, ran []string) (ExpectOut, error) {
	shown := names
	if len(names) == 0 {
		who, err := h.Worker(on.Worker, false)
		if err != nil {
			return ExpectOut{}, err
		}
		shown = []string{who}
	}
	var claims []board.RanClaim
	var held []string
	var gate *board.Verdict
	out, err := onWorkers(ctx, h, on, Write, shown, func(b *board.Board, who string) error {
		before, err := b.State(ctx)
		if err != nil {
			return err
		}
		if _, err := b.DoneWithNote(ctx, who, note, names...); err != nil {
			return err
		}
		if len(names) == 0 {
			h.Acted("done")
		}
		noteUnknown(h, &before, shown)
		for _, name := range shown {
			said, err := claimRan(ctx, h, b, name, "", 0, ran...)
			if err != nil {
				return err
			}
			claims = append(claims, said...)
			mine, err := b.Signals(ctx, board.SignalQuery{Statuses: []string{board.SignalOpen}, ClaimedBy: name})
			if err != nil {
				return err
			}
			held = append(held, op.Each(mine.Signals, func(s *board.Signal) string { return s.ID })...)
		}
		gate = gateNow(ctx, h, b)
		return nil
	})
	out.Ran, out.held, out.gate = claims, held, gate
	return out, err
}

// onWorkers changes what a run expects, and returns the status of workers, of all for nil.
func onWorkers(ctx context.Context, h Runs, on On, need Access, names []string,
	change func(b *board.Board, who string) error) (out ExpectOut, err error) {
	err = withBoardWorker(ctx, h, on, need, func(b *board.Board, who string) error {
		if err := change(b, who); err != nil {
			return err
		}
		st, err := b.State(ctx)
		if err != nil {
			return err
		}
		out = ExpectOut{Expected: []board.Expected{}, posted: map[string]int64{}}
		for _, w := range st.Workers {
			out.posted[w.Name] = w.Entries
		}
		for _, e := range st.Expected {
			if names == nil || slices.Contains(names, e.Worker) {
				out.Expected = append(out.Expected, e)
			}
		}
		if len(out.Expected) == 0 {
			h.Note("no worker is expected" + fault.Do("worker.expect",
				"; {} makes the gate wait for one", "names", "reader-1").In(h.Words))
		}
		return nil
	})
	return out, err
}

// noteUnknown names workers that the run does not expect, or that have not posted to one
// that expects nobody: the name may be misspelled.
func noteUnknown(h Runs, st *board.State, names []string) {
	known := op.Each(st.Expected, func(e *board.Expected) string { return e.Worker })
	what, lists := "was not expected", "the run expects"
	if len(known) == 0 {
		known, what = op.Each(st.Workers, func(w *board.Worker) string { return w.Name }), "has posted nothing"
		lists = "the workers of this run are"
	}
	for _, name := range names {
		if len(known) > 0 && !slices.Contains(known, name) {
			h.Note(fmt.Sprintf("note: %s %s; %s%s %s", board.Line(name, board.MaxName), what,
				fault.DidYouMean(name, known), lists, board.Line(strings.Join(known, ", "), 200)))
		}
	}
}

// noteFirst tells a worker with its first posts that the run expects others, and that it has no sources to check them.
func noteFirst(ctx context.Context, h Runs, b *board.Board, who string, held bool, posted ...board.Posted) {
	now, cites := int64(0), false
	for i := range posted {
		if e := &posted[i].Entry; e.Worker == who && !posted[i].Existing {
			now++
			cites = cites || e.Evidence != ""
		}
	}
	bare := false
	if cites && !held {
		all, err := b.Sources(ctx)
		bare = err == nil && len(all) == 0
	}
	all, err := b.Expected(ctx)
	if err != nil || now == 0 || len(all) == 0 && !bare { // as of most runs
		return
	}
	st, _ := b.State(ctx)
	for _, w := range st.Workers {
		first := w.Name == who && w.Entries == now
		if first && len(all) > 0 {
			noteUnknown(h, &st, []string{who})
		}
		if first && bare {
			h.Note("note: quotes are not checked: the run has no sources" +
				fault.Do("run.start", "; {} gives it some", "run", b.Run(), "sources", "DIR").In(h.Words))
		}
	}
}

func expectText(p *op.Page, o ExpectOut) {
	width := 0
	for _, e := range o.Expected {
		width = max(width, len(e.Worker))
	}
	for i := range o.Expected {
		e := &o.Expected[i]
		p.Printf("%-*s  %s\n", width, p.Line(e.Worker, board.MaxName), expectedStatus(p, e,
			o.posted[e.Worker]))
	}
	for i := range o.Ran {
		printRan(p, &o.Ran[i])
	}
	if len(o.held) > 0 {
		p.Printf("still open: %s, which the worker claimed%s\n", strings.Join(o.held, ", "),
			p.Step(fault.Do("signal.address", "; {}", "signal", o.held[0])))
	}
	printGateNow(p, o.gate)
}

func expectedStatus(p *op.Page, e *board.Expected, posted int64) string {
	entries := "nothing posted"
	if posted > 0 {
		entries = text.Count(posted, "entry", "entries")
	}
	switch e.Status {
	case board.WorkerDropped:
		return fmt.Sprintf("dropped by %s: %s", p.Line(e.By, board.MaxName), p.Line(e.Reason, 200))
	case board.WorkerDone:
		said := p.Paint(op.Green, e.Status) + ", " + entries
		if e.Reason != "" {
			said += ": " + p.Line(e.Reason, 200)
		}
		return said
	}
	return p.Paint(op.Red, e.Status) + ", " + entries
}
