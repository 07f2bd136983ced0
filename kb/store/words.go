package store

import (
	"cmp"
	"maps"
	"slices"
)

const (
	// maxPostings is how many of the texts with a word are looked at, the newest.
	maxPostings = 4096
	// leastRare is how many of a text's rarest words are looked at, if it has as many.
	leastRare = 8
)

// Words are the words of many texts, in memory, where a pass over all of them finds those
// that have words in common. To search the index for each would take far longer.
type Words struct {
	Of     [][]int32        // by text: its words, sorted
	ids    map[string]int32 // of the words
	with   [][]int32        // by word: the texts that have it
	counts []uint16         // of Near, by text; all 0 otherwise
}

func NewWords() *Words { return &Words{ids: map[string]int32{}} }

// Read returns the ids of words, sorted, and gives new words one.
func (s *Words) Read(text []string) []int32 {
	all := make([]int32, 0, len(text))
	for _, w := range text {
		id, known := s.ids[w]
		if !known {
			id = int32(len(s.with))
			s.ids[w], s.with = id, append(s.with, nil)
		}
		all = append(all, id)
	}
	slices.Sort(all)
	return all
}

// Add adds a text, given its sorted words from Read.
func (s *Words) Add(words []int32) {
	for _, w := range slices.Compact(slices.Clone(words)) {
		s.with[w] = append(s.with[w], int32(len(s.Of)))
	}
	s.Of, s.counts = append(s.Of, words), append(s.counts, 0)
}

func (s *Words) With(word int32) []int32 { return s.with[word] }

// Rarest returns the different ones of some words, the rarest first.
func (s *Words) Rarest(words []int32) []int32 {
	rare := slices.Compact(slices.Clone(words))
	slices.SortFunc(rare, func(a, b int32) int {
		return cmp.Or(cmp.Compare(len(s.with[a]), len(s.with[b])), cmp.Compare(a, b))
	})
	return rare
}

// Near returns at most `most` texts, the nearest first: those that share with some words, sorted,
// at least the part `least` of the longer one's words or of all, or have all of their rarest words.
func (s *Words) Near(words []int32, least float64, most int) []int32 {
	rare := s.Rarest(words)
	// who shares so many has at least one of the others and one more
	rare = rare[:min(len(rare), max(leastRare, int(float64(len(rare))*(1-least))+1))]
	var found []int32
	for _, w := range rare {
		list := s.with[w]
		for _, at := range list[max(0, len(list)-maxPostings):] {
			if s.counts[at]++; s.counts[at] == 1 {
				found = append(found, at)
			}
		}
	}
	share := map[int32]float64{}
	for _, at := range s.topCounts(found, 5*most) {
		shared, overlap := ShareWords(words, s.Of[at])
		if part := max(shared, overlap); int(s.counts[at]) == len(rare) || part >= least {
			share[at] = part
		}
	}
	for _, at := range found {
		s.counts[at] = 0
	}
	best := slices.SortedFunc(maps.Keys(share), func(a, b int32) int {
		return cmp.Or(cmp.Compare(share[b], share[a]), cmp.Compare(b, a))
	})
	return best[:min(len(best), most)]
}

// topCounts returns the n texts with the highest counts, newer first, without sorting all.
func (s *Words) topCounts(found []int32, n int) []int32 {
	top := make([]int32, 0, n+1) // the last is the best
	worse := func(a, b int32) int {
		return cmp.Or(cmp.Compare(s.counts[a], s.counts[b]), cmp.Compare(a, b))
	}
	for _, at := range slices.Backward(found) { // newer ones first
		if len(top) == n && worse(at, top[0]) < 0 {
			continue
		}
		i, _ := slices.BinarySearchFunc(top, at, worse)
		if top = slices.Insert(top, i, at); len(top) > n {
			top = top[:copy(top, top[1:])]
		}
	}
	return top
}

// ShareWords returns the share of the longer one's words that the other has too, as
// clash.Said.Shared, and that of all their different words that both have.
func ShareWords(a, b []int32) (shared, overlap float64) {
	longer, both, different, all := max(len(a), len(b), 1), 0, 0, 0
	run := func(words []int32, w int32) (n int) {
		for n < len(words) && words[n] == w {
			n++
		}
		return n
	}
	for len(a) > 0 && len(b) > 0 {
		w := min(a[0], b[0])
		m, n := run(a, w), run(b, w)
		if all++; m > 0 && n > 0 {
			both, different = both+min(m, n), different+1
		}
		a, b = a[m:], b[n:]
	}
	for rest := slices.Concat(a, b); len(rest) > 0; all++ {
		rest = rest[run(rest, rest[0]):]
	}
	return float64(both) / float64(longer), float64(different) / float64(max(1, all))
}
