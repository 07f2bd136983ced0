package clash

import (
	"math"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"blackboard/board/words"
)

// This file tells whether a newer note takes the place of an older one that nobody has
// touched. It compares words, as nothing else is known at every prompt: what both are about,
// and what the newer one says differently.

// Standing is how a newer note stands to an older one.
type Standing int

const (
	Apart    Standing = iota // about something else, or both may hold
	Similar                  // about the same thing: the newer one comes first
	Replaces                 // another value, or told as a change: the newer one holds
)

// Shares of the topic of the shorter text that both have.
const (
	shareTold    = 0.45 // if the newer one tells of a change
	shareValue   = 0.6  // if only a value differs
	shareSimilar = 0.7  // if nothing else is known
	shareBegun   = 0.3  // if both begin with the same words
)

// changeWords tell of a change, in English and German.
var changeWords = sync.OnceValue(func() []string {
	var all []string
	for _, w := range strings.Fields(`now anymore since moved switched changed replaced renamed
		became instead meanwhile migrated upgraded raised lowered currently longer jetzt nun nunmehr
		inzwischen mittlerweile statt anstatt anstelle stattdessen umbenannt umgestellt gewechselt
		verschoben umgezogen seit neuerdings künftig sondern ersetzt geändert mehr`) {
		all = append(all, words.Statement(w)...)
	}
	return all
})

// addingWords say that something holds beside something else.
var addingWords = []string{"too", "also", "auch", "additionally", "additional", "zusätzlich", "ebenfalls", "second"}

// reasonLength is how many words from one of reasonWords on are at most about why something is so.
const reasonLength = 4

// reasonWords begin why or since when something is so, which is no part of what it is about.
var reasonWords = []string{"sinc", "becaus", "due", "seit", "weil", "wegen"}

// Note is a note as it is compared.
type Note struct {
	text  Text
	read  *Claims // made when it is first asked for
	words []noteWord
	about float64 // weight of its topic
}

func (t *Note) claims() *Claims {
	if t.read == nil {
		t.read = t.text.Claims()
	}
	return t.read
}

type noteWord struct {
	word   string
	weight float64 // how much it tells of the topic; 0: grammar, or a word of everyday
	value  byte    // valueNumber or valueName, 0 for another word
	empty  bool    // it is grammar
	before string  // the word right before it, if that is no grammar
	named  bool    // that word begins a thing's name: it stands first, or after an article
}

// Kinds of a word that may be what is said, not what it is said of.
const (
	valueNumber = '0'
	valueName   = 'a'
)

// longNote is how many words a text may have that says one thing.
const longNote = 24

// isLong reports whether a note says more than one thing.
func (t *Note) isLong() bool { return len(t.words) > longNote }

// everydayWeight is the weight of words that nothing is about.
const everydayWeight = 2.5

// rareWeight is that of a word which the tables do not have: at a sentence's beginning, it
// may be a name.
const rareWeight = 8.5

// ReadNote reads a note.
func ReadNote(of Text) *Note {
	t := &Note{text: of}
	var a words.Analyzer
	before, begins, because, named := "", true, 0, false
	for _, field := range strings.Fields(of.Title + ". " + of.Body) {
		bare := strings.TrimLeft(field, "\"'“‘([*_`") + " "
		first, _ := utf8.DecodeRuneInString(bare)
		said := words.Statement(field)
		for _, w := range said {
			one := noteWord{word: w, before: before, named: named, weight: -1}
			low := w
			if len(said) == 1 {
				low = strings.ToLower(strings.Trim(bare, " .,;:!?\"'”’)]*_`"))
			}
			a.Terms(low, func(term string, _ bool) {
				if one.weight < 0 {
					one.weight = -math.Log(words.Prior(term))
				}
			})
			switch {
			case strings.ContainsAny(w, "0123456789"):
				one.value = valueNumber
			case strings.ContainsAny(w, "/_#.@") || strings.ToLower(bare[1:]) != bare[1:] ||
				unicode.IsUpper(first) &&
					(!begins || one.weight > rareWeight):
				one.value = valueName
			}
			one.empty = words.Empty(low) || slices.Contains(changeWords(), w)
			if one.weight = max(0, one.weight-everydayWeight); one.empty {
				one.weight = 0
			}
			if slices.Contains(reasonWords, w) {
				because = reasonLength
			} else if because > 0 {
				one.weight, because = 0, because-1
			}
			named = before == ""
			if before = ""; !one.empty && one.value != valueNumber {
				before = w
			}
			if one.value != valueNumber {
				t.about += one.weight
			}
			t.words = append(t.words, one)
		}
		begins = strings.TrimRight(field, ".!?:") != field
	}
	return t
}

