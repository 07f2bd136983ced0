package parse

import (
	"math"
	"slices"
	"strings"
	"sync"

	"blackboard/board/documents"
)

// Kind says what a detail is. Numbers and dates are figures, the others are names.
type Kind uint8

const (
	Number Kind = iota
	Date
	Name
	Identifier
)

// A Detail is a part of a claim that is right or wrong by itself.
type Detail struct {
	Kind       Kind
	Text       string // as written
	At         int    // where it stands in its statement or cell
	Q          *Quantity
	T          *Instant
	Words      []string // of a name or identifier, in lower case
	Topic      Topic    // what it is about
	Clause     int
	FirstToken int   // its first token
	Denied     bool  // only ruled out: rather than 30
	Cell       *Cell // the cell that it stands in
	Weak       bool  // no fault by itself if it is absent: a count of the text's own parts, an acronym
	Initial    bool  // a name that may be a common word at the beginning of a sentence
	Begins     bool  // a name that begins a sentence, or what stands like one
	Level      bool  // what a figure is of: 95 % CI, three for every ten
	Named      bool  // a number that tells one of many: channel 12
}

// IsFigure reports whether a detail is a number or a date.
func (d *Detail) IsFigure() bool { return d.Kind <= Date }

// A Topic has the stems that a detail is about, with their closeness from 0 to 1.
type Topic []TopicStem

// A TopicStem is a stem that a detail is about.
type TopicStem struct {
	Stem      string
	Closeness float64
	side      uint8 // it stands before the detail, after it, or both
}

// Leading and Trailing are the sides of a detail on which a stem may stand.
const Leading, Trailing = 1, 2

// Side returns on which side of a detail a stem stands: leading, trailing or both; 0 if the topic does not have it.
func (t Topic) Side(stem string) uint8 {
	for i := range t {
		if t[i].Stem == stem {
			return t[i].side
		}
	}
	return 0
}

// stands notes on which side of a detail a stem stands.
func (t Topic) stands(stem string, side uint8) {
	for i := range t {
		if t[i].Stem == stem {
			t[i].side |= side
		}
	}
}

// Closeness is how close a stem is to a detail, from 0 to 1.
func (t Topic) Closeness(stem string) float64 {
	for i := range t {
		if t[i].Stem == stem {
			return t[i].Closeness
		}
	}
	return 0
}

func (t *Topic) add(stem string, by float64) {
	for i := range *t {
		if (*t)[i].Stem == stem {
			(*t)[i].Closeness = max((*t)[i].Closeness, by)
			return
		}
	}
	*t = append(*t, TopicStem{stem, by, 0})
}

// A Word is a content word of a claim.
type Word struct {
	Stem, Low string
	Clause    int
	Aside     bool // only ruled out
	Capital   bool
	Text      string // as written
}

// A Claim is a statement that has been read.
type Claim struct {
	*Statement
	Source       string // the document or entry that it is of
	Words        []Word
	Details      []Detail
	Stems        map[string]bool // of its words and names
	Context      map[string]bool // of its headings, and of the headers and labels of a row
	ContextDates []Detail        // dates in its headings and headers
	Denials      []Denial
	bounds       []condition // read when first asked
	bounded      bool        // they have been
	skimmed      bool        // without what its details are about and what it denies
	Later        bool        // what they are about is read when it is asked for (see whole)
	Unstemmed    bool        // they are about more than it has as stems
	metres       bool        // an m that stands behind a number is a metre
	English      bool
	TokensRead   int          // tokens that have been read
	Place        int          // among the claims of its evidence
	FigureIndex  *FigureIndex // made at first use, as t is
	t            Tokens
}

var (
	// refNouns make the number after them a name: port 5432. ownParts name parts of a text,
	// which are no facts of its subject.
	ownParts = NewSet("page p pp section sec line lines figure fig table chapter appendix paragraph " +
		"para note item row question §")
	refNouns = NewSet("page p pp section sec line lines figure fig table chapter appendix paragraph " +
		"para note item row question § clause cl article schedule step issue ticket port no version " +
		"rule annex exhibit phase level zone room lot route unit")
)

// Tokens returns the text of a claim as tokens, which nobody changes.
func (c *Claim) Tokens() Tokens {
	if c.t == nil {
		c.t = Tokenize(c.Text)
	}
	return c.t
}

