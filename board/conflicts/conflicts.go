package conflicts

import (
	"cmp"
	"context"
	"math"
	"runtime"
	"slices"
	"sync"

	"blackboard/board/clash"
	"blackboard/board/lazyregexp"
	"blackboard/board/words"
)

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
	Score float64  `json:"score"` // 0 to 1: how much both are about one thing
}

// Options limit the comparison and its result.
type Options struct {
	Max  int                         // pairs that are returned, 0: MaxPairs
	Skip func(older, newer int) bool // pairs that are left out, by place; nil: none
}

// Limits of a comparison.
const (
	MaxPairs   = 10_000  // pairs that are returned at most
	MaxContent = 8 << 10 // bytes of a content that are read
)

// Found is the result of a comparison.
type Found struct {
	Pairs    []Pair // the best first
	Total    int    // of pairs, also of those that Max cut off
	Compared int    // items
}

// Items are the items to compare, the oldest first. There may be many, so their contents
// are read when they are needed. An item is named by its place, from 0.
type Items interface {
	// Each calls read with each item in turn.
	Each(read func(Item) error) error
	// Load returns some items. The places ascend.
	Load(places []int32) ([]Item, error)
}

// List is items in memory.
type List []Item

// Each calls read with each item.
func (l List) Each(read func(Item) error) error {
	for _, it := range l {
		if err := read(it); err != nil {
			return err
		}
	}
	return nil
}

// Load returns some items.
func (l List) Load(places []int32) ([]Item, error) {
	out := make([]Item, len(places))
	for i, at := range places {
		out[i] = l[at]
	}
	return out, nil
}

// Check compares each item with older items about the same thing. It holds an index of
// all items, but only few contents at a time.
func Check(ctx context.Context, items Items, opt Options) (Found, error) {
	out := Found{Pairs: []Pair{}}
	limit := MaxPairs
	if opt.Max > 0 {
		limit = min(limit, opt.Max)
	}
	x, err := newIndex(ctx, items)
	if err != nil {
		return out, err
	}
	out.Compared = x.items()
	c := comparison{x: x, items: items, skip: opt.Skip, loaded: map[int32]*Item{}}
	for range runtime.GOMAXPROCS(0) {
		c.readers = append(c.readers, &reader{x: x, cached: map[int32]*read{},
			shared: make([]float64, x.items()), limit: limit})
	}
	const block = 256 // items that are compared at once
	order := x.order()
	for from := 0; from < len(order); from += block {
		if err := ctx.Err(); err != nil {
			return out, err
		}
		if err := c.compare(order[from:min(from+block, len(order))]); err != nil {
			return out, err
		}
	}
	var all []suspect
	for _, r := range c.readers {
		out.Total += r.total
		all = append(all, r.suspects...)
	}
	slices.SortFunc(all, best)
	all = all[:min(limit, len(all))]
	var places []int32
	for _, s := range all {
		places = append(places, s.a, s.b)
	}
	if err := c.load(places); err != nil {
		return out, err
	}
	for _, s := range all {
		out.Pairs = append(out.Pairs, Pair{*c.loaded[s.a], *c.loaded[s.b], s.kind, s.why, s.score})
	}
	return out, ctx.Err()
}

// comparison compares the items, block by block.
type comparison struct {
	x       *index
	items   Items
	skip    func(older, newer int) bool
	readers []*reader
	loaded  map[int32]*Item // those that the block needs
}

// compare compares the items of a block with their older neighbours.
func (c *comparison) compare(block []int32) error {
	near := make([][]int32, len(block))
	c.share(len(block), func(r *reader, i int) {
		near[i] = slices.DeleteFunc(r.near(int(block[i])), func(j int32) bool {
			return c.skip != nil && c.skip(int(j), int(block[i]))
		})
	})
	var needed []int32
	for i, others := range near {
		if len(others) > 0 {
			needed = append(append(needed, others...), block[i])
		}
	}
	if err := c.load(needed); err != nil {
		return err
	}
	c.share(len(block), func(r *reader, i int) {
		r.loaded = c.loaded
		for _, j := range near[i] {
			r.compare(j, block[i])
		}
	})
	return nil
}

// share calls fn for each of n items, on all processors. Each has a part of them that lie
// together, since these have neighbours in common.
func (c *comparison) share(n int, fn func(r *reader, i int)) {
	var wg sync.WaitGroup
	for w, r := range c.readers {
		wg.Go(func() {
			for i := w * n / len(c.readers); i < (w+1)*n/len(c.readers); i++ {
				fn(r, i)
			}
		})
	}
	wg.Wait()
}

