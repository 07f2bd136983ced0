package store

// Unreachable is the cause of fault.Away if the server does not answer and may do so
// soon. A server that refuses us, or has no boards, is no such case.
type Unreachable string

// Error says how that was noticed.
func (u Unreachable) Error() string { return string(u) }