// Extract returns a statement as a claim: its words and details, what the headings and headers above it say, and the
// dates in the name of its source.
func Extract(s *Statement, source string) *Claim {
	return (&Claim{Statement: s, Source: source, Stems: map[string]bool{}, English: true}).Fill()
}

// Fill reads the statement of a claim into it.
func (c *Claim) Fill() *Claim {
	s, source := c.Statement, c.Source
	r := readings.Get().(*reading)
	defer readings.Put(r)
	for _, h := range s.Heads {
		c.under(h)
	}
	if source != "" && !isHandle(source) {
		c.ContextDates = append(c.ContextDates, datesOf(strings.Map(apart, source))...)
	}
	if s.Cells == nil {
		r.lex(s.Text)
		c.English = r.t.english()
		c.take(r, s.Text, nil, 0)
		c.dayToTimes()
		return c
	}
	clause := 0
	for i := range s.Cells {
		if cell := &s.Cells[i]; cell.Text != "" {
			c.under(cell.Header)
			c.under(cell.Label)
			r.lex(cell.Text)
			clause = c.take(r, cell.Text, cell, clause) + 1
		}
	}
	c.labelled()
	return c
}

// ReadWhole reads what was left for later.
func (c *Claim) ReadWhole() *Claim {
	if c.Later {
		of := Extract(c.Statement, c.Source)
		c.Later = false
		copy(c.Details, of.Details) // which others may have by now
	}
	return c
}

// isHandle reports whether a name is that of an entry or a question, in which no date stands: e12.
func isHandle(name string) bool {
	return (name[0] == 'e' || name[0] == 's') && digits(strings.TrimSuffix(name[1:], Quoted))
}

// labelled adds the words of the later cells to the topics of the details in the first cell of a row.
func (c *Claim) labelled() {
	for k := range c.Details {
		d := &c.Details[k]
		if d.Cell.Column > 0 {
			continue
		}
		for i := range c.Words {
			if w := &c.Words[i]; w.Clause > d.Clause && !Stopwords.Has(w.Low) {
				d.Topic.add(w.Stem, .6)
			}
		}
	}
}

func apart(r rune) rune {
	if strings.ContainsRune("./-", r) {
		return '_'
	}
	return r
}

// under adds the stems and the dates of a heading or header above a statement.
func (c *Claim) under(text string) {
	if text == "" {
		return
	}
	if c.Context == nil {
		c.Context = map[string]bool{}
	}
	for _, w := range Stems(text) {
		c.Context[w] = true
	}
	c.ContextDates = append(c.ContextDates, datesOf(text)...)
}

// ExtractDocument reads the statements of a document.
func ExtractDocument(d *documents.Document) []*Claim { return ExtractPart(d, 0, math.MaxInt) }

// ExtractPart reads the statements of a part of a document (see ReadPart), without the headings above it.
func ExtractPart(d *documents.Document, from, to int) (all []*Claim) {
	for _, s := range ReadPart(d, from, to) {
		all = append(all, Extract(s, d.Name))
	}
	return all
}

// ExtractText reads a text as one claim.
func ExtractText(text, source string) *Claim {
	var all []*Claim
	for _, s := range Read(text) {
		all = append(all, Extract(s, source))
	}
	if len(all) == 1 {
		return all[0]
	}
	return JoinClaims(all, source)
}

// JoinClaims returns one claim with the texts, words, details and denials of several, without their headings.
func JoinClaims(all []*Claim, source string) *Claim {
	out := &Claim{Statement: &Statement{}, Source: source, Stems: map[string]bool{}, English: true}
	clause, first := 0, 0
	for _, c := range all {
		out.Text = strings.TrimSpace(out.Text + " " + c.Text)
		out.English = out.English && c.English
		for _, w := range c.Words {
			w.Clause += clause
			out.Words = append(out.Words, w)
		}
		for _, n := range c.Denials {
			n.Clause += clause
			out.Denials = append(out.Denials, n)
		}
		for _, d := range c.Details {
			d.Clause, d.FirstToken = d.Clause+clause, d.FirstToken+first
			out.Details = append(out.Details, d)
		}
		for s := range c.Stems {
			out.Stems[s] = true
		}
		clause, first = clause+len(c.Text)+1, first+len(c.Text)+1 // more than it has of either
	}
	return out
}

