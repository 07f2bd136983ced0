package kb

import (
	"fmt"

	"blackboard/board/fault"
	"blackboard/board/text"
)

var (
	invalid = fault.Invalid.New
	unknown = fault.Unknown
	clip    = fault.Clip

	clipBytes = text.ClipBytes
)

// about is an error of a kind about a capsule.
func about(kind fault.Kind, id, msg, hint string, next ...fault.Step) error {
	return &fault.Error{Kind: kind, ID: id, Msg: msg, Next: fault.Steps(hint, next...)}
}

// get is the step that shows a capsule.
func get(id, text string) fault.Step { return fault.Do("kb.get", text, "id", id) }

func notFound(id string) error {
	return about(fault.NotFound, id, fmt.Sprintf("there is no capsule %s", clip(id, 60)), "",
		fault.Do("kb.list", "{} shows what there is"), fault.Do("kb.search", "{} finds by words"))
}

func supersededAlready(id, by string) error {
	return about(fault.Conflict, by, fmt.Sprintf("%s is superseded by %s already", id, by), "", fault.Give("supersedes", by, "{}, if that is the one to replace"))
}

// noBase is for a data home without a knowledge base.
func noBase(home string) error {
	return fault.NotFound.New("there is no knowledge base in "+home, "", fault.Do("kb.remember", "{} makes one with the first capsule"))
}

// notHere is the refusal of a secret.
var notHere = fault.Give("keep_secret", "", "{} stores it if it is none")
