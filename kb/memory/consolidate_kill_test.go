package memory

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"blackboard/board/sqlite"
	"blackboard/testdata/cost"
)

const (
	killedItems = 260 // put before each pass: so many that a pass takes several transactions
	killedCap   = 60
)

// killedStore opens the store of the test, some days on with each round.
func killedStore(t *testing.T, home string, round int) *Store {
	at := newClock()
	at.pass(time.Duration(round) * 48 * time.Hour)
	s := open(t, home, Options{Workspace: filepath.Join(home, "project"), Now: at.now, Embedder: fixed{64}})
	s.cap = killedCap
	return s
}

// TestConsolidatingProcess is no test but the process that the test below starts: it puts items and makes passes, and says so, until it is killed.
func TestConsolidatingProcess(t *testing.T) {
	home := os.Getenv("BOARD_TEST_CONSOLIDATE")
	if home == "" {
		t.Skip("is a process that another test starts")
	}
	round, err := strconv.Atoi(os.Getenv("BOARD_TEST_ROUND"))
	if err != nil {
		t.Fatal(err)
	}
	s := killedStore(t, home, round)
	r := rand.New(rand.NewPCG(uint64(round), 7))
	for first := true; ; first = false {
		sc := Scope{Tier: Workspace}
		if r.IntN(2) == 0 {
			sc = Scope{Tier: Channel, Channel: DefaultChannel}
		}
		items, vectors := manyItems(r, killedItems, 64, s.now(), sc)
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
		if _, err := s.Consolidate(t.Context(), nil, nil); err != nil {
			t.Fatal(err)
		}
		fmt.Println("passed")
	}
}

// killedPass runs the process for a moment and returns the items that it has put, how many passes it has made, and whether it was in one when it was killed.
func killedPass(t *testing.T, home string, round int, wait time.Duration) (ids []string, passes int, within bool) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestConsolidatingProcess$")
	cmd.Env = append(os.Environ(), "BOARD_TEST_CONSOLIDATE="+home, fmt.Sprint("BOARD_TEST_ROUND=", round))
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var stderr strings.Builder
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	in := bufio.NewReader(out)
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
		t.Fatalf("the process failed by itself: %s%s", other, &stderr)
	}
	return ids, passes, within
}

// TestKilledConsolidation kills passes with SIGKILL at random moments. What is left is coherent: the index has exactly the live items, what was acknowledged is there, live or forgotten by a
// rule and with what replaced it, and the next pass does the rest. $BOARD_KILL_ROUNDS sets how often.
func TestKilledConsolidation(t *testing.T) {
	t.Parallel()
	rounds := 50
	if testing.Short() || cost.Race {
		rounds = 12
	}
	if n, err := strconv.Atoi(os.Getenv("BOARD_KILL_ROUNDS")); err == nil {
		rounds = n
	}
	home := t.TempDir()
	r := rand.New(rand.NewPCG(4, 4))
	var acked []string
	inPass, resumed := 0, 0
	pace := 60 * time.Millisecond
	for round := 0; round < rounds || resumed == 0; round++ { // until one was killed with some of its steps done, which is what this is about
		ids, passes, within := killedPass(t, home, round, time.Duration(r.Int64N(int64(pace))))
		acked = append(acked, ids...)
		if passes == 0 { // as slow as the machine is
			pace = pace * 6 / 5
		} else {
			pace = max(pace*9/10, 60*time.Millisecond)
		}
		if within {
			inPass++
		}
		s := killedStore(t, home, round)
		agrees(t, s)
		did, err := s.Consolidate(t.Context(), nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range did {
			// Of a scope that was full of what had been put, a part was left: the pass was killed in its middle.
			if gone := d.Expired + d.Pruned + d.Merged + d.Capped; within && gone > 0 && d.Live+gone < killedItems {
				resumed++
			}
		}
		again, err := s.PlanConsolidation(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range again {
			if len(p.Steps) > 0 || p.Live > killedCap && len(p.Notes) == 0 {
				t.Errorf("round %d: after the pass there are %d steps to do, and %d items in %s", round, len(p.Steps), p.Live, p.Scope)
			}
		}
		if round%25 == 24 || round >= rounds-1 {
			agrees(t, s)
			sound(t, s)
			there(t, s, acked)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if t.Failed() {
			return
		}
	}
	t.Logf("%d rounds: %d items put, all accounted for; %d were killed within a pass, %d of those with some of its steps done", rounds, len(acked), inPass, resumed)
}

// agrees fails unless the index is sound and has exactly the live items.
func agrees(t *testing.T, s *Store) {
	t.Helper()
	f, err := s.open(t.Context(), false, false)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Read(t.Context(), func(tx *sqlite.Tx) error {
		if err := f.Index.Check(tx); err != nil {
			return err
		}
		docs, err := f.Index.Documents(tx)
		if err != nil {
			return err
		}
		var live string
		if err := tx.QueryRow(`SELECT json_group_array(n) FROM (SELECT n FROM items INDEXED BY items_live WHERE forgotten IS NULL ORDER BY n)`).Scan(&live); err != nil {
			return err
		}
		if have, _ := json.Marshal(docs); string(have) != live && live != "[]" {
			t.Errorf("live are %s, the index has %s", live, have)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}

// there fails unless all items have a row.
func there(t *testing.T, s *Store, ids []string) {
	t.Helper()
	f, err := s.open(t.Context(), false, false)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Read(t.Context(), func(tx *sqlite.Tx) error {
		var n int
		if err := tx.QueryRow(`SELECT count(*) FROM items WHERE id IN (SELECT value FROM json_each(?))`, sqlite.List(ids)).Scan(&n); err != nil {
			return err
		}
		if n != len(ids) {
			t.Errorf("%d items were put, %d are there", len(ids), n)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}
