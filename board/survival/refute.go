package survival

import (
	"strings"

	"blackboard/board/text"
)

// This file finds claims that a report has only to call them false.

// What the expressions are made of.
const (
	untrue = `(?:false|wrong|incorrect|untrue|unfounded|mistaken|inaccurate|erroneous|unsupported|` +
		`unsubstantiated|baseless|without (?:basis|foundation|merit)|no longer (?:true|the case)|` +
		`not (?:true|correct|accurate|so|the case|supported|borne out|confirmed|substantiated))`
	takenBack = `(?:withdrawn|retracted|refuted|disproved|disproven|debunked|discredited|rescinded|` +
		`overturned|ruled out)`
	setAside   = `(?:dismissed|rejected|denied|discarded|abandoned|set aside|corrected|struck|superseded)`
	mistake    = `(?:an?|our|my|their|the) (?:\w+ )?(?:error|mistake|misreading|misunderstanding|typo|artefact|artifact)`
	claimNouns = `(?:claim|allegation|accusation|statement|theory|theories|rumou?r|story|stories|hypothes[ie]s|` +
		`suspicion|suggestion|assertion|report|idea|figure|finding|charge|conclusion|number)s?`
	told = `(?:said|stated|states|claimed|claims|asserted|reported|wrote|thought|believed|assumed|suspected)`
	// being also has what may stand between it and what it says.
	being = `(?:is|are|was|were|be|been|proved|proven|turned out|remains?)(?: to be| since| later| now| then| \w+ly)*`
)

var (
	// refutes is what says of a claim that it does not hold.
	refutes = text.NewRegexp(`(?i)\b(?:` + being + ` (?:` + untrue + `|` + takenBack + `)|` +
		claimNouns + ` that\b.{0,120}\b(?:` + setAside +
		`|(?:have|has|had) no (?:basis|foundation|merit))|` +
		`refutes?|disproves?|debunks?|contrary to|is a myth|no (?:evidence|proof|sign) that|(?:tests? showed|turned out|proved) otherwise|` +
		`popular belief|common misconception)\b|` +
		`^\W*(?:retracted|withdrawn|refuted|false|struck|not true)\b\W*:`)
	// formerly is what was said before, and is no longer.
	formerly = text.NewRegexp(`(?i)\b(?:(?:early|earlier|first|previous|prior|older) ` +
		`(?:\w+ )?(?:draft|version|edition)s?\b.{0,60}\b` + told + `|` +
		`(?:was|were) (?:first|initially|originally|at first|earlier|previously|wrongly|mistakenly|erroneously) ` +
		`(?:` + told + `|attributed|blamed|ascribed|put down|linked)|` +
		`(?:wrongly|mistakenly|erroneously|falsely) ` + told + `|` +
		`we (?:first|initially|originally) ` + told + `)\b`)
	// takesBack is a sentence that speaks of the one before it, and against it.
	takesBack = text.NewRegexp(
		`(?i)^\W*(?:(?:in fact|in reality|the opposite|not so|not true)\b|` +
			`we (?:were|had been|are) (?:wrong|mistaken)\b|` +
			`(?:wrong|false|untrue|corrected|struck)\b|` +
			`(?:that|this|it|they|these|those|both|the ` + claimNouns +
			`)\b(?: \w+){0,4}? ` + being + ` ` +
			`(?:` + untrue + `|` + takenBack + `|` + mistake + `)|` +
			`(?:that|this|(?:that|this|the) ` + claimNouns + `)\b(?: \w+){0,4}? ` +
			being + ` ` + setAside + `|` +
			`(?:that|this|it|they|the ` + claimNouns +
			`)\b.{0,20}(?: not|n't) (?:survive|stand|hold)\b|` +
			`.{0,80}(?: not|n't) (?:bear|back|support|confirm|show|substantiate|corroborate) (?:it|this|that|them)\b|` +
			`.{0,80}\b(?:no such thing|nothing of the (?:kind|sort)|(?:say|says|show|shows|suggest|suggests|tell|tells) otherwise)\b|` +
			`.{0,80}\bno (?:evidence|support|sign|trace|basis) (?:for|of) (?:it|this|that|them)\b|` +
			`.{0,80}\b(?:refute[sd]?|disprove[sd]?|contradict(?:s|ed)?|rebut(?:s|ted)?|debunk(?:s|ed)?|rule[sd]?|` +
			`annul(?:s|led)?|quash(?:es|ed)?|overturn(?:s|ed)?|reverse[sd]?|withdrew|retract(?:s|ed)?|struck down|set aside) ` +
			`(?:it|this|that|them|(?:the|that|this|these|those) ` + claimNouns + `)\b)`)
	// outlaws is a heading, or what introduces a list, of claims that do not hold.
	outlaws = text.NewRegexp(`(?i)\b(?:` + takenBack + `|struck|superseded|not confirmed|errata|` +
		`rejected ` + claimNouns + `|false (?:claims|alarms|leads)|misconceptions?|myths?)\b`)
)

// attributes is what makes a finding one of who says something: that stays true when what is said is
// called false.
var attributes = text.NewRegexp(`(?i)\baccording to\b|\b(?:says?|said|state[sd]|claim(?:s|ed)|` +
	`report(?:s|ed)|writes|wrote|declare[sd]|answer(?:s|ed)|warrant(?:s|ed)?|assure[sd]?|maintain(?:s|ed)?|` +
	`insist(?:s|ed)?|tell|tells|told) (?:\w+ ){0,4}that\b`)

// supposed is a clause that says when something else holds, and calls nothing false: once more than
// two per cent are wrong, …
var supposed = text.NewRegexp(`(?i)(?:^|[,;] )\W*(?:once|if|when|whenever|where|unless|should|in case)\b[^,;]*,`)

// Shares of an item's weight that a sentence must have to speak of it: itself, and with the
// one before it.
const leastCarried, leastAround = .25, .4

// calledFalse returns the claim that has most of an item, if the report has it only to call it false; -1 otherwise.
func (p *pattern) calledFalse(x *index) int {
	if p.asks || refutes.MatchString(p.content) || formerly.MatchString(p.content) ||
		attributes.MatchString(p.content) {
		return -1
	}
	if best := x.claims.About(p.Pattern, leastCarried, leastAround); best >= 0 && x.refuted(best) {
		return best
	}
	return -1
}

// refuted reports whether the report has a claim only to call it false.
func (x *index) refuted(i int) bool {
	is, known := x.refuting[i]
	if !known {
		is = x.refutes(i)
		x.refuting[i] = is
	}
	return is
}

func (x *index) refutes(i int) bool {
	all := x.claims.Claims
	c := all[i]
	text := supposed.ReplaceAllString(c.Text, "")
	if refutes.MatchString(text) || formerly.MatchString(text) ||
		i+1 < len(all) && all[i+1].Block == c.Block && takesBack.MatchString(all[i+1].Text) ||
		len(c.Heads) > 0 && outlaws.MatchString(c.Heads[len(c.Heads)-1]) {
		return true
	}
	for k := i - 1; k >= max(0, i-maxList); k-- { // the head of a list
		if before := all[k].Text; strings.HasSuffix(before, ":") {
			return refutes.MatchString(before) || outlaws.MatchString(before)
		}
	}
	return false
}

// maxList is how many items of a list are looked back over for what introduces it.
const maxList = 8
