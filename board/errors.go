package board

import "blackboard/board/fault"

var (
	invalid, notFound, conflict = fault.Invalid.New, fault.NotFound.New, fault.Conflict.New
	clip                        = fault.Clip
)
