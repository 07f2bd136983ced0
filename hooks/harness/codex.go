package harness

import (
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"blackboard/board/text"
)

// codex is Codex CLI. A command that fails has the event of one that does not, without an exit code; a patch gives its
// own. MCP tools that fail have no event.
var codex = &Harness{
	Name: "codex", Title: "Codex", Aliases: []string{"codex-cli"},
	shells: []string{"CODEX_SANDBOX", "CODEX_SANDBOX_NETWORK_DISABLED",
		"CODEX_THREAD_ID", "CODEX_CI"},
	sign: func(p object) bool {
		return p.has("turn_id") || strings.HasPrefix(path.Base(p.transcript()), "rollout-")
	},
	Events: []EventName{
		{"SessionStart", SessionStart}, {"UserPromptSubmit", Prompt}, {"PreToolUse", ToolCall},
		{"PostToolUse", ToolResult}, {"PreCompact", PreCompact}, {"PostCompact", PostCompact},
		{"SubagentStart", SubagentStart}, {"SubagentStop", SubagentStop}, {"Stop", Stop},
		{"SessionEnd", SessionEnd},
	},
	injects: []string{SessionStart, Prompt, SubagentStart, SubagentStop}, restarts: true,
	encode: func(e *Event, name, text string) any {
		if e.Kind == SubagentStop { // its objects are closed: this one has a form of its own
			return struct {
				Decision string `json:"decision"`
				Reason   string `json:"reason"`
			}{"block", text}
		}
		return hookSpecific(e, name, text)
	},
	decode: func(e *Event, p object) {
		t := e.Tool
		switch {
		case t == nil || e.Kind != ToolResult || t.OK != nil:
		case t.Name == "apply_patch":
			if t.parseFirstExit(t.Output) && !*t.OK {
				t.Error = t.Output
			}
		case strings.HasPrefix(t.Name, "mcp__"):
			t.setOutcome(true)
		}
	},
	Settings: Settings{
		Binaries: []string{"codex"}, Dirs: []string{".codex"}, HomeVariable: "CODEX_HOME",
		Refuses: anySyntax,
		tools:   "Bash|apply_patch|mcp__.*",
		Hooked:  func(p *Place) string { return p.codex("hooks.json") },
		Trusts:  true,
		MCP:     func(p *Place) string { return p.codex("config.toml") },
		MCPPath: []string{"mcp_servers"},
		Instructions: func(p *Place) string {
			return p.instructions("AGENTS.md",
				p.codex("AGENTS.md"))
		},
	},
	settle: codexOutcome,
	// Its event_msg lines say the same once more.
	transcript: transcript{around: map[string]string{"response_item": "payload",
		"item.completed": "item"}, inner: "agent_message"},
}

// codexOutcome reads from a line of Codex's rollout what hooks do not get: a command's
// outcome, and the files that a patch in a command changed.
func codexOutcome(line object) (use Tool, ok bool) {
	p := line.obj("payload")
	if item := p.obj("item"); item.str("type") == "FileChange" {
		changes := item.obj("changes")
		if len(changes) == 0 || item.str("status") != "completed" {
			return use, false
		}
		patch := patchBegin
		for _, file := range slices.Sorted(maps.Keys(changes)) {
			if kind := changes.obj(file).str("type"); kind != "" { // "update", in a patch "Update"
				patch += "\n*** " + strings.ToUpper(kind[:1]) + kind[1:] + " File: " + file
			}
		}
		use = Tool{Name: "apply_patch", ID: item.str("id"), Command: patch}
		use.patch()
		use.setOutcome(true)
		return use, true
	}
	if line.str("type") != "response_item" || !strings.HasSuffix(p.str("type"), "_call_output") {
		return use, false
	}
	use.ID = p.str("call_id")
	said := textOf(p["output"])
	if o := p.obj("output"); o != nil { // its older form
		said = o.str("output")
		if code, known := o.obj("metadata").number("exit_code"); known {
			use.Output = Head(said)
			use.setExitAndError(code)
			return use, true
		}
	}
	head, body, _ := strings.Cut(said, "\nOutput:")
	m := codexExit.FindStringSubmatch(head)
	if m == nil {
		return use, false
	}
	code, err := strconv.ParseInt(m[1], 10, 32)
	use.Output = Head(body)
	use.setExitAndError(code)
	return use, err == nil
}

// codexExit matches an exit code in a rollout, before the output.
var codexExit = text.NewRegexp(`(?m)^(?:Process exited with code|Exit code:) (-?\d{1,9})$`)

// codex returns a file of Codex's directory. Codex itself resolves links in $CODEX_HOME, and the trust in a hook names
// the path that it has then.
func (p *Place) codex(name string) string {
	dir := p.dirOf("CODEX_HOME", ".codex", ".codex")
	if p.Project == "" && p.Env("CODEX_HOME") != "" {
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			dir = real
		}
	}
	return filepath.Join(dir, name)
}
