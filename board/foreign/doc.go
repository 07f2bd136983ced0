// Package foreign reads boards of other programs, as they are: Irys boards, and boards of
// blackboard.py. Package board turns them into runs.
package foreign

import "blackboard/board/fault"

// Accepted names the formats that can be imported.
var Accepted = fault.Do("run.export",
	"give a file made by {}, an Irys board (one JSON object), or a board of blackboard.py (an "+
		"SQLite file)")
