package chunks

import (
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	_ "modernc.org/sqlite"

	"blackboard/board/fault"
	"blackboard/embed"
	"blackboard/testdata/expect"
)

// originalSchema is the schema of the reference, with the columns that the program itself
// adds.
const originalSchema = `CREATE TABLE chunks (id TEXT PRIMARY KEY, topic TEXT NOT NULL, agent TEXT NOT NULL, tags TEXT NOT NULL DEFAULT '[]', importance TEXT NOT NULL DEFAULT 'medium', content TEXT NOT NULL,
		embedding BLOB, created_at TEXT NOT NULL, updated_at TEXT NOT NULL, expires_at TEXT);
	CREATE TABLE state (key TEXT PRIMARY KEY, value TEXT NOT NULL, updated_at TEXT NOT NULL);
	CREATE VIRTUAL TABLE chunks_fts USING fts5(id UNINDEXED, topic, content, content='chunks', content_rowid='rowid');
	CREATE TRIGGER chunks_ai AFTER INSERT ON chunks BEGIN INSERT INTO chunks_fts(rowid, id, topic, content) VALUES (new.rowid, new.id, new.topic, new.content); END`

// original creates a store.db and leaves it open in WAL mode, as it is while an agent
// uses it.
func original(tb testing.TB, dir, schema string, statements ...string) *sql.DB {
	tb.Helper()
	db := expect.Value(sql.Open("sqlite", "file:"+filepath.ToSlash(filepath.Join(dir, storeFile))+"?_pragma=journal_mode(WAL)"))(tb)
	tb.Cleanup(func() { db.Close() })
	run(tb, db, append([]string{schema}, statements...)...)
	return db
}

func run(tb testing.TB, db *sql.DB, statements ...string) {
	tb.Helper()
	for _, s := range statements {
		if _, err := db.Exec(s); err != nil {
			tb.Fatalf("%s: %v", s, err)
		}
	}
}

// vectorBlob returns an embedding as the other program stores it: a vector along one
// axis.
func vectorBlob(axis int) []byte {
	v := make([]byte, 4*originalModel.Dim)
	binary.LittleEndian.PutUint32(v[4*axis:], math.Float32bits(1))
	return v
}

var threeChunks = fmt.Sprintf(`INSERT INTO chunks VALUES
	('a1b2c3d4e5', 'Auth: JWT', 'pm-agent', '["auth","Decision"]', 'critical', 'Stateless.', x'%x', '2025-05-01T14:00:00.123Z', '2025-05-02T14:00:00.456Z', NULL),
	('f6g7h8i9j0', 'Limit', 'global', '[]', 'medium', 'One request.', NULL, '2025-05-03 10:00:00', '2025-05-03T10:00:00.000Z', '2025-07-01T00:00:00.000Z'),
	('k1l2m3n4o5', 'Old', 'global', '[]', 'low', 'Gone.', NULL, '2020-01-01T00:00:00.000Z', '2020-01-01T00:00:00.000Z', '2025-06-01T13:59:59.999Z')`, vectorBlob(3))

const twoStates = `INSERT INTO state VALUES ('current_phase', '"scraping"', '2025-05-01T14:00:00.000Z'), ('project_tags', '{"vocabulary":["auth"],"n":1.50}', '2025-05-02T14:00:00.000Z')`

// imported opens a store and returns the result of its first use.
func imported(tb testing.TB, dir string, opt Options) (*Store, ImportResult) {
	tb.Helper()
	opt.Import = true
	s, res := expect.Values(Open(context.Background(), dir, opt))(tb)
	tb.Cleanup(func() {
		agrees(tb, s)
		s.Close()
	})
	return s, res
}

