package memory

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"blackboard/board/fault"
	"blackboard/testdata/expect"
)

// TestConversationIsItsOwn has an agent look into another's conversation in every way
// there is.
func TestConversationIsItsOwn(t *testing.T) {
	home, ctx := t.TempDir(), t.Context()
	anna, ben := open(t, home, Options{Agent: "anna"}), open(t, home, Options{Agent: "ben"})
	conv, _ := expect.Values(anna.StartConversation(ctx, "", "session-1"))(t)
	said := put(t, anna, Item{Tier: Conversation, Conversation: conv.Ref, Content: "We suspect the pager"})
	expect.Value(anna.Update(ctx, said.ID, UpdateOptions{}, func(it *Item) error { it.Content += " and the phone"; return nil }))(t)
	for name, look := range map[string]func(s *Store) (string, error){
		"read": func(s *Store) (string, error) {
			r, err := s.Read(ctx, Query{Tiers: []string{Conversation}, Conversation: conv.Ref})
			return strings.Join(contents(r), "\n"), err
		},
		"question": func(s *Store) (string, error) {
			r, err := s.Read(ctx, Query{Tiers: []string{Conversation}, Conversation: conv.Ref, Text: "pager"})
			return strings.Join(contents(r), "\n"), err
		},
		"orient": func(s *Store) (string, error) {
			o, err := s.Orient(ctx, OrientQuery{Conversation: conv.Ref})
			return o.Markdown, err
		},
		"get": func(s *Store) (string, error) {
			it, err := s.Get(ctx, said.ID)
			return it.Content, err
		},
		"revisions": func(s *Store) (string, error) {
			all, err := s.Revisions(ctx, said.ID)
			if err != nil {
				return "", err
			}
			return all[0].Content, nil
		},
		"list": func(s *Store) (string, error) {
			all, _, err := s.List(ctx, ListQuery{Tiers: []string{Conversation}})
			if err == nil && len(all) == 0 {
				err = fault.NotFound.New("nothing", "")
			} else if err == nil {
				return all[0].Content, nil
			}
			return "", err
		},
		"export": func(s *Store) (string, error) {
			text := exportText(t, s, ExportOptions{Forgotten: true})
			if !strings.Contains(text, "ref_code") && !strings.Contains(text, "We suspect") {
				return "", fault.NotFound.New("nothing", "")
			}
			return text, nil
		},
		"groups": func(s *Store) (string, error) {
			all, err := s.PlanConsolidation(ctx, nil)
			if err == nil && !slices.ContainsFunc(all, func(p Plan) bool { return strings.HasPrefix(p.Scope, Conversation) }) {
				err = fault.NotFound.New("nothing", "")
			}
			return "pager", err
		},
		"plan of it": func(s *Store) (string, error) {
			_, err := s.PlanConsolidation(ctx, []Scope{{Tier: Conversation, Conversation: conv.Ref}})
			return "pager", err
		},
		"conversations": func(s *Store) (string, error) {
			all, err := s.Conversations(ctx, "", nil, 0)
			if err == nil && len(all) == 0 {
				err = fault.NotFound.New("nothing", "")
			}
			return "pager", err
		},
		"show": func(s *Store) (string, error) { _, err := s.Conversation(ctx, conv.Ref); return "pager", err },
		"thread": func(s *Store) (string, error) {
			_, _, err := s.StartConversation(ctx, "", "session-1")
			return "pager", err
		},
		"notes": func(s *Store) (string, error) { _, err := s.ListScratch(ctx, conv.Ref); return "pager", err },
		"put": func(s *Store) (string, error) {
			_, err := s.Put(ctx, Item{Tier: Conversation, Conversation: conv.Ref, Content: "pager"}, PutOptions{})
			return "pager", err
		},
		"came from": func(s *Store) (string, error) {
			_, err := s.Put(ctx, Item{Tier: Workspace, Conversation: conv.Ref, Content: "pager"}, PutOptions{})
			return "pager", err
		},
	} {
		if got, err := look(ben); !errors.Is(err, fault.Denied) && !errors.Is(err, fault.NotFound) || strings.Contains(got, "pager") && got != "pager" {
			t.Errorf("%s: %q, %v", name, got, err)
		}
		for who, s := range map[string]*Store{
			"a person":                 open(t, home, Options{}),
			"who was given it":         open(t, home, Options{Agent: "carl", Grants: []string{GrantConversation(conv.Ref)}}),
			"who was given all":        open(t, home, Options{Agent: "carl", Grants: []string{GrantConversations}}),
			"whose name proves itself": open(t, home, Options{Agent: "anna"}),
		} {
			if got, err := look(s); err != nil || !strings.Contains(got, "pager") {
				t.Errorf("%s, %s: %q, %v", who, name, got, err)
			}
		}
	}
	for _, c := range []struct {
		name string
		opt  Options
	}{{"a name that proves nothing", Options{Agent: "anna", Unproven: true}}, {"another given conversation", Options{Agent: "carl", Grants: []string{GrantConversation("00000000000")}}}} {
		if _, err := open(t, home, c.opt).Conversation(ctx, conv.Ref); !errors.Is(err, fault.Denied) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	// Who takes part lets others in.
	if _, err := ben.Invite(ctx, conv.Ref, "ben"); !errors.Is(err, fault.Denied) {
		t.Errorf("ben invites himself: %v", err)
	}
	expect.Value(anna.Invite(ctx, conv.Ref, "ben"))(t)
	if got := contents(read(t, ben, Query{Tiers: []string{Conversation}, Conversation: conv.Ref})); len(got) == 0 {
		t.Error("who was let in reads nothing")
	}
	for _, bad := range []string{"", " x"} {
		if _, err := anna.Invite(ctx, conv.Ref, bad); !errors.Is(err, fault.Invalid) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}
