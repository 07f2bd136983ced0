package chunks

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"blackboard/board/sqlite"
	"blackboard/kb/index"
	"blackboard/kb/markdown"
	"blackboard/kb/secret"
)

type importer struct {
	f          *file
	tx         *sqlite.Tx
	res        *ImportResult
	vectors    bool // whether embeddings are imported
	docs       []index.Doc
	deviations map[string]int // what was changed on import, and of how many chunks
}

// takeBatch chunks are indexed at once, as a segment of their own.
const takeBatch = 4096

func (f *file) importAll(ctx context.Context, tx *sqlite.Tx, s *Store, src *source, res *ImportResult) error {
	name, dim, err := f.Index.Model(tx)
	if err != nil {
		return err
	}
	t := &importer{f: f, tx: tx, res: res, deviations: map[string]int{}}
	// Embeddings are kept if they are of the current model, or if there is no model to make others.
	t.vectors = name == "" || name == originalModel.Name && dim == originalModel.Dim
	if s.embedder != nil && s.embedder.Model().Dim > 0 {
		m := s.embedder.Model()
		t.vectors = t.vectors && m.Name == originalModel.Name && m.Dim == originalModel.Dim
	}
	res.Source, res.Refused, res.Notes = src.path, append(res.Refused, src.refused...), append(res.Notes, src.notes...)
	for _, c := range src.chunks {
		c.Tags = slices.Clone(c.Tags) // secrets are masked, and the transaction may run again
		if err := cmp.Or(ctx.Err(), t.importChunk(c)); err != nil {
			return err
		}
	}
	for _, v := range src.states {
		if err := t.importState(v); err != nil {
			return err
		}
	}
	for _, what := range slices.Sorted(maps.Keys(t.deviations)) {
		res.Notes = append(res.Notes, fmt.Sprintf("%s: %d chunks", what, t.deviations[what]))
	}
	if src.more > 0 {
		res.Notes = append(res.Notes, fmt.Sprintf("%d more were refused, which are not listed", src.more))
	}
	return t.flush()
}

func (t *importer) importChunk(in incomingChunk) error {
	if in.isExpired(t.tx.Now) {
		t.res.Expired++
		return nil
	}
	n, news, err := t.isNewer(&in.Meta)
	if err != nil || !news {
		return err
	}
	in.fillTimes(t.tx.Now)
	for _, what := range in.odd {
		t.deviations[what]++
	}
	if !t.vectors {
		in.vector = nil
	}
	var masked secret.Masker
	if in.mask(&masked); len(masked.Notes) > 0 {
		t.deviations["what looks like a secret was masked"]++
	}
	if in.vector != nil {
		if t.res.Embeddings == 0 {
			if err := t.f.Index.SetModel(t.tx, originalModel); err != nil {
				return err
			}
		}
		in.Model = originalModel.Name
		t.res.Embeddings++
	}
	if in.n = n; n != 0 {
		t.res.Chunks.Updated++
		err = in.stored(true).Update(t.tx, "chunks", n)
	} else {
		t.res.Chunks.Added++
		err = insert(t.tx, &in.Chunk, true)
	}
	if err != nil {
		return err
	}
	// a source may contain an id twice
	if n != 0 && slices.ContainsFunc(t.docs, func(d index.Doc) bool { return d.ID == n }) {
		if err := t.flush(); err != nil {
			return err
		}
	}
	t.docs = append(t.docs, document(&in.Chunk, in.vector))
	if len(t.docs) == takeBatch {
		return t.flush()
	}
	return nil
}

// isNewer reports whether to import a chunk, and which older version it replaces, or 0.
func (t *importer) isNewer(in *Meta) (n int64, news bool, err error) {
	newer := func(than int64) bool { return !in.Updated.IsZero() && in.Updated.UnixMilli() > than }
	var here int64
	err = t.tx.QueryRow(`SELECT n, updated FROM chunks WHERE id = ?`, in.ID).Scan(&n, &here)
	if err == nil {
		if news = newer(here); !news {
			t.res.Chunks.Kept++
		}
		return n, news, nil
	}
	if !sqlite.IsNoRows(err) {
		return 0, false, err
	}
	err = t.tx.QueryRow(`SELECT at FROM deleted WHERE id = ?`, in.ID).Scan(&here)
	switch {
	case sqlite.IsNoRows(err):
		return 0, true, nil
	case err != nil:
		return 0, false, err
	case !newer(here):
		t.res.Deleted++
		return 0, false, nil
	}
	_, err = t.tx.Exec(`DELETE FROM deleted WHERE id = ?`, in.ID)
	return 0, true, err
}

