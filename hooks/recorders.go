package hooks

// The harnesses that only tell: what they take as an answer reaches no model, or nobody has seen it do so.

// copilot is GitHub's Copilot CLI. Its events have names in camel case, and then a payload that does not name them; or Claude's names, and then Claude's fields.
var copilot = &harness{
	name: "copilot", aliases: []string{"copilot-cli", "github-copilot"}, events: []eventName{
		{"sessionStart", SessionStart}, {"userPromptSubmitted", Prompt}, {"preToolUse", ToolCall}, {"postToolUse", ToolResult}, {"postToolUseFailure", ToolFailure}, {"preCompact", PreCompact},
		{"subagentStart", SubagentStart}, {"subagentStop", SubagentStop}, {"agentStop", Stop}, {"sessionEnd", SessionEnd},
	},
	eventOf: claude.eventOf,
	decode: func(e *Event, p object) {
		common(e, p)
		decodeTool(e, p)
		if e.Session == "" {
			e.Session, e.Transcript = p.str("sessionId"), p.str("transcriptPath")
		}
		t := e.Tool
		if t == nil {
			return
		}
		if t.Name == "" {
			t.Name = p.str("toolName")
			t.given(p["toolArgs"])
		}
		if r := p.obj("toolResult", "tool_result"); r != nil && e.Kind == ToolResult {
			t.Output = head(r.str("textResultForLlm", "text_result_for_llm"))
			if kind := r.str("resultType", "result_type"); kind == "success" {
				t.went(true)
			} else if kind != "" {
				t.failed(t.Output)
			}
		}
		if e.Kind == ToolFailure {
			t.told(t.Error)
		}
	},
}

// vscode is the agent of VS Code. It reads Claude's and Copilot's files.
var vscode = &harness{
	name: "vscode", aliases: []string{"code"}, events: []eventName{
		{"SessionStart", SessionStart}, {"UserPromptSubmit", Prompt}, {"PreToolUse", ToolCall}, {"PostToolUse", ToolResult}, {"PreCompact", PreCompact}, {"SubagentStart", SubagentStart},
		{"SubagentStop", SubagentStop}, {"Stop", Stop},
	},
	eventOf: func(p object) string { return p.str("hookEventName") },
	decode: func(e *Event, p object) {
		common(e, p)
		e.Session = p.str("sessionId")
		decodeTool(e, p)
	},
}

// windsurf is Windsurf's Cascade. Everything of an event is in tool_info; a write names no directory.
var windsurf = &harness{
	name: "windsurf", aliases: []string{"cascade"}, events: []eventName{
		{"pre_user_prompt", Prompt}, {"pre_run_command", ToolCall}, {"post_run_command", ToolResult}, {"pre_write_code", ToolCall}, {"post_write_code", FileEdit}, {"pre_mcp_tool_use", ToolCall},
		{"post_mcp_tool_use", ToolResult}, {"pre_read_code", ToolCall}, {"post_cascade_response", Stop},
	},
	eventOf: func(p object) string { return p.str("agent_action_name") },
	decode: func(e *Event, p object) {
		info := p.obj("tool_info")
		e.Session, e.Turn = p.str("trajectory_id"), p.str("execution_id")
		e.Cwd = info.str("cwd")
		switch e.Kind {
		case Prompt:
			e.Prompt = info.str("user_prompt")
			return
		case ToolCall, ToolResult, FileEdit:
		default:
			return
		}
		t := e.tool()
		if t.Name = info.str("mcp_tool_name"); t.Name != "" {
			t.Name = "mcp__" + info.str("mcp_server_name") + "__" + t.Name
			t.given(info["mcp_tool_arguments"])
			t.Output = head(text(info["mcp_result"]))
			return
		}
		t.Command, t.Path, t.Output = head(info.str("command_line")), head(info.str("file_path")), head(info.str("output"))
		if code, ok := info.number("exit_code"); ok {
			t.exited(int(code))
			if code != 0 {
				t.Error = t.Output
			}
		}
	},
}
