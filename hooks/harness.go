package hooks

import (
	"slices"
	"strings"
)

// harness is how one program tells its events, and takes the answers.
type harness struct {
	name    string
	aliases []string
	// events are those that it has and that are of use, by its own names. The first of a kind is the one that an answer names.
	events []eventName
	// echoes are those of the events that tell what another one tells better.
	echoes []string
	// injects are the kinds that can be answered with a text.
	injects []string
	// eventOf is the name that the payload gives the event, "" if it gives none.
	eventOf func(object) string
	// decode fills in the event, whose harness, name and kind are set.
	decode func(*Event, object)
	// encode is the answer that puts a text, which is not empty, before the model.
	encode func(e *Event, name, text string) any
}

type eventName struct{ name, kind string }

// harnesses are all that are known. The order is that of the list for people.
var harnesses = []*harness{claude, cursor, gemini, codex, opencode, pi, qwen, copilot, vscode, windsurf, factory}

// byName is the harness of a name or alias; nil if there is none.
func byName(name string) *harness {
	name = plain(name)
	for _, h := range harnesses {
		if plain(h.name) == name || slices.ContainsFunc(h.aliases, func(a string) bool { return plain(a) == name }) {
			return h
		}
	}
	return nil
}

// plain is a name without its case and marks: SessionStart, sessionStart and session_start are one.
func plain(name string) string {
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

// kindOf is the kind of an event by the harness's name, by ours, or by Claude's, which the plugins use.
func (h *harness) kindOf(name string) string {
	name = plain(name)
	for _, list := range [][]eventName{h.events, claudeEvents} {
		for _, e := range list {
			if plain(e.name) == name {
				return e.kind
			}
		}
	}
	for _, k := range Kinds {
		if plain(k) == name {
			return k
		}
	}
	return Other
}

// nameOf is the harness's own name of a kind, "" if it has no such event.
func (h *harness) nameOf(kind string) string {
	for _, e := range h.events {
		if e.kind == kind {
			return e.name
		}
	}
	return ""
}

// event is what a payload tells; named is the event's name as the installer gave it, which counts where the payload has none.
func (h *harness) event(p object, named string) Event {
	e := Event{Harness: h.name, Name: h.eventOf(p)}
	if e.Name == "" {
		e.Name = named
	}
	e.Kind, e.Echo = h.kindOf(e.Name), slices.Contains(h.echoes, e.Name)
	h.decode(&e, p)
	return e
}

// noop is the answer that changes nothing. Every harness takes it, for every event.
var noop = []byte("{}\n")

// answer is what the harness is to be told: a text for its model, or nothing.
func (h *harness) answer(e *Event, text string) []byte {
	if text == "" || !slices.Contains(h.injects, e.Kind) {
		return noop
	}
	return encodeJSON(h.encode(e, h.nameOf(e.Kind), text))
}

// HarnessInfo describes a harness for people and installers.
type HarnessInfo struct {
	Name    string      `json:"name"`    // what `board hook` calls it
	Aliases []string    `json:"aliases"` // what else it is called
	Events  []EventInfo `json:"events"`  // that it tells of
}

// EventInfo describes an event of a harness.
type EventInfo struct {
	Name string `json:"name"` // by the harness
	Kind string `json:"kind"` // one of Kinds
	Does string `json:"does"` // what is done then, in words
}

// List describes all harnesses that are known, and what is done at each of their events.
func List() []HarnessInfo {
	var all []HarnessInfo
	for _, h := range harnesses {
		info := HarnessInfo{Name: h.name, Aliases: append([]string{}, h.aliases...), Events: []EventInfo{}}
		for _, e := range h.events {
			info.Events = append(info.Events, EventInfo{e.name, e.kind, h.does(e)})
		}
		all = append(all, info)
	}
	return all
}

// does says what is done at an event.
func (h *harness) does(e eventName) string {
	injects := slices.Contains(h.injects, e.kind)
	if slices.Contains(h.echoes, e.name) {
		return "nothing: another event tells the same"
	}
	switch e.kind {
	case SessionStart:
		if injects {
			return "gives the session its start: checks, topic, knowledge, run"
		}
		return "notes when the session began"
	case Prompt:
		if injects {
			return "gives what is known about the prompt, and the open signals"
		}
	case ToolResult, ToolFailure, FileEdit:
		return "writes a line into the worklog"
	case PreCompact:
		if injects {
			return "gives what the session started with once more"
		}
	case SessionEnd:
		return "writes the session's sum into the worklog"
	}
	return "nothing"
}
