package chunks

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"

	"blackboard/board/sqlite"
	"blackboard/embed"
	"blackboard/kb/index"
)

// indexConfig is of topic, tags, agent and content.
var indexConfig = index.Config{Name: "chunk_index", Weights: []float64{1.5, 1, 0.5, 1}, K1: 0.9, B: 0.4}

// Keywords of the filters.
const (
	kwTag   = "tag:" // in small letters
	kwAgent = "agent:"
)

// keyword makes a keyword of a value that may be longer than the index takes.
func keyword(prefix, value string) string {
	const most = 400
	if len(value) > most {
		value = fmt.Sprintf("%s#%x", strings.ToValidUTF8(value[:most-40], ""), sha256.Sum256([]byte(value)))
	}
	return prefix + value
}

// document is a chunk as the index takes it. Who wrote it is worth finding by, unless it is the one who has written what says nothing of that.
func document(c *Chunk, v embed.Vector) index.Doc {
	agent := c.Agent
	if agent == DefaultAgent {
		agent = ""
	}
	d := index.Doc{ID: c.n, Text: []string{c.Topic, strings.Join(c.Tags, "\n"), agent, c.Content}, Keywords: []string{keyword(kwAgent, c.Agent)}, Vector: v}
	for _, t := range c.Tags {
		d.Keywords = append(d.Keywords, keyword(kwTag, folded(t)))
	}
	return d
}

// folded is a tag as filters compare it: the other program does not tell small letters from capitals.
func folded(tag string) string { return strings.ToLower(tag) }

// embeddedContent is how many characters of a content are embedded.
const embeddedContent = 800

// embeddingText is what is embedded of a chunk.
func embeddingText(c *Chunk) string {
	content, n := c.Content, 0
	for i := range c.Content {
		if n++; n > embeddedContent {
			content = c.Content[:i]
			break
		}
	}
	return strings.TrimSpace(c.Topic + " " + strings.Join(c.Tags, " ") + " " + content)
}

// reindex makes the index anew from the chunks. Embeddings are kept where they can be.
func (f *file) reindex(tx *sqlite.Tx) error {
	return f.index.Rebuild(tx, func(after int64) ([]index.Kept, error) {
		all, err := chunksWhere(tx, `n > ? ORDER BY n LIMIT 2000`, after)
		docs := make([]index.Kept, len(all))
		for i := range all {
			docs[i] = index.Kept{Doc: document(&all[i], nil), Model: all[i].Model}
		}
		return docs, err
	}, func(n int64) error {
		_, err := tx.Exec(`UPDATE chunks SET model = '' WHERE n = ?`, n)
		return err
	})
}

// read runs fn on a snapshot; a damaged index is made anew first.
func (f *file) read(ctx context.Context, fn func(*sqlite.Tx) error) error {
	err := f.db.Read(ctx, fn)
	if errors.Is(err, index.ErrCorrupt) && !f.db.ReadOnly() && f.db.Write(ctx, f.reindex) == nil {
		err = f.db.Read(ctx, fn)
	}
	return storeError(err)
}

// write runs fn in a transaction; a damaged index is made anew first.
func (f *file) write(ctx context.Context, fn func(*sqlite.Tx) error) error {
	err := f.db.Write(ctx, fn)
	if errors.Is(err, index.ErrCorrupt) && f.db.Write(ctx, f.reindex) == nil {
		err = f.db.Write(ctx, fn)
	}
	return storeError(err)
}
