package words

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// This file reads the claims of a text, its sentences and figures, so that two texts
// about one thing can be compared. It compares words, not meaning.

// Limits of what is read.
const (
	maxClaims    = 64 << 10 // bytes of a text
	maxFigures   = 200
	maxSentences = 200
)

// Assertions are the figures, sentences and stems of a text, for finding contradictions.
type Assertions struct {
	Figures   []Figure
	Sentences []Sentence
	Stems     map[string]bool // of all words
}

// A token is a word, a number or a mark.
type token struct {
	text  string // as it stands
	low   string
	stem  string // "": a function word, a number or a mark
	glued bool   // nothing stands between it and the word before
}

// tokens keeps together what means one thing: 2026-03-23, v1.2, $1,000, 5%, don't,
// foo.go, read/write. All other marks are there to end sentences, ranges and parts.
var tokens = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(
		`\d{4}-\d{2}(?:-\d{2})?\b|[vV]\d+(?:\.\d+)*\b|[$€£]?\d+(?:,\d{3})*(?:\.\d+)*%?|[\p{L}_][\p{L}\p{N}_]*(?:[./'’][\p{L}\p{N}_]+|-\d[\p{L}\p{N}_]*)*|%|§|[.!?;,:()=<>≤≥~≈\n–—-]+`)
})

// ReadClaims reads the figures, sentences and stems of a text, up to the limits above. A sentence also ends at "but",
// "whereas" and "while", where a negation ends.
func ReadClaims(title, body string) *Assertions {
	text := strings.ToValidUTF8(body, " ")
	if title := strings.ToValidUTF8(title, " "); !strings.HasPrefix(text,
		strings.TrimSuffix(title, "…")) {
		text = title + ".\n" + text // a title is often the first sentence of the body
	}
	if len(text) > maxClaims {
		text = strings.ToValidUTF8(text[:maxClaims], "")
	}
	cl := &Assertions{Stems: map[string]bool{}}
	var words []token
	flush := func() {
		if len(words) > 0 && len(cl.Sentences) < maxSentences {
			cl.sentence(words)
		}
		words = nil
	}
	end := 0
	for _, m := range tokens().FindAllStringIndex(text, -1) {
		s := text[m[0]:m[1]]
		w := token{text: s, low: strings.ToLower(strings.ReplaceAll(s, "’", "'")),
			glued: m[0] == end && m[0] > 0}
		end = m[1]
		if len(words) >= 200 { // no sentence, and costly
			flush()
		}
		if abbreviates(words, s, text[m[1]:]) {
			if last := &words[len(words)-1]; last.low == "no" {
				last.low, last.stem = "no.", "" // of a number: it denies nothing
			}
			if s = s[1:]; s == "" {
				continue
			}
			w.text, w.low = s, s
		}
		if strings.Trim(s, ".!?;\n") != s || w.low == "but" ||
			w.low == "whereas" || w.low == "while" {
			flush()
			continue
		}
		if strings.HasSuffix(w.low, "n't") || w.low == "cannot" { // two words in one
			words = append(words, token{text: s, low: "not"})
			continue
		}
		w.stem = claimStem(w.low)
		words = append(words, w)
	}
	flush()
	for i := range cl.Sentences {
		cl.figuresOf(&cl.Sentences[i])
	}
	for i := range cl.Figures {
		if len(cl.Figures[i].Context) == 0 { // "30 s." says of what in the title
			cl.Figures[i].Context = nearOf(readTitle(title))
		}
	}
	return cl
}

// abbreviations are words whose full stop does not end a sentence, in lower case.
var abbreviations = strings.Fields(
	`inc corp co ltd llc rev sec art vs mr mrs ms dr st jr sr approx dept ave blvd etc`)

// abbreviates reports whether a mark begins with the full stop of an abbreviation: what
// comes next goes on with the sentence. "The" does not, after "Inc.".
func abbreviates(words []token, mark, rest string) bool {
	if len(words) == 0 || mark[0] != '.' || strings.ContainsAny(mark, "\n!?;") {
		return false
	}
	last := words[len(words)-1].low
	next, _, _ := strings.Cut(strings.TrimLeft(rest, " "), " ")
	first, _ := utf8.DecodeRuneInString(next)
	switch {
	case next == "":
		return false
	case mark == "." && !strings.HasPrefix(rest, " "):
		return slices.Contains(abbreviations, last)
	case unicode.IsLower(first), mark != "." && strings.ContainsAny(mark, ",:"):
		return true
	case last == "no" || last == "nos":
		return unicode.IsDigit(first) || unicode.IsUpper(first) &&
			strings.ContainsFunc(next, unicode.IsDigit)
	}
	return slices.Contains(abbreviations, last) && !isStopword(strings.ToLower(next))
}

// stemsOf returns the stems of the words that are not function words.
func stemsOf(words []token) map[string]bool {
	m := map[string]bool{}
	for _, w := range words {
		if w.stem != "" {
			m[w.stem] = true
		}
	}
	return m
}

// readTitle reads a title as the context of a figure that has none of its own: no
// sentence is made of it.
func readTitle(title string) (words []token) {
	for _, s := range tokens().FindAllString(title, -1) {
		words = append(words, token{text: s, stem: claimStem(strings.ToLower(s))})
	}
	return words
}
