package chunks

import (
	"slices"

	"blackboard/board/sqlite"
	"blackboard/kb/store"
)

// columns are the columns of a chunk, without its number and its content.
func (m *Meta) columns() store.Columns {
	return store.Columns{"id", &m.ID, "topic", &m.Topic, "agent", &m.Agent, "tags", &m.Tags,
		"importance", &m.Importance, "updated", &m.Updated,
		"created", &m.Created, "expires", &m.Expires, "model", &m.Model}
}

// metaColumns are the columns of a Meta in a query that calls chunks c. A content follows
// them.
var metaColumns = "c.n, " + new(Meta).columns().Names("c.", "")

// dest returns the destinations of metaColumns.
func (m *Meta) dest() []any { return m.columns().Dest("a chunk %s whose tags", &m.n) }

// chunksWhere reads chunks; where is the text after WHERE.
func chunksWhere(tx *sqlite.Tx, where string, args ...any) ([]Chunk, error) {
	return sqlite.All(tx, func(c *Chunk) []any { return append(c.dest(), &c.Content) }, `SELECT `+metaColumns+`, c.content FROM chunks c WHERE `+where, args...)
}

// metasWhere reads chunks without their contents.
func metasWhere(tx *sqlite.Tx, where string, args ...any) ([]Meta, error) {
	return metasOf(tx, `chunks c WHERE `+where, args...)
}

// metasOf reads chunks without their contents, in the order of the query; from calls them
// c.
func metasOf(tx *sqlite.Tx, from string, args ...any) ([]Meta, error) {
	return sqlite.All(tx, (*Meta).dest, `SELECT `+metaColumns+` FROM `+from, args...)
}

// stored are the columns of a row as it is written.
func (c *Chunk) stored(imported bool) store.Columns {
	return append(c.columns(), "imported", imported, "content", c.Content)
}

// insert stores a new chunk's row and sets its number.
func insert(tx *sqlite.Tx, c *Chunk, imported bool) (err error) {
	if c.n, err = c.stored(imported).Insert(tx, "chunks"); err != nil {
		return err
	}
	return insertTags(tx, c)
}

// foldedTags returns a chunk's tags in lower case, without duplicates.
func foldedTags(m *Meta) []string {
	var all []string
	for _, t := range m.Tags {
		if t = foldTag(t); !slices.Contains(all, t) {
			all = append(all, t)
		}
	}
	return all
}

func insertTags(tx *sqlite.Tx, c *Chunk) error {
	for _, t := range foldedTags(&c.Meta) {
		if _, err := tx.Exec(`INSERT INTO tags VALUES (?, ?, ?)`, t, c.Updated.UnixMilli(), c.n); err != nil {
			return err
		}
	}
	return nil
}

func deleteTags(tx *sqlite.Tx, m *Meta) error {
	for _, t := range foldedTags(m) {
		if _, err := tx.Exec(`DELETE FROM tags WHERE tag = ? AND updated = ? AND n = ?`, t, m.Updated.UnixMilli(), m.n); err != nil {
			return err
		}
	}
	return nil
}

// remove deletes chunks: rows, tags and their documents in the index.
func (f *file) remove(tx *sqlite.Tx, all ...Meta) error {
	ns := make([]int64, len(all))
	for i := range all {
		ns[i] = all[i].n
		if err := deleteTags(tx, &all[i]); err != nil {
			return err
		}
		if _, err := tx.Exec(`DELETE FROM chunks WHERE n = ?`, all[i].n); err != nil {
			return err
		}
	}
	return f.Index.Delete(tx, ns...)
}
