package memory

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"blackboard/board/sqlite"
	"blackboard/testdata/cost"
	"blackboard/testdata/expect"
)

// messy fills a store so that a pass has everything to do, and returns how many items it has.
func messy(t testing.TB, s *Store, c *clock) int {
	t.Helper()
	r := rand.New(rand.NewPCG(8, 8))
	ctx := context.Background()
	conv, _ := expect.Values(s.StartConversation(ctx, "", ""))(t)
	total := 0
	for _, sc := range []Scope{{Tier: Workspace}, {Tier: Channel, Channel: DefaultChannel}, {Tier: Account}, {Tier: Conversation, Conversation: conv.Ref}} {
		items, vectors := manyItems(r, 150, 64, c.now(), sc)
		for i := range items {
			if i%7 == 0 {
				items[i].Agent = "alice"
			}
			if i%30 == 1 {
				items[i].Content = items[i-1].Content
				items[i].Agent = items[i-1].Agent
			}
		}
		stock(t, s, items, vectors)
		total += len(items)
	}
	expect.Value(s.ArchiveConversation(ctx, conv.Ref, true))(t)
	return total
}

func TestPlanIsWhatIsDone(t *testing.T) {
	cost.SkipUnlessLong(t)
	s, c := newPass(t, fixed{64})
	s.cap = 100
	n := messy(t, s, c)
	before := dump(t, s)
	plans := expect.Value(s.PlanConsolidation(t.Context(), nil))(t)
	if dump(t, s) != before {
		t.Error("a plan has changed something")
	}
	// Steps for private items of others are counted, and not shown.
	if all := fmt.Sprint(plans); !strings.Contains(all, "more steps for private items of other agents") {
		t.Errorf("nothing is hidden: %s", all)
	}
	scopes := expect.Value(s.scopeFiles(t.Context(), nil))(t)
	for i, w := range scopes {
		p := expect.Value(s.plan(t.Context(), w))(t)
		for _, st := range plans[i].Steps {
			if get(t, s, st.Item).Agent != "" {
				t.Errorf("another agent's item is shown: %+v", st)
			}
		}
		plans[i].Steps = nil
		for _, st := range p.steps {
			plans[i].Steps = append(plans[i].Steps, st.Step)
		}
	}
	ops, live := map[string]int{}, 0
	for _, p := range plans {
		live += p.Live
		for _, st := range p.Steps {
			ops[st.Op]++
			if got := get(t, s, st.Item); got.Scope().String() != p.Scope || st.Why == "" || strings.Contains(st.Why, "word") || (st.Into != "") != (st.Op == OpMerge) {
				t.Errorf("%s: %+v", p.Scope, st)
			}
		}
	}
	for _, op := range []string{OpExpire, OpEnd, OpPromote, OpArchive, OpMerge, OpCap} {
		if ops[op] == 0 {
			t.Errorf("the test has no %s", op)
		}
	}
	if live != n {
		t.Errorf("%d items, not %d", live, n)
	}
	got := expect.Value(s.Consolidate(t.Context(), nil))(t)
	sound(t, s)
	rules := map[string]string{OpExpire: RuleExpired, OpMerge: RuleMerged}
	for i, p := range plans {
		c := got[i]
		if c.Scope != p.Scope || c.Live != p.Live-(c.Expired+c.Ended+c.Archived+c.Merged+c.Capped) || c.Live > s.cap {
			t.Errorf("%+v", c)
		}
		for _, st := range p.Steps {
			it := get(t, s, st.Item)
			if st.Op == OpPromote {
				if it.Lifetime != LongTerm {
					t.Errorf("%+v: %+v", st, it)
				}
			} else if it.Rule != rules[st.Op] || it.ReplacedBy != st.Into || (it.Archived == nil) == (it.Rule == "") {
				t.Errorf("%+v: %+v", st, it)
			}
			*c.count(st.Op)--
		}
		c.Live, c.Scope, c.Notes = 0, "", nil
		if b, _ := json.Marshal(c); strings.Trim(string(b), `{}"abcdefghijklmnopqrstuvwxyz:0,`) != "" {
			t.Errorf("planned and done differ by %s", b)
		}
	}
	evs, err := s.Events(t.Context(), Workspace, "channel:"+DefaultChannel, 0)
	if err != nil || len(evs) != 1 || evs[0].Verb != VerbConsolidate || !strings.Contains(string(evs[0].Data), `"merged":`) {
		t.Errorf("%+v, %v", evs, err)
	}
	// Nothing is left to do, and nothing is done.
	after := dump(t, s)
	for range 2 {
		c.pass(time.Millisecond)
		if got := consolidate(t, s); got.Merged+got.Capped+got.Promoted > 0 {
			t.Errorf("again: %+v", got)
		}
		if dump(t, s) != after {
			t.Error("a second pass has changed something")
		}
	}
	if due, err := s.Due(t.Context()); err != nil || len(due) != 0 {
		t.Errorf("due: %v, %v", due, err)
	}
}

