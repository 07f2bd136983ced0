package index

import (
	"cmp"
	"maps"
	"math/bits"
	"slices"
	"strings"
	"sync"
	"unicode"

	"blackboard/board/sqlite"
	"blackboard/board/words"
)

// Expansion tells what a search used in place of a term that no document has.
type Expansion struct {
	Missing string   `json:"missing"` // the word that no document has
	Terms   []string `json:"terms"`   // the words that were searched for instead
}

const (
	// minExpanded is the least number of letters of an expanded term; maxExpanded is how
	// many missing terms of a query are expanded, the first ones.
	minExpanded   = 4
	maxExpanded   = 8
	maxExpansions = 5
	// longTerm is the number of letters from which two of them may differ.
	longTerm = 8
	// maxEnding is the most letters at the ends in which two forms of a word differ, and
	// minStem the least letters that they share before.
	maxEnding = 3
	minStem   = 5
)

// The weights of expansions, relative to the missing term at the same frequency. Only the
// closest expansions of a term are used, so their order matters more than these values:
// values from 0.2 to 0.7 gave about the same results (testdata/score).
const (
	prefixWeight = 0.5 // the missing term is a prefix of it
	edit1Weight  = 0.4 // one letter differs, is missing or is added, or two are swapped
	edit2Weight  = 0.3
	suffixWeight = 0.3
)

// vocabTerm is a term of a segment that may be an expansion: letters only.
type vocabTerm struct {
	term    string
	mask    uint64 // a bit for each of its letters
	letters int
	n       int // number of documents that have it, with dead ones
}

// newVocabTerm describes a term of n documents; false if it has no part in expansions.
func newVocabTerm(term string, n int) (vocabTerm, bool) {
	v := vocabTerm{term: term, n: n}
	for _, r := range term {
		if !unicode.IsLetter(r) && !unicode.IsMark(r) {
			return v, false
		}
		v.mask |= 1 << (r & 63)
		v.letters++
	}
	return v, v.letters >= minExpanded-1
}

// vocabulary caches the terms of some segments that may be expansions.
type vocabulary struct {
	mu    sync.Mutex
	of    []int64                // the segments' numbers, which are never reused
	lists map[string][]vocabTerm // by prefix
}

// termsWith returns the segments' terms with a prefix. Segments never change.
func (v *vocabulary) termsWith(tx *sqlite.Tx, prefix string, segs []*segment) ([]vocabTerm, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.setSegments(segs)
	if list, ok := v.lists[prefix]; ok {
		return list, nil
	}
	known := map[string]int{} // indexes in the list
	var list []vocabTerm
	if err := eachTerm(tx, segs, prefix, func(term []byte, p *plist) {
		if i, ok := known[string(term)]; ok {
			list[i].n += p.n
		} else if c, ok := newVocabTerm(string(term), p.n); ok && p.kind == kindText {
			known[c.term] = len(list)
			list = append(list, c)
		}
	}); err != nil {
		return nil, err
	}
	v.lists[prefix] = list
	return list, nil
}

// setSegments empties the vocabulary if it is of other segments.
func (v *vocabulary) setSegments(segs []*segment) {
	if of := numbers(segs); v.lists == nil || !slices.Equal(v.of, of) {
		v.of, v.lists = of, map[string][]vocabTerm{}
	}
}

// prefetchQueries asks for the blocks that may have terms with those prefixes.
func (v *vocabulary) prefetchQueries(prefixes []string, segs []*segment) (all []sqlite.Question) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.setSegments(segs)
	for _, prefix := range prefixes {
		if _, known := v.lists[prefix]; !known {
			if q, blocks := askTerms(segs, prefix); blocks > 0 {
				all = append(all, q)
			}
		}
	}
	return all
}

// eachTerm yields terms with a prefix and lists, valid until it returns, of one query.
func eachTerm(tx *sqlite.Tx, segs []*segment, prefix string, yield func(term []byte, p *plist)) error {
	of := map[int64]*segment{}
	for _, s := range segs {
		if s.mem != nil {
			for term, p := range s.mem.all() {
				if strings.HasPrefix(term, prefix) {
					yield([]byte(term), p)
				}
			}
			continue
		}
		of[s.seg] = s
	}
	q, left := askTerms(segs, prefix)
	if left == 0 {
		return nil
	}
	var id int64
	var raw rawBytes
	err := tx.Each([]any{&id, &raw}, func() error {
		left--
		s := of[id>>24]
		for block := []byte(raw); len(block) > 0; {
			term, p, rest, err := cutEntry(block, s.n)
			if err != nil {
				return err
			}
			if block = rest; strings.HasPrefix(string(term), prefix) {
				yield(term, &p)
			}
		}
		return nil
	}, q.Query, q.Args...)
	if err == nil && left > 0 {
		err = corrupt("%d blocks are missing", left)
	}
	return err
}