// A reading is the text of a statement or cell while it is read. Its room is used again.
type reading struct {
	t           Tokens
	clause      []int  // of each token
	scope       []int  // how far a denial reaches
	figure      []int  // of a token of a figure, which one, from 1
	owner       []int  // of a word that belongs to a figure, its first token plus 1
	used, aside []bool // tokens of figures; tokens that are only ruled out
	of          []int
	is          []bool
}

var readings = sync.Pool{New: func() any { return &reading{} }}

func (r *reading) lex(text string) { r.t = appendTokens(r.t[:0], text) }

func (r *reading) begin(clause int) {
	t, n := r.t, len(r.t)
	r.of, r.is = slices.Grow(r.of[:0], 4*n)[:4*n], slices.Grow(r.is[:0], 2*n)[:2*n]
	clear(r.of)
	clear(r.is)
	r.clause, r.scope, r.figure, r.owner = r.of[:n], r.of[n:2*n], r.of[2*n:3*n], r.of[3*n:]
	r.used, r.aside = r.is[:n], r.is[n:]
	scope := 0
	for i := range t {
		x := &t[i]
		mark := x.Kind == MarkToken && strings.Contains(",;:()—–|.!?", x.Text) &&
			!(x.Text == "." && i > 0 && isInitial(t[i-1].Text)) // J. Brandt
		if mark || i > 0 && x.Kind == WordToken && x.has(isBreak) {
			clause++
		}
		if mark || x.word != nil && x.has(isStop) {
			scope++
		}
		r.clause[i], r.scope[i] = clause, scope
	}
}

// take adds the words and details of a text, which is that of a cell unless cell is nil. Its clauses are numbered from
// clause on; the number of the last one is returned.
func (c *Claim) take(r *reading, text string, cell *Cell, clause int) int {
	r.begin(clause)
	t := r.t
	if c.English && !c.skimmed {
		c.deny(r)
	}
	first := len(c.Details)
	for i := 0; i < len(t); {
		d, next, ok := c.ReadDetail(t, i)
		if !ok {
			i++
			continue
		}
		if x := t.At(next); c.metres && d.Q != nil && d.Q.Dim == "" && x.Text == "m" && !x.Glued {
			d.Q.Noun, next = nil, next+1
			d.Q.take(units()["m"], false)
		}
		begin := i
		if d.Q != nil && d.Q.Dim == "money" && currencies()[t.At(i-1).Low] != "" {
			begin--
		}
		d.Clause, d.FirstToken, d.Cell, d.Denied = r.clause[i], i, cell, r.aside[i]
		for k := begin; k < next && d.IsFigure(); k++ {
			r.used[k], r.figure[k] = true, i+1
		}
		d.At = t[begin].At
		if d.Text = text[d.At:t[next-1].End()]; t[begin].minus {
			d.Text = "-" + d.Text
		}
		c.Details = append(c.Details, d)
		i = next
	}
	details := c.Details[first:]
	r.lendUnits(details, cell)
	c.takeWords(r)
	for k := range details {
		if d := &details[k]; d.IsFigure() && !c.skimmed && !c.Later {
			r.own(r.extent(d))
		}
	}
	for k := range details {
		if d := &details[k]; c.Later && d.IsFigure() {
			begin, _ := r.extent(d)
			r.mark(d, begin)
		} else if !c.skimmed && !c.Later {
			r.around(d, cell)
		}
		details[k].FirstToken += c.TokensRead
		c.nameStems(&details[k])
	}
	c.TokensRead += len(t) + 1
	if len(t) > 0 {
		return r.clause[len(t)-1]
	}
	return clause
}

// takeWords adds the content words that belong to no figure.
func (c *Claim) takeWords(r *reading) {
	content := isContent
	if c.English {
		content = isContentEnglish
	}
	if c.Words = slices.Grow(c.Words, len(r.t)/2); len(c.Stems) == 0 {
		c.Stems = make(map[string]bool, len(r.t)/2)
	}
	for i := range r.t {
		x := &r.t[i]
		if c.Unstemmed = c.Unstemmed || x.Kind == NameToken; r.used[i] || x.Kind != WordToken {
			continue
		}
		word := x.lexeme()
		if c.English {
			word = word.plain
		}
		if c.Unstemmed = c.Unstemmed || x.has(isTopic) && (word != x.lexeme() || !x.has(content)); !x.has(content) {
			continue
		}
		w := Word{word.stem, word.low, r.clause[i], r.aside[i], x.HasCapital(), x.Text}
		c.Words = append(c.Words, w)
		if !x.has(isEmpty) {
			c.Stems[w.Stem] = true
		}
	}
}

