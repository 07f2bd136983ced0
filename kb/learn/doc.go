// Package learn extracts learnings of agents from transcripts of a run's workers and from
// a reflector's answer (Read), and keeps them as capsules (Store).
package learn

import (
	"blackboard/board/fault"
	"blackboard/board/text"
)

var (
	invalid = fault.Invalid.New
	clip    = fault.Clip

	clipBytes = text.ClipBytes
	inOneLine = text.OneLine
	asUTF8    = text.UTF8
)
