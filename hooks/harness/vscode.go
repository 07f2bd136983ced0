package harness

import "runtime"

// vscode is the agent of VS Code. It reads Claude's and Copilot's files: a file of
// hooks of its own besides would be read too, and each call be made twice. Prompts
// cannot be answered.
var vscode = &Harness{
	Name: "vscode", Title: "VS Code", Aliases: []string{"code", "visual-studio-code"},
	sign:        func(p object) bool { return p.has("hookEventName") && p.has("sessionId") },
	readsClaude: true,
	Events: []EventName{
		{"SessionStart", SessionStart}, {"UserPromptSubmit", Prompt}, {"PreToolUse", ToolCall},
		{"PostToolUse", ToolResult}, {"PreCompact", PreCompact},
		{"SubagentStart", SubagentStart},
		{"SubagentStop", SubagentStop}, {"Stop", Stop},
	},
	injects: []string{SessionStart}, Untried: true,
	eventOf: func(p object) string { return p.str("hookEventName") },
	decode: func(e *Event, p object) {
		e.Session = p.str("sessionId")
		e.clearSource() // each is "new"
	},
	Settings: Settings{
		Binaries: []string{"code"}, Dirs: []string{".vscode", ".config/Code",
			"Library/Application Support/Code"},
		Shares: copilot,
		MCP: func(p *Place) string {
			return p.in(vscodeUser()+
				"/mcp.json", ".vscode/mcp.json")
		},
		MCPPath: []string{"servers"}, MCPEntry: stdioServer,
		Skills: copilot.Skills,
	},
}

// vscodeUser is the directory of its user's files below the home directory.
func vscodeUser() string {
	switch runtime.GOOS {
	case "darwin":
		return "Library/Application Support/Code/User"
	case "windows":
		return "AppData/Roaming/Code/User"
	}
	return ".config/Code/User"
}
