package store

import (
	"fmt"
	"strings"

	"blackboard/board/fault"
)

// Invariant is a property of every sound file of a schema that SQLite does not check.
type Invariant struct {
	Breaks string // a query that counts what breaks it
	// the message if it is broken, after the path and with the count: "has %d tags of no
	// entry"
	Say string
}

// Hold checks invariants. It returns an error that matches fault.Corrupt and lists those
// that are broken, or nil.
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
