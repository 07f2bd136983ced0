package index

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	"blackboard/board/words"
)

const (
	maxKeyword = 512
	// maxTF is the greatest weighted frequency, in quarters. BM25 hardly changes above it.
	maxTF       = 255
	keywordMark = "\x00"
	// stemmed is the keyword of stems other than English; each language's mark is one too.
	stemmed = keywordMark + words.StemMark
)

// keywordTerm doubles the prefix of a keyword that starts like a language's mark.
func keywordTerm(keyword string) string {
	if strings.HasPrefix(keyword, words.StemMark) {
		return keywordMark + words.StemMark + keyword
	}
	return keywordMark + keyword
}

// termTF is one term of a document: its frequency in quarters, weighted by fields; 0 for keywords.
type termTF struct {
	term string
	tf   uint8
}

type record struct {
	doc    int64
	length uint8 // a length code; see lengthCode
	terms  []termTF
}

func (x *Index) analyse(d *Doc) (record, error) {
	r := record{doc: d.ID}
	if len(d.Text) != len(x.weights) {
		return r, fmt.Errorf("document %d has %d texts; the index has %d fields", d.ID, len(d.Text), len(x.weights))
	}
	an := analyzers.Get().(*words.Analyzer)
	defer analyzers.Put(an)
	tfs := map[string]int{}
	length := 0
	langs := words.LanguageOf(d.Text...)
	for i, text := range d.Text {
		w := x.weights[i]
		an.TermsIn(langs, text, func(term string, extra bool) {
			tfs[term] += w
			if !extra {
				length += w
			}
		})
	}
	r.length = lengthCode(length)
	r.terms = make([]termTF, 0, len(tfs)+len(d.Keywords))
	for _, k := range d.Keywords {
		if len(k) > maxKeyword || !utf8.ValidString(k) {
			return r, fmt.Errorf("document %d has a keyword that is longer than %d bytes or no valid text", d.ID, maxKeyword)
		}
		r.terms = append(r.terms, termTF{keywordTerm(k), 0})
	}
	if langs != 0 {
		r.terms = append(r.terms, termTF{stemmed, 0})
		langs.Each(func(_ words.Languages, mark string) { r.terms = append(r.terms, termTF{keywordMark + mark, 0}) })
	}
	for term, tf := range tfs {
		r.terms = append(r.terms, termTF{term, uint8(min(tf, maxTF))})
	}
	slices.SortFunc(r.terms, func(a, b termTF) int { return strings.Compare(a.term, b.term) })
	r.terms = slices.CompactFunc(r.terms, func(a, b termTF) bool { return a.term == b.term })
	return r, nil
}

// encode leaves out the id: length code, number of terms, then each one's length, bytes, frequency.
func (r *record) encode() []byte {
	b := make([]byte, 0, 2+len(r.terms)*10)
	b = append(b, r.length)
	b = binary.AppendUvarint(b, uint64(len(r.terms)))
	for _, t := range r.terms {
		b = binary.AppendUvarint(b, uint64(len(t.term)))
		b = append(append(b, t.term...), t.tf)
	}
	return b
}

// decodeRecord decodes the output of encode. Other bytes return ErrCorrupt.
func decodeRecord(doc int64, b []byte) (record, error) {
	length, terms, err := cutRecord(doc, b)
	if err != nil {
		return record{}, err
	}
	r := record{doc: doc, length: length, terms: []termTF{}}
	for terms != "" {
		term, tf, rest := nextTerm(terms)
		r.terms, terms = append(r.terms, termTF{term, tf}), rest
	}
	return r, nil
}

// cutRecord checks the output of encode, and returns its terms as they stand there, for nextTerm.
func cutRecord(doc int64, b []byte) (length uint8, terms string, err error) {
	bad := func() (uint8, string, error) {
		return 0, "", corrupt("the record of document %d cannot be read", doc)
	}
	if len(b) < 2 {
		return bad()
	}
	n, w := binary.Uvarint(b[1:])
	if w <= 0 || n > uint64(len(b))/3 { // a term has at least three bytes
		return bad()
	}
	terms = string(b[1+w:]) // one allocation for all
	last, all := "", terms
	for range int(n) {
		term, rest, ok := cutTerm(all)
		if !ok || rest == "" || last >= term { // no term is ""
			return bad()
		}
		last, all = term, rest[1:]
	}
	if all != "" {
		return bad()
	}
	return b[0], terms, nil
}

// nextTerm reads the first of the terms that cutRecord has checked.
func nextTerm(terms string) (term string, tf uint8, rest string) {
	term, rest, _ = cutTerm(terms)
	return term, rest[0], rest[1:]
}

// cutTerm reads a term after its length; false if the bytes are invalid.
func cutTerm[T string | []byte](b T) (term, rest T, ok bool) {
	size, w := uvarint(b)
	if w == 0 || size == 0 || size > uint64(len(b)-w) {
		return term, rest, false
	}
	return b[w : w+int(size)], b[w+int(size):], true
}

// uvarint is binary.Uvarint, for strings as well.
func uvarint[T string | []byte](s T) (v uint64, n int) {
	for i := 0; i < len(s) && i < binary.MaxVarintLen64; i++ {
		v |= uint64(s[i]&0x7f) << (7 * i)
		if s[i] < 0x80 {
			return v, i + 1
		}
	}
	return 0, 0
}

// lengths are in quarters of a word: each whole word up to 63, then 16 steps per doubling.
var lengths = func() (t [256]int32) {
	for c := range t {
		if c < 64 {
			t[c] = int32(4 * c)
		} else {
			t[c] = int32(4 * math.Round(64*math.Exp2(float64(c-64)/16)))
		}
	}
	return t
}()

// lengthCode returns the code of the greatest length that is not above quarters.
func lengthCode(quarters int) uint8 {
	return uint8(max(0, sort.Search(len(lengths), func(c int) bool { return int(lengths[c]) > quarters })-1))
}
