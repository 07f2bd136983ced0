// Package ops has the operations of the program that agents and people share: each is said
// once, as a literal, and command line and MCP server take their command and their tool
// from that.
//
//	ops.go     all of them, and the lists of words that their arguments take
//	host.go    what they work with
//	post.go    findings: post, correct, link
//	signal.go  questions: ask, claim, answer, waive, reopen
//	start.go  opens a run
//	show.go    what is on a board: query, show, signals
//	knowledge.go  capsules
//	brief.go  a brief for a task, documents, the soundness of it all
//	brief_block.go  what a brief says
//	curate.go  tidying them up
//	memory.go  items of the memory
//	note.go    journal and core memories
//	consolidate.go  tidying it up
//	context.go  the seven of agent-memory-store
//	named.go   named entries
//	orient.go  the document for a turn
//	scrub.go   what is deleted for good
//	talk.go    channels, conversations, working notes
//	state.go   variables of a run
//	list.go    how lists are written
//	expect.go  workers: expect, done
//	glance.go  where a run stands, which runs there are
//	judge.go   what judges a run: check and its views, the gate
//	judge_text.go  how that is written
//	accept.go  doubts that are no fault, and findings that are no conflict
package ops

import (
	"slices"
	"sync"

	"blackboard/board"
	"blackboard/board/check"
	"blackboard/board/op"
	"blackboard/kb"
	"blackboard/kb/chunks"
	"blackboard/kb/memory"
)

// All are the operations that have a tool.
func All() []op.Any {
	return []op.Any{&Start, &Post, &Correct, &Ask, &Claim, &Answer, &Waive, &Reopen, &Link, &Accept, &Expect, &Done,
		&Query, &Show, &ShowRun, &Signals, &Check, &Gate, &Survival, &VarGet, &VarSet,
		&KBSearch, &KBGet, &Remember, &KBRetire, &MemoryPut, &MemoryUpdate, &MemoryForget, &MemoryRead, &JournalNote, &CoreNote, &ScratchWrite, &ScratchRead, &Scratches, &ScratchClear, &Talk, &Talks,
		&Channels, &ChannelCreate, &MemoryConsolidate, &MemoryScrub, &Named, &Orient,
		&KBCurate, &KBResolve, &KBBrief, &KBIngest, &KBDoctor,
		&ContextSearch, &ContextWrite, &ContextReadChunk, &ContextList, &ContextDelete, &ContextGet, &ContextSet}
}

// Form is what a screen asks for the operation of a command: the named arguments, or without
// names those that many callers give.
func Form(command string, names ...string) op.Form {
	all := All()
	return op.FormOf(all[slices.IndexFunc(all, func(o op.Any) bool { return o.Tells().Command == command })], Lists(), names...)
}

// Lists are the lists of words that the tag enum names.
var Lists = sync.OnceValue(func() op.Enums {
	return op.Enums{
		"entry_types": board.EntryTypes, "entry_statuses": board.EntryStatuses,
		"signal_statuses": board.SignalStatuses, "priorities": board.Priorities,
		"orders":       {board.Newest, board.Oldest, board.Best},
		"expectations": {ExpectAct, DoneAct, DropAct},
		"check_steps":  check.Steps,
		"kinds":        kb.Kinds, "scopes": kb.Scopes, "modes": kb.Modes, "brief_modes": {kb.ModeAuto, kb.ModeHybrid, kb.ModeBM25}, "roles": kb.Roles,
		"resolutions": kb.Resolutions,
		"put_tiers":   append(slices.Clone(memory.Tiers), memory.Journal, memory.Core),
		"tiers":       memory.Tiers, "own_tiers": {memory.Workspace, memory.Account},
		"tidyings":  {doDryRun, doPass, doPlan},
		"lifetimes": memory.Lifetimes, "curators": memory.Curators,
		"conversation_acts":     {talkStart, talkGet, talkIdle, talkArchive},
		"conversation_statuses": memory.Statuses, "scrub_modes": memory.ScrubModes,
		"context_modes": {chunks.ModeHybrid, chunks.ModeBM25, chunks.ModeSemantic},
		"importances":   chunks.Importances,
	}
})
