package verify

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"blackboard/board/claims"
)

// Limits of the alignment.
const (
	minShare       = 0.5 // of a quote's words that a passage must have to be near
	chunkWords     = 120 // words that are aligned at once
	longQuoteWords = 300 // words from which a quote is aligned by its first chunk that differs
	maxVoters      = 12  // rarest words of a quote that vote for the passages that have them
	maxVotes       = 200 // of one word
	maxAlignments  = 4   // passages with the most votes that the quote is aligned with
	maxDiffs       = 4   // differences that a note lists
)

// nearly explains why a quote is not found word for word.
func (s *Source) nearly(q *stream, omitted *Difference, places []match) Outcome {
	if omitted != nil {
		o := Outcome{
			Verdict:     Nearly,
			Differences: []Difference{*omitted},
			Passage:     s.passage(places[0]),
		}
		o.Note = say(o.Differences)
		return o
	}
	x := s.words()
	from, to := 0, len(q.words)
	if to > longQuoteWords {
		for from+chunkWords < to && len(x.find(q, from, from+chunkWords)) > 0 {
			from += chunkWords
		}
		to = min(to, from+chunkWords)
	}
	m, diffs, share := x.nearest(q, from, to)
	if share < .75 {
		if first, second, ok := x.findJoined(q); ok {
			o := Outcome{Verdict: Joined, Passage: s.passage(first)}
			o.Note = fmt.Sprintf("the quote joins %s and %s without an omission mark",
				where(s.doc, int(x.words[first.from].start)), where(s.doc,
					int(x.words[second.from].start)))
			return o
		}
	}
	o := Outcome{Verdict: Nearly, Differences: diffs, Passage: s.passage(m), Note: say(diffs)}
	if share < minShare || len(diffs) == 0 {
		o.Verdict, o.Differences, o.Note = Absent, nil, ""
		if share < minShare/2 {
			o.Passage = nil
		}
	}
	return o
}

// say describes differences in short.
func say(diffs []Difference) string {
	var all []string
	for i, d := range diffs {
		if i == maxDiffs {
			all = append(all, fmt.Sprintf("and %d more", len(diffs)-i))
			break
		}
		quote, source := oneLine(d.Quote, 80), oneLine(d.Source, 80)
		switch {
		case quote == "":
			all = append(all, fmt.Sprintf("the quote leaves out “%s”", source))
		case source == "":
			all = append(all, fmt.Sprintf("the quote adds “%s”", quote))
		default:
			all = append(all, fmt.Sprintf("the source says “%s”, the quote “%s”", source, quote))
		}
	}
	return strings.Join(all, "; ")
}

// findJoined finds two places, each of which has a part of a quote word for word.
func (x *index) findJoined(q *stream) (first, second match, ok bool) {
	n := len(q.words)
	lo, hi := 0, n // the first lo words stand together, the first hi do not
	for lo+1 < hi {
		if mid := (lo + hi) / 2; len(x.find(q, 0, mid)) > 0 {
			lo = mid
		} else {
			hi = mid
		}
	}
	const least = 3
	if lo < least || n-lo < least {
		return first, second, false
	}
	rest := x.find(q, lo, n)
	if len(rest) == 0 {
		return first, second, false
	}
	return x.find(q, 0, lo)[0], rest[0], true
}

