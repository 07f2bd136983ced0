package clash

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"blackboard/board/claims"
	"blackboard/board/words"
)

// mostExchanged is how many words a statement has at most of which one is exchanged: of
// a longer one that word is rarely the point.
const mostExchanged = 12

var (
	// counting are numbers as words, which are exchanged wherever they stand.
	counting = strings.Fields(`one two three four five six seven eight nine ten eleven
		twelve fifteen twenty thirty forty fifty sixty ninety`)
	// leading are words before which a word is no part of a name for something else, as
	// "ledger" is in "the ledger meeting".
	leading = strings.Fields(`and or but in on at to for from by with without as than when
		where while if since until before after because per via during`)
	// exclusive are verbs of which one thing has one subject.
	exclusive = strings.Fields("owns leads maintains")
)

// contrast are words that are spoken of in each other's place: what differs between
// them is no contradiction.
var contrast = sync.OnceValue(func() map[string]string {
	m := map[string]string{}
	for _, group := range strings.Split(`read write|request response|min max minimum maximum
		average median mean|client server|dev prod staging production development test ci|upload
		download|input output| local remote|primary secondary replica|linux macos windows
		darwin|internal external|soft hard|connect idle|first second third last|daily weekly
		monthly hourly|cold warm|parent child|left right| width height|cpu memory disk|idle
		busy|retry timeout|before after|old new|lower upper`, "|") {
		group = strings.TrimSpace(group)
		for _, w := range strings.Fields(group) {
			m[words.Base(w)] = group
		}
	}
	return m
})

// exchanged says why two short texts may not both hold that are equal but for one word
// or name, "" if they are not so: sessions are kept in Redis, or in Memcached; Alice
// owns billing, or Bob. The word has to be what is said, not what it is said of. It
// finds what Reasons does not.
func exchanged(s, o *Claims) string {
	if len(s.body) == 0 || len(s.body) != len(o.body) || len(s.body) > mostExchanged || !slices.Equal(s.title, o.title) {
		return ""
	}
	at := -1
	for i := range s.body {
		switch {
		case s.body[i] == o.body[i]:
		case at >= 0:
			return ""
		default:
			at = i
		}
	}
	if at < 0 {
		return ""
	}
	x, y := s.body[at], o.body[at]
	from, to := shown(s.text.Body, x), shown(o.text.Body, y)
	digits := func(w string) bool { return strings.ContainsAny(w, "0123456789") }
	switch group := contrast()[x]; {
	case words.Negates(x), words.Negates(y), digits(x) && digits(y),
		group != "" && group == contrast()[y],
		strings.ReplaceAll(x, "-", "") == strings.ReplaceAll(y, "-", ""),
		!strings.Contains(from, "-") && claims.AreAlike(x, y): // opt-in is not opt-out
		return ""
	case slices.Contains(counting, x) && slices.Contains(counting, y),
		saidOf(s.text.Body, x) && saidOf(o.text.Body, y):
		return fmt.Sprintf("%s against %s", from, to)
	}
	return ""
}

// place returns the words of a text between blanks, and which of them is the one word
// of a statement, -1 if not just one is.
func place(text, word string) (fields []string, at int) {
	fields, at = strings.Fields(text), -1
	for i, f := range fields {
		if slices.Equal(words.Statement(f), []string{word}) {
			if at >= 0 {
				return fields, -1
			}
			at = i
		}
	}
	return fields, at
}

// saidOf reports whether a word ends what is said, or is the subject of what only one
// can be.
func saidOf(text, word string) bool {
	fields, at := place(text, word)
	if at < 0 {
		return false
	}
	ends := at == len(fields)-1 || strings.TrimRight(fields[at], ".,;:!") != fields[at]
	if ends || slices.Contains(leading, fields[at+1]) {
		return at > 0
	}
	return at == 0 && (slices.Contains(exclusive, fields[1]) ||
		fields[1] == "is" && len(fields) > 2 && fields[2] == "the")
}

// shown is a word of a statement as the text has it.
func shown(text, word string) string {
	if fields, at := place(text, word); at >= 0 {
		return strings.Trim(fields[at], ".,;:!?\"'`*()")
	}
	return word
}
