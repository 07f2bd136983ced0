package memory

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"blackboard/board/sqlite"
	"blackboard/embed"
)

// newPass returns an empty store, with its clock.
func newPass(t testing.TB, embedder embed.Embedder) (*Store, *clock) {
	t.Helper()
	c := newClock()
	return open(t, t.TempDir(), Options{Now: c.now, Embedder: embedder}), c
}

func consolidate(t testing.TB, s *Store, scopes ...Scope) Consolidated {
	t.Helper()
	all, err := s.Consolidate(t.Context(), scopes, nil)
	if err != nil {
		t.Fatal(err)
	}
	sound(t, s)
	var sum Consolidated
	for _, c := range all {
		sum.Live += c.Live
		sum.Skipped += c.Skipped
		for _, op := range []string{OpExpire, OpEnd, OpPromote, OpPrune, OpMerge, OpCap} {
			*sum.count(op) += *c.count(op)
		}
		sum.Notes = append(sum.Notes, c.Notes...)
	}
	return sum
}

// get returns an item whoever it belongs to.
func get(t testing.TB, s *Store, id string) Item {
	t.Helper()
	for _, account := range []bool{false, true} {
		f, err := s.open(context.Background(), account, false)
		if errors.Is(err, errNoFile) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		var found []Item
		if err := f.read(context.Background(), func(tx *sqlite.Tx) (err error) {
			found, err = itemsWhere(tx, `id = ?`, id)
			return err
		}); err != nil {
			t.Fatal(err)
		}
		if len(found) == 1 {
			return found[0]
		}
	}
	t.Fatalf("there is no %s", id)
	return Item{}
}

// one stores one item as it is, and returns it.
func one(t testing.TB, s *Store, it Item, v ...embed.Vector) Item {
	t.Helper()
	if it.Content == "" {
		it.Content = "content " + strings.Map(func(r rune) rune { return 'a' + r%26 }, newID('x')) // no number in it
	}
	if it.Tier == "" {
		it.Tier = Workspace
	}
	items := []Item{it}
	stock(t, s, items, append(v, nil)[:1])
	return items[0]
}

