package board

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"testing"

	"blackboard/board/documents"
	"blackboard/board/fault"
	"blackboard/testdata/expect"
)

func TestBoardSurvival(t *testing.T) {
	ctx := context.Background()
	b := expect.Value(Create(ctx, t.TempDir(), "run", "", "lead", nil))(t)
	defer b.Close()
	if _, err := b.Survival(ctx); !errors.Is(err, fault.Invalid) {
		t.Errorf("without a report: %v", err)
	}
	report := documents.New("final.md", "Nothing yet.")
	s := expect.Value(b.Survival(ctx, report))(t)
	if s.Passed || !s.Empty || s.Warning == "" || s.Run != "run" || s.Seq != 1 || s.Checked != 0 || s.Items == nil || !slices.Equal(s.Reports, []string{"final.md"}) {
		t.Errorf("empty board: %+v", s)
	}

	for _, p := range []Post{
		{Content: "The Tristate filing lapsed in 2024", MustSurface: true},
		{Content: "A detail that nobody needs"},
		{Content: "The Tristate filing is active", Type: Contradiction, Contradicts: []string{"e1"}},
		{Content: "The Ironworks lien lapses in 2026", MustSurface: true},
		{Content: "The Ironworks lien lapses in 2027", MustSurface: true, Supersedes: []string{"e4"}},
	} {
		expect.Value(b.Post(ctx, "reader", p))(t)
	}
	for _, content := range []string{"Has Crestline sent its payoff letter?", "Who insures the warehouse?"} {
		expect.Value(b.Signal(ctx, "reader", Raise{Content: content, Priority: "high"}))(t)
	}
	expect.Value(b.Waive(ctx, "lead", "s2", "coverage is left to the client"))(t)
	report = documents.New("final.md", "The filing of Tristate lapsed in 2024. One register shows the Tristate filing as active.\n\nIronworks' lien lapses in 2026.\n\nWho insures the warehouse is for the client to say.\n")
	s = expect.Value(b.Survival(ctx, report))(t)
	var got []string
	for _, r := range s.Items {
		got = append(got, r.ID+" "+r.Why+" "+cmp.Or(r.Cause, "present"))
	}
	want := []string{"e1 must-surface present", "e3 contradiction present", "e5 must-surface number differs", "s1 open signal absent", "s2 waived signal present"}
	if !slices.Equal(got, want) || s.Passed || s.Checked != 5 || s.Missing != 2 || s.Seq < 9 {
		t.Errorf("got %q, want %q; %+v", got, want, s)
	}
}
