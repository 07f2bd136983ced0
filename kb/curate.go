package kb

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"blackboard/board/fault"
	"blackboard/board/sqlite"
	"blackboard/embed"
	"blackboard/kb/index"
	"blackboard/kb/store"
)

// CurateOptions say what to curate. Progress is called with what is being done.
type CurateOptions struct {
	DryRun   bool                            // tells what would be done, and does nothing
	Progress func(what string, done, of int) // nil: nobody wants to know
}

// Duplicate is a capsule that says what another says.
type Duplicate struct {
	Keep Capsule `json:"keep"`
	Drop Capsule `json:"drop"` // is superseded by it
	Why  string  `json:"why"`  // the one stays and not the other
}

// AlikePair is two capsules that say nearly the same, and perhaps the same.
type AlikePair struct {
	Keep   Capsule  `json:"keep"` // the one that would stay
	Other  Capsule  `json:"other"`
	Cosine *float64 `json:"cosine"` // null: not known
	Shared float64  `json:"shared"` // share of their words that both have
	Differ []string `json:"differ"` // in what they may contradict each other
}

// Deduped is what Dedupe found.
type Deduped struct {
	Duplicates []Duplicate `json:"duplicates"`
	Alike      []AlikePair `json:"alike"`    // the most alike first: for a person, or an agent that rewrites
	Looked     int         `json:"looked"`   // capsules that were compared
	ByWords    int         `json:"by_words"` // of them without an embedding, for which only words are compared
	Skipped    int         `json:"skipped"`  // pairs that others have changed meanwhile
}

// standing is a capsule that is neither superseded nor retired, as curation keeps it in memory.
type standing struct {
	n    int64
	kind string
	key  [8]byte // of its kind and what it says
}

