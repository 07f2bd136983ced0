package main

import (
	"bytes"
	"crypto/sha256"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"blackboard/cmd/board/base"
	"blackboard/kb"
	"blackboard/testdata/cost"
	"blackboard/testdata/expect"
)

// otherPage puts the page that one index begins with in the place of another's, as a
// process does that takes itself for the last one and removes what others have written
// but not merged: pages of one moment end up among those of another.
func (s *sickHome) otherPage(name, from, to string) {
	s.t.Helper()
	path := filepath.Join(s.home, name)
	db, err := sql.Open("sqlite", path)
	if err != nil {
		s.t.Fatal(err)
	}
	var size, source, target int64
	err = db.QueryRow(`SELECT (SELECT page_size FROM pragma_page_size), (SELECT rootpage FROM sqlite_schema WHERE name = ?), (SELECT rootpage FROM sqlite_schema WHERE name = ?)`, from, to).
		Scan(&size, &source, &target)
	if err != nil {
		s.t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		s.t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		s.t.Fatal(err)
	}
	copy(data[(target-1)*size:target*size], data[(source-1)*size:source*size])
	if err := os.WriteFile(path, data, 0o600); err != nil {
		s.t.Fatal(err)
	}
}

// capsule is the id of the capsule whose file says something.
func (s *sickHome) capsule(says string) string {
	s.t.Helper()
	files, err := filepath.Glob(filepath.Join(kb.Sidecars(s.home), "k*.md"))
	if err != nil {
		s.t.Fatal(err)
	}
	for _, f := range files {
		if data, err := os.ReadFile(f); err == nil && strings.Contains(string(data), says) {
			return strings.TrimSuffix(filepath.Base(f), ".md")
		}
	}
	s.t.Fatalf("no capsule says %q", says)
	return ""
}

const (
	goodFile = "boards/good.sqlite3"
	kbFile   = "kb/kb.sqlite3"
	accFile  = "memory/account.sqlite3"
	ctxFile  = "../project/.agent-memory-store/board.sqlite3"
)

// TestDoctorFindsDamage: what a file shows of lost and mixed pages is found without
// --full, in every store, and looking changes nothing.
func TestDoctorFindsDamage(t *testing.T) {
	cost.SkipQuick(t)
	cost.SkipShort(t)
	for _, c := range []struct {
		name   string
		damage func(s *sickHome)
		area   string
		state  string
		says   string
	}{
		{"an entry that only the log has", func(s *sickHome) { s.sql(goodFile, `DELETE FROM entry_tags; DELETE FROM entries WHERE id = 2`) }, "boards", kb.StateBroken, "2 entries, not 3, without e2"},
		{"an event that is missing", func(s *sickHome) { s.sql(goodFile, `DROP TRIGGER events_no_delete; DELETE FROM events WHERE seq = 2`) }, "boards", kb.StateBroken, "event 2 was expected"},
		{"tags that are missing", func(s *sickHome) { s.sql(goodFile, `DELETE FROM entry_tags`) }, "boards", kb.StateBroken, "does not find 1 tags of entries"},
		{"an index with a page of another", func(s *sickHome) { s.otherPage(goodFile, "entries_worker", "entries_type") }, "boards", kb.StateBroken, "integrity check"},
		{"a capsule that is older than its history", func(s *sickHome) { s.sql(kbFile, `UPDATE capsules SET revision = 0 WHERE n = 1`) }, "knowledge base", kb.StateBroken, "has 1 capsules that are older"},
		{"history that is missing", func(s *sickHome) { s.sql(kbFile, `DELETE FROM events WHERE seq = 1`) }, "knowledge base", kb.StateNote, "1 of 2 changes are missing"},
		{"a capsule without a row", func(s *sickHome) {
			s.sql(kbFile, `DELETE FROM capsule_tags; DELETE FROM capsule_titles; DELETE FROM sidecars WHERE id = (SELECT id FROM capsules WHERE n = 1); DELETE FROM capsules WHERE n = 1`)
		}, "knowledge base", kb.StateNote, "1 changed by hand"},
		{"an index of capsules with a page of another", func(s *sickHome) { s.otherPage(kbFile, "capsules_kind", "capsule_titles_key") }, "knowledge base", kb.StateBroken, "integrity check"},
		{"an item of no channel", func(s *sickHome) { s.sql(accFile, `UPDATE items SET tier = 'channel', channel = 'gone'`) }, "memory", kb.StateBroken, "has 1 items in unknown channels"},
		{"what was done to the memory", func(s *sickHome) {
			s.must("memory", "put", "more", "--tier", "account", "--agent", "a")
			s.sql(accFile, `DROP TRIGGER events_stay; DELETE FROM events WHERE n = 1`)
		}, "memory", kb.StateNote, "1 event is missing"},
		{"an index of items with a page of another", func(s *sickHome) { s.otherPage(accFile, "items_same", "sqlite_autoindex_items_1") }, "memory", kb.StateBroken, "integrity check"},
		{"an index of chunks with a page of another", func(s *sickHome) { s.otherPage(ctxFile, "chunks_of_agent", "chunks_listed") }, "context store", kb.StateBroken, "integrity check"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newSickHome(t)
			s.must("post", "tagged", "-r", "good", "--tag", "one")
			s.must("post", "third", "-r", "good")
			s.must("context", "write", "content", "--topic", "topic", "--tag", "one")
			if code, a := s.doctor(); code != base.ExitOK || a.find(c.area) != nil {
				t.Fatalf("it is not well to begin with: exit %d, %+v", code, a.find(c.area))
			}
			c.damage(s)
			before := s.contents()
			code, a := s.doctor()
			f := a.find(c.area)
			if f == nil || f.State != c.state || !strings.Contains(f.Say, c.says) || (code == base.ExitFailure) != (c.state == kb.StateBroken) {
				t.Fatalf("found with exit %d: %+v", code, f)
			}
			for name, hash := range s.contents() {
				if before[name] != hash {
					t.Errorf("looking has changed %s", name)
				}
			}
		})
	}
}

