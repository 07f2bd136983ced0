package memory

import (
	"context"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"blackboard/embed"
)

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
