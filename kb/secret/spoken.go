package secret

import "strings"

// enough is what shape, giving words and access have to come to together.
const enough = 5

// spoken looks at values that sentences give away: "bluecheese42 gets you in".
func spoken(text string, add func(*rule, int, int)) {
	last, leads := "", false // the word before, and whether a plain word may be the value
	asks := containsAny(text, "uestion", "frage", "aiden", "first ", "rstes ", "eburtsort")
	for i := 0; i < len(text); {
		if space[text[i]] {
			i++
			continue
		}
		end, telling := i, false
		for ; end < len(text) && !space[text[end]]; end++ {
			telling = telling || outstanding[text[end]] ||
				text[end] == '.' && end+1 < len(text) && text[end+1] > ' '
		}
		leads = leadsToWord(last) || leads && isIn("fillers", last)
		from, to := inside(text, i, end, telling)
		switch v := text[from:to]; {
		case telling && isSpoken(text, from, to, standsOut(v)),
			leads && !telling && isWord(v) && isSpokenWord(text, from, to),
			len(v) > 6 && has("wellknown", v) && isSpoken(text, from, to, popular):
			add(password, from, to)
		default:
			from, to = quotation(text, i)
			switch last {
			case ":", "=", "with", "mit", "type", "words", "Wörter", "Worte", "Satz", "is", "ist", "lautet",
				"heißt":
				if to == 0 {
					from, to = saying(text, i)
				}
			}
			switch {
			case to > 0 && isSpoken(text, from, to, madeUp):
				add(password, from, to)
			case asks && isUpper(text[i]):
				if from, to = properName(text, i); to > 0 && isAnswer(text, from, to) {
					add(password, from, to)
				}
			}
		}
		last = text[i:end]
		if last[len(last)-1] == ':' {
			last = ":"
		}
		i = end
	}
}

// leadsToWord reports whether a word may stand before a plain word that is a secret.
func leadsToWord(last string) bool {
	switch last {
	case ":", "is", "ist", "it", "it's", "es", "lautet", "Losung", "Parole", "with":
		return true
	}
	return hasSuffix(last, "wort", "word", "nswer", "ntwort")
}

// inside returns a word without what surrounds it, and without a user before it.
func inside(text string, i, end int, telling bool) (from, to int) {
	if end-i > 60 || end-i < 3 {
		return i, i
	}
	from = end - len(strings.TrimLeft(text[i:end], around))
	if n := strings.IndexAny(text[from:end], "/:"); telling && n > 0 &&
		isIn("users", text[from:from+n]) {
		from += n + 1 // root/…
	}
	to = from + len(strings.TrimRight(text[from:end], around+".,;:"))
	if to > from && (text[to-1] == '!' || text[to-1] == '?') && endsSentence(text[to:]) {
		to--
	}
	return from, to
}

// isSpoken reports whether the sentence around a value of a shape gives it away.
func isSpoken(text string, from, to, shape int) bool {
	if from > 0 && text[from-1] == '`' {
		shape-- // code
	}
	if shape == noShape || shape < withSigns && isOfDevice(text[from:to]) {
		return false
	}
	s := sentenceAround(text, from, to)
	isPhrase := strings.Contains(text[from:to], " ")
	if s == nil || s.denied() || isPhrase && !has("phrases", s.before+s.after) {
		return false
	}
	k := kindsIn(text[from:to])
	s.isNumber = k.upper == k.letters && !isPhrase
	access := s.access()
	giving := s.giving(access)
	if isPhrase && strings.HasSuffix(s.before, " heißt ") {
		giving = 1 // which gives no name
	}
	switch {
	case shape == withSigns:
		if !strings.ContainsAny(text[from:to], "!?*$§€@") { // Sommer&Sonne26
			return giving > 0 && giving+access >= 2
		}
		return giving+access >= 2 || access > 0 && isMixed(text[from:to], &k)
	case giving == 0, s.isNumber && (giving == 1 || !s.endsNumber(text[from:to])):
		return false
	case shape == weak:
		return giving+access/2 >= 3 && (k.upper < 2 || k.digits > 0 || s.endsClause())
	}
	return access > 0 && shape+giving+access >= enough
}

// isSpokenWord reports whether a word is said to be a code word or password.
func isSpokenWord(text string, from, to int) bool {
	s := sentenceAround(text, from, to)
	if s == nil || s.denied() {
		return false
	}
	said, _ := s.said()
	is := s.endsClause() && hasSuffix(said, " is", " ist", " it", " lautet", " es")
	switch {
	case has("codewords", s.all):
		return is || isUpper(text[from]) && (endsWith("codewords", strings.TrimRight(s.before, " ")) ||
			s.sign == ':' && s.endsClause()) || s.sign == ':' && s.endsClause() && has("codewords", s.before)
	case has("signs", s.all) && has("theword", s.before) && (is || endsWith("theword", said) &&
		(s.endsClause() || hasPrefix(s.after, " and ", " und ", " so ", " damit "))):
		return true // "the word marzipan"
	case endsWith("lockedwith", said) && s.endsClause():
		return has("things", s.all) && !isUpper(text[from]) && to-from >= 6 && !isIn("tools", text[from:to])
	case is && has("passwords", s.all):
		// German writes nouns in capitals, and English passwords are none
		return to-from >= 6 && isUpper(text[from]) == strings.HasSuffix(said, "ist")
	}
	return false
}

// quotation returns where a passphrase stands between quotes that open at i, or zeros.
func quotation(text string, i int) (from, to int) {
	if !quoteOrBracket[text[i]] {
		return 0, 0
	}
	from, to, quoted := valueAt(text, i+len(text[i:])-len(strings.TrimLeft(text[i:], "(")))
	v := text[from:to]
	if !quoted || !phrase(v) || v[len(v)-1] == ' ' || strings.Contains("`*", text[from-1:from]) {
		return 0, 0
	}
	if k := kindsIn(v); k.letters+strings.Count(v, " ") < len([]rune(v)) {
		return 0, 0
	}
	return from, to
}

// saying returns where three words or more stand that a clause ends with, or zeros.
func saying(text string, i int) (from, to int) {
	first, _, _ := strings.Cut(text[i:min(len(text), i+20)], " ")
	before := strings.ToLower(text[max(0, i-60):i])
	ofPhrase := containsAny(before, "passphrase", "phrase is", "phrase: ", "phrase to ", "phrase for ", "key phrase") ||
		strings.Contains(before, " phrase ") && hasSuffix(before, " ours is ", " mine is ")
	if !ofPhrase && hasSuffix(before, " is ", " ist ", " heißt ") {
		return 0, 0
	}
	end, words, small := wordsOfPhrase(text, i)
	switch {
	case words < 3, words < 4 && !ofPhrase, small > words/4, isIn("small", first),
		small > 0 && hasSuffix(before, " is ", " ist ", " heißt "),
		strings.ContainsAny(text[i:end], "0123456789"):
		return 0, 0
	}
	return i, end
}
