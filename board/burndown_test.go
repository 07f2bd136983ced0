package board

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"blackboard/board/fault"
	"blackboard/board/record"
	"blackboard/board/store"
	"blackboard/testdata/cost"
	"blackboard/testdata/expect"
)

// TestBurndownIsTheLog: at each event of random histories, the last point until then counts what
// the replayed board has open, and no point says what the one before it did.
func TestBurndownIsTheLog(t *testing.T) {
	cost.SkipQuick(t)
	for seed := range uint64(6) {
		b := newBoard(t)
		r := rand.New(rand.NewPCG(seed, 5))
		for range 150 {
			randomChange(t, b, r)
		}
		// Nothing but a signal is one: not a variable of that name.
		expect.Value(b.Set(t.Context(), "w", "s1", []byte("1"), AnyVersion))(t)
		points, err := b.Burndown(t.Context())
		if err != nil || len(points) < 20 {
			t.Fatalf("seed %d: %d points, %v", seed, len(points), err)
		}
		st := expect.Value(b.State(t.Context()))(t)
		var now BurnPoint
		reopened := 0
		for seq := int64(1); seq <= st.Seq; seq++ {
			past := expect.Value(b.Replay(t.Context(), seq))(t)
			if len(points) > 0 && points[0].Seq == seq {
				if points[0].Open == now.Open || !points[0].At.Equal(past.At) {
					t.Errorf("seed %d: %+v follows %+v; the event was at %s", seed, points[0], now, past.At)
				}
				now, points = points[0], points[1:]
			}
			var want [4]int64
			for _, s := range past.Signals {
				if s.Status == SignalOpen {
					rank, _ := PriorityRank(s.Priority)
					want[rank]++
				}
			}
			if now.Open != want || now.Total() != past.State().Signals.Open.Total() {
				t.Fatalf("seed %d, event %d: %v open, want %v", seed, seq, now.Open, want)
			}
		}
		if len(points) > 0 {
			t.Errorf("seed %d: points after the last event: %v", seed, points)
		}
		for e, err := range b.Events(t.Context(), 0) {
			if err != nil {
				t.Fatal(err)
			}
			if e.Verb == record.VerbReopen {
				reopened++
			}
		}
		if reopened == 0 {
			t.Errorf("seed %d: nothing was reopened", seed)
		}
	}
}

func TestBurndownOfNothing(t *testing.T) {
	b := newBoard(t)
	if _, err := b.Burndown(t.Context()); !errors.Is(err, fault.NotFound) {
		t.Errorf("a run that is not there: %v", err)
	}
	expect.Value(b.Post(t.Context(), "w", Post{Content: "x"}))(t)
	if points, err := b.Burndown(t.Context()); points == nil || len(points) > 0 || err != nil {
		t.Errorf("no signals: %v, %v", points, err)
	}
}

// TestBurndownPlan: the log is asked about signals alone.
func TestBurndownPlan(t *testing.T) {
	needsFile(t)
	b := newBoard(t)
	expect.Value(b.Signal(t.Context(), "w", Raise{Content: "q"}))(t)
	plan := planOf(t, b, burndownSQL, "", "", "", "")
	if want := "SCAN s USING COVERING INDEX signals_status\nSEARCH e USING INDEX events_id (id=?)\n"; !strings.HasPrefix(plan, want) {
		t.Errorf("the plan is\n%swant\n%s", plan, want)
	}
}

// planOf returns what SQLite does for a query, a step on each line.
func planOf(t *testing.T, b *Board, sql string, args ...any) string {
	t.Helper()
	var plan strings.Builder
	expect.OK(t, b.read(t.Context(), func(tx *store.Tx) error {
		rows, err := tx.Query(`EXPLAIN QUERY PLAN `+sql, args...)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var id, parent, unused int
			var detail string
			if err := rows.Scan(&id, &parent, &unused, &detail); err != nil {
				return err
			}
			fmt.Fprintln(&plan, detail)
		}
		return rows.Err()
	}))
	return plan.String()
}

// BenchmarkBurndown reads the burndown of 230 signals in a run of 538 entries, all of them raised
// and answered, and of 2,000 among 100,000 entries.
func BenchmarkBurndown(b *testing.B) {
	for _, n := range []struct{ entries, signals int }{{538, 230}, {100_000, 2_000}} {
		b.Run(fmt.Sprintf("entries=%d/signals=%d", n.entries, n.signals), func(b *testing.B) {
			bd := bigOf(b, bigRun{entries: n.entries, signals: n.signals})
			ask(b, bd, func(bd *Board) error { _, err := bd.Burndown(b.Context()); return err })
		})
	}
}
