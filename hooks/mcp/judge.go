package mcp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"blackboard/board"
	"blackboard/board/check"
	"blackboard/board/documents"
	"blackboard/board/fault"
	"blackboard/board/op"
	"blackboard/hooks/ops"
	kbhome "blackboard/kb/home"
)

func (s *Server) addJudgeTools() {
	add(s, tool{Tool: "board_wait", Short: "Wait for something on the board", Profile: ProfileRun,
		Kind:  reads,
		About: "Wait until the gate opens, a question closes, or anything happens."},
		(*call).wait)
}

// Gather opens what a call names to be judged. Without the grant no file is read, neither one
// that is named, nor one that the policy or the board names.
func (c *call) Gather(ctx context.Context, b *board.Board, f *check.Policy, m ops.Material) (
	in check.Input, done func(), err error) {
	done = func() {}
	mayRead := c.cfg.Grants.has[Files]
	if len(m.Reports)+len(m.Sources) > 0 {
		if err := c.cfg.Grants.need(Files, "naming files of the server's machine"); err != nil {
			return in, done, err
		}
	}
	if !mayRead || m.Text != "" {
		f.Reports = nil
	}
	if !mayRead {
		f.Sources = nil
	}
	if in, err = check.Open(f, op.Each(m.Reports, c.where), op.Each(m.Sources, c.where)); err != nil {
		return in, done, err
	}
	ops.SetRelNames(c.workspace(), in.Sources) // as answers name them
	in.BoardOnly = !mayRead
	if m.Text != "" {
		draft, err := documents.Read("text.md", strings.NewReader(m.Text))
		if err != nil {
			return in, done, err
		}
		in.Reports = slices.Insert(in.Reports, 0, draft)
	} else if m.Draft && len(m.Reports)+len(in.Reports) == 0 { // no text yet
		f.Reports, in.Missing = nil, ""
		f.Steps = slices.DeleteFunc(slices.Clone(f.Steps), func(s string) bool {
			return s == check.Survival || s == check.Trace
		})
	}
	if m.Text == "" {
		in.Dir = cmp.Or(c.workspace(), ".")
	}
	if m.Records && c.cfg.Grants.run(b.Run(), true) == nil {
		if in.Worker, err = c.Worker(m.Worker, false); err != nil {
			return in, done, err
		}
	}
	if m.Meaning {
		if in.Model, done = c.embedder(ctx); in.Model == nil && m.Needed {
			err = badArgument("leave out semantic",
				"no embedding model is available to compare meaning")
		}
	}
	return in, done, err
}

// path is a file that a client names: below the workspace, unless it says otherwise.
func (c *call) path(name string) string {
	if filepath.IsAbs(name) || c.workspace() == "" {
		return name
	}
	return filepath.Join(c.workspace(), name)
}

func (c *call) where(name *string) string { return c.path(*name) }

func written[H, In, Out any](c *call, o *op.Op[H, In, Out], out Out) string {
	_, text := fitted(c, func(k cut) (Out, string) {
		page := k.page(nil)
		o.Text(page, out)
		return out, page.String()
	})
	return strings.TrimSuffix(text, "\n")
}

const (
	waitGate   = "gate"
	waitEvent  = "event"
	waitSignal = "question"
)

type waitIn struct {
	ops.OnRun
	For     string  `json:"for" enum:"waits" jsonschema:"what"`
	ID      string  `json:"id,omitempty" jsonschema:"the question"`
	Since   *int64  `json:"since,omitempty" min:"0" jsonschema:"events after this seq" rare:"true"`
	Limit   int     `json:"limit,omitempty" min:"1" max:"200" default:"20" rare:"true"`
	Timeout float64 `json:"seconds,omitempty" min:"0" max:"300" default:"20" jsonschema:"default 20; clients give up after 60"`
}

type waitOut struct {
	Run      string         `json:"run"`
	Happened bool           `json:"happened"`
	Verdict  *board.Verdict `json:"verdict,omitempty"`
	Signal   *board.Signal  `json:"signal,omitempty"`
	Event    *board.Event   `json:"event,omitempty" jsonschema:"the first"`
	Events   []seenOut      `json:"events,omitempty" jsonschema:"all that have happened, the oldest first"`
	Seq      int64          `json:"seq,omitempty" jsonschema:"the last of them: since goes on from there"`
}

