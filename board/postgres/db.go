package postgres

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"blackboard/board/fault"
	"blackboard/board/store"
)

// Limits of a transaction.
var lockTimeout = 30 * time.Second // how long a writer waits for the write lock

const (
	// idleTimeout is how long the server waits for the next statement of a writer: of one
	// whose machine is gone, it hears nothing.
	idleTimeout = "15s"
	// for the answer to a commit, and for finding out what became of it
	commitTimeout = 30 * time.Second
	maxTries      = 8
)

type DB struct {
	place   *Place
	run     string
	created bool // the first write may make it
	kb      bool

	mu    sync.Mutex
	id    int64 // 0: there is no run yet
	now   func() time.Time
	ended chan struct{} // closed when the last read has ended; nil: there was none
}

// SetNow replaces the clock of the server, which stamps transactions.
func (db *DB) SetNow(now func() time.Time) {
	db.mu.Lock()
	defer db.mu.Unlock()
	db.now = now
}

// Close does nothing: the connections belong to the Place.
func (db *DB) Close() error { return nil }

// Check only begins a transaction: the server looks after its tables.
func (db *DB) Check(ctx context.Context) error {
	return db.Read(ctx, func(*store.Tx) error { return nil })
}

func (db *DB) number() int64 {
	db.mu.Lock()
	defer db.mu.Unlock()
	return db.id
}

// settings returns the statement that sets the run that a transaction sees. Its last value is the
// server's time in Unix milliseconds.
func (db *DB) settings(id, token int64) string {
	return fmt.Sprintf(`SELECT set_config('search_path', '%s', true), set_config('board.run', '%d', true), set_config('board.token', '%d', true),
		(extract(epoch FROM clock_timestamp()) * 1000)::bigint`, db.place.path(), id, token)
}

// lastEvent returns the statement for the number of a run's last event, to be added to others. It
// is "" for the knowledge base, which has no such events.
func (db *DB) lastEvent(id int64) string {
	if db.kb {
		return ""
	}
	return fmt.Sprintf(`; SELECT coalesce(max(seq), 0) FROM all_events WHERE run = %d`, id)
}

// takeSeq sets the transaction's Seq from the last of the values that its first statements
// returned, which is that of lastEvent.
func (db *DB) takeSeq(tx *store.Tx, got []string) {
	if !db.kb {
		tx.Seq, _ = strconv.ParseInt(got[len(got)-1], 10, 64)
	}
}

// durable has the settings of writers: what is committed is on disk, however the server is
// set, and with the standbys that the server waits for.
const durable = `SELECT set_config('idle_in_transaction_session_timeout', '` + idleTimeout + `', true), set_config('synchronous_commit',
		CASE current_setting('synchronous_commit') WHEN 'remote_apply' THEN 'remote_apply' ELSE 'on' END, true)`

// Read runs fn in a REPEATABLE READ transaction. The first one of a process also asks for
// the version of the schema as it begins.
func (db *DB) Read(ctx context.Context, fn func(*store.Tx) error) error {
	var began bool
	var failed error
	err := db.place.retryWhileDown(ctx, func() error {
		db.waitEnded()
		c, err := db.place.conn(ctx)
		if err != nil {
			return err
		}
		id, known := db.number(), db.place.isReady()
		begin := []string{`BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY`, db.settings(id, 0) + db.lastEvent(id)}
		if !known {
			begin = slices.Insert(begin, 1, db.place.askVersion())
		}
		var got []string
		if err := within(ctx, replyTimeout, func(ctx context.Context) (err error) {
			got, err = c.begin(ctx, db.first(ctx), begin...)
			return err
		}); err != nil {
			c.Close()
			if !known && !lost(err) { // of a schema of another version, anything may fail
				failed = db.place.Ready(ctx)
				if began = failed != nil; began {
					return nil
				}
			}
			return err
		}
		began = true
		defer db.endRead(c)
		if !known {
			version, _ := strconv.Atoi(got[0])
			if failed = db.place.checkVersion(version); failed != nil {
				return nil
			}
			got = got[1:]
		}
		tx := db.tx(ctx, c, id, got)
		db.takeSeq(tx, got)
		failed = fn(tx)
		return nil
	})
	if err != nil || !began {
		return err
	}
	return db.place.wrap(failed)
}

// first returns the queries of store.AskFirst, for the knowledge base only.
func (db *DB) first(ctx context.Context) (questions []store.Question) {
	if !db.kb {
		return nil
	}
	for _, q := range store.First(ctx) {
		q.Query, q.Args = kbEngine{}.Statement(q.Query, q.Args)
		questions = append(questions, q)
	}
	return questions
}

