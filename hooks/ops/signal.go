package ops

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"blackboard/board"
	"blackboard/board/fault"
	"blackboard/board/op"
	"blackboard/board/text"
)

type AskIn struct {
	On
	Question string `json:"question" arg:"QUESTION | -" as:"text" jsonschema:"one question"`
	Priority string `json:"priority,omitempty" enum:"priorities" default:"medium" flag:"priority,p" jsonschema:"what depends on it; default medium"`
	To       string `json:"to,omitempty" value:"WORKER" jsonschema:"for this worker or tag"`
	Origin   string `json:"origin,omitempty" value:"ENTRY" jsonschema:"entry it arises from"`
	Key      string `json:"key,omitempty" flag:"key,k" rare:"true" jsonschema:"makes a retry safe"`
	KeepSecrets
}

type AskOut struct {
	Signal   board.Signal `json:"signal"`
	Existing bool         `json:"existing"`
	run      string
	blocks   bool
}

func (o AskOut) IDs() []string { return []string{o.Signal.ID} }

var Ask = op.Op[Runs, AskIn, AskOut]{
	Info: op.Info{Command: "ask", Aliases: []string{"signal"}, Group: "Post and settle",
		Tool: "board_ask", Profile: "run", Kind: op.Writes,
		Short: "raise a question; critical and high ones keep the gate closed",
		About: "Raise what you cannot answer. Critical and high questions keep the gate closed."},
	Do: byWorker(Create, func(ctx context.Context, h Runs, b *board.Board, who string, in AskIn) (AskOut, error) {
		r, err := b.Signal(ctx, who, board.Raise{Content: in.Question, Priority: in.Priority, To: in.To,
			Origin: in.Origin, Key: in.Key})
		if err != nil {
			return AskOut{}, err
		}
		// The question is raised, whatever is wrong with a policy: the gate says what it is.
		by, err := h.Policy(ctx, b)
		return AskOut{r.Signal, r.Existing, b.Run(), err == nil && by.Gate.Blocks(&r.Signal)}, nil
	}),
	Text: func(p *op.Page, o AskOut) {
		asked := "asked"
		if o.Signal.To != "" {
			asked += " of " + p.Line(o.Signal.To, board.MaxName)
		}
		switch {
		case o.Existing:
			p.Printf("%s is already on %s, under this key\n", o.Signal.ID, o.run)
		case o.blocks:
			p.Printf("%s %s %s on %s; the gate is closed until it is answered or waived\n",
				o.Signal.ID, o.Signal.Priority, asked, o.run)
		default:
			p.Printf("%s %s %s on %s\n", o.Signal.ID, o.Signal.Priority, asked, o.run)
		}
	},
}

type SignalOut struct {
	Signal board.Signal `json:"signal"`
}

func (o SignalOut) IDs() []string { return []string{o.Signal.ID} }

func signalText(p *op.Page, o SignalOut) {
	p.Printf("%s", SignalLine(p, &o.Signal, time.Now()))
	if o.Signal.Origin != "" && p.Shorten == nil {
		p.Printf("%s", p.Paint(op.Dim, "  from "+o.Signal.Origin))
	}
	p.Printf("\n")
}

type ClaimIn struct {
	On
	ID           string   `json:"id,omitempty" arg:"[QUESTION]" jsonschema:"s3; default: the most urgent free one"`
	MinPriority  string   `json:"min_priority,omitempty" enum:"priorities" rare:"true" cli:"without an id: take none below this"`
	Tags         []string `json:"tags,omitempty" flag:"tag" rare:"true" jsonschema:"without an id: also what is for these"`
	Lease        string   `json:"lease,omitempty" only:"cli" value:"DURATION" default:"15m" jsonschema:"how long the claim holds"`
	LeaseMinutes float64  `json:"lease_minutes,omitempty" only:"mcp" min:"0.1" max:"1440" rare:"true" jsonschema:"default 15"`
	Release      bool     `json:"release,omitempty" rare:"true" jsonschema:"give it back"`
	Force        bool     `json:"force,omitempty" only:"cli" jsonschema:"give it back though another worker holds it"`
}

