package words

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func TestLanguageOf(t *testing.T) {
	for _, c := range []struct {
		text string
		want Languages
	}{
		{"The queue is read by one worker, and the others wait for it.", 0},
		{"La sauvegarde de la base est vide: le script a été lancé avant le montage.", French},
		{"La copia de seguridad no se restaura porque el archivo estaba cifrado.", Spanish},
		{"Servern nekar anslutningen på natten, och vi vet inte varför det är så.", Swedish},
		{"Serveren avviser tilkoblingen om natten, og vi vet ikke hvorfor det er slik.",
			Norwegian},
		{"Der Server ist in der Nacht nicht erreichbar, und man weiß nicht, warum.", 0},
		{"Резервная копия не восстанавливается.", 0},
		{"for i in range(10): me.do(no, on, as)", 0},
		{"panic: runtime error", 0},
		{"", 0},
	} {
		if got := LanguageOf(c.text); got != c.want {
			t.Errorf("%q is of %b, want %b", c.text, got, c.want)
		}
	}
	for _, c := range []struct {
		text string
		want Languages
		sure bool
	}{
		{"connection pool", AnyLanguage, false},
		{"how is the pool closed", 0, false},
		{"copias de seguridad", AnyLanguage, true},
		{"copias en el servidor", Spanish, true},
		{"varför nekas vi", Swedish | Norwegian, true},
	} {
		if got, sure := LanguagesOfQuery(c.text); got != c.want || sure != c.sure {
			t.Errorf("%q is of %b, %v, want %b, %v", c.text, got, sure, c.want, c.sure)
		}
	}
}

// TestIsEnglish: a word that two languages have, an initial and a symbol speak for neither.
func TestIsEnglish(t *testing.T) {
	for text, want := range map[string]bool{
		"alarm SMS to on-call J. Brandt not delivered: gateway timeout after 30 s": true,
		"chiller A tripped, code E-417":                                            true,
		"An interim analysis takes place after 206 participants":                   true,
		"The α-blocker lowers the rate":                                            true,
		"α = 5":                                                                    true,
		"Ein Löschkonzept gibt es":                                                 false,
		"Die Rechnung ist nicht bezahlt":                                           false,
		"La reunión es cada tres meses":                                            false,
		"Le contrat n'est pas signé":                                               false,
		"Møtet er ikke avholdt":                                                    false,
		"Насос не остановлен":                                                      false,
		"承認されていない":                                                                 false,
	} {
		if IsEnglish(text) != want {
			t.Errorf("%s: %v", text, !want)
		}
	}
}

// TestTermsIn: words in other forms, and without their accents, have one stem in their
// language, and the terms that all texts have stay as they are.
func TestTermsIn(t *testing.T) {
	var a Analyzer
	stems := func(l Languages, text string) (of []string) {
		var plain []string
		a.TermsIn(l, text, func(term string, extra bool) {
			if !strings.HasPrefix(term, StemMark) {
				plain = append(plain, term)
				return
			}
			if !extra {
				t.Errorf("%q counts for the length", term)
			}
			of = append(of, term[len(StemMark)+1:])
		})
		if want := strings.Fields(strings.Join(analyzed(&a, text), " ")); l != 0 &&
			len(plain) < len(want) {
			t.Errorf("%q: %q", text, plain)
		}
		return of
	}
	for _, c := range []struct {
		in   Languages
		text string
	}{
		{Spanish, "comunicación comunicaciones comunicacion"},
		{Spanish, "restaura restaurando restaurado"},
		{French, "chantée chanter chantées chantee"},
		{French, "qualité qualités qualites"},
		{Swedish, "anslutning anslutningen anslutningar anslutningarna"},
		{Norwegian, "tilkobling tilkoblingen tilkoblinger"},
	} {
		all := stems(c.in, c.text)
		if len(all) != len(strings.Fields(c.text)) ||
			len(slices.Compact(slices.Sorted(slices.Values(all)))) > 1 {
			t.Errorf("%q has the stems %q", c.text, all)
		}
	}
	if all := stems(AnyLanguage, "v1.2.3 abc 42 "+strings.Repeat("long", 40)); len(all) != 0 {
		t.Errorf("%q", all)
	}
	if all := stems(0, "comunicaciones"); all != nil {
		t.Errorf("%q", all)
	}
}

// TestStemsBeginAsTheirWords: a snippet looks at no word that begins as none of the terms that are looked for.
func TestStemsBeginAsTheirWords(t *testing.T) {
	all := strings.Fields(FunctionWords + commonWords + claimWords + everydayTerms + `skis dying lying tying idly gently
		ugly early only singly news howe atlas cosmos bias andes yes yell eye aye uuu iii`)
	for line := range strings.Lines(priorTable) {
		all = append(all, strings.Fields(line)[1:]...)
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		word := make([]byte, 1+random.IntN(14))
		for i := range word {
			word[i] = "aeiouybcdfghjklmnpqrstvwxz"[random.IntN(26)]
		}
		all = append(all, string(word)+[]string{"", "s", "ing", "ation", "ally", "ees", "iones", "heten", "iere"}[random.IntN(9)])
	}
	var a Analyzer
	for _, word := range all {
		if strings.ContainsFunc(word, func(r rune) bool { return r < 'a' || r > 'z' }) {
			continue
		}
		a.TermsIn(AnyLanguage, word, func(term string, _ bool) {
			begins := term
			if strings.HasPrefix(term, StemMark) {
				begins = term[len(StemMark)+1:]
			}
			if begins == "" || begins[0] != word[0] {
				t.Errorf("%s has the term %q", word, term)
			}
		})
	}
}
