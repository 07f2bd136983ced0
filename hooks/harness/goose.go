package harness

// goose is Goose, of version 1.38 or later: Claude's names for the events, and fields
// of its own. It takes no text. Its servers are in YAML, which is not written here.
var goose = &Harness{
	Name: "goose", Title: "Goose", Aliases: []string{"goose-cli"}, Untried: true,
	sign: func(p object) bool {
		return p.has("event") && p.has("session_id") && !p.has("hook_event_name")
	},
	Events: []EventName{
		{"SessionStart", SessionStart}, {"UserPromptSubmit", Prompt}, {"PreToolUse", ToolCall},
		{"PostToolUse", ToolResult}, {"PostToolUseFailure", ToolFailure},
		{"AfterFileEdit", FileEdit}, {"AfterShellExecution", ToolResult}, {"Stop", Stop},
		{"SessionEnd", SessionEnd},
	},
	echoes:  []string{"AfterFileEdit", "AfterShellExecution"},
	eventOf: func(p object) string { return p.str("event") },
	decode: func(e *Event, p object) {
		e.Cwd = p.str("working_dir")
		switch {
		case e.Kind == Prompt:
			e.Prompt = p.str("message")
		case e.Tool != nil && e.Kind == ToolResult:
			e.Tool.Output = Head(output(p["tool_output"]))
			if e.Tool.Command == "" { // what a command's exit was is not told
				e.Tool.setOutcome(true)
			}
		}
	},
	Settings: Settings{
		Binaries: []string{"goose"}, Dirs: []string{".config/goose"},
		Refuses: anySyntax,
		asks:    []string{"SessionStart", "PostToolUse", "PostToolUseFailure", "SessionEnd"},
		Hooked:  both(".agents/plugins/board/hooks/hooks.json"),
		MCP:     func(*Place) string { return "" },
	},
}
