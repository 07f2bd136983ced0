package parse

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

// TableText returns the words of a list of tables.txt.
func TableText(name string) string {
	_, list, found := strings.Cut(tables, "\n["+name+"]")
	if !found {
		panic("tables.txt has no table " + name)
	}
	_, list, _ = strings.Cut(list, "\n")
	list, _, _ = strings.Cut(list, "\n[")
	return strings.TrimSpace(list)
}

// A WordSet is a set of words that is made when it is asked: most processes check nothing, and
// each of them would pay for it at its start.
type WordSet func() map[string]bool

// Has reports whether a word is one of a set.
func (s WordSet) Has(word string) bool { return s()[word] }

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
			l.list = TableText(l.table)
		}
		l.words = map[string]bool{}
		for _, w := range strings.Fields(l.list) {
			l.words[w] = true
		}
	})
	return l.words
}

// NewSet is the set of the words of a list.
func NewSet(words string) WordSet { return (&lazyWords{list: words}).made }

// TableSet is the set of the words of a table.
func TableSet(name string) WordSet { return (&lazyWords{table: name}).made }

// rootsOf is the set of the roots of the words of a table.
func rootsOf(name string) WordSet {
	return sync.OnceValue(func() map[string]bool {
		m := map[string]bool{}
		for _, w := range strings.Fields(TableText(name)) {
			m[Root(w)] = true
		}
		return m
	})
}

// TableLines are the lines of a table, each a list of words.
func TableLines(name string) (all [][]string) {
	for line := range strings.Lines(TableText(name)) {
		all = append(all, strings.Fields(line))
	}
	return all
}

func float(s string) float64 {
	v, _ := strconv.ParseFloat(s, 64) // of digits
	return v
}

