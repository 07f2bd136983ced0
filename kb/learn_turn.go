package kb

import (
	"encoding/json"
	"slices"
	"strings"
)

// This file reads the transcripts of harnesses: which of the many shapes of a line is something that the assistant said. Only that counts: the files that
// it read and the prompts that it got may hold LEARNING: lines too.

// A turn is one line of a harness's transcript, or what is nested in it. One type has the fields of all harnesses, as nothing in a line says whose it is.
type turn struct {
	Type, Role       string
	Text             string
	Message, Content json.RawMessage // of another type here and there, and read when it is known which
	Payload, Item    json.RawMessage
	Info             json.RawMessage // opencode: who says the parts
	Parts            json.RawMessage // opencode, gemini
	Messages         []json.RawMessage
	HookEvent        string `json:"hook_event_name"`
	LastAssistant    string `json:"last_assistant_message"` // the events of hooks: Claude Code, Codex
	PromptResponse   string `json:"prompt_response"`        // Gemini
	Kind             any
	Title, Body      any
	Capsules         json.RawMessage
	Learnings        json.RawMessage
}

// jsonLine passes over what is no JSON, as harnesses print other things in between; but a learning that is lost so is told.
func (l *learner) jsonLine(line, from string) {
	if strings.TrimSpace(line) == "" {
		return
	}
	if !json.Valid([]byte(line)) {
		if learnMention.MatchString(line) {
			l.refuse(from, "the line is not JSON, so nobody can tell who said it")
		}
		return
	}
	l.turn([]byte(line), from, "", 0)
}

// turn takes what the assistant says in a turn. Unknown shapes say nothing; neither do thoughts, tools, users and systems.
func (l *learner) turn(raw json.RawMessage, from, role string, depth int) {
	var t turn
	json.Unmarshal(raw, &t) // a field of another type stays empty
	if depth > 3 {
		return
	}
	if t.Role != "" {
		role = t.Role
	} else if slices.Contains([]string{"assistant", "user", "system", "tool", "gemini", "model"}, t.Type) {
		role = t.Type
	}
	speaks := slices.Contains([]string{"assistant", "gemini", "model"}, role)
	var inner turn
	json.Unmarshal(t.Info, &inner)
	nothing := t.Role == "" && t.Type == "" && t.Message == nil
	switch {
	case nothing && (t.Capsules != nil || t.Learnings != nil || t.Kind != nil && (t.Title != nil || t.Body != nil)):
		l.document(raw, from, true)
	case nothing && len(t.Messages) > 0:
		for _, m := range t.Messages {
			l.turn(m, from, "", depth+1)
		}
	case t.HookEvent != "":
		l.say(t.LastAssistant+t.PromptResponse, from)
		if t.HookEvent == "afterAgentResponse" { // Cursor
			l.say(t.Text, from)
		}
	case t.Type == "response_item": // Codex; its event_msg lines say the same once more
		l.turn(t.Payload, from, "", depth+1)
	case t.Type == "item.completed":
		l.turn(t.Item, from, "", depth+1)
	case t.Type == "agent_message" && depth > 0:
		l.say(t.Text, from)
	case slices.Contains([]string{"message_start", "message_update", "turn_end", "result"}, t.Type): // what they say comes in another line
	case len(t.Message) > 0 && t.Message[0] == '{' && (role == "" || speaks):
		l.turn(t.Message, from, role, depth+1)
	case inner.Role == "assistant" || inner.Role == "" && speaks:
		l.blocks(t.Content, from)
		l.blocks(t.Parts, from)
	}
}

// blocks takes the texts of a message, which is a string or a list of blocks, without thoughts: what is thought may be dropped again.
func (l *learner) blocks(raw json.RawMessage, from string) {
	var whole string
	if json.Unmarshal(raw, &whole) == nil {
		l.say(whole, from)
		return
	}
	var list []struct {
		Type, Text string
		Thought    bool
	}
	json.Unmarshal(raw, &list)
	for _, b := range list {
		if !b.Thought && slices.Contains([]string{"", "text", "output_text"}, b.Type) {
			l.say(b.Text, from)
		}
	}
}

// say reads a message of the assistant as a text of its own: a learning or a code block does not go on in the next message.
func (l *learner) say(text, from string) {
	s := scan{l: l}
	for line := range strings.Lines(text) {
		s.line(strings.TrimRight(line, "\r\n"), from)
	}
	s.end()
}
