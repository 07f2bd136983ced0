package tui

import (
	"context"
	"errors"
	"slices"
	"strings"

	"blackboard/kb/memory"
)

// memoryFacts are all that is shown of one thing of the memory. One of item, note, named and talk is there, as ref says.
type memoryFacts struct {
	ref       memoryRef
	item      *memory.Item
	revisions []memory.Item // what an item said before, the oldest first
	standing  *memory.Hit   // how much an item counts, and how it stands with what it was derived from; nil: no read gives it
	note      *memory.Note
	named     *memory.Named
	earlier   []memory.Named // what a named entry said before, the oldest first
	talk      *memory.ConversationInfo
	scratch   []memory.Scratch
	items     []memory.Item // of a conversation, the newest first
	moreItems bool
	events    []memory.Event // the newest last
}

const (
	factEvents = 50 // how many events of a thing are shown
	factItems  = 50 // how many items of a conversation
)

// readFacts reads what ref names. It is no access of it.
func readFacts(ctx context.Context, s *memory.Store, ref memoryRef) (*memoryFacts, error) {
	f := &memoryFacts{ref: ref}
	var err error
	subject, tier := ref.id, ref.tier
	switch ref.kind {
	case kindItem:
		err = f.readItem(ctx, s)
		if err == nil {
			tier = f.item.Tier
		}
	case kindNote:
		f.note, err = findNote(ctx, s, ref)
	case kindNamed:
		var n memory.Named
		if n, err = s.GetNamed(ctx, ref.id, ref.tier); err == nil {
			f.named = &n
			f.earlier, err = s.NamedRevisions(ctx, ref.id, ref.tier)
		}
		subject = "named:" + strings.ToUpper(ref.id)
	case kindConversation:
		tier = memory.Conversation
		err = f.readTalk(ctx, s)
	}
	if err == nil {
		f.events, err = s.Events(ctx, tier, subject, factEvents)
	}
	return f, err
}

func (f *memoryFacts) readItem(ctx context.Context, s *memory.Store) error {
	it, err := s.Peek(ctx, f.ref.id)
	if err != nil {
		return err
	}
	f.item = &it
	if f.revisions, err = s.Revisions(ctx, it.ID); err != nil || it.Forgotten != nil {
		return err
	}
	f.standing, err = standing(ctx, s, &it)
	return err
}

// standing reads an item as an agent would find it: with its relevance by the rates of this memory, and with how it stands with what it was derived from. It asks for the item's own
// first words, is no access, and gives nil where another item that says the same stands before it.
func standing(ctx context.Context, s *memory.Store, it *memory.Item) (*memory.Hit, error) {
	const most = 20
	res, err := s.Read(ctx, memory.Query{Tiers: []string{it.Tier}, Text: oneLine(headline(it), 100), Channel: it.Channel, Conversation: it.Conversation, Limit: most,
		Curators: []string{it.Curator}, MinImportance: it.Importance, Untouched: true})
	if err != nil {
		return nil, err
	}
	for _, sl := range res.Slices {
		for i := range sl.Hits {
			if sl.Hits[i].ID == it.ID {
				return &sl.Hits[i], nil
			}
		}
	}
	return nil, nil
}

// findNote looks a note up among the agent's.
func findNote(ctx context.Context, s *memory.Store, ref memoryRef) (*memory.Note, error) {
	all, err := s.Notes(ctx, ref.note, 0)
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(all, func(n memory.Note) bool { return n.ID == ref.id })
	if at < 0 {
		return nil, errors.New(ref.id + " is not there any more")
	}
	return &all[at], nil
}

func (f *memoryFacts) readTalk(ctx context.Context, s *memory.Store) error {
	c, err := s.Conversation(ctx, f.ref.id)
	if err != nil {
		return err
	}
	f.talk = &c
	if f.scratch, err = s.ListScratch(ctx, f.ref.id); err != nil {
		return err
	}
	f.items, f.moreItems, err = s.List(ctx, memory.ListQuery{Tiers: []string{memory.Conversation}, Conversation: f.ref.id, Limit: factItems})
	return err
}
