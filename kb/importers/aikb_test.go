package importers

import (
	"database/sql"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	_ "modernc.org/sqlite"

	"blackboard/board/fault"
	"blackboard/kb"
	"blackboard/testdata/expect"
	"blackboard/testdata/shared"
)

// storeDB makes a database in a new folder with these statements and returns its path.
// It stays open, in WAL mode.
func storeDB(tb testing.TB, statements ...string) string {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "store.db")
	db := expect.Value(sql.Open("sqlite", "file:"+filepath.ToSlash(path)+"?_pragma=journal_mode(WAL)"))(tb)
	tb.Cleanup(func() { db.Close() })
	for _, s := range statements {
		if _, err := db.Exec(s); err != nil {
			tb.Fatalf("%s: %v", s, err)
		}
	}
	return path
}

// aiKBSchema is that of ai-kb.
const aiKBSchema = `CREATE TABLE capsules (id TEXT PRIMARY KEY, kind TEXT NOT NULL, title TEXT NOT NULL, body TEXT NOT NULL, source TEXT NOT NULL, tags TEXT NOT NULL, path TEXT NOT NULL,
	scope TEXT NOT NULL, workspace_path TEXT, project_id TEXT, domain_tags TEXT NOT NULL, confidence REAL NOT NULL, verified_by TEXT, supersedes TEXT, superseded_by TEXT, refs TEXT NOT NULL,
	embedding BLOB, embedding_model TEXT, embedding_dim INTEGER NOT NULL, decay_score REAL NOT NULL, created_at TEXT NOT NULL, updated_at TEXT NOT NULL);
	CREATE VIRTUAL TABLE capsule_fts USING fts5(id UNINDEXED, title, body, tags, source, domain_tags);
	CREATE TABLE kb_meta (key TEXT PRIMARY KEY, value TEXT NOT NULL)`

// aiKBRow inserts a row of ai-kb. by is what supersedes it.
func aiKBRow(id, title, scope, workspace, by string, decay string) string {
	orNull := func(s string) string {
		if s == "" {
			return "NULL"
		}
		return "'" + s + "'"
	}
	return `INSERT INTO capsules VALUES ('` + id + `', 'gotcha', '` + title + `', 'Body of ` +
		title + `.', 'manual', 'a,b', '/x/` + id + `.md', '` + scope + `', ` + orNull(
		workspace,
	) +
		`, NULL, '', 0.5, NULL, NULL, ` + orNull(
		by,
	) + `, 'run:7,file.go:3', x'00', 'm', 1, ` + decay +
		`, '2026-01-02T03:04:05+00:00', '2026-02-03T04:05:06+00:00')`
}

// aiKBHome makes a data home of ai-kb.
func aiKBHome(t *testing.T, files map[string]string, statements ...string) string {
	t.Helper()
	home := importFiles(t, files)
	if len(statements) > 0 {
		db := expect.Value(sql.Open("sqlite", filepath.Join(home, "kb.sqlite3")))(t)
		t.Cleanup(func() { db.Close() })
		for _, s := range statements {
			if _, err := db.Exec(s); err != nil {
				t.Fatalf("%s: %v", s, err)
			}
		}
	}
	return home
}

// titled returns the item with a title.
func titled(t *testing.T, set *kb.ImportSet, title string) kb.Incoming {
	t.Helper()
	i := slices.IndexFunc(
		set.Items,
		func(in kb.Incoming) bool { return in.Capsule.Title == title },
	)
	if i < 0 {
		t.Fatalf("no %q in %+v", title, set)
	}
	return set.Items[i]
}

// TestImportAIKBFiles: a file without the database is markdown, with its text as it was written.
func TestImportAIKBFiles(t *testing.T) {
	dir := importFiles(t, map[string]string{"capsules/1.md": "---\nid: 1\ntitle: chezmoi: state [x]\nkind: principle\nscope: project\n" +
		"tags: lint,git\nworkspace_path: /w/app\nproject_id: app\ndomain_tags: chezmoi,dotfiles\nconfidence: 0.85\n" +
		"created_at: 2026-01-02T03:04:05+00:00\nmood: good\n---\n\n# chezmoi: state [x]\n\nText.\n"})
	set := importSet(t, dir, "auto")
	c := importOne(t, set).Capsule
	if set.Format != formatMarkdown || c.Title != "chezmoi: state [x]" || c.Kind != "principle" || c.Scope != "project" ||
		!slices.Equal(c.Tags, []string{"git", "lint"}) || c.Workspace != "/w/app" || c.Project != "app" || *c.Confidence != 0.85 ||
		!slices.Equal(c.DomainTags, []string{"chezmoi", "dotfiles"}) || c.Created.Month() != 1 || !strings.HasSuffix(c.Body, "Text.\n\nid: 1\nmood: good") {
		t.Errorf("%s: %+v", set.Format, c)
	}
}

