package memory

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"blackboard/board/fault"
	"blackboard/board/sqlite"
	"blackboard/testdata/expect"
)

// moved is a data home with the memory of a workspace that is gone, and a store of the one that it
// was moved to.
func moved(t *testing.T) (from *Store, to *Store) {
	t.Helper()
	home := t.TempDir()
	from = open(t, home, Options{Workspace: filepath.Join(home, "from")})
	put(t, from, Item{Tier: Workspace, Content: "the first"})
	return from, open(t, home, Options{Workspace: filepath.Join(home, "to")})
}

// remembers compares what the workspace tier of a store has, as another caller finds it.
func remembers(t *testing.T, s *Store, want ...string) {
	t.Helper()
	fresh := open(t, s.home, Options{Workspace: s.opt.Workspace})
	got := contents(read(t, fresh, Query{Tiers: []string{Workspace}}))
	for i := range want {
		want[i] = Workspace + "/" + want[i]
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("%s remembers %q, not %q", s.opt.Workspace, got, want)
	}
}

// TestAdoptBesideAWriter: what somebody remembers in the new place while the adoption waits for
// its turn is not written over, and the memory that was to be adopted is still there.
func TestAdoptBesideAWriter(t *testing.T) {
	from, to := moved(t)
	f := expect.Value(from.file(t.Context(), Workspace, false))(t)
	held, release, done := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		done <- f.Write(context.Background(), func(*sqlite.Tx) error { close(held); <-release; return nil })
	}()
	<-held
	adopted := make(chan error, 1)
	go func() { adopted <- to.Adopt(context.Background(), from.opt.Workspace) }()
	for len(to.opening) == 0 {
		runtime.Gosched()
	}
	other := open(t, to.home, Options{Workspace: to.opt.Workspace})
	put(t, other, Item{Tier: Workspace, Content: "begun meanwhile"})
	close(release)
	if err := errors.Join(<-done); err != nil {
		t.Error(err)
	}
	if err := <-adopted; !errors.Is(err, fault.Conflict) {
		t.Errorf("adopting a memory where one was begun meanwhile: %v", err)
	}
	remembers(t, to, "begun meanwhile")
	remembers(t, from, "the first")
}

// TestAdoptWhatIsOpen: the memory of another process that has it open is adopted with all that was
// acknowledged, and what that process remembers afterwards fails instead of going nowhere.
func TestAdoptWhatIsOpen(t *testing.T) {
	from, to := moved(t)
	put(t, from, Item{Tier: Workspace, Content: "in the WAL"})
	expect.OK(t, to.Adopt(t.Context(), from.opt.Workspace))
	remembers(t, to, "the first", "in the WAL")
	if _, err := from.Put(t.Context(), Item{Tier: Workspace, Content: "too late"}, PutOptions{}); !errors.Is(err, fault.Gone) {
		t.Errorf("a put into a memory that was adopted: %v", err)
	}
	info, err := os.Stat(WorkspacePath(to.home, to.opt.Workspace))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file is %v: %v", info, err)
	}
}

// TestAdoptInterrupted: an adoption that died once the file was moved is completed by doing it
// again.
func TestAdoptInterrupted(t *testing.T) {
	from, to := moved(t)
	expect.OK(t, sqlite.Rename(t.Context(), WorkspacePath(to.home, from.opt.Workspace), WorkspacePath(to.home, to.opt.Workspace), nil))
	expect.OK(t, to.Adopt(t.Context(), from.opt.Workspace))
	remembers(t, to, "the first")
}

// TestOpeningHoldsNobody: a call that waits while another opens a file ends when it is called off.
func TestOpeningHoldsNobody(t *testing.T) {
	_, to := moved(t)
	to.opening <- struct{}{}
	defer func() { <-to.opening }()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := to.Put(ctx, Item{Tier: Workspace, Content: "x"}, PutOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("a call behind another's opening, called off: %v", err)
	}
}

// TestNamedRevisionsNeverRepeat: an entry that was removed and written again is not taken for the
// one before by whoever still edits that.
func TestNamedRevisionsNeverRepeat(t *testing.T) {
	_, s := moved(t)
	for _, body := range []string{"mine", "mine, edited"} {
		_, err := s.EditNamed(t.Context(), Voice, "", body, AnyRevision)
		expect.OK(t, err)
	}
	read, err := s.GetNamed(t.Context(), Voice, "")
	expect.OK(t, err)
	_, err = s.RemoveNamed(t.Context(), Voice, "")
	expect.OK(t, err)
	for revision, body := range []string{"theirs", "theirs, edited"} {
		if revision > 0 {
			revision = AnyRevision
		}
		_, err := s.EditNamed(t.Context(), Voice, "", body, revision)
		expect.OK(t, err)
	}
	if n, err := s.EditNamed(t.Context(), Voice, "", "mine, edited again", read.Revision); !errors.Is(err, fault.Conflict) {
		t.Errorf("an edit of revision %d, of an entry that was removed: %+v %v", read.Revision, n, err)
	}
	if n, err := s.GetNamed(t.Context(), Voice, ""); err != nil || n.Body != "theirs, edited" {
		t.Errorf("it says %q: %v", n.Body, err)
	}
}
