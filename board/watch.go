package board

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"blackboard/board/fault"
	"blackboard/board/store"
)

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
	if after == FromNow {
		if err := b.read(ctx, func(tx *store.Tx) (err error) { after, err = lastSeq(tx); return err }); err != nil {
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
	if err = db.Watch(ctx, drain); err == errStop { // whoever stopped must not be called again
		return nil
	}
	return err
}

// awayPause is how long who waits leaves a server alone that is away: the engine has asked it again and again by then.
const awayPause = 200 * time.Millisecond

// pause waits before a server that is away is asked again. It reports false once ctx has ended.
func pause(ctx context.Context) bool {
	select {
	case <-ctx.Done():
	case <-time.After(awayPause):
	}
	return ctx.Err() == nil
}

// until calls done at once and after every change of the board, until it reports true or ctx ends (fault.Timeout for a deadline). A server that
// goes away is waited for; one that is away when ctx ends is told.
func (b *Board) until(ctx context.Context, what string, done func() (bool, error)) error {
	// The place in the log is taken before the first look, so that no change falls between the look and the watch.
	var after int64
	if err := b.read(context.WithoutCancel(ctx), func(tx *store.Tx) (err error) { after, err = lastSeq(tx); return err }); err != nil {
		return err
	}
	next, stop := iter.Pull2(b.Watch(ctx, after))
	defer stop()
	for {
		ok, err := done()
		if errors.Is(err, fault.Away) && pause(ctx) { // it was there
			continue
		}
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
// when ctx ends. A server that has answered once may go away, and come back.
func WaitRun(ctx context.Context, dir, run string) (*Board, error) {
	if err := CheckRun(run); err != nil {
		return nil, err
	}
	place := placeOf(dir)
	tick := time.NewTicker(place.Pause())
	defer tick.Stop()
	answered := false
	for {
		has, err := place.Has(ctx, run)
		if has || err != nil && ctx.Err() == nil && !errors.Is(err, fault.Away) {
			var b *Board
			if b, err = Open(context.WithoutCancel(ctx), dir, run); err == nil {
				return b, nil
			}
			if errors.Is(err, fault.NotFound) {
				err = nil
			}
		}
		away := answered && errors.Is(err, fault.Away)
		if err != nil && !away && (has || ctx.Err() == nil) {
			return nil, err
		}
		answered = answered || err == nil
		select {
		case <-ctx.Done():
			switch {
			case ctx.Err() != context.DeadlineExceeded:
				return nil, ctx.Err()
			case away:
				return nil, err
			}
			return nil, (&Board{run: run}).missing()
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
		err := b.read(context.WithoutCancel(ctx), func(tx *store.Tx) error {
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
		if errors.Is(err, fault.Away) { // the first is told; the rest are there the next time
			err = nil
		}
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
