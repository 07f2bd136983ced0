package memory

import (
	"cmp"
	"context"
	"slices"
	"time"

	"blackboard/board/clash"
	"blackboard/board/sqlite"
	"blackboard/embed"
	"blackboard/kb/index"
	"blackboard/kb/store"
)

// told is the item as a note that is compared with older and newer ones.
func (it *Item) told() *clash.Note { return clash.ReadNote(it.text()) }

// mostRenewed hits of a tier are asked what is newer; each is compared with renewDepth notes.
const (
	mostRenewed = 8
	renewDepth  = 20
)

// akinTo lists live notes of an item's place and readers that share words with it, or are near to v,
// its embedding; nil: by words only.
func (f *file) akinTo(tx *sqlite.Tx, it *Item, v embed.Vector) ([]*Item, error) {
	q := Query{Channel: it.Channel, Conversation: it.Conversation}
	found, err := f.Index.Search(tx, index.Query{Text: clip(embeddingText(it), 1000), Vector: v, Model: it.Model,
		Depth: renewDepth, Filter: q.filter(it.Tier, it.Agent)})
	if err != nil {
		return nil, err
	}
	var ns []int64
	for _, c := range found.Candidates {
		if c.ID != it.n {
			ns = append(ns, c.ID)
		}
	}
	byN, err := itemsByN(tx, ns)
	var all []*Item
	for _, n := range ns {
		if o := byN[n]; o != nil && o.Agent == it.Agent && !o.hasExpired(tx.Now) {
			all = append(all, o)
		}
	}
	return all, err
}

// newest returns the newest note that replaces or resembles an item, and which of both.
func newest(it *Item, among []*Item) (newer *Item, how clash.Standing) {
	said := it.told()
	for _, o := range among {
		if !o.Updated.After(it.Updated) || newer != nil && !o.Updated.After(newer.Updated) {
			continue
		}
		stands := o.told().Standing(said)
		if stands == clash.Replaces && it.authority() > o.authority() {
			stands = clash.Similar
		}
		if stands == clash.Replaces || stands == clash.Similar && how != clash.Replaces {
			newer, how = o, stands
		}
	}
	return newer, how
}

// renew puts before each first hit the newer note that says otherwise; q.Gate drops the old.
func (f *file) renew(tx *sqlite.Tx, hits []Hit, q *Query) ([]Hit, error) {
	out := make([]Hit, 0, len(hits)+2)
	at := func(among []Hit, n int64) int {
		return slices.IndexFunc(among, func(h Hit) bool { return h.n == n })
	}
	near, err := f.neighbours(tx, hits)
	if err != nil {
		return nil, err
	}
	asked, judged := 0, 0
	for i, h := range hits {
		if at(out, h.n) >= 0 {
			continue
		}
		var newer *Item
		how := clash.Apart
		if asked < mostRenewed && !(q.Gate && h.Weak) {
			asked++
			among, err := f.akinTo(tx, &h.Item, nil)
			if err != nil {
				return nil, err
			}
			newer, how = newest(&h.Item, among)
		}
		if newer == nil && !h.Weak && judged < mostJudged {
			judged++
			if by := near.renewedBy(i, q); by >= 0 {
				newer, how = &hits[by].Item, clash.Similar
			}
		}
		if newer != nil && (how == clash.Replaces && q.takes(newer) || at(hits, newer.n) >= 0) {
			if at(out, newer.n) < 0 {
				found := Hit{Item: *newer, Relevance: f.s.rates.Relevance(newer, tx.Now),
					said: newer.statement(), Weak: true}
				if i := at(hits, newer.n); i >= 0 {
					found = hits[i]
				}
				out = append(out, found)
			}
			first := &out[at(out, newer.n)]
			first.Score, first.Evidence = max(first.Score, h.Score), max(first.Evidence, h.Evidence)
			first.Weak = first.Weak && h.Weak
			if how == clash.Replaces {
				first.Replaces, h.Newer = append(first.Replaces, h.ID), newer.ID
				if q.Gate {
					continue
				}
			}
		}
		out = append(out, h)
	}
	return out, nil
}

// mostJudged is how many sure hits of a tier may be renewed by a note that does not say so, and
// leastAsked the least cosine with the question of one that answers it.
const (
	mostJudged = 3
	leastAsked = 0.3
)

// neighbours are the hits of a tier, and what tells how near they are.
type neighbours struct {
	hits    []Hit
	said    []*clash.Note
	vectors map[int64]embed.Vector
}

func (f *file) neighbours(tx *sqlite.Tx, hits []Hit) (*neighbours, error) {
	ns := &neighbours{hits: hits}
	var all []int64
	for i := range hits {
		ns.said, all = append(ns.said, hits[i].told()), append(all, hits[i].n)
	}
	var err error
	ns.vectors, err = f.Index.Vectors(tx, all...)
	return ns, err
}

// alike returns how alike two hits are, by the words of the first if not all have vectors.
func (ns *neighbours) alike(i, j int) float64 {
	if len(ns.vectors) < len(ns.hits) {
		return ns.said[i].Share(ns.said[j])
	}
	a, b := &ns.hits[i], &ns.hits[j]
	return store.Alike(a.Model, ns.vectors[a.n], ns.vectors[b.n])
}

func (ns *neighbours) place(of, one int) int {
	least, place := ns.alike(one, of), 1
	for i := range ns.hits {
		if i != of && i != one && ns.alike(i, of) > least {
			place++
		}
	}
	return place
}

