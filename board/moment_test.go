package board

import (
	"testing"

	"blackboard/board/documents"
	"blackboard/board/trace"
	"blackboard/testdata/expect"
)

// TestPolicyExpects: a worker that the policy names is waited for until the board says what became
// of it, once if the run expects it too.
func TestPolicyExpects(t *testing.T) {
	b := newBoard(t)
	ctx := t.Context()
	expect.Value(b.Post(ctx, "reader-1", Post{Content: "x"}))(t)
	p := Policy{Expect: []string{"reader-1", "reader-2", "reader-1"}}
	want := func(want string) {
		t.Helper()
		if got := rules(t, b, p); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	want("expected reader-1, expected reader-2")
	expect.Value(b.Done(ctx, "reader-1"))(t)
	want("expected reader-2")
	expect.Value(b.Expect(ctx, "lead", []string{"reader-2"}, false))(t)
	want("expected reader-2")
	expect.Value(b.Drop(ctx, "lead", "reader-2", "gone"))(t)
	want("")
	if _, err := b.Gate(ctx, Policy{Expect: []string{""}}); err == nil {
		t.Error("a worker without a name is expected")
	}
}

// TestMoment: what is posted while somebody looks belongs to the next moment.
func TestMoment(t *testing.T) {
	b := newBoard(t)
	ctx := t.Context()
	expect.Value(b.Post(ctx, "reader-1", Post{Content: "x"}))(t)
	expect.OK(t, b.Moment(ctx, func(m *Moment) error {
		before, err := m.Gate(Policy{})
		if err != nil {
			return err
		}
		if _, err := b.Signal(ctx, "reader-1", Raise{Content: "why?", Priority: "high"}); err != nil {
			return err
		}
		after, err := m.Gate(Policy{})
		if err == nil && (!before.Open || !after.Open || before.Seq != m.Seq || after.Seq != m.Seq) {
			t.Errorf("%d: %+v, then %+v", m.Seq, before, after)
		}
		return err
	}))
	if v, err := b.Gate(ctx, Policy{}); err != nil || v.Open {
		t.Errorf("%+v, %v", v, err)
	}
}

// TestTraceOfCitations: a report may name the entries that it stands on, as the digest does, but
// none that is not there.
func TestTraceOfCitations(t *testing.T) {
	b := newBoard(t)
	confidence := 0.85
	expect.Value(b.Post(t.Context(), "reader-1", Post{Content: "the cable is full", Confidence: &confidence}))(t)
	expect.Value(b.Signal(t.Context(), "reader-1", Raise{Content: "who pays?"}))(t)
	text := "- e1.1z0 —: the cable is full [confidence 0.85]\n- s1 asks who pays.\n- e9.1z0 —: the cable is full."
	r := expect.Value(b.Trace(t.Context(), nil, documents.New("report.md", text)))(t)
	for _, f := range r.Facts {
		if (f.Verdict == trace.Unsupported) != (f.Text == "e9") {
			t.Errorf("%s is %s", f.Text, f.Verdict)
		}
	}
	if r.Checked != 2 || r.Unsupported != 1 {
		t.Errorf("%+v", r)
	}
}

// TestTraceOfConfidence: how sure a worker was supports a figure that is said to be a confidence,
// and no other.
func TestTraceOfConfidence(t *testing.T) {
	b := newBoard(t)
	confidence := 0.9
	p := Post{Content: "cranes stop at strong gusts", Confidence: &confidence}
	expect.Value(b.Post(t.Context(), "ann", p))(t)
	for text, want := range map[string]int{
		"About 85 percent of the cranes are affected.":                   1,
		"Cranes stop at strong gusts; 90 percent of the drivers know":    1,
		"Cranes stop at strong gusts (e1), as 90 % of drivers say.":      1,
		"Cranes stop at strong gusts in 0.9 of all cases.":               1,
		"Cranes stop at strong gusts (confidence 0.9).":                  0,
		"Cranes stop at strong gusts, with a confidence of 90 %.":        0,
		"We are 90 percent confident that cranes stop at gusts.":         0,
		"Cranes stop at strong gusts (confidence: 0.8).":                 1,
		"- e1.1z0 —: cranes stop [confidence 0.90]":                      0,
		"- e1.1z0 —: cranes stop [confidence 0.80]":                      1,
		"| finding | confidence |\n| --- | --- |\n| cranes stop | 0.9 |": 0,
		"| finding | share |\n| --- | --- |\n| cranes stop | 0.9 |":      1,
	} {
		r, err := b.Trace(t.Context(), nil, documents.New("report.md", text))
		if err != nil || r.Unsupported != want {
			t.Errorf("%s: %d unsupported, not %d: %+v, %v", text, r.Unsupported, want, r.Facts, err)
		}
	}
}
