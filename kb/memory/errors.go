package memory

import (
	"fmt"

	"blackboard/board/fault"
)

var (
	invalid, conflict = fault.Invalid.New, fault.Conflict.New
	unknown           = fault.Unknown
	clip              = fault.Clip
)

// Steps that several errors have.
var (
	forAuthor = fault.Step{Text: "if the author wants it, {} says so, and the log keeps it",
		Args: map[string]string{"author": "", "reason": "WHY"}}
	start      = fault.Do("memory.conversation.start", "{} begins a new one")
	listTalks  = fault.Do("memory.conversation.list", "{} shows them")
	channels   = fault.Do("memory.channel.list", "{} shows the channels")
	workspaces = fault.Do("memory.workspaces", "{} lists those that have a memory")
	showScrub  = fault.Step{Text: "a dry run shows what would be removed, and the hash that confirms it"}
)

func notFound(id string) error {
	return fault.NotFound.New(fmt.Sprintf("there is no memory %s", clip(id, 60)), "", fault.Do("memory.list", "{} shows what there is; private ones only to their agent"))
}

// badTransition refuses a change of a conversation's status.
func badTransition(ref, from, to string) error {
	msg := fmt.Sprintf("the conversation %s is %s, and cannot become %s", ref, from, to)
	if from == to {
		msg = fmt.Sprintf("the conversation %s is %s already", ref, from)
	}
	switch {
	case from == StatusActive && to == StatusArchived:
		return conflict(msg, "", fault.Do("memory.conversation.idle", "end it first ({})", "ref", ref), fault.Give("force", "", "or archive it as it is with {}"))
	case from == StatusArchived:
		return conflict(msg, "", start)
	}
	return conflict(msg, "", fault.Do("memory.conversation.show", "{} shows how it is", "ref", ref))
}
