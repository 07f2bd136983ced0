package setup

import "blackboard/board/fault"

// A fileError reports a file that cannot be read, parsed or written. A conflict reports
// another program's entry in the place of ours. In both cases nothing was written.
var fileError, conflict = fault.Failure.New, fault.Conflict.New
