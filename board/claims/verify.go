package claims

import (
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"blackboard/board/documents"
	"blackboard/board/text"
)

// A Verification says how a finding stands to the statements that it quotes.
type Verification struct {
	Refuted   []string          // why they contradict it
	Unsure    []string          // why they may deny it: by a word that one of them alone denies
	Has       func(string) bool // reports whether the source has a figure that the finding writes so
	misquoted []misquotedFigure // see Misquotes
}

// Verify compares a finding with the statements on the lines of its quote, and with all of
// its source.
func (ev *Evidence) Verify(finding *Claim, quote string, around []*Claim) (v Verification) {
	around = quotedIn(around, quote)
	program := len(around) > 0 && IsProgram(around[0].Source) && !isData(quote)
	near := ev.beside(around)
	q, nearby := ev.quotation(finding, quote, around), many(near)
	var had []*Detail
	for k := range finding.Details {
		d := &finding.Details[k]
		if !d.isFigure() {
			continue
		}
		w := q.weigh(d, near, nearby)
		stands := w.Best.With != nil && w.Best.Rel != Bare || w.Rival.Rel == Coarser
		if stands || ev.hasFigure(finding, d) {
			if why := q.replaced(d); why != "" && !program {
				v.Refuted = append(v.Refuted, why)
				continue
			}
			if had = append(had, d); stands || w.Other.With == nil {
				continue
			}
		}
		quoted := q.weigh(d, around, q.many)
		if within(d, quoted.Other.With, quoted.Rival.With) {
			had = append(had, d)
			continue
		}
		one := q.onlyOne(d)
		if one && !program { // whatever makes it of figures of the paragraph
			if why := q.replaced(d); why != "" {
				v.Refuted = append(v.Refuted, why)
				continue
			}
		}
		counted := one && (quoted.Other.counts() || quoted.Rival.counts())
		if d.Weak && !counted && quoted.Other.Rel != OtherBound && quoted.Other.Rel != OtherRate {
			continue
		}
		if quoted.Other.Rel == OtherBound && slices.ContainsFunc(around, func(e *Claim) bool {
			same, _ := finding.boundAlike(e)
			return same // not above five, unless above five
		}) {
			continue
		}
		if rel := max(quoted.Other.Rel, quoted.Rival.Rel); (rel == OtherValue || rel == OtherUnit) && quotes(quote, d.Text) {
			had = append(had, d) // 24 minutes instead of 24 hours
			continue
		}
		why, value := quoted.contradicts(quote, one)
		if why != "" && !program && (!value || one && d.spelled() || counted) {
			v.Refuted = append(v.Refuted, why)
		} else if why != "" && !finding.inAnotherZone(d, had) && !q.derives(d) {
			v.misquoted = append(v.misquoted, misquotedFigure{d, why})
		}
	}
	if why := ev.anotherName(finding, around, quote); why != "" && !program {
		v.Refuted = append(v.Refuted, why)
	}
	v.Refuted = append(v.Refuted, finding.otherThan(around, quote)...)
	if why := finding.crosswise(around); why != "" {
		v.Refuted = append(v.Refuted, why)
	}
	if finding.English && IsEnglish(quote) && !isCells(quote) {
		v.Refuted = append(v.Refuted, ev.otherwise(finding.Text, quote, nil, shareOfQuote, ofQuotes...)...)
	}
	v.Has = func(text string) bool {
		return slices.ContainsFunc(had, func(d *Detail) bool {
			return strings.Contains(d.Text, text) || strings.Contains(text, d.Text)
		})
	}
	if len(around) > 0 {
		how := ev.Compare(finding, Window{Claims: around})
		all, both := ev.shared(finding, q.said)
		cover := both / all
		if cover >= .35 && how.Back < .5 && finding.denials == nil && around[0].denials == nil {
			v.Unsure = ev.opposites(finding, how.Window, how.Matches) // closed, stays open until
		}
		if how.Back >= .5 && cover >= .3 {
			v.Refuted = append(v.Refuted, ev.swapped(how.Matches)...)
			if !around[0].predicates() || isCells(quote) {
			} else if finding.deniesAlone(around) || around[0].denials == nil && finding.denials == nil {
				against := ev.opposites(finding, how.Window, how.Matches)
				turns := conditional(finding, around) || isData(quote)
				for _, why := range against {
					switch denial := TurnsOnDenial(why); {
					case !denial, !turns && cover >= .7 && how.Back >= .6: // in the same words
						v.Refuted = append(v.Refuted, why)
					case !turns:
						v.Unsure = append(v.Unsure, why)
					}
				}
			}
			for _, e := range around {
				if x, y := ev.exchangedIn(finding, e); x != "" && cover >= .8 && how.Back >= .8 {
					v.Refuted = append(v.Refuted, fmt.Sprintf("%s and %s stand the other way round", x, y))
				}
			}
		}
	}
	return v
}

