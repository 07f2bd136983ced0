package conflicts

import (
	"slices"
	"strings"
	"unicode"

	"blackboard/board/words"
)

// numberedThings are what has a number for its name, in small letters too: site 4, room
// 12.
var numberedThings = bases(`
	site room unit building plant phase group ward zone floor line lot batch block cell
	cluster node host shard region district area store branch warehouse tank machine robot
	team squad shift cohort patient subject participant sample specimen trial run case round
	lane gate bay dock rack shelf slot stage tier option scenario model variant track route
	platform terminal section article clause schedule exhibit annex appendix table chapter
	part volume item ticket issue order invoice pump pod module station reactor turbine well`)

// magnitudes follow a number that is an amount.
const magnitudes = " % percent million billion trillion thousand hundred k m bn mn x times "

// numbered reads the names that are a word and a bare number: "Site 4" gives site → 4.
// In small letters the word must be one of numberedThings. A word that begins a
// sentence has a capital anyway: unless it is one of them, another number must follow.
func numbered(s *words.Sentence) map[string][]string {
	type token struct{ text, low, stem string }
	var all []token
	numbers := 0
	s.EachWord(func(text, low, stem string) {
		all = append(all, token{text, low, stem})
		if words.Digits(low[:min(len(low), 1)]) && !periodWord.MatchString(low) {
			numbers++
		}
	})
	names := map[string][]string{}
	for i := 1; i < len(all); i++ {
		of, n := all[i-1], all[i]
		if !words.Digits(n.low) || periodWord.MatchString(n.low) ||
			of.stem == "" || notNames()[of.stem] {
			continue
		}
		if i+1 < len(all) {
			next := all[i+1]
			if _, _, unit := words.Unit(next.low); unit && next.low != "in" ||
				strings.Contains(magnitudes, " "+next.low+" ") {
				continue
			}
		}
		capital := strings.IndexFunc(of.text, unicode.IsUpper) == 0 && (i > 1 || numbers > 1)
		if capital || numberedThings()[words.Base(of.low)] {
			names[of.stem] = append(names[of.stem], n.low)
		}
	}
	return names
}

// otherNumber reports whether two sentences name things of one kind with other numbers.
func (s *sentence) otherNumber(t *sentence) bool {
	for kind, mine := range s.numbered {
		theirs := t.numbered[kind]
		if len(theirs) > 0 &&
			!slices.ContainsFunc(mine, func(n string) bool { return slices.Contains(theirs, n) }) {
			return true
		}
	}
	return false
}
