package claims

import (
	"cmp"
	"context"
	"hash/maphash"
	"math"
	"slices"
	"strings"

	"blackboard/board/claims/parse"
)

// This file finds the pairs of findings that share rare stems, and ranks them by the little that is kept of each.

// Limits of a search for neighbours.
const (
	maxPosting = 1500 // findings that are looked at for one, the rarest stems first
	maxNear    = 24   // neighbours of one that are ranked
	block      = 512  // findings that are read at once
)

// nearby finds findings about the same thing. It is kept small, because there may be many:
// numbers in few slices, without contents or words.
type nearby struct {
	seed     maphash.Seed
	bare     uint32            // the dimension of a number without a unit
	numbers  map[uint64]uint32 // by the hash of a stem: its number
	briefs   []brief
	lists    []uint32  // the terms, figures, roots and opposites of each brief, one after the other
	count    []uint32  // by stem: the findings that have it
	identity []bool    // by stem: it is an identifier
	postings []int32   // the findings that have a stem, ascending, stem by stem
	starts   []uint32  // by stem: where its postings begin
	weight   []float64 // by stem
	total    []float64 // by finding: the weight of its stems
}

// A brief is what is kept of a finding. Its four lists follow each other, and those of the brief before, in lists.
type brief struct {
	termsEnd, figuresEnd, rootsEnd, oppositesEnd uint32
	source                                       uint32 // 0: none
	marks                                        uint8
}

// Marks of a finding.
const (
	deniesOutright = 1 << iota // by a word that only denies, such as not: see outright
	hasDenials                 // by any word
	isTold                     // it says who told it
)

// raw is a brief whose words are not numbered yet.
type raw struct {
	stems, figures   []string
	roots, opposites []string // of the words that have opposites, and of these
	marks            uint8
}

func newNearby(ctx context.Context, items Items) (*nearby, error) {
	x := &nearby{seed: maphash.MakeSeed(), numbers: map[uint64]uint32{}}
	x.bare = x.number(bareNumber)
	some := make([]Item, 0, block)
	flush := func() error {
		all := make([]raw, len(some))
		onAll(len(some), func(i int) { all[i] = readFinding(&some[i]).brief() })
		for i := range some {
			x.add(&all[i], some[i].Source)
		}
		some = some[:0]
		return ctx.Err()
	}
	err := items.Each(func(it Item) error {
		if some = append(some, it); len(some) == block {
			return flush()
		}
		return nil
	})
	if err == nil {
		err = flush()
	}
	x.buildPostings()
	return x, err
}

// brief returns what is kept of a finding.
func (f *finding) brief() (r raw) {
	for s := range f.Stems {
		r.stems = append(r.stems, s)
	}
	for k := range f.Details {
		if d := &f.Details[k]; d.IsFigure() {
			r.figures = append(r.figures, dimension(d), "\x00"+oneLine(d.Text))
		}
	}
	for i := range f.Words {
		w := parse.Root(f.Words[i].Low)
		if against := parse.Antonyms()[w]; len(against) > 0 {
			r.roots, r.opposites = append(r.roots, "\x01"+w), append(r.opposites, against...)
		}
	}
	for i := range r.opposites {
		r.opposites[i] = "\x01" + r.opposites[i]
	}
	if countOutright(f.Claim) > 0 {
		r.marks |= deniesOutright
	}
	if len(f.Denials) > 0 {
		r.marks |= hasDenials
	}
	if f.told {
		r.marks |= isTold
	}
	return r
}

// bareNumber is the dimension of a number without a unit.
const bareNumber = "\x00"

// dimension is shared by figures that may differ: days and months are of one.
func dimension(d *parse.Detail) string {
	switch {
	case d.Q == nil:
		return bareNumber + "@"
	case d.Q.Dim == "months":
		return bareNumber + "time"
	case d.Q.Dim == "ratio" || d.Q.Dim == "points":
		return bareNumber + "percent"
	}
	return bareNumber + d.Q.Dim
}

// number returns the number of a word, a new one if it has none. It is found by the word's hash; a collision is not to
// be expected.
func (x *nearby) number(w string) uint32 {
	h := maphash.String(x.seed, w)
	n, ok := x.numbers[h]
	if !ok {
		n = uint32(len(x.count))
		x.numbers[h], x.count = n, append(x.count, 0)
		x.identity = append(x.identity, strings.HasPrefix(w, identity))
	}
	return n
}

