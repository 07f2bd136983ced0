package trace

import (
	"slices"
	"strings"
	"sync"

	"blackboard/board/words"
)

// placeWords stand before a number that counts a part of a document.
var placeWords = lazySet(`page pages p pp section sections sec table tables figure figures fig chapter
	chapters ch appendix annex exhibit step steps item items footnote note line lines no
	nr number part parts paragraph paragraphs para finding findings recommendation
	recommendations question questions option options point row rows column slide sheet
	volume vol issue article art clause cl cls schedule attachment phase tier level task § §§ #`)

// structureWords are what a report counts of itself.
var structureWords = lazySet(`section sections chapter chapters table tables figure figures
	appendix appendices annexes page pages part parts recommendation recommendations step steps
	paragraph paragraphs heading headings bullet bullets column columns reason reasons theme
	themes topic topics conclusion conclusions question questions finding findings area areas
	matter matters takeaway takeaways way ways observation observations priority priorities option options point
	points thing things following`)

// materials are what a report says at its beginning that it rests on.
var materials = lazySet("documents papers files sources records texts")

// lazySet is a set that is made when it is first needed, not when a process starts.
func lazySet(list string) func() map[string]bool {
	return sync.OnceValue(func() map[string]bool { return words.SetOf(list) })
}

// readNumbers reads dates, times and amounts.
func (fr *factReader) readNumbers(u *unit) {
	for i := range fr.scan.Lexemes {
		l := &fr.scan.Lexemes[i]
		if l.Kind != words.Number || fr.isTaken(l) {
			continue
		}
		switch l.Want[0][0] {
		case 'd':
			if fr.ownDate(u) {
				fr.take(l.Start, l.End)
				continue
			}
			fr.add(fact{kind: KindDate, start: l.Start, end: l.End, keys: l.Want})
			fr.take(l.Start, l.End)
		case 't':
			if _, ok := readDuration(&fr.scan, i); ok {
				continue // 3:20 h
			}
			fr.add(fact{kind: KindTime, start: l.Start, end: l.End, keys: l.Want})
			fr.take(l.Start, l.End)
		}
	}
	fr.found = amounts(&fr.scan, fr.found[:0])
	skipped := -1 // the amount that was passed over last
	for i := range fr.found {
		a := &fr.found[i]
		l := &fr.scan.Lexemes[a.first]
		if fr.isTaken(l) {
			continue
		}
		if fr.isStructural(u, a, skipped >= 0 && skipped == i-1) {
			skipped = i
			continue
		}
		if fr.isVersion(a) {
			fr.add(fact{kind: KindIdentifier, start: l.Start, end: l.End,
				tokens: []string{token(l)}})
			continue
		}
		f := fact{start: a.start, end: a.end,
			amount: inContext(fr.units, u, fr.found, i)}
		f.kind = f.amount.kind()
		f.amount.as = &operand{text: fr.scan.Text[a.start:a.end],
			ofMany: eachBefore(&fr.scan, a.first)}
		if isYear(fr.scan.Surface(*l)) && a.dim == "" && a.bound == 0 {
			if u.heading || a.nouns[0] != "" && fr.yearless(a) {
				if u.heading {
					continue
				}
			} else {
				f.kind, f.keys = KindDate, []string{l.Keys[0]}
			}
		}
		fr.add(f)
	}
}

// isVersion reports whether a number is one of a version: release 2.3, the 8.12 release.
func (fr *factReader) isVersion(a *amount) bool {
	l := &fr.scan.Lexemes[a.first]
	if l.Kind != words.Number || a.dim != "" || !strings.Contains(fr.scan.Surface(*l), ".") {
		return false
	}
	for _, k := range []int{a.first - 1, a.first + 1} {
		if k < 0 || k >= len(fr.scan.Lexemes) || !versionWords()[fr.scan.Lexemes[k].Plain] {
			continue
		}
		if first, second := min(k, a.first), max(k, a.first); fr.scan.Near(fr.scan.Lexemes[first],
			fr.scan.Lexemes[second], "") {
			return true
		}
	}
	return false
}

var versionWords = lazySet("release version build")

// inContext returns a figure with the unit that a header or a label of its table has, if it has no unit or noun of its
// own.
func inContext(units []unit, u *unit, all []amount, i int) amount {
	a := all[i]
	if a.dim != "" || a.nouns[0] != "" {
		return a
	}
	a.inUnitOfTable(units, u)
	return a
}

var comparatives = lazySet("more less fewer longer shorter later earlier higher lower")

// ownDate reports whether a unit says when the report was written.
func (fr *factReader) ownDate(u *unit) bool {
	i := fr.unit
	for i > 0 && fr.units[i-1].report == u.report {
		i--
	}
	if fr.unit-i > 5 || len(u.headings) > 1 {
		return false
	}
	text := strings.TrimRight(u.text(), " *_")
	short := fr.unit-i <= 2 && len(u.headings) == 1 && len(fr.scan.Lexemes) <= 10 &&
		!strings.HasSuffix(text, ".")
	return u.heading || short || slices.ContainsFunc(fr.scan.Lexemes, func(l words.Lexeme) bool {
		return ownDates()[l.Plain]
	})
}

var ownDates = lazySet(
	`report version draft date dated prepared status author authors written revision memo`)

