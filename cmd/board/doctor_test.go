package main

import (
	"bytes"
	"crypto/sha256"
	"database/sql"
	"encoding/json"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	_ "modernc.org/sqlite"

	"blackboard/cmd/board/base"
	"blackboard/cmd/board/daemon"
	"blackboard/cmd/board/doctor"
	"blackboard/kb"
	"blackboard/testdata/cost"
	"blackboard/testdata/expect"
)

// sickHome is a data home for tests of the doctor, with something of everything in it.
type sickHome struct {
	t    *testing.T
	home string
	env  map[string]string
}

func newSickHome(t *testing.T) *sickHome {
	t.Helper()
	dir := expect.Value(os.MkdirTemp("", "bd"))(t)
	t.Cleanup(func() { os.RemoveAll(dir) })
	project := filepath.Join(dir, "project")
	expect.OK(t, os.Mkdir(project, 0o700))
	t.Chdir(project)
	s := &sickHome{t: t, home: filepath.Join(dir, "home")}
	s.env = map[string]string{"BOARD_HOME": s.home, "HOME": dir, "BOARD_WORKER": "w", "BOARD_DAEMON": daemon.Off, "BOARD_MODEL_DIR": tinyModel(t),
		"BOARD_SPEC_ROOT": filepath.Join(dir, "specs"), "XDG_RUNTIME_DIR": dir}
	s.must("post", "kept", "-r", "good")
	s.must("kb", "remember", "the gate stays shut", "--title", "gate", "--source", "s", "--confidence", "0.5")
	s.must("kb", "remember", "keys are rotated", "--title", "keys", "--source", "s", "--confidence", "0.5")
	s.must("memory", "put", "of the project", "--tier", "workspace", "--agent", "a")
	s.must("memory", "put", "of everywhere", "--tier", "account", "--agent", "a")
	return s
}

// run runs a command of the program.
func (s *sickHome) run(args ...string) (code int, out, errs string) {
	s.t.Helper()
	var o, e bytes.Buffer
	code = run(s.t.Context(), args, func(k string) string { return s.env[k] }, strings.NewReader(""), &o, &e)
	return code, o.String(), e.String()
}

func (s *sickHome) must(args ...string) string {
	s.t.Helper()
	code, out, errs := s.run(args...)
	if code != base.ExitOK {
		s.t.Fatalf("board %v: exit %d: %s", args, code, errs)
	}
	return out
}

// answer is what the doctor says with --json.
type answer struct {
	Findings []doctor.Finding
	Broken   int
	Repairs  []doctor.Repaired
	Backup   string
}

func (s *sickHome) doctor(args ...string) (code int, a answer) {
	s.t.Helper()
	code, out, errs := s.run(append([]string{"doctor", "--json"}, args...)...)
	if err := json.Unmarshal([]byte(out), &a); err != nil {
		s.t.Fatalf("board doctor %v: exit %d: %v: %s%s", args, code, err, out, errs)
	}
	return code, a
}

// find is the first finding in an area that is not well; nil: there is none.
func (a *answer) find(area string) *doctor.Finding {
	i := slices.IndexFunc(a.Findings, func(f doctor.Finding) bool { return f.Area == area && f.State != kb.StateOK })
	if i < 0 {
		return nil
	}
	return &a.Findings[i]
}

// sql runs a statement on a file of the home, as nobody does by accident.
func (s *sickHome) sql(name, stmt string) {
	s.t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(s.home, name))
	if err != nil {
		s.t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(stmt); err != nil {
		s.t.Fatal(err)
	}
}

