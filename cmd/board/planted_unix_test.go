//go:build unix

package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"blackboard/testdata/expect"
)

// planted are the files that a directory, a repository or settings bring, with the
// commands that read them. DIR, HOME, SPECS and CONFIG stand for directories.
var planted = map[string][]string{
	"DIR/.git":       {"kb list", "memory list", "kb remember --source s --title T --body b", "runs"},
	"DIR/board.yaml": {"check --run r", "gate --run r", "post --run r finding"},
	"DIR/AGENTS.md":  {"setup codex --project --pointer --no-hooks --yes"},
	"DIR/notes.md":   {"kb ingest DIR", "import DIR"},
	"DIR/source.txt": {"post --run r finding", "verify --run r --sources DIR", "trace --run r DIR/source.txt"},

	"DIR/meta/commondir":                  {"kb list"},
	"DIR/meta/config":                     {"kb list"},
	"DIR/meta/index":                      {"kb list"},
	"DIR/.codex/config.toml":              {"setup codex --project --check"},
	"DIR/.agent-memory-store/chunks/a.md": {"context list"},
	"CONFIG/prefix.txt":                   {"hook session-start --harness claude"},
	"SPECS/DIR/_active_topic.txt":         {"topic status", "hook session-start --harness claude"},
	"SPECS/DIR/x.txt":                     {"topic show x"},
	"SPECS/DIR/x.worklog.jsonl":           {"topic show x"},
}

// plant puts in the place of a file what must not be read to its end.
var plant = map[string]func(path string) error{
	"a link to /dev/zero": func(path string) error { return os.Symlink("/dev/zero", path) },
	"a pipe":              func(path string) error { return syscall.Mkfifo(path, 0o600) },
	"a file of 1.5 GB":    plantLarge,
}

// plantLarge makes a sparse file that begins as a .git does.
func plantLarge(path string) error {
	if err := os.WriteFile(path, []byte("gitdir: "), 0o600); err != nil {
		return err
	}
	return os.Truncate(path, 1500<<20)
}

// TestPlanted: what a directory brings keeps no command waiting, and takes no memory.
func TestPlanted(t *testing.T) {
	for file, commands := range planted {
		for kind, make := range plant {
			t.Run(file+" is "+kind, func(t *testing.T) {
				root := expect.Value(filepath.EvalSymlinks(t.TempDir()))(t)
				dir := filepath.Join(root, "dir")
				place := strings.NewReplacer("SPECS/DIR", filepath.Join(root, "specs", dir),
					"DIR", dir, "CONFIG", filepath.Join(root, "config"))
				path := place.Replace(file)
				for _, d := range []string{dir, filepath.Dir(path)} {
					expect.OK(t, os.MkdirAll(d, 0o700))
				}
				if strings.HasPrefix(file, "DIR/meta/") {
					expect.OK(t, os.WriteFile(filepath.Join(dir, ".git"), []byte("gitdir: meta\n"),
						0o600))
				}
				expect.OK(t, make(path))
				t.Chdir(dir)
				env := map[string]string{"BOARD_HOME": filepath.Join(root, "home"), "HOME": root,
					"BOARD_SPEC_ROOT": filepath.Join(root, "specs"), "BOARD_DAEMON": "off",
					"BOARD_CONFIG_DIR": filepath.Join(root, "config"), "BOARD_WORKER": "w"}
				for _, command := range commands {
					runPlanted(t, env, strings.Fields(place.Replace(command)))
				}
			})
		}
	}
}

// runPlanted runs a command, whatever comes out of it.
func runPlanted(t *testing.T, env map[string]string, args []string) {
	t.Helper()
	const maxBytes, wait = 200 << 20, 2 * time.Minute
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	ended := make(chan string, 1)
	go func() {
		var said bytes.Buffer
		payload := `{"session_id":"s1","hook_event_name":"SessionStart","source":"startup","cwd":"` +
			env["BOARD_WORKSPACE"] + `"}`
		run(context.Background(), args, func(k string) string { return env[k] },
			strings.NewReader(payload), &said, &said)
		ended <- said.String()
	}()
	select {
	case said := <-ended:
		runtime.ReadMemStats(&after)
		if n := after.TotalAlloc - before.TotalAlloc; n > maxBytes {
			t.Errorf("board %q allocated %d MB", args, n>>20)
		}
		t.Logf("board %q: %.200s", args, said)
	case <-time.After(wait): // it hangs for ever: no machine is so slow
		t.Fatalf("board %q does not end", args)
	}
}
