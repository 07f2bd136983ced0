package kb

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"blackboard/board/fault"
	"blackboard/board/sqlite"
	"blackboard/embed"
	"blackboard/kb/index"
	"blackboard/kb/store"
)

const copyBatch = 500

// Copied counts the capsules of a knowledge base that was copied.
type Copied struct {
	Capsules int `json:"capsules"` // capsules that the source has or had
	New      int `json:"new"`      // capsules that were copied
	Changed  int `json:"changed"`  // capsules that have changed at the source
	// capsules that have changed at the target
	Newer     int      `json:"newer"`
	Conflicts []string `json:"conflicts"` // ids that have changed at both; left as they are
}

// Copy copies the capsules of one knowledge base to another, with their whole history, the
// decisions and the ingested documents. It deletes nothing and does not change the source, and does
// nothing if the source does not exist. It can be repeated: what is there already is skipped. After
// writing, the content and history of each capsule are verified against the source.
func Copy(ctx context.Context, from, to, actor string) (r Copied, err error) {
	r.Conflicts = []string{}
	src, err := OpenExisting(ctx, from, Options{Actor: actor})
	if errors.Is(err, fault.NotFound) {
		return r, nil
	}
	if err != nil {
		return r, err
	}
	defer src.Close()
	var ids []string
	beside := otherRows{}
	if err := src.db.Read(ctx, func(tx *sqlite.Tx) (err error) {
		if ids, err = sqlite.Column[string](tx, `SELECT id FROM capsules ORDER BY n`); err != nil {
			return err
		}
		gone, err := sqlite.Column[string](
			tx, `SELECT DISTINCT capsule FROM events WHERE capsule NOT IN (SELECT id FROM capsules)
				ORDER BY capsule`)
		ids = append(ids, gone...)
		if err == nil {
			err = beside.read(tx)
		}
		return err
	}); err != nil {
		return r, err
	}
	dst, err := Open(ctx, to, Options{Actor: actor})
	if err != nil {
		return r, err
	}
	defer dst.Close()
	r.Capsules = len(ids)
	for part := range slices.Chunk(ids, copyBatch) {
		if err := r.copySome(ctx, src, dst, part); err != nil {
			return r, err
		}
	}
	return r, dst.change(ctx, func(ch *change) error { return beside.write(ch.tx) })
}

type withHistory struct {
	row    *Capsule // nil: the capsule was deleted
	events []storedEvent
	vector embed.Vector
}

// storedEvent is an event as it is stored, without its number.
type storedEvent struct {
	At                   int64
	Actor, Verb, Capsule string
	Revision             int64
	Other, Why, Before   string
	Content              string
}

func (e *storedEvent) columns() store.Columns {
	return store.Columns{"at", &e.At, "actor", &e.Actor, "verb", &e.Verb, "capsule", &e.Capsule,
		"revision", &e.Revision, "other", &e.Other, "why", &e.Why, "before", &e.Before,
		"content", &e.Content}
}

// readWithHistory reads capsules with their events, by id, and the embedding model.
func (k *KB) readWithHistory(tx *sqlite.Tx, ids []string) (
	all map[string]*withHistory, m embed.Model, err error) {
	all = map[string]*withHistory{}
	for _, id := range ids {
		all[id] = &withHistory{}
	}
	const among = `IN (SELECT value FROM json_each(?))`
	caps, err := capsulesWhere(tx, `id `+among, sqlite.List(ids))
	if err != nil {
		return nil, m, err
	}
	ns := make([]int64, len(caps))
	for i := range caps {
		all[caps[i].ID].row, ns[i] = &caps[i], caps[i].n
	}
	vs, err := k.index.Vectors(tx, ns...)
	if err == nil {
		m.Name, m.Dim, err = k.index.Model(tx)
	}
	if err != nil {
		return nil, m, err
	}
	for i := range caps {
		all[caps[i].ID].vector = vs[caps[i].n]
	}
	var e storedEvent
	err = tx.Each(e.columns().Dest(""), func() error {
		all[e.Capsule].events = append(all[e.Capsule].events, e)
		return nil
	}, `SELECT `+e.columns().Names("", "")+` FROM events WHERE capsule `+among+` ORDER BY seq`,
		sqlite.List(ids))
	return all, m, err
}

// checksum is the SHA-256 of a capsule's content and history, without usage and embedding.
func (t *withHistory) checksum() (sum [sha256.Size]byte, err error) {
	c := Capsule{}
	if t.row != nil {
		c = *t.row
	}
	c.n, c.Model, c.Dim, c.DecayScore, c.Retrieved = 0, "", 0, 0, nil
	b, err := json.Marshal([]any{c, t.events})
	return sha256.Sum256(b), err
}