// TestImportDatabase: the first use imports a database with its WAL, and does not change
// a byte of it.
func TestImportDatabase(t *testing.T) {
	dir := t.TempDir()
	original(t, dir, originalSchema, threeChunks, twoStates)
	before := contents(t, dir)
	if len(before[filepath.Join(dir, storeFile+"-wal")]) == 0 {
		t.Fatal("nothing is in the WAL, so nothing shows that it is read")
	}
	c := newClock()
	s, res := imported(t, dir, Options{Now: c.now})
	want := ImportResult{Source: filepath.Join(dir, storeFile), Chunks: ImportCount{Added: 2}, State: ImportCount{Added: 2}, Expired: 1, Embeddings: 1, Refused: []Refused{}, Notes: []string{}}
	if !reflect.DeepEqual(res, want) {
		t.Errorf("%+v, want %+v", res, want)
	}
	day := func(d, h, ms int) time.Time { return time.Date(2025, 5, d, h, 0, 0, ms*1e6, time.UTC) }
	auth := Chunk{Meta: Meta{ID: "a1b2c3d4e5", Topic: "Auth: JWT", Agent: "pm-agent", Tags: []string{"auth", "Decision"}, Importance: Critical, Created: day(1, 14, 123), Updated: day(2, 14, 456), Model: originalModel.Name, n: 1},
		Content: "Stateless."}
	limit := Chunk{Meta: Meta{ID: "f6g7h8i9j0", Topic: "Limit", Agent: DefaultAgent, Tags: []string{}, Importance: Medium, Created: day(3, 10, 0), Updated: day(3, 10, 0),
		Expires: new(time.Date(2025, 7, 1, 0, 0, 0, 0, time.UTC)), n: 2}, Content: "One request."}
	for _, want := range []Chunk{auth, limit} {
		if got, err := s.Read(t.Context(), want.ID); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%+v, want %+v, %v", got, want, err)
		}
	}
	_, err := s.Read(t.Context(), "k1l2m3n4o5")
	fails(t, err, fault.NotFound, "k1l2m3n4o5")
	if v, err := s.State(t.Context(), "project_tags"); err != nil || string(v.Value) != `{"vocabulary":["auth"],"n":1.50}` || !v.Updated.Equal(day(2, 14, 0)) {
		t.Errorf("%+v, %v", v, err)
	}
	if got := found(t, s, Query{Text: "stateless", Tags: []string{"decision"}, Mode: ModeBM25}); len(got) != 1 {
		t.Errorf("found %v", got)
	}
	if after := contents(t, dir); !reflect.DeepEqual(before, after) {
		t.Errorf("the original's files have changed")
	}
	// The first use is over: nothing is imported again.
	if _, again := imported(t, dir, Options{Now: c.now}); !reflect.DeepEqual(again, newImportResult()) {
		t.Errorf("a second time: %+v", again)
	}
	if st, err := s.Status(t.Context()); err != nil || st.Chunks != 2 || st.State != 2 || st.Embedded != 1 || indexed(t, s).Model != originalModel.Name {
		t.Errorf("%+v, %v", st, err)
	}
}

// TestImportAgain: later changes are imported on request. The newer version stays, and
// deleted chunks stay deleted.
func TestImportAgain(t *testing.T) {
	dir := t.TempDir()
	db := original(t, dir, originalSchema, threeChunks, twoStates)
	c := newClock()
	s, _ := imported(t, dir, Options{Now: c.now, Embedder: newConcepts()})
	again := func(want ImportResult) {
		t.Helper()
		want.Source, want.Refused, want.Notes, want.Expired = filepath.Join(dir, storeFile), []Refused{}, []string{}, 1
		if got, err := s.Import(t.Context()); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%+v, want %+v, %v", got, want, err)
		}
	}
	again(ImportResult{Chunks: ImportCount{Kept: 2}, State: ImportCount{Kept: 2}})
	expect.OK(t, s.Delete(t.Context(), "f6g7h8i9j0"))
	expect.Value(s.SetState(t.Context(), "current_phase", []byte(`"here"`)))(t)
	expect.Value(s.Backfill(t.Context(), 0))(t)
	again(ImportResult{Chunks: ImportCount{Kept: 1}, State: ImportCount{Kept: 2}, Deleted: 1})
	run(t, db, `UPDATE chunks SET topic = 'Auth: sessions', tags = '["sessions"]', updated_at = '2025-06-01T15:00:00.000Z' WHERE id = 'a1b2c3d4e5'`,
		`UPDATE chunks SET content = 'Two.' WHERE id = 'f6g7h8i9j0'`,
		`INSERT INTO chunks VALUES ('0123456789', 'New', 'global', '[]', 'high', 'Newer.', NULL, '2025-06-01T15:00:00.000Z', '2025-06-01T15:00:00.000Z', NULL)`,
		`UPDATE state SET value = '"there"', updated_at = '2025-06-01T15:00:00.000Z' WHERE key = 'current_phase'`)
	again(ImportResult{Chunks: ImportCount{Added: 1, Updated: 1}, State: ImportCount{Updated: 1, Kept: 1}, Deleted: 1})
	if got, err := s.Read(t.Context(), "a1b2c3d4e5"); err != nil || got.Topic != "Auth: sessions" || got.Model != "" || got.n != 1 || got.Created.Day() != 1 {
		t.Errorf("%+v, %v", got, err)
	}
	if got := found(t, s, Query{Text: "auth", Tags: []string{"auth", "decision"}}); len(got) != 0 {
		t.Errorf("found by tags that it has no more: %v", got)
	}
	if v, err := s.State(t.Context(), "current_phase"); err != nil || string(v.Value) != `"there"` {
		t.Errorf("%s, %v", v.Value, err)
	}
	// It was changed there after its deletion here, so it is imported again.
	run(t, db, `UPDATE chunks SET updated_at = '2025-06-01T16:00:00.000Z' WHERE id = 'f6g7h8i9j0'`)
	again(ImportResult{Chunks: ImportCount{Added: 1, Kept: 2}, State: ImportCount{Kept: 2}})
	again(ImportResult{Chunks: ImportCount{Kept: 3}, State: ImportCount{Kept: 2}})
}

