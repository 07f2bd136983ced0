package topics

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"blackboard/testdata/cost"
	"blackboard/testdata/expect"
)

// lateChild records a line though its deadline has passed and another holds the turn to
// write.
func lateChild(root string) error {
	d, err := openShared(root)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	_, err = d.Record(ctx, "a", Entry{Session: "s", ID: os.Getenv("BOARD_TOPICS_TEST_WORKER"),
		Tool: "late"})
	return err
}

// TestRecordWithoutTurn: 20 processes record a line while another holds the turn to
// write for longer than they may wait. No line is lost: all are read at once, and stand
// in the worklog after the next write, each once.
func TestRecordWithoutTurn(t *testing.T) {
	cost.SkipQuick(t)
	root := filepath.Join(t.TempDir(), "specs")
	d := expect.Value(openShared(root))(t)
	record(t, d, "a", Entry{Tool: "first"})
	unlock := expect.Value(d.lock(t.Context()))(t)
	const late = 20
	var all []*exec.Cmd
	for i := range late {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), "BOARD_TOPICS_TEST_LATE="+root,
			fmt.Sprint("BOARD_TOPICS_TEST_WORKER=", i))
		cmd.Stderr = new(bytes.Buffer)
		expect.OK(t, cmd.Start())
		all = append(all, cmd)
	}
	for i, cmd := range all {
		if err := cmd.Wait(); err != nil {
			t.Errorf("%d: %v: %s", i, err, cmd.Stderr)
		}
	}
	if got, err := d.Tail("a", TailLimits{}); err != nil || len(got) != 1+late {
		t.Fatalf("%d entries are read, %v", len(got), err)
	}
	unlock()
	record(t, d, "a", Entry{Tool: "last"})
	lines := strings.Count(read(t, d.WorklogPath("a")), "\n")
	if got, err := d.Tail("a", TailLimits{}); err != nil || len(got) != 2+late ||
		lines != 2+late || got[len(got)-1].Tool != "last" {
		t.Errorf("%d entries are read, %d lines are in the worklog, %v", len(got), lines, err)
	}
}

// TestRecordCalledOff: a hook that is told to end keeps its line all the same.
func TestRecordCalledOff(t *testing.T) {
	d := newDir(t, Options{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := d.Record(ctx, "a", Entry{Tool: "x"}); err != nil {
		t.Error(err)
	}
	if got, err := d.Tail("a", TailLimits{}); err != nil || len(got) != 1 || got[0].Tool != "x" {
		t.Error(got, err)
	}
}

// TestRecordWhileTrimmed: a worklog has whole lines alone, though lines are appended without the
// lock while others replace it, again and again.
func TestRecordWhileTrimmed(t *testing.T) {
	d := newDir(t, Options{WorklogLines: 40})
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	const late = 20
	done := make(chan error)
	go func() {
		for i := range late {
			if _, err := d.Record(gone, "a", Entry{Session: "s", ID: fmt.Sprint(i), Tool: "late"}); err != nil {
				done <- err
				return
			}
		}
		done <- nil
	}()
	for range 12 {
		for range 10 { // which replaces it once
			record(t, d, "a", Entry{Tool: "other"})
		}
		if got := expect.Value(d.Tail("a", TailLimits{}))(t); len(got) > 60 {
			t.Errorf("%d entries are kept", len(got))
		}
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
	text := read(t, d.WorklogPath("a"))
	for line := range strings.Lines(text) {
		if _, ok := parseEntry([]byte(line)); !ok {
			t.Errorf("%q is no entry", line)
		}
	}
}
