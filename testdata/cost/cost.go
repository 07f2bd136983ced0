// Package cost lets tests hold a cost by what is allocated, which does not depend on how
// busy a machine is, says how much tests do, and starts the children that they kill.
package cost

import (
	"bufio"
	"flag"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// Allocated is how many bytes fn allocates. What copies its input again and again shows in it.
func Allocated(fn func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	fn()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// Growth fails if twice the input costs more than three times as much: what grows with the
// square costs four times as much. Of three measurements the least counts, as others may
// allocate meanwhile; with the race detector, which throws pooled memory away at random,
// none does.
func Growth(t *testing.T, what string, n int, fn func(n int)) {
	t.Helper()
	once, twice := ^uint64(0), ^uint64(0)
	for range 3 {
		once, twice = min(once, Allocated(func() { fn(n) })), min(twice, Allocated(func() { fn(2 * n) }))
	}
	if twice > 3*once && !Race {
		t.Errorf("%s: %d of them allocate %d bytes, and twice as many %d", what, n, once, twice)
	}
}

// Long reports whether tests may take minutes, as they do in CI: $BOARD_TEST_LONG is set, and
// neither -short nor the race detector is on. Otherwise tests are smaller, or skipped.
func Long() bool { return os.Getenv("BOARD_TEST_LONG") != "" && !short() && !Race }

// short is testing.Short, which a TestMain may ask before its tests run.
func short() bool {
	if !flag.Parsed() {
		flag.Parse()
	}
	return testing.Short()
}

// Quick reports whether tests are to be quick, as a plain go test is: with $BOARD_TEST_LONG and
// with $BOARD_TEST_ENGINE, as CI runs them, they do more of the same. The race detector looks at
// how a thing is done, not at how often: with it they are quick, too.
func Quick() bool {
	return short() || os.Getenv("BOARD_TEST_LONG") == "" && os.Getenv("BOARD_TEST_ENGINE") == ""
}

// Rounds is how often a test kills: $BOARD_KILL_ROUNDS says it, or whether it is [Long] or [Quick].
func Rounds(long, usual, quick int) int {
	if n, err := strconv.Atoi(os.Getenv("BOARD_KILL_ROUNDS")); err == nil {
		return n
	}
	switch {
	case Quick():
		return quick
	case Long():
		return long
	}
	return usual
}

// Child starts this test program once more, with such variables, for one test if it has a name. It
// returns what it says and, once it has ended, its errors.
func Child(t testing.TB, test string, env ...string) (*exec.Cmd, *bufio.Reader, *strings.Builder) {
	t.Helper()
	cmd, stderr := exec.Command(os.Args[0]), &strings.Builder{}
	if test != "" {
		cmd.Args = append(cmd.Args, "-test.run=^"+test+"$")
	}
	cmd.Env, cmd.Stderr = append(os.Environ(), env...), stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	return cmd, bufio.NewReader(out), stderr
}

// collectLess has quick tests collect garbage a quarter as often, which saves those that keep much
// in stores a fifth of their processor time. $GOGC goes first.
func collectLess() {
	if Quick() && os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
}

// SkipUnlessLong skips a test that takes long, unless [Long].
func SkipUnlessLong(t testing.TB) {
	t.Helper()
	if !Long() {
		t.Skip("long: set BOARD_TEST_LONG=1, without -short and -race, to run this test")
	}
}

// SkipTable skips a test in which nothing happens at once, and that computes for a second: with
// the race detector, which takes ten times as long and has nothing to find in it, and with -short.
func SkipTable(t testing.TB) {
	t.Helper()
	if Race || testing.Short() {
		t.Skip("a table of cases, one after the other: run it without -race and -short")
	}
}

// SkipShort skips a test that takes seconds, with -short.
func SkipShort(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("it takes seconds: run it without -short")
	}
}

// SkipQuick skips a test that takes seconds of processor time, if tests are to be quick ([Quick]).
func SkipQuick(t testing.TB) {
	t.Helper()
	if Quick() {
		t.Skip("it takes seconds: set BOARD_TEST_LONG=1 to run it")
	}
}

// SkipQuickUnlessRace is [SkipQuick] for a test in which goroutines share what is tested: with the
// race detector it runs.
func SkipQuickUnlessRace(t testing.TB) {
	t.Helper()
	if !Race || testing.Short() {
		SkipQuick(t)
	}
}

// Percentiles reports the median and the 99th percentile of single calls in milliseconds, which an
// average hides.
func Percentiles(b *testing.B, took []time.Duration) {
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Nanoseconds())/1e6, "p50-ms")
	b.ReportMetric(float64(took[len(took)*99/100].Nanoseconds())/1e6, "p99-ms")
}

// Timed calls op as often as the benchmark wants, and reports the Percentiles.
func Timed(b *testing.B, op func(i int) error) {
	b.Helper()
	var took []time.Duration
	for i := 0; b.Loop(); i++ {
		start := time.Now()
		if err := op(i); err != nil {
			b.Fatal(err)
		}
		took = append(took, time.Since(start))
	}
	Percentiles(b, took)
}

// Sizes are the sizes that a variable of the environment lists, such as 1000,5000, or else those given.
func Sizes(b *testing.B, env string, usual ...int) (sizes []int) {
	if os.Getenv(env) == "" {
		return usual
	}
	for s := range strings.SplitSeq(os.Getenv(env), ",") {
		n, err := strconv.Atoi(s)
		if err != nil {
			b.Fatal(err)
		}
		sizes = append(sizes, n)
	}
	return sizes
}
