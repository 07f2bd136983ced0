package memory

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"blackboard/board/sqlite"
	"blackboard/testdata/cost"
	"blackboard/testdata/expect"
)

const (
	killedItems = 260 // put before each pass: so many that a pass takes several transactions
	killedCap   = 60
	// killedDim is the least whose codes are the signs alone; those of fewer are slow to
	// compute with the race detector.
	killedDim = 384
)

// killedStore opens the store of the test, some days on with each round.
func killedStore(t *testing.T, home string, round int) *Store {
	at := newClock()
	at.pass(time.Duration(round) * 48 * time.Hour)
	s := open(t, home, Options{Workspace: filepath.Join(home, "project"), Now: at.now, Embedder: fixed{killedDim}})
	s.cap = killedCap
	return s
}

// TestConsolidatingProcess is no test but the process that the test below starts: it puts items
// and makes passes, and says so, until it is killed.
func TestConsolidatingProcess(t *testing.T) {
	home := os.Getenv("BOARD_TEST_CONSOLIDATE")
	if home == "" {
		t.Skip("is a process that another test starts")
	}
	round := expect.Value(strconv.Atoi(os.Getenv("BOARD_TEST_ROUND")))(t)
	stepsAtOnce = 50
	s := killedStore(t, home, round)
	r := rand.New(rand.NewPCG(uint64(round), 7))
	for first := true; ; first = false {
		sc := Scope{Tier: Workspace}
		if r.IntN(2) == 0 {
			sc = Scope{Tier: Channel, Channel: DefaultChannel}
		}
		items, vectors := manyItems(r, killedItems, killedDim, s.now(), sc)
		for i := range items {
			items[i].Importance = max(.02, items[i].Importance)
			if i%9 == 0 {
				items[i].Agent = "a"
			}
		}
		stock(t, s, items, vectors)
		ids := make([]string, len(items))
		for i := range items {
			ids[i] = items[i].ID
		}
		fmt.Println("put", strings.Join(ids, " "))
		if first {
			fmt.Println("ready")
		}
		fmt.Println("pass")
		expect.Value(s.Consolidate(t.Context(), nil))(t)
		fmt.Println("passed")
	}
}

// killedPass runs the process for a moment and returns the items that it has put, how many passes
// it has made, and whether it was killed in one.
func killedPass(t *testing.T, home string, round int, wait time.Duration) (ids []string, passes int, within bool) {
	t.Helper()
	cmd, in, stderr := cost.Child(t, "TestConsolidatingProcess", "BOARD_TEST_CONSOLIDATE="+home, fmt.Sprint("BOARD_TEST_ROUND=", round))
	other := ""
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			break
		}
		switch verb, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " "); verb {
		case "put":
			ids = append(ids, strings.Fields(rest)...)
		case "ready":
			time.AfterFunc(wait, func() { cmd.Process.Kill() })
		case "pass":
			within = true
		case "passed":
			within = false
			passes++
		default:
			other += line
		}
	}
	cmd.Wait()
	if other != "" || stderr.Len() > 0 {
		t.Fatalf("the process failed by itself: %s%s", other, stderr)
	}
	return ids, passes, within
}

