package harness

import "encoding/json"

// copilot is GitHub's Copilot CLI. Its events have names in camel case, and then a
// payload that does not name them; or Claude's names, and then Claude's fields. What it
// is answered reaches the model at a start, behind a prompt, and beside what a tool
// gave back.
var copilot = &Harness{
	Name: "copilot", Title: "Copilot CLI", Aliases: []string{"copilot-cli", "github-copilot"},
	shells: []string{"COPILOT_CLI"},
	sign: func(p object) bool {
		_, sentAt := p["timestamp"].(json.Number)
		return p.has("sessionId") && sentAt || p.obj("tool_result").has("result_type") ||
			p.has("initial_prompt")
	},
	readsClaude: true,
	Events: []EventName{
		{"sessionStart", SessionStart}, {"userPromptSubmitted", Prompt}, {"preToolUse", ToolCall},
		{"postToolUse", ToolResult}, {"postToolUseFailure", ToolFailure},
		{"preCompact", PreCompact},
		{"subagentStart", SubagentStart}, {"subagentStop", SubagentStop}, {"agentStop", Stop},
		{"sessionEnd", SessionEnd},
	},
	injects:    []string{SessionStart, Prompt, ToolResult, ToolFailure, SubagentStart},
	unreplayed: []string{SessionStart},
	transcript: transcript{voices: []string{"assistant.message"},
		around: map[string]string{"assistant.message": "data"}},
	encode: contextAnswer,
	decode: func(e *Event, p object) {
		if e.Session == "" {
			e.Session, e.Transcript = p.str("sessionId"), p.str("transcriptPath")
		}
		if e.Kind == SubagentStart && e.AgentType == "" {
			e.AgentType = p.str("agentName")
		}
		t := e.Tool
		if t == nil {
			return
		}
		if t.Name == "" {
			t.Name = p.str("toolName")
			t.setInput(p["toolArgs"])
		}
		if r := p.obj("toolResult", "tool_result"); r != nil && e.Kind == ToolResult {
			t.setOutput(r.str("textResultForLlm", "text_result_for_llm"))
			// Of a command only its exit code counts: with one of 3 it is a success too.
			if kind := r.str("resultType", "result_type"); kind == "success" {
				if t.Command == "" {
					t.setOutcome(true)
				} else if t.parseExit(t.Output) && !*t.OK {
					t.Error = t.Output
				}
			} else if kind != "" {
				t.setFailed(t.Output)
			}
		}
		if e.Kind == ToolFailure {
			t.parseExit(t.Error)
		}
	},
	Settings: Settings{
		Binaries: []string{"copilot"}, Dirs: []string{".copilot"}, HomeVariable: "COPILOT_HOME",
		Own: func(p *Place) string { return p.copilot("hooks", "board.json") },
		OwnEntry: func(command, powershell string, h Hook) Object {
			return Object{"type", "command", "bash", command, "powershell", powershell,
				"timeoutSec", h.Seconds()}
		},
		MCP: func(p *Place) string {
			if p.Project != "" {
				return ""
			}
			return p.copilot("mcp-config.json")
		},
		MCPEntry: func(binary string) Object {
			return Object{"type", "local", "command", binary, "args",
				[]any{"mcp"}, "tools", []any{"*"}}
		},
		Skills: func(p *Place) string { return p.copilot("skills") },
	},
}

func (p *Place) copilot(rest ...string) string {
	return p.dirOf("COPILOT_HOME", ".copilot", ".github", rest...)
}