// nameStems adds the stems of a name or an identifier.
func (c *Claim) nameStems(d *Detail) {
	for _, w := range d.Words {
		if d.Kind == Name {
			c.Stems[Stem(w)] = true
			continue
		}
		for _, p := range SplitName(w) {
			if len(p) > 2 && !Stopwords.Has(p) {
				c.Stems[Stem(p)] = true
			}
		}
	}
}

// ReadDetail reads a date, quantity, identifier or name that begins at token i, and returns the token after it; ok is
// false if there is none.
func (c *Claim) ReadDetail(t Tokens, i int) (d Detail, next int, ok bool) {
	x := &t[i]
	if x.Kind <= StampToken && x.mayBeginFigure() {
		if q, ok := t.duration(i); ok {
			q := q // only what is found is kept
			return t.number(i, i+2, &q), i + 2, true
		}
		if in, n, ok := t.instant(i); ok {
			in := in
			return Detail{Kind: Date, T: &in}, n, true
		}
		if q, n, ok := t.quantity(i); ok {
			q := q
			return t.number(i, n, &q), n, true
		}
	}
	switch {
	case x.Kind == NameToken || x.Kind == StampToken || x.Kind == NumberToken:
		return Detail{Kind: Identifier, Words: []string{x.Low}}, i + 1, true
	case x.Kind != WordToken || !c.English:
	case t.serviceName(i):
		return Detail{Kind: Identifier, Words: []string{x.Low + "-" + t[i+1].Low}, Weak: true}, i + 2,
			true
	case titles.Has(x.Low) && t.At(i+1).HasCapital():
	case x.HasCapital() && !Stopwords.Has(x.Low) && !Weekdays.Has(x.Low) && currencies()[x.Low] == "":
		d, next = t.name(i)
		return d, next, true
	}
	return d, i, false
}

// beginsAFigure reports whether a word may begin a number, a date or a time.
func beginsAFigure(low string) bool {
	_, one := SmallNumbers[low]
	return one || tens[low]+ordinals[low] > 0 || months()[low]+seasons[low] > 0 || quarters()[low] > 0 ||
		slices.Contains([]string{"a", "an", "half", "quarter", "noon", "midday", "midnight"}, low) ||
		strings.ContainsFunc(low, func(r rune) bool { return digit(r) || IsUnspaced(r) })
}

// mayBeginFigure reports whether a token may begin a number, a date or a time. Most words do not.
func (t *Token) mayBeginFigure() bool {
	return t.Kind != WordToken || t.has(beginsFigure)
}

var (
	nearly     = NewSet("after before around about nearly almost towards roughly")
	titles     = NewSet("mr mrs ms dr prof professor councillor sir madam")
	beforeName = NewSet("of in on from by for to and or service")
	// Weekdays are the days of a week, also in the plural.
	Weekdays = NewSet(`monday tuesday wednesday thursday friday saturday sunday mondays tuesdays
		wednesdays thursdays fridays saturdays sundays i`)
)

// name reads up to six words with capitals, and returns the token after them.
func (t Tokens) name(i int) (d Detail, next int) {
	words := []string{t[i].Low}
	for next = i + 1; len(words) < 6; next++ {
		y := t.At(next)
		if y.Kind == WordToken && y.HasCapital() && !Stopwords.Has(y.Low) && months()[y.Low] == 0 &&
			(currencies()[y.Low] == "" || t.At(next+1).Kind != NumberToken) { // Brackley College GBP 5,400
			words = append(words, y.Low)
		} else if y.Text != "&" || !t.At(next+1).HasCapital() {
			break
		}
	}
	one, b := len(words) == 1, t.At(i-1)
	initial := b.Kind == MarkToken && (b.Text == "" || strings.Contains(":\"“|.!?", b.Text))
	short := strings.TrimSuffix(t[i].Text, "s")
	return Detail{Kind: Name, Words: words, Initial: initial && one, Begins: initial,
		Weak: one && len(short) <= 6 && short == strings.ToUpper(short)}, next
}

