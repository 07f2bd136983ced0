package kb

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"blackboard/board/fault"
	"blackboard/board/sqlite"
)

type CurateOptions struct {
	DryRun   bool                            // report, change nothing
	Progress func(what string, done, of int) // called with what is being done; may be nil
}

// Duplicate is a pair of capsules that say the same.
type Duplicate struct {
	Keep Capsule `json:"keep"` // the capsule that stays
	Drop Capsule `json:"drop"` // superseded by the other
	Why  string  `json:"why"`  // why the other stays
}

// AlikePair is a pair of capsules that say nearly the same.
type AlikePair struct {
	Keep   Capsule  `json:"keep"`   // the better capsule
	Other  Capsule  `json:"other"`  // the one that would go
	Cosine *float64 `json:"cosine"` // null: unknown
	Shared float64  `json:"shared"` // share of the words that both have
	Differ []string `json:"differ"` // possible contradictions
}

type Deduped struct {
	Duplicates []Duplicate `json:"duplicates"` // pairs that say the same
	// the most similar first, for a person or an agent that rewrites them
	Alike    []AlikePair `json:"alike"`
	Compared int         `json:"looked"` // capsules that were compared
	// those without an embedding, compared by words only
	ByWords int `json:"by_words"`
	Skipped int `json:"skipped"` // pairs that others have changed in the meantime
}

// Dedupe finds capsules of one kind that say the same word for word (clash.Said) and
// supersedes one by the other. The capsule with the higher confidence stays, then the
// newer, then the longer. Pairs that somebody has decided on stay, and so do sections of
// documents. Capsules that say nearly the same are only listed.
func (k *KB) Dedupe(ctx context.Context, opt CurateOptions) (d Deduped, err error) {
	d.Duplicates = []Duplicate{}
	// Plan on one snapshot. Then make small changes that check each pair again.
	err = k.db.Read(ctx, func(tx *sqlite.Tx) error {
		d.Duplicates, err = k.planDedupe(ctx, tx, &d, opt.Progress)
		return err
	})
	if err != nil || opt.DryRun {
		return d, err
	}
	done := d.Duplicates[:0:0]
	for part := range slices.Chunk(d.Duplicates, 50) {
		var now []Duplicate
		err := k.change(ctx, func(ch *change) error {
			now = nil
			settled, err := decisions(ch.tx)
			if err != nil {
				return err
			}
			for _, p := range part {
				keep, err := ch.get(p.Keep.ID)
				var drop *Capsule
				if err == nil {
					drop, err = ch.get(p.Drop.ID)
				}
				if errors.Is(err, fault.NotFound) {
					d.Skipped++
					continue
				}
				if err != nil {
					return err
				}
				// Changes that curation itself made to the kept capsule do not count.
				if drop.Revision != p.Drop.Revision ||
					embeddingText(keep) != embeddingText(&p.Keep) || keep.Kind != drop.Kind ||
					!keep.covers(drop) || keep.SupersededBy != "" || keep.Retired != nil ||
					settled[pairOf(keep.n, drop.n)] {
					d.Skipped++
					continue
				}
				if err := ch.replaceBy(keep, drop, p.Why); err != nil {
					return err
				}
				now = append(now, p)
			}
			return nil
		})
		if err != nil {
			d.Duplicates = done
			return d, err
		}
		done = append(done, now...)
		if opt.Progress != nil {
			opt.Progress("superseding", len(done), len(d.Duplicates))
		}
	}
	d.Duplicates = append([]Duplicate{}, done...)
	return d, nil
}

// replaceBy makes keep supersede drop. The sidecar of keep is first: it is enough for both.
func (ch *change) replaceBy(keep, drop *Capsule, why string) error {
	if err := ch.checkCycle(keep, drop.ID); err != nil {
		return err
	}
	now := *keep
	now.Supersedes = sortedTags(append(slices.Clone(keep.Supersedes), drop.ID))
	if err := ch.update(keep, &now, nil, VerbSupersedes, drop.ID, why); err != nil {
		return err
	}
	return ch.supersede(&now, drop.ID, why)
}

