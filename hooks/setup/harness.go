package setup

import (
	"path/filepath"
	"runtime"
)

// Parts of what is set up in a harness.
const (
	PartHooks = "hooks"
	PartMCP   = "mcp"
	PartSkill = "skill"
)

// Parts are all of them, in the order in which they are told.
var Parts = []string{PartHooks, PartMCP, PartSkill}

// Levels of a configuration.
const (
	User    = "user"
	Project = "project"
)

// place is where a configuration lies and which program it is to call.
type place struct {
	home    string // of the user
	project string // the root of the project, or "" at the level of the user
	binary  string // absolute
	env     func(string) string
}

func (p *place) level() string {
	if p.project != "" {
		return Project
	}
	return User
}

// in joins a path below the project, or below the home directory.
func (p *place) in(user, project string) string {
	if p.project != "" {
		if project == "" {
			return ""
		}
		return filepath.Join(p.project, filepath.FromSlash(project))
	}
	return filepath.Join(p.home, filepath.FromSlash(user))
}

// dirOf is the directory of a harness at the level of the user, which a variable may have moved.
func (p *place) dirOf(variable, user, project string, rest ...string) string {
	if moved := p.env(variable); p.project == "" && filepath.IsAbs(moved) {
		return filepath.Join(append([]string{moved}, rest...)...)
	}
	return filepath.Join(append([]string{p.in(user, project)}, rest...)...)
}

// event is one that a harness is to tell us about.
type event struct {
	name    string
	matcher string // which tools, or "" for all
}

// harness is one kind of agent. A function for a file gives "" where the harness has none at that level.
type harness struct {
	name, title string
	binaries    []string
	dirs        []string // below the home directory, that show it is installed
	variable    string   // that moves its directory
	records     bool     // nothing can be put into its prompts: only what it does is recorded

	events []event
	hooks  func(*place) string // the file that the hooks are added to
	below  []string            // the path to the events in that file
	header []pair              // members that the file must have besides
	entry  func(command string, e event) object
	flat   bool // the entries stand in the event's array; else each in the array of a group

	ownHooks string // or: the file that is ours alone, from the embedded files or made
	ownPath  func(*place) string

	mcp      func(*place) string
	mcpPath  []string
	mcpValue func(binary string) object

	skill func(*place) string // the directory that holds the directories of skills
}

const (
	claudeTools = "Bash|Edit|Write|NotebookEdit|mcp__.*"
	geminiTools = "run_shell_command|write_file|replace|mcp_.*"
	qwenTools   = "run_shell_command|write_file|edit|replace|mcp__.*"
	codexTools  = "Bash|apply_patch|mcp__.*"
	cursorTools = "Shell|Write|Delete|MCP:"
)