// TestImportAIKBDatabase: what ai-kb has stored comes over, whatever part of the home is named.
func TestImportAIKBDatabase(t *testing.T) {
	home := aiKBHome(t, map[string]string{"capsules/one.md": "# One\n\nBody."}, aiKBSchema,
		aiKBRow("1-one", "One", "workspace", "/w/app", "2-two", "0.4"),
		aiKBRow("2-two", "Two", "universal", "", "", "0"),
		strings.Replace(aiKBRow("3-three", "Three", "universal", "", "2-two", "1"), "0.5, NULL, NULL", "0.5, NULL, '3-three, 0-old'", 1),
		aiKBRow("4-four", "Four", "world", "", "", "0"))
	one, two := kb.ImportedID("ai-kb", "1-one"), kb.ImportedID("ai-kb", "2-two")
	for _, path := range []string{home, filepath.Join(home, "capsules"), filepath.Join(home, "kb.sqlite3")} {
		set := importSet(t, path, "auto")
		if set.Format != formatAIKB || len(set.Items) != 3 || len(set.Refused) != 1 || !strings.Contains(set.Refused[0].Why, `scope "world" is unknown`) {
			t.Fatalf("%s: %+v", path, set)
		}
		c := titled(t, set, "One").Capsule
		if c.ID != one || c.SupersededBy != two || c.Scope != "workspace" ||
			c.Workspace != "/w/app" ||
			c.DecayScore != 0.4 ||
			c.Updated.Month() != 2 ||
			c.Created.Month() != 1 ||
			!slices.Equal(c.Refs, []string{"run:7", "file.go:3", "ai-kb:1-one"}) ||
			c.Body != "Body of One." {
			t.Errorf("%s: %+v", path, c)
		}
		if c := titled(t, set, "Three").Capsule; !slices.Equal(c.Supersedes, []string{kb.ImportedID("ai-kb", "0-old")}) {
			t.Errorf("it supersedes itself: %+v", c)
		}
	}
}

func TestImportAIKBFails(t *testing.T) {
	importFails(t, storeDB(t, `CREATE TABLE chunks (x)`), formatAIKB, fault.Invalid, "is not a database of ai-kb")
	importFails(t, importFiles(t, map[string]string{"a.md": "x"}), formatAIKB, fault.Invalid, "has no kb.sqlite3")
	importFails(t, storeDB(t, `CREATE TABLE chunks (x)`), "auto", fault.Invalid, "of agent-memory-store", "context store")
	importFails(t, storeDB(t, `CREATE TABLE other (x)`), "auto", fault.Invalid, "not of ai-kb", "looked for")
	importFails(
		t,
		storeDB(t, `CREATE TABLE capsules (id, superseded_by)`, `CREATE TABLE sidecars (id)`),
		"auto",
		fault.Invalid,
		"knowledge base of this program",
	)
	importFails(t, storeDB(t, `CREATE TABLE entries (id)`, `CREATE TABLE signals (id)`), "auto",
		fault.Invalid, "import it as a run")
	set := importSet(
		t,
		aiKBHome(
			t,
			nil,
			aiKBSchema,
			strings.Replace(aiKBRow("1", "One", "universal", "", "", "7"), "0.5", "'sure'", 1),
			strings.Replace(
				aiKBRow("2", "Two", "universal", "", "", "0"),
				"'Body of Two.'",
				"x'ff'",
				1,
			),
		),
		"auto",
	)
	if len(set.Refused) != 1 || !strings.Contains(set.Refused[0].Why, "not valid UTF-8") ||
		len(set.Items) != 1 ||
		!strings.HasSuffix(set.Items[0].Capsule.Body, "confidence: sure\ndecay_score: 7.0") {
		t.Errorf("%+v", set)
	}
}

// TestImportAIKBShared: what ai-kb itself has written comes over as it is there.
func TestImportAIKBShared(t *testing.T) {
	path := shared.File("fixtures", "origin", "kb.sqlite3")
	if path == "" {
		t.Skip("fixtures/origin is absent from the folder of shared files (set BOARD_SHARED)")
	}
	db := expect.Value(sql.Open("sqlite", "file:"+filepath.ToSlash(path)+"?mode=ro&immutable=1"))(t)
	defer db.Close()
	for _, source := range []string{path, filepath.Dir(path),
		filepath.Join(filepath.Dir(path), "capsules")} {
		set := importSet(t, source, "auto")
		rows := expect.Value(db.Query(
			`SELECT id, title, kind, scope, coalesce(workspace_path, ''), coalesce(project_id, ''), coalesce(verified_by, ''), coalesce(superseded_by, ''), confidence, decay_score, body FROM capsules`,
		))(t)
		defer rows.Close()
		n := 0
		for ; rows.Next(); n++ {
			var id, by string
			var confidence, decay float64
			var c kb.Capsule
			expect.OK(t, rows.Scan(&id, &c.Title, &c.Kind, &c.Scope, &c.Workspace, &c.Project,
				&c.VerifiedBy, &by, &confidence, &decay, &c.Body))
			if by != "" {
				by = kb.ImportedID("ai-kb", by)
			}
			got := titled(t, set, c.Title).Capsule
			if got.ID != kb.ImportedID("ai-kb", id) || got.Kind != c.Kind ||
				got.Scope != c.Scope ||
				got.Workspace != c.Workspace ||
				got.Project != c.Project ||
				got.VerifiedBy != c.VerifiedBy ||
				got.SupersededBy != by ||
				*got.Confidence != confidence ||
				got.DecayScore != decay ||
				got.Body != c.Body ||
				!slices.Contains(got.Refs, "ai-kb:"+id) {
				t.Errorf("%s: %+v, want %+v", source, got, c)
			}
		}
		if set.Format != formatAIKB || n == 0 || len(set.Items) != n || len(set.Refused) > 0 {
			t.Errorf("%s: %d rows: %+v", source, n, set)
		}
	}
}
