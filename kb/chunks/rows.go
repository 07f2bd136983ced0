package chunks

import (
	"strings"

	"blackboard/board/sqlite"
	"blackboard/kb/store"
)

func (m *Meta) columns() store.Columns {
	return store.Columns{"id", &m.ID, "topic", &m.Topic, "agent", &m.Agent, "tags", &m.Tags,
		"importance", &m.Importance, "updated", &m.Updated,
		"created", &m.Created, "expires", &m.Expires, "model", &m.Model}
}

// metaColumns are the columns of a Meta in a query that calls chunks c. A content follows them.
var metaColumns = "c.n, " + new(Meta).columns().Names("c.", "")

func (m *Meta) dest() []any { return m.columns().Dest("a chunk %s whose tags", &m.n) }

// chunksWhere reads chunks; where is the text after WHERE.
func chunksWhere(tx *sqlite.Tx, where string, args ...any) ([]Chunk, error) {
	return sqlite.All(tx, func(c *Chunk) []any { return append(c.dest(), &c.Content) }, `SELECT `+metaColumns+`, c.content FROM chunks c WHERE `+where, args...)
}

// metasOf reads chunks without their contents, in the order of the query; from calls them c.
func metasOf(tx *sqlite.Tx, from string, args ...any) ([]Meta, error) {
	return sqlite.All(tx, (*Meta).dest, `SELECT `+metaColumns+` FROM `+from, args...)
}

func (c *Chunk) stored(imported bool) store.Columns {
	return append(c.columns(), "imported", imported, "content", c.Content, "folded", markTags(c.Tags...))
}

// foldTags returns tags as filters compare them: once, in lower case.
func foldTags(tags []string) []string {
	folded := []string{}
	for _, t := range tags {
		folded = append(folded, strings.ReplaceAll(strings.ToLower(t), tagMark, " "))
	}
	return normaliseTags(folded)
}

const tagMark = "\x1f"

// markTags returns the folded tags as they stand in a row: each between two marks.
func markTags(tags ...string) string {
	if len(tags) == 0 {
		return ""
	}
	return tagMark + strings.Join(foldTags(tags), tagMark) + tagMark
}

func insert(tx *sqlite.Tx, c *Chunk, imported bool) (err error) {
	c.n, err = c.stored(imported).Insert(tx, "chunks")
	return err
}

func (f *file) remove(tx *sqlite.Tx, ns ...int64) error {
	if _, err := tx.Exec(`DELETE FROM chunks WHERE n IN (SELECT value FROM json_each(?))`,
		sqlite.List(ns)); err != nil {
		return err
	}
	return f.Index.Delete(tx, ns...)
}
