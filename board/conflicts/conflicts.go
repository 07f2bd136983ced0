package conflicts

import (
	"cmp"
	"context"
	"math"
	"runtime"
	"slices"
	"strings"
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
	Max  int                       // pairs that are returned, 0: MaxPairs
	Skip func(older, b *Item) bool // pairs that are left out, nil: none
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

// Check compares each item with older items about the same thing. The items are sorted,
// the oldest first.
func Check(ctx context.Context, items []Item, opt Options) (Found, error) {
	out := Found{Compared: len(items), Pairs: []Pair{}}
	limit := MaxPairs
	if opt.Max > 0 {
		limit = min(limit, opt.Max)
	}
	x, err := newIndex(ctx, items)
	if err != nil {
		return out, err
	}
	n := runtime.GOMAXPROCS(0)
	readers := make([]reader, n)
	var wg sync.WaitGroup
	for w := range readers {
		r := &readers[w]
		*r = reader{x: x, cached: map[int]*read{}, shared: make([]float64, len(items)),
			limit: limit}
		wg.Go(func() {
			for i := w; i < len(items) && ctx.Err() == nil; i += n {
				r.compare(i, opt.Skip)
			}
		})
	}
	wg.Wait()
	for _, r := range readers {
		out.Total += r.total
		out.Pairs = append(out.Pairs, r.pairs...)
	}
	slices.SortFunc(out.Pairs, best)
	out.Pairs = out.Pairs[:min(limit, len(out.Pairs))]
	return out, ctx.Err()
}

// best orders pairs, the best first.
func best(a, b Pair) int {
	return cmp.Or(cmp.Compare(b.Score, a.Score), compareIDs(a.A.ID, b.A.ID),
		compareIDs(a.B.ID, b.B.ID))
}

// compare compares an item with its older neighbours.
func (r *reader) compare(i int, skip func(a, b *Item) bool) {
	for _, j := range r.near(i) {
		if skip != nil && skip(&r.x.items[j], &r.x.items[i]) {
			continue
		}
		if p, ok := r.pair(j, i); ok {
			r.total++
			r.pairs = append(r.pairs, p)
		}
	}
	if len(r.pairs) >= 2*r.limit {
		slices.SortFunc(r.pairs, best)
		r.pairs = r.pairs[:r.limit]
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

// compareIDs orders e9 before e10.
func compareIDs(a, b string) int {
	return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b))
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
	cached map[int]*read
	shared []float64 // scratch, by item: the weight of what it shares with the one looked at

	pairs        []Pair
	total, limit int
}

// maxCached bounds the memory of a reader.
const maxCached = 4096

func (r *reader) read(i int) *read {
	if got := r.cached[i]; got != nil {
		return got
	}
	if len(r.cached) >= maxCached {
		clear(r.cached)
	}
	got := &read{claims: readClaims(r.x.items[i].Content), names: map[string]bool{},
		words: map[string]bool{}}
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
	r.cached[i] = got
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
func (r *reader) pair(a, b int) (Pair, bool) {
	p := Pair{A: r.x.items[a], B: r.x.items[b]}
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
		score := math.Round(share*r.x.judge(x, y, c)*(2+r.x.cover(a, b))/3*1e6) / 1e6
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