// yearBefore are words that stand before a year.
var yearBefore = lazySet(
	`in of since by from until before after during to fy the year and between q1 q2 q3 q4`)

// yearless reports whether a number that looks like a year counts something, as no word such as in or since is before
// it: 2000 customers.
func (fr *factReader) yearless(a *amount) bool {
	return a.first == 0 ||
		!yearBefore()[fr.scan.Lexemes[a.first-1].Plain]
}

func isYear(s string) bool { return len(s) == 4 && words.Digits(s) && s >= "1800" && s < "2200" }

// isStructural reports whether a number belongs to the form of the report: a page, a
// reference, a row's number, a count of its own parts, or a word that is hardly a
// number.
func (fr *factReader) isStructural(u *unit, a *amount, after bool) bool {
	l := &fr.scan.Lexemes[a.first]
	text := u.text()
	var before string
	if a.first > 0 && fr.scan.Near(fr.scan.Lexemes[a.first-1], *l, ".#§") {
		before = fr.scan.Lexemes[a.first-1].Plain
	}
	plain := a.dim == ""
	switch {
	case plain && placeWords()[before],
		plain && a.nouns[0] == "" && afterFile(text[:l.Start]),
		plain && strings.HasSuffix(strings.TrimRight(text[:l.Start], " \u00a0"), "§"):
		return true
	case after && plain && a.first > 0 && l.Start-fr.found[0].start < 200 &&
		strings.Trim(text[max(0, l.Start-5):l.Start], " ,–-andto0123456789") == "":
		return true
	case plain && len(fr.scan.Surface(*l)) > 1 && strings.HasPrefix(fr.scan.Surface(*l), "0") &&
		!strings.ContainsAny(fr.scan.Surface(*l), ".,"):
		return true // site 07
	case (a.raw < 1000 || a.dim != "") && fr.ofWords(l):
		return true // three quarters, half an hour
	case l.Kind == words.Word: // spelled out
		return slices.ContainsFunc(fr.scan.Lexemes, func(x words.Lexeme) bool { return x.Plain == "would" }) ||
			a.raw < 2 || a.raw == a.value && a.dim != "" || fr.isFraction(a) || plain &&
			(a.nouns[0] == "" || a.value < 3) ||
			fr.ownCount(a) || a.first == 0 && len(fr.scan.Lexemes) > 1 &&
			materials()[fr.scan.Lexemes[1].Plain] // six papers were read
	case plain && a.nouns[0] != "" && a.value <= 20 && a.step >= 1 && fr.ownCount(a):
		return true
	case u.row > 0 && plain && l.Start < len(text) && a.value == float64(u.row) &&
		len(u.cells) > 0 && fr.isFirstCell(u, l.Start):
		return true
	}
	return false
}

// afterFile reports whether a text ends in the name of a file, and a place in it perhaps
// begun: "auth.md 3-" before the 4.
func afterFile(text string) bool {
	all := strings.Fields(text)
	for i := len(all) - 1; i >= max(0, len(all)-3); i-- {
		if strings.Trim(all[i], "0123456789,–-") != "" {
			return fileName.MatchString(strings.Trim(all[i], "`*_()[]\"'"))
		}
	}
	return false
}

// ofWords reports whether a number is a fraction that is spelled out.
func (fr *factReader) ofWords(l *words.Lexeme) bool {
	return l.Kind == words.Number && slices.ContainsFunc(words.Split(fr.scan.Surface(*l), ""),
		func(w string) bool { return fractions()[w] })
}

// isFraction reports whether a number word is part of a fraction: three quarters, two in
// three.
func (fr *factReader) isFraction(a *amount) bool {
	at := func(k int) string {
		if k < 0 || k >= len(fr.scan.Lexemes) {
			return ""
		}
		return fr.scan.Lexemes[k].Plain
	}
	if every := at(a.first - 1); (every == "every" || every == "or" && at(a.first-3) == "every") &&
		a.first > 1 {
		return true // one for every six or seven
	}
	next := at(a.first + 1)
	if w := at(a.first - 2); at(a.first-1) == "in" && a.first > 2 && w != "" &&
		fr.scan.Lexemes[a.first-2].Kind == words.Word && len(fr.scan.Lexemes[a.first-3].Keys) > 1 {
		return true
	}
	return fractions()[next] || next == "out" && at(a.first+2) == "of" ||
		next == "in" && len(fr.scan.Lexemes) > a.first+2 &&
			fr.scan.Lexemes[a.first+2].Kind == words.Word &&
			len(fr.scan.Lexemes[a.first+2].Keys) > 1 ||
		at(a.first-1) == "in" && a.first > 1 && len(fr.scan.Lexemes[a.first-2].Keys) > 1 ||
		at(a.first-1) == "of" && a.first > 2 && at(a.first-2) == "out"
}

var fractions = lazySet(`half halves third thirds quarter quarters fifth fifths sixth sixths
	eighth eighths tenth tenths`)

func (fr *factReader) ownCount(a *amount) bool {
	for k := a.first + 1; k <= a.first+2 && k < len(fr.scan.Lexemes); k++ {
		if structureWords()[fr.scan.Lexemes[k].Plain] {
			return true
		}
	}
	return false
}

func (fr *factReader) isFirstCell(u *unit, at int) bool {
	return len(u.cells) < 2 || u.start+at < u.cells[1]
}
