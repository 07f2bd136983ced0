package learn

import (
	"context"
	"slices"
	"strings"
	"testing"

	"blackboard/kb"
	"blackboard/testdata/expect"
	"blackboard/testdata/kbtest"
)

// TestLearnStores: each learning is stored for itself, where the run was, whoever has its title;
// what is none is refused with the reason.
func TestLearnStores(t *testing.T) {
	ctx, k := context.Background(), kbtest.New(t)
	there := kbtest.Put(t, k, kb.Capsule{Title: "the build needs two passes", Body: "the first one writes the table that the second one reads", Source: "Makefile", Workspace: "/home/me/shop"})
	all := []Learning{
		{kb.Capsule{Kind: "gotcha", Title: "flush before close", Body: "else the last page is lost", Refs: []string{"run:r1"}}, "line 1"},
		{kb.Capsule{Kind: "fact", Title: "the build needs two passes", Body: "somebody else has found that out as well"}, "line 2"},
		{kb.Capsule{Kind: "rumour", Title: "no kind", Body: "no such kind"}, "line 3"},
		{kb.Capsule{Kind: "fact", Scope: "universal", Title: "commas end no statement", Body: "semicolons do", Source: "grammar.md"}, "line 4"},
	}
	opt := Options{Role: "reviewer", Run: "r1", Workspace: "/home/me/shop"}
	dry := opt
	dry.DryRun = true
	tried := expect.Value(Store(ctx, k, all, dry))(t)
	if len(tried.Stored) != 3 || len(tried.Refused) != 1 || tried.Refused[0].From != "line 3" { // each by itself: what is there already is not looked at
		t.Errorf("tried: %+v", tried)
	}
	if all, _, err := k.List(ctx, kb.ListQuery{}); err != nil || len(all) != 1 {
		t.Fatalf("%d capsules after a dry run, %v", len(all), err)
	}
	got := expect.Value(Store(ctx, k, all, opt))(t)
	if len(got.Stored) != 3 || len(got.Confirmed) > 0 || len(got.Refused) != 1 || got.Refused[0].From != "line 3" {
		t.Fatalf("%+v", got)
	}
	if other := got.Stored[1]; other.Title != "the build needs two passes: somebody else has found that out as well" || other.Body != all[1].Capsule.Body {
		t.Errorf("beside %s there is %+v", there.ID, other)
	}
	first, second := got.Stored[0], got.Stored[2]
	if first.Scope != "project" || first.Workspace != opt.Workspace || first.Project != "shop" || first.Source != "run r1" || !slices.Equal(first.Refs, []string{"run:r1", "role:reviewer"}) {
		t.Errorf("the first is %+v", first)
	}
	if second.Scope != "universal" || second.Source != "grammar.md" {
		t.Errorf("the second is %+v", second)
	}
	forced, err := Store(ctx, k, all[1:2], Options{Force: true})
	if err != nil || len(forced.Stored) != 1 || forced.Stored[0].Scope != "universal" {
		t.Errorf("forced: %+v, %v", forced, err)
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := Store(ended, k, []Learning{{kb.Capsule{Title: "too late", Body: "for this one"}, "line 9"}}, Options{}); err == nil {
		t.Error("a call that was called off has stored something")
	}
}

// TestConfirm: what is learned again raises what is there, once for each role of a run,
// and only by those who look at the work of others.
func TestConfirm(t *testing.T) {
	ctx, k := context.Background(), kbtest.New(t)
	all := []Learning{{kb.Capsule{Kind: "gotcha", Title: "flush before close", Body: "Flush before close. Else the last page is lost."}, "line 1"}}
	learn := func(run, role string) Learned {
		t.Helper()
		got, err := Store(ctx, k, all, Options{Run: run, Role: role})
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
		now := expect.Value(k.Get(ctx, id))(t)
		if got.ID != id || got.From != "line 1" || got.Unchanged != c.unchanged || (now.Confidence == nil) != (c.confidence == 0) || c.confidence > 0 && *now.Confidence != c.confidence || now.VerifiedBy != c.verified {
			t.Errorf("%d: %+v, confidence %v, verified by %q", i, got, now.Confidence, now.VerifiedBy)
		}
		if by := kb.RunRefs(c.run, c.role); !strings.Contains(strings.Join(now.Refs, " "), strings.Join(by, " ")) {
			t.Errorf("%d: the references are %q", i, now.Refs)
		}
	}
	events := expect.Value(k.History(ctx, id))(t)
	var verbs []string
	for _, e := range events {
		verbs = append(verbs, e.Verb)
	}
	if want := []string{kb.VerbRemembered, kb.VerbConfirmed, kb.VerbConfirmed, kb.VerbConfirmed, kb.VerbConfirmed}; !slices.Equal(verbs, want) {
		t.Errorf("the history is %q", verbs)
	}
	if last := events[len(events)-1]; last.Why != "run:r3 role:re_reviewer" || !slices.Equal(last.Changed, []string{"confidence", "verified_by", "refs"}) {
		t.Errorf("the last event is %+v", last)
	}
}

// TestSameTitle: learnings that begin alike are two, each time, and each keeps its own
// title when all is learned again.
func TestSameTitle(t *testing.T) {
	ctx, k := context.Background(), kbtest.New(t)
	long := strings.Repeat("the store is shared by all of the workers ", 8)
	all := []Learning{
		{kb.Capsule{Kind: "fact", Title: "The store is shared", Body: "The store is shared. Two workers write at once."}, "line 1"},
		{kb.Capsule{Kind: "fact", Title: "The store is shared", Body: "The store is shared. Its lock is a file beside it."}, "line 2"},
		{kb.Capsule{Kind: "fact", Title: "the store is shared by all…", Body: long + "but one"}, "line 3"},
		{kb.Capsule{Kind: "fact", Title: "the store is shared by all…", Body: long + "but two"}, "line 4"},
		{kb.Capsule{Kind: "fact", Title: "the store is shared by all…", Body: long + "but three"}, "line 5"},
	}
	got, err := Store(ctx, k, all, Options{Run: "r1", Role: "executor"})
	if err != nil || len(got.Stored) != len(all) {
		t.Fatalf("%+v, %v", got, err)
	}
	if title := got.Stored[1].Title; title != "The store is shared. Its lock is a file beside it." {
		t.Errorf("the second is %q", title)
	}
	again, err := Store(ctx, k, all, Options{Run: "r1", Role: "executor"})
	if err != nil || len(again.Confirmed) != len(all) {
		t.Fatalf("%+v, %v", again, err)
	}
	for i, c := range again.Confirmed {
		if c.ID != got.Stored[i].ID || !c.Unchanged {
			t.Errorf("%s: %+v is not %s", all[i].From, c, got.Stored[i].ID)
		}
	}
}
