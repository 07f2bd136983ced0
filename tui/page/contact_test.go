package page

import (
	"errors"
	"testing"
)

// Only what is new of the contact with the server is passed on, the last of it.
func TestContactTurns(t *testing.T) {
	c := contact{turned: make(chan error, 1)}
	away := errors.New("away")
	for _, err := range []error{nil, away, away, nil, away} {
		c.record(err)
	}
	if got := <-c.turned; got != away {
		t.Errorf("told %v", got)
	}
	c.record(away)
	if len(c.turned) > 0 {
		t.Error("what is known is told again")
	}
}
