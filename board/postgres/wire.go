package postgres

import (
	"context"
	"database/sql/driver"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"blackboard/board/store"
)

// This file is database/sql's driver on pgx's bare connections, as the rest of pgx, a twentieth of
// the program, is for unused types. It answers what was asked ahead, too.

// connector opens connections for database/sql.
type connector struct{ config *pgconn.Config }

func (c connector) Connect(ctx context.Context) (driver.Conn, error) {
	pg, err := pgconn.ConnectConfig(ctx, c.config)
	if err != nil {
		return nil, err
	}
	return &driverConn{pg: pg, used: time.Now()}, nil
}

// Driver is required by driver.Connector. Only sql.DB.Driver would call it, and nothing does.
func (c connector) Driver() driver.Driver { return nil }

// driverConn is a connection as database/sql has it. No statement has a name, as the next one
// may be run by another server's process, behind a pooler.
type driverConn struct {
	pg      *pgconn.PgConn
	used    time.Time                 // when it was last given to somebody
	answers map[string]*pgconn.Result // to what was asked ahead
}

// inBinary is a first argument that asks for an answer in binary.
type inBinary struct{}

// CheckNamedValue accepts inBinary; everything else is for database/sql to convert.
func (w *driverConn) CheckNamedValue(v *driver.NamedValue) error {
	if v.Value == (inBinary{}) {
		return nil
	}
	return driver.ErrSkip
}

// Prepare is not used.
func (w *driverConn) Prepare(string) (driver.Stmt, error) {
	return nil, errors.New("no statement is prepared")
}

func (w *driverConn) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	return w.pg.Close(ctx)
}

// ResetSession readies the connection for its next user, or returns driver.ErrBadConn by what has
// arrived. The next query, not another round trip, finds whether the server is up.
func (w *driverConn) ResetSession(context.Context) error {
	w.answers = nil
	if !w.IsValid() || time.Since(w.used) > time.Second && hasEnded(w.pg) {
		return driver.ErrBadConn
	}
	w.used = time.Now()
	return nil
}

// IsValid reports whether the connection is open and in no transaction.
func (w *driverConn) IsValid() bool { return !w.pg.IsClosed() && w.pg.TxStatus() == 'I' }

// hasEnded reports whether the server has ended a connection, if that was heard here.
func hasEnded(c *pgconn.PgConn) bool {
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Microsecond)
	defer cancel()
	_, err := c.ReceiveMessage(ctx)
	return err != nil && !pgconn.Timeout(err)
}

func (w *driverConn) Begin() (driver.Tx, error) {
	return w.BeginTx(context.Background(), driver.TxOptions{})
}

func (w *driverConn) BeginTx(ctx context.Context, opts driver.TxOptions) (driver.Tx, error) {
	begin := "BEGIN"
	if opts.ReadOnly {
		begin += " READ ONLY"
	}
	_, err := w.ExecContext(ctx, begin, nil)
	return driverTx{w}, err
}

type driverTx struct{ *driverConn }

func (t driverTx) end(how string) error {
	results, err := t.pg.Exec(context.Background(), how).ReadAll()
	if err == nil && results[0].CommandTag.String() != how {
		return fmt.Errorf("the transaction was rolled back: a statement in it had failed")
	}
	return err
}

func (t driverTx) Commit() error { return t.end("COMMIT") }

func (t driverTx) Rollback() error { return t.end("ROLLBACK") }

// ExecContext runs a statement, or several if there are no arguments. It drops the answers to
// what was asked ahead: they may be others now.
func (w *driverConn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	w.answers = nil
	if w.pg.IsClosed() {
		return nil, driver.ErrBadConn
	}
	if len(args) == 0 {
		results, err := w.pg.Exec(ctx, query).ReadAll()
		if err != nil || len(results) == 0 {
			return driver.RowsAffected(0), unsent(err)
		}
		return driver.RowsAffected(results[len(results)-1].CommandTag.RowsAffected()), nil
	}
	values, formats, wants := encodeArgs(valuesIn(args))
	got := w.pg.ExecParams(ctx, query, values, nil, formats, wants).Read()
	return driver.RowsAffected(got.CommandTag.RowsAffected()), unsent(got.Err)
}

