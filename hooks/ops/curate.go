package ops

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"blackboard/board/fault"
	"blackboard/board/op"
	"blackboard/board/text"
	"blackboard/kb"
)

// The curations, in their order.
const (
	dedupe         = "dedupe"
	decay          = "decay"
	contradictions = "contradictions"
)

var Curations = []string{dedupe, decay, contradictions}

type CurateIn struct {
	What    []string `json:"what,omitempty" arg:"[dedupe | decay | contradictions]…" as:"words" needs:"mcp" jsonschema:"of dedupe, decay, contradictions"`
	Apply   bool     `json:"apply,omitempty" only:"mcp" jsonschema:"do it; default only say what would be done"`
	DryRun  bool     `json:"dry_run,omitempty" only:"cli" cli:"show what would be done, and change nothing"`
	Resolve string   `json:"resolve,omitempty" only:"cli" value:"KEEP,OTHER" cli:"the two capsules to decide on"`
	As      string   `json:"as,omitempty" only:"cli" value:"HOW" enum:"resolutions"`
	Reason  string   `json:"reason,omitempty" only:"cli" flag:"reason,why" value:"REASON" cli:"for the history"`
	Limit   int      `json:"limit,omitempty" min:"0" flag:"limit,n" value:"N" default:"50" jsonschema:"pairs of a list" cli:"at most this many; 0: all"`
	op.Given
}

type CurateOut struct {
	Dedupe         *kb.Deduped         `json:"dedupe,omitempty"`
	Decay          *kb.Decayed         `json:"decay,omitempty"`
	Contradictions *[]kb.Contradiction `json:"contradictions,omitempty"`
	DryRun         *bool               `json:"dry_run,omitempty"`
	*Resolved
	looked, limit int
}

var KBCurate = op.Op[Knowledge, CurateIn, CurateOut]{
	Info: op.Info{Command: "kb curate", Tool: "kb_curate", Profile: "admin", Need: KBWrite,
		Kind: op.Writes, Budget: 4000, Short: "dedupe, let dormant capsules sink, list contradictions",
		About: "dedupe: capsules that say the same word for word become one; what is only alike is " +
			"listed. decay: capsules that nobody asks for sink. contradictions: pairs that may not both hold.",
		Long: `
dedupe: two capsules of one kind may say the same word for word, but for case, markup, the endings
of words and "the". Then the more certain one stays, else the newer, else the longer; the other is
superseded. Near-duplicates are listed for you to judge, and stay. Parts of documents are skipped.
decay: capsules that no search found for 14 days sink by up to five places; being found brings them
back. contradictions: lists facts and gotchas about the same thing that differ in a number, a date
or a negation. Nothing is changed until you decide:

  board kb curate contradictions --resolve K1,K2 --as supersede   K1 replaces K2
  board kb curate contradictions --resolve K1,K2 --as retire      K2 is retired
  board kb curate contradictions --resolve K1,K2 --as stand       both are true

Everything is in the history of the capsules, and ` + "`board kb history CAPSULE --restore N`" + ` undoes it for good.`},
	Do: func(ctx context.Context, h Knowledge, in CurateIn) (out CurateOut, err error) {
		for i, w := range in.What {
			if w == "contradiction" {
				in.What[i] = contradictions
			} else if !slices.Contains(Curations, w) {
				return out, fault.Unknown("curation", w, Curations)
			}
		}
		if in.Has("resolve") || in.Has("as") {
			return in.resolve(ctx, h)
		}
		if len(in.What) == 0 {
			in.What = Curations
		}
		out.DryRun, out.limit = new(bool), in.Limit
		*out.DryRun = in.DryRun || h.IsToolCall() && !in.Apply
		show, end := h.Progress()
		defer end()
		opt := kb.CurateOptions{DryRun: *out.DryRun, Progress: show}
		err = h.KB(ctx, Write, false, func(k *kb.KB) error {
			for _, step := range Curations {
				if !slices.Contains(in.What, step) {
					continue
				}
				var err error
				switch step {
				case dedupe:
					out.Dedupe, err = pointer(k.Dedupe(ctx, opt))
				case decay:
					out.Decay, err = pointer(k.Decay(ctx, opt))
				default:
					var found []kb.Contradiction
					found, out.looked, err = k.Contradictions(ctx, opt)
					found = op.List(found)
					out.Contradictions = &found
				}
				if err != nil {
					return err
				}
			}
			return nil
		})
		if h.IsToolCall() {
			out.shorten()
		}
		return out, err
	},
	Text: func(p *op.Page, o CurateOut) {
		if o.Resolved != nil {
			o.Resolved.print(p)
		}
		if o.Dedupe != nil {
			printDeduped(p, o.Dedupe, *o.DryRun, o.limit)
		}
		if d := o.Decay; d != nil {
			p.Printf("decay: %s dormant, %d %schanged\n", text.Count(int64(d.Dormant), "capsule is",
				"capsules are"), d.Changed, dryRunPrefix(*o.DryRun))
		}
		if o.Contradictions != nil {
			printPairs(p, &o)
		}
	},
}

