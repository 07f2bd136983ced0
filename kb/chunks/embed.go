package chunks

import (
	"context"
	"fmt"

	"blackboard/board/fault"
	"blackboard/board/sqlite"
	"blackboard/embed"
	"blackboard/kb/store"
)

// Embedded is what became of chunks that had no embedding.
type Embedded = store.Embedded

// Embed gives chunks that were just written their embeddings: those with these ids that
// have none yet. A server calls it in the background, after it has answered.
//
// Without a model that is fault.NoModel. If the store holds embeddings of another model,
// it is an error that matches fault.Conflict: they are not comparable, and Reembed
// changes over.
func (s *Store) Embed(ctx context.Context, ids ...string) (Embedded, error) {
	return s.embed(ctx, store.EmbedOptions{Where: `id IN (SELECT value FROM json_each(?))`, Args: []any{sqlite.List(ids)}})
}

// Backfill is Embed for all chunks that have no embedding, in batches of 50, of which
// each is kept, at most so many (0: until none is left). A server calls it when it
// starts.
func (s *Store) Backfill(ctx context.Context, batches int) (Embedded, error) {
	return s.embed(ctx, store.EmbedOptions{Batches: batches})
}

// Reembed is Backfill, and changes over to the model at hand if the embeddings are of
// another one. It calls progress after each batch.
func (s *Store) Reembed(ctx context.Context, progress func(done, of int)) (Embedded, error) {
	return s.embed(ctx, store.EmbedOptions{Change: true, Progress: progress})
}

// sameModel is an error that matches fault.Conflict if the store's embeddings are of
// another model.
func (f *file) sameModel(tx *sqlite.Tx, m embed.Model) error {
	name, dim, err := f.Index.Model(tx)
	if err == nil && name != "" && (name != m.Name || dim != m.Dim) {
		err = fault.Conflict.New(fmt.Sprintf("the store is embedded with %s (%d numbers), the model here is %s (%d)", name, dim, m.Name, m.Dim), "", fault.Do("context.reembed", "{} changes over to the model here"))
	}
	return err
}

func (s *Store) embed(ctx context.Context, opt store.EmbedOptions) (Embedded, error) {
	if s.opt.Embedder == nil {
		return Embedded{}, embed.NoModel()
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
	if !opt.Change {
		if err := f.ReadIndex(ctx, func(tx *sqlite.Tx) error { return f.sameModel(tx, m) }); err != nil {
			return out, storeError(err)
		}
	}
	out, err = store.Embed(ctx, s.opt.Embedder, []*store.File{f.File}, opt)
	return out, storeError(err)
}
