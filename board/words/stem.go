package words

import (
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/kljensen/snowball/english"
)

// This file decides when two words are the same. There are three answers, from the
// narrowest to the widest. Data that was stored or tuned with one of them does not fit
// another.
//
//	Base      retry retries retried         forms of one word: what two texts claim
//	Stem      terminate termination         also words made of it: what a report still carries
//	termStem  general generally generate    Snowball's: the terms of a search index, by language

// Base returns a word in lower case without the endings of plurals and of verbs, and
// without an e at its end. Names (foo.go, 100ms) stay as they are.
func Base(w string) string {
	if strings.ContainsAny(w, "._/0123456789") {
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
	_ = cut("ies", "y", 2) || cut("sses", "ss", 1) || cut("xes", "x", 2) || cut("ches", "ch", 2) ||
		cut("shes", "sh", 2) || !hasSingularS(w) && cut("s", "", 2)
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

// hasSingularS reports whether a word ends as class, status and basis do, whose s is no
// plural's.
func hasSingularS(w string) bool {
	return strings.HasSuffix(w, "ss") || strings.HasSuffix(w, "us") || strings.HasSuffix(w, "is")
}

// endings are taken off the end of a word, the first that fits, as long as at least
// minStem letters stay. The aim is only that the forms of one word meet (lapse, lapses,
// lapsed; terminate, termination), not that the stem be a word.
var endings = []string{
	"izations", "isations", "ization", "isation", "ications", "ication", "ations",
	"ation", "ities", "ively",
	"ingly", "ating", "ates", "ated", "ate", "ions", "ings", "edly", "ity", "ive", "ion", "ing",
	"ied", "ies", "ify", "ly", "ed", "es", "s",
}

const minStem = 4

// irregularForms are the verbs whose forms have no ending to take off: the verb, and
// its forms.
const irregularForms = `
	begin began begun/break broke broken/bring brought/build built/buy bought/catch caught/choose
	chose chosen/come came/deal dealt/dig dug/draw drew drawn/drive drove driven/eat ate
	eaten/fall fell fallen/feed fed/fight fought/find found/fly flew flown/forbid forbade
	forbidden/forget forgot forgotten/freeze froze frozen/give gave given/grow grew grown/hang
	hung/hear heard/hide hidden/hold held/keep kept/know knew known/lead led/lend lent/lose
	lost/make made/meet met/override overrode overridden/pay paid/repay repaid/rebuild
	rebuilt/ride rode ridden/ring rang rung/rise rose risen/run ran/seek sought/sell sold/send
	sent/shake shook shaken/shrink shrank shrunk/sink sank sunk/sleep slept/speak spoke
	spoken/spend spent/stand stood/steal stole stolen/stick stuck/strike struck/swear swore
	sworn/sweep swept/swim swam/take took taken/teach taught/tear torn/tell told/think
	thought/throw threw thrown/undergo underwent undergone/understand understood/wake woke
	woken/wear wore worn/win won/withdraw withdrew withdrawn/write wrote written/rewrite rewrote
	rewritten/overrun overran/say said/go went gone/show shown/prove proven`

var irregulars struct {
	once sync.Once
	verb map[string]string // by its form
}

func readIrregulars() {
	m := map[string]string{}
	for verb := range strings.SplitSeq(irregularForms, "/") {
		forms := strings.Fields(verb)
		for _, form := range forms[1:] {
			m[form] = forms[0]
		}
	}
	irregulars.verb = m
}

// Stem shortens a folded word to what it has in common with its forms and the words
// made of it.
func Stem(w string) string {
	irregulars.once.Do(readIrregulars)
	if verb := irregulars.verb[w]; verb != "" {
		w = verb
	}
	if len(w) <= minStem {
		// "fees", "gaps": only a plural of a short word is worth cutting.
		if len(w) == minStem && w[3] == 's' && !hasSingularS(w) {
			return w[:3]
		}
		return w
	}
	if hasSingularS(w) {
		return w
	}
	if len(w) == minStem+2 && strings.HasSuffix(w, "ies") { // bodies, copies
		return w[:3] + "y"
	}
	// filing, filed, files: the e comes back, or the stem would be too short to tell
	// words apart.
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
	// committ(ed), cancell(ed)
	if n := len(w); n > minStem && w[n-1] == w[n-2] && w[n-1] != 's' && w[n-1] != 'e' {
		return w[:n-1]
	}
	for len(w) > minStem && strings.ContainsRune("eiy", rune(w[len(w)-1])) {
		w = w[:len(w)-1]
	}
	return w
}

// termStem is the stem of an index's term: Russian's of a word in its letters, that of
// a marked word in the mark's language, English's of other ASCII letters, else the word
// itself.
func termStem(word string) string {
	for i := range len(word) {
		switch {
		case word[i]-'a' < 26:
		case strings.HasPrefix(word, StemMark):
			return languageStem(word)
		default:
			return cyrillicStem(word)
		}
	}
	// true: stop words are stemmed like others, so that "being" finds "be"
	s := english.Stem(word, true)
	switch {
	case s == "":
		return word
	case strings.HasPrefix(word, s):
		return word[:len(s)] // one string to keep, not two
	}
	return s
}

// FunctionWords are the English words with grammar but without content, between blanks.
const FunctionWords = `
	a an the this that these those it its they them their we us our you your he she i me my is am
	are was were be been being has have had do does did will would shall should could can may
	might must of in on at to for from by with as and or if then than when where which what who
	how why there here`

// Words that are not significant in a finding, beside the function words.
const commonWords = `
	about above across after again against almost along already although always among amongst
	another anyone anything around because before below beneath beside besides between beyond both
	cannot doing done down during each either else even ever every everything except further
	furthermore given having hence hers herself himself however into itself just least less like
	likewise many more moreover most much myself neither nevertheless none nonetheless nothing
	often once only onto other others otherwise ourselves over perhaps quite rather regarding same
	since some somehow someone something still such theirs themselves thence thereby therefore
	therein thereof though through throughout thus together toward towards under unless until upon
	very whatever whenever whereas whereby wherein whether whichever while whom whose within
	without yours yourself yourselves certain currently exist existing exists following include
	included includes including make made makes part prior provide provided provides take taken
	takes used using various`

// Words that two claims may share without being alike, beside the function words.
const claimWords = `
	nor so also just only very now not no never without none neither before after always about
	around roughly approximately nearly over under up least most more less per each every all any
	some both either such own same other into onto out off via using because since until till
	though although however therefore rather instead longer s t re ve ll one`

// emptiness says of a word in which comparisons it counts for nothing.
type emptiness uint8

const (
	isFunction emptiness = 1 << iota
	isCommon
	isClaim
)

var emptyWords = sync.OnceValue(func() map[string]emptiness {
	m := map[string]emptiness{}
	for as, list := range map[emptiness]string{isFunction: FunctionWords,
		isCommon: commonWords, isClaim: claimWords} {
		for _, w := range strings.Fields(list) {
			m[w] |= as
		}
	}
	return m
})

// minSignificant is from how many letters a word may be significant.
const minSignificant = 4

// IsCommon reports whether a folded word of four letters or more carries grammar, not
// content. Shorter words need no list: they are not significant anyway.
func IsCommon(w string) bool {
	return len(w) >= minSignificant && emptyWords()[w]&(isFunction|isCommon) != 0
}

// Significant reports whether a folded word counts when a finding is looked for: four
// letters or more, and none that is common.
func Significant(w string) bool {
	return utf8.RuneCountInString(w) >= minSignificant && !IsCommon(w)
}

// Empty reports whether a word in lower case says nothing of its own: it is in FunctionWords or claimWords.
func Empty(w string) bool { return emptyWords()[w]&(isFunction|isClaim) != 0 }

var negators = strings.Fields(`not no non never without neither nor none cannot avoid avoids avoided avoiding
	lack lacks lacking unable refuse refuses hardly`)

// Negates reports whether a word in lower case negates the following word: not,
// without, don't.
func Negates(w string) bool { return strings.HasSuffix(w, "n't") || slices.Contains(negators, w) }
