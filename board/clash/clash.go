// Package clash says how two texts about the same thing stand to each other: whether they may contradict each other, say
// the same, or whether one takes the place of the other.
//
// It compares words, not meaning, so a person has to judge. The caller must know, by
// cosine or shared words, that both texts are about one thing. What contradicts what is
// decided in package claims, as for the entries of a run; for short texts here, too, if one
// word or name stands in another's place (exchanged).
//
// A newer note may take the place of an older one without a word of contradiction (Note.Standing).
package clash

import (
	"strings"

	"blackboard/board/claims"
	"blackboard/board/words"
)

// maxReasons is the maximum number of reasons.
const maxReasons = 8

// Text is what is compared.
type Text struct{ Title, Body string }

// Reasons returns at most maxReasons reasons in short, a's side first; nil for equal texts. Swapping a and b never
// changes whether there are reasons.
func Reasons(a, b Text) []string { return ReasonsOf(a.Claims(), b.Claims()) }

// Claims is a text that has been read for ReasonsOf.
type Claims struct {
	text        Text
	read        *claims.Text
	title, body []string // the words of a short text, see exchanged
}

// Claims reads a text for ReasonsOf.
func (t Text) Claims() *Claims {
	whole := t.Body
	if !strings.HasPrefix(whole, strings.TrimSuffix(t.Title, "…")) {
		whole = t.Title + ".\n" + whole // a title is often the first sentence of the body
	}
	c := &Claims{text: t, read: claims.ReadText(whole)}
	if n := len(strings.Fields(t.Body)); n >= 3 && n <= 3*mostExchanged {
		c.title, c.body = words.Statement(t.Title), words.Statement(t.Body)
	}
	return c
}

// maxRead is how many texts are kept.
const maxRead = 2000

// ReadTexts keeps texts that have been read, by number.
type ReadTexts map[int]*Claims

// Claims returns a text as it has been read, and reads it if it is not kept.
func (r ReadTexts) Claims(n int, t Text) *Claims {
	if r[n] == nil {
		if len(r) >= maxRead {
			clear(r)
		}
		r[n] = t.Claims()
	}
	return r[n]
}

// ReasonsOf is Reasons for texts that have been read.
func ReasonsOf(x, y *Claims) []string {
	if x.text == y.text {
		return nil
	}
	why := x.read.Contradicts(y.read)
	if len(why) > 0 && len(y.read.Contradicts(x.read)) == 0 { // what is nearest may differ either way round
		why = nil
	}
	if other := exchanged(x, y); len(why) == 0 && other != "" {
		why = []string{other}
	}
	return why[:min(len(why), maxReasons)]
}
