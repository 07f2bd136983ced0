package hooks

import "strings"

// codex is Codex CLI. A command that fails has the event of one that does not, without an exit code; a patch tells its own. MCP tools that fail have no event.
var codex = &harness{
	name: "codex", aliases: []string{"codex-cli"}, events: []eventName{
		{"SessionStart", SessionStart}, {"UserPromptSubmit", Prompt}, {"PreToolUse", ToolCall}, {"PostToolUse", ToolResult}, {"PreCompact", PreCompact}, {"PostCompact", PostCompact},
		{"SubagentStart", SubagentStart}, {"SubagentStop", SubagentStop}, {"Stop", Stop}, {"SessionEnd", SessionEnd},
	},
	injects: []string{SessionStart, Prompt},
	eventOf: claude.eventOf,
	decode: func(e *Event, p object) {
		common(e, p)
		decodeTool(e, p)
		t := e.Tool
		switch {
		case t == nil || e.Kind != ToolResult || t.OK != nil:
		case t.Name == "apply_patch":
			if t.firstTold(t.Output) && !*t.OK {
				t.Error = t.Output
			}
		case strings.HasPrefix(t.Name, "mcp__"):
			t.went(true)
		}
	},
	encode: hookSpecific,
}
