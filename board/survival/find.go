package survival

import (
	"math"
	"slices"
	"strings"

	"blackboard/board/claims"
	"blackboard/board/documents"
	"blackboard/board/words"
)

const (
	leastCoverage = 0.6 // share of an item's significant tokens that a passage must have
	// the same of a sentence and the one before it, in an item without numbers
	leastInOne   = 0.55
	fewWants     = 4   // an item of so few wants must be had by a passage
	leastWords   = 0.3 // the same, however many of its numbers are there; or of a sentence alone
	leastBeside  = 0.2 // the same, beside three telling numbers
	fewTokens    = 3   // an item with so few significant tokens needs all of them
	passageRunes = 300 // of the passage that a result shows
)

// finding says how well a report carries a pattern.
type finding struct {
	pattern     *pattern
	index       *index
	cause       string  // "": present
	have        []bool  // which wants the passage and its vicinity have
	share       float64 // the coverage
	first, last int32   // units of the passage; first is -1 if there is none

	said    *claims.Survival // if the claims of the report decided
	reasons []string         // why they contradict the item
	lacks   []string         // its figures that are not there
	unsure  bool             // a passage speaks of it, and too little of it is there to decide
	near    claims.Survival  // what the nearest claims say
	cited   bool             // a statement that cites the item contradicts it
}

func (f finding) better(g finding) bool {
	if (f.cause == "") != (g.cause == "") {
		return f.cause == ""
	}
	if f.unsure != g.unsure {
		return f.unsure == (f.cause != MissContradicted && g.cause != MissContradicted)
	}
	if (f.cause == MissContradicted) != (g.cause == MissContradicted) {
		return f.cause == MissContradicted
	}
	return f.coverage() > g.coverage()
}

func (f finding) coverage() float64 {
	if len(f.pattern.wants) == 0 {
		if f.cause == "" {
			return 1
		}
		return 0
	}
	return f.share
}

func (f finding) result(item Item) ItemResult {
	r := ItemResult{Item: item, Cause: f.cause, MissingTokens: []string{},
		MissingNumbers: []string{}}
	r.Unsure, r.Present = f.unsure, r.Cause == ""
	r.Present = r.Present || f.unsure && f.near.Verdict != claims.Refuted &&
		r.Cause != MissContradicted && !f.near.Rivals() &&
		(r.Cause != MissNumber && !f.scattered() || f.near.Likely())
	r.Coverage = math.Round(f.coverage()*1000) / 1000
	for i, w := range f.pattern.wants {
		switch {
		case f.have != nil && f.have[i]:
		case w.number:
			r.MissingNumbers = append(r.MissingNumbers, w.text)
		default:
			r.MissingTokens = append(r.MissingTokens, w.text)
		}
	}
	if f.said != nil {
		f.tell(&r)
	} else if f.unsure && f.near.Window != nil {
		r.Passage = f.index.passage(f.near.Window)
	} else if f.index != nil && f.first >= 0 && (f.cause != MissAbsent || f.nearby()) {
		r.Passage = f.index.quote(f.first, f.last, passageRunes)
	}
	return r
}

// tell writes into r what the claims of a report say: coverage, passage, reasons, and what is missing or left out.
func (f *finding) tell(r *ItemResult) {
	r.Coverage = max(r.Coverage, math.Round(f.said.Window.Cover*1000)/1000)
	r.Passage, r.MissingNumbers, r.Reasons = f.index.passage(f.said.Window), []string{}, f.reasons
	switch {
	case f.said.Verbatim:
		r.Coverage, r.MissingTokens = 1, []string{}
	case r.Present:
		r.Lacks = f.lacks
	default:
		r.MissingNumbers = append(r.MissingNumbers, f.lacks...)
	}
}

// nearShare is the share of an item's words that a passage must have to be shown as near.
const nearShare = .1

// nearby reports whether the passage of an absent item is worth showing: more than a heading
// or a word in common.
func (f *finding) nearby() bool {
	for i := f.first; i <= f.last; i++ {
		if !f.index.units[i].heading {
			return f.share >= nearShare
		}
	}
	return false
}

