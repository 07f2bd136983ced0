package page

import (
	"strings"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
)

// A key has one meaning in the whole program. These are all keys that are not text. One
// list shows which are free, and a test checks that none is used twice.
var (
	// Everywhere
	KeyJump    = bind(":", "go to", ":")
	KeySearch  = bind("K", "search knowledge", "K")
	KeyMemory  = bind("M", "memory", "M")
	KeyHelp    = bind("?", "all keys", "?")
	KeyBack    = bind("esc", "back", "esc", "backspace")
	KeyQuit    = bind("q", "back; from the list of runs: leave", "q")
	KeyLeave   = bind("ctrl+c", "quit at once", "ctrl+c")
	KeySuspend = bind("ctrl+z", "suspend to the shell", "ctrl+z")
	KeyRedraw  = bind("ctrl+l", "redraw the screen", "ctrl+l")
	KeyUndo    = bind("u", "undo the last action", "u")

	// Lists and texts
	KeyUp       = bind("↑/k", "up", "up", "k")
	KeyDown     = bind("↓/j", "down", "down", "j")
	KeyPageUp   = bind("pgup", "a page up", "pgup", "ctrl+b")
	KeyPageDown = bind("pgdn", "a page down", "pgdown", "ctrl+f", " ")
	KeyHalfUp   = bind("ctrl+u", "half a page up", "ctrl+u")
	KeyHalfDown = bind("ctrl+d", "half a page down", "ctrl+d")
	KeyFirst    = bind("g", "to the first", "home", "g")
	KeyLast     = bind("G", "to the last", "end", "G")
	KeyLeft     = bind("←/h", "to the left", "left", "h")
	KeyRight    = bind("→/l", "to the right", "right", "l")
	KeyOpen     = bind("enter", "open", "enter")
	KeyFilter   = bind("/", "filter", "/")
	KeyFewer    = bind("f", "all, or fewer", "f")
	KeyNext     = bind("tab", "next", "tab")
	KeyPrevious = bind("shift+tab", "previous", "shift+tab")
	KeyCopyID   = bind("y", "copy id", "y")
	KeyCopyText = bind("Y", "copy text", "Y")
	KeyRefresh  = bind("ctrl+r", "reload", "ctrl+r")

	// Parts of a page, by their numbers
	KeyPart1 = bind("1", "the first part", "1")
	KeyPart2 = bind("2", "the second part", "2")
	KeyPart3 = bind("3", "the third part", "3")
	KeyPart4 = bind("4", "the fourth part", "4")
	KeyPart5 = bind("5", "the fifth part", "5")
	KeyPart6 = bind("6", "the sixth part", "6")
	KeyPart7 = bind("7", "the seventh part", "7")
	KeyPart8 = bind("8", "the eighth part", "8")

	// A run
	KeySurvival = bind("S", "does the report carry it?", "S")
	KeyCheck    = bind("C", "check the run", "C")
	KeyGiven    = bind("R", "what was given", "R")
	KeyStepBack = bind("[", "one event back in time", "[")
	KeyStep     = bind("]", "one event forward in time", "]")
	KeyLeapBack = bind("{", "jump back, a twentieth of the log", "{")
	KeyLeap     = bind("}", "jump forward, a twentieth of the log", "}")
	KeyLive     = bind("L", "live: back to now", "L")
	KeyChanged  = bind("=", "what has changed since then", "=")

	// What is shown
	KeyNextOne     = bind("n", "the next one", "n")
	KeyPreviousOne = bind("N", "the one before", "N")
	KeySource      = bind("o", "open a link", "o")
	KeyReport      = bind("r", "another report", "r")

	// Acting on a run
	KeyPost    = bind("p", "post an entry", "p")
	KeyRaise   = bind("s", "raise a question", "s")
	KeyAddress = bind("a", "address", "a")
	KeyWaive   = bind("w", "waive", "w")
	KeyReopen  = bind("O", "reopen", "O") // also restores something to its state before
	KeyClaim   = bind("c", "claim", "c")
	KeyRelease = bind("x", "release", "x")
	KeySettle  = bind("b", "settle: both hold", "b")
	KeyPromote = bind("P", "promote to knowledge", "P")

	// Acting on stored things: runs, capsules, the memory
	KeyEdit    = bind("e", "edit", "e")
	KeyPutAway = bind("d", "take out of use", "d")

	// The memory
	KeyAgent = bind("A", "as an agent", "A")
)

// These keep their meaning during input.
var (
	KeyClear      = bind("ctrl+u", "clear", "ctrl+u")
	KeyChoose     = bind("↑/↓", "choose", "up", "down", "pgup", "pgdown")
	KeySubmit     = bind("ctrl+s", "do it", "ctrl+s")
	KeyCancel     = bind("esc", "leave it", "esc")
	KeyYes        = bind("y", "yes", "y") // to a question without fields
	KeyNo         = bind("n", "no", "n")
	KeyNextField  = bind("tab", "next field", "tab")
	KeyPrevField  = bind("shift+tab", "previous field", "shift+tab")
	KeyChoiceNext = bind("→", "another", "right")
	KeyChoicePrev = bind("←", "another", "left")
	KeyInEditor   = bind("ctrl+o", "write it in $EDITOR", "ctrl+o")
)

func bind(help, desc string, keys ...string) key.Binding {
	keyNames = append(keyNames, keys...)
	return key.NewBinding(key.WithKeys(keys...), key.WithHelp(help, desc))
}

// PressOf returns the message of a key; ok reports whether there is such a key.
func PressOf(name string) (msg tea.KeyMsg, ok bool) {
	if r := []rune(name); len(r) == 1 {
		return tea.KeyMsg{Type: tea.KeyRunes, Runes: r}, true
	}
	if rest, alt := strings.CutPrefix(name, "alt+"); alt && len([]rune(rest)) == 1 {
		return tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(rest), Alt: true}, true
	}
	for t := tea.KeyType(-128); t < 128; t++ {
		if t != tea.KeyRunes && (tea.Key{Type: t}).String() == name {
			return tea.KeyMsg{Type: t}, true
		}
	}
	return msg, false
}

// MovingKeys are the keys of every list and text.
func MovingKeys() []key.Binding {
	return []key.Binding{KeyUp, KeyDown, KeyPageUp, KeyPageDown, KeyHalfUp, KeyHalfDown, KeyFirst, KeyLast}
}

// StepsOf is how many lines a key moves with h of n visible; ok: it is such a key.
func StepsOf(msg tea.KeyMsg, h, n int) (lines int, ok bool) {
	by := [...]int{-1, 1, -max(h-1, 1), max(h-1, 1), -max(h/2, 1), max(h/2, 1), -n, n}
	for i, b := range MovingKeys() {
		if key.Matches(msg, b) {
			return by[i], true
		}
	}
	return 0, false
}

// GlobalKeys are the keys that work on every page.
func GlobalKeys() []key.Binding {
	return []key.Binding{KeyJump, KeySearch, KeyMemory, KeyHelp, KeyBack, KeyQuit, KeyUndo, KeyRedraw, KeySuspend, KeyLeave}
}

// PartKeys are the keys of the parts of a page.
func PartKeys() []key.Binding {
	return []key.Binding{KeyPart1, KeyPart2, KeyPart3, KeyPart4, KeyPart5, KeyPart6, KeyPart7, KeyPart8}
}

// Renamed returns a key with another label, for what it does here.
func Renamed(b key.Binding, desc string) key.Binding {
	b.SetHelp(b.Help().Key, desc)
	return b
}
