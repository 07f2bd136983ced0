package memory

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"blackboard/board/fault"
	"blackboard/board/sqlite"
	"blackboard/embed"
	"blackboard/kb/store"
	"blackboard/testdata/cost"
	"blackboard/testdata/expect"
)

// printed is what a command prints of groups, with texts added to those that fill names.
func printed(t testing.TB, groups []Group, fill map[string]map[string]any) string {
	t.Helper()
	raw := expect.Value(json.Marshal(map[string]any{"v": 1, "groups": groups}))(t)
	var doc map[string]any
	expect.OK(t, json.Unmarshal(raw, &doc))
	for _, g := range doc["groups"].([]any) {
		for k, v := range fill[g.(map[string]any)["group"].(string)] {
			g.(map[string]any)[k] = v
		}
	}
	raw = expect.Value(json.Marshal(doc))(t)
	return string(raw)
}

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

func TestApplyRewrites(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	s, c := newPass(t, fixed{64})
	agent := open(t, s.home, Options{Workspace: s.Workspace(), Agent: "a", Now: c.now, Embedder: fixed{64}})
	v := randomUnit(r, 64)
	a := one(t, s, Item{Importance: .5, Content: "Deploys need the release branch", Accesses: 3, Tags: []string{"deploy", "git"}}, v)
	c.pass(time.Hour)
	b := one(t, s, Item{Importance: .8, Content: "Deploys need a green build", Accesses: 2, Tags: []string{"ci", "deploy"}, Lifetime: LongTerm}, beside(r, v, .8))
	own := randomUnit(r, 64)
	p := one(t, s, Item{Importance: .4, Content: "I forget the tag", Agent: "a", DerivedFrom: "kb:k123"}, own)
	q := one(t, s, Item{Importance: .3, Content: "I forget the tag each time", Agent: "a", DerivedFrom: "kb:k123"}, beside(r, own, .8))
	groups := groupsOf(t, agent)
	if len(groups) != 2 {
		t.Fatalf("%+v", groups)
	}
	c.pass(time.Hour)
	both := groups[slices.IndexFunc(groups, func(g Group) bool { return g.Items[0].ID == a.ID })].ID
	mine := groups[slices.IndexFunc(groups, func(g Group) bool { return g.Items[0].ID == p.ID })].ID
	doc := printed(t, groups, map[string]map[string]any{both: {"title": "Deploys", "content": "Deploys need the release branch and a green build"}, mine: {"content": "I always forget the tag", "importance": .9, "tags": []string{"habit"}}})
	done, refused, err := applyText(t, agent, doc)
	if err != nil || len(done) != 2 || len(refused) != 0 {
		t.Fatalf("%+v, %+v, %v", done, refused, err)
	}
	sound(t, s)
	slices.SortFunc(done, func(x, y Rewritten) int { return strings.Compare(x.Item.Agent, y.Item.Agent) })
	for i, want := range []Item{
		{Tier: Workspace, Title: "Deploys", Content: "Deploys need the release branch and a green build", Importance: .8, Lifetime: LongTerm, Accesses: 5, Tags: []string{"deploy", "git", "ci"}, DerivedFrom: "memory:" + a.ID},
		{Tier: Workspace, Content: "I always forget the tag", Agent: "a", Importance: .9, Lifetime: ShortTerm, Tags: []string{"habit"}, DerivedFrom: "kb:k123"},
	} {
		got := get(t, s, done[i].Item.ID)
		if got.Tier != want.Tier || got.Title != want.Title || got.Content != want.Content || got.Agent != want.Agent || got.Importance != want.Importance || got.Lifetime != want.Lifetime ||
			got.Accesses != want.Accesses || !slices.Equal(got.Tags, want.Tags) || got.DerivedFrom != want.DerivedFrom || got.Source != SourceConsolidation || got.Curator != CuratorAgent ||
			got.Revision != 1 || !got.Created.Equal(c.now()) || got.Forgotten != nil || got.Model != "fixed" {
			t.Errorf("%+v\nis not %+v", got, want)
		}
	}
	for old, by := range map[string]string{a.ID: done[0].Item.ID, b.ID: done[0].Item.ID, p.ID: done[1].Item.ID, q.ID: done[1].Item.ID} {
		if got := get(t, s, old); got.Rule != RuleConsolidated || got.ReplacedBy != by {
			t.Errorf("%+v is not replaced by %s", got, by)
		}
	}
	// A second time everything is refused, with a reason.
	before := dump(t, s)
	done, refused, err = applyText(t, agent, doc)
	if err != nil || len(done) != 0 || len(refused) != 2 || !strings.Contains(refused[0].Why, "is forgotten: it was rewritten into another, replaced by") || refused[0].From == "" {
		t.Errorf("%+v, %+v, %v", done, refused, err)
	}
	if dump(t, s) != before {
		t.Error("what was refused has changed something")
	}
	// An author's is an author's.
	x, y := one(t, s, Item{Importance: .4}), one(t, s, Item{Importance: .4})
	done, _, err = applyText(t, s, fmt.Sprintf(`{"v":1,"groups":[{"items":[{"id":%q,"revision":1},{"id":%q,"revision":1}],"content":"both"}]}`, x.ID, y.ID))
	if err != nil || len(done) != 1 || done[0].Item.Curator != CuratorAuthor || !slices.Equal(done[0].Replaced, []string{x.ID, y.ID}) {
		t.Errorf("%+v, %v", done, err)
	}
}

