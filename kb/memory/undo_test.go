package memory

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"blackboard/board/fault"
	"blackboard/board/sqlite"
	"blackboard/testdata/cost"
)

// states says how each item stands, whoever it belongs to: all but its revision, which an undo
// raises.
func states(t *testing.T, s *Store) map[string]string {
	t.Helper()
	all := map[string]string{}
	for f, err := range s.reached(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		if err := f.Read(t.Context(), func(tx *sqlite.Tx) error {
			found, err := itemsWhere(tx, `1`)
			if err != nil {
				return err
			}
			for i := range found {
				it := found[i]
				asked, err := sqlite.Column[string](tx, `SELECT session FROM asked WHERE item = ? ORDER BY session`, it.n)
				if err != nil {
					return err
				}
				it.Revision, it.Updated = 0, time.Time{}
				b, err := json.Marshal(it)
				if err != nil {
					return err
				}
				all[it.ID] = fmt.Sprint(string(b), asked)
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

func differing(a, b map[string]string) (all []string) {
	for id := range b {
		if a[id] != b[id] {
			all = append(all, a[id]+"\n"+b[id]+"\n")
		}
	}
	return all
}

// keptIn lists the items that others were merged into.
func keptIn(t *testing.T, s *Store) map[string]bool {
	t.Helper()
	kept := map[string]bool{}
	for f, err := range s.reached(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		if err := f.Read(t.Context(), func(tx *sqlite.Tx) error {
			ids, err := sqlite.Column[string](tx, `SELECT heir FROM pass_steps WHERE op = 'merge'`)
			for _, id := range ids {
				kept[id] = true
			}
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
	return kept
}

// TestUndo takes passes with all that passes do back, and finds everything as it was, with its
// embeddings. Only what was merged into is as the merge left it, with its version before.
func TestUndo(t *testing.T) {
	cost.SkipQuick(t)
	s, c := newPass(t, nil)
	s.opt.Embedder = bag{}
	s.cap = 100
	messy(t, s, c)
	if _, err := s.Reembed(t.Context(), 0, nil); err != nil {
		t.Fatal(err)
	}
	before := states(t, s)
	did, err := s.Consolidate(t.Context(), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	after := states(t, s)
	passes, err := s.Passes(t.Context(), 0)
	if err != nil || len(passes) != len(did) {
		t.Fatalf("%d passes, %d scopes, %v", len(passes), len(did), err)
	}
	steps := map[string]int{}
	for _, p := range passes {
		for op, n := range p.Steps {
			steps[op] += n
		}
		if p.Ended == nil || p.Undone != nil {
			t.Errorf("%+v", p)
		}
	}
	for _, op := range passOps {
		sum := 0
		for i := range did {
			sum += *did[i].count(op)
		}
		if steps[op] != sum || sum == 0 {
			t.Errorf("%s: %d steps are kept, %d were done", op, steps[op], sum)
		}
	}
	restored := 0
	for _, d := range did {
		u, err := s.Undo(t.Context(), d.Pass)
		if err != nil || len(u.Warnings) > 0 {
			t.Fatalf("%s: %+v, %v", d.Scope, u, err)
		}
		restored += len(u.Restored) + u.Private
	}
	sound(t, s)
	now, kept := states(t, s), keptIn(t, s)
	for id := range kept {
		if it := get(t, s, id); !it.Live() || it.Revision > 1 && len(revisions(t, s, id)) != it.Revision-1 {
			t.Errorf("%+v", it)
		}
		delete(before, id)
		delete(now, id)
		delete(after, id)
	}
	if wrong := differing(before, now); len(wrong) > 0 || len(kept) == 0 {
		t.Errorf("%d of %d items are not as they were, beside %d: %s", len(wrong), len(before), len(kept), wrong)
	}
	if len(differing(before, after)) == 0 || restored == 0 {
		t.Error("the passes have changed nothing")
	}
	// A pass that was undone is not done again, but for what has expired.
	c.pass(time.Second)
	again, err := s.Consolidate(t.Context(), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range again {
		if d.Merged+d.Ended+d.Capped+d.Skipped > 0 || d.Expired == 0 {
			t.Errorf("again: %+v", d)
		}
	}
	f, err := s.open(t.Context(), false, false)
	if err == nil {
		err = f.Read(t.Context(), func(tx *sqlite.Tx) error {
			n, err := sqlite.One[int](tx, `SELECT count(*) FROM pass_steps a JOIN pass_steps b USING (op, item, heir) WHERE a.pass < b.pass AND op <> 'expire'`)
			if n > 0 {
				t.Errorf("%d steps were done again", n)
			}
			return err
		})
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{did[0].Pass, "p000000000", "nonsense"} {
		if _, err := s.Undo(t.Context(), id); !errors.Is(err, map[string]error{did[0].Pass: fault.Conflict, "p000000000": fault.NotFound, "nonsense": fault.Invalid}[id]) {
			t.Errorf("undo %s: %v", id, err)
		}
	}
	narrow := open(t, s.home, Options{Workspace: s.Workspace(), Agent: "a", Tiers: []string{Channel}, Now: c.now})
	if list, err := narrow.Passes(t.Context(), 0); err != nil || len(list) != 2 {
		t.Errorf("%+v, %v", list, err)
	}
	if _, err := narrow.Undo(t.Context(), again[0].Pass); (err == nil) != (again[0].Scope == "channel:"+DefaultChannel) {
		t.Errorf("%s: %v", again[0].Scope, err)
	}
}

// TestUndoOfRewrite brings the items back that were rewritten, and takes the new one away.
func TestUndoOfRewrite(t *testing.T) {
	s, _ := newPass(t, nil)
	s.opt.Embedder = bag{}
	a, b := put(t, s, Item{Tier: Workspace, Content: "The gateway times out after 30 s"}), put(t, s, Item{Tier: Workspace, Content: "The gateway times out after 30 s and retries"})
	before := states(t, s)
	in := fmt.Sprintf(`{"v":1,"groups":[{"group":"g","content":"The gateway retries after 30 s","items":[{"id":%q,"revision":1},{"id":%q,"revision":1}]}]}`, a.ID, b.ID)
	done, refused, err := s.ApplyRewrites(t.Context(), strings.NewReader(in))
	if err != nil || len(done) != 1 || len(refused) != 0 || done[0].Pass == "" {
		t.Fatalf("%+v, %+v, %v", done, refused, err)
	}
	u, err := s.Undo(t.Context(), done[0].Pass)
	if err != nil || len(u.Restored) != 2 {
		t.Fatalf("%+v, %v", u, err)
	}
	now := states(t, s)
	if got := get(t, s, done[0].Item.ID); got.Rule != RuleUndone || now[a.ID] != before[a.ID] || now[b.ID] != before[b.ID] {
		t.Errorf("%+v\n%s\n%s", got, now[a.ID], before[a.ID])
	}
	sound(t, s)
	if r := read(t, s, Query{Tiers: []string{Workspace}, Text: "gateway"}); len(r.Slices[0].Hits) != 2 {
		t.Errorf("%v", contents(r))
	}
}

// TestUndoIsWhole: if a part of a pass cannot be taken back, nothing is, and the error says what
// and why.
func TestUndoIsWhole(t *testing.T) {
	for _, tc := range []struct {
		name  string
		since func(t *testing.T, s *Store, away, drop, keep Item)
		say   string // "": it can be undone all the same
	}{
		{"nothing", func(*testing.T, *Store, Item, Item, Item) {}, ""},
		{"scrubbed", func(t *testing.T, s *Store, away, _, _ Item) { erase(t, s, away.ID) }, "AWAY was scrubbed"},
		{"scrubbed what took in", func(t *testing.T, s *Store, _, _, keep Item) { erase(t, s, keep.ID) }, ""},
		{"forgotten", func(t *testing.T, s *Store, away, _, _ Item) { forgetIt(t, s, away.ID) }, "AWAY was forgotten since: asked"},
		{"forgot what took in", func(t *testing.T, s *Store, _, _, keep Item) { forgetIt(t, s, keep.ID) }, ""},
		{"changed what took in", func(t *testing.T, s *Store, _, _, keep Item) { edit(t, s, keep.ID, "better") }, ""},
		{"a later pass", func(t *testing.T, s *Store, _, _, keep Item) {
			one(t, s, Item{Importance: 1, Content: keep.Content})
			consolidate(t, s)
		}, ""},
		{"brought back by hand", func(t *testing.T, s *Store, away, drop, _ Item) {
			for _, it := range []Item{away, drop} {
				if _, err := s.Restore(t.Context(), it.ID); err != nil {
					t.Fatal(err)
				}
			}
		}, ""},
		{"read what took in", func(t *testing.T, s *Store, _, _, keep Item) { access(t, s, keep.ID, 3) }, ""},
	} {
		s, c := newPass(t, nil)
		away := one(t, s, Item{Importance: .5, Created: c.now().Add(-365 * 24 * time.Hour)})
		drop := one(t, s, Item{Importance: .5, Content: "say it once", Tags: []string{"b"}, Accesses: 2})
		keep := one(t, s, Item{Importance: .6, Content: "Say it once.", Tags: []string{"a"}, Accesses: 1})
		did, err := s.Consolidate(t.Context(), nil, nil)
		if err != nil || did[0].Archived != 1 || did[0].Merged != 1 {
			t.Fatalf("%+v, %v", did, err)
		}
		c.pass(time.Second)
		tc.since(t, s, away, drop, keep)
		s.Flush(t.Context())
		before := dump(t, s)
		u, err := s.Undo(t.Context(), did[0].Pass)
		if tc.name != "scrubbed" && tc.name != "scrubbed what took in" { // which erase does only a part of
			sound(t, s)
		}
		if tc.say == "" {
			live := func(id string) bool { it := get(t, s, id); return it.Live() }
			if err != nil || !live(away.ID) || !live(drop.ID) {
				t.Errorf("%s: %+v, %v", tc.name, u, err)
			}
			continue
		}
		want := strings.NewReplacer("AWAY", away.ID, "KEEP", keep.ID).Replace(tc.say)
		if !errors.Is(err, fault.Conflict) || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "so nothing was changed") || dump(t, s) != before {
			t.Errorf("%s: %v, not %q", tc.name, err, want)
		}
	}
}

// TestUndoTellsNothingOfOthers: an agent is not told which of another's private items stand in the
// way, or came back.
func TestUndoTellsNothingOfOthers(t *testing.T) {
	s, c := newPass(t, nil)
	it := one(t, s, Item{Importance: .5, Agent: "bob", Created: c.now().Add(-365 * 24 * time.Hour)})
	did, err := s.Consolidate(t.Context(), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	alice := open(t, s.home, Options{Workspace: s.Workspace(), Agent: "alice", Now: c.now})
	erased := get(t, s, it.ID)
	bob := open(t, s.home, Options{Workspace: s.Workspace(), Agent: "bob", Now: c.now})
	forgetIt(t, bob, it.ID)
	if _, err := alice.Undo(t.Context(), did[0].Pass); err == nil || strings.Contains(err.Error(), erased.ID) || !strings.Contains(err.Error(), "a private item of another agent") {
		t.Error(err)
	}
	set(t, s, it.ID, `forgotten = NULL, rule = '', archived = 1`)
	if u, err := alice.Undo(t.Context(), did[0].Pass); err != nil || len(u.Restored) != 0 || u.Private != 1 {
		t.Errorf("%+v, %v", u, err)
	}
}

// TestUndoOfPromotion: a promoted item is short-term again.
func TestUndoOfPromotion(t *testing.T) {
	s, _ := newPass(t, nil)
	it := one(t, s, Item{Importance: .5, Lifetime: ShortTerm})
	f, err := s.open(t.Context(), false, false)
	if err == nil {
		for i := range PromoteSessions {
			f.ask(fmt.Sprint("session ", i), &it)
		}
		f.touch(t.Context(), &it)
	}
	did, err2 := s.Consolidate(t.Context(), nil, nil)
	if err := errors.Join(err, err2); err != nil || did[0].Promoted != 1 || get(t, s, it.ID).Lifetime != LongTerm {
		t.Fatalf("%+v, %v", did, err)
	}
	if _, err := s.Undo(t.Context(), did[0].Pass); err != nil || get(t, s, it.ID).Lifetime != ShortTerm {
		t.Errorf("%+v, %v", get(t, s, it.ID), err)
	}
}

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
	if h, err := Check(t.Context(), s.home, WorkspacePath(s.home, s.Workspace()), true); err != nil || h.Index != nil || h.Live != 1 || h.Archived != 1 {
		t.Errorf("%+v, %v", h, err)
	}
	// It is not changed where it is.
	if _, err := s.Update(t.Context(), it.ID, UpdateOptions{}, func(it *Item) error { it.Content = "x"; return nil }); !errors.Is(err, fault.Conflict) || !strings.Contains(err.Error(), "is archived") {
		t.Error(err)
	}
	if _, err := s.Restore(t.Context(), it.ID); err != nil {
		t.Fatal(err)
	}
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
	if r, err := s.Put(t.Context(), Item{Tier: Workspace, Content: it.Content, Importance: .5}, PutOptions{}); err != nil || !r.Confirmed || r.Item.ID != it.ID {
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
		if r, err := s.Restore(t.Context(), id); err != nil || !r.Item.Live() || r.Item.Model == "" || r.Item.Expires != nil || (len(r.Warnings) == 1) != (id == over.ID) {
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

// TestDueAfterSession: a small workspace is due at a session's end, and not twice a day.
func TestDueAfterSession(t *testing.T) {
	s, c := newPass(t, nil)
	due := func(want int) {
		t.Helper()
		if all, err := s.DueAfterSession(t.Context()); err != nil || len(all) != want {
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

// revisions returns the earlier versions of an item.
func revisions(t *testing.T, s *Store, id string) []Item {
	t.Helper()
	all, err := s.Revisions(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return all
}
