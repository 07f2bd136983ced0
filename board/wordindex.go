package board

import (
	"bytes"
	"database/sql"
	"fmt"
	"iter"
	"slices"

	"blackboard/board/sqlite"
)

// The word index says which words there are, and which entry has a word that only one has.
//
// A word is a longest run of ASCII letters, digits and bytes of other characters, with ASCII letters in lower case: LIKE folds no others.
// Every character that ends a word is a separator for FTS5 too, so FTS5 makes the same tokens of a word wherever it stands, and finds every
// entry that has it when it is asked for it as a phrase.
//
// The index is a log-structured merge tree. Each segment has the words of the entries that follow on the segment before, as one text to be
// searched byte by byte: for each word a newline, the word, and, if one entry of the segment alone has it, the entry's number in characters
// that no word has. Posts append to the last segment, the tail, which fits into one page of the file and is in no order. When it is full, it is sorted
// and merged with the segments before it as long as those are not much larger; so all together have little more than twice the distinct words,
// and a post changes one page. (A B-tree of the words would change one for each word that is new.)

const (
	tailID     = 0       // the others count from 1
	maxTail    = 4000    // bytes: with its header, just below a page
	maxSegment = 4 << 20 // bytes of a merge, or now and then a post would take long
)

// wordByte reports whether a byte belongs to a word.
func wordByte(c byte) bool {
	return c >= 0x80 || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}

// wordRuns returns where the words of a text start and end.
func wordRuns(text string) iter.Seq2[int, int] {
	return func(yield func(int, int) bool) {
		for i := 0; i < len(text); i++ {
			if !wordByte(text[i]) {
				continue
			}
			start := i
			for i < len(text) && wordByte(text[i]) {
				i++
			}
			if !yield(start, i) {
				return
			}
		}
	}
}

