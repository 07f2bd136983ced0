package kb

import (
	"context"
	"errors"
	"fmt"
	"math"
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
	Keep   Capsule `json:"keep"`
	Drop   Capsule `json:"drop"` // is superseded by it
	Cosine float64 `json:"cosine"`
	Why    string  `json:"why"` // the one stays and not the other
}

// Deduped is what Dedupe found.
type Deduped struct {
	Duplicates []Duplicate `json:"duplicates"`
	Looked     int         `json:"looked"`   // capsules that were compared
	ByWords    int         `json:"by_words"` // of them without an embedding, which are compared letter by letter
	Skipped    int         `json:"skipped"`  // pairs that others have changed meanwhile
}

// standing is a capsule that is neither superseded nor retired, as curation keeps it in memory.
type standing struct {
	n     int64
	kind  string
	key   [8]byte // of its kind and text
	short bool    // too short to say anything without its title
}

// Dedupe finds capsules of one kind that say the same: cosine 0.95 or more, or the same text. Of two, the one with the higher confidence stays, then the newer, then the longer; the
// other is superseded by it. Pairs that somebody has decided on stay as they are, and so do pairs that differ in a number or a negation, and the parts of documents: those say what their
// documents say.
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
	tx   *sqlite.Tx
	gone map[int64]bool // capsules that the plan takes away
	out  []Duplicate
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
	byText := map[[8]byte]int64{}
	model, _, err := k.index.Model(tx)
	if err != nil {
		return nil, err
	}
	p := &dedupe{tx: tx, gone: map[int64]bool{}, out: []Duplicate{}}
	ns, near := make([]int64, len(all)), k.db.Nearby()
	for i, s := range all {
		ns[i] = s.n
	}
	err = k.db.EachVector(ctx, tx, ns, func(i int, v embed.Vector) error {
		s := all[i]
		if progress != nil && i%64 == 0 {
			progress("comparing", i, len(all))
		}
		d.Looked++
		if p.gone[s.n] {
			return nil
		}
		if s.short {
			// "8080" says something else under each title
		} else if first, there := byText[s.key]; !there {
			byText[s.key] = s.n
		} else if err := p.drop(first, s.n, 1); err != nil || p.gone[s.n] {
			return err
		}
		if v == nil {
			d.ByWords++
			return nil
		}
		found, err := near.All(tx, standsNear(v, model, DuplicateCosine, s.kind), len(all)-i-1, len(all))
		for _, c := range found {
			if at, standing := place[c.ID]; err == nil && standing && at > i && !p.gone[c.ID] {
				err = p.drop(s.n, c.ID, min(c.Cosine, math.Nextafter(1, 0)))
			}
		}
		return err
	})
	return p.out, err
}

// standsNear asks for the standing capsules of some kinds that are near in meaning.
func standsNear(v embed.Vector, model string, cosine float64, kinds ...string) index.Query {
	f := index.Filter{None: []string{kwSuperseded, kwRetired}}
	store.Require(&f, keyword, kwKind, kinds...)
	return index.Query{Vector: v, Model: model, Depth: 20, Near: cosine, Filter: f}
}

// drop plans that one capsule supersedes another that says the same, unless a closer look says otherwise. cos is 1 for equal texts only.
func (p *dedupe) drop(keep, n int64, cos float64) error {
	two, err := capsulesWhere(p.tx, `n IN (?, ?)`, keep, n)
	if err != nil || len(two) != 2 {
		return err
	}
	if two[0].n != keep {
		two[0], two[1] = two[1], two[0]
	}
	if skip, err := decided(p.tx, two[0].ID, two[1].ID); err != nil || skip {
		return err
	}
	switch {
	case cos < 1 && len(clashes(&two[0], &two[1])) > 0:
		return nil // it says the same of another number, or the contrary: Contradictions lists it
	case cos == 1 && (two[0].Kind != two[1].Kind || plainText(&two[0]) != plainText(&two[1])):
		return nil // the same key by chance
	case !two[0].covers(&two[1]):
		return nil // it would be missing where it holds
	}
	p.gone[n] = true
	p.out = append(p.out, Duplicate{two[0], two[1], cos, whyKept(&two[0], &two[1], cos)})
	return nil
}

// shortText is how many words a text has at least that says something without its title.
const shortText = 6

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
		s.short = len(strings.Fields(c.Body)) < shortText
		s.kind = c.Kind
		copy(s.key[:], hash(c.Kind+"\n"+plainText(&c)))
		all = append(all, s)
		return nil
	}, `SELECT n, kind, title, body FROM capsules WHERE superseded_by = '' AND retired IS NULL AND ingest_file = '' ORDER BY coalesce(confidence, 0) DESC, created DESC, length(body) DESC, n DESC`)
	return all, err
}

// plainText is a text as it is compared letter by letter: without case and spacing.
func plainText(c *Capsule) string {
	return strings.ToLower(strings.Join(strings.Fields(c.Body), " "))
}

func whyKept(keep, drop *Capsule, cos float64) string {
	same := fmt.Sprintf("cosine %.3f", cos)
	if cos == 1 {
		same = "the same text"
	}
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
