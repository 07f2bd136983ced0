// Package dark keeps the terminal quiet at the start of every command.
//
// Bubble Tea v1 has an init function that asks the terminal for its background colour
// (OSC 11) and waits up to five seconds for the answer. It runs at the start of each
// program that links Bubble Tea: `board version` on a terminal would write an escape
// sequence, and swallow what is typed meanwhile. It does not ask where $CI is set, which
// this package does until Restore. The TUI asks for itself, once; see tui.NewRenderer.
//
// Go initialises packages in the order of their import paths, each once its imports are
// initialised. This package imports os alone, so it is ready early. Bubble Tea waits for
// text/template, by way of Lip Gloss. So this comes first if the module's path sorts
// before "text/template", as those of all the usual hosts do; testdata/publish refuses
// others. A test starts the program on a terminal and sees that it writes no escape
// sequence.
package dark

import "os"

const ci = "CI"

var before, isSet = os.LookupEnv(ci)

func init() {
	if before == "" {
		os.Setenv(ci, "true")
	}
}

// Restore gives $CI back its value. It is for the init function of a package that imports
// Bubble Tea, which is then initialised.
func Restore() {
	switch {
	case before != "":
	case isSet:
		os.Setenv(ci, before)
	default:
		os.Unsetenv(ci)
	}
}
