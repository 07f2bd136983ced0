package board

import (
	"bytes"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	_ "modernc.org/sqlite"

	"blackboard/board/fault"
	"blackboard/board/sqlite"
	"blackboard/testdata/expect"
)

// mixedBoard is a closed board with everything on it, and what its export says.
func mixedBoard(t *testing.T) (dir, export string) {
	t.Helper()
	dir = t.TempDir()
	b, err := OpenOrCreate(t.Context(), dir, "r")
	if err != nil {
		t.Fatal(err)
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	_, err = b.Post(t.Context(), "w", Post{Content: "first", Tags: []string{"a"}, MustSurface: true})
	must(err)
	_, err = b.Signal(t.Context(), "w", Raise{Content: "who?", Priority: "high"})
	must(err)
	_, err = b.Post(t.Context(), "w", Post{Content: "second", Contradicts: []string{"e1"}, Key: "k"})
	must(err)
	_, err = b.Post(t.Context(), "w", Post{Content: "third", Supersedes: []string{"e2"}, Addresses: []string{"s1"}})
	must(err)
	_, err = b.Signal(t.Context(), "w", Raise{Content: "and when?", Origin: "e3"})
	must(err)
	_, err = b.Set(t.Context(), "w", "phase", []byte(`"one"`), 0)
	must(err)
	_, err = b.Set(t.Context(), "w", "phase", []byte(`"two"`), 1)
	must(err)
	_, err = b.Post(t.Context(), "w", Post{Content: "fourth", Supports: []string{"e3"}})
	must(err)
	_, err = b.Expect(t.Context(), "lead", []string{"w", "x", "e1"}, false)
	must(err)
	_, err = b.Done(t.Context(), "w")
	must(err)
	_, err = b.Drop(t.Context(), "lead", "x", "late")
	must(err)
	_, err = b.LinkDropping(t.Context(), "w", "e4", Links{Supersedes: []string{"e1"}}, "it was wrong")
	must(err)
	var out bytes.Buffer
	must(b.Export(t.Context(), &out))
	must(b.Close())
	return dir, out.String()
}

// damage runs statements on a closed board without its triggers and references.
func damage(t *testing.T, dir, stmts string) {
	t.Helper()
	db := expect.Value(sql.Open("sqlite", sqlite.RunPath(dir, "r")))(t)
	defer db.Close()
	expect.Value(db.Exec(`DROP TRIGGER events_no_delete; DROP TRIGGER events_no_update;` + stmts))(t)
}

// otherPage puts the page that one table or index begins with in the place of another's.
func otherPage(t *testing.T, dir, from, to string) {
	t.Helper()
	db := expect.Value(sql.Open("sqlite", sqlite.RunPath(dir, "r")))(t)
	var size, source, target int64
	expect.OK(t, db.QueryRow(`SELECT page_size, (SELECT rootpage FROM sqlite_schema WHERE name = ?), (SELECT rootpage FROM sqlite_schema WHERE name = ?) FROM pragma_page_size`, from, to).Scan(&size, &source, &target))
	expect.OK(t, db.Close())
	data := expect.Value(os.ReadFile(sqlite.RunPath(dir, "r")))(t)
	copy(data[(target-1)*size:target*size], data[(source-1)*size:source*size])
	expect.OK(t, os.WriteFile(sqlite.RunPath(dir, "r"), data, 0o600))
}

// checked opens a run and checks it.
func checked(t *testing.T, dir, run string) *Board {
	t.Helper()
	b := expect.Value(Open(t.Context(), dir, run))(t)
	t.Cleanup(func() { b.Close() })
	expect.OK(t, b.Check(t.Context()))
	return b
}

// TestRebuild: whatever is damaged but the log, the board is afterwards as it was, and
// the damaged file is kept.
func TestRebuild(t *testing.T) {
	needsFile(t)
	for name, damage := range map[string]func(t *testing.T, dir string){
		"rows that are missing": func(t *testing.T, dir string) {
			damage(t, dir, `DELETE FROM entries WHERE id = 2; DELETE FROM signals; DELETE FROM variables`)
		},
		"rows that differ":     func(t *testing.T, dir string) { damage(t, dir, `UPDATE entries SET content = 'another' WHERE id = 3`) },
		"an index":             func(t *testing.T, dir string) { otherPage(t, dir, "entries_worker", "entries_type") },
		"a table":              func(t *testing.T, dir string) { otherPage(t, dir, "entries_type", "entries") },
		"the full-text index":  func(t *testing.T, dir string) { otherPage(t, dir, "entries_type", "entries_fts_docsize") },
		"the counts":           func(t *testing.T, dir string) { otherPage(t, dir, "events_id", "counts") },
		"the index of the log": func(t *testing.T, dir string) { otherPage(t, dir, "entries_type", "events_id") },
	} {
		t.Run(name, func(t *testing.T) {
			dir, before := mixedBoard(t)
			damage(t, dir)
			damaged := expect.Value(os.ReadFile(sqlite.RunPath(dir, "r")))(t)
			s, aside, err := Rebuild(t.Context(), dir, "r")
			if err != nil || !s.Whole || s.Entries != 4 || s.Signals != 2 || s.Variables != 1 {
				t.Fatalf("%+v, %v", s, err)
			}
			if name == "rows that differ" != (len(s.Lost) == 1 && strings.Contains(s.Lost[0], "another")) || name != "rows that differ" && len(s.Lost) > 0 {
				t.Errorf("lost: %q", s.Lost)
			}
			var after bytes.Buffer
			b := checked(t, dir, "r")
			if err := b.Export(t.Context(), &after); err != nil || after.String() != before {
				t.Errorf("it was\n%s\nand is\n%s%v", before, &after, err)
			}
			if _, err := b.Set(t.Context(), "w", "phase", []byte(`"three"`), 2); err != nil {
				t.Error(err)
			}
			if kept, err := os.ReadFile(aside); err != nil || !bytes.Equal(kept, damaged) {
				t.Errorf("the damaged file is not kept: %v", err)
			}
			left, err := filepath.Glob(filepath.Join(dir, ".*"))
			if err != nil || len(left) > 0 {
				t.Errorf("left: %v, %v", left, err)
			}
		})
	}
}

// TestRebuildRefuses a log that is not whole, and a file in which there is nothing, and
// changes neither.
func TestRebuildRefuses(t *testing.T) {
	needsFile(t)
	for name, damage := range map[string]func(t *testing.T, dir string){
		"a gap":              func(t *testing.T, dir string) { damage(t, dir, `DELETE FROM events WHERE seq = 3`) },
		"rows without event": func(t *testing.T, dir string) { damage(t, dir, `DELETE FROM events WHERE id = 'e4'`) },
		"no log":             func(t *testing.T, dir string) { otherPage(t, dir, "entries_type", "events") },
		"no database": func(t *testing.T, dir string) {
			expect.OK(t, os.WriteFile(sqlite.RunPath(dir, "r"), bytes.Repeat([]byte("no database "), 100), 0o600))
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir, _ := mixedBoard(t)
			damage(t, dir)
			before, err := os.ReadFile(sqlite.RunPath(dir, "r"))
			if err != nil {
				t.Fatal(err)
			}
			_, _, err = Rebuild(t.Context(), dir, "r")
			if !errors.Is(err, fault.Conflict) && !(name == "no database" && errors.Is(err, fault.Corrupt)) {
				t.Errorf("%v", err)
			}
			if after, err := os.ReadFile(sqlite.RunPath(dir, "r")); err != nil || !bytes.Equal(before, after) {
				t.Errorf("it was changed: %v", err)
			}
			if made, err := filepath.Glob(filepath.Join(dir, "*broken*")); err != nil || len(made) > 0 {
				t.Errorf("made: %v, %v", made, err)
			}
		})
	}
}

