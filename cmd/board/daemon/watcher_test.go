package daemon

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"blackboard/kb"
	"blackboard/testdata/cost"
	"blackboard/testdata/expect"
	"blackboard/testdata/wait"
)

// TestWatcherSurvivesAReplacement replaces the directory of the capsules' files in the ways that
// people do it. Edits are picked up after it as they were before.
func TestWatcherSurvivesAReplacement(t *testing.T) {
	cost.SkipQuickUnlessRace(t)
	for _, tc := range []struct {
		what    string
		replace func(t *testing.T, dir string)
	}{
		{"removed, and a copy renamed", func(t *testing.T, dir string) {
			expect.OK(t, os.CopyFS(dir+".copy", os.DirFS(dir)))
			expect.OK(t, os.RemoveAll(dir))
			expect.OK(t, os.Rename(dir+".copy", dir))
		}},
		{"renamed, and copied back", func(t *testing.T, dir string) {
			expect.OK(t, os.Rename(dir, dir+".old"))
			expect.OK(t, os.CopyFS(dir, os.DirFS(dir+".old")))
		}},
		{"removed", func(t *testing.T, dir string) { // what is in the database is written anew
			expect.OK(t, os.RemoveAll(dir))
		}},
	} {
		t.Run(tc.what, func(t *testing.T) {
			home := home(t)
			remember(t, home, 1)
			k := expect.Value(kb.Open(t.Context(), home, kb.Options{}))(t)
			defer k.Close()
			dir := kb.Sidecars(home)
			files, err := filepath.Glob(filepath.Join(dir, "k*.md"))
			if err != nil || len(files) != 1 {
				t.Fatal(files, err)
			}
			w := newWatcher(slog.New(slog.DiscardHandler))
			w.every = 24 * time.Hour
			w.watch(k, dir)
			defer w.close()
			edit(t, k, files[0], "before")
			tc.replace(t, dir)
			for _, word := range []string{"first", "second", "third"} { // of which the looks at all files that follow a loss see two at most
				edit(t, k, files[0], word)
			}
		})
	}
}

// edit appends a word to a capsule's file and waits until it is picked up.
func edit(t *testing.T, k *kb.KB, name, word string) {
	t.Helper()
	id := strings.TrimSuffix(filepath.Base(name), ".md")
	wait.For(t, func() bool {
		// The file may be away for the moment.
		if data, err := os.ReadFile(name); err == nil && !strings.Contains(string(data), word) {
			expect.OK(t, os.WriteFile(name, append(data, word+"\n"...), 0o600))
		}
		c := expect.Value(k.Get(t.Context(), id))(t)
		return strings.Contains(c.Body, word)
	}, func() string { return fmt.Sprintf("the edit %q is not picked up", word) })
}
