package memory

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"blackboard/board/fault"
	"blackboard/testdata/cost"
	"blackboard/testdata/expect"
)

// killScrubs are what the children do, one after the other.
func killScrubs(conversation string) []ScrubQuery {
	return []ScrubQuery{{Scope: Scope{Tier: Workspace}, Mode: ScrubFull}, {Scope: Scope{Tier: Channel, Channel: DefaultChannel}}, {Scope: Scope{Tier: Conversation, Conversation: conversation}, Purge: true}}
}

// TestScrubProcess is no test but the process that the test below starts: it scrubs, and says so,
// until it is done or killed.
func TestScrubProcess(t *testing.T) {
	arg := os.Getenv("BOARD_TEST_SCRUB")
	if arg == "" {
		t.Skip("is a process that another test starts")
	}
	part := strings.Split(arg, "\n")
	home, workspace, conv, hashes := part[0], part[1], part[2], part[3:]
	s := open(t, home, Options{Workspace: workspace})
	expect.Values(s.List(context.Background(), ListQuery{Limit: 1}))(t)
	fmt.Println("ready")
	for i, q := range killScrubs(conv) {
		expect.Value(s.Scrub(context.Background(), q, hashes[i]))(t)
		fmt.Println("done", i)
	}
}

// copyDir copies a directory of files.
func copyDir(t testing.TB, from, to string) {
	t.Helper()
	expect.OK(t, os.CopyFS(to, os.DirFS(from)))
}

