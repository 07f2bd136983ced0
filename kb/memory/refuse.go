package memory

import (
	"encoding/json"
	"fmt"
	"strings"

	"blackboard/board/fault"
	"blackboard/kb/secret"
)

var (
	invalid, conflict = fault.Invalid.New, fault.Conflict.New
	unknown           = fault.Unknown
	clip              = fault.Clip
)

// Steps of several errors.
var (
	forAuthor = fault.Step{Text: "if the author wants it, {} says so; the log records it",
		Args: map[string]string{"author": "", "reason": "WHY"}}
	startStep         = fault.Do("memory.conversation.start", "{} starts a new one")
	showConversations = fault.Do("memory.conversation.list", "{} shows them")
	showChannels      = fault.Do("memory.channel.list", "{} shows the channels")
	showWorkspaces    = fault.Do("memory.workspaces", "{} lists those that have a memory")
	showScrub         = fault.Step{
		Text: "a dry run shows what would be removed, and the hash that confirms it"}
)

func notFound(id string) error {
	return fault.NotFound.New(fmt.Sprintf("memory %s not found", clip(id, 60)), "",
		fault.Do("memory.list", "{} lists all; only their agent sees private ones"))
}

// badTransition is the error for an invalid status transition of a conversation.
func badTransition(ref, from, to string) error {
	msg := fmt.Sprintf("invalid status transition: the conversation %s is %s and cannot become %s",
		ref, from, to)
	if from == to {
		msg = fmt.Sprintf("the conversation %s is already %s", ref, from)
	}
	switch {
	case from == StatusActive && to == StatusArchived:
		return conflict(msg, "",
			fault.Do("memory.conversation.idle", "end it first ({})", "ref", ref),
			fault.Give("force", "", "or archive it as it is with {}"))
	case from == StatusArchived:
		return conflict(msg, "",
			fault.Do("memory.conversation.reopen", "{} restores it", "ref", ref), startStep)
	}
	return conflict(msg, "",
		fault.Do("memory.conversation.show", "{} shows its status", "ref", ref))
}

// refuseSecret refuses an item that contains what looks like a secret, since other
// agents read it and it is exported.
func refuseSecret(it *Item) error {
	return refuseSecretIn(keepSecret, "the title", it.Title, "the content", it.Content,
		"the source", it.Source,
		"the derivation link", it.DerivedFrom, "a tag", strings.Join(it.Tags, "\n"), theReason,
		it.Why)
}

// refuseSecrets does the same for other texts. Each text follows its name.
func (s *Store) refuseSecrets(texts ...string) error {
	if s.opt.KeepSecrets {
		return nil
	}
	return refuseSecretIn(keepSecret, texts...)
}

// keepSecret is the step that stores a text in spite of a suspected secret.
var keepSecret = fault.Give("keep_secret", "", "{} stores it if it is not a secret")

const theReason = "the reason"

// checkReason validates a reason for the log, which keeps it forever: it must not
// contain what looks like a secret.
func checkReason(reason string) error {
	if err := checkLine(theReason, reason, maxWhy); err != nil {
		return err
	}
	return refuseSecretIn(fault.Step{}, theReason, reason)
}

func refuseSecretIn(otherwise fault.Step, texts ...string) error {
	for i := 0; i < len(texts); i += 2 {
		if found := secret.Find(texts[i+1]); len(found) > 0 {
			return conflict(fmt.Sprintf("%s holds what looks like a secret: %s", texts[i],
				found[0].Description),
				"say where it is kept, not what it is", otherwise)
		}
	}
	return nil
}

// textIn returns the text of a JSON value, both escaped and unescaped.
func textIn(value []byte) string {
	all := []string{string(value)}
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case string:
			all = append(all, v)
		case []any:
			for _, e := range v {
				walk(e)
			}
		case map[string]any:
			for key, e := range v {
				walk(key)
				walk(e)
			}
		}
	}
	var v any
	if json.Unmarshal(value, &v) == nil {
		walk(v)
	}
	return strings.Join(all, "\n")
}
