package claims

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"blackboard/board/text"
)

// This file holds a finding against its own quote by small words, whatever else both say: both and either, all and
// all but one, only and also, until and from. Duties, and what is planned or supposed, are in duty.go, what stands
// the other way round in order.go. They know English only.

// A side is a clause of a finding, or of its quote.
type side struct {
	t     tokens
	whole tokens // the sentence that it is of; of a finding what stands around it
	at    int    // where it begins in its text
	text  tokens // all of the text that it is of
	stems map[string]bool
	near  []*side // of a quote: the clauses that are as near to the finding
}

var reComment = text.NewRegexp(`(?m)^\s*(#+|//+|--|\*) `)

// sidesOf cuts a text into its clauses.
func sidesOf(text string) (all []*side) {
	var said tokens
	for _, sentence := range Read(reComment.ReplaceAllString(text, "")) {
		t, before := lex(sentence.Text), len(said)
		said = append(said, t...)
		for from := 0; from < len(t); {
			to := t.clauseEnd(from)
			if s := (&side{t: t[from:to], whole: t, stems: stemSet(t[from:to]), at: before + from}); len(s.stems) > 0 {
				all = append(all, s)
			}
			from = to + 1
		}
	}
	for _, s := range all {
		s.text = said
	}
	return all
}

// goesOnWith are the words behind a comma with which another clause begins.
var goesOnWith = set("and but while whereas so which")

// clauseEnd returns the mark at which the clause that begins at a token ends, or the end of the text.
func (t tokens) clauseEnd(from int) int {
	for i := from; i < len(t); i++ {
		switch x := &t[i]; {
		case x.kind != markToken || i+1 < len(t) && t[i+1].glued:
		case x.text == ";" || x.text == ":" || x.text == ".", x.text == "," && goesOnWith.has(t.at(i+1).low):
			return i
		}
	}
	return len(t)
}

// A contrast returns why a clause says otherwise than the nearest clause of what it is held against, "" if it does not.
type contrast func(m, q *side) string

// contrasting are for what a report says of a finding, ofQuotes for what a finding says of its own quote.
var (
	contrasting = []contrast{otherDuty, notDone, notSettled, otherPresence, otherOfTwo, onlyAndOthers, exceptionLost,
		otherTrend, mostForFew, otherLimit, partForAll, turnedPlainly, otherDoer}
	ofQuotes = []contrast{otherDuty, notDone, notSettled, otherPresence, otherOfTwo, onlyAndOthers, exceptionLost,
		otherTrend, mostForFew, otherLimit, partForAll, turnedAround, otherDoer, denied}
)

// otherwise returns why a finding contradicts its quote by small words. Two clauses are compared if each has at least a
// share of what the other says. beyond is what follows the finding, as in a report.
func (ev *Evidence) otherwise(finding, quote string, beyond tokens, least float64, by ...contrast) (reasons []string) {
	theirs := sidesOf(quote)
	for _, m := range sidesOf(finding) {
		m.whole = m.text[max(0, m.at-reachOfSide):min(len(m.text), m.at+len(m.t)+reachOfSide)]
		if m.at+len(m.t)+reachOfSide > len(m.text) {
			m.whole = append(slices.Clip(m.whole), beyond...)
		}
		if why := m.otherSwitch(quote); why != "" {
			reasons = append(reasons, why)
		}
		near := ev.nearestSides(m, theirs, least)
		for _, differs := range by {
			for _, q := range near {
				q.near = near
				if why := differs(m, q); why != "" && !slices.Contains(reasons, why) {
					reasons = append(reasons, why)
					break
				}
			}
		}
	}
	return reasons
}

// reachOfSide is how many tokens before and behind a clause of a finding are looked at with it: all of most findings.
const reachOfSide = 400

// mostSides is how many clauses are compared with one.
const mostSides = 24

// nearestSides returns the clauses that have the most of what a clause says, its subject and numbers counted twice, and
// those that have nearly as much; none if that, or what they say themselves, is less than a share of it.
func (ev *Evidence) nearestSides(m *side, all []*side, least float64) (near []*side) {
	subject := m.subject()
	weight := func(s string) float64 {
		if subject[s] {
			return 2 * ev.weight(s)
		}
		return ev.weight(s)
	}
	total, most := 0.0, 0.0
	for s := range m.stems {
		total += weight(s)
	}
	both, theirs := make([]float64, len(all)), make([]float64, len(all))
	for i, q := range all {
		for s := range q.stems {
			theirs[i] += weight(s)
			if m.stems[s] {
				both[i] += weight(s)
			}
		}
		most = max(most, both[i])
	}
	var at []int
	for i := range all {
		if both[i] >= max(least*total, .7*most) && both[i] > 0 && (least < .5 || both[i] >= least*theirs[i]) {
			at = append(at, i)
		}
	}
	if len(at) > mostSides {
		slices.SortStableFunc(at, func(i, j int) int { return cmp.Compare(both[j], both[i]) })
		at = at[:mostSides]
	}
	for _, i := range at {
		near = append(near, all[i])
	}
	return near
}