// Dedupe finds capsules of one kind that say the same word for word (clash.Said). Of two, the one with the higher confidence stays, then the newer, then the longer; the other is superseded by
// it. Pairs that somebody has decided on stay as they are, and so do the parts of documents: those say what their documents say. What says nearly the same is listed, and stays.
func (k *KB) Dedupe(ctx context.Context, opt CurateOptions) (d Deduped, err error) {
	d.Duplicates = []Duplicate{}
	// One snapshot for the plan, then small changes that each look once more.
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
				// What curation itself has done to the one that stays does not count.
				if drop.Revision != p.Drop.Revision || embeddingText(keep) != embeddingText(&p.Keep) || keep.Kind != drop.Kind || !keep.covers(drop) || keep.SupersededBy != "" || keep.Retired != nil || settled {
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

// replaceBy makes keep supersede drop. The sidecar that names the other is written first: it alone is enough to finish the change.
func (ch *change) replaceBy(keep, drop *Capsule, why string) error {
	if err := ch.noCircle(keep, drop.ID); err != nil {
		return err
	}
	now := *keep
	now.Supersedes = sortedTags(append(slices.Clone(keep.Supersedes), drop.ID))
	if err := ch.update(keep, &now, nil, VerbSupersedes, drop.ID, why); err != nil {
		return err
	}
	return ch.supersede(&now, drop.ID, why)
}

// dedupe is a plan in the making: what says the same, on one snapshot.
type dedupe struct {
	tx    *sqlite.Tx
	gone  map[int64]bool // capsules that the plan takes away
	out   []Duplicate
	pairs []AlikePair
}

func (k *KB) planDedupe(ctx context.Context, tx *sqlite.Tx, d *Deduped, progress func(string, int, int)) ([]Duplicate, error) {
	all, err := bestFirst(tx)
	if err != nil {
		return nil, err
	}
	place := make(map[int64]int, len(all))
	for i, s := range all {
		place[s.n] = i
	}
	byKey := map[[8]byte][]int64{} // of those that stay
	model, _, err := k.index.Model(tx)
	if err != nil {
		return nil, err
	}
	p := &dedupe{tx: tx, gone: map[int64]bool{}, out: []Duplicate{}}
	ns, near := make([]int64, len(all)), k.db.Nearby()
	for i, s := range all {
		ns[i] = s.n
		for _, first := range byKey[s.key] {
			if err := p.drop(first, s.n); err != nil {
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
		d.Looked++
		if v == nil {
			d.ByWords++
		}
		if p.gone[s.n] {
			return nil
		}
		var found []index.Candidate
		var err error
		if v != nil {
			found, err = near.All(tx, standsNear(v, model, listCosine, s.kind), len(all)-i-1, len(all))
		} else {
			found, err = k.aboutTheSame(tx, s.n, []string{s.kind})
		}
		for _, c := range found {
			if at, standing := place[c.ID]; err == nil && standing && at > i && !p.gone[c.ID] {
				err = p.alike(s.n, &c)
			}
		}
		return err
	})
	slices.SortStableFunc(p.pairs, func(a, b AlikePair) int { return cmp.Compare(b.Likeness(), a.Likeness()) })
	d.Alike = append([]AlikePair{}, p.pairs[:min(len(p.pairs), maxAlikePairs)]...)
	return p.out, err
}

const (
	// listCosine and listShared are from where two capsules are listed as alike: low, since a person looks at them.
	listCosine = 0.85
	listShared = 0.5
	// maxAlikePairs is how many pairs are listed at most.
	maxAlikePairs = 1000
)

// Likeness orders pairs: the cosine or the share of words, whichever is more.
func (a *AlikePair) Likeness() float64 {
	if a.Cosine == nil {
		return a.Shared
	}
	return max(*a.Cosine, a.Shared)
}

// standsNear asks for the standing capsules of some kinds that are near in meaning.
func standsNear(v embed.Vector, model string, cosine float64, kinds ...string) index.Query {
	f := index.Filter{None: []string{kwSuperseded, kwRetired}}
	store.Require(&f, keyword, kwKind, kinds...)
	return index.Query{Vector: v, Model: model, Depth: 20, Near: cosine, Filter: f}
}

// two reads a pair that nobody has decided on.
func (p *dedupe) two(keep, n int64) (a, b *Capsule, err error) {
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

// drop plans that one capsule supersedes another that says the same, unless a closer look says otherwise.
func (p *dedupe) drop(keep, n int64) error {
	a, b, err := p.two(keep, n)
	if a == nil || a.Kind != b.Kind || !a.said().Same(b.said()) || !a.covers(b) { // the same key by chance, or it would be missing where it holds
		return err
	}
	p.gone[n] = true
	p.out = append(p.out, Duplicate{*a, *b, whyKept(a, b)})
	return nil
}

// alike lists a pair if its words or its meaning are near enough.
func (p *dedupe) alike(keep int64, c *index.Candidate) error {
	a, b, err := p.two(keep, c.ID)
	if a == nil {
		return err
	}
	pair := AlikePair{Keep: *a, Other: *b, Shared: a.said().Shared(b.said()), Differ: append([]string{}, clashes(a, b)...)}
	if c.HasVector {
		pair.Cosine = &c.Cosine
	}
	if pair.Shared >= listShared || c.HasVector && c.Cosine >= listCosine {
		p.pairs = append(p.pairs, pair)
	}
	return nil
}

// covers reports whether a capsule holds wherever another does.
func (c *Capsule) covers(o *Capsule) bool {
	switch c.Scope {
	case "universal":
		return true
	case "domain":
		return o.Scope != "universal"
	case "project":
		return (o.Scope == "project" || o.Scope == "workspace") && c.Project == o.Project && (c.Project != "" || c.Workspace == o.Workspace)
	}
	return o.Scope == "workspace" && c.Workspace == o.Workspace
}

// bestFirst lists what stands, so that of two that say the same the one that stays comes first.
func bestFirst(tx *sqlite.Tx) ([]standing, error) {
	var all []standing
	var s standing
	var c Capsule
	err := tx.Each([]any{&s.n, &c.Kind, &c.Title, &c.Body}, func() error {
		s.kind = c.Kind
		copy(s.key[:], hash(c.Kind+"\n"+c.said().Key()))
		all = append(all, s)
		return nil
	}, `SELECT n, kind, title, body FROM capsules WHERE superseded_by = '' AND retired IS NULL AND ingest_file = '' ORDER BY coalesce(confidence, 0) DESC, created DESC, length(body) DESC, n DESC`)
	return all, err
}

// plainText is a text as it is compared letter by letter: without case and spacing.
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
	return same + "; alike in all else"
}