type ClaimOut struct {
	SignalOut
	Since *time.Time `json:"since"`
}

var Claim = op.Op[Runs, ClaimIn, ClaimOut]{
	Info: op.Info{Command: "claim", Group: "Post and settle", Tool: "board_claim", Profile: "run",
		Kind: op.Writes, Short: "claim a question, so that no other worker does",
		About: "Take an open question before you work on it.",
		Long: `Without an id it claims the most urgent open question that is free and not for others.
The claim ends with the lease, with --release, or when the question is closed. It keeps
others from claiming, not from answering. It is held under the worker's name: give each shell its own
with --worker or $BOARD_WORKER. Exit 6 when nothing is free, or another worker holds it.`},
	Do: func(ctx context.Context, h Runs, in ClaimIn) (out ClaimOut, err error) {
		if in.Release && in.ID == "" {
			return out, fault.Usage.New("release takes the question that is given back",
				"give its id, such as s3")
		}
		if in.ID != "" && in.MinPriority != "" {
			return out, fault.Usage.New("a lowest priority is for claiming without an id",
				"leave one out")
		}
		lease := time.Duration(in.LeaseMinutes * float64(time.Minute))
		if in.Lease != "" {
			if lease, err = time.ParseDuration(in.Lease); err != nil {
				return out, fault.Usage.New(fmt.Sprintf("the lease %q is not a duration", in.Lease),
					"give a number with its unit: 30s, 5m, 1h")
			}
		}
		if lease == 0 && in.Lease == "" {
			lease = board.DefaultLease
		}
		who, err := h.Worker(in.Worker, true)
		if err != nil {
			return out, err
		}
		err = h.Board(ctx, in.Run, Write, func(b *board.Board) (err error) {
			if in.Release {
				if out.Signal, err = b.Release(ctx, who, in.ID, in.Force); err == nil {
					h.Acted("released")
				}
				return err
			}
			var s board.Claimed
			if in.ID != "" {
				s, err = b.Claim(ctx, who, in.ID, lease)
			} else {
				s.Signal, err = b.ClaimNext(ctx, who, in.MinPriority, in.Tags, lease)
			}
			if err != nil {
				return err
			}
			h.Acted("claimed")
			if in.ID != "" && s.To != "" && s.To != who && !slices.Contains(in.Tags, s.To) {
				h.Note(fmt.Sprintf("%s is for %s", s.ID, text.Visible(s.To)))
			}
			if s.Since != nil {
				h.Note(fmt.Sprintf("%s was already claimed by %s, at %s; the lease is extended", s.ID,
					text.Visible(s.ClaimedBy), s.Since.Format(time.RFC3339)))
			}
			out = ClaimOut{SignalOut{s.Signal}, s.Since}
			return nil
		})
		return out, err
	},
	Text: func(p *op.Page, o ClaimOut) {
		s := &o.Signal
		if !s.ClaimedAt(time.Now()) {
			signalText(p, o.SignalOut)
			return
		}
		p.Printf("%s %s is yours, as %s, until %s: “%s”", s.ID, Priority(p, s.Priority), p.Line(s.ClaimedBy, board.MaxName),
			seconds(*s.LeaseUntil), p.Text(s.Content, 160, "signal.show", s.ID))
		if s.Origin != "" {
			p.Printf(" from %s", s.Origin)
		}
		p.Printf("%s\n", p.Step(fault.Do("signal.address", ". Then {}", "signal", s.ID)))
	},
}

type AnswerIn struct {
	On
	ID      string `json:"id" arg:"QUESTION" jsonschema:"s3"`
	Entry   string `json:"entry,omitempty" jsonschema:"or the entry that answers it"`
	Content string `json:"content,omitempty" arg:"(ANSWER | - | --entry ENTRY)" as:"text" unless:"entry" jsonschema:"the answer"`
	fields
	KeepSecrets
	op.Given
}

