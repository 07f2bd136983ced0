package claims

import (
	_ "embed"
	"hash/maphash"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"unicode"
	"unicode/utf8"

	"blackboard/board/words"
)

//go:embed tables.txt
var tables string

// table returns the words of a list of tables.txt.
func table(name string) string {
	_, list, found := strings.Cut(tables, "\n["+name+"]")
	if !found {
		panic("tables.txt has no table " + name)
	}
	_, list, _ = strings.Cut(list, "\n")
	list, _, _ = strings.Cut(list, "\n[")
	return strings.TrimSpace(list)
}

// A wordSet is a set of words that is made when it is asked: most processes check nothing, and
// each of them would pay for it at its start.
type wordSet func() map[string]bool

func (s wordSet) has(word string) bool { return s()[word] }

// lazyWords are the words of a set that may not have been made yet.
type lazyWords struct {
	once  sync.Once
	list  string // the words
	table string // the table that has them; "": they are in list
	words map[string]bool
}

func (l *lazyWords) made() map[string]bool {
	l.once.Do(func() {
		if l.table != "" {
			l.list = table(l.table)
		}
		l.words = map[string]bool{}
		for _, w := range strings.Fields(l.list) {
			l.words[w] = true
		}
	})
	return l.words
}

// set is the set of the words of a list.
func set(words string) wordSet { return (&lazyWords{list: words}).made }

// setOf is the set of the words of a table.
func setOf(name string) wordSet { return (&lazyWords{table: name}).made }

// rootsOf is the set of the roots of the words of a table.
func rootsOf(name string) wordSet {
	return sync.OnceValue(func() map[string]bool {
		m := map[string]bool{}
		for _, w := range strings.Fields(table(name)) {
			m[root(w)] = true
		}
		return m
	})
}

// groups are the lines of a table, each a list of words.
func groups(name string) (all [][]string) {
	for line := range strings.Lines(table(name)) {
		all = append(all, strings.Fields(line))
	}
	return all
}

func float(s string) float64 {
	v, _ := strconv.ParseFloat(s, 64) // of digits
	return v
}

// forms leads from an irregular form to its word.
var forms = sync.OnceValue(func() map[string]string {
	m := map[string]string{}
	for _, g := range groups("forms") {
		for _, w := range g[1:] {
			m[w] = g[0]
		}
	}
	return m
})

// kin leads from a stem to that of a word which means nearly the same. It helps to find
// where two texts speak of one thing, and is never the reason of a verdict.
var kin = sync.OnceValue(func() map[string]string {
	m := map[string]string{}
	for _, g := range groups("kin") {
		for _, w := range g {
			if s := cut(w); m[s] == "" {
				m[s] = cut(g[0])
			}
		}
	}
	return m
})

// contraries are, of the root of a word, the roots of those that say the opposite.
var contraries = sync.OnceValue(func() map[string][]string {
	m := map[string][]string{}
	for _, g := range groups("contraries") {
		left, right, _ := strings.Cut(strings.Join(g, " "), "|")
		for _, a := range strings.Fields(left) {
			for _, b := range strings.Fields(right) {
				x, y := root(a), root(b)
				m[x], m[y] = append(m[x], y), append(m[y], x)
			}
		}
	}
	return m
})

var (
	suffixes   = sync.OnceValue(func() []string { return strings.Fields(table("suffixes")) })
	inflection = strings.Fields("ies es s ed ing ly e")
	empty      = setOf("empty")
	breaks     = setOf("breaks")
	stops      = setOf("stops")
)

// root takes off the endings of plurals, tenses and adverbs alone: an option is not
// optional.
func root(w string) string {
	if f := forms()[w]; f != "" && w != "lower" && w != "higher" {
		return f
	}
	if strings.HasSuffix(w, "ss") || strings.HasSuffix(w, "eed") {
		return w
	}
	for _, e := range inflection {
		if s, ok := strings.CutSuffix(w, e); ok && len(s) >= 4 {
			return strings.TrimSuffix(s, "e")
		}
	}
	return w
}

// cut takes off all endings, so that the forms of a word meet.
func cut(w string) string {
	if f := forms()[w]; f != "" {
		w = f
	}
	for _, r := range w {
		if r > unicode.MaxLatin1 || unicode.IsDigit(r) {
			return w
		}
	}
	w = shorten(shorten(w))
	if n := len(w); n > 4 && strings.IndexByte("aeiy", w[n-1]) >= 0 {
		w = w[:n-1]
	}
	return w
}

// shorten takes off one ending, and one of two equal letters before it.
func shorten(w string) string {
	for _, e := range suffixes() {
		s, ok := strings.CutSuffix(w, e)
		if !ok || len(s) < 3 || len(s) == 3 && len(e) > 1 && e != "ed" && e != "ing" ||
			e == "s" && strings.HasSuffix(s, "s") {
			continue
		}
		if n := len(s); n > 4 && s[n-1] == s[n-2] && strings.IndexByte("lsz", s[n-1]) < 0 {
			s = s[:n-1]
		}
		return s
	}
	return w
}

// A lexeme is a word as it is written, with what is asked of each word of a text.
type lexeme struct {
	text, low, stem string
	plain           *lexeme // without a negative prefix
	is              trait
}

// A trait is something that a word is.
type trait uint16

const (
	isEmpty          trait = 1 << iota // it says nothing
	isBreak                            // it begins a clause
	isStop                             // no denial reaches beyond it
	isEnglish                          // only English has it
	isForeign                          // English does not have it
	beginsFigure                       // or may
	isTopic                            // a figure may be about it
	isContent                          // it is a word of a claim
	isContentEnglish                   // it is one of a claim in English
	mayDeny
)

