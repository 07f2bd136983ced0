package memory

import (
	"context"
	"fmt"
	"slices"

	"blackboard/board/fault"
	"blackboard/board/sqlite"
	"blackboard/embed"
	"blackboard/kb/store"
)

// PutOptions say how an item is stored.
type PutOptions struct {
	// Private makes it the caller's alone.
	Private bool
	// Force stores it though it holds what looks like a secret.
	Force bool
	// NoEmbedding stores it without an embedding, which Reembed adds later.
	NoEmbedding bool
}

// Stored is what became of an item.
type Stored struct {
	Item     Item     `json:"item"`
	Warnings []string `json:"warnings"`
	// Confirmed: the same words were there already, in the same scope. They count as new
	// again, with the greater of both importances.
	Confirmed bool `json:"confirmed"`
}

// ownItems says of private items that they need an agent.
const ownItems = "only an agent has private items"

// Put stores an item in its tier, with the importance that it has, of which 0 counts for
// nothing; its id and times are given to it. A channel that is not named is that of its
// conversation, else the default one.
func (s *Store) Put(ctx context.Context, it Item, opt PutOptions) (Stored, error) {
	out := Stored{Warnings: []string{}}
	if err := s.allowed(it.Tier); err != nil {
		return out, err
	}
	// What is new has no history, whatever it came with.
	it = Item{Tier: it.Tier, Channel: it.Channel, Conversation: it.Conversation, Title: it.Title, Content: it.Content, Curator: it.Curator, Source: it.Source, Importance: it.Importance,
		Lifetime: it.Lifetime, Tags: it.Tags, Expires: it.Expires, DerivedFrom: it.DerivedFrom}
	if opt.Private {
		if err := s.needAgent(ownItems); err != nil {
			return out, err
		}
		it.Agent = s.opt.Agent
	}
	if it.Curator == "" || it.Curator == CuratorAuthor && !s.opt.Author {
		it.Curator = s.curator()
	}
	if it.Source == "" {
		it.Source = s.opt.Agent
	}
	if it.Conversation != "" && it.Tier != Conversation {
		if err := s.allowed(Conversation); err != nil && it.Tier != Account {
			return out, err
		}
	}
	if it.Tier == Conversation && it.Conversation == "" {
		return out, invalid("no conversation is named", "", fault.Give("conversation", "", "name it with {} or $BOARD_CONVERSATION"), start)
	}
	if it.Tier == Channel && it.Channel == "" {
		it.Channel = DefaultChannel
		if it.Conversation != "" { // where a read in this conversation looks
			c, err := s.Conversation(ctx, it.Conversation)
			if err != nil {
				return out, err
			}
			it.Channel = c.Channel
		}
	}
	if err := it.normalise(); err != nil {
		return out, err
	}
	if it.Expires != nil && !it.Expires.After(s.now()) {
		return out, invalid("it would have expired already", "give a time that lies ahead, or none")
	}
	if !opt.Force {
		if err := refuseSecret(&it); err != nil {
			return out, err
		}
	}
	var v embed.Vector
	if !opt.NoEmbedding {
		var err error
		if v, err = store.Vector(ctx, s.opt.Embedder, embeddingText(&it), &out.Warnings); err != nil {
			return out, err
		}
	}
	err := s.writing(ctx, it.Tier, func(f *file, tx *sqlite.Tx) error {
		if err := f.checkPlace(tx, &it); err != nil {
			return err
		}
		if same, err := f.same(tx, &it); err != nil || same != nil {
			if err == nil {
				out.Item, err = f.confirm(tx, same, &it)
				out.Confirmed = true
			}
			return err
		}
		out.Confirmed, out.Item = false, it
		return f.add(tx, &out.Item, v, &out.Warnings, VerbPut, "")
	})
	if err == nil {
		s.warnOfSource(ctx, &out)
	}
	return out, err
}

// warnOfSource warns of what was derived from something that is not there, or not as it
// was.
func (s *Store) warnOfSource(ctx context.Context, out *Stored) {
	if out.Item.DerivedFrom == "" || s.opt.Resolve == nil {
		return
	}
	if how := s.opt.Resolve(ctx, &out.Item); how != "" {
		out.Warnings = append(out.Warnings, fmt.Sprintf("what it is derived from, %s, is %s", inline(out.Item.DerivedFrom, 120), how))
	}
}

// curator is who the caller is.
func (s *Store) curator() string {
	if s.opt.Author {
		return CuratorAuthor
	}
	return CuratorAgent
}

// checkPlace refuses channels and conversations that are not there, and conversations
// that are over.
func (f *file) checkPlace(tx *sqlite.Tx, it *Item) error {
	if it.Tier == Channel {
		if err := f.checkChannel(tx, it.Channel); err != nil {
			return err
		}
	}
	if it.Conversation == "" || f.account { // the account knows of no workspace's conversations
		return nil
	}
	c, err := conversation(tx, it.Conversation)
	if err != nil {
		return err
	}
	if err := f.s.takes(tx, &c); err != nil {
		return err
	}
	if it.Tier == Conversation && c.Status == StatusArchived {
		return conflict("the conversation "+c.Ref+" is archived: nothing is added to it", "what should last goes into its channel", start)
	}
	return nil
}

// same returns the item, live or archived, of the same scope that has the same words for the
// same readers, nil if there is none.
func (f *file) same(tx *sqlite.Tx, it *Item) (*Item, error) {
	sc := it.Scope()
	found, err := itemsWhere(tx, `text_hash = ? AND forgotten IS NULL AND tier = ? AND channel = ? AND (tier <> 'conversation' OR conversation = ?) AND agent = ? AND title = ? ORDER BY archived IS NOT NULL, n LIMIT 1`,
		textHash(it.Content), sc.Tier, sc.Channel, sc.Conversation, it.Agent, it.Title)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	if e := found[0].Expires; e != nil && !e.After(tx.Now) {
		return nil, nil
	}
	return &found[0], nil
}

