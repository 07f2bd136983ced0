package histories

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// Outage is something that is done to the database, or to the way to it, and undone. Meanwhile a
// call may fail; what it says then must be true all the same.
type Outage struct {
	Name string
	Do   func(n int) error // n: how many were before
}

const (
	between  = 6   // writes must have been acknowledged before the next outage,
	hopeless = 500 // and if among so many calls there are not, nothing works any more
)

// outages does them in turn, until there were as many as the settings say, and then ends the run.
func (w *world) outages(ctx context.Context, end func()) {
	defer end()
	for n := range w.Breaks {
		if !w.acknowledged(ctx, between) {
			w.problem("after %d outages nothing was acknowledged any more", n)
			return
		}
		o := w.Outages[n%len(w.Outages)]
		at := w.now()
		err := o.Do(n / len(w.Outages))
		w.fault(o.Name, at)
		if err != nil {
			w.problem("outage %d, %s: %v", n, o.Name, err)
			return
		}
	}
	w.acknowledged(ctx, between)
}

// acknowledged waits until more writes were acknowledged.
func (w *world) acknowledged(ctx context.Context, more int) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	for want, last := w.acked+more, len(w.ops)+hopeless; w.acked < want; {
		if ctx.Err() != nil || len(w.ops) > last {
			return false
		}
		w.news.Wait()
	}
	return true
}

// take copies the runs of the database to where they are looked for. The program verifies them as
// it does: on both sides, and against each other.
func (w *world) take() error {
	cmd := w.command("database", "copy", "--from", w.Database, "--to", filepath.Join(w.home, "boards"))
	if said, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("board database copy: %w: %s", err, said)
	}
	return nil
}

// away reports whether an outage explains why a call failed.
func (j *judgement) away(o *Op) bool {
	for _, f := range j.Faults {
		if strings.HasPrefix(f.What, "database") && during(j.Faults, f.What, o) {
			return containsAny(o.Err, "cannot be used", "was lost during the commit", "is read-only", "has another writer") ||
				// A server that reaches the end of its input has waited for the database, and
				// waits no longer.
				slices.Contains(j.Config.Faults, "reopen") && containsAny(o.Err, "the call was cancelled")
		}
	}
	return false
}

func (w *world) wakeAll() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.news.Broadcast()
}
