package tui

import (
	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
)

// keyMap is every key of the program. A page answers to those it lists in keys, which is also where the help is made from.
type keyMap struct {
	// everywhere
	search, memory, help, back, quit, leave, suspend, redraw, undo key.Binding
	// lists and texts
	up, down, pageUp, pageDown, first, last, open, filter, next, previous, copyID, refresh key.Binding
	// a run
	pane1, pane2, pane3, pane4, allSignals, survival, step, stepBack, leap, leapBack, live key.Binding
	// acting on a run
	nextOne, previousOne                                                 key.Binding // of what is shown
	post, raise, address, waive, reopen, claim, release, promote, source key.Binding
	// a capsule
	edit, retire, meta key.Binding
	// the search
	mode, kind, scope, explain, toInput, clear, choose key.Binding
	// the memory
	tierNext, tierPrev, curator, sourceFilter, agent, create, forget, scrub, named, conversations, editor, place, withForgotten key.Binding
	// forms
	submit, cancel, nextField, prevField, choiceNext, choicePrev, inEditor key.Binding
	// survival
	report, missingOnly, fileBefore, fileNext key.Binding
}

func bind(help, desc string, keys ...string) key.Binding {
	return key.NewBinding(key.WithKeys(keys...), key.WithHelp(help, desc))
}

// keys is one table: that all keys stand together is what shows which are free.
var keys = keyMap{
	search:  bind("K", "search knowledge", "K"),
	memory:  bind("M", "memory", "M"),
	help:    bind("?", "all keys", "?"),
	back:    bind("esc", "back", "esc", "backspace"),
	quit:    bind("q", "back; from the list of runs: leave", "q"),
	leave:   bind("ctrl+c", "leave at once", "ctrl+c"),
	suspend: bind("ctrl+z", "to the shell, for a while", "ctrl+z"),
	redraw:  bind("ctrl+l", "draw the screen anew", "ctrl+l"),
	undo:    bind("u", "undo what was just done", "u"),

	up:       bind("↑/k", "up", "up", "k"),
	down:     bind("↓/j", "down", "down", "j"),
	pageUp:   bind("pgup", "a page up", "pgup", "ctrl+b"),
	pageDown: bind("pgdn", "a page down", "pgdown", "ctrl+f", " "),
	first:    bind("g", "to the first", "home", "g"),
	last:     bind("G", "to the last", "end", "G"),
	open:     bind("enter", "open", "enter"),
	filter:   bind("/", "filter", "/"),
	next:     bind("tab", "next", "tab"),
	previous: bind("shift+tab", "previous", "shift+tab"),
	copyID:   bind("y", "copy id", "y"),
	refresh:  bind("ctrl+r", "read again", "ctrl+r"),

	pane1:      bind("1", "entries", "1"),
	pane2:      bind("2", "signals", "2"),
	pane3:      bind("3", "gate", "3"),
	pane4:      bind("4", "workers", "4"),
	allSignals: bind("f", "open signals, or all", "f"),
	survival:   bind("S", "does the report carry it?", "S"),
	stepBack:   bind("[", "an event back", "["),
	step:       bind("]", "an event on", "]"),
	leapBack:   bind("{", "a twentieth back", "{"),
	leap:       bind("}", "a twentieth on", "}"),
	live:       bind("L", "back to now", "L"),

	nextOne:     bind("n", "the next one", "n"),
	previousOne: bind("N", "the one before", "N"),

	post:    bind("p", "post an entry", "p"),
	raise:   bind("s", "raise a signal", "s"),
	address: bind("a", "address", "a"),
	waive:   bind("w", "waive", "w"),
	reopen:  bind("o", "reopen", "o"),
	claim:   bind("c", "claim", "c"),
	release: bind("x", "release", "x"),
	promote: bind("P", "promote to knowledge", "P"),
	source:  bind("e", "open the source", "e"),

	edit:   bind("e", "edit", "e"),
	retire: bind("X", "retire", "X"),
	meta:   bind("i", "all about it", "i"),

	mode:    bind("m", "mode", "m"),
	kind:    bind("t", "kind", "t"),
	scope:   bind("s", "scope", "s"),
	explain: bind("x", "explain the scores", "x"),
	toInput: bind("/", "type", "/"),
	clear:   bind("ctrl+u", "clear", "ctrl+u"),
	choose:  bind("↑/↓", "choose", "up", "down", "pgup", "pgdown"),

	tierNext:      bind("→", "next tier", "right", "l"),
	tierPrev:      bind("←", "tier before", "left", "h"),
	curator:       bind("c", "curator", "c"),
	sourceFilter:  bind("s", "source", "s"),
	agent:         bind("a", "agent", "a"),
	create:        bind("n", "new", "n"),
	forget:        bind("d", "forget", "d"),
	scrub:         bind("X", "scrub", "X"),
	named:         bind("N", "named entries", "N"),
	conversations: bind("C", "conversations", "C"),
	editor:        bind("E", "edit in $EDITOR", "E"),
	place:         bind("o", "channel or conversation", "o"),
	withForgotten: bind("f", "forgotten too, or not", "f"),

	submit:     bind("ctrl+s", "do it", "ctrl+s"),
	cancel:     bind("esc", "leave it", "esc"),
	nextField:  bind("tab", "next field", "tab"),
	prevField:  bind("shift+tab", "field before", "shift+tab"),
	choiceNext: bind("→", "another", "right"),
	choicePrev: bind("←", "another", "left"),
	inEditor:   bind("ctrl+o", "write it in $EDITOR", "ctrl+o"),

	report:      bind("r", "another report", "r"),
	missingOnly: bind("f", "missing only, or all", "f"),
	fileBefore:  bind("↑", "file before", "up"),
	fileNext:    bind("↓", "next file", "down"),
}