// nearest aligns words of a quote with the passage that has most of them.
func (x *index) nearest(q *stream, from, to int) (best match, diffs []Difference, share float64) {
	n := to - from
	order := make([]int, 0, n)
	for i := from; i < to; i++ {
		if x.of(q.word(i)) > 0 {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order,
		func(a, b int) int { return cmp.Compare(x.of(q.word(a)), x.of(q.word(b))) })
	bucket := max(4, n/4)
	votes := map[int]int{}
	for _, i := range order[:min(len(order), maxVoters)] {
		left := maxVotes
		x.each(q.word(i), func(word int) bool {
			b := (word - (i - from) + n) / bucket
			votes[b] += 2
			votes[b+1]++
			left--
			return left > 0
		})
	}
	ranked := make([]int, 0, maxAlignments+1)
	for b := range votes {
		at, _ := slices.BinarySearchFunc(ranked, b, func(a, b int) int { return cmp.Or(votes[b]-votes[a], a-b) })
		if at < maxAlignments {
			ranked = slices.Insert(ranked, at, b)
			ranked = ranked[:min(len(ranked), maxAlignments)]
		}
	}
	fewest := n + 1
	for _, b := range ranked {
		begin := max(0, b*bucket-n-bucket)
		end := min(len(x.words), b*bucket-n+2*bucket+n)
		if begin >= end {
			continue
		}
		m, d, same := x.align(q, from, to, begin, end)
		if n-same < fewest {
			fewest, best, diffs, share = n-same, m, d, float64(same)/float64(n)
		}
	}
	return best, diffs, share
}

// align finds the least difference between words of a quote and a window of the stream,
// whose words before and after are free. It returns how many words are the same.
func (x *index) align(
	q *stream,
	from, to, begin, end int,
) (m match, diffs []Difference, same int) {
	n, w := to-from, end-begin
	const (
		diagonal = iota // both have a word: the same, or another
		left            // the source has one more
		up              // the quote has one more
	)
	cost, above := make([]int32, w+1), make([]int32, w+1)
	back := make([]byte, (n+1)*(w+1))
	for i := 1; i <= n; i++ {
		cost, above = above, cost
		cost[0] = int32(2 * i)
		back[i*(w+1)] = up
		for j := 1; j <= w; j++ {
			c, how := above[j-1], byte(diagonal)
			if q.word(from+i-1) != x.word(begin+j-1) {
				c += 2
			}
			if d := cost[j-1] + 1; d < c {
				c, how = d, left
			}
			if d := above[j] + 2; d < c {
				c, how = d, up
			}
			cost[j] = c
			back[i*(w+1)+j] = how
		}
	}
	j := 0
	for k := range cost {
		if cost[k] <= cost[j] {
			j = k
		}
	}
	m.to = begin + j
	var d differ
	d.x, d.q = x, q
	for i := n; i > 0; {
		switch a, b := from+i-1, begin+j-1; back[i*(w+1)+j] {
		case diagonal:
			i, j = i-1, j-1
			if q.word(a) == x.word(b) {
				same++
				d.equal(a, b)
			} else {
				d.differ(a, a+1, b, b+1)
			}
		case left:
			j--
			d.differ(a+1, a+1, b, b+1)
		default:
			i--
			d.differ(a, a+1, b+1, b+1)
		}
	}
	m.from = begin + j
	d.end()
	slices.Reverse(d.all)
	return m, d.all, same
}

// differ collects differences from the end to the beginning.
type differ struct {
	x      *index
	q      *stream
	all    []Difference
	open   bool
	qa, qb int // words of the quote
	xa, xb int // words of the source
	lastQ  int // the words that were equal before, in this order; 0: none
	lastX  int
}

func (d *differ) differ(qa, qb, xa, xb int) {
	if !d.open {
		d.open, d.qb, d.xb = true, qb, xb
	}
	d.qa, d.xa = qa, xa
	d.lastQ = 0
}

func (d *differ) end() {
	if d.open {
		d.all = append(d.all, Difference{d.q.written(d.qa, d.qb), d.x.written(d.xa, d.xb)})
	}
	d.open = false
}

// equal notes words that differ in case at most, and looks at the signs between them
// and those that follow.
func (d *differ) equal(i, j int) {
	d.end()
	if a, b := d.q.exact[d.q.words[i].at:d.q.end(i)],
		d.x.exact[d.x.words[j].at:d.x.end(j)]; a != b &&
		i > 0 {
		d.all = append(d.all, Difference{d.q.written(i, i+1), d.x.written(j, j+1)})
	}
	if d.lastQ == i+1 && d.lastX == j+1 && !sameSigns(d.x.between(j+1), d.q.between(i+1)) {
		d.all = append(d.all, Difference{d.q.written(i, i+2), d.x.written(j, j+2)})
	}
	d.lastQ, d.lastX = i, j
}

// Bounds of an omission.
const (
	maxOmittedBytes = 1500 // "a paragraph or so"
	maxTurningWords = 8    // a negation among no more than these turns round what is quoted
	minPartWords    = 2    // of a part between omission marks
)

// parts finds a quote with omission marks: its parts in order, close to each other. It
// returns what is left out if that changes what is said.
func (s *Source) parts(q *stream) ([]match, *Difference) {
	cuts := omissions(q)
	if len(cuts) == 0 {
		return nil, nil
	}
	x := s.words()
	var lists [][]match
	from := 0
	for _, to := range append(cuts, len(q.words)) {
		if to == from {
			continue // at the beginning or the end
		}
		if to-from < minPartWords {
			return nil, nil
		}
		list := x.find(q, from, to)
		if len(list) == 0 {
			return nil, nil
		}
		lists, from = append(lists, list), to
	}
	if len(lists) < 2 {
		return nil, nil // an edge did not fit
	}
	var turned *Difference
	var found, instead []match
	for _, first := range lists[0] {
		at, ok := first, true
		var bad *Difference
		for _, list := range lists[1:] {
			k := slices.IndexFunc(list, func(m match) bool { return m.from >= at.to })
			if k < 0 || !s.close(at, list[k]) {
				ok = false
				break
			}
			if d := x.turned(at, list[k]); d != nil {
				bad = d
			}
			at = match{at.from, list[k].to}
		}
		switch {
		case ok && bad == nil:
			found = append(found, at)
		case ok:
			turned, instead = bad, append(instead, at)
		}
	}
	if len(found) > 0 {
		return found, nil
	}
	return instead, turned
}

// omissions returns the words of a quote before which it has an omission mark.
func omissions(q *stream) (cuts []int) {
	for i := 0; i <= len(q.words); i++ {
		if gap := q.between(i); strings.Contains(gap, "…") ||
			strings.Contains(strings.ReplaceAll(gap, " ", ""), "...") {
			cuts = append(cuts, i)
		}
	}
	return cuts
}

// close reports whether no more than a paragraph or so lies between two matches.
func (s *Source) close(a, b match) bool {
	x := s.words()
	from, to := int(x.words[a.to-1].end), int(x.words[b.from].start)
	if to-from > maxOmittedBytes {
		return false
	}
	between := x.text[from:to]
	if strings.Count(between, "\n\n") > 2 {
		return false
	}
	for i := range len(between) {
		if between[i] == '\n' && from+i+1 < len(x.text) && s.doc.Heading(from+i+1) {
			return false
		}
	}
	return true
}

// turned returns what lies between two matches if it is a few words of their sentence
// with a negation.
func (x *index) turned(a, b match) *Difference {
	if b.from == a.to || b.from-a.to > maxTurningWords {
		return nil
	}
	between := x.text[x.words[a.to-1].end:x.words[b.from].start]
	if strings.Contains(between, ". ") || strings.Contains(between, ".\n") {
		return nil
	}
	if claims.Denier(between) == "" {
		return nil
	}
	return &Difference{Quote: "…", Source: x.written(a.to, b.from)}
}
