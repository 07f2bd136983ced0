package memory

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"blackboard/board/fault"
	"blackboard/board/sqlite"
	"blackboard/testdata/cost"
	"blackboard/testdata/expect"
)

func TestPromoteThresholds(t *testing.T) {
	s, _ := newPass(t, nil)
	for _, tc := range []struct {
		name     string
		it       Item
		sessions []string
		promoted bool
	}{
		{"three sessions", Item{Importance: .25}, []string{"a", "b", "c"}, true},
		{"three sessions long ago", Item{Importance: .5, Created: newClock().now().Add(-30 * 24 * time.Hour)}, []string{"a", "b", "c"}, true},
		{"two sessions", Item{Importance: 1}, []string{"a", "b"}, false},
		{"long-term already", Item{Importance: 1, Lifetime: LongTerm}, []string{"a", "b", "c"}, false},
	} {
		it := one(t, s, tc.it)
		askedIn(t, s, it.ID, tc.sessions...)
		c := consolidate(t, s)
		got := get(t, s, it.ID)
		if (c.Promoted == 1) != tc.promoted || (got.Lifetime == LongTerm) != (tc.promoted || tc.it.Lifetime == LongTerm) || got.Revision != 1 {
			t.Errorf("%s: %+v, %+v", tc.name, c, got)
		}
		if evs, err := s.Events(t.Context(), Workspace, it.ID, 0); err != nil || (len(evs) == 2 && evs[1].Verb == VerbPromoted) != tc.promoted {
			t.Errorf("%s: events %+v, %v", tc.name, evs, err)
		}
	}
}

// TestShownIsNotAskedFor: an item is asked for by a question that it answers, once in each
// session, and by its id; what is shown beside it is not.
func TestShownIsNotAskedFor(t *testing.T) {
	c := newClock()
	home := t.TempDir()
	s := open(t, home, Options{Agent: "a", Now: c.now})
	kafka, roses := put(t, s, Item{Tier: Workspace, Content: "Kafka lag grows at night"}), put(t, s, Item{Tier: Workspace, Content: "Roses at night want no lag of water"})
	asked := func(id string) int {
		t.Helper()
		s.Flush(t.Context())
		f := expect.Value(s.open(t.Context(), false, false))(t)
		n := 0
		expect.OK(t, f.Read(t.Context(), func(tx *sqlite.Tx) (err error) {
			n, err = sqlite.One[int](tx, `SELECT count(*) FROM asked JOIN items ON n = item WHERE id = ?`, id)
			return err
		}))
		return n
	}
	ask := func(s *Store, text string) {
		t.Helper()
		read(t, s, Query{Tiers: []string{Workspace}, Text: text})
		s.Flush(t.Context())
	}
	for range 5 {
		ask(s, "lag of Kafka at night")
		ask(s, "")
		expect.Value(s.Orient(t.Context(), OrientQuery{Text: "lag of Kafka"}))(t)
	}
	ask(s, "which lag has everything else that the night brings to gardens and parks") // the first hit answers nothing
	if a, b := asked(kafka.ID), asked(roses.ID); a != 1 || b != 0 {
		t.Errorf("in one session: %d and %d", a, b)
	}
	c.pass(24 * time.Hour) // without a name of the session, a day is one
	ask(s, "lag of Kafka at night")
	ask(open(t, home, Options{Agent: "a", Session: "another", Now: c.now}), "Kafka lag")
	if got := consolidate(t, s); got.Promoted != 1 || get(t, s, kafka.ID).Lifetime != LongTerm {
		t.Errorf("asked for in %d sessions: %+v", asked(kafka.ID), got)
	}
	if _, err := s.Get(t.Context(), roses.ID); err != nil || asked(roses.ID) != 1 {
		t.Errorf("by its id: %d, %v", asked(roses.ID), err)
	}
}

