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

// Closeness is how close a stem is to a detail, from 0 to 1.
func (t Topic) Closeness(stem string) float64 {
	for i := range t {
		if t[i].Stem == stem {
			return t[i].Closeness
		}
	}
	return 0
}

// of returns what a topic has of a stem, which it has from then on.
func (t *Topic) of(stem string) *TopicStem {
	for i := range *t {
		if (*t)[i].Stem == stem {
			return &(*t)[i]
		}
	}
	if *t == nil {
		*t = make(Topic, 0, 8)
	}
	*t = append(*t, TopicStem{Stem: stem})
	return &(*t)[len(*t)-1]
}

func (t *Topic) add(stem string, by float64) *TopicStem {
	x := t.of(stem)
	x.Closeness = max(x.Closeness, by)
	return x
}

// A Word is a content word of a claim.
type Word struct {
	Stem, Low string
	Clause    int
	Aside     bool // only ruled out
	Capital   bool
	Empty     bool   // it says nothing about what a text is about
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
	again        bool        // of its details alone, as the rest is known
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
	return (&Claim{Statement: s, Source: source, English: true}).Fill()
}

// Fill reads the statement of a claim into it.
func (c *Claim) Fill() *Claim {
	s, source := c.Statement, c.Source
	r := readings.Get().(*reading)
	defer readings.Put(r)
	for i := 0; i < len(s.Heads) && !c.again; i++ {
		c.under(r, s.Heads[i])
	}
	if source != "" && !isHandle(source) {
		c.ContextDates = append(c.ContextDates, r.heading(strings.Map(apart, source)).dates...)
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
			if !c.again {
				c.under(r, cell.Header)
				c.under(r, cell.Label)
			}
			r.lex(cell.Text)
			clause = c.take(r, cell.Text, cell, clause) + 1
		}
	}
	c.labelled()
	return c
}

// Clone returns the same claim with its own room for what is read or made later, so that two may be asked at once.
func (c *Claim) Clone() *Claim {
	own := *c
	own.Details, own.FigureIndex = slices.Clone(c.Details), nil
	return &own
}

// ReadWhole reads what was left for later.
func (c *Claim) ReadWhole() *Claim {
	if c.Later {
		of := (&Claim{Statement: c.Statement, English: true, again: true}).Fill()
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
			if w := &c.Words[i]; w.Clause > d.Clause && !w.Empty {
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
func (c *Claim) under(r *reading, text string) {
	if text == "" {
		return
	}
	if c.Context == nil {
		c.Context = map[string]bool{}
	}
	h := r.heading(text)
	for _, w := range h.stems {
		c.Context[w] = true
	}
	c.ContextDates = append(c.ContextDates, h.dates...)
}

// A heading is what a statement takes from one above it, or from its source.
type heading struct {
	stems []string
	dates []Detail
}

// manyHeadings is how many headings a reading knows: many statements stand under one.
const manyHeadings = 64

func (r *reading) heading(text string) heading {
	h, known := r.heads[text]
	if !known {
		if len(r.heads) >= manyHeadings || r.heads == nil {
			r.heads = map[string]heading{}
		}
		text = strings.Clone(text) // not the document
		h = heading{Stems(text), datesOf(text)}
		r.heads[text] = h
	}
	return h
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
	words, details, stems := 0, 0, 0
	for _, c := range all {
		words, details, stems = words+len(c.Words), details+len(c.Details), stems+len(c.Stems)
	}
	out.Words, out.Details, out.Stems = make([]Word, 0, words), make([]Detail, 0, details), make(map[string]bool, stems)
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
	heads       map[string]heading // the last ones
	topic       Topic              // of the detail that is read
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
		if t.isPlain(i) {
			i++
			continue
		}
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
	if !c.again || cell != nil {
		c.takeWords(r)
	}
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
		if !c.again {
			c.nameStems(&details[k])
		}
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
	if c.Words = slices.Grow(c.Words, len(r.t)/2); c.Stems == nil {
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
		w := Word{word.stem, word.low, r.clause[i], r.aside[i], x.HasCapital(), word.is&isEmpty != 0, x.Text}
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
	case t.At(i+1).HasCapital() && titles.Has(x.Low):
	case x.HasCapital() && !x.has(isEmpty) && !Weekdays.Has(x.Low) && currencies()[x.Low] == "":
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

// isPlain reports whether a token is a word in lower case that begins no detail, as most are.
func (t Tokens) isPlain(i int) bool {
	x := &t[i]
	return x.word != nil && x.Kind == WordToken && x.Text[0] >= 'a' && x.Text[0] <= 'z' && !x.has(beginsFigure) &&
		!(i+1 < len(t) && t[i+1].tied)
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
		if y.Kind == WordToken && y.HasCapital() && !y.has(isEmpty) && months()[y.Low] == 0 &&
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
		(after.Kind != WordToken || after.has(isEmpty))
}

// Quoted is behind the name of a source whose text is quoted: it lacks its headings, so it
// supports, and never refutes.
const Quoted = "\x00"
