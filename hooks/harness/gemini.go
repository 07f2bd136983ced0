package harness

import (
	"path/filepath"
	"slices"
	"strings"
)

// geminiOnly are events that no other harness has.
var geminiOnly = []string{"BeforeAgent", "AfterAgent", "BeforeTool", "AfterTool", "BeforeModel",
	"AfterModel", "BeforeToolSelection", "PreCompress"}

// gemini is Gemini CLI. A command that fails is an ordinary AfterTool whose text has
// the exit code; without one it went well.
var gemini = &Harness{
	Name: "gemini", Title: "Gemini CLI", Aliases: []string{"gemini-cli"},
	shells: []string{"GEMINI_CLI"},
	sign: func(p object) bool {
		return slices.Contains(geminiOnly, p.str("hook_event_name")) ||
			strings.Contains(p.transcript(), "/.gemini/")
	},
	variable: "GEMINI_SESSION_ID", ProjectVariable: "GEMINI_PROJECT_DIR",
	Events: []EventName{
		{"SessionStart", SessionStart}, {"BeforeAgent", Prompt}, {"BeforeTool", ToolCall},
		{"AfterTool", ToolResult}, {"PreCompress", PreCompact}, {"AfterAgent", Stop},
		{"SessionEnd", SessionEnd},
	},
	injects: startAndPrompt, unreplayed: startAndPrompt, unheard: Clear,
	decode: func(e *Event, p object) {
		e.Prompt = unhooked(e.Prompt)
		if e.Kind == PreCompact && e.Reason == "auto" { // sent before each request to the model
			e.Kind = Other
		}
		if e.Tool != nil && e.Kind == ToolResult {
			e.Tool.geminiResult(p.obj("tool_response"))
		}
	},
	Settings: Settings{
		Binaries: []string{"gemini"}, Dirs: []string{".gemini"},
		Refuses: TrailingCommas | ByteOrderMark,
		tools:   "run_shell_command|write_file|replace|mcp_.*",
		Hooked:  both(".gemini/settings.json"),
		Entry: func(command string, h Hook) Object { // milliseconds
			return Object{"name", ServerName, "type", "command", "command", command,
				"timeout", 1000 * h.Seconds()}
		},
		MCP: both(".gemini/settings.json"),
		Instructions: func(p *Place) string {
			return p.instructions("GEMINI.md",
				p.in(".gemini/GEMINI.md", ""))
		},
	},
	Check: func(l *Look) {
		path := filepath.Join(l.Home, ".gemini", "settings.json")
		for _, path := range slices.Compact([]string{path, l.Hooked(l.Place)}) {
			off := l.says(path, false, "hooksConfig", "enabled") ||
				l.read(path).obj("hooksConfig").hasText("disabled", ServerName)
			if off && l.Has(PartHooks) {
				l.Found(ProblemDisabled, PartHooks, path, "`/hooks enable` in Gemini CLI",
					"the hooks are disabled in Gemini CLI by %s", l.Short(path))
			}
		}
		if l.Env("GEMINI_CLI_TRUST_WORKSPACE") != "true" && !l.says(path, false, "security",
			"folderTrust", "enabled") {
			l.trusted(filepath.Join(l.Home, ".gemini", "trustedFolders.json"))
		}
	},
	transcript: transcript{
		voices: []string{"gemini", "model"}, said: map[string]string{"": "prompt_response"},
		piece: func(o object) (string, bool) {
			goesOn, _ := o.boolean("delta")
			return o.str("content"), goesOn && o.str("role") == "assistant"
		},
	},
}

// unhooked is a prompt without the context that hooks have put before it.
func unhooked(prompt string) string {
	const begin, end = "<hook_context>", "</hook_context>"
	for strings.HasPrefix(prompt, begin) {
		_, rest, found := strings.Cut(prompt, end)
		if !found {
			break
		}
		prompt = strings.TrimLeft(rest, "\r\n")
	}
	return prompt
}

// geminiResult reads the answer of a tool, in the form that Gemini and Qwen have for it.
func (t *Tool) geminiResult(r object) {
	if r == nil {
		return
	}
	if wrong := textOf(r["error"]); wrong != "" {
		t.setFailed(wrong)
	}
	if t.Command != "" && t.parseExit(textOf(r["llmContent"])) && !*t.OK && t.Error == "" {
		t.Error = t.Output
	}
	t.setOutcome(true)
}
