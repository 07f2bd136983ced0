package secret

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// How much of a text before and behind a value is read.
const (
	readBefore = 260
	readBehind = 140
)

// sentence is what stands around a value: in lower case, with one blank instead of any signs.
type sentence struct {
	before, after string   // of its own sentence
	all           string   // with the sentences around
	words         []string // of before
	line, rest    string   // as they are, up to the value and from it on
	sign          rune     // right before the value, or 0
	alone         bool     // on its line
	pair          bool     // a user stands before it
	isNumber      bool
}

// sentenceAround returns what stands around a value, or nil if that is code.
func sentenceAround(text string, from, to int) *sentence {
	before, after := text[max(0, from-readBefore):from], text[to:min(len(text), to+readBehind)]
	before = before[strings.LastIndex(before, "\n\n")+1:]
	after, _, _ = strings.Cut(after, "\n\n")
	line := before[strings.LastIndexByte(before, '\n')+1:]
	behind, _, _ := strings.Cut(after, "\n")
	if has("code", line+" "+behind) || strings.ContainsAny(line+behind, "{}") ||
		strings.HasPrefix(strings.TrimLeft(line, " \t"), "//") {
		return nil
	}
	above := strings.TrimSuffix(before[:len(before)-len(line)], "\n")
	s := &sentence{rest: after, alone: line == "" && strings.Trim(behind, around+".,;:!") == "" &&
		strings.Count(above[strings.LastIndexByte(above, '\n')+1:], " ") > 3}
	if !s.alone {
		before, after = line, behind
	}
	s.line = strings.TrimRight(before, around[:len(around)-len("()[]")])
	if r, _ := utf8.DecodeLastRuneInString(s.line); !unicode.IsLetter(r) && !unicode.IsDigit(r) {
		s.sign = r
	}
	s.split(before, after)
	n := len(s.words) - 1
	s.pair = n >= 0 && (isIn("users", s.words[n]) || n > 0 && oneOf(" as als ", s.words[n-1])) &&
		(strings.ContainsRune("/,+(", s.sign) || s.sign == ':' && text[from-1] == ':')
	return s
}

// split sets the sentence of the value, and that with the two before it and the one behind.
func (s *sentence) split(before, after string) {
	cut := lastSentence(before)
	s.before = plain(before[cut:])
	s.words = strings.Fields(s.before)
	own, _, _ := strings.Cut(after+" ", ". ")
	s.after = plain(own)
	cut = lastSentence(before[:cut])
	s.all = plain(before[lastSentence(before[:cut]):] + " " + after)
}

func lastSentence(s string) int {
	s = strings.TrimRight(s, " ")
	return max(strings.LastIndex(s, ". "), strings.LastIndex(s, "! "), strings.LastIndex(s, "? ")) + 1
}

func endsSentence(rest string) bool {
	rest = strings.TrimLeft(rest, "\"'“”)*`")
	return rest == "" || rest[0] == '\n' ||
		rest[0] == ' ' && len(rest) > 1 && !unicode.IsLower(firstRune(rest[1:]))
}

// plain returns a text in lower case, its words between blanks.
func plain(s string) string {
	b := append(make([]byte, 0, len(s)+2), ' ')
	for _, r := range s {
		switch {
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
			b = append(b, byte(r))
		case unicode.IsLetter(r):
			b = utf8.AppendRune(b, unicode.ToLower(r))
		case b[len(b)-1] != ' ':
			b = append(b, ' ')
		}
	}
	return strings.TrimRight(string(b), " ") + " "
}

// denied reports whether the sentence is about values, or says of this one what else it is.
func (s *sentence) denied() bool {
	if has("denied", s.before+s.after) {
		return true
	}
	if said, _ := s.said(); s.alone || s.pair || endsWith("gives", said) {
		return false
	}
	for n := len(s.words) - 1; n >= max(0, len(s.words)-3); n-- {
		isCopula := oneOf(" it is ist was war ", s.words[n])
		switch {
		case isIn("labels", s.words[n]):
			return true
		case isCopula && (has("passwords", s.before) || strings.Contains(s.before, " code ")),
			!isCopula && !isIn("fillers", s.words[n]):
			return false // the password of the user is …
		}
	}
	return false
}

