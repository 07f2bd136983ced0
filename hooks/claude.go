package hooks

// claudeEvents are Claude Code's names, which others have taken over.
var claudeEvents = []eventName{
	{"SessionStart", SessionStart}, {"UserPromptSubmit", Prompt}, {"PreToolUse", ToolCall}, {"PostToolUse", ToolResult}, {"PostToolUseFailure", ToolFailure}, {"PreCompact", PreCompact},
	{"PostCompact", PostCompact}, {"SubagentStart", SubagentStart}, {"SubagentStop", SubagentStop}, {"Stop", Stop}, {"SessionEnd", SessionEnd},
}

// claude is Claude Code. A failed command has an event of its own, whose text begins with the exit code.
var claude = &harness{
	name: "claude", aliases: []string{"claude-code"}, events: claudeEvents, injects: []string{SessionStart, Prompt},
	eventOf: func(p object) string { return p.str("hook_event_name") },
	decode: func(e *Event, p object) {
		common(e, p)
		decodeTool(e, p)
		switch {
		case e.Tool == nil:
		case e.Kind == ToolResult:
			e.Tool.went(true)
		case e.Kind == ToolFailure:
			e.Tool.firstTold(e.Tool.Error)
		}
	},
	encode: hookSpecific,
}

// factory is Factory's droid, which speaks as Claude does. It records only.
var factory = &harness{
	name: "factory", aliases: []string{"droid", "factory-droid"}, events: claudeEvents,
	eventOf: claude.eventOf, decode: claude.decode,
}

// common reads what Claude's payloads and those modelled on them have in common.
func common(e *Event, p object) {
	e.Session = p.str("session_id")
	e.Turn = p.str("prompt_id", "turn_id")
	e.Cwd = p.str("cwd")
	e.Transcript = p.str("transcript_path")
	e.Agent, e.AgentType = p.str("agent_id"), p.str("agent_type")
	switch e.Kind {
	case SessionStart:
		e.Source = source(p.str("source"))
	case Prompt:
		e.Prompt = p.str("prompt")
	case SessionEnd:
		e.Reason = p.str("reason")
	case PreCompact, PostCompact:
		e.Reason = p.str("trigger", "reason")
	}
}

// source is how a session begins, in our words.
func source(s string) string {
	switch s {
	case Resume, "fork", "reload":
		return Resume
	case Clear, Compact:
		return s
	}
	return Startup
}

// decodeTool reads the use of a tool, of the events that have one.
func decodeTool(e *Event, p object) {
	switch e.Kind {
	case ToolCall, ToolResult, ToolFailure, FileEdit:
	default:
		return
	}
	t := e.tool()
	t.ID, t.Name = p.str("tool_use_id", "tool_call_id"), p.str("tool_name")
	t.given(p["tool_input"])
	t.took(p, "duration_ms", "duration")
	switch e.Kind {
	case ToolResult:
		t.Output = head(output(p["tool_response"]))
		if failed, _ := p.obj("tool_response").boolean("isError"); failed {
			t.failed(t.Output)
		}
	case ToolFailure:
		t.failed(p.str("error", "error_message"))
	}
}

// output is what a tool gave back, of the forms that harnesses have for it.
func output(v any) string {
	o := asObject(v)
	if o == nil {
		return text(v)
	}
	out, errs := o.str("stdout", "output", "returnDisplay"), o.str("stderr")
	switch {
	case out != "" && errs != "":
		return out + "\n" + errs
	case out+errs != "":
		return out + errs
	}
	return text(map[string]any(o))
}

// hookSpecific is Claude's form of an answer. It has no other keys: Codex refuses them.
func hookSpecific(_ *Event, name, text string) any {
	type specific struct {
		Event   string `json:"hookEventName"`
		Context string `json:"additionalContext"`
	}
	return struct {
		Specific specific `json:"hookSpecificOutput"`
	}{specific{name, text}}
}
