package board

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"blackboard/board/sqlite"
	"blackboard/testdata/expect"
)

// TestRunsSince: a run whose last change is of the very time that is asked for is among those since
// then, on either engine.
func TestRunsSince(t *testing.T) {
	b, ctx := newBoard(t), t.Context()
	expect.Value(b.Post(ctx, "w", Post{Content: "one"}))(t)
	st := expect.Value(b.State(ctx))(t)
	if onFiles {
		for _, path := range []string{sqlite.RunPath(b.dir, "test"), sqlite.RunPath(b.dir, "test") + "-wal"} {
			if err := os.Chtimes(path, st.Updated, st.Updated); err != nil && !errors.Is(err, os.ErrNotExist) {
				t.Fatal(err)
			}
		}
	}
	for after, want := range map[time.Duration]int{-time.Millisecond: 1, 0: 1, time.Millisecond: 0} {
		if names, err := b.place.Runs(ctx, st.Updated.Add(after)); err != nil || len(names) != want {
			t.Errorf("%s after the last change: %q, %v", after, names, err)
		}
	}
}

// TestRunsKept: a list that is kept says what List says, and does not read what has not changed.
func TestRunsKept(t *testing.T) {
	needsFile(t)
	ctx, dir := t.Context(), t.TempDir()
	runs := Runs{Dir: dir}
	same := func(want int) {
		t.Helper()
		kept := expect.Value(runs.List(ctx, Policy{}))(t)
		if all, err := List(ctx, dir, Policy{}); err != nil || len(kept) != want || !reflect.DeepEqual(kept, all) {
			t.Errorf("%d runs: %+v instead of %+v, %v", len(kept), kept, all, err)
		}
	}
	same(0)
	for _, name := range []string{"a", "b"} {
		b := expect.Value(OpenOrCreate(ctx, dir, name))(t)
		expect.Value(b.Post(ctx, "w", Post{Content: "one"}))(t)
		expect.OK(t, b.Close())
	}
	same(2)
	b := expect.Value(Open(ctx, dir, "b"))(t)
	defer b.Close()
	expect.Value(b.Signal(ctx, "w", Raise{Content: "why?", Priority: "critical"}))(t)
	same(2)

	old := time.Now().Add(-time.Hour)
	path := sqlite.RunPath(dir, "a")
	expect.OK(t, os.Chtimes(path, old, old))
	same(2)
	before := runs.seen["a"].Info
	data, err := os.ReadFile(path)
	if err == nil {
		err = os.WriteFile(path, make([]byte, len(data)), 0o600)
	}
	if err == nil {
		err = os.Chtimes(path, old, old)
	}
	if err != nil {
		t.Fatal(err)
	}
	kept, err := runs.List(ctx, Policy{})
	if err != nil || !reflect.DeepEqual(kept[0], before) {
		t.Errorf("what has not changed was read: %+v, %v", kept, err)
	}
	if kept, err = runs.List(ctx, Policy{Block: []string{"low"}}); err != nil || kept[0].Error == "" {
		t.Errorf("with another policy it was not read: %+v, %v", kept, err)
	}
}

// TestRunsKeptForOthers: a list of many runs is kept for the next process, which reads what has
// changed alone; a file in another's place, an edited list and another policy change nothing.
func TestRunsKeptForOthers(t *testing.T) {
	needsFile(t)
	dir, ctx := t.TempDir(), t.Context()
	long := time.Now().Add(-time.Hour)
	for i := range minKept {
		b := expect.Value(Create(ctx, dir, fmt.Sprint("run", i), "find out", "lead", nil))(t)
		expect.Value(b.Signal(ctx, "lead", Raise{Content: "who?", Priority: "high"}))(t)
		if i == 7 {
			expect.Value(b.Claim(ctx, "w", "s1", time.Hour))(t)
		}
		b.Close()
		for _, name := range []string{b.path, b.path + "-wal"} {
			if err := os.Chtimes(name, long, long); err != nil && !errors.Is(err, os.ErrNotExist) {
				t.Fatal(err)
			}
		}
	}
	list := func(by Policy) ([]Info, int) {
		t.Helper()
		r := Runs{Dir: dir}
		r.load(filepath.Join(dir, ".runs.json"), by)
		infos, err := r.List(ctx, by)
		if err != nil || len(infos) != minKept {
			t.Fatalf("%d runs, %v", len(infos), err)
		}
		return infos, r.unread
	}
	first := expect.Value(List(ctx, dir, Policy{}))(t)
	second, unread := list(Policy{})
	if unread != 1 { // that with the claim, which ends without a write
		t.Errorf("%d runs were read again", unread)
	}
	a, _ := json.Marshal(first)
	if b, _ := json.Marshal(second); string(a) != string(b) {
		t.Errorf("the list was\n%s\nand is\n%s", a, b)
	}
	if _, unread := list(Policy{Block: []string{"critical"}}); unread != minKept {
		t.Errorf("under another policy %d are read", unread)
	}
	b := expect.Value(Open(ctx, dir, "run3"))(t)
	expect.Value(b.Post(ctx, "w", Post{Content: "c"}))(t)
	third, _ := list(Policy{}) // with the WAL of who has it open
	b.Close()
	for _, r := range third {
		if (r.Run == "run3") != (r.Entries == 1) {
			t.Errorf("%s has %d entries", r.Run, r.Entries)
		}
	}
	expect.OK(t, Remove(ctx, dir, "run4", 0))
	if _, err := os.Stat(filepath.Join(dir, ".runs.json")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("what was kept of a removed run is there: %v", err)
	}
	for _, damaged := range []string{"", "{", `{"By": "x", "Runs": {"run0": {}}}`} {
		expect.OK(t, os.WriteFile(filepath.Join(dir, ".runs.json"), []byte(damaged), 0o600))
		if infos, err := List(ctx, dir, Policy{}); err != nil || len(infos) != minKept-1 || infos[0].Goal != "find out" {
			t.Errorf("with %q: %d runs, %v", damaged, len(infos), err)
		}
	}
}