// Shares of what a clause says that the other one has at least: a finding is about its quote, and a report about much
// else.
const (
	shareOfQuote  = .2
	shareOfReport = .35
)

// subject returns the stems before the first verb of a clause, and its numbers.
func (m *side) subject() map[string]bool {
	at := slices.IndexFunc(m.t, func(x token) bool { return verbs.has(x.low) })
	out := stemSet(m.t[:max(at, 0)])
	for _, n := range m.t.numbers() {
		out[n] = true
	}
	return out
}

// numbers returns the numbers and dates of a text as they are written.
func (t tokens) numbers() (all []string) {
	for i := range t {
		if t[i].kind == numberToken || t[i].kind == stampToken {
			all = append(all, t[i].low)
		}
	}
	return all
}

// stemSet is the stems of what a text says, with its numbers. A name counts by its parts.
func stemSet(t tokens) map[string]bool {
	m := map[string]bool{}
	for i := range t {
		switch x := &t[i]; x.kind {
		case nameToken:
			of := stemsOf(x.text)
			if len(of) == 0 { // K2
				of = []string{x.low}
			}
			for _, s := range of {
				m[s] = true
			}
		case numberToken, stampToken:
			m[x.low] = true
		default:
			if s := t.sayingStem(i); s != "" {
				m[s] = true
			}
		}
	}
	return m
}

// inBoth is how many stems two sets share.
func inBoth(a, b map[string]bool) (n int) {
	for s := range a {
		if b[s] {
			n++
		}
	}
	return n
}

// first returns the first word of a set, "" if there is none.
func (t tokens) first(s wordSet) string {
	for i := range t {
		if s.has(t[i].low) && !t.isMonth(i) {
			return t[i].low
		}
	}
	return ""
}

// firstOfAll returns the first word of a set that is said of all things, not of how often: every week, each day.
func (t tokens) firstOfAll(s wordSet) string {
	for i := range t {
		next := t.at(i + 1)
		dim := dimensionOf(next.low)
		often := next.counts() && next.low != "one" || dim == "time" || dim == "months" || weekdays.has(next.low)
		if s.has(t[i].low) && !(often && (t[i].low == "every" || t[i].low == "each")) {
			return t[i].low
		}
	}
	return ""
}

func (t tokens) hasAny(s wordSet) bool { return t.first(s) != "" }

// hasOther reports whether a text has a word of a set that another one lacks.
func (t tokens) hasOther(s wordSet, o tokens) bool {
	return slices.ContainsFunc(t, func(x token) bool {
		return s.has(x.low) && !slices.ContainsFunc(o, func(y token) bool { return y.low == x.low })
	})
}

// hasRow reports whether words stand one behind the other.
func (t tokens) hasRow(words ...string) bool {
	for i := range t {
		n := 0
		for n < len(words) && t.at(i+n).low == words[n] {
			n++
		}
		if n == len(words) {
			return true
		}
	}
	return false
}

// toMark returns the tokens from one on up to the next mark.
func (t tokens) toMark(i int) tokens {
	for k := i; k < len(t); k++ {
		if t[k].kind == markToken {
			return t[i:k]
		}
	}
	return t[i:]
}

// against says that one word stands for another one, or that one of the two is denied.
func against(a, b string) string {
	if a == b {
		return "“" + a + deniedOnceSuffix
	}
	return fmt.Sprintf("“%s” against “%s”", a, b)
}

var (
	absentWords  = set("apologies excused absent regrets away")
	presentWords = set("attended attending present")
)

// otherPresence finds who is said to have been where he was not, or not where he was.
func otherPresence(m, q *side) string {
	here, gone := m.t.first(presentWords), m.t.first(absentWords)
	if here == "" && (m.t.hasRow("took", "part") || m.t.hasRow("was", "at") || m.t.hasRow("were", "at")) {
		here = "was there"
	}
	there, away := q.whole.first(presentWords), q.whole.first(absentWords)
	switch {
	case here != "" && gone == "" && !m.t.hasAny(negators) && away != "" && there == "":
		return against(here, away)
	case gone != "" && here == "" && there != "" && away == "" && !q.whole.hasAny(negators):
		return against(gone, there)
	}
	return ""
}