// AnswerOut has the question, and the new entry that answers it, if there is one.
type AnswerOut struct {
	Signal board.Signal `json:"signal"`
	*One
	run  string
	gate *board.Verdict
}

func (o AnswerOut) IDs() []string {
	if o.One != nil {
		return []string{o.Entry.ID}
	}
	return []string{o.Signal.ID}
}

var Answer = op.Op[Runs, AnswerIn, AnswerOut]{
	Info: op.Info{Command: "answer", Aliases: []string{"address"}, Group: "Post and settle",
		Tool: "board_answer", Profile: "run", Kind: op.Writes,
		Shows: []string{"run", "worker", "id", "content", "source", "quote", "entry",
			"must_surface"},
		Short: "answer a question, with a new entry or an existing one",
		About: "Answer a question by a new finding, or by an entry that is there."},
	Do: func(ctx context.Context, h Runs, in AnswerIn) (out AnswerOut, err error) {
		if (in.Entry == "") == (in.Content == "") {
			return out, fault.Usage.New("a question is answered by an entry that is there, or by a new one",
				"give one of entry and content")
		}
		post, err := in.post(in.Content)
		if err != nil {
			return out, err
		}
		if in.Entry != "" {
			for _, f := range op.Fields(reflect.TypeFor[fields]()) {
				if in.Has(f.Name) {
					return out, fault.Usage.New(f.Name+" is for a new entry, but entry names one "+
						"that is there", "leave it out, or answer with a new entry")
				}
			}
		}
		err = withBoardWorker(ctx, h, in.On, Write, func(b *board.Board, who string) error {
			if in.Entry != "" {
				out.Signal, err = b.Address(ctx, who, in.ID, in.Entry)
				if d, lost := b.Entry(ctx, in.Entry); err == nil && lost == nil {
					noteUnsourced(h, &out.Signal, &d.Entry)
				}
				if err == nil {
					out.gate = gateNow(ctx, h, b)
				}
				return err
			}
			before, _ := b.SignalByID(ctx, in.ID) // what is wrong with it, the post says
			var must *bool
			if in.Has("must_surface") {
				must = &in.MustSurface
			}
			p, s, err := b.PostAddressing(ctx, who, in.ID, post, must)
			if err != nil {
				return err
			}
			if by := before.Signal.ClaimedBy; by != "" && by != who && !p.Existing {
				h.Note(fmt.Sprintf("note: %s was claimed by %s, who may be at work on it", s.ID,
					text.Visible(by)))
			}
			noteReopened(h, p.Entry.ID, p.Reopened)
			noteUnsourced(h, &s, &p.Entry)
			checked := verifyPosts(ctx, h, b, who, p)[p.Entry.ID]
			noteFirst(ctx, h, b, who, checked != nil, p)
			one := &One{p.Entry, p.Existing, checked, nil, b.Similar(ctx, &p)}
			out = AnswerOut{s, one, b.Run(), gateNow(ctx, h, b)}
			return nil
		})
		return out, err
	},
	Text: func(p *op.Page, o AnswerOut) {
		s := &o.Signal
		switch {
		case o.One != nil && o.Existing:
			printPosted(p, o.run, &o.Entry, true)
		case s.AddressedBy == "": // its answer was superseded since
			signalText(p, SignalOut{*s})
		default:
			p.Printf("%s answers %s", s.AddressedBy, s.ID)
			if o.One != nil {
				p.Printf("%s", strings.Replace(linksOf(&o.Entry), ", addresses "+s.ID, "", 1))
			}
			switch {
			case o.One == nil || !o.Entry.MustSurface:
			case s.Gates():
				p.Printf("; it must surface, since %s is %s", s.ID, s.Priority)
			default:
				p.Printf("; it must surface")
			}
			p.Printf("\n")
		}
		if o.One != nil {
			printFeedback(p, o.Checked)
			printSimilar(p, o.Similar)
		}
		printGateNow(p, o.gate)
	},
}

