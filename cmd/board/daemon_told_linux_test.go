package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"blackboard/cmd/board/base"
	"blackboard/cmd/board/daemon"
	"blackboard/testdata/cost"
	"blackboard/testdata/expect"
)

// TestDaemonTold: a person is told once that a daemon starts by itself, a program is not.
func TestDaemonTold(t *testing.T) {
	cost.SkipQuick(t)
	if shared() == "" {
		t.Skip("needs the model potion-base-2M (set BOARD_SHARED)")
	}
	home := t.TempDir()
	env := []string{
		"BOARD_DAEMON=auto",
		"XDG_RUNTIME_DIR=" + home,
		"BOARD_MODEL_DIR=" + filepath.Join(shared(), "models", "potion-base-2M"),
	}
	run := func(args ...string) string {
		t.Helper()
		x := onTerminal(t, home, env, args...)
		if code := x.exit(); code != base.ExitOK {
			t.Fatalf("board %s: exit code %d: %s", strings.Join(args, " "), code, x.output())
		}
		return x.output()
	}
	const note = "note: started a daemon in the background"
	run(
		"kb",
		"remember",
		"--json",
		"--title",
		"Panes keep their scrollback",
		"--scope",
		"universal",
		"--source",
		"man:tmux",
		"capture-pane reads it whole",
	)
	restart := func() { // so that the next search misses it
		run("daemon", "start")
		run("daemon", "stop")
	}
	t.Cleanup(restart) // the last search may have started one that does not answer yet
	for _, c := range []struct {
		args []string
		told bool
	}{
		{[]string{"kb", "search", "--json", "scrollback"}, false},
		{[]string{"kb", "search", "scrollback"}, true},
		{[]string{"kb", "search", "scrollback"}, false},
	} {
		restart()
		if out := run(c.args...); strings.Contains(out, note) != c.told ||
			strings.Contains(out, "BOARD_DAEMON=off") != c.told {
			t.Errorf(
				"board %s wrote %q; that a daemon was started: %t",
				strings.Join(c.args, " "),
				out,
				c.told,
			)
		}
	}
}

// TestDaemonStopWaits: a daemon that has its lock and does not answer yet is waited for.
func TestDaemonStopWaits(t *testing.T) {
	home := t.TempDir()
	env := func(name string) string {
		return map[string]string{"BOARD_HOME": home, "XDG_RUNTIME_DIR": home}[name]
	}
	place := expect.Value(daemon.PlaceOf(home, env))(t)
	expect.OK(t, os.MkdirAll(filepath.Dir(place.Lock), 0o700))
	lock := expect.Value(os.OpenFile(place.Lock, os.O_CREATE|os.O_RDWR, 0o600))(t)
	expect.OK(t, syscall.Flock(int(lock.Fd()), syscall.LOCK_EX))
	time.AfterFunc(300*time.Millisecond, func() { lock.Close() })
	var out, errs bytes.Buffer
	if code := run(t.Context(), []string{"daemon", "stop"}, env, nil, &out, &errs); code != base.ExitOK ||
		out.String() != "the daemon is not running\n" {
		t.Errorf("exit %d: %s%s", code, &out, &errs)
	}
}
