package memory

import (
	"errors"
	"testing"

	"blackboard/board/fault"
)

func TestParseRates(t *testing.T) {
	for _, c := range []struct {
		in   string
		want Rates
		err  string
	}{
		{in: "", want: DefaultRates},
		{in: " , ", want: DefaultRates},
		{in: "channel=0.5", want: Rates{Channel: .5, Workspace: .995, Account: .998}},
		{in: " account = 1 , workspace=.25,channel=0.75", want: Rates{Channel: .75, Workspace: .25, Account: 1}},
		{in: "channel=0.5,channel=0.6", want: Rates{Channel: .6, Workspace: .995, Account: .998}},
		{in: "channel", err: `"channel" is not a rate of decay`},
		{in: "channel=0", err: `"channel=0" is not a rate of decay`},
		{in: "channel=-1", err: `"channel=-1" is not a rate of decay`},
		{in: "channel=1.1", err: `"channel=1.1" is not a rate of decay`},
		{in: "channel=NaN", err: `"channel=NaN" is not a rate of decay`},
		{in: "channel=often", err: `"channel=often" is not a rate of decay`},
		{in: "conversation=0.9", err: `tier with a rate of decay "conversation" is unknown`},
		{in: "chanel=0.9", err: `tier with a rate of decay "chanel" is unknown`},
	} {
		got, err := ParseRates(c.in)
		var e *fault.Error
		switch {
		case c.err == "" && (err != nil || got != c.want):
			t.Errorf("ParseRates(%q) = %v, %v, want %v", c.in, got, err, c.want)
		case c.err != "" && (!errors.As(err, &e) || e.Msg != c.err || len(e.Next) == 0):
			t.Errorf("ParseRates(%q): %v, want %q and a hint", c.in, err, c.err)
		}
	}
}
