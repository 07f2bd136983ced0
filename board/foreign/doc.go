// Package foreign reads boards of other programs, as they are: Irys boards, and boards of
// blackboard.py. Package board turns them into runs.
package foreign

import (
	"encoding/json"
	"time"

	"blackboard/board/fault"
)

// Formats of boards. Where a board does not say who did something, the name of its format
// stands for that.
const (
	Irys   = "irys"
	Python = "blackboard.py"
)

// Accepted names the formats that can be imported.
var Accepted = fault.Do("run.export",
	"give a file made by {}, an Irys board (one JSON object), or a board of blackboard.py (an "+
		"SQLite file)")

// Board is a board of another program. The names of its JSON are those of an Irys board. Ids of
// an Irys board repeat, since a worker that started late may count from the same number as
// another.
type Board struct {
	Format  string                     `json:"-"`
	Task    string                     `json:"task_instruction"`
	Entries []Entry                    `json:"entries"`
	Signals []Signal                   `json:"signals"`
	Extra   map[string]json.RawMessage `json:"-"` // the other fields
	Notes   []string                   `json:"-"` // what the file does not say, or was not read
}

// Entry is an entry of a board.
type Entry struct {
	ID          string                     `json:"id"`
	Type        string                     `json:"type"`
	Content     string                     `json:"content"`
	Source      Source                     `json:"source"`
	CreatedBy   Author                     `json:"created_by"`
	At          time.Time                  `json:"-"` // zero: the file does not say
	Confidence  *float64                   `json:"confidence"`
	Tags        []string                   `json:"tags"`
	Status      string                     `json:"status"`
	MustSurface bool                       `json:"-"`
	Supports    []string                   `json:"supports"`
	Contradicts []string                   `json:"contradicts"`
	Supersedes  []string                   `json:"supersedes"`
	Addresses   []string                   `json:"addresses_signals"`
	Extra       map[string]json.RawMessage `json:"-"` // the other fields
}

// Source is where an entry comes from.
type Source struct {
	Document string `json:"document"`
	Section  string `json:"section"`
	Evidence string `json:"evidence"`
}

// Author is who wrote an entry.
type Author struct {
	Worker string `json:"worker_id"`
}

// Signal is a question of a board.
type Signal struct {
	ID          string                     `json:"id"`
	Content     string                     `json:"content"`
	Worker      string                     `json:"-"`
	Origin      string                     `json:"origin_entry"` // the entry, or who asks
	At          time.Time                  `json:"-"`
	Priority    string                     `json:"priority"`
	Status      string                     `json:"status"`
	Reason      string                     `json:"-"` // why it was waived
	AddressedBy *string                    `json:"addressed_by"`
	Extra       map[string]json.RawMessage `json:"-"` // the other fields
}
