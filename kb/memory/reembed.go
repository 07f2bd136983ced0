package memory

import (
	"context"

	"blackboard/board/sqlite"
	"blackboard/embed"
)

// Reembedded is what Reembed did.
type Reembedded struct {
	Model    string `json:"model"`
	Embedded int    `json:"embedded"`
	Left     int    `json:"left"` // still without
}

// ReembedBatch is how many items are embedded between two writes.
const ReembedBatch = 50

// Reembed gives every live item that the caller's files hold the embedding of the model at hand, private ones too: those that were stored without, and all when the model has changed.
// It goes in batches, each of them kept, at most so many (0: until none is left), and calls progress after each. Without a model it does nothing, which is embed.ErrNoModel.
func (s *Store) Reembed(ctx context.Context, batches int, progress func(done, of int)) (Reembedded, error) {
	return s.reembed(ctx, batches, false, progress)
}

// Backfill is Reembed for upkeep, which nobody has asked for: files with the embeddings of another model stay as they are.
func (s *Store) Backfill(ctx context.Context, batches int) (Reembedded, error) {
	return s.reembed(ctx, batches, true, nil)
}

func (s *Store) reembed(ctx context.Context, batches int, sameModel bool, progress func(done, of int)) (Reembedded, error) {
	if s.opt.Embedder == nil {
		return Reembedded{}, &Error{Kind: embed.ErrNoModel, Msg: "no embedding model is installed", Hint: "`board model pull` fetches one"}
	}
	m := s.opt.Embedder.Model()
	out := Reembedded{Model: m.Name}
	total := 0
	var files []*file
	for f, err := range s.reached(ctx) {
		if err != nil {
			return out, err
		}
		var missing int
		count := func(tx *sqlite.Tx) error {
			if name, dim, err := f.index.Model(tx); err != nil || sameModel && name != "" && (name != m.Name || dim != m.Dim) {
				return err
			}
			return tx.QueryRow(`SELECT count(*) FROM items WHERE forgotten IS NULL AND (model <> ? OR dim <> ?)`, m.Name, m.Dim).Scan(&missing)
		}
		if err := f.read(ctx, count); err != nil {
			return out, err
		}
		if missing > 0 {
			if err := f.write(ctx, func(tx *sqlite.Tx) error {
				if err := f.index.SetModel(tx, m); err != nil {
					return err
				}
				_, err := tx.Exec(`UPDATE items SET model = '', dim = 0 WHERE forgotten IS NULL AND model <> '' AND (model <> ? OR dim <> ?)`, m.Name, m.Dim)
				return err
			}); err != nil {
				return out, err
			}
			files = append(files, f)
			total += missing
		}
	}
	out.Left = total
	done := 0
	for _, f := range files {
		var after int64
		for batches <= 0 || done < batches {
			n, last, err := f.reembed(ctx, m, after)
			if err != nil {
				return out, err
			}
			if last == 0 {
				break
			}
			after = last
			done++
			out.Embedded += n
			out.Left = max(0, out.Left-n)
			if progress != nil {
				progress(out.Embedded, max(total, out.Embedded))
			}
		}
	}
	return out, nil
}

// reembed embeds one batch of the items after a number, and returns how many and the last one's number, 0 if there was none.
func (f *file) reembed(ctx context.Context, m embed.Model, after int64) (n int, last int64, err error) {
	var items []Item
	if err := f.read(ctx, func(tx *sqlite.Tx) (err error) {
		items, err = itemsWhere(tx, `forgotten IS NULL AND model = '' AND n > ? ORDER BY n LIMIT ?`, after, ReembedBatch)
		return err
	}); err != nil || len(items) == 0 {
		return 0, 0, err
	}
	texts := make([]string, len(items))
	for i := range items {
		texts[i] = embeddingText(&items[i])
	}
	vs, err := f.s.opt.Embedder.Embed(ctx, texts)
	if err != nil {
		return 0, 0, err
	}
	err = f.write(ctx, func(tx *sqlite.Tx) error {
		n = 0
		for i := range items {
			now, err := itemsWhere(tx, `n = ? AND revision = ? AND forgotten IS NULL`, items[i].n, items[i].Revision)
			if err != nil {
				return err
			}
			if len(now) == 0 { // changed meanwhile
				continue
			}
			if _, err := tx.Exec(`UPDATE items SET model = ?, dim = ? WHERE n = ?`, m.Name, m.Dim, items[i].n); err != nil {
				return err
			}
			if err := f.index.Put(tx, document(&now[0], vs[i])); err != nil {
				return err
			}
			n++
		}
		return nil
	})
	return n, items[len(items)-1].n, err
}
