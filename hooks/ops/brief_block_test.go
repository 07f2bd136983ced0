package ops

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"blackboard/board/fault"
	"blackboard/board/text"
	"blackboard/kb"
	"blackboard/testdata/expect"
	"blackboard/testdata/kbtest"
)

// fill stores n capsules about other things.
func fill(tb testing.TB, k *kb.KB, n int) {
	tb.Helper()
	for i := range n {
		kbtest.Put(tb, k, kb.Capsule{Title: fmt.Sprint("common ", i), Body: fmt.Sprint("body ", i, " needle straw", i)})
	}
}

// TestBrief: a role gets what its kinds say about the task and what holds where it works, within
// its budget; the log says of everything else why not.
func TestBrief(t *testing.T) {
	ctx, k := context.Background(), kbtest.New(t)
	sure := .9
	lease := kbtest.Put(t, k, kb.Capsule{Kind: "gotcha", Title: "renew the lease of a worker", Body: "before the work: a lease that ran out holds nobody back", Confidence: &sure, Source: "lease.go:12", Workspace: "/w", Scope: "project", Project: "shop"})
	long := kbtest.Put(t, k, kb.Capsule{Kind: "gotcha", Title: "renew the lease of a worker by its clock…", Body: "renew the lease of a worker by its clock " + strings.Repeat("and renew its lease again ", 10), Scope: "universal"})
	elsewhere := kbtest.Put(t, k, kb.Capsule{Kind: "gotcha", Title: "renew the lease of a worker, elsewhere", Body: "where every worker has a lease", Workspace: "/other"})
	far := kbtest.Put(t, k, kb.Capsule{Kind: "gotcha", Title: "renew the lease of a worker, in a flat", Body: "where every worker has another lease", Workspace: "/other", Scope: "project", Project: "flat"})
	fact := kbtest.Put(t, k, kb.Capsule{Kind: "fact", Title: "renew the lease of a worker, a fact", Body: "a lease takes fifteen minutes", Scope: "universal"})
	fill(t, k, 50)
	brief := func(opt BriefOptions) Brief {
		t.Helper()
		opt.Role, opt.Workspace, opt.Project = "reviewer", "/w", "shop"
		b := expect.Value(WriteBrief(ctx, k, opt))(t)
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
	if b.Tokens == 0 || b.Tokens > b.Budget || b.Budget != defaultBudget || !slices.Equal(b.Kinds, kb.RoleKinds("reviewer")) {
		t.Errorf("%d of %d tokens, of %v", b.Tokens, b.Budget, b.Kinds)
	}
	if strings.Count(b.Block, "by its clock") != 1 {
		t.Error("a title that is the body's beginning is said twice")
	}
	if strings.Contains(b.Block, elsewhere.ID) || why(b, elsewhere.ID) != "holds elsewhere: scope workspace: /other" || why(b, far.ID) != "holds elsewhere: scope project: flat" || why(b, fact.ID) != "not in the log" {
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
		_, err := WriteBrief(ctx, k, opt)
		if !errors.Is(err, fault.Invalid) || !strings.Contains(err.Error(), words) {
			t.Errorf("the error is %v, not about %q", err, words)
		}
	}
}

// TestBriefOfTheSameRun: to the run that asks its own entries are nothing new, so what else there
// is counts as the best; to others they are given, each once.
func TestBriefOfTheSameRun(t *testing.T) {
	k := kbtest.New(t)
	refs := func(run, entry string) []string { return []string{"run:" + run, "entry:" + entry, "worker:w"} }
	kbtest.Put(t, k, kb.Capsule{Title: "renew the lease of a worker", Body: "before it runs out", Refs: refs("r1", "e3")})
	kbtest.Put(t, k, kb.Capsule{Title: "the lease of a worker: renew it", Body: "in time", Refs: refs("r1", "e3")})
	kbtest.Put(t, k, kb.Capsule{Title: "a worker paints the fence", Body: "in green", Refs: []string{"run:r1", "role:planner"}})
	fill(t, k, 50)
	for run, want := range map[string]int{"r1": 0, "r2": 1, "": 1} {
		b := expect.Value(WriteBrief(context.Background(), k, BriefOptions{Task: "renew the lease of a worker", Run: run}))(t)
		if strings.Count(b.Block, "lease of a worker") != want {
			t.Errorf("to %q: %s", run, b.Block)
		}
		for _, l := range b.Log {
			if run == "r1" && strings.Contains(l.Title, "lease") && l.Why != "it is from this run: e3 on its board" {
				t.Errorf("%s: %s", l.Title, l.Why)
			}
		}
	}
}