func TestRefusedRewrites(t *testing.T) {
	cost.SkipUnlessLong(t)
	s, c := newPass(t, nil)
	agent := open(t, s.home, Options{Workspace: s.Workspace(), Agent: "a", Now: c.now})
	later := c.now().Add(time.Minute)
	a, b := one(t, s, Item{Importance: .5}), one(t, s, Item{Importance: .5})
	changed, gone := one(t, s, Item{Importance: .5}), one(t, s, Item{Importance: .5})
	mine, hers := one(t, s, Item{Importance: .5, Agent: "a"}), one(t, s, Item{Importance: .5, Agent: "b"})
	elsewhere, account := one(t, s, Item{Importance: .5, Tier: Channel, Channel: DefaultChannel}), one(t, s, Item{Importance: .5, Tier: Account})
	expired := one(t, s, Item{Importance: .5, Expires: &later})
	conv, _ := expect.Values(s.StartConversation(t.Context(), "", ""))(t)
	expect.Value(s.Invite(t.Context(), conv.Ref, agent.Agent()))(t)
	said := one(t, s, Item{Importance: .5, Tier: Conversation, Conversation: conv.Ref})
	expect.Value(s.ArchiveConversation(t.Context(), conv.Ref, true))(t)
	edit(t, s, changed.ID, "other words")
	forgetIt(t, s, gone.ID)
	c.pass(time.Hour)
	list := func(items ...Item) string {
		var l []string
		for _, it := range items {
			l = append(l, fmt.Sprintf(`{"id":%q,"revision":%d}`, it.ID, max(1, it.Revision)))
		}
		return `"items":[` + strings.Join(l, ",") + `]`
	}
	before := dump(t, s)
	for _, tc := range []struct{ name, group, why string }{
		{"changed", list(a, changed) + `,"content":"new"`, changed.ID + " is at revision 2, not 1"},
		{"forgotten", list(a, gone) + `,"content":"new"`, gone.ID + " is forgotten"},
		{"expired", list(a, expired) + `,"content":"new"`, expired.ID + " has expired"},
		{"another's", list(mine, hers) + `,"content":"new"`, "memory " + hers.ID + " not found"},
		{"mine and all's", list(mine, a) + `,"content":"new"`, "private to an agent and others are not"},
		{"two scopes", list(a, elsewhere) + `,"content":"new"`, a.ID + " is in workspace, and " + elsewhere.ID + " in channel:general"},
		{"two files", list(a, account) + `,"content":"new"`, a.ID + " is in workspace, and " + account.ID + " in account"},
		{"unknown", list(a, Item{ID: "m123456789"}) + `,"content":"new"`, "memory m123456789 not found"},
		{"no id", list(a, Item{ID: "../x"}) + `,"content":"new"`, `"../x" is not a memory id`},
		{"twice", list(a, a) + `,"content":"new"`, a.ID + " is listed twice"},
		{"none", `"items":[],"content":"new"`, "it has no items"},
		{"no items", `"content":"new"`, "it has no items"},
		{"too many", `"items":[` + strings.Repeat(`{},`, GroupMost) + `{}],"content":"new"`, "it has 21 items"},
		{"archived", list(said) + `,"content":"new"`, "is archived"},
		{"too long", list(a, b) + `,"content":"` + strings.Repeat("x", MaxContent+1) + `"`, "10001 characters"},
		{"importance", list(a, b) + `,"content":"new","importance":1.5`, "importance 1.5"},
		{"tags", list(a, b) + `,"content":"new","tags":["` + strings.Repeat("x", MaxTag+1) + `"]`, "a tag has 101 bytes"},
		{"title", list(a, b) + `,"content":"new","title":"` + strings.Repeat("x", MaxTitle+1) + `"`, "the title has 301 characters"},
		{"nul", list(a, b) + `,"content":"a\u0000b"`, "NUL"},
		{"secret", list(a, b) + `,"content":"the key is AKIAQ3EGRZ7T5WXNLB2M"`, "looks like a secret"},
	} {
		done, refused, err := applyText(t, agent, `{"v":1,"groups":[{"group":"g1",`+tc.group+`}]}`)
		if err != nil || len(done) != 0 || len(refused) != 1 || refused[0].From != "g1" || !strings.Contains(refused[0].Why, tc.why) {
			t.Errorf("%s: %+v, %+v, %v", tc.name, done, refused, err)
		}
	}
	if dump(t, s) != before {
		t.Error("what was refused has changed something")
	}
	for _, tc := range []struct{ name, in, why string }{
		{"nothing", ``, "cannot be read"},
		{"no JSON", `groups`, "cannot be read"},
		{"more than one", `{"v":1,"groups":[]} {}`, "cannot be read"},
		{"a list", `[]`, "are not an object with groups; found: array"},
		{"no version", `{"groups":[]}`, "have no version"},
		{"an old one", `{"v":0,"groups":[]}`, "have version 0"},
		{"a new one", `{"v":2,"groups":[]}`, "have version 2"},
		{"a text", `{"v":"1","groups":[]}`, `have a string for "v"`},
		{"no groups", `{"v":1}`, "have no groups"},
		{"a number for a text", `{"v":1,"groups":[{"content":5}]}`, `have a number for "groups.content"`},
	} {
		if groups, err := ReadRewrites(strings.NewReader(tc.in)); !errors.Is(err, fault.Invalid) ||
			!strings.Contains(err.Error(), tc.why) || groups != nil {
			t.Errorf("%s: %+v, %v", tc.name, groups, err)
		}
	}
	if _, err := ReadRewrites(io.LimitReader(endless{}, MaxRewriteBytes+100)); !errors.Is(err, fault.Invalid) ||
		!strings.Contains(err.Error(), "64 MB") {
		t.Errorf("too much: %v", err)
	}
	if _, err := ReadRewrites(endless{errors.New("the disk is gone")}); err == nil || err.Error() != "the disk is gone" {
		t.Errorf("a reader that fails: %v", err)
	}
	// What is left as it is, and one item that two groups want: the first one gets it, and the rest
	// goes on.
	in := fmt.Sprintf(`{"v":1,"groups":[{"group":"empty",%s},{"group":"blank",%s,"content":" \n"},{"group":"one",%s,"content":"x"},{"group":"two",%s,"content":"y"},{"group":"three",%s,"content":"z"}]}`,
		list(mine), list(mine), list(a), list(b, a), list(b))
	done, refused, err := applyText(t, agent, in)
	if err != nil || len(done) != 2 || done[0].Replaced[0] != a.ID || done[1].Replaced[0] != b.ID ||
		len(refused) != 1 || refused[0].From != "two" || !strings.Contains(refused[0].Why, a.ID+" is forgotten") {
		t.Errorf("%+v, %+v, %v", done, refused, err)
	}
	in = fmt.Sprintf(`{"v":1,"groups":[{%s,"content":"x"},{%s,"content":"y"}]}`, list(a, Item{ID: "m123456789"}), list(mine))
	done, refused, err = applyText(t, agent, in)
	if err != nil || len(done) != 1 || len(refused) != 1 || refused[0].From != "group 1" {
		t.Errorf("%+v, %+v, %v", done, refused, err)
	}
	sound(t, s)
}

