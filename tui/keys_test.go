package tui

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/charmbracelet/bubbles/key"
	"github.com/charmbracelet/x/ansi"

	"blackboard/testdata/cost"
	"blackboard/testdata/expect"
	"blackboard/tui/page"
	"blackboard/tui/runs"
)

// everyState brings the program into each of its states, and calls look in each.
func everyState(t *testing.T, look func(name string, h *harness)) {
	t.Helper()
	for name, keys := range map[string][]string{
		"runs": {"esc"}, "runs filter": {"esc", "/"},
		"entries": {"1"}, "signals": {"2"}, "workers": {"3"}, "preview": {"4"}, "filter": {"/"}, "the past": {"["}, "changes": {"{", "="}, "signals of the past": {"2", "["},
		"entry": {"enter"}, "signal": {"2", "enter"},
		"post": {"p"}, "post, type": {"p", "tab"}, "raise": {"s"}, "waive": {"2", "w"}, "release": {"2", "j", "x"}, "promote": {"P"}, "help": {"?"},
		"survival": {"S"}, "check": {"C"}, "check, report": {"C", "r"}, "memory": {"M"}, "search": {"K"}, "search, results": {"K", "tab"}, "search, switches": {"K", "ctrl+t"},
		"memory, conversations": {"M", "8"}, "memory, end": {"M", "8", "d"},
	} {
		h := openAudit(t)
		h.press(keys...)
		look(name, h)
	}
}

// TestOneMeaning sees that in the whole program no key means two things, but for those that are
// text or mean something else while one types.
func TestOneMeaning(t *testing.T) {
	file := expect.Value(parser.ParseFile(token.NewFileSet(), filepath.Join("page", "keys.go"), nil, 0))(t)
	blocks := 0
	for _, decl := range file.Decls {
		vars, ok := decl.(*ast.GenDecl)
		if !ok || vars.Tok != token.VAR {
			continue
		}
		blocks++
		meaning := map[string]string{}
		for _, spec := range vars.Specs {
			name, call := spec.(*ast.ValueSpec).Names[0].Name, spec.(*ast.ValueSpec).Values[0].(*ast.CallExpr)
			for _, arg := range call.Args[2:] {
				k := must(strconv.Unquote(arg.(*ast.BasicLit).Value))
				if other, taken := meaning[k]; taken {
					t.Errorf("%s is %s and %s", k, other, name)
				}
				meaning[k] = name
			}
		}
		if len(meaning) < 10 {
			t.Errorf("the block has %d keys", len(meaning))
		}
	}
	if blocks != 2 {
		t.Errorf("there are %d blocks of keys: one for commands, one for what is typed into", blocks)
	}
}

// TestKeys sees that in no state a key means two things, or an impossible one.
func TestKeys(t *testing.T) {
	everyState(t, func(name string, h *harness) {
		focus := h.m.focus()
		all := focus.Actions().Bindings()
		if !focus.Typing() && len(h.m.overs) == 0 {
			all = append(all, page.GlobalKeys()...)
		}
		meaning := map[string]key.Binding{}
		for _, b := range all {
			if b.Help().Key == "" || b.Help().Desc == "" {
				t.Errorf("%s: %v has no help", name, b.Keys())
			}
			for _, k := range b.Keys() {
				if other, taken := meaning[k]; taken && other.Help().Desc != b.Help().Desc {
					t.Errorf("%s: %s is %q and %q", name, k, other.Help().Desc, b.Help().Desc)
				}
				meaning[k] = b
				if r := []rune(k); focus.Typing() && len(r) == 1 && unicode.IsPrint(r[0]) && r[0] != ' ' {
					if h.typedAway(k) {
						t.Errorf("%s: %q is a command while one types", name, k)
					}
				}
			}
		}
	})
}

// typedAway reports whether a key that is text does something else than to become text.
func (h *harness) typedAway(k string) bool {
	over, pages := len(h.m.overs), len(h.m.pages)
	h.press(k)
	return len(h.m.overs) != over || len(h.m.pages) != pages
}

