package kb

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"blackboard/board/fault"
)

// TestConfirm: what is learned again raises what is there, once for each role of a run,
// and only by those who look at the work of others.
func TestConfirm(t *testing.T) {
	ctx, k := context.Background(), newKB(t, nil)
	all := []Learning{{Capsule{Kind: "gotcha", Title: "flush before close", Body: "Flush before close. Else the last page is lost."}, "line 1"}}
	learn := func(run, role string) Learned {
		t.Helper()
		got, err := k.Learn(ctx, all, LearnOptions{Run: run, Role: role})
		if err != nil || len(got.Refused) > 0 || len(got.Stored)+len(got.Confirmed) != 1 {
			t.Fatalf("%+v, %v", got, err)
		}
		return got
	}
	id := learn("r1", "executor").Stored[0].ID
	for i, c := range []struct {
		run, role  string
		unchanged  bool
		confidence float64 // 0: none
		verified   string
	}{
		{"r1", "executor", true, 0, ""},
		{"r2", "executor", false, 0, ""},
		{"r2", "reviewer", false, .725, "run:r2 role:reviewer"},
		{"r2", "reviewer", true, .725, "run:r2 role:reviewer"},
		{"r3", "planner", false, .725, "run:r2 role:reviewer"},
		{"r3", "re-reviewer", false, .837, "run:r2 role:reviewer; run:r3 role:re_reviewer"},
		{"r2", "reviewer", true, .837, "run:r2 role:reviewer; run:r3 role:re_reviewer"},
		{"", "", true, .837, "run:r2 role:reviewer; run:r3 role:re_reviewer"},
	} {
		got := learn(c.run, c.role).Confirmed[0]
		now, err := k.Get(ctx, id)
		if err != nil {
			t.Fatal(err)
		}
		if got.ID != id || got.From != "line 1" || got.Unchanged != c.unchanged || (now.Confidence == nil) != (c.confidence == 0) || c.confidence > 0 && *now.Confidence != c.confidence || now.VerifiedBy != c.verified {
			t.Errorf("%d: %+v, confidence %v, verified by %q", i, got, now.Confidence, now.VerifiedBy)
		}
		if by := refsOf(c.run, c.role); !strings.Contains(strings.Join(now.Refs, " "), strings.Join(by, " ")) {
			t.Errorf("%d: the references are %q", i, now.Refs)
		}
	}
	events, err := k.History(ctx, id)
	if err != nil {
		t.Fatal(err)
	}
	var verbs []string
	for _, e := range events {
		verbs = append(verbs, e.Verb)
	}
	if want := []string{VerbRemembered, VerbConfirmed, VerbConfirmed, VerbConfirmed, VerbConfirmed}; !slices.Equal(verbs, want) {
		t.Errorf("the history is %q", verbs)
	}
	if last := events[len(events)-1]; last.Why != "run:r3 role:re_reviewer" || !slices.Equal(last.Changed, []string{"confidence", "verified_by", "refs"}) {
		t.Errorf("the last event is %+v", last)
	}
}

// TestConfirmLimits: however often something is said, it is never quite sure, never less
// sure, and no larger than a capsule may be.
func TestConfirmLimits(t *testing.T) {
	ctx, k := context.Background(), newKB(t, nil)
	sure := .99
	c := put(t, k, Capsule{Title: "flush before close", Body: "else the last page is lost", Confidence: &sure, VerifiedBy: "make test", Scope: "universal"})
	if got, err := k.Confirm(ctx, c.ID, "r0", "reviewer"); err != nil || got.Raised() || *got.After != sure {
		t.Errorf("%+v, %v", got, err)
	}
	unsure := put(t, k, Capsule{Title: "close after flush", Body: "else there is nothing to flush", Scope: "universal"})
	for i := range 120 {
		if _, err := k.Confirm(ctx, unsure.ID, fmt.Sprintf("a-run-with-a-long-name-%d", i), "reflector"); err != nil {
			t.Fatal(err)
		}
	}
	now, err := k.Get(ctx, unsure.ID)
	if err != nil || *now.Confidence != .95 || len(now.Refs) > mostRefs || len(now.VerifiedBy) > MaxField || !strings.HasSuffix(now.VerifiedBy, "run:a-run-with-a-long-name-119 role:reflector") {
		t.Errorf("%+v, %v", now, err)
	}
	if got, err := k.Confirm(ctx, unsure.ID, "a-run-with-a-long-name-110", "reflector"); err != nil || !got.Unchanged {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := k.Retire(ctx, c.ID, "wrong"); err != nil {
		t.Fatal(err)
	}
	if _, err := k.Confirm(ctx, c.ID, "r1", "reviewer"); !errors.Is(err, fault.Conflict) {
		t.Error(err)
	}
	if _, err := k.Confirm(ctx, "k000000000", "r1", "reviewer"); !errors.Is(err, fault.NotFound) {
		t.Error(err)
	}
}

// TestSameTitle: learnings that begin alike are two, each time, and each keeps its own
// title when all is learned again.
func TestSameTitle(t *testing.T) {
	ctx, k := context.Background(), newKB(t, nil)
	long := strings.Repeat("the store is shared by all of the workers ", 8)
	all := []Learning{
		{Capsule{Kind: "fact", Title: "The store is shared", Body: "The store is shared. Two workers write at once."}, "line 1"},
		{Capsule{Kind: "fact", Title: "The store is shared", Body: "The store is shared. Its lock is a file beside it."}, "line 2"},
		{Capsule{Kind: "fact", Title: "the store is shared by all…", Body: long + "but one"}, "line 3"},
		{Capsule{Kind: "fact", Title: "the store is shared by all…", Body: long + "but two"}, "line 4"},
		{Capsule{Kind: "fact", Title: "the store is shared by all…", Body: long + "but three"}, "line 5"},
	}
	got, err := k.Learn(ctx, all, LearnOptions{Run: "r1", Role: "executor"})
	if err != nil || len(got.Stored) != len(all) {
		t.Fatalf("%+v, %v", got, err)
	}
	if title := got.Stored[1].Title; title != "The store is shared. Its lock is a file beside it." {
		t.Errorf("the second is %q", title)
	}
	again, err := k.Learn(ctx, all, LearnOptions{Run: "r1", Role: "executor"})
	if err != nil || len(again.Confirmed) != len(all) {
		t.Fatalf("%+v, %v", again, err)
	}
	for i, c := range again.Confirmed {
		if c.ID != got.Stored[i].ID || !c.Unchanged {
			t.Errorf("%s: %+v is not %s", all[i].From, c, got.Stored[i].ID)
		}
	}
}
