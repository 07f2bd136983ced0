package secret

import (
	_ "embed"
	"slices"
	"strconv"
	"strings"
	"sync"
)

//go:embed grammar.txt
var grammarText string

// grammar is what grammar.txt says.
type grammar struct {
	announcers [256][]announcer           // by the last byte of the word
	sentences  [16][][]element            // by the kind of the word
	classes    map[string]uint64          // the lists that a word is in
	options    map[string][]commandOption // by the command
	lists      map[string]*wordList       // of other words
}

// wordList is split when it is first asked for, as a short text asks for few of them.
type wordList struct {
	text  string // the words between blanks
	split sync.Once
	words []string        // with blanks in place of _
	first [1 << 10]uint16 // by the first two bytes, the word's place counted from 1
	next  []uint16        // by a word's place, the next with such bytes
}

func (l *wordList) read() {
	l.words = strings.Fields(l.text)
	l.next = make([]uint16, len(l.words)+1)
	for i := len(l.words) - 1; i >= 0; i-- {
		w := strings.ReplaceAll(l.words[i], "_", " ")
		if l.words[i] = w; len(w) > 1 {
			b := bucket(w[0], w[1])
			l.next[i+1], l.first[b] = l.first[b], uint16(i+1)
		}
	}
}

func bucket(a, b byte) int { return (int(a)<<4 ^ int(b)) & (1<<10 - 1) }

func listed(name string) *wordList {
	l := english().lists[name]
	l.split.Do(l.read)
	return l
}

type announcer struct {
	end   string // of the word, in lower case
	kind  kind
	whole bool // it is the word, or a part of it after - or _
}

type element struct {
	is    byte     // @ V U _; * and ~ for gaps; w for one of several words or signs
	max   int      // words of a gap
	class uint64   // of the words
	signs []string // which may stand instead of a word
	how   manner
	// behindUser: nothing closes before the sign
	behindUser bool
}

var english = sync.OnceValue(readGrammar)

func readGrammar() *grammar {
	g := &grammar{classes: map[string]uint64{}, lists: map[string]*wordList{},
		options: map[string][]commandOption{}}
	lists := map[string]uint64{"": 0}
	var kinds []kind
	for line := range strings.Lines(grammarText) {
		line = strings.TrimSpace(line)
		name, words, isList := strings.Cut(line, ": ")
		other, isOther := strings.CutPrefix(name, "list ")
		switch kindName, isKind := strings.CutPrefix(name, "kind "); {
		case line == "" || line[0] == '#':
		case strings.HasPrefix(line, "for "):
			kinds = kinds[:0]
			for k := range strings.FieldsSeq(line[len("for "):]) {
				kinds = append(kinds, kindNamed(k))
			}
		case strings.HasPrefix(line, "option "):
			what, commands, _ := strings.Cut(line, " of ")
			f := strings.Fields(what)
			for c := range strings.FieldsSeq(commands) {
				g.options[c] = append(g.options[c], commandOption{f[1],
					slices.Contains(f, "glued"), slices.Contains(f, "user")})
			}
		case isOther:
			if g.lists[other] == nil {
				g.lists[other] = &wordList{}
			}
			g.lists[other].text += " " + words + " "
		case isKind:
			g.announce(kindNamed(kindName), strings.Fields(words))
		case isList && len(kinds) == 0:
			g.addList(lists, name, strings.Fields(words))
		default:
			s := g.sentence(lists, line)
			for _, k := range kinds {
				g.sentences[k] = append(g.sentences[k], s)
			}
		}
	}
	return g
}

func has(list, text string) bool {
	l := listed(list)
	for i := 0; i+1 < len(text); i++ {
		for w := l.first[bucket(text[i], text[i+1])]; w > 0; w = l.next[w] {
			if strings.HasPrefix(text[i:], l.words[w-1]) {
				return true
			}
		}
	}
	return false
}

func endsWith(list, text string) bool { return hasSuffix(text, listed(list).words...) }

func hasPrefix(s string, starts ...string) bool {
	return slices.ContainsFunc(starts, func(p string) bool { return strings.HasPrefix(s, p) })
}

func isIn(list, word string) bool { return oneOf(english().lists[list].text, word) }

func kindNamed(name string) kind { return kind(slices.Index(kindNames, name)) }

