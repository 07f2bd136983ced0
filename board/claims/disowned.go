package claims

import (
	"blackboard/board/text"
	"strings"
)

// This file finds statements that a text makes only to call them false. It knows English
// only.

var (
	reCallsFalse = text.NewRegexp(`(?i)\b(false|untrue|not true|not the case|wrong|incorrect|` +
		`unfounded|no evidence|no proof|mistaken|refuted|retracted|withdrawn|not confirmed|` +
		`(early|earlier|previous) (draft|version)s?)\b`)
	reThatIsFalse = text.NewRegexp(`(?i)^(that|this|it|which|both|the (claim|statement|report))\b.{0,30}` +
		`\b(wrong|false|untrue|incorrect|not so|not true|not the case|did not|unfounded)\b|` +
		`^we (withdraw|retract)`)
	reClaims = text.NewRegexp(`(?i)\b(claims?|claimed|statements?|stated|said|reports?|reported|` +
		`allegations?|rumou?rs?|evidence|case|true|assertions?|drafts?|versions?) (\S+ ){0,3}that\b`)
)

// disowned reports whether a text makes a statement only to call it false: in the sentence
// itself, or in the next one.
func (ev *Evidence) disowned(claim string, e *Claim) bool {
	if !e.English || reCallsFalse.MatchString(claim) {
		return false
	}
	if strings.Contains(e.Text, "~~") || reCallsFalse.MatchString(e.Text) && reClaims.MatchString(e.Text) {
		return true
	}
	next := e.number + 1
	return next < len(ev.Claims) && ev.Claims[next].Block == e.Block &&
		reThatIsFalse.MatchString(ev.Claims[next].Text)
}