func TestArchiveThresholds(t *testing.T) {
	s, c := newPass(t, nil)
	year := c.now().Add(-365 * 24 * time.Hour)
	for _, tc := range []struct {
		name     string
		it       Item
		archived bool
	}{
		{"worth nothing", Item{Importance: 0.01}, false},
		{"a minute less than a year", Item{Importance: .1, Created: year.Add(time.Minute)}, false},
		{"nobody asked for a year", Item{Importance: .5, Created: year}, true},
		{"nearly important", Item{Importance: math.Nextafter(.75, 0), Created: year}, true},
		{"important", Item{Importance: .75, Created: year}, false},
		{"critical", Item{Importance: 1, Created: year}, false},
		{"the author's", Item{Importance: .5, Created: year, Curator: CuratorAuthor}, false},
		{"long-term, for a year", Item{Importance: .5, Created: year, Lifetime: LongTerm}, false},
		{"read since", Item{Importance: .5, Created: year, Accessed: c.now().Add(-24 * time.Hour)}, false},
	} {
		it := one(t, s, tc.it)
		got := consolidate(t, s)
		if now := get(t, s, it.ID); (got.Archived == 1) != tc.archived || (now.Archived != nil) != tc.archived || now.Forgotten != nil {
			t.Errorf("%s: %+v, %+v", tc.name, got, now)
		}
	}
}

func TestShield(t *testing.T) {
	s, c := newPass(t, nil)
	s.cap = 3
	// A full scope: everything else goes first, what is important last, and then it says why it
	// holds too much.
	var shielded []Item
	for range 4 {
		shielded = append(shielded, one(t, s, Item{Importance: .95}))
	}
	fresh := one(t, s, Item{Importance: .7, Accesses: 2})
	old := one(t, s, Item{Importance: .8, Created: c.now().Add(-60 * 24 * time.Hour)})
	if due, err := s.Due(t.Context()); err != nil || len(due) != 1 {
		t.Errorf("due: %v, %v", due, err)
	}
	s.cap = 5
	if got := consolidate(t, s); got.Capped != 1 || get(t, s, fresh.ID).Archived == nil || get(t, s, old.ID).Archived != nil {
		t.Errorf("%+v", got)
	}
	s.cap = 3
	got := consolidate(t, s)
	if got.Capped != 1 || get(t, s, old.ID).Archived == nil || len(got.Notes) != 1 || !strings.Contains(got.Notes[0], "stays at 4 items, 1 above the limit of 3") {
		t.Errorf("%+v", got)
	}
	for _, it := range shielded {
		if now := get(t, s, it.ID); !now.Live() {
			t.Errorf("%s is gone", it.ID)
		}
	}
	// There is nothing that a pass could do about it, so none is due.
	if due, err := s.Due(t.Context()); err != nil || len(due) != 0 {
		t.Errorf("due: %v, %v", due, err)
	}
	// It may be merged: the one that stays carries on.
	twin := one(t, s, Item{Importance: 1, Content: shielded[0].Content})
	if got := consolidate(t, s); got.Merged != 1 || get(t, s, shielded[0].ID).ReplacedBy != twin.ID {
		t.Errorf("%+v", got)
	}
}

func TestCapThresholds(t *testing.T) {
	s, _ := newPass(t, nil)
	s.cap = 10
	var least Item
	for i := range 10 {
		it := one(t, s, Item{Importance: .3 + .05*float64((i*7)%10)})
		if i == 0 {
			least = it
		}
	}
	if got := consolidate(t, s); got.Capped != 0 || got.Live != 10 {
		t.Errorf("at the cap: %+v", got)
	}
	if due, err := s.Due(t.Context()); err != nil || len(due) != 0 {
		t.Errorf("due: %v, %v", due, err)
	}
	one(t, s, Item{Importance: .35, Lifetime: LongTerm})
	if due, err := s.Due(t.Context()); err != nil || len(due) != 1 || due[0].String() != Workspace {
		t.Errorf("due: %v, %v", due, err)
	}
	if got := consolidate(t, s); got.Capped != 1 || got.Live != 10 || get(t, s, least.ID).Archived == nil {
		t.Errorf("one above: %+v, %+v", got, get(t, s, least.ID))
	}
	// Long-term items are not spared.
	one(t, s, Item{Importance: .8, Lifetime: LongTerm})
	if got := consolidate(t, s); got.Capped != 1 || got.Live != 10 {
		t.Errorf("the next: %+v", got)
	}
	// Another scope's items do not count.
	one(t, s, Item{Tier: Channel, Channel: DefaultChannel, Importance: .02})
	one(t, s, Item{Tier: Account, Importance: .02})
	if got := consolidate(t, s); got.Capped != 0 {
		t.Errorf("others: %+v", got)
	}
}

