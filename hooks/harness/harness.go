package harness

import (
	"cmp"
	"slices"
	"strings"
)

// All are all harnesses. The order is that of the list for people.
var All = completed(claude, cursor, gemini, codex, opencode, kilo, pi, qwen, copilot, vscode, windsurf, factory, auggie, goose)

// tried are those that have a sign or a variable, in the order in which it is looked for: one
// whose sign another one's payloads may have comes after that one.
var tried = []*Harness{cursor, auggie, goose, windsurf, vscode, copilot, qwen, gemini, codex, opencode, pi, factory}

// completed fills in what is as in most.
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

// Harness is how one program tells its events and takes the answers, and how it is set up.
type Harness struct {
	Name    string   // what `board hook` and `board setup` call it
	Title   string   // what people call it
	Aliases []string // what else `board hook` calls it

	// sign says whether a payload is of it, by what only its payloads have.
	sign func(object) bool
	// variable is one that its hooks have and others' have not.
	variable string
	// shells are those that commands have which it runs for its agent.
	shells []string
	// ProjectVariable is the one in which it says where the project is.
	ProjectVariable string
	// readsClaude says that it reads Claude's configuration besides its own.
	readsClaude bool

	// Events are those that it has and that are of use, by its own names. The first of a kind is
	// the one that is set up, and that an answer names.
	Events []EventName
	// echoes are those of the events that tell what another one tells better.
	echoes []string
	// injects are the kinds that can be answered with a text.
	injects []string
	// Untried says that only its documentation, or its code, tells how it speaks and takes a text:
	// nobody has seen it do so.
	Untried bool
	// unreplayed are the kinds of event whose texts are no longer in the context when a session
	// is resumed. Most harnesses keep them with the conversation.
	unreplayed []string
	// restarts says that a session starts again, by the word Compact, after each compaction.
	restarts bool
	// unheard is the word for a session's start whose text reaches no model, "" for none.
	unheard string
	// eventOf is the name that the payload gives the event, "" if it gives none.
	eventOf func(object) string
	// decode fills in the event, which has what Claude's payloads would have said; nil: all is said.
	decode func(*Event, object)
	// encode is the answer that puts a text, which is not empty, before the model.
	encode func(e *Event, name, text string) any

	Settings
	// Check tells what in its own settings keeps what is set up from working; nil: nothing is known.
	Check func(*Look)

	transcript transcript
	// settle reads from a line of its own record how the use of a tool went, by the tool's ID, an
	// exit code and what went wrong; nil: its hooks are told all there is.
	settle func(line object) (Tool, bool)
}

// EventName is an event by the harness's name, and what kind it is.
type EventName struct{ Name, Kind string }

// startAndPrompt are the kinds that can be answered with a text in most harnesses.
var startAndPrompt = []string{SessionStart, Prompt}

// ByName is the harness of a name or alias; nil if there is none.
func ByName(name string) *Harness {
	name = Plain(name)
	for _, h := range All {
		if Plain(h.Name) == name || slices.ContainsFunc(h.Aliases, func(a string) bool { return Plain(a) == name }) {
			return h
		}
	}
	return nil
}

// OfClient is the name of the harness that an MCP client belongs to by what it calls itself
// ("claude-code", "cursor-vscode", "codex-mcp-client"); client itself if it is none's.
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

// Plain is a name without its case and marks: SessionStart, sessionStart and session_start are one.
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

// KindOf is the kind of an event by the harness's name, by ours, or by Claude's, which the plugins use.
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

// nameOf is the harness's own name of a kind, "" if it has no such event.
func (h *Harness) nameOf(kind string) string {
	for _, e := range h.Events {
		if e.Kind == kind {
			return e.Name
		}
	}
	return ""
}

// Injects says whether an event of a kind can be answered with a text.
func (h *Harness) Injects(kind string) bool { return slices.Contains(h.injects, kind) }

// Replays says whether the context of a resumed session has what events of a kind were
// answered with before.
func (h *Harness) Replays(kind string) bool { return !slices.Contains(h.unreplayed, kind) }

// Restarts says whether a session's start follows each compaction.
func (h *Harness) Restarts() bool { return h.restarts }

// Hears says whether a text reaches the model at a session's start of that source.
func (h *Harness) Hears(source string) bool { return h.unheard == "" || h.unheard != source }

// Records says that nothing can be put before its model: only what it does is recorded.
func (h *Harness) Records() bool { return len(h.injects) == 0 }

// Echoes says whether another event tells better what one tells.
func (h *Harness) Echoes(event string) bool { return slices.Contains(h.echoes, event) }

// event is what a payload tells; named is the event's name as the installer gave it, which counts where the payload has none.
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

// Noop is the answer that changes nothing. Every harness takes it, for every event.
var Noop = []byte("{}\n")

// Answer is what the harness is to be told: a text for its model, or nothing.
func (h *Harness) Answer(e *Event, text string) []byte {
	if text == "" || !h.Injects(e.Kind) {
		return Noop
	}
	return encodeJSON(h.encode(e, h.nameOf(e.Kind), text))
}
