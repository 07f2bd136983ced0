package kb

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// This file says why two capsules that are about the same thing may contradict each other. It compares words, not meaning: somebody has to judge. It is
// of use only where something else (their cosine) has said that both are about one thing.
//
//	figures     numbers, versions and dates that differ, of the same unit, in a context that is the same
//	negation    a word that one of them negates, in sentences that are alike
//	opposites   enabled and disabled, always and never, before and after
//
// A figure that the other text has too, wherever, clashes with nothing, and neither does one that only one of them has.

// Limits of what is compared.
const (
	clashText    = 64 << 10 // bytes of a text
	clashFigures = 200
	clashSaid    = 200 // sentences
	clashReasons = 8
)

// clash returns the reasons, each short, with a's side first. Whether there are any does not depend on which is a.
func clash(a, b *Capsule) []string {
	if a.Title == b.Title && a.Body == b.Body {
		return nil
	}
	x, y := readClaims(a), readClaims(b)
	var out []string
	for _, reason := range slices.Concat(clashingFigures(x, y), clashingWords(x, y), clashingOrder(x, y)) {
		if out = once(out, reason, clashReasons); len(out) == clashReasons {
			break
		}
	}
	return out
}

// claims is what a text says, as far as this file understands it.
type claims struct {
	figures   []figure
	sentences []sentence
	stems     map[string]bool
}

type sentence struct {
	words []clashWord
	stems map[string]bool // of what is not a function word
	sides map[string]side // how a word is meant: as it stands, or negated
	aside map[string]bool // named only to be ruled out: "a digest, not a tag"
}

// clashWord is a word, a number or a mark.
type clashWord struct {
	text  string // as it stands
	low   string
	stem  string // "": a function word, a number or a mark
	glued bool   // nothing stands between it and the word before
}

type side uint8

const (
	plus side = 1 << iota
	minus
)

// A figure is a number with its unit and what stands around it.
type figure struct {
	kind    string // number, version, date
	lo, hi  float64
	unit    string
	version string // 1.2, without zeros at its end
	date    string // 2026, 2026-03 or 2026-03-23
	shown   string
	context map[string]near
}

// near is a word of a context, as it stands, and what stands right before it: "search" of "search API".
type near struct{ word, before string }

var clashToken = regexp.MustCompile(`\d{4}-\d{2}(?:-\d{2})?\b|[vV]\d+(?:\.\d+)*\b|[$€£]?\d+(?:,\d{3})*(?:\.\d+)*%?|[\p{L}_][\p{L}\p{N}_]*(?:[./'’][\p{L}\p{N}_]+|-\d[\p{L}\p{N}_]*)*|[.!?;,:()=<>≤≥~≈\n–—-]+`)

func readClaims(c *Capsule) *claims {
	text := strings.ToValidUTF8(c.Body, " ")
	if title := strings.ToValidUTF8(c.Title, " "); !strings.HasPrefix(text, strings.TrimSuffix(title, "…")) {
		text = title + ".\n" + text // a title is often the first sentence of the body
	}
	if len(text) > clashText {
		text = strings.ToValidUTF8(text[:clashText], "")
	}
	cl := &claims{stems: map[string]bool{}}
	var words []clashWord
	flush := func() {
		if len(words) > 0 && len(cl.sentences) < clashSaid {
			cl.sentence(words)
		}
		words = nil
	}
	end := 0
	for _, m := range clashToken.FindAllStringIndex(text, -1) {
		s := text[m[0]:m[1]]
		w := clashWord{text: s, low: strings.ToLower(strings.ReplaceAll(s, "’", "'")), glued: m[0] == end && m[0] > 0}
		end = m[1]
		if len(words) >= 200 { // no sentence, and costly
			flush()
		}
		if strings.Trim(s, ".!?;\n") != s || w.low == "but" || w.low == "whereas" || w.low == "while" {
			flush()
			continue
		}
		if strings.HasSuffix(w.low, "n't") || w.low == "cannot" { // two words in one
			words = append(words, clashWord{text: s, low: "not"})
			continue
		}
		w.stem = clashStem(w.low)
		words = append(words, w)
	}
	flush()
	for i := range cl.sentences {
		cl.figuresOf(&cl.sentences[i])
	}
	for i := range cl.figures {
		if len(cl.figures[i].context) == 0 { // "30 s." says of what in the title
			cl.figures[i].context = nearOf(clashTitle(c.Title))
		}
	}
	return cl
}

