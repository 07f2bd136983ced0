package claims

import (
	"math"
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"blackboard/board/claims/parse"
	"blackboard/board/text"
	"blackboard/board/words"
)

// This file looks for the passage of a text that has most of the words and figures of a finding.

// The sizes of passages, in tokens. They were chosen on labelled findings of real runs.
const (
	passageBase  = 50 // the words of a finding must stand together in so many tokens,
	passageStep  = 3  // and so many for each want,
	passageMax   = 100
	passageLong  = 1000 // but a longer finding in as many as it has itself, up to this
	vicinitySize = 60   // its numbers there, or so near to it on either side
)

const (
	leastCoverage = .6  // share of the words that a passage must have
	leastInOne    = .55 // the same of a sentence and the one before it, without numbers
	leastWords    = .3  // the same, however many numbers are there; or of a sentence alone
	leastBeside   = .2  // the same, beside three telling numbers
	fewWords      = 3   // a finding with so few needs all of them
	fewWants      = 4   // one of so few wants must be had by a passage
)

// wordWeight is the weight of a word. The words of a name share one: a text that has the name has said little yet. A
// telling number weighs more, since all numbers must be there.
const wordWeight, tellingWeight = 60, 90

// A Want is a word, or a number, date or identifier, that a passage should have.
type Want struct {
	Text   string
	Number bool // or a date or an identifier: all must be there
	weight int  // of a word
	keys   []string
	detail *parse.Detail
}

// A Pattern is what a passage should have of a finding.
type Pattern struct {
	Wants   []Want
	claim   *parse.Claim
	Numbers int // how many wants are numbers
	words   int // the weight of the others
	need    int // how much of that weight must be met
	size    int // of a passage
}

// wordKeys calls f with the words of a claim by which it is found, and their keys. Of a script that does not part words
// these are pairs of characters.
func wordKeys(c *parse.Claim, f func(w *parse.Word, key string)) {
	for i := range c.Words {
		w := &c.Words[i]
		if r, _ := utf8.DecodeRuneInString(w.Low); !parse.IsUnspaced(r) {
			f(w, parse.SearchKey(w.Low))
		} else if i+1 < len(c.Words) {
			f(w, w.Low+c.Words[i+1].Low)
		}
	}
	for k := range c.Details {
		if d := &c.Details[k]; d.Kind == parse.Identifier {
			for _, p := range parse.SplitName(d.Text) {
				f(&parse.Word{Low: p, Text: p}, parse.SearchKey(p))
			}
		}
	}
}

// isSearchedWord reports whether a word counts when a finding is looked for: it has four letters and is not common, or
// is an acronym.
func isSearchedWord(w *parse.Word) bool {
	r, _ := utf8.DecodeRuneInString(w.Low)
	short := strings.TrimSuffix(w.Text, "s")
	return words.Significant(w.Low) && !parse.Negators.Has(w.Low) || parse.IsUnspaced(r) ||
		len(short) > 1 && len(short) < 4 && short == strings.ToUpper(short) // UCC, DPAs
}

// isSearchedDetail reports whether a number, a date or an identifier with a digit must be there.
func isSearchedDetail(d *parse.Detail) bool {
	switch {
	case reBoardID.MatchString(d.Text) || d.Weak && (d.Q == nil || d.Q.Word):
		return false
	case d.Q != nil:
		return !d.Q.Word || d.Q.Number > 1 || (d.Q.Dim == "" || d.Q.Dim == "money") && d.Q.Value > 1
	}
	return d.T != nil || d.Kind == parse.Identifier && strings.ContainsFunc(d.Text, unicode.IsDigit) &&
		strings.Count(d.Text, "/") < 2 // a longer path may be shortened
}

// reBoardID and reBoardRef match what points into a board: e86, s3, e1008-e1014, criterion c5.
var (
	reBoardID  = text.NewRegexp(`^[es]\d{1,7}(?:[-–—][es]\d{1,7})*$`)
	reBoardRef = text.NewRegexp(`(?i)\b(?:criteri(?:on|a)|questions?) [cq]\d{1,7}`)
)

// IsHandle reports whether a word is the id of an entry or a signal of a board, or a range of them.
func IsHandle(word string) bool { return reBoardID.MatchString(word) }

