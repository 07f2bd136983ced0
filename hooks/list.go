package hooks

import "blackboard/hooks/harness"

// HarnessInfo describes a harness to people and installers.
type HarnessInfo struct {
	Name    string      `json:"name"`    // the name that `board hook` uses
	Aliases []string    `json:"aliases"` // other accepted names
	Events  []EventInfo `json:"events"`  // the events that it reports
	Untried bool        `json:"untried"` // known from its documentation only, not tried
}

// EventInfo describes an event of a harness.
type EventInfo struct {
	Name string `json:"name"` // the harness's name
	Kind string `json:"kind"` // one of harness.Kinds
	Does string `json:"does"` // what this program does at it, in words
}

// List describes all known harnesses, and what is done at each of their events.
func List() []HarnessInfo {
	var all []HarnessInfo
	for _, h := range harness.All {
		info := HarnessInfo{Name: h.Name, Aliases: append([]string{}, h.Aliases...),
			Untried: h.Untried, Events: []EventInfo{}}
		for _, e := range h.Events {
			info.Events = append(info.Events, EventInfo{e.Name, e.Kind, describeEvent(h, e)})
		}
		all = append(all, info)
	}
	return all
}

// describeEvent says what is done at an event.
func describeEvent(h *harness.Harness, e harness.EventName) string {
	injects := h.Injects(e.Kind)
	if h.Echoes(e.Name) {
		return "nothing; another event reports the same"
	}
	switch e.Kind {
	case harness.SessionStart:
		if injects {
			return "injects the start page: topic, run, knowledge, memory, rules; on resume, " +
				"only what is new"
		}
		return "records when the session began"
	case harness.Prompt:
		if injects {
			return "injects knowledge and memory about the prompt, and open questions"
		}
	case harness.ToolResult, harness.ToolFailure, harness.FileEdit:
		return "appends a line to the worklog"
	case harness.PreCompact:
		if injects {
			return "injects the start page again"
		}
		if !h.Restarts() && h.Injects(harness.Prompt) {
			return "notes that the context is lost; the next prompt injects the start page again"
		}
	case harness.SubagentStart:
		if injects {
			return "injects the run's brief: goal, what keeps the gate closed, what is known"
		}
	case harness.SubagentStop, harness.TaskCompleted:
		if injects || h.Blocks(e.Kind) {
			return "keeps a worker that the run expects at work, once, if it has posted nothing"
		}
	case harness.SessionEnd:
		return "appends a summary to the worklog and tidies up the memory"
	}
	return "nothing"
}
