package tui

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"blackboard/board/fault"
	"blackboard/embed/embedtest"
	"blackboard/kb"
	"blackboard/tui/page"
)

// hybrid makes the harness search by meaning too.
func (h *harness) hybrid() {
	h.t.Helper()
	ctx := context.Background()
	k := must(kb.OpenExisting(ctx, h.home, kb.Options{Actor: "ada", Now: h.now, Embedder: embedtest.NewHash(64)}))
	h.t.Cleanup(func() { k.Close() })
	must(k.Reembed(ctx, nil))
	h.m.app.Search = k
}

func TestSearchScreens(t *testing.T) {
	h := newHarness(t, fillCapsules)
	h.press("K")
	h.goldens("search")
	h.typeText("kill panes of tests")
	h.goldens("search-found") // there is no model
	h.hybrid()
	h.press("tab", "alt+m")
	h.goldens("search-results")
	h.press("alt+e", "down")
	h.goldens("search-explained")
	h.press("alt+k", "alt+k", "alt+s")
	h.goldens("search-filtered")
}

func TestSearchNothing(t *testing.T) {
	h := newHarness(t, nil)
	h.press("K")
	h.typeText("anything")
	h.wants("There is no knowledge base yet", "board kb remember")
	h.goldens("search-none")
	h.openKB() // an empty one
	h.press("enter")
	h.wants("The knowledge base is empty")
	h.press("enter") // nothing to open
	h.wants("Search the knowledge base")

	h = newHarness(t, fillCapsules)
	h.press("K")
	h.typeText("zyzzyva")
	h.wants("No results. Try other words.", "no capsule has words like: zyzzyva", "`board model pull` fetches one")
	h.goldens("search-nothing")
	h.press("tab", "alt+k")
	h.wants("No results with these filters", "fact only")

	h.press("esc")
	h.m.app.Search = nil
	h.press("K")
	h.typeText("x")
	h.wants("There is no knowledge base here.")
}

// The switches work while one types.
func TestSearchSwitchesWhileTyping(t *testing.T) {
	h := newHarness(t, fillCapsules)
	h.press("K")
	h.typeText("signing")
	h.press("alt+m", "alt+k", "alt+e")
	h.typeText(" key")
	s := h.m.focus().(*searchBox)
	if s.inResults || s.Text != "signing key" || s.Mode != kb.Modes[1] || s.Kind != kb.Kinds[0] || !s.Explain {
		t.Errorf("%+v, in the results %v", s.SearchState, s.inResults)
	}
}

// Without a question the knowledge base is listed, the retired capsules too if they are wanted.
func TestSearchBrowse(t *testing.T) {
	h := newHarness(t, func(h *harness) {
		fillCapsules(h)
		must(h.openKB().Retire(context.Background(), "kwde000001", "it was wrong"))
	})
	h.press("K")
	h.wants("2 capsules, the newest first")
	h.lacks("端末の幅")
	h.press("tab", "f")
	h.wants("4 capsules, the newest first, retired ones too", "端末の幅", "[retired]")
	h.goldens("search-browse")
	h.size(80, 24)
	h.press("g")
	h.wants("it was wrong")
	h.press("enter")
	h.wants("kwde000001", "retired")
}

// A knowledge base whose capsules are all retired is not empty.
func TestSearchBrowseRetired(t *testing.T) {
	h := newHarness(t, func(h *harness) {
		h.capsuleFile(capsulePlain, "title: Ports are free\nkind: fact\nscope: universal", "b")
		must(h.openKB().Retire(context.Background(), capsulePlain, "it was wrong"))
	})
	h.press("K")
	h.wants("No active capsule. Retired and superseded ones: tab, then f.")
	h.press("tab", "f")
	h.wants("Ports are free", "[retired]")
	h.press("f", "alt+k")
	h.lacks("The knowledge base is empty")
}

// TestSearchKeys goes through what the keys do.
func TestSearchKeys(t *testing.T) {
	h := newHarness(t, fillCapsules)
	h.press("K")
	h.typeText("pane")
	s := h.m.focus().(*searchBox)
	if len(s.hits()) < 3 {
		t.Fatalf("%d hits", len(s.hits()))
	}
	first, second := s.hits()[0].ID, s.hits()[1].ID
	h.press("down")
	if s.hit().ID != second || !s.Typing() {
		t.Errorf("down while typing chose %s", s.hit().ID)
	}
	h.press("up", "tab", "j")
	if s.hit().ID != second || s.Typing() {
		t.Errorf("j in the results chose %s", s.hit().ID)
	}
	h.press("/", "q") // is text again
	if s.Text != "paneq" {
		t.Errorf("the text is %q", s.Text)
	}
	h.press("backspace", "shift+tab", "y")
	h.wants("✓", first)
	h.press("q")
	if len(h.m.overs) != 0 {
		t.Error("q does not close it")
	}
	h.press("K", "enter") // what was asked is asked again, and answered: enter opens
	h.wants("Capsule " + first)
	if len(h.m.overs) != 0 {
		t.Error("the search is not left for the capsule")
	}
	h.press("esc") // back to the hits
	if s := h.m.focus().(*searchBox); s.hit() == nil || s.hit().ID != first || s.Typing() {
		t.Errorf("from the capsule one comes to %+v", s.SearchState)
	}
	h.press("esc")
	h.wants("Runs")
	h.press("K", "ctrl+u")
	h.wants("3 capsules, the newest first")
	h.typeText("?K ")
	if s := h.m.focus().(*searchBox); s.Text != "?K " {
		t.Errorf("the text is %q", s.Text)
	}
}