// askTerms returns the query for the blocks that may have terms with a prefix, and their number.
func askTerms(segs []*segment, prefix string) (q sqlite.Question, blocks int) {
	var parts []string
	for _, s := range segs {
		if s.mem != nil {
			continue
		}
		last := len(prefix) - 1
		from := max(0, blockOf(s.dir, prefix))
		to := blockOf(s.dir, prefix[:last]+string([]byte{prefix[last] + 1}))
		if from > to {
			continue
		}
		blocks += to - from + 1
		parts = append(parts, s.x.q(`SELECT id, data FROM @_blocks WHERE id BETWEEN ? AND ?`))
		q.Args = append(q.Args, rowID(s.seg, int64(from)), rowID(s.seg, int64(to)))
	}
	q.Query = strings.Join(parts, ` UNION ALL `)
	return q, blocks
}

type expansion struct {
	qterm
	share   float64 // of the weight
	letters int
}

// closer orders the expansions of a term: closer ones first, then those that more documents have.
func closer(a, b *expansion) int {
	return cmp.Or(cmp.Compare(b.share, a.share), cmp.Compare(b.df, a.df),
		cmp.Compare(a.letters, b.letters), cmp.Compare(a.term, b.term))
}

type wanted struct {
	vocabTerm
	runes []rune
	wrong int    // number of letters that may differ
	known bool   // it is a word, and not misspelt
	stem  string // the prefix of its other forms; "" if it is too short to have any
}

func newWanted(term string) (*wanted, bool) {
	v, ok := newVocabTerm(term, 0)
	if !ok || v.letters < minExpanded {
		return nil, false
	}
	w := &wanted{vocabTerm: v, runes: []rune(term), wrong: 1, known: words.IsKnown(term)}
	if v.letters >= longTerm {
		w.wrong = 2
	}
	if v.letters >= minStem {
		w.stem = string(w.runes[:max(minStem, v.letters-maxEnding)])
	}
	return w, true
}

// prefixes: the first letter is right, or swapped with the second.
func (w *wanted) prefixes() []string {
	p := []string{string(w.runes[:1])}
	if w.runes[0] != w.runes[1] {
		p = append(p, string([]rune{w.runes[1], w.runes[0]}))
	}
	return p
}

// parts returns the tail, or nil, and the other segments.
func (v *view) parts() (tail, sealed []*segment) {
	if len(v.segs) > 0 && v.segs[0].mem != nil {
		return v.segs[:1], v.segs[1:]
	}
	return nil, v.segs
}

// expansions returns the possible expansions of a missing term, closest first.
func (s *search) expansions(w *wanted) ([]*expansion, error) {
	tail, sealed := s.v.parts()
	found := map[string]*expansion{}
	gather := func(prefix string, of *vocabulary, segs []*segment) error {
		list, err := of.termsWith(s.tx, prefix, segs)
		for i := range list {
			c := &list[i]
			if share := w.share(c); share > 0 {
				e := found[c.term]
				if e == nil {
					e = &expansion{share: share, letters: c.letters}
					e.term = c.term
					found[c.term] = e
				}
				e.df += c.n
			}
		}
		return err
	}
	for _, prefix := range w.prefixes() {
		if err := gather(prefix, &s.x.vocabulary, sealed); err != nil {
			return nil, err
		}
		if tail != nil {
			if err := gather(prefix, &tail[0].vocabulary, tail); err != nil {
				return nil, err
			}
		}
	}
	return slices.SortedFunc(maps.Values(found), closer), nil
}

