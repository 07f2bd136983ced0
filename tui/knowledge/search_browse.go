package knowledge

import (
	"context"

	tea "github.com/charmbracelet/bubbletea"

	"blackboard/kb"
	"blackboard/tui/cells"
	"blackboard/tui/memories"
	"blackboard/tui/page"
)

// browseLimit is the most capsules in the list without a question, the newest.
const browseLimit = 1000

// browse lists the newest of the knowledge base, or of the memory if only that is asked for,
// while there are no words.
func (s *SearchBox) browse() tea.Cmd {
	s.asking, s.askedFor = true, s.Question
	asked, agent, retired := s.meant, s.app.LastAgent, s.Retired
	q := kb.ListQuery{Limit: browseLimit, Retired: retired, Superseded: retired,
		Kinds: known(asked.kinds, kb.Kinds), Scopes: known(asked.scopes, kb.Scopes), Tags: asked.Filters["tag"]}
	return s.asked.Ask(s.app, s, func(ctx context.Context) func() tea.Cmd {
		var res kb.Result
		var refs map[string]memories.Ref
		var more, inactive bool
		var err error
		if !asked.looksIn(inKnowledge) {
			res.Hits, refs, more, err = browseMemory(ctx, s.app, agent, retired)
		} else {
			res.Hits, more, err = browseCapsules(ctx, s.app, q)
			if err == nil && len(res.Hits) == 0 && !q.Retired {
				q.Retired, q.Superseded, q.Limit = true, true, 1
				others, _, _ := browseCapsules(ctx, s.app, q)
				inactive = len(others) > 0
			}
		}
		res.Hits = asked.narrow(res.Hits, browseLimit)
		if res.Total = int64(len(res.Hits)); more {
			res.Total++
		}
		return func() tea.Cmd {
			s.browsing, s.refs, s.inactive = true, refs, inactive
			return s.took(&res, err)
		}
	})
}

func browseCapsules(ctx context.Context, a *page.App, q kb.ListQuery) (hits []kb.Hit, more bool, err error) {
	k, err := a.KB(ctx)
	if err != nil {
		return nil, false, err
	}
	all, more, err := k.List(ctx, q)
	for i := range all {
		hits = append(hits, kb.Hit{Capsule: all[i], Snippet: all[i].Body})
	}
	return hits, more, err
}

// toggleRetired shows or hides retired and superseded capsules.
func (s *SearchBox) toggleRetired() tea.Cmd {
	s.Retired = !s.Retired
	return s.ask()
}

// browsed returns the number of listed capsules.
func (s *SearchBox) browsed() (title, note string) {
	hits := int64(len(s.result.Hits))
	title = cells.Plural(hits, "capsule")
	if s.refs != nil {
		title = cells.Plural(hits, "item") + " of the memory"
	}
	title += ", the newest first"
	if s.result.Total > hits {
		note = "and more: ask for them"
	}
	if s.Retired {
		title += ", retired ones too"
	}
	return title, note
}

// browseRow formats a capsule as a line, with its status.
func (s *SearchBox) browseRow(h *kb.Hit, w int) string {
	st := s.app.Styles
	left := page.Columns(cells.Right(cells.Ago(h.Created, s.app.Now()), 4),
		st.Accent.Render(cells.Fit(cells.Clean(h.Kind), 12)))
	if w >= 64 {
		left = page.Columns(left, st.Faint.Render(cells.Fit(cells.Clean(h.Scope), 9)))
	}
	return cells.Spread(page.Columns(left, cells.OneLine(h.Title, 200)),
		memories.Badges(s.app, s.ended(h)), w)
}

// ended says what a capsule that searches leave out is.
func (s *SearchBox) ended(h *kb.Hit) []string {
	switch {
	case h.Retired != nil && s.refs != nil && h.Scope == inMemory:
		return []string{"forgotten"}
	case h.Retired != nil:
		return []string{"retired"}
	case h.SupersededBy != "":
		return []string{"superseded"}
	}
	return nil
}

// browseWhy tells since when a capsule exists.
func (s *SearchBox) browseWhy(h *kb.Hit) string {
	said := "written " + cells.Clock(h.Created)
	if h.Retrieved != nil {
		said += ", last asked for " + cells.Clock(*h.Retrieved)
	}
	if h.Retired != nil {
		said = "retired " + cells.Clock(*h.Retired)
		if h.RetiredWhy != "" {
			said += ": " + cells.OneLine(h.RetiredWhy, 200)
		}
	}
	return said
}
