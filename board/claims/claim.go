package claims

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
	Kind    Kind
	Text    string // as written
	At      int    // where it stands in its statement or cell
	Q       *Quantity
	T       *Instant
	Words   []string // of a name or identifier, in lower case
	about   topic    // what it is about
	clause  int
	first   int   // its first token
	Denied  bool  // only ruled out: rather than 30
	Cell    *Cell // the cell that it stands in
	Weak    bool  // no fault by itself if it is absent: a count of the text's own parts, an acronym
	initial bool  // a name that may be a common word at the beginning of a sentence
	Begins  bool  // a name that begins a sentence, or what stands like one
	Level   bool  // what a figure is of: 95 % CI, three for every ten
	named   bool  // a number that tells one of many: channel 12
}

func (d *Detail) isFigure() bool { return d.Kind <= Date }

// A topic has the stems that a detail is about, with their closeness from 0 to 1.
type topic []near1

type near1 struct {
	stem string
	by   float64
	side uint8 // it stands before the detail, after it, or both
}

const leading, trailing = 1, 2

// side returns on which side of a detail a stem stands: leading, trailing or both; 0 if the topic does not have it.
func (t topic) side(stem string) uint8 {
	for i := range t {
		if t[i].stem == stem {
			return t[i].side
		}
	}
	return 0
}

// stands notes on which side of a detail a stem stands.
func (t topic) stands(stem string, side uint8) {
	for i := range t {
		if t[i].stem == stem {
			t[i].side |= side
		}
	}
}

func (t topic) of(stem string) float64 {
	for i := range t {
		if t[i].stem == stem {
			return t[i].by
		}
	}
	return 0
}

func (t *topic) add(stem string, by float64) {
	for i := range *t {
		if (*t)[i].stem == stem {
			(*t)[i].by = max((*t)[i].by, by)
			return
		}
	}
	*t = append(*t, near1{stem, by, 0})
}

// A Word is a content word of a claim.
type Word struct {
	stem, low string
	clause    int
	aside     bool // only ruled out
	capital   bool
	text      string // as written
}

// A Claim is a statement that has been read.
type Claim struct {
	*Statement
	Source  string // the document or entry that it is of
	Words   []Word
	Details []Detail
	stems   map[string]bool // of its words and names
	context map[string]bool // of its headings, and of the headers and labels of a row
	around  []Detail        // dates in its headings and headers
	denials []denial
	bounds  []condition // read when first asked
	bounded bool        // they have been
	skimmed bool        // without what its details are about and what it denies
	later   bool        // what they are about is read when it is asked for (see whole)
	unlike  bool        // they are about more than it has as stems
	metres  bool        // an m that stands behind a number is a metre
	English bool
	read    int          // tokens that have been read
	number  int          // among the claims of its evidence
	index   *figureIndex // made at first use, as t is
	t       tokens
}

var (
	// refNouns make the number after them a name: port 5432. ownParts name parts of a text,
	// which are no facts of its subject.
	ownParts = set("page p pp section sec line lines figure fig table chapter appendix paragraph " +
		"para note item row question §")
	refNouns = set("page p pp section sec line lines figure fig table chapter appendix paragraph " +
		"para note item row question § clause cl article schedule step issue ticket port no version " +
		"rule annex exhibit phase level zone room lot route unit")
)

// tokens returns the text of a claim as tokens, which nobody changes.
func (c *Claim) tokens() tokens {
	if c.t == nil {
		c.t = lex(c.Text)
	}
	return c.t
}

// Extract returns a statement as a claim: its words and details, what the headings and headers above it say, and the
// dates in the name of its source.
func Extract(s *Statement, source string) *Claim {
	return (&Claim{Statement: s, Source: source, stems: map[string]bool{}, English: true}).extract()
}

