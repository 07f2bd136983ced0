package memory

import (
	"errors"
	"strings"
	"testing"

	"blackboard/board/fault"
	"blackboard/testdata/expect"
)

const aSecret = "ghp_0123456789abcdefghijABCDEFGHIJ012345"

// secretWays are all ways of a text into the memory, but for that of an item's content,
// with what removes it again for good.
func secretWays(t *testing.T, s *Store) map[string]func(secret string) error {
	ctx := t.Context()
	it := put(t, s, Item{Tier: Workspace, Content: "The key is in the vault"})
	conv, _ := expect.Values(s.StartConversation(ctx, "", ""))(t)
	return map[string]func(secret string) error{
		"a named entry": func(secret string) error {
			_, err := s.EditNamed(ctx, Voice, "", "Say the key: "+secret, AnyRevision)
			return err
		},
		"a working note": func(secret string) error {
			_, err := s.WriteScratch(ctx, conv.Ref, "key", []byte(`{"key":"`+secret+`"}`), false)
			return err
		},
		"a channel's description": func(secret string) error {
			_, err := s.CreateChannel(ctx, "ops", "the key is "+secret)
			return err
		},
		"why it is changed": func(secret string) error {
			_, err := s.Update(ctx, it.ID, UpdateOptions{Why: "the key is " + secret}, func(it *Item) error { it.Content += "."; return nil })
			return err
		},
		"why it is forgotten": func(secret string) error {
			_, err := s.Forget(ctx, put(t, s, Item{Tier: Workspace, Content: "Short-lived"}).ID, "the key is "+secret, "")
			return err
		},
		"a conversation's thread": func(secret string) error {
			_, _, err := s.StartConversation(ctx, "", secret)
			return err
		},
		"a tag": func(secret string) error {
			_, err := s.Put(ctx, Item{Tier: Workspace, Content: "Tagged", Tags: []string{secret}}, PutOptions{})
			return err
		},
	}
}

// TestSecretsEverywhere puts a secret wherever a text goes.
func TestSecretsEverywhere(t *testing.T) {
	home := t.TempDir()
	s := open(t, home, Options{})
	for where, keep := range secretWays(t, s) {
		if err := keep(aSecret); !errors.Is(err, fault.Conflict) || !strings.Contains(err.Error(), "looks like a secret") {
			t.Errorf("%s: %v", where, err)
		}
	}
	s.Close()
	if found := filesWith(t, home, aSecret); len(found) > 0 {
		t.Errorf("it is in %q", found)
	}
}

// TestSecretsOnDemand keeps what only looks like a secret, and takes a channel's
// description, which nothing could be done about, out of the file again.
func TestSecretsOnDemand(t *testing.T) {
	home, ctx := t.TempDir(), t.Context()
	s := open(t, home, Options{KeepSecrets: true})
	for where, keep := range secretWays(t, s) {
		if err := keep(aSecret); err != nil && where != "a tag" { // an item has its own word for it
			t.Errorf("%s: %v", where, err)
		}
	}
	only := t.TempDir()
	s = open(t, only, Options{KeepSecrets: true, Reason: "it is none"})
	for _, remove := range []func() ([]string, error){
		func() ([]string, error) { return s.DescribeChannel(ctx, "ops", "on call") },
		func() ([]string, error) { return s.RemoveChannel(ctx, "ops") },
	} {
		if _, err := s.CreateChannel(ctx, "ops", "the key is "+aSecret); err != nil && !errors.Is(err, fault.Conflict) {
			t.Fatal(err)
		}
		if notes, err := remove(); err != nil || len(notes) > 0 {
			t.Errorf("%q, %v", notes, err)
		}
		if found := filesWith(t, only, aSecret); len(found) > 0 {
			t.Errorf("it is still in %q", found)
		}
	}
	for _, c := range []struct {
		name string
		kind error
	}{{"ops", fault.NotFound}, {DefaultChannel, fault.Conflict}, {"no name", fault.Invalid}} {
		if _, err := s.RemoveChannel(ctx, c.name); !errors.Is(err, c.kind) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	if _, err := s.DescribeChannel(ctx, DefaultChannel, ""); err != nil {
		t.Error(err)
	}
	expect.Value(s.CreateChannel(ctx, "used", ""))(t)
	put(t, s, Item{Tier: Channel, Channel: "used", Content: "something"})
	if _, err := s.RemoveChannel(ctx, "used"); !errors.Is(err, fault.Conflict) {
		t.Errorf("one that holds something: %v", err)
	}
	if _, err := Open(only, Options{Reason: "the key is " + aSecret}); !errors.Is(err, fault.Conflict) {
		t.Errorf("a reason: %v", err)
	}
}
