package claims

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// This file finds sentences that say of one thing what a statement says otherwise, with hardly
// another word: of all where it is most, every month where it is every year, by another party.
// It knows English only.

// disagrees returns why a finding says otherwise than the statements that it quotes.
func (c *Claim) disagrees(around []*Claim, quote string) (reasons []string) {
	if !c.English {
		return nil
	}
	mine, said := lex(c.Text), lex(quote)
	add := func(why string) {
		if why != "" {
			reasons = append(reasons, why)
		}
	}
	add(mine.overstates(said))
	add(mine.doubted(said))
	add(c.otherLimit(quote))
	add(c.needless(said))
	for _, e := range around {
		add(mine.otherRhythm(lex(e.Text), c, e))
	}
	return reasons
}

var needs = set("unless only until needs need requires require required must provided")

// needless returns why a claim says that something goes without what another text requires: without
// a second vote, only after a second vote.
func (c *Claim) needless(o tokens) string {
	t := lex(c.Text)
	at := slices.IndexFunc(t, func(x token) bool { return x.low == "without" })
	need := slices.IndexFunc(o, func(x token) bool { return needs.has(x.low) })
	if at < 0 || need < 0 || o.hasWord("without") || slices.ContainsFunc(t[:at], func(x token) bool {
		return negators.has(x.low)
	}) {
		return ""
	}
	for k := at + 1; k < min(len(t), at+7) && t[k].kind == wordToken; k++ {
		if says(t[k].low) && o[need:].hasStem(stem(t[k].low)) {
			return fmt.Sprintf("“without %s” against “%s”", t[k].text, o[need].low)
		}
	}
	return ""
}

func (t tokens) hasStem(s string) bool {
	return slices.ContainsFunc(t, func(x token) bool { return x.kind == wordToken && stem(x.low) == s })
}

// timeLimit says whether a text gives the first moment of something (1), or the last (-1).
func (t tokens) timeLimit() (limit Bound, word string) {
	for i := range t {
		low, next, after := t[i].low, t.at(i+1).low, t.at(i+2).low
		b := Bound(0)
		switch {
		case low == "at" && next == "the" && after == "earliest", low == "no" && next == "earlier",
			low == "not" && (next == "earlier" || next == "before"), t.notBefore(i):
			b = 1
		case low == "at" && next == "the" && after == "latest", low == "no" && next == "later",
			low == "not" && (next == "later" || next == "after"),
			low == "by" && (t.day(i+1) > 0 && t.month(i+2) > 0 || t.month(i+1) > 0 ||
				t.at(i+1).kind == stampToken):
			b = -1
		default:
			continue
		}
		if limit*b < 0 {
			return 0, "" // from and to
		}
		limit, word = b, strings.TrimSpace(low+" "+next+" "+after)
	}
	return limit, word
}

// notBefore reports whether before stands a few words behind not, as in "will not arrive before
// 2 October".
func (t tokens) notBefore(i int) bool {
	return t[i].low == "before" && t.at(i+1).kind == numberToken && slices.ContainsFunc(
		t[max(0, i-3):i], func(x token) bool { return x.low == "not" || x.low == "never" })
}

// otherLimit returns why a claim has as the first moment of something what another text has as the
// last one.
func (c *Claim) otherLimit(text string) string {
	mine, word := lex(c.Text).timeLimit()
	theirs, other := lex(text).timeLimit()
	if mine*theirs >= 0 {
		return ""
	}
	e := ExtractText(text, "")
	for _, d := range c.figures() {
		if (d.T != nil || d.Q.Dim == "time" || d.Q.Dim == "months") && slices.ContainsFunc(e.Details,
			func(x Detail) bool { return d.relation(&x).Agrees() }) {
			return fmt.Sprintf("“%s” against “%s”", word, other)
		}
	}
	return ""
}

var (
	universals = set(`all every each entire entirely whole wholly always fully completely everything
		everybody everyone whenever`)
	partials = set("most mostly some many half several few partly part majority usually often sometimes")
)

