package harness

import (
	"cmp"
	"slices"
	"strings"
)

// All has every harness, in the order of the list for people.
var All = completed(claude, cursor, gemini, codex, opencode, kilo, pi, qwen, copilot, factory)

// tried has the harnesses with a sign or a variable, in the order of checking. A
// harness whose sign may occur in another's payloads comes after that one.
var tried = []*Harness{cursor, copilot, qwen, gemini, codex, opencode, pi, factory}

// completed fills in the values that most harnesses share.
func completed(all ...*Harness) []*Harness {
	for _, h := range all {
		if h.eventOf == nil {
			h.eventOf = func(p object) string { return p.str("hook_event_name") }
		}
		if h.encode == nil {
			h.encode = hookSpecific
		}
		if h.Below == nil {
			h.Below = []string{"hooks"}
		}
		if h.Entry == nil {
			h.Entry = secondsEntry
		}
		if h.MCPPath == nil {
			h.MCPPath = []string{"mcpServers"}
		}
		if h.MCPEntry == nil {
			h.MCPEntry = plainServer
		}
		if h.Skills == nil {
			h.Skills = both(".agents/skills")
		}
		if h.Instructions == nil {
			h.Instructions = func(p *Place) string { return p.instructions("AGENTS.md", "") }
		}
	}
	return all
}

// Harness describes one program: its events, its answers and its setup.
type Harness struct {
	Name    string   // what `board hook` and `board setup` call it
	Title   string   // what people call it
	Aliases []string // what else `board hook` calls it

	// sign reports whether a payload is from it, by a mark that only its payloads have.
	sign func(object) bool
	// variable is an environment variable that only its hooks have.
	variable string
	// shells are the variables of commands that it runs for its agent.
	shells []string
	// ProjectVariable has the project's directory.
	ProjectVariable string
	// readsClaude means that it reads Claude's configuration besides its own.
	readsClaude bool

	// Events are its useful events by its own names. The first of a kind is the one
	// that setup registers and that an answer names.
	Events []EventName
	// echoes are events that repeat another event with less detail.
	echoes []string
	// injects are the kinds that accept a text as answer.
	injects []string
	// blocks are the kinds that exit code 2 turns down, with what stderr says.
	blocks []string
	// Untried says that only its documentation, or its code, tells how it speaks and
	// takes a text: nobody has seen it do so.
	Untried bool
	// unreplayed are the kinds of event whose texts are no longer in the context when a
	// session is resumed. Most harnesses keep them with the conversation.
	unreplayed []string
	// restarts says that a session starts again, by the word Compact, after each
	// compaction.
	restarts bool
	// unheard is the word for a session's start whose text reaches no model, "" for
	// none.
	unheard string
	// eventOf returns the event's name in the payload, or "".
	eventOf func(object) string
	// decode completes an event that was decoded by Claude's rules; nil: nothing to
	// complete.
	decode func(*Event, object)
	// encode returns the answer that gives a non-empty text to the model.
	encode func(e *Event, name, text string) any

	Settings
	// Check reports problems in its own settings; nil: none are known.
	Check func(*Look)

	transcript transcript
	// settle reads a tool's outcome from a line of its transcript: ID, exit code and
	// error; nil: its hooks get everything.
	settle func(line object) (Tool, bool)
}

// EventName is the harness's name of an event, and its kind.
type EventName struct{ Name, Kind string }

// startAndPrompt are the kinds that accept a text in most harnesses.
var startAndPrompt = []string{SessionStart, Prompt}

// ByName returns the harness with this name or alias, or nil.
func ByName(name string) *Harness {
	name = Plain(name)
	for _, h := range All {
		if Plain(h.Name) == name ||
			slices.ContainsFunc(h.Aliases, func(a string) bool { return Plain(a) == name }) {
			return h
		}
	}
	return nil
}

// OfClient returns the harness of an MCP client by the client's name ("claude-code",
// "cursor-vscode", "codex-mcp-client"). It returns client itself if no harness matches.
func OfClient(client string) string {
	name, best := client, 0
	for _, h := range All {
		for _, known := range append([]string{h.Name, h.Title}, h.Aliases...) {
			// The longest name, since one may begin as another does.
			if n := len(Plain(known)); n > best && strings.HasPrefix(Plain(client), Plain(known)) {
				name, best = h.Name, n
			}
		}
	}
	return name
}

// Plain removes case and marks from a name: SessionStart, sessionStart and
// session_start become equal.
func Plain(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			return r
		}
		return -1
	}, name)
}

// KindOf returns the kind of an event. The name may be the harness's, ours, or
// Claude's, which the plugins use.
func (h *Harness) KindOf(name string) string {
	name = Plain(name)
	for _, list := range [][]EventName{h.Events, claudeEvents} {
		for _, e := range list {
			if Plain(e.Name) == name {
				return e.Kind
			}
		}
	}
	for _, k := range Kinds {
		if Plain(k) == name {
			return k
		}
	}
	return Other
}

// nameOf returns the harness's name of a kind, "" if it has no such event.
func (h *Harness) nameOf(kind string) string {
	for _, e := range h.Events {
		if e.Kind == kind {
			return e.Name
		}
	}
	return ""
}

// Injects reports whether events of a kind accept a text as answer.
func (h *Harness) Injects(kind string) bool { return slices.Contains(h.injects, kind) }

// Blocks reports whether an event of a kind can be turned down by exit code 2.
func (h *Harness) Blocks(kind string) bool { return slices.Contains(h.blocks, kind) }

// Replays reports whether a resumed session's context has the earlier answers to events
// of a kind.
func (h *Harness) Replays(kind string) bool { return !slices.Contains(h.unreplayed, kind) }

// Restarts reports whether a session start follows each compaction.
func (h *Harness) Restarts() bool { return h.restarts }

// Hears reports whether a text reaches the model at a session start with this source.
func (h *Harness) Hears(source string) bool { return h.unheard == "" || h.unheard != source }

// Echoes reports whether another event gives the same with more detail.
func (h *Harness) Echoes(event string) bool { return slices.Contains(h.echoes, event) }

// event decodes a payload. named is the installer's name of the event, used if the
// payload has none.
func (h *Harness) event(p object, named string) Event {
	e := Event{Harness: h.Name, Name: cmp.Or(h.eventOf(p), named)}
	e.Kind, e.Echo = h.KindOf(e.Name), h.Echoes(e.Name)
	common(&e, p)
	decodeTool(&e, p)
	if h.decode != nil {
		h.decode(&e, p)
	}
	return e
}

// Noop is the empty answer. Every harness accepts it for every event.
var Noop = []byte("{}\n")

// Answer returns the harness's answer: with a text for its model, or empty.
func (h *Harness) Answer(e *Event, text string) []byte {
	if text == "" || !h.Injects(e.Kind) {
		return Noop
	}
	return encodeJSON(h.encode(e, h.nameOf(e.Kind), text))
}
