package harness

import (
	"path/filepath"
	"strings"
)

// qwen is Qwen Code: Claude's events with Gemini's tools. It tells of a prompt before
// every request to its model; only the first has what the user has submitted.
var qwen = &Harness{
	Name: "qwen", Title: "Qwen Code", Aliases: []string{"qwen-code"},
	shells: []string{"QWEN_CODE"},
	sign: func(p object) bool {
		mode := p.str("permission_mode")
		return strings.Contains(p.transcript(), "/.qwen/") || p.has("tool_call_id") ||
			mode == "auto_edit" || mode == "yolo"
	},
	variable: "QWEN_CODE_SESSION_ID", ProjectVariable: "QWEN_PROJECT_DIR",
	Events: claudeEvents, injects: startAndPrompt, restarts: true,
	unreplayed: []string{SessionStart}, // it keeps what prompts were given
	decode: func(e *Event, p object) {
		if e.Kind == Prompt {
			e.Prompt = p.str("submitted_prompt")
			e.Continuation = e.Prompt == ""
		}
		switch {
		case e.Tool == nil:
		case e.Kind == ToolResult:
			e.Tool.geminiResult(p.obj("tool_response"))
		case e.Kind == ToolFailure && e.Tool.Command != "":
			e.Tool.parseExit(e.Tool.Error)
		}
	},
	Settings: Settings{
		Binaries: []string{"qwen"}, Dirs: []string{".qwen"},
		Refuses: TrailingCommas,
		tools:   "run_shell_command|write_file|edit|replace|mcp__.*",
		Hooked:  both(".qwen/settings.json"),
		Entry: func(command string, h Hook) Object {
			return Object{"name", ServerName, "type", "command", "command",
				command, "timeout", h.Seconds()}
		},
		MCP:    both(".qwen/settings.json"),
		Skills: both(".qwen/skills"),
		Instructions: func(p *Place) string {
			return p.instructions("QWEN.md",
				p.in(".qwen/QWEN.md", ""))
		},
	},
	Check: func(l *Look) {
		path := filepath.Join(l.Home, ".qwen", "settings.json")
		l.hooksOff(path, l.Hooked(l.Place))
		if l.says(path, true, "security", "folderTrust", "enabled") {
			l.trusted(filepath.Join(l.Home, ".qwen", "trustedFolders.json"))
		}
	},
}