// applyText reads rewrites and applies them.
func applyText(t *testing.T, s *Store, text string) ([]Rewritten, []Refused, error) {
	t.Helper()
	groups, err := ReadRewrites(strings.NewReader(text))
	if err != nil {
		return nil, nil, err
	}
	done, refused, skipped, err := s.ApplyRewrites(t.Context(), groups)
	if done == nil || refused == nil || len(done)+len(refused)+skipped != len(groups) && err == nil {
		t.Errorf("%d groups: %v, %v, %d skipped", len(groups), done, refused, skipped)
	}
	return done, refused, err
}

// endless is a reader without an end, or one that fails.
type endless struct{ err error }

func (e endless) Read(p []byte) (int, error) {
	if e.err != nil {
		return 0, e.err
	}
	for i := range p {
		p[i] = ' '
	}
	return len(p), nil
}

// TestRewriteWhileOthersWrite: the item is changed between the first look and the transaction,
// while the text is embedded.
func TestRewriteWhileOthersWrite(t *testing.T) {
	s, _ := newPass(t, nil)
	a, b := one(t, s, Item{Importance: .5, Accesses: 1}), one(t, s, Item{Importance: .5})
	in := fmt.Sprintf(`{"v":1,"groups":[{"items":[{"id":%q,"revision":1},{"id":%q,"revision":1}],"content":"both"}]}`, a.ID, b.ID)
	s.opt.Embedder = meanwhile{bag{}, func() { s.opt.Embedder = bag{}; edit(t, s, a.ID, "other words") }}
	done, refused, err := applyText(t, s, in)
	if err != nil || len(done) != 0 || len(refused) != 1 || !strings.Contains(refused[0].Why, "revision 2, not 1") {
		t.Errorf("%+v, %+v, %v", done, refused, err)
	}
	// What counts is as it is then.
	s.opt.Embedder = meanwhile{bag{}, func() { set(t, s, b.ID, `importance = .7, accesses = 5, lifetime = 'long_term'`) }}
	done, _, err = applyText(t, s, strings.Replace(in, `"revision":1`, `"revision":2`, 1))
	if err != nil || len(done) != 1 || done[0].Item.Importance != .7 || done[0].Item.Accesses != 6 || done[0].Item.Lifetime != LongTerm {
		t.Errorf("%+v, %v", done, err)
	}
	sound(t, s)
}

