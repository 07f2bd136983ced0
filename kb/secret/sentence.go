package secret

import (
	"strings"
)

// Words that lead from a word that announces a secret to its value.
const (
	copulas = " is was ist wird gilt war are be remains stays bleibt equals sei "
	namings = " lautet lautete heißt heisst hiess hieß reads "
	fillers = " still now currently just simply probably set also set to noch für alle " +
		"jetzt immer weiterhin überall everywhere früher bisher previously formerly vorher " +
		"changed reset updated rotated aktuell derzeit einfach auch again wieder nach vor "
	prepositions = " for of on to in at from here there für vom von der des auf im zum zur am " +
		"zu bei beim hier dort used we i you they to between fürs unserer unseres aller " +
		"changed reset zwischen unter beider ins wurde wurden were zurückgesetzt geändert "
	introducers = " with mit using via has hat had the das dem dessen einem a ein by per und " +
		"and braucht needs use under unter "
	settings = " set reset sets resets change changed changes changing rotated rotate " +
		"updated update switched setting resetting put " +
		"setze setzt setzte ändere änderte stelle stellte habe hat haben wurde "
	settingEnds = "gesetzt geändert gestellt gewechselt festgelegt gelegt setzen ändern " +
		"aktualisiert umgestellt zurückgesetzt "
)

// cursor reads the words of a sentence.
type cursor struct {
	text string
	i    int
}

// next returns where the next word begins, and the word without what closes it; ends is
// the punctuation behind it.
func (c *cursor) next() (at int, word, ends string) {
	newlines := 0
	for c.i < len(c.text) && space[c.text[c.i]] {
		if c.text[c.i] == '\n' {
			newlines++
		}
		c.i++
	}
	at = c.i
	if newlines > 1 {
		return at, "", "."
	}
	for c.i < len(c.text) && !space[c.text[c.i]] {
		c.i++
	}
	raw := c.text[at:c.i]
	word = strings.TrimRight(raw, ".,;:!?)")
	return at, word, raw[len(word):]
}

// maxWords is how many words may stand between a word and the value that it announces.
const maxWords = 9

// inSentence follows the words after an announcing word to its value.
func (a *announcement) inSentence(at int) (from, to int) {
	c := cursor{a.text, at}
	inGap, named := false, false
	for n := range maxWords {
		before := c.i
		i, word, ends := c.next()
		if word == "" && ends == "" {
			return 0, 0
		}
		switch {
		case oneOf(namings, word):
			if from, to = a.accept(a.skipFillers(c), byName); to > from {
				return from, to
			}
			named = true
		case oneOf(copulas, word):
			if from, to = a.accept(a.skipFillers(c), byCopula); to > from {
				return from, to
			}
		case named && n > 0:
			if from, to = a.accept(i, parenthesis); to > from {
				return from, to
			}
		case word == "=" || word == "→" || word == "->" || word == "–" && n > 0:
			return a.acceptNext(c, byOperator)
		case (word == "to" || word == "auf") && a.isSet(c):
			if from, to = a.acceptNext(c, changed); to > from {
				return from, to
			}
		case n == 0 && !oneOf(prepositions, word):
			if from, to = a.beside(i, word); to > from || a.kind != aPassword {
				return from, to
			}
			return a.afterColon(c)
		}
		if n == 0 && a.text[before] == '\n' {
			return 0, 0
		}
		inGap = true
		if strings.HasPrefix(ends, ":") && len(word) > 1 {
			return a.acceptNext(c, byCopula)
		}
		if strings.HasPrefix(word, "(") && strings.HasPrefix(ends, ")") {
			if from, to = a.accept(i+1, parenthesis); to > from {
				return from, to
			}
		}
		if ends != "" && inGap && ends != ")" {
			return 0, 0
		}
	}
	return 0, 0
}

// afterColon looks for a value that a colon ends the sentence with: "the password stands in
// the file: X".
func (a *announcement) afterColon(c cursor) (from, to int) {
	for range maxWords {
		_, word, ends := c.next()
		if strings.HasPrefix(ends, ":") && len(word) > 1 {
			i, _, _ := c.next()
			return a.accept(min(i, len(a.text)), atEnd)
		}
		if word == "" || ends != "" && ends != "," {
			return 0, 0
		}
	}
	return 0, 0
}

func (a *announcement) acceptNext(c cursor, how manner) (from, to int) {
	i, _, _ := c.next()
	if i >= len(a.text) {
		return 0, 0
	}
	return a.accept(i, how)
}

// skipFillers returns where the value begins after a copula.
func (a *announcement) skipFillers(c cursor) int {
	for range 4 {
		i, word, ends := c.next()
		if ends == ":" && oneOf(fillers, word) {
			continue
		}
		if !oneOf(fillers, word) || ends != "" {
			if word == "" && ends == ":" {
				continue
			}
			return min(i, len(a.text))
		}
	}
	return len(a.text)
}

// isSet reports whether the sentence sets the password: a verb stands before it, or behind
// the value that c comes to.
func (a *announcement) isSet(c cursor) bool {
	for _, w := range strings.Fields(a.before(60) + " " + a.text[a.end:c.i]) {
		if w = strings.Trim(w, ".,:;()"); oneOf(settings, w) || len(w) > 4 &&
			strings.Contains(settingEnds, strings.ToLower(w)+" ") {
			return true
		}
	}
	c.next()
	_, word, _ := c.next()
	return word != "" && strings.Contains(settingEnds, strings.ToLower(word)+" ")
}

// beside looks at the word that follows an announcing one at once.
func (a *announcement) beside(i int, word string) (from, to int) {
	if inner, ok := strings.CutPrefix(word, "("); ok {
		rest := strings.TrimLeft(a.text[i+len(word):], "!?")
		if !strings.HasPrefix(rest, ")") || inner == "" {
			return 0, 0
		}
		if op := operatorAt(rest, 1); op > 0 {
			return a.accept(len(a.text)-len(rest)+op, byOperator)
		}
		return a.accept(i+1, parenthesis)
	}
	before := strings.Fields(a.before(40))
	before = before[:max(0, len(before)-1)]
	for _, w := range before[max(0, len(before)-2):] {
		if oneOf(introducers, w) {
			return a.accept(i, introduced)
		}
	}
	if a.netrc() || strings.HasPrefix(a.text[a.start:], "storepass") ||
		strings.HasPrefix(a.text[a.start:], "keypass") {
		return a.accept(i, introduced)
	}
	return a.accept(i, beside)
}

// netrc reports whether the line has a login before the password.
func (a *announcement) netrc() bool {
	f := strings.Fields(a.before(200))
	return len(f) >= 4 && f[len(f)-3] == "login"
}
