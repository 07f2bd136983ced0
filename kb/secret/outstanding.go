package secret

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// How much a value looks made up to keep others out.
const (
	noShape   = iota
	weak      // a number, a word and a digit, several words: kennel7
	madeUp    // words and numbers: otter-creek-19, or several words
	popular   // a word and a year: Sommer2024
	withSigns // Mango#Lassi3
)

var (
	outstanding    = newSet("0-9!#$&%?@^_-")
	quoteOrBracket = newSet("(\"'").above()
)

// standsOut says how much a value looks made up.
func standsOut(v string) int {
	k := kindsIn(v)
	if k.others > 0 || len(v) < 3 || !wordChar[v[0]] {
		return noShape
	}
	if k.upper == k.letters {
		return numberOf(strings.Trim(v, "#*"), &k)
	}
	lower, bare := strings.ToLower(v), strings.TrimRight(v, "0123456789")
	runs, longest := letterRuns(v)
	leet := isLeet(v, &k)
	switch {
	case k.digits+k.signs == 0 && runs < 2, strings.ContainsAny(v, "=|/*+"), reference(v),
		fileName(lower), address(v), identifier(v), measure(v), masked(v), ofCode(v, bare, &k),
		isTechnical(lower, (k.digits > 1 || leet) && isPoor(v, &k)),
		longest < 4 && (k.digits < 4 || len(v) < 7) && !leet &&
			(k.upper == 0 || k.digits+k.signs < 2):
		return noShape
	case strings.ContainsAny(strings.TrimRight(v, "!?"), signsInside) && !hasSuffix(bare, "#", "@"),
		strings.HasSuffix(v, "!") && k.digits > 1: // but repo#12, nDCG@10
		return withSigns * min(1, k.digits+k.upper)
	case k.digits == 0:
		return wordsTogether(v, runs, &k)
	case k.joints == 0 && k.digits == 1 && bare != v, longest < 4 && k.upper == 0 && !leet:
		return weak * min(1, max(0, 2-humps(v)))
	case k.joints+k.signs == 0 && longest >= 5 && k.letters == longest && isPronounceable(bare):
		return popular
	}
	return madeUp
}

// isMixed reports whether a value with signs has letters and digits too, and nothing of a path.
func isMixed(v string, k *kinds) bool {
	return k.digits > 0 && k.letters > 3 && k.joints == 0 && !strings.ContainsAny(v, "^~%") &&
		v[len(v)-1] != '$'
}

// wordsTogether is the shape of words with - _ or . between them.
func wordsTogether(v string, runs int, k *kinds) int {
	if k.upper > runs || runs < 3 && k.upper < runs && (k.upper == 0 || strings.Contains(v, "-")) {
		return noShape
	}
	for p := range strings.FieldsFuncSeq(v, func(r rune) bool { return !unicode.IsLetter(r) }) {
		if len(p) < 2 || k.upper == 0 && isIn("prose", p) {
			return noShape
		}
	}
	return weak
}

// ofCode reports whether a value looks like a name in a program: codePage866, fault.Conflict.
func ofCode(v, bare string, k *kinds) bool {
	camel := humps(v) > 2 || k.upper > 2 || k.upper > 0 && isLower(v[0]) && bare != v &&
		!strings.ContainsAny(bare, "0123456789")
	member := k.upper == 0 && strings.Count(v, ".") < 2 ||
		k.digits+k.signs == 0 && k.joints < 2 && (k.upper > 1 || !isUpper(v[0]))
	version := v[strings.LastIndexAny(v, "-_v")+1:] // kubectl-1.30
	return k.joints+k.signs == 0 && camel || strings.Contains(v, ".") &&
		(member || strings.Contains(version, ".") && strings.Trim(version, "0123456789.") == "")
}

// isOfDevice reports whether a value names a host, a user or a release.
func isOfDevice(v string) bool {
	lower := strings.ToLower(v)
	for p := range strings.FieldsFuncSeq(lower, func(r rune) bool { return !unicode.IsLetter(r) }) {
		if isIn("devices", p) {
			return true
		}
	}
	return has("hosts", lower)
}

// isTechnical reports whether a value has a name of technology, or is a placeholder.
func isTechnical(lower string, poor bool) bool {
	return strings.HasPrefix(lower, "test_") || has("technical", lower) ||
		!poor && has("placeholders", dashes.Replace(lower))
}

// isLeet reports whether digits stand for letters.
func isLeet(v string, k *kinds) bool {
	return k.letters >= 5 && k.upper < k.letters &&
		strings.ContainsAny(strings.Trim(v, "0123456789!?"), "013457")
}

// numberOf is the shape of a door's code: 3 to 8 digits, or groups with capitals.
func numberOf(v string, k *kinds) int {
	groups := k.joints > 0 && strings.Count(v, "-") == k.joints
	isDate := len(v) == 10 && v[4] == '-' && v[7] == '-'
	switch {
	case k.digits < 3, k.joints > 0 && !groups, k.joints == 1 && k.digits < 6, isDate,
		k.letters > 1 && (!groups || len(v) < 7), k.letters == 1 && !isUpper(v[0]),
		k.letters == 0 && k.digits > 8, k.letters > 0 && k.signs > 0:
		return noShape
	}
	return weak
}

func letterRuns(v string) (runs, longest int) {
	for run := range strings.FieldsFuncSeq(v, func(r rune) bool { return !unicode.IsLetter(r) }) {
		runs++
		longest = max(longest, utf8.RuneCountInString(run))
	}
	return runs, longest
}

// isWord reports whether a word could be a password: no adjective, no word about passwords.
func isWord(v string) bool {
	k := kindsIn(v)
	if k.letters != utf8.RuneCountInString(v) || k.letters < 5 || k.upper > 1 ||
		english().classOf(v) != 0 || endsWith("nounends", v) {
		return false
	}
	for _, list := range []string{"novalue", "message", "sentence", "prose", "qualities", "asks"} {
		if isIn(list, v) {
			return false
		}
	}
	return k.upper > 0 || !participle(v) && !endsWith("qualityends", v)
}
