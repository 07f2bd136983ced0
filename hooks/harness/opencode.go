package harness

import (
	"cmp"
	_ "embed"
	"os"
	"path/filepath"
	"strings"
)

//go:embed opencode.ts
var openCodePlugin string

// opencode is OpenCode, through a plugin that passes its hooks on. The plugin may send
// Claude's names and fields (session_id, tool_name, …), or a hook's two arguments as
// they are: {"hook", "input", "output"}.
var opencode = &Harness{
	Name: "opencode", Title: "OpenCode",
	shells: []string{"OPENCODE"},
	sign:   func(p object) bool { return p.has("hook") && p.obj("input") != nil },
	Events: []EventName{
		{"experimental.chat.system.transform", SessionStart}, {"chat.message", Prompt},
		{"tool.execute.before", ToolCall}, {"message.part.updated", ToolResult},
		{"tool.execute.after", ToolResult},
		{"file.edited", FileEdit}, {"experimental.session.compacting", PreCompact},
		{"session.compacted", PostCompact}, {"session.idle", Stop},
		{"session.deleted", SessionEnd},
	},
	// message.part.updated tells failures as well
	echoes:  []string{"tool.execute.after", "file.edited"},
	injects: []string{SessionStart, Prompt, PreCompact},
	// The plugin puts the start into the system message of each request, from its own
	// memory; what it adds to a prompt is stored with the message.
	unreplayed: []string{SessionStart},
	eventOf: func(p object) string {
		if hook := p.str("hook"); hook != "event" {
			return hook
		}
		return p.obj("input").obj("event").str("type")
	},
	decode: func(e *Event, p object) {
		if p.has("hook") {
			decodeOpenCode(e, p)
		} else if e.Tool != nil {
			e.Tool.openCodeExit(p.obj("metadata"))
		}
		e.Prompt = unquoted(e.Prompt)
		e.clearSource() // the plugin knows its own process only
	},
	encode:     contextAnswer,
	transcript: transcript{around: map[string]string{"text": "part"}, inner: "text"},
	Settings: Settings{
		Binaries: []string{"opencode"}, Dirs: []string{".config/opencode", ".opencode"},
		plugin: openCodePlugin,
		Own:    openCodeFile("opencode", "plugins", "board.ts"),
		MCP:    openCodeServers("opencode"), MCPPath: []string{"mcp"}, MCPEntry: openCodeServer,
		MCPEnv: "environment",
		Instructions: func(p *Place) string {
			return p.instructions("AGENTS.md",
				openCodeFile("opencode", "AGENTS.md")(p))
		},
	},
	Check: checkOpenCode,
}

// openCodeFile is a file of the directory of OpenCode, or of one that is built on it.
func openCodeFile(name string, rest ...string) func(*Place) string {
	return func(p *Place) string {
		dir := p.in(".config/"+name, "."+name)
		if moved := p.Env("XDG_CONFIG_HOME"); p.Project == "" && filepath.IsAbs(moved) {
			dir = filepath.Join(moved, name)
		}
		return filepath.Join(append([]string{dir}, rest...)...)
	}
}

// openCodeServers is the file of the MCP servers: there may be JSON or JSON with
// comments.
func openCodeServers(name string) func(*Place) string {
	return func(p *Place) string {
		dir := openCodeFile(name)(p)
		if p.Project != "" {
			dir = p.Project
		}
		commented := filepath.Join(dir, name+".jsonc")
		if _, err := os.Lstat(commented); err == nil {
			return commented
		}
		return filepath.Join(dir, name+".json")
	}
}

func openCodeServer(binary string) Object {
	return Object{"type", "local", "command", []any{binary, "mcp"}, "enabled", true}
}

func checkOpenCode(l *Look) {
	if path := l.MCP(l.Place); l.Has(PartMCP) &&
		l.says(path, false, "mcp", ServerName, "enabled") {
		l.Found(ProblemDisabled, PartMCP, path, "set enabled to true",
			"the MCP server is disabled in %s", l.Title)
	}
}

// contextAnswer is an answer that is a context and nothing else: ours, for the plugins
// that we bring along, and Copilot's.
func contextAnswer(_ *Event, _, text string) any {
	return struct {
		Context string `json:"additionalContext"`
	}{text}
}

func decodeOpenCode(e *Event, p object) {
	in, out := p.obj("input"), p.obj("output")
	props := in.obj("event").obj("properties")
	part := props.obj("part")
	e.Session = in.str("sessionID")
	e.Session = cmp.Or(e.Session, props.str("sessionID"))
	e.Cwd = in.str("cwd", "directory")
	switch {
	case e.Kind == SessionStart:
		e.Source = Startup
	case e.Kind == Prompt:
		e.Prompt, e.Turn = openCodePrompt(out), out.obj("message").str("id")
	case e.Name == "message.part.updated":
		if part.str("type") != "tool" {
			e.Kind, e.Tool = Other, nil
			return
		}
		e.openCodePart(part)
	case e.Name == "tool.execute.before", e.Name == "tool.execute.after":
		t := e.tool()
		t.ID, t.Name = in.str("callID"), in.str("tool")
		if e.Kind == ToolCall {
			t.setInput(out["args"])
			return
		}
		t.setInput(in["args"])
		t.setOutput(output(p["output"]))
		t.openCodeExit(out.obj("metadata"))
	case e.Kind == FileEdit:
		e.tool().Path = props.str("file")
	}
}

// openCodePrompt is what the user wrote, without what plugins have added.
func openCodePrompt(out object) string {
	var texts []string
	for _, v := range out.list("parts") {
		part := asObject(v)
		if synthetic, _ := part.boolean("synthetic"); part.str("type") == "text" && !synthetic {
			texts = append(texts, part.str("text"))
		}
	}
	return strings.Join(texts, "\n")
}

// openCodePart reads the part of a message that is the use of a tool. Until it is over,
// nothing is to be told.
func (e *Event) openCodePart(part object) {
	t, state := e.tool(), part.obj("state")
	t.ID, t.Name = part.str("callID"), part.str("tool")
	t.setInput(state["input"])
	begin, known := state.obj("time").number("start")
	end, over := state.obj("time").number("end")
	if ms := end - begin; known && over && ms >= 0 {
		t.DurationMS = &ms
	}
	switch state.str("status") {
	case "completed":
		t.setOutput(state.str("output"))
		t.openCodeExit(state.obj("metadata"))
	case "error":
		e.Kind = ToolFailure
		t.setFailed(state.str("error"))
	default:
		e.Kind = Other
	}
}

// openCodeExit reads how a tool that has come to its end went: bash has an exit code.
func (t *Tool) openCodeExit(metadata object) {
	if code, ok := metadata.number("exit"); ok && t.Error == "" {
		t.setExitAndError(code)
	}
	if t.Command == "" {
		t.setOutcome(true)
	}
}

// unquoted takes away the quotes that `opencode run` puts around its argument.
func unquoted(prompt string) string {
	if s := strings.TrimSpace(prompt); len(s) >= 2 && s[0] == '"' && s[len(s)-1] == '"' {
		return s[1 : len(s)-1]
	}
	return prompt
}
