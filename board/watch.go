package board

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"runtime"
	"time"

	"blackboard/board/fault"
	"blackboard/board/sqlite"
)

// PollInterval is how often a watcher looks whether a board that changes has changed, where the
// system does not tell.
const PollInterval = 10 * time.Millisecond

const (
	// idleInterval is how often it looks at the times of the files, once nothing has changed for a while: a tenth of that.
	idleInterval = 3 * PollInterval
	// settled is for how long files must not have changed, so that their times tell of the next change: some file systems
	// count whole seconds.
	settled = 2 * time.Second
	// lookInterval is how often it looks whatever the times say, and whether its file is still there.
	lookInterval = time.Second
	// toldInterval is that where the system tells of changes (sqlite.Changes).
	toldInterval = 5 * time.Second
)

// times tell whether the files of a board have been written to.
type times struct {
	at   [2]time.Time
	size [2]int64
}

// timesOf reads them; of a file that is not there they are zero.
func timesOf(path string) (t times) {
	for i, name := range []string{path, path + "-wal"} {
		if info, err := os.Stat(name); err == nil {
			t.at[i], t.size[i] = info.ModTime(), info.Size()
		}
	}
	return t
}

// quiet reports whether times would tell of a change after them. Windows brings those of an open file up to date when it
// is closed.
func (t *times) quiet() bool {
	return runtime.GOOS != "windows" && time.Since(t.at[0]) > settled && time.Since(t.at[1]) > settled
}

// FromNow means, as the event to begin after: only what happens from now on.
const FromNow = -1

// Watch returns the events after seq, oldest first, and then each new one as it is committed, by any process.
// The sequence ends with ctx's error when ctx ends, and with any other error otherwise.
func (b *Board) Watch(ctx context.Context, after int64) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		if err := b.watch(ctx, after, yield); err != nil {
			yield(Event{}, err)
		}
	}
}

// errStop ends a watch from inside the loop.
var errStop = errors.New("stop")

func (b *Board) watch(ctx context.Context, after int64, yield func(Event, error) bool) error {
	db, err := b.reader()
	if err != nil {
		return err
	}
	if db.ReadOnly() {
		return sqlite.Fault(fault.ReadOnly, b.path, "cannot be watched: on read-only storage the changes of others are not seen", nil)
	}
	changed, stop := sqlite.Changes(b.path) // before the first look, so that nothing falls between
	defer stop()
	if after == FromNow {
		if err := b.read(ctx, func(tx *sqlite.Tx) (err error) { after, err = lastSeq(tx); return err }); err != nil {
			return err
		}
	}
	drain := func() error {
		for e, err := range b.Events(ctx, after) {
			if err != nil {
				return err
			}
			if !yield(e, nil) {
				return errStop
			}
			after = e.Seq
		}
		return nil
	}
	looked, look := time.Time{}, lookInterval
	if changed != nil {
		look = toldInterval
	}
	told := true // of the first look
	var before times
	for {
		now, wait := timesOf(b.path), idleInterval
		due := told || time.Since(looked) >= look
		if due {
			if err := db.StillThere(); err != nil {
				return err
			}
			looked = time.Now()
		}
		if changed != nil {
			wait = look
		}
		if due || now != before || !now.quiet() {
			before = now
			if !now.quiet() { // what was written is committed, and seen, some time after the system told of it
				wait = PollInterval
			}
			var last int64
			err := b.read(ctx, func(tx *sqlite.Tx) (err error) { last, err = lastSeq(tx); return err })
			if err == nil && last > after {
				err = drain()
			}
			if err == errStop { // before anything else: whoever stopped must not be called again
				return nil
			}
			if ctx.Err() == nil && err != nil {
				return err
			}
		}
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
			timer.Stop()
			return ctx.Err()
		case <-changed:
			timer.Stop()
			told = true
		case <-timer.C:
			told = false
		}
	}
}

