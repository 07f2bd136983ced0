package runs

import (
	"slices"
	"testing"
	"time"

	"blackboard/board"
	"blackboard/tui/page"
)

// TestPressing: the runs come in the order in which they need somebody.
func TestPressing(t *testing.T) {
	now := time.Date(2026, 1, 2, 15, 0, 0, 0, time.UTC)
	ago := func(d time.Duration) *time.Time { at := now.Add(-d); return &at }
	run := func(name string, needs ...board.Need) board.Info {
		return board.Info{Run: name, Updated: now.Add(-time.Hour), Needs: needs}
	}
	old := run("abandoned", board.Need{Kind: board.NeedQuestion, ID: "s1"})
	old.Updated = now.Add(-8 * 24 * time.Hour)
	inOrder := []board.Info{
		{Run: "broken", Error: "no"},
		run("silent", board.Need{Kind: board.NeedQuestion, ID: "s1"}, board.Need{Kind: board.NeedWorker, Worker: "a", Since: ago(11 * time.Minute)}),
		run("asked", board.Need{Kind: board.NeedWorker, Worker: "a", Since: ago(9 * time.Minute)}, board.Need{Kind: board.NeedQuestion, ID: "s1"}),
		run("claimed", board.Need{Kind: board.NeedQuestion, ID: "s1", Claimed: "a"}),
		run("closed", board.Need{Kind: board.NeedGate}),
		run("failed", board.Need{Kind: board.NeedReport, Since: ago(time.Hour)}, board.Need{Kind: board.NeedFailed, Since: ago(time.Hour)}),
		run("works", board.Need{Kind: board.NeedWorker, Worker: "a", Since: ago(time.Minute)}),
		run("ready", board.Need{Kind: board.NeedReport, Since: ago(time.Hour)}),
		old,
	}
	shuffled := slices.Clone(inOrder)
	slices.Reverse(shuffled)
	slices.SortStableFunc(shuffled, func(a, b board.Info) int { return pressing(&a, now) - pressing(&b, now) })
	for i := range inOrder {
		if shuffled[i].Run != inOrder[i].Run {
			t.Errorf("%s is at %d, where %s should be", shuffled[i].Run, i, inOrder[i].Run)
		}
	}
}

// TestNews: what is new in a run is told once; what was so when it was first read is not.
func TestNews(t *testing.T) {
	h := openAudit(t)
	p := NewList(h.app)
	now := h.app.Now()
	since := now.Add(-time.Hour)
	silent := board.Need{Kind: board.NeedWorker, Worker: "reader", Since: &since}
	critical := board.Need{Kind: board.NeedQuestion, ID: "s1", Priority: "critical", Content: "Is it on fire?"}
	first := board.Info{Run: "r", Needs: []board.Need{silent}}
	second := board.Info{Run: "r", Needs: []board.Need{silent, critical}}
	failed := board.Info{Run: "r", Needs: []board.Need{{Kind: board.NeedFailed, Worker: "ci", Content: "report.md FAILED", Since: &now}}}
	own := board.Info{Run: "r", Needs: []board.Need{{Kind: board.NeedFailed, Worker: "ada", Content: "report.md FAILED", Since: &now}}}
	third := board.Info{Run: "r", Open: true, Needs: []board.Need{{Kind: board.NeedReport, Since: &now}}}
	kinds := func(all []page.Notification) (kinds []string) {
		for _, n := range all {
			kinds = append(kinds, n.Kind)
		}
		return kinds
	}
	p.news(nil, &first)
	for i, c := range []struct {
		was, is board.Info
		want    []string
	}{
		{first, first, nil},
		{first, second, []string{"critical"}},
		{second, second, nil},
		{second, third, []string{"gate"}},
		{third, failed, []string{"failed"}},
		{failed, failed, nil},
		{third, own, nil},
		{third, first, []string{}},
	} {
		if got := kinds(p.news(&c.was, &c.is)); !slices.Equal(got, c.want) {
			t.Errorf("step %d: told of %q instead of %q", i, got, c.want)
		}
	}
	asks := board.Need{Kind: board.NeedQuestion, ID: "s1", Worker: "reader"}
	both := board.Info{Run: "r", Needs: []board.Need{silent, asks}}
	p.news(&first, &both)
	if got := kinds(p.news(&both, &both)); len(got) > 0 {
		t.Errorf("a silent worker that has a question is told of again: %q", got)
	}
	later := now.Add(-board.SilentAfter / 2)
	p.news(&first, &board.Info{Run: "r", Needs: []board.Need{{Kind: board.NeedWorker, Worker: "reader", Since: &later}}})
	if got := kinds(p.news(&first, &first)); !slices.Equal(got, []string{"silent"}) {
		t.Errorf("a worker that is silent again: told of %q", got)
	}
}