// QueryContext answers from what was asked ahead, or asks the server.
func (w *driverConn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	given := valuesIn(args)
	if len(w.answers) > 0 {
		if got := w.answers[key(query, given)]; got != nil {
			return &bufferedRows{fields{got.FieldDescriptions}, got.Rows}, nil
		}
	}
	if w.pg.IsClosed() {
		return nil, driver.ErrBadConn
	}
	values, formats, wants := encodeArgs(given)
	r := w.pg.ExecParams(ctx, query, values, nil, formats, wants)
	more := r.NextRow() // before it, the columns are not known
	if !more {
		_, err := r.Close()
		return &bufferedRows{fields: fields{r.FieldDescriptions()}}, unsent(err)
	}
	return &rows{fields{r.FieldDescriptions()}, r, true}, nil
}

// unsent is driver.ErrBadConn if nothing reached the server, for database/sql to retry; else err.
func unsent(err error) error {
	if err != nil && pgconn.SafeToRetry(err) {
		return driver.ErrBadConn
	}
	return err
}

func valuesIn(args []driver.NamedValue) []any {
	values := make([]any, len(args))
	for i, a := range args {
		values[i] = a.Value
	}
	return values
}

// encodeArgs returns arguments as sent, their formats, and the answer's; nil is text.
func encodeArgs(args []any) (values [][]byte, formats, wants []int16) {
	if len(args) > 0 && args[0] == (any)(inBinary{}) {
		args, wants = args[1:], []int16{binaryFormat}
	}
	for _, a := range args {
		var value []byte
		format := int16(0)
		switch v := a.(type) {
		case nil:
		case []byte:
			value, format = v, binaryFormat
		case string:
			value = []byte(v)
		case float64:
			value = strconv.AppendFloat(nil, v, 'g', -1, 64)
		case time.Time:
			value = []byte(v.Format(time.RFC3339Nano))
		default: // of int64 and bool
			value = fmt.Append(nil, v)
		}
		values, formats = append(values, value), append(formats, format)
	}
	return values, formats, wants
}

// key is a question with its arguments, each with its length: two lists never look alike.
func key(query string, args []any) string {
	k := []byte(query)
	for _, a := range args {
		v := fmt.Sprint(a)
		k = fmt.Appendf(k, "\x00%d:%s", len(v), v)
	}
	return string(k)
}

// ask runs statements, and after them the questions that have no answer yet, in one round trip.
// It returns the results of the statements, and keeps the answers for QueryContext.
func (w *driverConn) ask(ctx context.Context, questions []store.Question, statements ...string) ([]*pgconn.Result, error) {
	questions = slices.DeleteFunc(slices.Clone(questions), func(q store.Question) bool { return w.answers[key(q.Query, q.Args)] != nil })
	if len(questions)+len(statements) == 0 {
		return nil, nil
	}
	var batch pgconn.Batch
	for _, s := range statements {
		batch.ExecParams(s, nil, nil, nil, nil)
	}
	for _, q := range questions {
		values, formats, wants := encodeArgs(q.Args)
		batch.ExecParams(q.Query, values, nil, formats, wants)
	}
	results, err := w.pg.ExecBatch(ctx, &batch).ReadAll()
	if err != nil {
		return nil, err
	}
	if w.answers == nil {
		w.answers = map[string]*pgconn.Result{}
	}
	for i, q := range questions {
		w.answers[key(q.Query, q.Args)] = results[len(statements)+i]
	}
	return results[:len(statements)], nil
}