// harnesses are all of them, in the order in which they are told. A hook has 5 seconds, far more than it takes; at the end of a session it gets 2.
var harnesses = []*harness{
	{
		name: "claude", title: "Claude Code", binaries: []string{"claude"}, dirs: []string{".claude"}, variable: "CLAUDE_CONFIG_DIR",
		events: []event{{"SessionStart", ""}, {"UserPromptSubmit", ""}, {"PostToolUse", claudeTools}, {"PostToolUseFailure", claudeTools}, {"SessionEnd", ""}},
		hooks:  func(p *place) string { return p.claude(p.settingsName()) },
		below:  []string{"hooks"}, entry: secondsEntry,
		mcp: func(p *place) string {
			if p.project == "" && filepath.IsAbs(p.env("CLAUDE_CONFIG_DIR")) {
				return p.claude(".claude.json")
			}
			return p.in(".claude.json", ".mcp.json")
		},
		mcpPath: []string{"mcpServers"}, mcpValue: stdioServer,
		skill: func(p *place) string { return p.claude("skills") },
	},
	{
		name: "cursor", title: "Cursor", binaries: []string{"cursor", "cursor-agent"}, dirs: []string{".cursor"},
		events: []event{{"sessionStart", ""}, {"beforeSubmitPrompt", ""}, {"postToolUse", cursorTools}, {"postToolUseFailure", cursorTools}, {"sessionEnd", ""}},
		hooks:  func(p *place) string { return p.in(".cursor/hooks.json", ".cursor/hooks.json") },
		below:  []string{"hooks"}, header: []pair{{"version", 1}}, flat: true,
		entry: func(command string, e event) object {
			return withMatcher(e, object{{"command", command}}, pair{"timeout", seconds(e)})
		},
		mcp:     func(p *place) string { return p.in(".cursor/mcp.json", ".cursor/mcp.json") },
		mcpPath: []string{"mcpServers"}, mcpValue: plainServer, skill: agentSkills,
	},
	{
		name: "gemini", title: "Gemini CLI", binaries: []string{"gemini"}, dirs: []string{".gemini"},
		events: []event{{"SessionStart", ""}, {"BeforeAgent", ""}, {"AfterTool", geminiTools}, {"SessionEnd", ""}},
		hooks:  func(p *place) string { return p.in(".gemini/settings.json", ".gemini/settings.json") },
		below:  []string{"hooks"},
		entry: func(command string, e event) object { // milliseconds
			return object{{"name", "board"}, {"type", "command"}, {"command", command}, {"timeout", 1000 * seconds(e)}}
		},
		mcp:     func(p *place) string { return p.in(".gemini/settings.json", ".gemini/settings.json") },
		mcpPath: []string{"mcpServers"}, mcpValue: plainServer, skill: agentSkills,
	},
	{
		name: "codex", title: "Codex", binaries: []string{"codex"}, dirs: []string{".codex"}, variable: "CODEX_HOME",
		events: []event{{"SessionStart", ""}, {"UserPromptSubmit", ""}, {"PostToolUse", codexTools}, {"SessionEnd", ""}},
		hooks:  func(p *place) string { return p.codex("hooks.json") },
		below:  []string{"hooks"}, entry: secondsEntry,
		mcp: func(p *place) string { return p.codex("config.toml") }, mcpPath: []string{"mcp_servers"}, mcpValue: plainServer,
		skill: agentSkills,
	},
	{
		name: "opencode", title: "OpenCode", binaries: []string{"opencode"}, dirs: []string{".config/opencode", ".opencode"},
		ownHooks: "opencode.ts", ownPath: func(p *place) string { return filepath.Join(p.opencode(), "plugins", "board.ts") },
		mcp:     (*place).opencodeConfig,
		mcpPath: []string{"mcp"}, mcpValue: func(binary string) object {
			return object{{"type", "local"}, {"command", []any{binary, "mcp"}}, {"enabled", true}}
		},
		skill: agentSkills,
	},
	{
		name: "pi", title: "pi", binaries: []string{"pi"}, dirs: []string{".pi"}, variable: "PI_CODING_AGENT_DIR",
		ownHooks: "pi.ts", ownPath: func(p *place) string { return filepath.Join(p.pi(), "extensions", "board.ts") },
		mcp: func(p *place) string { return filepath.Join(p.pi(), "mcp.json") }, mcpPath: []string{"mcpServers"}, mcpValue: plainServer,
		skill: agentSkills,
	},
	{
		name: "qwen", title: "Qwen Code", binaries: []string{"qwen"}, dirs: []string{".qwen"},
		events: []event{{"SessionStart", ""}, {"UserPromptSubmit", ""}, {"PostToolUse", qwenTools}, {"PostToolUseFailure", qwenTools}, {"SessionEnd", ""}},
		hooks:  func(p *place) string { return p.in(".qwen/settings.json", ".qwen/settings.json") },
		below:  []string{"hooks"},
		entry: func(command string, e event) object {
			return object{{"name", "board"}, {"type", "command"}, {"command", command}, {"timeout", seconds(e)}}
		},
		mcp:     func(p *place) string { return p.in(".qwen/settings.json", ".qwen/settings.json") },
		mcpPath: []string{"mcpServers"}, mcpValue: plainServer,
		skill: func(p *place) string { return p.in(".qwen/skills", ".qwen/skills") },
	},
	{
		name: "copilot", title: "Copilot CLI", binaries: []string{"copilot"}, dirs: []string{".copilot"}, variable: "COPILOT_HOME", records: true,
		events: copilotEvents, ownHooks: copilotHooks, ownPath: (*place).copilotFile,
		mcp:     func(p *place) string { return p.userOnly(p.dirOf("COPILOT_HOME", ".copilot", "", "mcp-config.json")) },
		mcpPath: []string{"mcpServers"}, mcpValue: func(binary string) object {
			return object{{"type", "local"}, {"command", binary}, {"args", []any{"mcp"}}, {"tools", []any{"*"}}}
		},
		skill: func(p *place) string { return p.dirOf("COPILOT_HOME", ".copilot", ".github", "skills") },
	},
	{
		// VS Code reads the hooks of Copilot CLI, so that both have one file: a second one would be read by both, and each call would be made twice.
		name: "vscode", title: "VS Code", binaries: []string{"code"}, dirs: []string{".vscode", ".config/Code", "Library/Application Support/Code"}, records: true,
		events: copilotEvents, ownHooks: copilotHooks, ownPath: (*place).copilotFile,
		mcp: func(p *place) string { return p.in(vscodeUser()+"/mcp.json", ".vscode/mcp.json") }, mcpPath: []string{"servers"}, mcpValue: stdioServer,
		skill: func(p *place) string { return p.dirOf("COPILOT_HOME", ".copilot", ".github", "skills") },
	},
	{
		name: "windsurf", title: "Windsurf", binaries: []string{"windsurf"}, dirs: []string{".codeium/windsurf"}, records: true,
		events: []event{{"post_write_code", ""}, {"post_run_command", ""}, {"post_mcp_tool_use", ""}},
		hooks:  func(p *place) string { return p.in(".codeium/windsurf/hooks.json", ".windsurf/hooks.json") },
		below:  []string{"hooks"}, flat: true,
		entry:   func(command string, _ event) object { return object{{"command", command}, {"show_output", false}} },
		mcp:     func(p *place) string { return p.in(".codeium/windsurf/mcp_config.json", "") },
		mcpPath: []string{"mcpServers"}, mcpValue: plainServer,
		skill: func(p *place) string { return p.in(".codeium/windsurf/skills", ".windsurf/skills") },
	},
	{
		name: "factory", title: "Factory", binaries: []string{"droid"}, dirs: []string{".factory"}, records: true,
		events: []event{{"SessionStart", ""}, {"UserPromptSubmit", ""}, {"PostToolUse", ""}, {"SessionEnd", ""}},
		hooks:  func(p *place) string { return p.in(".factory/hooks.json", ".factory/hooks.json") }, entry: secondsEntry,
		mcp: func(p *place) string { return p.in(".factory/mcp.json", ".factory/mcp.json") }, mcpPath: []string{"mcpServers"}, mcpValue: stdioServer,
		skill: func(p *place) string { return p.in(".factory/skills", ".factory/skills") },
	},
}

