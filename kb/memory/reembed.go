package memory

import (
	"context"

	"blackboard/embed"
	"blackboard/kb/store"
)

// Reembedded is what Reembed did.
type Reembedded = store.Embedded

// Reembed gives every live item that the caller's files hold the embedding of the model at hand, private ones too: those that were stored without, and all when the model has changed.
// It goes in batches, each of them kept, at most so many (0: until none is left), and calls progress after each. Without a model it does nothing, which is fault.NoModel.
func (s *Store) Reembed(ctx context.Context, batches int, progress func(done, of int)) (Reembedded, error) {
	return s.embed(ctx, store.EmbedOptions{Batches: batches, Change: true, Progress: progress})
}

// Backfill is Reembed for upkeep, which nobody has asked for: files with the embeddings of another model stay as they are.
func (s *Store) Backfill(ctx context.Context, batches int) (Reembedded, error) {
	return s.embed(ctx, store.EmbedOptions{Batches: batches})
}

func (s *Store) embed(ctx context.Context, opt store.EmbedOptions) (Reembedded, error) {
	if s.opt.Embedder == nil {
		return Reembedded{}, embed.NoModel()
	}
	var files []*store.File
	for f, err := range s.reached(ctx) {
		if err != nil {
			return Reembedded{Model: s.opt.Embedder.Model().Name}, err
		}
		files = append(files, f.File)
	}
	return store.Embed(ctx, s.opt.Embedder, files, opt)
}
