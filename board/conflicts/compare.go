package conflicts

import (
	"maps"
	"math"
	"slices"
	"strings"
	"sync"

	"blackboard/board/clash"
	"blackboard/board/lazyregexp"
	"blackboard/board/words"
)

// This file decides whether two clashing sentences are about the same thing: subject,
// entity and period, and whether both are plans or both are facts.

// sentence describes what a sentence is about.
type sentence struct {
	words   map[string]bool   // stems
	order   []string          // stems in their order
	names   map[string]bool   // stems of what is a name
	before  map[string]string // stem → the one right before it, "" for none
	periods []string          // 2024, 2024-03, q1, fy2025

	numbered map[string][]string // names with a number: Site 4 and Site 5 are site → 4, 5

	marks  map[string]bool // what makes another kind of statement of it; see marks
	gerund bool            // its first word ends in -ing
	tells  bool            // it says what a text says
	denied bool            // it says that something is not
}

// marks are words that say of what kind a statement is: of two statements of which one
// alone is of a kind, both may hold.
var marks = [][2]string{
	{"planned", `
		planned planning budget budgeted target targeted targets scheduled projected projection
		forecast expected anticipated estimate estimated intended intends commits committed
		deadline due`},
	{"ought", `
		should recommend recommends recommendation recommended proposes suggest suggested ought
		must shall`},
	{"unsaid", "unclear unknown unspecified undisclosed undetermined"},
	{"condition", `
		if assuming assume assumes hypothetical scenario would could might unless example
		illustrative`},
	{"earlier", `
		before until formerly previously prior former earlier originally original initial
		initially used`},
	{"later", "since now currently current amended revised restated later thereafter"},
	{"part", `
		share portion part remaining remainder came each per additional partial half excluding
		except net other among`},
	{"whole", "total totals totaling aggregate combined overall sum gross"},
	{"bound", "minimum maximum least most exceed exceeds exceeding limit limits threshold"},
}

// figureMarks are the marks that count for figures alone.
var figureMarks = []string{"part", "whole", "bound"}

// dateMarks are marks of dates alone: what begins, and what ends.
var dateMarks = [][2]string{
	{"end", `
		end ends ended ending expire expires expired expiration expiry lapse lapses lapsed
		terminates terminated termination matures matured maturity until through`},
	{"renew", "continued continuation renewed renewal extended extends extending extension"},
	{"look", "search searched searches performed conducted report reported"},
}

func byWord(classes [][2]string) func() map[string]string {
	return sync.OnceValue(func() map[string]string {
		m := map[string]string{}
		for _, class := range classes {
			for _, w := range strings.Fields(class[1]) {
				m[w] = class[0]
			}
		}
		return m
	})
}

// bases are the bases of words between blanks.
func bases(list string) func() map[string]bool {
	return sync.OnceValue(func() map[string]bool {
		m := map[string]bool{}
		for _, w := range strings.Fields(list) {
			m[words.Base(w)] = true
		}
		return m
	})
}

var markOf, dateMarkOf = byWord(marks), byWord(dateMarks)

// denials say that something is not, without a negation.
var denials = bases(`
	exclude distinct different separate lack absent absence missing false unlike fail none
	deny refuse prevent`)

// tells are what texts do: "does not specify the amount" denies no amount.
var tells = bases(`
	specify mention state disclose provide define identify determine refer reference
	document list name say indicate show`)

// notNames are written with capitals and name nothing: kinds of numbers and of
// companies, times.
var notNames = bases(`
	id ein ref no inc llc llp corp co ltd lp plc gmbh ag am pm est edt cst cdt mst mdt pst
	pdt utc gmt cet january february march april june july august september october november
	december jan feb mar apr jun jul aug sep oct nov dec monday tuesday wednesday thursday
	friday saturday sunday`)

// subordinate are the words that a clause begins with that goes on about the one before
// it.
const subordinate = " which meaning because since so although though thereby therefore it and "

var periodWord = lazyregexp.New(
	`^(?:(?:19|20)\d\d|[qh][1-4]|fy\d\d(?:\d\d)?|(?:19|20)\d\d-\d\d(?:-\d\d)?)$`)

func (x *index) readSentence(from *words.Sentence, before *sentence) sentence {
	s := sentence{words: map[string]bool{}, names: map[string]bool{}, before: map[string]string{},
		marks: map[string]bool{}, numbered: numbered(from)}
	first, last := true, ""
	goesOn, began := false, false
	from.EachWord(func(text, low, stem string) {
		base := words.Base(low)
		goesOn, began = goesOn || !began && strings.Contains(subordinate, " "+low+" "), true
		for _, of := range []map[string]string{markOf(), dateMarkOf()} {
			if class := of[low]; class != "" {
				s.marks[class] = true
			}
		}
		s.denied = s.denied || words.Negates(low) || denials()[base] || low == "0" || low == "zero"
		s.tells = s.tells || tells()[base]
		if periodWord.MatchString(low) {
			s.periods = append(s.periods, low)
		}
		if stem != "" {
			s.words[stem], s.order = true, append(s.order, stem)
			s.before[stem] = last
			if x.named(text, stem) {
				s.names[stem] = true
			}
			if first {
				s.gerund = strings.HasSuffix(low, "ing")
			}
			first = false
		}
		last = stem
	})
	if goesOn && before != nil {
		for _, w := range before.order[:min(len(before.order), 4)] { // of what it goes on about
			s.words[w], s.names[w] = true, before.names[w] || s.names[w]
		}
	}
	if len(s.periods) == 0 && before != nil {
		s.periods = before.periods
	}
	if len(s.numbered) == 0 && before != nil {
		s.numbered = before.numbered
	}
	maps.DeleteFunc(s.names, func(_ string, is bool) bool { return !is })
	if s.denied && s.tells {
		s.marks["unsaid"] = true
	}
	return s
}

