package secret

import (
	"strings"
)

// fieldEnd cuts a value of configuration off where the next field begins.
func (a *announcement) fieldEnd(from, to int) int {
	stops := ";"
	before := a.text[max(0, a.start-100):a.start]
	if in := strings.LastIndexAny(before, " \t\r\n?&"); in >= 0 && strings.IndexByte("?&",
		before[in]) >= 0 {
		stops = "&#" // a parameter of a URL
	}
	if n := strings.IndexAny(a.text[from:to], stops); n > 0 {
		return from + n
	}
	return to
}

// isNoValue reports whether a value cannot be one: masked, the name again, an example.
func (a *announcement) isNoValue(v string) bool {
	return masked(v) || strings.EqualFold(v, a.text[a.start:a.end]) ||
		containsAny(" "+strings.ToLower(a.before(25)),
			listed("examples").words...)
}

// before returns the text before the word, at most n bytes of its line.
func (a *announcement) before(n int) string {
	s := a.text[max(0, a.start-n):a.end]
	return s[strings.LastIndexByte(s, '\n')+1:]
}

func (a *announcement) isPassword(v string, c class, how manner, quoted bool, to int) bool {
	k := kindsIn(v)
	switch {
	case quoted && strings.Contains(v, " "):
		return how != inPair && len(v) >= 8 && phrase(v) &&
			(how != byOperator || !strings.ContainsAny(v, ":=;$"))
	case how == quotedOnly && !quoted || c == noSecret && how != atRandom:
		return false
	case how == inPair && a.kind != credentials && k.digits == 1 && standsOut(v) == weak:
		return false // Smartcard2
	}
	switch how {
	case asOption, asConnect:
		return c >= structured && (how == asOption || strings.HasPrefix(a.text[to:], "@"))
	case atRandom:
		return len(v) >= 20 && longestRun(v, headerValue) == len(v) && (identifier(v) ||
			k.digits > 0 && !wordy(v) && entropy(v) > 3)
	case beside:
		return c == strongValue || c == structured && (quoted || k.digits > 0 &&
			(k.joints == 0 || a.text[a.start] == '-' ||
				hasSuffix(strings.TrimRight(a.text[:a.start], " "), ",", ":"))) || c == plainWord && quoted &&
			len(v) >= 5 && !participle(v) &&
			hasSuffix(a.text[:a.start], " and ", " und ", " mit ", " with ")
	}
	if how == byOperator && strings.EqualFold(a.text[a.start:a.end], "pass") &&
		k.digits+k.signs+k.joints == 0 { // PASS: TestOpenFile
		return false
	}
	if c >= structured {
		return how != byOperator || k.joints == 0 || k.digits+k.upper > 0 || a.start == 0 ||
			a.text[a.start-1] != '"' && a.text[a.start-1] != '='
	}
	switch {
	case how == byName:
		return quoted || !a.goesOn(to) && len(v) >= 5
	case quoted && (how == byCopula || how == introduced):
		return len(v) >= 5 && !participle(v)
	case how == inPair:
		return len(v) >= 5 && a.kind == credentials
	}
	return false
}

// isPoor reports whether a value is a secret only where it is used: Passw0rd!, 12345678.
func isPoor(v string, k *kinds) bool {
	lower := strings.ToLower(v)
	return k.joints+k.others == 0 && (k.letters == 0 && k.digits >= 6 && k.signs == 0 ||
		k.letters > 0 && k.digits > 0 && containsAny(lower, "passw", "kennwort", "secret", "qwert",
			"changeme") && len(v) <= 20)
}

func (a *announcement) goesOn(i int) bool {
	rest := strings.TrimLeft(a.text[i:], " \"'“”`*")
	return len(a.text)-len(rest) > i && rest != "" && (isLetter(rest[0]) || rest[0] >= 0x80)
}

func participle(v string) bool {
	v = strings.ToLower(v)
	return hasSuffix(v, "ed", "en", "ing", "ble", "lich", "ig", "bar", "t", "isch")
}

