package secret

import (
	"strings"
	"unicode/utf8"
)

// password is what words announce: "the password is …", "DB_PASSWORD=…".
var password = &rule{ID: "password", entropy: -1}

// kind is what a word announces, by its name in the grammar.
type kind int

const (
	nothing kind = iota
	aPassword
	aPhrase
	aPIN
	aToken
	aKey // of what, other words have to say
	aCode
	credentials
	login
	session
)

var kindNames = []string{"", "password", "phrase", "pin", "token", "key", "code", "credentials",
	"login", "session", "by", "program", "option"}

// manner is how a value is announced, by its name in the grammar.
type manner int

const (
	byOperator manner = iota // password: X
	byCopula                 // the password is X
	byName                   // das Passwort lautet X
	beside                   // the password X
	introduced               // with the password X
	inPair                   // anna / X
	quotedOnly               // "X" for the password
	atRandom                 // vault login X
	asOption                 // htpasswd -b file anna X
	asConnect                // sqlplus anna/X@host
)

var mannerNames = []string{"op", "copula", "name", "beside", "introduced", "pair",
	"quoted", "random", "option", "connect"}

// maxPhrase is how many bytes after an announcing word are looked at.
const maxPhrase = 2000

var wordChar = newSet("0-9a-zA-Z_-").above()

// announced looks at the values that words announce, in configuration, commands and prose.
func announced(text string, add func(*rule, int, int)) {
	words := reading{text: text}
	for i := 0; i < len(text); {
		if !wordChar[text[i]] {
			i++
			continue
		}
		end := i + 1
		for end < len(text) && wordChar[text[end]] {
			end++
		}
		if c := text[end-1]; (c == 'c' || c == 'r' || c == 'n') && end < len(text) {
			switch w := text[i:end]; {
			case w == "Basic" || w == "Bearer":
				authorization(text, end, w, add)
			case isScheme(w) && inHeader(text, i):
				authorization(text, end, "", add)
			}
		}
		options(text, i, end, add)
		if k := announcedBy(text[i:end]); k != nothing && k != aPIN && k != aCode {
			a := announcement{text: text[:min(len(text), end+maxPhrase)], start: i, end: end,
				kind: k, reading: &words}
			if from, to := a.value(); to > from {
				add(password, from, to)
			}
		}
		i = end
	}
}

func announcedBy(word string) kind {
	word = strings.Trim(word, "-_")
	if len(word) < 2 {
		return nothing
	}
	for _, a := range english().announcers[word[len(word)-1]|0x20] {
		at := len(word) - len(a.end)
		if at < 0 || !strings.EqualFold(word[at:], a.end) {
			continue
		}
		if !a.whole || at == 0 || word[at-1] == '_' || word[at-1] == '-' {
			if at > 0 && containsAny(signs.Replace(strings.ToLower(word)), listed("othernames").words...) {
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
	after      int // its end, and its quotes
	reading    *reading
	words      []token // around it
	from, to   int     // of the secret, once a sentence matches
}

func (a *announcement) value() (from, to int) {
	at := a.end
	if rest, ok := strings.CutPrefix(a.text[at:], `" value="`); ok {
		return a.accept(len(a.text)-len(rest)-1, byOperator)
	}
	for n := 0; n < 3 && at < len(a.text) && strings.IndexByte("\"'`*])?", a.text[at]) >= 0; n++ {
		at++
	}
	op := operatorAt(a.text, at)
	if a.isArgument(at) {
		op = at + len(", ")
	}
	switch {
	case a.kind == login || a.kind == credentials || a.kind > session:
	case op > 0 && a.start > 1 && (a.text[a.start-2:a.start] == "${" ||
		strings.Contains(a.before(60), "{{")):
		return 0, 0
	case op > 0:
		if line, _, _ := strings.Cut(a.text[op:], "\n"); appPassword(strings.TrimRight(line, " .")) {
			return op, op + len("abcd efgh ijkl mnop")
		}
		return a.accept(op, byOperator)
	case at < len(a.text) && a.text[at] == '>':
		return a.element(at)
	case at == a.end && at < len(a.text) && !space[a.text[at]] &&
		strings.IndexByte(".,;!", a.text[at]) < 0:
		return 0, 0
	}
	if strings.HasPrefix(a.text[at:], "\n\n") {
		return 0, 0
	}
	a.after = at
	return a.findAnnounced()
}

// isArgument: the word ends a call's first argument, as in setenv('…PASSWORD', 'X').
func (a *announcement) isArgument(at int) bool {
	return at > a.end && (strings.HasPrefix(a.text[at:], ", '") ||
		strings.HasPrefix(a.text[at:], `, "`)) && containsAny(strings.ToLower(a.before(40)),
		"define(", "env(", "set(", "setproperty(", "setdefault(", "put(")
}

func (a *announcement) element(at int) (from, to int) {
	if a.kind == aCode || a.kind == aKey || a.start == 0 || a.text[a.start-1] != '<' {
		return 0, 0
	}
	n := strings.IndexByte(a.text[at:], '<')
	if n < 0 || !strings.HasPrefix(a.text[at+n:], "</") {
		return 0, 0
	}
	v := a.text[at+1 : at+n]
	if v == "" || strings.ContainsAny(v, " \n$") || classify(v) == noSecret {
		return 0, 0
	}
	return at + 1, at + n
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

// quotes are the marks that open a quotation, and what closes it.
var quotes = []struct{ open, close string }{{`"`, `"`}, {"'", "'"}, {"`", "`"}, {"„", "“"},
	{"„", "”"}, {"“", "”"}, {"«", "»"}, {"»", "«"}, {"‚", "‘"}, {"‘", "’"},
	{"**", "**"}, {`\"`, `\"`}}

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

// accept returns where the value at i is, or zeros if it is none in this manner.
func (a *announcement) accept(i int, how manner) (from, to int) {
	from, to, quoted := valueAt(a.text, i)
	if how == byOperator && !quoted {
		to = a.fieldEnd(from, to)
	}
	v := a.text[from:to]
	if how == asConnect {
		v, _, _ = strings.Cut(v, "@")
		to = from + len(v)
	}
	if name, _, ok := strings.Cut(v, "="); v == "" || to > a.start && from < a.end ||
		a.isNoValue(v) || ok && how != byOperator && longestRun(name, word) == len(name) {
		return 0, 0
	}
	c := classify(v)
	ok := false
	switch a.kind {
	case session:
		ok = how == byOperator && len(v) >= 16 && !identifier(v) && !wordy(v) && entropy(v) > 3 &&
			!strings.ContainsAny(v, "()[]{}")
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
