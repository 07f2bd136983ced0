// Package keys has every key of the program, with what the help says of it.
//
// A page answers to the keys that its actions list; package tui holds in a test that none of them
// means two things there.
package keys

import (
	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
)

// That all keys stand together is what shows which are free.
var (
	// Everywhere
	Search  = bind("K", "search knowledge", "K")
	Memory  = bind("M", "memory", "M")
	Help    = bind("?", "all keys", "?")
	Back    = bind("esc", "back", "esc", "backspace")
	Quit    = bind("q", "back; from the list of runs: leave", "q")
	Leave   = bind("ctrl+c", "leave at once", "ctrl+c")
	Suspend = bind("ctrl+z", "to the shell, for a while", "ctrl+z")
	Redraw  = bind("ctrl+l", "draw the screen anew", "ctrl+l")
	Undo    = bind("u", "undo what was just done", "u")

	// Lists and texts
	Up       = bind("↑/k", "up", "up", "k")
	Down     = bind("↓/j", "down", "down", "j")
	PageUp   = bind("pgup", "a page up", "pgup", "ctrl+b")
	PageDown = bind("pgdn", "a page down", "pgdown", "ctrl+f", " ")
	First    = bind("g", "to the first", "home", "g")
	Last     = bind("G", "to the last", "end", "G")
	Open     = bind("enter", "open", "enter")
	Filter   = bind("/", "filter", "/")
	Next     = bind("tab", "next", "tab")
	Previous = bind("shift+tab", "previous", "shift+tab")
	CopyID   = bind("y", "copy id", "y")
	Refresh  = bind("ctrl+r", "read again", "ctrl+r")

	// A run
	Pane1      = bind("1", "entries", "1")
	Pane2      = bind("2", "signals", "2")
	Pane3      = bind("3", "gate", "3")
	Pane4      = bind("4", "workers", "4")
	AllSignals = bind("f", "open signals, or all", "f")
	Survival   = bind("S", "does the report carry it?", "S")
	Check      = bind("C", "check the run", "C")
	Given      = bind("R", "what was given", "R")
	StepBack   = bind("[", "an event back", "[")
	Step       = bind("]", "an event on", "]")
	LeapBack   = bind("{", "a twentieth back", "{")
	Leap       = bind("}", "a twentieth on", "}")
	Live       = bind("L", "back to now", "L")

	// What is shown
	NextOne     = bind("n", "the next one", "n")
	PreviousOne = bind("N", "the one before", "N")

	// Acting on a run
	Post    = bind("p", "post an entry", "p")
	Raise   = bind("s", "raise a signal", "s")
	Address = bind("a", "address", "a")
	Waive   = bind("w", "waive", "w")
	Reopen  = bind("o", "reopen", "o")
	Claim   = bind("c", "claim", "c")
	Release = bind("x", "release", "x")
	Settle  = bind("w", "settle: both hold", "w")
	Promote = bind("P", "promote to knowledge", "P")
	Source  = bind("e", "open the source", "e")

	// A capsule
	Edit   = bind("e", "edit", "e")
	Retire = bind("X", "retire", "X")
	Meta   = bind("i", "all about it", "i")

	// The search
	Mode    = bind("m", "mode", "m")
	Kind    = bind("t", "kind", "t")
	Scope   = bind("s", "scope", "s")
	Explain = bind("x", "explain the scores", "x")
	ToInput = bind("/", "type", "/")
	Clear   = bind("ctrl+u", "clear", "ctrl+u")
	Choose  = bind("↑/↓", "choose", "up", "down", "pgup", "pgdown")

	// The memory
	TierNext      = bind("→", "next tier", "right", "l")
	TierPrev      = bind("←", "tier before", "left", "h")
	Curator       = bind("c", "curator", "c")
	SourceFilter  = bind("s", "source", "s")
	Agent         = bind("a", "agent", "a")
	Create        = bind("n", "new", "n")
	Forget        = bind("d", "forget", "d")
	Scrub         = bind("X", "scrub", "X")
	Named         = bind("N", "named entries", "N")
	Conversations = bind("C", "conversations", "C")
	Editor        = bind("E", "edit in $EDITOR", "E")
	Place         = bind("o", "channel or conversation", "o")
	WithForgotten = bind("f", "forgotten too, or not", "f")

	// Forms
	Submit     = bind("ctrl+s", "do it", "ctrl+s")
	Cancel     = bind("esc", "leave it", "esc")
	NextField  = bind("tab", "next field", "tab")
	PrevField  = bind("shift+tab", "field before", "shift+tab")
	ChoiceNext = bind("→", "another", "right")
	ChoicePrev = bind("←", "another", "left")
	InEditor   = bind("ctrl+o", "write it in $EDITOR", "ctrl+o")

	// Survival
	Report      = bind("r", "another report", "r")
	MissingOnly = bind("f", "missing only, or all", "f")
	FileBefore  = bind("↑", "file before", "up")
	FileNext    = bind("↓", "next file", "down")
)

func bind(help, desc string, keys ...string) key.Binding {
	return key.NewBinding(key.WithKeys(keys...), key.WithHelp(help, desc))
}

// Moving are the keys of every list and text.
func Moving() []key.Binding {
	return []key.Binding{Up, Down, PageUp, PageDown, First, Last}
}

// Steps is how far one of these keys moves, in lines, where h of n lines are seen; ok is whether it
// is one of them.
func Steps(msg tea.KeyMsg, h, n int) (lines int, ok bool) {
	by := [...]int{-1, 1, -max(h-1, 1), max(h-1, 1), -n, n}
	for i, b := range Moving() {
		if key.Matches(msg, b) {
			return by[i], true
		}
	}
	return 0, false
}

// Global are the keys that work on every page.
func Global() []key.Binding {
	return []key.Binding{Search, Memory, Help, Back, Quit, Undo, Redraw, Suspend, Leave}
}

// Renamed is a key with another word for what it does here.
func Renamed(b key.Binding, desc string) key.Binding {
	b.SetHelp(b.Help().Key, desc)
	return b
}
