package chunks

import (
	"context"
	"fmt"
	"time"

	"blackboard/board/fault"
	"blackboard/board/sqlite"
	"blackboard/embed"
	"blackboard/kb/store"
)

type Embedded = store.Embedded

// Embed adds the missing embeddings of the chunks with these ids. A server calls it in
// the background after it has answered.
//
// Without a model it returns fault.NoModel. If the store's embeddings are of another
// model, it returns an error that matches fault.Conflict, since vectors of two models
// cannot be compared; Reembed switches the model.
func (s *Store) Embed(ctx context.Context, ids ...string) (Embedded, error) {
	return s.embed(ctx, store.EmbedOptions{Where: `id IN (SELECT value FROM json_each(?))`, Args: []any{sqlite.List(ids)}})
}

// Backfill adds missing embeddings in at most `batches` batches (0: all).
func (s *Store) Backfill(ctx context.Context, within time.Duration) (Embedded, error) {
	return s.embed(ctx, store.EmbedOptions{Within: within})
}

// Reembed is Backfill that replaces embeddings of another model.
func (s *Store) Reembed(ctx context.Context, progress func(done, of int)) (Embedded, error) {
	return s.embed(ctx, store.EmbedOptions{Change: true, Progress: progress})
}

// checkModel returns fault.Conflict if the embeddings are of another model.
func (f *file) checkModel(tx *sqlite.Tx, m embed.Model) error {
	name, dim, err := f.Index.Model(tx)
	if err == nil && name != "" && (name != m.Name || dim != m.Dim) {
		err = fault.Conflict.New(fmt.Sprintf("the store is embedded with %s (%d numbers), the model here is %s (%d)", name, dim, m.Name, m.Dim), "", fault.Do("context.reembed", "{} switches to the model here"))
	}
	return err
}

func (s *Store) embed(ctx context.Context, opt store.EmbedOptions) (Embedded, error) {
	if s.embedder == nil {
		return Embedded{}, embed.NoModel()
	}
	m := s.embedder.Model()
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
	if !opt.Change {
		if err := f.ReadIndex(ctx, func(tx *sqlite.Tx) error { return f.checkModel(tx, m) }); err != nil {
			return out, storeError(err)
		}
	}
	out, err = store.Embed(ctx, s.embedder, []*store.File{f.File}, opt)
	return out, storeError(err)
}
