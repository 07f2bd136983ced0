package doctor

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestBackup copies an SQLite file together with its -wal, keeps nothing twice, and moves without
// writing over anything.
func TestBackup(t *testing.T) {
	home := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(home, name)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	db := write("a.sqlite3", "main")
	write("a.sqlite3-wal", "log")
	plain := write("plain", "one")
	b := &backup{home: home, dir: backupName(home, time.Now())}
	if err := b.begin([]string{db}); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{db, db, filepath.Join(home, "absent")} {
		if err := b.copy(t.Context(), path); err != nil {
			t.Fatal(err)
		}
		write("a.sqlite3", "changed")
	}
	for range 2 {
		if err := b.take(t.Context(), plain); err != nil {
			t.Fatal(err)
		}
		write("plain", "two")
	}
	if err := b.end(); err != nil {
		t.Fatal(err)
	}
	have := map[string]string{}
	entries, err := os.ReadDir(filepath.Join(b.dir, "home"))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		data, err := os.ReadFile(filepath.Join(b.dir, "home", e.Name()))
		if err != nil {
			t.Fatal(err)
		}
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
