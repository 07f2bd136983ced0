package words

import (
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/kljensen/snowball/french"
	"github.com/kljensen/snowball/norwegian"
	"github.com/kljensen/snowball/russian"
	"github.com/kljensen/snowball/spanish"
	"github.com/kljensen/snowball/swedish"
)

// Languages are the languages whose stems an index has besides those of English.
// Russian is not among them, because its script identifies each word. Neither is
// Hungarian, although it has a stemmer: its endings differ by accents, which terms do
// not have.
type Languages uint8

const (
	// French and the others are told by function words and letters.
	French Languages = 1 << iota
	Spanish
	Swedish
	Norwegian

	// AnyLanguage is all of them.
	AnyLanguage = French | Spanish | Swedish | Norwegian
)

// StemMark is the first character of terms that are stems of one of the Languages, so
// that no word of a text equals one. The language's letter follows.
const StemMark = "\x01"

var languages = [...]struct {
	is         Languages
	letter     string
	stem       func(string, bool) string
	isFunction func(string) bool
	own        string // letters that few others have
	mend       *strings.Replacer
}{
	// Words come without accents, and some endings are known by theirs alone. A blank
	// is the end.
	{French, "f", french.Stem, french.IsStopWord, "éèêëàâçîïôûùœ", strings.NewReplacer(
		"ee ", "ée", "ees ", "ées", "ite ", "ité", "ites ", "ités", "iere ", "ière",
		"ieres ", "ières", "erent ", "èrent")},
	{Spanish, "s", spanish.Stem, spanish.IsStopWord, "áéíóúñ¿¡", strings.NewReplacer(
		"cion ", "ción", "sion ", "sión", "ia ", "ía", "ias ", "ías", "ian ", "ían")},
	{Swedish, "v", swedish.Stem, swedish.IsStopWord, "åäö", strings.NewReplacer()},
	{Norwegian, "n", norwegian.Stem, norwegian.IsStopWord, "åæø", strings.NewReplacer()},
}

// Each calls do for each language with the mark of its terms.
func (l Languages) Each(do func(one Languages, mark string)) {
	for i := range languages {
		if l&languages[i].is != 0 {
			do(languages[i].is, StemMark+languages[i].letter)
		}
	}
}

// german are function words of German, which has no stemmer here, and would pass for
// Swedish or Norwegian.
const german = `
	der die das dem den des ein eine einer einem einen und oder nicht kein keine mit auf für von
	vom zu zum zur im am an bei nach aus über unter wird werden wurde ist sind war hat haben kann
	muss soll sich es er sie wir ihr ich wenn dass weil wie was wer wo auch nur noch schon aber`

var isGerman = sync.OnceValue(func() map[string]bool { return SetOf(german) })

// SetOf is the set of the words of a list, with blanks between them.
func SetOf(list string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(list) {
		m[w] = true
	}
	return m
}

// others are the function words of languages without stems of their own in an index:
// English, whose all words have, and German.
var others = sync.OnceValue(func() map[string]bool { return SetOf(FunctionWords + german) })

const (
	// readForLanguage is how much of a text is read to tell its language, in bytes.
	readForLanguage = 2 << 10
	// sureOfLanguage is how many different words speak for a document's language at
	// least, and shareOfLanguage one in how many of all.
	sureOfLanguage  = 2
	shareOfLanguage = 10
	// longestFunction is how many letters function words have at most.
	longestFunction = 9
)

// traces counts the different words in texts, and those that speak for each language
// and for others.
func traces(texts []string) (of [len(languages)]int, other, all int) {
	left := readForLanguage
	seen := map[string]bool{}
	for _, text := range texts {
		text = text[:min(len(text), left)]
		left -= len(text)
		for w := range strings.FieldsFuncSeq(text, Between) {
			w = strings.ToLower(w)
			if seen[w] {
				continue
			}
			seen[w] = true
			plain := !strings.ContainsFunc(w, func(r rune) bool { return r >= utf8.RuneSelf })
			if plain && len(w) > longestFunction {
				continue
			}
			if others()[w] {
				other++
			}
			for i := range languages {
				if l := &languages[i]; l.isFunction(w) || !plain && strings.ContainsAny(w, l.own) {
					of[i]++
				}
			}
		}
	}
	return of, other, len(seen)
}