// TestCapOfTenThousand does it with as many items as it is about.
func TestCapOfTenThousand(t *testing.T) {
	cost.SkipShort(t)
	t.Parallel()
	if !cost.Long() {
		t.Skip("takes seconds; TestCapThresholds does the same with ten")
	}
	s, c := newPass(t, nil)
	items := make([]Item, Cap)
	for i := range items {
		items[i] = Item{Tier: Workspace, Content: fmt.Sprint("item ", i), Importance: .1 + .7*float64(i)/Cap, Created: c.now()}
	}
	stock(t, s, items, nil)
	if got := consolidate(t, s); got.Live != Cap || got.Capped != 0 {
		t.Errorf("at the cap: %+v", got)
	}
	one(t, s, Item{Importance: .5})
	if due, err := s.Due(t.Context()); err != nil || len(due) != 1 {
		t.Errorf("due: %v, %v", due, err)
	}
	if got := consolidate(t, s); got.Live != Cap || got.Capped != 1 || get(t, s, items[0].ID).Archived == nil {
		t.Errorf("one above: %+v", got)
	}
}

func TestExpiredAndEnded(t *testing.T) {
	s, c := newPass(t, nil)
	now, later := c.now(), c.now().Add(time.Millisecond)
	gone := one(t, s, Item{Importance: .5, Expires: &now, Lifetime: LongTerm})
	stays := one(t, s, Item{Importance: .5, Expires: &later})
	conv, _ := expect.Values(s.StartConversation(t.Context(), "", ""))(t)
	note := one(t, s, Item{Tier: Conversation, Conversation: conv.Ref, Importance: 1})
	one(t, s, Item{Tier: Conversation, Conversation: conv.Ref, Importance: 1})
	lasting := one(t, s, Item{Tier: Conversation, Conversation: conv.Ref, Importance: .5, Lifetime: LongTerm})
	due := func(want ...string) {
		t.Helper()
		all, err := s.Due(t.Context())
		var got []string
		for _, sc := range all {
			got = append(got, sc.String())
		}
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("due are %v, not %v, %v", got, want, err)
		}
	}
	due(Workspace)
	if got := consolidate(t, s); got.Expired != 1 || got.Ended != 0 || get(t, s, gone.ID).Rule != RuleExpired || get(t, s, stays.ID).Forgotten != nil {
		t.Errorf("%+v", got)
	}
	due()
	expect.Value(s.ArchiveConversation(t.Context(), conv.Ref, true))(t)
	due("conversation:" + conv.Ref)
	if got := consolidate(t, s, Scope{Tier: Conversation, Conversation: conv.Ref}); got.Ended != 2 ||
		got.Live != 1 || get(t, s, note.ID).Archived == nil || get(t, s, lasting.ID).Archived != nil {
		t.Errorf("%+v", got)
	}
	due()
	c.pass(time.Millisecond)
	due(Workspace)
	if got := consolidate(t, s); got.Expired != 1 {
		t.Errorf("%+v", got)
	}
}