// confirm has an item count as new, and brings it back if it is archived. What it was put with
// this time is added: the greater importance, more tags, the links that it did not have, the
// longer life. To what the author said an agent adds nothing; what the author says is the
// author's from then on.
func (f *file) confirm(tx *sqlite.Tx, it, again *Item) (Item, error) {
	now := *it
	now.Accessed, now.Archived = tx.Now, nil
	if f.s.mayChange(it) == nil {
		more := *again
		more.Accesses, more.Accessed = 0, tx.Now
		now.absorb(&more)
		if now.Source == "" {
			now.Source = again.Source
		}
		if now.DerivedFrom == "" && again.DerivedFrom != "memory:"+it.ID {
			now.DerivedFrom = again.DerivedFrom
		}
		if again.Curator == CuratorAuthor {
			now.Curator = CuratorAuthor
		}
	}
	if it.Archived == nil && len(now.Tags) == len(it.Tags) && now.Source == it.Source && now.DerivedFrom == it.DerivedFrom && now.Expires == it.Expires && now.Lifetime == it.Lifetime && now.Curator == it.Curator {
		// How much it counts is no change of what it says.
		if _, err := tx.Exec(`UPDATE items SET importance = ?, accessed = ? WHERE n = ?`, now.Importance, tx.Now.UnixMilli(), it.n); err != nil {
			return now, err
		}
	} else {
		var none []string
		if err := f.change(tx, it, &now, nil, "put again", &none); err != nil {
			return now, err
		}
	}
	return now, f.event(tx, Event{Verb: VerbConfirmed, Scope: it.Scope().String(), Subject: it.ID, agent: it.Agent})
}

// add stores a new item and gives it its id and its times, unless it has them.
func (f *file) add(tx *sqlite.Tx, it *Item, v embed.Vector, warnings *[]string, verb, why string) error {
	if it.ID == "" {
		it.ID = store.NewID('m')
	}
	if it.Created.IsZero() {
		it.Created, it.Accessed = tx.Now, tx.Now
		it.Revision, it.Accesses = 1, 0
	}
	it.Updated = tx.Now
	if v, err := f.Usable(tx, f.s.opt.Embedder, v, warnings); err != nil {
		return err
	} else if it.Model, it.Dim = "", 0; v != nil {
		it.Model, it.Dim = f.s.opt.Embedder.Model().Name, len(v)
		return f.insert(tx, it, v, verb, why)
	}
	return f.insert(tx, it, nil, verb, why)
}

func (f *file) insert(tx *sqlite.Tx, it *Item, v embed.Vector, verb, why string) error {
	if err := insertRow(tx, it); err != nil {
		return err
	}
	if it.Forgotten == nil {
		if err := f.Index.Put(tx, document(it, v)); err != nil {
			return err
		}
	}
	return f.event(tx, Event{Verb: verb, Scope: it.Scope().String(), Subject: it.ID, Why: why, agent: it.Agent})
}

// insertRow stores an item's row, and gives it its number.
func insertRow(tx *sqlite.Tx, it *Item) (err error) {
	it.n, err = it.stored().Insert(tx, "items")
	return err
}

// visible reports whether the caller may know of an item.
func (s *Store) visible(agent string) bool { return agent == "" || agent == s.opt.Agent }

// find returns an item that the caller may see, and the file that it is in. For others'
// private items the answer is the same as for none. Tiers that are not granted are not
// looked into.
func (s *Store) find(ctx context.Context, id string) (*file, *Item, error) {
	if err := checkID(id); err != nil {
		return nil, nil, err
	}
	for f, err := range s.reached(ctx) {
		if err != nil {
			return nil, nil, err
		}
		var it *Item
		if err := f.ReadIndex(ctx, func(tx *sqlite.Tx) (err error) {
			it, err = s.seen(tx, id)
			return err
		}); err != nil {
			return nil, nil, err
		}
		if it != nil {
			return f, it, nil
		}
	}
	return nil, nil, notFound(id)
}

// reachesFile reports whether any tier of a file is the caller's to see.
func (s *Store) reachesFile(account bool) bool {
	if account {
		return s.allowed(Account) == nil
	}
	return slices.ContainsFunc([]string{Conversation, Channel, Workspace}, func(t string) bool { return s.allowed(t) == nil })
}

// Get returns an item, archived and forgotten ones too. It counts as an access, and as a question of its session.
func (s *Store) Get(ctx context.Context, id string) (Item, error) {
	f, it, err := s.find(ctx, id)
	if err != nil {
		return Item{}, err
	}
	if it.Live() {
		f.ask(s.session("", f.Now()), it)
		f.touch(ctx, it)
	}
	return *it, nil
}

// Peek is Get for somebody who only wants to know how it stands with an item: it is no
// access.
func (s *Store) Peek(ctx context.Context, id string) (Item, error) {
	_, it, err := s.find(ctx, id)
	if err != nil {
		return Item{}, err
	}
	return *it, nil
}

// again returns, within a transaction, the item as it is now.
func (s *Store) again(tx *sqlite.Tx, id string) (*Item, error) {
	it, err := s.seen(tx, id)
	if err == nil && it == nil {
		err = notFound(id)
	}
	return it, err
}

// seen returns the item of an id if the caller may know of it, nil if not or there is
// none.
func (s *Store) seen(tx *sqlite.Tx, id string) (*Item, error) {
	found, err := itemsWhere(tx, `id = ?`, id)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	if sees, err := s.sees(tx, &found[0]); err != nil || !sees {
		return nil, err
	}
	return &found[0], nil
}
