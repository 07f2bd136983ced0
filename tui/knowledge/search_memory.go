package knowledge

import (
	"cmp"
	"context"
	"slices"

	"blackboard/kb"
	"blackboard/kb/memory"
	"blackboard/tui/memories"
	"blackboard/tui/page"
)

// foundInMemory returns an item of the memory as a hit: its kind is the tier, its scope
// the memory.
type foundInMemory struct {
	ref memories.Ref
	hit kb.Hit
}

func itemHit(it *memory.Item, score float64, weak bool) foundInMemory {
	c := kb.Capsule{ID: it.ID, Title: memories.Headline(it), Body: it.Content, Kind: it.Tier, Scope: inMemory,
		Tags: it.Tags, Source: it.Source, Created: it.Created, RetiredWhy: it.Why}
	if c.Retired = it.Forgotten; it.Archived != nil {
		c.Retired = it.Archived
	}
	ref := memories.Ref{Kind: memories.KindItem, ID: it.ID, Tier: it.Tier}
	return foundInMemory{ref, kb.Hit{Capsule: c, Score: score, Weak: weak, Snippet: it.Content}}
}

func rowHit(r *memories.Row, kind string) foundInMemory {
	c := kb.Capsule{ID: r.Ref.ID, Title: r.Head, Body: r.Head, Kind: kind, Scope: inMemory,
		Source: r.Source, Created: r.At}
	return foundInMemory{r.Ref, kb.Hit{Capsule: c, Score: 1, Snippet: r.Head}}
}

// surer orders hits from both stores. Their scores are relative to the best of each
// store, but each store marks weak hits.
func surer(a, b kb.Hit) int {
	if a.Weak != b.Weak {
		return map[bool]int{true: 1, false: -1}[a.Weak]
	}
	return cmp.Compare(b.Score, a.Score)
}

// beyondRead are the sections that a hybrid search does not reach completely. There, each
// word must match.
var beyondRead = []memories.Section{
	memories.SectionConversation, memories.SectionNamed, memories.SectionJournal, memories.SectionCore, memories.SectionConversations,
}

// searchMemory searches the memory as an agent, best hits first: items by words and
// meaning, and in other tabs whatever has all of the words.
func searchMemory(
	ctx context.Context, a *page.App, agent, text string,
) (found []foundInMemory, degraded []string, err error) {
	err = a.WithMemory(ctx, agent, func(s *memory.Store) error {
		q := memory.Query{Text: text, Limit: searchLimit, Untouched: true}
		for _, tier := range []string{memory.Channel, memory.Workspace, memory.Account} {
			if s.Reaches(tier) {
				q.Tiers = append(q.Tiers, tier)
			}
		}
		for _, section := range beyondRead {
			mq := memories.Query{Agent: agent, Section: section, Text: text}
			tier := section.Tier()
			if section.Note() != "" && agent == "" || tier != "" && !s.Reaches(tier) {
				continue
			}
			rows, _, err := mq.Read(ctx, s, a.Now(), "", searchLimit)
			if err != nil {
				return err
			}
			for i := range rows {
				kind := cmp.Or(tier, rows[i].Ref.Tier, memory.Conversation)
				found = append(found, rowHit(&rows[i], kind))
			}
		}
		res, err := s.Read(ctx, q)
		if err != nil {
			return err
		}
		degraded = res.Degraded
		for _, sl := range res.Slices {
			for i := range sl.Hits {
				if h := &sl.Hits[i]; !h.Weak || h.TextRank > 0 {
					found = append(found, itemHit(&h.Item, h.Score, h.Weak))
				}
			}
		}
		return nil
	})
	slices.SortStableFunc(found, func(a, b foundInMemory) int { return surer(a.hit, b.hit) })
	return found[:min(len(found), searchLimit)], degraded, err
}

// browseMemory lists the items of the memory, newest first.
func browseMemory(
	ctx context.Context, a *page.App, agent string, forgotten bool,
) (hits []kb.Hit, refs map[string]memories.Ref, more bool, err error) {
	refs = map[string]memories.Ref{}
	err = a.WithMemory(ctx, agent, func(s *memory.Store) error {
		var all []memory.Item
		all, more, err = s.List(ctx, memory.ListQuery{Limit: browseLimit, Forgotten: forgotten})
		for i := range all {
			found := itemHit(&all[i], 0, false)
			refs[found.hit.ID] = found.ref
			hits = append(hits, found.hit)
		}
		return err
	})
	return hits, refs, more, err
}

// look answers a question from the knowledge base, the memory, or both, best hits of each
// first.
func (s *SearchBox) look(ctx context.Context, q *asked, agent string, retired bool) (res kb.Result, refs map[string]memories.Ref, err error) {
	inBase := q.looksIn(inKnowledge)
	if inBase {
		query := kb.Query{Text: q.Text(), Limit: searchLimit, Workspace: s.app.Workspace, Explain: true, Peek: true, Retired: retired, Superseded: retired,
			Kinds: known(q.kinds, kb.Kinds), Scopes: known(q.scopes, kb.Scopes), Tags: q.Filters["tag"]}
		if len(q.Filters["doc"]) > 0 || !q.since.IsZero() {
			query.Limit *= 5 // some of them will not pass
		}
		if err = page.ErrNoKnowledge; s.app.Search != nil {
			res, err = s.app.Search.Search(ctx, query)
		}
		res.Hits = q.narrow(res.Hits, searchLimit)
	}
	if !q.looksIn(inMemory) || s.app.Memory == nil {
		return res, nil, err
	}
	found, degraded, memoryErr := searchMemory(ctx, s.app, agent, q.Text())
	switch {
	case memoryErr != nil && !inBase:
		return res, nil, memoryErr
	case memoryErr != nil && err == nil:
		res.Degraded = append(res.Degraded, "the memory could not be searched: "+memoryErr.Error())
	case err != nil && len(found) > 0:
		res = kb.Result{Degraded: []string{"of the memory alone: " + err.Error()}}
		err = nil
	case !inBase:
		res.Degraded = degraded
	}
	refs = map[string]memories.Ref{}
	for i := range found {
		if q.lets(&found[i].hit) {
			refs[found[i].hit.ID] = found[i].ref
			res.Hits = append(res.Hits, found[i].hit)
		}
	}
	if len(refs) > 0 {
		slices.SortStableFunc(res.Hits, surer)
	}
	return res, refs, err
}
