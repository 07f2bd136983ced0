package kb

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"blackboard/board/clash"
	"blackboard/board/fault"
	"blackboard/board/sqlite"
)

// contradictionWords is the least share of words in common, where there are no embeddings.
const contradictionWords = 0.5

// Contradiction is a pair of capsules about the same thing that may not both be true.
type Contradiction struct {
	A Capsule `json:"a"`
	B Capsule `json:"b"`
	// similarity; without embeddings, the share of common terms
	Cosine float64  `json:"cosine"`
	Why    []string `json:"why"` // the conflicting statements, A's first
}

// Contradictions lists pairs of facts and gotchas about the same thing that differ in a number, a
// date, a negation or an opposite, the surest first. looked is the number of capsules compared.
// Contradictions changes nothing; see Resolve.
func (k *KB) Contradictions(ctx context.Context, opt CurateOptions) (
	out []Contradiction, looked int, err error) {
	out = []Contradiction{}
	err = k.db.Read(ctx, func(tx *sqlite.Tx) error {
		p, err := k.scanCapsules(tx, `kind IN ('fact', 'gotcha') AND superseded_by = ''
			AND retired IS NULL ORDER BY n`)
		if err != nil {
			return err
		}
		seen := map[[2]int64]bool{}
		return p.each(ctx, []string{"fact", "gotcha"}, func(i int, _ bool, near []neighbour) error {
			if opt.Progress != nil && i%64 == 0 {
				opt.Progress("comparing", i, len(p.ns))
			}
			looked++
			for _, x := range near {
				pair := pairOf(int64(i), int64(x.at))
				if seen[pair] {
					continue
				}
				seen[pair] = true
				a, b, why, err := p.readPair(int(pair[0]), int(pair[1]))
				if err != nil {
					return err
				}
				x.cosine = cmp.Or(x.cosine, &x.overlap)
				if len(why) > 0 {
					out = append(out, Contradiction{a.Capsule, b.Capsule, *x.cosine, why})
				}
			}
			return nil
		})
	})
	slices.SortStableFunc(out,
		func(a, b Contradiction) int { return cmp.Compare(b.Cosine, a.Cosine) })
	return out, looked, err
}

// Ways to resolve a question about two capsules.
const (
	ResolveStand     = "stand"     // both are true: they are about different things or times
	ResolveSupersede = "supersede" // the kept capsule replaces the other
	ResolveRetire    = "retire"    // the other is wrong
)

var Resolutions = []string{ResolveStand, ResolveSupersede, ResolveRetire}

// Resolve records and applies a decision about two capsules; keep stays, if one does.
func (k *KB) Resolve(ctx context.Context, keep, other, how, why string) error {
	for _, id := range []string{keep, other} {
		if err := CheckID(id); err != nil {
			return err
		}
	}
	if keep == other {
		return invalid("both ids name the same capsule", "name two different capsules")
	}
	if err := cmp.Or(oneOf("resolution", Resolutions, how), CheckText("the reason", why, MaxField, false)); err != nil {
		return err
	}
	return k.change(ctx, func(ch *change) error {
		a, err := ch.get(keep)
		if err != nil {
			return err
		}
		b, err := ch.get(other)
		if err != nil {
			return err
		}
		switch how {
		case ResolveStand:
			err = ch.decide(keep, other, DecisionStand, why)
			for _, pair := range [][2]*Capsule{{a, b}, {b, a}} {
				if err == nil {
					err = ch.event(VerbDecided, pair[0], nil, pair[1].ID, join(DecisionStand, why))
				}
			}
			return err
		case ResolveSupersede:
			if a.SupersededBy != "" || a.Retired != nil {
				return capsuleError(fault.Conflict, a.ID,
					a.ID+" is not active itself: neither capsule would be left", "",
					getStep(a.ID, "{} shows why; keep an active capsule, or restore this one first"))
			}
			if b.SupersededBy != "" {
				return capsuleError(fault.Conflict, b.SupersededBy,
					fmt.Sprintf("%s is already superseded by %s", b.ID, b.SupersededBy),
					"nothing to do")
			}
			return ch.replaceBy(a, b, join("resolved", why))
		default:
			if b.Retired != nil {
				return capsuleError(fault.Conflict, b.ID, b.ID+" is already retired",
					"nothing to do")
			}
			now := *b
			now.Retired, now.RetiredWhy = &ch.tx.Now, why
			return ch.update(b, &now, nil, VerbRetired, a.ID, join("resolved", why))
		}
	})
}

func clashes(a, b *Capsule) []string {
	return clash.Reasons(clash.Text{Title: a.Title, Body: a.Body},
		clash.Text{Title: b.Title, Body: b.Body})
}
