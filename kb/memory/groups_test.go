package memory

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"blackboard/board/sqlite"
	"blackboard/embed"
	"blackboard/kb/store"
	"blackboard/testdata/expect"
)

func groupsOf(t testing.TB, s *Store, scopes ...Scope) []Group {
	t.Helper()
	all, _ := expect.Values(s.Groups(t.Context(), scopes, 0))(t)
	return all
}

func titles(g Group) (all []string) {
	for _, it := range g.Items {
		all = append(all, it.Title)
	}
	return sorted(all)
}

func TestGroups(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	const dim = 64
	s, c := newPass(t, fixed{dim})
	agent := open(t, s.home, Options{Workspace: s.Workspace(), Agent: "a", Now: c.now, Embedder: fixed{dim}})
	topic, other := randomUnit(r, dim), randomUnit(r, dim)
	expired := c.now()
	conv, _ := expect.Values(s.StartConversation(t.Context(), "", ""))(t)
	near := func(v embed.Vector, cos float64) embed.Vector { return beside(r, v, cos) }
	one(t, s, Item{Importance: .5, Title: "hub"}, topic)
	for i := range 4 {
		c.pass(time.Minute)
		one(t, s, Item{Importance: .5, Title: fmt.Sprint("spoke ", i), Created: c.now().Add(-time.Duration(i) * time.Hour)}, near(topic, .76))
	}
	one(t, s, Item{Importance: .5, Title: "far"}, near(topic, .74))
	one(t, s, Item{Importance: .5, Title: "pair 1"}, other)
	one(t, s, Item{Importance: .5, Title: "pair 2"}, near(other, .9))
	one(t, s, Item{Importance: .5, Title: "over", Expires: &expired}, near(other, .9))
	one(t, s, Item{Importance: .5, Title: "mine 1", Agent: "a"}, near(other, .9))
	one(t, s, Item{Importance: .5, Title: "mine 2", Agent: "a"}, near(other, .9))
	one(t, s, Item{Importance: .5, Title: "hers", Agent: "b"}, near(other, .9))
	one(t, s, Item{Importance: .5, Title: "elsewhere", Tier: Account}, near(other, .9))
	one(t, s, Item{Importance: .5, Title: "said", Tier: Conversation, Conversation: conv.Ref}, near(other, .9))
	one(t, s, Item{Importance: .5, Title: "said again", Tier: Conversation, Conversation: conv.Ref}, near(other, .9))
	expect.Value(s.ArchiveConversation(t.Context(), conv.Ref, true))(t)
	check := func(s *Store, want ...string) {
		t.Helper()
		var got []string
		for _, g := range groupsOf(t, s) {
			got = append(got, strings.Join(titles(g), ", "))
			if len(g.ID) != 10 || g.ID[0] != 'g' || g.Scope != Workspace || !slices.IsSortedFunc(g.Items, func(a, b GroupItem) int { return a.Created.Compare(b.Created) }) {
				t.Errorf("%+v", g)
			}
		}
		if len(got) > 0 && got[0] != want[0] || !slices.Equal(sorted(got), sorted(want)) {
			t.Errorf("%q, not %q", got, want)
		}
	}
	check(s, "hub, spoke 0, spoke 1, spoke 2, spoke 3", "pair 1, pair 2")
	check(agent, "hub, spoke 0, spoke 1, spoke 2, spoke 3", "mine 1, mine 2", "pair 1, pair 2")
	if all, _, err := agent.Groups(t.Context(), nil, 1); err != nil || len(all) != 1 || len(all[0].Items) != 5 {
		t.Errorf("%+v, %v", all, err)
	}
	if all, _, err := agent.Groups(t.Context(), []Scope{{Tier: Account}}, 0); err != nil || len(all) != 0 {
		t.Errorf("%+v, %v", all, err)
	}
	if a, b := groupsOf(t, s), groupsOf(t, s); a[0].ID != b[0].ID || a[0].ID == a[1].ID {
		t.Errorf("names of groups: %s %s %s", a[0].ID, b[0].ID, a[1].ID)
	}
	if it := get(t, s, groupsOf(t, s)[0].Items[0].ID); it.Accesses != 0 {
		t.Errorf("being listed is an access: %+v", it)
	}
}

