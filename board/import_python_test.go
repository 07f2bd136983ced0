package board_test

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"blackboard/board"
	"blackboard/board/fault"
	"blackboard/testdata/expect"
	"blackboard/testdata/shared"
)

// pythonSchema is that of blackboard.py.
const pythonSchema = `CREATE TABLE entries (id INTEGER PRIMARY KEY, type TEXT NOT NULL, content TEXT NOT NULL, source_doc TEXT NOT NULL DEFAULT '', source_ref TEXT NOT NULL DEFAULT '',
	evidence TEXT NOT NULL DEFAULT '', confidence REAL NOT NULL DEFAULT 0.5, created_by TEXT NOT NULL DEFAULT '', status TEXT NOT NULL DEFAULT 'active',
	must_surface INTEGER NOT NULL DEFAULT 0, created_at TEXT NOT NULL);
	CREATE TABLE links (entry_id INTEGER NOT NULL, rel TEXT NOT NULL, target_id INTEGER NOT NULL);
	CREATE TABLE signals (id INTEGER PRIMARY KEY, content TEXT NOT NULL, priority TEXT NOT NULL DEFAULT 'medium', status TEXT NOT NULL DEFAULT 'open',
	waive_reason TEXT NOT NULL DEFAULT '', created_by TEXT NOT NULL DEFAULT '', created_at TEXT NOT NULL)`

