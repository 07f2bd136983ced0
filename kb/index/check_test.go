package index

import (
	"errors"
	"testing"

	"blackboard/board/sqlite"
)

// TestCheckOf holds an index of the documents 1, 2 and 3 against what it should be of.
func TestCheckOf(t *testing.T) {
	db := openDB(t)
	x := newIndex(t, db, testConfig)
	write(t, db, func(tx *sqlite.Tx) error {
		return x.Put(tx, Doc{ID: 1, Text: []string{"one", ""}}, Doc{ID: 2, Text: []string{"two", ""}}, Doc{ID: 3, Text: []string{"three", ""}})
	})
	for query, want := range map[string]string{
		`VALUES (1), (2), (3)`:      "",
		`VALUES (1), (2), (3), (4)`: "leaf number 4 is not in it",
		`VALUES (1), (3)`:           "leaf number 3 is not in it",
		`VALUES (1), (2)`:           "it holds leafs that do not exist",
		`SELECT 1 WHERE 0`:          "it holds leafs that do not exist",
	} {
		read(t, db, func(tx *sqlite.Tx) error {
			err := x.CheckOf(tx, "leaf", query)
			if want == "" && err != nil || want != "" && (!errors.Is(err, ErrCorrupt) || err.Error() != ErrCorrupt.Error()+": "+want) {
				t.Errorf("%s: %v, want %q", query, err, want)
			}
			return nil
		})
	}
	// What keeps the ids from being read is no damage of the index.
	read(t, db, func(tx *sqlite.Tx) error {
		if err := x.CheckOf(tx, "leaf", `SELECT n FROM absent`); err == nil || errors.Is(err, ErrCorrupt) {
			t.Errorf("ids that cannot be read: %v", err)
		}
		return nil
	})
}