// TestImportEmbeddings: embeddings of another model are left out.
func TestImportEmbeddings(t *testing.T) {
	for name, c := range map[string]struct {
		embedder embed.Embedder
		kept     int
	}{"the same model": {&concepts{originalModel}, 1}, "none at hand": {nil, 1}, "another": {newConcepts(), 0}, "another of its name": {&concepts{embed.Model{Name: originalModel.Name, Dim: 8}}, 0}} {
		dir := t.TempDir()
		original(t, dir, originalSchema, threeChunks,
			`INSERT INTO chunks VALUES ('0000000001', 'short', 'global', '[]', 'high', 'x', x'00000000', '2025-05-01', '2025-05-01', NULL)`,
			fmt.Sprintf(`INSERT INTO chunks VALUES ('0000000002', 'zeros', 'global', '[]', 'high', 'x', x'%x', '2025-05-01', '2025-05-01', NULL)`, make([]byte, 4*originalModel.Dim)),
			fmt.Sprintf(`INSERT INTO chunks VALUES ('0000000003', 'no numbers', 'global', '[]', 'high', 'x', x'%s', '2025-05-01', '2025-05-01', NULL)`, strings.Repeat("ff", 4*originalModel.Dim)))
		s, res := imported(t, dir, Options{Now: newClock().now, Embedder: c.embedder})
		if res.Embeddings != c.kept || res.Chunks.Added != 5 {
			t.Errorf("%s: %+v", name, res)
		}
		if c.embedder == nil {
			continue
		}
		if e, err := s.Backfill(t.Context(), 0); err != nil || e.Embedded != 5-c.kept || e.Left != 0 {
			t.Errorf("%s: %+v, %v", name, e, err)
		}
	}
}

// TestImportOddRows: missing or unusual values are replaced; rows that cannot be imported
// are named.
func TestImportOddRows(t *testing.T) {
	dir := t.TempDir()
	original(t, dir, `CREATE TABLE chunks (topic, content, id, tags, importance, extra, created_at DATETIME, updated_at, expires_at); CREATE TABLE state (value, key)`,
		`INSERT INTO chunks VALUES (NULL, NULL, 'empty', NULL, NULL, 1, NULL, NULL, NULL), ('  T ', x'ff41', 7, 'x, y', 'URGENT', 2, '2025-05-01 10:00:00', 'yesterday', 'tomorrow'),
			('t', 'c', 'nums', '[1, null, "a", "a"]', 'HIGH', 3, '1969-01-01', '10000-01-01', ''), ('t', 'c', 'bad`+"`"+`id', NULL, NULL, NULL, NULL, NULL, NULL), ('t', 'c', NULL, NULL, NULL, NULL, NULL, NULL, NULL),
			('t', 'c', 'line`+"\n"+`end', NULL, NULL, NULL, NULL, NULL, NULL), ('t', 'twice', 'nums', NULL, NULL, NULL, '2026-01-01', NULL, NULL)`,
		fmt.Sprintf(`INSERT INTO chunks (id, topic, content) VALUES ('large', 't', printf('%%%d.c', 'x'))`, maxImported+1),
		`INSERT INTO state VALUES ('{"a" : 1}', 'ok'), ('no json', 'bad'), ('1', NULL), (42, 'number')`)
	c := newClock()
	s, res := imported(t, dir, Options{Now: c.now})
	var refused []string
	for _, r := range res.Refused {
		refused = append(refused, strings.TrimPrefix(r.From, filepath.Join(dir, storeFile)+": ")+": "+r.Why)
	}
	if want := []string{"chunk bad`id: its id is not one line of 1 to 200 bytes, without backquotes", "chunk in row 5: its id is not one line of 1 to 200 bytes, without backquotes",
		"chunk line end: its id is not one line of 1 to 200 bytes, without backquotes", "chunk large: its content is larger than 1048576 bytes", "state bad: its value is not JSON",
		"state in row 3: its key is not one of 1 to 1048576 bytes"}; !slices.Equal(refused, want) {
		t.Errorf("refused are\n%s\nand not\n%s", strings.Join(refused, "\n"), strings.Join(want, "\n"))
	}
	if want := []string{"an unknown importance was changed to medium: 1 chunks", "an unreadable expiry time is ignored: those chunks do not expire: 1 chunks"}; !slices.Equal(res.Notes, want) {
		t.Errorf("the notes are %q", res.Notes)
	}
	if res.Chunks != (ImportCount{Added: 3, Updated: 0, Kept: 1}) || res.State != (ImportCount{Added: 2}) {
		t.Errorf("%+v", res)
	}
	for id, want := range map[string]Chunk{
		"empty": {Meta: Meta{Topic: "Untitled", Importance: Medium, Tags: []string{}, Created: c.now(), Updated: c.now()}},
		"7":     {Meta: Meta{Topic: "T", Importance: Medium, Tags: []string{"x", "y"}, Created: time.Date(2025, 5, 1, 10, 0, 0, 0, time.UTC), Updated: time.Date(2025, 5, 1, 10, 0, 0, 0, time.UTC)}, Content: "\ufffdA"},
		"nums":  {Meta: Meta{Topic: "t", Importance: High, Tags: []string{"1", "a"}, Created: c.now(), Updated: c.now()}, Content: "c"},
	} {
		got, err := s.Read(t.Context(), id)
		want.ID, want.Agent, want.n = id, DefaultAgent, got.n
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%+v, want %+v, %v", got, want, err)
		}
	}
	// If one source has an id twice the newer one stays, also while both wait for the
	// index.
	twice := t.TempDir()
	original(t, twice, `CREATE TABLE chunks (id, topic, content, updated_at)`, `INSERT INTO chunks VALUES ('a', 'one', 'x', '2025-01-01'), ('a', 'two', 'y', '2025-01-02'), ('a', 'three', 'z', '2025-01-01')`)
	s, res = imported(t, twice, Options{Now: c.now})
	if res.Chunks != (ImportCount{Added: 1, Updated: 1, Kept: 1}) || !slices.Equal(found(t, s, Query{Text: "one two three"}), []string{"two"}) {
		t.Errorf("%+v", res)
	}
}

