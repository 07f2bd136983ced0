package secret

import (
	"strings"
	"unicode/utf8"
)

// password is what words announce: "the password is …", "DB_PASSWORD=…".
var password = &rule{ID: "password", entropy: -1}

// kind is what a word announces.
type kind int

const (
	nothing kind = iota
	aPassword
	aPIN
	aToken
	aKey // of what, other words have to say
	aCode
	credentials
	login
	session
	withUser // "with anna and …"
	aUser    // "admin:…"
)

type announcer struct {
	end   string // of the word, in lower case
	kind  kind
	whole bool // it is the word, or a part of it after - or _
}

// announcers are the words that announce a secret, by their last byte.
var announcers = [256][]announcer{
	'd': {{"password", aPassword, false}, {"passwd", aPassword, false}, {"pwd", aPassword,
		false},
		{"sessionid", session, false}, {"sid", session, true}},
	't': {{"passwort", aPassword, false}, {"kennwort", aPassword, false}, {"secret", aToken,
		true}, {"root", aUser, true},
		{"account", login, true}, {"mit", withUser, true}, {"losungswort", aPassword, false},
		{"codewort", aPassword, false}},
	'e': {{"passphrase", aPassword, false}, {"passcode", aPIN, false}, {"code", aCode, false}},
	's': {{"pass", aPassword, true}, {"storepass", aPassword, true}, {"keypass", aPassword,
		true},
		{"credentials", credentials, true}, {"creds", credentials, true}},
	'n': {{"admin", aUser, true}, {"pin", aPIN, true}, {"token", aToken, false},
		{"zugangsdaten", credentials, false},
		{"anmeldedaten", credentials, false}, {"logindaten", credentials, false},
		{"login-daten", credentials, false}, {"kombination", aCode, false},
		{"combination", aCode, false}, {"login", login, true}},
	'w': {{"pw", aPassword, true}, {"dbpw", aPassword, true}},
	'y': {{"key", aKey, true}, {"apikey", aToken, false}},
	'k': {{"psk", aPassword, true}, {"puk", aPIN, true}},
	'l': {{"schlüssel", aKey, false}, {"schluessel", aKey, false}, {"geheimzahl", aPIN, false}},
	'g': {{"anmeldung", login, false}, {"zugang", login, true}, {"sig", aToken, true}},
	'h': {{"auth", login, true}, {"with", withUser, true}, {"ssh", login, true}},
}

// maxPhrase is how many bytes after an announcing word are looked at, so that the time
// stays linear.
const maxPhrase = 2000

var wordChar = newSet("0-9a-zA-Z_-").above()

// announced looks at the values that words announce, in configuration, commands and prose.
func announced(text string, add func(*rule, int, int)) {
	for i := 0; i < len(text); {
		if !wordChar[text[i]] {
			i++
			continue
		}
		end := i + 1
		for end < len(text) && wordChar[text[end]] {
			end++
		}
		if c := text[end-1]; c == 'c' || c == 'r' {
			if w := text[i:end]; (w == "Basic" || w == "Bearer") && end < len(text) {
				authorization(text, end, w, add)
			}
		}
		options(text, i, end, add)
		if k := announcedBy(text[i:end]); k != nothing {
			a := announcement{text[:min(len(text), end+maxPhrase)], i, end, k}
			if from, to := a.value(); to > from {
				add(password, from, to)
			}
		}
		i = end
	}
}

// announcedBy returns what a word announces.
func announcedBy(word string) kind {
	word = strings.Trim(word, "-_")
	if len(word) < 2 {
		return nothing
	}
	for _, a := range announcers[word[len(word)-1]|0x20] {
		at := len(word) - len(a.end)
		if at < 0 || !strings.EqualFold(word[at:], a.end) {
			continue
		}
		if !a.whole || at == 0 || word[at-1] == '_' || word[at-1] == '-' {
			if at > 0 && containsAny(signs.Replace(strings.ToLower(word)), otherNames...) {
				return nothing
			}
			return a.kind
		}
	}
	return nothing
}

