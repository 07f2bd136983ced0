package parse

import (
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestNextEnd holds the ends of sentences against the expression that says what they are.
func TestNextEnd(t *testing.T) {
	want := regexp.MustCompile(`[.!?]["')*\]_”]*(\[\^[^\]]*\])?[ \n]+[*("_]*`)
	rng := rand.New(rand.NewPCG(1, 2))
	pieces := []string{".", "!", "?", "\"", "'", ")", "*", "]", "_", "”", "[^1]", "[^", " ", "\n", "(", "a", "3", "é"}
	for range 20000 {
		var b strings.Builder
		for range rng.IntN(12) {
			b.WriteString(pieces[rng.IntN(len(pieces))])
		}
		var got [][]int
		for at := 0; ; {
			m := nextEnd(b.String(), at)
			if m == nil {
				break
			}
			got, at = append(got, m), m[1]
		}
		var all [][]int
		for _, m := range want.FindAllStringIndex(b.String(), -1) {
			all = append(all, m[:2])
		}
		if !slices.EqualFunc(got, all, slices.Equal[[]int]) {
			t.Fatalf("%q: %v, want %v", b.String(), got, all)
		}
	}
}

// TestQuickLooks holds the looks that spare an expression against the expression.
func TestQuickLooks(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 50000 {
		var b strings.Builder
		for range 1 + rng.IntN(8) {
			b.WriteByte("0123456789.,:-/aB)([>*+ T"[rng.IntN(25)])
		}
		s := b.String()
		if digit(rune(s[0])) && reStamp.MatchString(s) != isStamp(s) {
			t.Errorf("%q is a stamp, or none", s)
		}
		if trimmed := strings.TrimSpace(s); trimmed != "" && !mayBegin(trimmed) &&
			(reItem.MatchString(s) || reLogLine.MatchString(s) || reNumbered.MatchString(s)) {
			t.Errorf("%q begins an item", s)
		}
		if x := Tokenize(s); len(x) > 0 && !x[0].mayBeginFigure() {
			_, _, date := x.instant(0)
			if _, _, is := x.quantity(0); is || date {
				t.Errorf("%q begins a figure", s)
			}
		}
	}
	words := strings.Fields("a an half quarter noon midday midnight")
	words = slices.AppendSeq(slices.AppendSeq(words, maps.Keys(months())), maps.Keys(quarters()))
	words = slices.AppendSeq(words, maps.Keys(seasons))
	for _, of := range []map[string]float64{tens, SmallNumbers, ordinals} {
		words = slices.AppendSeq(words, maps.Keys(of))
	}
	for _, w := range words {
		if !(&Token{Kind: WordToken, Low: w, Text: w}).mayBeginFigure() {
			t.Errorf("%q may begin a figure", w)
		}
	}
}
