package store

import (
	"fmt"
	"strings"

	"blackboard/board/fault"
)

// Invariant is something that holds of every sound file of a schema, and that SQLite's
// integrity check knows nothing of.
type Invariant struct {
	Breaks string // a query that counts what breaks it
	Say    string // what is wrong then, after the path and with the count: "has %d tags of no entry"
}

// Hold checks invariants. The error matches fault.Corrupt and says which do not hold; it is
// nil if all do.
func (tx *Tx) Hold(all ...Invariant) error {
	var broken []string
	for _, i := range all {
		var n int64
		if err := tx.QueryRow(i.Breaks).Scan(&n); err != nil {
			return err
		}
		if n != 0 {
			broken = append(broken, fmt.Sprintf(i.Say, n))
		}
	}
	if len(broken) == 0 {
		return nil
	}
	return Fault(fault.Corrupt, "", strings.Join(broken, "; "), nil)
}
