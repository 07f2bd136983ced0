package postgres

import (
	"context"
	"database/sql"
	"errors"
	"strconv"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"blackboard/board/fault"
	"blackboard/board/store"
)

const (
	// checkInterval is how often a watcher asks although notified: a connection may lose one.
	checkInterval = 2 * time.Second
	// pollInterval is how often it asks where none arrive, as behind a pooler that gives
	// a connection to somebody else after each transaction.
	pollInterval = 50 * time.Millisecond
	maxPause     = 5 * time.Second // between attempts to reach a server that is away
)

// channel returns the channel of PostgreSQL's notifications, which writers send to.
func (p *Place) channel() string { return "board_" + p.schema }

// Watch calls changed at once and whenever there is a later event. It waits for notifications, and
// asks now and then in case one is lost. While the server is down, it waits for it.
func (db *DB) Watch(ctx context.Context, changed func() error) error {
	if err := db.place.Ready(ctx); err != nil {
		return err
	}
	wake := make(chan struct{}, 1)
	live := db.place.listen(db.number(), wake)
	defer db.place.unlisten(live, wake)
	seen, away := int64(-1), 20*time.Millisecond
	for {
		seq, err := db.lastSeq(ctx)
		if err == nil && seq != seen {
			seen = seq
			err = changed()
		}
		db.place.reportStatus(ctx, err)
		wait := pollInterval
		switch {
		case ctx.Err() != nil && (err == nil || lost(err) || errors.Is(err, ctx.Err())):
			return ctx.Err()
		case errors.Is(err, fault.Away), lost(err):
			seen, wait = -1, away
			away = min(2*away, maxPause)
		case err != nil:
			return err
		default:
			away = 20 * time.Millisecond
			if live.works() {
				wait = checkInterval
			}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-wake:
		case <-time.After(wait):
		}
	}
}

func (db *DB) lastSeq(ctx context.Context) (seq int64, err error) {
	id := db.number()
	if id == 0 {
		return 0, nil // nobody has made it yet
	}
	err = within(ctx, replyTimeout, func(ctx context.Context) error {
		return db.place.pool.QueryRowContext(ctx, `SELECT coalesce((SELECT max(seq) FROM `+db.place.schema+`.all_events e WHERE e.run = r.run), 0)
			FROM `+db.place.schema+`.runs r WHERE run = $1`, id).Scan(&seq)
	})
	if errors.Is(err, sql.ErrNoRows) {
		return 0, store.Fault(fault.Gone, db.place.what, "has no run "+db.run+" any more: it was removed", nil, fault.Step{Text: "repeat the command if the run is still wanted"})
	}
	return seq, err
}

// listener has the one connection of a process that listens, while anybody watches.
type listener struct {
	stop func()

	mu       sync.Mutex
	watchers map[chan struct{}]int64 // whom to wake for which run
	heard    bool                    // notifications arrive
}

func (l *listener) works() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.heard
}

// listen registers a watcher, to be woken when there may be something new on a run; 0: on any.
func (p *Place) listen(run int64, wake chan struct{}) *listener {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.live == nil {
		ctx, cancel := context.WithCancel(context.Background())
		p.live = &listener{stop: cancel, watchers: map[chan struct{}]int64{}}
		go p.live.run(ctx, p)
	}
	p.live.mu.Lock()
	defer p.live.mu.Unlock()
	p.live.watchers[wake] = run
	return p.live
}

// unlisten removes a watcher. With the last one, the connection is closed.
func (p *Place) unlisten(l *listener, wake chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	l.mu.Lock()
	defer l.mu.Unlock()
	if delete(l.watchers, wake); len(l.watchers) == 0 {
		l.stop()
		if p.live == l {
			p.live = nil
		}
	}
}

// run listens until ctx ends, on a new connection whenever one is lost.
func (l *listener) run(ctx context.Context, p *Place) {
	for wait := 20 * time.Millisecond; ctx.Err() == nil; wait = min(2*wait, maxPause) {
		heard := l.listen(ctx, p)
		l.note(false, 0)
		if heard {
			wait = 20 * time.Millisecond
		}
		select {
		case <-ctx.Done():
		case <-time.After(wait):
		}
	}
}

// listen listens on one connection, and reports whether it heard anything; first a notification
// from another: where that fails, as behind a pooler, all will.
func (l *listener) listen(ctx context.Context, p *Place) (heard bool) {
	config := p.config.Copy()
	config.OnNotification = func(_ *pgconn.PgConn, n *pgconn.Notification) {
		run, _ := strconv.ParseInt(n.Payload, 10, 64)
		l.note(true, run)
		heard = true
	}
	c, err := pgconn.ConnectConfig(ctx, config)
	if err != nil {
		return false
	}
	defer c.Close(context.WithoutCancel(ctx))
	if _, err := c.Exec(ctx, `LISTEN `+p.channel()).ReadAll(); err != nil {
		return false
	}
	if _, err := p.pool.ExecContext(ctx, `SELECT pg_notify('`+p.channel()+`', '0')`); err != nil {
		return false
	}
	for {
		if err := c.WaitForNotification(ctx); err != nil {
			return heard
		}
	}
}

// note wakes those who watch a run; all of them for 0, as something may have been missed.
func (l *listener) note(heard bool, run int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.heard = heard
	for wake, of := range l.watchers {
		if run == 0 || of == run || of == 0 {
			select {
			case wake <- struct{}{}:
			default: // it is awake
			}
		}
	}
}
