package memory

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"blackboard/board/fault"
	"blackboard/board/sqlite"
	"blackboard/embed"
	"blackboard/kb/secret"
	"blackboard/kb/store"
)

type PutOptions struct {
	Private bool
	Force   bool
}

type Stored struct {
	Item     Item     `json:"item"`
	Warnings []string `json:"warnings"`
	Older    []string `json:"older"` // ids of older notes that it may replace, two at most
	// Confirmed: the scope had an item with these words, which counts as new again.
	Confirmed bool `json:"confirmed"`
}

// ownItems begins the error that private items need an agent.
const ownItems = "only an agent has private items"

// Put stores an item. The default channel is that of the conversation.
func (s *Store) Put(ctx context.Context, it Item, opt PutOptions) (Stored, error) {
	out := Stored{Warnings: []string{}}
	if err := s.allowed(it.Tier); err != nil {
		return out, err
	}
	// A new item has no history, whatever was given.
	it = Item{Tier: it.Tier, Channel: it.Channel, Conversation: it.Conversation, Title: it.Title,
		Content: it.Content, Curator: it.Curator, Source: it.Source, Importance: it.Importance,
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
	it.Source = cmp.Or(it.Source, s.opt.Agent)
	if it.Conversation != "" && it.Tier != Conversation {
		if err := s.allowed(Conversation); err != nil && it.Tier != Account {
			return out, err
		}
	}
	if it.Tier == Conversation && it.Conversation == "" {
		return out, invalid("no conversation is named", "",
			fault.Give("conversation", "", "name it with {} or $BOARD_CONVERSATION"), startStep)
	}
	if it.Tier == Channel && it.Channel == "" {
		it.Channel = DefaultChannel
		if it.Conversation != "" { // where reads in this conversation look
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
		return out, invalid("the expiry time is in the past",
			"give a time in the future, or none")
	}
	if !opt.Force && !s.opt.KeepSecrets {
		if err := refuseSecret(&it); err != nil {
			return out, err
		}
	}
	v, err := store.Vector(ctx, s.opt.Embedder, embeddingText(&it), &out.Warnings)
	if err != nil {
		return out, err
	}
	err = s.writing(ctx, it.Tier, func(f *file, tx *sqlite.Tx) error {
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
		if err := f.add(tx, &out.Item, v, &out.Warnings, VerbPut, ""); err != nil {
			return err
		}
		older, err := f.older(tx, &out.Item)
		out.Older = []string{}
		for _, o := range older {
			out.Older = append(out.Older, o.ID)
			out.Warnings = append(out.Warnings, fmt.Sprintf("older, and near: %s “%s”", o.ID, inline(o.Content, 120)))
		}
		out.Warnings = append(out.Warnings, out.Item.misplaced()...)
		return err
	})
	if err == nil {
		s.warnOfSource(ctx, &out)
	}
	return out, err
}

func (s *Store) warnOfSource(ctx context.Context, out *Stored) {
	if how := s.Derived(ctx, &out.Item); how != "" {
		out.Warnings = append(out.Warnings,
			fmt.Sprintf("it is derived from %s, which is %s", inline(out.Item.DerivedFrom, 120),
				how))
	}
}

// Derived describes the state of what an item was derived from; "": there is nothing to say.
func (s *Store) Derived(ctx context.Context, it *Item) string {
	if it.DerivedFrom == "" || s.opt.Resolve == nil {
		return ""
	}
	return s.opt.Resolve(ctx, it)
}

func (s *Store) curator() string {
	if s.opt.Author {
		return CuratorAuthor
	}
	return CuratorAgent
}

func (f *file) checkPlace(tx *sqlite.Tx, it *Item) error {
	if it.Tier == Channel {
		if err := f.checkChannel(tx, it.Channel); err != nil {
			return err
		}
	}
	// the account's file does not know the conversations of workspaces
	if it.Conversation == "" || f.account {
		return nil
	}
	c, err := f.s.ownConversation(tx, it.Conversation)
	if err != nil {
		return err
	}
	if it.Tier == Conversation && c.Status == StatusArchived {
		return conflict("the conversation "+c.Ref+" is archived: no items can be added",
			"store lasting items in its channel", startStep)
	}
	return nil
}

// same returns the active or archived item with the same scope, words and readers, or nil.
func (f *file) same(tx *sqlite.Tx, it *Item) (*Item, error) {
	sc := it.Scope()
	found, err := itemsWhere(tx,
		`text_hash = ? AND forgotten IS NULL AND tier = ? AND channel = ? AND (tier <> 'conversation' OR conversation = ?) AND agent = ? AND title = ? ORDER BY archived IS NOT NULL, n LIMIT 1`,
		textHash(it.Content), sc.Tier, sc.Channel, sc.Conversation, it.Agent, it.Title)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	if e := found[0].Expires; e != nil && !e.After(tx.Now) {
		return nil, nil
	}
	return &found[0], nil
}

// confirm makes an item count as new and restores it if it is archived. It adds what was given this
// time: the higher importance, tags, missing links, the longer lifetime. An agent cannot add to an
// item by the author; an item that the author confirms becomes the author's.
func (f *file) confirm(tx *sqlite.Tx, it, again *Item) (Item, error) {
	now := *it
	now.Accessed, now.Archived = tx.Now, nil
	if f.s.mayChange(it) == nil {
		more := *again
		more.Accesses, more.Accessed = 0, tx.Now
		now.absorb(&more)
		now.Source = cmp.Or(now.Source, again.Source)
		if now.DerivedFrom == "" && again.DerivedFrom != "memory:"+it.ID {
			now.DerivedFrom = again.DerivedFrom
		}
		if again.Curator == CuratorAuthor {
			now.Curator = CuratorAuthor
		}
	}
	if it.Archived == nil && len(now.Tags) == len(it.Tags) && now.Source == it.Source &&
		now.DerivedFrom == it.DerivedFrom && now.Expires == it.Expires &&
		now.Lifetime == it.Lifetime && now.Curator == it.Curator {
		// The importance is not a change of the text.
		now.Updated = tx.Now
		if _, err := tx.Exec(`UPDATE items SET importance = ?1, accessed = ?2, updated = ?2 WHERE
			n = ?3`, now.Importance, tx.Now.UnixMilli(), it.n); err != nil {
			return now, err
		}
	} else {
		var none []string
		if err := f.change(tx, it, &now, nil, "stored again", &none); err != nil {
			return now, err
		}
	}
	return now, f.itemEvent(tx, VerbConfirmed, it, "")
}

// add stores a new item and gives it an id and times unless it has them.
func (f *file) add(tx *sqlite.Tx, it *Item, v embed.Vector, warnings *[]string, verb,
	why string) error {
	if it.ID == "" {
		it.ID = store.NewID('m')
	}
	if it.Created.IsZero() {
		it.Created, it.Accessed = tx.Now, tx.Now
		it.Revision, it.Accesses = 1, 0
	}
	it.Updated = tx.Now
	if err := cmp.Or(f.embedded(tx, it, &v, warnings), insertRow(tx, it)); err != nil {
		return err
	}
	if err := f.Index.Put(tx, document(it, v)); err != nil {
		return err
	}
	return f.itemEvent(tx, verb, it, why)
}

func insertRow(tx *sqlite.Tx, it *Item) (err error) {
	it.n, err = it.stored().Insert(tx, "items")
	return err
}

func (s *Store) visible(agent string) bool { return agent == "" || agent == s.opt.Agent }

// find returns an item that the caller may see, and its file. For others' private items the error
// is the same as for a missing item. Tiers that are not granted are not searched.
func (s *Store) find(ctx context.Context, id string) (*file, *Item, error) {
	if err := checkID(id); err != nil {
		return nil, nil, err
	}
	for f, err := range s.reached(ctx) {
		var it *Item
		if err == nil {
			err = f.ReadIndex(ctx, func(tx *sqlite.Tx) (err error) {
				it, err = s.findVisible(tx, id)
				return err
			})
		}
		if err != nil || it != nil {
			return f, it, err
		}
	}
	return nil, nil, notFound(id)
}

func (s *Store) reachesFile(account bool) bool {
	if account {
		return s.allowed(Account) == nil
	}
	return slices.ContainsFunc([]string{Conversation, Channel, Workspace},
		func(t string) bool { return s.allowed(t) == nil })
}

// Get returns an item in any state. It counts as an access and a question of the session.
func (s *Store) Get(ctx context.Context, id string) (Item, error) {
	if isNote(id) {
		return s.Peek(ctx, id)
	}
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

// Peek is Get without counting an access.
func (s *Store) Peek(ctx context.Context, id string) (Item, error) {
	if isNote(id) {
		_, n, err := s.findNote(ctx, id, noteKept)
		return n.item(), err
	}
	_, it, err := s.find(ctx, id)
	if err != nil {
		return Item{}, err
	}
	return *it, nil
}

func (s *Store) reread(tx *sqlite.Tx, id string) (*Item, error) {
	it, err := s.findVisible(tx, id)
	if err == nil && it == nil {
		err = notFound(id)
	}
	return it, err
}

// findVisible returns the item of an id if the caller may see it, or nil.
func (s *Store) findVisible(tx *sqlite.Tx, id string) (*Item, error) {
	found, err := itemsWhere(tx, `id = ?`, id)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	if sees, err := s.mayKnow(tx, &found[0]); err != nil || !sees {
		return nil, err
	}
	return &found[0], nil
}

// refuseSecret refuses what looks like a secret: others read it, and it is exported.
func refuseSecret(it *Item) error {
	return refuseSecretIn(keepSecret, "the title", it.Title, "the content", it.Content,
		"the source", it.Source,
		"the derivation link", it.DerivedFrom, "a tag", strings.Join(it.Tags, "\n"), theReason,
		it.Why)
}

// refuseSecrets does the same for other texts. Each text follows its name.
func (s *Store) refuseSecrets(texts ...string) error {
	if s.opt.KeepSecrets {
		return nil
	}
	return refuseSecretIn(keepSecret, texts...)
}

var keepSecret = fault.Give("keep_secret", "", "{} stores it if it is not a secret")

const theReason = "the reason"

// checkReason validates a reason, which the log keeps forever.
func checkReason(reason string) error {
	if err := checkLine(theReason, reason, maxWhy); err != nil {
		return err
	}
	return refuseSecretIn(fault.Step{}, theReason, reason)
}

func refuseSecretIn(otherwise fault.Step, texts ...string) error {
	for i := 0; i < len(texts); i += 2 {
		if found := secret.Find(texts[i+1]); len(found) > 0 {
			return conflict(fmt.Sprintf("%s holds what looks like a secret: %s", texts[i],
				found[0].Description),
				"say where it is kept, not what it is", otherwise)
		}
	}
	return nil
}

var jsonText = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`"(?:[^"\\]|\\.)*"`) })

// textIn returns the text of a JSON value, both escaped and unescaped.
func textIn(value []byte) string {
	return string(value) + "\n" + string(jsonText().ReplaceAllFunc(value, func(quoted []byte) []byte {
		var s string
		_ = json.Unmarshal(quoted, &s)
		return []byte(s)
	}))
}
