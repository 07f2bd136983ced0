package doctor

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"blackboard/testdata/expect"
)

// TestBackup copies an SQLite file together with its -wal, keeps nothing twice, and moves without
// writing over anything.
func TestBackup(t *testing.T) {
	home := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(home, name)
		expect.OK(t, os.WriteFile(path, []byte(text), 0o644))
		return path
	}
	db := write("a.sqlite3", "main")
	write("a.sqlite3-wal", "log")
	plain := write("plain", "one")
	b := &backup{home: home, dir: backupName(home, time.Now())}
	expect.OK(t, b.begin([]string{db}))
	for _, path := range []string{db, db, filepath.Join(home, "absent")} {
		expect.OK(t, b.copy(t.Context(), path))
		write("a.sqlite3", "changed")
	}
	for range 2 {
		expect.OK(t, b.take(t.Context(), plain))
		write("plain", "two")
	}
	expect.OK(t, b.log.Close())
	have := map[string]string{}
	entries := expect.Value(os.ReadDir(filepath.Join(b.dir, "home")))(t)
	for _, e := range entries {
		data := expect.Value(os.ReadFile(filepath.Join(b.dir, "home", e.Name())))(t)
		if info, err := e.Info(); err == nil && strings.HasPrefix(e.Name(), "a.") && info.Mode().Perm() != 0o600 {
			t.Errorf("%s has the mode %o", e.Name(), info.Mode().Perm())
		}
		name, _, _ := strings.Cut(e.Name(), "plain.")
		have[name] = string(data)
	}
	if len(entries) != 4 || have["a.sqlite3"] != "main" || have["a.sqlite3-wal"] != "log" || have["plain"] != "one" || have[""] != "two" {
		t.Errorf("kept: %v", have)
	}
	if again := backupName(home, time.Now()); again == b.dir {
		t.Errorf("the next backup would be %s too", again)
	}
}
