package board

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"

	"blackboard/board/claims"
	"blackboard/board/store"
	"blackboard/board/words"
)

// Similar returns at most two entries that say nearly the same as one that was just posted and that it does not link
// to, the most alike first; none if they cannot be read. The author waits: only the newest with two of its three
// longest words that carry content are compared. They have half of the words, by weight, and are about the same line or
// may contradict it, or have nearly all: two of a kind (the heater test passed, the battery test passed) have half of
// them, too.
func (b *Board) Similar(ctx context.Context, p *Posted) (similar []Entry) {
	const read, most, mostSimilar, longest, leastAlike, nearlyAll = 23, 8, 2, 3, .5, .95
	text, e := p.Entry.Content[:min(len(p.Entry.Content), claims.MaxContent)], &p.Entry
	long := slices.Compact(slices.SortedFunc(strings.FieldsFuncSeq(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsMark(r)
	}), func(a, b string) int { return cmp.Or(len(b)-len(a), cmp.Compare(a, b)) }))
	long = slices.DeleteFunc(long, words.IsCommon)
	var pairs []string
	for i, word := range long[:min(len(long), longest)] {
		for _, other := range long[:i] {
			pairs = append(pairs, fmt.Sprintf(`("%s" AND "%s")`, other, word))
		}
	}
	if p.Existing || pairs == nil {
		return nil
	}
	var near []Entry
	_ = b.read(ctx, func(tx *store.Tx) error {
		hits, err := tx.Match(strings.Join(pairs, " OR "))
		if err == nil {
			near, err = selectEntries(tx, `FROM `+hits.From+whereClause(append(hits.Conditions(), `e.status <> 'superseded'`,
				`'e' || e.id <> ?`))+` ORDER BY f.rowid DESC LIMIT ?`, append(hits.Args, e.ID, read)...)
		}
		return err
	})
	if len(near) == 0 { // as with most posts: what words weigh is a table that each process builds
		return nil
	}
	mine, sum := weigh(text)
	type alike struct {
		entry *Entry
		share float64
	}
	var all []alike
	for i := range near {
		o := &near[i]
		theirs, others := weigh(o.Content)
		both := 0.
		for word := range theirs {
			both += mine[word]
		}
		share := both / math.Sqrt(max(1, min(sum, others)*(sum+others-both))) // hollow words alone weigh nothing
		if share >= leastAlike && !slices.Contains(slices.Concat(e.Supports, e.Contradicts, e.Supersedes), o.ID) {
			all = append(all, alike{o, share})
		}
	}
	slices.SortStableFunc(all, func(a, b alike) int { return cmp.Compare(b.share, a.share) })
	for _, a := range all[:min(len(all), most)] {
		there := a.entry.SourceDoc == e.SourceDoc && a.entry.SourceRef == e.SourceRef && e.SourceRef != ""
		if len(similar) < mostSimilar && (there || a.share >= nearlyAll || mayConflict(ctx, a.entry, e)) {
			similar = append(similar, *a.entry)
		}
	}
	return similar
}

// mayConflict reports whether conflicts would propose two entries.
func mayConflict(ctx context.Context, a, b *Entry) bool {
	found, err := claims.Conflicts(ctx, claims.List{{ID: a.ID, Source: a.SourceDoc, Content: a.Content},
		{ID: b.ID, Source: b.SourceDoc, Content: b.Content}}, claims.Options{})
	return err == nil && len(found.Pairs) > 0
}

// weigh returns the words of a content with their weights: a rare word says more. Figures are left out: findings with
// two values of one thing are similar.
func weigh(content string) (weights map[string]float64, sum float64) {
	weights = map[string]float64{}
	for _, word := range words.Statement(content[:min(len(content), claims.MaxContent)]) {
		if weights[word] == 0 && strings.ContainsFunc(word, unicode.IsLetter) {
			weights[word] = -math.Log(words.Prior(words.Stem(word)))
			sum += weights[word]
		}
	}
	return weights, sum
}