// TestDoctorRepairsBoards: a board whose log is whole is as it was afterwards; what can
// be read of another one goes into a new run, and the damaged one stays.
func TestDoctorRepairsBoards(t *testing.T) {
	cost.SkipQuick(t)
	for name, damage := range map[string]func(s *sickHome){
		"rows":  func(s *sickHome) { s.sql(goodFile, `DELETE FROM entries WHERE id = 2`) },
		"index": func(s *sickHome) { s.otherPage(goodFile, "entries_type", "entries_worker") },
	} {
		t.Run(name, func(t *testing.T) {
			s := newSickHome(t)
			s.must("post", "second", "-r", "good")
			export := s.must("export", "-r", "good", "--format", "jsonl")
			damage(s)
			damaged := s.contents()[goodFile]
			code, a := s.doctor("--repair", "--yes")
			if code != base.ExitOK || len(a.Repairs) != 1 || a.Repairs[0].Error != "" || !strings.Contains(a.Repairs[0].Say, "2 entries, 0 questions, 0 variables; no known loss") {
				t.Fatalf("exit %d: %+v", code, a.Repairs)
			}
			if after := s.must("export", "-r", "good", "--format", "jsonl"); after != export {
				t.Errorf("it was\n%s\nand is\n%s", export, after)
			}
			for _, kept := range []string{"good.sqlite3", "good.sqlite3.broken-1"} {
				data, err := os.ReadFile(filepath.Join(a.Backup, "home", "boards", kept))
				if err != nil || fmt.Sprintf("%x", sha256.Sum256(data)) != damaged {
					t.Errorf("the backup does not have the damaged file as %s: %v", kept, err)
				}
			}
			if left, _ := filepath.Glob(filepath.Join(s.home, "boards", "*broken*")); len(left) > 0 {
				t.Errorf("left: %v", left)
			}
			s.must("post", "third", "-r", "good")
		})
	}
	s := newSickHome(t)
	s.must("post", "second", "-r", "good")
	s.sql(goodFile, `DROP TRIGGER events_no_delete; DELETE FROM events WHERE id = 'e1'; DELETE FROM entries WHERE id = 1`)
	before := s.contents()[goodFile]
	for range 2 { // the second finds that it is done
		code, a := s.doctor("--repair", "--yes")
		f := a.find("boards")
		if code != base.ExitFailure || a.Broken != 1 || f == nil || f.Repair || !strings.Contains(f.Say, "is in the run good-salvaged") || !strings.Contains(f.Try, "board rm good") {
			t.Fatalf("exit %d: %+v, %+v", code, f, a.Repairs)
		}
		if len(a.Repairs) > 0 {
			what, err := os.ReadFile(filepath.Join(a.Backup, "what.txt"))
			if err != nil || !strings.Contains(string(what), "lost of good: these are missing, and have placeholders: e1") {
				t.Errorf("%s%v", what, err)
			}
		}
	}
	if out := s.must("query", "-r", "good-salvaged"); !strings.Contains(out, "e1 could not be read") || !strings.Contains(out, "second") {
		t.Error(out)
	}
	if s.contents()[goodFile] != before {
		t.Error("the damaged board was changed")
	}
}