func TestGroupsHoldTwenty(t *testing.T) {
	for _, vectors := range []bool{true, false} {
		r := rand.New(rand.NewPCG(2, 2))
		s, _ := newPass(t, fixed{64})
		v := randomUnit(r, 64)
		for i := range 2*GroupMost + 1 {
			it := Item{Importance: .5, Content: "the same few words and one more: " + string(rune('a'+i%26)) + string(rune('a'+i/26))}
			if vectors {
				one(t, s, it, beside(r, v, .98))
			} else {
				one(t, s, it)
			}
		}
		var sizes []int
		seen := map[string]bool{}
		for _, g := range groupsOf(t, s) {
			sizes = append(sizes, len(g.Items))
			for _, it := range g.Items {
				if seen[it.ID] {
					t.Errorf("%s is in two groups", it.ID)
				}
				seen[it.ID] = true
			}
		}
		if !slices.Equal(sizes, []int{GroupMost, GroupMost}) {
			t.Errorf("vectors %v: %v", vectors, sizes)
		}
	}
}

func TestGroupsByWords(t *testing.T) {
	s, _ := newPass(t, nil)
	for title, content := range map[string]string{
		"half":       "alpha beta gamma delta",         // four of eight words, with the title one of ten
		"half again": "gamma delta alpha beta epsilon", //
		"none":       "one two three",
		"none again": "one four five six",
		"case":       "Zebra, QUAGGA; okapi!",
		"case too":   "zebra quagga okapi",
	} {
		one(t, s, Item{Importance: .5, Title: title, Content: content})
	}
	var got []string
	for _, g := range groupsOf(t, s) {
		got = append(got, strings.Join(titles(g), ", "))
	}
	if !slices.Equal(sorted(got), []string{"case, case too", "half, half again"}) {
		t.Errorf("%q", got)
	}
	for _, tc := range []struct {
		a, b string
		want float64
	}{{"a b", "a b", 1}, {"a b c", "a d e", .2}, {"a b c", "a b d", .5}, {"a", "b", 0}} {
		word := func(s string) (all []int32) {
			for w := range strings.FieldsSeq(s) {
				all = append(all, int32(w[0]))
			}
			return all
		}
		if _, got := store.ShareWords(word(tc.a), word(tc.b)); got != tc.want {
			t.Errorf("%q and %q: %v", tc.a, tc.b, got)
		}
	}
	// The prefix filter loses nothing: held against all pairs.
	r := rand.New(rand.NewPCG(3, 3))
	s, _ = newPass(t, nil)
	texts := make([]string, 60)
	for i := range texts {
		for range 2 + r.IntN(6) {
			texts[i] += string(rune('a'+r.IntN(9))) + " "
		}
		one(t, s, Item{Importance: .5, Content: texts[i]})
	}
	all := expect.Value(s.scopeFiles(t.Context(), nil))(t)
	g := &grouping{scopeFile: all[0]}
	expect.OK(t, all[0].f.Read(t.Context(), func(tx *sqlite.Tx) error {
		return g.link(t.Context(), tx)
	}))
	set := func(s string) (all []int32) {
		for w := range strings.FieldsSeq(s) {
			if !slices.Contains(all, int32(w[0])) {
				all = append(all, int32(w[0]))
			}
		}
		slices.Sort(all)
		return all
	}
	for i := range texts {
		want := 0
		for j := range texts {
			if _, like := store.ShareWords(set(texts[i]), set(texts[j])); i != j && like >= GroupWords {
				want++
			}
		}
		if got := len(g.all[i].near); got != want {
			t.Errorf("%q has %d others, not %d", texts[i], got, want)
		}
	}
}
