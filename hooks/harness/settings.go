package harness

import (
	_ "embed"
	"path/filepath"
	"slices"
	"strings"
)

//go:embed ask.ts
var askBoard string

// Plugin returns the text of the file of hooks that is ours alone, with "@PROGRAM@" for
// the path of the program; "" if that file is not a plugin in TypeScript.
func (h *Harness) Plugin() string {
	text := strings.Replace(h.plugin, "// @ASK@\n", askBoard, 1)
	return strings.ReplaceAll(text, "@HARNESS@", h.Name)
}

// Parts of a setup.
const (
	PartHooks   = "hooks"
	PartMCP     = "mcp"
	PartSkill   = "skill"
	PartPointer = "pointer" // lines in the file of instructions that its agent reads
)

// ServerName is what the MCP server, the skill and hooks that have a name are called
// everywhere.
const ServerName = "board"

// Syntax is an extension of JSON that people use: comments, trailing commas, a byte
// order mark.
type Syntax uint8

const (
	Comments Syntax = 1 << iota
	TrailingCommas
	ByteOrderMark

	anySyntax = Comments | TrailingCommas | ByteOrderMark
)

// Settings describe how a harness is set up. A function for a file returns "" if the
// harness has no such file at that level.
type Settings struct {
	Binaries     []string
	Dirs         []string // below the home directory, that show it is installed
	HomeVariable string   // the variable that moves its directory

	// Refuses is the syntax that it does not accept in its JSON files. With such syntax
	// it ignores the whole file or does not start.
	Refuses Syntax

	tools  string              // which tools it is to tell about, as its matcher; "" for all
	asks   []string            // the events that are set up, if not those of most (Hooks)
	Hooked func(*Place) string // the file that the hooks are added to
	Below  []string            // the path to the events in that file
	Header Object              // members that the file must have besides
	Entry  func(command string, h Hook) Object
	Flat   bool // the entries stand in the event's array; else each in the array of a group
	Trusts bool // it runs only hooks that its own settings approve (Codex)

	// or: the file of hooks that is ours alone
	Own      func(*Place) string
	plugin   string                                          // its text, see Plugin
	OwnEntry func(command, powershell string, h Hook) Object // or: its entries, in JSON

	MCP      func(*Place) string
	MCPPath  []string
	MCPEntry func(binary string) Object
	MCPEnv   string   // what the entry calls its environment, if not env
	MCPNeeds []string // members of an entry that is there already and has to have them

	Skills       func(*Place) string // the directory that holds the directories of skills
	Instructions func(*Place) string // the file that its agent reads at every start
}

// Hook is an event that setup registers.
type Hook struct {
	Event string
	Tools string // which tools, as the harness's matcher, or "" for all
}

// Hooks returns the events that setup registers: session start and end, tool results,
// and prompts if they accept a text.
func (h *Harness) Hooks() (all []Hook) {
	asks := h.asks
	if asks == nil {
		for _, kind := range []string{SessionStart, Prompt, ToolResult, ToolFailure,
			SubagentStart, SubagentStop, TaskCompleted, SessionEnd} {
			speaks := slices.Contains([]string{Prompt, SubagentStart, SubagentStop, TaskCompleted}, kind)
			if name := h.nameOf(kind); name != "" && (!speaks || h.Injects(kind) || h.Blocks(kind)) {
				asks = append(asks, name)
			}
		}
		if h.Injects(SubagentStop) && h.nameOf(PostCompact) != "" { // it has a summary to hand over
			asks = append(asks, h.nameOf(PostCompact))
		}
	}
	for _, name := range asks {
		hook := Hook{Event: name}
		if kind := h.KindOf(name); kind == ToolResult || kind == ToolFailure {
			hook.Tools = h.tools
		}
		all = append(all, hook)
	}
	return all
}

// Seconds returns the harness's timeout of a hook: 5, far more than it needs; 2 at the
// end of a session.
func (h Hook) Seconds() int {
	if Plain(h.Event) == "sessionend" {
		return 2
	}
	return 5
}

// Object is a JSON object as alternating names and values, so that its members keep
// their order.
type Object []any

// secondsEntry is a hook in Claude's format, which other harnesses use too.
func secondsEntry(command string, h Hook) Object {
	return Object{"type", "command", "command", command, "timeout", h.Seconds()}
}

// Server returns the entry of the MCP server. Its environment names the harness, so
// that the agent has one name over MCP and in the harness's shell.
func (h *Harness) Server(binary string) Object {
	name := "env"
	if h.MCPEnv != "" {
		name = h.MCPEnv
	}
	return append(h.MCPEntry(binary), name, Object{Variable, h.Name})
}

// ServerVariables are what an MCP server takes from the environment of a harness that
// passes none by itself: where its data are, whose they are, of which project, and where the daemon is.
var ServerVariables = []string{"BOARD_HOME", "BOARD_RUN", "BOARD_WORKER", "BOARD_WORKSPACE", "BOARD_MODEL_DIR",
	"BOARD_DATABASE_URL", "XDG_RUNTIME_DIR", "XDG_DATA_HOME"}

func plainServer(binary string) Object { return Object{"command", binary, "args", []any{"mcp"}} }

func stdioServer(binary string) Object {
	return slices.Concat(Object{"type", "stdio"}, plainServer(binary))
}

// Levels of a configuration.
const (
	User    = "user"
	Project = "project"
)

// Place locates configurations: the user's, or a project's.
type Place struct {
	Home    string // of the user
	Project string // the root of the project, or "" at the level of the user
	Machine string // the directory below which the machine's own files lie; "": its root
	Env     func(string) string
}

// Level returns User or Project.
func (p *Place) Level() string {
	if p.Project != "" {
		return Project
	}
	return User
}

// both returns a file with the same path below the project and the home directory.
func both(path string) func(*Place) string {
	return func(p *Place) string { return p.in(path, path) }
}

// in returns a path below the project, "" for none, or else below the home directory.
func (p *Place) in(user, project string) string {
	if p.Project != "" {
		if project == "" {
			return ""
		}
		return filepath.Join(p.Project, filepath.FromSlash(project))
	}
	return filepath.Join(p.Home, filepath.FromSlash(user))
}

// dirOf returns a harness's directory. At the user's level a variable may override it.
func (p *Place) dirOf(variable, user, project string, rest ...string) string {
	if moved := p.Env(variable); p.Project == "" && filepath.IsAbs(moved) {
		return filepath.Join(append([]string{moved}, rest...)...)
	}
	return filepath.Join(append([]string{p.in(user, project)}, rest...)...)
}

// instructions returns the instructions file: in the root of the project, or the
// user's; "" if there is none.
func (p *Place) instructions(name, user string) string {
	if p.Project != "" {
		return filepath.Join(p.Project, name)
	}
	return user
}

// Short shortens a path for people: below the home directory it begins with ~.
func (p *Place) Short(path string) string {
	if rel, err := filepath.Rel(p.Home, path); err == nil && rel != ".." &&
		!strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return filepath.Join("~", rel)
	}
	return path
}