type seenOut struct {
	Seq   int64  `json:"seq"`
	Actor string `json:"actor"`
	Verb  string `json:"verb"`
	ID    string `json:"id"`
}

// stillWaiting is how often a waiting call says that it is.
const stillWaiting = 5 * time.Second

func (c *call) wait(in waitIn) (out waitOut, text string, err error) {
	if (in.For == waitSignal) != (in.ID != "") {
		return out, "", badArgument("id goes with for: question",
			"it is not clear what to wait for")
	}
	limit := time.Duration(in.Timeout * float64(time.Second))
	ctx, cancel := context.WithTimeout(c.ctx, limit)
	defer cancel()
	quiet := c.tell(ctx, limit)
	defer quiet()
	open := func(opening context.Context, dir, run string) (*board.Board, error) {
		b, err := kbhome.Run(opening, dir, run)
		if !errors.Is(err, fault.NotFound) {
			return b, err
		}
		in.Since = cmp.Or(in.Since, new(int64)) // all that happens on it is new
		b, err = kbhome.AwaitRun(ctx, dir, run)
		if errors.Is(err, fault.NotFound) {
			out.Run, text = run, "There is no run "+run+" yet."
			err = fault.Timeout.New(text, "")
		}
		return b, err
	}
	err = c.withBoard(in.Run, false, open, func(b *board.Board) (err error) {
		out.Run = b.Run()
		switch in.For {
		case waitGate:
			var by check.Policy
			if by, err = c.Policy(c.ctx, b); err != nil {
				return err
			}
			var v board.Verdict
			if v, err = b.WaitGate(ctx, by.Gate); err == nil || errors.Is(err, fault.Timeout) &&
				c.ctx.Err() == nil {
				j := ops.GateAnswer(c, &by, v)
				out.Verdict, text = j.Verdict, written(c, &ops.Gate, j)
			}
		case waitSignal:
			var s board.Signal
			if s, err = b.WaitSignal(ctx, in.ID); err == nil {
				page := cut{c, 4 * echoTokens, 1, new(int)}.page(nil)
				out.Signal, text = &s, "Settled: "+ops.SignalLine(page, &s, time.Now())
			}
		case waitEvent:
			after := int64(board.FromNow)
			if in.Since != nil {
				after = *in.Since
			}
			var all []board.Event
			if all, err = b.WaitEvents(ctx, after, in.Limit); err == nil {
				out, text = fitted(c, func(k cut) (waitOut, string) {
					return k.happened(out, all)
				})
			}
		}
		return err
	})
	if err != nil && c.ctx.Err() == nil && (errors.Is(err, fault.Timeout) ||
		errors.Is(err, context.DeadlineExceeded)) {
		return out, strings.TrimSpace(fmt.Sprintf("Not within %g seconds. %s", in.Timeout, text)),
			nil
	}
	out.Happened = err == nil
	return out, text, err
}

// happened notes as many events as there is room for, and writes them for a reader.
func (k cut) happened(o waitOut, all []board.Event) (waitOut, string) {
	shown := all[:max(1, min(len(all), k.items))]
	o.Event = &all[0]
	o.Events = op.Each(shown, func(e *board.Event) seenOut {
		return seenOut{e.Seq, e.Actor, e.Verb, e.ID}
	})
	o.Seq = shown[len(shown)-1].Seq
	return o, strings.Join(op.Each(shown, func(e *board.Event) string { return ops.EventLine(k.page(nil), e) }), "\n")
}

// tell tells the client every stillWaiting that a call is still waiting, until quiet is called.
func (c *call) tell(ctx context.Context, limit time.Duration) (quiet func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		begin := time.Now()
		for {
			select {
			case <-time.After(stillWaiting):
				c.progress("waiting", int(time.Since(begin).Seconds()), int(limit.Seconds()))
			case <-ctx.Done():
				return
			}
		}
	}()
	return func() { cancel(); <-done }
}