// TestInterrupted: a pass that is called off after every few steps and begun again ends where one ends that was not.
func TestInterrupted(t *testing.T) {
	cost.SkipQuick(t)
	state := func(interrupt bool) (calls int, all []string) {
		c, begun := newClock(), func() {}
		s := open(t, t.TempDir(), Options{Embedder: fixed{64}, Now: func() time.Time { begun(); return c.now() }})
		s.cap = 100
		messy(t, s, c)
		for {
			calls++
			ctx, cancel := context.WithCancel(t.Context())
			transactions := 0
			begun = func() { // a few more each time
				if transactions++; interrupt && transactions > 3*calls {
					cancel()
				}
			}
			_, err := s.Consolidate(ctx, nil)
			begun = func() {}
			cancel()
			sound(t, s)
			if err == nil {
				break
			}
			if !errors.Is(err, context.Canceled) {
				t.Fatal(err)
			}
		}
		for _, tier := range Tiers {
			l, _ := expect.Values(s.List(t.Context(), ListQuery{Tiers: []string{tier}, Forgotten: true}))(t)
			for _, it := range l {
				all = append(all, fmt.Sprint(it.Content, it.Forgotten != nil, it.Rule, it.Lifetime, it.Accesses, it.Importance))
			}
		}
		return calls, sorted(all)
	}
	_, want := state(false)
	calls, got := state(true)
	if calls < 4 || !slices.Equal(got, want) {
		t.Errorf("after %d calls: %d items, %d", calls, len(got), len(want))
	}
}

// TestOthersAtWork changes things between the plan and its steps.
func TestOthersAtWork(t *testing.T) {
	for _, tc := range []struct {
		name    string
		meant   string // what is planned
		between func(t *testing.T, s *Store, drop, keep Item)
		instead bool // the other one goes then
	}{
		{"read what was to be archived", OpArchive, func(t *testing.T, s *Store, drop, _ Item) { access(t, s, drop.ID, 1) }, false},
		{"changed what was to be archived", OpArchive, func(t *testing.T, s *Store, drop, _ Item) { edit(t, s, drop.ID, "better") }, false},
		{"forgot what was to be archived", OpArchive, func(t *testing.T, s *Store, drop, _ Item) { forgetIt(t, s, drop.ID) }, false},
		{"scrubbed what was to be archived", OpArchive, func(t *testing.T, s *Store, drop, _ Item) { erase(t, s, drop.ID) }, false},
		{"promoted what was to be archived", OpArchive, func(t *testing.T, s *Store, drop, _ Item) { set(t, s, drop.ID, `lifetime = 'long_term'`) }, false},
		{"forgot what was to be promoted", OpPromote, func(t *testing.T, s *Store, drop, _ Item) { forgetIt(t, s, drop.ID) }, false},
		{"promoted what was to be promoted", OpPromote, func(t *testing.T, s *Store, drop, _ Item) { set(t, s, drop.ID, `lifetime = 'long_term'`) }, false},
		{"made last what was to expire", OpExpire, func(t *testing.T, s *Store, drop, _ Item) { set(t, s, drop.ID, `expires = NULL`) }, false},
		{"changed what was to be merged", OpMerge, func(t *testing.T, s *Store, drop, _ Item) { edit(t, s, drop.ID, "something else") }, false},
		{"changed what was to stay", OpMerge, func(t *testing.T, s *Store, _, keep Item) { edit(t, s, keep.ID, "something else") }, false},
		{"forgot what was to stay", OpMerge, func(t *testing.T, s *Store, _, keep Item) { forgetIt(t, s, keep.ID) }, false},
		{"scrubbed what was to stay", OpMerge, func(t *testing.T, s *Store, _, keep Item) { erase(t, s, keep.ID) }, false},
		{"asked for what was to be merged", OpMerge, func(t *testing.T, s *Store, drop, _ Item) { access(t, s, drop.ID, 9) }, true},
		{"asked for what was to be given up", OpCap, func(t *testing.T, s *Store, drop, _ Item) { access(t, s, drop.ID, 3) }, true},
		{"forgot another, so that there is room", OpCap, func(t *testing.T, s *Store, _, keep Item) { forgetIt(t, s, keep.ID) }, false},
	} {
		s, c := newPass(t, fixed{64})
		r := rand.New(rand.NewPCG(1, 1))
		v := randomUnit(r, 64)
		keep, drop := Item{Importance: .5, Content: "this one stays"}, Item{Importance: .5, Content: "and this one goes"}
		o := randomUnit(r, 64)
		switch tc.meant {
		case OpArchive:
			drop.Created = c.now().Add(-ArchiveAfter)
		case OpPromote:
			drop.Importance, drop.Accesses = 1, 4 // each in a session
		case OpExpire:
			now := c.now()
			drop.Expires = &now
		case OpMerge:
			keep.Content = drop.Content + "."
			keep.Accesses = 2
		case OpCap:
			s.cap = 1
			keep.Importance = .6
		}
		keep, drop = one(t, s, keep, v), one(t, s, drop, o)
		c.pass(time.Second)
		plans, err := s.PlanConsolidation(t.Context(), nil)
		if err != nil || len(plans[0].Steps) != 1 || plans[0].Steps[0].Op != tc.meant || plans[0].Steps[0].Item != drop.ID {
			t.Fatalf("%s: %+v, %v", tc.name, plans, err)
		}
		tc.between(t, s, drop, keep)
		before := dump(t, s)
		// The pass plans anew, and finds what there is to do now.
		got, err := s.Consolidate(t.Context(), nil)
		if err != nil || (*got[0].count(tc.meant) == 1) != tc.instead {
			t.Errorf("%s: %+v, %v", tc.name, got, err)
		}
		itemsOf := func(dump string) string { return dump[:strings.Index(dump, `"put"`)] }
		if done := itemsOf(dump(t, s)) != itemsOf(before); done != tc.instead {
			t.Errorf("%s: something was done: %v\n%s\n%s", tc.name, done, itemsOf(before), itemsOf(dump(t, s)))
		}
		if tc.instead {
			if gone, stays := get(t, s, keep.ID), get(t, s, drop.ID); gone.Live() || !stays.Live() {
				t.Errorf("%s: %+v went, %+v stays", tc.name, gone, stays)
			}
		}
	}
}

