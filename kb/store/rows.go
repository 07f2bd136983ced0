package store

import (
	"encoding/json"
	"strings"
	"time"

	"blackboard/board/sqlite"
)

// Columns are the columns of a row in pairs: a name, and a pointer to the field with its value. The
// first is the row's id, a string. Fields are what database/sql takes, and *time.Time and
// **time.Time for Unix milliseconds and *[]string for a list in JSON.
type Columns []any

// Names lists the columns for a statement, each with what stands before and after it.
func (all Columns) Names(before, after string) string {
	var b strings.Builder
	for i := 0; i < len(all); i += 2 {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(before + all[i].(string) + after)
	}
	return b.String()
}

// Dest are the destinations of a row, after others. what says which lists cannot be
// read, with %s for the id: "an item %s whose tags".
func (all Columns) Dest(what string, dest ...any) []any {
	for i := 1; i < len(all); i += 2 {
		switch f := all[i].(type) {
		case *time.Time:
			dest = append(dest, sqlite.Time(f))
		case **time.Time:
			dest = append(dest, sqlite.MaybeTime(f))
		case *[]string:
			dest = append(dest, sqlite.JSON(f, what, all[1].(*string)))
		case *json.RawMessage:
			dest = append(dest, (*[]byte)(f))
		default:
			dest = append(dest, f)
		}
	}
	return dest
}

// values are what the fields hold, as the columns have it.
func (all Columns) values() []any {
	values := make([]any, 0, len(all)/2+1)
	for i := 1; i < len(all); i += 2 {
		switch f := all[i].(type) {
		case *time.Time:
			values = append(values, f.UnixMilli())
		case **time.Time:
			values = append(values, sqlite.Millis(*f))
		case *[]string:
			values = append(values, sqlite.List(*f))
		case *json.RawMessage:
			values = append(values, string(*f))
		default:
			values = append(values, f) // database/sql takes what a pointer points to
		}
	}
	return values
}

func (all Columns) Insert(tx *sqlite.Tx, table string) (n int64, err error) {
	return tx.Insert(all.into(table), all.values()...)
}

func (all Columns) Add(tx *sqlite.Tx, table string) error {
	_, err := tx.Exec(all.into(table), all.values()...)
	return err
}

func (all Columns) into(table string) string {
	marks := strings.Repeat(", ?", len(all)/2)[2:]
	return `INSERT INTO ` + table + ` (` + all.Names("", "") + `) VALUES (` + marks + `)`
}

func (all Columns) Update(tx *sqlite.Tx, table string, n int64) error {
	set := all.Names("", " = ?")
	_, err := tx.Exec(`UPDATE `+table+` SET `+set+` WHERE n = ?`, append(all.values(), n)...)
	return err
}
