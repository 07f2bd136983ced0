package postgres

import (
	"context"
	"database/sql"
	"time"

	"blackboard/testdata/pgtest"
)

// Server is the server of the tests.
func Server() *pgtest.Server { return server }

// Exec runs statements as they are.
func (p *Place) Exec(ctx context.Context, statements string) error {
	c, err := p.conn(ctx)
	if err != nil {
		return err
	}
	defer c.Close()
	_, err = c.exec(ctx, statements)
	return err
}

// Impatient has silence end soon, and returns what undoes that.
func Impatient() func() {
	s, l := replyTimeout, lockTimeout
	replyTimeout, lockTimeout = 200*time.Millisecond, 200*time.Millisecond
	return func() { replyTimeout, lockTimeout = s, l }
}

// Hears reports whether notifications arrive.
func (p *Place) Hears() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.live != nil && p.live.works()
}

// Forms are what goes before the arguments of a question, for each form of its answer.
var Forms = [][]any{nil, {inBinary{}}}

// Pool is what statements are run on.
func (p *Place) Pool() *sql.DB { return p.pool }
