package board

import (
	"os"
	"reflect"
	"testing"
	"time"

	"blackboard/board/files"
)

// TestRunsKept: a list that is kept says what List says, and does not read what has not changed.
func TestRunsKept(t *testing.T) {
	needsFile(t)
	ctx, dir := t.Context(), t.TempDir()
	runs := Runs{Dir: dir}
	same := func(want int) {
		t.Helper()
		kept, err := runs.List(ctx, Policy{})
		if err != nil {
			t.Fatal(err)
		}
		if all, err := List(ctx, dir, Policy{}); err != nil || len(kept) != want || !reflect.DeepEqual(kept, all) {
			t.Errorf("%d runs: %+v instead of %+v, %v", len(kept), kept, all, err)
		}
	}
	same(0)
	for _, name := range []string{"a", "b"} {
		b, err := OpenOrCreate(ctx, dir, name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := b.Post(ctx, "w", Post{Content: "one"}); err != nil {
			t.Fatal(err)
		}
		if err := b.Close(); err != nil {
			t.Fatal(err)
		}
	}
	same(2)
	b, err := Open(ctx, dir, "b")
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if _, err := b.Signal(ctx, "w", Raise{Content: "why?", Priority: "critical"}); err != nil {
		t.Fatal(err)
	}
	same(2)

	old := time.Now().Add(-time.Hour)
	path := files.Path(dir, "a")
	if err := os.Chtimes(path, old, old); err != nil {
		t.Fatal(err)
	}
	same(2)
	before := runs.seen["a"].info
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