// TestImportRefused: for an unreadable file the error names it and the next step, and
// nothing is written. With the import off the store works, and does not try again.
func TestImportRefused(t *testing.T) {
	whole := t.TempDir()
	db := original(t, whole, originalSchema, twoStates)
	for i := range 400 {
		run(t, db, fmt.Sprintf(`INSERT INTO chunks VALUES ('%010d', 't', 'global', '[]', 'low', '%s', NULL, '2025-01-01', '2025-01-01', NULL)`, i, strings.Repeat("content ", 100)))
	}
	run(t, db, `PRAGMA wal_checkpoint(TRUNCATE)`)
	sound := contents(t, whole)[filepath.Join(whole, storeFile)]
	for name, c := range map[string]struct{ data, words string }{
		"garbage":      {strings.Repeat("this is no database ", 500), "is not a valid SQLite file"},
		"empty":        {"", "it has no table chunks"},
		"truncated":    {sound[:len(sound)/2/4096*4096], "is not a valid SQLite file"},
		"cut off":      {sound[:5000], "is not a valid SQLite file"},
		"holes":        {sound[:20*4096] + strings.Repeat("\x00", 30*4096) + sound[50*4096:], "is not a valid SQLite file"},
		"other schema": {"", "it has no table chunks with a column id"},
		"other table":  {"", "it has no table chunks with a column content"},
		"other state":  {"", "it has no table state with a column value"},
	} {
		dir := t.TempDir()
		path := filepath.Join(dir, storeFile)
		switch name {
		case "other schema":
			run(t, original(t, dir, `CREATE TABLE other (x)`), `PRAGMA wal_checkpoint(TRUNCATE)`)
		case "other table":
			run(t, original(t, dir, `CREATE TABLE chunks (id, topic)`), `PRAGMA wal_checkpoint(TRUNCATE)`)
		case "other state":
			run(t, original(t, dir, `CREATE TABLE chunks (id, topic, content); CREATE TABLE state (key)`), `PRAGMA wal_checkpoint(TRUNCATE)`)
		default:
			expect.OK(t, os.WriteFile(path, []byte(c.data), 0o600))
		}
		before := contents(t, dir)
		_, _, err := Open(t.Context(), dir, Options{Import: true})
		fails(t, err, fault.Invalid, c.words)
		var e *fault.Error
		if !strings.HasPrefix(err.Error(), "cannot import "+path) || !errors.As(err, &e) || !strings.Contains(fmt.Sprint(e.Next), "no_import") {
			t.Errorf("%s: %v (%+v)", name, err, e)
		}
		if _, err := os.Stat(filepath.Join(dir, FileName)); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: something was written", name)
		}
		s := openStore(t, dir, Options{})
		write(t, s, "auth")
		_, err = s.Import(t.Context())
		fails(t, err, fault.Invalid, c.words)
		if again, res := imported(t, dir, Options{}); !reflect.DeepEqual(res, newImportResult()) || len(found(t, again, Query{Text: "auth"})) != 1 {
			t.Errorf("%s: %+v", name, res)
		}
		if after := contents(t, dir); !reflect.DeepEqual(before, after) {
			t.Errorf("%s: the original has changed", name)
		}
	}
}