func (x *nearby) add(r *raw, source string) {
	var b brief
	from := len(x.lists)
	for _, s := range r.stems {
		n := x.number(s)
		x.count[n]++
		x.lists = append(x.lists, n)
	}
	slices.Sort(x.lists[from:])
	b.termsEnd = uint32(len(x.lists))
	for _, s := range r.figures {
		x.lists = append(x.lists, x.number(s))
	}
	b.figuresEnd = uint32(len(x.lists))
	for _, list := range []struct {
		words []string
		end   *uint32
	}{{r.roots, &b.rootsEnd}, {r.opposites, &b.oppositesEnd}} {
		for _, s := range list.words {
			x.lists = append(x.lists, x.number(s))
		}
		*list.end = uint32(len(x.lists))
	}
	if b.marks = r.marks; source != "" {
		b.source = 1 + x.number("\x02"+source)
	}
	x.briefs = append(x.briefs, b)
}

func (x *nearby) items() int { return len(x.briefs) }

func (x *nearby) terms(i int) []uint32 {
	from := uint32(0)
	if i > 0 {
		from = x.briefs[i-1].oppositesEnd
	}
	return x.lists[from:x.briefs[i].termsEnd]
}

func (x *nearby) figures(i int) []uint32 {
	return x.lists[x.briefs[i].termsEnd:x.briefs[i].figuresEnd]
}

func (x *nearby) roots(i int) []uint32 { return x.lists[x.briefs[i].figuresEnd:x.briefs[i].rootsEnd] }

func (x *nearby) opposites(i int) []uint32 {
	return x.lists[x.briefs[i].rootsEnd:x.briefs[i].oppositesEnd]
}

// buildPostings fills the postings, and weighs the stems.
func (x *nearby) buildPostings() {
	x.starts, x.weight = make([]uint32, len(x.count)+1), make([]float64, len(x.count))
	for t, n := range x.count {
		x.starts[t+1], x.weight[t] = x.starts[t]+n, x.weigh(n)
	}
	x.postings, x.total = make([]int32, x.starts[len(x.count)]), make([]float64, x.items())
	next := slices.Clone(x.starts)
	for i := range x.total {
		for _, t := range x.terms(i) {
			x.postings[next[t]] = int32(i)
			next[t]++
			x.total[i] += x.weight[t]
		}
	}
}

// weigh returns the weight of a stem that n findings have, 1 for the rarest. 50 more are assumed, as a few findings do
// not show which words are rare.
func (x *nearby) weigh(n uint32) float64 {
	many := float64(x.items()) + 50
	return math.Log(1+many/float64(max(1, n))) / math.Log(1+many)
}

// rarity returns the weight of a stem, 1 if no finding has it.
func (x *nearby) rarity(s string) float64 {
	if n, ok := x.numbers[maphash.String(x.seed, s)]; ok {
		return x.weight[n]
	}
	return 1
}

// candidatePair is two findings that may contradict each other.
type candidatePair struct {
	a, b  int32 // the older one first
	score float64
}

func betterPair(a, b candidatePair) int {
	return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.a, b.a), cmp.Compare(a.b, b.b))
}

// nearest returns the pairs that are to be read, the best first, and how many were looked at.
func (x *nearby) nearest(ctx context.Context, skip func(a, b int) bool) (
	all []candidatePair, looked int, err error,
) {
	const part = 64
	parts := make([]search, part)
	onAll(part, func(w int) {
		s := &parts[w]
		s.nearby, s.shared = x, make([]float64, x.items())
		for i := w; i < x.items() && ctx.Err() == nil; i += part {
			s.addPairs(i, skip)
		}
		s.shared, s.found = nil, nil
	})
	for i := range parts {
		all, looked = append(all, parts[i].best...), looked+parts[i].looked
	}
	slices.SortFunc(all, betterPair)
	return all[:min(len(all), MaxPairs)], looked, ctx.Err()
}

// search looks for the neighbours of some findings.
type search struct {
	*nearby
	shared []float64 // by finding: the weight of what it shares with the one looked at
	found  []int32
	best   []candidatePair
	looked int
}

