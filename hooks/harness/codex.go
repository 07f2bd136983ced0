package harness

import (
	"path"
	"path/filepath"
	"strings"
)

// codex is Codex CLI. A command that fails has the event of one that does not, without an exit code; a patch tells its own. MCP tools that fail have no event.
var codex = &Harness{
	Name: "codex", Title: "Codex", Aliases: []string{"codex-cli"},
	shells: []string{"CODEX_SANDBOX", "CODEX_SANDBOX_NETWORK_DISABLED", "CODEX_THREAD_ID", "CODEX_CI"},
	sign: func(p object) bool {
		return p.has("turn_id") || strings.HasPrefix(path.Base(p.transcript()), "rollout-")
	},
	Events: []EventName{
		{"SessionStart", SessionStart}, {"UserPromptSubmit", Prompt}, {"PreToolUse", ToolCall}, {"PostToolUse", ToolResult}, {"PreCompact", PreCompact}, {"PostCompact", PostCompact},
		{"SubagentStart", SubagentStart}, {"SubagentStop", SubagentStop}, {"Stop", Stop}, {"SessionEnd", SessionEnd},
	},
	injects: startAndPrompt,
	decode: func(e *Event, p object) {
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
	Settings: Settings{
		Binaries: []string{"codex"}, Dirs: []string{".codex"}, HomeVariable: "CODEX_HOME",
		Refuses: anySyntax,
		tools:   "Bash|apply_patch|mcp__.*",
		Hooked:  func(p *Place) string { return p.codex("hooks.json") },
		Trusts:  true,
		MCP:     func(p *Place) string { return p.codex("config.toml") }, MCPPath: []string{"mcp_servers"},
		Instructions: func(p *Place) string { return p.instructions("AGENTS.md", p.codex("AGENTS.md")) },
	},
	// Its event_msg lines say the same once more.
	transcript: transcript{around: map[string]string{"response_item": "payload", "item.completed": "item"}, inner: "agent_message"},
}

// codex is a file of its directory. Codex itself resolves links in $CODEX_HOME, and the trust in a hook names the path that it has then.
func (p *Place) codex(name string) string {
	dir := p.dirOf("CODEX_HOME", ".codex", ".codex")
	if p.Project == "" && p.Env("CODEX_HOME") != "" {
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			dir = real
		}
	}
	return filepath.Join(dir, name)
}