// shorten cuts the bodies of the capsules to 300 characters, in place: a model can ask for the whole.
func (o *CurateOut) shorten() {
	clip := func(all ...*kb.Capsule) {
		for _, c := range all {
			c.Body = fault.Clip(c.Body, 300)
		}
	}
	if d := o.Dedupe; d != nil {
		for i := range d.Duplicates {
			clip(&d.Duplicates[i].Keep, &d.Duplicates[i].Drop)
		}
		for i := range d.Alike {
			clip(&d.Alike[i].Keep, &d.Alike[i].Other)
		}
	}
	if found := o.Contradictions; found != nil {
		for i := range *found {
			clip(&(*found)[i].A, &(*found)[i].B)
		}
	}
}

func pointer[T any](v T, err error) (*T, error) { return &v, err }

// dryRunPrefix returns "would be " for a dry run, before what it does not do; else "".
func dryRunPrefix(dry bool) string { return map[bool]string{true: "would be "}[dry] }

func printDeduped(p *op.Page, d *kb.Deduped, dry bool, limit int) {
	p.Printf("dedupe: %s compared, %d %ssuperseded\n", text.Count(int64(d.Compared), "capsule",
		"capsules"), len(d.Duplicates), dryRunPrefix(dry))
	for _, dup := range first(p, d.Duplicates, limit) {
		p.Printf("  %s  %s\n    by %s  %s\n    %s\n", dup.Drop.ID, p.Line(dup.Drop.Title, 100),
			dup.Keep.ID, p.Line(dup.Keep.Title, 100), dup.Why)
	}
	if len(d.Alike) > 0 {
		p.Printf("alike: %s; both stay: read them, then supersede one or leave them\n", text.Count(
			int64(len(d.Alike)), "pair says nearly the same", "pairs say nearly the same"))
	}
	for _, a := range first(p, d.Alike, limit) {
		how := fmt.Sprintf("%.0f %% of the words", 100*a.Shared)
		if a.Cosine != nil {
			how += fmt.Sprintf(", cosine %.2f", *a.Cosine)
		}
		if len(a.Differ) > 0 {
			how += "; they may differ: " + strings.Join(a.Differ, "; ")
		}
		p.Printf("  %s  %s\n  %s  %s\n    %s\n", a.Keep.ID, p.Line(a.Keep.Title, 100), a.Other.ID,
			p.Line(a.Other.Title, 100), p.Line(how, 300))
	}
	if d.ByWords > 0 {
		p.Note("note: " + text.Count(int64(d.ByWords), "capsule has", "capsules have") +
			" no embedding, so their words alone are compared" +
			p.Step(fault.Do("kb.reembed", "; {} gives them one")))
	}
}