func clashTitle(title string) (words []clashWord) {
	for _, s := range clashToken.FindAllString(title, -1) {
		words = append(words, clashWord{text: s, stem: clashStem(strings.ToLower(s))})
	}
	return words
}

func stemsOf(words []clashWord) map[string]bool {
	m := map[string]bool{}
	for _, w := range words {
		if w.stem != "" {
			m[w.stem] = true
		}
	}
	return m
}

func nearOf(words []clashWord) map[string]near {
	m := map[string]near{}
	for i, w := range words {
		if w.stem != "" {
			n := near{word: w.text}
			if i > 0 {
				n.before = words[i-1].stem
			}
			m[w.stem] = n
		}
	}
	return m
}

var clashStop = func() map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(`a an the this that these those it its they them their we you he she i is are was were be been being am has have had do does did will would shall
		should can could may might must of in on at to for from by with as and or nor so if then than when where which who what how there here also just only very now not no never
		without none neither before after always about around roughly approximately nearly over under up least most more less per each every all any some both either such own same other into
		onto out off via using because since until till though although however therefore rather instead longer s t re ve ll one`) {
		m[w] = true
	}
	return m
}()

// clashStem takes the endings of a word off. It is "" for a function word and for what is no word.
func clashStem(w string) string {
	if clashStop[w] || !strings.ContainsFunc(w, unicode.IsLetter) {
		return ""
	}
	if strings.ContainsAny(w, "._/0123456789") { // a name
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
	_ = cut("ies", "y", 2) || cut("sses", "ss", 1) || cut("xes", "x", 2) || cut("ches", "ch", 2) || cut("shes", "sh", 2) || !strings.HasSuffix(w, "ss") && !strings.HasSuffix(w, "us") && !strings.HasSuffix(w, "is") && cut("s", "", 2)
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

// opposites are the words whose pair is one word, affirmed or negated.
var opposites = func() map[string]string {
	m := map[string]string{}
	for _, pair := range strings.Fields(`enable/disable enabled/disabled true/false required/optional mandatory/optional allow/deny allowed/denied allow/forbid allowed/forbidden allow/disallow
		allow/prohibit permit/forbid allow/block safe/unsafe safe/dangerous sync/async synchronous/asynchronous synchronously/asynchronously increase/decrease raise/lower grow/shrink
		public/private sorted/unsorted valid/invalid mutable/immutable include/exclude accept/reject open/closed ascending/descending inclusive/exclusive strict/lenient lazy/eager
		online/offline success/failure succeed/fail faster/slower cheap/expensive possible/impossible blocking/nonblocking add/remove keep/drop supported/unsupported encrypted/plaintext
		sensitive/insensitive necessary/unnecessary needed/unnecessary writable/readonly works/broken`) {
		good, bad, _ := strings.Cut(pair, "/")
		m[clashStem(bad)] = clashStem(good)
	}
	return m
}()

// sameWords are affirmed words that mean one thing.
var sameWords = map[string]string{"mandatory": "requir", "permit": "allow", "need": "requir", "necessary": "requir", "synchronous": "sync", "synchronously": "sync", "grow": "increas", "rais": "increas"}

var (
	negators  = strings.Fields("not no non never without neither nor none avoid avoids avoided avoiding lack lacks lacking unable refuse refuses hardly")
	cancelled = strings.Fields("without until unless except only before")
	negPrefix = []string{"non", "un", "in", "im", "dis", "ir"}
	setTo     = strings.Fields("is are was be turned turn switched switch set to default defaults keep stays off on =")
)

func (cl *claims) sentence(words []clashWord) {
	s := sentence{words: words, stems: stemsOf(words), sides: map[string]side{}, aside: map[string]bool{}}
	for st := range s.stems {
		cl.stems[st] = true
	}
	negated := -1 // how many more words are looked at for the one that is meant
	cancel, aside := false, false
	for i, w := range words {
		if negated < 0 && !cancel && slices.Contains(negators, w.low) || phrase(words, i, "fails", "to") || phrase(words, i, "fail", "to") || phrase(words, i, "instead", "of") || phrase(words, i, "rather", "than") {
			// "not … without", "not … until" say what must be, not what must not
			cancel = false
			for _, later := range words[i+1:] {
				cancel = cancel || slices.Contains(cancelled, later.low)
			}
			negated = 4
			aside = i > 0 && words[i-1].low == "," || w.low == "instead" || w.low == "rather"
			continue
		}
		if w.low == "," || w.low == "and" {
			negated = -1
		}
		if (w.low == "on" || w.low == "off") && i > 0 && slices.Contains(setTo, words[i-1].low) && (i+1 == len(words) || w.low == "off" || words[i+1].stem == "" && !clashStop[words[i+1].low] || slices.Contains([]string{"by", "for", "in"}, words[i+1].low)) {
			s.mean("enabl", map[bool]side{true: plus, false: minus}[w.low == "on"])
			continue
		}
		if w.low == "must" && !(i+1 < len(words) && words[i+1].low == "not") {
			s.mean("requir", plus)
		}
		if w.stem == "" || strings.HasSuffix(w.low, "ly") && opposites[w.stem] == "" && negated > 0 {
			negated = max(negated-1, -1)
			continue
		}
		if w.stem == "fail" && negated > 0 { // fails to
			continue
		}
		as := plus
		st := w.stem
		if o := opposites[st]; o != "" {
			st, as = o, minus
		}
		if o := sameWords[st]; o != "" {
			st = o
		}
		if negated > 0 {
			if !slices.Contains([]string{"use", "uses", "used", "using"}, w.low) { // not to use something says no to the thing
				negated = -1
			}
			if cancel {
				as = plus | minus // says neither
			} else {
				as = plus + minus - as
			}
			s.aside[st] = aside
		}
		s.mean(st, as)
	}
	cl.sentences = append(cl.sentences, s)
}

func phrase(words []clashWord, i int, want ...string) bool {
	for k, w := range want {
		if i+k >= len(words) || words[i+k].low != w {
			return false
		}
	}
	return true
}

func (s *sentence) mean(stem string, as side) { s.sides[stem] |= as }

// clashingWords compares how each word is meant in sentences that are alike.
func clashingWords(x, y *claims) (out []string) {
	// unX is the opposite of X if X is spoken of.
	spoken := func(st string) bool { return x.stems[st] || y.stems[st] }
	sides := func(s *sentence) map[string]side {
		m := map[string]side{}
		for st, as := range s.sides {
			for _, p := range negPrefix {
				if rest, ok := strings.CutPrefix(st, p); ok && len(rest) >= 4 && spoken(rest) {
					if st = rest; as == plus || as == minus {
						as = plus + minus - as
					}
					break
				}
			}
			m[st] |= as
		}
		return m
	}
	all := func(c *claims) (out []map[string]side) {
		for i := range c.sentences {
			out = append(out, sides(&c.sentences[i]))
		}
		return out
	}
	xs, ys := all(x), all(y)
	few := len(xs)+len(ys) <= 2
	said := func(st string, as side, in []map[string]side, like map[string]side) bool {
		return slices.ContainsFunc(in, func(m map[string]side) bool {
			if m[st] != as {
				return false
			}
			_, alike := compareSides(m, like, few)
			return alike
		})
	}
	for i := range xs {
		for j := range ys {
			differ, alike := compareSides(xs[i], ys[j], few)
			if !alike || len(differ) == 1 && (x.sentences[i].aside[differ[0]] || y.sentences[j].aside[differ[0]]) {
				continue // what is ruled out here may well be spoken of there
			}
			for _, st := range differ {
				if said(st, xs[i][st], ys, xs[i]) || said(st, ys[j][st], xs, ys[j]) {
					continue // each for its own case, and both say so
				}
				out = append(out, fmt.Sprintf("%s against %s", x.sentences[i].as(st, xs[i][st]), y.sentences[j].as(st, ys[j][st])))
			}
		}
	}
	return out
}

// compareSides returns the words that two sentences mean in opposite ways, and whether the sentences are alike in the others.
func compareSides(a, b map[string]side, few bool) (differ []string, alike bool) {
	shared := 0
	for st, as := range a {
		switch other := b[st]; {
		case other == 0:
		case as|other == plus|minus && as != plus|minus && other != plus|minus:
			differ = append(differ, st)
		default:
			shared++
		}
	}
	slices.Sort(differ)
	small := min(len(a), len(b)) - len(differ)
	if shared == 0 { // of one word: too little, unless that is all there is
		return differ, small == 0 && (few || len(differ) > 1)
	}
	return differ, shared*2 >= small
}

// as shows how a sentence means a word: "not safe", "unsafe", "disabled".
func (s *sentence) as(stem string, meant side) string {
	for i, w := range s.words {
		st := w.stem
		o := opposites[st]
		if o != "" {
			st = o
		}
		if other := sameWords[st]; other != "" {
			st = other
		}
		prefixed := st != stem && st != "" && strings.HasSuffix(st, stem)
		if st != stem && !prefixed {
			if stem == "enabl" && (w.low == "on" || w.low == "off") && i > 0 {
				return w.low
			}
			if stem == "requir" && w.low == "must" {
				return "must"
			}
			continue
		}
		if own := map[bool]side{false: plus, true: minus}[o != "" || prefixed]; own == meant {
			return w.text
		}
		return "not " + w.text
	}
	return map[side]string{plus: stem, minus: "not " + stem}[meant]
}

// clashingOrder compares what comes before what.
func clashingOrder(x, y *claims) (out []string) {
	for i := range x.sentences {
		l1, r1, w1 := x.sentences[i].order()
		if w1 == "" {
			continue
		}
		for j := range y.sentences {
			l2, r2, w2 := y.sentences[j].order()
			if w2 == "" {
				continue
			}
			straight, crossed := min(common(l1, l2), common(r1, r2)), min(common(l1, r2), common(r1, l2))
			if straight > crossed && w1 != w2 || crossed > straight && w1 == w2 {
				out = append(out, fmt.Sprintf("%s against %s (%s)", w1, w2, strings.Join(sortedSet(r1), " ")))
			}
		}
	}
	return out
}

// order returns what stands on both sides of before or after. Not before is after.
func (s *sentence) order() (left, right map[string]bool, word string) {
	not := false
	for i, w := range s.words {
		not = not != slices.Contains(negators, w.low)
		if w.low != "before" && w.low != "after" {
			continue
		}
		rest := s.words[i+1:]
		if i > 0 {
			if word = w.low; not {
				word = map[string]string{"before": "after", "after": "before"}[word]
			}
			return stemsOf(s.words[:i]), stemsOf(rest), word
		}
		for k, c := range rest { // Before X, do Y
			if strings.HasPrefix(c.low, ",") {
				return stemsOf(rest[k:]), stemsOf(rest[:k]), w.low
			}
		}
	}
	return nil, nil, ""
}

func common(a, b map[string]bool) (n int) {
	for w := range a {
		if b[w] {
			n++
		}
	}
	return n
}

func sortedSet(m map[string]bool) (out []string) {
	for w := range m {
		out = append(out, w)
	}
	slices.Sort(out)
	return out
}

// clashUnits are the units that can be converted: the dimension, and how many of its base they are.
var clashUnits = func() map[string]struct {
	dim string
	of  float64
} {
	m := map[string]struct {
		dim string
		of  float64
	}{}
	for dim, list := range map[string]string{
		"time": "ns 1e-9 nanosecond 1e-9 µs 1e-6 us 1e-6 microsecond 1e-6 ms 1e-3 msec 1e-3 millisecond 1e-3 s 1 sec 1 second 1 m 60 min 60 minute 60 h 3600 hr 3600 hour 3600 d 86400 day 86400 week 604800 month 2592000 year 31536000",
		"size": "byte 1 b 1 kb 1024 kib 1024 kilobyte 1024 mb 1048576 mib 1048576 megabyte 1048576 gb 1073741824 gib 1073741824 gigabyte 1073741824 tb 1099511627776 tib 1099511627776 terabyte 1099511627776",
		"%":    "% 1 percent 1 pct 1",
		"$":    "$ 1 usd 1 dollar 1", "€": "€ 1 eur 1 euro 1", "£": "£ 1 gbp 1",
	} {
		f := strings.Fields(list)
		for i := 0; i < len(f); i += 2 {
			of, _ := strconv.ParseFloat(f[i+1], 64)
			m[f[i]] = struct {
				dim string
				of  float64
			}{dim, of}
		}
	}
	return m
}()

var (
	clashScales = map[string]float64{"k": 1e3, "K": 1e3, "thousand": 1e3, "M": 1e6, "million": 1e6, "bn": 1e9, "B": 1e9, "billion": 1e9}
	clashMonths = strings.Fields("january february march april may june july august september october november december")
	spelledOut  = func() map[string]float64 {
		m := map[string]float64{}
		for i, w := range strings.Fields("two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty") {
			m[w] = float64(i + 2)
		}
		for i, w := range strings.Fields("thirty forty fifty sixty seventy eighty ninety") {
			m[w] = float64(10*i + 30)
		}
		return m
	}()
	// what follows names a place, not an amount
	placeWords = strings.Fields("line lines page pages issue pr chapter section step item figure fig table rfc commit ticket bug ch no nr example case task")
	// a date that says when somebody looked is no part of the claim
	lookedAt = strings.Fields("verified checked measured seen noted updated observed tested confirmed reviewed written recorded asof")
	contrast = func() map[string]string {
		m := map[string]string{}
		for _, group := range strings.Split(`read write|request response|min max minimum maximum average median mean|client server|dev prod staging production development test ci|upload download|input output|
			local remote|primary secondary replica|linux macos windows darwin|internal external|soft hard|connect idle|first second third last|daily weekly monthly hourly|cold warm|parent child|left right|
			width height|cpu memory disk|idle busy|retry timeout|before after|old new|lower upper`, "|") {
			group = strings.TrimSpace(group)
			for _, w := range strings.Fields(group) {
				m[clashStem(w)] = group
			}
		}
		return m
	}()
)

// figuresOf reads the numbers, versions and dates of a sentence.
func (cl *claims) figuresOf(s *sentence) {
	taken := 0 // words before this one belong to a figure
	for i := 0; i < len(s.words) && len(cl.figures) < clashFigures; i++ {
		if i < taken {
			continue
		}
		f, from, to := readFigure(s.words, i)
		if f == nil {
			continue
		}
		taken = to
		f.context = contextOf(s.words, from, to, f.unit)
		cl.figures = append(cl.figures, *f)
	}
}

// readFigure reads the figure that begins at a word, and says from where to where it goes.
func readFigure(words []clashWord, i int) (f *figure, from, to int) {
	w := words[i]
	at := func(k int) clashWord {
		if k < 0 || k >= len(words) {
			return clashWord{}
		}
		return words[k]
	}
	before := at(i - 1).low
	if f, n := readDate(words, i); f != nil {
		for k := max(0, i-3); k < i; k++ {
			if slices.Contains(lookedAt, words[k].low) || words[k].low == "as" && at(k+1).low == "of" {
				return nil, 0, 0
			}
		}
		return f, i, i + n
	}
	digits := strings.TrimLeft(w.low, "v")
	if !startsDigit(digits) {
		digits = ""
	}
	if digits != "" && (digits != w.low || strings.Count(w.low, ".") >= 2 || before == "version") {
		v := digits
		for strings.HasSuffix(v, ".0") {
			v = strings.TrimSuffix(v, ".0")
		}
		return &figure{kind: "version", version: v, shown: w.text}, i, i + 1
	}
	value, ok := spelledOut[w.low]
	unit := ""
	number := w.low
	if !ok {
		if c := number[0]; c == '$' {
			unit, number = "$", number[1:]
		} else if sign := strings.TrimLeft(number, "€£"); sign != number {
			unit, number = number[:len(number)-len(sign)], sign
		}
		if s, percent := strings.CutSuffix(number, "%"); percent {
			unit, number = "%", s
		}
		if !startsDigit(number) {
			return nil, 0, 0
		}
		v, err := strconv.ParseFloat(strings.TrimRight(strings.ReplaceAll(number, ",", ""), "."), 64)
		if err != nil {
			return nil, 0, 0
		}
		value = v
	}
	if slices.Contains(placeWords, before) || w.glued && before == ":" && strings.ContainsAny(at(i-2).low, "./") || w.glued && before == "-" && at(i-2).stem != "" {
		return nil, 0, 0 // line 42, foo.go:42, SHA-256
	}
	to = i + 1
	if at(to).low == "-" && at(to).glued && at(to+1).stem != "" && at(to+1).glued { // 30-second
		to++
	}
	shown := w.text
	if scale, ok := clashScales[at(to).text]; ok && (at(to).glued || len(at(to).text) > 2) {
		value *= scale
		shown += gap(at(to)) + at(to).text
		to++
	}
	lo, hi := value, value
	if d := at(to).low; (d == "-" || d == "–" || d == "to" || d == "and" && at(i-1).low == "between") && to+1 < len(words) { // 3-5, 3 to 5
		if other, _ := strconv.ParseFloat(strings.ReplaceAll(at(to+1).low, ",", ""), 64); other > value {
			hi = other
			shown += map[bool]string{true: " to ", false: d}[len(d) > 1] + at(to+1).text
			to += 2
		}
	}
	if next := at(to); unit == "" {
		name := strings.TrimSuffix(next.low, "s")
		if u, ok := clashUnits[name]; ok && len(name) > 0 && next.stem+next.low != "" {
			unit = u.dim
			lo, hi = lo*u.of, hi*u.of
			shown += gap(next) + next.text
			to++
		} else if u, ok := clashUnits[next.low]; ok {
			unit = u.dim
			lo, hi = lo*u.of, hi*u.of
			shown += gap(next) + next.text
			to++
		} else if next.stem != "" && !next.glued && opposites[next.stem] == "" {
			unit = "#" + next.stem
			shown += " " + next.text
		}
	}
	from = i
	for k := i - 1; k >= max(0, i-3); k-- { // at least 3, more than 3, about 3
		switch {
		case phrase(words, k, "at", "least") || phrase(words, k, "more", "than") || words[k].low == "over" || words[k].low == "≥" || words[k].low == ">" || words[k].low == "minimum" && k == i-1:
			hi, from = math.Inf(1), k
		case phrase(words, k, "at", "most") || phrase(words, k, "less", "than") || phrase(words, k, "fewer", "than") || phrase(words, k, "up", "to") || words[k].low == "under" || words[k].low == "within" || words[k].low == "below" || words[k].low == "≤" || words[k].low == "<":
			lo, from = math.Inf(-1), k
		case slices.Contains([]string{"about", "around", "roughly", "approximately", "nearly", "almost", "~", "≈", "some", "circa"}, words[k].low):
			lo, hi, from = lo*0.9, hi*1.1, k
		}
	}
	return &figure{kind: "number", lo: lo, hi: hi, unit: unit, shown: shown}, from, to
}

func startsDigit(s string) bool { return s != "" && s[0] >= '0' && s[0] <= '9' }

func gap(w clashWord) string {
	if w.glued {
		return ""
	}
	return " "
}

// readDate reads 2026-03-23, 2026-03, March 23, 2026, 23 March 2026, March 2026 and "in 2026", and says how many words it is.
func readDate(words []clashWord, i int) (*figure, int) {
	low := func(k int) string {
		if k < 0 || k >= len(words) {
			return ""
		}
		return words[k].low
	}
	month := func(k int) int {
		if len(low(k)) < 3 {
			return 0
		}
		return 1 + slices.IndexFunc(clashMonths, func(m string) bool { return m == low(k) || m[:3] == low(k) || low(k) == "sept" && m == "september" })
	}
	year := func(k int) bool {
		n, err := strconv.Atoi(low(k))
		return err == nil && len(low(k)) == 4 && n >= 1900 && n < 2100
	}
	day := func(k int) int {
		n, _ := strconv.Atoi(low(k))
		if n > 31 {
			return 0
		}
		return n
	}
	made := func(n int, format string, args ...any) (*figure, int) {
		date := fmt.Sprintf(format, args...)
		return &figure{kind: "date", date: date, shown: date}, n
	}
	w := low(i)
	comma := 0
	if low(i+2) == "," {
		comma = 1
	}
	switch m, m2 := month(i), month(i+1); {
	case len(w) >= 7 && w[4] == '-' && w[0] >= '1' && w[0] <= '2':
		return made(1, "%s", w)
	case m > 0 && day(i+1) > 0 && year(i+2+comma):
		return made(3+comma, "%s-%02d-%02d", low(i+2+comma), m, day(i+1))
	case m > 0 && year(i+1):
		return made(2, "%s-%02d", low(i+1), m)
	case day(i) > 0 && m2 > 0 && year(i+2):
		return made(3, "%s-%02d-%02d", low(i+2), m2, day(i))
	case year(i) && slices.Contains([]string{"in", "since", "until", "by", "from", "of", "during", "before", "after"}, low(i-1)):
		return made(1, "%s", w)
	}
	return nil, 0
}

// contextOf is what is spoken of around a figure: in its part of the sentence, else in the sentence.
func contextOf(words []clashWord, from, to int, unit string) map[string]near {
	cuts := func(w clashWord) bool {
		return strings.ContainsAny(w.low, ",;()") || w.low == "and" || w.low == "or"
	}
	begin, end := from, to
	for begin > 0 && from-begin < 8 && !cuts(words[begin-1]) {
		begin--
	}
	for end < len(words) && end-to < 6 && !cuts(words[end]) {
		end++
	}
	around := func(a, b int) map[string]near {
		m := nearOf(slices.Concat(words[a:from], []clashWord{{}}, words[to:b]))
		delete(m, strings.TrimPrefix(unit, "#"))
		return m
	}
	if m := around(begin, end); len(m) > 0 {
		return m
	}
	return around(max(0, from-12), min(len(words), to+6))
}

// clashingFigures compares what is only in x with what is only in y.
func clashingFigures(x, y *claims) (out []string) {
	own := func(a, b *claims) (out []*figure) {
		for i := range a.figures {
			f := &a.figures[i]
			if !slices.ContainsFunc(b.figures, func(g figure) bool { return f.like(&g) && !f.differs(&g) }) {
				out = append(out, f)
			}
		}
		return out
	}
	ys := own(y, x)
	for _, f := range own(x, y) {
		for _, g := range ys {
			if !f.like(g) || !f.differs(g) {
				continue
			}
			if about := sameContext(f, g); about != "" {
				out = append(out, fmt.Sprintf("%s against %s (%s)", f.shown, g.shown, about))
			}
		}
	}
	return out
}

func (f *figure) like(g *figure) bool { return f.kind == g.kind && f.unit == g.unit }

// differs says whether both cannot be true of one thing.
func (f *figure) differs(g *figure) bool {
	switch f.kind {
	case "version":
		return f.version != g.version
	case "date":
		return !strings.HasPrefix(f.date, g.date) && !strings.HasPrefix(g.date, f.date) // March 2026 may be the 23rd
	}
	if math.IsInf(f.hi, 1) && math.IsInf(g.hi, 1) {
		return f.lo != g.lo
	}
	if math.IsInf(f.lo, -1) && math.IsInf(g.lo, -1) {
		return f.hi != g.hi
	}
	slack := 1e-9 * math.Max(math.Abs(f.lo), math.Abs(g.lo))
	if f.unit == "size" { // KB or KiB
		slack = 0.08 * math.Min(math.Abs(f.lo), math.Abs(g.lo))
	}
	if math.IsInf(slack, 0) || math.IsNaN(slack) {
		slack = 0
	}
	return f.lo > g.hi+slack || g.lo > f.hi+slack
}

// sameContext returns what both figures are about, or "" if that is not the same: each side names something that the other does not, as much as they
// share; or they speak of the search API and the upload API.
func sameContext(f, g *figure) string {
	var shared, mine, theirs, words []string
	for st := range f.context {
		if _, ok := g.context[st]; ok {
			shared = append(shared, st)
		} else {
			mine = append(mine, st)
		}
	}
	for st := range g.context {
		if _, ok := f.context[st]; !ok {
			theirs = append(theirs, st)
		}
	}
	if strings.HasPrefix(f.unit, "#") && len(shared) == 0 && (len(mine) == 0 || len(theirs) == 0) {
		return f.unit[1:]
	}
	fewer := min(len(mine), len(theirs))
	if len(shared) == 0 || len(shared) <= fewer && len(shared) < 2 || len(shared)*2 < fewer {
		return ""
	}
	for _, st := range shared {
		a, b := f.context[st], g.context[st]
		if slices.Contains(mine, a.before) && slices.Contains(theirs, b.before) {
			return ""
		}
		words = append(words, strings.ToLower(max(a.word, b.word)))
	}
	for _, a := range mine {
		for _, b := range theirs {
			if contrast[a] != "" && contrast[a] == contrast[b] || strings.ContainsAny(a, "._/0123456789") && strings.ContainsAny(b, "._/0123456789") {
				return ""
			}
		}
	}
	slices.Sort(words)
	return strings.Join(words[:min(3, len(words))], " ")
}
