package chunks

import (
	"slices"

	"blackboard/board/sqlite"
	"blackboard/kb/store"
)

// columns are a chunk's, but for its number and its content.
func (m *Meta) columns() store.Columns {
	return store.Columns{"id", &m.ID, "topic", &m.Topic, "agent", &m.Agent, "tags", &m.Tags,
		"importance", &m.Importance, "updated", &m.Updated,
		"created", &m.Created, "expires", &m.Expires, "model", &m.Model}
}

// brief are the columns that ListText writes.
func (m *Meta) brief() store.Columns { return m.columns()[:2*6] }

// metaColumns are those of a Meta, of chunks that are called c; content stands after
// them.
var metaColumns = "c.n, " + new(Meta).columns().Names("c.", "")

// dest is where metaColumns go.
func (m *Meta) dest() []any { return m.columns().Dest("a chunk %s whose tags", &m.n) }

// briefColumns are those of a Meta that ListText writes, of chunks that are called c.
var briefColumns = new(Meta).brief().Names("c.", "")

// briefDest is where briefColumns go.
func (m *Meta) briefDest() []any { return m.brief().Dest("a chunk %s whose tags") }

// chunksWhere reads chunks; where is what follows WHERE.
func chunksWhere(tx *sqlite.Tx, where string, args ...any) ([]Chunk, error) {
	return sqlite.All(tx, func(c *Chunk) []any { return append(c.dest(), &c.Content) }, `SELECT `+metaColumns+`, c.content FROM chunks c WHERE `+where, args...)
}

// metasWhere reads chunks without their contents.
func metasWhere(tx *sqlite.Tx, where string, args ...any) ([]Meta, error) {
	return metasOf(tx, `chunks c WHERE `+where, args...)
}

// metasOf reads chunks without their contents, in the order of what they are from, in
// which they are called c.
func metasOf(tx *sqlite.Tx, from string, args ...any) ([]Meta, error) {
	return sqlite.All(tx, (*Meta).dest, `SELECT `+metaColumns+` FROM `+from, args...)
}

// stored are the columns of a row that is written.
func (c *Chunk) stored(imported bool) store.Columns {
	return append(c.columns(), "imported", imported, "content", c.Content)
}

// insert stores a new chunk's row, and gives it its number.
func insert(tx *sqlite.Tx, c *Chunk, imported bool) (err error) {
	if c.n, err = c.stored(imported).Insert(tx, "chunks"); err != nil {
		return err
	}
	return insertTags(tx, c)
}

// foldedTags are a chunk's tags in small letters, each once.
func foldedTags(m *Meta) []string {
	var all []string
	for _, t := range m.Tags {
		if t = folded(t); !slices.Contains(all, t) {
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

// remove takes chunks out: rows, tags and what the index has of them.
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