// expandable returns the missing terms to expand, whose blocks it reads with one query.
func (s *search) expandable(missing []*qterm) (terms []*qterm, found [][]*expansion, err error) {
	var all []*wanted
	var prefixes []string
	for _, m := range missing {
		if w, ok := newWanted(m.term); ok && len(all) < maxExpanded {
			all, terms, prefixes = append(all, w), append(terms, m), append(prefixes, w.prefixes()...)
		}
	}
	_, sealed := s.v.parts()
	if s.tx.IsFar() {
		slices.Sort(prefixes)
		if err := s.tx.Ahead(s.x.vocabulary.prefetchQueries(slices.Compact(prefixes), sealed)...); err != nil {
			return nil, nil, err
		}
	}
	var likely []string
	for _, w := range all {
		list, err := s.expansions(w)
		if err != nil {
			return nil, nil, err
		}
		found = append(found, list)
		for _, e := range list[:min(len(list), maxExpansions)] {
			likely = append(likely, e.term)
		}
	}
	return terms, found, s.fetch(likely...)
}

// closest returns the first maxExpansions that are equally close, with their lists.
func (s *search) closest(all []*expansion) ([]*expansion, error) {
	var best []*expansion
	for _, e := range all {
		if len(best) > 0 && e.share < best[0].share ||
			len(best) == maxExpansions && closer(best[maxExpansions-1], e) < 0 {
			break
		}
		if err := s.lookUp(&e.qterm); err != nil {
			return nil, err
		}
		if e.df == 0 {
			continue
		}
		at, _ := slices.BinarySearchFunc(best, e, closer)
		best = slices.Insert(best, at, e)
		best = best[:min(len(best), maxExpansions)]
	}
	return best, nil
}

// share returns another term's weight relative to the missing one, 0 if not similar.
func (w *wanted) share(c *vocabTerm) float64 {
	if words.Empty(c.term) {
		return 0
	}
	if strings.HasPrefix(c.term, w.term) {
		return prefixWeight
	}
	if !w.known && bits.OnesCount64(w.mask&^c.mask) <= w.wrong && bits.OnesCount64(c.mask&^w.mask) <= w.wrong {
		switch wrong := distance(w.runes, []rune(c.term), w.wrong); {
		case wrong == 1:
			return edit1Weight
		case wrong <= w.wrong:
			return edit2Weight
		}
	}
	if w.stem != "" && strings.HasPrefix(c.term, w.stem) {
		if a, b := cutCommonPrefix(w.runes, []rune(c.term)); len(a) <= maxEnding && len(b) <= maxEnding {
			return suffixWeight
		}
	}
	return 0
}

// cutCommonPrefix returns two words without their common prefix.
func cutCommonPrefix(a, b []rune) ([]rune, []rune) {
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	return a, b
}

// distance returns the edit distance of two words, where swapping adjacent letters counts as one
// edit, or a number above most, which is 1 or 2. A swapped letter is not changed again.
func distance(a, b []rune, most int) int {
	if len(a)-len(b) > most || len(b)-len(a) > most {
		return most + 1
	}
	a, b = cutCommonPrefix(a, b)
	if len(a) == 0 || len(b) == 0 {
		return len(a) + len(b)
	}
	if most == 0 {
		return 1
	}
	most--
	least := 1 + min(distance(a[1:], b[1:], most), distance(a[1:], b, most), distance(a, b[1:], most))
	if len(a) > 1 && len(b) > 1 && a[0] == b[1] && a[1] == b[0] {
		least = min(least, 1+distance(a[2:], b[2:], most))
	}
	return least
}

// expand adds the expansions of missing terms to the scored terms. The expansions of a term share
// the weight of one term that all their documents have; otherwise a rare one would count more than
// a likely one. given are the query's terms, each of which counts once.
func (s *search) expand(res *Result, missing []*qterm, given map[string]*qterm) error {
	terms, found, err := s.expandable(missing)
	if err != nil {
		return err
	}
	for i, m := range terms {
		best, err := s.closest(found[i])
		if err != nil {
			return err
		}
		if len(best) == 0 {
			continue
		}
		x, df := Expansion{Missing: m.term}, 0
		for _, e := range best {
			x.Terms = append(x.Terms, e.term)
			df += e.df
		}
		res.Expanded = append(res.Expanded, x)
		for _, e := range best {
			if given[e.term] != nil {
				continue
			}
			e.missing, e.weight = m.term, s.weight(e.term, df, e.share*float64(m.count))
			given[e.term] = &e.qterm
			s.terms = append(s.terms, &e.qterm)
		}
	}
	return nil
}