// lexemes are those that were asked for: most words of a text are said again. Each has one of two places, and they are
// as many as have these.
var (
	lexemes    [1 << 16]atomic.Pointer[lexeme]
	lexemeSeed = maphash.MakeSeed()
)

func lexemeOf(text string) *lexeme {
	at := maphash.String(lexemeSeed, text) % uint64(len(lexemes))
	first := lexemes[at].Load()
	if first != nil && first.text == text {
		return first
	}
	if x := lexemes[at^1].Load(); x != nil && x.text == text {
		return x
	}
	x := newLexeme(text)
	if len(text) < 32 {
		lexemes[at^1].Store(first)
		lexemes[at].Store(x)
	}
	return x
}

func newLexeme(text string) *lexeme {
	text = strings.Clone(text) // not the text that it is of
	x := &lexeme{text: text, low: lowered(text)}
	x.stem, x.plain = uncachedStem(x.low), x
	low := x.low
	if w, un := unprefixed(low); un {
		x.plain = lexemeOf(w)
	}
	one, number := ones[low]
	r, _ := utf8.DecodeRuneInString(text)
	content := !number && !(currencies()[low] != "" && (unicode.IsUpper(r) || len(low) > 3))
	for _, t := range [...]struct {
		is  trait
		has bool
	}{{isEmpty, empty.has(low)}, {isBreak, breaks.has(low)}, {isStop, stops.has(low)},
		{isEnglish, englishWords.has(low)}, {isForeign, foreignWords.has(low) || r > 0x24f},
		{beginsFigure, beginsAFigure(low)},
		{isTopic, says(low) && one == 0}, {isContent, content && says(low)},
		{isContentEnglish, content && (says(low) || contraries()[root(x.plain.low)] != nil)}, {mayDeny, denies(low)}} {
		if t.has {
			x.is |= t.is
		}
	}
	return x
}

// stem returns what words are compared by.
func stem(w string) string {
	if x := lexemeOf(w); x.low == w {
		return x.stem
	}
	return uncachedStem(w)
}

func uncachedStem(w string) string {
	w = strings.TrimSuffix(strings.TrimSuffix(w, "'s"), "’s")
	s := cut(w)
	if k := kin()[s]; k != "" {
		return k
	}
	return s
}

// says reports whether a word says something about what a text is about.
func says(low string) bool { return low != "" && !empty.has(low) && (len(low) > 1 || low[0] > 127) }

// stemsOf returns the stems of a text, those of names in parts.
func stemsOf(text string) (out []string) {
	for _, t := range lex(text) {
		switch t.kind {
		case wordToken:
			if !t.has(isEmpty) {
				out = append(out, t.lexeme().stem)
			}
		case nameToken:
			for _, p := range parts(t.text) {
				if len(p) > 1 && !empty.has(p) {
					out = append(out, stem(p))
				}
			}
		}
	}
	return out
}

// parts cuts a name at its signs, digits and capitals.
func parts(s string) []string {
	var b strings.Builder
	before := ' '
	for _, r := range s {
		if unicode.IsUpper(r) && unicode.IsLower(before) || digit(r) != digit(before) {
			b.WriteByte(' ')
		}
		if before = r; !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			r = ' '
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return strings.Fields(b.String())
}

var englishWords, foreignWords = setOf("english"), setOf("foreign")

// IsEnglish reports whether the denials and conditions of a text are judged.
func IsEnglish(text string) bool { return lex(text).english() }

// english guesses by small words whether a text is in English. A short one in Latin
// letters counts as English.
func (t tokens) english() bool {
	ours, others := 0, 0
	for i := range t {
		x := &t[i]
		if x.kind != wordToken || x.code {
			continue
		}
		if x.has(isEnglish) {
			ours++
		}
		if x.has(isForeign) {
			others++
		}
	}
	return others == 0 || ours >= 2*others
}

// stems is the set of the stems of some words.
func stems(words string) wordSet {
	return sync.OnceValue(func() map[string]bool {
		m := map[string]bool{}
		for _, w := range strings.Fields(words) {
			m[stem(w)] = true
		}
		return m
	})
}

var contrasts = set("; though although while but whereas and others")

var beForms = set("is are was were be been being")

// irregular are past forms, and some verbs of exchange, that end in neither -ed nor -s.
var irregular = set(`sent gave paid took bought sold lent led won lost beat wrote read met kept held told
	made drew drove chose ran built caught taught left broke stole threw owe hold own lend outnumber`)

var articles = set("a an the this these those its their our his her each every")

// acts reports whether a token may be what somebody does to something.
func (t tokens) acts(i int) bool {
	low, before := t[i].low, t.at(i-1).low
	return t[i].kind == wordToken && says(low) && t.at(i-1).kind != numberToken &&
		!articles.has(before) &&
		t.at(i+1).low != "of" && !prepositions.has(before) &&
		(irregular.has(low) || strings.HasSuffix(low, "ed") ||
			strings.HasSuffix(low, "s") && !strings.HasSuffix(low, "ss"))
}

// key is what a word is looked for by. Those of another sense that kin joins are kept apart.
func key(low string) string {
	low = strings.TrimSuffix(strings.TrimSuffix(low, "'s"), "’s")
	if n := ordinals[low]; n > 0 {
		return "#" + strconv.Itoa(int(n))
	}
	if reOrdinal.MatchString(low) {
		return "#" + strings.TrimRight(low, "sthnrd")
	}
	return words.Stem(words.FoldWord(low))
}
