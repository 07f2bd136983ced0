package store

import (
	"math"
	"slices"

	"blackboard/board/clash"
	"blackboard/embed"
	"blackboard/kb/index"
	"blackboard/kb/rank"
)

// maxRead is how much of a text evidence reads, in bytes.
const maxRead = 16 << 10

// Judge says, for all stores, how sure a found text is to answer the question.
type Judge struct {
	Threshold float64       // hits with less evidence are weak
	Wanted    *clash.Wanted // by the question, nil until a text is sure

	model       rank.Question
	words       rank.Question // for hits without a cosine
	wordsBelow  float64       // how much lower the threshold by words is
	among       float64       // what BM25 counts among texts of which some stand aside
	index       *index.Index
	found       *index.Result
	meaningless bool // cosines of this model say nothing, yet or of this question
	unaskedOne  float64
	question    string
	lacking     float64 // the most evidence of a text that lacks what is asked for
}

// behind is the share of the evidence of a text that lacks what is asked for, below which
// no other text answers: what is nearest to the question would have it.
const behind = 0.9

// NewJudge judges a search with a model, "" by words alone. calibrated is the threshold
// that was measured for it, 0 if none was. unasked: whoever gets the hits has asked
// nothing. Texts aside, such as sections of documents, do not raise the threshold; among
// them a word is rarer, and BM25 counts less.
func NewJudge(x *index.Index, question string, found *index.Result, model string,
	calibrated float64, unasked bool) *Judge {
	j := &Judge{index: x, found: found, question: question}
	byWords, scale := rank.ScaleOf(""), rank.ScaleOf(model).Calibrated(calibrated)
	if !scale.Reads(question) {
		scale, j.meaningless = byWords, true
	}
	terms := make([]rank.Term, len(found.Terms))
	for i, t := range found.Terms {
		terms[i] = rank.Term(t)
	}
	n := found.Docs - found.Aside
	j.among = math.Log1p(float64(n)) / math.Log1p(float64(max(1, found.Docs)))
	j.model = scale.Ask(found.Docs, terms, found.Stems, found.Chance*j.among)
	j.words = byWords.Ask(found.Docs, terms, found.Stems, found.Chance*j.among)
	j.Threshold, j.unaskedOne = scale.Least(n, unasked), scale.Unasked
	j.wordsBelow = j.Threshold - byWords.Least(n, unasked)
	return j
}

// Evidence judges a candidate by its text.
func (j *Judge) Evidence(c *index.Candidate, title, body string) float64 {
	q, add := &j.model, 0.0
	if !c.HasVector || j.meaningless {
		q, add = &j.words, j.wordsBelow
	}
	f := rank.Found{BM25: c.BM25 * j.among, Cosine: c.Cosine}
	if q.NeedsTerms() {
		f.Title = j.index.TermsIn(j.found.Languages, title)
		f.Body = j.index.TermsIn(j.found.Languages, body[:min(len(body), maxRead)])
	}
	e := q.Of(f)
	if e > 0 {
		e += add
	}
	if e < j.Threshold {
		return e
	}
	if j.Wanted == nil {
		j.Wanted = clash.WantedBy(j.question, j.known)
	}
	if !j.Wanted.In(clash.Text{Title: title, Body: body[:min(len(body), maxRead)]}) {
		j.lacking = max(j.lacking, e)
		return j.below(e)
	}
	return e
}

func (j *Judge) known(word string) bool {
	terms := j.index.TermsIn(j.found.Languages, word)
	return slices.ContainsFunc(j.found.Terms,
		func(t index.Term) bool { return t.DF > 0 && slices.Contains(terms, t.Text) })
}

// Settle returns the evidence of a text when all were judged.
func (j *Judge) Settle(evidence float64) float64 {
	if evidence >= j.Threshold && evidence < behind*j.lacking {
		return j.below(evidence)
	}
	return evidence
}

// below makes evidence weak and keeps its order.
func (j *Judge) below(e float64) float64 { return e * j.Threshold / (e + j.Threshold) }

// AmongOne returns evidence as it would be in a store of one text, for a calibration.
func (j *Judge) AmongOne(evidence float64) float64 {
	return evidence - j.Threshold + j.unaskedOne
}

// Alike is what the cosine of two texts counts as evidence.
func Alike(model string, a, b embed.Vector) float64 {
	return rank.ScaleOf(model).Cosine * embed.Cosine(a, b)
}

// Order ranks candidates by words and meaning, best first, for a question of that many terms. A
// text that has no vector counts as if it were as near as those with the same words usually are.
func Order(model string, terms int, cands []index.Candidate) []rank.Scored {
	scale := rank.ScaleOf(model)
	sum, n := 0.0, 0.0
	for i := range cands {
		if c := &cands[i]; c.HasVector && c.TextRank > 0 {
			sum, n = sum+c.Cosine, n+1
		}
	}
	list := make([]rank.Scored, len(cands))
	for i := range cands {
		c := &cands[i]
		cosine := c.Cosine
		if !c.HasVector && n > 0 {
			cosine = sum / n
		}
		list[i] = rank.Scored{ID: c.ID, Score: scale.Score(terms, c.BM25, cosine)}
	}
	rank.Sort(list)
	return list
}