// TestSearchKept sees that a search is as it was when it is opened again.
func TestSearchKept(t *testing.T) {
	h := newHarness(t, fillCapsules)
	h.press("K")
	h.typeText("pane")
	h.press("tab", "alt+m", "alt+m", "alt+k", "alt+k", "alt+k", "alt+k", "alt+k", "alt+s", "alt+s", "alt+e")
	h.wants("bm25", "recipe only", "project only", "A pane is addressed", "words: pane ")
	h.press("alt+k", "alt+k", "alt+k", "alt+s", "alt+s", "alt+s", "j")
	chosen := h.m.focus().(*searchBox).hit().ID
	before := h.screen()
	h.press("enter")
	h.wants("Capsule " + chosen)
	h.press("K")
	h.wants("› pane", "all kinds", "all scopes", "m bm25", "words: pane ")
	if again := h.m.focus().(*searchBox).hit().ID; again != chosen {
		t.Errorf("%s is chosen, not %s as before:\n%s\n%s", again, chosen, before, h.screen())
	}
	h.press("o", "x") // another question begins with its best
	h.press("backspace", "backspace")
	if s := h.m.focus().(*searchBox); s.list.Cursor != 0 {
		t.Errorf("row %d is chosen", s.list.Cursor)
	}
}

func TestSearchMouse(t *testing.T) {
	for _, w := range []int{80, 160} {
		h := newHarness(t, fillCapsules)
		h.size(w, 30)
		h.press("K")
		h.typeText("pane")
		s := h.m.focus().(*searchBox)
		id := s.hits()[1].ID
		row := fmt.Sprintf("%.2f %s", s.hits()[1].Score, scoreBar(s.hits()[1].Score))
		h.clickOn(row)
		if s.hit().ID != id || s.Typing() {
			t.Errorf("a click chose %s", s.hit().ID)
		}
		h.clickOn("› pane")
		if !s.Typing() {
			t.Error("a click on the line does not go there")
		}
		h.press("tab")
		h.clickOn(row)
		h.wants("Capsule " + id)
	}
}

// searchFunc answers as a test says.
type searchFunc func(context.Context, kb.Query) (kb.Result, error)

func (f searchFunc) Search(ctx context.Context, q kb.Query) (kb.Result, error) { return f(ctx, q) }

// TestSearchLate sees that an answer that comes late is not shown, and that its question was called off.
func TestSearchLate(t *testing.T) {
	h := newHarness(t, nil)
	var off []bool // whether a question was called off
	var queries []kb.Query
	h.m.app.Search = searchFunc(func(ctx context.Context, q kb.Query) (kb.Result, error) {
		off, queries = append(off, ctx.Err() != nil), append(queries, q)
		hit := kb.Hit{Capsule: kb.Capsule{ID: "kaaaaaaaaa", Title: "answer to " + q.Text}}
		return kb.Result{Mode: kb.ModeBM25, Total: 1, Hits: []kb.Hit{hit}}, nil
	})
	h.press("K")
	s := h.m.focus().(*searchBox)
	s.input.SetValue("one")
	late := s.typed(nil)
	s.input.SetValue("two")
	h.do(s.typed(nil))
	h.do(late)
	h.wants("answer to two")
	h.lacks("answer to one")
	if len(queries) != 2 || off[0] || !off[1] || queries[0].Text != "two" || queries[0].Limit != searchLimit {
		t.Errorf("asked %+v, called off %v", queries, off)
	}

	// By the clock: only what is still typed is asked, and only if it is another question.
	h.m.app.Still = false
	h.do(s.rested("twelve"))
	h.do(s.rested("two"))
	if len(queries) != 2 {
		t.Errorf("asked %d times", len(queries))
	}
	s.input.SetValue("three")
	if s.typed(nil) == nil || s.asking {
		t.Error("it does not wait for the next key")
	}
	h.do(s.rested("three"))
	h.wants("answer to three")
}

// TestSearchUnderWay sees what enter does while an answer is awaited, and that closing calls the question off.
func TestSearchUnderWay(t *testing.T) {
	h := newHarness(t, nil)
	off := false
	h.m.app.Search = searchFunc(func(ctx context.Context, q kb.Query) (kb.Result, error) {
		off = ctx.Err() != nil
		return kb.Result{}, ctx.Err()
	})
	h.press("K")
	s := h.m.focus().(*searchBox)
	s.input.SetValue("slow")
	cmd := s.typed(nil)
	h.wants("searching…")
	if s.key(tea.KeyMsg{Type: tea.KeyEnter}) != nil {
		t.Error("it is asked twice")
	}
	h.press("esc")
	h.do(cmd)
	if !off {
		t.Error("it is not called off")
	}
}

