package kb

import (
	"context"
	"slices"
	"strings"
	"testing"

	"blackboard/board/fault"
	"blackboard/board/text"
)

// TestLearnStores: each learning is stored for itself, where the run was, whoever has its title; what is none is refused with the reason.
func TestLearnStores(t *testing.T) {
	ctx, k := context.Background(), newKB(t, nil)
	there := put(t, k, Capsule{Title: "the build needs two passes", Body: "the first one writes the table that the second one reads", Source: "Makefile", Workspace: "/home/me/shop"})
	all := []Learning{
		{Capsule{Kind: "gotcha", Title: "flush before close", Body: "else the last page is lost", Refs: []string{"run:r1"}}, "line 1"},
		{Capsule{Kind: "fact", Title: "the build needs two passes", Body: "somebody else has found that out as well"}, "line 2"},
		{Capsule{Kind: "rumour", Title: "no kind", Body: "no such kind"}, "line 3"},
		{Capsule{Kind: "fact", Scope: "universal", Title: "commas end no statement", Body: "semicolons do", Source: "grammar.md"}, "line 4"},
	}
	opt := LearnOptions{Role: "reviewer", Run: "r1", Workspace: "/home/me/shop"}
	dry := opt
	dry.DryRun = true
	tried, err := k.Learn(ctx, all, dry)
	if err != nil {
		t.Fatal(err)
	}
	if len(tried.Stored) != 3 || len(tried.Refused) != 1 || tried.Refused[0].From != "line 3" { // each by itself: what is there already is not looked at
		t.Errorf("tried: %+v", tried)
	}
	if all, _, err := k.List(ctx, ListQuery{}); err != nil || len(all) != 1 {
		t.Fatalf("%d capsules after a dry run, %v", len(all), err)
	}
	got, err := k.Learn(ctx, all, opt)
	if err != nil {
		t.Fatal(err)
	}
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
	forced, err := k.Learn(ctx, all[1:2], LearnOptions{Force: true})
	if err != nil || len(forced.Stored) != 1 || forced.Stored[0].Scope != "universal" {
		t.Errorf("forced: %+v, %v", forced, err)
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := k.Learn(ended, []Learning{{Capsule{Title: "too late", Body: "for this one"}, "line 9"}}, LearnOptions{}); err == nil {
		t.Error("a call that was called off has stored something")
	}
}

// TestBrief: a role gets what its kinds say about the task and what holds where it works, within its budget; the log says of everything else why not.
func TestBrief(t *testing.T) {
	ctx, k := context.Background(), newKB(t, nil)
	sure := .9
	lease := put(t, k, Capsule{Kind: "gotcha", Title: "renew the lease of a worker", Body: "before the work: a lease that ran out holds nobody back", Confidence: &sure, Source: "lease.go:12", Workspace: "/w", Scope: "project", Project: "shop"})
	long := put(t, k, Capsule{Kind: "gotcha", Title: "renew the lease of a worker by its clock…", Body: "renew the lease of a worker by its clock " + strings.Repeat("and renew its lease again ", 10), Scope: "universal"})
	elsewhere := put(t, k, Capsule{Kind: "gotcha", Title: "renew the lease of a worker, elsewhere", Body: "where every worker has a lease", Workspace: "/other"})
	far := put(t, k, Capsule{Kind: "gotcha", Title: "renew the lease of a worker, in a flat", Body: "where every worker has another lease", Workspace: "/other", Scope: "project", Project: "flat"})
	fact := put(t, k, Capsule{Kind: "fact", Title: "renew the lease of a worker, a fact", Body: "a lease takes fifteen minutes", Scope: "universal"})
	fill(t, k, 50)
	brief := func(opt BriefOptions) Brief {
		t.Helper()
		opt.Role, opt.Workspace, opt.Project = "reviewer", "/w", "shop"
		b, err := k.Brief(ctx, opt)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	why := func(b Brief, id string) string {
		for _, l := range b.Log {
			if l.ID == id {
				return l.Why
			}
		}
		return "not in the log"
	}
	b := brief(BriefOptions{Task: "renew the lease of a worker"})
	if !strings.HasPrefix(b.Block, text.FrameBegin+"\n\n## RECENT LEARNINGS\n\n") || !strings.Contains(b.Block, "- [gotcha] renew the lease of a worker ("+lease.ID+", confidence 0.9, source lease.go:12)\n  before the work") {
		t.Errorf("the block is %s", b.Block)
	}
	if b.Tokens == 0 || b.Tokens > b.Budget || b.Budget != DefaultBudget || !slices.Equal(b.Kinds, RoleKinds("reviewer")) {
		t.Errorf("%d of %d tokens, of %v", b.Tokens, b.Budget, b.Kinds)
	}
	if strings.Count(b.Block, "by its clock") != 1 {
		t.Error("a title that is the body's beginning is said twice")
	}
	if strings.Contains(b.Block, elsewhere.ID) || why(b, elsewhere.ID) != "holds elsewhere: workspace /other" || why(b, far.ID) != "holds elsewhere: project flat" || why(b, fact.ID) != "not in the log" {
		t.Errorf("%q, %q, %q", why(b, elsewhere.ID), why(b, far.ID), why(b, fact.ID))
	}
	if b := brief(BriefOptions{Task: "renew the lease of a worker", Limit: 1}); why(b, lease.ID) != "beyond the limit" && why(b, long.ID) != "beyond the limit" {
		t.Errorf("with a limit: %+v", b.Log)
	}
	if b := brief(BriefOptions{Task: "renew the lease of a worker", Budget: 110}); b.Tokens > 110 || why(b, lease.ID) != "beyond the budget" && why(b, long.ID) != "beyond the budget" {
		t.Errorf("with a small budget: %d tokens, %+v", b.Tokens, b.Log)
	}
	b = brief(BriefOptions{Task: "who paints the house"})
	if b.Block != "" || b.Tokens != 0 || b.Log == nil {
		t.Errorf("about something else: %+v", b)
	}
	for _, l := range b.Log {
		if l.Included || l.Why == "" {
			t.Errorf("%+v is neither in the block nor told why not", l)
		}
	}
	for words, opt := range map[string]BriefOptions{"role": {Role: "cook", Task: "x"}, "a budget of 20": {Role: "executor", Task: "x", Budget: 20}, "a limit of 51": {Role: "executor", Task: "x", Limit: 51},
		"nothing to search for": {Role: "executor"}} {
		_, err := k.Brief(ctx, opt)
		refused(t, err, fault.Invalid, words)
	}
}
