package topics

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
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

// TestKilledWhileUnspooling: a writer that was killed after it had put lines into a
// worklog, and before it had taken them out of the spool, has them there once. What is
// not finished is left alone.
func TestKilledWhileUnspooling(t *testing.T) {
	d := newDir(t, Options{})
	const late = 2*repeatWindow + 1
	for i := range late {
		e := Entry{Session: "s", ID: fmt.Sprint(i), Tool: "late"}
		if i%2 == 0 {
			e.ID = "" // as many harnesses have it
		}
		expect.OK(t, d.spool("a", e.truncated(d.opt.Now())))
	}
	torn := filepath.Join(d.path, spoolDir, "00000000000000000000-1.a")
	write(t, torn, `{"tool":"to`)
	spool := files(t, filepath.Join(d.path, spoolDir))
	record(t, d, "a", Entry{Tool: "last"})
	for name, text := range spool { // as they were when the writer was killed
		write(t, filepath.Join(d.path, spoolDir, name), text)
	}
	for range 2 {
		got, err := d.Tail("a", TailLimits{})
		if lines := strings.Count(read(t, d.WorklogPath("a")), "\n"); err != nil ||
			len(got) != late+1 || lines != late+1 {
			t.Errorf("%d entries are read, %d lines are in the worklog, %v", len(got), lines, err)
		}
		unlock := expect.Value(d.lock(t.Context()))(t)
		unlock()
	}
	if left := files(t, filepath.Join(d.path, spoolDir)); len(left) != 1 ||
		left[filepath.Base(torn)] == "" {
		t.Errorf("in the spool are %d files", len(left))
	}
}

// TestSpoolOfWorkspace: what waits in the spool is no workspace, is archived with its
// worklog, and is wiped with its topic.
func TestSpoolOfWorkspace(t *testing.T) {
	d, _, into := archiveOf(t)
	expect.OK(t, d.spool("late", Entry{Tool: "x"}.truncated(d.opt.Now())))
	var found []string
	if err := eachWorkspace(t.Context(), rootOf(d), func(d *Dir) error {
		found = append(found,
			filepath.Base(d.path))
		return nil
	}); err != nil || slices.Contains(found, spoolDir) {
		t.Errorf("the workspaces are %q, %v", found, err)
	}
	if r := archive(t, d, into, ArchiveOptions{}); len(r.Problems) > 0 {
		t.Errorf("%+v", r)
	}
	for name := range files(t, into) {
		if strings.Contains(name, spoolDir) {
			t.Errorf("the archive has %s", name)
		}
	}
	if removed, err := d.Wipe(t.Context(), "late"); err != nil || len(removed) != 1 {
		t.Errorf("removed %+v, %v", removed, err)
	}
	if got, err := d.Tail("late", TailLimits{}); err != nil || len(got) != 0 {
		t.Errorf("%+v, %v", got, err)
	}
}