// endRead ends a transaction that has written nothing, in the background: its caller has the answer
// already. The next transaction of db waits for it, to have the connection.
func (db *DB) endRead(c *conn) {
	ended := make(chan struct{})
	db.mu.Lock()
	db.ended = ended
	db.mu.Unlock()
	go func() {
		defer close(ended)
		defer c.Close()
		c.end("ROLLBACK")
	}()
}

func (db *DB) waitEnded() {
	db.mu.Lock()
	ended := db.ended
	db.mu.Unlock()
	if ended != nil {
		<-ended
	}
}

// tx returns the transaction that was begun on a connection; got is what settings
// returned.
func (db *DB) tx(ctx context.Context, c *conn, id int64, got []string) *store.Tx {
	db.mu.Lock()
	now := db.now
	db.mu.Unlock()
	at := time.Time{}
	if now != nil {
		at = now().UTC().Truncate(time.Millisecond)
	} else if ms, err := strconv.ParseInt(got[3], 10, 64); err == nil {
		at = time.UnixMilli(ms).UTC()
	}
	bulk := &bulkConn{Conn: c.Conn}
	e := engine{db.place, id, bulk}
	if db.kb {
		return store.NewTx(ctx, bulk, kbEngine{e}, at)
	}
	return store.NewTx(ctx, bulk, e, at)
}

// Write runs fn under the run's write lock, which is on the row of the run. A row rather than an
// advisory lock, because that also says whether the run is still there, and because a
// pooler, a standby that takes over and other engines with this protocol all know rows.
func (db *DB) Write(ctx context.Context, fn func(*store.Tx) error) error {
	return db.writeWithin(ctx, lockTimeout, fn)
}

// writeWithin is Write that waits at most so long for the write lock.
func (db *DB) writeWithin(ctx context.Context, wait time.Duration, fn func(*store.Tx) error) error {
	if err := db.place.Ready(ctx); err != nil {
		return err
	}
	start := time.Now()
	for try, pause := 1, 20*time.Millisecond; ; try, pause = try+1, min(2*pause, time.Second) {
		began := false
		err := db.writeOnce(ctx, wait, func(tx *store.Tx) error { began = true; return fn(tx) })
		db.place.reportStatus(ctx, err)
		code := codeOf(err)
		again := lost(err) || code == codeSerialization || code == codeDeadlock
		if !again || began && db.kb || try == maxTries || time.Since(start) > wait {
			return db.place.wrap(err)
		}
		select {
		case <-ctx.Done():
			return db.place.wrap(err)
		case <-time.After(pause/2 + rand.N(pause)):
		}
	}
}

// writeOnce returns an error that lost matches only if nothing was committed.
func (db *DB) writeOnce(ctx context.Context, wait time.Duration, fn func(*store.Tx) error) error {
	db.waitEnded()
	c, err := db.place.conn(ctx)
	if err != nil {
		return err
	}
	defer c.Close()
	token, id := rand.Int64(), db.number()
	begin := `BEGIN; ` + durable + fmt.Sprintf(`, set_config('lock_timeout', '%d', true); `, wait.Milliseconds()) + db.settings(id, token)
	if id != 0 { // in this order: each statement sees what was committed before it
		begin += `; ` + db.lockSQL(id, token)
	}
	var got []string
	if err := within(ctx, wait+replyTimeout, func(ctx context.Context) (err error) {
		got, err = c.exec(ctx, begin)
		return err
	}); err != nil {
		return err
	}
	ended := false
	defer func() { // of an error, or of a panic that somebody survives
		if !ended {
			c.end("ROLLBACK")
		}
	}()
	made := id == 0
	if made {
		if id, err = db.makeRun(ctx, c); err != nil {
			return err
		}
	} else if !slices.Contains(got, "turn") {
		return store.Fault(fault.Gone, db.place.what, "has no run "+db.run+" any more: it was removed; nothing was written", nil,
			fault.Step{Text: "repeat the command if the run is still wanted"})
	}
	tx := db.tx(ctx, c, id, got[3:])
	if !made {
		db.takeSeq(tx, got)
	}
	if err := fn(tx); err != nil {
		if c.isClosed() && ctx.Err() == nil {
			return errLost
		}
		return err
	}
	if ctx.Err() != nil { // cancelled before the commit
		return ctx.Err()
	}
	ended = true
	if err := db.commit(ctx, c, id, token, tx.Wrote()); err != nil {
		return err
	}
	if made {
		db.mu.Lock()
		db.id = id
		db.mu.Unlock()
	}
	tx.Committed()
	return nil
}