// load makes loaded the items at some places.
func (c *comparison) load(places []int32) error {
	slices.Sort(places)
	places = slices.Compact(places)
	before, missing := c.loaded, []int32{}
	c.loaded = make(map[int32]*Item, len(places))
	for _, at := range places {
		if it := before[at]; it != nil {
			c.loaded[at] = it
		} else {
			missing = append(missing, at)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	items, err := c.items.Load(missing)
	if err != nil {
		return err
	}
	for i, at := range missing {
		c.loaded[at] = &items[i]
	}
	return nil
}

// suspect is a pair that was found. Its items are loaded at the end.
type suspect struct {
	a, b  int32
	kind  string
	why   []string
	score float64
}

// best orders suspects, the best first.
func best(a, b suspect) int {
	return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.a, b.a),
		cmp.Compare(a.b, b.b))
}

// compare compares two items; a is the older one.
func (r *reader) compare(a, b int32) {
	p, ok := r.pair(a, b)
	if !ok {
		return
	}
	r.total++
	r.suspects = append(r.suspects, suspect{a, b, p.Kind, p.Why, p.Score})
	if len(r.suspects) >= 2*r.limit {
		slices.SortFunc(r.suspects, best)
		clear(r.suspects[r.limit:])
		r.suspects = r.suspects[:r.limit]
	}
}

// enough is the minimum score of a reason. Figures need more, because there are many;
// statements with a denial or a swap in such similar words are rarely about two things.
func enough(kind string) float64 {
	if kind == clash.KindFigure || kind == clash.KindDate {
		return 0.25
	}
	return 0.22
}

// read is a parsed item.
type read struct {
	claims    *words.Claims
	sentences []sentence
	names     map[string]bool // of all sentences
	words     map[string]bool // all, names included
}

// reader compares some of the items, and keeps what it read, as neighbours come again.
type reader struct {
	x      *index
	loaded map[int32]*Item
	shared []float64   // scratch, by item: the weight of what it shares with the one looked at
	terms  []uint32    // scratch of near
	found  []int32     // scratch of near
	best   []candidate // scratch of near

	cached, older map[int32]*read // what was read last, and before that
	bytes         int             // of the contents of cached

	suspects     []suspect
	total, limit int
}

// Limits of what a reader keeps. What is read of a content takes many times its bytes.
// The neighbours of one item stay all the same, as the next item has them too.
const (
	maxCached = 8 << 10 // bytes of content
	minCached = maxNear + 1
)

func (r *reader) read(i int32) *read {
	if got := r.cached[i]; got != nil {
		return got
	}
	content := r.loaded[i].Content
	r.bytes += min(len(content), MaxContent)
	if r.bytes > maxCached && len(r.cached) >= minCached {
		r.cached, r.older, r.bytes = map[int32]*read{}, r.cached, len(content)
	}
	got := r.older[i]
	if got == nil {
		got = r.parse(content)
	}
	r.cached[i] = got
	return got
}

// parse reads a content.
func (r *reader) parse(content string) *read {
	got := &read{claims: readClaims(content), names: map[string]bool{}, words: map[string]bool{}}
	for k := range got.claims.Sentences {
		var before *sentence
		if k > 0 {
			before = &got.sentences[k-1]
		}
		s := r.x.readSentence(&got.claims.Sentences[k], before)
		got.sentences = append(got.sentences, s)
		for w := range s.words {
			got.words[w] = true
		}
		for n := range s.names {
			got.names[n] = true
		}
	}
	return got
}

// clause is where a sentence goes on to say another thing. What it says is compared for
// itself.
var clause = lazyregexp.New(
	`,\s+(which|meaning|because|since|so|although|though|thereby|therefore|it|and therefore)\b`)

// readClaims reads a content, clause by clause.
func readClaims(content string) *words.Claims {
	return words.ReadClaims("", clause.ReplaceAllString(content[:min(len(content), MaxContent)],
		"; $1"))
}

// pair compares two items; a is the older one.
func (r *reader) pair(a, b int32) (Pair, bool) {
	p := Pair{A: *r.loaded[a], B: *r.loaded[b]}
	if p.A.Content == p.B.Content {
		return p, false
	}
	x, y := r.read(a), r.read(b)
	share := r.x.ofSources(x, y, &p)
	if share == 0 {
		return p, false
	}
	type reason struct {
		clash.Clash
		score float64
	}
	var reasons []reason
	for _, c := range clash.Compare(x.claims, y.claims) {
		// Rounded, since sums over a map differ in their last digit from time to time.
		score := math.Round(share*r.x.judge(x, y, c)*(2+r.x.cover(int(a), int(b)))/3*1e6) / 1e6
		if score >= enough(c.Kind) {
			reasons = append(reasons, reason{c, score})
		}
	}
	if len(reasons) == 0 {
		return p, false
	}
	slices.SortStableFunc(reasons, func(a, b reason) int { return cmp.Compare(b.score, a.score) })
	p.Kind, p.Score = reasons[0].Kind, reasons[0].score
	for _, c := range reasons {
		if say := say(c.Clash); !slices.Contains(p.Why, say) && len(p.Why) < 5 {
			p.Why = append(p.Why, say)
		}
	}
	return p, true
}
