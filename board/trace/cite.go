package trace

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"blackboard/board/documents"
	"blackboard/board/text"
)

// citeSpan matches what a report cites as posts do: a line of a file, "auth.go:42", or another place,
// "call.txt @ 00:17:31".
var citeSpan = text.NewRegexp(`([\w./~-]*[\w-]{2,}\.[a-z][a-z0-9]{0,5})(?::L?([1-9]\d*(?:-L?[1-9]\d*)?)\b` +
	`| @ ((?:(?:line|page|slide|paragraph|cell)s? )?(?:[\w$][\w.:!$-]*)?\d)\b)`)

// notInPlace makes blanks of what stands around a time of a transcript.
var notInPlace = strings.NewReplacer("[", " ", "]", " ", "(", " ", ")", " ", ",", " ", "-->", " ")

// fileName matches the name of a file, and perhaps a line of it.
var fileName = text.NewRegexp(`^[\w./~-]*[\w-]{2,}\.[a-z][a-z0-9]{0,5}(?::\d+)*$`)

// citation is a place of a document that a report cites.
type citation struct {
	doc, place string
	apart      bool // the place is no part of the document's word: who names the document does not name it
}

// citationOf returns the citation that an identifier is, nil if it is none.
func citationOf(text string) *citation {
	text = strings.Trim(text, "`")
	m := citeSpan.FindStringSubmatch(text)
	if m == nil || m[0] != text {
		return nil
	}
	place := strings.TrimPrefix(m[2]+m[3], "line ")
	return &citation{m[1], strings.ReplaceAll(place, "-L", "-"), m[3] != ""}
}

// in reports whether a citation is of a document with this name or path.
func (c *citation) in(name string) bool {
	return c.doc == name || strings.HasSuffix(name, "/"+c.doc) || strings.HasSuffix(c.doc, "/"+name)
}

// notePlaces notes a hit for each citation of a place that the record cites, too.
func (s *scanner) notePlaces(cites [][2]string) {
	for _, c := range cites {
		for _, n := range s.citations[path.Base(c[0])] {
			if f := &s.facts[n]; f.cites.in(c[0]) && f.cites.place == strings.TrimPrefix(c[1], "line ") {
				s.hit(n, same, 0)
			}
		}
	}
}

// findPlaces sets the verdict on each citation of a document by whether it has the place.
func (t *tracer) findPlaces(d *documents.Document) {
	for _, n := range t.citations[path.Base(d.Name)] {
		v := &t.facts[n].verdict
		if v.Verdict != Unsupported || !t.facts[n].cites.in(d.Name) {
			continue
		}
		if place := t.facts[n].cites.find(d); place != nil {
			*v = Fact{Verdict: Supported, Source: place}
		} else {
			v.Why = d.Name + " has no such place"
		}
	}
}

// find returns the place in a document: a line or another part up to its last, a cell, or a word of
// it, such as a time of a transcript; nil if it has none.
func (c *citation) find(d *documents.Document) *Place {
	unit, number, named := strings.Cut(c.place, " ")
	if !named {
		unit, number = "", unit
	}
	n, err := strconv.Atoi(number[strings.LastIndexByte(number, '-')+1:])
	for at, line := range d.Lines() {
		where := d.Where(at)
		part, nth, _ := strings.Cut(where, " ")
		last, _ := strconv.Atoi(nth)
		switch {
		case err == nil && last >= n && (unit == "" || strings.TrimSuffix(unit, "s") == part), where == c.place,
			err != nil && slices.Contains(strings.Fields(notInPlace.Replace(line)), c.place):
			return &Place{File: d.Name, Line: d.Line(at), Text: oneLine(line, 200)}
		}
	}
	return nil
}
