package main

import (
	"testing"

	"blackboard/cmd/board/base"
)

// TestSpeakerOnTerminal: a person at a terminal is the author, but not in a harness's
// shell, and not under a worker's name.
func TestSpeakerOnTerminal(t *testing.T) {
	home := t.TempDir()
	for _, c := range []struct {
		env  []string
		code int
	}{
		{[]string{"BOARD_WORKER="}, base.ExitOK},
		{[]string{"BOARD_WORKER=", "CLAUDECODE=1"}, base.ExitFailure},
		{[]string{"BOARD_WORKER=", "BOARD_HARNESS=aider"}, base.ExitFailure},
		{nil, base.ExitFailure},
	} {
		x := onTerminal(t, home, c.env, "memory", "named", "edit", "SOUL", "Curious.")
		if code := x.exit(); code != c.code {
			t.Errorf("%q: exit code %d, %q", c.env, code, x.output())
		}
	}
}
