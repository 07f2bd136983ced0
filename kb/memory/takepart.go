package memory

import (
	"context"
	"slices"

	"blackboard/board/fault"
	"blackboard/board/sqlite"
)

// A conversation is read and written by those who take part in it: who began it, whom one
// of them has let in, whom it was granted, and the author. Who was let in stands in the
// log, so that it is known by whom.

// takesAll reports whether the caller takes part in every conversation.
func (s *Store) takesAll() bool {
	return s.opt.Author || slices.Contains(s.opt.Grants, GrantConversations)
}

// takes refuses a conversation that the caller takes no part in.
func (s *Store) takes(tx *sqlite.Tx, c *ConversationInfo) error {
	proven := s.opt.Agent != "" && !s.opt.Unproven
	if s.takesAll() || proven && c.Agent == s.opt.Agent || slices.Contains(s.opt.Grants, GrantConversation(c.Ref)) {
		return nil
	}
	if proven {
		let, err := sqlite.One[bool](tx, `SELECT count(*) > 0 FROM events WHERE subject = ? AND verb = ? AND other = ?`,
			c.Ref, VerbInvited, s.opt.Agent)
		if err != nil || let {
			return err
		}
	}
	return fault.Denied.New("the conversation "+c.Ref+" is that of others", "it takes the grant \""+GrantConversation(c.Ref)+"\"",
		fault.Do("memory.conversation.invite", "who takes part lets others in with {}", "ref", c.Ref, "agent", "AGENT"))
}

// taken lists the conversations that the caller takes part in, as a JSON list for SQL;
// nil for all.
func (s *Store) taken(tx *sqlite.Tx) (any, error) {
	if s.takesAll() {
		return nil, nil
	}
	refs, err := sqlite.Column[string](tx, `SELECT ref FROM conversations WHERE ?1 <> '' AND agent = ?1
		OR ref IN (SELECT subject FROM events WHERE verb = ?2 AND other = ?1 AND ?1 <> '')
		OR 'conversation:' || ref IN (SELECT value FROM json_each(?3))`,
		map[bool]string{false: s.opt.Agent}[s.opt.Unproven], VerbInvited, sqlite.List(s.opt.Grants))
	return sqlite.List(refs), err
}

// takenScopes lists the same as scopes, none where it is all.
func (s *Store) takenScopes(tx *sqlite.Tx) ([]string, error) {
	taken, err := s.taken(tx)
	if err != nil || taken == nil {
		return nil, err
	}
	return sqlite.Column[string](tx, `SELECT 'conversation:' || value FROM json_each(?)`, taken)
}

// sees reports whether the caller may know of an item.
func (s *Store) sees(tx *sqlite.Tx, it *Item) (bool, error) {
	if !s.visible(it.Agent) || s.allowed(it.Tier) != nil {
		return false, nil
	}
	if it.Tier != Conversation || s.takesAll() {
		return true, nil
	}
	c, err := conversation(tx, it.Conversation)
	if err != nil {
		return false, err
	}
	return s.takes(tx, &c) == nil, nil
}

// Invite lets agents take part in a conversation.
func (s *Store) Invite(ctx context.Context, ref string, agents ...string) (ConversationInfo, error) {
	for _, agent := range agents {
		if err := checkAgent(agent); err != nil {
			return ConversationInfo{}, err
		}
	}
	c, err := s.Conversation(ctx, ref)
	if err != nil {
		return c, err
	}
	return c, s.writing(ctx, Conversation, func(f *file, tx *sqlite.Tx) error {
		for _, agent := range agents {
			if err := f.event(tx, Event{Verb: VerbInvited, Scope: Scope{Tier: Conversation, Conversation: ref}.String(), Subject: ref, Other: agent}); err != nil {
				return err
			}
		}
		return nil
	})
}
