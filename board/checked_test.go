package board

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"blackboard/board/fault"
	"blackboard/board/record"
	"blackboard/kb/secret"
	"blackboard/testdata/expect"
)

// failing is a verdict on reports in which survival found as many items missing; 0: it passed.
func failing(missing int, reports ...string) ReportCheck {
	s := CheckedStep{Name: "survival", Passed: true}
	if missing > 0 {
		s = CheckedStep{Name: "survival", Wrong: missing}
	}
	return ReportCheck{Reports: reports, SHA256: "aa", Passed: missing == 0, JudgedAt: 2,
		Steps: []CheckedStep{{Name: "gate", Passed: true}, s}}
}

// TestChecksOnRecord: a run has the last check of each report, now, in the past and in a copy.
func TestChecksOnRecord(t *testing.T) {
	b, ctx := newBoard(t), t.Context()
	recordCheck := func(c ReportCheck) {
		t.Helper()
		expect.OK(t, b.RecordCheck(ctx, "ci", c))
	}
	said := func(st *State) (all []string) {
		for _, c := range st.Checks {
			all = append(all, strings.TrimSpace(c.Describe()+" "+st.DescribeNewEntries(c)))
		}
		return all
	}
	wants := func(want ...string) {
		t.Helper()
		st := expect.Value(b.State(ctx))(t)
		s := expect.Value(b.Replay(ctx, st.Seq))(t)
		past := s.State()
		if got, then := said(&st), said(&past); !slices.Equal(got, want) || !slices.Equal(then, want) {
			t.Errorf("%q, replayed %q, instead of %q", got, then, want)
		}
		if err := b.Check(ctx); err != nil {
			t.Error(err)
		}
	}
	if err := b.RecordCheck(ctx, "ci", failing(1, "a.md")); !errors.Is(err, fault.NotFound) {
		t.Errorf("a run that does not exist: %v", err)
	}
	post := func(text string) int64 {
		t.Helper()
		p := expect.Value(b.Post(ctx, "w", Post{Content: text}))(t)
		return p.Entry.Seq
	}
	post("Tokens never expire")
	recordCheck(failing(2, "a.md"))
	wants("a.md FAILED: survival 2")
	before, _ := b.State(ctx)
	again := failing(2, "a.md")
	again.JudgedAt = before.Seq
	recordCheck(again)
	if st, _ := b.State(ctx); st.Seq != before.Seq {
		t.Errorf("the same again was recorded")
	}
	recordCheck(failing(0, "b.md"))
	recordCheck(failing(1, "b.md", "c.md"))
	wants("b.md, c.md FAILED: survival 1", "a.md FAILED: survival 2")
	recordCheck(failing(0, "b.md"))
	wants("b.md passed", "b.md, c.md FAILED: survival 1", "a.md FAILED: survival 2")
	recordCheck(failing(0, "c.md")) // and nothing is left of the check of both
	wants("c.md passed", "b.md passed", "a.md FAILED: survival 2")
	seq := post("Keys rotate")
	wants("c.md passed 1 entry since", "b.md passed 1 entry since", "a.md FAILED: survival 2 1 entry since")
	again.JudgedAt = seq
	recordCheck(again) // the same of a run that has more
	wants("a.md FAILED: survival 2", "c.md passed 1 entry since", "b.md passed 1 entry since")
	closed := failing(0, "a.md")
	closed.Passed, closed.Steps[0].Passed, closed.JudgedAt = false, false, seq
	recordCheck(closed)
	wants("a.md passed, but the gate was closed", "c.md passed 1 entry since", "b.md passed 1 entry since")

	past := expect.Value(b.At(ctx, before.Seq))(t)
	if st := past.State(); len(st.Checks) != 1 || st.Checks[0].Describe() != "a.md FAILED: survival 2" {
		t.Errorf("in the past: %+v", st.Checks)
	}
	events, err := b.History(ctx, record.CheckEventID)
	if err != nil || len(events) != 7 || events[0].Describe() != "a.md FAILED: survival 2" {
		t.Errorf("%d events: %v", len(events), err)
	}
}

// TestCheckRecordIsBounded: a record has few names, short ones, and no secret.
func TestCheckRecordIsBounded(t *testing.T) {
	b := newBoard(t)
	expect.Value(b.Post(t.Context(), "w", Post{Content: "Tokens never expire"}))(t)
	token := "ghp_" + "0123456789abcdefghijABCDEFGHIJ012345"
	names := []string{token + ".md", "bad\xff\x00\x1b.md"}
	for i := range 3 * maxCheckedReports {
		names = append(names, fmt.Sprint(strings.Repeat("x", 2*maxReportName), i))
	}
	ctx := secret.Writing(t.Context(), false, func([]string) {})
	expect.OK(t, b.RecordCheck(ctx, "ci", failing(1, names...)))
	events, err := b.History(t.Context(), record.CheckEventID)
	if err != nil || len(events) != 1 {
		t.Fatalf("%d events: %v", len(events), err)
	}
	if n := len(events[0].Payload); n > 6<<10 || strings.Contains(string(events[0].Payload), token) {
		t.Errorf("%d bytes: %s", n, events[0].Payload)
	}
	if err := b.RecordCheck(ctx, "ci", failing(1)); !errors.Is(err, fault.Invalid) {
		t.Errorf("of no report: %v", err)
	}
}
