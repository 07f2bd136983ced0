package ops

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"blackboard/board"
	"blackboard/board/fault"
	"blackboard/board/op"
	"blackboard/board/text"
	"blackboard/kb"
	"blackboard/kb/learn"
)

type PromoteIn struct {
	Entry      string   `json:"entry" arg:"ENTRY"`
	Title      string   `json:"title,omitempty" value:"LINE" cli:"title; default the beginning of the content"`
	Kind       string   `json:"kind,omitempty" enum:"kinds" cli:" "`
	Scope      string   `json:"scope,omitempty" enum:"scopes" cli:"where it holds (default workspace; universal in your home directory and above)"`
	Tags       []string `json:"tags,omitempty" flag:"tag,tags" value:"TAG" cli:"beside those of the entry"`
	Domains    []string `json:"domains,omitempty" flag:"domain" cli:"domains (auth, tmux, rust)"`
	Confidence *float64 `json:"confidence,omitempty" min:"0" max:"1" flag:"confidence,c" cli:"0 to 1; default the entry's"`
	VerifiedBy string   `json:"verified_by,omitempty" value:"WHO" cli:"who or what verified it"`
	Project    string   `json:"project,omitempty" cli:"that it belongs to"`
	Supersedes []string `json:"supersedes,omitempty" value:"CAPSULE" cli:"capsules it replaces"`
	Force      bool     `json:"force,omitempty" cli:"store it even if it resembles an existing one or seems to hold a secret"`
	NoEmbed    bool     `json:"no_embed,omitempty" cli:"store it without an embedding"`
	On
}

var Promote = op.Op[Knowledge, PromoteIn, RememberOut]{
	Info: op.Info{Command: "kb promote", Short: "make a capsule from an entry of a board, with its origin",
		Long: `The capsule gets the entry's content, source, evidence, confidence and
tags, and refers to the run, the entry and the worker. Observations, analyses and
calculations become facts; strategies become patterns; gaps and contradictions become
gotchas. --kind overrides it.`},
	Do: func(ctx context.Context, h Knowledge, in PromoteIn) (RememberOut, error) {
		return promote(ctx, h, &RememberIn{Entry: in.Entry, Run: in.Run, Title: in.Title, Kind: in.Kind, Scope: in.Scope,
			Tags: in.Tags, Domains: in.Domains, Confidence: in.Confidence, VerifiedBy: in.VerifiedBy,
			Project: in.Project, Supersedes: in.Supersedes, All: in.Force})
	},
	Text: RememberText,
}

// promote stores the capsule of an entry of a run, with what in says of it besides. If the entry was made into a
// capsule before, it returns that one and stores nothing, unless it is forced.
func promote(ctx context.Context, h Knowledge, in *RememberIn) (out RememberOut, err error) {
	var c kb.Capsule
	var doubt string
	err = h.Board(ctx, in.Run, Read, func(b *board.Board) error {
		d, err := b.Entry(ctx, in.Entry)
		if err != nil {
			return err
		}
		show := fault.Do("entry.show", "{}", "id", d.Entry.ID).In(h.Words)
		switch status := d.Entry.Status; {
		case status == board.Superseded && !in.forced():
			return superseded(&d)
		case status != board.Active:
			h.Note("note: " + d.Entry.ID + " is " + status + " on the board: is the capsule still true? " + show +
				" shows what contradicts it")
		}
		if against := d.Entry.Verified.Against(); against != "" {
			h.Note("note: " + d.Entry.ID + " is kept, but its source does not confirm it: " + board.Line(against, 200) + "; " + show)
		}
		doubt = doubtOf(&d.Entry)
		c = CapsuleOf(b.Run(), &d.Entry)
		return nil
	})
	if err != nil {
		return out, err
	}
	own := in.capsule()
	if own.Body != "" {
		own.Body += doubt
	}
	own.Kind, own.Title, own.Body = cmp.Or(own.Kind, c.Kind), cmp.Or(own.Title, c.Title), cmp.Or(own.Body, c.Body)
	own.Source, own.Confidence = cmp.Or(own.Source, c.Source), cmp.Or(own.Confidence, c.Confidence)
	own.Tags, own.Refs = append(c.Tags, own.Tags...), append(c.Refs, own.Refs...)
	return in.keep(ctx, h, own)
}

func promotedKind(entryType string) string {
	switch entryType {
	case board.Strategy:
		return "pattern"
	case board.Gap, board.Contradiction:
		return "gotcha"
	}
	return "fact"
}

func superseded(d *board.EntryDetail) error {
	hint := ""
	for _, l := range d.Linked {
		if l.Kind == board.Supersedes {
			hint = "promote " + l.From + " instead"
			break
		}
	}
	return fault.Conflict.New(d.Entry.ID+" is superseded on the board", hint,
		fault.Give("force", "", "{} promotes it all the same"))
}

// doubtOf is what a capsule says of an entry that was in doubt when it was promoted: who finds it has no board at hand.
func doubtOf(e *board.Entry) (doubt string) {
	if against := e.Verified.Against(); against != "" {
		doubt = "\n\nIn doubt: its source does not confirm it: " + board.Line(against, 200)
	}
	if e.Status == board.Disputed {
		doubt += "\n\nIn doubt: another entry of the run disputes it"
	}
	return doubt
}

func CapsuleOf(run string, e *board.Entry) kb.Capsule {
	c := kb.Capsule{Kind: promotedKind(e.Type), Title: learn.TitleOf(e.Content), Body: e.Content + doubtOf(e),
		Tags:       slices.Clone(e.Tags),
		Confidence: e.Confidence,
		Refs:       []string{"run:" + run, "entry:" + e.ID, "worker:" + e.Worker}}
	var places, quotes []string
	for _, from := range e.Places() {
		places = append(places, from.String())
		if from.Evidence != "" {
			quotes = append(quotes, text.Visible(from.Evidence))
		}
	}
	if c.Source = strings.Join(places, " and "); e.SourceDoc == "" {
		c.Source = "run " + run + ", " + e.ID
	}
	if len(quotes) > 0 {
		c.Body = kb.WithEvidence(c.Body, strings.Join(quotes, "\n"))
	}
	return c
}
