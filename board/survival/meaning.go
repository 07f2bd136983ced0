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

// embedBatch is how many passages are embedded at a time, so that a cancelled context
// is noticed.
const embedBatch = 64

// surely is a cosine of texts that differ in no more than a word or two.
const surely = 0.95

// AddMeaning looks for the missing items by the cosine of their embeddings with every
// statement of the reports. An item becomes present, by meaning, if its best statement
// reaches minCosine, has all of its numbers and does not contradict it. Every such item
// gets its cosine. Present items do not change.
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
		if item := &r.Items[i]; !item.Present && item.Verdict != claims.Refuted.String() {
			missing, texts = append(missing, i), append(texts, item.Content)
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
	for _, d := range reports {
		x := newReport(d)
		texts = texts[:0]
		for _, c := range x.ev.Claims {
			texts = append(texts, c.Text)
		}
		have, err := embedAll(ctx, e, texts)
		if err != nil {
			return err
		}
		for k, i := range missing {
			r.Items[i].meaning(&x, wanted[k], have, minCosine)
		}
	}
	r.count()
	return nil
}

// meaning compares one missing item with the statements of one report.
func (r *ItemResult) meaning(x *report, want embed.Vector, have []embed.Vector, minCosine float64) {
	best, top := -1, -1.0
	for i := range have {
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
	w := claims.Window{Claims: x.ev.Claims[best : best+1]}
	if !x.ev.Agrees(claims.ExtractText(r.Content, ""), w, top < surely) {
		return // near in meaning, but a number is not there, or one of both denies it
	}
	r.Present, r.Cause, r.ByMeaning, r.MissingNumbers = true, "", true, []string{}
	r.Passage = x.passage(&w)
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