// pythonBoard makes a board of blackboard.py. It stays open, in WAL mode, as it is while
// agents use it.
func pythonBoard(t *testing.T, name string, statements ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	db := expect.Value(sql.Open("sqlite", "file:"+filepath.ToSlash(path)+"?_pragma=journal_mode(WAL)"))(t)
	t.Cleanup(func() { db.Close() })
	for _, s := range statements {
		if _, err := db.Exec(s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
	return path
}

func importPath(t *testing.T, dir, path string, opt board.ImportOptions) (board.Imported, error) {
	t.Helper()
	f := expect.Value(os.Open(path))(t)
	defer f.Close()
	opt.Path, opt.Source = path, filepath.Base(path)
	return board.Import(context.Background(), dir, "operator", f, opt)
}

// opened opens a run that must be sound.
func opened(t *testing.T, dir, run string) (*board.Board, *board.Snapshot) {
	t.Helper()
	b := expect.Value(board.Open(t.Context(), dir, run))(t)
	t.Cleanup(func() { b.Close() })
	if err := b.Check(t.Context()); err != nil {
		t.Error(err)
	}
	s := expect.Value(b.Snapshot(t.Context()))(t)
	return b, s
}

// TestImportPython: ids, times, authors, statuses, links and questions are those of the
// file, and the gate is closed by the same questions.
func TestImportPython(t *testing.T) {
	path := pythonBoard(
		t,
		"payments.sqlite3",
		pythonSchema,
		`INSERT INTO signals VALUES (1, 'who retries?', 'critical', 'open', '', 'ada', '2026-05-01T08:00:00Z'), (2, 'which limit?', 'high', 'addressed', '', 'ada', '2026-05-01T08:00:00Z'),
			(3, 'who pays?', 'high', 'waived', 'next year', 'bob', '2026-05-01T09:30:00Z'), (4, 'late?', 'low', 'open', '', '', '2026-05-01T12:00:00Z')`,
		`INSERT INTO entries VALUES (1, 'observation', 'three tries', 'client.go', '42', 'for i := range 3', 0.9, 'ada', 'disputed', 0, '2026-05-01T08:30:00Z'),
			(2, 'contradiction', 'five tries', '', '', '', 0.5, 'bob', 'superseded', 1, '2026-05-01T09:00:00Z'),
			(3, 'gap', 'nobody knows', '', '', '', 0.5, '', 'active', 1, '2026-05-01T10:00:00Z')`,
		`INSERT INTO links VALUES (2, 'contradicts', 1), (3, 'supersedes', 2), (3, 'supports', 1), (3, 'addresses', 2), (3, 'addresses', 3)`,
	)
	dir := t.TempDir()
	got, err := importPath(t, dir, path, board.ImportOptions{})
	if err != nil || got.Run != "payments" || got.Format != "blackboard.py" || got.Entries != 3 ||
		got.Signals != 4 ||
		got.Links != 5 {
		t.Fatalf("%+v, %v", got, err)
	}
	b, s := opened(t, dir, "payments")
	at := func(text string) time.Time {
		v := expect.Value(time.Parse(time.RFC3339, text))(t)
		return v
	}
	e1, e2, e3 := s.Entries[0], s.Entries[1], s.Entries[2]
	if e1.Status != board.Disputed || e1.Content != "three tries" || e1.SourceDoc != "client.go" || e1.SourceRef != "42" || e1.Evidence != "for i := range 3" || *e1.Confidence != 0.9 ||
		e1.Worker != "ada" || e1.MustSurface ||
		!e1.Created.Equal(at("2026-05-01T08:30:00Z")) ||
		e1.ExternalID != "e1" {
		t.Errorf("%+v", e1)
	}
	if e2.Status != board.Superseded || e2.Type != board.Contradiction || !e2.MustSurface ||
		!slices.Equal(e2.Contradicts, []string{"e1"}) {
		t.Errorf("%+v", e2)
	}
	if e3.Status != board.Active || e3.Worker != "blackboard.py" || !e3.MustSurface ||
		!slices.Equal(e3.Supersedes, []string{"e2"}) ||
		!slices.Equal(e3.Supports, []string{"e1"}) ||
		!slices.Equal(e3.Addresses, []string{"s2", "s3"}) {
		t.Errorf("%+v", e3)
	}
	s1, s2, s3, s4 := s.Signals[0], s.Signals[1], s.Signals[2], s.Signals[3]
	if s1.Status != board.SignalOpen || s1.Priority != "critical" || s1.Worker != "ada" ||
		!s1.Created.Equal(at("2026-05-01T08:00:00Z")) ||
		s1.ExternalID != "s1" {
		t.Errorf("%+v", s1)
	}
	if s2.Status != board.Addressed || s2.AddressedBy != "e3" || !s2.Closed.Equal(e3.Created) {
		t.Errorf("%+v", s2)
	}
	if s3.Status != board.Waived || s3.Reason != "next year" || s4.Status != board.SignalOpen ||
		s4.Priority != "low" {
		t.Errorf("%+v\n%+v", s3, s4)
	}
	if !s.Created.Equal(s1.Created) {
		t.Errorf("the run is of %s", s.Created)
	}
	v, err := b.Gate(t.Context(), board.Policy{})
	if err != nil || v.Open || len(v.Reasons) != 1 || v.Reasons[0].ID != "s1" {
		t.Errorf("%+v, %v", v, err)
	}
	for _, words := range []string{"does not say who waived s3", "2 entries and questions name no author"} {
		if !slices.ContainsFunc(
			got.Notes,
			func(n string) bool { return strings.Contains(n, words) },
		) {
			t.Errorf("no note %q in %q", words, got.Notes)
		}
	}
	// Again: the run is there, and stays as it is.
	if _, err := importPath(t, dir, path, board.ImportOptions{}); err == nil ||
		!strings.Contains(err.Error(), "exists already") {
		t.Error(err)
	}
	if _, again := opened(t, dir, "payments"); again.Seq != s.Seq {
		t.Errorf("%d events, before %d", again.Seq, s.Seq)
	}
}

// TestImportPythonOdd: what has no place here is named, and kept in the log.
func TestImportPythonOdd(t *testing.T) {
	path := pythonBoard(
		t,
		"odd.sqlite3",
		pythonSchema,
		`ALTER TABLE entries ADD COLUMN mood TEXT`,
		`CREATE TABLE votes (x)`,
		`INSERT INTO signals VALUES (7, 'a?', 'high', 'addressed', '', 'a', '2026-05-01 08:00:00')`,
		`INSERT INTO entries (id, type, content, created_at, status, mood) VALUES (4, 'gap', 'x', '2026-05-01T08:00:00+02:00', 'superseded', 'good'), (9, 'gap', 'y', '2026-05-01T08:00:00.25Z', 'active', NULL)`,
		`INSERT INTO links VALUES (4, 'supports', 9), (4, 'supports', 9), (9, 'addresses', 3), (9, 'supports', 9), (5, 'supports', 4)`,
	)
	dir := t.TempDir()
	got, err := importPath(t, dir, path, board.ImportOptions{Run: "other"})
	if err != nil || got.Links != 1 {
		t.Fatalf("%+v, %v", got, err)
	}
	b, s := opened(t, dir, "other")
	if e := s.Entries[0]; e.ExternalID != "e4" || e.Status != board.Superseded ||
		!slices.Equal(e.Supports, []string{"e2"}) ||
		e.Created.Hour() != 6 {
		t.Errorf("%+v", e)
	}
	if g := s.Signals[0]; g.ExternalID != "s7" || g.Status != board.Waived ||
		!strings.Contains(g.Reason, "addressed in the source") {
		t.Errorf("%+v", g)
	}
	if v, err := b.Gate(t.Context(), board.Policy{}); err != nil || !v.Open {
		t.Errorf("%+v, %v", v, err)
	}
	all := strings.Join(got.Notes, "\n")
	for _, words := range []string{"tables that are not of blackboard.py were not read: votes", "entry e4 supports e9, which is not another", "entry e9 addresses s3", "entry e9 supports e9",
		"e5, which supports 4, is not in the file", "question s7 is addressed, but by no entry", "3 entries and questions have another id here"} {
		if !strings.Contains(all, words) {
			t.Errorf("no note %q in\n%s", words, all)
		}
	}
	events, err := b.History(t.Context(), "e1")
	if err != nil ||
		!strings.Contains(
			string(events[0].Payload),
			`"extra":{"links_left_out":["supports e9"],"mood":"good"}`,
		) {
		t.Errorf("%s, %v", events[0].Payload, err)
	}
}

func TestImportPythonRefused(t *testing.T) {
	entry := func(values string) string {
		return `INSERT INTO entries (id, type, content, confidence, status, created_by, created_at) VALUES ` + values
	}
	const now = `'2026-05-01T08:00:00Z'`
	signal := `INSERT INTO signals VALUES (1, 'a?', 'high', %, '', 'a', ` + now + `)`
	for name, c := range map[string]struct {
		statements []string
		words      string
	}{
		"type":       {[]string{pythonSchema, entry(`(1, 'hunch', 'x', 1, 'active', 'a', ` + now + `)`)}, `entry e1: unknown type "hunch"`},
		"content":    {[]string{pythonSchema, entry(`(1, 'gap', ' ', 1, 'active', 'a', ` + now + `)`)}, "entry e1: the content is empty"},
		"confidence": {[]string{pythonSchema, entry(`(1, 'gap', 'x', 7, 'active', 'a', ` + now + `)`)}, "confidence 7 is not between"},
		"number":     {[]string{pythonSchema, entry(`(1, 'gap', 'x', 'sure', 'active', 'a', ` + now + `)`)}, `the confidence "sure" is not a number`},
		"status":     {[]string{pythonSchema, entry(`(1, 'gap', 'x', 1, 'gone', 'a', ` + now + `)`)}, `entry e1: unknown status "gone"`},
		"time":       {[]string{pythonSchema, entry(`(1, 'gap', 'x', 1, 'active', 'a', 'noon')`)}, `entry e1: "noon" is not a time`},
		"worker":     {[]string{pythonSchema, entry(`(1, 'gap', 'x', 1, 'active', 'a' || char(10) || 'b', ` + now + `)`)}, "entry e1: the worker's name"},
		"closed":     {[]string{pythonSchema, strings.Replace(signal, "%", "'closed'", 1)}, `question s1: unknown status "closed"`},
		"priority":   {[]string{pythonSchema, strings.NewReplacer("%", "'open'", "'high'", "'urgent'").Replace(signal)}, `question s1: unknown priority "urgent"`},
		"relation":   {[]string{pythonSchema, entry(`(1, 'gap', 'x', 1, 'active', 'a', ` + now + `)`), `INSERT INTO links VALUES (1, 'likes', 1)`}, `a link of entry e1: unknown link "likes"`},
		"cycle": {[]string{pythonSchema, entry(`(1, 'gap', 'x', 1, 'active', 'a', ` + now + `), (2, 'gap', 'y', 1, 'active', 'a', ` + now + `)`),
			`INSERT INTO links VALUES (1, 'supersedes', 2), (2, 'supersedes', 1)`}, "cycle: e1 → e2 → e1"},
		"tables":  {[]string{`CREATE TABLE entries (id, type, content)`, `CREATE TABLE chunks (x)`}, "not a board of blackboard.py: it has no table signals"},
		"columns": {[]string{`CREATE TABLE entries (id, text)`, `CREATE TABLE signals (id, content, priority, status)`, `CREATE TABLE links (a)`}, "its table entries has no column type"},
		"own":     {[]string{`CREATE TABLE run (x)`, `CREATE TABLE events (x)`}, "is the file of a run of this program"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			_, err := importPath(
				t,
				dir,
				pythonBoard(t, "x.sqlite3", c.statements...),
				board.ImportOptions{},
			)
			if !errors.Is(err, fault.Invalid) || !strings.Contains(err.Error(), c.words) {
				t.Errorf("%v, want %q", err, c.words)
			}
			if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
				t.Errorf("left behind: %v %v", left, err)
			}
		})
	}
	cut := filepath.Join(t.TempDir(), "cut.sqlite3")
	expect.OK(t, os.WriteFile(cut, []byte("SQLite format 3\x00 and no more"), 0o600))
	if _, err := importPath(t, t.TempDir(), cut, board.ImportOptions{}); err == nil ||
		!strings.Contains(err.Error(), "is not a valid SQLite file") {
		t.Error(err)
	}
	if _, err := board.Import(t.Context(), t.TempDir(), "operator", strings.NewReader("SQLite format 3\x00"), board.ImportOptions{}); err == nil ||
		!strings.Contains(err.Error(), "not read from standard input") {
		t.Error(err)
	}
	if _, err := importPath(t, t.TempDir(), pythonBoard(t, "a b.sqlite3", pythonSchema), board.ImportOptions{}); err == nil ||
		!strings.Contains(err.Error(), "makes no name of a run") {
		t.Error(err)
	}
}