// until calls done at once and after every change of the board, until it reports true or ctx ends (fault.Timeout for a deadline).
func (b *Board) until(ctx context.Context, what string, done func() (bool, error)) error {
	// The place in the log is taken before the first look, so that no change falls between the look and the watch.
	var after int64
	if err := b.read(context.WithoutCancel(ctx), func(tx *sqlite.Tx) (err error) { after, err = lastSeq(tx); return err }); err != nil {
		return err
	}
	next, stop := iter.Pull2(b.Watch(ctx, after))
	defer stop()
	for {
		ok, err := done()
		if ok || err != nil { // what was refused is told, even if the time is over too
			return err
		}
		_, err, _ = next()
		if ctx.Err() == context.DeadlineExceeded {
			return fault.Timeout.New(what+" in the given time", "", fault.Give("timeout", "", "wait longer with {}"))
		}
		if err != nil {
			return err
		}
	}
}

// WaitRun opens the board of a run as soon as the run exists. It is fault.NotFound if there is none
// when ctx ends.
func WaitRun(ctx context.Context, dir, run string) (*Board, error) {
	tick := time.NewTicker(PollInterval)
	defer tick.Stop()
	for {
		// Whether the file is there is asked without opening it, which costs more.
		_, err := os.Stat(Path(dir, run))
		if err == nil || !errors.Is(err, fs.ErrNotExist) || CheckRun(run) != nil {
			b, err := Open(context.WithoutCancel(ctx), dir, run)
			if !errors.Is(err, fault.NotFound) {
				return b, err
			}
		}
		select {
		case <-ctx.Done():
			if ctx.Err() == context.DeadlineExceeded {
				return nil, (&Board{run: run}).missing()
			}
			return nil, ctx.Err()
		case <-tick.C:
		}
	}
}

// WaitGate waits until the gate is open by the policy, and returns the last verdict either way.
func (b *Board) WaitGate(ctx context.Context, p Policy) (Verdict, error) {
	var v Verdict
	err := b.until(ctx, "the gate did not open", func() (bool, error) {
		v2, err := b.Gate(context.WithoutCancel(ctx), p)
		if err == nil {
			v = v2
		}
		return v.Open, err
	})
	return v, err
}

// WaitSignal waits until a signal is no longer open, and returns it.
func (b *Board) WaitSignal(ctx context.Context, id string) (Signal, error) {
	n, err := ParseSignalID(id)
	if err != nil {
		return Signal{}, err
	}
	var s Signal
	err = b.until(ctx, id+" is still open: it was not closed", func() (bool, error) {
		err := b.read(context.WithoutCancel(ctx), func(tx *sqlite.Tx) error {
			got, err := getSignal(tx, n)
			if err == nil {
				s = *got
			}
			return err
		})
		return s.Status != SignalOpen, err
	})
	return s, err
}

// WaitEvent waits for the next event after seq (FromNow: after the present), and returns it.
func (b *Board) WaitEvent(ctx context.Context, after int64) (Event, error) {
	events, err := b.WaitEvents(ctx, after, 1)
	if err != nil {
		return Event{}, err
	}
	return events[0], nil
}

// WaitEvents waits like WaitEvent, and returns all that has happened by then, limit events at most.
func (b *Board) WaitEvents(ctx context.Context, after int64, limit int) ([]Event, error) {
	if limit < 1 {
		return nil, invalid(fmt.Sprintf("a limit of %d events makes no sense", limit), "give 1 or more")
	}
	events, err := b.someEvents(ctx, after, limit)
	if len(events) > 0 || err != nil {
		return events, err
	}
	for first, err := range b.Watch(ctx, after) {
		if err != nil && ctx.Err() == context.DeadlineExceeded {
			break
		}
		switch {
		case err != nil:
			return nil, err
		case limit == 1:
			return []Event{first}, nil
		}
		more, err := b.someEvents(ctx, first.Seq, limit-1)
		return append([]Event{first}, more...), err
	}
	return nil, fault.Timeout.New("nothing happened in the given time", "", fault.Give("timeout", "", "wait longer with {}"))
}

// someEvents are the first events after seq that have happened, limit at most: those that have are
// told, however late it is.
func (b *Board) someEvents(ctx context.Context, after int64, limit int) (events []Event, err error) {
	if after == FromNow || ctx.Err() == context.Canceled {
		return nil, nil
	}
	for e, err := range b.Events(context.WithoutCancel(ctx), after) {
		if err != nil {
			return nil, err
		}
		if events = append(events, e); len(events) == limit {
			break
		}
	}
	return events, nil
}
