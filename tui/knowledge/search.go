// Package knowledge has the pages of the knowledge base: the search, a capsule, and what a
// run was given.
//
//	search*.go   searches the knowledge base and the memory
//	capsule*.go  one capsule, and the actions on it
//	given.go     the capsules that a run was given, and links from a capsule to an entry
package knowledge

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/charmbracelet/bubbles/key"
	"github.com/charmbracelet/bubbles/textinput"
	tea "github.com/charmbracelet/bubbletea"

	"blackboard/board/fault"
	"blackboard/kb"
	"blackboard/tui/memories"
	"blackboard/tui/page"
)

const (
	// searchPause is the delay between a key and the query, since further keys would make
	// its answer useless.
	searchPause = 120 * time.Millisecond
	// searchLimit is the most hits. Hits count as retrievals, so there are not more than
	// a person looks at.
	searchLimit = 20
	// searchRunes is the greatest length of the input.
	searchRunes = 2000
)

// SearchBox is an overlay with an input line, the hits, and a preview of the chosen one.
type SearchBox struct {
	app *page.App
	page.SearchState
	input     textinput.Model
	inResults bool // the list has the keys

	asked    page.Latest // the last query
	asking   bool
	browsing bool // the list shows the knowledge base, not an answer
	inactive bool // the list is empty, and hides retired or superseded capsules
	askedFor page.Question
	meant    asked                   // the question
	result   *kb.Result              // nil: no answer
	refs     map[string]memories.Ref // of the hits in the memory, by id
	err      error
	list     page.List
	w, h     int
	place    searchPlaces
	old      bool // the input still has the question of the last time
}

// searchPlaces are the parts of the box inside its frame, in cells.
type searchPlaces struct {
	notes         []string
	list, preview page.Rect
}

// NewSearch begins as the last search has ended.
func NewSearch(a *page.App) page.Page {
	s := &SearchBox{app: a, SearchState: a.LastSearch, input: a.NewInput()}
	s.input.Prompt, s.input.Placeholder, s.input.CharLimit = "› ", "words, or a whole question", searchRunes
	s.input.SetValue(s.Text)
	s.input.CursorEnd()
	s.list = page.List{App: a, Row: s.row}
	s.old, s.Retired = s.Text != "", false
	return s
}

// resumeSearch returns from a page to the search from which it was opened.
func resumeSearch(a *page.App, from page.Page, was page.SearchState) tea.Cmd {
	s := NewSearch(a).(*SearchBox)
	s.resume(was)
	a.Pop(from)
	return a.Overlay(s)
}

// resume restores a search, with the keys in the list.
func (s *SearchBox) resume(was page.SearchState) {
	s.SearchState, s.inResults = was, true
	s.input.SetValue(s.Text)
	s.input.CursorEnd()
}

// Init asks the last question again.
func (s *SearchBox) Init() tea.Cmd { return tea.Batch(s.focus(s.inResults), s.ask()) }

// focus gives the keys to the list or to the input.
func (s *SearchBox) focus(results bool) tea.Cmd {
	if s.inResults = results; results {
		s.input.Blur()
		return nil
	}
	return s.app.Blink(s.input.Focus())
}

// ask asks the current question, and cancels the one before.
func (s *SearchBox) ask() tea.Cmd {
	s.Close()
	s.asking, s.err = false, nil
	defer s.layout()
	s.meant = askedOf(s.Text, s.app.Now())
	q := s.meant
	if len(q.Words) == 0 && (s.app.Config.Knowledge != nil || !q.looksIn(inKnowledge)) {
		return s.browse()
	}
	if len(q.Words) == 0 {
		s.result, s.askedFor, s.browsing = nil, page.Question{}, false
		s.list.SetLen(0)
		return nil
	}
	s.asking, s.askedFor = true, s.Question
	agent, retired := s.app.LastAgent, s.Retired
	return s.asked.Ask(s.app, s, func(ctx context.Context) func() tea.Cmd {
		res, refs, err := s.look(ctx, &q, agent, retired)
		return func() tea.Cmd {
			s.browsing, s.refs = false, refs // until then the list stays
			return s.took(&res, err)
		}
	})
}