// quotes reports whether a figure stands in a quote as it is written, with its unit or as a time, and not as a part of
// another one.
func quotes(quote, figure string) bool {
	if !strings.ContainsAny(figure, " :%€$£") || len(figure) < 4 {
		return false
	}
	i := strings.Index(quote, figure)
	if i < 0 {
		return false
	}
	before, _ := utf8.DecodeLastRuneInString(quote[:i])
	after, _ := utf8.DecodeRuneInString(quote[i+len(figure):])
	inWord := func(r rune) bool {
		return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("-−.,:", r)
	}
	return !inWord(before) && (!inWord(after) || after == '.' || after == ',')
}

// hasUnitOf reports whether a figure has a unit that can be compared with that of another one: its
// own, or from a header one that measures the same. hmf_mg_kg says no other unit than mg per kg.
func (d *Detail) hasUnitOf(o *Detail) bool {
	return strings.ContainsFunc(d.Text, writesUnit) || d.Q.Dim == o.Q.Dim || d.Q.Minutes || convertible[d.Q.Dim+" "+o.Q.Dim]
}

// spelled reports whether a figure is a number in words with a unit: ten days. It is looked for
// nowhere else.
func (d *Detail) spelled() bool { return d.Q != nil && d.Q.Word && d.Q.Dim != "" }

// within reports whether a figure is one of those that a bound of a quote admits: 100 euros, of up to 150.
func within(d *Detail, bounds ...*Detail) bool {
	return slices.ContainsFunc(bounds, func(b *Detail) bool {
		return b != nil && d.Q != nil && b.Q != nil && d.Q.Bound == 0 && d.Q.Dim != "" &&
			d.Q.Unit == b.Q.Unit && d.Q.Per == b.Q.Per && (d.Q.Value-b.Q.Value)*float64(b.Q.Bound) > 0
	})
}

// TurnsOnDenial reports whether a reason is a word that one side alone denies.
func TurnsOnDenial(why string) bool { return strings.HasSuffix(why, deniedOnceSuffix) }

// isData reports whether a quote is names with values and no sentence: "assignee": null.
func isData(quote string) bool { return reKeyValue.MatchString(quote) }

// isCells reports whether a quote is cells: a row of a table, or of a CSV file.
func isCells(quote string) bool {
	return strings.Count(quote, "|") > 1 || strings.Count(quote, ",") > 2 && !strings.Contains(quote, ", ")
}

var reKeyValue = text.NewRegexp(`^\W*[a-z][\w.-]*\s*(:\s*["\d]|=\s*[\d.]+$)|"[\w.-]+"\s*:`)

// suffixed reports whether the unit of a figure is one letter behind it, which says something
// else in a program: 45L.
func (d *Detail) suffixed() bool {
	return len(strings.TrimLeft(d.Text, "0123456789.")) == 1
}

// onlyOne reports whether a finding and the statements that it quotes have one figure each of the
// kind of one, those aside that both have: they are of one thing, whatever stands beside them.
func (q *quotation) onlyOne(d *Detail) bool {
	return comparable(q.ownHere, func(o *Detail) Relation { return o.relation(d) }) == 1 &&
		comparable(q.ownThere, d.relation) == 1
}

// comparable counts the figures that can be compared, two at most.
func comparable(all []*Detail, relation func(*Detail) Relation) (n int) {
	for i := 0; i < len(all) && n < 2; i++ {
		n += int(truth(relation(all[i]) != Incomparable))
	}
	return n
}

// A quotation is a quote of a finding with the statements that it is of.
type quotation struct {
	*scale            // of the finding
	text              string
	around            []*Claim
	said              *Claim       // all of them as one
	many              *figureIndex // of their figures; nil if they are few
	figures           []*Detail    // of them, in the quote
	ownHere, ownThere []*Detail    // figures that the finding has alone, or the statements
	shares            func() bool  // one of both says that something is shared
}

func (ev *Evidence) quotation(finding *Claim, quote string, around []*Claim) *quotation {
	q := &quotation{scale: ev.scale(finding, nil), text: quote, around: around, said: join(around, ""), many: many(around),
		figures: figuresIn(around, quote)}
	for _, o := range finding.figures() {
		if !q.said.hasFigure(o) {
			q.ownHere = append(q.ownHere, o)
		}
	}
	for _, e := range around {
		for _, x := range e.figures() {
			if !x.Denied && !finding.hasFigure(x) {
				q.ownThere = append(q.ownThere, x)
			}
		}
	}
	q.shares = sync.OnceValue(func() bool { return finding.tokens().hasAny(ofShares) || lex(quote).hasAny(ofShares) })
	return q
}

