package memory

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"blackboard/board/fault"
	"blackboard/testdata/expect"
)

func TestRestore(t *testing.T) {
	s, c := newPass(t, nil)
	s.opt.Embedder = bag{}
	put(t, s, Item{Tier: Workspace, Content: "The roses want sun"})
	it := put(t, s, Item{Tier: Workspace, Content: "The tax table is imported by hand"})
	set(t, s, it.ID, `curator = 'agent'`)
	c.pass(365 * 24 * time.Hour)
	set(t, s, it.ID, `accessed = created`)
	if got := consolidate(t, s); got.Archived != 1 {
		t.Fatalf("%+v", got)
	}
	// Out of sight of reads, lists and orientations, and found where the archive is asked for.
	q := Query{Tiers: []string{Workspace}, Text: "tax table"}
	if got := contents(read(t, s, q)); slices.Contains(got, "workspace/"+it.Content) {
		t.Error(got)
	}
	if o, err := s.Orient(t.Context(), OrientQuery{Text: "tax table"}); err != nil || strings.Contains(o.Markdown, "tax") {
		t.Errorf("%s, %v", o.Markdown, err)
	}
	for _, q := range []Query{{Text: "tax table"}, {}} {
		q.Tiers, q.Archived = []string{Workspace}, true
		if got := contents(read(t, s, q)); !slices.Equal(got, []string{"workspace/" + it.Content}) {
			t.Error(got)
		}
	}
	for want, q := range map[int]ListQuery{1: {}, 2: {Forgotten: true}} {
		if l, _, err := s.List(t.Context(), q); err != nil || len(l) != want {
			t.Errorf("%+v: %d, %v", q, len(l), err)
		}
	}
	if l, _, err := s.List(t.Context(), ListQuery{Archived: true}); err != nil || len(l) != 1 || l[0].ID != it.ID {
		t.Errorf("%+v, %v", l, err)
	}
	if st, err := s.Stats(t.Context()); err != nil || st.Live[Workspace] != 1 {
		t.Errorf("%+v, %v", st, err)
	}
	if h, err := Check(t.Context(), s.home, WorkspacePath(s.home, s.Workspace()), true); err != nil ||
		h.Index != nil || h.Live != 1 || h.Archived != 1 {
		t.Errorf("%+v, %v", h, err)
	}
	// It is not changed where it is.
	if _, err := s.Update(t.Context(), it.ID, UpdateOptions{},
		func(it *Item) error { it.Content = "x"; return nil }); !errors.Is(err, fault.Conflict) ||
		!strings.Contains(err.Error(), "is archived") {
		t.Error(err)
	}
	expect.Value(s.Restore(t.Context(), it.ID))(t)
	sound(t, s)
	if got := get(t, s, it.ID); !got.Live() || got.Model == "" || !got.Accessed.Equal(c.now()) {
		t.Errorf("%+v", got)
	}
	if got := contents(read(t, s, q)); len(got) == 0 || got[0] != "workspace/"+it.Content {
		t.Error(got)
	}
	if _, err := s.Restore(t.Context(), it.ID); !errors.Is(err, fault.Conflict) {
		t.Error(err)
	}
	// Said again, it comes back by itself.
	set(t, s, it.ID, `archived = 1`)
	if r, err := s.Put(t.Context(), Item{Tier: Workspace, Content: it.Content, Importance: .5},
		PutOptions{}); err != nil || !r.Confirmed || r.Item.ID != it.ID {
		t.Errorf("%+v, %v", r, err)
	}
	if got := get(t, s, it.ID); !got.Live() {
		t.Errorf("%+v", got)
	}
	// What was forgotten comes back too, and what has expired has no end then.
	forgetIt(t, s, it.ID)
	past := c.now().Add(-time.Hour)
	over := one(t, s, Item{Importance: .5, Expires: &past})
	consolidate(t, s)
	for _, id := range []string{it.ID, over.ID} {
		if r, err := s.Restore(t.Context(), id); err != nil || !r.Item.Live() || r.Item.Model == "" ||
			r.Item.Expires != nil || (len(r.Warnings) == 1) != (id == over.ID) {
			t.Errorf("%+v, %v", r, err)
		}
	}
	sound(t, s)
	agent := open(t, s.home, Options{Workspace: s.Workspace(), Agent: "a", Now: c.now})
	set(t, s, it.ID, `curator = 'author'`)
	forgetIt(t, s, it.ID)
	if _, err := agent.Restore(t.Context(), it.ID); !errors.Is(err, fault.Denied) {
		t.Errorf("an agent brings back what the author forgot: %v", err)
	}
}

// TestDueOnceADay: a small workspace is due with a few new items, and not twice a day.
func TestDueOnceADay(t *testing.T) {
	s, c := newPass(t, nil)
	due := func(want int) {
		t.Helper()
		if all, err := s.Due(t.Context()); err != nil || len(all) != want {
			t.Errorf("due: %v, %v; not %d", all, err, want)
		}
	}
	some := func(n int) {
		items := make([]Item, n)
		for i := range items {
			items[i] = Item{Tier: Workspace, Importance: .5, Content: fmt.Sprint("item ", rand.Uint64())}
		}
		stock(t, s, items, nil)
	}
	due(0)
	some(DueSession - 1)
	due(0)
	some(1)
	due(1)
	consolidate(t, s)
	c.pass(23 * time.Hour)
	some(DueSession)
	due(0) // it is the same day
	c.pass(time.Hour)
	due(1)
	consolidate(t, s)
	c.pass(24 * time.Hour)
	some(DueSession - 1)
	due(0)
}