// renewedBy returns the index of the hit behind another one that most likely renews it, -1 if none
// does: who notes a fact anew without touching the old note leaves two answers, which may have few
// words in common.
func (ns *neighbours) renewedBy(of int, q *Query) (best int) {
	best, odds := -1, 0.0
	older, question := &ns.hits[of], clash.ReadNote(clash.Text{Body: q.Text})
	for i := of + 1; i < min(len(ns.hits), renewDepth); i++ {
		newer := &ns.hits[i]
		if newer.Cosine != nil && *newer.Cosine < leastAsked || !newer.Updated.After(older.Updated) ||
			older.authority() > newer.authority() {
			continue
		}
		r := clash.Renewal{Newer: ns.said[i], Older: ns.said[of], Question: question, Wanted: q.wanted,
			Score: newer.Score / max(older.Score, 1e-9), Near: ns.place(i, of), Next: i == of+1}
		if o := r.Odds(); o > odds && !r.Older.Confirmed(r.Newer) {
			best, odds = i, o
		}
	}
	return best
}

// mostCompared is how many notes are compared with each other.
const mostCompared = 60

// withoutReplaced drops what a newer note of the list replaces. That note is as important.
func withoutReplaced(hits []*Hit) []*Hit {
	said := make([]*clash.Note, min(len(hits), mostCompared))
	for i := range said {
		said[i] = hits[i].told()
	}
	gone := map[*Hit]bool{}
	for i, older := range said {
		for j, newer := range said {
			a, b := hits[i], hits[j]
			if a.Tier != Conversation && b.Updated.After(a.Updated) && a.Scope() == b.Scope() && a.Agent == b.Agent &&
				!gone[b] && a.authority() <= b.authority() && newer.Standing(older) == clash.Replaces {
				b.Importance, gone[a] = max(a.Importance, b.Importance), true
				b.Replaces = append(b.Replaces, a.ID)
				break
			}
		}
	}
	return slices.DeleteFunc(hits, func(h *Hit) bool { return gone[h] })
}

// takes reports whether a query wants an item that its text has not found.
func (q *Query) takes(it *Item) bool {
	return it.Importance >= q.MinImportance && len(q.Tags)+len(q.Curators)+len(q.Sources) == 0
}

// How near in meaning an older note is that a new one may renew in other words: any; the first, if it
// is ahead of the next; one of the nearest, if the new one tells of a change. What was noted within a
// day is about the same work. Measured on testdata/renewed.txt.
const (
	nearAny, nearFirst, nearTold = 0.5, 0.42, 0.2
	nearAhead                    = 0.15
	mostTold                     = 3
	renewedAfter                 = 24 * time.Hour
	mostOffered                  = 2
)

// older lists the older notes that a new one may replace, mostOffered at most.
func (f *file) older(tx *sqlite.Tx, it *Item) ([]*Item, error) {
	vectors, err := f.Index.Vectors(tx, it.n)
	if err != nil {
		return nil, err
	}
	among, err := f.akinTo(tx, it, vectors[it.n])
	if err != nil {
		return nil, err
	}
	said := it.told()
	standing, near, ns := []*Item{}, []*Item{}, []int64{}
	slices.SortFunc(among, func(a, b *Item) int { return b.Updated.Compare(a.Updated) })
	for _, o := range among {
		if said.OneSeries(o.told()) {
			continue
		}
		if said.Standing(o.told()) != clash.Apart {
			standing = append(standing, o)
		}
		if it.Updated.Sub(o.Updated) >= renewedAfter && o.Model == it.Model {
			near, ns = append(near, o), append(ns, o.n)
		}
	}
	if vectors[it.n] == nil {
		return standing[:min(mostOffered, len(standing))], nil
	}
	others, err := f.Index.Vectors(tx, ns...)
	if err != nil {
		return nil, err
	}
	alike := func(o *Item) float64 { return store.Alike(it.Model, vectors[it.n], others[o.n]) }
	slices.SortStableFunc(near, func(a, b *Item) int { return cmp.Compare(alike(b), alike(a)) })
	for i, o := range near {
		at, next := alike(o), 0.0
		if i+1 < len(near) {
			next = alike(near[i+1])
		}
		if at >= nearAny || i == 0 && at >= nearFirst && at-next >= nearAhead ||
			i < mostTold && at >= nearTold && said.TellsOfChange() {
			if !slices.Contains(standing, o) {
				standing = append(standing, o)
			}
		}
	}
	return standing[:min(mostOffered, len(standing))], nil
}

// rareWords of an item, which at most rareItems have, lead to others.
const (
	rareWords = 6
	rareItems = 40
)

// stale adds the pairs of which the newer one surely replaces the older one.
func (g *grouping) stale(ctx context.Context) error {
	said := make([]*clash.Note, len(g.all))
	for i := range g.all {
		said[i] = g.all[i].told()
	}
	seen := map[[2]int]bool{}
	for _, c := range g.clashes {
		seen[[2]int{c.a, c.b}] = true
	}
	for i := range g.all {
		if err := ctx.Err(); err != nil {
			return err
		}
		rare := g.words.Rarest(g.words.Of[i])
		for _, w := range rare[:min(rareWords, len(rare))] {
			having := g.words.With(w)
			if len(having) > rareItems {
				break
			}
			for _, other := range having {
				j := int(other)
				if pair := [2]int{i, j}; i < j && !seen[pair] && g.all[i].Agent == g.all[j].Agent {
					seen[pair] = true
					older, newer := said[i], said[j]
					if g.all[i].Updated.After(g.all[j].Updated) {
						older, newer = newer, older
					}
					if newer.Standing(older) == clash.Replaces {
						g.clashes = append(g.clashes,
							clashing{i, j, []string{"the newer one may replace the older one"}})
					}
				}
			}
		}
	}
	return nil
}