// serviceName reports whether two words with a hyphen stand as a name does, not before a
// noun: "the output of pricing-engine", but not "slow-moving implants".
func (t Tokens) serviceName(i int) bool {
	b, second, after := t.At(i-1), t.At(i+1), t.At(i+2)
	return second.tied && second.Kind == WordToken && !t[i].tied && !t[i].HasCapital() &&
		!second.HasCapital() && !after.tied && (b.Kind == MarkToken || beforeName.Has(b.Low)) &&
		(after.Kind != WordToken || Stopwords.Has(after.Low))
}

// FromMark, ToMark and ByMark are marks in a topic of a change: from 74 to 91, by 17.
const FromMark, ToMark, ByMark = "@from", "@to", "@by"

// around collects what a detail is about: the words beside it, the closer the more. A word
// behind the end of a clause counts for less, and one that belongs to another figure: in
// "17 % of sales at a 46 % margin" sales belong to 17 %.
func (r *reading) around(d *Detail, cell *Cell) {
	t := r.t
	begin, end := r.extent(d)
	for k := max(0, begin-14); k < min(len(t), end+14); k++ {
		x := &t[k]
		if k >= begin && k < end || r.used[k] || x.Kind != WordToken && x.Kind != NameToken {
			continue
		}
		by := r.closeness(begin, end, k)
		if o := r.owner[k]; o != 0 && o != begin+1 && d.IsFigure() {
			by *= .5
		}
		switch {
		case x.Kind == NameToken:
			for _, p := range SplitName(x.Text) {
				if len(p) > 2 && !Stopwords.Has(p) {
					d.Topic.add(Stem(p), by)
				}
			}
		case x.has(isTopic):
			s := x.lexeme().stem
			d.Topic.add(s, by)
			d.Topic.stands(s, map[bool]uint8{true: Leading, false: Trailing}[k < begin])
		}
	}
	r.mark(d, begin)
	if cell == nil {
		return
	}
	for _, w := range Stems(cell.Label) {
		d.Topic.add(w, 1)
	}
	for _, w := range Stems(cell.Header) {
		d.Topic.add(w, .8)
	}
}

// extent returns the tokens of a detail, with a currency before it.
func (r *reading) extent(d *Detail) (begin, end int) {
	begin, end = d.FirstToken, d.FirstToken+1
	if !d.IsFigure() {
		return begin, begin + max(1, len(d.Words))
	}
	for end < len(r.t) && r.used[end] && r.figure[end] == r.figure[begin] {
		end++
	}
	for begin > 0 && r.used[begin-1] && r.figure[begin-1] == r.figure[begin] {
		begin--
	}
	return begin, end
}

// mark says whether a figure is the beginning, the end or the amount of a change.
func (r *reading) mark(d *Detail, begin int) {
	b := begin - 1
	for fillsBound.Has(r.t.At(b).Low) || abouts.Has(r.t.At(b).Low) {
		b--
	}
	switch r.t.At(b).Low {
	case "from":
		d.Topic.add(FromMark, 1)
	case "by":
		d.Topic.add(ByMark, 1)
	case "to", "until", "till":
		d.Topic.add(ToMark, 1)
	}
}

// closeness is 1 for a word beside a detail, and less for each token between them, each end
// of a clause and each other figure.
func (r *reading) closeness(begin, end, k int) float64 {
	from, to, n, parted := k, begin, 0, 0
	if k >= end {
		from, to = end-1, k
	}
	for i := from; i < to; i++ {
		at := i + 1
		if k < begin {
			at = i
		}
		opens := r.t[at].Text == "(" || r.t[i+1].Text == "(" || k < begin && r.t[i].Text == "("
		if r.clause[i] != r.clause[i+1] && !(opens && k < begin) {
			parted++
		}
		if !r.used[at] {
			n++
		} else if at > from && (r.figure[at] != r.figure[max(0, at-1)]) {
			parted++
		}
	}
	by := 1 / (1 + .25*float64(max(0, n-1)))
	for range min(parted, 3) {
		by *= .55
	}
	return by
}

var beforeOwned = NewSet("of on in for with")

