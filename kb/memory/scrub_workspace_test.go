package memory

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"blackboard/board/fault"
	"blackboard/board/sqlite"
	"blackboard/testdata/cost"
	"blackboard/testdata/expect"
)

var allOfIt = ScrubQuery{Scope: Scope{Tier: Workspace}, Mode: ScrubAll}

// removedOnce fails unless a workspace is gone with all that was said in it, and the
// account's log has that once.
func removedOnce(t *testing.T, home string, s *Store, hash string) {
	t.Helper()
	if _, err := os.Stat(WorkspacePath(home, s.Workspace())); err == nil {
		t.Error("its file is there")
	}
	if found := filesWith(t, home, "qzvk"); len(found) > 0 {
		t.Errorf("it is still in %q", found)
	}
	n := 0
	for _, e := range eventsOf(t, s, Account) {
		if e.Verb == VerbRemoved && e.Subject == hash && e.Other == s.Workspace() {
			n++
		}
	}
	if n != 1 {
		t.Errorf("the account's log has it %d times", n)
	}
}

// TestRemoveWorkspace removes one of two workspaces as a whole.
func TestRemoveWorkspace(t *testing.T) {
	m := furnish(t)
	ctx := t.Context()
	s := m.person
	expect.Value(s.CreateChannel(ctx, "empty", "qzvk is what it is about"))(t)
	aside := put(t, s, Item{Tier: Workspace, Content: "qzvk, out of sight"})
	expect.OK(t, s.writing(ctx, Workspace, func(f *file, tx *sqlite.Tx) error { return f.archive(tx, &aside, "") }))
	other := open(t, m.home, Options{Workspace: filepath.Join(m.home, "other")})
	put(t, other, Item{Tier: Workspace, Content: "of the other"})
	before := exportText(t, other, everything)
	man := manifestOf(t, s, allOfIt)
	for kind, n := range man.Counts {
		if n == 0 {
			t.Errorf("the manifest counts no %s", kind)
		}
	}
	if man.Counts["conversations"] != 2 {
		t.Errorf("%+v", man.Counts)
	}
	if _, err := s.Scrub(ctx, allOfIt, manifestOf(t, s, ScrubQuery{Scope: allOfIt.Scope, Mode: ScrubFull}).Hash); !errors.Is(err, fault.Conflict) {
		t.Errorf("another mode's hash: %v", err)
	}
	put(t, s, Item{Tier: Channel, Channel: "empty", Content: "one more"})
	if _, err := s.Scrub(ctx, allOfIt, man.Hash); !errors.Is(err, fault.Conflict) {
		t.Errorf("the hash of a moment ago: %v", err)
	}
	man = manifestOf(t, s, allOfIt)
	r, err := s.Scrub(ctx, allOfIt, man.Hash)
	if err != nil || len(r.Notes) > 0 || r.Event.Verb != VerbRemoved || r.Counts["channels"] != man.Counts["channels"] {
		t.Fatalf("%+v, %v", r, err)
	}
	removedOnce(t, m.home, s, man.Hash)
	if all, err := Workspaces(ctx, m.home); err != nil || len(all) != 1 {
		t.Errorf("%q, %v", all, err)
	}
	if got := exportText(t, other, everything); got != before {
		t.Errorf("the other workspace, or the account, was touched:\n%s", got)
	}
	if _, err := s.Scrub(ctx, allOfIt, man.Hash); !errors.Is(err, fault.Conflict) || !strings.Contains(err.Error(), "already executed") {
		t.Errorf("again: %v", err)
	}
	put(t, s, Item{Tier: Workspace, Content: "a new beginning"})
	if _, err := s.Scrub(ctx, allOfIt, man.Hash); !errors.Is(err, fault.Conflict) {
		t.Errorf("the old hash: %v", err)
	}
	for _, c := range []struct {
		name string
		q    ScrubQuery
		opt  Options
		kind error
	}{
		{"an agent", allOfIt, Options{Agent: "a"}, fault.Denied},
		{"one that may scrub", allOfIt, Options{Agent: "a", Grants: []string{GrantScrub}}, fault.Denied},
		{"one of another mode", allOfIt, Options{Agent: "a", Grants: []string{GrantScrubMode(ScrubFull)}}, fault.Denied},
		{"one of this mode", allOfIt, Options{Agent: "a", Grants: []string{GrantScrubMode(ScrubAll)}}, nil},
		{"with that mode a lesser one", ScrubQuery{Scope: allOfIt.Scope}, Options{Agent: "a", Grants: []string{GrantScrubMode(ScrubAll)}}, fault.Denied},
		{"keep_named by itself", ScrubQuery{Scope: allOfIt.Scope}, Options{Agent: "a", Grants: []string{GrantScrubMode(ScrubKeepNamed)}}, nil},
		{"full by scrub", ScrubQuery{Scope: allOfIt.Scope, Mode: ScrubFull}, Options{Agent: "a", Grants: []string{GrantScrub}}, nil},
		{"without a tier", allOfIt, Options{Tiers: []string{Workspace}}, fault.Denied},
		{"the account", ScrubQuery{Scope: Scope{Tier: Account}, Mode: ScrubAll}, Options{}, fault.Invalid},
		{"nowhere", allOfIt, Options{Workspace: "none"}, fault.Invalid},
	} {
		if _, err := open(t, m.home, c.opt).ScrubManifest(ctx, c.q); !errors.Is(err, c.kind) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// TestRemovalIsResumed leaves a removal after each of its steps.
func TestRemovalIsResumed(t *testing.T) {
	for _, steps := range []int{1, 2} {
		home, ctx := t.TempDir(), t.Context()
		s := open(t, home, Options{})
		put(t, s, Item{Tier: Workspace, Content: "qzvk was noted"})
		man := manifestOf(t, s, allOfIt)
		expect.OK(t, s.noteRemoval(ctx, &Scrubbed{Manifest: man}))
		s.Close()
		if path := WorkspacePath(home, s.Workspace()); steps > 1 {
			expect.OK(t, os.Rename(path, path+"-wal"))
		}
		again := open(t, home, Options{})
		if _, err := again.Scrub(ctx, allOfIt, man.Hash); (err != nil) != (steps > 1) {
			t.Errorf("after %d steps: %v", steps, err)
		}
		removedOnce(t, home, again, man.Hash)
		if left, _ := filepath.Glob(WorkspacePath(home, s.Workspace()) + "-[ws]*"); len(left) > 0 {
			t.Errorf("after %d steps there is %q", steps, left)
		}
	}
	// What somebody has remembered meanwhile is not removed.
	home, ctx := t.TempDir(), t.Context()
	s := open(t, home, Options{})
	put(t, s, Item{Tier: Workspace, Content: "qzvk was noted"})
	man := manifestOf(t, s, allOfIt)
	expect.OK(t, s.noteRemoval(ctx, &Scrubbed{Manifest: man}))
	new := put(t, s, Item{Tier: Workspace, Content: "a new beginning"})
	if _, err := s.Scrub(ctx, allOfIt, man.Hash); !errors.Is(err, fault.Conflict) {
		t.Errorf("it is removed by what was confirmed before: %v", err)
	}
	if it, err := s.Peek(ctx, new.ID); err != nil || it.Content != "a new beginning" {
		t.Errorf("%+v, %v", it, err)
	}
}

// TestRemoveProcess is no test but the process that the test below starts.
func TestRemoveProcess(t *testing.T) {
	arg := os.Getenv("BOARD_TEST_REMOVE")
	if arg == "" {
		t.Skip("is a process that another test starts")
	}
	part := strings.Split(arg, "\n")
	s := open(t, part[0], Options{Workspace: part[1]})
	expect.Values(s.List(context.Background(), ListQuery{Limit: 1}))(t)
	fmt.Println("ready")
	expect.Value(s.Scrub(context.Background(), allOfIt, part[2]))(t)
	fmt.Println("done")
}

// TestKilledRemoval kills removals of a workspace with SIGKILL at random moments.
// Executing the same manifest again completes each.
func TestKilledRemoval(t *testing.T) {
	cost.SkipQuick(t)
	t.Parallel()
	rounds := cost.Rounds(10, 3, 2)
	ctx := t.Context()
	model, workspace := t.TempDir(), filepath.Join(t.TempDir(), "project")
	s := open(t, model, Options{Workspace: workspace})
	stockScope(t, s, Scope{Tier: Workspace}, 600, func(n int) string { return fmt.Sprint("qzvk was noted ", n) })
	expect.Value(s.EditNamed(ctx, Voice, "", "qzvk", AnyRevision))(t)
	hash := manifestOf(t, s, allOfIt).Hash
	expect.OK(t, s.Close())
	child := func(home string, wait time.Duration) (said string, took time.Duration) {
		cmd, out, _ := cost.Child(t, "TestRemoveProcess", "BOARD_TEST_REMOVE="+strings.Join([]string{home, workspace, hash}, "\n"))
		ready := make([]byte, len("ready\n"))
		expect.Value(io.ReadFull(out, ready))(t)
		began := time.Now()
		if wait > 0 {
			defer time.AfterFunc(wait, func() { cmd.Process.Kill() }).Stop()
		}
		rest, _ := io.ReadAll(out)
		took = time.Since(began)
		cmd.Wait()
		if strings.Contains(string(rest), "FAIL") {
			t.Fatalf("the child failed by itself: %s", rest)
		}
		return string(rest), took
	}
	home := filepath.Join(t.TempDir(), "unharmed")
	copyDir(t, model, home)
	said, whole := child(home, 0)
	if !strings.Contains(said, "done") {
		t.Fatalf("the child nobody kills: %s", said)
	}
	removedOnce(t, home, open(t, home, Options{Workspace: workspace}), hash)
	r := rand.New(rand.NewPCG(7, 7))
	finished, resumed := 0, 0
	for round := range rounds {
		home := t.TempDir()
		copyDir(t, model, home)
		said, _ := child(home, time.Duration(1+r.Int64N(int64(whole))))
		s := open(t, home, Options{Workspace: workspace})
		_, err := s.Scrub(ctx, allOfIt, hash)
		switch {
		case err == nil && strings.Contains(said, "done"):
			t.Errorf("round %d: it was acknowledged, and done again", round)
		case err == nil:
			resumed++
		case errors.Is(err, fault.Conflict) && strings.Contains(err.Error(), "already executed"):
			finished++
		default:
			t.Fatalf("round %d: %v", round, err)
		}
		removedOnce(t, home, s, hash)
		s.Close()
		os.RemoveAll(home)
		if t.Failed() {
			return
		}
	}
	t.Logf("%d rounds: %d were finished before they were killed, %d by executing it again", rounds, finished, resumed)
}
