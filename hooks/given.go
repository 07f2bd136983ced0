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

func retrievalOf(way, task string, hits []kb.Hit, ids []string) board.Retrieval {
	r := board.Retrieval{Way: way, Task: task}
	for i := range hits {
		if h := &hits[i]; slices.Contains(ids, h.ID) {
			c := board.Given{ID: h.ID, Score: h.Score, Evidence: h.Evidence}
			r.Capsules = append(r.Capsules, c)
		}
	}
	return r
}

// openBoards counts the boards that are still being written or closed while the answer
// is returned. The process may exit before they are closed: what was committed is safe.
var openBoards sync.WaitGroup

// recordGiven records on the board of $BOARD_RUN what was given, if a busy board or disk lets it
// in a quarter of the remaining time; else the log says that it did not.
func (t *turn) recordGiven(ctx context.Context, r board.Retrieval) {
	if len(r.Capsules) == 0 || t.Env("BOARD_RUN") == "" || t.Home == "" {
		return
	}
	if end, ok := ctx.Deadline(); ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Until(end)/4)
		defer cancel()
	}
	done := make(chan error, 1)
	openBoards.Go(func() {
		defer func() {
			if wrong := recover(); wrong != nil {
				done <- fmt.Errorf("internal error: panic: %v", wrong)
			}
		}()
		b, _, err := t.openRun(ctx)
		if err == nil {
			defer b.Close() // its checkpoint runs after the answer
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
	if !errors.Is(err, fault.NotFound) { // the run may not exist yet
		t.logError("record on the board which capsules were given", err)
	}
}
