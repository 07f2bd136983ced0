package trace

import (
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"blackboard/board/words"
)

var functionWords = sync.OnceValue(func() map[string]bool { return words.SetOf(words.FunctionWords) })

// noNames are words in capitals that name no thing of which a report could be wrong.
var noNames = sync.OnceValue(func() map[string]bool {
	return words.SetOf(
		words.FunctionWords + " " + `monday tuesday wednesday thursday friday saturday sunday
	mondays tuesdays wednesdays thursdays fridays saturdays sundays whoever whatever whichever whenever
	wherever january february march april may june july august september october november december jan feb
	mar apr jun jul aug sep sept oct nov dec utc gmt cet cest est edt pst pdt tbd tbc n/a na ok
	yes no none total note however therefore thus also both each all no any some most many few
	several other another such only even still yet mr mrs ms dr prof ceo cto cfo coo christmas
	easter ramadan passover thanksgiving vp inc ltd llc gmbh corp co plc ag sa usd eur gbp chf cad
	aud jpy cny inr`,
	)
})

// endings of words that are hardly names.
var commonEndings = lazyFields(`ing ly ed tion tions sion sions ment ments ness ity ities ous ive
	able ible ance ence ers ies ism ful less wards`)

func lazyFields(list string) func() []string {
	return sync.OnceValue(func() []string { return strings.Fields(list) })
}

// looksCommon reports whether a word that a sentence begins with is likely no name.
func looksCommon(plain string) bool {
	return knownWord(plain) || words.IsCommon(plain) ||
		slices.ContainsFunc(commonEndings(), func(e string) bool {
			return len(plain) > len(e)+2 && strings.HasSuffix(plain, e)
		})
}

// knownWord reports whether a word is common in texts in general.
func knownWord(w string) bool {
	terms, known := 0, false
	new(words.Analyzer).Terms(w, func(term string, extra bool) {
		if !extra {
			terms++
			known = words.Prior(term) > words.Prior("\x02")
		}
	})
	return terms == 1 && known && strings.ContainsFunc(w, unicode.IsLetter)
}

// readNames reads the names of a unit, and returns which lexemes they are.
func (fr *factReader) readNames(u *unit) (at []int) {
	title := u.heading || u.row < 0 || fr.titleCase()
	text := u.text()
	all := fr.scan.Lexemes
	for i := 0; i < len(all); i++ {
		if !fr.nameWord(&all[i]) {
			continue
		}
		j := fr.nameEnd(i)
		first, last := i, j
		i = j
		begins := first == 0 || fr.beginsSentence(u, all[first-1].End, all[first].Start)
		for first <= last && (noNames()[all[first].Plain] || begins && last > first &&
			looksCommon(all[first].Plain) && !acronym(fr.scan.Surface(all[first]))) {
			first, begins = first+1, false
		}
		if begins && last > first+1 && all[first+1].Plain == "of" { // Revenue of Ironworks
			first, begins = first+2, false
		}
		for last >= first && noNames()[all[last].Plain] {
			last--
		}
		if first > last {
			continue
		}
		f := fact{
			kind:     KindName,
			start:    all[first].Start,
			end:      all[last].End,
			optional: begins && first == last,
		}
		weak := f.optional && (looksCommon(all[first].Plain) || !fr.isSubject(first))
		for k := first; k <= last; k++ {
			if !weak {
				at = append(at, k)
			}
			if t := token(&all[k]); t != "" {
				f.tokens = append(f.tokens, t)
			}
		}
		for _, possessive := range []string{"'s", "’s"} {
			if strings.HasSuffix(text[f.start:f.end], possessive) {
				f.end -= len(possessive)
			}
		}
		surface := text[f.start:f.end]
		if title || weak || len(f.tokens) == 0 ||
			len(f.tokens) == 1 && fr.noFact(surface, all, first) {
			continue
		}
		fr.add(f)
	}
	return at
}