// begin is exec that asks questions as well, in the same round trip, as ask does.
func (c *conn) begin(ctx context.Context, questions []store.Question, statements ...string) (values []string, err error) {
	if len(questions) == 0 {
		return c.exec(ctx, strings.Join(statements, "; "))
	}
	var results []*pgconn.Result
	err = c.Raw(func(d any) error {
		results, err = d.(*driverConn).ask(ctx, questions, statements...)
		return err
	})
	return valuesOf(results), err
}

// Ahead asks questions in one round trip, and keeps the answers.
func (c *bulkConn) Ahead(ctx context.Context, questions []store.Question) error {
	return c.Conn.Raw(func(d any) error {
		_, err := d.(*driverConn).ask(ctx, questions)
		return err
	})
}

// rows are those of an answer as it comes.
type rows struct {
	fields
	*pgconn.ResultReader
	read bool // the next one is there already
}

func (r *rows) Next(dest []driver.Value) error {
	if !r.read && !r.NextRow() {
		if err := r.Close(); err != nil {
			return err
		}
		return io.EOF
	}
	r.read = false
	return r.values(r.Values(), dest)
}

// Close reads the rest.
func (r *rows) Close() error {
	_, err := r.ResultReader.Close()
	return err
}

// bufferedRows are the rows of an answer that has been read.
type bufferedRows struct {
	fields
	rest [][][]byte
}

func (k *bufferedRows) Next(dest []driver.Value) error {
	if len(k.rest) == 0 {
		return io.EOF
	}
	row := k.rest[0]
	k.rest = k.rest[1:]
	return k.values(row, dest)
}

func (k *bufferedRows) Close() error { return nil }

type fields struct{ all []pgconn.FieldDescription }

func (f fields) Columns() []string {
	names := make([]string, len(f.all))
	for i := range f.all {
		names[i] = f.all[i].Name
	}
	return names
}

// Types of PostgreSQL (pg_type.dat) that are not text to us.
const (
	typeBool, typeBytea          = 16, 17
	typeInt8, typeInt2, typeInt4 = 20, 21, 23
	typeText, typeOID            = 25, 26
	typeFloat4, typeFloat8       = 700, 701
)

// binaryFormat is the form in which numbers are their bytes.
const binaryFormat = 1

// values converts a row to values of database/sql, in dest.
func (f fields) values(row [][]byte, dest []driver.Value) (err error) {
	for i, raw := range row {
		if raw == nil {
			dest[i] = nil
		} else if dest[i], err = value(f.all[i].DataTypeOID, f.all[i].Format == binaryFormat, raw); err != nil {
			return fmt.Errorf("column %s: %w", f.all[i].Name, err)
		}
	}
	return nil
}

func value(of uint32, inBinary bool, raw []byte) (driver.Value, error) {
	if inBinary {
		return binaryValue(of, raw)
	}
	switch of {
	case typeInt8, typeInt4, typeInt2, typeOID:
		return strconv.ParseInt(string(raw), 10, 64)
	case typeFloat8, typeFloat4:
		return strconv.ParseFloat(string(raw), 64)
	case typeBool:
		return raw[0] == 't', nil
	case typeBytea:
		return hex.DecodeString(strings.TrimPrefix(string(raw), `\x`))
	}
	return string(raw), nil
}

// binaryValue is value for the binary form.
func binaryValue(of uint32, raw []byte) (driver.Value, error) {
	switch {
	case of == typeInt8 && len(raw) == 8:
		return int64(binary.BigEndian.Uint64(raw)), nil
	case of == typeInt4 && len(raw) == 4:
		return int64(int32(binary.BigEndian.Uint32(raw))), nil
	case of == typeFloat8 && len(raw) == 8:
		return math.Float64frombits(binary.BigEndian.Uint64(raw)), nil
	case of == typeBool && len(raw) == 1:
		return raw[0] != 0, nil
	case of == typeBytea:
		return raw, nil
	case of == typeText:
		return string(raw), nil
	}
	return nil, fmt.Errorf("the type %d in %d bytes is not known in binary", of, len(raw))
}