// near returns the figures of a quote, of very many those that are worth comparing with one.
func (q *quotation) near(d *Detail) []*Detail {
	if q.many == nil {
		return q.figures
	}
	var near []*Detail
	for _, p := range q.many.comparable(d) {
		if strings.Contains(q.text, p.d.Text) {
			near = append(near, p.d)
		}
	}
	return near
}

// counts reports whether two numbers count the same: three managers, two managers.
func (m *Match) counts() bool {
	return m.With != nil && m.Detail.Q != nil && m.With.Q != nil &&
		len(m.Detail.Q.Noun) > 0 && m.Detail.Q.countsAs(m.With.Q)
}

// misquotedFigure is a figure of the finding in whose place the quote has another one.
type misquotedFigure struct {
	d   *Detail
	why string
}

// Misquotes returns why the quote contradicts figures of the finding. It is given only for those figures that do not
// follow from the source, as lacks reports.
func (v *Verification) Misquotes(lacks func(text string) bool) (reasons []string) {
	for _, x := range v.misquoted {
		if lacks(x.d.Text) {
			reasons = append(reasons, x.why)
		}
	}
	return reasons
}

// inAnotherZone reports whether a time is another time of the finding in another zone.
func (c *Claim) inAnotherZone(d *Detail, had []*Detail) bool {
	return d.T != nil && d.T.Clock >= 0 && slices.ContainsFunc(had, func(o *Detail) bool {
		return o.T != nil && o.T.Clock >= 0 && (o.T.Clock-d.T.Clock)%1800 == 0
	})
}

// deniesAlone reports whether a finding or its quote denies something, and the other has
// nothing negative at all.
func (c *Claim) deniesAlone(around []*Claim) bool {
	theirs := 0
	for _, e := range around {
		theirs += e.outright()
		for _, n := range c.denials {
			if e.context[stem(strings.ToLower(n.word))] {
				return false // under the heading Contraindications
			}
		}
		if len(c.denials) > 0 && (e.saysNo(c) || len(e.denials) > 0) {
			return false
		}
	}
	mine := c.outright()
	return (mine == 0) != (theirs == 0) &&
		(theirs == 0 || !c.saysNo(join(around, "")) && len(c.denials) == 0)
}

var outright = set("not no never none nobody nothing neither nor cannot without")

// outright counts the denials by a word that does nothing else.
func (c *Claim) outright() (n int) {
	for _, d := range c.denials {
		low := strings.ToLower(d.word)
		if _, un := unprefixed(low); un || outright.has(low) || strings.HasSuffix(low, "n't") {
			n++
		}
	}
	return n
}

// contradicts returns why statements that a finding quotes contradict one of its figures, "" if they do not. value is
// true if they only have another value, not another unit, bound or zone.
func (w *Weighing) contradicts(quote string, alone bool) (why string, value bool) {
	for _, m := range []*Match{&w.Other, &w.Rival} {
		if m.With == nil || !strings.Contains(quote, m.With.Text) || w.Best.With != nil && w.Best.Rel != Bare ||
			m.Alike < m.Rel.least() && !(alone && !m.With.suffixed()) ||
			m.Rel == OtherUnit && !m.With.hasUnitOf(m.Detail) ||
			m.Rel == OtherSign && m.With.Cell != nil && m.With.Q.Dim == "money" || // what an account pays
			m.Rel == OtherValue && (m.Detail.Q.isLabel(m.With.Q) || m.With.isFactor(m.From.Text)) {
			continue // another pump than Pump 3 is no other number of litres
		}
		return fmt.Sprintf("%s: the finding says %s, the source %s", m.Rel, m.Detail.Text, m.With.Text),
			m.Rel == OtherValue && !m.otherZone()
	}
	return "", false
}

// isFactor reports whether a figure is one by which a program multiplies or divides: amount * 100 is no amount of 100.
func (d *Detail) isFactor(text string) bool {
	before := strings.TrimRight(text[:min(d.At, len(text))], " ")
	return d.Cell == nil && (strings.HasSuffix(before, "*") || strings.HasSuffix(before, "/"))
}

// isLabel reports whether a number says which one of its kind is meant, block 6, and another one does
// not, or of another kind.
func (q *Quantity) isLabel(o *Quantity) bool {
	return q != nil && q.Label != "" && (o == nil || o.Label != q.Label)
}