// contents are the hashes of all files below the home, but of those that SQLite and writers keep
// beside theirs, and of backups.
func (s *sickHome) contents() map[string]string {
	s.t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(s.home, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if e.IsDir() && e.Name() == "backups" {
			return fs.SkipDir
		}
		if name := e.Name(); e.Type().IsRegular() && !strings.HasSuffix(name, "-wal") && !strings.HasSuffix(name, "-shm") && !strings.HasSuffix(name, "-lock") {
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			all[strings.TrimPrefix(path, s.home+"/")] = fmt.Sprintf("%x", sha256.Sum256(data))
		}
		return nil
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return all
}

// TestDoctorMends makes each kind of damage that can be mended in files of SQLite, and sees that
// it is found, mended after a backup, and that nothing else changes.
func TestDoctorMends(t *testing.T) {
	cost.SkipUnlessLong(t)
	const kbFile, accountFile = "kb/kb.sqlite3", "memory/account.sqlite3"
	for _, c := range []struct {
		name   string
		damage func(s *sickHome)
		area   string
		state  string
		full   bool // it takes --full to see it
		file   string
	}{
		{"index of the knowledge base", func(s *sickHome) { s.sql(kbFile, `DELETE FROM capsule_index_tail`) }, "knowledge base", kb.StateBroken, true, kbFile},
		{"index of the account's memory", func(s *sickHome) { s.sql(accountFile, `DELETE FROM memory_index_tail`) }, "memory", kb.StateBroken, true, accountFile},
		{"capsule without embedding", func(s *sickHome) {
			s.must("kb", "remember", "bare", "--title", "bare", "--source", "s", "--confidence", "0.5", "--no-embed")
		}, "knowledge base", kb.StateNote, false, kbFile},
		{"item without embedding", func(s *sickHome) { s.must("memory", "put", "bare", "--tier", "account", "--agent", "a", "--no-embed") }, "memory", kb.StateNote, false, accountFile},
		{"database of the knowledge base", func(s *sickHome) {
			if err := os.WriteFile(filepath.Join(s.home, kbFile), bytes.Repeat([]byte("no database "), 100), 0o600); err != nil {
				s.t.Fatal(err)
			}
		}, "knowledge base", kb.StateBroken, false, kbFile},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newSickHome(t)
			if code, a := s.doctor("--full"); code != base.ExitOK || a.find(c.area) != nil {
				t.Fatalf("it is not well to begin with: exit %d, %+v", code, a.find(c.area))
			}
			c.damage(s)
			before := s.contents()
			var args []string
			if c.full {
				if code, a := s.doctor(); code != base.ExitOK || a.find(c.area) != nil {
					t.Errorf("without --full: exit %d, %+v", code, a.find(c.area))
				}
				args = []string{"--full"}
			}
			code, a := s.doctor(args...)
			f := a.find(c.area)
			if f == nil || f.State != c.state || !f.Repair || (code == base.ExitFailure) != (c.state == kb.StateBroken) {
				t.Fatalf("found with exit %d: %+v", code, f)
			}
			code, a = s.doctor(append(args, "--repair", "--yes")...)
			if code != base.ExitOK || a.Broken != 0 || a.find(c.area) != nil || len(a.Repairs) != 1 || a.Repairs[0].Error != "" {
				t.Fatalf("repaired with exit %d: %+v, %+v", code, a.Repairs, a.find(c.area))
			}
			kept, err := os.ReadFile(filepath.Join(a.Backup, "home", c.file))
			if err != nil || fmt.Sprintf("%x", sha256.Sum256(kept)) != before[c.file] {
				t.Errorf("the backup is not what was there: %v", err)
			}
			after := s.contents()
			for name, hash := range before {
				if after[name] != hash && name != c.file {
					t.Errorf("%s has changed", name)
				}
			}
			if len(after) != len(before) {
				t.Errorf("there are %d files, there were %d", len(after), len(before))
			}
			if out := s.must("kb", "search", "gate"); !strings.Contains(out, "the gate stays shut") {
				t.Errorf("the knowledge base does not answer: %s", out)
			}
			if out := s.must("memory", "read", "everywhere", "--tier", "account", "--agent", "a"); !strings.Contains(out, "of everywhere") {
				t.Errorf("the memory does not answer: %s", out)
			}
		})
	}
}

// TestDoctorDaemon tells a daemon that is stuck from one of another build, and from what a killed
// one leaves behind.
func TestDoctorDaemon(t *testing.T) {
	cost.SkipQuick(t)
	s := newSickHome(t)
	place := expect.Value(daemon.PlaceOf(s.home, func(k string) string { return s.env[k] }))(t)
	for _, dir := range []string{filepath.Dir(place.Socket), filepath.Dir(place.Note)} {
		expect.OK(t, os.MkdirAll(dir, 0o700))
	}
	listen := func() *net.UnixListener {
		l := expect.Value(net.ListenUnix("unix", &net.UnixAddr{Name: place.Socket, Net: "unix"}))(t)
		l.SetUnlinkOnClose(false)
		expect.OK(t, os.WriteFile(place.Note, []byte(place.Socket), 0o600))
		return l
	}
	l := listen() // and never answers: who connects waits
	code, a := s.doctor()
	if f := a.find("daemon"); code != base.ExitFailure || f == nil || f.State != kb.StateBroken || f.Repair || !strings.Contains(f.Say, "does not answer") {
		t.Errorf("stuck: exit %d, %+v", code, f)
	}
	l.Close()
	code, a = s.doctor()
	if f := a.find("daemon"); code != base.ExitOK || f != nil {
		t.Errorf("killed, which is nothing to mend: exit %d, %+v", code, f)
	}
	expect.OK(t, os.Remove(place.Socket))
	other := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		json.NewEncoder(w).Encode(daemon.Status{PID: 1, Build: "another"})
	})}
	go other.Serve(listen())
	defer other.Close()
	code, a = s.doctor()
	if f := a.find("daemon"); code != base.ExitOK || f == nil || f.State != kb.StateNote || f.Repair || !strings.Contains(f.Say, "of another build, another") {
		t.Errorf("another build: exit %d, %+v", code, f)
	}
}
