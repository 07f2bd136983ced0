package board

import (
	"bytes"
	"cmp"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"blackboard/board/sqlite"
)

// Bounds of a search for a part of a text. Beyond them what is looked for is so frequent that reading entries, newest first, is the better way
// to a page of hits.
const (
	maxWordHits    = 5000     // entries that alone have a word with a part of the text
	maxCandidates  = 1000     // entries that FTS5 finds
	maxPhrases     = 128      // in one question to FTS5, which looks for each in each of its own segments
	maxPhraseBytes = 64 << 10 // all of them together
)

// candidates says which entries may have a text. The zero value is any.
type candidates struct {
	none  bool
	known bool     // ids are all there are
	ids   []int64  // sorted
	match []string // FTS5 expressions, each of which finds all

	phrases int // in match
}

// part is a run of word characters in the text that is looked for. Where the text goes on beside it, a word of the entry begins or ends; at the
// ends of the text the word may go on.
type part struct {
	text   string
	begins bool // a word begins with it
	ends   bool // a word ends with it
}

// findContaining narrows the entries that may have a text in their content, as far as that is quick. It may leave out none that has.
func findContaining(tx *sqlite.Tx, text string) (candidates, error) {
	if !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
		return candidates{none: true}, nil // no content is so
	}
	text = lowerASCII(text)
	var words []string // whole ones
	var search []part
	for start, end := range wordRuns(text) {
		if p := (part{text[start:end], start > 0, end < len(text)}); p.begins && p.ends {
			words = append(words, p.text)
		} else {
			search = append(search, p)
		}
	}
	slices.SortFunc(words, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b)) })
	if len(words) > 0 {
		search = append(search, part{words[0], true, true}) // long words are the rarest, by and large
	}
	var c candidates
	if words = tellingWords(words); len(words) > 0 {
		// FTS5 knows whole words, though not their endings.
		for _, w := range words {
			c.match = append(c.match, phrases(map[string]bool{w: true}))
		}
		ids, err := matching(tx, strings.Join(c.match, " AND "))
		if err != nil {
			return c, err
		}
		if len(ids) <= maxCandidates {
			c.addIDs(ids)
			return c, nil
		}
	}
	if len(search) == 0 {
		return c, nil
	}
	if covered, err := wordsCovered(tx); err != nil || !covered {
		return c, err
	}
	hits, err := searchWords(tx, search)
	if err != nil {
		return c, err
	}
	slices.SortFunc(hits, func(a, b wordHits) int { return cmp.Compare(len(a.words), len(b.words)) })
	for _, h := range hits {
		if err := c.narrow(tx, h); err != nil {
			return c, err
		}
	}
	return c, nil
}

// tellingWords returns the first few of sorted words that FTS5 finds.
func tellingWords(words []string) []string {
	words = slices.DeleteFunc(slices.Compact(words), func(w string) bool { return !hasToken(w) })
	return words[:min(len(words), 8)]
}

// matching returns the entries that an FTS5 expression finds, or more than maxCandidates of them.
func matching(tx *sqlite.Tx, expr string) ([]int64, error) {
	return sqlite.Column[int64](tx, `SELECT rowid FROM entries_fts WHERE entries_fts MATCH ? LIMIT ?`, expr, maxCandidates+1)
}

// wordHits are the words that have a part.
type wordHits struct {
	ids   []int64         // of words that one entry has, in their segment
	words map[string]bool // all words, as long as they can be asked for as phrases
	many  map[string]bool // those that several entries have
	over  bool            // there are too many; the search was given up
}

// searchWords looks for parts in the word index.
func searchWords(tx *sqlite.Tx, parts []part) ([]wordHits, error) {
	hits := make([]wordHits, len(parts))
	for i := range hits {
		hits[i] = wordHits{words: map[string]bool{}, many: map[string]bool{}}
	}
	err := searchSegments(tx, func(text []byte) bool {
		more := false
		for i, p := range parts {
			p.search(text, &hits[i])
			more = more || !hits[i].over
		}
		return more
	})
	return hits, err
}