// scope returns the words with which a text speaks of all, and of a part.
func (t tokens) scope() (all, part string) {
	for i := range t {
		low, next, before := t[i].low, t.at(i+1), t.at(i-1).low
		switch {
		case low == "of" && t.outOf(i) != "":
			part = t.outOf(i)
		case low == "full" && before == "in",
			universals.has(low) && next.kind != numberToken && ones[next.low] == 0 &&
				units()[next.low].dim == "":
			if before == "not" || before == "almost" || before == "nearly" {
				part = before + " " + low
			} else {
				all = low
			}
		case !partials.has(low), low == "most" && (before == "at" || before == "the"),
			low == "some" && next.kind == numberToken, low == "many" && (before == "how" || before == "as"),
			(low == "half" || low == "part") && next.low != "of":
		default:
			part = low
		}
	}
	return all, part
}

// overstates returns why a text says more than another one: of all, or for certain.
func (t tokens) overstates(o tokens) string { return cmp.Or(t.widens(o), t.hardens(o)) }

// outOf returns what stands around "of" if that is a part: 38 of the 40, four out of nine, 11 of them.
func (t tokens) outOf(i int) string {
	number := func(k int) float64 { return max(float(t.at(k).text), float64(ones[t.at(k).low])) }
	k, from := i+1, i-1
	if wholes.has(t.at(k).low) {
		k++
	}
	if t.at(from).low == "out" {
		from--
	}
	n, of := number(from), number(k)
	if n == 0 || n >= of && t.at(i+1).low != "them" {
		return ""
	}
	return t.textOf(from, k+1)
}

// widens returns why a text speaks of all where another one speaks of a part.
func (t tokens) widens(o tokens) string {
	all, part := t.scope()
	theirs, some := o.scope()
	if all == "" || part != "" || theirs != "" || some == "" ||
		slices.ContainsFunc(o, func(x token) bool { return universals.has(x.low) }) { // all 19 of them
		return ""
	}
	return fmt.Sprintf("“%s” against “%s”", all, some)
}

// hedging are the words with which a text leaves open whether something is.
var hedging = set("may might could can possible possibly likely probably perhaps if unless whether expected")

// hardens returns why a text says that something will be where another one says that it may be.
func (t tokens) hardens(o tokens) string {
	verb := func(t tokens, i int) string {
		for i++; i < len(t) && (verbs.has(t[i].low) || t[i].low == "to"); i++ {
		}
		return stem(t.at(i).low)
	}
	for k := range o {
		for i := range t {
			if low := o[k].low; (low == "may" || low == "might" || low == "could") && verb(t, i) == verb(o, k) &&
				(t[i].low == "will" || t[i].low == "must") && !slices.ContainsFunc(t, func(x token) bool { return hedging.has(x.low) }) {
				return fmt.Sprintf("“%s” against “%s”", t[i].low, low)
			}
		}
	}
	return ""
}

// doubtful are what somebody does who does not believe something.
var doubtful = set("doubt doubts doubted deny denies denied dispute disputes disputed")

// doubted returns why a text says plainly what somebody doubts in another one.
func (t tokens) doubted(o tokens) string {
	negative := func(x token) bool {
		return x.low != "failed" && (x.denies() || doubtful.has(x.low) || negatives()[root(x.low)])
	}
	if slices.ContainsFunc(t, negative) {
		return ""
	}
	for i := range o {
		if doubtful.has(o[i].low) && o.at(i+1).low == "that" && o.sharesWord(i+2, t) {
			return fmt.Sprintf("in the source somebody “%s” it", o[i].low)
		}
	}
	return ""
}

// sharesWord reports whether a word from a token on stands in another text.
func (t tokens) sharesWord(i int, o tokens) bool {
	for ; i < len(t) && !strings.Contains(".;", t[i].text); i++ {
		if t[i].kind == wordToken && !empty.has(t[i].low) && slices.ContainsFunc(o, func(x token) bool {
			return stem(x.low) == stem(t[i].low)
		}) {
			return true
		}
	}
	return false
}

