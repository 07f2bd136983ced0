package postgres

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"
	"io/fs"
	"net"
	"slices"
	"strings"
	"syscall"

	"github.com/jackc/pgx/v5/pgconn"

	"blackboard/board/fault"
	"blackboard/board/store"
)

// errLost is a connection that was lost before anything was committed.
var errLost = errors.New("the connection was lost")

// Codes of PostgreSQL (appendix A of its manual) that have a kind of ours.
const (
	codeSerialization = "40001"
	codeDeadlock      = "40P01"
	codeLock          = "55P03"
	codeReadOnly      = "25006"
	codeNoRight       = "42501"
	codeNoTable       = "42P01"
	codeNoSchema      = "3F000"
	codeStarting      = "57P03"
	codeShutdown      = "57P01"
	codeCrash         = "57P02"
	codeTooMany       = "53300"
	codeDiskFull      = "53100"
	codeIdle          = "25P03"
	codeNoDatabase    = "3D000"
)

// codeOf is the code that the server gave an error, "" if it was not the server.
func codeOf(err error) string {
	var pe *pgconn.PgError
	if errors.As(err, &pe) {
		return pe.Code
	}
	return ""
}

// lost: the server, or the connection, went away, and may be there again soon.
func lost(err error) bool {
	switch code := codeOf(err); code {
	case "":
	case codeStarting, codeShutdown, codeCrash, codeTooMany, codeIdle:
		return true
	default:
		return strings.HasPrefix(code, "08")
	}
	if errors.Is(err, errNoReply) {
		return true
	}
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) && !isConnect(err) {
		return false
	}
	// what a transaction did beside; its cause has the methods of a net.Error
	var file *fs.PathError
	if errors.As(err, &file) {
		return false
	}
	var network net.Error
	return errors.Is(err, errLost) || errors.Is(err, driver.ErrBadConn) || errors.Is(err, sql.ErrConnDone) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, io.EOF) || errors.Is(err, net.ErrClosed) || errors.As(err, &network) || isConnect(err) || pgconn.SafeToRetry(err)
}

func isConnect(err error) bool {
	var ce *pgconn.ConnectError
	return errors.As(err, &ce)
}

// wrap gives errors of the server, and of the way to it, a kind, and says what to do.
// None shows a password: those of the driver have none, and settings are not repeated.
func (p *Place) wrap(err error) error {
	var own *fault.Error
	if errors.As(err, &own) {
		store.NameFile(own, p.what)
		return err
	}
	try := fault.Step{Text: "try again"}
	switch code := codeOf(err); {
	case err == nil:
		return nil
	case code == codeLock:
		return store.Fault(fault.Busy, p.what, "has another writer of this run that did not finish in time; nothing was written", nil, try)
	case code == codeSerialization, code == codeDeadlock:
		return store.Fault(fault.Busy, p.what, "was changed by others meanwhile; nothing was written", nil, try)
	case code == codeReadOnly:
		return store.Fault(fault.ReadOnly, p.what, "is read-only: it is a standby, or set to read-only", nil,
			fault.Step{Text: "name the primary in $BOARD_DATABASE_URL"})
	case code == codeNoRight:
		return p.noRight(err)
	case code == codeDiskFull:
		return store.Fault(fault.Full, p.what, "could not be written", errors.New(message(err)), fault.Step{Text: "free some space on the server, then repeat the command"})
	case code == codeNoTable, code == codeNoSchema:
		return p.notSetUp()
	case strings.HasPrefix(code, "28"):
		return store.Fault(fault.Away, p.what, "rejected the login as "+p.config.User, errors.New(message(err)),
			fault.Step{Text: "check the user in the URL and the password: $PGPASSWORD or ~/.pgpass has it"})
	case code == codeNoDatabase:
		return store.Fault(fault.Away, p.what, "is not there", errors.New(message(err)),
			fault.Step{Text: "name another one in the URL, or have it made: createdb " + p.config.Database})
	case lost(err):
		return store.Fault(fault.Away, p.what, "cannot be used", store.Unreachable(message(err)),
			fault.Step{Text: "check that the server is running, then repeat the command; nothing was written, here or elsewhere"},
			fault.Do("database.status", "{} tries again"))
	}
	return err
}

// noRight says what a user may not do: to who can only read that alone, without the table.
func (p *Place) noRight(err error) error {
	ctx, cancel := context.WithTimeout(context.Background(), connectTimeout)
	defer cancel()
	var reads bool
	_ = p.pool.QueryRowContext(ctx, `SELECT has_table_privilege($1, 'SELECT') AND NOT has_any_column_privilege($1, 'UPDATE')`,
		p.schema+".runs").Scan(&reads)
	if reads {
		return store.Fault(fault.ReadOnly, p.what, "was not written to: the user "+p.config.User+" can only read", nil,
			fault.Step{Text: "if this is to be written, use a user with the role of a worker"})
	}
	return store.Fault(fault.ReadOnly, p.what, "does not let the user "+p.config.User+" do this", errors.New(message(err)),
		fault.Step{Text: "have its owner grant it, or use another user"})
}

func (p *Place) notSetUp() error {
	return store.Fault(fault.Away, p.what, "has no boards yet", nil, fault.Do("database.init", "{} prepares it"))
}

// unreached says why a connection failed, and at which addresses, each once; "" if it is
// not known. The driver tries an address with TLS and without, and says the same of both.
func unreached(err error) string {
	var whys, said []string
	at := map[string][]string{}
	var walk func(error)
	walk = func(err error) {
		if op, is := err.(*net.OpError); is && op.Addr != nil {
			why, addr := op.Err, op.Addr.String()
			if inner := errors.Unwrap(why); inner != nil { // of the system's call
				why = inner
			}
			if w := why.Error(); !slices.Contains(at[w], addr) {
				if at[w] == nil {
					whys = append(whys, w)
				}
				at[w] = append(at[w], addr)
			}
			return
		}
		switch u := err.(type) {
		case interface{ Unwrap() error }:
			walk(u.Unwrap())
		case interface{ Unwrap() []error }:
			for _, one := range u.Unwrap() {
				walk(one)
			}
		}
	}
	walk(err)
	for _, why := range whys {
		said = append(said, why+" at "+strings.Join(at[why], ", "))
	}
	return strings.Join(said, "; ")
}

// message is the innermost error, on one line.
func message(err error) string {
	var pe *pgconn.PgError
	if errors.As(err, &pe) {
		return pe.Message
	}
	if errors.Is(err, errNoReply) || errors.Is(err, syscall.ETIMEDOUT) || isConnect(err) && errors.Is(err, context.DeadlineExceeded) {
		return errNoReply.Error()
	}
	if said := unreached(err); said != "" && isConnect(err) {
		return said
	}
	var ce *pgconn.ConnectError
	if errors.As(err, &ce) {
		err = ce
		if inner := ce.Unwrap(); inner != nil {
			err = inner
		}
	}
	text := strings.Join(strings.Fields(err.Error()), " ")
	if i := strings.LastIndex(text, "failed to connect to"); i > 0 {
		text = text[i:]
	}
	return text
}
