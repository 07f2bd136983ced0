package page

import (
	"context"
	"errors"
	"strings"
	"testing"

	"blackboard/board/fault"
	"blackboard/tui/cells"
)

// TestTextAway: what was read stays while the server is away, another error is shown, and what
// could not be read is read when the server is back.
func TestTextAway(t *testing.T) {
	a := NewApp(t.Context(), Config{})
	var err error
	text := &Text{App: a, Heading: func() string { return "heading" }}
	text.Read = func(context.Context) (func(*cells.Writer), error) {
		return func(x *cells.Writer) { x.Line("never expire") }, err
	}
	text.SetSize(80, 5)
	reads := func(fails error, want string) {
		t.Helper()
		err = fails
		msg := text.Reload()().(Answer)
		msg.Take()
		if s := strings.Join(text.View(), "\n"); !strings.Contains(s, want) {
			t.Errorf("%q is not in\n%s", want, s)
		}
	}
	away := fault.Away.New("the database team on db cannot be used", "start it")
	reads(away, "cannot be used")
	reads(nil, "never expire")
	reads(away, "never expire")
	reads(errors.New("it is damaged"), "it is damaged")
	reads(nil, "never expire")
}