func set(t *testing.T, s *Store, id, what string) {
	t.Helper()
	f, err := s.open(t.Context(), false, false)
	if err == nil {
		err = f.WriteIndex(t.Context(), func(tx *sqlite.Tx) error {
			_, err := tx.Exec(`UPDATE items SET `+what+` WHERE id = ?`, id)
			return err
		})
	}
	expect.OK(t, err)
}

func access(t *testing.T, s *Store, id string, times int) {
	t.Helper()
	for range times {
		expect.Value(s.Get(t.Context(), id))(t)
	}
	s.Flush(t.Context())
}

func edit(t *testing.T, s *Store, id, content string) {
	t.Helper()
	expect.Value(s.Update(t.Context(), id, UpdateOptions{}, func(it *Item) error { it.Content = content; return nil }))(t)
}

func forgetIt(t *testing.T, s *Store, id string) {
	t.Helper()
	expect.Value(s.Forget(t.Context(), id, "", ""))(t)
}

// erase removes an item's row, as a scrub does.
func erase(t *testing.T, s *Store, id string) {
	t.Helper()
	it := get(t, s, id)
	f, err := s.open(t.Context(), false, false)
	if err == nil {
		err = f.WriteIndex(t.Context(), func(tx *sqlite.Tx) error {
			if _, err := tx.Exec(`DELETE FROM items WHERE n = ?`, it.n); err != nil {
				return err
			}
			return f.Index.Delete(tx, it.n)
		})
	}
	expect.OK(t, err)
}

func TestAccessesCountBeforeAPlan(t *testing.T) {
	s, _ := newPass(t, nil)
	it := put(t, s, Item{Tier: Workspace, Content: "asked for often", Importance: .8})
	askedIn(t, s, it.ID, "a", "b")
	if _, err := s.Get(t.Context(), it.ID); err != nil { // is not written yet
		t.Fatal(err)
	}
	if p, err := s.PlanConsolidation(t.Context(), nil); err != nil || len(p) != 1 || len(p[0].Steps) != 1 || p[0].Steps[0].Op != OpPromote {
		t.Errorf("%+v, %v", p, err)
	}
}

func TestConsolidateManyAtOnce(t *testing.T) {
	cost.SkipQuickUnlessRace(t)
	s, c := newPass(t, fixed{64})
	s.cap = 100
	messy(t, s, c)
	stores := []*Store{s}
	for range 3 {
		o := open(t, s.home, Options{Workspace: s.Workspace(), Author: true, Now: c.now, Embedder: fixed{64}})
		o.cap = s.cap
		stores = append(stores, o)
	}
	errs := make(chan error)
	for _, o := range stores {
		go func() {
			_, err := o.Consolidate(context.Background(), nil)
			errs <- err
		}()
	}
	for range stores {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	sound(t, s)
	consolidate(t, s)
	after := dump(t, s)
	c.pass(time.Millisecond)
	consolidate(t, s)
	if dump(t, s) != after {
		t.Error("something was left to do")
	}
}
