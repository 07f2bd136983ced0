package documents

import (
	"cmp"
	"fmt"
	"iter"
	"sort"
	"strings"

	"blackboard/board/fault"
	txt "blackboard/board/text"
)

var invalid = fault.Invalid.New

// Max is the most bytes of a document that are read, after decompression.
const Max = 64 << 20

// Document is the text of a report or a source. It is read once and not changed, so it
// may be shared between goroutines.
type Document struct {
	Name string

	text     string
	starts   []int  // where each line of text begins
	headings []bool // which lines are headings
	source   []int  // the line of the source that each line comes from; nil: the same one
	unit     string // what Where counts: "line", "paragraph", "page", "slide", "cell"
	places   []place
	sheets   []string // of a workbook, by place.number

	// Undecoded is how many words have characters that the file does not tell: they are
	// U+FFFD in the text.
	Undecoded int
}

// place says that the text from at on is on a page or slide, or in a cell of a notebook
// or sheet.
type place struct {
	at       int
	number   int // of the page, slide or cell, from 1; the index of the sheet
	row, col int // in a sheet, from 1; 0: the sheet itself
}

// Text returns the document's text, a line for each line, paragraph or table row of the
// source.
func (d *Document) Text() string { return d.text }

// writer collects the lines of a document.
type writer struct {
	b        strings.Builder
	starts   []int
	headings []bool
	source   []int
	unit     string
	places   []place
	sheets   []string
}

// place sets the page, slide or cell of the text that is added next.
func (w *writer) place(number int) {
	at := w.b.Len()
	if len(w.starts) > 0 {
		at++ // the next line begins after a line break
	}
	w.places = append(w.places, place{at: at, number: number})
}

// add appends a line. The source line is 0 if it is the same one.
func (w *writer) add(line string, heading bool, source int) {
	if len(w.starts) > 0 {
		w.b.WriteByte('\n')
	}
	w.starts = append(w.starts, w.b.Len())
	w.headings = append(w.headings, heading)
	if source > 0 {
		w.source = append(w.source, source)
	}
	w.b.WriteString(line)
}

func (w *writer) document(name string) *Document {
	if len(w.starts) == 0 {
		w.add("", false, 0)
	}
	r := &Document{Name: name, text: w.b.String(), starts: w.starts, headings: w.headings,
		unit: w.unit, places: w.places, sheets: w.sheets}
	if len(w.source) == len(w.starts) {
		r.source = w.source
	}
	return r
}

// AddUnread returns a note with Unread added, if that matters and some words could not be decoded.
func (d *Document) AddUnread(note string, matters bool) string {
	if d.Undecoded == 0 || !matters {
		return note
	}
	return strings.TrimLeft(note+"; "+d.Unread(), "; ")
}

// Unread says how many words could not be decoded.
func (d *Document) Unread() string {
	return fmt.Sprintf("%s of %s could not be decoded",
		txt.Count(int64(d.Undecoded), "word", "words"), d.Name)
}

// Line returns the number, from 1, of the source line that holds a place in the text.
func (d *Document) Line(at int) int {
	i := d.lineIndex(at)
	if d.source != nil {
		return d.source[i]
	}
	return i + 1
}

// Where converts a position in the text to a place that a reader of the file can find:
// "line 12", "paragraph 4" of a word processor's file, "page 3", "slide 2", "cell 5" of
// a notebook, "Totals!B7" of a workbook.
func (d *Document) Where(at int) string {
	i := sort.Search(len(d.places), func(i int) bool { return d.places[i].at > at }) - 1
	switch {
	case i < 0:
		return fmt.Sprintf("%s %d", cmp.Or(d.unit, "line"), d.Line(at))
	case d.sheets == nil:
		return fmt.Sprintf("%s %d", d.unit, d.places[i].number)
	}
	p := d.places[i]
	if p.row == 0 {
		return d.sheets[p.number]
	}
	return fmt.Sprintf("%s!%s%d", d.sheets[p.number], columnName(p.col), p.row)
}

// Heading reports whether the line that holds a place in the text is a heading.
func (d *Document) Heading(at int) bool { return d.headings[d.lineIndex(at)] }

// lineIndex returns which line of the text holds a place in it, from 0.
func (d *Document) lineIndex(at int) int {
	return sort.Search(len(d.starts), func(i int) bool { return d.starts[i] > at }) - 1
}

// Blanked returns a copy of the document with blanks for the bytes that find returns, each from and
// to, so that places in it stay; d itself if find returns none.
func (d *Document) Blanked(find func(text string) [][2]int) *Document {
	spans := find(d.text)
	if len(spans) == 0 {
		return d
	}
	text, other := []byte(d.text), *d
	for _, s := range spans {
		for i := s[0]; i < s[1]; i++ {
			text[i] = ' '
		}
	}
	other.text = string(text)
	return &other
}

// Lines yields where each line of the text begins, and the line.
func (d *Document) Lines() iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		for i, start := range d.starts {
			end := len(d.text)
			if i+1 < len(d.starts) {
				end = d.starts[i+1] - 1
			}
			if !yield(start, d.text[start:end]) {
				return
			}
		}
	}
}
