package secret

import "strings"

// pair looks for a user and a password after what announces both: "login with anna and …",
// "credentials (admin / …)".
func (a *announcement) pair(at int) (from, to int) {
	c := cursor{a.text, at}
	for n := range 12 {
		i, word, ends := c.next()
		switch {
		case n == 0 && a.kind == login && len(word) >= 20 && longestRun(word,
			headerValue) == len(word) && (identifier(word) ||
			strings.ContainsAny(word, "0123456789") && !wordy(word) && entropy(word) > 3):
			return i, i + len(word)
		case word == "" && ends == "" || strings.HasPrefix(ends, "."):
			return 0, 0
		case strings.HasPrefix(word, "("):
			return a.pairAt(i + 1)
		case oneOf(" with mit using via as als are sind lauten is ist ", word) ||
			strings.HasPrefix(ends, ":"):
			if from, to = a.pairAt(c.i); to > from {
				return from, to
			}
		}
	}
	return 0, 0
}

// pairAt reads a user, what separates it, and the password.
func (a *announcement) pairAt(i int) (from, to int) {
	c := cursor{a.text, i}
	at, user, ends := c.next()
	if n := strings.IndexAny(user, "/:"); n > 0 && n+1 < len(user) {
		if strings.HasPrefix(user[n:], "://") || oneOf(valueWords, user[:n]) && user[:n] != "admin" && user[:n] != "root" {
			return 0, 0
		}
		return a.accept(at+n+1, inPair)
	}
	if strings.HasSuffix(user, "/") { // "anna/ secret"
		user, ends = user[:len(user)-1], "/"
	}
	if user == "" || strings.ContainsAny(user, "<>{}$") || containsAny(strings.ToLower(user),
		"user", "benutzer", "mail") && !strings.Contains(user, "@") {
		return 0, 0
	}
	if ends != "," && ends != "/" && ends != ":" {
		if _, sep, colon := c.next(); !oneOf(" / and und & | + - – ", sep) && sep+colon != ":" {
			return 0, 0
		}
	}
	at, word, _ := c.next()
	if strings.Contains(a.text[i:at], "\n") {
		return 0, 0
	}
	if oneOf(" password pass passwort kennwort pw pwd ", strings.TrimRight(word, ":")) ||
		at >= len(a.text) {
		return 0, 0 // which announces the value itself
	}
	return a.accept(at, inPair)
}

// element returns the content of an XML element that has the word's name.
func (a *announcement) element(at int) (from, to int) {
	if at >= len(a.text) || a.start == 0 || a.text[a.start-1] != '<' {
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
