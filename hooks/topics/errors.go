package topics

import "blackboard/board/fault"

var (
	invalid = fault.Invalid.New
	clip    = fault.Clip
)

// Steps that several errors suggest.
var (
	otherPlace = fault.Give("workspace", "", "or name one with {}")
	nameWork   = fault.Do("topic.use", "name the work: {}", "name", "auth-refactor")
)
