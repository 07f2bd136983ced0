package trace

import (
	"strings"
	"unicode"

	"blackboard/board/text"
	"blackboard/board/words"
)

// unitMark is where a header or a label says in which unit its figures are: "Revenue
// (EUR m)", "Latency, in ms".
var unitMark = text.NewRegexp(`\(([^()]{1,20})\)|\bin ([^\s|,]{1,12}(?: [a-z]{1,9})?)|([$€£¥%])`)

var headerScales = map[string]float64{"m": 1e6, "mn": 1e6, "mio": 1e6, "million": 1e6,
	"millions": 1e6, "k": 1e3, "thousand": 1e3, "thousands": 1e3, "'000": 1e3, "000": 1e3,
	"bn": 1e9, "billion": 1e9, "billions": 1e9}

// headerUnit reads the unit of a header or a label.
func headerUnit(text string) (dim string, of float64, ok bool) {
	m := unitMark.FindStringSubmatch(text)
	if only := strings.Fields(strings.Trim(text, " |*_\t")); m == nil && len(only) == 1 {
		m = []string{"", only[0], "", ""} // a header that is a unit
	}
	if m == nil {
		return "", 0, false
	}
	of = 1
	parts := strings.FieldsFunc(strings.ToLower(m[1]+m[2]+m[3]),
		func(r rune) bool { return unicode.IsSpace(r) || r == '/' || r == '.' })
	for _, w := range parts {
		if symbol := strings.Trim(w, "abcdefghijklmnopqrstuvwxyz'0123456789"); symbol != "" &&
			strings.Contains("$€£¥%", symbol) {
			dim, w = symbol, strings.Replace(w, symbol, "", 1)
		}
		scale := headerScales[w]
		switch unit, by, known := words.Unit(w); {
		case currencies()[w] != "":
			dim = currencies()[w]
		case coins()[strings.TrimSuffix(w, "s")].of == 1 && len(w) > 2:
			dim = coins()[strings.TrimSuffix(w, "s")].dim
		case scale > 0 && (w != "m" || dim != ""):
			of *= scale
		case known && dim == "":
			dim, of = unit, by
		}
	}
	return dim, of, dim != "" || of != 1
}

// inUnitOfTable gives a figure of a table the unit that its column's header or its
// row's label has.
func (a *amount) inUnitOfTable(units []unit, u *unit) {
	if u.row < 1 {
		return
	}
	heads := []string{u.cell(0)}
	if u.header >= 0 {
		n := 0
		for n+1 < len(u.cells) && u.cells[n+1] <= u.start+a.start {
			n++
		}
		heads = append(heads, units[u.header].cell(n))
	}
	for _, head := range heads {
		if dim, of, ok := headerUnit(head); ok {
			a.dim, a.value, a.step = dim, a.value*of, a.step*of
			return
		}
	}
}

// cell is the text of a row's cell, "" if it has fewer.
func (u *unit) cell(n int) string {
	if n >= len(u.cells) {
		return ""
	}
	end := max(u.end, u.cells[n]) // of a row that is cut, the cell may be in the next unit
	if n+1 < len(u.cells) {
		end = u.cells[n+1]
	}
	return u.report.Text()[u.cells[n]:end]
}
