// Package dark prevents terminal queries at the start of every command.
//
// Bubble Tea v1 has an init function that asks the terminal for its background colour
// (OSC 11) and waits up to five seconds for the answer. It runs in each program that
// links Bubble Tea: `board version` on a terminal would write an escape sequence, and
// lose what is typed meanwhile. It does not ask if $CI is set, so this package sets it
// until Restore. The TUI asks for itself, once; see tui.NewRenderer.
//
// Go initialises packages in the order of their import paths, each one after its imports.
// This package imports only os, so it is ready early. Bubble Tea waits for text/template,
// which Lip Gloss imports. So this package is first if the module's path sorts before
// "text/template", as paths of all usual hosts do; testdata/publish refuses others. A
// test starts the program on a terminal and checks that it writes no escape sequence.
package dark

import "os"

const ci = "CI"

var before, isSet = os.LookupEnv(ci)

func init() {
	if before == "" {
		os.Setenv(ci, "true")
	}
}

// Restore restores $CI. Call it in the init function of a package that imports Bubble
// Tea, which is initialised by then.
func Restore() {
	switch {
	case before != "":
	case isSet:
		os.Setenv(ci, before)
	default:
		os.Unsetenv(ci)
	}
}
