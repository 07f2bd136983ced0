package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"blackboard/testdata/cost"
	"blackboard/testdata/expect"
	"blackboard/testdata/histories"
)

// TestHistories has servers, commands, a daemon and a TUI call at once, and judges what they were
// told against what is there: package histories says how. It is short, and bound by the number of
// calls, since machines differ. With $BOARD_HISTORIES, a duration, runs with more and other
// settings follow each other for that long instead.
func TestHistories(t *testing.T) {
	cost.SkipQuickUnlessRace(t)
	long, err := time.ParseDuration(os.Getenv("BOARD_HISTORIES"))
	if v := os.Getenv("BOARD_HISTORIES"); v != "" && err != nil {
		t.Fatalf("BOARD_HISTORIES=%s is not a duration", v)
	}
	everything := slices.DeleteFunc(slices.Clone(histories.Faults), func(f string) bool { return f == "disk" })
	short := []histories.Config{
		{Calls: 800, Servers: 2, Overlap: 4, Stores: histories.Stores},
		{Calls: 700, Servers: 2, Overlap: 4, Commands: 2, Daemon: true, Watchers: 1, Stores: histories.Stores, Faults: everything},
	}
	if !cost.Long() {
		short[0].Calls, short[1].Calls = 300, 300
	}
	seed := uint64(20)
	if testing.Short() || long == 0 {
		for _, c := range short {
			judgeHistory(t, c, seed, time.Hour)
		}
		return
	}
	others := []histories.Config{
		{Servers: 2, Overlap: 4, Stores: []string{"board"}},
		{Servers: 8, Overlap: 4, Stores: []string{"board"}},
		{Servers: 8, Overlap: 4, Commands: 2, Stores: histories.Stores},
		{Servers: 3, Overlap: 4, Commands: 3, Daemon: true, Watchers: 2, Stores: histories.Stores, Faults: everything},
		{Servers: 2, Overlap: 4, Commands: 4, Stores: histories.Stores, Faults: []string{"kill"}},
		{Servers: 2, Overlap: 4, Commands: 2, Stores: histories.Stores, Faults: []string{"disk", "kill"}},
	}
	each := min(long/time.Duration(len(others)), 20*time.Second)
	for begin := time.Now(); time.Since(begin) < long; {
		for _, c := range others {
			seed++
			judgeHistory(t, c, seed, each)
		}
	}
}

func judgeHistory(t *testing.T, c histories.Config, seed uint64, most time.Duration) {
	t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
		exe := expect.Value(os.Executable())(t)
		dir := expect.Value(os.MkdirTemp("", "board-histories-"))(t)
		c.Seed, c.Time, c.Program, c.Dir, c.Env = seed, most, exe, filepath.Join(dir, "first"), []string{asMain + "=1"}
		h, problems, err := histories.Run(c)
		if errors.Is(err, histories.ErrNoDisk) || errors.Is(err, histories.ErrVoid) {
			os.RemoveAll(dir)
			t.Skip(err)
		}
		if err != nil {
			t.Fatal(err)
		}
		v := histories.Judge(h, c.Dir)
		t.Log(h.Summary(v))
		for _, p := range problems {
			t.Error(p)
		}
		for i, p := range v.Problems {
			if i < 10 {
				t.Error(p.String())
			}
		}
		if !t.Failed() {
			os.RemoveAll(dir)
			return
		}
		t.Logf("%d problems; the history is kept in %s", len(v.Problems), c.Dir)
		t.Logf("judge it again: go run ./testdata/histories/check -judge %s", c.Dir)
		t.Logf("repeat the run: go run ./testdata/histories/check %s", c.Settings())
	})
}
