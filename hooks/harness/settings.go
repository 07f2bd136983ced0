package harness

import (
	_ "embed"
	"path/filepath"
	"slices"
	"strings"
)

//go:embed ask.ts
var askBoard string

// plugin is a harness's plugin in TypeScript, with the function that asks board in its place.
func plugin(name, text string) string {
	return strings.ReplaceAll(strings.Replace(text, "// @ASK@\n", askBoard, 1), "@HARNESS@", name)
}

// Parts of what is set up in a harness.
const (
	PartHooks   = "hooks"
	PartMCP     = "mcp"
	PartSkill   = "skill"
	PartPointer = "pointer" // lines in the file of instructions that its agent reads
)

// ServerName is what the MCP server, the skill and hooks that have a name are called everywhere.
const ServerName = "board"

// Syntax is what people write into JSON that is no JSON: comments, commas behind the last item,
// a byte order mark in front.
type Syntax uint8

const (
	Comments Syntax = 1 << iota
	TrailingCommas
	ByteOrderMark

	anySyntax = Comments | TrailingCommas | ByteOrderMark
)

// Settings are how a harness is set up. A function for a file gives "" where the harness has none
// at that level.
type Settings struct {
	Binaries     []string
	Dirs         []string // below the home directory, that show it is installed
	HomeVariable string   // the variable that moves its directory

	// Refuses is what it does not read in its JSON files: with such a thing the whole file counts
	// for nothing, or the harness does not start.
	Refuses Syntax

	tools  string              // which tools it is to tell about, as its matcher; "" for all
	asks   []string            // the events that are set up, if not those of most (Hooks)
	Hooked func(*Place) string // the file that the hooks are added to
	Below  []string            // the path to the events in that file
	Header Object              // members that the file must have besides
	Entry  func(command string, h Hook) Object
	Flat   bool // the entries stand in the event's array; else each in the array of a group
	Trusts bool // it runs only hooks that its own settings approve (Codex)

	Own      func(*Place) string                             // or: the file of hooks that is ours alone
	Plugin   string                                          // its text, with "@PROGRAM@" for the path of the program
	OwnEntry func(command, powershell string, h Hook) Object // or: its entries, in JSON
	Shares   *Harness                                        // or: the harness whose file of hooks it reads

	MCP      func(*Place) string
	MCPPath  []string
	MCPEntry func(binary string) Object
	MCPEnv   string   // what the entry calls its environment, if not env
	MCPNeeds []string // members of an entry that is there already and has to have them

	Skills       func(*Place) string // the directory that holds the directories of skills
	Instructions func(*Place) string // the file that its agent reads at every start
}

// Hook is an event that a harness is to tell us about.
type Hook struct {
	Event string
	Tools string // which tools, as the harness's matcher, or "" for all
}

// Hooks are the events that are set up: where a session starts and ends, what tools did, and
// prompts if they can be answered.
func (h *Harness) Hooks() (all []Hook) {
	asks := h.asks
	if asks == nil {
		for _, kind := range []string{SessionStart, Prompt, ToolResult, ToolFailure, SessionEnd} {
			if name := h.nameOf(kind); name != "" && (kind != Prompt || h.Injects(Prompt)) {
				asks = append(asks, name)
			}
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

// Seconds is how long a hook may take: 5, far more than it does; at the end of a session it gets 2.
func (h Hook) Seconds() int {
	if Plain(h.Event) == "sessionend" {
		return 2
	}
	return 5
}

// Object is a JSON object as its names and values in turn: its members keep their order.
type Object []any

// secondsEntry is Claude's form of a hook, which others have taken over.
func secondsEntry(command string, h Hook) Object {
	return Object{"type", "command", "command", command, "timeout", h.Seconds()}
}

// Server is the entry of the MCP server: what the harness wants, and an environment that
// says whose server it is, so that the agent has one name over MCP and in the harness's
// shell.
func (h *Harness) Server(binary string) Object {
	name := "env"
	if h.MCPEnv != "" {
		name = h.MCPEnv
	}
	return append(h.MCPEntry(binary), name, Object{Variable, h.Name})
}

func plainServer(binary string) Object { return Object{"command", binary, "args", []any{"mcp"}} }

func stdioServer(binary string) Object {
	return slices.Concat(Object{"type", "stdio"}, plainServer(binary))
}

// Levels of a configuration.
const (
	User    = "user"
	Project = "project"
)

// Place is where configurations lie: the user's, or those of a project.
type Place struct {
	Home    string // of the user
	Project string // the root of the project, or "" at the level of the user
	Machine string // the directory below which the machine's own files lie; "": its root
	Env     func(string) string
}

// Level is that of the place.
func (p *Place) Level() string {
	if p.Project != "" {
		return Project
	}
	return User
}

// both is a file that has the same path below the project and the home directory.
func both(path string) func(*Place) string {
	return func(p *Place) string { return p.in(path, path) }
}

// in joins a path below the project, or below the home directory.
func (p *Place) in(user, project string) string {
	if p.Project != "" {
		if project == "" {
			return ""
		}
		return filepath.Join(p.Project, filepath.FromSlash(project))
	}
	return filepath.Join(p.Home, filepath.FromSlash(user))
}

// dirOf is the directory of a harness at the level of the user, which a variable may have moved.
func (p *Place) dirOf(variable, user, project string, rest ...string) string {
	if moved := p.Env(variable); p.Project == "" && filepath.IsAbs(moved) {
		return filepath.Join(append([]string{moved}, rest...)...)
	}
	return filepath.Join(append([]string{p.in(user, project)}, rest...)...)
}

// instructions is a file of instructions: in the root of a project, or that of the user, "" if
// there is none.
func (p *Place) instructions(name, user string) string {
	if p.Project != "" {
		return filepath.Join(p.Project, name)
	}
	return user
}

// Short is a path for people: below the home directory it begins with ~.
func (p *Place) Short(path string) string {
	if rel, err := filepath.Rel(p.Home, path); err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return filepath.Join("~", rel)
	}
	return path
}
