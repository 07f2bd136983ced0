package hooks

import "blackboard/hooks/harness"

// HarnessInfo describes a harness for people and installers.
type HarnessInfo struct {
	Name    string      `json:"name"`    // what `board hook` calls it
	Aliases []string    `json:"aliases"` // what else it is called
	Events  []EventInfo `json:"events"`  // that it tells of
	Untried bool        `json:"untried"` // nobody has seen it do what its documentation says
}

// EventInfo describes an event of a harness.
type EventInfo struct {
	Name string `json:"name"` // by the harness
	Kind string `json:"kind"` // one of harness.Kinds
	Does string `json:"does"` // what is done then, in words
}

// List describes all harnesses that are known, and what is done at each of their events.
func List() []HarnessInfo {
	var all []HarnessInfo
	for _, h := range harness.All {
		info := HarnessInfo{Name: h.Name, Aliases: append([]string{}, h.Aliases...), Untried: h.Untried, Events: []EventInfo{}}
		for _, e := range h.Events {
			info.Events = append(info.Events, EventInfo{e.Name, e.Kind, does(h, e)})
		}
		all = append(all, info)
	}
	return all
}

// does says what is done at an event.
func does(h *harness.Harness, e harness.EventName) string {
	injects := h.Injects(e.Kind)
	if h.Echoes(e.Name) {
		return "nothing: another event tells the same"
	}
	switch e.Kind {
	case harness.SessionStart:
		if injects {
			return "gives the session its start: topic, run, knowledge, memory, rules; resumed, what is new"
		}
		return "notes when the session began"
	case harness.Prompt:
		if injects {
			return "gives what is known and remembered about the prompt, and the open signals"
		}
	case harness.ToolResult, harness.ToolFailure, harness.FileEdit:
		return "writes a line into the worklog"
	case harness.PreCompact:
		if injects {
			return "gives what the session started with once more"
		}
		if !h.Restarts() && h.Injects(harness.Prompt) {
			return "notes that the context is lost: the next prompt gives the start once more"
		}
	case harness.SessionEnd:
		return "writes the session's sum into the worklog, tidies up the memory"
	}
	return "nothing"
}
