package chunks

import (
	"context"
	"errors"
	"time"

	"blackboard/board/fault"
	"blackboard/board/sqlite"
	"blackboard/kb/index"
	"blackboard/kb/secret"
)

// Write stores a chunk: found by words at once, by meaning once Embed has run.
func (s *Store) Write(ctx context.Context, c NewChunk) (Chunk, error) {
	out, err := c.toChunk()
	if err != nil {
		return Chunk{}, err
	}
	secret.MaskWrite(ctx, out.mask)
	err = s.writing(ctx, func(f *file, tx *sqlite.Tx) error {
		if err := f.purgeIn(tx); err != nil {
			return err
		}
		out.Created, out.Updated, out.Expires = tx.Now, tx.Now, c.expiry(tx.Now)
		for taken := true; taken; {
			out.ID = newID(out.Agent, out.Topic, tx.Now)
			if err := tx.QueryRow(`SELECT EXISTS (SELECT 1 FROM chunks WHERE id = ?1) OR EXISTS (SELECT 1 FROM deleted WHERE id = ?1)`, out.ID).Scan(&taken); err != nil {
				return err
			}
		}
		if err := insert(tx, &out, false); err != nil {
			return err
		}
		return f.Index.Put(tx, document(&out, nil))
	})
	if err != nil {
		return Chunk{}, err
	}
	return out, nil
}

// mask masks what looks like a secret, since others read it here.
func (c *Chunk) mask(m *secret.Masker) {
	m.Text("the topic", &c.Topic)
	m.Text("the content", &c.Content)
	for i := range c.Tags {
		m.Text("a tag", &c.Tags[i])
	}
}

// Read returns a chunk. For an unknown, deleted or expired one the error matches fault.NotFound.
func (s *Store) Read(ctx context.Context, id string) (Chunk, error) {
	id = text(id)
	var found []Chunk
	if err := s.reading(ctx, func(_ *file, tx *sqlite.Tx) (err error) {
		found, err = chunksWhere(tx, `id = ? AND (expires IS NULL OR expires > ?)`, id, tx.Now.UnixMilli())
		return err
	}); err != nil {
		return Chunk{}, err
	}
	if len(found) == 0 {
		return Chunk{}, noChunk(id)
	}
	return found[0], nil
}

// Delete deletes chunks for good, all or none. For an unknown one the error matches fault.NotFound.
func (s *Store) Delete(ctx context.Context, ids ...string) error {
	// an unknown id must not create the file or wait for a writer
	for _, id := range ids {
		if _, err := s.Read(ctx, id); err != nil {
			return err
		}
	}
	f, err := s.file(ctx, false)
	if err != nil {
		return err
	}
	if f == nil {
		return noChunk(text(ids[0]))
	}
	return storeError(f.WriteIndex(ctx, func(tx *sqlite.Tx) error {
		for _, id := range ids {
			if err := f.delete(tx, text(id)); err != nil {
				return err
			}
		}
		return nil
	}))
}

func (f *file) delete(tx *sqlite.Tx, id string) error {
	ns, err := sqlite.Column[int64](tx, `SELECT n FROM chunks WHERE id = ? AND (expires IS NULL OR expires > ?)`,
		id, tx.Now.UnixMilli())
	if err != nil {
		return err
	}
	if len(ns) == 0 {
		return noChunk(id)
	}
	if _, err := tx.Exec(`INSERT OR REPLACE INTO deleted SELECT id, ? FROM chunks WHERE n = ? AND imported`,
		tx.Now.UnixMilli(), ns[0]); err != nil {
		return err
	}
	return f.remove(tx, ns...)
}

// purgeTimeout is how long opening waits to delete expired chunks, which nobody sees.
const purgeTimeout = time.Second

// purge deletes expired chunks, unless other writers are busy for purgeTimeout.
func (f *file) purge(ctx context.Context) error {
	if f.ReadOnly() {
		return nil
	}
	var due bool
	if err := f.Read(ctx, func(tx *sqlite.Tx) (err error) {
		due, err = sqlite.One[bool](tx, `SELECT EXISTS (SELECT 1 FROM chunks WHERE expires <= ?)`, tx.Now.UnixMilli())
		return err
	}); err != nil || !due {
		return err
	}
	err := f.WriteWithin(ctx, purgeTimeout, f.purgeIn)
	// the next read or write repairs it
	if errors.Is(err, fault.Busy) || errors.Is(err, index.ErrCorrupt) {
		return nil
	}
	return err
}

func (f *file) purgeIn(tx *sqlite.Tx) error {
	gone, err := expired(tx)
	if err != nil || len(gone) == 0 {
		return err
	}
	return f.remove(tx, gone...)
}

func expired(tx *sqlite.Tx) ([]int64, error) {
	return sqlite.Column[int64](tx, `SELECT n FROM chunks WHERE expires <= ?`, tx.Now.UnixMilli())
}