func (g *grammar) announce(k kind, words []string) {
	for _, w := range words {
		end, part := strings.CutPrefix(w, "…")
		at := end[len(end)-1] | 0x20
		g.announcers[at] = append(g.announcers[at], announcer{end, k, !part})
	}
}

func (g *grammar) addList(lists map[string]uint64, name string, words []string) {
	if lists[name] == 0 {
		lists[name] = 1 << (len(lists) - 1)
	}
	for _, w := range words {
		g.classes[w] |= lists[name]
	}
}

func (g *grammar) sentence(lists map[string]uint64, line string) (s []element) {
	for f := range strings.FieldsSeq(line) {
		e := element{is: f[0]}
		switch {
		case f[0] == '*' || f[0] == '~':
			e.max, _ = strconv.Atoi(f[1:])
		case f == "%fill":
			e = element{is: '*', max: 4, class: lists["fill"]}
		case strings.HasPrefix(f, "V."):
			e.how = manner(slices.Index(mannerNames, f[2:]))
		case f != "@" && f != "U" && f != "_":
			e.is = 'w'
			for w := range strings.SplitSeq(f, "|") {
				switch of, isList := strings.CutPrefix(w, "%"); {
				case isList:
					e.class |= lists[of]
				case !isLetter(w[0]):
					e.signs = append(e.signs, w)
				default:
					g.addList(lists, w, []string{w})
					e.class |= lists[w]
				}
			}
		}
		e.behindUser = len(s) > 0 && s[len(s)-1].is == 'U'
		s = append(s, e)
	}
	return s
}

// token is a word of a text, without what surrounds it.
type token struct {
	from, to int
	class    uint64
}

// wordsAfter is how many words are read from one that announces on.
const wordsAfter = 26

const around = " \t\r\n\"'`*“”„‚‘’«»()[]" // a word

// reading are the words of a part of a text, for all that announce a secret in it.
type reading struct {
	text     string
	from, to int
	words    []token
}

// near returns the words of the text from one on.
func (r *reading) near(start, end int) []token {
	if start < r.from || end+1000 > r.to && r.to < len(r.text) || r.words == nil {
		r.from, r.to = start, min(len(r.text), end+4000)
		r.read()
	}
	at := r.index(start)
	return r.words[at:min(len(r.words), at+wordsAfter)]
}

// index returns the first word that begins at i or behind.
func (r *reading) index(i int) int {
	at, _ := slices.BinarySearchFunc(r.words, i, func(t token, i int) int { return t.from - i })
	return at
}

func (r *reading) read() {
	g, text, i := english(), r.text[:r.to], r.from
	r.words = r.words[:0]
	for i < len(text) {
		for i < len(text) && space[text[i]] {
			i++
		}
		from := i
		for i < len(text) && !space[text[i]] {
			i++
		}
		to := i
		for from < to && (text[from] < 0x80 && strings.IndexByte("\"'`*()[],;:!?=", text[from]) >= 0) {
			from++
		}
		for from < to && (text[to-1] < 0x80 && strings.IndexByte("\"'`*()[].,;:!?", text[to-1]) >= 0) {
			to--
		}
		core := text[from:to]
		if core != "" && (core[0] >= 0x80 || core[len(core)-1] >= 0x80) {
			core = strings.TrimLeft(core, around)
			from = to - len(core)
			core = strings.TrimRight(core, around+".,;:!?")
		}
		if core != "" && !isSign(core) {
			r.words = append(r.words, token{from, from + len(core), g.classOf(core)})
		}
	}
}

func (g *grammar) classOf(word string) uint64 {
	if len(word) > 20 {
		return 0
	}
	if c, ok := g.classes[word]; ok {
		return c
	}
	return g.classes[strings.ToLower(word)]
}

// isSign reports whether a word has only signs between words, such as – and &.
func isSign(w string) bool { return len(w) < 4 && strings.Trim(w, "-–—&+|=→>/") == "" }

// findAnnounced returns the secret of the first sentence of the grammar that the text is, or zeros.
func (a *announcement) findAnnounced() (from, to int) {
	a.words = a.reading.near(a.start, a.end)
	for _, s := range english().sentences[a.kind] {
		if a.match(s, a.start) {
			return a.from, a.to
		}
	}
	return 0, 0
}