// announcement is a word that announces a secret, at its place.
type announcement struct {
	text       string
	start, end int
	kind       kind
}

// value returns where the value is that the word announces, or zeros.
func (a *announcement) value() (from, to int) {
	if from, to = a.valueAfter(); to > from || a.kind != aPassword {
		return from, to
	}
	return a.valueBefore()
}

// valueBefore returns the value of "… as the password".
func (a *announcement) valueBefore() (from, to int) {
	from = max(0, a.start-80)
	s := a.text[from:a.start]
	words := strings.Fields(s[strings.LastIndexByte(s, '\n')+1:])
	for n := len(words) - 1; n > 0 && n >= len(words)-4; n-- {
		if !oneOf(" as als ", words[n]) {
			continue
		}
		at := strings.LastIndex(s, " "+words[n-1]+" ")
		if at < 0 {
			return 0, 0
		}
		if from, to, _ = valueAt(a.text, from+at+1); a.isNoValue(a.text[from:to]) ||
			classify(a.text[from:to]) < structured {
			return 0, 0
		}
		return from, to
	}
	return 0, 0
}

func (a *announcement) valueAfter() (from, to int) {
	at := a.end
	if rest, ok := strings.CutPrefix(a.text[at:], `" value="`); ok {
		return a.accept(len(a.text)-len(rest)-1, byOperator)
	}
	for n := 0; n < 3 && at < len(a.text) && strings.IndexByte("\"'`*])?",
		a.text[at]) >= 0; n++ {
		at++
	}
	if a.kind == aUser && strings.HasPrefix(a.text[at:], "/") && a.nearLogin() &&
		(a.start == 0 || strings.IndexByte(" (\"'`", a.text[a.start-1]) >= 0) {
		return a.accept(at+1, inPair)
	}
	if op := operatorAt(a.text, at); op > 0 {
		switch {
		case a.kind == login || a.kind == credentials:
			return a.pairAt(op)
		case a.kind == aUser && op > a.end+1:
			return 0, 0
		}
		return a.accept(op, byOperator)
	}
	if at >= len(a.text) || a.text[at] == '>' {
		return a.element(at)
	}
	if strings.HasPrefix(a.text[at:], ", ") && a.kind == aPassword {
		if from, to = a.accept(at+2, parenthesis); to < len(a.text) && a.text[to] == ',' {
			return from, to
		}
		return 0, 0
	}
	if !space[a.text[at]] && at == a.end || strings.HasPrefix(a.text[at:], "\n\n") {
		return 0, 0
	}
	switch a.kind {
	case login, credentials:
		return a.pair(at)
	case withUser:
		return a.pairAt(at)
	case aUser:
		return 0, 0
	}
	return a.inSentence(at)
}

// operatorAt returns where the value begins if an operator is at i, after blanks; or 0.
func operatorAt(text string, i int) int {
	for i < len(text) && (text[i] == ' ' || text[i] == '\t') {
		i++
	}
	for _, op := range []string{":=", "=>", "->", "→", "=", ":", "|"} {
		if strings.HasPrefix(text[i:], op) {
			i += len(op)
			if strings.HasPrefix(text[i:], "=") { // a comparison
				return 0
			}
			for i < len(text) && strings.IndexByte(" \t*", text[i]) >= 0 {
				i++
			}
			return i
		}
	}
	return 0
}

// manner is how a value is announced.
type manner int

const (
	byOperator  manner = iota // password: X
	byCopula                  // the password is X
	byName                    // das Passwort lautet X
	beside                    // the password X
	introduced                // with the password X
	changed                   // reset the password to X
	inPair                    // anna / X
	parenthesis               // the password (X)
	atEnd                     // the password is in the file: X
)

// quotes are the marks that open a quotation, and what closes it.
var quotes = []struct{ open, close string }{{`"`, `"`}, {"'", "'"}, {"`", "`"}, {"„", "“"},
	{"„", "”"},
	{"“", "”"}, {"«", "»"}, {"»", "«"}, {"‚", "‘"}, {"‘", "’"}, {"**", "**"}, {`\"`, `\"`}}

