package memory

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"time"

	"blackboard/board/fault"
	"blackboard/board/sqlite"
	"blackboard/embed"
	"blackboard/kb/store"
)

// mayChange refuses that an agent changes an item by the author; it may add another.
func (s *Store) mayChange(it *Item) error {
	if it.Curator != CuratorAuthor {
		return nil
	}
	return s.requireGrant(GrantAuthor, it.ID+" was written by the author: agents cannot change it")
}

type UpdateOptions struct {
	// Revision is the one that the item must have, else it is a conflict; nil: any.
	Revision *int
	Why      string // stored with the old revision
	Force    bool   // store it although it contains what looks like a secret
}

// Update lets fn change an item, but for tier and agent. The old version is a revision.
func (s *Store) Update(ctx context.Context, id string, opt UpdateOptions, fn func(*Item) error) (
	Stored, error) {
	out := Stored{Warnings: []string{}}
	if opt.Revision != nil && *opt.Revision < 0 {
		return out, invalid(fmt.Sprintf("%d is not a revision", *opt.Revision), "",
			fault.Do("memory.get", "{} shows the revision", "id", clip(id, 60)))
	}
	if isNote(id) {
		return s.updateNote(ctx, id, opt, fn)
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
		now.ID, now.Tier, now.Channel, now.Conversation, now.Agent, now.n = it.ID, it.Tier,
			it.Channel, it.Conversation, it.Agent, it.n
		if err := now.normalise(); err != nil {
			return out, err
		}
		if now.DerivedFrom == "memory:"+it.ID && now.DerivedFrom != it.DerivedFrom {
			return out, invalid(it.ID+" cannot be derived from itself",
				"name its source, or nothing")
		}
		if !opt.Force && !s.opt.KeepSecrets {
			if err := cmp.Or(refuseSecret(&now), s.refuseSecrets(theReason, opt.Why)); err != nil {
				return out, err
			}
		}
		var v embed.Vector
		if embeddingText(&now) != embeddingText(it) {
			if v, err = store.Vector(ctx, s.opt.Embedder, embeddingText(&now),
				&out.Warnings); err != nil {
				return out, err
			}
		}
		changed := false
		err = f.WriteIndex(ctx, func(tx *sqlite.Tx) error {
			have, err := s.reread(tx, id)
			if err != nil {
				return err
			}
			if err := checkActive(have); err != nil {
				return err
			}
			if opt.Revision != nil && have.Revision != *opt.Revision {
				return conflict(fmt.Sprintf("%s is at revision %d, not %d: it has changed since",
					id, have.Revision, *opt.Revision), "",
					fault.Do("memory.get", "{} shows it", "id", id))
			}
			if have.Revision != it.Revision {
				changed, it = true, have
				return nil
			}
			now.Accesses, now.Accessed = have.Accesses, tx.Now
			// Others may have confirmed or promoted it, without a new revision.
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

func checkActive(it *Item) error {
	if it.Archived != nil {
		return conflict(it.ID+" is archived", "",
			fault.Do("memory.restore", "{} restores it", "id", it.ID))
	}
	return unlessForgotten(it)
}

func unlessForgotten(it *Item) error {
	if it.Forgotten == nil {
		return nil
	}
	say := map[string]string{
		RuleAsked: "on request", RuleExpired: "it expired",
		RuleMerged:       "another item says the same",
		RuleConsolidated: "it was rewritten into another"}[it.Rule]
	say = cmp.Or(say, it.Rule)
	if it.ReplacedBy != "" {
		say += ", replaced by " + it.ReplacedBy
	}
	return conflict(it.ID+" is forgotten: "+say, "",
		fault.Do("memory.restore", "{} restores it", "id", it.ID))
}

func (f *file) change(tx *sqlite.Tx, was, now *Item, v embed.Vector, why string,
	warnings *[]string) error {
	old := *was
	old.Why = clip(why, maxWhy)
	before, err := json.Marshal(&old)
	if err != nil {
		return err
	}
	if _, err := tx.Exec(`INSERT INTO revisions VALUES (?, ?, ?, ?, ?)`, was.ID, was.Revision,
		tx.Now.UnixMilli(), f.s.opt.Actor, string(before)); err != nil {
		return err
	}
	now.Revision, now.Updated, now.Created = was.Revision+1, tx.Now, was.Created
	now.Forgotten, now.Rule, now.ReplacedBy, now.Why = was.Forgotten, was.Rule, was.ReplacedBy,
		was.Why
	now.n = was.n
	if err := f.rewriteRow(tx, now, embeddingText(now) == embeddingText(was), v,
		warnings); err != nil {
		return err
	}
	return f.itemEvent(tx, VerbUpdated, now, "")
}

// rewriteRow writes and indexes an item: with the index's embedding if same, else with v.
func (f *file) rewriteRow(tx *sqlite.Tx, it *Item, same bool, v embed.Vector,
	warnings *[]string) error {
	if same {
		vs, err := f.Index.Vectors(tx, it.n)
		if err != nil {
			return err
		}
		v = vs[it.n]
	} else if err := f.embedded(tx, it, &v, warnings); err != nil {
		return err
	}
	if err := it.stored().Update(tx, "items", it.n); err != nil {
		return err
	}
	return f.Index.Put(tx, document(it, v))
}

// embedded sets the model of an item's embedding: none, and v to nil, if v cannot be stored.
func (f *file) embedded(tx *sqlite.Tx, it *Item, v *embed.Vector, warnings *[]string) (err error) {
	if *v, err = f.Usable(tx, f.s.opt.Embedder, *v, warnings); err != nil {
		return err
	}
	if it.Model, it.Dim = "", 0; *v != nil {
		it.Model, it.Dim = f.s.opt.Embedder.Model().Name, f.s.opt.Embedder.Model().Dim
	}
	return nil
}

// Forget marks an item as forgotten: reads do not find it, and Get still returns it. by
// is the item that replaces it, or "". For a note of the caller the result is empty.
func (s *Store) Forget(ctx context.Context, id, why, by string) (Item, error) {
	all, err := s.ForgetAll(ctx, []string{id}, why, by)
	if err != nil {
		return Item{}, err
	}
	return all[0], nil
}

// ForgetAll is Forget for several ids, all checked before anything changes.
func (s *Store) ForgetAll(ctx context.Context, ids []string, why, by string) ([]Item, error) {
	if err := s.refuseSecrets(theReason, why); err != nil {
		return nil, err
	}
	var files []*file
	in := map[*file][]int{} // places in ids
	for i, id := range ids {
		var f *file
		var it *Item
		var err error
		if isNote(id) {
			f, _, err = s.findNote(ctx, id, noteKept)
		} else if f, it, err = s.find(ctx, id); err == nil {
			err = s.mayForget(it)
		}
		if err != nil {
			return nil, err
		}
		if in[f] == nil {
			files = append(files, f)
		}
		in[f] = append(in[f], i)
	}
	if by != "" {
		if _, r, err := s.find(ctx, by); err != nil {
			return nil, err
		} else if err := checkActive(r); err != nil {
			return nil, err
		} else if slices.Contains(ids, by) {
			return nil, invalid("an item cannot replace itself", "name another, or none")
		}
	}
	out := make([]Item, len(ids))
	for _, f := range files {
		if err := f.WriteIndex(ctx, func(tx *sqlite.Tx) error {
			for _, i := range in[f] {
				if err := f.forgetAsked(tx, ids[i], why, by, &out[i]); err != nil {
					return err
				}
			}
			return nil
		}); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (f *file) forgetAsked(tx *sqlite.Tx, id, why, by string, out *Item) error {
	if isNote(id) {
		_, err := f.markNote(tx, id, VerbForgotten, noteKept)
		return err
	}
	it, err := f.s.reread(tx, id)
	if err != nil {
		return err
	}
	if err := f.s.mayForget(it); err != nil {
		return err
	}
	if err := f.forget(tx, it, RuleAsked, by, why); err != nil {
		return err
	}
	*out = *it
	return nil
}

func (s *Store) mayForget(it *Item) error {
	if err := unlessForgotten(it); err != nil {
		return err
	}
	return s.mayChange(it)
}

func (f *file) forget(tx *sqlite.Tx, it *Item, rule, by, why string) error {
	it.Forgotten, it.Rule, it.ReplacedBy, it.Why = new(time.Time), rule, by, clip(why, maxWhy)
	*it.Forgotten, it.Archived = tx.Now, nil
	if _, err := tx.Exec(`UPDATE items
		SET archived = NULL, forgotten = ?, rule = ?, replaced_by = ?, why = ?
		WHERE n = ?`, tx.Now.UnixMilli(), rule, by, it.Why, it.n); err != nil {
		return err
	}
	if err := f.Index.Delete(tx, it.n); err != nil {
		return err
	}
	return f.event(tx, Event{
		Verb: VerbForgotten, Scope: it.Scope().String(), Subject: it.ID, Other: by, Why: rule,
		agent: it.Agent})
}

const maxWhy = 500

// whyEnded is the reason for archiving an item whose lifetime was its conversation.
const whyEnded = "its conversation is archived"

// archive archives an active item, which keeps its embedding.
func (f *file) archive(tx *sqlite.Tx, it *Item, why string) error {
	it.Archived, it.Why = &tx.Now, clip(why, maxWhy)
	if err := f.rewriteRow(tx, it, true, nil, nil); err != nil {
		return err
	}
	return f.itemEvent(tx, VerbItemArchived, it, why)
}

// revive makes an archived or forgotten item active; v is the embedding of a forgotten one.
func (f *file) revive(tx *sqlite.Tx, it *Item, v embed.Vector, why string,
	warnings *[]string) error {
	forgotten := it.Forgotten != nil
	it.Archived, it.Forgotten, it.Rule, it.ReplacedBy, it.Why = nil, nil, "", "", ""
	if err := f.rewriteRow(tx, it, !forgotten, v, warnings); err != nil {
		return err
	}
	return f.itemEvent(tx, VerbRestored, it, why)
}

// Restore restores an archived or forgotten item, or a note of the caller. An item counts as read now. If it has
// expired, its expiry is dropped; if it was to end with a conversation that is archived, it becomes long-term.
func (s *Store) Restore(ctx context.Context, id string) (Stored, error) {
	out := Stored{Warnings: []string{}}
	if isNote(id) {
		n, err := s.restoreNote(ctx, id)
		out.Item = n.item()
		return out, err
	}
	f, it, err := s.find(ctx, id)
	if err != nil {
		return out, err
	}
	var v embed.Vector
	if it.Forgotten != nil {
		if v, err = store.Vector(ctx, s.opt.Embedder, embeddingText(it),
			&out.Warnings); err != nil {
			return out, err
		}
	}
	warned := len(out.Warnings)
	err = f.WriteIndex(ctx, func(tx *sqlite.Tx) error {
		out.Warnings = out.Warnings[:warned] // a retry must not repeat warnings
		it, err := s.reread(tx, id)
		if err != nil {
			return err
		}
		if it.Live() {
			return it.activeAlready()
		}
		if it.Rule == RuleAsked { // forgotten on request: that was intended
			if err := s.mayChange(it); err != nil {
				return err
			}
		}
		if it.hasExpired(tx.Now) {
			it.Expires = nil
			out.Warnings = append(out.Warnings, "it had expired; it now has no expiry")
		}
		over, err := conversationArchived(tx, it.Conversation)
		if err != nil {
			return err
		}
		if it.Lifetime == LifeConversation && over {
			it.Lifetime = LongTerm
			out.Warnings = append(out.Warnings,
				"its conversation is archived; the item is now long-term")
		}
		it.Accessed = tx.Now
		if err := f.revive(tx, it, v, "", &out.Warnings); err != nil {
			return err
		}
		out.Item = *it
		return nil
	})
	return out, err
}

func (it *Item) activeAlready() error {
	say := it.ID + " is neither archived nor forgotten"
	if it.Revision == 1 {
		return conflict(say, "nothing to do")
	}
	return conflict(say, "", fault.Do("memory.restore_revision",
		"{} restores the text before its last change",
		"id", it.ID, "revision", strconv.Itoa(it.Revision-1)))
}

// RestoreRevision gives an active item an earlier content, but for an expiry that is over.
func (s *Store) RestoreRevision(ctx context.Context, id string, revision int) (Stored, error) {
	if isNote(id) {
		return Stored{}, invalid(clip(id, 60)+" is a note, which has no revisions",
			"leave the revision out")
	}
	before, err := s.Revisions(ctx, id)
	if err != nil {
		return Stored{}, err
	}
	at := slices.IndexFunc(before, func(r Item) bool { return r.Revision == revision })
	if now, err := s.Peek(ctx, id); err != nil {
		return Stored{}, err
	} else if at < 0 && now.Revision != revision {
		return Stored{}, &fault.Error{Kind: fault.NotFound, ID: id,
			Msg: fmt.Sprintf("%s has no revision %d", id, revision),
			Next: fault.Steps("", fault.Do("memory.get", "{} shows them", "id", id,
				"revisions", ""))}
	}
	over := false
	out, err := s.Update(ctx, id, UpdateOptions{Why: fmt.Sprintf("as revision %d", revision),
		Force: true}, // a secret in it was stored on purpose
		func(it *Item) error {
			was := *it
			if at >= 0 {
				r := &before[at]
				it.Title, it.Content, it.Tags, it.Importance, it.Lifetime, it.Source, it.DerivedFrom,
					it.Expires = r.Title, r.Content, slices.Clone(r.Tags), r.Importance, r.Lifetime,
					r.Source, r.DerivedFrom, r.Expires
				if over = it.hasExpired(s.now()); over {
					it.Expires = nil
				}
			}
			if reflect.DeepEqual(was, *it) {
				return conflict(fmt.Sprintf("%s is already as it was at revision %d", id, revision),
					"nothing to do")
			}
			return nil
		})
	if over && err == nil {
		out.Warnings = append(out.Warnings, "it had expired; it now has no expiry")
	}
	return out, err
}