// TestKilledConsolidation kills passes with SIGKILL at random moments. What is left is coherent:
// the index has exactly the live items, what was acknowledged is there, live or forgotten by a rule
// and with what replaced it, and the next pass does the rest. $BOARD_KILL_ROUNDS sets how often.
func TestKilledConsolidation(t *testing.T) {
	cost.SkipQuick(t)
	t.Parallel()
	rounds := cost.Rounds(20, 12, 2)
	home := t.TempDir()
	r := rand.New(rand.NewPCG(4, 4))
	var acked []string
	in, interrupted := 0, 0
	pace := 60 * time.Millisecond
	for round := 0; round < rounds ||
		interrupted == 0; round++ { // until a pass was killed with some of its steps done, which is what this is about
		ids, passes, within := killedPass(t, home, round, time.Duration(r.Int64N(int64(pace))))
		acked = append(acked, ids...)
		if passes == 0 { // as slow as the machine is
			pace = pace * 3 / 2
		} else {
			pace = max(pace*9/10, 60*time.Millisecond)
		}
		if within {
			in++
		}
		s := killedStore(t, home, round)
		agrees(t, s)
		interrupted += unfinished(t, s)
		expect.Value(s.Consolidate(t.Context(), nil))(t)
		scopes := expect.Value(s.scopeFiles(t.Context(), nil))(t)
		for _, w := range scopes { // not PlanConsolidation, which compares all items for contradictions
			p := expect.Value(s.plan(t.Context(), w))(t)
			if len(p.steps) > 0 {
				t.Errorf("round %d: after the pass there are %d steps to do in %s", round, len(p.steps), w)
			}
		}
		if round%25 == 24 || round >= rounds-1 {
			agrees(t, s)
			sound(t, s)
			there(t, s, acked)
		}
		expect.OK(t, s.Close())
		if t.Failed() {
			return
		}
	}
	t.Logf("%d rounds: %d items put, all accounted for; %d were killed within a pass, %d passes with some of their steps done", rounds, len(acked), in, interrupted)
}

// unfinished counts the scopes of which the last pass has done some of its steps and not all, as the
// log tells.
func unfinished(t *testing.T, s *Store) (n int) {
	t.Helper()
	f := expect.Value(s.open(t.Context(), false, false))(t)
	expect.OK(t, f.Read(t.Context(), func(tx *sqlite.Tx) (err error) {
		n, err = sqlite.One[int](tx, `SELECT count(DISTINCT scope) FROM events e WHERE verb IN (?, ?, ?)
			AND n > (SELECT coalesce(max(n), 0) FROM events WHERE verb = ? AND scope = e.scope)`,
			VerbForgotten, VerbItemArchived, VerbPromoted, VerbConsolidate)
		return err
	}))
	return n
}

// agrees fails unless the index is sound and has exactly the live items.
func agrees(t *testing.T, s *Store) {
	t.Helper()
	f := expect.Value(s.open(t.Context(), false, false))(t)
	expect.OK(t, f.Read(t.Context(), func(tx *sqlite.Tx) error {
		if err := f.Index.Check(tx); err != nil {
			return err
		}
		docs, err := f.Index.Documents(tx)
		if err != nil {
			return err
		}
		var live string
		if err := tx.QueryRow(`SELECT json_group_array(n) FROM (SELECT n FROM items WHERE forgotten IS NULL ORDER BY n)`).Scan(&live); err != nil {
			return err
		}
		if have, _ := json.Marshal(docs); string(have) != live && live != "[]" {
			t.Errorf("live are %s, the index has %s", live, have)
		}
		return nil
	}))
}

// there fails unless all items have a row, and those that are forgotten have expired or are said
// by another.
func there(t *testing.T, s *Store, ids []string) {
	t.Helper()
	f := expect.Value(s.open(t.Context(), false, false))(t)
	expect.OK(t, f.Read(t.Context(), func(tx *sqlite.Tx) error {
		n, err := sqlite.One[int](tx, `SELECT count(*) FROM items WHERE id IN (SELECT value FROM json_each(?))`, sqlite.List(ids))
		if err != nil {
			return err
		}
		if n != len(ids) {
			t.Errorf("%d items were put, %d are there", len(ids), n)
		}
		n, err = sqlite.One[int](tx, `SELECT count(*) FROM items i WHERE rule NOT IN ('', 'expired') AND NOT (rule = 'merged' AND EXISTS (SELECT 1 FROM items h WHERE h.id = i.replaced_by))`)
		if err != nil {
			return err
		}
		if n > 0 {
			t.Errorf("%d items are lost", n)
		}
		return nil
	}))
}
