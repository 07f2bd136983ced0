package secret

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// class is how much a value looks like a secret by itself.
type class int

const (
	noSecret    class = iota // a placeholder, a reference, code, a measure
	plainWord                // may be one if nothing else can stand there
	structured               // no word of prose: hunter2, correct-horse-battery
	strongValue              // letters, digits and signs
)

func oneOf(list, word string) bool {
	return word != "" && strings.Contains(list, " "+strings.ToLower(word)+" ")
}

const signsInside = "!#$&%+*?@^~§€|="

func classify(v string) class {
	core := strings.TrimRight(v, "!?.")
	n := utf8.RuneCountInString(v)
	if n < 4 || len(v) > 200 || strings.ContainsAny(v, "(){}[]<>\\\"`\t\n") || reference(v) {
		return noSecret
	}
	lower := strings.ToLower(v)
	if containsAny(dashes.Replace(lower), listed("placeholders").words...) ||
		identifier(v) || fileName(lower) || address(v) || isIn("novalue", core) {
		return noSecret
	}
	has := kindsIn(core)
	switch {
	case has.letters == 0:
		return noSecret
	case measure(core):
		return noSecret
	case has.signs > 0 && n >= 6 && (has.digits > 0 || has.letters >= 5):
		return strongValue
	case has.digits > 0 && has.joints == 0:
		return digitsIn(core, n, &has)
	case has.joints > 0:
		switch shape := standsOut(core); {
		case shape == noShape:
			return noSecret
		case shape == weak && has.joints < 2 && has.digits == 0:
			return plainWord
		case shape > weak && !wordy(core): // gT7-wPz3kQ9e
			return strongValue
		}
		return structured
	}
	if humps(core) >= 3 && unicode.IsUpper(firstRune(core)) && has.others == 0 {
		return structured
	}
	return plainWord
}

type kinds struct{ letters, upper, digits, signs, joints, others int }

func kindsIn(s string) (k kinds) {
	for i, r := range s {
		switch {
		case unicode.IsLetter(r):
			k.letters++
			if unicode.IsUpper(r) {
				k.upper++
			}
		case r >= '0' && r <= '9':
			k.digits++
		case strings.ContainsRune("-_./", r):
			k.joints++
		case strings.ContainsRune(signsInside, r) && (i > 0 || r != '#'):
			k.signs++
		default:
			k.others++
		}
	}
	return k
}

// digitsIn classifies letters and digits without anything between.
func digitsIn(s string, n int, k *kinds) class {
	first := unicode.IsLower(firstRune(s))
	switch {
	case k.others > 0 || n < 6:
		return noSecret
	// userInput1 is a name in a program
	case first && k.upper > 0 && k.digits < 2 && wordy(s) && kindsIn(strings.TrimRight(s,
		"0123456789")).digits == 0:
		return noSecret
	case k.upper > 0 && k.upper < k.letters && k.digits > 1 && n >= 10 && !wordy(s):
		return strongValue
	}
	return structured
}

func firstRune(s string) rune {
	r, _ := utf8.DecodeRuneInString(s)
	return r
}

// humps counts the words of CamelCase.
func humps(s string) (n int) {
	last := 'A'
	for i, r := range s {
		if unicode.IsUpper(r) && (i == 0 || unicode.IsLower(last)) {
			n++
		}
		last = r
	}
	return n
}

// reference reports whether a value stands for a secret: a variable, a path, an option.
func reference(v string) bool {
	switch v[0] {
	case '/', '~', '-', '.', ':', ',', ';', '=', '|':
		return true
	case '$', '%', '&', '@', '*':
		rest := strings.TrimRight(v[1:], "%")
		return rest == "" || strings.Trim(rest, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789") == "" ||
			kindsIn(rest).digits+kindsIn(rest).signs == 0
	}
	return strings.Contains(v, "://") || strings.HasPrefix(v, "RFC") || strings.HasPrefix(v, "0x") || strings.Contains(v, ".env") || strings.HasPrefix(v, "ENC")
}

// fileName reports whether a value, in lower case, ends as a file's name or a host's does.
func fileName(v string) bool {
	dot := strings.LastIndexByte(v, '.')
	return dot > 0 && isIn("endings", strings.TrimRight(v[dot+1:], ",;:"))
}

// address reports whether a value is a mail address, or a user at a host.
func address(v string) bool {
	user, host, ok := strings.Cut(v, "@")
	return ok && len(user) >= 3 && len(host) >= 3 && !strings.ContainsAny(user+host,
		"!#$&%*?^") &&
		(strings.Contains(host, ".") || kindsIn(user).digits == 0)
}

// measure reports whether a value is a number with a unit, an issue, a version or a date.
func measure(v string) bool {
	rest := strings.TrimLeft(v, "0123456789.,")
	if len(rest) < len(v) {
		letters := strings.TrimLeft(rest, "-")
		k := kindsIn(letters)
		return k.digits+k.signs == 0 && (letters != rest || len(letters) <= 4) && k.joints == 0
	}
	head := strings.TrimRight(v, "0123456789")
	name, isVersion := strings.CutPrefix(v, "v")
	return strings.HasSuffix(head, "-") && strings.ToUpper(head) == head ||
		isVersion && strings.Trim(name, "0123456789.") == ""
}
