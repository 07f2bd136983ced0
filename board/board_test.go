package board

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"sync"
	"testing"
	"time"

	"blackboard/board/fault"
	"blackboard/board/record"
	"blackboard/board/store"
	"blackboard/testdata/cost"
	"blackboard/testdata/expect"
)

// TestMain lets the test binary be a writer process of its own (see child).
func TestMain(m *testing.M) {
	stop := useEngine()
	if dir := os.Getenv("BOARD_TEST_CHILD"); dir != "" {
		if err := child(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	code := cost.Main(m)
	for _, dir := range bigBoards {
		os.RemoveAll(dir)
	}
	stop()
	os.Exit(code)
}

func mustOpen(t testing.TB, dir, run string) *Board {
	t.Helper()
	b := expect.Value(Open(t.Context(), dir, run))(t)
	t.Cleanup(func() { b.Close() })
	return b
}

// newBoard returns a board of its own with a clock that moves a second at each call.
func newBoard(t testing.TB) *Board {
	t.Helper()
	b := expect.Value(OpenOrCreate(t.Context(), t.TempDir(), "test"))(t)
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

// TestReplayEqualsBoard makes random changes, and asks at every step that the log rebuilds the
// board, and at the end that the past is still what it was.
func TestReplayEqualsBoard(t *testing.T) {
	cost.SkipShort(t)
	t.Parallel()
	seeds := uint64(20)
	if cost.Quick() {
		seeds = 5
	}
	for seed := range seeds {
		b := newBoard(t)
		r := rand.New(rand.NewPCG(seed, 1))
		past := map[int64]*Snapshot{}
		for range 60 {
			randomChange(t, b, r)
			now, err := b.Snapshot(t.Context())
			if errors.Is(err, fault.NotFound) {
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			past[now.Seq] = now
		}
		for seq, want := range past {
			p := expect.Value(b.At(t.Context(), seq))(t)
			if seq%4 == 0 { // it asks about each entry
				samePast(t, p, want)
			}
			got := expect.Value(b.Replay(t.Context(), seq))(t)
			if diff := want.Diff(got); diff != "" {
				t.Fatalf("seed %d, event %d: %s", seed, seq, diff)
			}
			live := expect.Value(GateOf(t.Context(), want, Policy{}))(t)
			replayed, err := GateOf(t.Context(), got, Policy{})
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
	switch r.IntN(16) {
	case 0, 1, 2, 3:
		p := Post{Content: fmt.Sprint("finding ", r.Uint32()), Type: EntryTypes[r.IntN(len(EntryTypes))], Supports: links(), MustSurface: r.IntN(3) == 0}
		switch r.IntN(4) {
		case 0:
			p.Contradicts = links()
		case 1:
			p.Supersedes = links()
			if p.MustSurface = false; r.IntN(3) == 0 {
				p.Addresses = []string{signal()}
			} else if r.IntN(3) == 0 {
				p.DropDuty = "no use"
			}
		case 2:
			p.Addresses = []string{signal()}
		}
		_, err = b.Post(ctx, worker, p)
	case 4, 5:
		_, err = b.Signal(ctx, worker, Raise{Content: "question", Priority: Priorities[r.IntN(4)]})
	case 6:
		_, err = b.ClaimNext(ctx, worker, "", nil, time.Duration(1+r.IntN(20))*time.Second)
	case 7:
		_, err = b.Release(ctx, worker, signal(), r.IntN(2) == 0)
	case 8:
		_, err = b.Waive(ctx, worker, signal(), "because")
	case 9:
		_, err = b.Reopen(ctx, worker, signal(), "")
	case 10:
		_, err = b.Link(ctx, worker, entry(), Links{Contradicts: links(), Supersedes: links()})
	case 13:
		_, err = b.Expect(ctx, "lead", []string{worker, "w3"}, r.IntN(2) == 0)
	case 14:
		_, err = b.Done(ctx, worker)
	case 15:
		_, err = b.Drop(ctx, "lead", worker, "late")
	case 12:
		err = b.Retrieved(ctx, worker, Retrieval{Way: record.RetrievalWays[r.IntN(len(record.RetrievalWays))], Role: "planner", Task: "task", Capsules: []Given{{ID: "k0000000a1", Score: 1}}})
	case 11:
		if r.IntN(3) == 0 {
			_, err = b.Delete(ctx, worker, "k", AnyVersion)
		} else {
			_, err = b.Set(ctx, worker, "k", []byte(strconv.Itoa(r.IntN(9))), AnyVersion)
		}
	}
	if err != nil && !errors.Is(err, fault.NotFound) && !errors.Is(err, fault.Conflict) && !errors.Is(err, fault.Invalid) {
		t.Fatal(err)
	}
}

// TestSupersedesHasNoCycle checks the invariant over random links.
func TestSupersedesHasNoCycle(t *testing.T) {
	b := newBoard(t)
	for range 12 {
		expect.Value(b.Post(t.Context(), "w", Post{Content: "x"}))(t)
	}
	r := rand.New(rand.NewPCG(7, 7))
	for range 200 {
		b.Link(t.Context(), "w", EntryID(int64(r.IntN(12))+1), Links{Supersedes: []string{EntryID(int64(r.IntN(12)) + 1)}})
	}
	s := expect.Value(b.Snapshot(t.Context()))(t)
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

// TestLeaseRunsOut: a claim ends with its lease, to the millisecond, and not before.
func TestLeaseRunsOut(t *testing.T) {
	b := newBoard(t)
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	b.SetNow(func() time.Time { return now })
	ctx := t.Context()
	expect.Value(b.Signal(ctx, "lead", Raise{Content: "q"}))(t)
	s, err := b.Claim(ctx, "w1", "s1", time.Minute)
	if err != nil || !s.LeaseUntil.Equal(now.Add(time.Minute)) {
		t.Fatal(s.LeaseUntil, err)
	}
	now = now.Add(time.Minute - time.Millisecond)
	if _, err := b.Claim(ctx, "w2", "s1", time.Minute); !errors.Is(err, fault.Conflict) {
		t.Errorf("a millisecond before the end: %v", err)
	}
	if _, err := b.ClaimNext(ctx, "w2", "", nil, time.Minute); !errors.Is(err, fault.Conflict) {
		t.Errorf("a millisecond before the end: %v", err)
	}
	now = now.Add(time.Millisecond)
	if s, err := b.ClaimNext(ctx, "w2", "", nil, time.Minute); err != nil || s.ClaimedBy != "w2" {
		t.Errorf("at the end: %+v, %v", s, err)
	}
	if _, err := b.Release(ctx, "w1", "s1", false); !errors.Is(err, fault.Conflict) {
		t.Errorf("the old holder released the new one's claim: %v", err)
	}
}

// TestGateTrustsRowsNotCounts: running counts that are wrong, as in a damaged file, never open the
// gate; and the check finds them.
func TestGateTrustsRowsNotCounts(t *testing.T) {
	b := newBoard(t)
	ctx := t.Context()
	for _, p := range []Post{{Content: "a"}, {Content: "b", Contradicts: []string{"e1"}}} {
		expect.Value(b.Post(ctx, "w", p))(t)
	}
	for _, priority := range []string{"critical", "low"} {
		expect.Value(b.Signal(ctx, "w", Raise{Content: "q", Priority: priority}))(t)
	}
	expect.OK(t, b.db.Write(ctx, func(tx *store.Tx) error { _, err := tx.Exec(`DELETE FROM counts`); return err }))
	zero := int64(0)
	for _, p := range []Policy{{}, {Block: []string{}, MaxOpen: &zero}, {Block: []string{}, MaxDisputed: &zero}} {
		if v, err := b.Gate(ctx, p); err != nil || v.Open {
			t.Errorf("policy %+v: open %v, %v", p, v.Open, err)
		}
	}
	if err := b.Check(ctx); !errors.Is(err, fault.Corrupt) {
		t.Errorf("the check says %v", err)
	}
}

// TestEventsAreAppendOnly: not even a statement of our own can change the log.
func TestEventsAreAppendOnly(t *testing.T) {
	b := newBoard(t)
	expect.Value(b.Post(t.Context(), "w", Post{Content: "a"}))(t)
	for _, q := range []string{`UPDATE events SET actor = 'x'`, `DELETE FROM events`} {
		if err := b.db.Write(t.Context(), func(tx *store.Tx) error { _, err := tx.Exec(q); return err }); err == nil {
			t.Errorf("%s was let through", q)
		}
	}
}