// TestImportPythonShared: a board that blackboard.py has written comes over as it is in
// the file.
func TestImportPythonShared(t *testing.T) {
	path := shared.File("fixtures", "origin", "audit.sqlite3")
	if path == "" {
		t.Skip("fixtures/origin is absent from the folder of shared files (set BOARD_SHARED)")
	}
	db := expect.Value(sql.Open("sqlite", "file:"+filepath.ToSlash(path)+"?mode=ro&immutable=1"))(t)
	defer db.Close()
	dir := t.TempDir()
	expect.Value(importPath(t, dir, path, board.ImportOptions{}))(t)
	b, s := opened(t, dir, "audit")
	one := func(query string, args ...any) (n int) {
		expect.OK(t, db.QueryRow(query, args...).Scan(&n))
		return n
	}
	if len(s.Entries) != one(`SELECT count(*) FROM entries`) ||
		len(s.Signals) != one(`SELECT count(*) FROM signals`) {
		t.Errorf("%d entries, %d signals", len(s.Entries), len(s.Signals))
	}
	links := 0
	for i, e := range s.Entries {
		links += e.Count()
		if one(
			`SELECT count(*) FROM entries WHERE id = ? AND type = ? AND content = ? AND status = ? AND created_by = ? AND confidence = ? AND must_surface = ? AND created_at = ?`,
			i+1,
			e.Type,
			e.Content,
			e.Status,
			e.Worker,
			*e.Confidence,
			e.MustSurface,
			e.Created.Format(time.RFC3339),
		) != 1 {
			t.Errorf("not as in the file: %+v", e)
		}
	}
	for i, g := range s.Signals {
		if one(
			`SELECT count(*) FROM signals WHERE id = ? AND content = ? AND priority = ? AND status = ? AND waive_reason = ? AND created_by = ? AND created_at = ?`,
			i+1,
			g.Content,
			g.Priority,
			g.Status,
			g.Reason,
			g.Worker,
			g.Created.Format(time.RFC3339),
		) != 1 {
			t.Errorf("not as in the file: %+v", g)
		}
	}
	if links != one(`SELECT count(*) FROM links`) {
		t.Errorf("%d links", links)
	}
	v, err := b.Gate(t.Context(), board.Policy{})
	if open := one(`SELECT count(*) FROM signals WHERE status = 'open' AND priority IN ('critical', 'high')`); err != nil ||
		len(v.Reasons) != open {
		t.Errorf("%+v, %v; %d questions block it in the file", v, err, open)
	}
}