// access says how much the sentences around speak of getting in: 0 to 3.
func (s *sentence) access() (n int) {
	switch {
	case s.isNumber && has("locks", s.all) && !has("othercodes", s.all):
		return 2
	case s.isNumber && (s.sign != 0 || !has("passwords", s.before)):
		return 0
	case has("signs", s.all):
		n = 2
	}
	if has("things", s.all) {
		n++
	}
	return n
}

// giving says how clearly the words around the value give it: 0 to 2.
func (s *sentence) giving(access int) int {
	before, pauses := s.said()
	if s.alone || s.pair || hasPrefix(s.after, listed("taken").words...) ||
		endsWith("gives", before) {
		return 2
	}
	if s.isNumber && len(s.words) < 9 && s.endsClause() && has("numbers", before+" ") {
		return 2
	}
	switch s.sign {
	case '/':
		return 2 * min(1, len(s.words)*(2-strings.Count(s.line, "//")))
	case ':', '→', '>', '+':
		return 2
	case '?', '=':
		if s.isNumber {
			return 2
		}
		return 1
	case '(', '–', '—', '-', ',':
		return 1
	}
	words := strings.Fields(before)
	if s.endsClause() && has("is", before) || has("gives", before) {
		pauses = 1
	}
	if len(words) == 0 {
		return pauses
	}
	return max(pauses, s.givingWord(before, words, access))
}

// givingWord says how clearly the last word before a value gives it.
func (s *sentence) givingWord(before string, words []string, access int) int {
	last, second := words[len(words)-1], words[max(0, len(words)-2)]
	k := announcedBy(last)
	switch {
	case k >= aPassword && k <= aCode, hasSuffix(before, " of", " von") && announcedBy(second) > nothing:
		return 2
	case endsWith("is", before):
		return min(max(access, 1), 2)
	case !endsWith("with", before):
		return 0
	case isIn("users", second), !oneOf(" to auf ", last) && strings.ContainsAny(second, "0123456789"), // a pair
		last != "and" && last != "und" && has("opening", s.before+s.after):
		return 2
	}
	return 1
}

// said returns what leads to the value, without words such as "still", and 1 if there were some.
func (s *sentence) said() (before string, pauses int) {
	words := s.words
	for n := 0; n < 4 && len(words) > 0 && isIn("fillers", words[len(words)-1]); n++ {
		words, pauses = words[:len(words)-1], 1
	}
	return " " + strings.Join(words, " "), pauses
}

// endsClause reports whether the value is the last word of a clause.
func (s *sentence) endsClause() bool {
	rest := strings.TrimLeft(s.rest, "\"'“”)*`")
	return rest == "" || strings.IndexByte(".,;:!?\n", rest[0]) >= 0 || strings.HasPrefix(rest, " (")
}

// endsNumber reports whether a number is no year, and counts nothing.
func (s *sentence) endsNumber(v string) bool {
	switch {
	case len(v) == 4 && hasPrefix(v, "19", "20") && !has("numbers", s.before) &&
		!has("opening", s.before), len(v) == 3 && !has("dials", s.all):
		return false
	case s.endsClause(), strings.Contains(v, "-"), hasPrefix(s.after, listed("taken").words...):
		return true
	}
	rest := strings.TrimLeft(s.rest, "\"'“”)*`#")
	f := strings.Fields(rest)
	if len(f) == 0 || rest[0] == '-' {
		return true
	}
	next := firstRune(f[0])
	return rest[0] == ' ' && (isIn("afternumber", strings.TrimRight(f[0], ".,")) ||
		!unicode.IsLetter(next) ||
		unicode.IsLower(next) && !isIn("units", f[0]) && has("german", s.before))
}
