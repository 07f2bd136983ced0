package conflicts

import (
	"cmp"
	"context"
	"hash/maphash"
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

// index finds items about the same thing by their rare terms. It is kept small, because
// there may be many items: numbers in few slices, without contents or words.
type index struct {
	features []features // of all items, in blocks
	ends     []ends     // by item
	count    []uint32   // by term: the items that have it
	postings []int32    // the items that have a term, ascending, term by term
	posted   []uint32   // by term: where its postings begin
	weight   []float64  // by term
	total    []float64  // by item: the weight of its terms

	seed    maphash.Seed
	numbers map[uint64]uint32 // by the hash of a word: its place in words
	words   []word
	sources int // those with an item that has a word with a capital
}

// features are what is kept of the items of a block.
type features struct {
	terms   []uint32 // of each item ascending, shifted by one bit: whether it negates it
	figures []figure
}

// ends are where the features of an item end in its block.
type ends struct {
	terms, figures uint32
	ordered        bool // it says what comes before what
}

// figure is the unit of a number or date, and a hash of its value.
type figure struct{ unit, value uint32 }

// word is what is known of a word.
type word struct {
	term           uint32 // its number as a term, from 1; 0: it is none
	capital, small uint32 // how often it stands with a capital, and without
	sources        uint32 // those that have it with a capital
}

// block is how many items are read at once. Only what is kept of them stays.
const block = 512

func newIndex(ctx context.Context, items Items) (*index, error) {
	x := &index{seed: maphash.MakeSeed(), numbers: map[uint64]uint32{}}
	in := interner{index: x, namedIn: map[uint64]bool{}, sources: map[uint64]bool{}}
	some := make([]Item, 0, block)
	err := items.Each(func(it Item) error {
		if some = append(some, it); len(some) == block {
			in.block(some)
			some = some[:0]
		}
		return ctx.Err()
	})
	if err != nil {
		return nil, err
	}
	if len(some) > 0 {
		in.block(some)
	}
	x.sources = len(in.sources)
	x.post()
	return x, nil
}

// post fills the postings, and weighs the terms.
func (x *index) post() {
	x.posted = make([]uint32, len(x.count)+1)
	for t, n := range x.count {
		x.posted[t+1] = x.posted[t] + n
	}
	x.postings = make([]int32, x.posted[len(x.count)])
	next := slices.Clone(x.posted)
	x.weight = make([]float64, len(x.count))
	for t, n := range x.count {
		x.weight[t] = x.weigh(n)
	}
	x.total = make([]float64, x.items())
	for i := range x.total {
		for _, t := range x.terms(i) {
			t >>= 1
			x.postings[next[t]] = int32(i)
			next[t]++
			x.total[i] += x.weight[t]
		}
	}
}

// items is how many items there are.
func (x *index) items() int { return len(x.ends) }

// terms are the terms of an item, as features has them.
func (x *index) terms(i int) []uint32 {
	from := uint32(0)
	if i%block > 0 {
		from = x.ends[i-1].terms
	}
	return x.features[i/block].terms[from:x.ends[i].terms]
}

// figures are the numbers and dates of an item.
func (x *index) figures(i int) []figure {
	from := uint32(0)
	if i%block > 0 {
		from = x.ends[i-1].figures
	}
	return x.features[i/block].figures[from:x.ends[i].figures]
}

// order returns the items that share a term with another one. Those with the same rarest
// term follow each other, since most have the same neighbours.
func (x *index) order() []int32 {
	rarest := make([]uint32, x.items())
	var order []int32
	for i := range rarest {
		found := false
		for _, t := range x.terms(i) {
			t >>= 1
			if x.count[t] > 1 && (!found || x.count[t] < x.count[rarest[i]]) {
				rarest[i], found = t, true
			}
		}
		if found {
			order = append(order, int32(i))
		}
	}
	slices.SortFunc(order, func(a, b int32) int {
		return cmp.Or(cmp.Compare(rarest[a], rarest[b]), cmp.Compare(a, b))
	})
	return order
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

// interner numbers the words of the items.
type interner struct {
	*index
	namedIn, sources map[uint64]bool // hashes of what was counted
}

// block adds a block of items.
func (x *interner) block(items []Item) {
	var f features
	for i, raw := range readAll(items) {
		x.intern(raw, items[i].Source, &f)
	}
	x.features = append(x.features, features{slices.Clone(f.terms), slices.Clone(f.figures)})
}

// hash is short for a word. That two words have the same one is not to be expected.
func (x *index) hash(w string) uint64 { return maphash.String(x.seed, w) }

// number is the place of a word in words.
func (x *interner) number(w string) uint32 {
	h := x.hash(w)
	n, ok := x.numbers[h]
	if !ok {
		n = uint32(len(x.words))
		x.numbers[h], x.words = n, append(x.words, word{})
	}
	return n
}

// term is the number of a word as a term.
func (x *interner) term(w string) uint32 {
	word := &x.words[x.number(w)]
	if word.term == 0 {
		x.count = append(x.count, 0)
		word.term = uint32(len(x.count))
	}
	return word.term - 1
}

// intern adds what is kept of an item.
func (x *interner) intern(raw rawFeatures, source string, f *features) {
	for _, w := range raw.capital {
		n := x.number(w)
		x.words[n].capital++
		if source != "" {
			x.sources[x.hash(source)] = true
			in := x.hash(w + "\x00" + source)
			if !x.namedIn[in] {
				x.namedIn[in] = true
				x.words[n].sources++
			}
		}
	}
	for _, w := range raw.small {
		x.words[x.number(w)].small++
	}
	from := len(f.terms)
	for _, w := range raw.terms {
		f.terms = append(f.terms, x.term(w)<<1)
	}
	for _, w := range raw.negated { // they are among the terms
		f.terms = append(f.terms, x.term(w)<<1|1)
	}
	slices.Sort(f.terms[from:])
	kept := f.terms[:from]
	for _, t := range f.terms[from:] {
		if n := len(kept); n > from && kept[n-1]>>1 == t>>1 {
			kept[n-1] = t
			continue
		}
		kept = append(kept, t)
		x.count[t>>1]++
	}
	f.terms = kept
	for _, g := range raw.figures {
		bits := math.Float64bits(g.Lo) ^ math.Float64bits(g.Hi)*31
		value := uint32(bits * 0x9E3779B97F4A7C15 >> 32) // 2^64 over the golden ratio
		if g.Version != "" || g.Date != "" {
			value = x.number("\x00" + g.Version + "\x00" + g.Date)
		}
		f.figures = append(f.figures, figure{x.number("\x00" + g.Kind + "\x00" + g.Unit), value})
	}
	x.ends = append(x.ends, ends{uint32(len(f.terms)), uint32(len(f.figures)), raw.ordered})
}

// candidate is an item that may be near another one.
type candidate struct {
	item  int32
	share float64 // of its terms, by weight, that the other has, of the rare ones alone
}

// compare orders candidates: what shares more comes first, then what is older.
func (c candidate) compare(d candidate) int {
	return cmp.Or(cmp.Compare(d.share, c.share), cmp.Compare(c.item, d.item))
}

// first returns the n best candidates in order. It finds them by quickselect (Hoare, 1961),
// since all may be many times as many.
func first(all []candidate, n int) []candidate {
	for from, to := 0, len(all); n < to && to-from > 1; {
		pivot, i, j := all[from+(to-from)/2], from, to-1
		for i <= j {
			for all[i].compare(pivot) < 0 {
				i++
			}
			for pivot.compare(all[j]) < 0 {
				j--
			}
			if i <= j {
				all[i], all[j] = all[j], all[i]
				i, j = i+1, j-1
			}
		}
		switch { // up to j is before what begins at i; what is between them is the pivot
		case n <= j+1:
			to = j + 1
		case n >= i:
			from = i
		default:
			from, to = n, n
		}
	}
	all = all[:min(len(all), n)]
	slices.SortFunc(all, candidate.compare)
	return all
}

// near returns the older items that share what is rare of an item and may contradict
// it, the nearest first.
func (r *reader) near(i int) []int32 {
	x := r.x
	terms := append(r.terms[:0], x.terms(i)...)
	r.terms = terms
	slices.SortFunc(terms, func(a, b uint32) int {
		return cmp.Or(cmp.Compare(x.count[a>>1], x.count[b>>1]), cmp.Compare(a, b))
	})
	found := r.found[:0]
	looked := 0
	for _, t := range terms {
		t >>= 1
		list := x.postings[x.posted[t]:x.posted[t+1]]
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
	r.found = found
	best := r.best[:0]
	for _, j := range found {
		if r.shared[j] >= min(x.total[i], x.total[j])*minCover/4 {
			best = append(best, candidate{j, r.shared[j] / x.total[j]})
		}
		r.shared[j] = 0
	}
	r.best = best
	// What they share of the common terms is counted for the best alone.
	best = first(best, 8*maxNear)
	var out []int32
	for _, c := range best {
		if j := int(c.item); x.cover(i, j) >= minCover && x.mayClash(i, j) {
			if out = append(out, c.item); len(out) == maxNear {
				break
			}
		}
	}
	return out
}

// cover is the share of the smaller item's terms that the other has, by weight.
func (x *index) cover(i, j int) float64 {
	a, b := x.terms(i), x.terms(j)
	both := 0.0
	for len(a) > 0 && len(b) > 0 {
		switch s, t := a[0]>>1, b[0]>>1; {
		case s < t:
			a = a[1:]
		case s > t:
			b = b[1:]
		default:
			both += x.weight[s]
			a, b = a[1:], b[1:]
		}
	}
	return both / min(x.total[i], x.total[j])
}

// mayClash rules out, at little cost, pairs that have nothing that could differ.
func (x *index) mayClash(i, j int) bool {
	for _, f := range x.figures(i) {
		for _, g := range x.figures(j) {
			if f.unit == g.unit && f.value != g.value {
				return true
			}
		}
	}
	if x.ends[i].ordered && x.ends[j].ordered {
		return true
	}
	a, b := x.terms(i), x.terms(j)
	for len(a) > 0 && len(b) > 0 {
		switch s, t := a[0]>>1, b[0]>>1; {
		case s < t:
			a = a[1:]
		case s > t:
			b = b[1:]
		case (a[0]|b[0])&1 != 0:
			return true
		default:
			a, b = a[1:], b[1:]
		}
	}
	return false
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
	w := x.word(stem)
	return w.capital > 0 && w.small*10 <= w.capital
}

// tellsApart reports whether few sources have a name: what all write of is not what one
// of them is about.
func (x *index) tellsApart(name string) bool {
	return int(x.word(name).sources) <= max(2, x.sources/4)
}

// looksNamed reports whether a word has a capital or a digit.
func looksNamed(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool {
		return unicode.IsUpper(r) ||
			unicode.IsDigit(r)
	})
}

// word is what is known of a word; nothing of one that no item has.
func (x *index) word(w string) word {
	if n, ok := x.numbers[x.hash(w)]; ok {
		return x.words[n]
	}
	return word{}
}

// idf returns a word's weight: the rarer, the higher.
func (x *index) idf(w string) float64 {
	if t := x.word(w).term; t > 0 {
		return x.weight[t-1]
	}
	return x.weigh(0)
}

// weigh is the weight of a word that so many items have.
func (x *index) weigh(n uint32) float64 { return math.Log(1 + x.many()/float64(max(1, n))) }

// many is how many items there are, for weights: of a few nobody can say which words
// are rare.
func (x *index) many() float64 { return float64(x.items()) + 50 }
