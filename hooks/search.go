package hooks

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"blackboard/kb"
	kbhome "blackboard/kb/home"
)

// lookup asks the knowledge base what is surely about a text. It asks up to three times:
// for capsules of this workspace, of the project that its owner has said it belongs to,
// and for those that hold beyond their own. In each query
// the filters apply before the ranking, so capsules of other workspaces displace
// nothing.
//
// Sections of documents do not count: they are many, and nobody has judged their use one by
// one. Capsules that were given already are removed
// after the floor: the next best does not become good enough because the best is known.
func (t *turn) lookup(ctx context.Context, q kb.Query, given *sessionState,
	most int) ([]kb.Hit, error) {
	if t.Searcher == nil || most <= 0 {
		return nil, nil
	}
	const extra = 20 // queried in addition, in place of capsules that were given already
	q.Gate, q.NoDocs, q.Explain = true, true, true
	q.Limit, q.Workspace = min(most+min(len(given.Given), extra), kb.MaxLimit), t.workspace
	ask := []kb.Query{q}
	ask[0].Scopes = []string{"domain", "universal"}
	if t.workspace != "" {
		own := q
		own.Workspaces = []string{t.workspace}
		ask = append(ask, own)
		if project := kbhome.Lookup(t.Home, t.workspace).Project; project != "" {
			shared := q
			shared.Scopes, shared.Projects = []string{"project"}, []string{project}
			ask = append(ask, shared)
		}
	}
	results, errs := make([]kb.Result, len(ask)), make([]error, len(ask))
	done := make(chan int, len(ask))
	for i := range ask {
		go func() {
			defer func() {
				if wrong := recover(); wrong != nil {
					errs[i] = fmt.Errorf("internal error: the search panicked: %v", wrong)
				}
				done <- i
			}()
			results[i], errs[i] = t.Searcher.Search(ctx, ask[i])
		}()
	}
	for range ask {
		<-done
	}
	var kept []kb.Hit
	hits := mergeHits(results, q.Floor)
	out := leftOut(results, hits)
	for _, h := range hits {
		switch {
		case given.has(h.ID):
			h.Why = "given in this session"
		case len(kept) < most:
			kept = append(kept, h)
			continue
		default:
			h.Why = "beyond the limit"
		}
		out = append(out, h)
	}
	t.logFound(results[0].Threshold, kept, out)
	err := errors.Join(errs...)
	if notFound(err) {
		err = nil
	}
	return kept, err
}

// leftOut lists what the searches have found and the answer does not have, each with why.
func leftOut(results []kb.Result, hits []kb.Hit) (out []kb.Hit) {
	known := map[string]bool{}
	for _, h := range hits {
		known[h.ID] = true
	}
	for _, r := range results {
		for _, h := range slices.Concat(r.Hits, r.LeftOut) {
			if !known[h.ID] {
				known[h.ID] = true
				h.Why = cmp.Or(h.Why, "far behind the best of both searches")
				out = append(out, h)
			}
		}
	}
	return out
}

// logFound notes what a search has found, so that somebody can see why what was given.
func (t *turn) logFound(threshold float64, given, out []kb.Hit) {
	for _, h := range given {
		t.gave("capsule "+h.ID, h.Body, judgement(&h, threshold))
	}
	for _, h := range out {
		if h.Weak {
			h.Why = "weak" // the judgement has the figures
		}
		t.leftOut("capsule "+h.ID, h.Body, h.Why+"; "+judgement(&h, threshold))
	}
}

// judgement says what a hit was judged by.
func judgement(h *kb.Hit, threshold float64) string {
	meaning := "unknown"
	if h.CosineScore != nil {
		meaning = fmt.Sprintf("%.2f", *h.CosineScore)
	}
	return fmt.Sprintf("evidence %.2f of %.2f, words %.1f, cosine %s", h.Evidence, threshold,
		h.BM25Score, meaning)
}

// mergeHits joins the results, the highest evidence first, without hits below the floor.
func mergeHits(results []kb.Result, floor float64) []kb.Hit {
	var all []kb.Hit
	threshold := 0.0
	for _, r := range results {
		threshold = max(threshold, r.Threshold)
		for _, h := range r.Hits {
			if !slices.ContainsFunc(all, func(o kb.Hit) bool { return o.ID == h.ID }) {
				all = append(all, h)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b kb.Hit) int {
		return cmp.Or(cmp.Compare(b.Evidence, a.Evidence), strings.Compare(a.ID, b.ID))
	})
	for i := range all {
		if all[i].Evidence < kb.Least(floor, all[0].Evidence, threshold) {
			return all[:i]
		}
	}
	return all
}

// listCapsules lists hits under a heading, as many as fit, and returns the text and the ids of those. A capsule whose
// text does not fit is listed by its title.
func (t *turn) listCapsules(r *room, heading string, hits []kb.Hit) (part string, given []string) {
	for _, h := range hits {
		about := h.ID
		if h.Confidence != nil {
			about += fmt.Sprintf(", confidence %.2g", *h.Confidence)
		}
		if h.Source != "" {
			about += ", source " + oneLine(h.Cite(), 150)
		}
		const short = 200 // bytes of a title
		said, more := h.SaidOnce()
		line := func(most int) string {
			return fmt.Sprintf("\n- [%s] %s (%s)", h.Kind, oneLine(said, most), about)
		}
		fits := func(s string) bool { return len(heading)+len(part)+len(s)+2 <= r.left }
		title, body := line(short), "\n  "+oneLine(more, t.depth.BodyBytes)
		if whole := line(max(short, t.depth.BodyBytes)); more == "" && fits(whole) {
			title = whole
		}
		if strings.TrimSpace(body) == "" || !fits(title+body) {
			body = ""
		}
		if !fits(title) {
			break
		}
		part += title + body
		given = append(given, h.ID)
	}
	if part == "" || !r.take(heading+part) {
		return "", nil
	}
	return heading + part, given
}
