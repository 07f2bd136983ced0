package memory

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"blackboard/embed"
	"blackboard/testdata/cost"
	"blackboard/testdata/expect"
)

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
		{"the author's", Item{Importance: .5, Curator: CuratorAuthor}, Item{Importance: .9, Accesses: 2},
			Item{Importance: .9, Accesses: 2, Lifetime: ShortTerm}},
		{"put later", Item{Importance: .5}, Item{Importance: .5}, Item{Importance: .5, Lifetime: ShortTerm}},
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
				tc.drop.Content = "Say it **once**."
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

// TestPromotedByMerging: an item that becomes worth promoting by what is merged into it is
// promoted in the same pass, so that the next one has nothing to do.
func TestPromotedByMerging(t *testing.T) {
	s, _ := newPass(t, nil)
	a := one(t, s, Item{Importance: .6, Accesses: 2, Content: "twice"})
	b := one(t, s, Item{Importance: .5, Content: "twice", Tags: []string{"other"}})
	askedIn(t, s, b.ID, "s1", "s2") // the first of them has asked for the other, too
	got := consolidate(t, s)
	if now := get(t, s, a.ID); got.Merged != 1 || got.Promoted != 1 || now.Lifetime != LongTerm || now.Revision != 2 || len(now.Tags) != 1 {
		t.Errorf("%+v, %+v", got, now)
	}
	if got := consolidate(t, s); got.Promoted != 0 {
		t.Errorf("%+v", got)
	}
}

// TestMergeKeepsApart: what makes another statement, is of other readers or of another place is
// not merged, however near its meaning is.
func TestMergeKeepsApart(t *testing.T) {
	cost.SkipUnlessLong(t)
	for _, tc := range []struct {
		name   string
		a, b   Item
		merged bool
	}{
		{"the same", Item{Content: "Deploys run from main"}, Item{Content: "deploys  run from **main**."}, true},
		{"the same but for an article and an ending", Item{Content: "The deploys run from main"}, Item{Content: "Deploy runs from main"}, true},
		{"under two titles", Item{Title: "The branch", Content: "Deploys run from the main branch"}, Item{Title: "Deploys", Content: "Deploys run from the main branch"}, true},
		{"of two subjects", Item{Title: "Deploys", Content: "They run from the main branch"}, Item{Title: "Nightly jobs", Content: "They run from the main branch"}, false},
		{"with a subject and without", Item{Title: "prod", Content: "The cluster has 12 nodes in total"}, Item{Content: "The cluster has 12 nodes in total"}, false},
		{"a question", Item{Content: "The cache is always warm"}, Item{Content: "The cache is always warm?"}, false},
		{"in other words", Item{Content: "Deploys run from main"}, Item{Content: "Main is what is deployed"}, false},
		{"another number", Item{Content: "The port is 8080"}, Item{Content: "The port is 8081"}, false},
		{"a negation", Item{Content: "Do force-push to main"}, Item{Content: "Do not force-push to main"}, false},
		{"a negation in short", Item{Content: "It can be pushed"}, Item{Content: "It can't be pushed"}, false},
		{"the other way round", Item{Content: "Billing calls ledger"}, Item{Content: "Ledger calls billing"}, false},
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
			expect.Value(s.CreateChannel(t.Context(), "other", ""))(t)
			r := rand.New(rand.NewPCG(1, 1))
			v := randomUnit(r, 64)
			tc.a.Importance, tc.b.Importance = .5, .6
			if vectors {
				one(t, s, tc.a, v)
				one(t, s, tc.b, beside(r, v, .999))
			} else {
				one(t, s, tc.a)
				one(t, s, tc.b)
			}
			if got := consolidate(t, s); (got.Merged == 1) != tc.merged {
				t.Errorf("%s, vectors %v: %+v", tc.name, vectors, got)
			}
		}
	}
}

// TestMergeOfManyAlike: what makes the same statement becomes one for each that may read it,
// however many there are; what differs in a number stays.
func TestMergeOfManyAlike(t *testing.T) {
	s, c := newPass(t, nil)
	const n = 160
	items := make([]Item, 2*n)
	for i := range items {
		items[i] = Item{Tier: Workspace, Importance: .5, Created: c.now(), Content: fmt.Sprintf("Run %d was slow", i)}
		if i >= n {
			items[i].Content = "The run was slow" + strings.Repeat("!", i-n)
			items[i].Agent = []string{"", "a"}[i%2]
		}
	}
	stock(t, s, items, nil)
	if got := consolidate(t, s); got.Merged != n-2 || got.Live != n+2 {
		t.Errorf("%+v", got)
	}
}

// TestOnlyWhatIsNewIsCompared: two old items that make the same statement are found when one of
// them changes, and not before, so a pass over what did not change costs nothing.
func TestOnlyWhatIsNewIsCompared(t *testing.T) {
	s, c := newPass(t, nil)
	a := one(t, s, Item{Importance: .6, Content: "a thing to say"})
	b := one(t, s, Item{Importance: .5, Content: "a thing to say 2"})
	c.pass(time.Second)
	if got := consolidate(t, s); got.Merged != 0 {
		t.Fatalf("%+v", got) // they differ in a number
	}
	c.pass(time.Second)
	set(t, s, b.ID, `content = 'a thing to say'`) // as no change is made: nobody is told of it
	if got := consolidate(t, s); got.Merged != 0 {
		t.Errorf("%+v", got)
	}
	c.pass(time.Second)
	expect.Value(s.Update(t.Context(), b.ID, UpdateOptions{}, func(it *Item) error { it.Source = "user"; return nil }))(t)
	if got := consolidate(t, s); got.Merged != 1 || get(t, s, a.ID).ReplacedBy != b.ID {
		t.Errorf("%+v", got)
	}
}