// ofSources returns how much two items can be about one thing by where they come from:
// 0 not at all, 1 as far as their words say. "Filing Date: May 3" is about its document
// alone, unless it shares a name with the other item that few documents have.
func (x *index) ofSources(a, b *read, p *Pair) float64 {
	if p.A.Source == p.B.Source {
		return 1
	}
	other := strings.Split(p.B.Source, ";")
	for _, doc := range strings.Split(p.A.Source, ";") {
		if slices.ContainsFunc(other,
			func(o string) bool { return strings.TrimSpace(o) == strings.TrimSpace(doc) }) {
			return 1
		}
	}
	if x.shareName(a, b) {
		return 1
	}
	switch {
	case (p.A.Source == "" || p.B.Source == "") && len(a.names) > 0 && len(b.names) > 0:
		return 1 // drawn from several documents
	case label.MatchString(p.A.Content), label.MatchString(p.B.Content):
		return 0
	}
	return 0.6
}

// shareName reports whether two items share a name that few documents have.
func (x *index) shareName(a, b *read) bool {
	for n := range a.names {
		if b.names[n] && x.tellsApart(n) {
			return true
		}
	}
	return false
}

// label is a content that begins with the name of a field.
var label = lazyregexp.New(`^[^.:\n]{1,60}:`)

// judge returns how much the sentences of a clash are about one thing, 0 to 1.
func (x *index) judge(a, b *read, c clash.Clash) float64 {
	s, t := &a.sentences[c.InA], &b.sentences[c.InB]
	mine, theirs := otherEntity(a, c.InA, b), otherEntity(b, c.InB, a)
	if mine && theirs {
		return 0
	}
	if s.otherNumber(t) || c.Kind != clash.KindDate && otherPeriod(s, t) {
		return 0
	}
	dated := c.Kind == clash.KindDate || c.Kind == clash.KindOrder
	for _, m := range marks {
		class := m[0]
		switch {
		case s.marks[class] == t.marks[class],
			dated && (class == "earlier" || class == "later"),
			c.FigureA != nil && class == "ought", // what must be paid is owed
			c.Kind == clash.KindNegation && slices.Contains(figureMarks, class):
		default:
			return 0
		}
	}
	if s.beginsElsewhere(t) && t.beginsElsewhere(s) {
		return 0
	}
	score := x.alike(s.words, t.words)
	switch c.Kind {
	case clash.KindOrder:
	case clash.KindNegation:
		near, other := s.around(c.Word), t.around(c.Word)
		if s.doing(c.Word) && t.doing(c.Word) {
			return 0 // what comes of doing it, and of not doing it
		}
		if s.names[c.Word] || t.names[c.Word] || s.denied && t.denied ||
			x.otherObject(s, t, c.Word, near) || x.otherObject(t, s, c.Word, other) {
			return 0
		}
		score = math.Sqrt(score * x.alike(near, other))
	case clash.KindDate:
		for _, m := range dateMarks {
			class := m[0]
			if s.marks[class] != t.marks[class] {
				return 0
			}
		}
		if measured(a, b, c) {
			return 0
		}
		fallthrough
	default:
		f, g := c.FigureA, c.FigureB
		if s.marks["unsaid"] || t.marks["unsaid"] || x.otherAttribute(f, g, a, b) {
			return 0
		}
		score = math.Sqrt(score * x.alike(stems(f.Context), stems(g.Context)))
		score /= 1 + others(a, f)/4 + others(b, g)/4
	}
	if (len(a.names) == 0) != (len(b.names) == 0) || c.FigureA != nil &&
		mine != theirs && !x.shareName(a, b) {
		score /= 2 // who is spoken of is said by one alone
	}
	return score
}

// others counts the figures of a sentence that a figure could be mistaken for.
func others(r *read, f *words.Figure) (n float64) {
	for i := range r.claims.Figures {
		if g := &r.claims.Figures[i]; g != f && g.Sentence == f.Sentence &&
			g.Like(f) && g.Differs(f) {
			n++
		}
	}
	return n
}

// measured reports whether the sentences of a date also measure something, and
// differently: the dates are when they did.
func measured(a, b *read, c clash.Clash) bool {
	for i := range a.claims.Figures {
		f := &a.claims.Figures[i]
		if f.Sentence != c.InA || f.Kind != "number" {
			continue
		}
		for j := range b.claims.Figures {
			if g := &b.claims.Figures[j]; g.Sentence == c.InB && f.Like(g) && f.Differs(g) {
				return true
			}
		}
	}
	return false
}