// copilotHooks is the content that copilotFile makes.
const copilotHooks = "copilot"

var copilotEvents = []event{{"sessionStart", ""}, {"postToolUse", ""}, {"postToolUseFailure", ""}, {"sessionEnd", ""}}

// vscodeUser is the directory of its user's files below the home directory.
func vscodeUser() string {
	switch runtime.GOOS {
	case "darwin":
		return "Library/Application Support/Code/User"
	case "windows":
		return "AppData/Roaming/Code/User"
	}
	return ".config/Code/User"
}

func findHarness(name string) *harness {
	for _, h := range harnesses {
		if h.name == name {
			return h
		}
	}
	return nil
}

// seconds is how long a hook may take.
func seconds(e event) int {
	if e.name == "SessionEnd" || e.name == "sessionEnd" {
		return 2
	}
	return 5
}

func secondsEntry(command string, e event) object {
	return object{{"type", "command"}, {"command", command}, {"timeout", seconds(e)}}
}

func withMatcher(e event, o object, more ...pair) object {
	if e.matcher != "" {
		o = append(o, pair{"matcher", e.matcher})
	}
	return append(o, more...)
}

func plainServer(binary string) object {
	return object{{"command", binary}, {"args", []any{"mcp"}}}
}

func stdioServer(binary string) object {
	return append(object{{"type", "stdio"}}, plainServer(binary)...)
}

// settingsName: the path of a program on one machine is no business of those who share the project.
func (p *place) settingsName() string {
	if p.project != "" {
		return "settings.local.json"
	}
	return "settings.json"
}

func (p *place) claude(name string) string {
	return p.dirOf("CLAUDE_CONFIG_DIR", ".claude", ".claude", name)
}

// codex is a file of its directory. Codex itself resolves links in $CODEX_HOME, and the trust in a hook names the path that it has then.
func (p *place) codex(name string) string {
	dir := p.dirOf("CODEX_HOME", ".codex", ".codex")
	if p.project == "" && p.env("CODEX_HOME") != "" {
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			dir = real
		}
	}
	return filepath.Join(dir, name)
}

func (p *place) pi() string {
	return p.dirOf("PI_CODING_AGENT_DIR", ".pi/agent", ".pi")
}

func (p *place) opencode() string {
	if dir := p.env("XDG_CONFIG_HOME"); p.project == "" && filepath.IsAbs(dir) {
		return filepath.Join(dir, "opencode")
	}
	return p.in(".config/opencode", ".opencode")
}

// opencodeConfig is the configuration that there is: it may be JSON or JSON with comments.
func (p *place) opencodeConfig() string {
	dir := p.opencode()
	if p.project != "" {
		dir = p.project
	}
	if name := filepath.Join(dir, "opencode.jsonc"); exists(name) {
		return name
	}
	return filepath.Join(dir, "opencode.json")
}

func (p *place) copilotFile() string {
	return p.dirOf("COPILOT_HOME", ".copilot", ".github", "hooks", "board.json")
}

func (p *place) userOnly(path string) string {
	if p.project != "" {
		return ""
	}
	return path
}

func agentSkills(p *place) string { return p.in(".agents/skills", ".agents/skills") }
