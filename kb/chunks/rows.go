package chunks

import (
	"encoding/json"
	"slices"
	"time"

	"blackboard/board/sqlite"
)

// metaColumns are those of a Meta, of chunks that are called c; content stands after them.
const metaColumns = `c.n, c.id, c.topic, c.agent, c.tags, c.importance, c.created, c.updated, c.expires, c.model`

// rowScanner is a row of a query, or the only one.
type rowScanner interface{ Scan(dest ...any) error }

// scan reads a row of metaColumns, and what stands after them.
func (m *Meta) scan(row rowScanner, more ...any) error {
	var tags string
	var created, updated int64
	var expires *int64
	if err := row.Scan(append([]any{&m.n, &m.ID, &m.Topic, &m.Agent, &tags, &m.Importance, &created, &updated, &expires, &m.Model}, more...)...); err != nil {
		return err
	}
	if err := json.Unmarshal([]byte(tags), &m.Tags); err != nil {
		return &sqlite.Error{Kind: sqlite.ErrCorrupt, Detail: "has a chunk " + m.ID + " whose tags cannot be read", Cause: err}
	}
	m.Created, m.Updated = time.UnixMilli(created).UTC(), time.UnixMilli(updated).UTC()
	if expires != nil {
		m.Expires = new(time.UnixMilli(*expires).UTC())
	}
	return nil
}

// chunksWhere reads chunks; where is what follows WHERE.
func chunksWhere(tx *sqlite.Tx, where string, args ...any) ([]Chunk, error) {
	rows, err := tx.Query(`SELECT `+metaColumns+`, c.content FROM chunks c WHERE `+where, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var all []Chunk
	for rows.Next() {
		var c Chunk
		if err := c.scan(rows, &c.Content); err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	return all, rows.Err()
}

// metasWhere reads chunks without their contents.
func metasWhere(tx *sqlite.Tx, where string, args ...any) ([]Meta, error) {
	return metasOf(tx, `chunks c WHERE `+where, args...)
}

// metasOf reads chunks without their contents, in the order of what they are from, in which they are called c.
func metasOf(tx *sqlite.Tx, from string, args ...any) ([]Meta, error) {
	rows, err := tx.Query(`SELECT `+metaColumns+` FROM `+from, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	all := []Meta{}
	for rows.Next() {
		var m Meta
		if err := m.scan(rows); err != nil {
			return nil, err
		}
		all = append(all, m)
	}
	return all, rows.Err()
}

// insert stores a new chunk's row, and gives it its number.
func insert(tx *sqlite.Tx, c *Chunk, imported bool) error {
	res, err := tx.Exec(`INSERT INTO chunks (id, topic, agent, tags, importance, created, updated, expires, imported, model, content) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		c.ID, c.Topic, c.Agent, jsonList(c.Tags), c.Importance, c.Created.UnixMilli(), c.Updated.UnixMilli(), millis(c.Expires), imported, c.Model, c.Content)
	if err != nil {
		return err
	}
	if c.n, err = res.LastInsertId(); err != nil {
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
	return f.index.Delete(tx, ns...)
}

func jsonList(l []string) string {
	if l == nil {
		l = []string{}
	}
	b, _ := json.Marshal(l) // strings always can be
	return string(b)
}

func millis(t *time.Time) any {
	if t == nil {
		return nil
	}
	return t.UnixMilli()
}

func jsonNumbers(l []int64) string {
	b, _ := json.Marshal(l) // numbers always can be
	return string(b)
}