func printPairs(p *op.Page, o *CurateOut) {
	found := *o.Contradictions
	p.Printf("contradictions: %s compared, %s\n", text.Count(int64(o.looked), "fact or gotcha",
		"facts and gotchas"), text.Count(int64(len(found)), "pair may contradict each other",
		"pairs may contradict each other"))
	for _, t := range first(p, found, o.limit) {
		p.Printf("  %s  %s\n%s\n  %s  %s\n%s\n    alike %.2f; %s\n", t.A.ID, p.Line(t.A.Title, 100),
			p.Block(p.Text(t.A.Body, 300, "kb.get", t.A.ID), "       | "), t.B.ID, p.Line(t.B.Title, 100),
			p.Block(p.Text(t.B.Body, 300, "kb.get", t.B.ID), "       | "), t.Cosine,
			p.Line(strings.Join(t.Why, "; "), 300))
	}
	if len(found) > 0 {
		p.Note("note: " + p.Step(fault.Do("kb.resolve", "{} settles one")))
	}
}

// first are the first of a list, with a note if that is not all.
func first[T any](p *op.Page, all []T, limit int) []T {
	shown := op.FirstRows(p, all)
	if limit > 0 && limit < len(shown) {
		shown = shown[:limit]
	}
	if len(shown) < len(all) {
		p.Note(fmt.Sprintf("the first %d of %d are shown", len(shown), len(all)) +
			p.Step(fault.Give("limit", "0", "; {} shows all")))
	}
	return shown
}

// resolve settles one contradiction as a person has decided.
func (in *CurateIn) resolve(ctx context.Context, h Knowledge) (out CurateOut, err error) {
	how := fault.Do("kb.resolve", "{}")
	if in.Resolve == "" || in.As == "" || in.DryRun ||
		slices.ContainsFunc(in.What, func(w string) bool { return w != contradictions }) {
		return out, fault.Usage.New("to settle one takes resolve and as, and goes with no other curation "+
			"and no dry run", "", how)
	}
	keep, other, two := strings.Cut(in.Resolve, ",")
	if !two || strings.Contains(other, ",") {
		return out, fault.Usage.New("resolve takes two ids, with a comma between them", "", how)
	}
	out.Resolved, err = pointer(resolve(ctx, h, ResolveIn{strings.TrimSpace(keep),
		strings.TrimSpace(other), in.As, in.Reason}))
	return out, err
}

type ResolveIn struct {
	Keep  string `json:"keep"`
	Other string `json:"other"`
	How   string `json:"how" enum:"resolutions"`
	Why   string `json:"why"`
}

type Resolved struct {
	Keep  string `json:"keep"`
	Other string `json:"other"`
	As    string `json:"as"`
}

// KBResolve settles a contradiction: the tool of what the command does with --resolve.
var KBResolve = op.Op[Knowledge, ResolveIn, Resolved]{
	Info: op.Info{Tool: "kb_resolve", Profile: "admin", Need: KBWrite, Kind: op.Writes,
		Short: "settle a contradiction",
		About: "Record what was decided about two capsules, and do it: both stand, one supersedes the " +
			"other, or the other is retired."},
	Do:   resolve,
	Text: func(p *op.Page, o Resolved) { o.print(p) },
}

func resolve(ctx context.Context, h Knowledge, in ResolveIn) (Resolved, error) {
	return Resolved{in.Keep, in.Other, in.How}, h.KB(ctx, Write, false, func(k *kb.KB) error {
		return k.Resolve(ctx, in.Keep, in.Other, in.How, in.Why)
	})
}

func (o *Resolved) print(p *op.Page) {
	keep, other := p.Line(o.Keep, 40), p.Line(o.Other, 40)
	p.Printf("%s\n", map[string]string{kb.ResolveStand: keep + " and " + other + " both stand",
		kb.ResolveSupersede: keep + " supersedes " + other, kb.ResolveRetire: other + " is retired"}[o.As])
}
