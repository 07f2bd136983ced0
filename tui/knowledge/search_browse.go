package knowledge

import (
	"context"

	tea "github.com/charmbracelet/bubbletea"

	"blackboard/kb"
	"blackboard/tui/cells"
	"blackboard/tui/keys"
	"blackboard/tui/memories"
	"blackboard/tui/page"
)

// browseLimit is the most capsules in the list without a question, the newest.
const browseLimit = 1000

// browseOrders are the orders of the list without a question.
var browseOrders = []string{"the newest first", "the last asked for first"}

// browse lists the knowledge base, or the memory if only that is selected, while there is
// no question.
func (s *SearchBox) browse() tea.Cmd {
	s.asking, s.askedFor = true, s.Question
	q := kb.ListQuery{Limit: browseLimit, Retired: s.Retired, Superseded: s.Retired}
	q.Asked = s.Order == 1
	if s.Kind != "" {
		q.Kinds = []string{s.Kind}
	}
	if s.Scope != "" {
		q.Scopes = []string{s.Scope}
	}
	where, agent, retired := s.Where, s.app.LastAgent, s.Retired
	return s.asked.Ask(s.app, s, func(ctx context.Context) func() tea.Cmd {
		var res kb.Result
		var inactive []kb.Hit
		var refs map[string]memories.Ref
		var more bool
		var err error
		if where == inMemory {
			var found []foundInMemory
			found, more, err = browseMemory(ctx, s.app, agent, retired)
			refs = map[string]memories.Ref{}
			for i := range found {
				refs[found[i].hit.ID] = found[i].ref
				res.Hits = append(res.Hits, found[i].hit)
			}
		} else {
			res.Hits, more, err = browseCapsules(ctx, s.app, q)
			if err == nil && len(res.Hits) == 0 && !q.Retired {
				q.Retired, q.Superseded, q.Limit = true, true, 1
				inactive, _, err = browseCapsules(ctx, s.app, q)
			}
		}
		if res.Total = int64(len(res.Hits)); more {
			res.Total++
		}
		return func() tea.Cmd {
			s.browsing, s.refs, s.inactive = true, refs, len(inactive) > 0
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

// nextOrder changes the order of the list.
func (s *SearchBox) nextOrder() tea.Cmd {
	s.Order = (s.Order + 1) % len(browseOrders)
	return s.ask()
}

// toggleRetired shows or hides retired and superseded capsules.
func (s *SearchBox) toggleRetired() tea.Cmd {
	s.Retired = !s.Retired
	return s.ask()
}

// browseActions are the actions of the list, and of one without a question.
func (s *SearchBox) browseActions() page.Actions {
	retired := page.On(keys.Renamed(keys.Fewer, "retired ones too, or not"), s.toggleRetired)
	if !s.browsing {
		return page.Actions{retired}
	}
	return page.Actions{retired, page.On(keys.Sort, s.nextOrder)}
}

// browsed returns the number of listed capsules.
func (s *SearchBox) browsed() (title, note string) {
	hits := int64(len(s.result.Hits))
	title = cells.Plural(hits, "capsule") + ", " + browseOrders[s.Order]
	if s.Where == inMemory {
		title = cells.Plural(hits, "item") + " of the memory, " + browseOrders[0]
	}
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
	case h.Retired != nil && s.Where == inMemory:
		return []string{"forgotten"}
	case h.Retired != nil:
		return []string{"retired"}
	case h.SupersededBy != "":
		return []string{"superseded"}
	}
	return nil
}

// browseWhy tells since when a capsule exists.
func (s *SearchBox) browseWhy(h *kb.Hit) []string {
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
	return []string{s.app.Styles.Faint.Render(said)}
}