// noFact reports whether a name of one word is none that needs support.
func (fr *factReader) noFact(surface string, all []words.Lexeme, i int) bool {
	if utf8.RuneCountInString(surface) < 2 {
		return true
	}
	if slices.ContainsFunc(all[i].Keys, func(k string) bool {
		return k[0] == 'n' ||
			k[0] == 'o'
	}) {
		return true // Seventeen
	}
	if acronym(surface) {
		if knownWord(surface) || fr.defined[surface] {
			return true
		}
	}
	return false
}

// isSubject reports whether a word that a sentence begins with is followed by what a name
// at its beginning is followed by, or ends a cell.
func (fr *factReader) isSubject(i int) bool {
	surface := fr.scan.Surface(fr.scan.Lexemes[i])
	if strings.HasSuffix(surface, "'s") || strings.HasSuffix(surface, "’s") ||
		strings.ContainsFunc(surface[1:], unicode.IsUpper) ||
		i+1 == len(fr.scan.Lexemes) {
		return true
	}
	gap, ok := fr.gap(i)
	if !ok || strings.ContainsAny(gap, "|,(") {
		return true
	}
	next := fr.scan.Lexemes[i+1]
	if next.Kind != words.Word {
		return false
	}
	return verbs()[next.Plain] || strings.HasSuffix(next.Plain, "ed") ||
		strings.HasSuffix(next.Plain, "s") && !strings.HasSuffix(next.Plain, "ss")
}

var verbs = lazySet(`is was has had will would can could may might did does and said says told sold
	bought won lost made paid built took gave wrote ran`)

func acronym(s string) bool {
	return len(s) >= 2 && len(s) <= 6 && strings.ToUpper(s) == s &&
		!strings.ContainsAny(s, "0123456789")
}

func (fr *factReader) nameWord(l *words.Lexeme) bool {
	return l.Kind == words.Word && fr.scan.Capital(*l) && !fr.isTaken(l)
}

// nameEnd returns the last lexeme of the name that begins with lexeme i.
func (fr *factReader) nameEnd(i int) int {
	all := fr.scan.Lexemes
	for i+1 < len(all) && i < 1<<20 {
		gap, ok := fr.gap(i)
		surface := fr.scan.Surface(all[i])
		if !ok || strings.HasSuffix(surface, "'s") || strings.HasSuffix(surface, "’s") {
			break
		}
		switch gap {
		case " ", "\n", "-", "-\n", " & ", "&":
		case ". ":
			if utf8.RuneCountInString(surface) > 1 && !shortForms()[all[i].Plain] {
				return i
			}
		default:
			return i
		}
		if fr.nameWord(&all[i+1]) {
			i++
			continue
		}
		if i+2 < len(all) &&
			slices.Contains([]string{"of", "de", "van", "von", "der", "di"}, all[i+1].Plain) &&
			gap == " " &&
			fr.nameWord(&all[i+2]) {
			i += 2
			continue
		}
		break
	}
	return i
}

// gap returns what stands between a lexeme and the next one, without emphasis; false if that is longer than four bytes.
func (fr *factReader) gap(i int) (string, bool) {
	a, b := fr.scan.Lexemes[i], fr.scan.Lexemes[i+1]
	if b.Start < a.End || b.Start-a.End > 4 {
		return "", false
	}
	return strings.Trim(fr.scan.Text[a.End:b.Start], "*_"), true
}

// beginsSentence reports whether what stands between two places begins something new,
// so that a capital says nothing.
func (fr *factReader) beginsSentence(u *unit, from, to int) bool {
	return from < to && strings.ContainsAny(u.text()[from:to], ".:!?|;\"“([—•")
}

// titleCase reports whether a unit is written like a title, in which capitals say
// nothing.
func (fr *factReader) titleCase() bool {
	capital, all := 0, 0
	for i := range fr.scan.Lexemes {
		l := &fr.scan.Lexemes[i]
		if l.Kind != words.Word || functionWords()[l.Plain] {
			continue
		}
		all++
		if r, _ := utf8.DecodeRuneInString(fr.scan.Surface(*l)); unicode.IsUpper(r) {
			capital++
		}
	}
	return all >= 4 && capital*5 >= all*4
}
