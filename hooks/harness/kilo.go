package harness

// kilo is Kilo Code, which is built on OpenCode and takes its plugin as it is.
var kilo = &Harness{
	Name: "kilo", Title: "Kilo Code", Aliases: []string{"kilocode"},
	Events: opencode.Events, echoes: opencode.echoes, injects: opencode.injects,
	eventOf: opencode.eventOf, decode: opencode.decode, encode: opencode.encode,
	Settings: Settings{
		Binaries: []string{"kilo"}, Dirs: []string{".config/kilo", ".kilo"},
		plugin: openCodePlugin, Own: openCodeFile("kilo", "plugins", "board.ts"),
		MCP: openCodeServers("kilo"), MCPPath: []string{"mcp"}, MCPEntry: openCodeServer,
		MCPEnv: "environment",
	},
	Check: checkOpenCode,
}