// lowerASCII folds letter case as LIKE does.
func lowerASCII(s string) string {
	b := []byte(s)
	for i, c := range b {
		if c >= 'A' && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}

// severalEntries stands for the entry of a word that more than one has.
const severalEntries = 0

// entryWords maps words to the entry that has them.
type entryWords map[string]int64

func (m entryWords) add(id int64, content string) {
	content = lowerASCII(content)
	for start, end := range wordRuns(content) {
		if other, ok := m[content[start:end]]; !ok {
			m[content[start:end]] = id
		} else if other != id {
			m[content[start:end]] = severalEntries
		}
	}
}

// segment returns the words in order, as a segment has them.
func (m entryWords) segment() []byte {
	lines := make([]wordLine, 0, len(m))
	size := 0
	for w, id := range m {
		lines = append(lines, wordLine{[]byte(w), id})
		size += len(w) + 6
	}
	return sortedSegment(lines, size)
}

// wordLine is a word in a segment.
type wordLine struct {
	word  []byte
	entry int64
}

// The digits of an entry's number, base 32, lowest first: no character of a word, and not the newline.
const digit0, digitBits = 0x0b, 5

func appendLine(text []byte, l wordLine) []byte {
	text = append(append(text, '\n'), l.word...)
	for n := l.entry; n > 0; n >>= digitBits {
		text = append(text, digit0+byte(n&(1<<digitBits-1)))
	}
	return text
}

// firstLine returns the first word of a segment's text, which is not empty, and what follows.
func firstLine(text []byte) (l wordLine, rest []byte) {
	line := text[1:]
	if n := bytes.IndexByte(line, '\n'); n >= 0 {
		line, rest = line[:n], line[n:]
	}
	n := len(line)
	for n > 0 && !wordByte(line[n-1]) {
		n--
		l.entry = l.entry<<digitBits | int64(line[n]-digit0)
	}
	l.word = line[:n]
	return l, rest
}

// sortedSegment puts lines in order and makes one of those with the same word.
func sortedSegment(lines []wordLine, size int) []byte {
	slices.SortFunc(lines, func(a, b wordLine) int { return bytes.Compare(a.word, b.word) })
	text := make([]byte, 0, size)
	for i := 0; i < len(lines); i++ {
		l := lines[i]
		for ; i+1 < len(lines) && bytes.Equal(lines[i+1].word, l.word); i++ {
			l.entry = severalEntries
		}
		text = appendLine(text, l)
	}
	return text
}

// sortTail puts the text of the last segment in order.
func sortTail(text []byte) []byte {
	var lines []wordLine
	for rest := text; len(rest) > 0; {
		var l wordLine
		l, rest = firstLine(rest)
		lines = append(lines, l)
	}
	return sortedSegment(lines, len(text))
}

// mergeSegments makes one segment of two in order.
func mergeSegments(a, b []byte) []byte {
	text := make([]byte, 0, len(a)+len(b))
	var x, y wordLine
	for len(a) > 0 && len(b) > 0 {
		var restA, restB []byte
		x, restA = firstLine(a)
		y, restB = firstLine(b)
		switch c := bytes.Compare(x.word, y.word); {
		case c < 0:
			text, a = append(text, a[:len(a)-len(restA)]...), restA
		case c > 0:
			text, b = append(text, b[:len(b)-len(restB)]...), restB
		default:
			text, a, b = appendLine(text, wordLine{x.word, severalEntries}), restA, restB
		}
	}
	return append(append(text, a...), b...)
}

// covered is the newest entry that the index covers.
const covered = `coalesce((SELECT upto FROM word_segments WHERE id = 0), 0)`

// newEntries are the entries that a transaction made.
type newEntries struct {
	n       int
	id      int64 // of the last one
	content string
}

// updateWords covers every entry that is not covered: those of this transaction, and what a program that knows nothing of the index posted.
func (e *newEntries) updateWords(tx *sqlite.Tx) error {
	if e.n == 0 {
		return nil
	}
	if e.n == 1 { // nearly always one statement does then
		words := entryWords{}
		words.add(e.id, e.content)
		if done, err := appendTail(tx, words.segment(), e.id-1, e.id); done || err != nil {
			return err
		}
	}
	for {
		// In pieces, so that a large import does not stand in memory twice.
		more, err := coverSome(tx)
		if err != nil || !more {
			return err
		}
	}
}

// appendTail adds the words of the entries after from, up to upto, to the tail. It reports false if they do not fit, or if the
// index ends elsewhere.
func appendTail(tx *sqlite.Tx, text []byte, from, upto int64) (bool, error) {
	if len(text) > maxTail {
		return false, nil
	}
	done, err := tx.Exec(`UPDATE word_segments SET text = CAST(text || ?1 AS BLOB), upto = ?2
		WHERE id = ?3 AND upto = ?4 AND length(text) <= ?5`, string(text), upto, tailID, from, maxTail-len(text))
	if err != nil {
		return false, err
	}
	n, err := done.RowsAffected()
	return n == 1, err
}

func coverSome(tx *sqlite.Tx) (more bool, err error) {
	const page, pageBytes = 5000, 4 << 20
	var upto int64
	if err := tx.QueryRow(`SELECT ` + covered).Scan(&upto); err != nil {
		return false, err
	}
	rows, err := tx.Query(`SELECT id, content FROM entries WHERE id > ? ORDER BY id LIMIT ?`, upto, page)
	if err != nil {
		return false, err
	}
	defer rows.Close()
	from := upto
	n, size := 0, 0
	words := entryWords{}
	for size < pageBytes && rows.Next() {
		var content string
		if err := rows.Scan(&upto, &content); err != nil {
			return false, err
		}
		words.add(upto, content)
		n, size = n+1, size+len(content)
	}
	if err := rows.Err(); err != nil {
		return false, err
	}
	rows.Close()
	if n == 0 {
		return false, nil
	}
	more = n == page || size >= pageBytes
	text := words.segment()
	if done, err := appendTail(tx, text, from, upto); done || err != nil {
		return more, err
	}
	return more, appendSegment(tx, text, upto)
}

// appendSegment merges the words of the entries that follow, up to upto, with the last segments.
func appendSegment(tx *sqlite.Tx, text []byte, upto int64) error {
	segments, err := wordSegments(tx)
	if err != nil {
		return err
	}
	if n := len(segments); n > 0 && segments[n-1].id != tailID {
		segments = nil // without the tail nothing is covered
	}
	id := int64(1)
	for _, s := range slices.Backward(segments) {
		if s.id != tailID && (s.size > 2*len(text) || s.size+len(text) > maxSegment) {
			id = s.id + 1
			break
		}
		before, err := s.text(tx)
		if err != nil {
			return err
		}
		if s.id == tailID {
			before = sortTail(before)
		}
		text = mergeSegments(before, text)
	}
	if _, err := tx.Exec(`DELETE FROM word_segments WHERE id = ? OR id >= ?`, tailID, id); err != nil {
		return err
	}
	_, err = tx.Exec(`INSERT INTO word_segments VALUES (?1, ?2, ?3), (?4, ?2, x'')`, id, upto, text, tailID)
	return err
}

// wordSegment is a row of word_segments without its text.
type wordSegment struct {
	id, upto int64
	size     int
}

// wordSegments returns the segments in the order of what they cover.
func wordSegments(tx *sqlite.Tx) ([]wordSegment, error) {
	rows, err := tx.Query(`SELECT id, upto, length(text) FROM word_segments ORDER BY id = ?, id`, tailID)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var all []wordSegment
	for rows.Next() {
		var s wordSegment
		if err := rows.Scan(&s.id, &s.upto, &s.size); err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, rows.Err()
}

func (s wordSegment) text(tx *sqlite.Tx) (text []byte, err error) {
	err = tx.QueryRow(`SELECT text FROM word_segments WHERE id = ?`, s.id).Scan(&text)
	return text, err
}

// hasWordIndex reports whether there is an index: a file of the schema before it can be read without one where it cannot be migrated.
func hasWordIndex(tx *sqlite.Tx) (has bool, err error) {
	err = tx.QueryRow(`SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE name = 'word_segments')`).Scan(&has)
	return has, err
}

// wordsCovered reports whether the index covers every entry.
func wordsCovered(tx *sqlite.Tx) (all bool, err error) {
	if has, err := hasWordIndex(tx); err != nil || !has {
		return false, err
	}
	err = tx.QueryRow(`SELECT ` + covered + ` >= coalesce((SELECT max(id) FROM entries), 0)`).Scan(&all)
	return all, err
}

// searchSegments calls search with the text of each segment, which is gone after it, until it reports false.
func searchSegments(tx *sqlite.Tx, search func(text []byte) bool) error {
	rows, err := tx.Query(`SELECT text FROM word_segments`)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var text sql.RawBytes
		if err := rows.Scan(&text); err != nil {
			return err
		}
		if !search(text) {
			return nil
		}
	}
	return rows.Err()
}

// checkWords compares the word index with the contents of the entries that it covers, which are all but what another program posted.
func checkWords(tx *sqlite.Tx, path string, entries []Entry) error {
	has, err := hasWordIndex(tx)
	if err != nil || !has {
		return err
	}
	segments, err := wordSegments(tx)
	if err != nil {
		return err
	}
	wrong := func(format string, args ...any) error {
		return &sqlite.Error{Path: path, Kind: sqlite.ErrCorrupt, Detail: "has a word index that " + fmt.Sprintf(format, args...)}
	}
	from := int64(0)
	for _, s := range segments {
		if s.upto < from || s.upto > int64(len(entries)) {
			return wrong("covers %s after %s, where the last one is %s", EntryID(s.upto), EntryID(from), EntryID(int64(len(entries))))
		}
		words := entryWords{}
		for id := from + 1; id <= s.upto; id++ {
			words.add(id, entries[id-1].Content)
		}
		have, err := s.text(tx)
		if err != nil {
			return err
		}
		if len(have) > 0 && have[0] != '\n' {
			return wrong("has a cut segment %d", s.id)
		}
		if s.id == tailID {
			have = sortTail(have)
		}
		want := words.segment()
		for !bytes.Equal(have, want) {
			var h, w wordLine
			if len(have) > 0 {
				h, have = firstLine(have)
			}
			if len(want) > 0 {
				w, want = firstLine(want)
			}
			if h.entry != w.entry || !bytes.Equal(h.word, w.word) {
				return wrong("has %q of entry %d where it should have %q of entry %d, in the segment %s to %s; 0 is several", clip(string(h.word), 60), h.entry,
					clip(string(w.word), 60), w.entry, EntryID(from+1), EntryID(s.upto))
			}
		}
		from = s.upto
	}
	return nil
}
