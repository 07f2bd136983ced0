package survival

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"blackboard/board/claims"
	"blackboard/board/documents"
	"blackboard/board/fault"
	"blackboard/board/words"
)

// The sizes of a text, in lexemes. They were chosen on labelled items of real runs;
// verdicts change little from 40 to 60 for passageBase.
const (
	unitSize     = 40 // a sentence without end is cut here
	passageBase  = 50 // the words of an item must stand together in so much text
	passageStep  = 3  // and so much for each token of the item,
	passageMax   = 100
	passageLong  = 1000 // but a longer item as many as it has itself, up to this
	vicinitySize = 60   // its numbers there, or so near to it on either side
)

// index is a report made searchable: its text in units (a sentence, a line, a row), and
// for each key the units that answer to it.
//
// The passages are runs of units: for each unit the longest run of a given size that
// begins there. A passage may begin with headings, but never runs on into the next
// section; the headings right above its section count as part of it. Text that is
// appended as a new paragraph adds units, and makes passages near the end longer; it
// changes nothing else. So whatever was found stays found.
type index struct {
	long   bool                // the reports are, together
	report *documents.Document // without handles
	cited  *documents.Document // as it is
	units  []unit
	post   map[string][]int32
	total  []int // lexemes before each unit, and at last of all
	sizes  map[int][]passage

	claims *claims.Evidence // made at first use

	refuting map[int32]bool // of units, once it was asked; see refute.go
}

type unit struct {
	start, end int // in the report's text
	size       int
	heading    bool
	section    int32 // the unit where the next section begins
	under      span  // the headings right above the unit's section
}

func newIndex(r *documents.Document) *index {
	x := &index{report: claims.WithoutHandles(r), cited: r, post: map[string][]int32{}, sizes: map[int][]passage{},
		refuting: map[int32]bool{}}
	var s words.Scanner
	text := x.report.Text()
	for at := 0; at < len(text); {
		end := at + words.ScanEnd(text[at:])
		lexemes := s.Scan(text[at:end])
		for i, l := range lexemes {
			if i == 0 || x.units[len(x.units)-1].size >= unitSize ||
				endsUnit(s.Text, lexemes[i-1], l) {
				x.units = append(x.units, unit{start: at + l.Start,
					heading: r.Heading(at + l.Start)})
			}
			u := &x.units[len(x.units)-1]
			u.end = max(u.end, at+l.End)
			u.size++
			for _, k := range l.Keys {
				x.add(k)
			}
		}
		at = end
	}
	x.finish()
	return x
}

// add notes that the last unit answers to a key.
func (x *index) add(key string) {
	u := int32(len(x.units) - 1)
	if list := x.post[key]; len(list) == 0 || list[len(list)-1] != u {
		x.post[key] = append(list, u)
	}
}

// endsUnit reports whether a line or a sentence ends between two lexemes that follow
// one another.
func endsUnit(text string, a, b words.Lexeme) bool {
	if b.Start <= a.End {
		return false
	}
	gap := text[a.End:b.Start]
	if strings.ContainsAny(gap, "\n\v") {
		return true
	}
	end := strings.IndexAny(gap, ".!?;。！？；")
	if end < 0 {
		return false
	}
	mark, size := utf8.DecodeRuneInString(gap[end:])
	if mark == '.' && end == 0 && a.End-a.Start == 1 && text[a.Start] >= 'A' && text[a.Start] <= 'Z' {
		return false // J. Brandt
	}
	return mark >= utf8.RuneSelf || strings.IndexFunc(gap[end+size:], unicode.IsSpace) >= 0
}

// A span is a run of units: from ≤ u < to.
type span struct{ from, to int32 }

// A passage is a run of units, and its vicinity.
type passage struct{ first, last, from, to int32 }

// passages returns the passages of a size: for each unit the longest one that begins
// there.
func (x *index) passages(size int) []passage {
	if all, ok := x.sizes[size]; ok {
		return all
	}
	n := int32(len(x.units))
	all := make([]passage, n)
	vicinity := max(vicinitySize, size)
	var p passage
	for p.first = range n {
		end := x.units[p.first].section
		for p.last = max(p.last, p.first); p.last+1 < end &&
			x.total[p.last+2]-x.total[p.first] <= size; {
			p.last++
		}
		for x.total[p.first]-x.total[p.from] > vicinity {
			p.from++
		}
		for p.to = max(p.to, p.last); p.to+1 < n &&
			x.total[p.to+2]-x.total[p.last+1] <= vicinity; {
			p.to++
		}
		all[p.first] = p
	}
	x.sizes[size] = all
	return all
}

// finish notes where sections end, and how many lexemes there are before each unit.
func (x *index) finish() {
	n := len(x.units)
	x.total = make([]int, n+1)
	for i, u := range x.units {
		x.total[i+1] = x.total[i] + u.size
	}
	next := int32(n)
	for i := n - 1; i >= 0; i-- {
		if i+1 < n && x.units[i+1].heading && !x.units[i].heading {
			next = int32(i + 1)
		}
		x.units[i].section = next
	}
	var above span
	for i := range x.units {
		if x.units[i].heading {
			if above.to != int32(i) {
				above.from = int32(i)
			}
			above.to = int32(i + 1)
		} else {
			x.units[i].under = above
		}
	}
}

// quote returns the text from one unit to another, cut to about max runes, and the line
// it begins on.
func (x *index) quote(first, last int32, max int) *Passage {
	text, end := x.report.Text(), x.units[last].end
	if i := strings.IndexFunc(text[end:], unicode.IsSpace); i >= 0 && i < 8 {
		end += i // the full stop
	}
	text = strings.Join(strings.Fields(strings.ReplaceAll(text[x.units[first].start:end], "**",
		"")), " ")
	at := x.units[first].start
	return &Passage{Report: x.report.Name, Line: x.report.Line(at), Where: x.report.Where(at),
		Text: fault.Clip(text, max), whole: text}
}

// unitAt returns the unit that holds a place in the text, or the next one; the last behind its end, -1 without units.
func (x *index) unitAt(at int) int32 {
	for i, u := range x.units {
		if u.end > at {
			return int32(i)
		}
	}
	return int32(len(x.units) - 1)
}
