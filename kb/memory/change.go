package memory

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"blackboard/board/fault"
	"blackboard/board/sqlite"
	"blackboard/embed"
	"blackboard/kb/store"
)

// mayChange refuses to agents what a person has said: they read it, and may say something beside it.
func (s *Store) mayChange(it *Item) error {
	if it.Curator != CuratorAuthor {
		return nil
	}
	return s.granted(GrantAuthor, it.ID+" is what the author said: an agent does not change it")
}

// UpdateOptions say how an item is changed.
type UpdateOptions struct {
	// Revision is the one that the item must still have, else the update is a conflict. 0 is the revision of
	// what does not exist, so no item has it. nil: whichever it has.
	Revision    *int
	Why         string // kept with what it was
	Force       bool   // keep it though it holds what looks like a secret
	NoEmbedding bool
}

// Update lets fn change an item: its texts, importance, lifetime, tags, expiry and links. What it was stays among its revisions. Its tier, and whose it is, stay as they are.
func (s *Store) Update(ctx context.Context, id string, opt UpdateOptions, fn func(*Item) error) (Stored, error) {
	out := Stored{Warnings: []string{}}
	if opt.Revision != nil && *opt.Revision < 0 {
		return out, invalid(fmt.Sprintf("%d is not a revision", *opt.Revision), "", fault.Do("memory.get", "{} shows the revision", "id", clip(id, 60)))
	}
	f, it, err := s.find(ctx, id)
	if err != nil {
		return out, err
	}
	for {
		now := *it
		now.Tags = slices.Clone(it.Tags)
		if err := s.mayChange(it); err != nil {
			return out, err
		}
		if err := fn(&now); err != nil {
			return out, err
		}
		now.Curator = s.curator()
		now.ID, now.Tier, now.Channel, now.Conversation, now.Agent, now.n = it.ID, it.Tier, it.Channel, it.Conversation, it.Agent, it.n
		if err := now.normalise(); err != nil {
			return out, err
		}
		if now.DerivedFrom == "memory:"+it.ID && now.DerivedFrom != it.DerivedFrom {
			return out, invalid(it.ID+" would be derived from itself", "name what it was made from, or nothing")
		}
		if !opt.Force {
			if err := refuseSecret(&now); err != nil {
				return out, err
			}
			if err := s.refuseSecrets(theReason, opt.Why); err != nil {
				return out, err
			}
		}
		var v embed.Vector
		if embeddingText(&now) != embeddingText(it) && !opt.NoEmbedding {
			if v, err = store.Vector(ctx, s.opt.Embedder, embeddingText(&now), &out.Warnings); err != nil {
				return out, err
			}
		}
		changed := false
		err = f.WriteIndex(ctx, func(tx *sqlite.Tx) error {
			have, err := s.again(tx, id)
			if err != nil {
				return err
			}
			if err := unlessGone(have); err != nil {
				return err
			}
			if opt.Revision != nil && have.Revision != *opt.Revision {
				return conflict(fmt.Sprintf("%s is at revision %d, not %d: somebody has changed it", id, have.Revision, *opt.Revision), "", fault.Do("memory.get", "{} shows it", "id", id))
			}
			if have.Revision != it.Revision {
				changed, it = true, have
				return nil
			}
			now.Accesses, now.Accessed = have.Accesses, tx.Now // being confirmed is an access of its own kind
			// What fn has left alone may have changed without a new revision: others have confirmed it, or consolidation has promoted it.
			if now.Importance == it.Importance {
				now.Importance = have.Importance
			}
			if now.Lifetime == it.Lifetime {
				now.Lifetime = have.Lifetime
			}
			out.Item = now
			return f.change(tx, have, &out.Item, v, opt.Why, &out.Warnings)
		})
		if err == nil && !changed && out.Item.DerivedFrom != it.DerivedFrom {
			s.warnOfSource(ctx, &out)
		}
		if err != nil || !changed {
			return out, err
		}
	}
}

// unlessGone refuses what is forgotten or archived.
func unlessGone(it *Item) error {
	if it.Archived != nil {
		return conflict(it.ID+" is archived", "", fault.Do("memory.restore", "{} brings it back", "id", it.ID))
	}
	return unlessForgotten(it)
}

func unlessForgotten(it *Item) error {
	if it.Forgotten == nil {
		return nil
	}
	say := map[string]string{RuleAsked: "somebody said so", RuleExpired: "its time was over", RuleMerged: "another says the same",
		RuleConsolidated: "it was rewritten into another"}[it.Rule]
	say = cmp.Or(say, it.Rule)
	if it.ReplacedBy != "" {
		say += ", replaced by " + it.ReplacedBy
	}
	return conflict(it.ID+" is forgotten: "+say, "", fault.Do("memory.restore", "{} brings it back", "id", it.ID))
}

