package harness

// auggie is Auggie, Augment's command line: Claude's names for the events, Cursor's for
// the session.
var auggie = &Harness{
	Name: "auggie", Title: "Auggie", Aliases: []string{"augment"}, Untried: true,
	sign: func(p object) bool {
		return p.has("conversation_id") && p.list("workspace_roots") != nil &&
			!p.has("cursor_version")
	},
	variable: "AUGMENT_CONVERSATION_ID", ProjectVariable: "AUGMENT_PROJECT_DIR",
	Events: []EventName{
		{"SessionStart", SessionStart}, {"PromptSubmit", Prompt}, {"PreToolUse", ToolCall},
		{"PostToolUse", ToolResult}, {"Stop", Stop}, {"SessionEnd", SessionEnd},
	},
	injects: startAndPrompt,
	decode: func(e *Event, p object) {
		e.Session = p.str("conversation_id")
		if roots := p.list("workspace_roots"); len(roots) > 0 {
			e.Cwd, _ = roots[0].(string)
		}
		t := e.Tool
		switch {
		case e.Kind == Prompt:
			e.Prompt = p.str("user_prompt")
		case t == nil || e.Kind != ToolResult:
		case p.has("tool_error"):
			t.setFailed(p.str("tool_error"))
		default:
			t.Output = Head(output(p["tool_output"]))
			if t.Command == "" { // what a command's exit was is not told
				t.setOutcome(true)
			}
		}
	},
	encode: func(e *Event, name, text string) any {
		if e.Kind == Prompt { // it knows no form of its own for the answer to this one
			return contextAnswer(e, name, text)
		}
		return hookSpecific(e, name, text)
	},
	Settings: Settings{
		Binaries: []string{"auggie"}, Dirs: []string{".augment"},
		Refuses: anySyntax,
		Hooked:  auggieSettings,
		Entry: func(command string, h Hook) Object { // milliseconds
			return Object{"type", "command", "command", command, "timeout", 1000 * h.Seconds()}
		},
		MCP: auggieSettings, MCPEntry: stdioServer,
		Skills: both(".augment/skills"),
	},
}

func auggieSettings(p *Place) string {
	return p.in(".augment/settings.json", ".augment/settings.local.json")
}