// phrase reports whether quoted words are a passphrase, and no message about one.
func phrase(v string) bool {
	words := strings.Fields(v)
	for _, w := range words {
		if isIn("message", strings.Trim(w, ".,:!?\"'")) {
			return false
		}
	}
	return len(words) >= 3 && v[0] != ' ' && !strings.ContainsAny(v, "<>{}()[]/\\%=")
}

// appPassword reports whether a value is one that a mail provider made: four times four letters.
func appPassword(v string) bool {
	f := strings.Fields(v)
	for _, w := range f {
		if len(w) != 4 || strings.ToLower(w) != w || longestRun(w, word) != 4 {
			return false
		}
	}
	return len(f) == 4 && len(v) == len("abcd efgh ijkl mnop")
}

// wordsOfPhrase returns the clause's end and how many words, and small ones, none in a sentence.
func wordsOfPhrase(text string, i int) (end, words, small int) {
	line, _, _ := strings.Cut(text[i:min(len(text), i+maxPhrase)], "\n")
	if n := strings.IndexAny(line, ".,;:!?()–—"); n >= 0 {
		line = line[:n]
	}
	line, _, _ = strings.Cut(line, " -")
	line = strings.TrimRight(line, " \t\r\"")
	all := strings.Fields(line)
	if isMnemonic(all) {
		return i + len(line), len(all), 0
	}
	for _, w := range all {
		isSmall := isIn("small", w) || english().classOf(w) != 0
		switch {
		case w == "correct":
		case strings.Trim(strings.ToLower(w), "abcdefghijklmnopqrstuvwxyzäöüß0123456789") != "",
			isIn("message", w), isIn("sentence", w), hasSuffix(w, "ly"),
			len(w) > 3 && (isIn("novalue", w) || classify(w) == noSecret && !isSmall):
			return 0, 0, 0
		case isSmall:
			small++
		}
	}
	return i + len(line), len(all), small
}

// isMnemonic reports whether words are as many and as short as those that stand for a key.
func isMnemonic(all []string) bool {
	for _, w := range all {
		if len(w) < 3 || len(w) > 8 || strings.Trim(w, "abcdefghijklmnopqrstuvwxyz") != "" {
			return false
		}
	}
	return len(all) >= 12 && len(all) <= 24 && len(all)%3 == 0
}

func (a *announcement) isToken(v string, c class, how manner) bool {
	k := kindsIn(v)
	before := strings.ToLower(a.before(40))
	if containsAny(before, listed("publickeys").words...) || a.kind == aKey && !a.isSecretKey(before) ||
		strings.HasPrefix(v, "0x") && len(v) < 44 { // of OpenPGP
		return false
	}
	random := len(v) >= 16 && k.digits > 0 && k.letters > 0 && k.others == 0 && !wordy(v) &&
		entropy(v) > 3 && !strings.Contains(v, "0123456789") &&
		(c != noSecret || !strings.Contains(v, ".") && strings.Count(v, "/") < len(v)/16)
	switch how {
	case byCopula, byName, introduced:
		return random || k.letters == 0 && k.digits >= 16 || c == strongValue &&
			len(v) >= 8 || c == structured && (k.joints >= 2 || k.digits > 0 && len(v) >= 8) ||
			c == plainWord && how == byName && k.joints >= 2
	case atRandom:
		return random && len(v) >= 20 && k.joints == 0
	case beside:
		return random || a.kind == aKey && c >= structured && (k.joints >= 2 || k.digits > 1 &&
			containsAny(strings.ToLower(a.before(60)), "wlan", "wifi", "wi-fi", "ssid"))
	case byOperator:
		return random && c != noSecret || c == strongValue && len(v) >= 8 ||
			c >= structured && k.joints >= 2 && a.text[a.end] == ':' &&
				(a.start > 0 && a.text[a.start-1] == ' ' || !isLower(a.text[a.start]))
	}
	return false
}

// isSecretKey reports whether the word key opens something: Wi-Fi, an archive, an API.
func (a *announcement) isSecretKey(before string) bool {
	if containsAny(before, listed("keys").words...) {
		return true
	}
	after, _, _ := strings.Cut(strings.ToLower(a.text[a.end:min(len(a.text), a.end+60)]), "\n")
	return containsAny(after, "encrypted", "verschlüssel", "archiv", "wifi", "wlan", "vpn",
		"tresor", "api")
}
