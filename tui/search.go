package tui

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/bubbles/key"
	"github.com/charmbracelet/bubbles/textinput"
	tea "github.com/charmbracelet/bubbletea"

	"blackboard/board/fault"
	"blackboard/kb"
	"blackboard/tui/keys"
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

// question is a query with its filters.
type question struct {
	text        string
	mode        string // one of kb.Modes; "": auto
	kind, scope string // "": all
	where       string // one of searchPlacesOf; "": everywhere
	retired     bool   // without a text: with retired and superseded ones
	order       int    // without a text: an index of browseOrders
}

// searchState is the state of a search that is kept when it closes.
type searchState struct {
	question
	chosen  string // the capsule at the cursor; "": the best
	explain bool   // scores are explained
}

// resumeSearch returns from a page to the search from which it was opened; false if it
// was opened otherwise.
func (a *app) resumeSearch(from page, was *searchState) (tea.Cmd, bool) {
	if was == nil {
		return nil, false
	}
	s := newSearch(a).(*searchBox)
	s.resume(*was)
	a.pop(from)
	return a.overlay(s), true
}

// searchBox is an overlay with an input line, the hits, and a preview of the chosen one.
type searchBox struct {
	app *app
	searchState
	input     textinput.Model
	inResults bool // the list has the keys

	asked    latest // the last query
	asking   bool
	browsing bool // the list shows the knowledge base, not an answer
	inactive bool // the list is empty, and hides retired or superseded capsules
	askedFor question
	result   *kb.Result           // nil: no answer
	refs     map[string]memoryRef // of the hits in the memory, by id
	err      error
	list     list
	w, h     int
	place    searchPlaces
	old      bool // the input still has the question of the last time
}

// searchPlaces are the parts of the box inside its frame, in cells.
type searchPlaces struct {
	notes         []string
	list, preview rect
}

func newSearch(a *app) page {
	s := &searchBox{app: a, searchState: a.lastSearch, input: a.newInput()}
	s.input.Prompt, s.input.Placeholder, s.input.CharLimit = "› ", "words, or a whole question", searchRunes
	s.input.SetValue(s.text)
	s.input.CursorEnd()
	s.list = list{app: a, row: s.row}
	s.old = s.text != ""
	return s
}

// resume restores a search, with the keys in the list.
func (s *searchBox) resume(was searchState) {
	s.searchState, s.inResults = was, true
	s.input.SetValue(s.text)
	s.input.CursorEnd()
}

func (s *searchBox) init() tea.Cmd { return tea.Batch(s.focus(s.inResults), s.ask()) }

// focus gives the keys to the list or to the input.
func (s *searchBox) focus(results bool) tea.Cmd {
	if s.inResults = results; results {
		s.input.Blur()
		return nil
	}
	return s.app.blink(s.input.Focus())
}

// ask asks the current question, and cancels the one before.
func (s *searchBox) ask() tea.Cmd {
	s.close()
	s.asking, s.err = false, nil
	defer s.layout()
	if strings.TrimSpace(s.text) == "" && (s.app.Config.Knowledge != nil || s.where == inMemory) {
		return s.browse()
	}
	if strings.TrimSpace(s.text) == "" {
		s.result, s.askedFor, s.browsing = nil, question{}, false
		s.list.setLen(0)
		return nil
	}
	s.asking, s.askedFor = true, s.question
	q := kb.Query{Text: s.text, Mode: s.mode, Limit: searchLimit, Workspace: s.app.Workspace, Explain: true, Peek: true}
	if s.kind != "" {
		q.Kinds = []string{s.kind}
	}
	if s.scope != "" {
		q.Scopes = []string{s.scope}
	}
	q.Retired, q.Superseded = s.retired, s.retired
	where, agent := s.where, s.app.lastAgent
	return s.asked.ask(s.app, s, func(ctx context.Context) func() tea.Cmd {
		res, refs, err := s.look(ctx, where, agent, q)
		return func() tea.Cmd {
			s.browsing, s.refs = false, refs // until then the list stays
			return s.took(&res, err)
		}
	})
}

