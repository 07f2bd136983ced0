package survival

import (
	"context"
	"fmt"
	"math"

	"blackboard/board/claims"
	"blackboard/board/documents"
	"blackboard/board/fault"
	"blackboard/embed"
)

// semanticPassage is the size of the passages that are embedded, in tokens: a sentence
// or two, so that a passage is about one thing.
const semanticPassage = 38

// surely is a cosine of texts that differ in no more than a word or two.
const surely = 0.95

// embedBatch is how many passages are embedded at a time, so that a cancelled context
// is noticed.
const embedBatch = 64

// AddMeaning looks for the missing and unsure items, without those that are contradicted, by the cosine of their
// embeddings with every passage of the reports. An item becomes present, by meaning, if its best passage reaches
// minCosine and has all of its numbers in or next to it. Every such item gets its cosine. Present items do not change.
//
// Vectors are compared only with vectors of the same embedder. The error is the
// embedder's, or fault.Invalid for a minCosine outside 0..1.
func (r *Result) AddMeaning(ctx context.Context, e embed.Embedder, minCosine float64,
	reports ...*documents.Document) error {
	if math.IsNaN(minCosine) || minCosine <= 0 || minCosine > 1 {
		return fault.Invalid.New(fmt.Sprintf("min-cosine %v is not between 0 and 1",
			minCosine), "1 means the same text; the right value differs from model to model")
	}
	var missing []int
	var texts []string
	for i := range r.Items {
		if (!r.Items[i].Present || r.Items[i].Unsure) && r.Items[i].Cause != MissContradicted {
			missing, texts = append(missing, i), append(texts, r.Items[i].Content)
		}
	}
	r.Semantic = &Semantic{Model: e.Model().Name, MinCosine: minCosine}
	if len(missing) == 0 {
		return nil
	}
	wanted, err := embedAll(ctx, e, texts)
	if err != nil {
		return err
	}
	for _, report := range reports {
		x := newIndex(report)
		passages := x.claims.Spans(semanticPassage)
		texts = texts[:0]
		for _, at := range passages {
			texts = append(texts, textOf(x.claims.Claims[at.First:at.Last+1]))
		}
		have, err := embedAll(ctx, e, texts)
		if err != nil {
			return err
		}
		for k, i := range missing {
			r.Items[i].meaning(x, passages, wanted[k], have, minCosine)
		}
	}
	r.count()
	return nil
}

// meaning compares one missing item with the passages of one report.
func (r *ItemResult) meaning(x *index, passages []claims.Span, want embed.Vector,
	have []embed.Vector, minCosine float64) {
	best, top := -1, -1.0
	for i := range passages {
		if c := embed.Cosine(want, have[i]); c > top {
			best, top = i, c
		}
	}
	if best < 0 || r.Cosine != nil && *r.Cosine >= top {
		return
	}
	top = math.Round(top*1000) / 1000
	r.Cosine = &top
	if top < minCosine {
		return
	}
	p, at := newPattern(r.Content), passages[best]
	if !x.claims.HasNumbers(p.Pattern, at) {
		return // near in meaning, but a number is not there
	}
	passage := x.passage(x.claims.Claims[at.First : at.Last+1])
	if top < surely && (claims.IsNegative(r.Content) != claims.IsNegative(passage.whole) || p.calledFalse(x) >= 0) {
		return // vectors hardly tell what is from what is not
	}
	r.Present, r.Unsure, r.Cause = true, false, ""
	r.ByMeaning, r.MissingNumbers, r.Passage = true, []string{}, passage
}

func embedAll(ctx context.Context, e embed.Embedder, texts []string) ([]embed.Vector, error) {
	out := make([]embed.Vector, 0, len(texts))
	for len(texts) > 0 {
		n := min(len(texts), embedBatch)
		vectors, err := e.Embed(ctx, texts[:n])
		if err != nil {
			return nil, err
		}
		out, texts = append(out, vectors...), texts[n:]
	}
	return out, nil
}