// sound fails unless the index has exactly the live items, each forgotten one says by which rule, and each that was replaced leads to one that is there.
func sound(t testing.TB, s *Store) {
	t.Helper()
	for _, account := range []bool{false, true} {
		f, err := s.open(context.Background(), account, false)
		if errors.Is(err, errNoFile) || account && s.Workspace() == "" {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := f.db.Read(context.Background(), func(tx *sqlite.Tx) error {
			if err := f.index.Check(tx); err != nil {
				return err
			}
			docs, err := f.index.Documents(tx)
			if err != nil {
				return err
			}
			all, err := itemsWhere(tx, `1 ORDER BY n`)
			if err != nil {
				return err
			}
			var live []int64
			byID := map[string]*Item{}
			for i := range all {
				byID[all[i].ID] = &all[i]
				if all[i].Forgotten == nil {
					live = append(live, all[i].n)
				}
			}
			if !slices.Equal(live, docs) {
				t.Errorf("%d items are live, the index has %d", len(live), len(docs))
			}
			for i := range all {
				it := &all[i]
				if it.Forgotten == nil {
					continue
				}
				if needs := it.Rule == RuleMerged || it.Rule == RuleConsolidated; it.Rule == "" || needs && it.ReplacedBy == "" {
					t.Errorf("%s is forgotten by the rule %q, replaced by %q", it.ID, it.Rule, it.ReplacedBy)
				}
				for steps := 0; it.ReplacedBy != ""; steps++ {
					next := byID[it.ReplacedBy]
					if next == nil || steps > len(all) || next.Forgotten != nil && next.Forgotten.Before(*it.Forgotten) {
						t.Errorf("%s is replaced by %s, which is not there, was forgotten before, or leads back: %+v", it.ID, it.ReplacedBy, next)
						break
					}
					it = next
				}
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
}

// dump is all that the files hold.
func dump(t testing.TB, s *Store) string {
	t.Helper()
	var b strings.Builder
	for _, account := range []bool{false, true} {
		f, err := s.open(context.Background(), account, false)
		if errors.Is(err, errNoFile) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := f.db.Read(context.Background(), func(tx *sqlite.Tx) error {
			for _, query := range []string{`SELECT json_array(` + strings.ReplaceAll(itemColumns, "\n\t", "") + `) FROM items ORDER BY n`, `SELECT json_array(n, verb, subject, why, data) FROM events ORDER BY n`,
				`SELECT json_array(key, value) FROM meta ORDER BY key`, `SELECT json_array(scope, at, upto) FROM consolidated ORDER BY scope`, `SELECT json_array(subject, revision) FROM revisions ORDER BY subject, revision`,
				`SELECT json_array(generation, docs, vectors) FROM memory_index_meta`} {
				rows, err := tx.Query(query)
				if err != nil {
					return err
				}
				for rows.Next() {
					var line string
					if err := rows.Scan(&line); err != nil {
						return err
					}
					fmt.Fprintln(&b, line)
				}
				if err := rows.Close(); err != nil {
					return err
				}
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	return b.String()
}

// exactly finds an importance and a number of accesses, from a least one on, with which an item that was just asked for has exactly a relevance: few products are that number to the last digit.
func exactly(t *testing.T, relevance float64, accesses int) Item {
	t.Helper()
	for a := accesses; a < accesses+100; a++ {
		it := Item{Tier: Workspace, Importance: 1, Accesses: a}
		it.Importance = relevance / DefaultRates.Relevance(&it, time.Time{})
		for range 5 {
			if DefaultRates.Relevance(&it, time.Time{}) == relevance {
				return it
			}
			it.Importance = math.Nextafter(it.Importance, 0)
		}
	}
	t.Fatalf("nothing gives the relevance %v", relevance)
	return Item{}
}

func TestPromoteThresholds(t *testing.T) {
	s, _ := newPass(t, nil)
	at := exactly(t, .7, 4)
	above := at
	above.Importance += 1e-12
	for _, tc := range []struct {
		name     string
		it       Item
		promoted bool
	}{
		{"just above", above, true},
		{"exactly .7", at, false},
		{"four accesses", Item{Importance: 1, Accesses: 4}, true},
		{"three accesses", Item{Importance: 1, Accesses: 3}, false},
		{"long-term already", Item{Importance: 1, Accesses: 9, Lifetime: LongTerm}, false},
		{"asked for long ago", Item{Importance: .5, Accesses: 9, Created: newClock().now().Add(-30 * 24 * time.Hour)}, false},
	} {
		it := one(t, s, tc.it)
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

func TestPruneThresholds(t *testing.T) {
	s, c := newPass(t, nil)
	year := c.now().Add(-365 * 24 * time.Hour)
	for _, tc := range []struct {
		name   string
		it     Item
		pruned bool
	}{
		{"exactly .01", Item{Importance: .01}, false},
		{"just below", Item{Importance: math.Nextafter(.01, 0)}, true},
		{"nobody asked for a year", Item{Importance: .8, Created: year}, true},
		{"long-term, for a year", Item{Importance: .8, Created: year, Lifetime: LongTerm}, false},
		{"asked for since", Item{Importance: .8, Created: year, Accessed: c.now().Add(-24 * time.Hour)}, false},
	} {
		it := one(t, s, tc.it)
		got := consolidate(t, s)
		if now := get(t, s, it.ID); (got.Pruned == 1) != tc.pruned || tc.pruned && now.Rule != RulePruned || !tc.pruned && now.Forgotten != nil {
			t.Errorf("%s: %+v, %+v", tc.name, got, now)
		}
	}
}

func TestShield(t *testing.T) {
	s, c := newPass(t, nil)
	s.rates.Workspace = .9 // so that what nobody asked for in a month is far below any threshold
	month := c.now().Add(-30 * 24 * time.Hour)
	kept := one(t, s, Item{Importance: .9, Created: month})
	late := one(t, s, Item{Importance: .9, Created: month.Add(-time.Millisecond)})
	light := one(t, s, Item{Importance: math.Nextafter(.9, 0), Created: month})
	if got := consolidate(t, s); got.Pruned != 2 {
		t.Errorf("%+v", got)
	}
	if get(t, s, kept.ID).Forgotten != nil || get(t, s, late.ID).Rule != RulePruned || get(t, s, light.ID).Rule != RulePruned {
		t.Error("what is important and was asked for within 30 days stays, and nothing else")
	}
	// A full scope: everything else goes first, however relevant, and then it says why it holds too much.
	s.cap = 3
	var shielded []Item
	for range 3 {
		shielded = append(shielded, one(t, s, Item{Importance: .95, Created: month.Add(time.Hour)}))
	}
	fresh := one(t, s, Item{Importance: .85, Accesses: 2})
	if due, err := s.Due(t.Context()); err != nil || len(due) != 1 {
		t.Errorf("due: %v, %v", due, err)
	}
	got := consolidate(t, s)
	if got.Capped != 1 || get(t, s, fresh.ID).Rule != RuleCap || len(got.Notes) != 1 || !strings.Contains(got.Notes[0], "stays at 4 items, 1 more than 3") {
		t.Errorf("%+v", got)
	}
	for _, it := range append(shielded, kept) {
		if get(t, s, it.ID).Forgotten != nil {
			t.Errorf("%s is gone", it.ID)
		}
	}
	// There is nothing that a pass could do about it, so none is due.
	if due, err := s.Due(t.Context()); err != nil || len(due) != 0 {
		t.Errorf("due: %v, %v", due, err)
	}
	// It may be merged: the one that stays carries on.
	twin := one(t, s, Item{Importance: 1, Content: kept.Content})
	if got := consolidate(t, s); got.Merged != 1 || get(t, s, kept.ID).ReplacedBy != twin.ID {
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
	if got := consolidate(t, s); got.Capped != 1 || got.Live != 10 || get(t, s, least.ID).Rule != RuleCap {
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
	if testing.Short() || raceEnabled {
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
	if got := consolidate(t, s); got.Live != Cap || got.Capped != 1 || get(t, s, items[0].ID).Rule != RuleCap {
		t.Errorf("one above: %+v", got)
	}
}

func TestExpiredAndEnded(t *testing.T) {
	s, c := newPass(t, nil)
	now, later := c.now(), c.now().Add(time.Millisecond)
	gone := one(t, s, Item{Importance: .5, Expires: &now, Lifetime: LongTerm})
	stays := one(t, s, Item{Importance: .5, Expires: &later})
	conv, _, err := s.StartConversation(t.Context(), "", "")
	if err != nil {
		t.Fatal(err)
	}
	note := one(t, s, Item{Tier: Conversation, Conversation: conv.Ref, Importance: 1})
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
	if _, err := s.ArchiveConversation(t.Context(), conv.Ref, true); err != nil {
		t.Fatal(err)
	}
	due("conversation:" + conv.Ref)
	if got := consolidate(t, s, Scope{Tier: Conversation, Conversation: conv.Ref}); got.Ended != 1 || got.Live != 1 || get(t, s, note.ID).Rule != RuleEnded || get(t, s, lasting.ID).Forgotten != nil {
		t.Errorf("%+v", got)
	}
	due()
	c.pass(time.Millisecond)
	due(Workspace)
	if got := consolidate(t, s); got.Expired != 1 {
		t.Errorf("%+v", got)
	}
}

func TestMergeThreshold(t *testing.T) {
	for _, dim := range []int{64, 384} {
		s, _ := newPass(t, fixed{dim})
		for _, tc := range []struct {
			cos    float64
			merged int
		}{{.95, 1}, {.9499, 0}, {.9501, 1}, {.9999, 1}, {.5, 0}, {-1, 0}} {
			v, o := make(embed.Vector, dim), make(embed.Vector, dim)
			v[0], o[0], o[1] = 1, float32(tc.cos), float32(math.Sqrt(1-tc.cos*tc.cos))
			a := one(t, s, Item{Importance: .5}, v)
			b := one(t, s, Item{Importance: .6}, o)
			got := consolidate(t, s)
			if got.Merged != tc.merged || (get(t, s, a.ID).ReplacedBy == b.ID) != (tc.merged == 1) {
				t.Errorf("%d numbers, cosine %v: %+v", dim, tc.cos, got)
			}
			for _, it := range []Item{a, b} { // make room
				if it = get(t, s, it.ID); it.Forgotten == nil {
					if _, err := s.Forget(t.Context(), it.ID, "", ""); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
	}
}

// TestMergeKeepsApart: what differs in a number or a negation, is of other readers or of another place is not merged, however near it is.
func TestMergeKeepsApart(t *testing.T) {
	for _, tc := range []struct {
		name   string
		a, b   Item
		merged bool
	}{
		{"the same", Item{Content: "Deploys run from main"}, Item{Content: "Deployments run from main"}, true},
		{"another number", Item{Content: "The port is 8080"}, Item{Content: "The port is 8081"}, false},
		{"a negation", Item{Content: "Do force-push to main"}, Item{Content: "Do not force-push to main"}, false},
		{"a negation in short", Item{Content: "It can be pushed"}, Item{Content: "It can't be pushed"}, false},
		{"numbers in titles", Item{Title: "server 1", Content: "is slow"}, Item{Title: "server 2", Content: "is slow"}, false},
		{"one agent's and everybody's", Item{Content: "Deploys run from main", Agent: "a"}, Item{Content: "Deploys run from main"}, false},
		{"two agents'", Item{Content: "Deploys run from main", Agent: "a"}, Item{Content: "Deploys run from main", Agent: "b"}, false},
		{"one agent's", Item{Content: "Deploys run from main", Agent: "a"}, Item{Content: "deploys run  from main", Agent: "a"}, true},
		{"two channels", Item{Content: "Deploys run from main", Tier: Channel, Channel: DefaultChannel}, Item{Content: "Deploys run from main", Tier: Channel, Channel: "other"}, false},
		{"a channel and the workspace", Item{Content: "Deploys run from main", Tier: Channel, Channel: DefaultChannel}, Item{Content: "Deploys run from main"}, false},
		{"the account and the workspace", Item{Content: "Deploys run from main", Tier: Account}, Item{Content: "Deploys run from main"}, false},
	} {
		for _, vectors := range []bool{true, false} {
			var e embed.Embedder
			if vectors {
				e = fixed{64}
			}
			s, _ := newPass(t, e)
			if _, err := s.CreateChannel(t.Context(), "other", ""); err != nil {
				t.Fatal(err)
			}
			r := rand.New(rand.NewPCG(1, 1))
			v := randomUnit(r, 64)
			tc.a.Importance, tc.b.Importance = .5, .6
			if vectors {
				one(t, s, tc.a, v)
				one(t, s, tc.b, beside(r, v, .99))
			} else {
				one(t, s, tc.a)
				one(t, s, tc.b)
			}
			want := tc.merged && (vectors || strings.EqualFold(strings.Join(strings.Fields(tc.a.Content), " "), strings.Join(strings.Fields(tc.b.Content), " ")))
			if got := consolidate(t, s); (got.Merged == 1) != want {
				t.Errorf("%s, vectors %v: %+v", tc.name, vectors, got)
			}
		}
	}
}

func TestEqualTextsAreMergedWithoutVectors(t *testing.T) {
	s, c := newPass(t, nil)
	a := one(t, s, Item{Content: "Use tabs", Importance: .5})
	other := one(t, s, Item{Content: "use TABS", Title: "In Make files", Importance: .5})
	c.pass(time.Minute)
	b := one(t, s, Item{Content: "use  tabs", Importance: .5})
	if got := consolidate(t, s); got.Merged != 1 || get(t, s, a.ID).ReplacedBy != b.ID || get(t, s, other.ID).Forgotten != nil {
		t.Errorf("%+v", got)
	}
	// One with a vector and one without are compared by their texts.
	s.opt.Embedder = bag{}
	v, _ := bag{}.Embed(t.Context(), []string{"use tabs"})
	d := one(t, s, Item{Content: "use tabs", Importance: .6}, v[0])
	if got := consolidate(t, s); got.Merged != 1 || get(t, s, b.ID).ReplacedBy != d.ID || get(t, s, d.ID).Model == "" {
		t.Errorf("%+v", got)
	}
}

func TestSurvivor(t *testing.T) {
	base := newClock().now()
	soon, late := base.Add(time.Hour), base.Add(2*time.Hour)
	for _, tc := range []struct {
		name       string
		keep, drop Item
		want       Item
	}{
		{"more important", Item{Importance: .6, Accesses: 1}, Item{Importance: .5, Accesses: 2, Created: base.Add(time.Minute)}, Item{Importance: .6, Accesses: 3, Lifetime: ShortTerm}},
		{"asked for more often", Item{Importance: .5, Accesses: 2}, Item{Importance: .5, Accesses: 1, Created: base.Add(time.Minute)}, Item{Importance: .5, Accesses: 3, Lifetime: ShortTerm}},
		{"newer", Item{Importance: .5, Created: base.Add(time.Minute)}, Item{Importance: .5}, Item{Importance: .5, Lifetime: ShortTerm}},
		{"long-term", Item{Importance: .6}, Item{Importance: .5, Lifetime: LongTerm}, Item{Importance: .6, Lifetime: LongTerm}},
		{"tags", Item{Importance: .6, Tags: []string{"b", "a"}}, Item{Importance: .5, Tags: []string{"c", "a"}}, Item{Importance: .6, Lifetime: ShortTerm, Tags: []string{"b", "a", "c"}}},
		{"the later end", Item{Importance: .6, Expires: &soon}, Item{Importance: .5, Expires: &late}, Item{Importance: .6, Lifetime: ShortTerm, Expires: &late}},
		{"no end", Item{Importance: .6, Expires: &soon}, Item{Importance: .5}, Item{Importance: .6, Lifetime: ShortTerm}},
		{"never ends", Item{Importance: .6}, Item{Importance: .5, Expires: &soon}, Item{Importance: .6, Lifetime: ShortTerm}},
		{"the later access", Item{Importance: .6, Created: base.Add(-time.Hour)}, Item{Importance: .5, Created: base.Add(-time.Hour), Accessed: base}, Item{Importance: .6, Lifetime: ShortTerm, Accessed: base}},
	} {
		for _, vectors := range []bool{false, true} {
			s, c := newPass(t, fixed{64})
			c.pass(10 * time.Minute)
			for _, it := range []*Item{&tc.keep, &tc.drop} {
				it.Content = "say it once"
				if it.Created.IsZero() {
					it.Created = base
				}
			}
			var v, o embed.Vector
			if vectors {
				r := rand.New(rand.NewPCG(1, 1))
				v = randomUnit(r, 64)
				o = beside(r, v, .97)
				tc.drop.Content = "say it but once"
			}
			drop := one(t, s, tc.drop, o)
			keep := one(t, s, tc.keep, v)
			if got := consolidate(t, s); got.Merged != 1 {
				t.Errorf("%s: %+v", tc.name, got)
			}
			got, gone := get(t, s, keep.ID), get(t, s, drop.ID)
			if tc.want.Accessed.IsZero() {
				tc.want.Accessed = got.Accessed
			}
			if tc.want.Tags == nil {
				tc.want.Tags = []string{}
			}
			if gone.Rule != RuleMerged || gone.ReplacedBy != keep.ID || got.Forgotten != nil || got.Importance != tc.want.Importance || got.Accesses != tc.want.Accesses || got.Lifetime != tc.want.Lifetime ||
				!slices.Equal(got.Tags, tc.want.Tags) || (got.Expires == nil) != (tc.want.Expires == nil) || got.Expires != nil && !got.Expires.Equal(*tc.want.Expires) || !got.Accessed.Equal(tc.want.Accessed) ||
				got.Content != keep.Content || !got.Updated.Equal(keep.Updated) {
				t.Errorf("%s, vectors %v: stays %+v\ngoes %+v", tc.name, vectors, got, gone)
			}
			// What it was before is among its revisions, if anything but its accesses has changed.
			was, err := s.Revisions(t.Context(), keep.ID)
			if err != nil || len(was) != got.Revision-1 {
				t.Errorf("%s: revision %d, %d before it, %v", tc.name, got.Revision, len(was), err)
			}
		}
	}
}

// TestMergeChains: a merges with b and b with c, and a has nothing to do with c.
func TestMergeChains(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	const dim = 64
	middle := randomUnit(r, dim)
	e := beside(r, middle, 0)
	turned := func(angle float64) embed.Vector { // from the middle, all in one plane
		v := make(embed.Vector, dim)
		for i := range v {
			v[i] = float32(math.Cos(angle))*middle[i] + float32(math.Sin(angle))*e[i]
		}
		return v
	}
	step := .9 * math.Acos(MergeCosine)
	for _, tc := range []struct {
		name       string
		importance [3]float64
		into       map[int]int
	}{
		{"the middle one stays", [3]float64{.4, .6, .5}, map[int]int{0: 1, 2: 1}},
		{"the first stays", [3]float64{.6, .5, .4}, map[int]int{1: 0}},
		{"the outer ones stay", [3]float64{.6, .4, .5}, map[int]int{1: 0}},
	} {
		s, _ := newPass(t, fixed{dim})
		var all [3]Item
		for i := range all {
			all[i] = one(t, s, Item{Importance: tc.importance[i], Content: "chain " + string(rune('a'+i))}, turned(float64(i-1)*step))
		}
		consolidate(t, s)
		got := map[int]int{}
		for i := range all {
			for j := range all {
				if get(t, s, all[i].ID).ReplacedBy == all[j].ID {
					got[i] = j
				}
			}
		}
		if !maps.Equal(got, tc.into) {
			t.Errorf("%s: %v, not %v", tc.name, got, tc.into)
		}
	}
	// Over several passes: each goes into one that was live then, and the last of them is.
	s, c := newPass(t, fixed{dim})
	var ids []string
	for i := range 5 {
		ids = append(ids, one(t, s, Item{Importance: .1 + .1*float64(i), Content: "link " + string(rune('a'+i))}, turned(float64(i)*step)).ID)
		consolidate(t, s)
		c.pass(time.Second)
	}
	for i, id := range ids[:4] {
		if got := get(t, s, id); got.ReplacedBy != ids[i+1] {
			t.Errorf("%d is replaced by %q", i, got.ReplacedBy)
		}
	}
	if got := get(t, s, ids[4]); got.Forgotten != nil {
		t.Errorf("%+v", got)
	}
}

// TestMergeOfManyAlike: what differs in numbers alone is near to hundreds and is merged with none; what differs in nothing becomes one for each that may read it,
// however many there are.
func TestMergeOfManyAlike(t *testing.T) {
	s, c := newPass(t, fixed{64})
	r := rand.New(rand.NewPCG(1, 1))
	v := randomUnit(r, 64)
	const n = 5 * mergeDepth
	items, vectors := make([]Item, 2*n), make([]embed.Vector, 2*n)
	for i := range items {
		items[i] = Item{Tier: Workspace, Importance: .5, Created: c.now(), Content: fmt.Sprintf("Run %d was slow", i)}
		if i >= n {
			items[i].Content = "The run was slow, said " + strings.Repeat("x", i)
			items[i].Agent = []string{"", "a"}[i%2]
		}
		vectors[i] = beside(r, v, .995)
	}
	r.Shuffle(2*n, func(i, j int) { items[i], items[j] = items[j], items[i] })
	stock(t, s, items, vectors)
	if got := consolidate(t, s); got.Merged != n-2 || got.Live != n+2 {
		t.Errorf("%+v", got)
	}
}

// TestPromotedByMerging: an item that becomes worth promoting by what is merged into it is promoted in the same pass, so that the next one has nothing to do.
func TestPromotedByMerging(t *testing.T) {
	s, _ := newPass(t, nil)
	a := one(t, s, Item{Importance: .6, Accesses: 2, Content: "twice"})
	one(t, s, Item{Importance: .5, Accesses: 2, Content: "twice", Tags: []string{"other"}})
	got := consolidate(t, s)
	if now := get(t, s, a.ID); got.Merged != 1 || got.Promoted != 1 || now.Lifetime != LongTerm || now.Revision != 2 || len(now.Tags) != 1 {
		t.Errorf("%+v, %+v", got, now)
	}
	if got := consolidate(t, s); got.Promoted != 0 {
		t.Errorf("%+v", got)
	}
}

// messy fills a store so that a pass has everything to do, and returns how many items it has.
func messy(t testing.TB, s *Store, c *clock) int {
	t.Helper()
	r := rand.New(rand.NewPCG(8, 8))
	ctx := context.Background()
	conv, _, err := s.StartConversation(ctx, "", "")
	if err != nil {
		t.Fatal(err)
	}
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
	if _, err := s.ArchiveConversation(ctx, conv.Ref, true); err != nil {
		t.Fatal(err)
	}
	return total
}

func TestPlanIsWhatIsDone(t *testing.T) {
	for _, warm := range []bool{false, true} {
		c := newClock()
		planIsWhatIsDone(t, open(t, t.TempDir(), Options{Now: c.now, Embedder: fixed{64}, Warm: warm}), c)
	}
}

func planIsWhatIsDone(t *testing.T, s *Store, c *clock) {
	s.cap = 100
	n := messy(t, s, c)
	before := dump(t, s)
	plans, err := s.PlanConsolidation(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if dump(t, s) != before {
		t.Error("a plan has changed something")
	}
	// Steps for private items of others are counted, and not shown.
	if all := fmt.Sprint(plans); !strings.Contains(all, "more steps for private items of other agents") {
		t.Errorf("nothing is hidden: %s", all)
	}
	scopes, err := s.within(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, w := range scopes {
		p, err := s.plan(t.Context(), w, func(int) {})
		if err != nil {
			t.Fatal(err)
		}
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
	for _, op := range []string{OpExpire, OpEnd, OpPromote, OpPrune, OpMerge, OpCap} {
		if ops[op] == 0 {
			t.Errorf("the test has no %s", op)
		}
	}
	if live != n {
		t.Errorf("%d items, not %d", live, n)
	}
	last, of := 0, 0
	got, err := s.Consolidate(t.Context(), nil, func(d, o int) {
		if d < last || d > o || o < of {
			t.Errorf("progress goes from %d of %d to %d of %d", last, of, d, o)
		}
		last, of = d, o
	})
	if err != nil || last != of || last == 0 {
		t.Errorf("progress ends at %d of %d, %v", last, of, err)
	}
	sound(t, s)
	rules := map[string]string{OpExpire: RuleExpired, OpEnd: RuleEnded, OpPrune: RulePruned, OpMerge: RuleMerged, OpCap: RuleCap}
	for i, p := range plans {
		c := got[i]
		if c.Scope != p.Scope || c.Skipped != 0 || c.Live != p.Live-(c.Expired+c.Ended+c.Pruned+c.Merged+c.Capped) || c.Live > s.cap {
			t.Errorf("%+v", c)
		}
		for _, st := range p.Steps {
			it := get(t, s, st.Item)
			if st.Op == OpPromote {
				if it.Lifetime != LongTerm {
					t.Errorf("%+v: %+v", st, it)
				}
			} else if it.Rule != rules[st.Op] || it.ReplacedBy != st.Into {
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
		if got := consolidate(t, s); got.Merged+got.Capped+got.Promoted+got.Skipped > 0 {
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
	state := func(interrupt bool) (calls int, all []string) {
		s, c := newPass(t, fixed{64})
		s.cap = 100
		n := messy(t, s, c)
		for {
			calls++
			ctx, cancel := context.WithCancel(t.Context())
			_, err := s.Consolidate(ctx, nil, func(done, of int) {
				if interrupt && done >= n/4*calls {
					cancel()
				}
			})
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
			l, _, err := s.List(t.Context(), ListQuery{Tiers: []string{tier}, Forgotten: true})
			if err != nil {
				t.Fatal(err)
			}
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
		after   int // how many merges the next pass has to do
	}{
		{"read what was to be pruned", OpPrune, func(t *testing.T, s *Store, drop, _ Item) { access(t, s, drop.ID, 1) }, 0},
		{"changed what was to be pruned", OpPrune, func(t *testing.T, s *Store, drop, _ Item) { edit(t, s, drop.ID, "better") }, 0},
		{"forgot what was to be pruned", OpPrune, func(t *testing.T, s *Store, drop, _ Item) { forgetIt(t, s, drop.ID) }, 0},
		{"scrubbed what was to be pruned", OpPrune, func(t *testing.T, s *Store, drop, _ Item) { erase(t, s, drop.ID) }, 0},
		{"promoted what was to be pruned", OpPrune, func(t *testing.T, s *Store, drop, _ Item) { set(t, s, drop.ID, `lifetime = 'long_term'`) }, 0},
		{"forgot what was to be promoted", OpPromote, func(t *testing.T, s *Store, drop, _ Item) { forgetIt(t, s, drop.ID) }, 0},
		{"promoted what was to be promoted", OpPromote, func(t *testing.T, s *Store, drop, _ Item) { set(t, s, drop.ID, `lifetime = 'long_term'`) }, 0},
		{"made last what was to expire", OpExpire, func(t *testing.T, s *Store, drop, _ Item) { set(t, s, drop.ID, `expires = NULL`) }, 0},
		{"changed what was to be merged", OpMerge, func(t *testing.T, s *Store, drop, _ Item) { edit(t, s, drop.ID, "something else") }, 0},
		{"changed what was to stay", OpMerge, func(t *testing.T, s *Store, _, keep Item) { edit(t, s, keep.ID, "something else") }, 0},
		{"forgot what was to stay", OpMerge, func(t *testing.T, s *Store, _, keep Item) { forgetIt(t, s, keep.ID) }, 0},
		{"scrubbed what was to stay", OpMerge, func(t *testing.T, s *Store, _, keep Item) { erase(t, s, keep.ID) }, 0},
		{"asked for what was to be merged", OpMerge, func(t *testing.T, s *Store, drop, _ Item) { access(t, s, drop.ID, 9) }, 1},
		{"embedded them with another model", OpMerge, func(t *testing.T, s *Store, drop, keep Item) { set(t, s, drop.ID, `model = 'other'`) }, 0},
		{"asked for what was to be given up", OpCap, func(t *testing.T, s *Store, drop, _ Item) { access(t, s, drop.ID, 3) }, 0},
		{"forgot another, so that there is room", OpCap, func(t *testing.T, s *Store, _, keep Item) { forgetIt(t, s, keep.ID) }, 0},
	} {
		s, c := newPass(t, fixed{64})
		r := rand.New(rand.NewPCG(1, 1))
		v := randomUnit(r, 64)
		keep, drop := Item{Importance: .5, Content: "this one stays"}, Item{Importance: .5, Content: "and this one goes"}
		o := randomUnit(r, 64)
		switch tc.meant {
		case OpPrune:
			drop.Importance = .009
		case OpPromote:
			drop.Importance, drop.Accesses = 1, 4
		case OpExpire:
			now := c.now()
			drop.Expires = &now
		case OpMerge:
			o = beside(r, v, .97)
			keep.Accesses = 2
		case OpCap:
			s.cap = 1
			keep.Importance = .6
		}
		keep, drop = one(t, s, keep, v), one(t, s, drop, o)
		c.pass(time.Second)
		all, err := s.within(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		p, err := s.plan(t.Context(), all[0], func(int) {})
		if err != nil || len(p.steps) != 1 || p.steps[0].Op != tc.meant || p.steps[0].Item != drop.ID {
			t.Fatalf("%s: %+v, %v", tc.name, p.steps, err)
		}
		tc.between(t, s, drop, keep)
		before := dump(t, s)
		got, err := p.apply(t.Context(), func(int) {})
		if err != nil || got.Skipped != 1 || *got.count(tc.meant) != 0 || len(got.Notes) == 0 {
			t.Errorf("%s: %+v, %v", tc.name, got, err)
		}
		itemsOf := func(dump string) string { return dump[:strings.Index(dump, `"put"`)] }
		if itemsOf(dump(t, s)) != itemsOf(before) {
			t.Errorf("%s: something was done\n%s\n%s", tc.name, itemsOf(before), itemsOf(dump(t, s)))
		}
		if tc.meant == OpMerge && strings.Contains(tc.name, "another model") {
			continue // the index does not say so in this test
		}
		// The next pass finds what there is to do now.
		c.pass(time.Second)
		if got := consolidate(t, s); got.Merged != tc.after || got.Skipped != 0 {
			t.Errorf("%s, then: %+v", tc.name, got)
		}
	}
}

func set(t *testing.T, s *Store, id, what string) {
	t.Helper()
	f, err := s.open(t.Context(), false, false)
	if err == nil {
		err = f.write(t.Context(), func(tx *sqlite.Tx) error {
			_, err := tx.Exec(`UPDATE items SET `+what+` WHERE id = ?`, id)
			return err
		})
	}
	if err != nil {
		t.Fatal(err)
	}
}

func access(t *testing.T, s *Store, id string, times int) {
	t.Helper()
	for range times {
		if _, err := s.Get(t.Context(), id); err != nil {
			t.Fatal(err)
		}
	}
	s.Flush(t.Context())
}

func edit(t *testing.T, s *Store, id, content string) {
	t.Helper()
	if _, err := s.Update(t.Context(), id, UpdateOptions{NoEmbedding: true}, func(it *Item) error { it.Content = content; return nil }); err != nil {
		t.Fatal(err)
	}
}

func forgetIt(t *testing.T, s *Store, id string) {
	t.Helper()
	if _, err := s.Forget(t.Context(), id, "", ""); err != nil {
		t.Fatal(err)
	}
}

// erase removes an item's row, as a scrub does.
func erase(t *testing.T, s *Store, id string) {
	t.Helper()
	it := get(t, s, id)
	f, err := s.open(t.Context(), false, false)
	if err == nil {
		err = f.write(t.Context(), func(tx *sqlite.Tx) error {
			if _, err := tx.Exec(`DELETE FROM items WHERE n = ?`, it.n); err != nil {
				return err
			}
			return f.index.Delete(tx, it.n)
		})
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestOnlyWhatIsNewIsCompared: two old items that say the same are found when one of them changes, and not before, so a pass over what did not change costs nothing.
func TestOnlyWhatIsNewIsCompared(t *testing.T) {
	s, c := newPass(t, fixed{64})
	r := rand.New(rand.NewPCG(1, 1))
	v := randomUnit(r, 64)
	a := one(t, s, Item{Importance: .6, Content: "a first thing"}, v)
	b := one(t, s, Item{Importance: .5, Content: "a second thing 2"}, beside(r, v, .97))
	c.pass(time.Second)
	if got := consolidate(t, s); got.Merged != 0 {
		t.Fatalf("%+v", got) // they differ in a number
	}
	c.pass(time.Second)
	set(t, s, b.ID, `content = 'a second thing'`) // as no change is made: nobody is told of it
	if got := consolidate(t, s); got.Merged != 0 {
		t.Errorf("%+v", got)
	}
	c.pass(time.Second)
	if _, err := s.Update(t.Context(), b.ID, UpdateOptions{}, func(it *Item) error { it.Source = "user"; return nil }); err != nil {
		t.Fatal(err)
	}
	if got := consolidate(t, s); got.Merged != 1 || get(t, s, a.ID).ReplacedBy != b.ID {
		t.Errorf("%+v", got)
	}
	// What was embedded since the last pass is compared, though it is neither new nor changed.
	c.pass(time.Second)
	s.opt.Embedder = nil
	d := one(t, s, Item{Importance: .4, Content: "a third thing"})
	c.pass(time.Second)
	if got := consolidate(t, s); got.Merged != 0 || len(got.Notes) != 1 || !strings.Contains(got.Notes[0], "1 item without an embedding") {
		t.Errorf("%+v", got)
	}
	c.pass(time.Second)
	s.opt.Embedder = same{fixed{64}, v}
	if _, err := s.Reembed(t.Context(), 0, nil); err != nil {
		t.Fatal(err)
	}
	if got := consolidate(t, s); got.Merged != 1 || get(t, s, d.ID).ReplacedBy != b.ID {
		t.Errorf("%+v", got)
	}
	// With another model everything is compared again.
	c.pass(time.Second)
	e := one(t, s, Item{Importance: .4, Content: "a fourth thing"}, randomUnit(r, 64))
	c.pass(time.Second)
	if got := consolidate(t, s); got.Merged != 0 {
		t.Errorf("%+v", got)
	}
	c.pass(time.Second)
	s.opt.Embedder = same{fixed{32}, randomUnit(r, 32)}
	if _, err := s.Reembed(t.Context(), 0, nil); err != nil {
		t.Fatal(err)
	}
	if got := consolidate(t, s); got.Merged != 1 || get(t, s, e.ID).ReplacedBy != b.ID {
		t.Errorf("%+v", got)
	}
}

// same is a model to which all texts say the same.
type same struct {
	fixed
	v embed.Vector
}

func (m same) Model() embed.Model { return embed.Model{Name: fmt.Sprint("same", m.dim), Dim: m.dim} }

func (m same) Embed(_ context.Context, texts []string) ([]embed.Vector, error) {
	out := make([]embed.Vector, len(texts))
	for i := range out {
		out[i] = slices.Clone(m.v)
	}
	return out, nil
}

func TestAccessesCountBeforeAPlan(t *testing.T) {
	s, _ := newPass(t, nil)
	it := put(t, s, Item{Tier: Workspace, Content: "asked for often", Importance: .8})
	for range 4 {
		if _, err := s.Get(t.Context(), it.ID); err != nil {
			t.Fatal(err)
		}
	}
	if p, err := s.PlanConsolidation(t.Context(), nil); err != nil || len(p) != 1 || len(p[0].Steps) != 1 || p[0].Steps[0].Op != OpPromote {
		t.Errorf("%+v, %v", p, err)
	}
}

func TestDue(t *testing.T) {
	s, c := newPass(t, nil)
	due := func(want int) {
		t.Helper()
		if all, err := s.Due(t.Context()); err != nil || len(all) != want {
			t.Errorf("due: %v, %v; not %d", all, err, want)
		}
	}
	due(0)
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
		f, err := s.open(t.Context(), false, false)
		if err != nil {
			t.Fatal(err)
		}
		if err := f.write(t.Context(), func(tx *sqlite.Tx) error {
			for _, id := range ids {
				it, err := s.again(tx, id)
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
		}); err != nil {
			t.Fatal(err)
		}
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
		{[]Scope{{Tier: "attic"}}, ErrInvalid},
		{[]Scope{{Tier: Channel}}, ErrInvalid},
		{[]Scope{{Tier: Conversation, Conversation: "x"}}, ErrInvalid},
		{[]Scope{}, nil},
		{[]Scope{{Tier: Workspace}, {Tier: Account}}, nil}, // nothing is remembered there yet
		{nil, nil},
	} {
		for _, err := range []error{errOf(s.Consolidate(t.Context(), tc.scopes, nil)), errOf(s.PlanConsolidation(t.Context(), tc.scopes)), errOf(s.Groups(t.Context(), tc.scopes, 0))} {
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
	if _, err := s.Consolidate(t.Context(), []Scope{{Tier: Channel, Channel: "attic"}}, nil); !errors.Is(err, ErrNotFound) {
		t.Error(err)
	}
	if _, err := s.Consolidate(t.Context(), []Scope{{Tier: Conversation, Conversation: newRef()}}, nil); !errors.Is(err, ErrNotFound) {
		t.Error(err)
	}
	narrow := open(t, s.home, Options{Workspace: s.Workspace(), Agent: "a", Tiers: []string{Channel}, Now: c.now})
	if _, err := narrow.Consolidate(t.Context(), []Scope{{Tier: Account}}, nil); !errors.Is(err, ErrDenied) {
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

func errOf[T any](_ T, err error) error { return err }

func TestConsolidateManyAtOnce(t *testing.T) {
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
			_, err := o.Consolidate(context.Background(), nil, nil)
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
