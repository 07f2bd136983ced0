package topics

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"blackboard/board/disk"
	"blackboard/testdata/expect"
)

// TestAdopt moves topics to another workspace: what both have is joined if it is a
// worklog, and else stays. A second call changes nothing.
func TestAdopt(t *testing.T) {
	root := t.TempDir()
	open := func(ws string) *Dir {
		t.Helper()
		d := expect.Value(Open(root, ws, Options{}))(t)
		return d
	}
	old, now, below := open("/at/old"), open("/at/new"), open("/at/old/below")
	for i, d := range []*Dir{old, now, below} {
		e := Entry{ID: string(rune('a' + i)), Time: time.Unix(int64(i), 0), Event: "tool", Tool: "Bash",
			Command: "make " + d.workspace}
		expect.Value(d.Record(t.Context(), Current, e))(t)
		expect.Value(d.Use(t.Context(), "release", "of "+d.workspace))(t)
	}
	expect.OK(t, os.WriteFile(old.SpecPath("mine"), []byte("# mine\n"), 0o600))
	a, err := now.Adopt(t.Context(), old)
	if err != nil || !slices.Equal(a.Moved, []string{"current.worklog.jsonl", "mine.txt"}) ||
		len(a.Left) != 2 {
		t.Fatalf("%+v: %v", a, err)
	}
	tail, err := now.Tail(Current, TailLimits{})
	if err != nil || len(tail) != 2 || tail[0].ID != "a" || tail[1].ID != "b" {
		t.Errorf("the worklog is %+v: %v", tail, err)
	}
	if disk.Exists(old.WorklogPath(Current)) || !disk.Exists(old.SpecPath("release")) {
		t.Error("the old place keeps what was moved, or lost what has another in its place")
	}
	if !disk.Exists(below.WorklogPath(Current)) {
		t.Error("a workspace below the old one lost its worklog")
	}
	again, err := now.Adopt(t.Context(), old)
	if err != nil || len(again.Moved) != 0 {
		t.Errorf("again: %+v: %v", again, err)
	}
	if a, err := now.Adopt(t.Context(), open(filepath.Join("/at", "never"))); err != nil ||
		len(a.Moved)+len(a.Left) > 0 {
		t.Errorf("of none: %+v: %v", a, err)
	}
}
