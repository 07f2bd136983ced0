package secret

import (
	"cmp"
	"slices"
	"strings"
)

// merge returns spans by start; of overlapping ones one, named after the best rule.
func merge(spans []span) []span {
	slices.SortFunc(spans, func(a, b span) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(b.end, a.end),
			cmp.Compare(a.rule.order, b.rule.order))
	})
	var out []span
	size := 0 // of the span that named the last cluster
	for _, s := range spans {
		if len(out) == 0 || s.start >= out[len(out)-1].end {
			out = append(out, s)
			size = s.end - s.start
			continue
		}
		last := &out[len(out)-1]
		last.end = max(last.end, s.end)
		if better(s, s.end-s.start, last.rule, size) {
			last.rule, size = s.rule, s.end-s.start
		}
	}
	return out
}

// better: a rule for one kind of secret before the generic one, a longer match first.
func better(s span, size int, than *rule, thanSize int) bool {
	if g, h := s.rule.rank(), than.rank(); g != h {
		return g < h
	}
	return size > thanSize
}

// rank is lower for a rule that tells more.
func (r *rule) rank() int {
	switch {
	case r == password || r == authHeader:
		return 2
	case strings.HasPrefix(r.ID, "generic"):
		return 1
	}
	return 0
}