// valueAt returns where the value is that begins at i, and whether it is quoted.
func valueAt(text string, i int) (from, to int, quoted bool) {
	for _, q := range quotes {
		if rest, ok := strings.CutPrefix(text[i:], q.open); ok {
			n := strings.Index(rest[:min(len(rest), 120)], q.close)
			if n > 0 && !strings.Contains(rest[:n], "\n") {
				from = i + len(q.open)
				return from, from + n, true
			}
		}
	}
	to = i
	for to < len(text) && !space[text[to]] && to-i < 300 {
		to++
	}
	for to > i {
		r, size := utf8.DecodeLastRuneInString(text[i:to])
		if !strings.ContainsRune(`.,;:)]}>"'*“”‘’`+"`", r) {
			break
		}
		to -= size
	}
	return i, to, false
}

// accept returns where the value at i is, if it is one in this manner.
func (a *announcement) accept(i int, how manner) (from, to int) {
	from, to, quoted := valueAt(a.text, i)
	if how == byOperator && !quoted {
		to = a.fieldEnd(from, to)
	}
	v := a.text[from:to]
	if v == "" || a.isNoValue(v) {
		return 0, 0
	}
	if a.kind == aPIN || a.kind == aCode {
		if strings.Trim(v, "0123456789-#*") == "" && kindsIn(v).digits >= 4 && len(v) <= 14 &&
			a.endsAt(to) &&
			(a.kind == aPIN || a.codeOfAccess(from)) && (how != beside ||
			a.text[a.start:a.end] == "PIN") {
			return from, to
		}
		if a.codeOfAccess(from) && len(v) >= 7 && kindsIn(v).digits >= 3 && strings.Trim(v,
			"ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-") == "" {
			return from, to
		}
		if a.kind == aCode && (!a.codeOfAccess(from) || kindsIn(v).digits == 0) {
			return 0, 0
		}
	}
	c := classify(v)
	ok := false
	switch a.kind {
	case session:
		ok = how == byOperator && len(v) >= 16 && !identifier(v) && !wordy(v) && entropy(v) > 3
	case aToken, aKey:
		ok = a.isToken(v, c, how) || quoted && how != byOperator && strings.Count(v,
			" ") >= 3 && phrase(v)
	default:
		ok = a.isPassword(v, c, how, quoted, to)
	}
	if !ok {
		return 0, 0
	}
	return from, to
}

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
		containsAny(" "+strings.ToLower(a.before(25)), " example", "-example", "e.g.",
			"z. b.", "beispiel", "sample ", "dummy", "fake", "placeholder", "platzhalter")
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
	return len(next) == 0 || !isLetter(next[0][0]) || oneOf(" until and und for für bis since "+
		"seit but "+
		"aber on auf at in im is ist to or oder nicht not if when wenn eingeben ein ", next[0])
}

// codeOfAccess reports whether the words around "code" say that it opens something.
func (a *announcement) codeOfAccess(value int) bool {
	around := strings.ToLower(a.before(24) + a.text[a.end:max(a.end, value)])
	return containsAny(around, "access", "door", "alarm", "entry", "gate", "unlock", "safe",
		"lock", "keypad",
		"security", "recovery", "backup", "zugang", "tür", "tuer", "sicherheit", "freischalt",
		"tor", "tresor", "schließ", "garage")
}

