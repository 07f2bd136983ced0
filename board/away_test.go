package board

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"blackboard/board/fault"
	"blackboard/board/sqlite"
	"blackboard/board/store"
	"blackboard/testdata/cost"
	"blackboard/testdata/expect"
)

// awayPlace is a place whose server is away while it is told so.
type awayPlace struct {
	store.Place
	dir   string
	asked int64 // how often, so far
	away  func(asked int64) bool
	cause error
}

func (p *awayPlace) ask() error {
	if p.asked++; p.away(p.asked) {
		return store.Fault(fault.Away, "the database", "cannot be used", p.cause, fault.Step{Text: "start it"})
	}
	return nil
}

func (p *awayPlace) Open(ctx context.Context, run string, create bool) (store.DB, error) {
	if err := p.ask(); err != nil {
		return nil, err
	}
	db, err := p.Place.Open(ctx, run, create)
	return &awayDB{db, p}, err
}

func (p *awayPlace) Has(ctx context.Context, run string) (bool, error) {
	if err := p.ask(); err != nil {
		return false, err
	}
	return p.Place.Has(ctx, run)
}

type awayDB struct {
	store.DB
	place *awayPlace
}

func (db *awayDB) Read(ctx context.Context, fn func(*store.Tx) error) error {
	if err := db.place.ask(); err != nil {
		return err
	}
	return db.DB.Read(ctx, fn)
}

// Watch goes on while the server is away, as that of a server does.
func (db *awayDB) Watch(ctx context.Context, changed func() error) error {
	for {
		err := changed()
		if err != nil && !errors.Is(err, fault.Away) {
			return err
		}
		store.Contact(ctx, db.place.dir, err)
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(sqlite.PollInterval):
		}
	}
}

// TestWaitServerAway: who waits goes on when the server goes away and comes back. If it is away in
// the end, or has never answered, that is what is said.
func TestWaitServerAway(t *testing.T) {
	cost.SkipQuick(t)
	b, ctx := newBoard(t), t.Context()
	do := func(err error) {
		if err != nil {
			t.Error(err)
		}
	}
	_, err := b.Signal(ctx, "lead", Raise{Content: "q", Priority: "critical"})
	do(err)
	later := newAt(b.dir, "later")
	later.create = true
	defer later.Close()
	p := &awayPlace{Place: b.place, dir: b.dir}
	real := placeOf
	placeOf = func(string) store.Place { return p }
	t.Cleanup(func() { placeOf = real })
	p.away = func(int64) bool { return false }
	waiting := mustOpen(t, b.dir, "test")

	from := p.asked
	p.away = func(n int64) bool {
		switch n - from {
		case 3: // who watches is told of something, and looks
			_, err := b.Post(ctx, "w", Post{Content: "a finding"})
			do(err)
		case 5: // the server is away, for this process
			_, err := b.Waive(ctx, "lead", "s1", "never mind")
			do(err)
		}
		return n == from+4 || n == from+5
	}
	if v, err := waiting.WaitGate(ctx, Policy{}); err != nil || !v.Open || p.asked < from+6 {
		t.Errorf("the gate after the server came back: %+v, %v", v, err)
	}

	over, done := context.WithDeadline(ctx, time.Now().Add(-time.Second))
	defer done()
	from = p.asked
	p.away = func(n int64) bool { return n > from+1 } // after the place in the log is known
	v, err := waiting.WaitGate(over, Policy{})
	if refused(t, err, fault.Away, "cannot be used"); v.Open {
		t.Error("the gate is open though the server is away")
	}

	p.away = func(int64) bool { return true } // as the wrong server is
	_, err = WaitRun(ctx, b.dir, "later")
	refused(t, err, fault.Away, "cannot be used")
	from = p.asked
	p.away = func(n int64) bool {
		if n == from+3 {
			_, err := later.Post(ctx, "w", Post{Content: "a finding"})
			do(err)
		}
		return n == from+2 || n == from+3
	}
	run := expect.Value(WaitRun(ctx, b.dir, "later"))(t)
	do(run.Close())
}