// TestKilledScrub kills scrubs with SIGKILL at random moments. What a manifest says is gone in
// whole, with its entry in the log, or there in whole, without one; nothing else is touched, the
// index is sound, and executing it again completes it: then it is in no file.
func TestKilledScrub(t *testing.T) {
	cost.SkipQuick(t)
	t.Parallel()
	rounds := cost.Rounds(10, 3, 2)
	const notes = 600
	ctx := t.Context()
	model, workspace := t.TempDir(), filepath.Join(t.TempDir(), "project")
	opt := Options{Workspace: workspace}
	s := open(t, model, opt)
	conv, _ := expect.Values(s.StartConversation(ctx, "", ""))(t)
	queries := killScrubs(conv.Ref)
	words := []string{"qzvkworkspace", "qzvkchannel", "qzvkconv"}
	for i, q := range queries {
		for j, it := range stockScope(t, s, q.Scope, notes, func(n int) string { return fmt.Sprintf("%s was noted %s%d", words[i], words[i], n) }) {
			if j%20 != 0 {
				continue
			}
			expect.Value(s.Update(ctx, it.ID, UpdateOptions{}, func(it *Item) error { it.Content += " changed"; return nil }))(t)
			if j%40 == 0 {
				expect.Value(s.Forget(ctx, it.ID, "", ""))(t)
			}
		}
	}
	expect.Value(s.WriteScratch(ctx, conv.Ref, "k", []byte(`"qzvkconv"`), false))(t)
	expect.Value(s.EditNamed(ctx, Voice, "", "qzvkworkspace", -1))(t)
	other, _ := expect.Values(s.StartConversation(ctx, "", "stays"))(t)
	stockScope(t, s, Scope{Tier: Conversation, Conversation: other.Ref}, 300, func(n int) string { return fmt.Sprint("stays ", n) })
	manifests := make([]Manifest, len(queries))
	env := []string{"", workspace, conv.Ref}
	for i, q := range queries {
		manifests[i] = manifestOf(t, s, q)
		env = append(env, manifests[i].Hash)
	}
	stays := func(s *Store) string {
		return without(exportText(t, s, everything), func(line string) bool {
			return strings.Contains(line, "qzvk") || strings.Contains(line, `{"ref_code":"`+conv.Ref)
		})
	}
	want, events := stays(s), len(eventsOf(t, s, Workspace))
	expect.OK(t, s.Close())
	start := func(home string) (*exec.Cmd, *bufio.Reader, *strings.Builder) {
		env[0] = home
		cmd, in, stderr := cost.Child(t, "TestScrubProcess", "BOARD_TEST_SCRUB="+strings.Join(env, "\n"))
		if first, err := in.ReadString('\n'); err != nil || first != "ready\n" {
			rest, _ := io.ReadAll(in)
			cmd.Wait()
			t.Fatalf("the child says %q, %v: %s%s", first, err, rest, stderr)
		}
		return cmd, in, stderr
	}
	// How long a child takes that nobody kills says within which time to kill the others.
	copyDir(t, model, filepath.Join(model, "..", "unharmed"))
	cmd, in, stderr := start(filepath.Join(model, "..", "unharmed"))
	began := time.Now()
	rest, _ := io.ReadAll(in)
	whole := time.Since(began)
	if err := cmd.Wait(); err != nil || !strings.Contains(string(rest), "done 2") {
		t.Fatalf("the child nobody kills: %v: %s%s", err, rest, stderr)
	}
	r := rand.New(rand.NewPCG(5, 5))
	var done, undone, wiped, acked int
	for round := range rounds {
		home := t.TempDir()
		copyDir(t, model, home)
		cmd, in, stderr := start(home)
		wait := time.Duration(r.Int64N(int64(whole)))
		timer := time.AfterFunc(wait, func() { cmd.Process.Kill() })
		said, _ := io.ReadAll(in)
		timer.Stop()
		cmd.Wait()
		if strings.Contains(string(said), "FAIL") || stderr.Len() > 0 {
			t.Fatalf("round %d: the child failed by itself: %s%s", round, said, stderr)
		}
		s := open(t, home, opt)
		log := eventsOf(t, s, Workspace)[events:]
		indexAgrees(t, s)
		if got := stays(s); got != want {
			t.Fatalf("round %d: what is in no manifest was touched: there is\n%s\nwant\n%s", round, got, want)
		}
		for i, q := range queries {
			left, err := s.ScrubManifest(ctx, q)
			if err != nil && !errors.Is(err, fault.NotFound) {
				t.Fatal(err)
			}
			switch {
			case left.Empty() && i < len(log):
				if log[i].Scope != q.Scope.String() {
					t.Errorf("round %d: the log says %+v", round, log[i])
				}
				done++
				if _, err := s.Scrub(ctx, q, manifests[i].Hash); !errors.Is(err, fault.Conflict) || !strings.Contains(err.Error(), "already executed") {
					t.Errorf("round %d: executed again: %v", round, err)
				}
			case maps.Equal(left.Counts, manifests[i].Counts) && i >= len(log):
				undone++
				if strings.Contains(string(said), fmt.Sprintf("done %d", i)) {
					t.Errorf("round %d: %s was acknowledged and is there", round, q.Scope)
				}
				if left.Hash != manifests[i].Hash {
					t.Errorf("round %d: the hash is %s, and was %s", round, left.Hash, manifests[i].Hash)
				}
				if _, err := s.Scrub(ctx, q, manifests[i].Hash); err != nil {
					t.Errorf("round %d: executed again: %v", round, err)
				}
			default:
				t.Errorf("round %d: of %s there is %v, and the log has %d entries", round, q.Scope, left.Counts, len(log))
			}
		}
		acked += strings.Count(string(said), "done")
		if len(log) > strings.Count(string(said), "done") {
			wiped++ // killed after the commit, before the files were clean
		}
		for _, w := range words {
			if found := filesWith(t, home, w); len(found) > 0 {
				t.Errorf("round %d: %s is still in %q", round, w, found)
			}
		}
		indexAgrees(t, s)
		if got := stays(s); got != want {
			t.Errorf("round %d: what is in no manifest was touched when it was completed", round)
		}
		s.Close()
		os.RemoveAll(home)
		if t.Failed() {
			return
		}
	}
	t.Logf("%d rounds: %d scrubs were done (%d acknowledged), %d not begun or undone; %d rounds ended between a commit and clean files", rounds, done, acked, undone, wiped)
}