// Update asks again after a change of what is searched.
func (s *SearchBox) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case page.DoneMsg:
		if (msg.Kind == page.ChangedKnowledge || msg.Kind == page.ChangedMemory) &&
			msg.Err == nil {
			return s.ask()
		}
	case tea.KeyMsg:
		cmd := s.key(msg)
		s.keep()
		return cmd
	case tea.MouseMsg:
		cmd := s.mouse(msg)
		s.keep()
		return cmd
	default:
		if !s.inResults {
			return s.toInput(msg) // for the cursor
		}
	}
	return nil
}

// took shows an answer. The chosen capsule stays chosen if it is among the hits.
func (s *SearchBox) took(res *kb.Result, err error) tea.Cmd {
	s.asking, s.err, s.result = false, err, nil
	if err == nil {
		s.result = res
	}
	hits := s.Hits()
	s.list.SetLen(len(hits))
	s.list.MoveTo(max(slices.IndexFunc(hits, func(h kb.Hit) bool { return h.ID == s.Chosen }), 0))
	s.layout()
	return nil
}

// Hits returns what was found, best first.
func (s *SearchBox) Hits() []kb.Hit {
	if s.result == nil {
		return nil
	}
	return s.result.Hits
}

// Hit returns the chosen hit, or nil.
func (s *SearchBox) Hit() *kb.Hit {
	if hits := s.Hits(); s.list.Cursor < len(hits) {
		return &hits[s.list.Cursor]
	}
	return nil
}

// keep stores the state of the search for the next time.
func (s *SearchBox) keep() {
	if h := s.Hit(); h != nil && s.Question == s.askedFor && !s.asking {
		s.Chosen = h.ID
	}
	s.app.LastSearch = s.SearchState
}

func (s *SearchBox) key(msg tea.KeyMsg) tea.Cmd {
	if s.inResults {
		cmd, ok := s.Actions().Press(msg)
		if !ok {
			s.list.Update(msg)
		}
		return cmd
	}
	// typing replaces the question of the last time
	if s.old && msg.Type == tea.KeyRunes {
		s.input.SetValue("")
	}
	s.old = false
	switch {
	case key.Matches(msg, page.KeyCancel):
		return s.app.CloseOverlay(s)
	case key.Matches(msg, page.KeyOpen):
		if s.Question != s.askedFor || s.err != nil {
			return s.ask()
		}
		if s.asking {
			return nil
		}
		return s.openChosen()
	case key.Matches(msg, page.KeyInEditor):
		return s.editChosen()
	case key.Matches(msg, page.KeyChoose):
		s.list.Update(msg)
	case key.Matches(msg, page.KeyNext, page.KeyPrevious):
		return s.focus(true)
	case key.Matches(msg, page.KeyClear):
		s.input.SetValue("")
		return s.typed(nil)
	default:
		return s.typed(s.toInput(msg))
	}
	return nil
}

func (s *SearchBox) toInput(msg tea.Msg) (cmd tea.Cmd) {
	s.input, cmd = s.input.Update(msg)
	return s.app.Blink(cmd)
}

// typed asks the new question after a short pause; without a text at once.
func (s *SearchBox) typed(cmd tea.Cmd) tea.Cmd {
	if s.input.Value() == s.Text {
		return cmd
	}
	s.Text, s.Chosen = s.input.Value(), ""
	if s.app.Still || s.Text == "" {
		return tea.Batch(cmd, s.ask())
	}
	text := s.Text
	return tea.Batch(cmd, s.app.After(searchPause, s, func() tea.Cmd { return s.rested(text) }))
}

// rested asks the question if it has not changed since.
func (s *SearchBox) rested(text string) tea.Cmd {
	if text != s.Text || s.Question == s.askedFor {
		return nil
	}
	return s.ask()
}

func (s *SearchBox) copyID() tea.Cmd {
	if h := s.Hit(); h != nil {
		return s.app.CopyText(h.ID)
	}
	return nil
}

// copyText copies the whole text of the chosen hit.
func (s *SearchBox) copyText() tea.Cmd {
	h := s.Hit()
	if h == nil {
		return nil
	}
	ref, remembered := s.refs[h.ID]
	body, agent := h.Body, s.app.LastAgent
	return s.app.CopyWhole(h.ID, func(ctx context.Context) (string, error) {
		if !remembered || ref.Kind == memories.KindConversation {
			return body, nil
		}
		return memories.Content(ctx, s.app, agent, ref)
	})
}

