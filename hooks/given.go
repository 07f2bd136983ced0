package hooks

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"blackboard/board"
	"blackboard/board/fault"
	"blackboard/kb"
)

// retrieval is what of some hits was given.
func retrieval(way, task string, hits []kb.Hit, ids []string) board.Retrieval {
	r := board.Retrieval{Way: way, Task: task}
	for i := range hits {
		if h := &hits[i]; slices.Contains(ids, h.ID) {
			c := board.Given{ID: h.ID, Score: h.Score, Evidence: h.Evidence}
			r.Capsules = append(r.Capsules, c)
		}
	}
	return r
}

// closing has the boards that are still being written to, or closed, while the answer is on its
// way. A process may end meanwhile: what was committed is safe.
var closing sync.WaitGroup

// keep notes on the board of $BOARD_RUN what was given. The turn does not wait for a
// board that is busy, or for a disk, longer than a quarter of the time that it has left;
// what was given is given all the same, and the log says that the board does not have it.
func (t *turn) keep(ctx context.Context, r board.Retrieval) {
	if len(r.Capsules) == 0 || t.Env("BOARD_RUN") == "" || t.Home == "" {
		return
	}
	if end, ok := ctx.Deadline(); ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Until(end)/4)
		defer cancel()
	}
	done := make(chan error, 1)
	closing.Go(func() {
		defer func() {
			if wrong := recover(); wrong != nil {
				done <- fmt.Errorf("it panicked: %v", wrong)
			}
		}()
		b, _, err := t.openRun(ctx)
		if err == nil {
			defer b.Close() // whose folding of the log into the file nobody waits for
			err = b.Retrieved(ctx, cmp.Or(t.Env("BOARD_WORKER"), t.e.Harness, "hook"), r)
		}
		done <- err
	})
	var err error
	select {
	case err = <-done:
	case <-ctx.Done():
		err = ctx.Err()
	}
	if !errors.Is(err, fault.NotFound) { // a run that has not begun is nobody's fault
		t.note("keep on the board what was given", err)
	}
}
