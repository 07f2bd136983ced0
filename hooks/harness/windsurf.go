package harness

// windsurf is Windsurf's Cascade. Everything of an event is in tool_info; a write names
// no directory. It records only.
var windsurf = &Harness{
	Name: "windsurf", Title: "Windsurf", Aliases: []string{"cascade"},
	sign: func(p object) bool { return p.has("agent_action_name") },
	Events: []EventName{
		{"pre_user_prompt", Prompt}, {"pre_run_command", ToolCall}, {"post_run_command",
			ToolResult}, {"pre_write_code", ToolCall}, {"post_write_code", FileEdit},
		{"pre_mcp_tool_use", ToolCall},
		{"post_mcp_tool_use", ToolResult}, {"pre_read_code", ToolCall},
		{"post_cascade_response", Stop},
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
			t.setInput(info["mcp_tool_arguments"])
			t.Output = Head(text(info["mcp_result"]))
			return
		}
		t.Command, t.Path, t.Output = Head(info.str("command_line")), Head(info.str("file_path")),
			Head(info.str("output"))
		if code, ok := info.number("exit_code"); ok {
			t.setExitAndError(code)
		}
	},
	Settings: Settings{
		Binaries: []string{"windsurf"}, Dirs: []string{".codeium/windsurf"},
		asks: []string{"post_write_code", "post_run_command", "post_mcp_tool_use"},
		Hooked: func(p *Place) string {
			return p.in(".codeium/windsurf/hooks.json",
				".windsurf/hooks.json")
		},
		Flat: true,
		Entry: func(command string, _ Hook) Object {
			return Object{"command", command,
				"show_output", false}
		},
		MCP: func(p *Place) string { return p.in(".codeium/windsurf/mcp_config.json", "") },
		Skills: func(p *Place) string {
			return p.in(".codeium/windsurf/skills",
				".windsurf/skills")
		},
	},
}
