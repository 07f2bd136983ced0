package board

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"blackboard/board/sqlite"
)

// TestMain lets the test binary be a writer process of its own (see child).
func TestMain(m *testing.M) {
	if dir := os.Getenv("BOARD_TEST_CHILD"); dir != "" {
		if err := child(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	code := m.Run()
	for _, dir := range bigBoards {
		os.RemoveAll(dir)
	}
	os.Exit(code)
}

// child posts to the run "shared" below dir and prints the id of each post after it was acknowledged.
// Every tenth step raises a signal, every seventh is a batch of three.
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
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "BOARD_TEST_CHILD="+dir, "BOARD_TEST_WORKER="+worker, "BOARD_TEST_POSTS="+strconv.Itoa(n))
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	stderr := &strings.Builder{}
	cmd.Stderr = stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, bufio.NewScanner(out), stderr
}

// TestManyProcesses: 16 processes make one new board at the same time and post 200 entries each. Nothing fails, nothing is lost.
func TestManyProcesses(t *testing.T) {
	dir := t.TempDir()
	const processes, posts = 16, 200
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
	s, err := b.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(acked) != processes*posts || len(s.Entries) != processes*posts || s.Seq != processes*posts+1 {
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

// TestKilledWriters kills writers with SIGKILL at random moments. Every acknowledged post is there, none is half-written, and the file is sound.
// BOARD_KILL_ROUNDS says how often.
func TestKilledWriters(t *testing.T) {
	rounds := 100
	if testing.Short() || raceEnabled {
		rounds = 40
	}
	if n, err := strconv.Atoi(os.Getenv("BOARD_KILL_ROUNDS")); err == nil {
		rounds = n
	}
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
		if errors.Is(err, ErrNotFound) && len(acked) == 0 {
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

func mustOpen(t testing.TB, dir, run string) *Board {
	t.Helper()
	b, err := Open(t.Context(), dir, run)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	return b
}

// newBoard returns a board of its own with a clock that moves a second at each call.
func newBoard(t testing.TB) *Board {
	t.Helper()
	b, err := OpenOrCreate(t.Context(), t.TempDir(), "test")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	var mu sync.Mutex
	b.SetNow(func() time.Time {
		mu.Lock()
		defer mu.Unlock()
		now = now.Add(time.Second)
		return now
	})
	return b
}

// TestReplayEqualsBoard makes random changes, and asks at every step that the log rebuilds the board, and at the end that the past
// is still what it was.
func TestReplayEqualsBoard(t *testing.T) {
	for seed := range uint64(20) {
		b := newBoard(t)
		r := rand.New(rand.NewPCG(seed, 1))
		past := map[int64]*Snapshot{}
		for range 60 {
			randomChange(t, b, r)
			now, err := b.Snapshot(t.Context())
			if errors.Is(err, ErrNotFound) {
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			past[now.Seq] = now
		}
		for seq, want := range past {
			got, err := b.Replay(t.Context(), seq)
			if err != nil {
				t.Fatal(err)
			}
			if diff := want.diff(got); diff != "" {
				t.Fatalf("seed %d, event %d: %s", seed, seq, diff)
			}
			live, err := want.Gate(Policy{})
			if err != nil {
				t.Fatal(err)
			}
			replayed, err := got.Gate(Policy{})
			if err != nil || fmt.Sprint(live) != fmt.Sprint(replayed) {
				t.Fatalf("seed %d, event %d: gate %v, replayed %v, %v", seed, seq, live, replayed, err)
			}
		}
		if err := b.Check(t.Context()); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
}

// randomChange does one random thing. Refusals are part of the game; anything else is a failure.
func randomChange(t *testing.T, b *Board, r *rand.Rand) {
	t.Helper()
	ctx := t.Context()
	entry := func() string { return EntryID(int64(r.IntN(25)) + 1) }
	signal := func() string { return SignalID(int64(r.IntN(8)) + 1) }
	worker := fmt.Sprintf("w%d", r.IntN(3))
	links := func() (l []string) {
		for range r.IntN(3) {
			l = append(l, entry())
		}
		return l
	}
	var err error
	switch r.IntN(12) {
	case 0, 1, 2, 3:
		p := Post{Content: fmt.Sprint("finding ", r.Uint32()), Type: EntryTypes[r.IntN(len(EntryTypes))], Supports: links(), MustSurface: r.IntN(3) == 0}
		switch r.IntN(4) {
		case 0:
			p.Contradicts = links()
		case 1:
			p.Supersedes = links()
		case 2:
			p.Addresses = []string{signal()}
		}
		_, err = b.Post(ctx, worker, p)
	case 4, 5:
		_, err = b.Signal(ctx, worker, Raise{Content: "question", Priority: Priorities[r.IntN(4)]})
	case 6:
		_, err = b.ClaimNext(ctx, worker, "", time.Duration(1+r.IntN(20))*time.Second)
	case 7:
		_, err = b.Release(ctx, worker, signal(), r.IntN(2) == 0)
	case 8:
		_, err = b.Waive(ctx, worker, signal(), "because")
	case 9:
		_, err = b.Reopen(ctx, worker, signal(), "")
	case 10:
		_, err = b.Link(ctx, worker, entry(), Links{Contradicts: links(), Supersedes: links()})
	case 11:
		if r.IntN(3) == 0 {
			_, err = b.Delete(ctx, worker, "k", AnyVersion)
		} else {
			_, err = b.Set(ctx, worker, "k", []byte(strconv.Itoa(r.IntN(9))), AnyVersion)
		}
	}
	if err != nil && !errors.Is(err, ErrNotFound) && !errors.Is(err, ErrConflict) && !errors.Is(err, ErrInvalid) {
		t.Fatal(err)
	}
}

// TestSupersedesHasNoCycle checks the invariant over random links.
func TestSupersedesHasNoCycle(t *testing.T) {
	b := newBoard(t)
	for range 12 {
		if _, err := b.Post(t.Context(), "w", Post{Content: "x"}); err != nil {
			t.Fatal(err)
		}
	}
	r := rand.New(rand.NewPCG(7, 7))
	for range 200 {
		b.Link(t.Context(), "w", EntryID(int64(r.IntN(12))+1), Links{Supersedes: []string{EntryID(int64(r.IntN(12)) + 1)}})
	}
	s, err := b.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	graph := make([][]int, len(s.Entries))
	links := 0
	for i, e := range s.Entries {
		for _, id := range e.Supersedes {
			n, _ := ParseEntryID(id)
			graph[i] = append(graph[i], int(n)-1)
			links++
		}
	}
	if c := cycle(graph); c != nil || links == 0 {
		t.Fatalf("%d links, cycle %v", links, c)
	}
}

// TestRemovedWhileOpen: what is written to a board whose file was removed never goes into a file that nobody can see. A handle that may make
// the run makes it anew; another is told.
func TestRemovedWhileOpen(t *testing.T) {
	maker := newBoard(t)
	if _, err := maker.Post(t.Context(), "w", Post{Content: "x"}); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Dir(maker.path)
	visitor := mustOpen(t, dir, "test")
	if err := Remove(t.Context(), dir, "test"); err != nil {
		t.Fatal(err)
	}
	if _, err := visitor.Post(t.Context(), "w", Post{Content: "y"}); !errors.Is(err, sqlite.ErrGone) {
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

// TestRemoveRace: posts against deletions. A post that was acknowledged is on the board that is there afterwards, unless a deletion came later.
func TestRemoveRace(t *testing.T) {
	dir := t.TempDir()
	for round := range 30 {
		b, err := OpenOrCreate(t.Context(), dir, "race")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := b.Post(t.Context(), "w", Post{Content: "old"}); err != nil {
			t.Fatal(err)
		}
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
			if err := Remove(t.Context(), dir, "race"); err != nil {
				t.Error(err)
			}
		})
		wg.Wait()
		if postErr != nil {
			t.Fatalf("round %d: %v", round, postErr)
		}
		// e1: the post came after the deletion, so it must be there. e2: it came before, and went with the rest.
		b, err = Open(t.Context(), dir, "race")
		switch {
		case posted.Entry.ID == "e2" && errors.Is(err, ErrNotFound):
			continue
		case err != nil:
			t.Fatalf("round %d: %s was acknowledged, but there is no board: %v", round, posted.Entry.ID, err)
		}
		s, err := b.Snapshot(t.Context())
		if err != nil || len(s.Entries) != 1 || s.Entries[0].Content != fmt.Sprint("new ", round) {
			t.Fatalf("round %d: %s was acknowledged, but the board holds %+v, %v", round, posted.Entry.ID, s, err)
		}
		b.Close()
		if err := Remove(t.Context(), dir, "race"); err != nil {
			t.Fatal(err)
		}
	}
}

// TestWatchSeesOthers: events of another handle on the file arrive in order, each once.
func TestWatchSeesOthers(t *testing.T) {
	b := newBoard(t)
	if _, err := b.Post(t.Context(), "w", Post{Content: "x"}); err != nil {
		t.Fatal(err)
	}
	other := mustOpen(t, filepath.Dir(b.path), "test")
	const n = 200
	go func() {
		for i := range n {
			if _, err := other.Post(context.WithoutCancel(t.Context()), "w", Post{Content: fmt.Sprint(i)}); err != nil {
				t.Error(err)
			}
		}
	}()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	want := int64(1)
	for e, err := range b.Watch(ctx, 0) {
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

// TestWatchStopsForGood ends a watch from inside its loop, and by its context, at once: the loop is not entered again, on which the runtime would panic.
func TestWatchStopsForGood(t *testing.T) {
	b := newBoard(t)
	if _, err := b.Post(t.Context(), "w", Post{Content: "x"}); err != nil {
		t.Fatal(err)
	}
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
	if _, err := b.Signal(t.Context(), "lead", Raise{Content: "q"}); err != nil {
		t.Fatal(err)
	}
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
			} else if !errors.Is(err, ErrConflict) {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if winners != 1 {
		t.Fatalf("%d workers hold the claim", winners)
	}
}

// TestLeaseRunsOut: a claim ends with its lease, to the millisecond, and not before.
func TestLeaseRunsOut(t *testing.T) {
	b := newBoard(t)
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	b.SetNow(func() time.Time { return now })
	ctx := t.Context()
	if _, err := b.Signal(ctx, "lead", Raise{Content: "q"}); err != nil {
		t.Fatal(err)
	}
	s, err := b.Claim(ctx, "w1", "s1", time.Minute)
	if err != nil || !s.LeaseUntil.Equal(now.Add(time.Minute)) {
		t.Fatal(s.LeaseUntil, err)
	}
	now = now.Add(time.Minute - time.Millisecond)
	if _, err := b.Claim(ctx, "w2", "s1", time.Minute); !errors.Is(err, ErrConflict) {
		t.Errorf("a millisecond before the end: %v", err)
	}
	if _, err := b.ClaimNext(ctx, "w2", "", time.Minute); !errors.Is(err, ErrConflict) {
		t.Errorf("a millisecond before the end: %v", err)
	}
	now = now.Add(time.Millisecond)
	if s, err := b.ClaimNext(ctx, "w2", "", time.Minute); err != nil || s.ClaimedBy != "w2" {
		t.Errorf("at the end: %+v, %v", s, err)
	}
	if _, err := b.Release(ctx, "w1", "s1", false); !errors.Is(err, ErrConflict) {
		t.Errorf("the old holder released the new one's claim: %v", err)
	}
}

// TestGateTrustsRowsNotCounts: running counts that are wrong, as in a damaged file, never open the gate; and the check finds them.
func TestGateTrustsRowsNotCounts(t *testing.T) {
	b := newBoard(t)
	ctx := t.Context()
	for _, p := range []Post{{Content: "a"}, {Content: "b", Contradicts: []string{"e1"}}} {
		if _, err := b.Post(ctx, "w", p); err != nil {
			t.Fatal(err)
		}
	}
	for _, priority := range []string{"critical", "low"} {
		if _, err := b.Signal(ctx, "w", Raise{Content: "q", Priority: priority}); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.db.Write(ctx, func(tx *sqlite.Tx) error { _, err := tx.Exec(`DELETE FROM counts`); return err }); err != nil {
		t.Fatal(err)
	}
	zero := int64(0)
	for _, p := range []Policy{{}, {Block: []string{}, MaxOpen: &zero}, {Block: []string{}, MaxDisputed: &zero}} {
		if v, err := b.Gate(ctx, p); err != nil || v.Open {
			t.Errorf("policy %+v: open %v, %v", p, v.Open, err)
		}
	}
	if err := b.Check(ctx); !errors.Is(err, sqlite.ErrCorrupt) {
		t.Errorf("the check says %v", err)
	}
}

// TestEventsAreAppendOnly: not even a statement of our own can change the log.
func TestEventsAreAppendOnly(t *testing.T) {
	b := newBoard(t)
	if _, err := b.Post(t.Context(), "w", Post{Content: "a"}); err != nil {
		t.Fatal(err)
	}
	for _, q := range []string{`UPDATE events SET actor = 'x'`, `DELETE FROM events`} {
		if err := b.db.Write(t.Context(), func(tx *sqlite.Tx) error { _, err := tx.Exec(q); return err }); err == nil {
			t.Errorf("%s was let through", q)
		}
	}
}
