package runs

import (
	"fmt"
	"testing"
	"time"

	"blackboard/board"
	"blackboard/testdata/tuitest"
)

// TestNotices: what happens once the run was seen is told, once; what was there before, and what
// one did, is not.
func TestNotices(t *testing.T) {
	now := tuitest.Now
	s := &scene{signals: []*board.Signal{{ID: "s1", Priority: "critical", Status: board.SignalOpen, Worker: "ann", Content: "old"}}}
	s.state.Expected = []board.Expected{{Worker: "bob", Status: board.WorkerExpected}, {Worker: "ann", Status: board.WorkerDone}}
	s.state.Workers = []board.Worker{{Name: "ann", Last: now}, {Name: "eve", Last: now.Add(-time.Hour)}}
	var w watcher
	look := func(want ...string) {
		t.Helper()
		var got []string
		for _, told := range w.notices("audit", "me", s, now) {
			got = append(got, told.Kind+" "+told.Text)
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%q is told instead of %q", got, want)
		}
	}
	look()
	s.signals = append(s.signals, &board.Signal{ID: "s2", Priority: "critical", Status: board.SignalOpen, Worker: "ann", Content: "new\nand \x1b[31mlong"},
		&board.Signal{ID: "s3", Priority: "critical", Status: board.SignalOpen, Worker: "me", Content: "mine"}, &board.Signal{ID: "s4", Priority: "high", Status: board.SignalOpen, Worker: "ann"})
	look("critical audit: s2 is critical: new and �[31mlong")
	look()
	now = now.Add(board.SilentAfter)
	look("silent audit: bob has been silent for 10m") // ann is done, eve was silent before
	look()
	s.state.Workers = append(s.state.Workers, board.Worker{Name: "bob", Last: now}, board.Worker{Name: "zoe", Last: now})
	look()
	now = now.Add(board.SilentAfter)
	look("silent audit: bob has been silent for 10m", "silent audit: zoe has been silent for 10m")
	s.verdict.Open = true
	look("gate audit: the gate is open")
	s.verdict.Open = false
	look()
}
