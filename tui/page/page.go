// Package page has what all pages of the screen share. It knows none of them.
//
//	page.go         what a page is; messages.go has its messages to the program
//	app.go          what all pages share; config.go configures it
//	ask.go          commands: what is slow happens outside of Update
//	openers.go      how a page opens one of another package
//	keys.go         all keys; actions.go: those of a page, and what they do
//	words.go        names keys in errors; settings.go has the person's own keys
//	list.go         a list that renders only its visible rows; filter.go narrows one
//	document.go     a text to scroll through, with links; text.go: a page that is one
//	two_panes.go    a list, and a text about the chosen row
//	form.go         forms: a reason, a new entry, a confirmation
//	chooser.go      an overlay with choices
//	textlinks.go    ids, and links in the texts of entries, signals, capsules, items and findings
//	editor.go       a file or a text in the person's editor; clipboard.go copies
//	notice.go       notifications outside of the screen
//	contact.go      tracks whether the boards' server answers
package page

import tea "github.com/charmbracelet/bubbletea"

// Page fills the screen, or is an overlay. Only Update may change it.
type Page interface {
	Init() tea.Cmd
	Update(tea.Msg) tea.Cmd
	// View returns as many lines of as many cells as SetSize set. An overlay may return
	// fewer of both; its lines have the same width.
	View() []string
	SetSize(w, h int)
	// Title is the page's name in the header.
	Title() string
	// Actions are the current actions, most useful first.
	Actions() Actions
	// Typing reports whether keys are text input now.
	Typing() bool
	// Close ends what the page has started.
	Close()
}

// Plain has the methods of most pages.
type Plain struct{}

func (Plain) Init() tea.Cmd { return nil }

func (Plain) Typing() bool { return false }

func (Plain) Close() {}

// RunPlace is a page about a run, as the status bar shows it.
type RunPlace interface {
	Run() string
	Light() (word string, open bool) // the gate's state; "" if unknown
}

// Leaver is a page that undoes something of its own before it closes, such as a filter or a view of
// the past. Leave reports whether there was something.
type Leaver interface{ Leave() (tea.Cmd, bool) }

// Resumer is a page that updates when it is on top again.
type Resumer interface{ Resume() tea.Cmd }

// Catcher is a page that updates after each message on top: a part of it follows others.
type Catcher interface{ CatchUp() tea.Cmd }
