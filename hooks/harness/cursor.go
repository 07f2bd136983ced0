package harness

import (
	"cmp"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"blackboard/board/disk"
)

// cursor is Cursor, as IDE and as CLI. What a tool gave back is JSON in a text. One
// command, edit or call of MCP has two events; the one that has an exit code is
// recorded.
var cursor = &Harness{
	Name: "cursor", Title: "Cursor", Aliases: []string{"cursor-agent", "cursor-cli"},
	shells: []string{"CURSOR_AGENT"},
	sign:   func(p object) bool { return p.has("cursor_version") }, variable: "CURSOR_VERSION",
	ProjectVariable: "CURSOR_PROJECT_DIR", readsClaude: true,
	Events: []EventName{
		{"sessionStart", SessionStart}, {"beforeSubmitPrompt", Prompt}, {"preToolUse", ToolCall},
		{"beforeShellExecution", ToolCall}, {"beforeMCPExecution", ToolCall},
		{"beforeReadFile", ToolCall},
		{"postToolUse", ToolResult}, {"afterShellExecution", ToolResult}, {"afterMCPExecution",
			ToolResult}, {"postToolUseFailure", ToolFailure}, {"afterFileEdit", FileEdit},
		{"afterTabFileEdit", FileEdit}, {"preCompact", PreCompact},
		{"subagentStart", SubagentStart}, {"subagentStop", SubagentStop}, {"stop", Stop},
		{"sessionEnd", SessionEnd},
	},
	echoes:  []string{"afterShellExecution", "afterMCPExecution", "afterFileEdit"},
	injects: startAndPrompt,
	decode:  decodeCursor,
	encode: func(e *Event, _, text string) any {
		if e.Kind == Prompt {
			return struct {
				Continue bool   `json:"continue"`
				Context  string `json:"additional_context"`
			}{true, text}
		}
		// The environment is that of the session's later hooks.
		type env struct {
			Session string `json:"BOARD_SESSION"`
		}
		out := struct {
			Context string `json:"additional_context"`
			Env     *env   `json:"env,omitempty"`
		}{Context: text}
		if e.Session != "" {
			out.Env = &env{e.Session}
		}
		return out
	},
	Settings: Settings{
		Binaries: []string{"cursor", "cursor-agent"}, Dirs: []string{".cursor"},
		tools: "Shell|Write|Delete|MCP:",
		asks: []string{"sessionStart", "beforeSubmitPrompt", "postToolUse", "postToolUseFailure",
			"preCompact", "sessionEnd"},
		Hooked: both(".cursor/hooks.json"), Header: Object{"version", 1}, Flat: true,
		Entry: func(command string, h Hook) Object {
			o := Object{"command", command}
			if h.Tools != "" {
				o = append(o, "matcher", h.Tools)
			}
			return append(o, "timeout", h.Seconds())
		},
		MCP: both(".cursor/mcp.json"),
	},
	Check: checkCursor,
	transcript: transcript{
		said: map[string]string{"afterAgentResponse": "text"},
		piece: func(o object) (text string, ok bool) {
			// What comes with the id of a call is the whole message.
			_, at := o.number("timestamp_ms")
			if o.str("type") != "assistant" || !at || o.has("model_call_id") {
				return "", false
			}
			blocks(o.obj("message")["content"], func(s string, _, _ bool) { text += s })
			return text, true
		},
	},
}

func decodeCursor(e *Event, p object) {
	e.Session = cmp.Or(e.Session, p.str("conversation_id"))
	e.Turn = p.str("generation_id")
	if e.Cwd == "" {
		if roots := p.list("workspace_roots"); len(roots) > 0 {
			e.Cwd, _ = roots[0].(string)
		}
	}
	switch e.Kind {
	case ToolCall, ToolResult, ToolFailure, FileEdit:
	case SessionStart:
		e.clearSource() // no payload has a source
		return
	case SubagentStart, SubagentStop:
		e.Agent, e.AgentType = p.str("subagent_id", "child_conversation_id"),
			p.str("subagent_type")
		return
	default:
		return
	}
	t := e.tool()
	switch Plain(e.Name) {
	case "aftershellexecution", "beforeshellexecution":
		t.Name, t.Command = "Shell", Head(p.str("command"))
		t.setOutput(p.str("output"))
	case "aftermcpexecution", "beforemcpexecution":
		t.Name = "MCP:" + t.Name
		t.cursorOutput(p.str("result_json"))
	case "afterfileedit", "aftertabfileedit", "beforereadfile":
		t.Path = Head(p.str("file_path"))
	default:
		if e.Kind == ToolResult {
			t.cursorOutput(p.str("tool_output"))
		}
	}
}

// cursorOutput reads what a tool gave back.
func (t *Tool) cursorOutput(s string) {
	o := asObject(s)
	if o == nil {
		t.setOutput(s)
		return
	}
	t.setOutput(output(s))
	if code, ok := o.number("exitCode"); ok {
		t.setExitAndError(code)
	}
	if failed, _ := o.boolean("isError"); failed {
		t.setFailed(t.Output)
	}
	if ok, known := o.boolean("success"); known && !ok {
		t.setFailed(t.Output)
	}
	if strings.HasPrefix(t.Name, "MCP:") {
		t.setOutcome(true)
	}
}

// cursorMore are the events that Cursor has besides. One that it does not know makes it
// ignore the whole file.
var cursorMore = []string{"beforeTabFileRead", "afterAgentResponse",
	"afterAgentThought", "workspaceOpen"}

func checkCursor(l *Look) {
	path := l.Hooked(l.Place)
	if events := l.read(path).obj("hooks"); l.Has(PartHooks) {
		for _, name := range slices.Sorted(maps.Keys(events)) {
			if !slices.ContainsFunc(l.Events, func(e EventName) bool { return e.Name == name }) &&
				!slices.Contains(cursorMore, name) {
				l.Found(ProblemIgnored, PartHooks, path, "remove it", "Cursor does not know the "+
					"event %q and therefore ignores the whole file", name)
			}
			for _, e := range events.list(name) {
				if line := asObject(e).str("command"); strings.Contains(line, "://") {
					l.Found(ProblemIgnored, PartHooks, path, "put the URL into a script",
						"a command contains a URL (%s), and Cursor therefore ignores "+
							"the whole file", line)
				}
			}
		}
	}
	if info, err := os.Lstat(path); l.Project != "" && err == nil &&
		info.Mode()&os.ModeSymlink != 0 {
		l.Found(ProblemIgnored, PartHooks, path, "replace the link by the file",
			"Cursor does not read a project file that is a link")
	}
	if !l.Has(PartMCP) {
		return
	}
	slug := strings.Trim(strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '-'
	}, l.Root), "-")
	approvals := filepath.Join(l.Home, ".cursor", "projects", slug, "mcp-approvals.json")
	if text, _ := disk.Read(approvals, maxRecord); !strings.Contains(string(text), `"`+ServerName+"-") {
		l.Found(ProblemMCP, PartMCP, approvals, "`cursor-agent mcp enable "+ServerName+
			"`, in this directory", "the MCP server is not approved for %s in "+
			"Cursor's command line", l.Root)
	}
}