// PatternOf reads what a passage should have of a finding.
func PatternOf(c *parse.Claim) *Pattern {
	p := &Pattern{claim: c}
	share, there := map[string]int{}, map[string]bool{}
	for k := range c.Details {
		d := &c.Details[k]
		of, n := d.Words, 0
		if d.Kind == parse.Identifier {
			of = parse.SplitName(d.Text)
		}
		for _, w := range of {
			if words.Significant(w) {
				n++
			}
		}
		for _, w := range of {
			share[parse.SearchKey(w)] = n
		}
	}
	add := func(w Want, id string) bool {
		fresh := !there[id]
		if fresh {
			there[id] = true
			p.Wants, p.words = append(p.Wants, w), p.words+w.weight
		}
		return fresh
	}
	word := func(w *parse.Word, k string) {
		keys := []string{k}
		for _, r := range words.Related(words.FoldWord(w.Low)) {
			keys = append(keys, strings.TrimPrefix(r, "w:"))
		}
		add(Want{Text: w.Text, weight: wordWeight / max(1, share[k]), keys: keys}, k)
	}
	telling, listed, reference := 0, 0, reBoardRef.FindString(c.Text)
	wordKeys(c, func(w *parse.Word, k string) {
		if strings.HasPrefix(k, "#") && w.Low[0] <= '9' &&
			add(Want{Text: w.Low, Number: true, keys: []string{k}}, k) { // 3rd
			p.Numbers++
		} else if isSearchedWord(w) {
			word(w, k)
		}
	})
	for k := range c.Details {
		switch d := &c.Details[k]; {
		case d.Weak && d.Q != nil && d.Q.Word: // a count in words is one
			add(Want{Text: d.Text, weight: wordWeight, detail: d}, d.Text)
		case !isSearchedDetail(d) || strings.Contains(reference, d.Text):
		case d.Text == strconv.Itoa(listed+1) && strings.Contains(c.Text, d.Text+")"):
			listed++ // (1) …; (2) …
		case add(Want{Text: d.Text, Number: true, detail: d}, "\x00"+d.Text):
			if p.Numbers++; d.Q == nil || d.Q.Digits() > 1 {
				telling++
			}
		}
	}
	few := p.words < wordWeight*fewWords
	if few { // each must be there itself
		for i := range p.Wants {
			p.Wants[i].keys = p.Wants[i].keys[:min(1, len(p.Wants[i].keys))]
		}
	}
	if p.need = p.words; len(p.Wants) > 0 {
		least := leastWords
		if telling >= fewWords {
			least = leastBeside
		}
		p.need = max(int(math.Ceil(leastCoverage*float64(p.words+tellingWeight*telling)-1e-9))-tellingWeight*telling,
			int(math.Ceil(least*float64(p.words)-1e-9)), min(p.words, wordWeight*(fewWords-p.Numbers)))
	} else { // "OK?", or nothing but references
		wordKeys(c, word)
		p.need = p.words
	}
	p.size = min(passageBase+passageStep*len(p.Wants), passageMax)
	if c.TokensRead > p.size {
		p.size = min((c.TokensRead+passageMax-1)/passageMax*passageMax, passageLong)
	}
	return p
}

// A Span is a run of claims, and its vicinity: indexes in Evidence.Claims.
type Span struct{ First, Last, From, To int }

// passages are evidence made searchable for patterns.
type passages struct {
	posts   map[string][]int32 // the claims that have a key
	above   map[string][]int32 // the claims under headings that have it
	section []int              // of each claim, the claim where the next section begins
	total   []int              // tokens before each claim, and at last of all
	sizes   map[int][]Span
	bits    []uint64 // for each claim the wants of the pattern that is looked for: its own, those of the headings
	filled  *Pattern
	stride  int
	set     []uint64
}