// TestHelpNamesEverything sees that what the last line offers is in the help, too.
func TestHelpNamesEverything(t *testing.T) {
	cost.SkipUnlessLong(t)
	everyState(t, func(name string, h *harness) {
		if h.m.focus().Typing() || len(h.m.overs) > 0 {
			return
		}
		all := h.m.focus().Actions().Bindings()
		h.size(160, 100)
		h.press("?")
		for _, b := range all {
			if b.Enabled() {
				h.wants(b.Help().Desc)
			}
		}
	})
}

// TestNothingIsSaidByColourAlone draws every state with colours and without, and sees the same
// cells.
func TestNothingIsSaidByColourAlone(t *testing.T) {
	cost.SkipUnlessLong(t)
	cost.SkipTable(t)
	everyState(t, func(name string, h *harness) {
		if view := h.m.View(); view != h.screen() {
			for i, r := range view {
				if r == '\x1b' && len(view) > i+3 && view[i:i+4] != "\x1b[0m" {
					t.Errorf("%s: without colours there is %q", name, view[i:min(i+12, len(view))])
					break
				}
			}
		}
	})
}

// TestMovingKeys sees the keys that people have in their hands: half pages, and left and right.
func TestMovingKeys(t *testing.T) {
	h := openAudit(t)
	p := h.m.top().(*runs.Page)
	h.press("l")
	if p.Here() != runs.PanePreview {
		t.Errorf("l leads to pane %d", p.Here())
	}
	h.press("left")
	if p.Here() != runs.PaneFeed {
		t.Errorf("left leads to pane %d", p.Here())
	}
	h.press("ctrl+d")
	h.wants("6 of 6") // half a page is more
	h.press("ctrl+u")
	h.wants("1 of 6")
	h.size(130, 30)
	h.press("l")
	if p.Here() != runs.PanePreview {
		t.Errorf("l leads to pane %d", p.Here())
	}
	h.press("h", "2", "right", "left")
	if p.Here() != runs.PaneQuestions {
		t.Errorf("back from the preview is pane %d", p.Here())
	}
	h.press("C", "right")
	if !h.m.top().(*runs.CheckPage).InDoc {
		t.Error("right does not lead to the text")
	}
	h.press("left")
	if h.m.top().(*runs.CheckPage).InDoc {
		t.Error("left does not lead to the steps")
	}
}

// TestCopyText sees that Y copies the whole text, and says how much that is.
func TestCopyText(t *testing.T) {
	h := openAudit(t)
	var out syncBuffer
	h.m.app.Out = &out
	h.press("G", "Y")
	h.wants("the text of e1 copied, 50 characters")
	if text := ansi.SetSystemClipboard("Access tokens never expire: the parser ignores exp"); !strings.Contains(out.String(), text) {
		t.Errorf("the terminal was told %q", out.String())
	}
	h.press("2", "enter", "Y")
	h.wants("the text of s2 copied")
	h.press("esc", "3", "y")
	h.wants("reader-3 copied")
	h.press("esc")
	h.press("y")
	h.wants("audit-7 copied")
	h = openCheck(t)
	h.toRow("Who rotates")
	h.press("Y")
	h.wants("the text of s1 copied")
}

// TestUnknownKeys sees that a key that does nothing says so, in every state, and that one which
// changes what is shown is never said to do nothing.
func TestUnknownKeys(t *testing.T) {
	cost.SkipUnlessLong(t)
	const hint = " does nothing here · ? keys"
	everyState(t, func(name string, h *harness) {
		page := func() []string { return strings.Split(h.screen(), "\n")[:h.m.h-2] }
		for _, k := range []string{"ö", "8", "h", "l", "tab", "shift+tab", "n", "f", "t", "[", "=", "A", "F", "r", "i", "e", "O", "a", "alt+m"} {
			if h.m.focus().Typing() {
				return
			}
			before := page()
			h.press(k)
			said := strings.Contains(h.screen(), k+hint)
			if k == "ö" && !said {
				t.Errorf("%s: an unknown key says nothing:\n%s", name, h.screen())
			}
			if said && !slices.Equal(before, page()) {
				t.Errorf("%s: %s does something, and is said to do nothing:\n%s", name, k, h.screen())
			}
		}
	})
}
