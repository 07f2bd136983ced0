package chunks

import (
	"database/sql"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"blackboard/testdata/expect"
)

// TestOlderStore: a store from before tags had times is migrated, and its lists by tag
// keep their order, also with expired chunks.
func TestOlderStore(t *testing.T) {
	dir, c := t.TempDir(), newClock()
	s := openStore(t, dir, Options{Now: c.now})
	for _, topic := range []string{"first", "second", "third"} {
		writeChunk(t, s, NewChunk{Topic: topic, Content: "x", Tags: []string{"Both", topic}})
		c.pass(time.Minute)
	}
	writeChunk(t, s, NewChunk{Topic: "short", Content: "x", Tags: []string{"both"}, TTLDays: new(1.0)})
	expect.OK(t, s.Close())
	db := expect.Value(sql.Open("sqlite", "file:"+filepath.ToSlash(filepath.Join(dir, FileName))))(t)
	run(t, db, `CREATE TABLE tags (tag TEXT NOT NULL, n INTEGER NOT NULL, PRIMARY KEY (tag, n)) STRICT, WITHOUT ROWID`,
		`INSERT INTO tags SELECT DISTINCT lower(value), n FROM chunks, json_each(chunks.tags)`, `DROP INDEX chunks_tagged`,
		`ALTER TABLE chunks DROP COLUMN folded`, `PRAGMA user_version = 1`)
	expect.OK(t, db.Close())
	c.pass(48 * time.Hour)
	s = openStore(t, dir, Options{Now: c.now})
	for want, q := range map[string]ListQuery{"third second first": {Tags: []string{"BOTH"}}, "second first": {Tags: []string{"both"}, Offset: 1}, "third first": {Tags: []string{"first", "third"}}} {
		l, err := s.List(t.Context(), q)
		var got []string
		for _, m := range l.Chunks {
			got = append(got, m.Topic)
		}
		if err != nil || strings.Join(got, " ") != want || l.Total != len(got)+q.Offset {
			t.Errorf("%+v lists %v of %d, want %s: %v", q, got, l.Total, want, err)
		}
	}
	agrees(t, s)
}
