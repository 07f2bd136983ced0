package harness

import (
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// claudeEvents are Claude Code's names, which other harnesses use too.
var claudeEvents = []EventName{
	{"SessionStart", SessionStart}, {"UserPromptSubmit", Prompt}, {"PreToolUse", ToolCall},
	{"PostToolUse", ToolResult}, {"PostToolUseFailure", ToolFailure},
	{"PreCompact", PreCompact},
	{"PostCompact", PostCompact}, {"SubagentStart", SubagentStart}, {"SubagentStop", SubagentStop},
	{"TaskCompleted", TaskCompleted}, {"Stop", Stop}, {"SessionEnd", SessionEnd},
}

// claude is Claude Code. A failed command has an event of its own, whose text begins
// with the exit code.
var claude = &Harness{
	Name: "claude", Title: "Claude Code", Aliases: []string{"claude-code"},
	ProjectVariable: "CLAUDE_PROJECT_DIR",
	shells:          []string{"CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT"},
	Events:          claudeEvents, restarts: true,
	injects: []string{SessionStart, Prompt, SubagentStart, SubagentStop},
	blocks:  []string{TaskCompleted},
	decode: func(e *Event, p object) {
		// What ran in the background has ended.
		e.Continuation = e.Continuation || strings.HasPrefix(e.Prompt, "<task-notification>")
		switch {
		case e.Tool == nil:
		case e.Kind == ToolResult:
			response := p.obj("tool_response")
			if stopped, _ := response.boolean("interrupted"); stopped {
				e.Tool.setFailed(e.Tool.Output)
			} else if !response.has("backgroundTaskId") {
				// what runs on in the background is not over
				e.Tool.setOutcome(true)
			}
		case e.Kind == ToolFailure:
			e.Tool.parseFirstExit(e.Tool.Error)
		}
	},
	Settings: Settings{
		Binaries: []string{"claude"}, Dirs: []string{".claude"}, HomeVariable: "CLAUDE_CONFIG_DIR",
		Refuses: anySyntax,
		tools:   "Bash|Edit|Write|NotebookEdit|mcp__.*",
		Hooked: func(p *Place) string {
			// the path of a program on one machine is no business of those who share
			// the project
			if p.Project != "" {
				return p.claude("settings.local.json")
			}
			return p.claude("settings.json")
		},
		MCP: func(p *Place) string {
			if p.Project == "" && filepath.IsAbs(p.Env("CLAUDE_CONFIG_DIR")) {
				return p.claude(".claude.json")
			}
			return p.in(".claude.json", ".mcp.json")
		},
		MCPEntry: stdioServer,
		Skills:   func(p *Place) string { return p.claude("skills") },
		Instructions: func(p *Place) string {
			return p.instructions("CLAUDE.md",
				p.claude("CLAUDE.md"))
		},
	},
	Check:  checkClaude,
	settle: claudeOutcome,
	transcript: transcript{
		last: map[string]string{"result": "result"},
		said: map[string]string{"": "last_assistant_message"},
		piece: func(o object) (string, bool) {
			// Helpers speak at the same time: what they say is read whole.
			text, ok := o.obj("event").obj("delta").delta("text")
			return text, ok && !o.has("parent_tool_use_id")
		},
	},
}

// claudeOutcome reads how a command ended from a line of Claude's transcript.
func claudeOutcome(line object) (use Tool, ok bool) {
	if line.obj("toolUseResult").has("backgroundTaskId") {
		return use, false
	}
	for _, v := range line.obj("message").list("content") {
		block := asObject(v)
		if block.str("type") != "tool_result" {
			continue
		}
		use.ID = block.str("tool_use_id")
		use.setOutput(textOf(block["content"]))
		failed, _ := block.boolean("is_error")
		if !failed {
			use.setExit(0)
		} else if use.parseFirstExit(use.Output) {
			use.Error = use.Output
		}
		return use, use.ExitCode != nil
	}
	return use, false
}

func (p *Place) claude(name string) string {
	return p.dirOf("CLAUDE_CONFIG_DIR", ".claude", ".claude", name)
}

func checkClaude(l *Look) {
	paths := []string{l.claude("settings.json"), filepath.Join(l.Root, ".claude", "settings.json"),
		filepath.Join(l.Root, ".claude", "settings.local.json")}
	slices.Sort(paths)
	l.hooksOff(paths...)
	l.managedClaude()
	approved := false
	for _, path := range slices.Compact(paths) {
		approved = approved || l.says(path, true, "enableAllProjectMcpServers") ||
			l.read(path).hasText("enabledMcpjsonServers", ServerName)
		if l.Has(PartMCP) && l.read(path).hasText("disabledMcpjsonServers", ServerName) {
			l.Found(ProblemMCP, PartMCP, path, "remove it from disabledMcpjsonServers",
				"the MCP server is refused by %s", l.Short(path))
			approved = true
		}
	}
	if l.Project != "" && l.Has(PartMCP) && !approved {
		l.Found(ProblemMCP, PartMCP, l.MCP(l.Place), "/mcp in Claude Code approves it",
			"the MCP server of the project is not approved yet")
	}
}

// managedClaude reports settings of the administrator that disable the hooks of others.
func (l *Look) managedClaude() {
	dir := filepath.Join(l.Machine, "/etc/claude-code")
	switch runtime.GOOS {
	case "darwin":
		dir = filepath.Join(l.Machine, "/Library/Application Support/ClaudeCode")
	case "windows":
		dir = filepath.Join(l.Machine, `C:\Program Files\ClaudeCode`)
	}
	// the pattern is a good one
	more, _ := filepath.Glob(filepath.Join(dir, "managed-settings.d", "*.json"))
	for _, path := range append([]string{filepath.Join(dir, "managed-settings.json")}, more...) {
		for _, switched := range []string{"allowManagedHooksOnly", "disableAllHooks"} {
			if l.Has(PartHooks) && l.says(path, true, switched) {
				l.Found(ProblemDisabled, PartHooks, path, "ask the administrator of this machine",
					"%s runs none of these hooks: %s has %s", l.Title, path, switched)
			}
		}
	}
}

// common decodes the fields that Claude's payloads share with those modelled on them.
func common(e *Event, p object) {
	e.Session = p.str("session_id")
	e.Turn = p.str("prompt_id", "turn_id")
	e.Cwd = p.str("cwd")
	e.Transcript = p.str("transcript_path")
	e.Agent, e.AgentType = p.str("agent_id"), p.str("agent_type")
	switch e.Kind {
	case SessionStart:
		e.Source = source(p.str("source"))
	case Prompt:
		e.Prompt = p.str("prompt")
	case SessionEnd:
		e.Reason = p.str("reason")
	case PreCompact, PostCompact:
		e.Reason, e.Summary = p.str("trigger", "reason"), p.str("compact_summary")
	case TaskCompleted:
		e.AgentType = p.str("teammate_name")
	case SubagentStop:
		e.Continuation, _ = p.boolean("stop_hook_active")
	}
}

// source returns our name of a session's source.
func source(s string) string {
	switch s {
	case Resume, "fork", "reload":
		return Resume
	case Clear, Compact:
		return s
	}
	return Startup
}

// clearSource removes the source Startup, for harnesses that give it to every session.
func (e *Event) clearSource() {
	if e.Source == Startup {
		e.Source = ""
	}
}

// decodeTool decodes the use of a tool, for events that have one.
func decodeTool(e *Event, p object) {
	switch e.Kind {
	case ToolCall, ToolResult, ToolFailure, FileEdit:
	default:
		return
	}
	t := e.tool()
	t.ID, t.Name = p.str("tool_use_id", "tool_call_id"), p.str("tool_name")
	t.setInput(p["tool_input"])
	t.setDuration(p, "duration_ms", "duration")
	switch e.Kind {
	case ToolResult:
		t.setOutput(output(p["tool_response"]))
		if failed, _ := p.obj("tool_response").boolean("isError"); failed {
			t.setFailed(t.Output)
		}
	case ToolFailure:
		t.setFailed(p.str("error", "error_message"))
	}
}

// output returns a tool's output, in any of the harnesses' formats.
func output(v any) string {
	o := asObject(v)
	if o == nil {
		return textOf(v)
	}
	out, errs := o.str("stdout", "output", "returnDisplay"), o.str("stderr")
	switch {
	case out+errs == "" && o["llmContent"] != nil:
		return textOf(o["llmContent"])
	case out != "" && errs != "":
		return out + "\n" + errs
	case out+errs != "":
		return out + errs
	}
	return textOf(map[string]any(o))
}

// hookSpecific is an answer in Claude's format. It has no other keys, because Codex
// refuses them.
func hookSpecific(_ *Event, name, text string) any {
	type specific struct {
		Event   string `json:"hookEventName"`
		Context string `json:"additionalContext"`
	}
	return struct {
		Specific specific `json:"hookSpecificOutput"`
	}{specific{name, text}}
}
