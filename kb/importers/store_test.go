package importers

import (
	"database/sql"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	_ "modernc.org/sqlite"

	"blackboard/board/fault"
	"blackboard/kb"
	"blackboard/testdata/cost"
)

// storeDB makes a database in a new folder with these statements and returns its path.
// It stays open, in WAL mode, as it is while an agent uses it.
func storeDB(tb testing.TB, statements ...string) string {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "store.db")
	db, err := sql.Open("sqlite", "file:"+filepath.ToSlash(path)+"?_pragma=journal_mode(WAL)")
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { db.Close() })
	for _, s := range statements {
		if _, err := db.Exec(s); err != nil {
			tb.Fatalf("%s: %v", s, err)
		}
	}
	return path
}

const storeSchema = `CREATE TABLE chunks (id TEXT PRIMARY KEY, topic TEXT NOT NULL, agent TEXT NOT NULL, tags TEXT DEFAULT '[]', importance TEXT DEFAULT 'medium', content TEXT NOT NULL,
	embedding BLOB, created_at TEXT, updated_at TEXT, expires_at TEXT);
	CREATE VIRTUAL TABLE chunks_fts USING fts5(id UNINDEXED, topic, content, content='chunks', content_rowid='rowid');
	CREATE TABLE state (key TEXT PRIMARY KEY, value TEXT, updated_at TEXT)`

func TestImportStore(t *testing.T) {
	path := storeDB(t, storeSchema,
		`INSERT INTO chunks VALUES ('a1b2c3d4e5', 'Auth: JWT', 'pm-agent', '["auth","decision"]', 'critical', 'Stateless.', x'0102', '2025-06-01T14:00:00.000Z', '2025-06-02T14:00:00.000Z', NULL),
			('b', 'Limit', 'global', '[]', 'medium', 'One.', NULL, NULL, NULL, '2999-01-01T00:00:00.000Z'), ('c', 'Old', 'global', '[]', 'low', 'Gone.', NULL, NULL, NULL, '2020-01-01T00:00:00.000Z'),
			('d', '', '', 'x, y', 'low', '# First line
more', NULL, NULL, NULL, ''), ('e', 'Empty', '', NULL, NULL, ' ', NULL, NULL, NULL, NULL)`,
		`INSERT INTO state VALUES ('phase', '"two"', '2025-06-01T14:00:00Z'), ('bad', 'no json', NULL), (NULL, '1', NULL)`,
		`CREATE TABLE extra (x)`)
	beforeFiles := dirNames(t, filepath.Dir(path))
	for _, p := range []string{path, filepath.Dir(path)} {
		set := importSet(t, p, "auto")
		if set.Format != formatStore || len(set.Items) != 4 || len(set.Refused) != 4 {
			t.Fatalf("%+v", set)
		}
		for i, words := range []string{"expired on 2020-01-01",
			"the body is empty", "not JSON", "its key is not"} {
			if !strings.Contains(set.Refused[i].Why, words) {
				t.Errorf("%+v", set.Refused[i])
			}
		}
		auth := set.Items[0].Capsule
		want := kb.Capsule{Kind: "principle", Scope: "universal", Title: "Auth: JWT",
			Body: "Stateless.", Tags: []string{"auth", "decision", "importance:critical"},
			Refs: []string{"agent:pm-agent", "chunk:a1b2c3d4e5"}}
		want.Created, _ = importTime("2025-06-01T14:00:00Z")
		want.Updated, _ = importTime("2025-06-02T14:00:00Z")
		if err := want.Normalise(); err != nil || !reflect.DeepEqual(auth, want) {
			t.Errorf("%v\n%+v, want\n%+v", err, auth, want)
		}
		if it := set.Items[1]; !slices.Contains(it.Capsule.Refs,
			"expires:2999-01-01T00:00:00Z") || !noted(it.Notes, "expires on 2999") ||
			!strings.HasSuffix(it.From, "store.db: chunk b") {
			t.Errorf("%+v", it)
		}
		if it := set.Items[2]; it.Capsule.Title != "First line" ||
			strings.Join(it.Capsule.Tags, ",") != "x,y" || len(it.Notes) != 2 ||
			!noted(it.Notes, "importance, low") {
			t.Errorf("%+v", it)
		}
		if it := set.Items[3]; it.Capsule.Title != "state: phase" || it.Capsule.Body != `"two"` ||
			strings.Join(it.Capsule.Tags, ",") != "state" || it.Capsule.Updated.IsZero() ||
			!strings.HasSuffix(it.From, ": state phase") {
			t.Errorf("%+v", it)
		}
		if !noted(set.Notes, "extra") || !noted(set.Notes, "importance medium of 2 chunks") {
			t.Errorf("%+v", set)
		}
	}
	if after := dirNames(t, filepath.Dir(path)); !slices.Equal(beforeFiles, after) {
		t.Errorf("left beside it: %v, before %v", after, beforeFiles)
	}
}