// ofTwo is which of two a clause speaks of: both, either, neither, or "".
func (t tokens) ofTwo() string {
	for i := range t {
		if low := t[i].low; low == "both" || low == "neither" || low == "either" && t.at(i-1).low != "not" {
			return low
		}
	}
	if t.hasRow("one", "of", "the", "two") {
		return "either"
	}
	return ""
}

// otherOfTwo finds both for either, one for neither.
func otherOfTwo(m, q *side) string {
	mine, theirs := m.t.ofTwo(), q.t.ofTwo()
	if theirs == "" && mine == "both" && q.t.hasRow("or") && !q.t.hasRow("and") {
		theirs = "or"
	}
	if mine == "" || theirs == "" || mine == theirs || m.whole.hasAny(negators) && mine != "neither" ||
		q.t.hasAny(negators) && theirs != "neither" {
		return ""
	}
	for s := range stemSet(q.whole) {
		if m.stems[s] && !q.stems[s] {
			return "" // neither can be used: one is torn
		}
	}
	return against(mine, theirs)
}

var othersWords = set("other others rest remaining")

// partForAll finds what a finding says of all, and its quote of some: all five, three of the five.
func partForAll(m, q *side) string {
	all := m.t.firstOfAll(universals)
	mine, _ := m.t.duty()
	theirs, _ := q.t.duty()
	if all == "" || (mine == noDuty) != (theirs == noDuty) || m.t.hasAny(othersWords) || m.t.hasAny(excepted) ||
		m.t.hasAny(outright) {
		return ""
	}
	for i := range q.whole {
		before := q.whole.at(i - 1).low
		switch low := q.whole[i].low; {
		case low == "of" && q.whole.outOf(i) != "":
			return against(all, q.whole.outOf(i))
		case othersWords.has(low) && (before == "the" || universals.has(before)):
			return against(all, q.whole.textOf(i-1, i+2))
		}
	}
	return ""
}

var (
	mostly = set("most mostly majority mainly largely")
	few    = set("few minority minor hardly rarely seldom")
)

// mostForFew finds the larger part for the smaller one.
func mostForFew(m, q *side) string {
	for _, x := range []tokens{m.t, q.t} {
		if x.hasAny(mostly) && x.hasAny(few) || x.hasRow("at", "most") || x.hasRow("a", "few") {
			return ""
		}
	}
	for _, p := range [][2]wordSet{{mostly, few}, {few, mostly}} {
		if a, b := m.t.first(p[0]), q.t.first(p[1]); a != "" && b != "" {
			return against(a, b)
		}
	}
	return ""
}

var (
	onlyWords = set("only solely exclusively alone just sole")
	noOthers  = set("only solely exclusively alone just sole nothing none no not never unless except other single limited")
	alsoWords = set("also too besides equally likewise")
)

// onlyThings returns the first word that says that something is said of one thing alone, not of when or where it holds.
func (t tokens) onlyThings() string {
	for i := range t {
		if onlyWords.has(t[i].low) && !t.limitedAt(i) && conditionSigns()[t.at(i+1).low] == 0 {
			return t[i].low
		}
	}
	return ""
}

// onlyAndOthers finds what is said of one thing only, and by the quote of others too, or the other way round.
func onlyAndOthers(m, q *side) string {
	mine, theirs := m.t.onlyThings(), q.whole.first(onlyWords)
	if theirs != "" && mine == "" && (m.t.hasRow("as", "well", "as") || m.t.hasAny(alsoWords)) {
		return against("as well", theirs)
	}
	if all := m.t.firstOfAll(universals); all != "" && q.t.onlyThings() != "" && !m.whole.hasAny(noOthers) &&
		q.whole.firstOfAll(universals) == "" && !m.t.hasRow("all", "of", "them") { // nine, all of them in D
		return against(all, theirs)
	}
	if mine == "" || q.whole.hasAny(noOthers) {
		return ""
	}
	for k := range q.t { // only coils; cement and coils
		if low := q.t[k].low; low == "and" || low == "or" || alsoWords.has(low) {
			left, right := q.t.sides(k)
			if len(left) > 0 && len(right) > 0 && m.stems[left[0]] != m.stems[right[0]] {
				return against(mine, low)
			}
		}
	}
	return ""
}

var (
	sweeping = set(`all every each always never any whatever everybody everyone everything whoever whenever
		regardless`)
	excepted = set(`another except excepting exception unless without apart save other only but if when once most nearly almost
		outside besides`)
)

