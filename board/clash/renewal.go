package clash

import (
	"math"
	"slices"
	"sync"

	"blackboard/board/text"
	"blackboard/board/words"
)

// Renewal is what tells whether a note takes the place of an older one in the answer to a
// question, though no word says that it replaces it (Note.Standing).
type Renewal struct {
	Newer, Older *Note
	Question     *Note
	Wanted       *Wanted // by the question
	Notes        float64 // the cosine of both notes
	Near         int     // the older one's place among the neighbours of the newer one, from 1
	Place        int     // the newer one's place among what the question finds, from 1
}

// renewing are the weights of what is known, in the order of Renewal.known. They were fitted by logistic
// regression on three labelled sets of notes (60 renewed facts, 45 pairs of which both hold, 75
// answered questions) with all-MiniLM-L6-v2; the constant so that half as many true pairs lose their
// order as by the rule of neighbours before, and no memory of testdata/memory finds less.
var renewing = [...]float64{-2.7, 6.9, -1.6, -1.8, 1.4, -0.7, 1.4, 0.6, 0.5}

// Odds is above 0 if the newer note takes the older one's place, and the larger the more likely.
func (r *Renewal) Odds() (sum float64) {
	for i, x := range r.known() {
		sum += renewing[i] * x
	}
	return sum
}

// ownName is the least weight of a name that may be what a note says.
const ownName = 4.0

// known returns, as numbers: how near the notes are to each other and the newer one to the question;
// whether it tells of a change; words of the older one that it has, those of the question (the topic)
// and others (what was said of it), which count beside a change; other names; another value.
func (r *Renewal) known() [len(renewing)]float64 {
	is := func(b bool) float64 {
		if b {
			return 1
		}
		return 0
	}
	asked, said := 0.0, 0.0
	for _, w := range r.Older.words {
		if w.empty || r.Newer.has(w.word) == nil {
			continue
		}
		if r.Question.has(w.word) != nil {
			asked += w.weight
		} else {
			said += w.weight
		}
	}
	names := func(a, b *Note) bool {
		return slices.ContainsFunc(a.words, func(w noteWord) bool {
			return w.value == valueName && w.weight > ownName && b.has(w.word) == nil && r.Question.has(w.word) == nil
		})
	}
	changed := is(changing().MatchString(r.Newer.text.Body))
	return [...]float64{1, r.Notes, math.Log(float64(r.Near)), math.Log1p(float64(r.Place)), changed,
		math.Log1p(asked), changed * math.Log1p(said), is(names(r.Older, r.Newer) && names(r.Newer, r.Older)),
		is(r.otherFigure()) + is(r.Wanted.HasKind() && r.Wanted.In(r.Older.text) && r.Wanted.In(r.Newer.text))}
}

// otherFigure reports whether both notes have figures of a unit, and not the same.
func (r *Renewal) otherFigure() bool {
	ours := r.Newer.text.Claims().Figures
	return slices.ContainsFunc(r.Older.text.Claims().Figures, func(f words.Figure) bool {
		like := func(g words.Figure) bool { return f.Like(&g) && (f.Kind == "date" || f.Unit != "") }
		return slices.ContainsFunc(ours, like) &&
			!slices.ContainsFunc(ours, func(g words.Figure) bool { return like(g) && !f.Differs(&g) })
	})
}

// changing matches the words of a change in an English note: what is so now, what has gone, what
// has come in whose place.
var changing = sync.OnceValue(func() *text.Regexp {
	return text.NewRegexp(`(?i)^([^.]|\.\S)*\b(now|anymore|no more|since|moved|switched|changed|replac\w+|renamed|became|` +
		`instead|rather|migrat\w+|raised|lowered|bumped|no longer|gone|dropped|retired|put off|postponed|slides?|` +
		`slipped|(taken?|takes|took|hand(ed|s)) over|cut over|predecessor|successor|from (today|now|here|this)|` +
		`as of|today|revers\w+|reverted|turned round|went back|ported|swapped|stop(ped|s)?|used to|these days|` +
		`meanwhile|chang\w+ \w+ minds?|(switched|turned) off)\b`)
})
