package board

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"sync"
	"time"

	"blackboard/board/fault"
	"blackboard/board/store"
	"blackboard/board/text"
)

// FromNow, as the event to begin after, selects only later events.
const FromNow = -1

// Watch returns the events after seq, oldest first, and then each new one as any process
// commits it. It ends with ctx's error when ctx ends, or with another error.
func (b *Board) Watch(ctx context.Context, after int64) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		if err := b.watch(ctx, after, yield); err != nil {
			yield(Event{}, err)
		}
	}
}

func (b *Board) watch(ctx context.Context, after int64, yield func(Event, error) bool) error {
	db, err := b.reader()
	if err != nil {
		return err
	}
	if after == FromNow {
		if after, err = readValue(ctx, b, (*store.Tx).LastSeq); err != nil {
			return err
		}
	}
	drain := func() error {
		for e, err := range b.Events(ctx, after) {
			if err != nil {
				return err
			}
			if !yield(e, nil) {
				return store.ErrStop
			}
			after = e.Seq
		}
		return nil
	}
	if err = db.Watch(ctx, drain); err == store.ErrStop { // whoever stopped must not be called again
		return nil
	}
	return err
}

// awayPause is how long a waiting call leaves a server alone that the engine found unreachable.
const awayPause = 200 * time.Millisecond

// pause waits before an unreachable server's next try; false when ctx has ended.
func pause(ctx context.Context) bool {
	select {
	case <-ctx.Done():
	case <-time.After(awayPause):
	}
	return ctx.Err() == nil
}

// reach remembers whether the server could be reached, and reports changes only. What fails
// because the call's own time is over says nothing about the server.
type reach struct {
	mu  sync.Mutex
	err error
}

func (r *reach) follow(ctx context.Context) context.Context {
	return store.OnContact(ctx, func(place string, err error) {
		if err != nil && ended(ctx) {
			return
		}
		r.mu.Lock()
		changed := (err == nil) != (r.err == nil)
		r.err = err
		r.mu.Unlock()
		if changed {
			store.Contact(ctx, place, err)
		}
	})
}

// ended: ctx is over. A connection with its deadline may fail before ctx says so.
func ended(ctx context.Context) bool {
	deadline, ok := ctx.Deadline()
	return ctx.Err() != nil || ok && !time.Now().Before(deadline)
}

// lastError returns the error if the server could not be reached last, nil if it could.
func (r *reach) lastError() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err
}

// waitUntil calls done now and at each change, until it is true or ctx ends (fault.Timeout). It
// waits for an unreachable server, and returns that error if ctx ends first.
func (b *Board) waitUntil(ctx context.Context, what string, done func() (bool, error)) error {
	// The position in the log comes before the first call: no change is missed until the watch.
	after, err := readValue(context.WithoutCancel(ctx), b, (*store.Tx).LastSeq)
	if err != nil {
		return err
	}
	var server reach
	ctx = server.follow(ctx)
	next, stop := iter.Pull2(b.Watch(ctx, after))
	defer stop()
	for {
		ok, err := done()
		if errors.Is(err, fault.Away) {
			if store.Contact(ctx, b.dir, err); pause(ctx) { // the server has answered before: wait for it
				continue
			}
		} else {
			store.Contact(ctx, b.dir, nil)
		}
		if ok || err != nil { // what was refused is told, even if the time is over too
			return err
		}
		_, err, _ = next()
		if away := server.lastError(); ctx.Err() == context.DeadlineExceeded && away != nil {
			return away
		}
		if ctx.Err() == context.DeadlineExceeded {
			return fault.Timeout.New(what+" in the given time", "",
				fault.Give("timeout", "", "wait longer with {}"))
		}
		if err != nil {
			return err
		}
	}
}

// Unreachable reports whether a server does not answer but may do so soon.
func Unreachable(err error) bool {
	var u store.Unreachable
	return errors.As(err, &u)
}

// WaitRun opens the board of a run as soon as the run exists. It returns fault.NotFound if the
// run does not exist when ctx ends. A server that has answered once may go away and come
// back. One that has not is only waited for if ctx has a deadline.
func WaitRun(ctx context.Context, dir, run string) (*Board, error) {
	if err := CheckRun(run); err != nil {
		return nil, err
	}
	place := placeOf(dir)
	tick := time.NewTicker(place.Pause())
	defer tick.Stop()
	_, patient := ctx.Deadline()
	answered, gone := false, error(nil)
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
		away := errors.Is(err, fault.Away) && (answered || patient && Unreachable(err))
		if err == nil || away && (gone == nil || ctx.Err() == nil) {
			gone = err
			store.Contact(ctx, dir, err)
		}
		if err != nil && !away && (has || ctx.Err() == nil) {
			return nil, err
		}
		answered = answered || err == nil
		select {
		case <-ctx.Done():
			switch {
			case ctx.Err() != context.DeadlineExceeded:
				return nil, ctx.Err()
			case gone != nil:
				return nil, gone
			}
			return nil, (&Board{run: run}).missing()
		case <-tick.C:
		}
	}
}

// WaitGate waits until the policy's gate is open, and returns the last verdict in any case.
func (b *Board) WaitGate(ctx context.Context, p Policy) (Verdict, error) {
	var v Verdict
	var seen time.Time
	err := b.waitUntil(ctx, "the gate did not open", func() (bool, error) {
		v2, err := b.Gate(context.WithoutCancel(ctx), p)
		if err == nil {
			v, seen = v2, time.Now()
		}
		return v.Open, err
	})
	if errors.Is(err, fault.Away) && !seen.IsZero() {
		err = &fault.Error{Kind: fault.Away, Next: fault.Next(err), Cause: err,
			Msg: fmt.Sprintf("%s; the gate of %s was last seen at %s: closed, with %s",
				err, b.run, seen.Format(time.RFC3339), text.Count(int64(len(v.Reasons)), "reason", "reasons"))}
	}
	return v, err
}

// WaitSignal waits until a signal is closed, and returns it.
func (b *Board) WaitSignal(ctx context.Context, id string) (Signal, error) {
	n, err := ParseSignalID(id)
	if err != nil {
		return Signal{}, err
	}
	var s Signal
	err = b.waitUntil(ctx, id+" is still open: it was not closed", func() (bool, error) {
		got, err := readValue(context.WithoutCancel(ctx), b, func(tx *store.Tx) (*Signal, error) {
			return getSignal(tx, n)
		})
		if err == nil {
			s = *got
		}
		return s.Status != SignalOpen, err
	})
	return s, err
}

// WaitEvents waits for the next event after seq (FromNow: after the last one), and returns
// all events until then, at most limit.
func (b *Board) WaitEvents(ctx context.Context, after int64, limit int) ([]Event, error) {
	if limit < 1 {
		return nil, invalid(fmt.Sprintf("the limit of %d events is not valid", limit),
			"give 1 or more")
	}
	events, err := b.someEvents(ctx, after, limit)
	if len(events) > 0 || err != nil {
		return events, err
	}
	var server reach
	ctx = server.follow(ctx)
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
	if err := server.lastError(); err != nil {
		return nil, err
	}
	return nil, fault.Timeout.New("nothing happened in the given time", "",
		fault.Give("timeout", "", "wait longer with {}"))
}

// someEvents returns the events after seq, at most limit, even if ctx's deadline has passed. It
// returns none if ctx was cancelled, or after FromNow.
func (b *Board) someEvents(ctx context.Context, after int64, limit int) (events []Event,
	err error) {
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
