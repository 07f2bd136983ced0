package board

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"blackboard/board/fault"
	"blackboard/testdata/cost"
	"blackboard/testdata/expect"
)

// child posts to the run "shared" below dir and prints the id of each post after it was
// acknowledged. Every tenth step raises a signal, every seventh is a batch of three.
func child(dir string) error {
	ctx := context.Background()
	name := os.Getenv("BOARD_TEST_WORKER")
	n, err := strconv.Atoi(os.Getenv("BOARD_TEST_POSTS"))
	if err != nil {
		return err
	}
	b, err := OpenOrCreate(ctx, dir, "shared")
	if err != nil {
		return err
	}
	defer b.Close()
	for i := range n {
		content := fmt.Sprintf("%s finding %d", name, i)
		switch {
		case n > 1000 && i%10 == 9:
			s, err := b.Signal(ctx, name, Raise{Content: content})
			if err != nil {
				return err
			}
			fmt.Println(s.Signal.ID, content)
		case n > 1000 && i%7 == 6:
			out, err := b.PostBatch(ctx, name, []Post{{Content: content, Key: content}, {Content: content, Supports: []string{"@" + content}}, {Content: content, Tags: []string{"t"}}})
			if err != nil {
				return err
			}
			for _, p := range out {
				fmt.Println(p.Entry.ID, content)
			}
		default:
			p, err := b.Post(ctx, name, Post{Content: content})
			if err != nil {
				return err
			}
			fmt.Println(p.Entry.ID, content)
		}
	}
	return nil
}

// startChild starts a writer process that posts n times.
func startChild(t testing.TB, dir, worker string, n int) (*exec.Cmd, *bufio.Scanner, *strings.Builder) {
	t.Helper()
	cmd, out, stderr := cost.Child(t, "", "BOARD_TEST_CHILD="+dir, "BOARD_TEST_WORKER="+worker, "BOARD_TEST_POSTS="+strconv.Itoa(n))
	return cmd, bufio.NewScanner(out), stderr
}

// TestManyProcesses: 16 processes make one new board at the same time and post 200 entries
// each, or half as many a quarter. Nothing fails, nothing is lost.
func TestManyProcesses(t *testing.T) {
	cost.SkipShort(t)
	t.Parallel()
	dir := t.TempDir()
	processes, posts := 16, 200
	if cost.Quick() {
		processes, posts = 8, 50
	}
	var mu sync.Mutex
	acked := map[string]string{}
	var wg sync.WaitGroup
	for i := range processes {
		worker := fmt.Sprintf("w%d", i)
		cmd, out, stderr := startChild(t, dir, worker, posts)
		wg.Go(func() {
			for out.Scan() {
				id, content, _ := strings.Cut(out.Text(), " ")
				mu.Lock()
				if acked[id] != "" {
					t.Errorf("%s was given out twice", id)
				}
				acked[id] = content
				mu.Unlock()
			}
			if err := cmd.Wait(); err != nil {
				t.Errorf("%s: %v: %s", worker, err, stderr)
			}
		})
	}
	wg.Wait()
	b := mustOpen(t, dir, "shared")
	s := expect.Value(b.Snapshot(t.Context()))(t)
	if len(acked) != processes*posts || len(s.Entries) != processes*posts || s.Seq != int64(processes*posts+1) {
		t.Fatalf("%d acknowledged, %d entries, %d events; want %d posts and one more event", len(acked), len(s.Entries), s.Seq, processes*posts)
	}
	for _, e := range s.Entries {
		if acked[e.ID] != e.Content {
			t.Errorf("%s holds %q, but %q was acknowledged", e.ID, e.Content, acked[e.ID])
		}
	}
	if err := b.Check(t.Context()); err != nil {
		t.Error(err)
	}
}

