package knowledge

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"blackboard/board/words"
	"blackboard/kb"
	"blackboard/tui/cells"
	"blackboard/tui/memories"
	"blackboard/tui/page"
)

// searchWide is the least width with the preview beside the list.
const searchWide = 100

// SetSize leaves a cell free on both sides.
func (s *SearchBox) SetSize(w, h int) {
	s.w, s.h = w-2, h
	s.layout()
}

// inner returns the size inside the frame.
func (s *SearchBox) inner() (w, h int) { return s.w - 4, s.h - 2 }

// layout sets the places of the parts below the input, the filters and the notes.
func (s *SearchBox) layout() {
	w, h := s.inner()
	if w <= 0 || h <= 0 {
		return // the size is unknown yet
	}
	s.input.Width = max(w-3, 1)
	s.place.notes = s.notes(w, max(h/8, 2))
	top := 2 + len(s.place.notes)
	rest := h - top
	if w >= searchWide {
		left := w * 55 / 100
		s.place.list = page.Rect{X: 0, Y: top, W: left, H: rest}
		s.place.preview = page.Rect{X: left + 1, Y: top, W: w - left - 1, H: rest}
	} else {
		look := min(max(rest*2/5, 4), 12)
		s.place.list = page.Rect{X: 0, Y: top, W: w, H: rest - look}
		s.place.preview = page.Rect{X: 0, Y: top + rest - look, W: w, H: look}
	}
	s.list.SetSize(s.place.list.W, s.place.list.H-1)
}

// noModel is the start of the knowledge base's note that it searches by words only. The
// caller adds the next step.
const noModel = "no embedding model is installed"

// notes returns notes on an answer: what was not possible, and words that no capsule has.
func (s *SearchBox) notes(w, most int) []string {
	if s.result == nil {
		return nil
	}
	var parts []string
	if words := typedWords(s.meant.Text(), s.result.Missing); len(words) > 0 {
		parts = append(parts, "no capsule has words like: "+cells.OneLine(strings.Join(words, ", "), 300))
	}
	for _, e := range s.result.Expanded {
		parts = append(parts, "searched for "+cells.OneLine(strings.Join(e.Terms, ", "), 200)+" instead of "+cells.OneLine(e.Missing, 80))
	}
	for _, d := range s.result.Degraded {
		if d = cells.OneLine(d, 300); strings.HasPrefix(d, noModel) {
			d += " (`board model pull` fetches one)"
		}
		parts = append(parts, d)
	}
	if len(parts) == 0 {
		return nil
	}
	lines := cells.Wrap("! "+strings.Join(parts, " · "), w)
	if len(lines) > most {
		lines[most-1] = cells.Fit(strings.Join(lines[most-1:], " "), w)
		lines = lines[:most]
	}
	for i := range lines {
		lines[i] = s.app.Styles.Warn.Render(lines[i])
	}
	return lines
}

// View shows the question, its filters, the results and a preview.
func (s *SearchBox) View() []string {
	st := s.app.Styles
	w, _ := s.inner()
	lines := []string{s.input.View(), s.filters(w)}
	lines = append(lines, s.place.notes...)
	found, look := s.place.list, s.place.preview
	s.list.Empty = s.nothing()
	title, note := s.found()
	listed := st.Pane(title, note, s.list.View(s.inResults), found.W, found.H, s.inResults)
	about := ""
	if h := s.Hit(); h != nil {
		about = h.ID
	}
	preview := st.Pane("Preview", about, s.preview(look.W, look.H-1), look.W, look.H, false)
	if found.Y == look.Y {
		lines = append(lines, cells.Beside(st.Faint.Render("│"), listed, preview)...)
	} else {
		lines = append(append(lines, listed...), preview...)
	}
	return st.Box("Search the knowledge base and the memory", "", lines, w)
}

// filters says which filters there are.
func (s *SearchBox) filters(w int) string {
	busy := ""
	if s.asking {
		busy = s.app.Styles.Faint.Render("searching…")
	}
	return cells.Spread(s.app.Styles.Faint.Render(filterHint), busy, w)
}

// found describes the number of hits and the mode.
func (s *SearchBox) found() (title, note string) {
	if s.result == nil {
		return "Found", ""
	}
	if s.browsing {
		return s.browsed()
	}
	title = cells.Count(int64(len(s.result.Hits))) + " found"
	if n := len(s.refs); n > 0 {
		title += ", " + cells.Count(int64(n)) + " of them in the memory"
	}
	if s.result.Mode == "" {
		return title, ""
	}
	note = "by " + cells.Clean(s.result.Mode) + ", of " + cells.Plural(s.result.Total, "capsule") +
		" in all"
	if long := note + ", retired and superseded ones too"; cells.Width(title)+cells.Width(long)+8 <= s.place.list.W {
		note = long
	}
	return title, note
}

// nothing is the text without hits.
func (s *SearchBox) nothing() string {
	switch {
	case s.problem() != "":
		return s.problem()
	case s.result == nil && s.asking:
		return "searching…"
	case s.result == nil:
		return "Type what you want to know. The answer comes as you type; enter opens the capsule that is chosen, tab goes to the list."
	case s.browsing && s.inactive:
		return "No active capsule. Retired and superseded ones: " + s.retiredKey() + "."
	case s.result.Total == 0 && len(s.meant.Filters) == 0:
		return "The knowledge base is empty. `board kb remember` stores a capsule; so does P on an entry of a run."
	case len(s.meant.Filters) > 0:
		return "No results with these filters."
	}
	if s.Retired {
		return "No results. Try other words."
	}
	return "No results. Try other words. Retired and superseded capsules too: " + s.retiredKey() + "."
}