// TestWaitEndsAway: a wait whose time is over while the server is away says so, with what was
// known last, and tells when it lost the server. A run is waited for on a server that does not
// answer yet, if the wait has an end; on one that refuses, it is not.
func TestWaitEndsAway(t *testing.T) {
	b := newBoard(t)
	expect.Value(b.Signal(t.Context(), "lead", Raise{Content: "q", Priority: "critical"}))(t)
	p := &awayPlace{Place: b.place, dir: b.dir, away: func(int64) bool { return false }}
	real := placeOf
	placeOf = func(string) store.Place { return p }
	t.Cleanup(func() { placeOf = real })
	waiting := mustOpen(t, b.dir, "test")

	over, end := newEnding(t.Context())
	told := 0
	ctx := OnContact(over, b.dir, func(err error) {
		if told++; err == nil {
			t.Error("the server is said to be back")
		}
		end()
	})
	from := p.asked
	p.away = func(n int64) bool { return n > from+2 } // after the place in the log, and the first look
	v, err := waiting.WaitGate(ctx, Policy{})
	refused(t, err, fault.Away, "the gate of test was last seen at ")
	refused(t, err, fault.Away, ": closed, with 1 reason")
	if v.Open || told != 1 {
		t.Errorf("open %t, told %d times", v.Open, told)
	}

	over, end = newEnding(t.Context())
	from = p.asked
	p.away = func(n int64) bool { return n > from }
	_, err = WaitRun(over, b.dir, "test")
	refused(t, err, fault.Away, "cannot be used") // it refuses
	p.cause = store.Unreachable("connection refused")
	from = p.asked
	p.away = func(n int64) bool { return n <= from+3 }
	run := expect.Value(WaitRun(over, b.dir, "test"))(t)
	run.Close()
	p.away = func(int64) bool { end(); return true }
	_, err = WaitRun(over, b.dir, "test")
	refused(t, err, fault.Away, "connection refused")
}

// TestWaitEventsToldLate: a wait whose time is over reads what a connection has told of its server
// under the lock. Only the race detector sees it if not.
func TestWaitEventsToldLate(t *testing.T) {
	b := newBoard(t)
	expect.Value(b.Post(t.Context(), "w", Post{Content: "a finding"}))(t)
	over, end := newEnding(t.Context())
	late := &lateDB{b.db, end, make(chan struct{})}
	b.db = late
	_, err := b.WaitEvents(over, FromNow, 1)
	<-late.told
	refused(t, err, fault.Timeout, "nothing happened")
}

// lateDB tells that its server is there, and ends the time of who watches.
type lateDB struct {
	store.DB
	end  func()
	told chan struct{}
}

func (db *lateDB) Watch(ctx context.Context, _ func() error) error {
	go func() {
		store.Contact(ctx, "here", nil)
		close(db.told)
	}()
	time.Sleep(sqlite.PollInterval) // a wait for told would order the two
	db.end()
	return ctx.Err()
}

// TestReachEnds: a connection that fails as the call's time is over is not taken for a lost
// server.
func TestReachEnds(t *testing.T) {
	for name, over := range map[string]time.Duration{"over": -time.Second, "not over": time.Hour} {
		t.Run(name, func(t *testing.T) {
			ctx, stop := context.WithTimeout(t.Context(), over)
			defer stop()
			told := 0
			ctx = OnContact(ctx, "here", func(error) { told++ })
			var server reach
			store.Contact(server.follow(ctx), "here", store.Unreachable("no answer"))
			if away := over > 0; (server.lastError() != nil) != away || (told > 0) != away {
				t.Errorf("the server is away: %v, told %d times", server.lastError(), told)
			}
		})
	}
}

// ending is a context with a deadline that comes when it is told to.
type ending struct {
	context.Context
	done chan struct{}
	once sync.Once
}

func newEnding(ctx context.Context) (*ending, func()) {
	e := &ending{Context: ctx, done: make(chan struct{})}
	return e, func() { e.once.Do(func() { close(e.done) }) }
}

func (e *ending) Deadline() (time.Time, bool) { return time.Now().Add(time.Hour), true }
func (e *ending) Done() <-chan struct{}       { return e.done }

func (e *ending) Err() error {
	select {
	case <-e.done:
		return context.DeadlineExceeded
	default:
		return nil
	}
}
