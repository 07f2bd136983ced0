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

// aiKBText writes a file as ai-kb does: the texts as they are, whatever YAML would make
// of them.
func aiKBText(id, title, scope, workspace, supersedes string) string {
	return "---\nid: " + id + "\ntitle: " + title + "\nkind: gotcha\nscope: " + scope +
		"\nsource: manual\ntags: a,b\nworkspace_path: " + workspace +
		"\nproject_id: \ndomain_tags: \n" +
		"confidence: 0.5\nverified_by: \nsupersedes: " + supersedes +
		"\nrefs: run:7,file.go:3\ncreated_at: 2026-01-02T03:04:05+00:00\n---\n\n# " + title +
		"\n\nBody of " + title + ".\n"
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

// TestImportAIKB: each field has its place, and a front matter that is no YAML is read
// as it was written.
func TestImportAIKB(t *testing.T) {
	const id = "20260102030405000001-a-b"
	home := importFiles(
		t,
		map[string]string{
			"capsules/" + id + ".md": "---\nid: " + id +
				"\ntitle: chezmoi: state [x] # stays\nkind: principle\nscope: project\nsource: \"a\": b\ntags: lint,git\n" +
				"workspace_path: /w/app\nproject_id: app\ndomain_tags: chezmoi,dotfiles\nconfidence: 0.85\nverified_by: reviewer: 2\nsupersedes: 20250101-old\nrefs: run:7, file.go:3\n" +
				"created_at: 2026-01-02T03:04:05+00:00\nmood: good\n---\n\n# chezmoi: state [x] # stays\n\n# Heading\n\nText.\n",
		},
	)
	want := kb.Capsule{
		ID:     kb.ImportedID("ai-kb", id),
		Kind:   "principle",
		Scope:  "project",
		Title:  "chezmoi: state [x] # stays",
		Body:   "# Heading\n\nText.\n\nmood: good",
		Source: `"a": b`,
		Tags: []string{
			"git",
			"lint",
		},
		DomainTags: []string{"chezmoi", "dotfiles"},
		Workspace:  "/w/app",
		Project:    "app",
		VerifiedBy: "reviewer: 2",
		Confidence: new(0.85),
		Supersedes: []string{
			kb.ImportedID("ai-kb", "20250101-old"),
		},
		Refs: []string{"run:7", "file.go:3", "ai-kb:" + id},
	}
	want.Created, _ = parseTime("2026-01-02T03:04:05Z")
	want.Updated = want.Created
	expect.OK(t, want.Normalise())
	for _, path := range []string{home, filepath.Join(home, "capsules"),
		filepath.Join(home, "capsules", id+".md")} {
		set := importSet(t, path, "auto")
		if in := importOne(t, set); set.Format != formatAIKB ||
			!reflect.DeepEqual(in.Capsule, want) ||
			!noted(in.Notes, "mood") {
			t.Errorf("%s: %s: %+v, want\n%+v", path, set.Format, in, want)
		}
	}
	// In a folder of other files it is what it is, too.
	expect.OK(t, os.WriteFile(filepath.Join(home, "capsules", "a.md"), []byte("# Notes\n\nMine.\n"),
		0o600))
	for _, format := range []string{"auto", formatMarkdown} {
		set := importSet(t, filepath.Join(home, "capsules"), format)
		if len(set.Items) != 2 || !reflect.DeepEqual(titled(t, set, want.Title).Capsule, want) ||
			titled(t, set, "Notes").Capsule.Body != "Mine." {
			t.Errorf("%s: %+v", format, set)
		}
	}
}

// TestImportAIKBDatabase: what only the database says comes over, whatever part of the
// home is named.
func TestImportAIKBDatabase(t *testing.T) {
	home := aiKBHome(
		t,
		map[string]string{
			"capsules/one.md": aiKBText("1-one", "One", "workspace", "/w/app", ""),
			"capsules/two.md": aiKBText("2-two", "Two", "universal", "", ""),
			"audit.sqlite3":   "x",
		},
		aiKBSchema,
		aiKBRow("1-one", "One", "workspace", "/w/app", "2-two", "0.4"),
		aiKBRow("2-two", "Two, changed", "universal", "", "", "0"),
		aiKBRow("3-three", "Three", "universal", "", "2-two", "1"),
		`CREATE TABLE doc_ingests (path TEXT)`,
		`CREATE TABLE votes (x)`,
	)
	one, two, three := kb.ImportedID(
		"ai-kb",
		"1-one",
	), kb.ImportedID(
		"ai-kb",
		"2-two",
	), kb.ImportedID(
		"ai-kb",
		"3-three",
	)
	for path, items := range map[string]int{home: 3, filepath.Join(home, "capsules"): 2,
		filepath.Join(home, "kb.sqlite3"): 3} {
		set := importSet(t, path, "auto")
		if set.Format != formatAIKB || len(set.Items) != items || len(set.Refused) > 0 {
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
		name, supersedes := "Two", []string{one, three}
		switch path {
		case filepath.Join(home, "capsules"):
			supersedes = supersedes[:1]
			if !noted(set.Notes, "supersessions and decay were read from") {
				t.Errorf("%q", set.Notes)
			}
		case filepath.Join(home, "kb.sqlite3"):
			name = "Two, changed"
		default:
			if !noted(set.Notes, "audit.sqlite3") {
				t.Errorf("%q", set.Notes)
			}
		}
		slices.Sort(supersedes)
		in := titled(t, set, name)
		if !slices.Equal(in.Capsule.Supersedes, supersedes) || in.Capsule.SupersededBy != "" ||
			name == "Two" && !noted(in.Notes, "kb.sqlite3 has a different body, title") {
			t.Errorf("%s: %+v", path, in)
		}
		if !noted(set.Notes, "not of ai-kb: votes") ||
			!noted(set.Notes, "list of ingested documents") {
			t.Errorf("%s: %q", path, set.Notes)
		}
	}
}

// TestImportAIKBLinks: one capsule has one successor, and what is refused still
// supersedes.
func TestImportAIKBLinks(t *testing.T) {
	later := func(text string) string {
		return strings.Replace(text, "created_at: 2026",
			"created_at: 2027", 1)
	}
	dir := importFiles(
		t,
		map[string]string{
			"1.md": aiKBText("1", "One", "universal", "", "1"),
			"2.md": aiKBText("2", "Two", "universal", "", "1"),
			"3.md": later(
				aiKBText("3", "Three", "universal", "", "1"),
			),
			"4.md": aiKBText("4", "Four", "workspace", "", "2"),
			"5.md": aiKBText("5", "Five", "world", "", ""),
			"6.md": aiKBText("3", "Six", "universal", "", ""),
		},
	)
	set := importSet(t, dir, "auto")
	if len(set.Items) != 3 || len(set.Refused) != 3 {
		t.Fatalf("%+v", set)
	}
	one, two := titled(t, set, "One"), titled(t, set, "Two")
	if one.Capsule.SupersededBy != kb.ImportedID("ai-kb", "3") ||
		!noted(one.Notes, "supersede itself") {
		t.Errorf("%+v", one)
	}
	if two.Capsule.SupersededBy != kb.ImportedID("ai-kb", "4") ||
		len(two.Capsule.Supersedes) > 0 ||
		!noted(two.Notes, "supersede 1, which 3 already does") {
		t.Errorf("%+v", two)
	}
	for i, words := range []string{"it has the same id 3 as", "names no workspace",
		`scope "world" is unknown`} {
		if !strings.Contains(set.Refused[i].Why, words) {
			t.Errorf("%q, want %q", set.Refused[i].Why, words)
		}
	}
}

func TestImportAIKBFails(t *testing.T) {
	home := importFiles(
		t,
		map[string]string{
			"capsules/1.md": aiKBText("1", "One", "universal", "", ""),
			"kb.sqlite3":    "SQLite format 3\x00 cut",
		},
	)
	importFails(t, home, "auto", fault.Invalid, "is not a valid SQLite file")
	importFails(
		t,
		filepath.Join(home, "capsules"),
		"auto",
		fault.Invalid,
		"is not a valid SQLite file",
	)
	importFails(
		t,
		storeDB(t, `CREATE TABLE chunks (x)`),
		formatAIKB,
		fault.Invalid,
		"is not a database of ai-kb",
	)
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
