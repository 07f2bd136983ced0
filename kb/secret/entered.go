package secret

import (
	"regexp"
	"strings"
	"sync"
)

// Numbers that several words tell, and the one kind of file whose fields have no names.
const (
	numberWord = `(?:zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|` +
		`(?:thir|four|fif|six|seven|eigh|nine)teen|(?:twen|thir|for|fif|six|seven|eigh|nine)ty` +
		`(?:-(?:one|two|three|four|five|six|seven|eight|nine))?|null|eins|zwei|zwo|drei|vier|fünf|` +
		`sechs|sieben|acht|neun|zehn|elf|zwölf)`
	dialJoint = `(?:[ ,;–-]|(?:to|on|at|then|and|past|back|turns?|times|one|once|two|twice|three|` +
		`four|five|auf|bis|nach|dann|und|zurück|wieder|mal|(?:ein|zwei|drei|vier|fünf)mal) )+`
	dialTurn = `(?:left|right|links|rechts)`
)

// way is one of writing what is entered.
type way struct {
	words, and []string // of each a line has one, so that no expression is tried in vain
	expr       func() *regexp.Regexp
	accept     func(text string, from, to int) bool
}

var ways = sync.OnceValue(func() []way {
	expr := func(s string) func() *regexp.Regexp {
		return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(s) })
	}
	return []way{
		{strings.Fields("right rechts"), strings.Fields("left links"),
			expr(`(?i)\b(\d{1,2}(?:` + dialJoint + dialTurn + dialJoint + `\d{1,2}){2,}(?:` +
				dialJoint + dialTurn + `)?)\b`), isTurned},
		{strings.Fields("PIN PUK code Code ombi eypad larm afe resor"), strings.Fields(
			"one two three four five six seven eight nine eins zwei drei vier fünf sechs sieben acht neun"),
			expr(`(?i)\b(` + numberWord + `(?:(?: |, ?|-)(?:then |dann )?` + numberWord + `){2,})\b`), isSpelled},
		{strings.Fields("ecovery ackup cratch iederherst otfall"), strings.Fields("code Code"),
			expr(`(?i)(?:recovery|backup|scratch|wiederherstellungs|notfall)[- ]?codes?\b[^.\n:]{0,30}` +
				`[:=]\s*((?:[a-z0-9]{4,6}-[a-z0-9]{4,6}\b[\s,;]*)+)`), isRecovery},
		{strings.Fields(".pgpass :5432:"), []string{":"},
			expr(`[\w.*-]+:(?:\d{2,5}|\*):[\w*-]+:[\w.*-]+:([^\s:"'«$<{]+)`), isField},
	}
})

// entered looks at a dial's turns, a number in words, and .pgpass, line by line: that is slow.
func entered(text string, add func(*rule, int, int)) {
	at := 0
	for line := range strings.Lines(text) {
		for _, w := range ways() {
			if !containsAny(line, w.words...) || !containsAny(line, w.and...) {
				continue
			}
			for _, m := range w.expr().FindAllStringSubmatchIndex(line, -1) {
				v := strings.TrimRight(line[m[2]:m[3]], " \t\r\n,;")
				if from := at + m[2]; w.accept(text, from, from+len(v)) {
					add(password, from, from+len(v))
				}
			}
		}
		at += len(line)
	}
}

func isField(text string, from, to int) bool { return classify(text[from:to]) > plainWord }

func isRecovery(text string, from, to int) bool {
	_, longest := letterRuns(text[from:to])
	return longest > 0 && longest < 4 && kindsIn(text[from:to]).digits > 0
}

// isTurned reports whether the turns are those of something with a lock.
func isTurned(text string, from, to int) bool {
	s := sentenceAround(text, from, to)
	return s != nil && has("turned", s.all)
}

// isSpelled reports whether a number in words is given, and opens something.
func isSpelled(text string, from, to int) bool {
	s := sentenceAround(text, from, to)
	if s == nil || s.denied() || !s.endsClause() {
		return false
	}
	s.isNumber = true
	access := s.access()
	return access > 1 && s.giving(access) > 1
}