// rhythms returns how often a text says that something is, and which of them it rules out.
func (t tokens) rhythms() (is, not []string) {
	for i := range t {
		per, n := t.rate(i)
		if of := rhythms()[t[i].low]; of != "" {
			per, n = of, 1
		}
		if n == 0 || !periods.has(per) {
			continue
		}
		b := t.at(i - 1)
		if (t[i].low == "a" || t[i].low == "an") && !oftenWords.has(b.low) && units()[b.low].dim == "" &&
			!slices.ContainsFunc(t[max(0, i-4):i], token.counts) {
			continue // a year ago
		}
		if b.low == "not" {
			not = append(not, per)
		} else {
			is = append(is, per)
		}
	}
	return is, not
}

// counts reports whether a token is a number, or the end of one in words.
func (x token) counts() bool {
	return x.kind == numberToken || ones[x.low] > 0 || tens[x.low] > 0 || scales()[x.low] > 1e2
}

var oftenWords = set("once twice thrice times")

// otherRhythm returns why a claim says that something is every month, and a statement that it
// is every year. A figure that was converted is another one.
func (t tokens) otherRhythm(o tokens, c, e *Claim) string {
	mine, _ := t.rhythms()
	theirs, not := o.rhythms()
	for _, r := range mine {
		if slices.Contains(theirs, r) {
			return ""
		}
	}
	for k := range c.Details {
		d := &c.Details[k]
		if d.Kind == Number && !slices.ContainsFunc(e.Details, func(x Detail) bool {
			return x.Kind == Number && x.Q.Number == d.Q.Number
		}) {
			return ""
		}
	}
	switch {
	case len(mine) == 0:
	case slices.Contains(not, mine[0]):
		return fmt.Sprintf("the source says: not per %s", mine[0])
	case len(theirs) == 1 && sharedStems(c, e) > 1:
		return fmt.Sprintf("another period: the finding says per %s, the source per %s", mine[0], theirs[0])
	}
	return ""
}

func (t tokens) hasWord(low string) bool {
	return slices.ContainsFunc(t, func(x token) bool { return x.low == low })
}

// countsAs reports whether two quantities are of one unit, or count the same.
func (q *Quantity) countsAs(o *Quantity) bool {
	if q.Dim == "" && len(q.Noun) > 0 && len(o.Noun) > 0 {
		return q.Noun[0] == o.Noun[0]
	}
	return q.Dim != "" && q.Dim == o.Dim
}

// otherReason says that the source lacks the reason that a claim gives, if hardly a word of it is near the quote; else
// it returns "".
func (c *Claim) otherReason(around, near []*Claim) string {
	t := lex(c.Text)
	at := slices.IndexFunc(t, func(x token) bool { return x.low == "because" || x.low == "owing" })
	if at < 0 || !c.English {
		return ""
	}
	said, all := 0, 0
	for k := at + 1; k < len(t) && !strings.Contains(".;", t[k].text); k++ {
		if t[k].kind != wordToken || empty.has(t[k].low) {
			continue
		}
		all++
		s := stem(t[k].low)
		if slices.ContainsFunc(near, func(e *Claim) bool { return e.stems[s] || e.context[s] }) {
			said++
		}
	}
	if all < 2 || 3*said > all || slices.ContainsFunc(around, func(e *Claim) bool {
		return slices.ContainsFunc(lex(e.Text), func(x token) bool { return reasons.has(x.low) })
	}) {
		return ""
	}
	return "the source does not give this reason"
}

var reasons = set("because as since for due owing so therefore hence cause caused reason")

// slip returns why a figure is likely a slip of one that is quoted: with two digits exchanged, or
// another day, month or year. It is sure if both are of one unit.
func (d *Detail) slip(around []*Claim, quote string) (why string, sure bool) {
	for _, e := range around {
		for _, x := range e.figures() {
			if x.Kind == d.Kind && strings.Contains(quote, x.Text) && (d.Q != nil && d.Q.permutes(x.Q) ||
				d.T != nil && d.T.partly(x.T)) {
				return fmt.Sprintf("%s: the finding says %s, the source %s", OtherValue, d.Text, x.Text),
					d.Q != nil && d.Q.Dim != "" && d.Q.Dim == x.Q.Dim
			}
		}
	}
	return "", false
}

