package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestMain(m *testing.M) {
	if os.Getenv("LOAD_TEST_MAIN") != "" || os.Getenv(busyEnv) != "" {
		main()
	}
	os.Exit(m.Run())
}

// load is this program with a load of n, which keeps its files below tmp.
func load(t *testing.T, tmp string, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(t.Context(), self, args...)
	c.Env = append(os.Environ(), "LOAD_TEST_MAIN=1", "TMPDIR="+tmp)
	return c
}

// The exit code is the command's, and what is said about the load is true.
func TestExitCode(t *testing.T) {
	for script, want := range map[string]int{"exit 0": 0, "exit 3": 3, "kill -9 $$": 1} {
		tmp := t.TempDir()
		out, _ := load(t, tmp, "-n", "5", "--", "sh", "-c", script).CombinedOutput()
		c := load(t, tmp, "-n", "0", "--", "sh", "-c", script)
		if c.Run(); c.ProcessState.ExitCode() != want {
			t.Errorf("%s: exit code %d, not %d", script, c.ProcessState.ExitCode(), want)
		}
		for _, said := range []string{"5 busy processes on", "3 compute, 1 write, 1 allocate"} {
			if !strings.Contains(string(out), said) {
				t.Errorf("%s: %q is not said: %s", script, said, out)
			}
		}
		if left, _ := filepath.Glob(filepath.Join(tmp, "*")); len(left) != 0 {
			t.Errorf("%s leaves %v", script, left)
		}
	}
}

// However it ends, the busy processes end too: they hold its standard error open, and Run
// returns when the last of them has closed it.
func TestEndsWithIt(t *testing.T) {
	c := load(t, t.TempDir(), "-n", "5", "--", "sh", "-c", "kill -9 $PPID")
	var all strings.Builder
	c.Stdout, c.Stderr = &all, &all
	if err := c.Run(); err == nil || c.ProcessState.ExitCode() != -1 {
		t.Errorf("it was not killed: %v: %s", err, all.String())
	}
	c = load(t, t.TempDir(), "-n", "2", "-limit", "1ms", "--", "sh", "-c", "while :; do :; done")
	all.Reset()
	c.Stderr = &all
	c.Run()
	if c.ProcessState.ExitCode() != 1 || !strings.Contains(all.String(), "-limit sets how long") {
		t.Errorf("exit code %d after the limit: %s", c.ProcessState.ExitCode(), all.String())
	}
}