type dedupe struct {
	*capsuleScan
	gone  map[int]bool // capsules that the plan supersedes
	out   []Duplicate
	pairs []pairing
}

type pairing struct {
	keep int
	neighbour
}

func (x *neighbour) likeness() float64 {
	if x.cosine == nil {
		return x.shared
	}
	return max(*x.cosine, x.shared)
}

func (k *KB) planDedupe(ctx context.Context, tx *sqlite.Tx, d *Deduped,
	progress func(string, int, int)) ([]Duplicate, error) {
	// those to keep come first
	all, err := k.scanCapsules(tx, `superseded_by = '' AND retired IS NULL AND ingest_file = ''
		ORDER BY coalesce(confidence, 0) DESC, created DESC, length(body) DESC, n DESC`)
	if err != nil {
		return nil, err
	}
	p := &dedupe{capsuleScan: all, gone: map[int]bool{}, out: []Duplicate{}}
	byKey := map[string][]int{} // the kept capsules
	for i, key := range p.keys {
		for _, first := range byKey[key] {
			if p.gone[i] {
				break
			}
			if err := p.planSupersede(first, i); err != nil {
				return nil, err
			}
		}
		if !p.gone[i] {
			byKey[key] = append(byKey[key], i)
		}
	}
	err = p.each(ctx, nil, func(i int, hasVector bool, near []neighbour) error {
		if progress != nil && i%64 == 0 {
			progress("comparing", i, len(p.ns))
		}
		d.Compared++
		if !hasVector {
			d.ByWords++
		}
		for _, x := range near {
			if x.at > i && !p.gone[i] && !p.gone[x.at] &&
				(x.shared >= listShared || x.cosine != nil) {
				p.pairs = append(p.pairs, pairing{i, x})
			}
		}
		if len(p.pairs) > 2*maxAlikePairs {
			p.cut()
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	d.Alike, err = p.alike()
	return p.out, err
}

// cut sorts the pairs, the most similar first, and keeps at most maxAlikePairs.
func (p *dedupe) cut() {
	slices.SortStableFunc(p.pairs,
		func(a, b pairing) int { return cmp.Compare(b.likeness(), a.likeness()) })
	p.pairs = p.pairs[:min(len(p.pairs), maxAlikePairs)]
}

func (p *dedupe) alike() ([]AlikePair, error) {
	p.cut()
	out := []AlikePair{}
	for _, x := range p.pairs {
		a, b, why, err := p.readPair(x.keep, x.at)
		if err != nil {
			return nil, err
		}
		out = append(out, AlikePair{Keep: a.Capsule, Other: b.Capsule, Cosine: x.cosine,
			Shared: x.shared, Differ: append([]string{}, why...)})
	}
	return out, nil
}

const (
	// Thresholds for listing two capsules as similar: low, as a person reviews the list.
	listCosine    = 0.85
	listShared    = 0.5
	maxAlikePairs = 1000
)

// planSupersede plans it if both say the same and nobody has decided on them.
func (p *dedupe) planSupersede(keep, other int) error {
	a, b, _, err := p.readPair(keep, other)
	// the same hash by chance, or drop applies where keep does not
	if err != nil || p.decided[pairOf(a.n, b.n)] || a.Kind != b.Kind ||
		!a.statement().Same(b.statement()) || !a.covers(&b.Capsule) {
		return err
	}
	p.gone[other] = true
	p.out = append(p.out, Duplicate{a.Capsule, b.Capsule, whyKept(&a.Capsule, &b.Capsule)})
	return nil
}

// covers reports whether a capsule applies wherever another does.
func (c *Capsule) covers(o *Capsule) bool {
	switch c.Scope {
	case "universal":
		return true
	case "domain":
		return o.Scope != "universal"
	case "project":
		return (o.Scope == "project" || o.Scope == "workspace") && c.Project == o.Project &&
			(c.Project != "" || c.Workspace == o.Workspace)
	}
	return o.Scope == "workspace" && c.Workspace == o.Workspace
}

func plainText(c *Capsule) string {
	return strings.ToLower(strings.Join(strings.Fields(c.Body), " "))
}

func whyKept(keep, drop *Capsule) string {
	const same = "the same words"
	value := func(c *Capsule) float64 {
		if c.Confidence == nil {
			return 0
		}
		return *c.Confidence
	}
	switch a, b := value(keep), value(drop); {
	case a != b:
		return fmt.Sprintf("%s; %s is more certain (%g against %g)", same, keep.ID, a, b)
	case !keep.Created.Equal(drop.Created):
		return fmt.Sprintf("%s; %s is newer", same, keep.ID)
	case len(keep.Body) != len(drop.Body):
		return fmt.Sprintf("%s; %s says more", same, keep.ID)
	}
	return same + "; otherwise equal"
}

const (
	// DecayShield is how long a capsule that nobody retrieves keeps its rank.
	DecayShield = 14 * 24 * time.Hour
	// DecayFull is the time without retrieval after which decay is complete.
	DecayFull = 104 * 24 * time.Hour
	// decaySink is how many places a fully decayed capsule sinks.
	decaySink = 5
)

type Decayed struct {
	Dormant int `json:"dormant"` // capsules not retrieved since the shield ended
	Changed int `json:"changed"` // capsules whose score has changed
}

// Decay lowers the rank of capsules that nobody retrieves. They keep their rank for 14
// days after they were created, changed or retrieved, and then sink a little each day,
// by five places after 104 days. A retrieval resets the score. Decay counts whole days,
// so a second pass on the same day changes nothing.
func (k *KB) Decay(ctx context.Context, opt CurateOptions) (d Decayed, err error) {
	day := (24 * time.Hour).Milliseconds()
	const score = `round(min(1.0, max(0, (?1 - max(created, updated, coalesce(retrieved, 0)) - ?2) / ?3) * 1.0 / ?4), 4)`
	count := func(tx *sqlite.Tx) error {
		args := []any{tx.Now.UnixMilli(), DecayShield.Milliseconds(), day,
			(DecayFull - DecayShield).Milliseconds() / day}
		if err := tx.QueryRow(`SELECT count(*) FILTER (WHERE s > 0),
			count(*) FILTER (WHERE s <> decay_score)
			FROM (SELECT `+score+` AS s, decay_score FROM capsules WHERE superseded_by = '' AND retired IS NULL) AS scores`,
			args...).Scan(&d.Dormant, &d.Changed); err != nil || opt.DryRun || d.Changed == 0 {
			return err
		}
		_, err := tx.Exec(`UPDATE capsules SET decay_score = `+score+
			` WHERE superseded_by = '' AND retired IS NULL AND decay_score <> `+score, args...)
		return err
	}
	if opt.DryRun {
		return d, k.db.Read(ctx, count)
	}
	return d, k.db.Write(ctx, count)
}

// MarkRetrieved records a retrieval, once a day for each. It gives up if others write.
func (k *KB) MarkRetrieved(ctx context.Context, caps ...*Capsule) {
	now := k.db.Now()
	var ns []int64
	for _, c := range caps {
		last := c.Updated
		if c.Retrieved != nil && c.Retrieved.After(last) {
			last = *c.Retrieved
		}
		if c.DecayScore > 0 || now.Sub(last) > 24*time.Hour {
			ns = append(ns, c.n)
		}
	}
	if len(ns) == 0 || k.db.ReadOnly() {
		return
	}
	const patience = 20 * time.Millisecond // wait for other writers
	k.db.WriteWithin(ctx, patience, func(tx *sqlite.Tx) error {
		_, err := tx.Exec(`UPDATE capsules SET retrieved = ?, decay_score = 0
			WHERE n IN (SELECT CAST(value AS BIGINT)
			FROM json_each(?))`, tx.Now.UnixMilli(), sqlite.List(ns))
		return err
	})
}
