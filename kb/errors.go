package kb

import (
	"fmt"

	"blackboard/board/fault"
)

var (
	invalid = fault.Invalid.New
	oneOf   = fault.OneOf
	clip    = fault.Clip
)

func capsuleError(kind fault.Kind, id, msg, hint string, next ...fault.Step) error {
	return &fault.Error{Kind: kind, ID: id, Msg: msg, Next: fault.Steps(hint, next...)}
}

func getStep(id, text string) fault.Step { return fault.Do("kb.get", text, "id", id) }

func notFound(id string) error {
	return capsuleError(fault.NotFound, id, fmt.Sprintf("capsule %s not found", clip(id, 60)), "",
		fault.Do("kb.list", "{} lists all"), fault.Do("kb.search", "{} searches"))
}

func supersededAlready(id, by string) error {
	return capsuleError(fault.Conflict, by, fmt.Sprintf("%s is already superseded by %s", id, by),
		"",
		fault.Give("supersedes", by, "{}, to replace that one instead"))
}

func noKnowledgeBase(home string) error {
	return fault.NotFound.New("no knowledge base in "+home, "",
		fault.Do("kb.remember", "{} creates one with its first capsule"))
}

var keepSecret = fault.Give("keep_secret", "", "{} stores it if it is not a secret")

// Refused is an input that cannot become a capsule.
type Refused struct {
	From string `json:"from"` // the line, file or title
	Why  string `json:"why"`
}
