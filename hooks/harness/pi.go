package harness

import (
	_ "embed"
	"path/filepath"
)

//go:embed pi.ts
var piExtension string

// pi is pi, through an extension that passes its events on. The extension may send
// Claude's names and fields, or an event with its context as they are: {"event",
// "ctx"}.
var pi = &Harness{
	Name: "pi", Title: "pi", Aliases: []string{"pi-coding-agent"},
	shells: []string{"PI_CODING_AGENT"},
	sign:   func(p object) bool { return p.obj("event").has("type") && p.obj("ctx") != nil },
	Events: []EventName{
		{"session_start", SessionStart}, {"before_agent_start", Prompt}, {"tool_call", ToolCall},
		{"tool_result", ToolResult}, {"tool_execution_end", ToolResult},
		{"session_before_compact", PreCompact},
		{"session_compact", PostCompact}, {"agent_settled", Stop},
		{"session_shutdown", SessionEnd},
	},
	echoes:  []string{"tool_execution_end"}, // tool_result says what the tool was given
	injects: startAndPrompt, restarts: true,
	eventOf: func(p object) string { return p.obj("event").str("type") },
	decode: func(e *Event, p object) {
		event, ctx := p.obj("event"), p.obj("ctx")
		if p.str("source") == Startup || event.str("reason") == Startup { // `pi -c` says so too
			defer e.clearSource()
		}
		if event == nil {
			if e.Tool != nil {
				e.Tool.piResult(p.obj("tool_response"), e.Kind == ToolFailure)
			}
			return
		}
		e.Session, e.Cwd, e.Transcript = ctx.str("sessionId"),
			ctx.str("cwd"), ctx.str("sessionFile")
		switch e.Kind {
		case SessionStart:
			e.Source = source(event.str("reason"))
		case Prompt:
			if who := event.str("messageType"); who != "" && who != "user" {
				e.Continuation = true
				return
			}
			e.Prompt = event.str("prompt")
		case SessionEnd, PreCompact, PostCompact:
			e.Reason = event.str("reason")
		case ToolCall, ToolResult:
			e.piTool(event)
		}
	},
	encode: contextAnswer,
	Settings: Settings{
		Binaries: []string{"pi"}, Dirs: []string{".pi"}, HomeVariable: "PI_CODING_AGENT_DIR",
		Refuses: Comments | TrailingCommas,
		plugin:  piExtension,
		Own:     func(p *Place) string { return filepath.Join(p.pi(), "extensions", "board.ts") },
		MCP:     func(p *Place) string { return filepath.Join(p.pi(), "mcp.json") },
		// Without it the tools are for code that the model writes, and their names are
		// not told.
		MCPEntry: func(binary string) Object {
			return append(plainServer(binary),
				"exposure", "direct")
		},
		MCPNeeds: []string{"exposure"},
		Instructions: func(p *Place) string {
			return p.instructions("AGENTS.md",
				filepath.Join(p.pi(), "AGENTS.md"))
		},
	},
	transcript: transcript{
		again: []string{"message_start", "message_update", "turn_end"},
		piece: func(o object) (string,
			bool) {
			return o.obj("assistantMessageEvent").delta("delta")
		},
	},
}

func (p *Place) pi() string { return p.dirOf("PI_CODING_AGENT_DIR", ".pi/agent", ".pi") }

func (e *Event) piTool(event object) {
	t := e.tool()
	t.ID, t.Name = event.str("toolCallId"), event.str("toolName")
	if in, ok := event["input"]; ok {
		t.setInput(in)
	} else {
		t.setInput(event["args"])
	}
	if e.Kind == ToolCall {
		return
	}
	t.setDuration(event, "durationMs")
	failed, known := event.boolean("isError")
	if failed {
		e.Kind = ToolFailure
	}
	result := event
	if e.Name == "tool_execution_end" {
		result = event.obj("result")
	}
	t.piResult(result, failed)
	if known {
		t.setOutcome(!failed)
	}
}

// piResult reads what a tool gave back: blocks of text, and for bash an exit code
// beside them.
func (t *Tool) piResult(r object, failed bool) {
	if out := textOf(r["content"]); out != "" {
		t.setOutput(out)
	}
	if code, ok := r.obj("structuredContent", "details").number("exit_code"); ok {
		t.setExit(int(code))
	} else if t.Command != "" && failed {
		t.parseExit(t.Output)
	}
	if failed && t.Error == "" {
		t.setFailed(t.Output)
	}
}