// IrregularForms leads from an irregular form to its word.
var IrregularForms = sync.OnceValue(func() map[string]string {
	m := map[string]string{}
	for _, g := range TableLines("forms") {
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
	for _, g := range TableLines("kin") {
		for _, w := range g {
			if s := cut(w); m[s] == "" {
				m[s] = cut(g[0])
			}
		}
	}
	return m
})

// Antonyms are, of the root of a word, the roots of those that say the opposite.
var Antonyms = sync.OnceValue(func() map[string][]string {
	m := map[string][]string{}
	for _, g := range TableLines("contraries") {
		left, right, _ := strings.Cut(strings.Join(g, " "), "|")
		for _, a := range strings.Fields(left) {
			for _, b := range strings.Fields(right) {
				x, y := Root(a), Root(b)
				m[x], m[y] = append(m[x], y), append(m[y], x)
			}
		}
	}
	return m
})

var (
	suffixes   = sync.OnceValue(func() []string { return strings.Fields(TableText("suffixes")) })
	inflection = strings.Fields("ies es s ed ing ly e")
	// Stopwords say nothing about what a text is about.
	Stopwords = TableSet("empty")
	breaks    = TableSet("breaks")
	stops     = TableSet("stops")
)

// Root takes off the endings of plurals, tenses and adverbs alone: an option is not
// optional.
func Root(w string) string {
	if f := IrregularForms()[w]; f != "" && w != "lower" && w != "higher" {
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
	if f := IrregularForms()[w]; f != "" {
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
	hash      uint64 // of the word
	low, stem string
	plain     *lexeme // without a negative prefix
	is        trait
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

// lexemes are those that were asked for: most words of a text are said again. The hash of a word says in which line of a
// processor's cache it stands, if it does. Hashes are taken for their words: a collision is not to be expected.
var (
	lexemes    [1 << 14]lexemeLine
	lexemeSeed = maphash.MakeSeed()
)

type lexemeLine struct {
	hashes [4]atomic.Uint64
	words  [4]atomic.Pointer[lexeme] // the last one first; a word may be newer than its hash
}

func lexemeOf(text string) *lexeme {
	h := maphash.String(lexemeSeed, text)
	line := &lexemes[h%uint64(len(lexemes))]
	for i := range line.hashes {
		if line.hashes[i].Load() == h {
			if x := line.words[i].Load(); x != nil && x.hash == h {
				return x
			}
		}
	}
	x := newLexeme(text)
	x.hash = h
	if len(text) < 32 {
		for i := len(line.words) - 1; i > 0; i-- {
			line.words[i].Store(line.words[i-1].Load())
			line.hashes[i].Store(line.hashes[i-1].Load())
		}
		line.words[0].Store(x)
		line.hashes[0].Store(h)
	}
	return x
}

func newLexeme(text string) *lexeme {
	x := &lexeme{low: strings.Clone(lowered(text))} // not the text that it is of
	x.stem, x.plain = uncachedStem(x.low), x
	low := x.low
	if w, un := Unprefixed(low); un {
		x.plain = lexemeOf(w)
	}
	one, number := SmallNumbers[low]
	r, _ := utf8.DecodeRuneInString(text)
	content := !number && !(currencies()[low] != "" && (unicode.IsUpper(r) || len(low) > 3))
	for _, t := range [...]struct {
		is  trait
		has bool
	}{{isEmpty, Stopwords.Has(low)}, {isBreak, breaks.Has(low)}, {isStop, stops.Has(low)},
		{isEnglish, englishWords.Has(low)}, {isForeign, foreignWords.Has(low) || r > 0x24f},
		{beginsFigure, beginsAFigure(low)},
		{isTopic, IsContentWord(low) && one == 0}, {isContent, content && IsContentWord(low)},
		{isContentEnglish, content && (IsContentWord(low) || Antonyms()[Root(x.plain.low)] != nil)},
		{mayDeny, denies(low)}} {
		if t.has {
			x.is |= t.is
		}
	}
	return x
}

// Stem returns what words are compared by.
func Stem(w string) string {
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

// IsContentWord reports whether a word says something about what a text is about.
func IsContentWord(low string) bool {
	return low != "" && !Stopwords.Has(low) && (len(low) > 1 || low[0] > 127)
}

// Stems returns the stems of a text, those of names in parts.
func Stems(text string) (out []string) {
	r := readings.Get().(*reading)
	defer readings.Put(r)
	r.lex(text)
	for i := range r.t {
		t := &r.t[i]
		switch t.Kind {
		case WordToken:
			if !t.has(isEmpty) {
				out = append(out, t.lexeme().stem)
			}
		case NameToken:
			for _, p := range SplitName(t.Text) {
				if len(p) > 1 && !Stopwords.Has(p) {
					out = append(out, Stem(p))
				}
			}
		}
	}
	return out
}

// SplitName cuts a name at its signs, digits and capitals.
func SplitName(s string) (parts []string) {
	before, start := ' ', -1
	cut := func(end int) {
		if start >= 0 {
			parts = append(parts, strings.ToLower(s[start:end]))
		}
		start = -1
	}
	for i, r := range s {
		in := unicode.IsLetter(r) || unicode.IsDigit(r)
		if !in || unicode.IsUpper(r) && unicode.IsLower(before) || digit(r) != digit(before) {
			cut(i)
		}
		if before = r; in && start < 0 {
			start = i
		}
	}
	cut(len(s))
	return parts
}

var englishWords, foreignWords = TableSet("english"), TableSet("foreign")

// IsEnglish reports whether the denials and conditions of a text are judged.
func IsEnglish(text string) bool { return Tokenize(text).english() }

// english guesses by small words whether a text is in English. A short one in Latin
// letters counts as English.
func (t Tokens) english() bool {
	ours, others := 0, 0
	for i := range t {
		x := &t[i]
		if x.Kind != WordToken || x.code {
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

// StemSet is the set of the stems of some words.
func StemSet(words string) WordSet {
	return sync.OnceValue(func() map[string]bool {
		m := map[string]bool{}
		for _, w := range strings.Fields(words) {
			m[Stem(w)] = true
		}
		return m
	})
}

// ContrastWords part what a sentence says into several things.
var ContrastWords = NewSet("; though although while but whereas and others")

// BeForms are the forms of to be.
var BeForms = NewSet("is are was were be been being")

// IrregularPast are past forms, and some verbs of exchange, that end in neither -ed nor -s.
var IrregularPast = NewSet(`sent gave paid took bought sold lent led won lost beat wrote read met kept held told
	made drew drove chose ran built caught taught left broke stole threw owe hold own lend outnumber`)

var articles = NewSet("a an the this these those its their our his her each every")

// IsAction reports whether a token may be what somebody does to something.
func (t Tokens) IsAction(i int) bool {
	low, before := t[i].Low, t.At(i-1).Low
	return t[i].Kind == WordToken && IsContentWord(low) && t.At(i-1).Kind != NumberToken && !articles.Has(before) &&
		t.At(i+1).Low != "of" && !Prepositions.Has(before) && (IrregularPast.Has(low) || strings.HasSuffix(low, "ed") ||
		strings.HasSuffix(low, "s") && !strings.HasSuffix(low, "ss"))
}

// SearchKey is what a word is looked for by. Those of another sense that kin joins are kept apart.
func SearchKey(low string) string {
	low = strings.TrimSuffix(strings.TrimSuffix(low, "'s"), "’s")
	if n := ordinals[low]; n > 0 {
		return "#" + strconv.Itoa(int(n))
	}
	if reOrdinal.MatchString(low) {
		return "#" + strings.TrimRight(low, "sthnrd")
	}
	return words.Stem(words.FoldWord(low))
}
