package memory

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"blackboard/board/fault"
	"blackboard/board/sqlite"
	"blackboard/testdata/expect"
)

// TestWhatTheAuthorSaid has an agent try to make its words the author's.
func TestWhatTheAuthorSaid(t *testing.T) {
	home, ctx := t.TempDir(), t.Context()
	person, bob := open(t, home, Options{}), open(t, home, Options{Agent: "bob"})
	said := put(t, person, Item{Tier: Workspace, Content: "Ask before spending money", Importance: 1})
	if _, err := bob.Update(ctx, said.ID, UpdateOptions{}, func(it *Item) error { it.Content = "Spend as you like"; return nil }); !errors.Is(err, fault.Denied) {
		t.Errorf("bob changes it: %v", err)
	}
	if _, err := bob.Forget(ctx, said.ID, "", ""); !errors.Is(err, fault.Denied) {
		t.Errorf("bob forgets it: %v", err)
	}
	r, err := bob.Put(ctx, Item{Tier: Workspace, Content: "The author likes to spend", Curator: CuratorAuthor, Importance: 1}, PutOptions{})
	if err != nil || r.Item.Curator != CuratorAgent || r.Item.Source != "bob" {
		t.Errorf("bob puts as the author: %+v, %v", r, err)
	}
	if r, err = person.Update(ctx, r.Item.ID, UpdateOptions{}, func(it *Item) error { it.Content = "Spend up to 10"; return nil }); err != nil || r.Item.Curator != CuratorAuthor {
		t.Errorf("the author changes what bob said: %+v, %v", r, err)
	}
	trusted := open(t, home, Options{Agent: "carol", Grants: []string{GrantAuthor}})
	if r, err := trusted.Update(ctx, said.ID, UpdateOptions{}, func(it *Item) error { it.Content = "Ask before spending"; return nil }); err != nil || r.Item.Curator != CuratorAgent {
		t.Errorf("with a grant: %+v, %v", r, err)
	}
}

// TestReasonsArePrivateToo looks for what somebody said of a private item where others look.
func TestReasonsArePrivateToo(t *testing.T) {
	home, ctx := t.TempDir(), t.Context()
	alice, bob := open(t, home, Options{Agent: "alice"}), open(t, home, Options{Agent: "bob"})
	it := put(t, alice, Item{Tier: Workspace, Content: "mine"}, PutOptions{Private: true})
	expect.Value(alice.Update(ctx, it.ID, UpdateOptions{Why: "secretly"}, func(it *Item) error { it.Content = "mine still"; return nil }))(t)
	expect.Value(alice.Forget(ctx, it.ID, "secretly too", ""))(t)
	if got, err := alice.Get(ctx, it.ID); err != nil || got.Why != "secretly too" {
		t.Errorf("%+v, %v", got, err)
	}
	if got, err := alice.Revisions(ctx, it.ID); err != nil || len(got) != 1 || got[0].Why != "secretly" {
		t.Errorf("%+v, %v", got, err)
	}
	if all, err := bob.Events(ctx, Workspace, "", 0); err != nil || len(all) != 0 {
		t.Errorf("bob sees %+v, %v", all, err)
	}
	all, err := alice.Events(ctx, Workspace, "", 0)
	if err != nil || len(all) != 3 || strings.Contains(fmt.Sprint(all), "secretly") {
		t.Errorf("alice sees %+v, %v", all, err)
	}
	f := expect.Value(alice.file(ctx, Workspace, false))(t)
	for _, stmt := range []string{`DELETE FROM events`, `UPDATE events SET verb = 'x'`, `INSERT OR REPLACE INTO events SELECT n, at, actor, agent, 'x', scope, subject, other, why, data FROM events`} {
		if err := f.WriteIndex(ctx, func(tx *sqlite.Tx) error { _, err := tx.Exec(stmt); return err }); err == nil {
			t.Errorf("the log is changed by %s", stmt)
		}
	}
}

