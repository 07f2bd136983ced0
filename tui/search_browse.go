package tui

import (
	"context"

	tea "github.com/charmbracelet/bubbletea"

	"blackboard/kb"
	"blackboard/tui/keys"
)

// browseLimit is how many capsules are listed without a question: the newest.
const browseLimit = 1000

// browse lists the knowledge base, the newest first, where no question is asked.
func (s *searchBox) browse() tea.Cmd {
	s.asking, s.askedFor = true, s.question
	q := kb.ListQuery{Limit: browseLimit, Retired: s.retired, Superseded: s.retired}
	if s.kind != "" {
		q.Kinds = []string{s.kind}
	}
	if s.scope != "" {
		q.Scopes = []string{s.scope}
	}
	return s.asked.ask(s.app, s, func(ctx context.Context) func() tea.Cmd {
		var res kb.Result
		k, err := s.app.knowledge(ctx)
		if err == nil {
			var all []kb.Capsule
			var more bool
			all, more, err = k.List(ctx, q)
			for i := range all {
				res.Hits = append(res.Hits, kb.Hit{Capsule: all[i], Snippet: all[i].Body})
			}
			if res.Total = int64(len(all)); more {
				res.Total++
			}
		}
		return func() tea.Cmd {
			s.browsing = true
			return s.took(&res, err)
		}
	})
}

// toggleRetired lists what is out of use, too.
func (s *searchBox) toggleRetired() tea.Cmd {
	s.retired = !s.retired
	return s.ask()
}

// browseActions are those of a list without a question.
func (s *searchBox) browseActions() actions {
	if !s.browsing {
		return nil
	}
	return actions{{keys.Renamed(keys.Fewer, "retired ones too, or not"), s.toggleRetired}}
}

// browsed is how much is listed.
func (s *searchBox) browsed() (title, note string) {
	hits := int64(len(s.result.Hits))
	title = plural(hits, "capsule") + ", the newest first"
	if s.result.Total > hits {
		note = "and more: ask for them"
	}
	if s.retired {
		title += ", retired ones too"
	}
	return title, note
}

// browseRow is a capsule in a line, with what became of it.
func (s *searchBox) browseRow(h *kb.Hit, w int) string {
	st := s.app.st
	left := columns(right(ago(h.Created, s.app.Now()), 4), st.accent.Render(fit(clean(h.Kind), 12)))
	if w >= 64 {
		left = columns(left, st.faint.Render(fit(clean(h.Scope), 9)))
	}
	var marks []string
	switch {
	case h.Retired != nil:
		marks = []string{"retired"}
	case h.SupersededBy != "":
		marks = []string{"superseded"}
	}
	return spread(columns(left, oneLine(h.Title, 200)), s.app.badges(marks), w)
}

// browseWhy says since when a capsule is there.
func (s *searchBox) browseWhy(h *kb.Hit) []string {
	said := "written " + clock(h.Created)
	if h.Retired != nil {
		said = "retired " + clock(*h.Retired)
		if h.RetiredWhy != "" {
			said += ": " + oneLine(h.RetiredWhy, 200)
		}
	}
	return []string{s.app.st.faint.Render(said)}
}
