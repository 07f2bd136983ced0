// Package keys has all keys of the program, with the texts of the help.
//
// A page responds to the keys of its actions.
package keys

import (
	"strings"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
)

// A key has one meaning in the whole program. These are all keys that are not text. One
// list shows which are free, and a test checks that none is used twice.
var (
	// Everywhere
	Jump    = bind(":", "go to", ":")
	Search  = bind("K", "search knowledge", "K")
	Memory  = bind("M", "memory", "M")
	Help    = bind("?", "all keys", "?")
	Back    = bind("esc", "back", "esc", "backspace")
	Quit    = bind("q", "back; from the list of runs: leave", "q")
	Leave   = bind("ctrl+c", "quit at once", "ctrl+c")
	Suspend = bind("ctrl+z", "suspend to the shell", "ctrl+z")
	Redraw  = bind("ctrl+l", "redraw the screen", "ctrl+l")
	Undo    = bind("u", "undo the last action", "u")

	// Lists and texts
	Up       = bind("↑/k", "up", "up", "k")
	Down     = bind("↓/j", "down", "down", "j")
	PageUp   = bind("pgup", "a page up", "pgup", "ctrl+b")
	PageDown = bind("pgdn", "a page down", "pgdown", "ctrl+f", " ")
	HalfUp   = bind("ctrl+u", "half a page up", "ctrl+u")
	HalfDown = bind("ctrl+d", "half a page down", "ctrl+d")
	First    = bind("g", "to the first", "home", "g")
	Last     = bind("G", "to the last", "end", "G")
	Left     = bind("←/h", "to the left", "left", "h")
	Right    = bind("→/l", "to the right", "right", "l")
	Open     = bind("enter", "open", "enter")
	Filter   = bind("/", "filter", "/")
	Fewer    = bind("f", "all, or fewer", "f")
	Sort     = bind("t", "change the order", "t")
	Next     = bind("tab", "next", "tab")
	Previous = bind("shift+tab", "previous", "shift+tab")
	CopyID   = bind("y", "copy id", "y")
	CopyText = bind("Y", "copy text", "Y")
	Refresh  = bind("ctrl+r", "reload", "ctrl+r")

	// Parts of a page, by their numbers
	Part1 = bind("1", "the first part", "1")
	Part2 = bind("2", "the second part", "2")
	Part3 = bind("3", "the third part", "3")
	Part4 = bind("4", "the fourth part", "4")
	Part5 = bind("5", "the fifth part", "5")
	Part6 = bind("6", "the sixth part", "6")
	Part7 = bind("7", "the seventh part", "7")
	Part8 = bind("8", "the eighth part", "8")

	// A run
	Preview  = bind("v", "preview on or off", "v")
	Survival = bind("S", "does the report carry it?", "S")
	Check    = bind("C", "check the run", "C")
	Given    = bind("R", "what was given", "R")
	StepBack = bind("[", "one event back in time", "[")
	Step     = bind("]", "one event forward in time", "]")
	LeapBack = bind("{", "jump back, a twentieth of the log", "{")
	Leap     = bind("}", "jump forward, a twentieth of the log", "}")
	Live     = bind("L", "live: back to now", "L")
	Peak     = bind("^", "peak: most questions open", "^")

	GateBefore = bind("<", "where the gate changed before", "<")
	GateAfter  = bind(">", "where the gate changed next", ">")
	Lanes      = bind("T", "lanes: who worked when", "T")
	Mark       = bind("m", "mark this moment", "m")
	Changed    = bind("=", "changes from the mark", "=")

	// What is shown
	NextOne     = bind("n", "the next one", "n")
	PreviousOne = bind("N", "the one before", "N")
	Meta        = bind("i", "details", "i")
	Source      = bind("o", "open a link", "o")
	Report      = bind("r", "another report", "r")

	// Acting on a run
	Post    = bind("p", "post an entry", "p")
	Raise   = bind("s", "raise a signal", "s")
	Address = bind("a", "address", "a")
	Waive   = bind("w", "waive", "w")
	Reopen  = bind("O", "reopen", "O") // also restores something to its state before
	Claim   = bind("c", "claim", "c")
	Release = bind("x", "release", "x")
	Settle  = bind("b", "settle: both hold", "b")
	Promote = bind("P", "promote to knowledge", "P")

	// Acting on stored things: runs, capsules, the memory
	Create  = bind("+", "new", "+")
	Edit    = bind("e", "edit", "e")
	PutAway = bind("d", "take out of use", "d")
	Remove  = bind("D", "remove for good", "D") // for what cannot be undone; asks first

	// The memory
	Agent = bind("A", "as an agent", "A")
)

// These keep their meaning during input.
var (
	Clear      = bind("ctrl+u", "clear", "ctrl+u")
	Choose     = bind("↑/↓", "choose", "up", "down", "pgup", "pgdown")
	Submit     = bind("ctrl+s", "do it", "ctrl+s")
	Cancel     = bind("esc", "leave it", "esc")
	Yes        = bind("y", "yes", "y") // to a question without fields
	No         = bind("n", "no", "n")
	NextField  = bind("tab", "next field", "tab")
	PrevField  = bind("shift+tab", "previous field", "shift+tab")
	ChoiceNext = bind("→", "another", "right")
	ChoicePrev = bind("←", "another", "left")
	InEditor   = bind("ctrl+o", "write it in $EDITOR", "ctrl+o")
)

func bind(help, desc string, keys ...string) key.Binding {
	return key.NewBinding(key.WithKeys(keys...), key.WithHelp(help, desc))
}

// Press returns the message of a key's first name.
func Press(b key.Binding) (msg tea.KeyMsg, ok bool) {
	if len(b.Keys()) == 0 {
		return msg, false
	}
	name := b.Keys()[0]
	if r := []rune(name); len(r) == 1 {
		return tea.KeyMsg{Type: tea.KeyRunes, Runes: r}, true
	}
	if rest, alt := strings.CutPrefix(name, "alt+"); alt {
		return tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(rest), Alt: true}, true
	}
	for t := tea.KeyType(-128); t < 128; t++ {
		if t != tea.KeyRunes && (tea.Key{Type: t}).String() == name {
			return tea.KeyMsg{Type: t}, true
		}
	}
	return msg, false
}

// Moving are the keys of every list and text.
func Moving() []key.Binding {
	return []key.Binding{Up, Down, PageUp, PageDown, HalfUp, HalfDown, First, Last}
}

// Steps returns how many lines one of these keys moves if h of n lines are visible; ok
// reports whether it is one of them.
func Steps(msg tea.KeyMsg, h, n int) (lines int, ok bool) {
	by := [...]int{-1, 1, -max(h-1, 1), max(h-1, 1), -max(h/2, 1), max(h/2, 1), -n, n}
	for i, b := range Moving() {
		if key.Matches(msg, b) {
			return by[i], true
		}
	}
	return 0, false
}

// Global are the keys that work on every page.
func Global() []key.Binding {
	return []key.Binding{Jump, Search, Memory, Help, Back, Quit, Undo, Redraw, Suspend, Leave}
}

// Parts are the keys of the parts of a page.
func Parts() []key.Binding {
	return []key.Binding{Part1, Part2, Part3, Part4, Part5, Part6, Part7, Part8}
}

// Renamed returns a key with another label, for what it does here.
func Renamed(b key.Binding, desc string) key.Binding {
	b.SetHelp(b.Help().Key, desc)
	return b
}