func TestDue(t *testing.T) {
	cost.SkipUnlessLong(t)
	s, c := newPass(t, nil)
	due := func(want int) {
		t.Helper()
		if all, err := s.Due(t.Context()); err != nil || len(all) != want {
			t.Errorf("due: %v, %v; not %d", all, err, want)
		}
	}
	due(0)
	put(t, s, Item{Tier: Workspace, Content: "of before the pass"})
	consolidate(t, s) // today, so that DueSession does not count
	items := make([]Item, DueItems-1)
	for i := range items {
		items[i] = Item{Tier: Workspace, Importance: .5, Content: fmt.Sprint("item ", i)}
	}
	stock(t, s, items, nil)
	due(0)
	put(t, s, Item{Tier: Channel, Content: "is in another scope"})
	due(0)
	last := put(t, s, Item{Tier: Workspace, Content: "the last straw"})
	due(1)
	consolidate(t, s)
	due(0)
	// Changes count, once for each item, and new ones do.
	change := func(ids ...string) {
		t.Helper()
		f := expect.Value(s.open(t.Context(), false, false))(t)
		expect.OK(t, f.WriteIndex(t.Context(), func(tx *sqlite.Tx) error {
			for _, id := range ids {
				it, err := s.reread(tx, id)
				if err != nil {
					return err
				}
				now := *it
				now.Content += "!"
				if err := f.change(tx, it, &now, nil, "", new([]string)); err != nil {
					return err
				}
			}
			return nil
		}))
	}
	var ids []string
	for _, it := range items {
		ids = append(ids, it.ID)
	}
	c.pass(time.Second)
	change(ids[:DueItems-2]...)
	change(ids[:DueItems-2]...)
	due(0)
	extra := put(t, s, Item{Tier: Workspace, Content: "one more"})
	due(0)
	change(last.ID)
	due(1)
	forgetIt(t, s, extra.ID) // and what is gone does not
	due(0)
	change(ids[DueItems-2])
	due(1)
	consolidate(t, s)
	due(0)
	// What the pass itself has changed is nothing new to the next one.
	c.pass(time.Second)
	twins := make([]Item, DueItems-1)
	for i := range twins {
		twins[i] = Item{Tier: Workspace, Importance: .4, Tags: []string{"twin"}, Content: get(t, s, ids[i]).Content}
	}
	stock(t, s, twins, nil)
	put(t, s, Item{Tier: Workspace, Content: "and one"})
	due(1)
	if got := consolidate(t, s); got.Merged != len(twins) {
		t.Errorf("%+v", got)
	}
	due(0)
	// Nobody is told of what is not theirs.
	narrow := open(t, s.home, Options{Workspace: s.Workspace(), Agent: "a", Tiers: []string{Channel}, Now: c.now})
	now := c.now()
	one(t, s, Item{Importance: .5, Expires: &now})
	due(1)
	if all, err := narrow.Due(t.Context()); err != nil || len(all) != 0 {
		t.Errorf("due to another: %v, %v", all, err)
	}
}

func TestScopesOfConsolidation(t *testing.T) {
	s, c := newPass(t, nil)
	for _, tc := range []struct {
		scopes []Scope
		kind   error
	}{
		{[]Scope{{Tier: "attic"}}, fault.Invalid},
		{[]Scope{{Tier: Channel}}, fault.Invalid},
		{[]Scope{{Tier: Conversation, Conversation: "x"}}, fault.Invalid},
		{[]Scope{}, nil},
		{[]Scope{{Tier: Workspace}, {Tier: Account}}, nil}, // nothing is remembered there yet
		{nil, nil},
	} {
		_, _, groupsErr := s.Groups(t.Context(), tc.scopes, 0)
		for _, err := range []error{groupsErr, errOf(s.Consolidate(t.Context(), tc.scopes)),
			errOf(s.PlanConsolidation(t.Context(), tc.scopes))} {
			if !errors.Is(err, tc.kind) {
				t.Errorf("%v: %v", tc.scopes, err)
			}
		}
	}
	now := c.now()
	for _, it := range []Item{{}, {Tier: Account}, {Tier: Channel, Channel: DefaultChannel}, {Agent: "bob"}} {
		it.Importance, it.Expires = .5, &now
		one(t, s, it)
	}
	if _, err := s.Consolidate(t.Context(), []Scope{{Tier: Channel, Channel: "attic"}}); !errors.Is(err, fault.NotFound) {
		t.Error(err)
	}
	if _, err := s.Consolidate(t.Context(), []Scope{{Tier: Conversation, Conversation: newRef()}}); !errors.Is(err,
		fault.NotFound) {
		t.Error(err)
	}
	narrow := open(t, s.home, Options{Workspace: s.Workspace(), Agent: "a", Tiers: []string{Channel}, Now: c.now})
	if _, err := narrow.Consolidate(t.Context(), []Scope{{Tier: Account}}); !errors.Is(err, fault.Denied) {
		t.Error(err)
	}
	if got := consolidate(t, narrow); got.Expired != 1 {
		t.Errorf("%+v", got)
	}
	far := open(t, s.home, Options{Workspace: filepath.Join(s.home, "far"), Agent: "a", Now: c.now})
	if got := consolidate(t, far); got.Expired != 1 { // the account's
		t.Errorf("%+v", got)
	}
	// An agent's pass treats others' private items as well, and sees nothing of them.
	agent := open(t, s.home, Options{Workspace: s.Workspace(), Agent: "a", Now: c.now})
	if got := consolidate(t, agent, Scope{Tier: Workspace, Channel: "stray"}, Scope{Tier: Workspace}); got.Expired != 2 {
		t.Errorf("%+v", got)
	}
}
