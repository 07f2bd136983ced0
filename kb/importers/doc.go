// Package importers reads memories of other tools, and our own exports, as capsules that Remember
// accepts.
//
//	read.go detect.go                what a source is, and what is gathered of it
//	jsonl.go                         our own export, written and read
//	markdown.go fields.go            markdown with front matter, our own sidecars among it
//	claude.go                        the memory of Claude Code
//	aikb*.go                         ai-kb, whose capsules are like ours
//	draft.go lines.go walk.go        what all are read with
//
// It stores nothing: Import of package kb stores the set that Read returns.
package importers

import (
	"blackboard/board/fault"
	"blackboard/board/text"
)

var (
	invalid = fault.Invalid.New
	unknown = fault.Unknown
	clip    = fault.Clip
	told    = fault.Told

	inOneLine = text.OneLine
	asUTF8    = text.UTF8
)
