package memory

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"blackboard/board/clash"
	"blackboard/board/sqlite"
	"blackboard/board/words"
	"blackboard/kb/index"
	"blackboard/kb/memory/orient"
)

// This file tells whether a newer note takes the place of an older one that nobody has
// touched. It compares words, as nothing else is known at every prompt: what both are about,
// and what the newer one says differently.

// Standing of a newer note to an older one.
const (
	apart    = iota // about something else, or both may hold
	similar         // about the same thing: the newer one comes first
	replaces        // another value, or told as a change: the newer one holds
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

// reasonWords begin why or since when something is so, which is no part of what it is about,
// and reasonLength is how many words that takes at most.
const reasonLength = 4

var reasonWords = []string{"sinc", "becaus", "due", "seit", "weil", "wegen"}

// told is a text as it is compared.
type told struct {
	text  clash.Text
	words []toldWord
	about float64 // weight of its topic
}

type toldWord struct {
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

// longTold is how many words a text may have that says one thing.
const longTold = 24

// everydayWeight is the weight of words that nothing is about.
const everydayWeight = 2.5

// rareWeight is that of a word which the tables do not have: at a sentence's beginning, it
// may be a name.
const rareWeight = 8.5

// read reads the text of an item.
func (it *Item) told() *told {
	t := &told{text: it.text()}
	var a words.Analyzer
	before, begins, because, named := "", true, 0, false
	for _, field := range strings.Fields(it.Title + ". " + it.Content) {
		bare := strings.TrimLeft(field, "\"'“‘([*_`") + " "
		first, _ := utf8.DecodeRuneInString(bare)
		said := words.Statement(field)
		for _, w := range said {
			one := toldWord{word: w, before: before, named: named, weight: -1}
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
func (t *told) numbered() string {
	if len(t.words) > 1 && t.words[1].value == valueNumber && t.words[0].value != valueNumber {
		return t.words[1].word
	}
	return ""
}

// any reports whether a text has one of some words.
func (t *told) any(list []string) bool {
	return slices.ContainsFunc(t.words,
		func(w toldWord) bool { return slices.Contains(list, w.word) })
}

// has reports whether a text has a word, perhaps in another form.
func (t *told) has(w string) *toldWord {
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

// standing tells how a newer text stands to an older one. An author's note is replaced by
// none of an agent's: the caller checks that.
func (newer *told) standing(older *told) int {
	if newer.text == older.text || newer.about == 0 || older.about == 0 {
		return apart
	}
	shared, ownNew, ownOld := 0.0, 0.0, 0.0
	both := 0 // words of the topic that both have
	for i := range newer.words {
		w := &newer.words[i]
		o := older.has(w.word)
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
				return apart // access tokens and refresh tokens
			}
		}
	}
	for i := range older.words {
		if w := &older.words[i]; (w.value == 0 || i == 0) && newer.has(w.word) == nil {
			ownOld += w.weight
		}
	}
	if shared == 0 || newer.any(addingWords) {
		return apart
	}
	own := (ownNew + ownOld) / 2
	share := shared / (shared + own)
	if max(len(newer.words), len(older.words)) > longTold {
		if share >= shareSimilar {
			return similar
		}
		return apart
	}
	toldSo := newer.any(changeWords())
	if n, o := newer.numbered(), older.numbered(); n != o && n != "" && o != "" && !toldSo {
		return apart // of a series: step 3, step 4
	}
	differs := newer.differs(older, both > 1) || toldSo && newer.dismisses(older)
	switch {
	case toldSo && differs && share >= shareTold,
		differs && share >= shareValue && min(ownNew, ownOld) <= shared/4,
		differs && share >= shareBegun && newer.beginsAs(older) >= sameBeginning,
		share >= shareValue && (len(clash.Reasons(older.text, newer.text)) > 0 ||
			clash.Exchanged(older.text, newer.text) != ""):
		return replaces
	case toldSo && share >= shareTold, share >= shareSimilar:
		return similar
	}
	return apart
}

// sameBeginning is how many words make a subject and its verb.
const sameBeginning = 3

// beginsAs counts the words, but for grammar, with which both texts begin.
func (t *told) beginsAs(o *told) (n int) {
	said := func(all []toldWord) (list []string) {
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
func (t *told) unlike(w, o *toldWord, other *told) bool {
	return w.before != "" && o.before != "" && other.has(w.before) == nil && t.has(o.before) == nil
}

// becoming are words before what something has become: moved to Postgres.
var becoming = []string{"to", "on", "with", "by", "auf", "zu", "nach", "mit", "durch"}

// differs reports whether each text has a value of one kind that the other lacks. A number
// after other names, such as iOS 15 and Android 14, is another thing's. Where the texts are
// not near, with one word in common, two proper names are values only if the newer one is
// said to be: "Moved the catalogue meeting, Jonas is away" replaces nothing that Amara does
// with the catalogue.
func (t *told) differs(o *told, near bool) bool {
	for i := range t.words {
		w := &t.words[i]
		if w.value == 0 || o.has(w.word) != nil {
			continue
		}
		became := near || i > 0 && slices.Contains(becoming, t.words[i-1].word)
		if slices.ContainsFunc(o.words, func(v toldWord) bool {
			if v.value != w.value || t.has(v.word) != nil {
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
func (newer *told) dismisses(older *told) bool {
	past, own := false, false
	for i, w := range newer.words {
		if w.value == 0 {
			continue
		}
		if older.has(w.word) == nil {
			own = true
			continue
		}
		past = past || slices.ContainsFunc(newer.words[max(0, i-3):i],
			func(b toldWord) bool { return slices.Contains(dismissing, b.word) })
	}
	return past && own
}

// mostRenewed is how many hits of a tier are asked what is newer than they, and renewDepth
// how many notes are compared with one.
const (
	mostRenewed = 8
	renewDepth  = 20
)

// akinTo lists live notes that share words with an item, of its place and readers.
func (f *file) akinTo(tx *sqlite.Tx, it *Item) ([]*Item, error) {
	q := Query{Channel: it.Channel, Conversation: it.Conversation}
	found, err := f.Index.Search(tx, index.Query{Text: clip(embeddingText(it), 1000),
		Depth: renewDepth, Filter: q.filter(it.Tier, it.Agent)})
	if err != nil {
		return nil, err
	}
	var ns []int64
	for _, c := range found.Candidates {
		if c.ID != it.n {
			ns = append(ns, c.ID)
		}
	}
	byN, err := itemsByN(tx, ns)
	var all []*Item
	for _, n := range ns {
		if o := byN[n]; o != nil && o.Agent == it.Agent && !o.hasExpired(tx.Now) {
			all = append(all, o)
		}
	}
	return all, err
}

// newest returns the newest note that stands so to an item, and how.
func newest(it *Item, among []*Item) (newer *Item, how int) {
	said := it.told()
	for _, o := range among {
		if !o.Updated.After(it.Updated) || newer != nil && !o.Updated.After(newer.Updated) {
			continue
		}
		stands := o.told().standing(said)
		if stands == replaces && it.authority() > o.authority() {
			stands = similar
		}
		if stands == replaces || stands == similar && how != replaces {
			newer, how = o, stands
		}
	}
	return newer, how
}

// renew puts before each of the first hits the note that is newer and says otherwise, also
// if that was not found itself. What surely no longer holds is left out unasked.
func (f *file) renew(tx *sqlite.Tx, hits []Hit, q *Query) ([]Hit, error) {
	out := make([]Hit, 0, len(hits)+2)
	at := func(among []Hit, n int64) int {
		return slices.IndexFunc(among, func(h Hit) bool { return h.n == n })
	}
	asked := 0
	for _, h := range hits {
		if at(out, h.n) >= 0 {
			continue
		}
		var newer *Item
		how := apart
		if asked < mostRenewed && !(q.Gate && h.Weak) {
			asked++
			among, err := f.akinTo(tx, &h.Item)
			if err != nil {
				return nil, err
			}
			newer, how = newest(&h.Item, among)
		}
		if newer != nil && (how == replaces && q.takes(newer) || at(hits, newer.n) >= 0) {
			if at(out, newer.n) < 0 {
				found := Hit{Item: *newer, Relevance: f.s.rates.Relevance(newer, tx.Now),
					said: newer.statement(), Weak: true}
				if i := at(hits, newer.n); i >= 0 {
					found = hits[i]
				}
				out = append(out, found)
			}
			first := &out[at(out, newer.n)]
			first.Score, first.Evidence = max(first.Score, h.Score), max(first.Evidence, h.Evidence)
			first.Weak = first.Weak && h.Weak
			if how == replaces {
				first.Replaces, h.Newer = append(first.Replaces, h.ID), newer.ID
				if q.Gate {
					continue
				}
			}
		}
		out = append(out, h)
	}
	if q.Text != "" {
		newerOfTwo(out)
	}
	return out, nil
}

// Two hits alone answer a question if the second has nearAlone of the first one's evidence,
// the others have at most farAlone of the second one's, and the newer one has sameTopic of the
// words of the older one, by weight.
const (
	nearAlone = 0.65
	farAlone  = 0.8
	sameTopic = 0.25
)

// newerOfTwo puts the newer one of two sure, short hits first if they alone answer the
// question: who notes a fact anew without touching the old note leaves two answers, which
// may have few words in common.
func newerOfTwo(hits []Hit) {
	if len(hits) < 2 {
		return
	}
	first, second := &hits[0], &hits[1]
	if second.Weak || !second.Updated.After(first.Updated) || first.authority() > second.authority() ||
		second.Evidence < nearAlone*first.Evidence ||
		slices.ContainsFunc(hits[2:], func(h Hit) bool { return h.Evidence > farAlone*second.Evidence }) {
		return
	}
	older, newer := first.told(), second.told() // last: it takes the longest
	if max(len(older.words), len(newer.words)) > longTold || older.share(newer) < sameTopic {
		return
	}
	second.Score, second.Evidence = max(first.Score, second.Score), max(first.Evidence, second.Evidence)
	*first, *second = *second, *first
}

// share returns the share of a text's words that another has, too, by weight.
func (t *told) share(o *told) float64 {
	both, all := 0.0, 0.0
	for _, w := range t.words {
		if all += w.weight; o.has(w.word) != nil {
			both += w.weight
		}
	}
	return both / max(all, 1)
}

// mostCompared is how many notes are compared with each other.
const mostCompared = 60

// withoutReplaced drops what a newer note of the list replaces. That note is as important.
func withoutReplaced(hits []*Hit) []*Hit {
	said := make([]*told, min(len(hits), mostCompared))
	for i := range said {
		said[i] = hits[i].told()
	}
	gone := map[*Hit]bool{}
	for i, older := range said {
		for j, newer := range said {
			a, b := hits[i], hits[j]
			if a.Tier != Conversation && b.Updated.After(a.Updated) && a.Scope() == b.Scope() && a.Agent == b.Agent &&
				!gone[b] && a.authority() <= b.authority() && newer.standing(older) == replaces {
				b.Importance, gone[a] = max(a.Importance, b.Importance), true
				b.Replaces = append(b.Replaces, a.ID)
				break
			}
		}
	}
	return slices.DeleteFunc(hits, func(h *Hit) bool { return gone[h] })
}

// takes reports whether a query wants an item that its text has not found.
func (q *Query) takes(it *Item) bool {
	return it.Importance >= q.MinImportance && len(q.Tags)+len(q.Curators)+len(q.Sources) == 0
}

// warnOfOlder names the older notes that a new one may replace.
func (f *file) warnOfOlder(tx *sqlite.Tx, it *Item) (warnings []string, err error) {
	among, err := f.akinTo(tx, it)
	if err != nil {
		return nil, err
	}
	said := it.told()
	slices.SortFunc(among, func(a, b *Item) int { return b.Updated.Compare(a.Updated) })
	for _, o := range among {
		if how := said.standing(o.told()); how != apart && len(warnings) < 2 {
			warnings = append(warnings, fmt.Sprintf("older, and similar: %s “%s”; if this takes its "+
				"place, update or forget that one", o.ID, orient.Inline(o.Content, 120)))
		}
	}
	return warnings, nil
}

// rareWords is how many of its rarest words lead from an item to others, of those that at
// most rareItems have.
const (
	rareWords = 6
	rareItems = 40
)

// stale adds the pairs of which the newer one surely replaces the older one.
func (g *grouping) stale(ctx context.Context) error {
	said := make([]*told, len(g.all))
	for i := range g.all {
		said[i] = g.all[i].told()
	}
	seen := map[[2]int]bool{}
	for _, c := range g.clashes {
		seen[[2]int{c.a, c.b}] = true
	}
	for i := range g.all {
		if err := ctx.Err(); err != nil {
			return err
		}
		rare := g.words.Rarest(g.words.Of[i])
		for _, w := range rare[:min(rareWords, len(rare))] {
			having := g.words.With(w)
			if len(having) > rareItems {
				break
			}
			for _, other := range having {
				j := int(other)
				if pair := [2]int{i, j}; i < j && !seen[pair] && g.all[i].Agent == g.all[j].Agent {
					seen[pair] = true
					older, newer := said[i], said[j]
					if g.all[i].Updated.After(g.all[j].Updated) {
						older, newer = newer, older
					}
					if newer.standing(older) == replaces {
						g.clashes = append(g.clashes,
							clashing{i, j, []string{"the newer one may replace the older one"}})
					}
				}
			}
		}
	}
	return nil
}
