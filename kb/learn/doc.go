// Package learn extracts learnings of agents from transcripts of a run's workers, from
// a reflector's answer, and from worklogs.
//
//	learn.go text.go pane.go label.go json.go   transcripts and answers, which say what was learned
//	harvest*.go                                 worklogs, which show it
//	title.go lines.go                           what both are read with
//
// It stores nothing. Read returns learnings for Learn of package kb; Harvest returns
// candidates that a person or an agent must judge.
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
