// Package dark keeps the terminal quiet at the start of every command.
//
// Bubble Tea v1 has an init function that asks the terminal for its background colour (OSC 11) and waits for the answer, up to five seconds. It runs at the start of each
// program that Bubble Tea is linked into, whatever it is called for: `board version` on a terminal would write an escape sequence, and swallow what is typed meanwhile. It does not ask when
// Lip Gloss has been told already, which this package does. The program for the terminal asks for itself, once, when it is wanted; see tui.NewRenderer.
//
// That this comes first is the order in which Go initialises packages: of those whose imports are initialised, the one whose import path sorts first. This package imports Lip Gloss
// and nothing else, which Bubble Tea imports too, and "blackboard/…" sorts before "github.com/…". A test starts the program on a terminal and sees that it writes no escape sequence.
package dark

import "github.com/charmbracelet/lipgloss"

func init() { lipgloss.SetHasDarkBackground(true) }
