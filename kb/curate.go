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
	"blackboard/embed"
	"blackboard/kb/index"
	"blackboard/kb/store"
)

// CurateOptions are the options of curation.
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

// Deduped is the result of Dedupe.
type Deduped struct {
	Duplicates []Duplicate `json:"duplicates"` // pairs that say the same
	// the most similar first, for a person or an agent that rewrites them
	Alike    []AlikePair `json:"alike"`
	Compared int         `json:"looked"` // capsules that were compared
	// those without an embedding, compared by words only
	ByWords int `json:"by_words"`
	Skipped int `json:"skipped"` // pairs that others have changed in the meantime
}

// standing is an active capsule (neither superseded nor retired) in memory.
type standing struct {
	n    int64
	kind string
	key  [8]byte // hash of the kind and the statement
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
				settled, err := decided(ch.tx, keep.ID, drop.ID)
				if err != nil {
					return err
				}
				// Changes that curation itself made to the kept capsule do not count.
				if drop.Revision != p.Drop.Revision ||
					embeddingText(keep) != embeddingText(&p.Keep) || keep.Kind != drop.Kind ||
					!keep.covers(drop) || keep.SupersededBy != "" || keep.Retired != nil ||
					settled {
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

// replaceBy makes keep supersede drop. The sidecar of keep is written first: it is
// enough to complete the change.
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

// dedupe is a plan being made on one snapshot.
type dedupe struct {
	tx    *sqlite.Tx
	gone  map[int64]bool // capsules that the plan supersedes
	out   []Duplicate
	pairs []AlikePair
}

func (k *KB) planDedupe(ctx context.Context, tx *sqlite.Tx, d *Deduped,
	progress func(string, int, int)) ([]Duplicate, error) {
	all, err := bestFirst(tx)
	if err != nil {
		return nil, err
	}
	place := make(map[int64]int, len(all))
	for i, s := range all {
		place[s.n] = i
	}
	byKey := map[[8]byte][]int64{} // the kept capsules
	model, _, err := k.index.Model(tx)
	if err != nil {
		return nil, err
	}
	p := &dedupe{tx: tx, gone: map[int64]bool{}, out: []Duplicate{}}
	ns, near := make([]int64, len(all)), k.db.Nearby()
	for i, s := range all {
		ns[i] = s.n
		for _, first := range byKey[s.key] {
			if err := p.planSupersede(first, s.n); err != nil {
				return nil, err
			}
			if p.gone[s.n] {
				break
			}
		}
		if !p.gone[s.n] {
			byKey[s.key] = append(byKey[s.key], s.n)
		}
	}
	err = k.db.EachVector(ctx, tx, ns, func(i int, v embed.Vector) error {
		s := all[i]
		if progress != nil && i%64 == 0 {
			progress("comparing", i, len(all))
		}
		d.Compared++
		if v == nil {
			d.ByWords++
		}
		if p.gone[s.n] {
			return nil
		}
		var found []index.Candidate
		var err error
		if v != nil {
			found, err = near.All(tx, standsNear(v, model, listCosine, s.kind), len(all)-i-1,
				len(all))
		} else {
			found, err = k.aboutTheSame(tx, s.n, []string{s.kind})
		}
		for _, c := range found {
			if at, standing := place[c.ID]; err == nil && standing && at > i && !p.gone[c.ID] {
				err = p.listAlike(s.n, &c)
			}
		}
		return err
	})
	slices.SortStableFunc(p.pairs,
		func(a, b AlikePair) int { return cmp.Compare(b.Likeness(), a.Likeness()) })
	d.Alike = append([]AlikePair{}, p.pairs[:min(len(p.pairs), maxAlikePairs)]...)
	return p.out, err
}

const (
	// listCosine and listShared are the thresholds for listing two capsules as similar.
	// They are low, as a person reviews the list.
	listCosine = 0.85
	listShared = 0.5
	// maxAlikePairs is the most pairs that are listed.
	maxAlikePairs = 1000
)

// Likeness orders pairs by cosine or share of words, whichever is higher.
func (a *AlikePair) Likeness() float64 {
	if a.Cosine == nil {
		return a.Shared
	}
	return max(*a.Cosine, a.Shared)
}

// standsNear is a query for active capsules of some kinds that are similar in meaning.
func standsNear(v embed.Vector, model string, cosine float64, kinds ...string) index.Query {
	f := index.Filter{None: []string{kwSuperseded, kwRetired}}
	store.Require(&f, keyword, kwKind, kinds...)
	return index.Query{Vector: v, Model: model, Depth: 20, Near: cosine, Filter: f}
}

// readPair reads a pair that nobody has decided on; nil if it is decided.
func (p *dedupe) readPair(keep, n int64) (a, b *Capsule, err error) {
	two, err := capsulesWhere(p.tx, `n IN (?, ?)`, keep, n)
	if err != nil || len(two) != 2 {
		return nil, nil, err
	}
	if two[0].n != keep {
		two[0], two[1] = two[1], two[0]
	}
	if skip, err := decided(p.tx, two[0].ID, two[1].ID); err != nil || skip {
		return nil, nil, err
	}
	return &two[0], &two[1], nil
}

// planSupersede plans that one capsule supersedes another, if they say the same.
func (p *dedupe) planSupersede(keep, n int64) error {
	a, b, err := p.readPair(keep, n)
	// the same hash by chance, or drop applies where keep does not
	if a == nil || a.Kind != b.Kind || !a.statement().Same(b.statement()) || !a.covers(b) {
		return err
	}
	p.gone[n] = true
	p.out = append(p.out, Duplicate{*a, *b, whyKept(a, b)})
	return nil
}

// listAlike lists a pair that is similar enough by words or by meaning.
func (p *dedupe) listAlike(keep int64, c *index.Candidate) error {
	a, b, err := p.readPair(keep, c.ID)
	if a == nil {
		return err
	}
	pair := AlikePair{Keep: *a, Other: *b, Shared: a.statement().Shared(b.statement()),
		Differ: append([]string{}, clashes(a, b)...)}
	if c.HasVector {
		pair.Cosine = &c.Cosine
	}
	if pair.Shared >= listShared || c.HasVector && c.Cosine >= listCosine {
		p.pairs = append(p.pairs, pair)
	}
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

// bestFirst lists the active capsules, those to keep first.
func bestFirst(tx *sqlite.Tx) ([]standing, error) {
	var all []standing
	var s standing
	var c Capsule
	err := tx.Each([]any{&s.n, &c.Kind, &c.Title, &c.Body}, func() error {
		s.kind = c.Kind
		copy(s.key[:], hash(c.Kind+"\n"+c.statement().Key()))
		all = append(all, s)
		return nil
	}, `SELECT n, kind, title, body FROM capsules WHERE superseded_by = '' AND retired IS NULL
		AND ingest_file = '' ORDER BY coalesce(confidence, 0) DESC, created DESC,
		length(body) DESC, n DESC`)
	return all, err
}

// plainText normalises case and spacing for a literal comparison.
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

// Decayed is the result of Decay.
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

// MarkRetrieved records that capsules were retrieved, at most once a day for each. It
// gives up if other writers are busy, as the caller is waiting for an answer.
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