// TestSalvage: what can be read of a board whose log is not whole is in the new run
// under the ids it had, what is missing has a placeholder, and the damaged board is left
// alone.
func TestSalvage(t *testing.T) {
	needsFile(t)
	for _, c := range []struct {
		name   string
		damage func(t *testing.T, dir string)
		lost   []string
		want   []string // contents of the entries
	}{
		{"an event, but not its row", func(t *testing.T, dir string) { damage(t, dir, `DELETE FROM events WHERE id = 'e2' AND verb = 'post'`) },
			[]string{"missing before event 5: 1 event", "they were taken from the tables: e2"}, []string{"first", "second", "third", "fourth"}},
		{"an event and its row", func(t *testing.T, dir string) {
			damage(t, dir, `DELETE FROM events WHERE id = 'e2'; DELETE FROM entries WHERE id = 2`)
		},
			[]string{"these are missing, and have placeholders: e2"}, []string{"first", "e2 could not be read from the damaged file of run r", "third", "fourth"}},
		{"an entry, without a gap in the log", func(t *testing.T, dir string) {
			damage(t, dir, `DELETE FROM events WHERE seq = 4; UPDATE events SET seq = seq - 1 WHERE seq > 4; DELETE FROM entries WHERE id = 2`)
		}, []string{"these are missing, and have placeholders: e2"}, []string{"first", "e2 could not be read from the damaged file of run r", "third", "fourth"}},
		{"the whole log", func(t *testing.T, dir string) { otherPage(t, dir, "entries_type", "events") },
			[]string{"not all of the table events can be read: 0 rows could be", "the first event is missing"}, []string{"first", "second", "third", "fourth"}},
		{"the end of the log", func(t *testing.T, dir string) { damage(t, dir, `DELETE FROM events WHERE seq > 6`) },
			[]string{"they were taken from the tables: e4"}, []string{"first", "second", "third", "fourth"}},
		{"the beginning of the log, and the run", func(t *testing.T, dir string) { damage(t, dir, `DELETE FROM events WHERE seq < 6; DELETE FROM run`) },
			[]string{"the first event is missing", "missing before event 6: 5 events"}, []string{"first", "second", "third", "fourth"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir, _ := mixedBoard(t)
			c.damage(t, dir)
			before := expect.Value(os.ReadFile(sqlite.RunPath(dir, "r")))(t)
			s, err := SalvageTo(t.Context(), dir, "r", "r"+SalvageSuffix, "doctor")
			if err != nil || s.Whole {
				t.Fatalf("%+v, %v", s, err)
			}
			for _, want := range c.lost {
				if !strings.Contains(strings.Join(s.Lost, "\n"), want) {
					t.Errorf("lost: %q, without %q", s.Lost, want)
				}
			}
			b := checked(t, dir, "r"+SalvageSuffix)
			now := expect.Value(b.Snapshot(t.Context()))(t)
			var have []string
			for _, e := range now.Entries {
				have = append(have, e.Content)
			}
			if strings.Join(have, "|") != strings.Join(c.want, "|") {
				t.Errorf("entries: %q", have)
			}
			if len(now.Signals) != 2 || now.Signals[0].Status != Addressed || now.Signals[0].AddressedBy != "e3" || now.Entries[2].Content != "third" || now.Entries[3].Supports == nil {
				t.Errorf("%+v", now.Signals)
			}
			if len(now.Variables) != 1 || string(now.Variables[0].Value) != `"two"` || now.Variables[0].Version != 2 {
				t.Errorf("%+v", now.Variables)
			}
			if after, err := os.ReadFile(sqlite.RunPath(dir, "r")); err != nil || !bytes.Equal(before, after) {
				t.Errorf("the damaged board was changed: %v", err)
			}
			if _, err := SalvageTo(t.Context(), dir, "r", "r"+SalvageSuffix, "doctor"); !errors.Is(err, fault.Conflict) {
				t.Errorf("a second time: %v", err)
			}
		})
	}
}
