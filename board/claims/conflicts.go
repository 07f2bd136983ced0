package claims

import (
	"cmp"
	"context"
	"runtime"
	"slices"
	"sync"
)

// This file proposes pairs of findings that may contradict each other. An index of rare
// stems gives each finding its neighbours, which are ranked by what is kept of them
// (nearby.go). The best pairs are read and compared in full (pair.go).

// Item is an entry to compare.
type Item struct {
	ID      string `json:"id"`
	Type    string `json:"type"`
	Worker  string `json:"worker"`
	Source  string `json:"source"` // the document, "" if none is named
	Content string `json:"content"`
}

// Pair is two entries that may contradict each other.
type Pair struct {
	A     Item     `json:"a"`     // the older one
	B     Item     `json:"b"`     // the newer one
	Kind  string   `json:"kind"`  // figure, date, negation or order: of the first reason
	Why   []string `json:"why"`   // in words, A's side first: the surest first
	Score float64  `json:"score"` // 0 to 1: orders the pairs, the likely ones first
	// both are about one thing, and the difference is plain: a policy counts these
	Likely bool `json:"likely"`
}

// Options limit the comparison and its result.
type Options struct {
	Max    int                         // pairs that are returned, 0: all that were read
	Likely bool                        // return those alone that are likely
	Skip   func(older, newer int) bool // pairs that are left out, by place; nil: none
}

// Limits of a comparison.
const (
	MaxPairs   = 4096    // pairs that are read in full at most
	MaxContent = 8 << 10 // bytes of a content that are read
	mostWhy    = 5
	leastScore = .02 // of a pair that is proposed
)

// Found is the result of a comparison.
type Found struct {
	Pairs    []Pair // the best first
	Total    int    // likely pairs, also of those that Max cut off
	Looked   int    // pairs that share rare words, so that they were looked at
	Compared int    // items
}

// Items are the items to compare, the oldest first. There may be many, so their contents
// are read when they are needed. An item is named by its place, from 0.
type Items interface {
	// Each calls read with each item in turn.
	Each(read func(Item) error) error
	// Load returns the items at these places, in their order. The places ascend.
	Load(places []int32) ([]Item, error)
}

// List is items in memory.
type List []Item

// Each calls read with each item, until it fails.
func (l List) Each(read func(Item) error) error {
	for _, it := range l {
		if err := read(it); err != nil {
			return err
		}
	}
	return nil
}

// Load returns the items at these places, in their order.
func (l List) Load(places []int32) ([]Item, error) {
	out := make([]Item, len(places))
	for i, at := range places {
		out[i] = l[at]
	}
	return out, nil
}

// Conflicts compares each item with older items about the same thing. It returns the likely pairs and, unless
// opt.Likely, those with a score of leastScore or more, the best first. It holds an index of all items, but only few
// contents at a time.
func Conflicts(ctx context.Context, items Items, opt Options) (Found, error) {
	out := Found{Pairs: []Pair{}}
	x, err := newNearby(ctx, items)
	if err != nil {
		return out, err
	}
	near, looked, err := x.nearest(ctx, opt.Skip)
	if err != nil {
		return out, err
	}
	out.Compared, out.Looked = x.items(), looked
	slices.SortFunc(near, func(a, b candidatePair) int {
		return cmp.Or(cmp.Compare(a.a, b.a), cmp.Compare(a.b, b.b))
	})
	ev := NewEvidence(nil)
	ev.rare = x.rarity
	for some := range slices.Chunk(near, block) {
		pairs, err := compare(ctx, ev, items, some)
		if err != nil {
			return out, err
		}
		for _, p := range pairs {
			if p.Likely {
				out.Total++
			}
			if p.Likely || !opt.Likely && p.Score >= leastScore {
				out.Pairs = append(out.Pairs, p)
			}
		}
	}
	slices.SortStableFunc(out.Pairs, func(a, b Pair) int { return cmp.Compare(b.Score, a.Score) })
	if opt.Max > 0 {
		out.Pairs = slices.Clip(out.Pairs[:min(opt.Max, len(out.Pairs))])
	}
	return out, nil
}

// compare reads some pairs, and returns those in which something differs.
func compare(ctx context.Context, ev *Evidence, items Items, near []candidatePair) ([]Pair, error) {
	var places []int32
	for _, c := range near {
		places = append(places, c.a, c.b)
	}
	slices.Sort(places)
	places = slices.Compact(places)
	loaded, err := items.Load(places)
	if err != nil {
		return nil, err
	}
	findings := make([]*finding, len(places))
	onAll(len(places), func(i int) { findings[i] = readFinding(&loaded[i]) })
	at := func(place int32) int {
		i, _ := slices.BinarySearch(places, place)
		return i
	}
	pairs := make([]Pair, len(near))
	onAll(len(near), func(i int) {
		a, b := at(near[i].a), at(near[i].b)
		pairs[i] = ev.pair(&loaded[a], &loaded[b], findings[a], findings[b])
	})
	return slices.DeleteFunc(pairs, func(p Pair) bool { return len(p.Why) == 0 }), ctx.Err()
}

func readFinding(it *Item) *finding {
	return newFinding(it.Content[:min(len(it.Content), MaxContent)], it.Source)
}

func (ev *Evidence) pair(one, other *Item, a, b *finding) Pair {
	p := Pair{A: *one, B: *other}
	if one.Content == other.Content {
		return p
	}
	x := ev.differ(a, b)
	p.Kind, p.Why = x.kind, x.why[:min(len(x.why), mostWhy)]
	p.Score, p.Likely = x.vector.score(), x.vector.likely() && !a.labels(b)
	if p.Likely { // these come first, whoever says so
		p.Score = (1 + p.Score) / 2
	}
	return p
}

// onAll calls do for each of n places, on all processors.
func onAll(n int, do func(i int)) {
	var wg sync.WaitGroup
	procs := runtime.GOMAXPROCS(0)
	for w := range procs {
		wg.Go(func() {
			for i := w; i < n; i += procs {
				do(i)
			}
		})
	}
	wg.Wait()
}
