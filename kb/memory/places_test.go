package memory

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"blackboard/board/fault"
	"blackboard/testdata/expect"
)

// TestAdopt moves projects, and asks in each of the ways that are refused.
func TestAdopt(t *testing.T) {
	ctx := t.Context()
	home := t.TempDir()
	from, to, full := filepath.Join(home, "from"), filepath.Join(home, "to"), filepath.Join(home, "full")
	in := func(dir string) *Store { return open(t, home, Options{Workspace: dir}) }
	listed := func(want ...string) {
		t.Helper()
		got, err := Workspaces(ctx, home)
		slices.Sort(got)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("Workspaces() = %q, %v, want %q", got, err, want)
		}
	}
	listed()
	for _, dir := range []string{from, full} {
		s := in(dir)
		put(t, s, Item{Tier: Workspace, Content: "what is known in " + filepath.Base(dir)})
		s.Close()
	}
	// Neither of these is the memory of a workspace.
	for _, name := range []string{"notes.txt", "damaged.sqlite3"} {
		expect.OK(t, os.WriteFile(filepath.Join(Dir(home), "workspaces", name), []byte("no database"), 0o600))
	}
	expect.OK(t, os.Mkdir(filepath.Join(Dir(home), "workspaces", "directory.sqlite3"), 0o700))
	listed(from, full)

	there := filepath.Join(home, "there")
	expect.OK(t, os.Mkdir(there, 0o700))
	for _, c := range []struct {
		name string
		s    *Store
		from string
		kind error
		text string
	}{
		{"an agent", open(t, home, Options{Workspace: to, Agent: "a1"}), from, fault.Denied, "only a person may adopt the memory of another workspace"},
		{"a part of a path", in(to), "from", fault.Invalid, `"from" is not another workspace`},
		{"itself", in(to), to + "/", fault.Invalid, `"` + to + `" is not another workspace`},
		{"a directory that is there", in(to), there, fault.Conflict, there + " still exists, so its memory belongs to it"},
		{"one without a memory", in(to), filepath.Join(home, "never"), fault.NotFound, "no memory found for " + filepath.Join(home, "never")},
		{"into one that has a memory", in(full), from, fault.Conflict, "there is already a memory for " + full},
	} {
		err := c.s.Adopt(ctx, c.from)
		var e *fault.Error
		if !errors.As(err, &e) || !errors.Is(err, c.kind) || e.Msg != c.text || len(e.Next) == 0 {
			t.Errorf("%s: %#v, want %q and a hint", c.name, err, c.text)
		}
	}
	listed(from, full)

	has := func(s *Store, content string) {
		t.Helper()
		got := contents(read(t, s, Query{Tiers: []string{Workspace}}))
		if want := []string{Workspace + "/" + content}; !slices.Equal(got, want) {
			t.Errorf("it holds %q, want %q", got, want)
		}
	}
	s := in(to)
	expect.OK(t, s.Adopt(ctx, from))
	has(s, "what is known in from")
	listed(full, to)
	s.Close()

	// A move that was interrupted: the file has its new name, and says the old workspace.
	last := filepath.Join(home, "last")
	expect.OK(t, os.Rename(WorkspacePath(home, to), WorkspacePath(home, last)))
	listed(full)
	s = in(last)
	expect.OK(t, s.Adopt(ctx, to))
	has(s, "what is known in from")
	listed(full, last)
}
