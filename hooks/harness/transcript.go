package harness

import (
	"slices"
	"strings"
)

// A transcript is what the transcripts of a harness have beside what most have:
// messages with a role and a content, which is a text or a list of blocks.
type transcript struct {
	voices []string          // the roles, or types, of what its model says, besides assistant
	again  []string          // the types of lines that say what another line says too
	around map[string]string // by the types of lines that are around a turn, its member
	inner  string            // the type of such a turn that is a text of the assistant
	// by the event of a hook, "" for any, the member that the assistant has said
	said map[string]string

	// last is, by the type of the line that ends it all, the member that says again
	// what was said.
	last map[string]string
	// piece is what a line says of a message that goes on, if it does.
	piece func(o object) (string, bool)
}

// isVoice reports whether a role or a type is that of model output, in any harness.
func isVoice(role string) bool {
	return role == "assistant" || slices.ContainsFunc(All, func(h *Harness) bool {
		return slices.Contains(h.transcript.voices, role)
	})
}

// isSpeaker reports whether a type names the speaker.
func isSpeaker(kind string) bool {
	return kind == "user" || kind == "system" || kind == "tool" || isVoice(kind)
}

// Say receives the assistant's texts. With part set, the text is a piece of a message:
// more pieces follow, or the whole message, or an empty text when the assistant's turn
// is over. With again set, the text repeats an earlier one, unless there was none.
type Say = func(text string, part, again bool)

// Said gives say what the assistant says in a line of a transcript, text by text,
// whatever harness wrote it: no line says which one. Only that counts, as the files
// that it read and the prompts that it got are there too; shapes that are not known say
// nothing. An object that is nobody's turn goes to other, which says whether it knows
// it.
func Said(line []byte, say Say, other func(object map[string]any) bool) {
	p, err := parse(line)
	if err != nil {
		return
	}
	for _, h := range All {
		if h.transcript.piece == nil {
			continue
		}
		if text, ok := h.transcript.piece(p); ok {
			say(text, true, false)
			return
		}
	}
	p.turn("", 0, say, other)
}

// turn reads a line, or what is nested in it. The role is that of what it is nested in.
func (o object) turn(role string, depth int, say Say, other func(map[string]any) bool) {
	const deepest = 3
	kind := o.str("type")
	if named := o.str("role"); named != "" {
		role = named
	} else if isSpeaker(kind) {
		role = kind
	}
	if role == "user" || role == "tool" || strings.HasPrefix(kind, "tool_") {
		say("", false, false)
	}
	inside, isMessage := o["message"]
	switch {
	case depth > deepest:
		return
	case o.has("role") || kind != "" || isMessage || role != "":
	case other(o):
		return
	case len(o.list("messages")) > 0:
		for _, m := range o.list("messages") {
			asObject(m).turn("", depth+1, say, other)
		}
		return
	}
	event := o.str("hook_event_name")
	for _, h := range All {
		t := h.transcript
		for _, name := range []string{event, ""} {
			if key, ok := t.said[name]; ok && event != "" {
				say(o.str(key), false, false)
			}
		}
		switch inner := o.obj(t.around[kind]); {
		case event != "":
		case t.inner != "" && kind == t.inner && depth > 0:
			if synthetic, _ := o.boolean("synthetic"); !synthetic {
				say(o.str("text"), false, false)
			}
			return
		case inner != nil:
			inner.turn(role, depth+1, say, other)
			return
		case t.last[kind] != "":
			say(o.str(t.last[kind]), false, true)
			return
		case slices.Contains(t.again, kind):
			return
		}
	}
	speaks, who := isVoice(role), o.obj("info").str("role")
	switch message, _ := inside.(map[string]any); {
	case event != "":
	case message != nil && (role == "" || speaks):
		object(message).turn(role, depth+1, say, other)
	case who == "assistant" || who == "" && speaks:
		blocks(o["content"], say)
		blocks(o["parts"], say)
	}
}

// blocks passes on the texts of a message, without thoughts, because the model may
// discard a thought.
func blocks(v any, say Say) {
	if whole, ok := v.(string); ok {
		say(whole, false, false)
	}
	list, _ := v.([]any)
	for _, b := range list {
		o := asObject(b)
		if thought, _ := o.boolean("thought"); !thought &&
			slices.Contains([]string{"", "text", "output_text"}, o.str("type")) {
			say(o.str("text"), false, false)
		}
	}
}

// delta returns the text of a text_delta, the usual name in streams.
func (o object) delta(key string) (string, bool) {
	text, ok := o[key].(string)
	return text, ok && o.str("type") == "text_delta"
}
