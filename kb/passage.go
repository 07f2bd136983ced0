package kb

import (
	"context"

	"blackboard/board/clash"
	"blackboard/board/sqlite"
	"blackboard/embed"
	"blackboard/kb/index"
	"blackboard/kb/store"
)

const (
	// maxNeighbours is how many of its neighbours a capsule is compared with. If a model
	// finds more, it cannot tell these texts apart, as those of a language that it does not
	// know: then the ones that share words are compared.
	maxNeighbours = 20
	maxParsed     = 2000
)

// capsuleScan holds capsules to compare; an index into its slices is a capsule's place.
type capsuleScan struct {
	*store.Words
	k       *KB
	tx      *sqlite.Tx
	ns      []int64
	kinds   []string
	keys    []string      // hash of the kind and the statement
	place   map[int64]int // by number
	decided map[[2]int64]bool
	parsed  map[int]parsedCapsule
}

type parsedCapsule struct {
	Capsule
	claims *clash.Claims
}

// scanCapsules reads capsules once; where is what follows WHERE.
func (k *KB) scanCapsules(tx *sqlite.Tx, where string) (p *capsuleScan, err error) {
	p = &capsuleScan{Words: store.NewWords(), k: k, tx: tx,
		place: map[int64]int{}, parsed: map[int]parsedCapsule{}}
	if p.decided, err = decisions(tx); err != nil {
		return nil, err
	}
	var n int64
	var c Capsule
	err = tx.Each([]any{&n, &c.Kind, &c.Title, &c.Body}, func() error {
		said := c.statement()
		p.place[n] = len(p.ns)
		p.ns, p.kinds = append(p.ns, n), append(p.kinds, c.Kind)
		p.keys = append(p.keys, string(hash(c.Kind + "\n" + said.Key())[:8]))
		p.Add(p.Read(said.Words()))
		return nil
	}, `SELECT n, kind, title, body FROM capsules WHERE `+where)
	return p, err
}

// neighbour is a capsule about the same thing as another.
type neighbour struct {
	at      int      // its place in the scan
	shared  float64  // the words in common, as a share of the longer text
	overlap float64  // the different words in common, as a share of all
	cosine  *float64 // nil: it was found by its words
}

// each calls fn for each capsule with its neighbours of some kinds (nil: its own), undecided ones.
func (p *capsuleScan) each(ctx context.Context, kinds []string,
	fn func(i int, hasVector bool, near []neighbour) error) error {
	model, _, err := p.k.index.Model(p.tx)
	if err != nil {
		return err
	}
	search := p.k.db.Nearby()
	return p.k.db.EachVector(ctx, p.tx, p.ns, func(i int, v embed.Vector) error {
		q := index.Query{Vector: v, Model: model, Depth: maxNeighbours + 2, Near: listCosine,
			Filter: index.Filter{None: []string{kwSuperseded, kwRetired}}}
		among := kinds
		if kinds == nil {
			among = p.kinds[i : i+1]
		}
		store.Require(&q.Filter, keyword, kwKind, among...)
		var near []neighbour
		var found []index.Candidate
		if v != nil {
			if found, err = search.Search(p.tx, q, len(p.ns)-i-1, len(p.ns)); err != nil {
				return err
			}
		}
		if v == nil || len(found) == q.Depth {
			found = nil
			for _, at := range p.Near(p.Of[i], listShared, 2*maxNeighbours) {
				if kinds != nil || p.kinds[at] == p.kinds[i] {
					near = p.addNeighbour(near, i, neighbour{at: int(at)})
				}
			}
		}
		for j := range found {
			if at, known := p.place[found[j].ID]; known {
				near = p.addNeighbour(near, i, neighbour{at: at, cosine: &found[j].Cosine})
			}
		}
		return fn(i, v != nil, near)
	})
}

// addNeighbour adds one unless the pair is decided, shares too few words, or there are enough.
func (p *capsuleScan) addNeighbour(near []neighbour, i int, x neighbour) []neighbour {
	x.shared, x.overlap = store.ShareWords(p.Of[i], p.Of[x.at])
	if x.at == i || x.cosine == nil && x.overlap < contradictionWords ||
		len(near) == maxNeighbours || p.decided[pairOf(p.ns[i], p.ns[x.at])] {
		return near
	}
	return append(near, x)
}

// read reads a capsule and its claims, and keeps both for the next comparison.
func (p *capsuleScan) read(i int) (parsedCapsule, error) {
	if c, known := p.parsed[i]; known {
		return c, nil
	}
	caps, err := capsulesWhere(p.tx, `n = ?`, p.ns[i])
	if err != nil || len(caps) != 1 {
		return parsedCapsule{}, err
	}
	if len(p.parsed) >= maxParsed {
		clear(p.parsed)
	}
	c := parsedCapsule{caps[0], clash.Text{Title: caps[0].Title, Body: caps[0].Body}.Claims()}
	p.parsed[i] = c
	return c, nil
}

func (p *capsuleScan) readPair(i, j int) (a, b parsedCapsule, why []string, err error) {
	if a, err = p.read(i); err == nil {
		b, err = p.read(j)
	}
	if err != nil {
		return a, b, nil, err
	}
	return a, b, clash.ReasonsOf(a.claims, b.claims), nil
}