func TestSearchErrors(t *testing.T) {
	h := newHarness(t, nil)
	fails := error(fault.Conflict.New("the model is another", "`board kb reembed` changes over"))
	h.m.app.Search = searchFunc(func(context.Context, kb.Query) (kb.Result, error) {
		return kb.Result{Total: 3, Mode: kb.ModeBM25, Degraded: []string{"\x1b[31mno model " + strings.Repeat("long ", 60)}, Missing: []string{"foo"}}, fails
	})
	h.press("K")
	h.typeText("x")
	h.wants("the model is another", "board kb reembed")
	h.goldens("search-error")
	fails = nil
	h.press("enter") // again
	h.wants("No results", "! no capsule has words like: foo · �[31mno model long")
	h.goldens("search-degraded")
	fails = errors.New("gone")
	h.press("tab", "alt+s")
	h.wants("gone", "workspace only")
}

// TestSearchAgain sees that what was changed is looked for again.
func TestSearchAgain(t *testing.T) {
	h := newHarness(t, nil)
	n := 0
	h.m.app.Search = searchFunc(func(context.Context, kb.Query) (kb.Result, error) { n++; return kb.Result{}, nil })
	h.press("K", "x")
	h.send(page.DoneMsg{Outcome: page.Outcome{Kind: page.ChangedRun}})
	h.send(page.DoneMsg{Outcome: page.Outcome{Kind: page.ChangedKnowledge}, Err: errors.New("no")})
	if n != 1 {
		t.Errorf("asked %d times", n)
	}
	h.send(page.DoneMsg{Outcome: page.Outcome{Kind: page.ChangedKnowledge}})
	if n != 2 {
		t.Errorf("asked %d times", n)
	}
}

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

// TestExcerpt: the preview begins with the body, or with the block that the snippet is of.
func TestExcerpt(t *testing.T) {
	body := "One two.\nThree.\n\n| a | b |\n|---|---|\n| c | d |\n\nFour\nfive. One six.\n\n```\na\n\nb code\n```\n"
	for _, c := range []struct {
		snippet string
		n       int
		want    string
	}{
		{"One two. Three. …", 1000, body},
		{"One two. Three. …", 12, "One two.\nThr…"},
		{"… c | d | …", 30, "…\n\n| a | b |\n|---|---|\n| c | d …"},
		{"… b code", 12, "…\n\n```\nb code\n```\n"},
		{"not of it | at all", 1000, "not of it | at all"},
		{"", 1000, ""},
	} {
		h := kb.Hit{Capsule: kb.Capsule{Body: body}, Snippet: c.snippet}
		if got := excerpt(&h, c.n); got != c.want {
			t.Errorf("%q: %q instead of %q", c.snippet, got, c.want)
		}
	}
}

// TestSnippetLines: a table keeps its lines.
func TestSnippetLines(t *testing.T) {
	body := "One two.\nThree.\n\n| a | b |\n|---|---|\n| c | d |\n\nFour\nfive. One six."
	for _, c := range []struct{ snippet, want string }{
		{"One two. Three.", "One two. Three."},
		{"… Three. | a | b | |---|---| | c | d | Four five. …", "… Three.|| a | b |||---|---||| c | d ||Four five. …"},
		{"One six.", "One six."},
		{"not of it | at all", "not of it | at all"},
		{"", ""},
	} {
		h := kb.Hit{Capsule: kb.Capsule{Body: body}, Snippet: c.snippet}
		if got := strings.Join(snippetLines(&h), "|"); got != c.want {
			t.Errorf("%q: %q instead of %q", c.snippet, got, c.want)
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
	a := brightApp()
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
		{"the Panes, of a pane-runner", "the <Panes>, of a <pane>-<runner>"},
		{"happy are happier", "<happy> are <happier>"},
		{"", ""}, {" - ", " - "}, {"日本 pa", "日本 pa"},
	} {
		got := markWords(a.Styles, c.line, words)
		begin, end, _ := strings.Cut(a.Styles.Found.Render("x"), "x")
		if got = strings.ReplaceAll(strings.ReplaceAll(got, begin, "<"), end, ">"); got != c.want {
			t.Errorf("%q: %s instead of %s", c.line, got, c.want)
		}
	}
}

// TestSearchMany sees that a screen takes no longer for what is not seen, and that many hits can be gone through.
func TestSearchMany(t *testing.T) {
	h := newHarness(t, nil)
	h.m.app.Search = searchFunc(func(context.Context, kb.Query) (kb.Result, error) {
		res := kb.Result{Total: 1000, Mode: kb.ModeHybrid}
		for i := range searchLimit {
			c := kb.Capsule{ID: fmt.Sprintf("k%09d", i), Kind: "fact", Title: fmt.Sprint("capsule number ", i)}
			res.Hits = append(res.Hits, kb.Hit{Capsule: c, Score: 1 / float64(i+1)})
		}
		return res, nil
	})
	h.press("K")
	h.typeText("x")
	h.press("tab", "G")
	h.wants("capsule number 19", "20 found", "1 000 capsules")
	h.press("g")
	h.wants("capsule number 0")
}