// change stores an item that has become another.
func (f *file) change(tx *sqlite.Tx, was, now *Item, v embed.Vector, why string, warnings *[]string) error {
	old := *was
	old.Why = clip(why, maxWhy)
	before, err := json.Marshal(&old)
	if err != nil {
		return err
	}
	if _, err := tx.Exec(`INSERT INTO revisions VALUES (?, ?, ?, ?, ?)`, was.ID, was.Revision, tx.Now.UnixMilli(), f.s.opt.Actor, string(before)); err != nil {
		return err
	}
	now.Revision, now.Updated, now.Created = was.Revision+1, tx.Now, was.Created
	now.Forgotten, now.Rule, now.ReplacedBy, now.Why = was.Forgotten, was.Rule, was.ReplacedBy, was.Why
	if embeddingText(now) == embeddingText(was) {
		vs, err := f.Index.Vectors(tx, was.n)
		if err != nil {
			return err
		}
		v = vs[was.n]
	} else {
		if v, err = f.Usable(tx, f.s.opt.Embedder, v, warnings); err != nil {
			return err
		}
		if now.Model, now.Dim = "", 0; v != nil {
			now.Model, now.Dim = f.s.opt.Embedder.Model().Name, len(v)
		}
	}
	if err := now.stored().Update(tx, "items", was.n); err != nil {
		return err
	}
	now.n = was.n
	if err := f.Index.Put(tx, document(now, v)); err != nil {
		return err
	}
	return f.event(tx, Event{Verb: VerbUpdated, Scope: now.Scope().String(), Subject: now.ID, agent: now.Agent})
}

// Forget marks an item as no longer active: no read finds it, and Get still shows it. by is the item that takes its place, or "".
func (s *Store) Forget(ctx context.Context, id, why, by string) (Item, error) {
	if err := s.refuseSecrets(theReason, why); err != nil {
		return Item{}, err
	}
	if len(id) > 0 && id[0] == 'j' {
		return Item{}, s.forgetNote(ctx, id)
	}
	f, _, err := s.find(ctx, id)
	if err != nil {
		return Item{}, err
	}
	if by != "" {
		if _, r, err := s.find(ctx, by); err != nil {
			return Item{}, err
		} else if err := unlessGone(r); err != nil {
			return Item{}, err
		} else if by == id {
			return Item{}, invalid("an item cannot take its own place", "name another, or none")
		}
	}
	var it *Item
	err = f.WriteIndex(ctx, func(tx *sqlite.Tx) (err error) {
		if it, err = s.again(tx, id); err != nil {
			return err
		}
		if err := unlessForgotten(it); err != nil {
			return err
		}
		if err := s.mayChange(it); err != nil {
			return err
		}
		return f.forget(tx, it, RuleAsked, by, why)
	})
	if err != nil {
		return Item{}, err
	}
	return *it, nil
}

// forget marks a live or archived item as forgotten by a rule.
func (f *file) forget(tx *sqlite.Tx, it *Item, rule, by, why string) error {
	it.Forgotten, it.Rule, it.ReplacedBy, it.Why = new(time.Time), rule, by, clip(why, maxWhy)
	*it.Forgotten, it.Archived = tx.Now, nil
	if _, err := tx.Exec(`UPDATE items SET archived = NULL, forgotten = ?, rule = ?, replaced_by = ?, why = ? WHERE n = ?`, tx.Now.UnixMilli(), rule, by, it.Why, it.n); err != nil {
		return err
	}
	if err := f.Index.Delete(tx, it.n); err != nil {
		return err
	}
	return f.event(tx, Event{Verb: VerbForgotten, Scope: it.Scope().String(), Subject: it.ID, Other: by, Why: rule, agent: it.Agent})
}

// maxWhy is how many characters of a reason are kept.
const maxWhy = 500

// Revisions returns what an item said before each of its changes, the oldest first.
func (s *Store) Revisions(ctx context.Context, id string) ([]Item, error) {
	f, _, err := s.find(ctx, id)
	if err != nil {
		return nil, err
	}
	var all []Item
	err = f.ReadIndex(ctx, func(tx *sqlite.Tx) error {
		all, err = sqlite.All(tx, func(it *Item) []any { return []any{sqlite.JSON(it, "a revision of %s that", &id)} },
			`SELECT before FROM revisions WHERE subject = ? ORDER BY revision`, id)
		return err
	})
	return all, err
}

// SaidAt returns when an item was given its words, or what it is derived from, for the last
// time: what changes it else (its importance, its tags) says nothing about its source.
func (s *Store) SaidAt(ctx context.Context, it *Item) time.Time {
	before, _ := s.Revisions(ctx, it.ID) // whoever reads the item will say what is wrong
	at := it.Updated
	for _, was := range slices.Backward(before) {
		if was.Content != it.Content || was.Title != it.Title || was.DerivedFrom != it.DerivedFrom {
			return at
		}
		at = was.Updated
	}
	return it.Created
}
