package items

import (
	"context"
	"io"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/lipgloss"

	"blackboard/kb"
	"blackboard/testdata/tuitest"
	"blackboard/tui/cells"
	"blackboard/tui/page"
)

// TestTypedWords: words are shown as they were typed, not as the index has them.
func TestTypedWords(t *testing.T) {
	for _, c := range []struct{ asked, stems, want string }{
		{"Login, per we before", "login per we befor", "login per before"},
		{"happy happiness", "happi", "happiness"},
		{"happy", "happi", "happy"},
		{"capturePane", "captur pane capturepan", "capturepane pane"},
		{"日本語", "日本 本語", "日本語 本語"},
		{"of an", "of an", ""},
	} {
		if got := strings.Join(typedWords(c.asked, strings.Fields(c.stems)), " "); got != c.want {
			t.Errorf("%q of %q: %q instead of %q", c.stems, c.asked, got, c.want)
		}
	}
}

func TestScoreBar(t *testing.T) {
	for score, want := range map[float64]string{-1: "░░░░░", 0: "░░░░░", .09: "░░░░░", .1: "█░░░░", .5: "███░░", .89: "████░", 1: "█████", 7: "█████"} {
		if got := scoreBar(score); got != want {
			t.Errorf("%g: %s instead of %s", score, got, want)
		}
	}
}

func TestMarkWords(t *testing.T) {
	r := lipgloss.NewRenderer(io.Discard)
	r.SetColorProfile(0) // all colours
	st := cells.NewStyles(r, "")
	words := foundWords("are happy Panes the running 日本", &kb.Hit{})
	if len(words) != 0 {
		t.Errorf("found by no word: %v", words)
	}
	var h kb.Hit
	for _, term := range []string{"pane", "happi", "run"} {
		h.Terms = append(h.Terms, struct {
			Term  string  `json:"term"`
			DF    int     `json:"df"`
			TF    float64 `json:"tf"`
			Score float64 `json:"score"`
		}{Term: term})
	}
	words = foundWords("are happy Panes the running", &h)
	for _, c := range []struct{ line, want string }{
		{"the Panes, of a pane-runner", "the <Panes>, of a <pane>-<run>ner"},
		{"happy are happier", "<happy> are <happi>er"},
		{"", ""}, {" - ", " - "}, {"日本 pa", "日本 pa"},
	} {
		got := cells.Highlight(st, c.line, words)
		begin, end, _ := strings.Cut(st.Found.Render("x"), "x")
		if got = strings.ReplaceAll(strings.ReplaceAll(got, begin, "<"), end, ">"); got != c.want {
			t.Errorf("%q: %s instead of %s", c.line, got, c.want)
		}
	}
}

// answerer answers as a test says.
type answerer func(context.Context, kb.Query) (kb.Result, error)

func (f answerer) Search(ctx context.Context, q kb.Query) (kb.Result, error) { return f(ctx, q) }

// newBox returns a search that is answered by a function.
func newBox(t *testing.T, answers answerer) *Page {
	t.Helper()
	a := page.NewApp(t.Context(), page.Config{Search: answers})
	a.Still = true
	s := NewSearch(a, "")
	s.SetSize(80, 24)
	tuitest.Do(t, s.Init(), nil)
	return s
}

// TestSearchLate sees that an answer that comes late is not shown, and that its question was
// called off.
func TestSearchLate(t *testing.T) {
	var off []bool // whether a question was called off
	var queries []kb.Query
	s := newBox(t, func(ctx context.Context, q kb.Query) (kb.Result, error) {
		off, queries = append(off, ctx.Err() != nil), append(queries, q)
		hit := kb.Hit{Capsule: kb.Capsule{ID: "kaaaaaaaaa", Title: "answer to " + q.Text}}
		return kb.Result{Mode: kb.ModeBM25, Total: 1, Hits: []kb.Hit{hit}}, nil
	})
	s.Filter.Set("one")
	late := s.narrow()
	s.Filter.Set("two")
	tuitest.Do(t, s.narrow(), nil)
	tuitest.Do(t, late, nil)
	wants := func(title string) {
		t.Helper()
		if hits := s.Rows(); len(hits) != 1 || hits[0].Head != title {
			t.Errorf("it shows %+v, not %s", hits, title)
		}
	}
	wants("answer to two")
	if len(queries) != 2 || off[0] || !off[1] || queries[0].Text != "two" || queries[0].Limit != searchLimit {
		t.Errorf("asked %+v, called off %v", queries, off)
	}

	// By the clock: only what is still typed is asked, and only if it is another question.
	s.app.Still = false
	tuitest.Do(t, s.rested("twelve"), nil)
	tuitest.Do(t, s.rested("two"), nil)
	if len(queries) != 2 {
		t.Errorf("asked %d times", len(queries))
	}
	s.Filter.Set("three")
	if s.narrow() == nil || s.reading {
		t.Error("it does not wait for the next key")
	}
	tuitest.Do(t, s.rested("three"), nil)
	wants("answer to three")
}

// TestSearchUnderWay sees what enter does while an answer is awaited, and that closing calls the
// question off.
func TestSearchUnderWay(t *testing.T) {
	off := false
	s := newBox(t, func(ctx context.Context, q kb.Query) (kb.Result, error) {
		off = ctx.Err() != nil
		return kb.Result{}, ctx.Err()
	})
	s.Filter.Set("slow")
	cmd := s.narrow()
	if !s.reading {
		t.Error("nothing is asked")
	}
	if s.key(tea.KeyMsg{Type: tea.KeyEnter}) != nil {
		t.Error("it is asked twice")
	}
	s.Close()
	tuitest.Do(t, cmd, nil)
	if !off {
		t.Error("it is not called off")
	}
}
