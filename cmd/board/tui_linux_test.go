package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/term"

	"blackboard/board"
	"blackboard/cmd/board/base"
	"blackboard/testdata/cost"
	"blackboard/testdata/expect"
	"blackboard/testdata/wait"
)

// asMain makes the test binary the program with its signals, which scripts do without.
const asMain = "BOARD_TEST_MAIN"

func init() {
	if os.Getenv(asMain) != "" {
		main() // and exits
	}
}

// terminal is a pseudo terminal with a program on it.
type terminal struct {
	t      *testing.T
	master *os.File
	slave  *os.File
	before *term.State
	cmd    *exec.Cmd

	mu  sync.Mutex
	out bytes.Buffer
}

func ioctl(t *testing.T, f *os.File, request, arg uintptr) {
	t.Helper()
	if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, f.Fd(), request, arg); errno != 0 {
		t.Fatal(errno)
	}
}

// onTerminal starts the program on a terminal of 80 × 24 cells, with a data home and what is in
// env besides.
func onTerminal(t *testing.T, home string, env []string, args ...string) *terminal {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("there are no pseudo terminals here: %v", err)
	}
	var locked, n int32
	ioctl(t, master, syscall.TIOCSPTLCK, uintptr(unsafe.Pointer(&locked)))
	ioctl(t, master, syscall.TIOCGPTN, uintptr(unsafe.Pointer(&n)))
	size := [4]uint16{24, 80}
	ioctl(t, master, syscall.TIOCSWINSZ, uintptr(unsafe.Pointer(&size)))
	slave := expect.Value(os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|syscall.O_NOCTTY, 0))(t)
	x := &terminal{t: t, master: master, slave: slave}
	x.before = expect.Value(term.GetState(int(slave.Fd())))(t)
	x.cmd = exec.Command(os.Args[0])
	x.cmd.Args = append([]string{"board"}, args...)
	x.cmd.Dir = t.TempDir()
	x.cmd.Env = append([]string{asMain + "=1", "BOARD_HOME=" + home, "HOME=" + x.cmd.Dir, "PATH=" + os.Getenv("PATH"), "TERM=xterm-256color", "BOARD_DAEMON=off", "BOARD_WORKER=tester"}, env...)
	x.cmd.Stdin, x.cmd.Stdout, x.cmd.Stderr = slave, slave, slave
	x.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	expect.OK(t, x.cmd.Start())
	go func() {
		b := make([]byte, 4096)
		for {
			n, err := master.Read(b)
			x.mu.Lock()
			x.out.Write(b[:n])
			x.mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	t.Cleanup(func() {
		x.cmd.Process.Kill()
		x.cmd.Wait()
		slave.Close()
		master.Close()
	})
	return x
}

func (x *terminal) output() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.out.String()
}

// waitFor waits until the program has written a text.
func (x *terminal) waitFor(text string) {
	x.t.Helper()
	wait.For(x.t, func() bool { return strings.Contains(x.output(), text) }, func() string { return fmt.Sprintf("%q was not written, but %q", text, x.output()) })
}

func (x *terminal) keys(s string) {
	x.t.Helper()
	if _, err := x.master.WriteString(s); err != nil {
		x.t.Fatal(err)
	}
}

// exit waits for the end of the program, and returns its exit code. The terminal must be as it
// was.
func (x *terminal) exit() int {
	x.t.Helper()
	x.cmd.Wait()
	after, err := term.GetState(int(x.slave.Fd()))
	if err != nil {
		x.t.Fatal(err)
	}
	if !reflect.DeepEqual(after, x.before) {
		x.t.Errorf("the terminal is in another mode than before:\n%+v\n%+v", after, x.before)
	}
	x.slave.WriteString("the end") // what was written before it has been read when this has
	x.waitFor("the end")
	return x.cmd.ProcessState.ExitCode()
}

// left fails unless the program has given the screen back: the other screen, the cursor,
// what is pasted.
func (x *terminal) left() {
	x.t.Helper()
	for on, off := range map[string]string{"\x1b[?1049h": "\x1b[?1049l", "\x1b[?25l": "\x1b[?25h", "\x1b[?2004h": "\x1b[?2004l", "\x1b[22;2t": "\x1b[23;2t"} {
		out := x.output()
		if !strings.Contains(out, on) || strings.LastIndex(out, off) < strings.LastIndex(out, on) {
			x.t.Errorf("%q is not taken back by %q: %q", on, off, out)
		}
	}
}

// TestQuietOnTerminal: no command but the TUI asks the terminal anything. See package tui/dark.
func TestQuietOnTerminal(t *testing.T) {
	x := onTerminal(t, t.TempDir(), nil, "version")
	if code := x.exit(); code != base.ExitOK {
		t.Errorf("exit code %d", code)
	}
	if out := x.output(); !strings.HasPrefix(out, "board ") || strings.Contains(out, "\x1b") {
		t.Errorf("`board version` wrote %q", out)
	}
}

