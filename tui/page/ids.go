package page

import (
	"strings"

	"blackboard/board/text"
)

// Ids as typed.
var (
	EntryOrSignalID = text.NewRegexp(`^[es][0-9]+$`)
	ItemID          = text.NewRegexp(`^m[0-9a-z]{9}$`)
)

// CapsuleID matches a capsule's id in references.
var CapsuleID = text.NewRegexp(`^k[0-9a-hjkmnp-tv-z]{9}$`)

// IsSignal reports whether an id is that of a signal, not of an entry.
func IsSignal(id string) bool { return strings.HasPrefix(id, "s") }
