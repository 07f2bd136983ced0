package postgres

import (
	"context"
	"strconv"
	"strings"
	"time"

	"blackboard/board/store"
)

// kbRun is what the knowledge base has for the number of a run.
const kbRun = -1

// ofKB are the tables of the knowledge base whose rows may be changed and deleted.
var ofKB = []string{"capsules", "capsule_tags", "capsule_titles", "decisions", "ingested", "thresholds", "upkeep", "capsule_index_meta",
	"capsule_index_tail", "capsule_index_segments", "capsule_index_live", "capsule_index_blocks", "capsule_index_codes", "capsule_index_vectors"}

type KB struct{ DB }

// KB returns the knowledge base, whether anybody has written to it or not.
func (p *Place) KB() *KB { return &KB{DB{place: p, kb: true, id: kbRun}} }

// Path returns what messages call the knowledge base.
func (k *KB) Path() string { return k.place.what }

// WriteWithin is Write that waits at most so long for other writers.
func (k *KB) WriteWithin(ctx context.Context, wait time.Duration, fn func(*store.Tx) error) error {
	return k.writeWithin(ctx, wait, fn)
}

// ReadOnly reports false: who may not write is told so by the server.
func (k *KB) ReadOnly() bool { return false }

// Full is nil: the server says at a write whether it has room.
func (k *KB) Full() error { return nil }

// CheckFile is nil: the next transaction notices if the knowledge base was removed.
func (k *KB) CheckFile() error { return nil }

// Checkpoint does nothing: the server does so itself.
func (k *KB) Checkpoint(context.Context) error { return nil }

// Now is about the time that a transaction would have.
func (k *KB) Now() time.Time {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.now != nil {
		return k.now().UTC().Truncate(time.Millisecond)
	}
	return time.Now().UTC().Truncate(time.Millisecond)
}

// lockSQL returns the SQL that takes the write lock of a run or of the knowledge base and returns a
// row 'turn'; for a run, then the number of its last event. The knowledge base does not log every
// write, so each leaves its token in kb_writes for an hour.
func (db *DB) lockSQL(id, token int64) string {
	if db.kb {
		return `INSERT INTO kb_writes (token) VALUES (` + strconv.FormatInt(token, 10) + `);
			DELETE FROM kb_writes WHERE at < extract(epoch FROM clock_timestamp()) - 3600; SELECT 'turn' FROM kb FOR NO KEY UPDATE`
	}
	return `SELECT 'turn' FROM runs WHERE run = ` + strconv.FormatInt(id, 10) + ` FOR NO KEY UPDATE` + db.lastEvent(id)
}

// kbEngine puts the statements of package kb into the words of PostgreSQL.
type kbEngine struct{ engine }

// Statement puts a statement into the words of PostgreSQL. What index reads comes in
// binary: text has two letters for each byte.
func (kbEngine) Statement(query string, args []any) (string, []any) {
	text, args := statement(&kbStatements, translateKB, query, args)
	if strings.HasPrefix(text, "SELECT") && strings.Contains(text, " FROM capsule_index_") && !strings.Contains(text, "sum(") {
		args = append([]any{inBinary{}}, args...)
	}
	return text, args
}

// translateKB has the events of the knowledge base in kb_events, as those of boards are
// events, and lists of numbers as arrays, which takes a fraction of the time to plan.
func translateKB(query string) string {
	text := strings.NewReplacer("INTO events ", "INTO kb_events ", "FROM events", "FROM kb_events").Replace(translate(query))
	for {
		before, rest, found := strings.Cut(text, " IN (SELECT CAST(value AS BIGINT) FROM json_each(")
		if !found {
			return text
		}
		arg, rest, _ := strings.Cut(rest, "))")
		text = before + " = ANY (translate(" + arg + ", '[]', '{}')::bigint[])" + rest
	}
}
