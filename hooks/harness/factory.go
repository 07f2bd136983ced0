package harness

// factory is Factory's droid, which speaks as Claude does.
var factory = &Harness{
	Name: "factory", Title: "Factory", Aliases: []string{"droid", "factory-droid"},
	variable: "FACTORY_PROJECT_DIR", ProjectVariable: "FACTORY_PROJECT_DIR",
	Events: claudeEvents, injects: startAndPrompt, Untried: true,
	decode: claude.decode, restarts: true,
	Settings: Settings{
		Binaries: []string{"droid"}, Dirs: []string{".factory"},
		asks:   []string{"SessionStart", "UserPromptSubmit", "PostToolUse", "SessionEnd"},
		Hooked: both(".factory/hooks.json"), Below: []string{},
		MCP: both(".factory/mcp.json"), MCPEntry: stdioServer,
		Skills: both(".factory/skills"),
		Instructions: func(p *Place) string {
			return p.instructions("AGENTS.md",
				p.in(".factory/AGENTS.md", ""))
		},
	},
}