func dirNames(tb testing.TB, dir string) (names []string) {
	tb.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		tb.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// TestImportStoreOthers: columns may be missing, and a file that is none is named.
func TestImportStoreOthers(t *testing.T) {
	set := importSet(t, storeDB(t, `CREATE TABLE chunks (id, topic, content)`,
		`INSERT INTO chunks VALUES ('a', 'T', 'text')`), "auto")
	if len(set.Items) != 1 || set.Items[0].Capsule.Body != "text" {
		t.Errorf("%+v", set)
	}
	importFails(t, storeDB(t, `CREATE TABLE other (x)`), "auto", fault.Invalid, "no table chunks")
	importFails(t, storeDB(t, `CREATE VIEW chunks AS SELECT 1 AS id`), "auto",
		fault.Invalid, "no table chunks")
}

func TestImportStoreLegacy(t *testing.T) {
	dir := importFiles(t, map[string]string{
		"chunks/a.md":        "---\nid: a1\ntopic: Limit\nagent: scraper\ntags: [gotcha, api]\nimportance: high\nupdated: 2025-06-01T14:00:00Z\nmood: good\n---\n\nOne a second.\n",
		"chunks/b.md":        "---\nid: b1\ntopic: Old\nexpires: 2020-01-01\n---\ntext",
		"chunks/c.md":        "---\ntopic: a: b\n---\ntext",
		"chunks/d.md":        "no front matter",
		"state/phase.json":   "\"two\"\n",
		"state/wrapped.json": `{"key":"run","value":{"n":1},"updated_at":"2025-06-01"}`,
		"state/object.json":  `{"value":1,"other":2}`,
	})
	set := importSet(t, dir, "auto")
	if set.Format != formatStore || len(set.Items) != 5 || len(set.Refused) != 2 {
		t.Fatalf("%+v", set)
	}
	a := set.Items[0].Capsule
	if a.Title != "Limit" || a.Kind != "gotcha" || a.Body != "One a second." ||
		strings.Join(a.Tags, ",") != "api,gotcha,importance:high" ||
		strings.Join(a.Refs, ",") != "agent:scraper,chunk:a1" || a.Updated.IsZero() {
		t.Errorf("%+v", a)
	}
	bodies := map[string]string{}
	for _, it := range set.Items[1:] {
		bodies[it.Capsule.Title] = it.Capsule.Body
	}
	if want := map[string]string{"no front matter": "no front matter", "state: phase": `"two"`,
		"state: run":    `{"n":1}`,
		"state: object": `{"value":1,"other":2}`}; !reflect.DeepEqual(bodies, want) {
		t.Errorf("%v, want %v", bodies, want)
	}
	if !strings.Contains(set.Refused[0].Why, "expired on 2020-01-01") ||
		!strings.Contains(set.Refused[1].Why, "not YAML: line 2") {
		t.Errorf("%+v", set.Refused)
	}
}

// TestImportStoreDamaged: a database with damage inside is an error, not a crash.
func TestImportStoreDamaged(t *testing.T) {
	cost.SkipUnlessLong(t)
	path := storeDB(t, storeSchema, `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500)
		INSERT INTO chunks SELECT 'id' || i, 'topic ' || i, '', '[]', 'low', printf('%.2000c', 'x'), NULL, NULL, NULL, NULL FROM n`, `PRAGMA wal_checkpoint(TRUNCATE)`)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for at := 4096; at < len(whole); at += 50_000 {
		b := slices.Clone(whole)
		for i := at; i < min(at+3000, len(b)); i++ {
			b[i] ^= 0xa5
		}
		damaged := filepath.Join(t.TempDir(), "store.db")
		if err := os.WriteFile(damaged, b, 0o600); err != nil {
			t.Fatal(err)
		}
		if set, err := Read(t.Context(), damaged, "auto"); err == nil {
			importSound(t, set)
		}
	}
	importFails(t, filepath.Join(importFiles(t, map[string]string{"s.db": string(whole[:6000])}),
		"s.db"), "auto", fault.Invalid, "not a valid SQLite file")
}
