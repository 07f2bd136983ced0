package kb

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"blackboard/board/clash"
	"blackboard/board/fault"
	"blackboard/board/sqlite"
	"blackboard/embed"
	"blackboard/kb/index"
)

const (
	// ContradictionCosine is the least similarity of two facts or gotchas about the same
	// thing.
	ContradictionCosine = 0.85
	// contradictionWords is the same without embeddings: the share of terms that both
	// texts have.
	contradictionWords = 0.5
)

// Contradiction is a pair of capsules about the same thing that may not both be true.
type Contradiction struct {
	A Capsule `json:"a"`
	B Capsule `json:"b"`
	// similarity; without embeddings, the share of common terms
	Cosine float64  `json:"cosine"`
	Why    []string `json:"why"` // the conflicting statements, A's first
}

// Contradictions lists pairs of facts and gotchas about the same thing that differ in a
// number, a date or a negation, the surest first. looked is the number of capsules
// compared. Contradictions changes nothing; see Resolve.
func (k *KB) Contradictions(ctx context.Context, opt CurateOptions) (
	out []Contradiction, looked int, err error) {
	out = []Contradiction{}
	kinds := []string{"fact", "gotcha"}
	err = k.db.Read(ctx, func(tx *sqlite.Tx) error {
		model, _, err := k.index.Model(tx)
		if err != nil {
			return err
		}
		ns, err := sqlite.Column[int64](tx,
			`SELECT n FROM capsules WHERE kind IN ('fact', 'gotcha') AND superseded_by = ''
				AND retired IS NULL ORDER BY n`)
		if err != nil {
			return err
		}
		seen := map[[2]int64]bool{}
		search := k.db.Nearby()
		return k.db.EachVector(ctx, tx, ns, func(i int, v embed.Vector) error {
			n := ns[i]
			if opt.Progress != nil && i%64 == 0 {
				opt.Progress("comparing", i, len(ns))
			}
			looked++
			var near []index.Candidate
			var err error
			if v != nil {
				near, err = search.All(tx, standsNear(v, model, ContradictionCosine, kinds...),
					len(ns)-i-1, len(ns))
			} else {
				near, err = k.aboutTheSame(tx, n, kinds)
			}
			if err != nil {
				return err
			}
			for _, c := range near {
				pair := [2]int64{min(n, c.ID), max(n, c.ID)}
				if c.ID == n || seen[pair] {
					continue
				}
				seen[pair] = true
				two, err := capsulesWhere(tx, `n IN (?, ?) ORDER BY n`, n, c.ID)
				if err != nil {
					return err
				}
				if len(two) != 2 {
					continue
				}
				why := clashes(&two[0], &two[1])
				if len(why) == 0 {
					continue
				}
				if skip, err := decided(tx, two[0].ID, two[1].ID); err != nil {
					return err
				} else if !skip {
					out = append(out, Contradiction{two[0], two[1], c.Cosine, why})
				}
			}
			return nil
		})
	})
	slices.SortStableFunc(out,
		func(a, b Contradiction) int { return cmp.Compare(b.Cosine, a.Cosine) })
	return out, looked, err
}

// aboutTheSame finds capsules about the same thing by words, for a capsule without an
// embedding.
func (k *KB) aboutTheSame(tx *sqlite.Tx, n int64, kinds []string) ([]index.Candidate, error) {
	self, err := capsulesWhere(tx, `n = ?`, n)
	if err != nil || len(self) == 0 {
		return nil, err
	}
	q := standsNear(nil, "", 0, kinds...)
	q.Text, q.Depth = embeddingText(&self[0]), 10
	res, err := k.index.Search(tx, q)
	if err != nil {
		return nil, err
	}
	mine := k.termSet(&self[0])
	var near []index.Candidate
	for _, c := range res.Candidates {
		other, err := capsulesWhere(tx, `n = ?`, c.ID)
		if err != nil {
			return nil, err
		}
		if len(other) == 1 && c.ID != n {
			if c.Cosine = overlap(mine, k.termSet(&other[0])); c.Cosine >= contradictionWords {
				near = append(near, c)
			}
		}
	}
	return near, nil
}

func (k *KB) termSet(c *Capsule) map[string]bool {
	set := map[string]bool{}
	for _, t := range k.index.Terms(embeddingText(c)) {
		set[t] = true
	}
	return set
}

// overlap returns the Jaccard similarity of two sets of terms.
func overlap(a, b map[string]bool) float64 {
	both := 0
	for t := range a {
		if b[t] {
			both++
		}
	}
	if all := len(a) + len(b) - both; all > 0 {
		return float64(both) / float64(all)
	}
	return 0
}

// Ways to resolve a question about two capsules.
const (
	ResolveStand     = "stand"     // both are true: they are about different things or times
	ResolveSupersede = "supersede" // the kept capsule replaces the other
	ResolveRetire    = "retire"    // the other is wrong
)

// Resolutions lists them.
var Resolutions = []string{ResolveStand, ResolveSupersede, ResolveRetire}

// Resolve records a decision about two capsules and applies it. keep is the one that
// stays; the order is irrelevant if both stand.
func (k *KB) Resolve(ctx context.Context, keep, other, how, why string) error {
	for _, id := range []string{keep, other} {
		if err := CheckID(id); err != nil {
			return err
		}
	}
	if keep == other {
		return invalid("both ids name the same capsule", "name two different capsules")
	}
	if !slices.Contains(Resolutions, how) {
		return unknown("resolution", how, Resolutions)
	}
	if err := CheckText("the reason", why, MaxField, false); err != nil {
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
					get(a.ID, "{} shows why; keep an active capsule, or restore this one first"))
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

// clashes returns why two capsules about the same thing may contradict each other.
func clashes(a, b *Capsule) []string {
	return clash.Reasons(clash.Text{Title: a.Title, Body: a.Body},
		clash.Text{Title: b.Title, Body: b.Body})
}