// match reports whether the text from i on is the rest of a sentence; from and to: the secret's.
func (a *announcement) match(s []element, i int) bool {
	if len(s) == 0 {
		return true
	}
	e, s := &s[0], s[1:]
	switch e.is {
	case '@':
		return a.canSkip(i, a.start, false) && a.match(s, a.after)
	case '_':
		w := a.word(i, false)
		return w != nil && a.match(s, w.to)
	case 'V':
		if i == a.end && !space[a.text[min(i, len(a.text)-1)]] || i > a.start &&
			(e.how == inPair || e.how >= atRandom) &&
			strings.Contains(a.text[a.end:a.blanks(i)], "\n") {
			return false
		}
		from, to := a.accept(a.blanks(i), e.how)
		if to == 0 || !a.match(s, to) {
			return false
		}
		if a.to == 0 {
			a.from, a.to = from, to
		}
		return true
	case 'U':
		at, end := a.user(i)
		return end > at && a.match(s, end)
	case 'w':
		for _, sign := range e.signs {
			if at := a.sign(i, sign, e.behindUser); at > 0 && a.match(s, at) {
				return true
			}
		}
		w := a.word(i, false)
		return w != nil && w.class&e.class != 0 && a.match(s, w.to)
	}
	for n := 0; ; n++ {
		if a.match(s, i) {
			return true
		}
		w := a.word(i, e.is == '~')
		if n == e.max || w == nil || e.class != 0 && w.class&e.class == 0 || w.from == a.start {
			return false
		}
		i = w.to
	}
}

// word returns the next word, or nil if there is none in the clause.
func (a *announcement) word(i int, overCommas bool) *token {
	n, _ := slices.BinarySearchFunc(a.words, i, func(t token, i int) int { return t.from - i })
	if n == len(a.words) || a.words[n].to > len(a.text) ||
		!a.canSkip(i, a.words[n].from, overCommas) {
		return nil // the text ends in a word without end
	}
	return &a.words[n]
}

// canSkip reports whether no sign between two places ends a clause.
func (a *announcement) canSkip(from, to int, overCommas bool) bool {
	if from > to {
		return false
	}
	gap := a.text[from:to]
	if gap == " " || strings.Contains(gap, "\n\n") {
		return gap == " "
	}
	if overCommas {
		gap = strings.Trim(gap, ",-–&")
	}
	return strings.Trim(gap, around) == "" && (from > a.end || !strings.Contains(gap, "\n")) ||
		overCommas && strings.Trim(gap, around+",-–") == ""
}

// sign returns where a sign ends that is at i, behind blanks or what closes there, or 0.
func (a *announcement) sign(i int, sign string, behindUser bool) int {
	for _, closing := range []string{" \t\r\n*", " \t\r\n*)\"'`“”‘’"} {
		rest := strings.TrimLeft(a.text[i:], closing)
		if after, ok := strings.CutPrefix(rest, sign); ok {
			return len(a.text) - len(after)
		}
		if behindUser {
			break
		}
	}
	return 0
}

func (a *announcement) blanks(i int) int {
	for i < len(a.text) && (space[a.text[i]] || a.text[i] == '*') {
		i++
	}
	return i
}

// user returns where a user is that begins at i, after blanks and quotes.
func (a *announcement) user(i int) (from, to int) {
	for i < len(a.text) && strings.IndexByte(" \t\"'`*", a.text[i]) >= 0 {
		i++
	}
	to = i
	for to < len(a.text) && strings.IndexByte(" \t\r\n/:,;|()\"'`<>{}$=", a.text[to]) < 0 {
		to++
	}
	u := strings.TrimRight(a.text[i:to], ".*")
	lower := strings.ToLower(u)
	if len(u) < 2 || !wordChar[u[0]] || containsAny(lower, "user", "benutzer", "passw", "kennw") ||
		oneOf(" mail email e-mail mailadresse ", u) ||
		isIn("novalue", u) && !oneOf(" admin root test demo user ", u) {
		return 0, 0
	}
	to = i + len(u)
	if to < len(a.text) && strings.IndexByte("\"'`*", a.text[to]) >= 0 {
		to++
	}
	return i, to
}