func (r *Copied) copySome(ctx context.Context, src, dst *KB, ids []string) error {
	var from map[string]*withHistory
	var model embed.Model
	if err := src.db.Read(ctx, func(tx *sqlite.Tx) (err error) {
		from, model, err = src.readWithHistory(tx, ids)
		return err
	}); err != nil {
		return err
	}
	was := *r
	return dst.change(ctx, func(ch *change) error {
		*r = was
		if dst.sidecars != "" {
			for _, id := range ids {
				if err := ch.pickUp(id); err != nil {
					return err
				}
			}
		}
		there, own, err := dst.readWithHistory(ch.tx, ids)
		if err != nil {
			return err
		}
		if own.Name == "" && model.Name != "" {
			if err := dst.index.SetModel(ch.tx, model); err != nil {
				return err
			}
			own = model
		}
		var wrote []string
		var docs []index.Doc
		for _, id := range ids {
			done, err := r.copyOne(ch, id, from[id], there[id], own == model, &docs)
			if err != nil {
				return err
			}
			if done {
				wrote = append(wrote, id)
			}
		}
		// in one batch: one by one is many times slower
		if err := dst.index.Put(ch.tx, docs...); err != nil {
			return err
		}
		there, _, err = dst.readWithHistory(ch.tx, wrote)
		for _, id := range wrote {
			want, err := from[id].checksum()
			got, err2 := there[id].checksum()
			if err := errors.Join(err, err2); err != nil {
				return err
			}
			if got != want {
				return fault.Corrupt.New("capsule "+id+
					" differs from the source after it was copied",
					"repeat the copy; if the error remains, check both knowledge bases")
			}
		}
		return err
	})
}

// copyOne writes a capsule that is missing or has changed, and adds its document to docs.
func (r *Copied) copyOne(ch *change, id string, from, there *withHistory, embedded bool,
	docs *[]index.Doc) (wrote bool, err error) {
	old, events := there.row, from.events
	switch n := len(there.events); {
	case n == 0 && old == nil:
		r.New++
	case n > len(from.events) && slices.Equal(there.events[:len(from.events)], from.events):
		r.Newer++
		return false, nil
	case n > len(from.events) || !slices.Equal(there.events, from.events[:n]):
		r.Conflicts = append(r.Conflicts, id)
		return false, nil
	case n == len(from.events):
		if (old == nil) != (from.row == nil) || old != nil && !sameContent(old, from.row) {
			r.Conflicts = append(r.Conflicts, id)
		}
		return false, nil
	default:
		r.Changed++
		events = events[n:]
	}
	if from.row != nil {
		var doc index.Doc
		doc, err = ch.storeCopy(old, *from.row, from.vector, embedded)
		*docs = append(*docs, doc)
	} else if old != nil {
		err = ch.deleteCapsule(old)
	}
	for i := range events {
		if err == nil {
			err = events[i].columns().Add(ch.tx, "events")
		}
	}
	return err == nil, err
}

func (ch *change) storeCopy(old *Capsule, c Capsule, v embed.Vector, embedded bool) (
	d index.Doc, err error) {
	if !embedded {
		v = nil
	}
	if v == nil {
		c.Model, c.Dim = "", 0
	}
	if err := ch.writeSidecar(&c); err != nil {
		return d, err
	}
	if old == nil {
		err = insertRow(ch.tx, &c)
	} else {
		err = updateRow(ch.tx, old, &c)
	}
	return document(&c, v), err
}

// otherRows are the rows of the other tables: decisions, documents, thresholds.
type otherRows map[string][][]any

var otherTables = map[string][]string{
	"decisions":  {"a", "b", "decision", "why", "actor", "at"},
	"ingested":   {"file", "sha256", "parts", "refused", "at"},
	"thresholds": {"model", "dim", "threshold", "kept", "rejected", "measured"},
}

func (o otherRows) read(tx *sqlite.Tx) error {
	for table, columns := range otherTables {
		row, into := make([]any, len(columns)), make([]any, len(columns))
		for i := range row {
			into[i] = &row[i]
		}
		list := strings.Join(columns, ", ")
		if err := tx.Each(into, func() error {
			o[table] = append(o[table], slices.Clone(row))
			return nil
		}, `SELECT `+list+` FROM `+table+` ORDER BY `+list); err != nil {
			return err
		}
	}
	return nil
}

// write inserts the rows that are missing.
func (o otherRows) write(tx *sqlite.Tx) error {
	for table, rows := range o {
		columns := otherTables[table]
		insert := `INSERT INTO ` + table + ` (` + strings.Join(columns, ", ") + `) VALUES (` +
			strings.Repeat("?, ", len(columns)-1) + `?) ON CONFLICT DO NOTHING`
		for _, row := range rows {
			if _, err := tx.Exec(insert, row...); err != nil {
				return err
			}
		}
	}
	return nil
}
