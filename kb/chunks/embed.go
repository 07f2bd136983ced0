package chunks

import (
	"context"
	"errors"
	"fmt"

	"blackboard/board/sqlite"
	"blackboard/embed"
)

// Embedded is what became of chunks that had no embedding.
type Embedded struct {
	Model    string `json:"model"`
	Embedded int    `json:"embedded"`
	Left     int    `json:"left"` // in the store, still without
}

// embedBatch is how many chunks are embedded between two writes.
const embedBatch = 50

// Embed gives chunks that were just written their embeddings: those with these ids that have none yet. A server calls it in the background, after it has answered.
//
// Without a model that is embed.ErrNoModel. If the store holds embeddings of another model, it is an error that matches ErrConflict: they are not comparable, and Reembed changes over.
func (s *Store) Embed(ctx context.Context, ids ...string) (Embedded, error) {
	return s.embedWhere(ctx, `id IN (SELECT value FROM json_each(?))`, []any{jsonList(ids)}, 0, nil)
}

// Backfill is Embed for all chunks that have no embedding, in batches of 50, of which each is kept, at most so many (0: until none is left). A server calls it when it starts.
func (s *Store) Backfill(ctx context.Context, batches int) (Embedded, error) {
	return s.embedWhere(ctx, `1`, nil, batches, nil)
}

// Reembed is Backfill, and changes over to the model at hand if the embeddings are of another one. It calls progress after each batch.
func (s *Store) Reembed(ctx context.Context, progress func(done, of int)) (Embedded, error) {
	if s.opt.Embedder == nil {
		return Embedded{}, noModel()
	}
	f, err := s.file(ctx, false)
	if err != nil || f == nil {
		return Embedded{Model: s.opt.Embedder.Model().Name}, err
	}
	m := s.opt.Embedder.Model()
	err = f.read(ctx, func(tx *sqlite.Tx) error { return f.sameModel(tx, m) })
	if errors.Is(err, ErrConflict) {
		err = f.write(ctx, func(tx *sqlite.Tx) error {
			if err := f.index.SetModel(tx, m); err != nil {
				return err
			}
			_, err := tx.Exec(`UPDATE chunks SET model = '' WHERE model <> ''`)
			return err
		})
	}
	if err != nil {
		return Embedded{Model: m.Name}, err
	}
	return s.embedWhere(ctx, `1`, nil, 0, progress)
}

// sameModel is an error that matches ErrConflict if the store's embeddings are of another model.
func (f *file) sameModel(tx *sqlite.Tx, m embed.Model) error {
	name, dim, err := f.index.Model(tx)
	if err == nil && name != "" && (name != m.Name || dim != m.Dim) {
		err = &Error{Kind: ErrConflict, Msg: fmt.Sprintf("the store is embedded with %s (%d numbers), the model here is %s (%d)", name, dim, m.Name, m.Dim),
			Hint: "`board context reembed` changes over to the model here"}
	}
	return err
}

// embedWhere embeds the chunks of a condition that have no embedding.
func (s *Store) embedWhere(ctx context.Context, where string, args []any, batches int, progress func(done, of int)) (Embedded, error) {
	if s.opt.Embedder == nil {
		return Embedded{}, noModel()
	}
	m := s.opt.Embedder.Model()
	out := Embedded{Model: m.Name}
	select {
	case s.embedding <- struct{}{}:
		defer func() { <-s.embedding }()
	case <-ctx.Done():
		return out, ctx.Err()
	}
	f, err := s.file(ctx, false)
	if err != nil || f == nil {
		return out, err
	}
	total, after := 0, int64(0)
	if err := f.read(ctx, func(tx *sqlite.Tx) error {
		if err := f.sameModel(tx, m); err != nil {
			return err
		}
		return tx.QueryRow(`SELECT count(*) FROM chunks WHERE model = '' AND `+where, args...).Scan(&total)
	}); err != nil {
		return out, err
	}
	for done := 0; batches <= 0 || done < batches; done++ {
		var n int
		if n, after, err = s.embedSome(ctx, f, m, where, args, after); err != nil || after == 0 {
			break
		}
		out.Embedded += n
		if progress != nil {
			progress(out.Embedded, max(total, out.Embedded))
		}
	}
	if err != nil {
		return out, err
	}
	return out, f.read(ctx, func(tx *sqlite.Tx) error {
		return tx.QueryRow(`SELECT count(*) FROM chunks WHERE model = ''`).Scan(&out.Left)
	})
}

// embedSome embeds a batch of the chunks after a number, and returns how many it has embedded and the last one's number, 0 if there was none.
func (s *Store) embedSome(ctx context.Context, f *file, m embed.Model, where string, args []any, after int64) (n int, last int64, err error) {
	var some []Chunk
	if err := f.read(ctx, func(tx *sqlite.Tx) (err error) {
		some, err = chunksWhere(tx, `model = '' AND n > ? AND `+where+` ORDER BY n LIMIT ?`, append(append([]any{after}, args...), embedBatch)...)
		return err
	}); err != nil || len(some) == 0 {
		return 0, 0, err
	}
	texts := make([]string, len(some))
	for i := range some {
		texts[i] = embeddingText(&some[i])
	}
	vs, err := s.opt.Embedder.Embed(ctx, texts)
	if err != nil {
		return 0, 0, err
	}
	err = f.write(ctx, func(tx *sqlite.Tx) error {
		n = 0
		if err := f.sameModel(tx, m); err != nil {
			return err
		}
		if err := f.index.SetModel(tx, m); err != nil {
			return err
		}
		for i := range some {
			c := &some[i]
			// It may have been deleted meanwhile, imported anew, or embedded by somebody else.
			res, err := tx.Exec(`UPDATE chunks SET model = ? WHERE n = ? AND updated = ? AND model = ''`, m.Name, c.n, c.Updated.UnixMilli())
			if err != nil {
				return err
			}
			if changed, err := res.RowsAffected(); err != nil || changed == 0 {
				if err != nil {
					return err
				}
				continue
			}
			if err := f.index.Put(tx, document(c, vs[i])); err != nil {
				return err
			}
			n++
		}
		return nil
	})
	return n, some[len(some)-1].n, err
}
