package tui

import (
	"testing"
	"unicode"

	"github.com/charmbracelet/bubbles/key"

	"blackboard/tui/keys"
)

// everyState brings the program into each of its states, and calls look in each.
func everyState(t *testing.T, look func(name string, h *harness)) {
	t.Helper()
	for name, keys := range map[string][]string{
		"runs": {"esc"}, "runs filter": {"esc", "/"},
		"entries": {"1"}, "signals": {"2"}, "gate": {"3"}, "workers": {"4"}, "filter": {"/"}, "the past": {"["}, "signals of the past": {"2", "["},
		"entry": {"enter"}, "signal": {"2", "enter"},
		"post": {"p"}, "post, type": {"p", "tab"}, "raise": {"s"}, "waive": {"2", "w"}, "release": {"2", "j", "x"}, "promote": {"P"}, "help": {"?"},
		"survival": {"S"}, "check": {"C"}, "check, report": {"C", "r"}, "memory": {"M"}, "search": {"K"}, "search, results": {"K", "tab"},
	} {
		h := openAudit(t)
		h.press(keys...)
		look(name, h)
	}
}

// TestKeys sees that in no state a key means two things, or an impossible one.
func TestKeys(t *testing.T) {
	everyState(t, func(name string, h *harness) {
		focus := h.m.focus()
		all := focus.actions().bindings()
		if !focus.typing() && len(h.m.overs) == 0 {
			all = append(all, keys.Global()...)
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
				if r := []rune(k); focus.typing() && len(r) == 1 && unicode.IsPrint(r[0]) && r[0] != ' ' {
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
	everyState(t, func(name string, h *harness) {
		if h.m.focus().typing() || len(h.m.overs) > 0 {
			return
		}
		all := h.m.focus().actions().bindings()
		h.size(160, 100)
		h.press("?")
		for _, b := range all {
			if b.Enabled() {
				h.wants(b.Help().Desc)
			}
		}
	})
}

// TestNothingIsSaidByColourAlone draws every state with colours and without, and sees the same cells.
func TestNothingIsSaidByColourAlone(t *testing.T) {
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
