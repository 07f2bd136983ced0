package ops

import (
	"context"

	"blackboard/board"
	"blackboard/board/claims"
	"blackboard/board/op"
)

type AcceptIn struct {
	On
	ID     string `json:"id" arg:"(DOUBT | ENTRY)" jsonschema:"entry e12, or doubt d7k2qm"`
	Other  string `json:"other,omitempty" arg:"[OTHER]" jsonschema:"the second entry"`
	Reason string `json:"reason,omitempty" needs:"mcp" arg:"[REASON]" flag:"reason" value:"TEXT" jsonschema:"what you compared"`
	Revoke bool   `json:"revoke,omitempty" flag:"revoke" rare:"true" jsonschema:"take an acceptance back"`
	KeepSecrets
}

// AcceptOut has one of the two.
type AcceptOut struct {
	Acceptance *claims.Acceptance `json:"acceptance,omitempty"`
	Settlement *board.Settlement  `json:"settlement,omitempty"`
	run        string
	revoked    bool
}

func (o AcceptOut) IDs() []string {
	if s := o.Settlement; s != nil {
		return []string{s.A + " " + s.B}
	}
	return []string{o.Acceptance.Doubt}
}

var Accept = op.Op[Runs, AcceptIn, AcceptOut]{
	Info: op.Info{Command: "accept", Aliases: []string{"settle"}, Group: "Post and settle",
		Tool: "board_accept", Profile: "run", Kind: op.Writes,
		Shows: []string{"run", "worker", "id", "other", "reason"},
		Short: "say why a doubt is no fault, or why two entries both hold",
		About: "Say why a doubt of board_check is no fault, or why two entries both hold. Void once they change.",
		Long: `A check names its doubts: d7k2qm. An entry stands for what verify holds against it. An
accepted doubt no longer fails a check or keeps the gate closed; both name who accepted it, and
why. A finding, quote, source or report passage that changes is another doubt. Nobody accepts a doubt about what
they wrote, but a person at a terminal. --revoke takes an acceptance back.

With a second entry: both hold (other years, other bases). A dispute between them ends. If one
is wrong, supersede it instead.`},
	Do: byWorker(Write, func(ctx context.Context, h Runs, b *board.Board, who string, in AcceptIn) (AcceptOut, error) {
		if _, e := board.ParseEntryID(in.Other); e != nil && in.Reason == "" {
			in.Other, in.Reason = "", in.Other
		}
		if in.Other != "" {
			s, err := b.Settle(ctx, who, in.ID, in.Other, in.Reason)
			return AcceptOut{Settlement: &s, run: b.Run()}, err
		}
		a, err := b.Accept(ctx, who, board.AcceptRequest{ID: in.ID, Reason: in.Reason,
			Person: h.Person(), Revoke: in.Revoke})
		return AcceptOut{Acceptance: &a, run: b.Run(), revoked: in.Revoke}, err
	}),
	Text: func(p *op.Page, o AcceptOut) {
		if s := o.Settlement; s != nil {
			p.Printf("settled %s and %s on %s: %s\n", s.A, s.B, o.run, p.Line(s.Reason, 160))
			return
		}
		a, did, ends := o.Acceptance, "accepted", "\n  ends if "+o.Acceptance.ID+" or "+o.Acceptance.EndsWith()+" changes"
		if o.revoked {
			did, ends = "stands again", ""
		}
		p.Printf("%s %s: %s of %s, “%s”%s\n", a.Doubt, did, a.Verdict, a.ID, p.Line(a.Reason, 160), ends)
	},
}
