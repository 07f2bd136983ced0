package kb

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"blackboard/kb/index"
)

// This file says why two capsules that are about the same thing may contradict each other. It compares words, not meaning: somebody has to judge. It is
// of use only where something else (their cosine) has said that both are about one thing.
//
//	figures     numbers, versions and dates that differ, of the same unit, in a context that is the same
//	negation    a word that one of them negates, in sentences that are alike
//	opposites   enabled and disabled, always and never, before and after
//
// A figure that the other text has too, wherever, clashes with nothing, and neither does one that only one of them has.

// Limits of what is compared.
const (
	clashText    = 64 << 10 // bytes of a text
	clashFigures = 200
	clashSaid    = 200 // sentences
	clashReasons = 8
)

// clash returns the reasons, each short, with a's side first. Whether there are any does not depend on which is a.
func clash(a, b *Capsule) []string {
	if a.Title == b.Title && a.Body == b.Body {
		return nil
	}
	x, y := readClaims(a), readClaims(b)
	var out []string
	for _, reason := range slices.Concat(clashingFigures(x, y), clashingWords(x, y), clashingOrder(x, y)) {
		if out = once(out, reason, clashReasons); len(out) == clashReasons {
			break
		}
	}
	return out
}

// claims is what a text says, as far as it can be compared.
type claims struct {
	figures   []figure
	sentences []sentence
	stems     map[string]bool // of all words
}

type sentence struct {
	words []clashWord
	sides map[string]side // how a word is meant: as it stands, or negated
	aside map[string]bool // named only to be ruled out: "a digest, not a tag"
}

// clashWord is a word, a number or a mark.
type clashWord struct {
	text  string // as it stands
	low   string
	stem  string // "": a function word, a number or a mark
	glued bool   // nothing stands between it and the word before
}

// clashToken keeps together what means one thing: 2026-03-23, v1.2, $1,000, 5%, don't, foo.go, read-only. All other marks are there to end sentences, ranges and parts.
var clashToken = regexp.MustCompile(`\d{4}-\d{2}(?:-\d{2})?\b|[vV]\d+(?:\.\d+)*\b|[$€£]?\d+(?:,\d{3})*(?:\.\d+)*%?|[\p{L}_][\p{L}\p{N}_]*(?:[./'’][\p{L}\p{N}_]+|-\d[\p{L}\p{N}_]*)*|[.!?;,:()=<>≤≥~≈\n–—-]+`)

// readClaims cuts a text into sentences, also where one says two things: at "but", "whereas", "while". A negation is to reach no further.
func readClaims(c *Capsule) *claims {
	text := strings.ToValidUTF8(c.Body, " ")
	if title := strings.ToValidUTF8(c.Title, " "); !strings.HasPrefix(text, strings.TrimSuffix(title, "…")) {
		text = title + ".\n" + text // a title is often the first sentence of the body
	}
	text = firstBytes(text, clashText)
	cl := &claims{stems: map[string]bool{}}
	var words []clashWord
	flush := func() {
		if len(words) > 0 && len(cl.sentences) < clashSaid {
			cl.sentence(words)
		}
		words = nil
	}
	end := 0
	for _, m := range clashToken.FindAllStringIndex(text, -1) {
		s := text[m[0]:m[1]]
		w := clashWord{text: s, low: strings.ToLower(strings.ReplaceAll(s, "’", "'")), glued: m[0] == end && m[0] > 0}
		end = m[1]
		if len(words) >= 200 { // no sentence, and costly
			flush()
		}
		if strings.Trim(s, ".!?;\n") != s || w.low == "but" || w.low == "whereas" || w.low == "while" {
			flush()
			continue
		}
		if strings.HasSuffix(w.low, "n't") || w.low == "cannot" { // two words in one
			words = append(words, clashWord{text: s, low: "not"})
			continue
		}
		w.stem = clashStem(w.low)
		words = append(words, w)
	}
	flush()
	for i := range cl.sentences {
		cl.figuresOf(&cl.sentences[i])
	}
	for i := range cl.figures {
		if len(cl.figures[i].context) == 0 { // "30 s." says of what in the title
			cl.figures[i].context = nearOf(clashTitle(c.Title))
		}
	}
	return cl
}

// stemsOf is what is spoken of: the stems of what is not a function word.
func stemsOf(words []clashWord) map[string]bool {
	m := map[string]bool{}
	for _, w := range words {
		if w.stem != "" {
			m[w.stem] = true
		}
	}
	return m
}

// clashStop are words that two texts may share without being alike, beside the function words.
var clashStop = func() map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(`nor so also just only very now not no never without none neither before after always about around roughly approximately nearly over under up least most
		more less per each every all any some both either such own same other into onto out off via using because since until till though although however therefore rather instead
		longer s t re ve ll one`) {
		m[w] = true
	}
	return m
}()

// clashStopped says whether a word says nothing of what a text is about.
func clashStopped(w string) bool { return clashStop[w] || index.IsFunctionWord(w) }

// clashStem takes the endings of a word off, as little as it takes for "retries" and "retried" to be one. It is "" for a function word and for what is no word.
func clashStem(w string) string {
	if clashStopped(w) || !strings.ContainsFunc(w, unicode.IsLetter) {
		return ""
	}
	if strings.ContainsAny(w, "._/0123456789") { // a name
		return w
	}
	w = strings.TrimSuffix(strings.ReplaceAll(w, "-", ""), "'s")
	cut := func(end, with string, left int) bool {
		if s, ok := strings.CutSuffix(w, end); ok && len(s) >= left {
			w = s + with
			return true
		}
		return false
	}
	_ = cut("ies", "y", 2) || cut("sses", "ss", 1) || cut("xes", "x", 2) || cut("ches", "ch", 2) || cut("shes", "sh", 2) || !strings.HasSuffix(w, "ss") && !strings.HasSuffix(w, "us") && !strings.HasSuffix(w, "is") && cut("s", "", 2)
	if !cut("ied", "y", 2) && (cut("ed", "", 3) || cut("ing", "", 3)) {
		if n := len(w); n > 3 && w[n-1] == w[n-2] && !strings.ContainsRune("lsz", rune(w[n-1])) {
			w = w[:n-1]
		}
	}
	if n := len(w); n > 3 && w[n-1] == 'e' {
		w = w[:n-1]
	}
	return w
}
