package postgres

import (
	"context"
	"errors"
	"net"
	"syscall"
	"time"
)

// replyTimeout is how long to wait for a reply before the server counts as down. It is for
// networks that drop packets silently: no error ever arrives. The system has this limit for
// what it has sent and for connections that wait; what begins a transaction, or sends a single
// query, has it as well, as a pooler may be up when the server is down.
var replyTimeout = 15 * time.Second

// errNoReply is the error after replyTimeout.
var errNoReply = errors.New("the database server does not answer")

// within runs fn, which waits for an answer, for at most limit: then errNoReply.
func within(ctx context.Context, limit time.Duration, fn func(context.Context) error) error {
	ctx, cancel := context.WithTimeoutCause(ctx, limit, errNoReply)
	defer cancel()
	err := fn(ctx)
	if err != nil && context.Cause(ctx) == errNoReply {
		return errNoReply
	}
	return err
}

// newDialer makes connections that end in errors when nothing is heard for replyTimeout.
func newDialer(connect time.Duration) *net.Dialer {
	limit := replyTimeout
	return &net.Dialer{
		Timeout: connect,
		KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: limit / 3, Interval: limit / 3,
			Count: 2},
		Control: func(network, _ string, c syscall.RawConn) (err error) {
			if network == "unix" {
				return nil
			}
			if failed := c.Control(func(fd uintptr) { err = endSilent(fd, limit) }); failed != nil {
				return failed
			}
			return err
		},
	}
}
