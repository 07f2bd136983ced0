package hooks

import "strings"

// cursor is Cursor, as IDE and as CLI. What a tool gave back is JSON in a text. One command, edit or call of MCP has two events; the one that has an exit code is recorded.
var cursor = &harness{
	name: "cursor", aliases: []string{"cursor-agent", "cursor-cli"}, events: []eventName{
		{"sessionStart", SessionStart}, {"beforeSubmitPrompt", Prompt}, {"preToolUse", ToolCall}, {"beforeShellExecution", ToolCall}, {"beforeMCPExecution", ToolCall}, {"beforeReadFile", ToolCall},
		{"postToolUse", ToolResult}, {"afterShellExecution", ToolResult}, {"afterMCPExecution", ToolResult}, {"postToolUseFailure", ToolFailure}, {"afterFileEdit", FileEdit},
		{"afterTabFileEdit", FileEdit}, {"preCompact", PreCompact}, {"subagentStart", SubagentStart}, {"subagentStop", SubagentStop}, {"stop", Stop}, {"sessionEnd", SessionEnd},
	},
	echoes:  []string{"afterShellExecution", "afterMCPExecution", "afterFileEdit"},
	injects: []string{SessionStart, Prompt},
	eventOf: claude.eventOf,
	decode:  decodeCursor,
	encode: func(e *Event, _, text string) any {
		if e.Kind == Prompt {
			return struct {
				Continue bool   `json:"continue"`
				Context  string `json:"additional_context"`
			}{true, text}
		}
		// The environment is that of the session's later hooks.
		type env struct {
			Session string `json:"BOARD_SESSION"`
		}
		out := struct {
			Context string `json:"additional_context"`
			Env     *env   `json:"env,omitempty"`
		}{Context: text}
		if e.Session != "" {
			out.Env = &env{e.Session}
		}
		return out
	},
}

func decodeCursor(e *Event, p object) {
	common(e, p)
	if e.Session == "" {
		e.Session = p.str("conversation_id")
	}
	e.Turn = p.str("generation_id")
	if e.Cwd == "" {
		if roots := p.list("workspace_roots"); len(roots) > 0 {
			e.Cwd, _ = roots[0].(string)
		}
	}
	switch e.Kind {
	case ToolCall, ToolResult, ToolFailure, FileEdit:
	case SubagentStart, SubagentStop:
		e.Agent, e.AgentType = p.str("subagent_id", "child_conversation_id"), p.str("subagent_type")
		return
	default:
		return
	}
	t := e.tool()
	decodeTool(e, p)
	switch plain(e.Name) {
	case "aftershellexecution", "beforeshellexecution":
		t.Name, t.Command, t.Output = "Shell", head(p.str("command")), head(p.str("output"))
	case "aftermcpexecution", "beforemcpexecution":
		t.Name = "MCP:" + t.Name
		t.cursorOutput(p.str("result_json"))
	case "afterfileedit", "aftertabfileedit", "beforereadfile":
		t.Path = head(p.str("file_path"))
	default:
		if e.Kind == ToolResult {
			t.cursorOutput(p.str("tool_output"))
		}
	}
}

// cursorOutput reads what a tool gave back.
func (t *Tool) cursorOutput(s string) {
	o := asObject(s)
	if o == nil {
		t.Output = head(s)
		return
	}
	t.Output = head(output(s))
	if code, ok := o.number("exitCode"); ok {
		t.exited(int(code))
		if code != 0 {
			t.Error = t.Output
		}
	}
	if failed, _ := o.boolean("isError"); failed {
		t.failed(t.Output)
	}
	if ok, known := o.boolean("success"); known && !ok {
		t.failed(t.Output)
	}
	if strings.HasPrefix(t.Name, "MCP:") {
		t.went(true)
	}
}
