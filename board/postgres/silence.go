package postgres

import (
	"context"
	"errors"
	"net"
	"syscall"
	"time"
)

// silence is how long a server may say nothing before it counts as gone, where a link
// drops what is sent and tells nobody. The system finds that out for what it has sent and
// for connections that wait; what begins a transaction, or asks a single question, has
// the limit by itself as well, as a pooler between may be there when the server is not.
var replyTimeout = 15 * time.Second

// errSilent is what comes of it.
var errNoReply = errors.New("the database server does not answer")

// within runs fn, which waits for an answer, for so long.
func within(ctx context.Context, limit time.Duration, fn func(context.Context) error) error {
	ctx, cancel := context.WithTimeoutCause(ctx, limit, errNoReply)
	defer cancel()
	err := fn(ctx)
	if err != nil && context.Cause(ctx) == errNoReply {
		return errNoReply
	}
	return err
}

// newDialer makes connections that end in errors when nothing is heard.
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
