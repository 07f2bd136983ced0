package secret

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
)

//go:embed grammar.txt
var grammarText string

// grammar is what grammar.txt says.
type grammar struct {
	announcers [256][]announcer           // by the last byte of the word
	sentences  [kinds0][][]element        // by the kind of the word
	classes    map[string]uint64          // the lists that a word is in
	done       uint64                     // the list of that name
	options    map[string][]commandOption // by the command
	list       map[string][]string        // other words
	text       map[string]string          // the same, between blanks
}

// announcer is a word that announces a secret.
type announcer struct {
	end   string // of the word, in lower case
	kind  kind
	whole bool // it is the word, or a part of it after - or _
}

// element is a part of a sentence.
type element struct {
	is    byte     // @ V U _ $; * and ~ for gaps; w for one of several words or signs
	max   int      // words of a gap
	class uint64   // of the words
	signs []string // which may stand instead of a word
	how   manner
	// behindUser: nothing closes before the sign
	behindUser bool
}

var english = sync.OnceValue(func() *grammar {
	g := &grammar{classes: map[string]uint64{}, list: map[string][]string{},
		text: map[string]string{}, options: map[string][]commandOption{}}
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
			g.text[other] += " " + words + " "
			g.list[other] = append(g.list[other], strings.Fields(words)...)
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
	for name, words := range g.list {
		for i, w := range words {
			g.list[name][i] = strings.ReplaceAll(w, "_", " ")
		}
	}
	g.done = lists["done"] | lists["unlock"]
	return g
})

// isIn reports whether a word is in a list.
func isIn(list, word string) bool { return oneOf(english().text[list], word) }

func kindNamed(name string) kind { return kind(slices.Index(kindNames, name)) }

func (g *grammar) announce(k kind, words []string) {
	for _, w := range words {
		end, part := strings.CutPrefix(w, "…")
		at := end[len(end)-1] | 0x20
		g.announcers[at] = append(g.announcers[at], announcer{end, k, !part})
	}
}

// addList adds words to a list; %x stands for those of another.
func (g *grammar) addList(lists map[string]uint64, name string, words []string) {
	if lists[name] == 0 {
		lists[name] = 1 << (len(lists) - 1)
	}
	for _, w := range words {
		if of, ok := strings.CutPrefix(w, "%"); ok {
			for word, in := range g.classes {
				if in&lists[of] != 0 {
					g.classes[word] |= lists[name]
				}
			}
			continue
		}
		g.classes[w] |= lists[name]
	}
}

// sentence reads a row of the grammar.
func (g *grammar) sentence(lists map[string]uint64, line string) (s []element) {
	for f := range strings.FieldsSeq(line) {
		e := element{is: f[0]}
		switch {
		case f[0] == '*' || f[0] == '~':
			e.max = int(f[1] - '0')
			if len(f) > 2 {
				e.max = 10
			}
		case f == "%fill":
			e = element{is: '*', max: 4, class: lists["fill"]}
		case strings.HasPrefix(f, "V."):
			e.how = manner(slices.Index(mannerNames, f[2:]))
		case f != "@" && f != "$" && f != "U" && f != "_":
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

// Words that are looked at before and behind one that announces.
const (
	wordsBefore = 12
	wordsAfter  = 26
)

const around = " \t\r\n\"'`*“”„‚‘’«»()[]" // a word

// reading are the words of a part of a text, for all that announce a secret in it.
type reading struct {
	text     string
	from, to int
	words    []token
}

// near returns the words around one of the text, and how many of them stand before it on
// its line.
func (r *reading) near(start, end int) (all []token, before int) {
	line := max(start-100, 1+strings.LastIndexByte(r.text[max(0, start-100):start], '\n')+
		max(0, start-100))
	if line < r.from || end+1000 > r.to && r.to < len(r.text) || r.words == nil {
		r.from, r.to = line, min(len(r.text), end+4000)
		r.read()
	}
	at := r.index(start)
	first := max(r.index(line), at-wordsBefore)
	return r.words[first:min(len(r.words), at+wordsAfter)], at - first
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

// findAnnounced returns the secret of the first sentence of the grammar that the text is, or
// zeros.
func (a *announcement) findAnnounced() (from, to int) {
	words, before := a.reading.near(a.start, a.end)
	a.words = words
	for _, s := range english().sentences[a.kind] {
		if s[0].is == '@' {
			if a.match(s, a.start) {
				return a.from, a.to
			}
			continue
		}
		for n := before - 1; n >= 0; n-- {
			if a.mayBegin(s, n) && a.match(s, a.quoteBefore(words[n].from)) {
				return a.from, a.to
			}
		}
	}
	return 0, 0
}

// mayBegin reports whether a sentence may begin with a word: the list that it, or for a value
// the next word, has to be in.
func (a *announcement) mayBegin(s []element, n int) bool {
	if s[0].is != 'V' {
		return s[0].class&a.words[n].class != 0
	}
	next := s[1].class
	if s[1].is == '*' {
		next = s[2].class
	}
	for _, w := range a.words[n+1:] {
		if w.from >= a.start {
			break
		}
		if w.class&next != 0 {
			return true
		}
	}
	return false
}

// quoteBefore returns where the quote begins that a word at i is the first of, or i.
func (a *announcement) quoteBefore(i int) int {
	if i == 0 || a.text[i-1] == ' ' {
		return i
	}
	for _, q := range quotes {
		if strings.HasSuffix(a.text[:i], q.open) {
			return i - len(q.open)
		}
	}
	return i
}

// match reports whether the text from i on is the rest of a sentence; from and to are then
// the secret's.
func (a *announcement) match(s []element, i int) bool {
	if len(s) == 0 {
		return true
	}
	e, s := &s[0], s[1:]
	switch e.is {
	case '@':
		return a.canSkip(i, a.start, false) && a.match(s, a.after)
	case '$':
		return a.endsClause(i) && a.match(s, i)
	case '_':
		w := a.word(i, false)
		return w != nil && a.match(s, w.to)
	case 'V':
		if i == a.end && !space[a.text[min(i, len(a.text)-1)]] || i > a.start &&
			(e.how == inPair || e.how == atEnd || e.how >= asNumber) &&
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
	if n == len(a.words) || a.words[n].to > len(a.text) || !a.canSkip(i, a.words[n].from, overCommas) {
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

func (a *announcement) endsClause(i int) bool {
	rest := strings.TrimLeft(a.text[i:], "\"'`*“”‘’)] ")
	return rest == "" || strings.IndexByte(".,;:!?\n", rest[0]) >= 0
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