// runForTerminal makes a run, and returns its data home.
func runForTerminal(t *testing.T) string {
	t.Helper()
	home := t.TempDir()
	b := expect.Value(board.OpenOrCreate(context.Background(), filepath.Join(home, "boards"), "audit"))(t)
	defer b.Close()
	expect.Value(b.Post(context.Background(), "reader", board.Post{Content: "Tokens never expire"}))(t)
	return home
}

// TestTUIOnTerminal: the run is shown, and q gives the terminal back.
func TestTUIOnTerminal(t *testing.T) {
	x := onTerminal(t, runForTerminal(t), []string{"NO_COLOR=1"}, "tui", "-r", "audit")
	x.waitFor("Tokens never expire")
	if strings.Contains(x.output(), "\x1b]1") {
		t.Errorf("without colours there is nothing to ask the terminal: %q", x.output())
	}
	x.keys("q") // to the runs
	x.waitFor("Runs")
	x.keys("q")
	if code := x.exit(); code != base.ExitOK {
		t.Errorf("exit code %d: %q", code, x.output())
	}
	x.left()
}

// TestTUITerminated: SIGTERM gives the terminal back too, and the program ends as others do that
// are interrupted.
func TestTUITerminated(t *testing.T) {
	x := onTerminal(t, runForTerminal(t), []string{"BOARD_RUN=audit"}, "tui")
	x.waitFor("\x1b[6n") // the colour of the background is asked for, and where the cursor is
	x.keys("\x1b]11;rgb:ffff/ffff/ffff\x1b\\\x1b[1;1R")
	x.waitFor("Tokens never expire")
	if asked := strings.Count(x.output(), "\x1b]11;?"); asked != 1 {
		t.Errorf("the terminal was asked for its colour %d times", asked)
	}
	expect.OK(t, x.cmd.Process.Signal(syscall.SIGTERM))
	if code := x.exit(); code != base.ExitFailure {
		t.Errorf("exit code %d: %q", code, x.output())
	}
	x.left()
	if out := x.output(); !strings.Contains(out[strings.LastIndex(out, "\x1b[?1049l"):], "board: interrupted") {
		t.Errorf("it does not say that it was interrupted: %q", out)
	}
}

// TestTUIHungUp: when the terminal goes away the program ends and says nothing.
func TestTUIHungUp(t *testing.T) {
	if cost.Race {
		t.Skip("Bubble Tea closes its reader after half a second even if that still reads, which is a race on a busy machine")
	}
	x := onTerminal(t, runForTerminal(t), []string{"NO_COLOR=1"}, "tui", "-r", "audit")
	x.waitFor("Tokens never expire")
	expect.OK(t, x.cmd.Process.Signal(syscall.SIGHUP))
	if code := x.exit(); code != base.ExitOK {
		t.Errorf("exit code %d: %q", code, x.output())
	}
	x.left()
	if out := x.output(); strings.Contains(out, "board: ") {
		t.Errorf("it says something: %q", out)
	}
}

// TestTUIInterrupted: an interrupt is meant for the editor that has the terminal just then, and
// ends nothing here.
func TestTUIInterrupted(t *testing.T) {
	home := runForTerminal(t)
	x := onTerminal(t, home, []string{"NO_COLOR=1"}, "tui", "-r", "audit")
	x.waitFor("Tokens never expire")
	for range 3 {
		expect.OK(t, x.cmd.Process.Signal(os.Interrupt))
	}
	b := expect.Value(board.Open(context.Background(), filepath.Join(home, "boards"), "audit"))(t)
	defer b.Close()
	expect.Value(b.Post(context.Background(), "reader", board.Post{Content: "still here"}))(t)
	x.waitFor("still here")
	x.keys("\x03")
	if code := x.exit(); code != base.ExitOK {
		t.Errorf("exit code %d: %q", code, x.output())
	}
	x.left()
}

// TestTUIRefused: a run that is not there is said so on the screen as it is.
func TestTUIRefused(t *testing.T) {
	for _, c := range []struct {
		env  []string
		args []string
		code int
		says string
	}{
		{nil, []string{"tui", "-r", "other"}, base.ExitNotFound, "there is no run other"},
		{[]string{"TERM=dumb"}, []string{"tui"}, base.ExitUsage, "can move its cursor"},
		{[]string{"BOARD_DAEMON=perhaps"}, []string{"tui"}, base.ExitUsage, "$BOARD_DAEMON"},
	} {
		x := onTerminal(t, t.TempDir(), c.env, c.args...)
		if code := x.exit(); code != c.code || !strings.Contains(x.output(), c.says) || strings.Contains(x.output(), "\x1b") {
			t.Errorf("%v %v: exit code %d, %q", c.env, c.args, code, x.output())
		}
	}
}