func stems(context map[string]words.Near) map[string]bool {
	m := map[string]bool{}
	for w := range context {
		m[w] = true
	}
	return m
}

// around returns the words within reach of one, without it.
func (s *sentence) around(word string) map[string]bool {
	const reach = 4
	m := map[string]bool{}
	for i, w := range s.order {
		if !meant(w, word) {
			continue
		}
		for _, near := range s.order[max(0, i-reach):min(len(s.order), i+reach+1)] {
			if !meant(near, word) {
				m[near] = true
			}
		}
	}
	if len(m) == 0 {
		return s.words
	}
	return m
}

// doing reports whether a sentence begins with doing something: "Including it raises
// the share".
func (s *sentence) doing(word string) bool {
	return s.gerund && len(s.order) > 0 && meant(s.order[0], word)
}

// beginsElsewhere reports whether the first word of a sentence, its subject more often
// than not, is not in the other.
func (s *sentence) beginsElsewhere(t *sentence) bool {
	return len(s.order) > 0 && !t.words[s.order[0]]
}

// after returns the words that come right after one.
func (s *sentence) after(word string) []string {
	const reach = 3
	for i, w := range s.order {
		if meant(w, word) {
			return s.order[i+1 : min(len(s.order), i+1+reach)]
		}
	}
	return nil
}

// meant reports whether a stem is a word, or its opposite.
func meant(stem, word string) bool {
	same, _ := words.Meaning(stem)
	return same == word || words.Unprefixed(stem) == word
}

// alike is how much of the weight of their words two sentences share, 0 to 1.
func (x *index) alike(s, t map[string]bool) float64 {
	var shared, mine, theirs float64
	for w := range s {
		if t[w] {
			shared += x.idf(w)
		} else {
			mine += x.idf(w)
		}
	}
	for w := range t {
		if !s[w] {
			theirs += x.idf(w)
		}
	}
	if shared == 0 {
		return 0
	}
	return 0.4*shared/(shared+min(mine, theirs)) + 0.6*shared/(shared+mine+theirs)
}

// otherThing reports whether before a word that two sentences share stand two others:
// real property and personal property.
func (x *index) otherThing(s, t *sentence, before, other string) bool {
	return before != "" && other != "" && before != other && !s.names[before] && !t.names[other] &&
		(!t.words[before] || !s.words[other])
}

// otherObject reports whether a word is said of one thing and denied of another, by
// what stands around it and by what comes right after it.
func (x *index) otherObject(s, t *sentence, word string, near map[string]bool) bool {
	mine, theirs := s.after(word), t.after(word)
	in := func(of *sentence) func(string) bool {
		return func(w string) bool { return of.words[w] }
	}
	if len(mine) > 0 && len(theirs) > 0 &&
		(!slices.ContainsFunc(mine, in(t)) || !slices.ContainsFunc(theirs, in(s))) {
		return true
	}
	for w := range near {
		if t.words[w] && x.otherThing(s, t, s.before[w], t.before[w]) {
			return true
		}
	}
	return false
}

// otherAttribute reports whether two figures measure two things of one subject: right
// before a word that both have stands another one, or the words around them have less
// in common than each has of its own. Names say whose it is, not what.
func (x *index) otherAttribute(f, g *words.Figure, a, b *read) bool {
	s, t := &a.sentences[f.Sentence], &b.sentences[g.Sentence]
	var shared, mine, theirs float64
	for w, n := range f.Context {
		m, ok := g.Context[w]
		switch {
		case !ok:
			if !a.names[w] && !b.words[w] {
				mine += x.idf(w)
			}
		case x.otherThing(s, t, n.Before, m.Before):
			return true
		case !a.names[w] && !b.names[w] && !notNames()[w]:
			shared += x.idf(w)
		}
	}
	for w := range g.Context {
		if _, ok := f.Context[w]; !ok && !b.names[w] && !a.words[w] {
			theirs += x.idf(w)
		}
	}
	if f.After != g.After && f.After != "" && g.After != "" { // a 10% pool, a 3% commitment
		return true
	}
	return shared == 0 || min(mine, theirs) > shared/2
}

// otherEntity reports whether a sentence, or what its item begins with, has a name that
// the other item does not.
func otherEntity(r *read, i int, other *read) bool {
	for _, k := range []int{i, 0} {
		for n := range r.sentences[k].names {
			if !other.words[n] {
				return true
			}
		}
	}
	return false
}

func otherPeriod(s, t *sentence) bool {
	if len(s.periods) == 0 || len(t.periods) == 0 {
		return false
	}
	return !slices.ContainsFunc(s.periods, func(p string) bool {
		return slices.ContainsFunc(t.periods, func(q string) bool {
			return strings.HasPrefix(p, q) || strings.HasPrefix(q, p)
		})
	})
}

// say is a clash in words.
func say(c clash.Clash) string {
	between := " / "
	if c.FigureA != nil {
		between = " and "
	}
	out := c.A + between + c.B
	if c.About != "" {
		out += ": " + c.About
	}
	return out
}
