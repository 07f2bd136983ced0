package tui

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"blackboard/board/fault"
	"blackboard/kb"
	"blackboard/testdata/embedtest"
	"blackboard/tui/items"
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
	h.press("tab", "ctrl+r")
	h.goldens("search-results")
	h.press("/")
	h.typeText(" kind:gotcha scope:universal")
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
	h.wants("No active capsule. `board kb remember` stores one")
	h.press("enter") // nothing to open
	h.wants("▸search")

	h = newHarness(t, fillCapsules)
	h.press("K")
	h.typeText("zyzzyva")
	h.wants("No results. Try other words.", "no capsule has words like: zyzzyva", "`board model pull` fetches one")
	h.goldens("search-nothing")
	h.typeText(" kind:fact")
	h.wants("No results with these filters")

	h.press("esc")
	h.m.app.Search = nil
	h.press("K")
	h.typeText("x")
	h.wants("There is no knowledge base here.")
}

// What is typed with a name narrows what is found, with words and without.
func TestSearchFilters(t *testing.T) {
	h := openBoth(t)
	h.press("K")
	s := h.m.focus().(*items.Page)
	ids := func() (all []string) {
		for _, r := range s.Rows() {
			all = append(all, r.Ref.ID)
		}
		return all
	}
	for text, want := range map[string][]string{
		"pane kind:gotcha":          {capsuleTmux},
		"kind:got":                  {capsuleTmux},
		"pane doc:e2e.sh kind:pit":  nil,
		"read-only scope:memory":    {"m000000001"},
		"read-only in:mem":          {"m000000001"},
		"read-only in:capsules":     {capsuleTmux},
		"pane in:capsules since:1m": nil,
		"tag:nosuch":                nil,
	} {
		h.press("ctrl+u")
		h.typeText(text)
		if got := ids(); !slices.Equal(got, want) {
			t.Errorf("%q finds %q instead of %q", text, got, want)
		}
	}
	h.press("esc", "K") // the next question begins without them
	h.typeText("pane")
	if len(h.m.focus().(*items.Page).Rows()) < 3 {
		t.Errorf("a filter is left:\n%s", h.screen())
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

// What has only some of the words is dimmed, and said to be no answer.
func TestSearchWeak(t *testing.T) {
	h := newHarness(t, fillCapsules)
	h.press("K")
	h.typeText("which trees grow in characters of Iowa")
	h.wants("Nothing matches well: 3 weak hits", "weak")
}

// A knowledge base whose capsules are all retired is not empty.
func TestSearchBrowseRetired(t *testing.T) {
	h := newHarness(t, func(h *harness) {
		h.capsuleFile(capsulePlain, "title: Ports are free\nkind: fact\nscope: universal", "b")
		must(h.openKB().Retire(context.Background(), capsulePlain, "it was wrong"))
	})
	h.press("K")
	h.wants("No active capsule.", "Retired and superseded ones: tab, then f.")
	h.press("tab", "f")
	h.wants("Ports are free", "[retired]")
	h.press("f", "/")
	h.typeText("kind:fact")
	h.lacks("No active capsule")
}

// TestSearchKeys goes through what the keys do.
func TestSearchKeys(t *testing.T) {
	h := newHarness(t, fillCapsules)
	h.press("K")
	h.typeText("pane")
	s := h.m.focus().(*items.Page)
	if len(s.Rows()) < 3 {
		t.Fatalf("%d hits", len(s.Rows()))
	}
	first, second := s.Rows()[0].Ref.ID, s.Rows()[1].Ref.ID
	h.press("down")
	if s.Chosen().ID != second || !s.Typing() {
		t.Errorf("down while typing chose %s", s.Chosen().ID)
	}
	h.press("up", "tab", "j")
	if s.Chosen().ID != second || s.Typing() {
		t.Errorf("j in the results chose %s", s.Chosen().ID)
	}
	h.press("/", "q") // is text again
	h.wants("/ paneq")
	h.press("backspace", "tab", "K") // types, from the results too: no letter of it is a command
	h.typeText("undo")
	if h.wants("/ undo"); !s.Typing() {
		t.Error("after K the results have the keys")
	}
	h.press("ctrl+u")
	h.typeText("pane")
	h.press("shift+tab", "y")
	h.wants("✓", first)
	h.press("q")
	if h.m.top() == page.Page(s) {
		t.Error("q does not close it")
	}
	h.press("K") // begins anew
	h.wants("3 capsules, the newest first")
	h.typeText("pane")
	h.press("enter") // it is answered: enter opens
	h.wants("Capsule " + first)
	h.press("esc") // back to the hits
	if s := h.m.focus().(*items.Page); s.Chosen().ID != first || s.Typing() {
		t.Errorf("from the capsule one comes to %s", h.screen())
	}
	h.press("esc")
	h.wants("Runs")
	h.press("K", "ctrl+u")
	h.wants("3 capsules, the newest first")
	h.typeText("?K ")
	h.wants("/ ?K")
}

// searchFunc answers as a test says.
type searchFunc func(context.Context, kb.Query) (kb.Result, error)

func (f searchFunc) Search(ctx context.Context, q kb.Query) (kb.Result, error) { return f(ctx, q) }

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
	h.typeText(" scope:workspace")
	h.wants("gone")
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

// TestSearchMany sees that a screen takes no longer for what is not seen, and that many hits can
// be gone through.
func TestSearchMany(t *testing.T) {
	h := newHarness(t, nil)
	h.m.app.Search = searchFunc(func(context.Context, kb.Query) (kb.Result, error) {
		res := kb.Result{Total: 1000, Mode: kb.ModeHybrid}
		for i := range 20 {
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
