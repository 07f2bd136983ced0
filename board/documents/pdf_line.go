package documents

import (
	"math"
	"strings"
	"unicode"
)

// Distances from one character to the next, in heights of the font: another line, a
// blank, and so much that it is another cell of a table, beside a blank of a justified
// line as well.
const (
	pdfNextLine  = 0.6
	pdfGap       = 0.18
	pdfCell      = 1.2
	pdfStretched = 2
)

// maxPDFSpaced is how many characters may be set apart one by one to be words by
// themselves, as Ghostscript draws blanks. More of them are a word with wide letters.
const maxPDFSpaced = 3

// pdfMark is a character on a line.
type pdfMark struct {
	text  string
	gap   float64 // before it, in heights of the font; what spacing made included
	after float64 // what spacing adds behind it
}

// pdfLine collects the characters of a line.
type pdfLine struct {
	marks []pdfMark
	x, y  float64 // where the last one ended
}

// isOnOtherLine reports whether a character at a place is on another line.
func (l *pdfLine) isOnOtherLine(at pdfMatrix, height float64) bool {
	_, across := l.distance(at)
	return len(l.marks) > 0 && math.Abs(across) > pdfNextLine*height
}

// distance returns how far a place is from where the last character ended, along the text
// and across it: it may be turned.
func (l *pdfLine) distance(at pdfMatrix) (along, across float64) {
	x, y := at[4]-l.x, at[5]-l.y
	length := math.Hypot(at[0], at[1])
	if length == 0 {
		return x, y
	}
	cos, sin := at[0]/length, at[1]/length
	return x*cos + y*sin, y*cos - x*sin
}

// add adds a character at a place, of a font of this height; spacing is what is added behind it.
func (l *pdfLine) add(text string, at pdfMatrix, height, spacing float64) {
	if height == 0 || math.IsNaN(height) {
		height = 1
	}
	m := pdfMark{text: text, after: spacing / height}
	if len(l.marks) > 0 {
		along, _ := l.distance(at)
		m.gap = along / height
	}
	l.marks = append(l.marks, m)
}

// end says where the last character ends.
func (l *pdfLine) end(at pdfMatrix) { l.x, l.y = at[4], at[5] }

// take returns the text of the line, and begins a new one.
func (l *pdfLine) take() string {
	var b strings.Builder
	for from := 0; from < len(l.marks); {
		to := from + 1
		for to < len(l.marks) && l.marks[to].after == l.marks[from].after {
			to++
		}
		if isWide(l.marks[from:to]) {
			for i := from + 1; i <= to && i < len(l.marks); i++ {
				l.marks[i].gap -= l.marks[from].after
			}
		}
		from = to
	}
	for i, m := range l.marks {
		cell := pdfCell
		if i > 0 && l.marks[i-1].text == " " {
			cell = pdfStretched
		}
		switch {
		case m.gap > cell && m.text != " " && i > 0:
			b.WriteString(" | ")
		case m.gap > pdfGap || m.gap < -1:
			b.WriteByte(' ')
		}
		b.WriteString(m.text)
	}
	l.marks = l.marks[:0]
	return strings.Join(strings.Fields(b.String()), " ")
}

// isWide reports whether characters that are spaced alike are a word with wide letters:
// there are many of them, most are letters or digits, and none are close together.
func isWide(marks []pdfMark) bool {
	if len(marks) <= maxPDFSpaced || marks[0].after <= 0 {
		return false
	}
	letters := 0
	for i, m := range marks {
		if i > 0 && m.gap < pdfGap {
			return false
		}
		if strings.IndexFunc(m.text, unicode.IsLetter) >= 0 ||
			strings.IndexFunc(m.text, unicode.IsDigit) >= 0 {
			letters++
		}
	}
	return 2*letters > len(marks)
}
