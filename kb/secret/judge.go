package secret

import (
	"strings"
	"unicode/utf8"
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

// isCode reports whether a value is a number that opens something.
func (a *announcement) isCode(v string, from, to int, how manner) bool {
	opens := how == asNumber && a.kind == entering || a.codeOfAccess(from)
	digits := kindsIn(v).digits
	if len(v) == 10 && v[4] == '-' && v[7] == '-' { // a date
		return false
	}
	if strings.Trim(v, "0123456789-#*") == "" && digits >= 4 && len(v) <= 14 {
		return (a.kind == aPIN || opens) && a.endsAt(to) && (how != beside &&
			(how != asNumber || a.kind != aPIN) || a.text[a.start:a.end] == "PIN")
	}
	return opens && how != asNumber && len(v) >= 7 && digits >= 3 && strings.Trim(v,
		"ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-") == ""
}

// isNoValue reports whether a value cannot be one: masked, the name again, an example.
func (a *announcement) isNoValue(v string) bool {
	return masked(v) || strings.EqualFold(v, a.text[a.start:a.end]) ||
		containsAny(" "+strings.ToLower(a.before(25)),
			english().list["examples"]...)
}

// line returns at most n bytes of what follows the word on its line.
func (a *announcement) line(n int) string {
	s, _, _ := strings.Cut(a.text[a.end:min(len(a.text), a.end+n)], "\n")
	return s
}

// before returns the text before the word, at most n bytes of its line.
func (a *announcement) before(n int) string {
	s := a.text[max(0, a.start-n):a.end]
	return s[strings.LastIndexByte(s, '\n')+1:]
}

// endsAt reports whether a number ends the phrase at i: no unit follows.
func (a *announcement) endsAt(i int) bool {
	rest := strings.TrimLeft(a.text[i:], "\"'“”)*`")
	if rest == "" || rest[0] != ' ' {
		return rest == "" || strings.IndexByte(".,;:!?\n-", rest[0]) >= 0
	}
	next := strings.Fields(rest)
	if len(next) == 0 || !isLetter(next[0][0]) {
		return true
	}
	word := strings.TrimRight(next[0], ".,;:!?")
	if a.kind != entering {
		return !isIn("units", word)
	}
	return isIn("afternumber", word) || english().classOf(word)&english().done != 0
}

// codeOfAccess reports whether the words around "code" say that it opens something.
func (a *announcement) codeOfAccess(value int) bool {
	around := strings.ToLower(a.before(40) + a.text[a.end:max(a.end, value)])
	return !containsAny(strings.ToLower(a.text[a.start:a.end]),
		english().list["othercodes"]...) && containsAny(around, english().list["access"]...)
}

// isPassword reports whether a value of a class is a password, announced in a manner.
func (a *announcement) isPassword(v string, c class, how manner, quoted bool,
	from, to int) bool {
	k := kindsIn(v)
	if c == noSecret && how <= changed && how != byOperator && how != beside &&
		a.kind == aPassword && a.endsClause(to) && (isPoor(v, &k) || isPair(v, &k)) {
		return true
	}
	switch {
	case quoted && strings.Contains(v, " "):
		return a.kind != entering && a.kind != signingIn && how != parenthesis &&
			how != atEnd && len(v) >= 8 && phrase(v) &&
			(how != byOperator || !strings.ContainsAny(v, ":=;$"))
	case how == quotedOnly && !quoted || c == noSecret && how != atRandom ||
		how != weakly && how < asOption && how >= inPair && a.kind != credentials &&
			oneDigitAtEnd(v, c, &k) &&
			((how != access && how != inPair) || a.userIsName(from)) &&
			!strings.HasSuffix(strings.TrimRight(a.text[:from], " \"'`*"), "/"): // Smartcard2
		return false
	}
	switch how {
	case weakly, afterSlash, alone:
		return a.isWeak(v, c, &k, how)
	case access:
		if a.userIsName(from) && c < strongValue || strings.HasSuffix(a.text[:from], ": ") {
			return false
		}
		return c == strongValue || c == structured && a.nearLogin("login")
	case asOption, asConnect:
		return c >= structured && (how == asOption || strings.HasPrefix(a.text[to:], "@"))
	case atRandom:
		return len(v) >= 20 && longestRun(v, headerValue) == len(v) && (identifier(v) ||
			k.digits > 0 && !wordy(v) && entropy(v) > 3)
	case beside:
		return c == strongValue || c == structured && (quoted || k.digits > 0 &&
			(k.joints == 0 || a.inList() || a.text[a.start] == '-'))
	case atEnd, before, given:
		return c >= structured && (k.digits > 0 || how == before) ||
			how == given && quoted && len(v) >= 5
	case parenthesis:
		return c == strongValue || c == structured && k.digits > 0 && (k.joints == 0 || k.upper > 0)
	}
	if how == byOperator && strings.EqualFold(a.text[a.start:a.end], "pass") &&
		k.digits+k.signs+k.joints == 0 { // PASS: TestOpenFile
		return false
	}
	if c >= structured {
		return a.kind != aUser && (how != byOperator || k.joints == 0 || k.digits+k.upper > 0 ||
			a.start == 0 || a.text[a.start-1] != '"' && a.text[a.start-1] != '=') || k.digits > 0
	}
	switch {
	case a.kind == aUser:
		return false
	case how == byName:
		return quoted || !a.goesOn(to) && len(v) >= 5
	case how == byCopula && a.isWordOfItsOwn(v) && !a.goesOn(to):
		return true
	case quoted && (how == byCopula || how == introduced || how == changed):
		return len(v) >= 5 && !participle(v)
	case how == byOperator || how == inPair || how == introduced:
		return len(v) >= 5 && (a.kind == credentials && how == inPair || a.ofUser())
	}
	return false
}

// isPoor reports whether a value is one that is named where it is used, though it stands for
// any elsewhere: Passw0rd!, secret123, 12345678.
func isPoor(v string, k *kinds) bool {
	lower := strings.ToLower(v)
	return k.joints+k.others == 0 && (k.letters == 0 && k.digits >= 6 && k.signs == 0 ||
		k.letters > 0 && k.digits > 0 && containsAny(lower, "passw", "kennwort", "secret", "qwert",
			"changeme") && len(v) <= 20)
}

// isPair reports whether a value is two words such as pancake-tuesday, and no adjective.
func isPair(v string, k *kinds) bool {
	first, second, ok := strings.Cut(v, "-")
	return ok && k.joints == 1 && k.letters+1 == utf8.RuneCountInString(v) && k.upper == 0 &&
		len(first) >= 4 && len(second) >= 5 && !participle(second) && !isIn("prose", first) &&
		!isIn("prose", second) && !isIn("novalue", second) &&
		!hasSuffix(second, "ly", "al", "ic", "ive", "less", "ful", "ous", "like", "wide", "proof")
}

// userIsName reports whether a word in capitals stands before a value: two products rather
// than a user and a password.
func (a *announcement) userIsName(from int) bool {
	s := strings.TrimRight(a.text[max(0, from-60):from], " /:,&\"'`*")
	f := strings.Fields(strings.TrimSuffix(strings.TrimSuffix(s, " and"), " und"))
	return len(f) > 0 && isUpper(strings.TrimLeft(f[len(f)-1]+"a", around)[0])
}

// isWordOfItsOwn reports whether a plain word can be a password: the announcing word has no
// other use, or the value has a number.
func (a *announcement) isWordOfItsOwn(v string) bool {
	k := kindsIn(v)
	word := strings.ToLower(a.text[a.start:a.end])
	return (k.digits > 0 || k.upper > 1) && k.joints > 0 ||
		k.upper == 1 && isUpper(v[0]) && k.letters == utf8.RuneCountInString(v) && len(v) >= 5 &&
			(hasSuffix(word, "losungswort", "codewort", "geheimwort") || len(v) > 8 &&
				hasSuffix(word, "kennwort", "passwort") && !hasSuffix(v, "ung", "heit", "keit",
				"teil", "sache", "feld", "nis", "text", "wert", "angabe", "pflicht", "form",
				"schutz", "vorgabe", "standard"))
}

// oneDigitAtEnd reports whether a value is a name with a number, such as Smartcard2.
func oneDigitAtEnd(v string, c class, k *kinds) bool {
	return c == structured && k.joints == 0 && k.digits == 1 && strings.Trim(v[len(v)-1:],
		"0123456789") == ""
}

// isWeak reports whether a value is one that people take where no word announces one: a word
// and a number.
func (a *announcement) isWeak(v string, c class, k *kinds, how manner) bool {
	word := strings.TrimRight(v, "0123456789")
	weak := c >= structured && (how == afterSlash || !isUpper(v[0])) &&
		k.joints+k.signs == 0 && len(word) >= 4 && len(v)-len(word) >= 2
	switch how {
	case weakly:
		said := strings.ToLower(a.text[a.end:min(len(a.text), a.end+80)])
		return weak || c >= structured && k.digits > 0 && containsAny(said, "still ", "noch ",
			"uses ", "nutzt ")
	case alone:
		return (weak || c == strongValue && (k.digits > 0 || strings.ContainsAny(v, "!#%$&"))) &&
			a.nearLogin("signin")
	}
	return (weak || c == strongValue && k.digits > 0) && (a.nearLogin("login") || containsAny(
		strings.ToLower(a.text[max(0, a.start-30):min(len(a.text), a.end+60)]),
		english().list["works"]...))
}

// inList reports whether the word follows a comma: "user anna, password …".
func (a *announcement) inList() bool {
	return hasSuffix(strings.TrimRight(a.text[:a.start], " "), ",", ":")
}

// nearLogin reports whether the words around, of a list, speak of logging in.
func (a *announcement) nearLogin(list string) bool {
	s := strings.ToLower(a.before(60+a.end-a.start) + a.line(90))
	return containsAny(s, english().list[list]...)
}

// goesOn reports whether a word follows on the same line.
func (a *announcement) goesOn(i int) bool {
	rest := strings.TrimLeft(a.text[i:], " \"'“”`*")
	return len(a.text)-len(rest) > i && rest != "" && (isLetter(rest[0]) || rest[0] >= 0x80)
}

// ofUser reports whether a user stands before the password.
func (a *announcement) ofUser() bool {
	s := strings.ToLower(a.text[max(0, a.start-80):a.start])
	for _, w := range []string{"user", "uid", "login", "benutzer", "nutzer", "account",
		"konto"} {
		if i := strings.LastIndex(s, w); i >= 0 {
			value := strings.Trim(s[i+len(w):], " _=:\"'\tnamekidr,;")
			words := strings.Fields(value)
			if len(value) > 2 && len(words) < 3 && !strings.Contains(value, ";") &&
				english().classOf(words[0]) == 0 && (!isLetter(s[min(i+len(w), len(s)-1)]) ||
				strings.HasPrefix(s[i+len(w):], "name")) && !containsAny(s[i:], "string", "required", "pflicht",
				"optional", "{", "<", "$") {
				return true
			}
		}
	}
	return false
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

// phraseAt returns where a passphrase is that begins at i without quotes: three words or more
// up to the end of the clause, none of which belongs to a sentence.
func (a *announcement) phraseAt(i int, how manner) (from, to int) {
	said := strings.ToLower(a.before(40))
	if !containsAny(said, "passphrase", "master", "mnemonic", "seed ", "recovery ", "backup ",
		"key phrase", "secret phrase") {
		return 0, 0
	}
	line, _, _ := strings.Cut(a.text[i:], "\n")
	if n := strings.IndexAny(line, ".,;:!?()"); n >= 0 {
		line = line[:n]
	}
	line = strings.TrimRight(line, " \t\r\"")
	words := strings.Fields(line)
	small := 0
	for _, w := range words {
		isSmall := isIn("small", w) || english().classOf(w) != 0
		switch {
		case w == "correct":
		case strings.Trim(strings.ToLower(w), "abcdefghijklmnopqrstuvwxyzäöüß0123456789") != "",
			isIn("message", w), isIn("sentence", w), hasSuffix(w, "ly"),
			len(w) > 3 && (isIn("novalue", w) || classify(w) == noSecret && !isSmall):
			return 0, 0
		case isSmall:
			small++
		}
	}
	if len(words) < 3 || len(words) > 24 ||
		small > 0 && (how == asPhrase || small > max(1, len(words)/5)) {
		return 0, 0
	}
	return i, i + len(line)
}

// isToken reports whether a value of a class is a token or key, announced in a manner.
func (a *announcement) isToken(v string, c class, how manner) bool {
	k := kindsIn(v)
	before := strings.ToLower(a.before(40))
	if containsAny(before, english().list["publickeys"]...) {
		return false
	}
	if a.kind == aKey && !a.keyOfSecret(before) {
		return false
	}
	random := len(v) >= 16 && k.digits > 0 && k.letters > 0 && k.others == 0 && !wordy(v) &&
		entropy(v) > 3 &&
		(c != noSecret || !strings.Contains(v, ".") && strings.Count(v, "/") < len(v)/16)
	switch how {
	case byCopula, byName, introduced, changed:
		return random || k.letters == 0 && k.digits >= 16 || c == strongValue &&
			len(v) >= 8 || c == structured && (k.joints >= 2 || k.digits > 0 && len(v) >= 8) ||
			c == plainWord && how == byName && k.joints >= 2
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

// keyOfSecret reports whether the words around a key say that it opens something.
func (a *announcement) keyOfSecret(before string) bool {
	if containsAny(before, english().list["keys"]...) {
		return true
	}
	after := strings.ToLower(a.text[a.end:min(len(a.text), a.end+60)])
	return containsAny(after, "encrypted", "verschlüssel", "archiv", "wifi", "wlan", "vpn",
		"tresor", "api")
}