// passages indexes the claims at first use.
func (ev *Evidence) passages() *passages {
	if ev.looked != nil {
		return ev.looked
	}
	n := len(ev.Claims)
	x := &passages{posts: map[string][]int32{}, above: map[string][]int32{}, section: make([]int, n),
		total: make([]int, n+1), sizes: map[int][]Span{}}
	ev.looked = x
	for i := n - 1; i >= 0; i-- {
		if x.section[i] = n; i+1 < n {
			if x.section[i] = x.section[i+1]; !slices.Equal(ev.Claims[i].Heads, ev.Claims[i+1].Heads) {
				x.section[i] = i + 1
			}
		}
	}
	heads := map[string]*parse.Claim{}
	for i, c := range ev.Claims {
		x.total[i+1] = x.total[i] + c.TokensRead
		note := func(posts map[string][]int32) func(*parse.Word, string) {
			return func(_ *parse.Word, k string) {
				if at := posts[k]; len(at) == 0 || at[len(at)-1] != int32(i) {
					posts[k] = append(at, int32(i))
				}
			}
		}
		wordKeys(c, note(x.posts))
		for _, h := range c.Heads {
			if heads[h] == nil {
				heads[h] = parse.ExtractText(h, "")
			}
			wordKeys(heads[h], note(x.above))
		}
	}
	return x
}

// Spans returns the passages of so many tokens: for each claim the longest run that begins there and stays in its
// section. Text that is appended as a new paragraph makes the last ones longer, and changes no other.
func (ev *Evidence) Spans(size int) []Span {
	x := ev.passages()
	if all, ok := x.sizes[size]; ok {
		return all
	}
	n := len(x.section)
	all := make([]Span, n)
	vicinity := max(vicinitySize, size)
	var p Span
	for p.First = range n {
		for p.Last = max(p.Last, p.First); p.Last+1 < x.section[p.First] &&
			x.total[p.Last+2]-x.total[p.First] <= size; {
			p.Last++
		}
		for x.total[p.First]-x.total[p.From] > vicinity {
			p.From++
		}
		for p.To = max(p.To, p.Last); p.To+1 < n && x.total[p.To+2]-x.total[p.Last+1] <= vicinity; {
			p.To++
		}
		all[p.First] = p
	}
	x.sizes[size] = all
	return all
}

// fill notes where the wants of a pattern are.
func (ev *Evidence) fill(p *Pattern) *passages {
	x := ev.passages()
	if x.filled == p {
		return x
	}
	x.filled = p
	x.stride = (len(p.Wants) + 63) / 64
	n := 2 * len(x.section) * x.stride
	x.bits = slices.Grow(x.bits[:0], n)[:n]
	x.set = slices.Grow(x.set[:0], x.stride)[:x.stride]
	clear(x.bits)
	for w := range p.Wants {
		d := p.Wants[w].detail
		mark := func(i int) { x.bits[i*x.stride+w/64] |= 1 << (w % 64) }
		met := func(o parse.Detail) bool { return isMetBy(d, &o) }
		for _, k := range p.Wants[w].keys {
			for _, i := range x.posts[k] {
				mark(int(i))
			}
			for _, i := range x.above[k] {
				mark(len(x.section) + int(i))
			}
		}
		if d == nil {
			continue
		}
		for _, e := range ev.withFigure(p.claim, d) {
			if slices.ContainsFunc(e.Details, met) {
				mark(e.Place)
			}
		}
		either := reEitherFirst.MatchString(d.Text)
		for i, e := range ev.Claims {
			if d.T != nil && (slices.ContainsFunc(e.ContextDates, met) ||
				either && slices.ContainsFunc(e.Details, met)) {
				mark(i)
			}
		}
		for _, part := range parse.SplitName(d.Text) {
			for _, i := range x.posts[parse.SearchKey(part)] {
				if e := ev.Claims[i]; d.Kind == parse.Identifier &&
					(hasName(e, d) || slices.ContainsFunc(e.Details, met)) {
					mark(int(i))
				}
			}
		}
	}
	return x
}

