package conflicts

import (
	"cmp"
	"context"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync"
	"unicode"

	"blackboard/board/words"
)

// Limits of a search for neighbours.
const (
	maxPosting = 1500 // entries that are looked at for one item, the rarest terms first
	maxNear    = 24   // neighbours that are compared with one item
	minCover   = 0.2  // of the smaller item's terms, by weight, that a neighbour shares
)

// feature is the small summary of an item that is kept, because there may be many.
type features struct {
	terms   []uint32 // ascending
	negated []uint32 // terms that it negates, or may
	figures []figure
	ordered bool // says what comes before what
}

// figure is the unit of a number or date, and its value.
type figure struct {
	unit  uint32
	value uint64
}

// index finds items about the same thing by their rare terms.
type index struct {
	items    []Item
	docs     []features
	postings [][]int32 // by term: the items that have it, ascending
	ids      map[string]uint32
	weight   []float64 // by term
	total    []float64 // by item: the weight of its terms

	capital, small map[string]int // how often a word stands with a capital, and without
	sources        map[string]bool
	namedIn        map[string]map[string]bool // by word with a capital: the sources that have it
}

func newIndex(ctx context.Context, items []Item) (*index, error) {
	x := &index{items: items, docs: make([]features, len(items)), ids: map[string]uint32{},
		total:   make([]float64, len(items)),
		capital: map[string]int{}, small: map[string]int{}, sources: map[string]bool{},
		namedIn: map[string]map[string]bool{}}
	const block = 2048 // read at once; only what is kept of them stays
	for from := 0; from < len(items); from += block {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		to := min(from+block, len(items))
		for i, raw := range readAll(items[from:to]) {
			x.docs[from+i] = x.intern(raw, items[from+i].Source)
		}
	}
	x.postings = make([][]int32, len(x.ids))
	for i := range x.docs {
		for _, t := range x.docs[i].terms {
			x.postings[t] = append(x.postings[t], int32(i))
		}
	}
	x.weight = make([]float64, len(x.ids))
	for t, list := range x.postings {
		x.weight[t] = math.Log(1 + x.many()/float64(max(1, len(list))))
	}
	for i := range x.docs {
		for _, t := range x.docs[i].terms {
			x.total[i] += x.weight[t]
		}
	}
	return x, nil
}

// rawFeatures are features whose words are not numbered yet.
type rawFeatures struct {
	terms, negated []string
	figures        []words.Figure
	ordered        bool

	capital, small []string // words with a capital that no sentence gave them, and without
}

// readAll reads some items, on all processors.
func readAll(items []Item) []rawFeatures {
	out := make([]rawFeatures, len(items))
	var wg sync.WaitGroup
	n := runtime.GOMAXPROCS(0)
	for w := range n {
		wg.Go(func() {
			for i := w; i < len(items); i += n {
				out[i] = readFeatures(items[i].Content)
			}
		})
	}
	wg.Wait()
	return out
}

func readFeatures(content string) (f rawFeatures) {
	claims := readClaims(content)
	for i := range claims.Sentences {
		s := &claims.Sentences[i]
		for st, side := range s.Sides(func(string) bool { return false }) {
			f.terms = append(f.terms, st)
			if side&words.Negated != 0 {
				f.negated = append(f.negated, st)
			}
			if bare := words.Unprefixed(st); bare != "" { // unsafe may be meant as not safe
				f.terms, f.negated = append(f.terms, bare), append(f.negated, bare)
			}
		}
		first, capital := true, len(f.capital)
		s.EachWord(func(text, low, stem string) {
			switch {
			// "Filing Date:" is a label, whose words have their capitals from there
			case low == ":":
				f.capital = f.capital[:capital]
				return
			case stem == "":
				return
			case looksNamed(text) && !first:
				f.capital = append(f.capital, stem)
			case !looksNamed(text):
				f.small = append(f.small, stem)
			}
			first = false
		})
		_, _, word := s.Order()
		f.ordered = f.ordered || word != ""
	}
	f.figures = claims.Figures
	return f
}