// find looks for the pattern in one report.
func (p *pattern) find(x *index, h *hits) finding {
	f := finding{pattern: p, index: x, cause: MissAbsent, first: -1}
	if len(p.wants) == 0 {
		if at := lineWith(x.report, p.exact); at >= 0 {
			f.cause = ""
			if i := x.unitAt(at); i >= 0 {
				f.first, f.last = i, i
			}
		}
		return f
	}
	h.fill(p, x)
	best, bestScore, together := passage{first: -1}, 0, false
	for _, at := range x.passages(p.size) {
		under := x.units[at.first].under
		// Words must be in the passage; numbers in its vicinity.
		w, n := p.weigh(h.gather(at.first, at.last, under), false), p.numbers
		dealsWithIt := w >= p.need && p.words > 0
		together = together || dealsWithIt
		score := p.score(w, n, dealsWithIt)
		if score <= bestScore {
			continue // even if it has all the numbers
		}
		if p.numbers > 0 {
			n = p.weigh(h.gather(at.from, at.to, under), true)
			score = p.score(w, n, dealsWithIt)
		}
		if n == p.numbers && (dealsWithIt && p.linked(x, h, at) || p.words == 0) {
			f.cause = ""
		}
		if score > bestScore {
			best, bestScore = at, score
		}
	}
	if f.cause != "" {
		if u := p.inOne(x, h); u >= 0 {
			f.cause, best = "", passage{u, u, u, u}
		}
	}
	if best.first < 0 {
		return f
	}
	f.locate(x, h, best)
	if f.cause == "" {
		if u := p.calledFalse(x, h); u >= 0 {
			f.cause, f.first, f.last = MissContradicted, u, u
		}
		return f
	}
	words1, numbers1 := p.anywhere(x)
	switch {
	case together && p.numbers > 0:
		f.cause = MissNumber
		if f.follows() {
			f.cause = ""
		}
	case words1 >= p.need && numbers1 == p.numbers:
		f.cause = MissScattered
	}
	return f
}

// inOne returns the sentence that with the one before it, and the headings above, has
// somewhat fewer words of an item than a passage must have; -1 if there is none. What
// has numbers is not looked for so.
func (p *pattern) inOne(x *index, h *hits) int32 {
	least := leastInOne * float64(p.words)
	if all, _ := p.anywhere(x); p.numbers > 0 || len(p.wants) <= fewWants || float64(all) < least {
		return -1
	}
	for u := range x.units {
		i, from := int32(u), int32(u)
		if x.units[i].heading {
			continue
		}
		if from > 0 && x.units[from-1].section == x.units[i].section {
			from--
		}
		if float64(p.weigh(h.gather(i, i, span{}), false)) >= leastWords*float64(p.words) &&
			float64(p.weigh(h.gather(from, i, x.units[i].under), false)) >= least {
			return i
		}
	}
	return -1
}

// linked reports whether a sentence of the passage, with the one before it and the
// headings, has most of what an item without numbers has: words that stand each in
// another sentence say something else. Of three words one sentence must have all.
func (p *pattern) linked(x *index, h *hits, at passage) bool {
	least, before := leastInOne*float64(p.words), int32(1)
	if p.words == wordWeight*fewTokens {
		least, before = float64(p.need), 0
	}
	for u := at.first; u <= at.last && p.numbers == 0; u++ {
		set := h.gather(max(at.first, u-before), u, x.units[at.first].under)
		if float64(p.weigh(set, false)) >= least {
			return true
		}
	}
	return p.numbers > 0
}

// score orders passages: those with everything first, then those with the words, since
// these are nearer than ones with only the numbers.
func (p *pattern) score(words, numbers int, dealsWithIt bool) int {
	score := words + wordWeight*numbers
	if dealsWithIt {
		score += p.words + wordWeight*p.numbers
		if numbers == p.numbers {
			score *= 2
		}
	}
	return score
}

// anywhere returns the weight of the words, and the count of the numbers, that the
// report has at all.
func (p *pattern) anywhere(x *index) (words, numbers int) {
	for _, w := range p.wants {
		if slices.ContainsFunc(w.keys, func(k string) bool { return len(x.post[k]) > 0 }) {
			if w.number {
				numbers++
			} else {
				words += w.weight
			}
		}
	}
	return words, numbers
}

// locate notes what a passage has, and where it is.
func (f *finding) locate(x *index, h *hits, at passage) {
	p, under := f.pattern, x.units[at.first].under
	f.have = make([]bool, len(p.wants))
	got, all := 0, 0
	note := func(set []uint64, numbers bool) {
		for i, w := range p.wants {
			if w.number != numbers {
				continue
			}
			f.have[i] = set[i/64]&(1<<(i%64)) != 0
			if numbers == (p.words == 0) { // the coverage is that of the words, if there are any
				weight := max(w.weight, 1)
				if all += weight; f.have[i] {
					got += weight
				}
			}
		}
	}
	note(h.gather(at.first, at.last, under), false)
	note(h.gather(at.from, at.to, under), true)
	f.share = float64(got) / float64(all)
	// What is shown is as short as it can be with the same tokens.
	f.first, f.last = at.first, at.last
	whole := slices.Clone(h.gather(f.first, f.last, under))
	for f.first < f.last && slices.Equal(h.gather(f.first+1, f.last, under), whole) {
		f.first++
	}
	for f.first < f.last && slices.Equal(h.gather(f.first, f.last-1, under), whole) {
		f.last--
	}
}

// lineWith returns where the line begins that has a folded text, or -1.
func lineWith(d *documents.Document, exact string) int {
	for start, line := range d.Lines() {
		if exact != "" && strings.Contains(words.FoldText(line), exact) {
			return start
		}
	}
	return -1
}
