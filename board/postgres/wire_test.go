package postgres_test

import (
	"fmt"
	"math"
	"testing"

	"blackboard/board/postgres"
	"blackboard/testdata/expect"
)

// TestValues: what is sent comes back, in either form, and a transaction whose statement has
// failed does not commit.
func TestValues(t *testing.T) {
	p := expect.Value(postgres.Open(schemaOf(t, "values")))(t)
	for _, form := range postgres.Forms {
		var (
			i       int64
			f, none any
			s       string
			b       []byte
			yes     bool
		)
		args := append(append([]any{}, form...), int64(math.MinInt64), 1e-300, "é'\\\x01", []byte{0, 255, '\\'}, nil, true)
		err := p.Pool().QueryRowContext(t.Context(), `SELECT $1::bigint, $2::float8, $3::text, $4::bytea, $5::text, $6::boolean`, args...).Scan(&i, &f, &s, &b, &none, &yes)
		if got := fmt.Sprintf("%d %v %q %q %v %t", i, f, s, b, none, yes); err != nil || got != `-9223372036854775808 1e-300 "é'\\\x01" "\x00\xff\\" <nil> true` {
			t.Errorf("%v: %s, %v", form, got, err)
		}
	}
	var n any
	if err := p.Pool().QueryRowContext(t.Context(), `SELECT 2.50::numeric`).Scan(&n); err != nil || n != "2.50" {
		t.Errorf("%v (%T), %v", n, n, err)
	}
	tx := expect.Value(p.Pool().BeginTx(t.Context(), nil))(t)
	if _, err := tx.Exec(`SELECT 1 / $1::int`, 0); err == nil {
		t.Error("nothing divides by 0")
	}
	if err := tx.Commit(); err == nil {
		t.Error("it was committed")
	}
}
