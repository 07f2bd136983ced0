package board

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// This file decides when two words are the same word: case, diacritics and English endings do not matter.

// latin maps accented Latin letters to plain ones: the first rune of each group is what the others become.
var latin = func() map[rune]string {
	m := map[rune]string{'ß': "ss", 'æ': "ae", 'œ': "oe", 'þ': "th", 'ð': "d", 'đ': "d", 'ł': "l", 'ø': "o", 'ı': "i", 'ŋ': "n"}
	for _, group := range []string{
		"aàáâãäåāăąǎạảấầẩẫậắằẳẵặ", "cçćĉċč", "dď", "eèéêëēĕėęěẹẻẽếềểễệ", "gĝğġģ", "hĥħ", "iìíîïĩīĭįǐịỉ", "jĵ", "kķ", "lĺļľŀ",
		"nñńņňŉ", "oòóôõöōŏőǒọỏốồổỗộớờởỡợơ", "rŕŗř", "sśŝşšș", "tţťŧț", "uùúûüũūŭůűųǔụủứừửữựư", "wŵ", "yýÿŷỳỵỷỹ", "zźżž",
	} {
		first, size := utf8.DecodeRuneInString(group)
		for _, r := range group[size:] {
			m[r] = string(first)
		}
	}
	return m
}()

// foldRune returns r in lower case, with full-width forms narrowed; accents stay (see foldWord).
func foldRune(r rune) rune {
	switch {
	case r >= '！' && r <= '～':
		r -= '！' - '!'
	case r < utf8.RuneSelf:
		if r >= 'A' && r <= 'Z' {
			r += 'a' - 'A'
		}
		return r
	}
	return unicode.ToLower(r)
}

// foldWord returns a word in lower case without accents and apostrophes.
func foldWord(s string) string {
	plain := true
	for i := range len(s) {
		if c := s[i]; c >= utf8.RuneSelf || c >= 'A' && c <= 'Z' || c == '\'' {
			plain = false
			break
		}
	}
	if plain {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for _, r := range s {
		r = foldRune(r)
		switch to, ok := latin[r]; {
		case ok:
			b.WriteString(to)
		case r == '\'' || r == '’' || unicode.Is(unicode.Mn, r):
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// endings are taken off the end of a word, the first that fits, as long as at least minStem letters stay. The aim is only that the forms
// of one word meet (lapse, lapses, lapsed; terminate, termination), not that the stem be a word.
var endings = []string{
	"izations", "isations", "ization", "isation", "ications", "ication", "ations", "ation", "ities", "ively",
	"ingly", "ating", "ates", "ated", "ate", "ions", "ings", "edly", "ity", "ive", "ion", "ing", "ied", "ies", "ify", "ly", "ed", "es", "s",
}

const minStem = 4

// stem shortens a folded word to what its forms have in common.
func stem(w string) string {
	if len(w) <= minStem {
		// "fees", "gaps": only a plural of a short word is worth cutting.
		if len(w) == minStem && w[3] == 's' && w[2] != 's' && w[2] != 'u' && w[2] != 'i' {
			return w[:3]
		}
		return w
	}
	if strings.HasSuffix(w, "ss") || strings.HasSuffix(w, "us") || strings.HasSuffix(w, "is") {
		return w
	}
	// filing, filed, files: the e comes back, or the stem would be too short to tell words apart.
	for _, e := range []string{"ings", "ing", "ed", "es"} {
		if len(w)-len(e) == minStem-1 && strings.HasSuffix(w, e) {
			return w[:minStem-1] + "e"
		}
	}
	for _, e := range endings {
		if len(w)-len(e) >= minStem && strings.HasSuffix(w, e) {
			w = w[:len(w)-len(e)]
			break
		}
	}
	if n := len(w); n > minStem && w[n-1] == w[n-2] && w[n-1] != 's' && w[n-1] != 'e' { // committ(ed), cancell(ed)
		return w[:n-1]
	}
	for len(w) > minStem && strings.ContainsRune("eiy", rune(w[len(w)-1])) {
		w = w[:len(w)-1]
	}
	return w
}

// functionWords carry grammar, not content. Shorter words need no list: they are not significant anyway.
var functionWords = set(`about above across after again against almost along already although always among amongst another anyone anything
	around because been before being below beneath beside besides between beyond both cannot could does doing done down during each either
	else even ever every everything except from further furthermore given have having hence here hers herself himself however into itself
	just least less like likewise many might more moreover most much must myself neither nevertheless none nonetheless nothing often once
	only onto other others otherwise ourselves over perhaps quite rather regarding same shall should since some somehow someone something
	still such than that their theirs them themselves then thence there thereby therefore therein thereof these they this those though
	through throughout thus together toward towards under unless until upon very were what whatever when whenever where whereas whereby
	wherein whether which whichever while whom whose will with within without would your yours yourself yourselves
	certain currently exist existing exists following include included includes including make made makes part prior provide provided
	provides take taken takes used using various`)

func set(words string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}

// significant reports whether a folded word counts when an item is looked for: four letters or more, and not a function word.
func significant(w string) bool {
	return utf8.RuneCountInString(w) >= 4 && !functionWords[w]
}

// unspaced reports whether r belongs to a script that is written without spaces between words, or with words too long to compare whole.
// Its text is compared by pairs of neighbouring characters.
func unspaced(r rune) bool {
	if r < 0x0E00 {
		return false
	}
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}