// addPairs adds the pairs of a finding with older ones that share its rare stems.
func (s *search) addPairs(i int, skip func(a, b int) bool) {
	terms := slices.Clone(s.terms(i))
	slices.SortFunc(terms, func(a, b uint32) int {
		return cmp.Or(cmp.Compare(s.count[a], s.count[b]), cmp.Compare(a, b))
	})
	s.found = s.found[:0]
	looked := 0
	for _, t := range terms {
		list := s.postings[s.starts[t]:s.starts[t+1]]
		older, _ := slices.BinarySearch(list, int32(i))
		if looked += older; looked > maxPosting && len(s.found) > 0 {
			break
		}
		for _, j := range list[max(0, older-maxPosting):older] {
			if s.shared[j] == 0 {
				s.found = append(s.found, j)
			}
			s.shared[j] += s.weight[t]
		}
	}
	near := make([]candidatePair, 0, len(s.found))
	for _, j := range s.found {
		near = append(near, candidatePair{j, int32(i), s.shared[j]})
		s.shared[j] = 0
	}
	s.looked += len(near)
	// What they share of the common stems is counted for the best alone.
	slices.SortFunc(near, betterPair)
	n := 0
	for _, c := range near[:min(len(near), 8*maxNear)] {
		if skip != nil && skip(int(c.a), int(c.b)) || !s.mayDiffer(int(c.a), int(c.b)) {
			continue
		}
		c.score = s.rank(int(c.a), int(c.b))
		s.best = append(s.best, c)
		if n++; n == maxNear {
			break
		}
	}
	if len(s.best) > 2*MaxPairs {
		slices.SortFunc(s.best, betterPair)
		s.best = s.best[:MaxPairs]
	}
}

// rank is the score of a pair by what is kept of it. Reading both can only lower it.
func (x *nearby) rank(i, j int) float64 {
	var v vector
	both, shared := 0.0, false
	a, b := x.terms(i), x.terms(j)
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0] < b[0]:
			a = a[1:]
		case a[0] > b[0]:
			b = b[1:]
		default:
			w := x.weight[a[0]]
			both, v[fRare], shared = both+w, max(v[fRare], w), shared || x.identity[a[0]]
			a, b = a[1:], b[1:]
		}
	}
	v[fNumber] = truth(!shared && x.identified(i) && x.identified(j))
	v[fSubject], v[fWeight] = subjectOf(x.total[i], x.total[j], both), both
	p, q := &x.briefs[i], &x.briefs[j]
	has := func(b *brief, mark uint8) bool { return b.marks&mark != 0 }
	v[fDenied] = apartBy(has(p, deniesOutright), has(q, deniesOutright))
	if v[fDenied] == 0 {
		v[fNegative] = apartBy(has(p, hasDenials), has(q, hasDenials))
	}
	v[fTold] = apartBy(has(p, isTold), has(q, isTold))
	v[fBothTold] = truth(has(p, isTold) && has(q, isTold))
	if p.source != 0 && q.source != 0 {
		v[fSame], v[fSources] = truth(p.source == q.source), truth(p.source != q.source)
	}
	return v.logit()
}

// identified reports whether a finding has an identifier.
func (x *nearby) identified(i int) bool {
	return slices.ContainsFunc(x.terms(i), func(t uint32) bool { return x.identity[t] })
}

// mayDiffer reports whether two findings have something that could differ: a negation, a figure in the same unit, or
// words of opposite meaning. It is cheap; false means that they cannot.
func (x *nearby) mayDiffer(i, j int) bool {
	p, q := x.briefs[i].marks, x.briefs[j].marks
	if (p^q)&(deniesOutright|hasDenials) != 0 {
		return true
	}
	mine, theirs := x.figures(i), x.figures(j)
	for k := 0; k < len(mine); k += 2 {
		for l := 0; l < len(theirs) && !slices.Contains(theirs, mine[k+1]); l += 2 {
			if sameUnit := mine[k] == theirs[l] || mine[k] == x.bare || theirs[l] == x.bare; sameUnit &&
				!slices.Contains(mine, theirs[l+1]) {
				return true
			}
		}
	}
	opposites := x.opposites(j)
	return slices.ContainsFunc(x.roots(i), func(w uint32) bool { return slices.Contains(opposites, w) })
}
