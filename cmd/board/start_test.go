package main

import (
	"cmp"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"blackboard/testdata/cost"
	"blackboard/testdata/expect"
)

// TestStart holds what each start of the program does before main: a hook is called at every tool
// of an agent, and an initialiser that allocates is paid for by each of them.
func TestStart(t *testing.T) {
	cost.SkipUnlessLong(t) // it compiles the program and all it imports as a release is built
	const (
		mostPackages = 259     // that initialise something, the libraries and Go's own with them
		mostBytes    = 960_000 // that they allocate
		mostOwn      = 64_000  // of those, what packages of this module do
	)
	exe := filepath.Join(t.TempDir(), "board")
	build := exec.Command("go", "build", "-tags", "urfave_cli_no_docs", "-trimpath", "-o", exe, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Run("a hook outlives Ctrl-C", func(t *testing.T) { hookOutlivesInterrupt(t, exe) })
	var trace strings.Builder
	cmd := exec.Command(exe, "version")
	// Initialisers copy the environment, and one looks for programs in each directory of $PATH.
	cmd.Env = []string{"GODEBUG=inittrace=1", "PATH=" + t.TempDir(),
		"SYSTEMROOT=" + os.Getenv("SYSTEMROOT")}
	cmd.Stderr = &trace
	expect.OK(t, cmd.Run())
	type initialiser struct {
		name  string
		bytes int
	}
	var all []initialiser
	sum, own := 0, 0
	for line := range strings.Lines(trace.String()) { // init NAME @1.2 ms, 0.01 ms clock, 345 bytes, 6 allocs
		f := strings.Fields(line)
		if len(f) != 11 || f[0] != "init" || f[8] != "bytes," {
			t.Fatalf("this line of the trace is not known: %q", line)
		}
		n, err := strconv.Atoi(f[7])
		if err != nil {
			t.Fatalf("%v in %q", err, line)
		}
		all = append(all, initialiser{f[1], n})
		if sum += n; f[1] == "main" || strings.HasPrefix(f[1], "blackboard/") {
			own += n
		}
	}
	slices.SortFunc(all, func(a, b initialiser) int { return cmp.Compare(b.bytes, a.bytes) })
	if len(all) < 50 {
		t.Fatalf("the trace has %d packages", len(all))
	}
	t.Logf("%d packages, %d bytes, %d of them ours; the most: %v", len(all), sum, own, all[:20])
	for _, c := range []struct {
		what      string
		got, most int
	}{{"packages initialise something", len(all), mostPackages}, {"bytes are allocated by initialisers", sum, mostBytes}, {"bytes are allocated by our own initialisers", own, mostOwn}} {
		if c.got > c.most {
			t.Errorf("before main, %d %s; at most %d should be. Make values of packages when they are first used (sync.OnceValue, text.NewRegexp), and import nothing for little: go list -deps says what comes with it. If a new library is worth it, raise the number", c.got, c.what, c.most)
		}
	}
}

// hookOutlivesInterrupt interrupts a hook that has read half of its payload.
func hookOutlivesInterrupt(t *testing.T, exe string) {
	if runtime.GOOS == "windows" {
		t.Skip("there is no signal to send")
	}
	cmd := exec.Command(exe, "hook")
	cmd.Env = append(os.Environ(), "BOARD_HOME="+t.TempDir(), "XDG_STATE_HOME="+t.TempDir(),
		"BOARD_DAEMON=off")
	var out, errs strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &errs
	in := expect.Value(cmd.StdinPipe())(t)
	expect.OK(t, cmd.Start())
	// More than a pipe holds: when it is written, the hook reads.
	half := `{"hook_event_name":"Stop","text":"` + strings.Repeat("x", 256<<10)
	expect.Value(io.WriteString(in, half))(t)
	expect.OK(t, cmd.Process.Signal(os.Interrupt))
	expect.Value(io.WriteString(in, `"}`))(t)
	in.Close()
	if err := cmd.Wait(); err != nil || out.String() != "{}\n" || errs.String() != "" {
		t.Errorf("%v: %q %q", err, &out, &errs)
	}
}
