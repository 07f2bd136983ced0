package memory

import (
	"errors"
	"slices"
	"testing"
	"time"

	"blackboard/board/fault"
	"blackboard/testdata/expect"
)

// TestConversationList lists the channels and the conversations of a workspace, before there is
// any, and after each thing that is done with one.
func TestConversationList(t *testing.T) {
	ctx := t.Context()
	c := newClock()
	s := open(t, t.TempDir(), Options{Agent: "a1", Now: c.now})

	channels := func(want ...ChannelInfo) {
		t.Helper()
		got, err := s.Channels(ctx)
		for i := range got {
			got[i].Created = time.Time{}
		}
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("Channels() = %+v, %v, want %+v", got, err, want)
		}
	}
	listed := func(channel string, statuses []string, limit int, want ...string) {
		t.Helper()
		all, err := s.Conversations(ctx, channel, statuses, limit)
		var got []string
		for _, c := range all {
			got = append(got, c.Ref)
		}
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("Conversations(%q, %q, %d) = %q, %v, want %q", channel, statuses, limit, got, err, want)
		}
	}
	refused := func(kind, err error) {
		t.Helper()
		if !errors.Is(err, kind) || len(fault.Next(err)) == 0 {
			t.Errorf("%v, want %v and a hint", err, kind)
		}
	}

	channels(ChannelInfo{Name: DefaultChannel, IsDefault: true})
	listed("", nil, 0)
	_, err := s.Conversation(ctx, "abcdef")
	refused(fault.Invalid, err)

	expect.Value(s.CreateChannel(ctx, "ops", " what is run "))(t)
	_, err = s.CreateChannel(ctx, "ops", "")
	refused(fault.Conflict, err)
	_, err = s.CreateChannel(ctx, "no name", "")
	refused(fault.Invalid, err)
	channels(ChannelInfo{Name: DefaultChannel, IsDefault: true}, ChannelInfo{Name: "ops", Description: "what is run"})

	start := func(channel, thread string) string {
		t.Helper()
		c.pass(time.Minute)
		got, again, err := s.StartConversation(ctx, channel, thread)
		if err != nil || again {
			t.Fatalf("StartConversation(%q, %q): again %t, %v", channel, thread, again, err)
		}
		return got.Ref
	}
	first, second, third := start("", "t1"), start("ops", ""), start("ops", "t3")
	_, _, err = s.StartConversation(ctx, "nowhere", "")
	refused(fault.NotFound, err)
	if got, again, err := s.StartConversation(ctx, "", "t1"); err != nil || !again || got.Ref != first {
		t.Errorf("t1 begun again: %+v, again %t, %v, want %s", got, again, err, first)
	}
	put(t, s, Item{Tier: Channel, Channel: "ops", Content: "the cluster has three nodes"})
	put(t, s, Item{Tier: Conversation, Conversation: second, Content: "the third node is slow"})
	channels(ChannelInfo{Name: DefaultChannel, IsDefault: true, Conversations: 1}, ChannelInfo{Name: "ops", Description: "what is run", Conversations: 2, Items: 1})
	if got, err := s.Conversation(ctx, second); err != nil || got.Items != 1 || got.Scratch != 0 || got.Status != StatusActive {
		t.Errorf("Conversation(%s) = %+v, %v", second, got, err)
	}

	expect.Value(s.IdleConversation(ctx, second))(t)
	_, err = s.IdleConversation(ctx, second)
	refused(fault.Conflict, err)
	_, err = s.ArchiveConversation(ctx, first, false)
	refused(fault.Conflict, err)
	if got, err := s.ArchiveConversation(ctx, first, true); err != nil || got.Ended == nil || got.Archived == nil {
		t.Errorf("archived: %+v, %v", got, err)
	}
	listed("", nil, 0, third, second)
	listed("", nil, 1, third)
	listed("ops", []string{StatusIdle}, 0, second)
	listed("", []string{StatusArchived}, 0, first)
	listed("", Statuses, -1, third, second, first)
	listed(DefaultChannel, nil, 0)
	_, err = s.Conversations(ctx, "nowhere", nil, 0)
	refused(fault.NotFound, err)
	_, err = s.Conversations(ctx, "", []string{"asleep"}, 0)
	refused(fault.Invalid, err)
	listed("", Statuses, 0, start("", "t1"), third, second, first) // an archived conversation gives its thread up
}

// TestReopenConversation brings a conversation back from where it was put, with what was put away
// with it and not what was put away for another reason.
func TestReopenConversation(t *testing.T) {
	ctx := t.Context()
	s, c := newPass(t, nil)
	talk, _ := expect.Values(s.StartConversation(ctx, "", "t1"))(t)
	it := put(t, s, Item{Tier: Conversation, Conversation: talk.Ref, Content: "the pager is suspected", Lifetime: LifeConversation})
	if _, err := s.ReopenConversation(ctx, talk.Ref); !errors.Is(err, fault.Conflict) {
		t.Errorf("an active one is reopened: %v", err)
	}
	expect.Value(s.IdleConversation(ctx, talk.Ref))(t)
	if got, err := s.ReopenConversation(ctx, talk.Ref); err != nil || got.Status != StatusActive || got.Ended != nil {
		t.Errorf("%+v, %v", got, err)
	}
	expect.Value(s.ArchiveConversation(ctx, talk.Ref, true))(t)
	c.pass(time.Hour)
	if got := consolidate(t, s); got.Ended != 1 {
		t.Fatalf("%+v", got)
	}
	got, err := s.ReopenConversation(ctx, talk.Ref)
	if err != nil || got.Status != StatusActive || got.Ended != nil || got.Archived != nil || got.Items != 1 {
		t.Errorf("%+v, %v", got, err)
	}
	if now := get(t, s, it.ID); !now.Live() || now.Lifetime != LifeConversation {
		t.Errorf("%+v", now)
	}
	events, err := s.Events(ctx, Conversation, talk.Ref, 0)
	if err != nil || events[len(events)-1].Verb != VerbReopened {
		t.Errorf("%+v, %v", events, err)
	}
	sound(t, s)
}

// TestRestoreAtOnce: what was forgotten by mistake comes back as it was.
func TestRestoreAtOnce(t *testing.T) {
	ctx := t.Context()
	s := open(t, t.TempDir(), Options{Agent: "a1", Now: newClock().now})
	talk, _ := expect.Values(s.StartConversation(ctx, "", ""))(t)
	it := put(t, s, Item{Tier: Conversation, Conversation: talk.Ref, Content: "we meet at nine", Lifetime: LifeConversation})
	forgetIt(t, s, it.ID)
	r, err := s.Restore(ctx, it.ID)
	if err != nil || r.Item.Lifetime != LifeConversation || len(r.Warnings) > 0 {
		t.Errorf("%+v, %v", r, err)
	}
	n := expect.Value(s.SaveNote(ctx, Core, Workspace, "Reads first.", false))(t)
	if _, err := s.Restore(ctx, n.ID); !errors.Is(err, fault.NotFound) {
		t.Errorf("a note that is there comes back: %v", err)
	}
	forgetIt(t, s, n.ID)
	if r, err := s.Restore(ctx, n.ID); err != nil || r.Item.ID != n.ID || r.Item.Content != n.Content {
		t.Errorf("%+v, %v", r, err)
	}
	if all, err := s.Notes(ctx, Core, 0); err != nil || len(all) != 1 || all[0].Content != n.Content {
		t.Errorf("%+v, %v", all, err)
	}
}