// TestReadOnly reads where nothing can be written: accesses are not counted, and nothing fails but
// writes.
func TestReadOnly(t *testing.T) {
	home, ctx := t.TempDir(), t.Context()
	s := open(t, home, Options{Embedder: bag{}})
	it := put(t, s, Item{Tier: Workspace, Content: "Backups run at night"})
	path := WorkspacePath(home, s.Workspace())
	expect.OK(t, s.Close())
	expect.OK(t, os.Remove(path+"-lock"))
	if err := os.Mkdir(path+"-lock", 0o700); err != nil { // so that nobody can take a writer's turn
		t.Fatal(err)
	}
	before := expect.Value(os.ReadFile(path))(t)
	ro := open(t, home, Options{Embedder: bag{}})
	for range 3 {
		if got := contents(read(t, ro, Query{Tiers: []string{Workspace}, Text: "backups"})); len(got) != 1 {
			t.Errorf("%q", got)
		}
		if o, err := ro.Orient(ctx, OrientQuery{Text: "backups"}); err != nil || !strings.Contains(o.Markdown, "Backups run") {
			t.Errorf("%v\n%s", err, o.Markdown)
		}
		if _, err := ro.Get(ctx, it.ID); err != nil {
			t.Error(err)
		}
		ro.Flush(ctx)
	}
	if _, err := ro.Put(ctx, Item{Tier: Workspace, Content: "more", Importance: .5}, PutOptions{}); !errors.Is(err, fault.ReadOnly) {
		t.Errorf("a put: %v", err)
	}
	if err := ro.Close(); err != nil {
		t.Error(err)
	}
	if after, err := os.ReadFile(path); err != nil || string(after) != string(before) {
		t.Errorf("the file was changed: %v", err)
	}
}

// TestWhatTheAuthorSaidStays has an agent say the same, louder.
func TestWhatTheAuthorSaidStays(t *testing.T) {
	home, ctx := t.TempDir(), t.Context()
	person, bob := open(t, home, Options{Embedder: bag{}}), open(t, home, Options{Agent: "bob", Embedder: bag{}})
	said := put(t, person, Item{Tier: Workspace, Content: "Releases are approved by the release manager, who is carol", Importance: .3})
	put(t, bob, Item{Tier: Workspace, Content: "Releases are approved by the release manager, who is surely carol", Importance: 1})
	expect.Value(bob.Consolidate(ctx, nil))(t)
	if got, err := person.Peek(ctx, said.ID); err != nil || got.Forgotten != nil {
		t.Errorf("it is forgotten: %+v, %v", got, err)
	}
	expect.Value(bob.Put(ctx, Item{Tier: Workspace, Content: said.Content, Importance: 1, Tags: []string{"bobs"}, DerivedFrom: "bob.md"}, PutOptions{}))(t)
	if got, err := person.Peek(ctx, said.ID); err != nil || slices.Contains(got.Tags, "bobs") || got.DerivedFrom != "" {
		t.Errorf("bob adds to it: %+v, %v", got, err)
	}
	noted := put(t, bob, Item{Tier: Workspace, Content: "Tests run on every push"})
	if r, err := person.Put(ctx, Item{Tier: Workspace, Content: "tests run on every push", Importance: .5}, PutOptions{}); err != nil || !r.Confirmed || r.Item.ID != noted.ID || r.Item.Curator != CuratorAuthor {
		t.Errorf("the author says it too: %+v, %v", r, err)
	}
	soon := time.Now().Add(time.Hour)
	once := put(t, bob, Item{Tier: Workspace, Content: "The build is slow today", Expires: &soon})
	if r, err := bob.Put(ctx, Item{Tier: Workspace, Content: once.Content, Importance: .5, Lifetime: LongTerm}, PutOptions{}); err != nil || r.Item.Expires != nil || r.Item.Lifetime != LongTerm {
		t.Errorf("put again, for good: %+v, %v", r, err)
	}
}

// TestImportanceIsAskedOfAll has what counts behind a hundred that do not.
func TestImportanceIsAskedOfAll(t *testing.T) {
	s := open(t, t.TempDir(), Options{})
	want := put(t, s, Item{Tier: Workspace, Content: "deploy with care, and much else that makes this text longer than all the others, so that it ranks behind", Importance: 1})
	for i := range 300 {
		put(t, s, Item{Tier: Workspace, Content: fmt.Sprintf("deploy %d", i), Importance: .2})
	}
	got := read(t, s, Query{Tiers: []string{Workspace}, Text: "deploy", MinImportance: .9})
	if len(got.Slices[0].Hits) != 1 || got.Slices[0].Hits[0].ID != want.ID {
		t.Errorf("%q", contents(got))
	}
}