// odd are said of what is excepted, exempt of that alone.
var (
	odd    = set("odd one exception exempt exempted")
	exempt = set("exception exempt exempted")
)

// exceptionLost finds a finding that says of all what its quote says of all but some, or of what the quote excepts
// what it says of the others.
func exceptionLost(m, q *side) string {
	all := m.t.firstOfAll(sweeping)
	even := m.t.hasRow("even", "if") || m.t.hasRow("even", "without") || m.t.hasRow("even", "when")
	for i := range q.whole {
		low := q.whole[i].low
		excepts, limits := q.whole.excepts(i), q.whole.limitedAt(i)
		switch {
		case even && !q.whole.hasRow("even") && (excepts || limits || low == "if" || low == "provided"):
			return against("even", q.whole.textOf(i, i+3))
		case all != "" && !even && (excepts || limits) && !m.whole.hasAny(excepted) &&
			!(m.whole.saysMostOf(q.whole[i+1:]) && (m.whole.hasAny(negators) || m.whole.hasAny(exempt))):
			return against(all, q.whole.textOf(i, i+3))
		case excepts && low != "but" && !m.whole.hasAny(excepted) && !m.t.hasAny(odd) &&
			m.t.saysMostOf(q.whole[i+1:]) && m.t.isNegative() == q.whole[:i].isNegative():
			return "the source excepts: " + q.whole.textOf(i, i+5)
		}
	}
	return ""
}

// excepts reports whether a token begins an exception.
func (t tokens) excepts(i int) bool {
	switch next := t.at(i + 1).low; t[i].low {
	case "except", "unless":
		return true
	case "apart":
		return next == "from"
	case "other":
		return next == "than"
	case "but":
		return next == "only" || next == "not" && orderSign(t.at(i+2).low) == 0
	}
	return false
}

// limitedAt reports whether a token is an "only" that limits when or where all of a sentence holds.
func (t tokens) limitedAt(i int) bool {
	next := t.at(i + 1)
	return t[i].low == "only" && (onlyUnder.has(next.low) && next.low != "to" && next.low != "for" ||
		next.kind == markToken)
}

// saysMostOf reports whether a text has most of what another one says up to its first mark, "and" or "or".
func (t tokens) saysMostOf(o tokens) bool {
	o = o.toMark(0)
	if n := slices.IndexFunc(o, func(x token) bool { return x.low == "and" || x.low == "or" }); n > 0 {
		o = o[:n]
	}
	all := stemSet(o)
	return len(all) > 0 && 3*inBoth(all, stemSet(t)) >= 2*len(all)
}

// isNegative reports whether a text denies or forbids something.
func (t tokens) isNegative() bool {
	d, _ := t.duty()
	return d == forbidden || t.hasAny(negators)
}

var (
	rising = set(`rise rises rose risen rising increase increased increases climb climbs climbed grew grows grown
		growing up`)
	falling = set(`fall falls fell fallen falling decrease decreased decreases decline declined declines drop dropped
		drops shrank down`)
	moving = set("go goes went gone going come comes came coming move moved moves is was")
)

// trend is 1 for what rises and -1 for what falls, with the word that says it; 0 for neither or both.
func (t tokens) trend() (sign int, word string) {
	for i := range t {
		low, s := t[i].low, 0
		switch {
		case (low == "up" || low == "down") && !moving.has(t.at(i-1).low):
		case rising.has(low):
			s = 1
		case falling.has(low):
			s = -1
		}
		if s*sign < 0 {
			return 0, ""
		} else if s != 0 {
			sign, word = s, low
		}
	}
	return sign, word
}

// otherTrend finds what rises in the finding and falls in its quote, or the other way round.
func otherTrend(m, q *side) string {
	a, mine := m.t.trend()
	b, theirs := q.t.trend()
	if whole, _ := q.whole.trend(); a*b >= 0 || whole == 0 || m.t.hasAny(negators) || q.t.hasAny(negators) {
		return ""
	}
	return against(mine, theirs)
}

var (
	reSwitch  = text.NewRegexp(`(?im)^[^\w\n]*([\w.-]+)[^\w\n]*[:=][ \t]*(false|off|no|disabled|true|on|yes|enabled)\b`)
	reParent  = text.NewRegexp(`(?m)^\W*([\w.-]+)["']?:\s*$`)
	ownNames  = set("enabled enable active on disabled")
	offDenial = set("off disabled not no never")
)

