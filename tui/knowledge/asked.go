package knowledge

import (
	"slices"
	"strings"
	"time"

	"blackboard/kb"
	"blackboard/kb/memory"
	"blackboard/tui/page"
)

// The places of a search, for the filter in.
const (
	inKnowledge = "capsules"
	inMemory    = "memory"
)

// filterNames are the filters of a question, and filterHint says them.
var filterNames = []string{"kind", "scope", "tag", "doc", "since", "in"}

const filterHint = "kind:gotcha scope:universal tag:x doc:x since:7d in:memory narrow it"

// asked is a question as it is meant: its words, and what a hit must be.
type asked struct {
	page.Terms
	kinds, scopes, places []string
	since                 time.Time
}

func askedOf(text string, now time.Time) asked {
	t := page.ParseTerms(text, filterNames...)
	return asked{Terms: t, since: t.Since(now),
		kinds:  t.In("kind", slices.Concat(kb.Kinds, memory.Tiers)),
		scopes: t.In("scope", append(slices.Clone(kb.Scopes), inMemory)),
		places: t.In("in", []string{inKnowledge, inMemory})}
}

// looksIn reports whether a place is searched.
func (q *asked) looksIn(place string) bool {
	among := func(values, all []string) bool {
		return len(values) == 0 || slices.ContainsFunc(values, func(v string) bool { return slices.Contains(all, v) })
	}
	if place == inMemory {
		return among(q.places, []string{inMemory}) && among(q.kinds, memory.Tiers) && among(q.scopes, []string{inMemory})
	}
	return among(q.places, []string{inKnowledge}) && among(q.kinds, kb.Kinds) && among(q.scopes, kb.Scopes)
}

// known returns the values of a filter that a list has.
func known(values, list []string) (all []string) {
	for _, v := range values {
		if slices.Contains(list, v) {
			all = append(all, v)
		}
	}
	return all
}

// narrow leaves those hits that pass every filter, at most so many.
func (q *asked) narrow(hits []kb.Hit, most int) []kb.Hit {
	hits = slices.DeleteFunc(hits, func(h kb.Hit) bool { return !q.lets(&h) })
	return hits[:min(len(hits), most)]
}

func (q *asked) lets(h *kb.Hit) bool {
	has := func(text string) func(string) bool {
		return func(part string) bool { return !strings.Contains(strings.ToLower(text), strings.ToLower(part)) }
	}
	lacksTag := func(tag string) bool {
		return !slices.ContainsFunc(h.Tags, func(t string) bool { return strings.EqualFold(t, tag) })
	}
	return (len(q.kinds) == 0 || slices.Contains(q.kinds, h.Kind)) &&
		(len(q.scopes) == 0 || slices.Contains(q.scopes, h.Scope)) &&
		!slices.ContainsFunc(q.Filters["tag"], lacksTag) &&
		!slices.ContainsFunc(q.Filters["doc"], has(h.Source)) &&
		!(h.Created.Before(q.since) && h.Updated.Before(q.since))
}
