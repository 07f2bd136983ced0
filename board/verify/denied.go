package verify

import (
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"blackboard/board/claims"
	"blackboard/board/claims/parse"
	"blackboard/board/text"
)

// This file finds quotes that are true to the letter, and cut out of a sentence that
// denies or limits what they say.

// denial is what a finding says itself if it denies something.
var denial = text.NewRegexp(`(?i)\b(not|no|none|never|nor|neither|nobody|nothing|without|` +
	`cannot|only|un\w+(?:ed|able)|lacks?|missing|fails?|failed|false|wrong|deny|denie[ds]|` +
	`disputes?d?|rejects?|rejected|refuse[ds]?|excluded?|un\w+)\b|n['’]t\b`)

// plain is what denies something whatever stands with it.
var plain = text.NewRegexp(`(?i)\b(not|no|none|never|nor|neither|nobody|nothing|without|cannot|only)\b|n['’]t\b`)

// cut says how a quote leaves out what takes back or limits it; "" if it does not.
func (s *Source) cut(f *Finding, places []match) string {
	if word := s.cutOut(f, places); word != "" {
		return "the quote is cut out of a denial: “" + word + "” stands beside it"
	}
	if word := s.cutShort(f, places); word != "" {
		return "the quote is cut off before its condition: “" + word + "” goes on behind it"
	}
	if word := s.cutBehind(f, places); word != "" {
		return "the quote is cut out behind “" + word + "”, which limits it"
	}
	return ""
}

// cutOut returns the word that takes back what a quote says, "" if there is none at one of
// its places, or the finding itself denies something.
func (s *Source) cutOut(f *Finding, places []match) (word string) {
	for _, m := range places {
		if word = s.denier(m); word == "" {
			return ""
		}
	}
	if plain.MatchString(f.Evidence) || plain.MatchString(f.Content) ||
		denial.MatchString(f.Content) && !denial.MatchString(f.Evidence) {
		return ""
	}
	return word
}

// cutShort returns the word that begins a condition behind a quote, at all of its places, of which the finding says
// nothing; "" if one place has none.
func (s *Source) cutShort(f *Finding, places []match) (word string) {
	if strings.ContainsAny(lastRune(f.Evidence), ".!?;:|>") {
		return ""
	}
	x := s.words()
	for _, m := range places {
		rest := x.text[x.words[m.to-1].end:]
		rest, _, _ = strings.Cut(rest[:min(len(rest), around+1)], "\n\n")
		line, _, _ := strings.Cut(rest, "\n")
		if parse.IsProgram(s.doc.Name) && !strings.ContainsFunc(line, unicode.IsLetter) {
			return "" // the next line is another statement
		}
		if word = claims.Condition(f.Content, f.Evidence,
			strings.ReplaceAll(rest[:min(len(rest), around)], "\n", " ")); word == "" {
			return ""
		}
	}
	return word
}

func lastRune(s string) string {
	s = strings.TrimSpace(s)
	_, n := utf8.DecodeLastRuneInString(s)
	return s[len(s)-n:]
}

// cutBehind returns the word that limits, right before a quote at all of its places, what the quote and the finding say
// of all: most of the. It is "" if one place has none, or the finding limits itself.
func (s *Source) cutBehind(f *Finding, places []match) (word string) {
	x := s.words()
	for _, m := range places {
		start := int(x.words[m.from].start)
		before := limiting.FindStringSubmatch(x.text[max(0, start-40):start])
		if before == nil || limited.MatchString(strings.ReplaceAll(f.Content, "half past", "")) {
			return ""
		}
		word = before[1]
	}
	return word
}

const ofAPart = `most|some|few|half|several|nearly|almost|many`

var (
	// limiting is what says before a statement that it is of a part.
	limiting = text.NewRegexp(`(?i)\b(` + ofAPart + `)(?:\s+(?:of|the|all|its|their))*\s+$`)
	// limited is what a finding says itself if it is not of all.
	limited = text.NewRegexp(`(?i)\b(` + ofAPart + `|mostly|majority|part|partly|usually|except|but|not|` +
		`(?:\w+ out|\d+|two|three|four|five|six|seven|eight|nine|ten) of)\b`)
)

// reach is how many words before a quote may deny it.
const reach = 6

// denier returns the word in the same clause before a place that denies what stands there, "" if there is none.
func (s *Source) denier(m match) string {
	x, from := s.words(), m.from
	for from > 0 && from > m.from-reach && !strings.Contains(x.between(from), "\n\n") &&
		(!strings.Contains(x.between(from), "\n") || s.wraps(from)) {
		from--
	}
	before := strings.TrimSpace(x.text[x.words[from].start:x.words[m.from].start])
	if strings.HasSuffix(before, ",") && m.from-from > 3 { // that clause has ended, unlike: No, …
		return ""
	}
	return claims.Denier(before)
}

// wraps reports whether a sentence goes on with a word on the next line. Lines of programs
// and tables end what they say.
func (s *Source) wraps(word int) bool {
	x := s.words()
	r, _ := utf8.DecodeRuneInString(x.text[x.words[word].start:])
	const long = 50
	end := int(x.words[word-1].end)
	return unicode.IsLower(r) && end-strings.LastIndex(x.text[:end], "\n") > long &&
		!slices.Contains(rendered, strings.ToLower(path.Ext(s.doc.Name))) && !parse.IsProgram(s.doc.Name)
}
