package setup

import "blackboard/board/fault"

// A fileError is about a file that cannot be read, understood or written; a conflict is
// something of somebody else's in the place of what is to be set up. Nothing was written.
var fileError, conflict = fault.Failure.New, fault.Conflict.New