// noteUnsourced tells that a question on which much depends was answered without a source.
func noteUnsourced(h Runs, s *board.Signal, e *board.Entry) {
	if s.Gates() && e.SourceDoc+e.SourceRef == "" {
		h.Note(fmt.Sprintf("note: %s is %s, and its answer %s names no source", s.ID, s.Priority, e.ID) +
			fault.Do("entry.correct", ": {}", "id", e.ID, "source", "…", "quote", "…").In(h.Words))
	}
}

type WaiveIn struct {
	On
	ID     string `json:"id" arg:"QUESTION" jsonschema:"s3"`
	Reason string `json:"reason" arg:"REASON" flag:"reason" value:"TEXT" jsonschema:"why; it is kept"`
	KeepSecrets
}

var Waive = op.Op[Runs, WaiveIn, SignalOut]{
	Info: op.Info{Command: "waive", Group: "Post and settle", Tool: "board_waive", Profile: "run",
		Kind: op.Writes, Short: "leave a question unanswered, with a reason",
		About: "Leave a question unanswered. The report has to name it.",
		Long: `The reason and the worker stay on record. Survival still requires that the report
mentions the question.`},
	Do: byWorker(Write, func(ctx context.Context, _ Runs, b *board.Board, who string, in WaiveIn) (SignalOut, error) {
		s, err := b.Waive(ctx, who, in.ID, in.Reason)
		return SignalOut{s}, err
	}),
	Text: signalText,
}

type ReopenIn struct {
	On
	ID   string `json:"id" arg:"QUESTION" jsonschema:"s3"`
	Note string `json:"note,omitempty" flag:"reason,note" value:"TEXT" jsonschema:"why; it is kept"`
	KeepSecrets
}

var Reopen = op.Op[Runs, ReopenIn, SignalOut]{
	Info: op.Info{Command: "reopen", Group: "Post and settle", Tool: "board_reopen", Profile: "run",
		Kind: op.Writes, Short: "reopen an answered or waived question",
		About: "Open an answered or waived question again."},
	Do: byWorker(Write, func(ctx context.Context, _ Runs, b *board.Board, who string, in ReopenIn) (SignalOut, error) {
		s, err := b.Reopen(ctx, who, in.ID, in.Note)
		return SignalOut{s}, err
	}),
	Text: signalText,
}

func SignalLine(p *op.Page, s *board.Signal, now time.Time) string {
	out := fmt.Sprintf("%-6s %s %-9s %s", s.ID, PriorityColumn(p, s.Priority), s.Status, p.Text(s.Content, 160, "signal.show", s.ID))
	if p.Shorten != nil {
		out += "  by " + p.Line(s.Worker, board.MaxName)
		if s.Origin != "" {
			out += " from " + s.Origin
		}
	}
	if s.To != "" {
		out += "  for " + p.Line(s.To, board.MaxName)
	}
	if s.ClaimedAt(now) {
		out += p.Paint(op.Dim, fmt.Sprintf("  (claimed by %s until %s)",
			p.Line(s.ClaimedBy, board.MaxName), seconds(*s.LeaseUntil)))
	}
	switch s.Status {
	case board.Addressed:
		out += p.Paint(op.Dim, "  → "+s.AddressedBy)
	case board.Waived:
		out += p.Paint(op.Dim, fmt.Sprintf("  (waived by %s: %s)", p.Line(s.ClosedBy, board.MaxName),
			p.Text(s.Reason, 80, "signal.show", s.ID)))
	}
	return out
}

func PriorityColumn(p *op.Page, s string) string {
	return Priority(p, s) + strings.Repeat(" ", max(0, 9-len(s)))
}

func Priority(p *op.Page, s string) string {
	switch s {
	case "critical":
		return p.Paint(op.Red, s)
	case "high":
		return p.Paint(op.Yellow, s)
	}
	return s
}