// makeRun creates the row of the run and locks it, or locks that of another process which has
// created it meanwhile. It returns the run's number.
func (db *DB) makeRun(ctx context.Context, c *conn) (id int64, err error) {
	if !db.created {
		return 0, fmt.Errorf("%s has no run %s", db.place.what, db.run)
	}
	if _, err := c.ExecContext(ctx, `INSERT INTO runs (name) VALUES ($1) ON CONFLICT DO NOTHING`, db.run); err != nil {
		return 0, err
	}
	err = c.QueryRowContext(ctx, `SELECT run FROM runs WHERE name = $1 FOR NO KEY UPDATE`, db.run).Scan(&id)
	if errors.Is(err, sql.ErrNoRows) { // removed between the two
		return 0, errLost
	}
	if err == nil {
		_, err = c.ExecContext(ctx, `SELECT set_config('board.run', $1, true)`, strconv.FormatInt(id, 10))
	}
	return id, err
}

// commit commits, and then notifies the watchers. If ctx ends now, it waits for the answer all the
// same. If the connection dies first, the token of the transaction tells whether it was committed.
func (db *DB) commit(ctx context.Context, c *conn, id, token int64, wrote bool) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), commitTimeout)
	defer cancel()
	end := `COMMIT`
	if wrote {
		// After the commit, as a transaction of its own: one that notifies keeps all
		// others of the database from committing until it is on disk.
		end += fmt.Sprintf(`; SELECT pg_notify('%s', '%d')`, db.place.channel(), id)
	}
	results, err := c.all(ctx, end)
	switch {
	case len(results) > 0 && results[0].Err == nil && results[0].CommandTag.String() == "COMMIT":
		return nil // what follows may fail: who listens asks by himself as well
	case err == nil: // a statement had failed, and nobody said so
		return fmt.Errorf("%s rolled the transaction back: a statement in it had failed", db.place.what)
	case codeOf(err) != "" && !c.isClosed():
		return err // the server has answered: no
	case !wrote:
		return errLost
	}
	return db.findOut(ctx, id, token)
}

// findOut: a token's transaction was committed (nil), not (errLost), or the server cannot say
// (fault.Away). Under the write lock it has surely ended.
func (db *DB) findOut(ctx context.Context, id, token int64) error {
	for wait := 20 * time.Millisecond; ; wait = min(2*wait, time.Second) {
		var there, found bool
		err := db.place.inTx(ctx, nil, func(tx *sql.Tx) error {
			if _, err := tx.ExecContext(ctx, durable+`, set_config('lock_timeout', '`+lockTimeout.String()+`', true)`); err != nil {
				return err
			}
			turn, did := `SELECT 1 FROM runs WHERE run = $1 FOR NO KEY UPDATE`, `SELECT EXISTS (SELECT 1 FROM all_events WHERE run = $1 AND token = $2)`
			if db.kb {
				turn, did = `SELECT 1 FROM kb WHERE $1 < 0 FOR NO KEY UPDATE`, `SELECT EXISTS (SELECT 1 FROM kb_writes WHERE $1 < 0 AND token = $2)`
			}
			var one int
			err := tx.QueryRowContext(ctx, turn, id).Scan(&one)
			if errors.Is(err, sql.ErrNoRows) {
				return nil // it was to be made, and was not
			}
			there = true
			if err == nil {
				err = tx.QueryRowContext(ctx, did, id, token).Scan(&found)
			}
			return err
		})
		switch {
		case err == nil && there && found:
			return nil
		case err == nil:
			return errLost
		case !lost(err) && codeOf(err) != codeLock, ctx.Err() != nil:
			return store.Fault(fault.Away, db.place.what, "was lost during the commit; this may or may not have been written", errors.New(message(err)),
				fault.Step{Text: "look at the run before the command is repeated"})
		}
		select {
		case <-ctx.Done():
		case <-time.After(wait):
		}
	}
}

// conn is a connection that has what database/sql does not: several statements at once.
type conn struct{ *sql.Conn }

func (p *Place) conn(ctx context.Context) (*conn, error) {
	c, err := p.pool.Conn(ctx)
	return &conn{c}, err
}

// exec runs statements, all in one go, and returns the values of all rows.
func (c *conn) exec(ctx context.Context, statements string) (values []string, err error) {
	results, err := c.all(ctx, statements)
	return valuesOf(results), err
}

func valuesOf(results []*pgconn.Result) (values []string) {
	for _, r := range results {
		for _, row := range r.Rows {
			for _, v := range row {
				values = append(values, string(v))
			}
		}
	}
	return values
}

func (c *conn) all(ctx context.Context, statements string) (results []*pgconn.Result, err error) {
	err = c.Raw(func(d any) error {
		results, err = d.(*driverConn).pg.Exec(ctx, statements).ReadAll()
		return err
	})
	return results, err
}

// end ends a transaction that has nothing to keep, whatever became of the caller. If it
// fails, the connection is not used again.
func (c *conn) end(statement string) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_, _ = c.all(ctx, statement)
}

func (c *conn) isClosed() (closed bool) {
	err := c.Raw(func(d any) error {
		closed = d.(*driverConn).pg.IsClosed()
		return nil
	})
	return closed || err != nil
}