func (c *Claim) extract() *Claim {
	s, source := c.Statement, c.Source
	r := readings.Get().(*reading)
	defer readings.Put(r)
	for _, h := range s.Heads {
		c.under(h)
	}
	if source != "" && !isHandle(source) {
		c.around = append(c.around, datesOf(strings.Map(apart, source))...)
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

// whole reads what was left for later.
func (c *Claim) whole() *Claim {
	if c.later {
		of := Extract(c.Statement, c.Source)
		c.later = false
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
			if w := &c.Words[i]; w.clause > d.clause && !empty.has(w.low) {
				d.about.add(w.stem, .6)
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
	if c.context == nil {
		c.context = map[string]bool{}
	}
	for _, w := range stemsOf(text) {
		c.context[w] = true
	}
	c.around = append(c.around, datesOf(text)...)
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
	return join(all, source)
}

// join returns one claim with the texts, words, details and denials of several, without their headings.
func join(all []*Claim, source string) *Claim {
	out := &Claim{Statement: &Statement{}, Source: source, stems: map[string]bool{}, English: true}
	clause, first := 0, 0
	for _, c := range all {
		out.Text = strings.TrimSpace(out.Text + " " + c.Text)
		out.English = out.English && c.English
		for _, w := range c.Words {
			w.clause += clause
			out.Words = append(out.Words, w)
		}
		for _, n := range c.denials {
			n.clause += clause
			out.denials = append(out.denials, n)
		}
		for _, d := range c.Details {
			d.clause, d.first = d.clause+clause, d.first+first
			out.Details = append(out.Details, d)
		}
		for s := range c.stems {
			out.stems[s] = true
		}
		clause, first = clause+len(c.Text)+1, first+len(c.Text)+1 // more than it has of either
	}
	return out
}

// A reading is the text of a statement or cell while it is read. Its room is used again.
type reading struct {
	t           tokens
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
		mark := x.kind == markToken && strings.Contains(",;:()—–|.!?", x.text) &&
			!(x.text == "." && i > 0 && isInitial(t[i-1].text)) // J. Brandt
		if mark || i > 0 && x.kind == wordToken && x.has(isBreak) {
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
		d, next, ok := c.detail(t, i)
		if !ok {
			i++
			continue
		}
		if x := t.at(next); c.metres && d.Q != nil && d.Q.Dim == "" && x.text == "m" && !x.glued {
			d.Q.Noun, next = nil, next+1
			d.Q.take(units()["m"], false)
		}
		begin := i
		if d.Q != nil && d.Q.Dim == "money" && currencies()[t.at(i-1).low] != "" {
			begin--
		}
		d.clause, d.first, d.Cell, d.Denied = r.clause[i], i, cell, r.aside[i]
		for k := begin; k < next && d.isFigure(); k++ {
			r.used[k], r.figure[k] = true, i+1
		}
		d.At = t[begin].at
		if d.Text = text[d.At:t[next-1].end()]; t[begin].minus {
			d.Text = "-" + d.Text
		}
		c.Details = append(c.Details, d)
		i = next
	}
	details := c.Details[first:]
	r.lendUnits(details, cell)
	c.takeWords(r)
	for k := range details {
		if d := &details[k]; d.isFigure() && !c.skimmed && !c.later {
			r.own(r.extent(d))
		}
	}
	for k := range details {
		if d := &details[k]; c.later && d.isFigure() {
			begin, _ := r.extent(d)
			r.mark(d, begin)
		} else if !c.skimmed && !c.later {
			r.around(d, cell)
		}
		details[k].first += c.read
		c.nameStems(&details[k])
	}
	c.read += len(t) + 1
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
	if c.Words = slices.Grow(c.Words, len(r.t)/2); len(c.stems) == 0 {
		c.stems = make(map[string]bool, len(r.t)/2)
	}
	for i := range r.t {
		x := &r.t[i]
		if c.unlike = c.unlike || x.kind == nameToken; r.used[i] || x.kind != wordToken {
			continue
		}
		word := x.lexeme()
		if c.English {
			word = word.plain
		}
		if c.unlike = c.unlike || x.has(isTopic) && (word != x.lexeme() || !x.has(content)); !x.has(content) {
			continue
		}
		w := Word{word.stem, word.low, r.clause[i], r.aside[i], x.capital(), x.text}
		c.Words = append(c.Words, w)
		if !x.has(isEmpty) {
			c.stems[w.stem] = true
		}
	}
}

// nameStems adds the stems of a name or an identifier.
func (c *Claim) nameStems(d *Detail) {
	for _, w := range d.Words {
		if d.Kind == Name {
			c.stems[stem(w)] = true
			continue
		}
		for _, p := range parts(w) {
			if len(p) > 2 && !empty.has(p) {
				c.stems[stem(p)] = true
			}
		}
	}
}

// detail reads a date, quantity, identifier or name that begins at token i, and returns the token after it; ok is false
// if there is none.
func (c *Claim) detail(t tokens, i int) (d Detail, next int, ok bool) {
	x := &t[i]
	if x.kind <= stampToken && x.mayBeginFigure() {
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
	case x.kind == nameToken || x.kind == stampToken || x.kind == numberToken:
		return Detail{Kind: Identifier, Words: []string{x.low}}, i + 1, true
	case x.kind != wordToken || !c.English:
	case t.serviceName(i):
		return Detail{Kind: Identifier, Words: []string{x.low + "-" + t[i+1].low}, Weak: true}, i + 2,
			true
	case titles.has(x.low) && t.at(i+1).capital():
	case x.capital() && !empty.has(x.low) && !weekdays.has(x.low) && currencies()[x.low] == "":
		d, next = t.name(i)
		return d, next, true
	}
	return d, i, false
}

// beginsAFigure reports whether a word may begin a number, a date or a time.
func beginsAFigure(low string) bool {
	_, one := ones[low]
	return one || tens[low]+ordinals[low] > 0 || months()[low]+seasons[low] > 0 || quarters()[low] > 0 ||
		slices.Contains([]string{"a", "an", "half", "quarter", "noon", "midday", "midnight"}, low) ||
		strings.ContainsFunc(low, func(r rune) bool { return digit(r) || unspaced(r) })
}

// mayBeginFigure reports whether a token may begin a number, a date or a time. Most words do not.
func (t *token) mayBeginFigure() bool {
	return t.kind != wordToken || t.has(beginsFigure)
}

var (
	nearly     = set("after before around about nearly almost towards roughly")
	titles     = set("mr mrs ms dr prof professor councillor sir madam")
	beforeName = set("of in on from by for to and or service")
	weekdays   = set(`monday tuesday wednesday thursday friday saturday sunday mondays tuesdays
		wednesdays thursdays fridays saturdays sundays i`)
)

// name reads up to six words with capitals, and returns the token after them.
func (t tokens) name(i int) (d Detail, next int) {
	words := []string{t[i].low}
	for next = i + 1; len(words) < 6; next++ {
		y := t.at(next)
		if y.kind == wordToken && y.capital() && !empty.has(y.low) && months()[y.low] == 0 &&
			(currencies()[y.low] == "" || t.at(next+1).kind != numberToken) { // Brackley College GBP 5,400
			words = append(words, y.low)
		} else if y.text != "&" || !t.at(next+1).capital() {
			break
		}
	}
	one, b := len(words) == 1, t.at(i-1)
	initial := b.kind == markToken && (b.text == "" || strings.Contains(":\"“|.!?", b.text))
	short := strings.TrimSuffix(t[i].text, "s")
	return Detail{Kind: Name, Words: words, initial: initial && one, Begins: initial,
		Weak: one && len(short) <= 6 && short == strings.ToUpper(short)}, next
}

// serviceName reports whether two words with a hyphen stand as a name does, not before a
// noun: "the output of pricing-engine", but not "slow-moving implants".
func (t tokens) serviceName(i int) bool {
	b, second, after := t.at(i-1), t.at(i+1), t.at(i+2)
	return second.tied && second.kind == wordToken && !t[i].tied && !t[i].capital() &&
		!second.capital() && !after.tied && (b.kind == markToken || beforeName.has(b.low)) &&
		(after.kind != wordToken || empty.has(after.low))
}

// marks in a topic of a change: from 74 to 91, by 17.
const fromMark, toMark, byMark = "@from", "@to", "@by"

// around collects what a detail is about: the words beside it, the closer the more. A word
// behind the end of a clause counts for less, and one that belongs to another figure: in
// "17 % of sales at a 46 % margin" sales belong to 17 %.
func (r *reading) around(d *Detail, cell *Cell) {
	t := r.t
	begin, end := r.extent(d)
	for k := max(0, begin-14); k < min(len(t), end+14); k++ {
		x := &t[k]
		if k >= begin && k < end || r.used[k] || x.kind != wordToken && x.kind != nameToken {
			continue
		}
		by := r.closeness(begin, end, k)
		if o := r.owner[k]; o != 0 && o != begin+1 && d.isFigure() {
			by *= .5
		}
		switch {
		case x.kind == nameToken:
			for _, p := range parts(x.text) {
				if len(p) > 2 && !empty.has(p) {
					d.about.add(stem(p), by)
				}
			}
		case x.has(isTopic):
			s := x.lexeme().stem
			d.about.add(s, by)
			d.about.stands(s, map[bool]uint8{true: leading, false: trailing}[k < begin])
		}
	}
	r.mark(d, begin)
	if cell == nil {
		return
	}
	for _, w := range stemsOf(cell.Label) {
		d.about.add(w, 1)
	}
	for _, w := range stemsOf(cell.Header) {
		d.about.add(w, .8)
	}
}

// extent returns the tokens of a detail, with a currency before it.
func (r *reading) extent(d *Detail) (begin, end int) {
	begin, end = d.first, d.first+1
	if !d.isFigure() {
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
	for fillsBound.has(r.t.at(b).low) || abouts.has(r.t.at(b).low) {
		b--
	}
	switch r.t.at(b).low {
	case "from":
		d.about.add(fromMark, 1)
	case "by":
		d.about.add(byMark, 1)
	case "to", "until", "till":
		d.about.add(toMark, 1)
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
		opens := r.t[at].text == "(" || r.t[i+1].text == "(" || k < begin && r.t[i].text == "("
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

var beforeOwned = set("of on in for with")

// own marks the words that belong to a figure: 17 % of sales, 46 % gross margin, a gross
// margin of 46 %.
func (r *reading) own(begin, end int) {
	k := end
	if beforeOwned.has(r.t.at(k).low) {
		k++
	}
	for n := 0; n < 3 && k < len(r.t) && r.t[k].kind == wordToken && !r.used[k] &&
		r.clause[k] == r.clause[end-1] && !prepositions.has(r.t[k].low) && r.t[k].low != "against"; k++ {
		if r.owner[k] = begin + 1; !empty.has(r.t[k].low) {
			n++
		}
	}
	if r.t.at(begin-1).low != "of" {
		return
	}
	k = begin - 2
	for n := 0; n < 2 && k >= 0 && r.t[k].kind == wordToken && !r.used[k] && !empty.has(r.t[k].low); k-- {
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
		r.unitBefore(q, details[k].first)
	}
	for k := len(details) - 2; k >= 0; k-- {
		r.unitOfNext(&details[k], &details[k+1])
	}
}

// unitBefore takes a unit from a name or a subject before a number.
func (r *reading) unitBefore(q *Quantity, i int) {
	for j := i - 1; j >= max(0, i-9) && q.Dim == ""; j-- {
		x := &r.t[j]
		if r.scope[j] != r.scope[i] && !(x.kind == nameToken && j == i-2) { // timeout_ms: 1500
			if j == i-1 {
				continue
			}
			break
		}
		if x.kind == nameToken && j >= i-3 {
			q.take(unitOfName(x.text), true)
			q.Minutes = q.Minutes || q.Dim == "" && strings.HasSuffix(x.low, "_min")
		}
		b := r.t.at(j - 1)
		u := units()[x.low]
		if j == i-1 && (u.dim == "length" || u.dim == "time" && u.factor >= 3600 && len(x.low) > 2) && b.kind == wordToken &&
			x.kind == wordToken && !strings.HasSuffix(x.low, "s") { // at km 41.3, on day 42
			q.take(u, false)
		}
		if (u.dim == "time" || u.dim == "bytes") && !r.used[j] &&
			x.kind == wordToken && len(x.low) > 3 && strings.HasSuffix(x.low, "s") &&
			b.kind == wordToken && !empty.has(b.low) {
			q.take(u, true)
		}
	}
}

// unitOfName returns the unit at the end of a name: timeout_ms, ttl_s. In swabs_min it may be a minimum: no unit.
func unitOfName(name string) unit {
	p := parts(name)
	if len(p) < 2 {
		return unit{}
	}
	last := p[len(p)-1]
	if keyBounds[last] != 0 || len(last) == 1 && !strings.Contains(loneUnits, last) {
		return unit{}
	}
	return units()[last]
}

var inLists = set(", and or to – - /")

// unitOfNext gives a figure the unit or the zone of the next one in a list or range.
func (r *reading) unitOfNext(x, y *Detail) {
	if x.T != nil && y.T != nil && x.T.Clock >= 0 && x.T.Zone == nil && y.first-x.first <= 3 {
		x.T.Zone = y.T.Zone // from 10:02 to 10:41 UTC
	}
	a, b := x.Q, y.Q
	if y.Level || a == nil || b == nil || a.Dim != "" && !a.Soft || b.Dim == "" || b.Soft ||
		len(a.Noun) > 0 || a.Value == 0 || b.Number == 0 || y.first-x.first > 4 {
		return
	}
	for _, w := range r.t[x.first+1 : y.first] {
		if !inLists.has(w.low) && currencies()[w.low] == "" {
			return
		}
	}
	a.scale(a.Number / a.Value)
	a.take(unit{b.Dim, b.Unit, b.Value / b.Number, b.Per}, false)
}

// Quoted is behind the name of a source whose text is quoted: it lacks its headings, so it
// supports, and never refutes.
const Quoted = "\x00"
