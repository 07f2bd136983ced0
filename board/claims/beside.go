package claims

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"blackboard/board/claims/parse"
	"blackboard/board/text"
)

// This file holds a finding against its own quote by small words, whatever else both say: both and either, all and
// all but one, only and also, until and from. Duties, and what is planned or supposed, are in duty.go, what stands
// the other way round in order.go. They know English only.

// A side is a clause of a finding, or of its quote.
type side struct {
	t     parse.Tokens
	whole parse.Tokens // the sentence that it is of; of a finding what stands around it
	at    int          // where it begins in its text
	text  parse.Tokens // all of the text that it is of
	stems map[string]bool
	near  []*side // of a quote: the clauses that are as near to the finding
}

var reComment = text.NewRegexp(`(?m)^\s*(#+|//+|--|\*) `)

// sidesOf cuts a text into its clauses.
func sidesOf(text string) (all []*side) {
	var said parse.Tokens
	for _, sentence := range parse.Read(reComment.ReplaceAllString(text, "")) {
		t, before := parse.Tokenize(sentence.Text), len(said)
		said = append(said, t...)
		for from := 0; from < len(t); {
			to := clauseEnd(t, from)
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
var goesOnWith = parse.NewSet("and but while whereas so which")

// clauseEnd returns the mark at which the clause that begins at a token ends, or the end of the text.
func clauseEnd(t parse.Tokens, from int) int {
	for i := from; i < len(t); i++ {
		switch x := &t[i]; {
		case x.Kind != parse.MarkToken || i+1 < len(t) && t[i+1].Glued:
		case x.Text == ";" || x.Text == ":" || x.Text == ".", x.Text == "," && goesOnWith.Has(t.At(i+1).Low):
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
func (ev *Evidence) otherwise(finding, quote string, beyond parse.Tokens, least float64,
	by ...contrast) (reasons []string) {
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
	at := slices.IndexFunc(m.t, func(x parse.Token) bool { return verbs.Has(x.Low) })
	out := stemSet(m.t[:max(at, 0)])
	for _, n := range numbers(m.t) {
		out[n] = true
	}
	return out
}

// numbers returns the numbers and dates of a text as they are written.
func numbers(t parse.Tokens) (all []string) {
	for i := range t {
		if t[i].Kind == parse.NumberToken || t[i].Kind == parse.StampToken {
			all = append(all, t[i].Low)
		}
	}
	return all
}

// stemSet is the stems of what a text says, with its numbers. A name counts by its parts.
func stemSet(t parse.Tokens) map[string]bool {
	m := map[string]bool{}
	for i := range t {
		switch x := &t[i]; x.Kind {
		case parse.NameToken:
			of := parse.Stems(x.Text)
			if len(of) == 0 { // K2
				of = []string{x.Low}
			}
			for _, s := range of {
				m[s] = true
			}
		case parse.NumberToken, parse.StampToken:
			m[x.Low] = true
		default:
			if s := sayingStem(t, i); s != "" {
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

// firstOf returns the first word of a set, "" if there is none.
func firstOf(t parse.Tokens, s parse.WordSet) string {
	for i := range t {
		if s.Has(t[i].Low) && !isMonth(t, i) {
			return t[i].Low
		}
	}
	return ""
}

// firstOfAll returns the first word of a set that is said of all things, not of how often: every week, each day.
func firstOfAll(t parse.Tokens, s parse.WordSet) string {
	for i := range t {
		next := t.At(i + 1)
		dim := parse.DimensionOf(next.Low)
		often := next.IsNumeral() && next.Low != "one" || dim == "time" || dim == "months" ||
			parse.Weekdays.Has(next.Low)
		if s.Has(t[i].Low) && !(often && (t[i].Low == "every" || t[i].Low == "each")) && !inAll(t, i) {
			return t[i].Low
		}
	}
	return ""
}

// inAll reports whether a token is of "in all", which sums up and speaks of nothing in particular.
func inAll(t parse.Tokens, i int) bool { return t[i].Low == "all" && t.At(i-1).Low == "in" }

func hasAnyOf(t parse.Tokens, s parse.WordSet) bool { return firstOf(t, s) != "" }

// hasOther reports whether a text has a word of a set that another one lacks.
func hasOther(t parse.Tokens, s parse.WordSet, o parse.Tokens) bool {
	return slices.ContainsFunc(t, func(x parse.Token) bool {
		return s.Has(x.Low) && !slices.ContainsFunc(o, func(y parse.Token) bool { return y.Low == x.Low })
	})
}

// hasRow reports whether words stand one behind the other.
func hasRow(t parse.Tokens, words ...string) bool {
	for i := range t {
		n := 0
		for n < len(words) && t.At(i+n).Low == words[n] {
			n++
		}
		if n == len(words) {
			return true
		}
	}
	return false
}

// ToMark returns the tokens from one on up to the next mark.
func toMark(t parse.Tokens, i int) parse.Tokens {
	for k := i; k < len(t); k++ {
		if t[k].Kind == parse.MarkToken {
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
	absentWords  = parse.NewSet("apologies excused absent regrets away")
	presentWords = parse.NewSet("attended attending present")
)

// otherPresence finds who is said to have been where he was not, or not where he was.
func otherPresence(m, q *side) string {
	here, gone := firstOf(m.t, presentWords), firstOf(m.t, absentWords)
	if here == "" && (hasRow(m.t, "took", "part") || hasRow(m.t, "was", "at") || hasRow(m.t, "were", "at")) {
		here = "was there"
	}
	there, away := firstOf(q.whole, presentWords), firstOf(q.whole, absentWords)
	switch {
	case here != "" && gone == "" && !hasAnyOf(m.t, parse.Negators) && away != "" && there == "":
		return against(here, away)
	case gone != "" && here == "" && there != "" && away == "" && !hasAnyOf(q.whole, parse.Negators):
		return against(gone, there)
	}
	return ""
}

// ofTwo is which of two a clause speaks of: both, either, neither, or "".
func ofTwo(t parse.Tokens) string {
	for i := range t {
		if low := t[i].Low; low == "both" || low == "neither" || low == "either" && t.At(i-1).Low != "not" {
			return low
		}
	}
	if hasRow(t, "one", "of", "the", "two") {
		return "either"
	}
	return ""
}

// otherOfTwo finds both for either, one for neither.
func otherOfTwo(m, q *side) string {
	mine, theirs := ofTwo(m.t), ofTwo(q.t)
	if theirs == "" && mine == "both" && hasRow(q.t, "or") && !hasRow(q.t, "and") {
		theirs = "or"
	}
	if mine == "" || theirs == "" || mine == theirs || hasAnyOf(m.whole, parse.Negators) && mine != "neither" ||
		hasAnyOf(q.t, parse.Negators) && theirs != "neither" {
		return ""
	}
	for s := range stemSet(q.whole) {
		if m.stems[s] && !q.stems[s] {
			return "" // neither can be used: one is torn
		}
	}
	return against(mine, theirs)
}

var othersWords = parse.NewSet("other others rest remaining")

// partForAll finds what a finding says of all, and its quote of some: all five, three of the five.
func partForAll(m, q *side) string {
	all := firstOfAll(m.t, universals)
	mine, _ := dutyOf(m.t)
	theirs, _ := dutyOf(q.t)
	if all == "" || (mine == noDuty) != (theirs == noDuty) || hasAnyOf(m.t, othersWords) || hasAnyOf(m.t, excepted) ||
		hasAnyOf(m.t, outright) {
		return ""
	}
	for i := range q.whole {
		before := q.whole.At(i - 1).Low
		switch low := q.whole[i].Low; {
		case low == "of" && outOf(q.whole, i) != "":
			return against(all, outOf(q.whole, i))
		case othersWords.Has(low) && (before == "the" || universals.Has(before)):
			return against(all, q.whole.Text(i-1, i+2))
		}
	}
	return ""
}

var (
	mostly = parse.NewSet("most mostly majority mainly largely")
	few    = parse.NewSet("few minority minor hardly rarely seldom")
)

// mostForFew finds the larger part for the smaller one.
func mostForFew(m, q *side) string {
	for _, x := range []parse.Tokens{m.t, q.t} {
		if hasAnyOf(x, mostly) && hasAnyOf(x, few) || hasRow(x, "at", "most") || hasRow(x, "a", "few") {
			return ""
		}
	}
	for _, p := range [][2]parse.WordSet{{mostly, few}, {few, mostly}} {
		if a, b := firstOf(m.t, p[0]), firstOf(q.t, p[1]); a != "" && b != "" {
			return against(a, b)
		}
	}
	return ""
}

var (
	onlyWords = parse.NewSet("only solely exclusively alone just sole")
	noOthers  = parse.NewSet(`only solely exclusively alone just sole nothing none no not never unless except other
		single limited`)
	alsoWords = parse.NewSet("also too besides equally likewise")
)

// onlyThings returns the first word that says that something is said of one thing alone, not of when or where it holds.
func onlyThings(t parse.Tokens) string {
	for i := range t {
		if onlyWords.Has(t[i].Low) && !limitedAt(t, i) && parse.ConditionSigns()[t.At(i+1).Low] == 0 && !t.At(i+1).IsNumeral() {
			return t[i].Low
		}
	}
	return ""
}

// onlyAndOthers finds what is said of one thing only, and by the quote of others too, or the other way round.
func onlyAndOthers(m, q *side) string {
	mine, theirs := onlyThings(m.t), firstOf(q.whole, onlyWords)
	if hasAnyOf(q.t, onlyWords) && mine == "" && (hasRow(m.t, "as", "well", "as") || hasAnyOf(m.t, alsoWords)) {
		return against("as well", theirs)
	}
	if all := firstOfAll(m.t, universals); all != "" && onlyThings(q.t) != "" && !hasAnyOf(m.whole, noOthers) &&
		firstOfAll(q.whole, universals) == "" && !hasRow(m.t, "all", "of", "them") { // nine, all of them in D
		return against(all, theirs)
	}
	if mine == "" || hasAnyOf(q.whole, noOthers) {
		return ""
	}
	for k := range q.t { // only coils; cement and coils
		if low := q.t[k].Low; low == "and" || low == "or" || alsoWords.Has(low) {
			left, right := sides(q.t, k)
			if len(left) > 0 && len(right) > 0 && m.stems[left[0]] != m.stems[right[0]] &&
				!(stemSet(m.whole)[left[0]] && stemSet(m.whole)[right[0]]) {
				return against(mine, low)
			}
		}
	}
	return ""
}

var (
	sweeping = parse.NewSet(`all every each always never any whatever everybody everyone everything whoever whenever
		regardless`)
	excepted = parse.NewSet(`another except excepting exception unless without apart save other only but if when once
		most nearly almost
		outside besides`)
)

// odd are said of what is excepted, exempt of that alone.
var (
	odd    = parse.NewSet("odd one exception exempt exempted")
	exempt = parse.NewSet("exception exempt exempted")
)

// exceptionLost finds a finding that says of all what its quote says of all but some, or of what the quote excepts
// what it says of the others.
func exceptionLost(m, q *side) string {
	all := firstOfAll(m.t, sweeping)
	even := hasRow(m.t, "even", "if") || hasRow(m.t, "even", "without") || hasRow(m.t, "even", "when")
	for i := range q.whole {
		low := q.whole[i].Low
		excepts, limits := excepts(q.whole, i), limitedAt(q.whole, i)
		switch {
		case even && !hasRow(q.whole, "even") && (excepts || limits || low == "if" || low == "provided"):
			return against("even", q.whole.Text(i, i+3))
		case all != "" && !even && (excepts || limits) && !hasAnyOf(m.whole, excepted) && !hasAnyOf(q.whole[i+1:], sweeping) &&
			!(saysMostOf(m.whole, q.whole[i+1:]) && (hasAnyOf(m.whole, parse.Negators) || hasAnyOf(m.whole, exempt))):
			return against(all, q.whole.Text(i, i+3))
		case excepts && low != "but" && !hasAnyOf(m.whole, excepted) && !hasAnyOf(m.t, odd) &&
			saysMostOf(m.t, q.whole[i+1:]) && isNegative(m.t) == isNegative(q.whole[:i]):
			return "the source excepts: " + q.whole.Text(i, i+5)
		}
	}
	return ""
}

// excepts reports whether a token begins an exception.
func excepts(t parse.Tokens, i int) bool {
	switch next := t.At(i + 1).Low; t[i].Low {
	case "except", "unless":
		return true
	case "apart":
		return next == "from"
	case "other":
		return next == "than"
	case "but":
		return next == "only" || next == "not" && parse.OrderSign(t.At(i+2).Low) == 0
	}
	return false
}

// limitedAt reports whether a token is an "only" that limits when or where all of a sentence holds.
func limitedAt(t parse.Tokens, i int) bool {
	next := t.At(i + 1)
	return t[i].Low == "only" && (onlyUnder.Has(next.Low) && next.Low != "to" && next.Low != "for" ||
		next.Kind == parse.MarkToken)
}

// saysMostOf reports whether a text has most of what another one says up to its first mark, "and" or "or".
func saysMostOf(t, o parse.Tokens) bool {
	o = toMark(o, 0)
	if n := slices.IndexFunc(o, func(x parse.Token) bool { return x.Low == "and" || x.Low == "or" }); n > 0 {
		o = o[:n]
	}
	all := stemSet(o)
	return len(all) > 0 && 3*inBoth(all, stemSet(t)) >= 2*len(all)
}

// isNegative reports whether a text denies or forbids something.
func isNegative(t parse.Tokens) bool {
	d, _ := dutyOf(t)
	return d == forbidden || hasAnyOf(t, parse.Negators)
}

var (
	rising = parse.NewSet(`rise rises rose risen rising increase increased increases climb climbs climbed grew grows
		grown
		growing up`)
	falling = parse.NewSet(`fall falls fell fallen falling decrease decreased decreases decline declined declines drop
		dropped
		drops shrank down`)
	moving = parse.NewSet("go goes went gone going come comes came coming move moved moves is was")
)

// trend is 1 for what rises and -1 for what falls, with the word that says it; 0 for neither or both.
func trend(t parse.Tokens) (sign int, word string) {
	for i := range t {
		low, s := t[i].Low, 0
		switch {
		case (low == "up" || low == "down") && !moving.Has(t.At(i-1).Low):
		case rising.Has(low):
			s = 1
		case falling.Has(low):
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
	a, mine := trend(m.t)
	b, theirs := trend(q.t)
	if whole, _ := trend(q.whole); a*b >= 0 || whole == 0 || hasAnyOf(m.t, parse.Negators) ||
		hasAnyOf(q.t, parse.Negators) {
		return ""
	}
	return against(mine, theirs)
}

var (
	reSwitch  = text.NewRegexp(`(?im)^[^\w\n]*([\w.-]+)[^\w\n]*[:=][ \t]*(false|off|no|disabled|true|on|yes|enabled)\b`)
	reParent  = text.NewRegexp(`(?m)^\W*([\w.-]+)["']?:\s*$`)
	ownNames  = parse.NewSet("enabled enable active on disabled")
	offDenial = parse.NewSet("off disabled not no never")
)

// otherSwitch finds what a finding says is on and its quote sets off, or the other way round: cache, enabled: false.
func (m *side) otherSwitch(quote string) string {
	if !strings.ContainsAny(quote, ":=") {
		return ""
	}
	for _, x := range reSwitch.FindAllStringSubmatchIndex(quote, -1) {
		name, value := quote[x[2]:x[3]], strings.ToLower(quote[x[4]:x[5]])
		on := value == "true" || value == "on" || value == "yes" || value == "enabled"
		if low := strings.ToLower(name); ownNames.Has(low) {
			above := reParent.FindAllStringSubmatch(quote[:x[0]], -1)
			if len(above) == 0 {
				continue
			}
			name, on = above[len(above)-1][1], on != (low == "disabled")
		}
		of := parse.Stems(name)
		if len(of) == 0 || slices.ContainsFunc(of, func(s string) bool { return !m.stems[s] }) {
			continue
		}
		said := m.t.Text(0, len(m.t))
		if on && hasAnyOf(m.t, offDenial) || !on && !IsNegative(said) && hasAnyOf(m.t, verbs) {
			return fmt.Sprintf("the source has %s: %s", name, value)
		}
	}
	return ""
}

// beginning are words of which a day or an hour is the first.
var beginning = parse.NewSet("start starts begin begins onwards opens open from")

func starting(low string) bool {
	return low == "from" || low == "since" || low == "after" || low == "starting"
}

func ending(low string) bool {
	return low == "until" || low == "till" || low == "by" || low == "before"
}

// otherLimit finds a day from which something holds, and until which the quote says it does.
func otherLimit(m, q *side) string {
	limits := func(x parse.Token) bool { return starting(x.Low) || ending(x.Low) }
	if !slices.ContainsFunc(m.t, limits) && !hasAnyOf(m.t, beginning) || !slices.ContainsFunc(q.t, limits) ||
		len(numbers(m.t)) == 0 || len(numbers(q.t)) == 0 {
		return ""
	}
	a, b := parse.ExtractText(m.t.Text(0, len(m.t)), ""), parse.ExtractText(q.t.Text(0, len(q.t)), "")
	for i := range a.Details {
		for k := range b.Details {
			d, x := &a.Details[i], &b.Details[k]
			if d.T == nil || x.T == nil || !d.Relate(x).Agrees() {
				continue
			}
			mine, theirs := before(m.t, d.FirstToken), before(q.t, x.FirstToken)
			if !ending(mine) && hasAnyOf(m.t, beginning) {
				mine = "from"
			}
			if starting(mine) && ending(theirs) || ending(mine) && starting(theirs) {
				if IsNegative(a.Text) || IsNegative(b.Text) {
					return "" // stops after the 30th
				}
				return against(mine+" "+d.Text, theirs+" "+x.Text)
			}
		}
	}
	return ""
}

var partsOfTime = parse.NewSet("end start beginning middle")

// before is the word before a date, or before the part of it that is meant: until the end of August.
func before(t parse.Tokens, at int) string {
	k := at - 1
	if t.At(k).Low == "of" && partsOfTime.Has(t.At(k-1).Low) {
		if k -= 2; t.At(k).Low == "the" {
			k--
		}
	}
	return t.At(k).Low
}

// complements are words with which a text may say the same of the others, or of what it compares.
var complements = parse.NewSet("whether other others rest remaining unlike instead")

// denied finds a word that one of two clauses denies outright, and the other says.
func denied(m, q *side) string {
	for _, x := range []*side{m, q} {
		if hasAnyOf(x.whole, complements) || hasAnyOf(x.whole, limiting) || hasAnyOf(x.whole, parse.DownwardWords) ||
			!hasAnyOf(x.t, verbs) {
			return "" // none for less than four, all for four or longer
		}
	}
	if counted(m.t) != counted(q.t) { // one of three did not, two did
		return ""
	}
	for _, p := range [][2]*side{{q, m}, {m, q}} {
		a, b := p[0], p[1]
		for i := range a.t {
			low := a.t[i].Low
			if !outright.Has(low) && !strings.HasSuffix(low, "n't") || low == "neither" || low == "nor" ||
				low == "nothing" || a.t.At(i+1).Low == "only" || a.t.At(i+2).Low == "than" {
				continue
			}
			if f := verbAfter(a.t, i); f != "" && b.stems[f] && inBoth(a.stems, b.stems) > 1 &&
				!IsNegative(b.t.Text(0, len(b.t))) {
				return fmt.Sprintf("“%s %s” is denied on one side", low, f)
			}
		}
	}
	return ""
}

// counted is the first number in words of a text, 0 if it has none.
func counted(t parse.Tokens) int {
	for i := range t {
		if n := int(parse.SmallNumbers[t[i].Low]); n > 0 {
			return n
		}
	}
	return 0
}
