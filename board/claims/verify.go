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

	"blackboard/board/claims/parse"
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
func (ev *Evidence) Verify(finding *parse.Claim, quote string, around []*parse.Claim) (v Verification) {
	around = quotedIn(around, quote)
	program := len(around) > 0 && parse.IsProgram(around[0].Source) && !isData(quote)
	near := ev.beside(around)
	q, nearby := ev.quotation(finding, quote, around), parse.IndexMany(near)
	said := parse.Tokenize(quote)
	var had []*parse.Detail
	for k := range finding.Details {
		d := &finding.Details[k]
		if !d.IsFigure() {
			continue
		}
		w := q.weigh(d, near, nearby)
		stands := w.Best.With != nil && w.Best.Rel != parse.Bare || w.Rival.Rel == parse.Coarser
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
		if d.Weak && !counted && quoted.Other.Rel != parse.OtherBound && quoted.Other.Rel != parse.OtherRate {
			continue
		}
		if quoted.Other.Rel == parse.OtherBound && slices.ContainsFunc(around, func(e *parse.Claim) bool {
			same, _ := finding.CompareConditions(e)
			return same // not above five, unless above five
		}) {
			continue
		}
		if rel := max(quoted.Other.Rel, quoted.Rival.Rel); (rel == parse.OtherValue || rel == parse.OtherUnit) &&
			quotes(quote, d.Text) || quoted.Other.Rel == parse.OtherValue && hasDigits(said, d) {
			had = append(had, d) // 24 minutes instead of 24 hours; 2016 of a row, which is no year
			continue
		}
		why, value := quoted.contradicts(quote, one)
		if value && ofOtherColumn(finding, quoted.Rival.With) {
			continue
		}
		if why != "" && !program && (!value || one && spelled(d) || counted) {
			v.Refuted = append(v.Refuted, why)
		} else if why != "" && !inAnotherZone(finding, d, had) && !q.derives(d) {
			v.misquoted = append(v.misquoted, misquotedFigure{d, why})
		}
	}
	if why := q.anotherName(); why != "" && !program {
		v.Refuted = append(v.Refuted, why)
	}
	v.Refuted = append(v.Refuted, otherThan(finding, around, quote)...)
	if why := crosswise(finding, around, q.said); why != "" && !strings.Contains(quote, "\n") {
		v.Refuted = append(v.Refuted, why)
	}
	if why := exchangedFigures(finding, said, isCells(quote)); why != "" {
		v.Refuted = append(v.Refuted, why)
	}
	if finding.English && parse.IsEnglish(quote) && !isCells(quote) {
		v.Refuted = append(v.Refuted, ev.otherwise(finding.Text, quote, nil, shareOfQuote, ofQuotes...)...)
	}
	if finding.English && parse.IsEnglish(quote) {
		if why := otherDeed(finding.Tokens(), said); why != "" {
			v.Refuted = append(v.Refuted, why)
		}
	}
	v.Has = func(text string) bool {
		return slices.ContainsFunc(had, func(d *parse.Detail) bool {
			return strings.Contains(d.Text, text) || strings.Contains(text, d.Text)
		})
	}
	if len(around) > 0 {
		how := ev.Compare(finding, Window{Claims: around})
		all, both := ev.shared(finding, q.said)
		cover := both / all
		if cover >= .35 && how.Back < .5 && finding.Denials == nil && around[0].Denials == nil {
			v.Unsure = ev.opposites(finding, how.Window, how.Matches) // closed, stays open until
		}
		if how.Back >= .5 && cover >= .3 {
			v.Refuted = append(v.Refuted, ev.swapped(how.Matches)...)
			if !predicates(around[0]) || isCells(quote) {
			} else if deniesAlone(finding, around) || finding.Denials == nil && !slices.ContainsFunc(around,
				func(e *parse.Claim) bool { return e.Denials != nil }) {
				against := ev.opposites(finding, how.Window, how.Matches)
				turns := parse.IsConditional(finding, around) || isData(quote)
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
func hasUnitOf(d, o *parse.Detail) bool {
	return strings.ContainsFunc(d.Text, writesUnit) || d.Q.Dim == o.Q.Dim || d.Q.Minutes ||
		parse.ConvertibleDimensions[d.Q.Dim+" "+o.Q.Dim]
}

// spelled reports whether a figure is a number in words with a unit: ten days. It is looked for
// nowhere else.
func spelled(d *parse.Detail) bool { return d.Q != nil && d.Q.Word && d.Q.Dim != "" }

// ofOtherColumn reports whether a figure stands in a column of which a claim says nothing: the p95 in ms
// beside the worst five minutes.
func ofOtherColumn(c *parse.Claim, x *parse.Detail) bool {
	return x != nil && x.Cell != nil && x.Cell.Header != "" &&
		!slices.ContainsFunc(parse.Stems(x.Cell.Header), func(s string) bool { return c.Stems[s] })
}

// within reports whether a figure is one of those that a bound of a quote admits: 100 euros, of up to 150.
func within(d *parse.Detail, bounds ...*parse.Detail) bool {
	return slices.ContainsFunc(bounds, func(b *parse.Detail) bool {
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
func suffixed(d *parse.Detail) bool {
	return len(strings.TrimLeft(d.Text, "0123456789.")) == 1
}

// onlyOne reports whether a finding and the statements that it quotes have one figure each of the
// kind of one, those aside that both have: they are of one thing, whatever stands beside them.
func (q *quotation) onlyOne(d *parse.Detail) bool {
	return comparable(q.ownHere, func(o *parse.Detail) parse.Relation { return o.Relate(d) }) == 1 &&
		comparable(q.ownThere, d.Relate) == 1
}

// comparable counts the figures that can be compared, two at most.
func comparable(all []*parse.Detail, relation func(*parse.Detail) parse.Relation) (n int) {
	for i := 0; i < len(all) && n < 2; i++ {
		n += int(truth(relation(all[i]) != parse.Incomparable))
	}
	return n
}

// A quotation is a quote of a finding with the statements that it is of.
type quotation struct {
	*scale            // of the finding
	text              string
	around            []*parse.Claim
	said              *parse.Claim       // all of them as one
	many              *parse.FigureIndex // of their figures; nil if they are few
	figures           []*parse.Detail    // of them, in the quote
	ownHere, ownThere []*parse.Detail    // figures that the finding has alone, or the statements
	shares            func() bool        // one of both says that something is shared
}

func (ev *Evidence) quotation(finding *parse.Claim, quote string, around []*parse.Claim) *quotation {
	q := &quotation{scale: ev.scale(finding, nil), text: quote, around: around, said: parse.JoinClaims(around, ""),
		many:    parse.IndexMany(around),
		figures: figuresIn(around, quote)}
	for _, o := range figuresOf(finding) {
		if !q.said.HasFigure(o) {
			q.ownHere = append(q.ownHere, o)
		}
	}
	for _, e := range around {
		for _, x := range figuresOf(e) {
			if !x.Denied && !finding.HasFigure(x) {
				q.ownThere = append(q.ownThere, x)
			}
		}
	}
	q.shares = sync.OnceValue(func() bool {
		return hasAnyOf(finding.Tokens(), ofShares) || hasAnyOf(parse.Tokenize(quote), ofShares)
	})
	return q
}

// near returns the figures of a quote, of very many those that are worth comparing with one.
func (q *quotation) near(d *parse.Detail) []*parse.Detail {
	if q.many == nil {
		return q.figures
	}
	var near []*parse.Detail
	for _, p := range q.many.Comparable(d) {
		if strings.Contains(q.text, p.Detail.Text) {
			near = append(near, p.Detail)
		}
	}
	return near
}

// counts reports whether two numbers count the same: three managers, two managers.
func (m *Match) counts() bool {
	return m.With != nil && m.Detail.Q != nil && m.With.Q != nil &&
		len(m.Detail.Q.Noun) > 0 && countsAs(m.Detail.Q, m.With.Q)
}

// misquotedFigure is a figure of the finding in whose place the quote has another one.
type misquotedFigure struct {
	d   *parse.Detail
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
func inAnotherZone(c *parse.Claim, d *parse.Detail, had []*parse.Detail) bool {
	return d.T != nil && d.T.Clock >= 0 && slices.ContainsFunc(had, func(o *parse.Detail) bool {
		return o.T != nil && o.T.Clock >= 0 && (o.T.Clock-d.T.Clock)%1800 == 0
	})
}

// deniesAlone reports whether a finding or its quote denies something, and the other has
// nothing negative at all.
func deniesAlone(c *parse.Claim, around []*parse.Claim) bool {
	theirs := 0
	for _, e := range around {
		theirs += countOutright(e)
		for _, n := range c.Denials {
			if e.Context[parse.Stem(strings.ToLower(n.Word))] {
				return false // under the heading Contraindications
			}
		}
		if len(c.Denials) > 0 && (saysNo(e, c) || len(e.Denials) > 0) {
			return false
		}
	}
	mine := countOutright(c)
	return (mine == 0) != (theirs == 0) &&
		(theirs == 0 || !saysNo(c, parse.JoinClaims(around, "")) && len(c.Denials) == 0)
}

var outright = parse.NewSet("not no never none nobody nothing neither nor cannot without")

// countOutright counts the denials by a word that does nothing else.
func countOutright(c *parse.Claim) (n int) {
	for _, d := range c.Denials {
		low := strings.ToLower(d.Word)
		if _, un := parse.Unprefixed(low); un || outright.Has(low) || strings.HasSuffix(low, "n't") {
			n++
		}
	}
	return n
}

// contradicts returns why statements that a finding quotes contradict one of its figures, "" if they do not. value is
// true if they only have another value, not another unit, bound or zone.
func (w *Weighing) contradicts(quote string, alone bool) (why string, value bool) {
	for _, m := range []*Match{&w.Other, &w.Rival} {
		if m.With == nil || !strings.Contains(quote, m.With.Text) || w.Best.With != nil && w.Best.Rel != parse.Bare ||
			m.Alike < m.Rel.MinLikeness() && !(alone && !suffixed(m.With)) ||
			m.Rel == parse.OtherUnit && !hasUnitOf(m.With, m.Detail) ||
			m.Rel == parse.OtherSign && m.With.Cell != nil && m.With.Q.Dim == "money" || // what an account pays
			m.Rel == parse.OtherValue && (isLabel(m.Detail.Q, m.With.Q) || isFactor(m.With, m.From.Text) ||
				bare(m.Detail) && bare(m.With) && m.Detail.Q.Whole != m.With.Q.Whole) {
			continue // another pump than Pump 3 is no other number of litres, nor is -4.1 one of 17 minutes
		}
		return fmt.Sprintf("%s: the finding says %s, the source %s", m.Rel, m.Detail.Text, m.With.Text),
			m.Rel == parse.OtherValue && !m.otherZone()
	}
	return "", false
}

// isFactor reports whether a figure is one by which a program multiplies or divides: amount * 100 is no amount of 100.
func isFactor(d *parse.Detail, text string) bool {
	before := strings.TrimRight(text[:min(d.At, len(text))], " ")
	return d.Cell == nil && (strings.HasSuffix(before, "*") || strings.HasSuffix(before, "/"))
}

// isLabel reports whether a number says which one of its kind is meant, block 6, and another one does
// not, or of another kind.
func isLabel(q, o *parse.Quantity) bool {
	return q != nil && q.Label != "" && (o == nil || o.Label != q.Label)
}

// otherZone reports whether two times differ in their zone alone.
func (m *Match) otherZone() bool {
	a, b := m.Detail.T, m.With.T
	return a != nil && b != nil && a.Clock == b.Clock && a.Zone != nil && b.Zone != nil
}

// quotedIn returns the claims that a quote has a part of, or all if there are none.
func quotedIn(all []*parse.Claim, quote string) (out []*parse.Claim) {
	q := parse.Flatten(quote).Text
	for _, c := range all {
		s := c.Flat()
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

var verbs = parse.NewSet(`is are was were be been has have had will shall must may can could should would do
	does did`)

// predicates reports whether a statement has a verb. A fragment, as under a heading, does
// not say what it is about.
func predicates(c *parse.Claim) bool {
	return slices.ContainsFunc(c.Tokens(), func(t parse.Token) bool {
		return verbs.Has(t.Low) || strings.HasSuffix(t.Low, "ed") && len(t.Low) > 4 ||
			parse.IrregularForms()[t.Low] != ""
	})
}

// hasFigure reports whether a figure stands somewhere in the source.
func (ev *Evidence) hasFigure(c *parse.Claim, d *parse.Detail) bool {
	for _, e := range ev.withFigure(c, d) {
		for k := range e.Details {
			x := &e.Details[k]
			if rel := d.Relate(x); (rel == parse.Same || rel == parse.Rounded) && (!x.Denied || d.Denied) {
				return true
			}
		}
	}
	return false
}

// HasFigure reports whether a figure stands anywhere, whatever it is of; see Is.
func (ev *Evidence) HasFigure(d *parse.Detail, bare bool) bool {
	for _, k := range d.Asks() {
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
	var all []*parse.Claim
	for _, s := range parse.ReadPart(d, 0, math.MaxInt) {
		c := &parse.Claim{Statement: s, Source: d.Name, English: true, Later: true}
		all = append(all, c.Fill())
	}
	return NewEvidence(all)
}

// ofFigures is how many figures a claim of ExtractFigures has.
const ofFigures = 64

// ExtractFigures returns claims that have the different figures of a document and nothing else, which takes little
// memory.
func ExtractFigures(d *documents.Document) (all []*parse.Claim) {
	seen := map[any]bool{}
	c := &parse.Claim{Statement: &parse.Statement{}}
	for _, s := range parse.ReadPart(d, 0, math.MaxInt) {
		for _, x := range parse.Skim(s, "").Details {
			if !x.IsFigure() || seen[x.Figure()] {
				continue
			}
			if seen[x.Figure()] = true; len(c.Details)%ofFigures == 0 {
				c = &parse.Claim{Statement: &parse.Statement{}}
				all = append(all, c)
			}
			x.Topic, x.Cell, x.Text = nil, nil, ""
			c.Details = append(c.Details, x)
		}
	}
	return all
}

// reach is how many lines belong to the surroundings of a quote.
const reach = 3

// beside returns statements with those of their paragraph or table, and the lines beside
// them.
func (ev *Evidence) beside(around []*parse.Claim) (near []*parse.Claim) {
	near = append(near, around...)
	if len(around) == 0 {
		return near
	}
	first, last := around[0], around[len(around)-1]
	belongs := func(c, to *parse.Claim) bool {
		d := abs(c.Line - to.Line)
		return d <= reach || c.Block == to.Block && d < 40
	}
	for i := first.Place - 1; i >= 0 && belongs(ev.Claims[i], first); i-- {
		near = append(near, ev.Claims[i])
	}
	for i := last.Place + 1; i < len(ev.Claims) && belongs(ev.Claims[i], last); i++ {
		near = append(near, ev.Claims[i])
	}
	return near
}

// OnLines returns the claims of some lines of a document, which are in their order.
func (ev *Evidence) OnLines(from, to int) (all []*parse.Claim) {
	i := sort.Search(len(ev.Claims), func(i int) bool { return ev.Claims[i].End >= from })
	for ; i < len(ev.Claims) && ev.Claims[i].Line <= to; i++ {
		if ev.Claims[i].End >= from {
			all = append(all, ev.Claims[i].ReadWhole())
		}
	}
	return all
}
