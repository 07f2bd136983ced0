package words

import (
	"math"
	"slices"
	"strconv"
	"strings"
)

// This file reads figures: numbers with their units, and versions. A number becomes a
// range in the base of its unit, so that "30 s" and "at most 5 minutes" can be
// compared, and "about 30" agrees with 29.

var (
	// amountScales are the spellings of a scale after an amount: m is for minutes, and
	// b for bytes.
	amountScales = []string{"k", "K", "thousand", "M", "million", "bn", "B", "billion"}
	// what follows names a place, not an amount
	placeWords = []string{"line", "lines", "page", "pages", "issue", "pr", "chapter", "section",
		"step", "item", "figure", "fig", "table",
		"rfc", "commit", "ticket", "bug", "ch", "no", "nr", "example", "case", "task", "§"}
	aboutWords = []string{"about", "around", "roughly", "approximately", "nearly", "almost",
		"~", "≈", "some", "circa"}
)

// readVersion reads v1.2, 1.2.3 and "version 2". A zero at the end says nothing: 1.2.0
// is 1.2.
func readVersion(words []token, i int) *Figure {
	w := words[i]
	v := strings.TrimLeft(w.low, "v")
	if !startsDigit(v) || v == w.low && strings.Count(v, ".") < 2 &&
		wordAt(words, i-1).low != "version" {
		return nil
	}
	for strings.HasSuffix(v, ".0") {
		v = strings.TrimSuffix(v, ".0")
	}
	return &Figure{Kind: "version", Version: v, Shown: w.text}
}

// readNumber reads a number in digits or spelled out, its scale and unit, a range of
// two, and what bounds it.
func readNumber(words []token, i int) (f *Figure, from, to int) {
	w := words[i]
	value, unit, ok := parseAmount(w.low)
	if !ok {
		return nil, 0, 0
	}
	at := func(k int) token { return wordAt(words, k) }
	before := at(i - 1).low
	if slices.Contains(placeWords, before) || w.glued && before == ":" &&
		strings.ContainsAny(at(i-2).low, "./") || w.glued && before == "-" && at(i-2).stem != "" {
		return nil, 0, 0 // line 42, foo.go:42, SHA-256
	}
	if inTime(words, i) || len(w.low) < 3 && Digits(w.low) && before == "(" && w.glued &&
		strings.HasPrefix(at(i+1).low, ")") {
		return nil, 0, 0 // 10:23, and (2) of a list
	}
	to = i + 1
	if at(to).low == "-" && at(to).glued && at(to+1).stem != "" && at(to+1).glued { // 30-second
		to++
	}
	shown := w.text
	if scale := at(to).text; slices.Contains(amountScales, scale) &&
		(at(to).glued || len(scale) > 2) {
		value *= math.Pow10(scaleOf(strings.ToLower(scale)))
		shown += gap(at(to)) + at(to).text
		to++
	}
	f = &Figure{Kind: "number", Lo: value, Hi: value, Unit: unit, Shown: shown}
	// 3-5, 3 to 5
	if d := at(to).low; (d == "-" || d == "–" || d == "to" || d == "and" && before == "between") &&
		to+1 < len(words) {
		if other, _ := strconv.ParseFloat(strings.ReplaceAll(at(to+1).low, ",",
			""), 64); other > value {
			f.Hi = other
			if d != "-" {
				d = " to "
			}
			f.Shown += d + at(to+1).text
			to += 2
		}
	}
	if unit == "" {
		to += f.measure(at(to))
	}
	return f, f.bound(words, i), to
}

// inTime reports whether a number is part of a time of day, 10:23.
func inTime(words []token, i int) bool {
	colon := func(k, digit int) bool {
		c, d := wordAt(words, k), wordAt(words, digit)
		return c.low == ":" && c.glued && startsDigit(d.low)
	}
	return colon(i+1, i+2) && wordAt(words, i+2).glued || colon(i-1, i-2) && words[i].glued
}

// parseAmount reads a word that is a number. Its unit is "" unless it is a part of the word:
// $5, 5%.
func parseAmount(word string) (value float64, unit string, ok bool) {
	// "one" is often no number
	if n := numerals()[word]; n.cardinal && n.value > 1 && n.value < 100 {
		return float64(n.value), "", true
	}
	number := strings.TrimLeft(word, "$€£")
	unit = word[:len(word)-len(number)]
	if s, percent := strings.CutSuffix(number, "%"); percent {
		unit, number = "%", s
	}
	if !startsDigit(number) {
		return 0, "", false
	}
	value, err := strconv.ParseFloat(strings.TrimRight(strings.ReplaceAll(number, ",", ""),
		"."), 64)
	return value, unit, err == nil
}

// measure reads the unit from the words after a number and returns how many words it
// read. Any other word names the counted things; figures clash only if those are the
// same.
func (f *Figure) measure(next token) int {
	if u, ok := unitOf(next.low); ok {
		if u.dim == "month" { // about so many seconds
			u.dim, u.of = "time", map[float64]float64{1: 2592000, 12: 31536000}[u.of]
		}
		f.Unit = u.dim
		f.Lo, f.Hi = f.Lo*u.of, f.Hi*u.of
		f.Shown += gap(next) + next.text
		return 1
	}
	if next.stem != "" && !next.glued && opposites()[next.stem] == "" {
		f.Unit = "#" + next.stem
		f.Shown += " " + next.text
	}
	return 0
}

// bound widens a figure by the words before it: at least 3, less than 3, about 3. It
// returns where they begin.
func (f *Figure) bound(words []token, i int) (from int) {
	from = i
	for k := i - 1; k >= max(0, i-3); k-- {
		switch low := words[k].low; {
		case hasPhrase(words, k, "at", "least"), hasPhrase(words, k, "more", "than"),
			slices.Contains([]string{"over", "≥", ">"}, low), low == "minimum" && k == i-1:
			f.Hi, from = math.Inf(1), k
		case hasPhrase(words, k, "at", "most"), hasPhrase(words, k, "less", "than"),
			hasPhrase(words, k, "fewer", "than"), hasPhrase(words, k, "up", "to"),
			slices.Contains([]string{"under", "within", "below", "≤", "<"}, low):
			f.Lo, from = math.Inf(-1), k
		case slices.Contains(aboutWords, low):
			f.Lo, f.Hi, from = f.Lo*0.9, f.Hi*1.1, k
		}
	}
	return from
}

func startsDigit(s string) bool { return s != "" && s[0] >= '0' && s[0] <= '9' }

// gap is the text between a word and the one before, to show a figure as written.
func gap(w token) string {
	if w.glued {
		return ""
	}
	return " "
}
