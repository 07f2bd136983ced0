package kb

import (
	"testing"

	"blackboard/testdata/expect"
)

// TestMove: the capsules of a workspace go to another one with their sidecars, those of
// others stay, and a second call moves nothing.
func TestMove(t *testing.T) {
	home := t.TempDir()
	k := openKB(t, home, Options{})
	mine := put(t, k, Capsule{Title: "mine", Body: "the release job runs at two", Workspace: "/old"})
	gone := put(t, k, Capsule{Title: "retired", Body: "the job ran at one", Workspace: "/old"})
	expect.Value(k.Retire(t.Context(), gone.ID, "changed"))(t)
	other := put(t, k, Capsule{Title: "other", Body: "it is another's", Workspace: "/other"})
	if n, err := k.Move(t.Context(), "/old", "/new"); n != 2 || err != nil {
		t.Fatalf("%d moved: %v", n, err)
	}
	if n, err := k.Move(t.Context(), "/old", "/new"); n != 0 || err != nil {
		t.Errorf("again %d moved: %v", n, err)
	}
	if _, err := k.Sync(t.Context()); err != nil { // the sidecars say the same
		t.Fatal(err)
	}
	for id, want := range map[string]string{mine.ID: "/new", gone.ID: "/new", other.ID: "/other"} {
		if c, err := k.Get(t.Context(), id); err != nil || c.Workspace != want {
			t.Errorf("%s is of %s, not %s: %v", id, c.Workspace, want, err)
		}
	}
	res, err := k.Search(t.Context(), Query{Text: "release job", Workspaces: []string{"/new"}})
	if err != nil || len(res.Hits) != 1 || res.Hits[0].ID != mine.ID {
		t.Errorf("a search there finds %+v: %v", res.Hits, err)
	}
}