// TestKilledWriters kills writers with SIGKILL at random moments. Every acknowledged post is
// there, none is half-written, and the file is sound. BOARD_KILL_ROUNDS says how often.
func TestKilledWriters(t *testing.T) {
	cost.SkipShort(t)
	t.Parallel()
	rounds := cost.Rounds(100, 40, 12)
	var dir string
	acked := map[string]string{}
	total := 0
	for round := range rounds {
		if round%25 == 0 { // a new board now and then, so that making one is hit as well
			dir = t.TempDir()
			clear(acked)
		}
		var cmds []*exec.Cmd
		var wg sync.WaitGroup
		var mu sync.Mutex
		for i := range 2 {
			cmd, out, _ := startChild(t, dir, fmt.Sprintf("r%dw%d", round, i), 1_000_000)
			cmds = append(cmds, cmd)
			wg.Go(func() {
				for out.Scan() {
					if id, content, ok := strings.Cut(out.Text(), " "); ok { // a cut last line was never acknowledged
						mu.Lock()
						acked[id] = content
						mu.Unlock()
					}
				}
			})
		}
		time.Sleep(time.Duration(10+rand.IntN(80)) * time.Millisecond)
		for _, cmd := range cmds {
			cmd.Process.Kill()
		}
		wg.Wait()
		for _, cmd := range cmds {
			cmd.Wait()
		}
		b, err := Open(t.Context(), dir, "shared")
		if errors.Is(err, fault.NotFound) && len(acked) == 0 {
			continue // killed before the first commit: there is no run, as it should be
		}
		if err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		s, err := b.Snapshot(t.Context())
		if err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		have := map[string]string{}
		for _, e := range s.Entries {
			have[e.ID] = e.Content
		}
		for _, g := range s.Signals {
			have[g.ID] = g.Content
		}
		for id, content := range acked {
			// A last line may have been cut in the middle of its content.
			if !strings.HasPrefix(have[id], content) || have[id] == "" {
				t.Fatalf("round %d: %s was acknowledged with %q, but the board has %q", round, id, content, have[id])
			}
		}
		if err := b.Check(t.Context()); err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
		b.Close()
		if round%25 == 24 || round == rounds-1 {
			total += len(acked)
		}
	}
	t.Logf("%d rounds of two killed writers: %d acknowledged posts and signals, all there", rounds, total)
}

// TestRemovedWhileOpen: what is written to a board whose file was removed never goes into a file
// that nobody can see. A handle that may make the run makes it anew; another is told.
func TestRemovedWhileOpen(t *testing.T) {
	maker := newBoard(t)
	expect.Value(maker.Post(t.Context(), "w", Post{Content: "x"}))(t)
	dir := maker.dir
	visitor := mustOpen(t, dir, "test")
	expect.OK(t, Remove(t.Context(), dir, "test", 0))
	if _, err := visitor.Post(t.Context(), "w", Post{Content: "y"}); !errors.Is(err, fault.Gone) {
		t.Fatalf("got %v", err)
	}
	p, err := maker.Post(t.Context(), "w", Post{Content: "z"})
	if err != nil || p.Entry.ID != "e1" {
		t.Fatal(p.Entry.ID, err)
	}
	s, err := mustOpen(t, dir, "test").Snapshot(t.Context())
	if err != nil || len(s.Entries) != 1 || s.Entries[0].Content != "z" {
		t.Fatal(s, err)
	}
}

// TestRemoveRace: posts against deletions. A post that was acknowledged is on the board that is
// there afterwards, unless a deletion came later.
func TestRemoveRace(t *testing.T) {
	cost.SkipQuick(t)
	dir := t.TempDir()
	for round := range 30 {
		b, err := OpenOrCreate(t.Context(), dir, "race")
		if err != nil {
			t.Fatal(err)
		}
		expect.Value(b.Post(t.Context(), "w", Post{Content: "old"}))(t)
		b.Close()
		var wg sync.WaitGroup
		var posted Posted
		var postErr error
		wg.Go(func() {
			var b *Board
			if b, postErr = OpenOrCreate(t.Context(), dir, "race"); postErr == nil {
				posted, postErr = b.Post(t.Context(), "w", Post{Content: fmt.Sprint("new ", round)})
				b.Close()
			}
		})
		wg.Go(func() {
			if err := Remove(t.Context(), dir, "race", 0); err != nil {
				t.Error(err)
			}
		})
		wg.Wait()
		if postErr != nil {
			t.Fatalf("round %d: %v", round, postErr)
		}
		// e1: the post came after the deletion, so it must be there. e2: it came before, and went
		// with the rest.
		b, err = Open(t.Context(), dir, "race")
		switch {
		case posted.Entry.ID == "e2" && errors.Is(err, fault.NotFound):
			continue
		case err != nil:
			t.Fatalf("round %d: %s was acknowledged, but there is no board: %v", round, posted.Entry.ID, err)
		}
		s, err := b.Snapshot(t.Context())
		if err != nil || len(s.Entries) != 1 || s.Entries[0].Content != fmt.Sprint("new ", round) {
			t.Fatalf("round %d: %s was acknowledged, but the board holds %+v, %v", round, posted.Entry.ID, s, err)
		}
		b.Close()
		expect.OK(t, Remove(t.Context(), dir, "race", 0))
	}
}

