package topics

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"blackboard/testdata/cost"
	"blackboard/testdata/expect"
)

// TestMain lets the test binary be a writer process of its own.
func TestMain(m *testing.M) {
	for name, run := range map[string]func(string) error{"BOARD_TOPICS_TEST_CHILD": child,
		"BOARD_TOPICS_TEST_KILLED": killedChild, "BOARD_TOPICS_TEST_LATE": lateChild} {
		if root := os.Getenv(name); root != "" {
			if err := run(root); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
			os.Exit(0)
		}
	}
	os.Exit(cost.Main(m))
}

const (
	childLines = 200
	childNotes = 10
)

func openShared(root string) (*Dir, error) {
	return Open(root, filepath.FromSlash("/home/u/project"), Options{WorklogBytes: 64 << 20,
		WorklogLines: 1_000_000})
}

// writeMany records lines and notes that tell who has written them.
func writeMany(d *Dir, who string) error {
	ctx := context.Background()
	for i := range childLines {
		if _, err := d.Record(ctx, "a", Entry{Tool: who, Command: strconv.Itoa(i),
			Summary: strings.Repeat("x", i%300)}); err != nil {
			return err
		}
		if i%(childLines/childNotes) == 0 {
			if _, err := d.Note(ctx, "a", fmt.Sprintf("%s %d", who, i)); err != nil {
				return err
			}
		}
	}
	return nil
}

// child is one of the processes that write to the same topic.
func child(root string) error {
	d, err := openShared(root)
	if err != nil {
		return err
	}
	return writeMany(d, os.Getenv("BOARD_TOPICS_TEST_WORKER"))
}

// TestManyWriters: 8 goroutines and 4 processes write 200 lines and 10 notes each to
// one topic. Nothing is lost, no line is torn, and each writer's lines are in its
// order.
func TestManyWriters(t *testing.T) {
	cost.SkipQuickUnlessRace(t)
	root := filepath.Join(t.TempDir(), "specs")
	d := expect.Value(openShared(root))(t)
	var writers []string
	var wg sync.WaitGroup
	for i := range 4 {
		who := fmt.Sprintf("p%d", i)
		writers = append(writers, who)
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), "BOARD_TOPICS_TEST_CHILD="+root,
			"BOARD_TOPICS_TEST_WORKER="+who)
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		expect.OK(t, cmd.Start())
		wg.Go(func() {
			if err := cmd.Wait(); err != nil {
				t.Errorf("%s: %v: %s", who, err, &stderr)
			}
		})
	}
	for i := range 8 {
		who := fmt.Sprintf("g%d", i)
		writers = append(writers, who)
		wg.Go(func() {
			if err := writeMany(d, who); err != nil {
				t.Errorf("%s: %v", who, err)
			}
		})
	}
	wg.Wait()
	next := map[string]int{}
	lines := strings.SplitAfter(read(t, d.WorklogPath("a")), "\n")
	for i, line := range lines[:len(lines)-1] {
		var e Entry
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatalf("line %d: %v: %q", i+1, err, line)
		}
		if e.Command != strconv.Itoa(next[e.Tool]) {
			t.Fatalf("line %d: %s has written %s where %d was next", i+1, e.Tool,
				e.Command, next[e.Tool])
		}
		next[e.Tool]++
	}
	spec := read(t, d.SpecPath("a"))
	for _, who := range writers {
		if next[who] != childLines {
			t.Errorf("%s has %d lines", who, next[who])
		}
		if n := strings.Count(spec, " "+who+" "); n != childNotes {
			t.Errorf("%s has %d notes", who, n)
		}
	}
	if last := lines[len(lines)-1]; last != "" {
		t.Errorf("the last line has no end: %q", last)
	}
}

// killedChild writes without end, so that the worklog is trimmed again and again, and
// says what it has written after each.
func killedChild(root string) error {
	d, err := Open(root, filepath.FromSlash("/home/u/project"), Options{WorklogLines: 50})
	if err != nil {
		return err
	}
	for i := 0; ; i++ {
		if _, err := d.Record(context.Background(), "a",
			Entry{Tool: os.Getenv("BOARD_TOPICS_TEST_WORKER"), Command: strconv.Itoa(i),
				Summary: strings.Repeat("x", i%900)}); err != nil {
			return err
		}
		if i%7 == 0 {
			if _, err := d.Rewrite(context.Background(), "a", fmt.Sprintf("# a\n%s\nend\n",
				strings.Repeat("y", i)), nil); err != nil {
				return err
			}
		}
		fmt.Println(i)
	}
}

// TestKilledWriters: a writer is killed in the middle of its work, again and again. The
// spec is whole, no line is torn, and what was acknowledged last is the last line but
// for what came after. $BOARD_KILL_ROUNDS sets how often.
func TestKilledWriters(t *testing.T) {
	cost.SkipShort(t)
	rounds := cost.Rounds(10, 10, 10)
	root := filepath.Join(t.TempDir(), "specs")
	d := expect.Value(Open(root, filepath.FromSlash("/home/u/project"), Options{WorklogLines: 50}))(t)
	for round := range rounds {
		who := fmt.Sprintf("r%d", round)
		cmd, out, _ := cost.Child(t, "", "BOARD_TOPICS_TEST_KILLED="+root, "BOARD_TOPICS_TEST_WORKER="+who)
		acked, lines := -1, bufio.NewScanner(out)
		for acked < 60+17*round%40 && lines.Scan() {
			acked = expect.Value(strconv.Atoi(lines.Text()))(t)
		}
		expect.OK(t, cmd.Process.Kill())
		for lines.Scan() { // what it has still said
			if n, err := strconv.Atoi(lines.Text()); err == nil {
				acked = n
			}
		}
		cmd.Wait() // it was killed
		if s, err := d.Spec("a"); err != nil || !strings.HasPrefix(s.Text, "# a\n") ||
			!strings.HasSuffix(s.Text, "\nend\n") {
			t.Fatalf("%s: the spec is %.40q…, %v", who, s.Text, err)
		}
		record(t, d, "a", Entry{Tool: "test"})
		all, err := d.Tail("a", TailLimits{})
		if err != nil || len(all) < 2 ||
			strings.Count(read(t, d.WorklogPath("a")), "\n") != len(all) {
			t.Fatalf("%s: %d entries, %v, in %q", who, len(all), err, read(t, d.WorklogPath("a")))
		}
		last := all[len(all)-2]
		if n, err := strconv.Atoi(last.Command); err != nil || last.Tool != who ||
			n < acked || n > acked+1 {
			t.Fatalf("%s: the last entry is %v, but %d was acknowledged", who, last, acked)
		}
	}
}