type meanwhile struct {
	bag
	do func()
}

func (m meanwhile) Embed(ctx context.Context, texts []string) ([]embed.Vector, error) {
	m.do()
	return m.bag.Embed(ctx, texts)
}

// FuzzRewrites: whatever is given, a group is done in whole or not at all, what is replaced leads
// to what replaces it, and others' items are as they were.
func FuzzRewrites(f *testing.F) {
	for _, s := range []string{
		`{"v":1,"groups":[{"group":"g","scope":"workspace","items":[{"id":"A","revision":1},{"id":"B","revision":1}],"title":"t","content":"c","importance":0.5,"tags":["x"]}]}`,
		`{"v":1,"groups":[{"items":[{"id":"A","revision":1},{"id":"C","revision":1}],"content":"c"},{"items":[{"id":"B","revision":1}],"content":"c"}]}`,
		`{"v":1,"groups":[{"items":[{"id":"D","revision":1}],"content":"c"},{"items":[{"id":"A","revision":1}],"content":"c"},{"items":[{"id":"A","revision":1}],"content":"d"}]}`,
		`{"v":1,"groups":[null,1,"x",[],{"content":"x"},{"items":null,"content":"x"},{"contnet":"x"}]}`,
		`{"v":1e0,"groups":[{"items":[{"id":"A","revision":1e400}],"content":"c"}]}`,
		`{"v":1,"groups":[{"items":[{"id":"A","revision":1}],"content":"\ud800","title":"\n\n","tags":[null,""],"importance":-0}]}`,
		`{"v":2}`, `{`, ``, `{"v":1,"v":1,"groups":[],"groups":[{}]}`, strings.Repeat("[", 20_000),
	} {
		f.Add([]byte(s))
	}
	c := newClock()
	home := f.TempDir()
	s := open(f, home, Options{Now: c.now})
	agent := open(f, home, Options{Workspace: s.Workspace(), Agent: "a", Now: c.now})
	items := map[string]Item{} // those that are left are used again: most inputs touch none
	f.Fuzz(func(t *testing.T, raw []byte) {
		for name, it := range map[string]Item{"A": {}, "B": {}, "C": {Agent: "b"}, "D": {Agent: "a"}, "E": {Tier: Account}} {
			if _, there := items[name]; !there {
				it.Importance = .5
				items[name] = one(t, s, it)
			}
		}
		for name, it := range items {
			raw = bytes.ReplaceAll(raw, []byte(`"`+name+`"`), []byte(`"`+it.ID+`"`))
		}
		done, refused, err := applyText(t, agent, string(raw))
		if err != nil && (!errors.Is(err, fault.Invalid) || len(done)+len(refused) > 0) {
			t.Fatalf("%v after %d done and %d refused", err, len(done), len(refused))
		}
		by := map[string]string{}
		for _, d := range done {
			if got := get(t, s, d.Item.ID); got.Forgotten != nil || got.Source != SourceConsolidation || strings.TrimSpace(got.Content) == "" || len(d.Replaced) == 0 {
				t.Fatalf("%+v", got)
			}
			for _, id := range d.Replaced {
				if by[id] != "" {
					t.Fatalf("%s is replaced twice", id)
				}
				by[id] = d.Item.ID
			}
		}
		for _, r := range refused {
			if r.From == "" || r.Why == "" || strings.ContainsAny(r.From, "\n\x1b") {
				t.Fatalf("%+v", r)
			}
		}
		for name, was := range items {
			now := get(t, s, was.ID)
			if (now.Forgotten != nil) != (by[was.ID] != "") || now.ReplacedBy != by[was.ID] || name == "C" && now.Forgotten != nil {
				t.Fatalf("%s is %+v, replaced by %q", name, now, by[was.ID])
			}
			if now.Forgotten != nil {
				delete(items, name)
			}
		}
		for _, d := range done {
			it := get(t, s, d.Item.ID)
			forgetAny(t, s, &it)
		}
	})
}

// forgetAny forgets an item whoever it belongs to.
func forgetAny(t testing.TB, s *Store, it *Item) {
	t.Helper()
	f, err := s.open(context.Background(), it.Tier == Account, false)
	if err == nil {
		err = f.WriteIndex(context.Background(), func(tx *sqlite.Tx) error { return f.forget(tx, it, RuleAsked, "", "") })
	}
	expect.OK(t, err)
}
