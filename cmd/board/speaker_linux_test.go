package main

import "testing"

// TestSpeakerOnTerminal: a person at a terminal is the author, but not in a harness's
// shell, and not under a worker's name.
func TestSpeakerOnTerminal(t *testing.T) {
	home := t.TempDir()
	for _, c := range []struct {
		env  []string
		code int
	}{
		{[]string{"BOARD_WORKER="}, exitOK},
		{[]string{"BOARD_WORKER=", "CLAUDECODE=1"}, exitFailure},
		{[]string{"BOARD_WORKER=", "BOARD_HARNESS=aider"}, exitFailure},
		{nil, exitFailure},
	} {
		x := onTerminal(t, home, c.env, "memory", "named", "edit", "SOUL", "Curious.")
		if code := x.exit(); code != c.code {
			t.Errorf("%q: exit code %d, %q", c.env, code, x.output())
		}
	}
}
