package board

import (
	"errors"
	"testing"

	"blackboard/board/fault"
	"blackboard/board/record"
	"blackboard/testdata/expect"
)

// TestRecordedPolicy: the policy on record decides, whatever a directory's or a call's says;
// a call may only close the gate. The same holds for the past.
func TestRecordedPolicy(t *testing.T) {
	ctx, dir := t.Context(), t.TempDir()
	none := int64(0)
	by := NewPolicy{Path: "/p/board.yaml", Text: "gate: {block: [low]}", Gate: Policy{Block: []string{"low"}}}
	b := expect.Value(Create(ctx, dir, "r", "", "lead", &by))(t)
	defer b.Close()
	expect.Value(b.Signal(ctx, "w", Raise{Content: "Who rotates the keys?", Priority: "low"}))(t)
	open := Policy{Block: []string{}}
	for name, p := range map[string]Policy{"default": {}, "directory": open, "call": open.ForCall()} {
		v, err := b.Gate(ctx, p)
		if err != nil || v.Open || v.Recorded == nil || v.Recorded.Seq != 2 {
			t.Errorf("%s: open %v, recorded %v, %v", name, v.Open, v.Recorded, err)
		}
	}
	if _, err := b.RecordPolicy(ctx, "lead", NewPolicy{Text: "gate: {block: []}", Gate: open}); !errors.Is(err,
		fault.Invalid) {
		t.Errorf("it is replaced without a reason: %v", err)
	}
	replaced := NewPolicy{Text: "gate: {block: []}", Gate: open, Reason: "low ones can wait"}
	for i, want := range []bool{true, false} {
		if changed, err := b.RecordPolicy(ctx, "lead", replaced); err != nil || changed != want {
			t.Errorf("record %d: %v, %v", i, changed, err)
		}
	}
	closed := Policy{MaxOpen: &none}
	if v, err := b.Gate(ctx, closed); err != nil || !v.Open {
		t.Errorf("a directory's policy decides: %+v, %v", v, err)
	}
	if v, err := b.Gate(ctx, closed.ForCall()); err != nil || v.Open {
		t.Errorf("a call cannot close the gate: %+v, %v", v, err)
	}
	if err := b.Check(ctx); err != nil {
		t.Error(err)
	}
	s := expect.Value(b.Replay(ctx, 3))(t)
	if v, err := GateOf(t.Context(), s, open); err != nil || v.Open {
		t.Errorf("the past forgets its policy: %+v, %v", v, err)
	}
	p := expect.Value(b.At(ctx, 3))(t)
	if v, err := p.Gate(ctx, open); err != nil || v.Open {
		t.Errorf("a moment of the past forgets its policy: %+v, %v", v, err)
	}
	infos, err := List(ctx, dir, closed)
	if err != nil || len(infos) != 1 || !infos[0].Open {
		t.Errorf("%+v, %v", infos, err)
	}
}

// TestCallNarrowsAcceptance: a call cannot let doubts pass that the policy on record does not.
func TestCallNarrowsAcceptance(t *testing.T) {
	recorded := &record.RecordedPolicy{NewPolicy: NewPolicy{Gate: Policy{Accept: AcceptPolicy{Checks: []string{"survival"}}}}}
	for _, c := range []struct {
		call   []string
		passes string
	}{{nil, "survival"}, {[]string{"verify", "survival"}, "survival"}, {[]string{"verify"}, ""}, {[]string{}, ""}} {
		p := Policy{Accept: AcceptPolicy{Checks: c.call}}.ForCall().Under(recorded)
		for _, check := range []string{"verify", "survival"} {
			if passes := p.Accept.Refuses(check, 1) == ""; passes != (check == c.passes) {
				t.Errorf("a call that names %v: doubts of %s pass: %v", c.call, check, passes)
			}
		}
	}
}