// action is a key with what it does. Without do it is listed for those who look for it: the program, a list or a text takes it.
type action struct {
	key.Binding
	do func() tea.Cmd
}

// unlisted is an action that no help names.
func (a action) unlisted() action {
	a.Binding.SetHelp("", "")
	return a
}

// actions are what can be done somewhere, the most useful first.
type actions []action

// press does what a key says, and reports whether it was one of these.
func (all actions) press(msg tea.KeyMsg) (cmd tea.Cmd, ok bool) {
	for _, a := range all {
		if a.do != nil && key.Matches(msg, a.Binding) {
			return a.do(), true
		}
	}
	return nil, false
}

// also adds keys that are only listed.
func (all actions) also(more ...key.Binding) actions {
	for _, b := range more {
		all = append(all, action{Binding: b})
	}
	return all
}

// bindings are the keys that are listed.
func (all actions) bindings() (out []key.Binding) {
	for _, a := range all {
		if a.Help().Key != "" {
			out = append(out, a.Binding)
		}
	}
	return out
}

// moving are the keys of every list and text.
func (k *keyMap) moving() []key.Binding {
	return []key.Binding{k.up, k.down, k.pageUp, k.pageDown, k.first, k.last}
}

// steps is how far one of these keys moves, in lines, where h of n lines are seen; ok is whether it is one of them.
func (k *keyMap) steps(msg tea.KeyMsg, h, n int) (lines int, ok bool) {
	by := [...]int{-1, 1, -max(h-1, 1), max(h-1, 1), -n, n}
	for i, b := range k.moving() {
		if key.Matches(msg, b) {
			return by[i], true
		}
	}
	return 0, false
}

// global are the keys that work on every page.
func (k *keyMap) global() []key.Binding {
	return []key.Binding{k.search, k.memory, k.help, k.back, k.quit, k.undo, k.redraw, k.suspend, k.leave}
}

// renamed is a key with another word for what it does here.
func renamed(b key.Binding, desc string) key.Binding {
	b.SetHelp(b.Help().Key, desc)
	return b
}