// TestWatchSeesOthers: events of another handle on the file arrive in order, each once.
func TestWatchSeesOthers(t *testing.T) {
	b := newBoard(t)
	expect.Value(b.Post(t.Context(), "w", Post{Content: "x"}))(t)
	other := mustOpen(t, b.dir, "test")
	const n = 200
	go func() {
		for i := range n {
			if _, err := other.Post(context.WithoutCancel(t.Context()), "w", Post{Content: fmt.Sprint(i)}); err != nil {
				t.Error(err)
			}
		}
	}()
	want := int64(1)
	for e, err := range b.Watch(t.Context(), 0) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Seq != want {
			t.Fatalf("event %d came, not %d", e.Seq, want)
		}
		if want++; want > n+2 {
			break
		}
	}
}

// TestWatchStopsForGood ends a watch from inside its loop, and by its context, at once: the loop
// is not entered again, on which the runtime would panic.
func TestWatchStopsForGood(t *testing.T) {
	b := newBoard(t)
	expect.Value(b.Post(t.Context(), "w", Post{Content: "x"}))(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	n := 0
	for range b.Watch(ctx, 0) {
		n++
		cancel()
		break
	}
	if n != 1 {
		t.Errorf("%d events", n)
	}
}

// TestConcurrentWritersInOneProcess shares one handle among goroutines.
func TestConcurrentWritersInOneProcess(t *testing.T) {
	b := newBoard(t)
	var wg sync.WaitGroup
	for w := range 8 {
		wg.Go(func() {
			for i := range 25 {
				if _, err := b.Post(t.Context(), fmt.Sprint("w", w), Post{Content: fmt.Sprint(i)}); err != nil {
					t.Error(err)
				}
				if _, err := b.State(t.Context()); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if st, err := b.State(t.Context()); err != nil || st.Entries.Total != 200 {
		t.Fatal(st.Entries, err)
	}
}

// TestOneClaimWins: of many workers claiming one signal, one gets it.
func TestOneClaimWins(t *testing.T) {
	b := newBoard(t)
	b.SetNow(time.Now)
	expect.Value(b.Signal(t.Context(), "lead", Raise{Content: "q"}))(t)
	var wg sync.WaitGroup
	var mu sync.Mutex
	winners := 0
	for w := range 16 {
		wg.Go(func() {
			_, err := b.Claim(t.Context(), fmt.Sprint("w", w), "s1", time.Hour)
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				winners++
			} else if !errors.Is(err, fault.Conflict) {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if winners != 1 {
		t.Fatalf("%d workers hold the claim", winners)
	}
}

// TestRemoveWhatWasSeen: a run is not deleted with what came after its deletion was asked for.
func TestRemoveWhatWasSeen(t *testing.T) {
	dir := t.TempDir()
	b := expect.Value(OpenOrCreate(t.Context(), dir, "run"))(t)
	defer b.Close()
	post := func(content string) int64 {
		expect.Value(b.Post(t.Context(), "w", Post{Content: content}))(t)
		st := expect.Value(b.State(t.Context()))(t)
		return st.Seq
	}
	seen := post("seen")
	now := post("not seen")
	refused(t, Remove(t.Context(), dir, "run", seen), fault.Conflict, "run run has changed: 1 events since; nothing was deleted")
	if found, err := b.Query(t.Context(), Query{}); err != nil || len(found.Entries) != 2 {
		t.Errorf("there is %+v %v", found, err)
	}
	if err := Remove(t.Context(), dir, "run", now); err != nil {
		t.Error(err)
	}
	if err := Remove(t.Context(), dir, "run", now); !errors.Is(err, fault.NotFound) {
		t.Errorf("deleted again: %v", err)
	}
}