// LanguageOf detects a document's language by its function words and letters. It
// returns none for English, for a language without a stemmer here, and for too few
// words.
func LanguageOf(texts ...string) Languages {
	of, other, all := traces(texts)
	most := max(of[0], of[1], of[2], of[3])
	if most < sureOfLanguage || most*shareOfLanguage < all || most <= other {
		return 0
	}
	return languages[slices.Index(of[:], most)].is
}

// IsEnglish reports whether no other language that is known here speaks for a text more
// than English does. A word that both have, such as "an" and "on", speaks for neither, nor does a single
// letter, which is an initial or a label.
func IsEnglish(text string) bool {
	var of [len(languages) + 1]int // and of German, or in another script
	ours := 0
	for w := range strings.FieldsFuncSeq(text[:min(len(text), readForLanguage)], Between) {
		w = strings.ToLower(w)
		plain := !strings.ContainsFunc(w, func(r rune) bool { return r >= utf8.RuneSelf })
		if plain && len(w) == 1 {
			continue
		}
		english := plain && emptyWords()[w]&isFunction != 0
		foreign := false
		for i := range of {
			is := i == len(languages) && (isGerman()[w] || !plain && inAnotherScript(w))
			if i < len(languages) {
				l := &languages[i]
				is = l.isFunction(w) || !plain && strings.ContainsAny(w, l.own)
			}
			if foreign = foreign || is; is && !english {
				of[i]++
			}
		}
		if english && !foreign {
			ours++
		}
	}
	return slices.Max(of[:]) <= ours
}

// inAnotherScript reports whether a word has several letters that are not Latin. One alone may be a symbol: α.
func inAnotherScript(w string) bool {
	n := 0
	for _, r := range w {
		if r > unicode.MaxLatin1 && unicode.IsLetter(r) && !unicode.Is(unicode.Latin, r) {
			n++
		}
	}
	return n > 1
}

// LanguagesOfQuery returns the possible languages of a question. A short question
// without evidence may be in any language; then the result is not sure.
func LanguagesOfQuery(text string) (l Languages, sure bool) {
	of, other, _ := traces([]string{text})
	most := max(of[0], of[1], of[2], of[3])
	for i, n := range of {
		if n == most && most >= other {
			l |= languages[i].is
		}
	}
	if near := Swedish | Norwegian; l&near != 0 { // a few words hardly tell which
		l |= near
	}
	return l, most > 0
}

// minLanguageStem is how many letters a word needs for stems of the Languages.
const minLanguageStem = 4

// stems emits a word's stems in the languages of the call in progress.
func (a *Analyzer) stems(word []byte) {
	if len(word) < minLanguageStem || len(word) >= maxTerm {
		return
	}
	for _, c := range word {
		if c-'a' >= 26 {
			return
		}
	}
	a.langs.Each(func(_ Languages, mark string) {
		a.marked = append(append(a.marked[:0], mark...), word...)
		if t := a.term(a.marked); len(t) <= maxTerm {
			a.emit(t, true)
		}
	})
}

// languageStem is the stem of a word without accents, which a mark comes before.
func languageStem(marked string) string {
	for i := range languages {
		l := &languages[i]
		if word, ok := strings.CutPrefix(marked, StemMark+l.letter); ok {
			if s := FoldWord(l.stem(strings.TrimSuffix(l.mend.Replace(word+" "), " "),
				true)); s != "" {
				return StemMark + l.letter + s
			}
		}
	}
	return marked
}

// isRussian reports whether a word in lower case is of the letters of Russian.
func isRussian(word string) bool {
	for _, r := range word {
		if r < 'а' || r > 'я' {
			return false
		}
	}
	return true
}

// cyrillicStem is the stem of a word in lower case, if Russian is what it may be.
func cyrillicStem(word string) string {
	if !isRussian(word) || len(word) >= maxTerm { // that one was cut
		return word
	}
	if s := russian.Stem(word, true); s != "" {
		return s
	}
	return word
}