func (s *searchBox) update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case doneMsg:
		if (msg.kind == changedKnowledge || msg.kind == changedMemory) && msg.err == nil {
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
func (s *searchBox) took(res *kb.Result, err error) tea.Cmd {
	s.asking, s.err, s.result = false, err, nil
	if err == nil {
		s.result = res
	}
	hits := s.hits()
	s.list.setLen(len(hits))
	s.list.moveTo(max(slices.IndexFunc(hits, func(h kb.Hit) bool { return h.ID == s.chosen }), 0))
	s.layout()
	return nil
}

func (s *searchBox) hits() []kb.Hit {
	if s.result == nil {
		return nil
	}
	return s.result.Hits
}

// hit returns the chosen hit, or nil.
func (s *searchBox) hit() *kb.Hit {
	if hits := s.hits(); s.list.cursor < len(hits) {
		return &hits[s.list.cursor]
	}
	return nil
}

// keep stores the state of the search for the next time.
func (s *searchBox) keep() {
	if h := s.hit(); h != nil && s.question == s.askedFor && !s.asking {
		s.chosen = h.ID
	}
	s.app.lastSearch = s.searchState
}

func (s *searchBox) key(msg tea.KeyMsg) tea.Cmd {
	if s.inResults {
		cmd, ok := s.actions().press(msg)
		if !ok {
			s.list.update(msg)
		}
		return cmd
	}
	// typing replaces the question of the last time
	if s.old && msg.Type == tea.KeyRunes {
		s.input.SetValue("")
	}
	s.old = false
	switch {
	case key.Matches(msg, keys.Cancel):
		return s.app.closeOver(s)
	case key.Matches(msg, keys.Open):
		if s.question != s.askedFor || s.err != nil {
			return s.ask()
		}
		if s.asking {
			return nil
		}
		return s.openChosen()
	case key.Matches(msg, keys.InEditor):
		return s.editChosen()
	case key.Matches(msg, keys.Choose):
		s.list.update(msg)
	case key.Matches(msg, keys.Next, keys.Previous):
		return s.focus(true)
	case msg.Alt, key.Matches(msg, keys.Switches):
		if cmd, ok := s.switchActions().press(msg); ok {
			return cmd
		}
		return s.typed(s.toInput(msg))
	case key.Matches(msg, keys.Clear):
		s.input.SetValue("")
		return s.typed(nil)
	default:
		return s.typed(s.toInput(msg))
	}
	return nil
}

func (s *searchBox) toInput(msg tea.Msg) (cmd tea.Cmd) {
	s.input, cmd = s.input.Update(msg)
	return s.app.blink(cmd)
}

// typed asks the new question after a short pause; without a text at once.
func (s *searchBox) typed(cmd tea.Cmd) tea.Cmd {
	if s.input.Value() == s.text {
		return cmd
	}
	s.text, s.chosen = s.input.Value(), ""
	if s.app.still || s.text == "" {
		return tea.Batch(cmd, s.ask())
	}
	text := s.text
	return tea.Batch(cmd, s.app.after(searchPause, s, func() tea.Cmd { return s.rested(text) }))
}

// rested asks the question if it has not changed since.
func (s *searchBox) rested(text string) tea.Cmd {
	if text != s.text || s.question == s.askedFor {
		return nil
	}
	return s.ask()
}

func (s *searchBox) copyID() tea.Cmd {
	if h := s.hit(); h != nil {
		return s.app.copyText(h.ID)
	}
	return nil
}

// copyText copies the whole text of the chosen hit.
func (s *searchBox) copyText() tea.Cmd {
	h := s.hit()
	if h == nil {
		return nil
	}
	ref, remembered := s.refs[h.ID]
	body, hands := h.Body, &memoryHands{s.app, s.app.lastAgent, s}
	return s.app.copyWhole(h.ID, func(ctx context.Context) (string, error) {
		if !remembered || ref.kind == kindConversation {
			return body, nil
		}
		return hands.content(ctx, ref)
	})
}

func (s *searchBox) toggleExplain() tea.Cmd {
	s.explain = !s.explain
	s.layout()
	return nil
}

func (s *searchBox) nextMode() tea.Cmd {
	s.mode = following(kb.Modes, cmp.Or(s.mode, kb.ModeAuto))
	return s.ask()
}

func (s *searchBox) nextKind() tea.Cmd {
	s.kind = following(append([]string{""}, kb.Kinds...), s.kind)
	return s.ask()
}

func (s *searchBox) nextScope() tea.Cmd {
	s.scope = following(append([]string{""}, kb.Scopes...), s.scope)
	return s.ask()
}

// following returns the value after another; after the last, the first.
func following(all []string, value string) string {
	return all[(slices.Index(all, value)+1)%len(all)]
}

// openChosen closes the search and opens the chosen hit. The search keeps its state.
func (s *searchBox) openChosen() tea.Cmd {
	h := s.hit()
	if h == nil {
		return nil
	}
	was := s.searchState
	was.chosen = h.ID
	if ref, ok := s.refs[h.ID]; ok {
		d := newMemoryDetail(s.app, s.app.lastAgent, ref, nil)
		d.from = &was
		return tea.Batch(s.app.closeOver(s), s.app.push(d))
	}
	_, cmd := s.openCapsule(h.ID)
	return cmd
}

// openCapsule closes the search and opens a capsule.
func (s *searchBox) openCapsule(id string) (*capsulePage, tea.Cmd) {
	was, p := s.searchState, newCapsulePage(s.app, id)
	was.chosen, p.from = id, &was
	return p, tea.Batch(s.app.closeOver(s), s.app.push(p))
}

// editChosen opens the chosen capsule and edits it.
func (s *searchBox) editChosen() tea.Cmd {
	h := s.hit()
	if h == nil || s.question != s.askedFor || s.asking {
		return nil
	}
	if _, remembered := s.refs[h.ID]; remembered {
		return notice("ctrl+o edits capsules; enter opens this, and e edits it there")
	}
	p, cmd := s.openCapsule(h.ID)
	return tea.Batch(cmd, p.edit())
}

func (s *searchBox) mouse(msg tea.MouseMsg) tea.Cmd {
	x, y := msg.X-2, msg.Y-1 // inside the frame
	switch {
	case y == 0 && isClick(msg):
		return s.focus(false)
	case s.place.list.has(x, y):
		was := s.inResults
		if isClick(msg) {
			s.focus(true)
		}
		if s.list.mouse(msg, y-s.place.list.y-1) && was {
			return s.openChosen()
		}
	}
	return nil
}

func (s *searchBox) title() string { return "search" }

func (s *searchBox) actions() actions {
	if !s.inResults {
		enter := keys.Renamed(keys.Open, "search")
		if s.question == s.askedFor && s.hit() != nil {
			enter = keys.Open
		}
		next, leave := keys.Renamed(keys.Next, "to the results"), keys.Renamed(keys.Cancel, "close")
		all := actions{}.also(enter)
		if enter.Help() == keys.Open.Help() {
			all = all.also(keys.Renamed(keys.InEditor, "edit"))
		}
		return all.also(keys.Choose, next, leave).with(s.switchActions()).also(keys.Clear)
	}
	toInput := func() tea.Cmd { return s.focus(false) }
	leave := func() tea.Cmd { return s.app.closeOver(s) }
	return actions{
		{keys.Open, s.openChosen}, {keys.Renamed(keys.InEditor, "edit"), s.editChosen},
		{keys.Renamed(keys.Filter, "type"), toInput}, {keys.CopyID, s.copyID}, {keys.CopyText, s.copyText},
		{keys.Renamed(keys.Next, "type"), toInput}, action{keys.Previous, toInput}.unlisted(),
		{keys.Renamed(keys.Quit, "close"), leave}, {keys.Renamed(keys.Back, "close"), leave},
	}.with(s.browseActions()).with(s.switchActions()).also(keys.Moving()...)
}

func (s *searchBox) typing() bool { return !s.inResults }

// close cancels the current query.
func (s *searchBox) close() { s.asked.drop() }

// problem describes why there is no answer, with the next step.
func (s *searchBox) problem() string {
	switch {
	case s.app.Search == nil && s.where != inMemory && len(s.refs) == 0:
		return "There is no knowledge base here."
	case errors.Is(s.err, fault.NotFound):
		return "There is no knowledge base yet. `board kb remember` makes one with the first capsule; so does P on an entry of a run."
	case s.err != nil:
		return s.app.explain(s.err)
	}
	return ""
}
