package verify

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// An index finds words of a stream.
type index struct {
	*stream
	ids   map[string]int32
	first []int32 // of each id, its last posting; they are chained backwards
	count []int32
	posts []posting
}

type posting struct{ word, next int32 }

func newIndex(text string) *index {
	x := &index{stream: newStream(text), ids: map[string]int32{}}
	x.posts = make([]posting, 0, len(x.words))
	for i := range x.words {
		x.post(x.word(i), i)
		if x.soft(i) {
			x.post(x.fold[x.words[i-1].at:x.end(i)], i-1)
		}
	}
	return x
}

func (x *index) post(key string, word int) {
	id, known := x.ids[key]
	if !known {
		id = int32(len(x.first))
		x.ids[key] = id
		x.first, x.count = append(x.first, -1), append(x.count, 0)
	}
	x.posts = append(x.posts, posting{int32(word), x.first[id]})
	x.first[id] = int32(len(x.posts) - 1)
	x.count[id]++
}

// of returns how often a word stands in the stream.
func (x *index) of(word string) int {
	if id, known := x.ids[word]; known {
		return int(x.count[id])
	}
	return 0
}

// each calls yield with the places of a word, the last one first, until it returns
// false.
func (x *index) each(word string, yield func(at int) bool) {
	id, known := x.ids[word]
	if !known {
		return
	}
	for p := x.first[id]; p >= 0 && yield(int(x.posts[p].word)); p = x.posts[p].next {
	}
}

// match is the position of a quote: the words from ≤ i < to.
type match struct{ from, to int }

// Bounds of one search, so that it grows with the source and the quote alone.
const (
	maxMatches  = 200 // places of one quote
	workPerByte = 4   // characters compared per character of source and quote
)

// anchor is a word by which a part of a quote is looked for: where it begins in the
// quote's stream.
type anchor struct {
	key string
	at  int
}

// anchors returns words such that the quote stands nowhere where none of them does: its
// rarest one that is not hyphenated or, if all are, each way to write one of them.
func (x *index) anchors(q *stream, from, to int) []anchor {
	best, least := -1, 0
	for i := from; i < to; i++ {
		if i > from && q.soft(i) || i+1 < to && q.soft(i+1) {
			continue
		}
		if n := x.of(q.word(i)); best < 0 || n < least {
			best, least = i, n
		}
	}
	if best >= 0 {
		return []anchor{{q.word(best), int(q.words[best].at)}}
	}
	some := []anchor{{q.word(from), int(q.words[from].at)}}
	if from+1 < to {
		some = append(some, anchor{q.fold[q.words[from].at:q.end(from+1)], int(q.words[from].at)})
	}
	return some
}

// find returns where the words from ≤ i < to of a quote stand word for word, the first
// places first.
func (x *index) find(q *stream, from, to int) (all []match) {
	if from >= to || len(x.words) == 0 {
		return nil
	}
	begin, end := int(q.words[from].at), q.end(to-1)
	work := workPerByte * (len(x.exact) + end - begin)
	for _, a := range x.anchors(q, from, to) {
		x.each(a.key, func(word int) bool {
			at := int(x.words[word].at) - (a.at - begin)
			if at >= 0 && at+end-begin <= len(x.fold) {
				n := common(x.fold[at:], q.fold[begin:end])
				work -= n
				if n == end-begin {
					if m, same := x.matchAt(q, from, to, at); same {
						all = append(all, m)
					}
					work -= n
				}
			}
			return len(all) < maxMatches && work > 0
		})
	}
	for i, j := 0, len(all)-1; i < j; i, j = i+1, j-1 {
		all[i], all[j] = all[j], all[i]
	}
	return all
}

// common returns how many bytes two texts have in common at their beginning.
func common(a, b string) int {
	n := min(len(a), len(b))
	if a[:n] == b[:n] {
		return n
	}
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}

// matchAt returns where the words from ≤ i < to of a quote stand, if they do so at a place of
// the stream that has their characters in any case: the case must be the same but for the first
// character, and so must be the ends of words (but for soft ones) and the signs between them.
func (x *index) matchAt(q *stream, from, to, at int) (match, bool) {
	begin, end := int(q.words[from].at), q.end(to-1)
	if a, b := x.exact[at:at+end-begin], q.exact[begin:end]; a != b {
		_, n := utf8.DecodeRuneInString(b)
		if a[n:] != b[n:] {
			return match{}, false
		}
	}
	i := x.index(at)
	if int(x.words[i].at) != at || at+end-begin != x.end(x.index(at+end-begin-1)) {
		return match{}, false
	}
	m := match{from: i}
	j := from
	for i, j = i+1, j+1; ; {
		there := len(x.exact) + 1
		if i < len(x.words) {
			there = int(x.words[i].at) - at
		}
		asked := len(q.exact) + 1
		if j < to {
			asked = int(q.words[j].at) - begin
		}
		switch {
		case j >= to && there >= end-begin:
			m.to = i
			return m, x.hasSameEdges(q, from, to, m)
		case there == asked:
			if !sameSigns(x.between(i), q.between(j)) {
				return match{}, false
			}
			i, j = i+1, j+1
		case there < asked:
			if !x.soft(i) {
				return match{}, false
			}
			i++
		default:
			if !q.soft(j) {
				return match{}, false
			}
			j++
		}
	}
}

// target returns where the link leads that ends between two words.
func target(between string) string {
	_, after, _ := strings.Cut(between, "](")
	if n, ended := within(after, ')', "\n \t("); ended {
		return after[:n]
	}
	return ""
}

// sameSigns reports whether the signs between two words of the source and of the quote are the same. A quote need not
// show where a link leads.
func sameSigns(a, b string) bool {
	if to := target(b); to != "" && to != target(a) {
		return false
	}
	all, asked := signs(a, false), signs(b, false)
	if all == asked {
		return true
	}
	plain, askedPlain := signs(a, true), signs(b, true)
	return plain == asked || all == askedPlain || plain == askedPlain
}

// hasSameEdges reports whether a quote's signs before its first word and after its last are
// there, too. What stands there in the source and not in the quote is cut off.
func (x *index) hasSameEdges(q *stream, from, to int, m match) bool {
	lead := beside(q.between(from), false)
	tail := strings.TrimRight(beside(q.between(to), true), "!?")
	return strings.HasSuffix(beside(x.between(m.from), false), lead) &&
		strings.HasPrefix(beside(x.between(m.to), true), tail)
}

// beside returns the signs that stand right beside a word, after it or before it.
func beside(between string, after bool) string {
	if after {
		if i := strings.IndexFunc(between, unicode.IsSpace); i >= 0 {
			between = between[:i]
		}
	} else if i := strings.LastIndexFunc(between, unicode.IsSpace); i >= 0 {
		between = between[i:]
	} else {
		between = "\n" + between
	}
	return signs(between, !after)
}