// isPassword reports whether a value of a class is a password, announced in a manner.
func (a *announcement) isPassword(v string, c class, how manner, quoted bool, to int) bool {
	switch {
	case quoted && strings.Contains(v, " "):
		return how != parenthesis && how != atEnd && len(v) >= 8 && phrase(v) &&
			(how != byOperator || !strings.ContainsAny(v, ":=;$"))
	case c == noSecret || how == inPair && a.kind != credentials && c == structured &&
		kindsIn(v).joints == 0 &&
		kindsIn(v).digits == 1: // Smartcard2
		return false
	case a.kind == aUser:
		return c >= structured && kindsIn(v).digits > 0
	case a.kind == withUser:
		return c == strongValue || c == structured && a.nearLogin()
	case how == beside:
		return c == strongValue || c == structured && (quoted || kindsIn(v).digits > 0 &&
			(kindsIn(v).joints == 0 || a.inList()))
	case how == atEnd:
		return c >= structured && kindsIn(v).digits > 0
	case how == parenthesis:
		return c == strongValue || c == structured && kindsIn(v).digits > 0 &&
			kindsIn(v).joints == 0
	case c >= structured:
		return how != byOperator || kindsIn(v).joints == 0 ||
			kindsIn(v).digits+kindsIn(v).upper > 0 || a.start == 0 ||
			a.text[a.start-1] != '"' && a.text[a.start-1] != '='
	case how == byName:
		return quoted || !a.goesOn(to) && len(v) >= 5
	case quoted && (how == byCopula || how == introduced || how == changed):
		return len(v) >= 5 && !participle(v)
	case how == byOperator || how == inPair || how == introduced:
		return len(v) >= 5 && (a.kind == credentials && how == inPair || a.ofUser())
	}
	return false
}

// inList reports whether the word follows a comma: "user anna, password …".
func (a *announcement) inList() bool {
	return hasSuffix(strings.TrimRight(a.text[:a.start], " "), ",", ":")
}

// nearLogin reports whether the words around speak of logging in.
func (a *announcement) nearLogin() bool {
	s := strings.ToLower(a.text[max(0, a.start-60):min(len(a.text), a.end+90)])
	return containsAny(s, "credential", "password", "passwort", "kennwort", "default",
		"log in", "login", "logged", "logs in", "sign in", "signed in", "anmeld", "einlogg",
		"eingelogg", "reinkomm", " rein", "zugang", "connect", "verbind", "access", "ssh", "ftp")
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
			if len(value) > 2 && !containsAny(s[i:], "string", "required", "pflicht",
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
		if oneOf(" must not too are be required invalid your enter please least characters "+
			"zeichen muss nicht "+
			"darf ist wird bitte password passwort kennwort should cannot missing falsch "+
			"incorrect wrong "+
			"expired ihr ihre sie value field string confirm repeat ", strings.Trim(w,
			".,:!?\"'")) {
			return false
		}
	}
	return len(words) >= 3 && !strings.ContainsAny(v, "<>{}()[]/\\")
}

// isToken reports whether a value of a class is a token or key, announced in a manner.
func (a *announcement) isToken(v string, c class, how manner) bool {
	k := kindsIn(v)
	before := strings.ToLower(a.before(40))
	if containsAny(before, "csrf", "xsrf", "cache", "trace", "idempoten", "cancel", "sync",
		"public", "öffentlich", "primary", "foreign",
		"primär", "fremd", "partition", "sort", "hash", "test", "sequence", "design") {
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
		return random || c == structured && k.joints >= 2 && a.kind == aKey
	case byOperator:
		return random && c != noSecret || c == strongValue && len(v) >= 8 ||
			c >= structured && k.joints >= 2 && a.text[a.end] == ':' &&
				(a.start > 0 && a.text[a.start-1] == ' ' || !isLower(a.text[a.start]))
	}
	return false
}

// keyOfSecret reports whether the words around a key say that it opens something.
func (a *announcement) keyOfSecret(before string) bool {
	if containsAny(before, "api", "access", "secret", "private", "encrypt", "sign", "master",
		"licen", "lizenz", "wifi", "wi-fi", "wlan", "wpa",
		"ssid", "activation", "account", "service", "shared", "auth", "zugriff", "geheim",
		"vpn", "storage", "webhook", "recovery") {
		return true
	}
	after := strings.ToLower(a.text[a.end:min(len(a.text), a.end+60)])
	return containsAny(after, "encrypted", "verschlüssel", "archiv", "wifi", "wlan", "vpn",
		"tresor", "api")
}
