package memory

import (
	"context"

	"blackboard/board/sqlite"
	"blackboard/embed"
	"blackboard/kb/store"
)

// archive puts a live item out of sight: no read finds it unless it asks for the
// archive. It keeps its embedding.
func (f *file) archive(tx *sqlite.Tx, it *Item, why string) error {
	it.Archived, it.Why = &tx.Now, clip(why, maxWhy)
	if _, err := tx.Exec(`UPDATE items SET archived = ?, why = ? WHERE n = ?`,
		tx.Now.UnixMilli(), it.Why, it.n); err != nil {
		return err
	}
	if err := f.indexAgain(tx, it); err != nil {
		return err
	}
	return f.event(tx, Event{Verb: VerbPutAway, Scope: it.Scope().String(), Subject: it.ID,
		Why: why, agent: it.Agent})
}

// indexAgain indexes an item whose texts are as they were.
func (f *file) indexAgain(tx *sqlite.Tx, it *Item) error {
	vectors, err := f.Index.Vectors(tx, it.n)
	if err != nil {
		return err
	}
	return f.Index.Put(tx, document(it, vectors[it.n]))
}

// revive makes an archived or forgotten item live again. v is the embedding of one that
// is forgotten: the index has none of it.
func (f *file) revive(tx *sqlite.Tx, it *Item, v embed.Vector, why string,
	warnings *[]string) error {
	forgotten := it.Forgotten != nil
	it.Archived, it.Forgotten, it.Rule, it.ReplacedBy, it.Why = nil, nil, "", "", ""
	if forgotten {
		v, err := f.Usable(tx, f.s.opt.Embedder, v, warnings)
		if err != nil {
			return err
		}
		if it.Model, it.Dim = "", 0; v != nil {
			it.Model, it.Dim = f.s.opt.Embedder.Model().Name, len(v)
		}
		if err := it.stored().Update(tx, "items", it.n); err != nil {
			return err
		}
		if err := f.Index.Put(tx, document(it, v)); err != nil {
			return err
		}
	} else {
		if err := it.stored().Update(tx, "items", it.n); err != nil {
			return err
		}
		if err := f.indexAgain(tx, it); err != nil {
			return err
		}
	}
	return f.event(tx, Event{Verb: VerbRestored, Scope: it.Scope().String(), Subject: it.ID,
		Why: why, agent: it.Agent})
}

// Restore brings an item back that is archived or forgotten, by whatever rule. It
// counts as read now. One whose time is over, or whose conversation is archived, has no
// end from then on.
func (s *Store) Restore(ctx context.Context, id string) (Stored, error) {
	out := Stored{Warnings: []string{}}
	f, it, err := s.find(ctx, id)
	if err != nil {
		return out, err
	}
	var v embed.Vector
	if it.Forgotten != nil {
		if v, err = store.Vector(ctx, s.opt.Embedder, embeddingText(it), &out.Warnings); err != nil {
			return out, err
		}
	}
	warned := len(out.Warnings)
	err = f.WriteIndex(ctx, func(tx *sqlite.Tx) error {
		out.Warnings = out.Warnings[:warned] // a second try says it once
		it, err := s.again(tx, id)
		if err != nil {
			return err
		}
		if it.Live() {
			return conflict(it.ID+" is neither archived nor forgotten", "nothing is to be done")
		}
		if it.Rule == RuleAsked { // whoever forgot it meant it
			if err := s.mayChange(it); err != nil {
				return err
			}
		}
		if it.hasExpired(tx.Now) {
			it.Expires = nil
			out.Warnings = append(out.Warnings, "its time was over: it has no end now")
		}
		if it.Lifetime == LifeConversation {
			it.Lifetime = LongTerm
			out.Warnings = append(out.Warnings,
				"it was to live as long as its conversation: it is long-term now")
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