// TestDoctorRepairsStores: what can be read of a damaged knowledge base, memory or
// context store is there afterwards, and what is lost is told; the damaged file is in
// the backup.
func TestDoctorRepairsStores(t *testing.T) {
	cost.SkipQuick(t)
	cost.SkipShort(t)
	for _, c := range []struct {
		name   string
		damage func(s *sickHome)
		file   string
		says   string
		reads  [][]string // commands, each with what it must say
	}{
		{"an index of capsules", func(s *sickHome) { s.otherPage(kbFile, "capsules_kind", "capsule_titles_key") }, kbFile, "2 capsules, 0 files put into quarantine",
			[][]string{{"kb", "search", "gate", "the gate stays shut"}, {"kb", "history", "GATE", "remembered"}}},
		{"the capsules", func(s *sickHome) { s.otherPage(kbFile, "capsules_kind", "capsules") }, kbFile, "lost: not all of the table capsules can be read",
			[][]string{{"kb", "search", "gate", "the gate stays shut"}, {"kb", "history", "GATE", "remembered"}}},
		{"a capsule that is older than its history", func(s *sickHome) { s.sql(kbFile, `UPDATE capsules SET revision = 0 WHERE n = 1`) }, kbFile, "2 capsules",
			[][]string{{"kb", "search", "gate", "the gate stays shut"}}},
		{"an index of items", func(s *sickHome) { s.otherPage(accFile, "items_same", "sqlite_autoindex_items_1") }, accFile, "1 items",
			[][]string{{"memory", "read", "everywhere", "--tier", "account", "--agent", "a", "of everywhere"}, {"memory", "events", "--tier", "account", "put"}}},
		{"an item of no channel", func(s *sickHome) { s.sql(accFile, `UPDATE items SET tier = 'channel', channel = 'gone'`) }, accFile, "no known loss",
			[][]string{{"memory", "events", "--tier", "account", "put"}}},
		{"an item that is missing", func(s *sickHome) {
			s.must("memory", "put", "more", "--tier", "account", "--agent", "a")
			s.sql(accFile, `DELETE FROM items WHERE n = 2`)
			s.otherPage(accFile, "items_model", "items_live")
		}, accFile, "lost: 1 items in the log are missing: m", [][]string{{"memory", "read", "everywhere", "--tier", "account", "--agent", "a", "of everywhere"}}},
		{"an index of chunks", func(s *sickHome) { s.otherPage(ctxFile, "chunks_of_agent", "chunks_listed") }, ctxFile, "1 chunks", [][]string{{"context", "list", "--tag", "one", "topic"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newSickHome(t)
			s.must("context", "write", "content", "--topic", "topic", "--tag", "one")
			c.damage(s)
			before := expect.Value(os.ReadFile(filepath.Join(s.home, c.file)))(t)
			code, a := s.doctor("--repair", "--yes")
			if len(a.Repairs) == 0 || a.Repairs[0].Error != "" || !strings.Contains(a.Repairs[0].Say, c.says) {
				t.Fatalf("exit %d: %+v, %+v", code, a.Repairs, a.Findings)
			}
			code, a2 := s.doctor("--full")
			if code != base.ExitOK || a2.Broken != 0 {
				t.Errorf("afterwards, exit %d: %+v", code, a2.Findings)
			}
			for _, r := range c.reads {
				if r[2] == "GATE" {
					r[2] = s.capsule("the gate stays shut")
				}
				if out := s.must(r[:len(r)-1]...); !strings.Contains(out, r[len(r)-1]) {
					t.Errorf("board %v: %s", r[:len(r)-1], out)
				}
			}
			kept := filepath.Join(a.Backup, "home", c.file)
			if c.file == ctxFile {
				kept = filepath.Join(a.Backup, "elsewhere", filepath.Join(s.home, c.file))
			}
			if data, err := os.ReadFile(kept); err != nil || !bytes.Equal(data, before) {
				t.Errorf("the backup is not what was there: %v", err)
			}
		})
	}
}