// isMetBy reports whether a figure has the value of one that is looked for. How it is limited, and of which currency it
// is, is judged where it is found.
func isMetBy(d, x *parse.Detail) bool {
	switch r := d.Relate(x); {
	case d.Kind != x.Kind:
		return false
	case d.Kind == parse.Identifier:
		return code(d.Words[0]) == code(x.Words[0])
	case d.T != nil && d.T.Clock >= 0 && x.T.Clock < 0 && d.T.Dated && !strings.Contains(d.Text, " "): // a stamp
		day := *d.T
		day.Clock = -1
		return day.Compare(x.T).Agrees()
	case r == parse.OtherValue && d.T != nil && reEitherFirst.MatchString(d.Text):
		other := *d.T
		other.SetSpan(d.T.From.Year(), time.Month(d.T.From.Day()), int(d.T.From.Month()), 0, 1)
		return other.Compare(x.T).Agrees()
	case r == parse.Bare && d.Q.Whole && d.Q.Number < 10 && x.Cell != nil:
		return false // the 6 of six hours stands in any table
	case r == parse.Bare:
		return d.Q.Dim != "percent" && x.Q.Dim != "percent" && (d.Q.Label == "" && !d.Q.Ref || x.Q.Dim == "")
	case r == parse.Rounded && d.Q != nil:
		return d.Q.About || d.Q.Dim != x.Q.Dim || d.Q.Bound != x.Q.Bound
	default:
		return r == parse.Same || r == parse.Rounded || d.Q != nil &&
			(r == parse.Coarser || r == parse.OtherBound || r == parse.OtherCurrency || r == parse.OtherSign)
	}
}

// code writes an identifier as all its spellings are: UCC-1, UCC1, UCC-1s.
func code(low string) string { return strings.TrimSuffix(strings.ReplaceAll(low, "-", ""), "s") }

// reEitherFirst matches a date that may be of two days: 5/6/2026.
var reEitherFirst = text.NewRegexp(`^(?:0?[1-9]|1[0-2])/(?:0?[1-9]|1[0-2])/\d+$`)

// gather returns the wants that some claims meet, with the headings above the first one if under is true, until the
// next call.
func (x *passages) gather(first, last int, under bool) []uint64 {
	clear(x.set)
	for i, b := range x.bits[first*x.stride : (last+1)*x.stride] {
		x.set[i%x.stride] |= b
	}
	for i := 0; under && i < x.stride; i++ {
		x.set[i] |= x.bits[(len(x.section)+first)*x.stride+i]
	}
	return x.set
}

// weigh returns the weight of the words, and the count of the numbers, among wants.
func (p *Pattern) weigh(set []uint64) (words, numbers int) {
	for i, b := range set {
		for ; b != 0; b &= b - 1 {
			if w := &p.Wants[i*64+bits.TrailingZeros64(b)]; w.Number {
				numbers++
			} else {
				words += w.weight
			}
		}
	}
	return words, numbers
}

// Carried says how well evidence carries a pattern.
type Carried struct {
	Full     bool    // a passage has enough of it
	Together bool    // a passage has enough of its words
	Anywhere bool    // the evidence has enough of it, somewhere
	Have     []bool  // the wants that the passage and its vicinity have
	Share    float64 // of the words that it has, of the numbers if there are no words
	Span             // the passage; First is -1 if there is none
	Shown    Span    // as little of it as has the same wants
}

// Carry looks for the passage that has most of a pattern.
func (ev *Evidence) Carry(p *Pattern) Carried {
	out := Carried{Span: Span{First: -1}}
	if len(p.Wants) == 0 || len(ev.Claims) == 0 {
		return out
	}
	x, most := ev.fill(p), 0
	for _, at := range ev.Spans(p.size) {
		w, _ := p.weigh(x.gather(at.First, at.Last, true)) // words must be in the passage, numbers in its vicinity
		n, enough := p.Numbers, w >= p.need && p.words > 0
		out.Together = out.Together || enough
		score := p.score(w, n, enough)
		if score <= most {
			continue // even if it has all the numbers
		}
		if p.Numbers > 0 {
			_, n = p.weigh(x.gather(at.From, at.To, true))
			score = p.score(w, n, enough)
		}
		out.Full = out.Full || n == p.Numbers && (enough && ev.linked(p, at) || p.words == 0)
		if score > most {
			out.Span, most = at, score
		}
	}
	w, n := p.weigh(x.gather(0, len(x.section)-1, false))
	out.Anywhere = w >= p.need && n == p.Numbers
	if !out.Full && p.Numbers == 0 && len(p.Wants) > fewWants {
		if u := ev.mostOf(p, leastWords, leastInOne, false); u >= 0 {
			out.Full, out.Span = true, Span{u, u, u, u}
		}
	}
	if out.First >= 0 {
		out.locate(x, p)
	}
	return out
}