// otherZone reports whether two times differ in their zone alone.
func (m *Match) otherZone() bool {
	a, b := m.Detail.T, m.With.T
	return a != nil && b != nil && a.Clock == b.Clock && a.Zone != nil && b.Zone != nil
}

// quotedIn returns the claims that a quote has a part of, or all if there are none.
func quotedIn(all []*Claim, quote string) (out []*Claim) {
	q := flatten(quote).s
	for _, c := range all {
		s := flatten(c.Text).s
		if strings.Contains(q, s) || strings.Contains(s, q) || q[:min(len(q), 24)] == "" ||
			strings.Contains(s, q[:min(len(q), 24)]) || strings.Contains(q, s[:min(len(s), 24)]) {
			out = append(out, c)
		}
	}
	if len(out) == 0 {
		return all
	}
	return out
}

var verbs = set(`is are was were be been has have had will shall must may can could should would do
	does did`)

// predicates reports whether a statement has a verb. A fragment, as under a heading, does
// not say what it is about.
func (c *Claim) predicates() bool {
	return slices.ContainsFunc(c.tokens(), func(t token) bool {
		return verbs.has(t.low) || strings.HasSuffix(t.low, "ed") && len(t.low) > 4 || forms()[t.low] != ""
	})
}

// hasFigure reports whether a figure stands somewhere in the source.
func (ev *Evidence) hasFigure(c *Claim, d *Detail) bool {
	for _, e := range ev.withFigure(c, d) {
		for k := range e.Details {
			x := &e.Details[k]
			if rel := d.relation(x); (rel == Same || rel == Rounded) && (!x.Denied || d.Denied) {
				return true
			}
		}
	}
	return false
}

// HasFigure reports whether a figure stands anywhere, whatever it is of; see Is.
func (ev *Evidence) HasFigure(d *Detail, bare bool) bool {
	for _, k := range d.asks() {
		for _, i := range ev.values[k] {
			for x := range ev.Claims[i].Details {
				if d.Is(&ev.Claims[i].Details[x], bare) {
					return true
				}
			}
		}
	}
	return false
}

// EvidenceOf reads a document as evidence for Verify and HasFigure, most of which is not read as a whole.
func EvidenceOf(d *documents.Document) *Evidence {
	var all []*Claim
	for _, s := range ReadPart(d, 0, math.MaxInt) {
		c := &Claim{Statement: s, Source: d.Name, stems: map[string]bool{}, English: true, later: true}
		all = append(all, c.extract())
	}
	return NewEvidence(all)
}

// ofFigures is how many figures a claim of ExtractFigures has.
const ofFigures = 64

// ExtractFigures returns claims that have the different figures of a document and nothing else, which takes little
// memory.
func ExtractFigures(d *documents.Document) (all []*Claim) {
	seen := map[any]bool{}
	c := &Claim{Statement: &Statement{}}
	for _, s := range ReadPart(d, 0, math.MaxInt) {
		for _, x := range Skim(s, "").Details {
			if !x.isFigure() || seen[x.Figure()] {
				continue
			}
			if seen[x.Figure()] = true; len(c.Details)%ofFigures == 0 {
				c = &Claim{Statement: &Statement{}}
				all = append(all, c)
			}
			x.about, x.Cell, x.Text = nil, nil, ""
			c.Details = append(c.Details, x)
		}
	}
	return all
}

// reach is how many lines belong to the surroundings of a quote.
const reach = 3

// beside returns statements with those of their paragraph or table, and the lines beside
// them.
func (ev *Evidence) beside(around []*Claim) (near []*Claim) {
	near = append(near, around...)
	if len(around) == 0 {
		return near
	}
	first, last := around[0], around[len(around)-1]
	belongs := func(c, to *Claim) bool {
		d := abs(c.Line - to.Line)
		return d <= reach || c.Block == to.Block && d < 40
	}
	for i := first.number - 1; i >= 0 && belongs(ev.Claims[i], first); i-- {
		near = append(near, ev.Claims[i])
	}
	for i := last.number + 1; i < len(ev.Claims) && belongs(ev.Claims[i], last); i++ {
		near = append(near, ev.Claims[i])
	}
	return near
}

// OnLines returns the claims of some lines of a document, which are in their order.
func (ev *Evidence) OnLines(from, to int) (all []*Claim) {
	i := sort.Search(len(ev.Claims), func(i int) bool { return ev.Claims[i].End >= from })
	for ; i < len(ev.Claims) && ev.Claims[i].Line <= to; i++ {
		if ev.Claims[i].End >= from {
			all = append(all, ev.Claims[i].whole())
		}
	}
	return all
}