// intern numbers the words of an item.
func (x *index) intern(raw rawFeatures, source string) features {
	id := func(w string) uint32 {
		n, ok := x.ids[w]
		if !ok {
			n = uint32(len(x.ids))
			x.ids[w] = n
		}
		return n
	}
	all := func(list []string) []uint32 {
		out := make([]uint32, len(list))
		for i, w := range list {
			out[i] = id(w)
		}
		slices.Sort(out)
		return slices.Compact(out)
	}
	for _, w := range raw.capital {
		x.capital[w]++
		if source != "" {
			if x.namedIn[w] == nil {
				x.namedIn[w] = map[string]bool{}
			}
			x.namedIn[w][source] = true
			x.sources[source] = true
		}
	}
	for _, w := range raw.small {
		x.small[w]++
	}
	f := features{terms: all(raw.terms), negated: all(raw.negated), ordered: raw.ordered}
	for _, g := range raw.figures {
		value := math.Float64bits(g.Lo) ^ math.Float64bits(g.Hi)*31
		if g.Version != "" || g.Date != "" {
			value = uint64(id("\x00" + g.Version + "\x00" + g.Date))
		}
		f.figures = append(f.figures, figure{id("\x00" + g.Kind + "\x00" + g.Unit), value})
	}
	return f
}

// near returns the older items that share what is rare of an item and may contradict
// it, the nearest first.
func (r *reader) near(i int) []int {
	x := r.x
	d := &x.docs[i]
	terms := slices.Clone(d.terms)
	slices.SortFunc(terms, func(a, b uint32) int {
		return cmp.Or(cmp.Compare(len(x.postings[a]), len(x.postings[b])), cmp.Compare(a, b))
	})
	var found []int32
	looked := 0
	for _, t := range terms {
		list := x.postings[t]
		older, _ := slices.BinarySearch(list, int32(i))
		if looked += older; looked > maxPosting && len(found) > 0 {
			break
		}
		for _, j := range list[max(0, older-maxPosting):older] {
			if r.shared[j] == 0 {
				found = append(found, j)
			}
			r.shared[j] += x.weight[t]
		}
	}
	found = slices.DeleteFunc(found, func(j int32) bool {
		far := r.shared[j] < min(x.total[i], x.total[j])*minCover/4
		if far {
			r.shared[j] = 0
		}
		return far
	})
	// What they share of the common terms is counted for the best alone.
	slices.SortFunc(found, func(a, b int32) int {
		return cmp.Or(cmp.Compare(r.shared[b]/x.total[b], r.shared[a]/x.total[a]),
			cmp.Compare(a, b))
	})
	for _, j := range found {
		r.shared[j] = 0
	}
	var out []int
	for _, j := range found[:min(len(found), 8*maxNear)] {
		if x.cover(i, int(j)) >= minCover && x.mayClash(i, int(j)) {
			if out = append(out, int(j)); len(out) == maxNear {
				break
			}
		}
	}
	return out
}

// cover is the share of the smaller item's terms that the other has, by weight.
func (x *index) cover(i, j int) float64 {
	a, b := x.docs[i].terms, x.docs[j].terms
	both := 0.0
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0] < b[0]:
			a = a[1:]
		case a[0] > b[0]:
			b = b[1:]
		default:
			both += x.weight[a[0]]
			a, b = a[1:], b[1:]
		}
	}
	return both / min(x.total[i], x.total[j])
}

// mayClash rules out, at little cost, pairs that have nothing that could differ.
func (x *index) mayClash(i, j int) bool {
	a, b := &x.docs[i], &x.docs[j]
	for _, f := range a.figures {
		for _, g := range b.figures {
			if f.unit == g.unit && f.value != g.value {
				return true
			}
		}
	}
	has := func(neg, terms []uint32) bool {
		return slices.ContainsFunc(neg, func(t uint32) bool {
			_, ok := slices.BinarySearch(terms, t)
			return ok
		})
	}
	return a.ordered && b.ordered || has(a.negated, b.terms) || has(b.negated, a.terms)
}

// named reports whether a word is a name: it has a digit, or a capital wherever it
// occurs. "Filing Date" begins with none if others write of the filing date.
func (x *index) named(text, stem string) bool {
	if strings.ContainsFunc(text, unicode.IsDigit) {
		return true
	}
	if !looksNamed(text) || notNames()[stem] {
		return false
	}
	capital := x.capital[stem]
	return capital > 0 && x.small[stem]*10 <= capital
}

// tellsApart reports whether few sources have a name: what all write of is not what one
// of them is about.
func (x *index) tellsApart(name string) bool {
	return len(x.namedIn[name]) <= max(2, len(x.sources)/4)
}

// looksNamed reports whether a word has a capital or a digit.
func looksNamed(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool {
		return unicode.IsUpper(r) ||
			unicode.IsDigit(r)
	})
}

// idf returns a word's weight: the rarer, the higher.
func (x *index) idf(w string) float64 {
	if t, ok := x.ids[w]; ok {
		return x.weight[t]
	}
	return math.Log(1 + x.many())
}

// many is how many items there are, for weights: of a few nobody can say which words
// are rare.
func (x *index) many() float64 { return float64(len(x.items)) + 50 }