// linked reports whether a sentence of a passage, with the one before it and the headings, has most of what a pattern
// without numbers wants: words that stand each in another sentence say something else. Of three words one sentence must
// have all.
func (ev *Evidence) linked(p *Pattern, at Span) bool {
	least, before := leastInOne*float64(p.words), 1
	if p.words == wordWeight*fewWords {
		least, before = float64(p.need), 0
	}
	for u := at.First; u <= at.Last && p.Numbers == 0; u++ {
		from := max(at.First, u-before)
		if ev.Claims[u].Cells != nil { // the row before says something of its own
			from = u
		}
		if w, _ := p.weigh(ev.looked.gather(from, u, true)); float64(w) >= least {
			return true
		}
	}
	return p.Numbers > 0
}

// score orders passages: those with everything first, then those with the words, since these are nearer than ones with
// only the numbers.
func (p *Pattern) score(words, numbers int, enough bool) int {
	score := words + wordWeight*numbers
	if enough {
		if score += p.words + wordWeight*p.Numbers; numbers == p.Numbers {
			score *= 2
		}
	}
	return score
}

// locate notes what a passage has.
func (c *Carried) locate(x *passages, p *Pattern) {
	in := slices.Clone(x.gather(c.First, c.Last, true))
	near := slices.Clone(x.gather(c.From, c.To, true))
	got, all := 0, 0
	for i, w := range p.Wants {
		set := in
		if w.Number {
			set = near
		}
		has := set[i/64]&(1<<(i%64)) != 0
		c.Have = append(c.Have, has)
		if w.Number == (p.words == 0) {
			if all += max(w.weight, 1); has {
				got += max(w.weight, 1)
			}
		}
	}
	c.Share, c.Shown = float64(got)/float64(all), c.Span
	for s := &c.Shown; s.First < s.Last && slices.Equal(x.gather(s.First+1, s.Last, true), in); {
		s.First++
	}
	for s := &c.Shown; s.First < s.Last && slices.Equal(x.gather(s.First, s.Last-1, true), in); {
		s.Last--
	}
}

// HasNumbers reports whether a passage and its vicinity have all numbers of a pattern.
func (ev *Evidence) HasNumbers(p *Pattern, at Span) bool {
	_, n := p.weigh(ev.fill(p).gather(at.From, at.To, true))
	return n == p.Numbers
}

// About returns the claim that has most of a pattern: such a share itself, and such a share with the one before it and
// the headings above; -1 if none has.
func (ev *Evidence) About(p *Pattern, itself, around float64) int {
	ev.fill(p)
	return ev.mostOf(p, itself, around, true)
}

func (ev *Evidence) mostOf(p *Pattern, itself, around float64, most bool) int {
	x, best, top := ev.looked, -1, 0.0
	share := func(from, to int, under bool) float64 {
		w, n := p.weigh(x.gather(from, to, under))
		return float64(w+wordWeight*n) / float64(max(1, p.words+wordWeight*p.Numbers))
	}
	for i := range x.section {
		from := i
		if i > 0 && x.section[i-1] == x.section[i] && ev.Claims[i].Cells == nil {
			from--
		}
		if s := share(i, i, false); s >= itself && s > top && share(from, i, true) >= around {
			if best, top = i, s; !most {
				break
			}
		}
	}
	return best
}

// A Place is a piece of a text, in bytes.
type Place struct{ From, To int }

// Places returns where a text has the words and figures of a finding, in its order.
func Places(finding, text string) (places []Place) {
	wants := PatternOf(parse.ExtractText(finding, "")).Wants
	of, asked := parse.Tokenize(text), map[string]bool{}
	for i := range wants {
		for _, k := range wants[i].keys {
			asked[k] = true
		}
	}
	c := &parse.Claim{Statement: &parse.Statement{}, Stems: map[string]bool{}}
	for i := 0; i < len(of); i++ {
		d, next, ok := c.ReadDetail(of, i)
		if ok && slices.ContainsFunc(wants, func(w Want) bool { return w.detail != nil && isMetBy(w.detail, &d) }) {
			if d.Q != nil { // without what it is of
				next = i + 1
			}
			places = append(places, Place{of[i].At, of[next-1].End()})
			i = next - 1
		} else if asked[parse.SearchKey(of[i].Low)] {
			places = append(places, Place{of[i].At, of[i].End()})
		}
	}
	return places
}
