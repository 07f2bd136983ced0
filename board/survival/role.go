package survival

import (
	"strings"
	"sync"
)

// This file has the word lists of stance.go and against.go.

// A role is what a word does in a sentence; a word may have several.
type role uint32

const (
	// may stand between a negation, or a subject, and the word that is meant
	asAuxiliaries  role = 1 << iota
	asConjunctions      // begin another clause
	// after "no" or "not" make a bound, or a further point, and no negation
	asBounds
	// are those that package words does not have, where claims speak of them
	asNegators
	// make a clause say that something does not hold, or not for certain
	asShadows
	asMoods       // say what is to be, not what is
	asSwitched    // may stand before "on" where it says that something is so
	asAfterSwitch // may stand after it
	asNouns       // are the negations that stand before what there is none of
	// are the verbs that say little without what comes after them: did not lead to
	// losses
	asLight
	asPrepositions // may stand between such a verb and what comes after it
	asIrregular    // are forms of verbs that end neither in s nor in ed
	asModals       // stand before a verb
	asBeings       // make a passive
	asPermits      // say what is allowed, or forbidden with "not"
	asArticles     // stand before a noun
	asNobody       // negate all there are
	asLess         // before "than" turn a comparison round
	asDenying      // after "is" say that something is not
	asAllowing     // say that something is allowed
	asForbidding   // say that it is not
	asLasting      // say that something goes on
	asOrders       // begin a sentence that says what to do
	asSubjects     // stand for who or what a clause is of
	asPivots       // have on their sides what cannot change places
)

// roles has the words of each role.
var roles struct {
	once sync.Once // and no closure, which every start of the program would pay for
	of   map[string]role
}

func readRoles() {
	m := map[string]role{}
	for as, list := range map[role]string{
		asAuxiliaries: `is are was were be been being am has have had do does did will would shall
			should can could may might must to yet ever any longer also still even`,
		asConjunctions: `but whereas while although though because since so unless which who
			however when if once`,
		asBounds: `only just merely simply more less later fewer higher lower earlier sooner
			greater doubt necessarily until before unless without event limited`,
		asNegators: `nobody nothing nowhere refused refuses refuse failed fails fail rarely seldom
			scarcely barely impossible unable incapable yet stopped stops ceased ceases`,
		asShadows: `missing absent absence lack lacks lacked lacking exclude excludes excluded
			excluding except without rather instead outstanding pending deny denied denies reject
			rejected refuse refuses refused prevent prevents prevented prohibit prohibits
			prohibited avoid avoided avoids avoiding barred banned if unless until whether unknown
			unclear unable free zero blank`,
		asMoods: `must should shall will would could may might if whether unless require requires
			required requiring recommend recommended recommends recommendation need needs ensure
			propose proposed proposes plan planned plans intend intends commit commits committed
			covenant adopt confirm expect expected able`,
		asSwitched: `is are was were be been turned turn switched switch set stays stay kept keep
			left default`,
		asAfterSwitch: `by for in at during when while again and but since until before after`,
		asNouns:       `no neither none without`,
		asLight: `lead led result resulted cause caused make made take taken have had get got give
			given involve include show shown find found need receive received bring provide
			require carry contain come go use see seen`,
		asPrepositions: `a an the any to in of for`,
		asIrregular: `sent gave given paid took taken bought sold lent led won lost beat wrote
			written read met kept held told made fed drew drawn drove chose found ran overrode
			overrun built caught taught understood left rose fell grew shrank sank went came
			became began broke stole threw flew forgot hid hung lent rang shook spoke spent stood
			swore tore woke wore withdrew cut hit put set shut spread`,
		asModals:     `to will can must may might should could would does do did not cannot shall`,
		asBeings:     `is are was were be been being get gets got`,
		asPermits:    `can cannot can't could couldn't may must mustn't able`,
		asArticles:   `a an the this these those its their our his her each every another any some`,
		asNobody:     `nobody none nothing neither`,
		asSubjects:   `it they he she we you there`,
		asPivots:     `before after than then`,
		asLess:       `less fewer`,
		asDenying:    `missing absent lacking impossible`,
		asAllowing:   `allowed permitted allows permits allow permit`,
		asForbidding: `banned forbidden prohibited barred disallowed forbids prohibits bans`,
		asLasting:    `still continues continue remains remain`,
		asOrders: `turn switch set add remove enable disable make move replace stop start begin
			fix use keep raise lower cut increase reduce require allow forbid check review test
			write update upgrade install hire train buy sell order build close open repair renew
			cancel extend create delete drop encrypt rotate restrict limit ask tell send publish
			introduce give put take bring let avoid do run repeat reissue rehearse spread plan`,
	} {
		for _, w := range strings.Fields(list) {
			m[w] |= as
		}
	}
	roles.of = m
}

// is reports whether a word in lower case has a role.
func is(low string, as role) bool {
	roles.once.Do(readRoles)
	return roles.of[low]&as != 0
}