// retiredKey is how retired capsules come in: a letter belongs to the question while one types.
func (s *SearchBox) retiredKey() string {
	k := page.KeyFewer.Help().Key
	if s.inResults {
		return k
	}
	return "tab, then " + k
}

// scoreCells is the length of a score's bar.
const scoreCells = 5

// scoreBar draws a score from 0 to 1.
func scoreBar(score float64) string {
	n := min(max(int(score*scoreCells+0.5), 0), scoreCells)
	return strings.Repeat("█", n) + strings.Repeat("░", scoreCells-n)
}

func (s *SearchBox) row(i, w int) string {
	st, h := s.app.Styles, &s.result.Hits[i]
	if s.browsing {
		return s.browseRow(h, w)
	}
	parts := []string{fmt.Sprintf("%.2f", h.Score), st.Info.Render(scoreBar(h.Score)),
		st.Accent.Render(cells.Fit(cells.Clean(h.Kind), 12))}
	if w >= 64 {
		parts = append(parts, st.Faint.Render(cells.Fit(cells.Clean(h.Scope), 9)))
	}
	title := page.Columns(append(parts, cells.OneLine(h.Title, 200))...)
	if ended := s.ended(h); ended != nil {
		return cells.Spread(title, memories.Badges(s.app, ended), w)
	}
	if h.Weak { // it has words of the question, and is no sure answer
		return cells.Spread(title, st.Faint.Render("weak"), w)
	}
	return cells.Fit(title, w)
}

// preview shows what the chosen hit says, why it was found, and its source.
func (s *SearchBox) preview(w, most int) []string {
	h := s.Hit()
	if h == nil {
		return nil
	}
	st := s.app.Styles
	title := cells.Wrap(cells.OneLine(h.Title, kb.MaxTitle), w-2)
	for i := range title {
		title[i] = st.Bold.Render(title[i])
	}
	lines := title[:min(len(title), 2)]
	text := s.meant.Text()
	found := foundWords(text, h)
	if _, remembered := s.refs[h.ID]; remembered {
		found = slices.DeleteFunc(words.Split(text, ""),
			func(w string) bool { return utf8.RuneCountInString(w) < stemRunes })
	}
	lines = append(lines, s.said(h, found, w-2, most-len(lines))...)
	lines = append(lines, st.Faint.Render(strings.Join(badges(&h.Capsule), " · ")))
	if h.Source != "" {
		lines = append(lines, st.Faint.Render("@ "+cells.OneLine(h.Source, 200)))
	}
	lines = append(lines, s.why(h, w-2))
	return cells.Indented(lines[:min(len(lines), max(most, 0))])
}

// bodyLines is the least height of a preview that shows the formatted body instead of the
// snippet.
const bodyLines = 16

// said returns the text of a hit, in about this many lines of w cells, with the words by
// which it was found.
func (s *SearchBox) said(h *kb.Hit, found []string, w, most int) []string {
	if most < bodyLines {
		lines := cells.Wrap(cells.OneLine(h.Snippet, 500), w)
		for i := range lines {
			lines[i] = cells.Highlight(s.app.Styles, lines[i], found)
		}
		return lines
	}
	const below = 3 // the source
	lines := cells.Markdown(s.app.Styles, excerpt(h, most*max(w, 1)), w, found...)
	return lines[:min(len(lines), most-below)]
}

// why says why a hit was found, or since when it is there.
func (s *SearchBox) why(h *kb.Hit, w int) string {
	said := "= by its meaning"
	if _, remembered := s.refs[h.ID]; remembered && !s.browsing {
		said = "= of the memory, tier " + h.Kind
		if !h.Created.IsZero() {
			said += ", written " + cells.Clock(h.Created)
		}
	} else if s.browsing {
		said = s.browseWhy(h)
	} else if len(h.Terms) > 0 {
		terms := make([]string, len(h.Terms))
		for i, t := range h.Terms {
			terms[i] = cells.OneLine(t.Term, 60)
		}
		said = "= words: " + strings.Join(terms, ", ")
	}
	return s.app.Styles.Faint.Render(cells.Fit(said, min(w, cells.Width(said)+2)))
}

// stemRunes is the length of the prefix that words with the same stem share.
const stemRunes = 3

// foundWords returns what to highlight in a hit: the terms by which it was found, and the
// words of the question from which they come; the longest first.
func foundWords(asked string, h *kb.Hit) (found []string) {
	typed := words.Split(asked, "")
	for _, t := range h.Terms {
		if len(t.Term) < stemRunes {
			continue // it is a part of too many words
		}
		found = append(found, t.Term)
		for _, w := range typed {
			if strings.HasPrefix(w, t.Term[:stemRunes]) {
				found = append(found, w)
			}
		}
	}
	slices.SortStableFunc(found, func(a, b string) int { return len(b) - len(a) })
	return found
}

// typedWords returns the words of a question from which the index made its terms: before
// for the stem befor. Terms without such a word, such as identifiers, are returned as
// they are; words of one or two ASCII letters are left out.
func typedWords(asked string, stems []string) []string {
	typed := words.Split(asked, "")
	var out []string
	for _, stem := range stems {
		word := stem
		for _, made := range []string{stem, stem[:max(len(stem)-1, 0)]} { // happi for happy
			at := slices.IndexFunc(typed, func(w string) bool { return strings.HasPrefix(w, made) })
			if at >= 0 && (made == stem || len(made) >= stemRunes) {
				word = typed[at]
				break
			}
		}
		if short := len(word) <= 2 && utf8.RuneCountInString(word) == len(word); !short && !slices.Contains(out, word) {
			out = append(out, word)
		}
	}
	return out
}