func (t *importer) flush() error {
	err := t.f.Index.Put(t.tx, t.docs...)
	t.docs = t.docs[:0]
	return err
}

func (t *importer) importState(in State) error {
	var here int64
	err := t.tx.QueryRow(`SELECT updated FROM state WHERE key = ?`, in.Key).Scan(&here)
	switch {
	case err != nil && !sqlite.IsNoRows(err):
		return err
	case err != nil:
		t.res.State.Added++
	case in.Updated.IsZero() || in.Updated.UnixMilli() <= here:
		t.res.State.Kept++
		return nil
	default:
		t.res.State.Updated++
	}
	if in.Updated.IsZero() {
		in.Updated = t.tx.Now
	}
	in.Value = new(secret.Masker).JSON("the value", in.Key, in.Value)
	return putState(t.tx, &in)
}

func (c *Chunk) fillTimes(now time.Time) {
	if c.Updated.IsZero() {
		c.Updated = c.Created
	}
	if c.Updated.IsZero() {
		c.Updated = now
	}
	if c.Created.IsZero() || c.Created.After(c.Updated) {
		c.Created = c.Updated
	}
}

const (
	// maxImported is the most bytes of an imported text: larger ones are no notes.
	maxImported = 1 << 20
	// maxID is the most bytes of an imported id.
	maxID = 200
	// Untitled is the topic of a chunk without one.
	Untitled = "Untitled"
)

// Differences between an imported chunk and a valid one.
const (
	oddImportance = "an unknown importance was changed to " + Medium
	oddExpiry     = "an unreadable expiry time is ignored: those chunks do not expire"
)

// complete converts an imported chunk into the stored form, or says why it cannot.
func (c *incomingChunk) complete() (why string) {
	c.ID, c.Topic, c.Agent, c.Content = strings.TrimSpace(c.ID), strings.TrimSpace(text(c.Topic)), strings.TrimSpace(text(c.Agent)), text(c.Content)
	if c.ID == "" || len(c.ID) > maxID || text(c.ID) != c.ID || inLine(c.ID) != c.ID || strings.Contains(c.ID, "`") {
		return fmt.Sprintf("its id is not one line of 1 to %d bytes, without backquotes", maxID)
	}
	c.Tags = normaliseTags(c.Tags)
	for _, f := range []struct {
		what string
		size int
	}{{"topic", len(c.Topic)}, {"agent", len(c.Agent)}, {"list of tags", len(sqlite.List(c.Tags))}, {"content", len(c.Content)}} {
		if f.size > maxImported {
			return fmt.Sprintf("its %s is larger than %d bytes", f.what, maxImported)
		}
	}
	c.Topic = cmp.Or(c.Topic, Untitled)
	c.Agent = cmp.Or(c.Agent, DefaultAgent)
	c.Importance = strings.ToLower(strings.TrimSpace(c.Importance))
	if !slices.Contains(Importances, c.Importance) {
		if c.Importance != "" {
			c.odd = append(c.odd, oddImportance)
		}
		c.Importance = Medium
	}
	return ""
}

// complete converts an imported value into the stored form, or says why it cannot.
func (v *State) complete() (why string) {
	if v.Key = text(v.Key); v.Key == "" || len(v.Key) > maxImported {
		return fmt.Sprintf("its key is not one of 1 to %d bytes", maxImported)
	}
	if len(v.Value) > maxImported {
		return fmt.Sprintf("its value is larger than %d bytes", maxImported)
	}
	plain, err := plainJSON(v.Value)
	if err != nil {
		return "its value is not JSON"
	}
	v.Value = plain
	return ""
}

func parseTime(s string) (time.Time, bool) {
	t, ok := markdown.ParseTime(s)
	if t = t.UTC().Truncate(time.Millisecond); !ok || t.Year() < 1970 || t.Year() > 9999 {
		return time.Time{}, false
	}
	return t, true
}

// setTimes parses a chunk's times. Without a valid expiry it does not expire.
func (c *incomingChunk) setTimes(created, updated, expires string) {
	c.Created, _ = parseTime(created)
	c.Updated, _ = parseTime(updated)
	if t, ok := parseTime(expires); ok {
		c.Expires = &t
	} else if strings.TrimSpace(expires) != "" {
		c.odd = append(c.odd, oddExpiry)
	}
}