// permutes reports whether two numbers have the same digits in another order.
func (q *Quantity) permutes(o *Quantity) bool {
	a, b := []byte(q.digits()), []byte(o.digits())
	if q.Number == o.Number || len(a) < 2 || len(a) != len(b) || q.Half != o.Half && q.Dim == o.Dim {
		return false
	}
	slices.Sort(a)
	slices.Sort(b)
	return string(a) == string(b)
}

// partly reports whether two days differ in one of day, month and year.
func (in *Instant) partly(o *Instant) bool {
	if !in.Dated || !o.Dated || in.days() != 1 || o.days() != 1 || in.AnyYear != o.AnyYear {
		return false
	}
	same := 0
	for _, eq := range []bool{in.From.Year() == o.From.Year(), in.From.Month() == o.From.Month(),
		in.From.Day() == o.From.Day()} {
		if eq {
			same++
		}
	}
	return same == 2
}

// This file finds figures that somebody else gives: the lease says, the letter says.

var saying = set(`say says said state states stated report reports reported claim claims claimed tell
	tells told write writes wrote speak speaks spoke name names named put puts record records recorded`)

// sayer returns the stems of who gives the figure at a token: according to the lease, the
// letter says; nil if nobody is named before it.
func (t tokens) sayer(at int) []string {
	for k := min(at, len(t)) - 1; k >= 0; k-- {
		switch x := &t[k]; {
		case x.kind == markToken && strings.Contains(";.:", x.text):
			return nil
		case x.low == "according" && t.at(k+1).low == "to":
			return t.party(k+2, 1)
		case x.kind == wordToken && saying.has(x.low) && !articles.has(t.at(k-1).low): // a record field
			if beForms.has(t.at(k - 1).low) {
				return nil // they were told
			}
			return t.party(k-1, -1)
		}
	}
	return nil
}

// party returns the stems of a noun with its article, from a token on in one direction.
func (t tokens) party(k, step int) (who []string) {
	if step < 0 {
		k = t.beforeDate(k)
	}
	if t.at(k).low == "the" {
		k += step
	}
	for ; k >= 0 && k < len(t) && t[k].kind == wordToken && t[k].low != "the" && len(who) < 5; k += step {
		if breaks.has(t[k].low) {
			break
		}
		if !empty.has(t[k].low) {
			who = append(who, stem(t[k].low))
		}
	}
	return who
}

// beforeDate returns the token before a date that ends at one: the letter of 9 August.
func (t tokens) beforeDate(k int) int {
	j := k
	for j >= 0 && (t[j].kind == numberToken || months()[t[j].low] != 0) {
		j--
	}
	if w := t.at(j).low; j == k || w != "of" && w != "from" && w != "dated" {
		return k
	}
	return j - 1
}

func titledParty(who []string) bool {
	return slices.ContainsFunc(who, func(w string) bool { return titleStems()[w] })
}

// saidByOthers returns why a figure of a claim is somebody else's in a window: of two people,
// or of two parties of one statement.
func (cmp *Comparison) saidByOthers(c *Claim) []string {
	mine := lex(c.Text)
	for _, m := range cmp.Matches {
		if m.With == nil || !m.Rel.Agrees() || m.Detail.Kind != Number || m.From.Cells != nil {
			continue
		}
		who, other := mine.sayer(m.Detail.first), lex(m.From.Text).sayer(m.With.first)
		has := func(w string) bool { return m.From.stems[w] || m.From.context[w] }
		both := titledParty(who) && titledParty(other)
		if len(who) == 0 || len(other) == 0 || !both && !slices.ContainsFunc(who, has) ||
			slices.ContainsFunc(who, func(w string) bool {
				return slices.Contains(other, w) && !titleStems()[w]
			}) {
			continue // or the same under another name: the letter, its author
		}
		return []string{fmt.Sprintf("in the report somebody else says %s", m.Detail.Text)}
	}
	return nil
}