// otherSwitch finds what a finding says is on and its quote sets off, or the other way round: cache, enabled: false.
func (m *side) otherSwitch(quote string) string {
	if !strings.ContainsAny(quote, ":=") {
		return ""
	}
	for _, x := range reSwitch.FindAllStringSubmatchIndex(quote, -1) {
		name, value := quote[x[2]:x[3]], strings.ToLower(quote[x[4]:x[5]])
		on := value == "true" || value == "on" || value == "yes" || value == "enabled"
		if low := strings.ToLower(name); ownNames.has(low) {
			above := reParent.FindAllStringSubmatch(quote[:x[0]], -1)
			if len(above) == 0 {
				continue
			}
			name, on = above[len(above)-1][1], on != (low == "disabled")
		}
		of := stemsOf(name)
		if len(of) == 0 || slices.ContainsFunc(of, func(s string) bool { return !m.stems[s] }) {
			continue
		}
		said := m.t.textOf(0, len(m.t))
		if on && m.t.hasAny(offDenial) || !on && !IsNegative(said) && m.t.hasAny(verbs) {
			return fmt.Sprintf("the source has %s: %s", name, value)
		}
	}
	return ""
}

// beginning are words of which a day or an hour is the first.
var beginning = set("start starts begin begins onwards opens open from")

func starting(low string) bool {
	return low == "from" || low == "since" || low == "after" || low == "starting"
}

func ending(low string) bool {
	return low == "until" || low == "till" || low == "by" || low == "before"
}

// otherLimit finds a day from which something holds, and until which the quote says it does.
func otherLimit(m, q *side) string {
	limits := func(x token) bool { return starting(x.low) || ending(x.low) }
	if !slices.ContainsFunc(m.t, limits) && !m.t.hasAny(beginning) || !slices.ContainsFunc(q.t, limits) ||
		len(m.t.numbers()) == 0 || len(q.t.numbers()) == 0 {
		return ""
	}
	a, b := ExtractText(m.t.textOf(0, len(m.t)), ""), ExtractText(q.t.textOf(0, len(q.t)), "")
	if IsNegative(a.Text) || IsNegative(b.Text) {
		return "" // stops after the 30th
	}
	for i := range a.Details {
		for k := range b.Details {
			d, x := &a.Details[i], &b.Details[k]
			if d.T == nil || x.T == nil || !d.relation(x).Agrees() {
				continue
			}
			mine, theirs := m.t.before(d.first), q.t.before(x.first)
			if !ending(mine) && m.t.hasAny(beginning) {
				mine = "from"
			}
			if starting(mine) && ending(theirs) || ending(mine) && starting(theirs) {
				return against(mine+" "+d.Text, theirs+" "+x.Text)
			}
		}
	}
	return ""
}

var partsOfTime = set("end start beginning middle")

// before is the word before a date, or before the part of it that is meant: until the end of August.
func (t tokens) before(at int) string {
	k := at - 1
	if t.at(k).low == "of" && partsOfTime.has(t.at(k-1).low) {
		if k -= 2; t.at(k).low == "the" {
			k--
		}
	}
	return t.at(k).low
}

// complements are words with which a text may say the same of the others, or of what it compares.
var complements = set("whether other others rest remaining unlike instead")

// denied finds a word that one of two clauses denies outright, and the other says.
func denied(m, q *side) string {
	for _, x := range []*side{m, q} {
		if x.whole.hasAny(complements) || x.whole.hasAny(limiting) || x.whole.hasAny(downward) || !x.t.hasAny(verbs) {
			return "" // none for less than four, all for four or longer
		}
	}
	if m.t.counted() != q.t.counted() { // one of three did not, two did
		return ""
	}
	for _, p := range [][2]*side{{q, m}, {m, q}} {
		a, b := p[0], p[1]
		for i := range a.t {
			low := a.t[i].low
			if !outright.has(low) && !strings.HasSuffix(low, "n't") || low == "neither" || low == "nor" || low == "nothing" ||
				a.t.at(i+1).low == "only" || a.t.at(i+2).low == "than" {
				continue
			}
			if f := a.t.verbAfter(i); f != "" && b.stems[f] && inBoth(a.stems, b.stems) > 1 &&
				!IsNegative(b.t.textOf(0, len(b.t))) {
				return fmt.Sprintf("“%s %s” is denied on one side", low, f)
			}
		}
	}
	return ""
}

// counted is the first number in words of a text, 0 if it has none.
func (t tokens) counted() int {
	for i := range t {
		if n := int(ones[t[i].low]); n > 0 {
			return n
		}
	}
	return 0
}