// search adds the words of a segment that have the part.
func (p part) search(text []byte, h *wordHits) {
	pattern := []byte(p.text)
	if p.begins {
		pattern = []byte("\n" + p.text)
	}
	for at := 0; !h.over; {
		n := bytes.Index(text[at:], pattern)
		if n < 0 {
			return
		}
		end := at + n + len(pattern)
		if at += n + 1; p.ends && end < len(text) && wordByte(text[end]) {
			continue
		}
		l, rest := firstLine(text[max(bytes.LastIndexByte(text[:end], '\n'), 0):])
		h.add(l)
		at = len(text) - len(rest)
	}
}

func (h *wordHits) add(l wordLine) {
	if l.entry == severalEntries {
		h.many[string(l.word)] = true
	} else {
		h.ids = append(h.ids, l.entry)
	}
	if len(h.words) <= maxPhrases {
		h.words[string(l.word)] = true
	}
	h.over = len(h.ids) > maxWordHits || len(h.many) > maxPhrases
}

// narrow leaves only entries that have one of the words.
func (c *candidates) narrow(tx *sqlite.Tx, h wordHits) error {
	switch {
	case c.none || h.over:
		return nil
	case len(h.words) == 0:
		*c = candidates{none: true}
		return nil
	case len(h.many) == 0:
		c.addIDs(h.ids)
	}
	if all := phrases(h.words); all != "" && c.phrases+len(h.words) <= maxPhrases {
		c.match, c.phrases = append(c.match, all), c.phrases+len(h.words)
		return nil
	}
	if many := phrases(h.many); len(h.many) > 0 && many != "" {
		ids, err := matching(tx, many)
		if err != nil || len(ids) > maxCandidates {
			return err
		}
		c.addIDs(append(h.ids, ids...))
	}
	return nil
}

func (c *candidates) addIDs(ids []int64) {
	slices.Sort(ids)
	ids = slices.Compact(ids)
	if !c.known || len(ids) < len(c.ids) {
		c.known, c.ids = true, ids
	}
}

// phrases returns an FTS5 expression for contents that have one of the words, or "" if there is none that finds all of them.
func phrases(words map[string]bool) string {
	size := 0
	for w := range words {
		if size += len(w); !hasToken(w) {
			return ""
		}
	}
	if len(words) > maxPhrases || len(words) > 1 && size > maxPhraseBytes {
		return ""
	}
	return `content : ("` + strings.Join(slices.Sorted(maps.Keys(words)), `" OR "`) + `")`
}

// hasToken reports whether FTS5 surely makes a token of a word, or of a part of it. Without one a phrase finds nothing.
func hasToken(word string) bool {
	return strings.ContainsFunc(word, func(r rune) bool { return r < utf8.RuneSelf || unicode.Is(surelyToken, r) })
}

// surelyToken holds letters that have been in Unicode since before FTS5's tables were made; a test asks FTS5 about each of them.
var surelyToken = &unicode.RangeTable{R16: []unicode.Range16{
	{0x00c0, 0x00d6, 1}, {0x00d8, 0x00f6, 1}, {0x00f8, 0x024f, 1}, // Latin
	{0x0391, 0x03a1, 1}, {0x03a3, 0x03ce, 1}, // Greek
	{0x0410, 0x044f, 1},                      // Cyrillic
	{0x05d0, 0x05ea, 1},                      // Hebrew
	{0x0620, 0x064a, 1},                      // Arabic
	{0x0905, 0x0939, 1},                      // Devanagari
	{0x0e01, 0x0e30, 1},                      // Thai
	{0x3041, 0x3096, 1}, {0x30a1, 0x30fa, 1}, // Kana
	{0x4e00, 0x9fa5, 1}, // Han
	{0xac00, 0xd7a3, 1}, // Hangul
}}