// numbered returns the number after the first word: 3 of "step 3", "" if there is none.
func (t *Note) numbered() string {
	if len(t.words) > 1 && t.words[1].value == valueNumber && t.words[0].value != valueNumber {
		return t.words[1].word
	}
	return ""
}

// OneSeries reports whether two notes begin with two numbers of one series: LRK-204 and LRK-210.
func (t *Note) OneSeries(o *Note) bool {
	serial := func(of *Note) string {
		first := strings.Fields(of.text.Title + " " + of.text.Body)
		for _, w := range first[:min(3, len(first))] {
			if strings.ContainsAny(w, "0123456789") {
				return strings.Trim(w, ".,:;()#")
			}
		}
		return ""
	}
	noDigits := func(s string) string {
		return strings.Map(func(r rune) rune {
			if unicode.IsDigit(r) {
				return -1
			}
			return r
		}, s)
	}
	a, b := serial(t), serial(o)
	return a != b && noDigits(a) != "" && noDigits(a) == noDigits(b)
}

// hasAny reports whether a text has one of some words.
func (t *Note) hasAny(list []string) bool {
	return slices.ContainsFunc(t.words,
		func(w noteWord) bool { return slices.Contains(list, w.word) })
}

// find returns the word of a text that is w, perhaps in another form; nil if there is none.
func (t *Note) find(w string) *noteWord {
	for i := range t.words {
		if akin(t.words[i].word, w) {
			return &t.words[i]
		}
	}
	return nil
}

// akin reports whether two words are forms of one: equal, or with the same long beginning.
func akin(a, b string) bool {
	if a == b {
		return true
	}
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n >= 5 && max(len(a), len(b))-n <= 3 && !strings.ContainsAny(a+b, "0123456789/_#.")
}

// Standing tells how a newer text stands to an older one. An author's note is replaced by
// none of an agent's: the caller checks that.
func (newer *Note) Standing(older *Note) Standing {
	if newer.text == older.text || newer.about == 0 || older.about == 0 {
		return Apart
	}
	shared, ownNew, ownOld := 0.0, 0.0, 0.0
	// words of the topic that both have, and all but grammar: a person is no topic
	both, common := 0, 0
	for i := range newer.words {
		w := &newer.words[i]
		o := older.find(w.word)
		if o != nil && !w.empty {
			common++
		}
		switch {
		case w.value == valueNumber:
		case o == nil && (w.value == 0 || i == 0):
			ownNew += w.weight
		case o != nil:
			shared += w.weight
			if w.weight > 0 {
				both++
			}
			if !w.empty && w.value == 0 && w.named && o.named && newer.unlike(w, o, older) {
				return Apart // access tokens and refresh tokens
			}
		}
	}
	for i := range older.words {
		if w := &older.words[i]; (w.value == 0 || i == 0) && newer.find(w.word) == nil {
			ownOld += w.weight
		}
	}
	if shared == 0 || newer.hasAny(addingWords) {
		return Apart
	}
	own := (ownNew + ownOld) / 2
	share := shared / (shared + own)
	if newer.isLong() || older.isLong() {
		if share >= shareSimilar && common > 1 {
			return Similar
		}
		return Apart
	}
	toldSo := newer.hasAny(changeWords())
	if n, o := newer.numbered(), older.numbered(); n != o && n != "" && o != "" && !toldSo {
		return Apart // of a series: step 3, step 4
	}
	differs := newer.differs(older, both > 1) || toldSo && newer.dismisses(older)
	switch {
	case toldSo && differs && share >= shareTold,
		differs && share >= shareValue && min(ownNew, ownOld) <= shared/4,
		differs && share >= shareBegun && newer.beginsAs(older) >= sameBeginning,
		share >= shareValue && len(ReasonsOf(older.claims(), newer.claims())) > 0:
		return Replaces
	case common > 1 && (toldSo && share >= shareTold || share >= shareSimilar):
		return Similar
	}
	return Apart
}

