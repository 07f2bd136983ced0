package clash

import (
	"math"
	"sync"

	"blackboard/board/text"
)

// Renewal is what tells whether a note takes the place of an older one in the answer to a
// question, though no word says that it replaces it (Note.Standing).
type Renewal struct {
	Newer, Older, Question *Note

	Wanted *Wanted // by the question
	Score  float64 // how well the newer one answers the question, as a share of the older one's score
	Near   int     // the older one's place among the neighbours of the newer one, from 1
	Next   bool    // of what the question finds, the newer one is next to the older one
}

// renewing are the weights of what is known, in the order of Renewal.known. They were fitted by logistic
// regression on five labelled sets of notes (100 renewed facts, 75 pairs of which both hold, 125
// answered questions) with all-MiniLM-L6-v2; the constant so that renewed facts in their old form,
// pairs that lose their order and wrong answers are fewest on sets that were left out, by words, too.
var renewing = [...]float64{-4.38, 2.02, 0.93, 6.84, -0.88, -4.99, 2.75, -1.67, 2.07}

// Odds is above 0 if the newer note takes the older one's place, and the larger the more likely.
func (r *Renewal) Odds() (sum float64) {
	for i, x := range r.known() {
		sum += renewing[i] * x
	}
	return sum
}

// known returns, as numbers: whether the newer note tells of a change; whether it has another value;
// what share of the older one's words it has; how much of that the question has, too, which is the topic
// and tells less, and what share of the newer note that is; how the question stands to both.
func (r *Renewal) known() [len(renewing)]float64 {
	is := func(b bool) float64 {
		if b {
			return 1
		}
		return 0
	}
	asked, newer := 0.0, 0.0
	for _, w := range r.Older.words {
		if r.Newer.find(w.word) != nil && r.Question.find(w.word) != nil {
			asked += w.weight
		}
	}
	for _, w := range r.Newer.words {
		newer += w.weight
	}
	return [...]float64{1, is(r.Newer.TellsOfChange()),
		is(r.Older.claims().read.HasOtherFigure(r.Newer.claims().read)) +
			is(r.Wanted.HasKind() && r.Wanted.In(r.Older.text) && r.Wanted.In(r.Newer.text)),
		r.Older.Share(r.Newer), math.Log1p(asked), asked / max(newer, 1), r.Score,
		math.Log(float64(r.Near)), is(r.Next)}
}

// TellsOfChange reports whether an English note says that something is so now, or has gone.
func (t *Note) TellsOfChange() bool { return changing().MatchString(t.text.Body) }

// changing matches the words of a change in an English note: what is so now, what has gone, what
// has come in whose place.
var changing = sync.OnceValue(func() *text.Regexp {
	return text.NewRegexp(`(?i)^([^.]|\.\S)*\b(now|anymore|no more|since|moved|switched|changed|replac\w+|renamed|became|` +
		`instead|rather|migrat\w+|raised|lowered|bumped|no longer|gone|dropped|retired|put off|postponed|slides?|` +
		`slipped|(taken?|takes|took|hand(ed|s)) over|cut over|predecessor|successor|from (today|now|here|this)|` +
		`as of|today|revers\w+|reverted|turned round|went back|ported|swapped|stop(ped|s)?|used to|these days|` +
		`meanwhile|chang\w+ \w+ minds?|(switched|turned) off)\b`)
})