// openChosen closes the search and opens the chosen hit. The search keeps its state.
func (s *SearchBox) openChosen() tea.Cmd {
	h := s.Hit()
	if h == nil {
		return nil
	}
	was := s.SearchState
	was.Chosen = h.ID
	if ref, ok := s.refs[h.ID]; ok {
		d := memories.NewDetail(s.app, s.app.LastAgent, ref, nil)
		d.Back = func() tea.Cmd { return resumeSearch(s.app, d, was) }
		return tea.Batch(s.app.CloseOverlay(s), s.app.Push(d))
	}
	_, cmd := s.openCapsule(h.ID)
	return cmd
}

// openCapsule closes the search and opens a capsule.
func (s *SearchBox) openCapsule(id string) (*CapsulePage, tea.Cmd) {
	was, p := s.SearchState, NewCapsule(s.app, id)
	was.Chosen, p.from = id, &was
	return p, tea.Batch(s.app.CloseOverlay(s), s.app.Push(p))
}

// editChosen opens the chosen capsule and edits it.
func (s *SearchBox) editChosen() tea.Cmd {
	h := s.Hit()
	if h == nil || s.Question != s.askedFor || s.asking {
		return nil
	}
	if _, remembered := s.refs[h.ID]; remembered {
		return page.Notice("ctrl+o edits capsules; enter opens this, and e edits it there")
	}
	p, cmd := s.openCapsule(h.ID)
	return tea.Batch(cmd, p.edit())
}

func (s *SearchBox) mouse(msg tea.MouseMsg) tea.Cmd {
	x, y := msg.X-2, msg.Y-1 // inside the frame
	switch {
	case y == 0 && page.IsClick(msg):
		return s.focus(false)
	case s.place.list.Has(x, y):
		was := s.inResults
		if page.IsClick(msg) {
			s.focus(true)
		}
		if s.list.Mouse(msg, y-s.place.list.Y-1) && was {
			return s.openChosen()
		}
	}
	return nil
}

// Title names the search in the help.
func (s *SearchBox) Title() string { return "search" }

// Actions returns the keys of the input, or of the results.
func (s *SearchBox) Actions() page.Actions {
	if !s.inResults {
		enter := page.Renamed(page.KeyOpen, "search")
		if s.Question == s.askedFor && s.Hit() != nil {
			enter = page.KeyOpen
		}
		next, leave := page.Renamed(page.KeyNext, "to the results"), page.Renamed(page.KeyCancel, "close")
		all := page.Actions{}.Also(enter)
		if enter.Help() == page.KeyOpen.Help() {
			all = all.Also(page.Renamed(page.KeyInEditor, "edit"))
		}
		return all.Also(page.KeyChoose, next, leave, page.KeyClear)
	}
	toInput := func() tea.Cmd { return s.focus(false) }
	leave := func() tea.Cmd { return s.app.CloseOverlay(s) }
	return page.Actions{
		page.On(page.KeyOpen, s.openChosen),
		page.On(page.Renamed(page.KeyInEditor, "edit"), s.editChosen),
		page.On(page.Renamed(page.KeyFilter, "type"), toInput), page.On(page.KeyCopyID, s.copyID),
		page.On(page.KeyCopyText, s.copyText),
		page.On(page.Renamed(page.KeyNext, "type"), toInput),
		page.On(page.KeyPrevious, toInput).Unlisted(),
		page.On(page.KeySearch, func() tea.Cmd { s.old = true; return toInput() }).Unlisted(), // as from anywhere
		page.On(page.Renamed(page.KeyQuit, "close"), leave),
		page.On(page.Renamed(page.KeyBack, "close"), leave),
		page.On(page.Renamed(page.KeyFewer, "retired ones too, or not"), s.toggleRetired),
	}.Also(page.MovingKeys()...)
}

// Typing reports whether the input has the keys.
func (s *SearchBox) Typing() bool { return !s.inResults }

// Close cancels the current query.
func (s *SearchBox) Close() { s.asked.Drop() }

// problem describes why there is no answer, with the next step.
func (s *SearchBox) problem() string {
	switch {
	case s.app.Search == nil && s.meant.looksIn(inKnowledge) && len(s.refs) == 0:
		return "There is no knowledge base here."
	case errors.Is(s.err, fault.NotFound):
		return "There is no knowledge base yet. `board kb remember` makes one with the first capsule; so does P on an entry of a run."
	case s.err != nil:
		return s.app.Explain(s.err)
	}
	return ""
}