// sameBeginning is how many words make a subject and its verb.
const sameBeginning = 3

// beginsAs counts the words, but for grammar, with which both texts begin.
func (t *Note) beginsAs(o *Note) (n int) {
	said := func(all []noteWord) (list []string) {
		for _, w := range all {
			if !w.empty {
				list = append(list, w.word)
			}
		}
		return list
	}
	a, b := said(t.words), said(o.words)
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// unlike reports whether one word stands after different words, so that it names two things.
func (t *Note) unlike(w, o *noteWord, other *Note) bool {
	return w.before != "" && o.before != "" && other.find(w.before) == nil && t.find(o.before) == nil
}

// becoming are words before what something has become: moved to Postgres.
var becoming = []string{"to", "on", "with", "by", "auf", "zu", "nach", "mit", "durch"}

// differs reports whether each text has a value of one kind that the other lacks. A number
// after other names, such as iOS 15 and Android 14, is another thing's. Where the texts are
// not near, with one word in common, two proper names are values only if the newer one is
// said to be: "Moved the catalogue meeting, Jonas is away" replaces nothing that Amara does
// with the catalogue.
func (t *Note) differs(o *Note, near bool) bool {
	for i := range t.words {
		w := &t.words[i]
		if w.value == 0 || o.find(w.word) != nil {
			continue
		}
		became := near || i > 0 && slices.Contains(becoming, t.words[i-1].word)
		if slices.ContainsFunc(o.words, func(v noteWord) bool {
			if v.value != w.value || t.find(v.word) != nil {
				return false
			}
			if v.value == valueName {
				return became || !isProper(w.word) || !isProper(v.word)
			}
			return !t.unlike(w, &v, o)
		}) {
			return true
		}
	}
	return false
}

// isProper reports whether a name is one of people and products, not of a file or a channel.
func isProper(name string) bool { return !strings.ContainsAny(name, "/_#.@") }

// dismissing are words before what no longer holds: no longer with Jest, statt Flyway.
var dismissing = []string{"longer", "instead", "not", "than", "rather", "statt", "anstatt", "anstelle", "mehr", "nicht"}

// dismisses reports whether a newer text names a value of the older one as past, and has
// another.
func (newer *Note) dismisses(older *Note) bool {
	past, own := false, false
	for i, w := range newer.words {
		if w.value == 0 {
			continue
		}
		if older.find(w.word) == nil {
			own = true
			continue
		}
		past = past || slices.ContainsFunc(newer.words[max(0, i-3):i],
			func(b noteWord) bool { return slices.Contains(dismissing, b.word) })
	}
	return past && own
}

// Confirmed reports whether another note has all numbers of a note, and there are some.
func (t *Note) Confirmed(o *Note) (all bool) {
	for _, w := range t.words {
		if w.value == valueNumber {
			if all = o.find(w.word) != nil; !all {
				return false
			}
		}
	}
	return all
}

// Share returns the share of a text's words that another has, too, by weight.
func (t *Note) Share(o *Note) float64 {
	both, all := 0.0, 0.0
	for _, w := range t.words {
		if all += w.weight; o.find(w.word) != nil {
			both += w.weight
		}
	}
	return both / max(all, 1)
}
