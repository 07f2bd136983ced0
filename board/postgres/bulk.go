package postgres

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"strconv"
	"strings"

	"blackboard/board/text"
)

const bulkRows = 500

// bulkConn gathers the rows of inserts, where there are thousands, and sends some hundred per
// statement, before whatever else is run.
type bulkConn struct {
	*sql.Conn
	on     bool
	tables []*bulkInsert // in the order of their first row: rows that others refer to come first
}

type bulkInsert struct {
	query string // INSERT INTO table VALUES ($1, $2)
	args  []any
	width int // of a row
}

var plainInsert = text.NewRegexp(`^INSERT INTO [a-z_]+ VALUES \((\$[0-9]+, )*\$[0-9]+\)$`)

// ExecContext runs a statement, or gathers its row.
func (c *bulkConn) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	if !c.on || !plainInsert.MatchString(query) {
		if err := c.flush(ctx); err != nil {
			return nil, err
		}
		return c.Conn.ExecContext(ctx, query, args...)
	}
	var in *bulkInsert
	for _, t := range c.tables {
		if t.query == query {
			in = t
		}
	}
	if in == nil {
		in = &bulkInsert{query: query, width: len(args)}
		c.tables = append(c.tables, in)
	}
	if in.args = append(in.args, args...); len(in.args) < bulkRows*in.width {
		return driver.RowsAffected(1), nil
	}
	return driver.RowsAffected(1), c.flush(ctx)
}

func (c *bulkConn) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	if err := c.flush(ctx); err != nil {
		return nil, err
	}
	return c.Conn.QueryContext(ctx, query, args...)
}

// QueryRowContext runs a query. If the rows before it could not be written, it fails as
// well: the transaction is one that has failed.
func (c *bulkConn) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	_ = c.flush(ctx)
	return c.Conn.QueryRowContext(ctx, query, args...)
}

func (c *bulkConn) flush(ctx context.Context) error {
	for _, t := range c.tables {
		if len(t.args) == 0 {
			continue
		}
		if _, err := c.Conn.ExecContext(ctx, t.statement(), t.args...); err != nil {
			return err
		}
		t.args = t.args[:0]
	}
	return nil
}

// statement is the insert with as many rows as there are.
func (t *bulkInsert) statement() string {
	head, _, _ := strings.Cut(t.query, "(")
	var b strings.Builder
	b.WriteString(head)
	for i := range t.args {
		switch {
		case i == 0:
			b.WriteString("($")
		case i%t.width == 0:
			b.WriteString("), ($")
		default:
			b.WriteString(", $")
		}
		b.WriteString(strconv.Itoa(i + 1))
	}
	b.WriteByte(')')
	return b.String()
}