// own marks the words that belong to a figure: 17 % of sales, 46 % gross margin, a gross
// margin of 46 %.
func (r *reading) own(begin, end int) {
	k := end
	if beforeOwned.Has(r.t.At(k).Low) {
		k++
	}
	for n := 0; n < 3 && k < len(r.t) && r.t[k].Kind == WordToken && !r.used[k] &&
		r.clause[k] == r.clause[end-1] && !Prepositions.Has(r.t[k].Low) && r.t[k].Low != "against"; k++ {
		if r.owner[k] = begin + 1; !Stopwords.Has(r.t[k].Low) {
			n++
		}
	}
	if r.t.At(begin-1).Low != "of" {
		return
	}
	k = begin - 2
	for n := 0; n < 2 && k >= 0 && r.t[k].Kind == WordToken && !r.used[k] && !Stopwords.Has(r.t[k].Low); k-- {
		r.owner[k] = begin + 1
		n++
	}
}

// lendUnits gives units to numbers that have none beside them: that of their column, of
// their subject (inventory days rose to 91), of their name (timeout_ms = 5000), or of the
// last figure of a list or range (from 74 to 91 weeks).
func (r *reading) lendUnits(details []Detail, cell *Cell) {
	for k := range details {
		q := details[k].Q
		if q == nil || q.Dim != "" || len(q.Noun) > 0 {
			continue
		}
		if u := cell.unit(); u.dim != "" {
			q.take(u, u.dim != "money" && u.dim != "percent")
			continue
		}
		r.unitBefore(q, details[k].FirstToken)
	}
	for k := len(details) - 2; k >= 0; k-- {
		r.unitOfNext(&details[k], &details[k+1])
	}
}

// unitBefore takes a unit from a name or a subject before a number.
func (r *reading) unitBefore(q *Quantity, i int) {
	for j := i - 1; j >= max(0, i-9) && q.Dim == ""; j-- {
		x := &r.t[j]
		if r.scope[j] != r.scope[i] && !(x.Kind == NameToken && j == i-2) { // timeout_ms: 1500
			if j == i-1 {
				continue
			}
			break
		}
		if x.Kind == NameToken && j >= i-3 {
			q.take(unitOfName(x.Text), true)
			q.Minutes = q.Minutes || q.Dim == "" && strings.HasSuffix(x.Low, "_min")
		}
		b := r.t.At(j - 1)
		u := units()[x.Low]
		if j == i-1 && (u.dim == "length" || u.dim == "time" && u.factor >= 3600 && len(x.Low) > 2) &&
			b.Kind == WordToken && x.Kind == WordToken && !strings.HasSuffix(x.Low, "s") { // at km 41.3, on day 42
			q.take(u, false)
		}
		if (u.dim == "time" || u.dim == "bytes") && !r.used[j] &&
			x.Kind == WordToken && len(x.Low) > 3 && strings.HasSuffix(x.Low, "s") &&
			b.Kind == WordToken && !Stopwords.Has(b.Low) {
			q.take(u, true)
		}
	}
}

// unitOfName returns the unit at the end of a name: timeout_ms, ttl_s. In swabs_min it may be a minimum: no unit.
func unitOfName(name string) unit {
	p := SplitName(name)
	if len(p) < 2 {
		return unit{}
	}
	last := p[len(p)-1]
	if keyBounds[last] != 0 || len(last) == 1 && !strings.Contains(loneUnits, last) {
		return unit{}
	}
	return units()[last]
}

var inLists = NewSet(", and or to – - /")

// unitOfNext gives a figure the unit or the zone of the next one in a list or range.
func (r *reading) unitOfNext(x, y *Detail) {
	if x.T != nil && y.T != nil && x.T.Clock >= 0 && x.T.Zone == nil && y.FirstToken-x.FirstToken <= 3 {
		x.T.Zone = y.T.Zone // from 10:02 to 10:41 UTC
	}
	a, b := x.Q, y.Q
	if y.Level || a == nil || b == nil || a.Dim != "" && !a.Soft || b.Dim == "" || b.Soft ||
		len(a.Noun) > 0 || a.Value == 0 || b.Number == 0 || y.FirstToken-x.FirstToken > 4 {
		return
	}
	for _, w := range r.t[x.FirstToken+1 : y.FirstToken] {
		if !inLists.Has(w.Low) && currencies()[w.Low] == "" {
			return
		}
	}
	a.scale(a.Number / a.Value)
	a.take(unit{b.Dim, b.Unit, b.Value / b.Number, b.Per}, false)
}

// Quoted is behind the name of a source whose text is quoted: it lacks its headings, so it
// supports, and never refutes.
const Quoted = "\x00"
