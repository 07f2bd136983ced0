package secret

import (
	"cmp"
	"slices"
	"strings"
)

// merge returns the spans by start, each cluster of overlapping ones as one span over all
// of them: dropping one of two that overlap would leave a part of a secret to be seen.
// The cluster is named after its best rule.
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

// better reports whether s tells more about a secret than a match of a rule of some size:
// a rule for one kind of secret tells more than the generic one, and the longer match
// more than the shorter.
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
