package setup

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Kinds of what can be wrong.
const (
	ProblemFile     = "file"       // it cannot be read, written or understood
	ProblemMissing  = "incomplete" // some of our hooks are gone
	ProblemProgram  = "program"    // the program that is called is not there, or another one
	ProblemStale    = "stale"      // a file of ours is of another version
	ProblemDisabled = "disabled"   // hooks, or the MCP server, are switched off in the harness
	ProblemTrust    = "trust"      // the user has not approved the hooks, or the folder
	ProblemMCP      = "mcp"        // the MCP server is refused, or not approved yet
	ProblemIgnored  = "ignored"    // the harness will not read the file
	ProblemVersion  = "version"    // what was written is of another version of the program
)

// Problem is something that is wrong with what is set up.
type Problem struct {
	Kind string `json:"kind"`    // what kind of problem it is: ProblemFile, …
	Part string `json:"part"`    // the part that it is about, one of Parts
	Path string `json:"path"`    // the file that it is about
	Msg  string `json:"message"` // what is wrong
	Hint string `json:"try"`     // the next step
}

// Report is what is wrong with a harness.
type Report struct {
	Status
	Problems []Problem `json:"problems"` // none: all is well
}

// checker collects the problems of one harness.
type checker struct {
	s        *Setup
	h        *harness
	dir      string // where the user works
	problems []Problem
}

func (c *checker) add(kind, part, path, hint, format string, a ...any) {
	c.problems = append(c.problems, Problem{kind, part, path, fmt.Sprintf(format, a...), hint})
}

// Check says what is wrong with the harnesses of these names, of which those are left out that nothing is set up in. dir is where the user works: trust in folders and projects counts there.
func (s *Setup) Check(names []string, dir string) ([]Report, error) {
	all, err := s.Status(names)
	if err != nil {
		return nil, err
	}
	reports := []Report{}
	for _, st := range all {
		h := findHarness(st.Name)
		broken := slices.ContainsFunc(st.Parts, func(p PartState) bool { return p.State == Broken })
		if !s.isSetUp(h, &st) && !(broken && st.Found) {
			continue
		}
		c := &checker{s: s, h: h, dir: dir, problems: []Problem{}}
		c.files(&st)
		c.harness(&st)
		reports = append(reports, Report{st, c.problems})
	}
	return reports, nil
}

// isSetUp reports whether any part is there for the harness itself: a file that only serves another one does not count.
func (s *Setup) isSetUp(h *harness, st *Status) bool {
	for _, t := range s.targets(h) {
		there := slices.ContainsFunc(st.Parts, func(p PartState) bool {
			return slices.Contains(t.parts, p.Part) && (p.State == Ready || p.State == Outdated)
		})
		if !there {
			continue
		}
		if real, err := resolve(t.path); err == nil && (t.own == nil || serves(s.manifest.of(real), h)) {
			return true
		}
	}
	return false
}

const again = "`board setup` brings it up to date"

// files looks at the files that parts of ours lie in.
func (c *checker) files(st *Status) {
	trust := c.s.trustNow(c.h)
	for _, t := range c.s.targets(c.h) {
		disk, err := look(t.path)
		var e *Error
		if errors.As(err, &e) {
			c.add(ProblemFile, t.parts[0], t.path, e.Hint, "%s", e.Msg)
			continue
		} else if err != nil || !disk.exists {
			continue
		}
		if t.own != nil && !c.s.isOwnFile(t.path, disk.text) {
			continue
		}
		if _, err := c.s.present(t, disk.text, true, trust); errors.As(err, &e) {
			c.add(ProblemFile, t.parts[0], t.path, e.Hint, "%s", e.Msg)
			continue
		}
		c.programs(t, disk.text)
		if r := c.s.manifest.of(disk.real); r != nil && r.Version != c.s.version && slices.Contains(r.Harnesses, c.h.name) {
			c.add(ProblemVersion, t.parts[0], t.path, again, "%s was set up by version %s of board, and this is %s", c.s.short(t.path), r.Version, c.s.version)
		}
	}
	for _, p := range st.Parts {
		if p.State == Outdated && !slices.ContainsFunc(c.problems, func(o Problem) bool { return o.Part == p.Part }) && !(c.h.name == "codex" && p.Part == PartHooks && c.complete()) {
			kind, msg := ProblemMissing, "are not complete"
			if c.h.ownPath != nil && p.Part == PartHooks || p.Part == PartSkill {
				kind, msg = ProblemStale, "are not as this version writes them"
			}
			c.add(kind, p.Part, p.Paths[0], again, "the %s of %s %s", p.Part, c.h.title, msg)
		}
	}
}

// complete reports whether all hooks of Codex are in their file, whether trusted or not.
func (c *checker) complete() bool {
	for _, t := range c.s.targets(c.h) {
		if slices.Contains(t.parts, PartHooks) && !t.trust {
			return c.s.stateOf(t, PartHooks, trusting{}) == Ready
		}
	}
	return false
}

// programs looks whether what is called is this program, and there.
func (c *checker) programs(t target, b []byte) {
	var calls [][2]string // part and program
	switch {
	case t.own != nil:
		if slices.Contains(t.parts, PartHooks) {
			calls = append(calls, [2]string{PartHooks, programIn(t.path, b)})
		}
	case isTOML(t.path):
		if meaning, _, err := parseTOML(b); err == nil {
			program, _ := c.s.codexServer(meaning)
			calls = append(calls, [2]string{PartMCP, program})
		}
	default:
		root, err := parseJSON(b)
		if err != nil {
			return
		}
		if slices.Contains(t.parts, PartMCP) {
			calls = append(calls, [2]string{PartMCP, c.s.serverIn(root, c.h)})
		}
		if slices.Contains(t.parts, PartHooks) {
			for _, f := range c.s.ownHooks(root, c.h) {
				if call := [2]string{PartHooks, f.program}; !slices.Contains(calls, call) {
					calls = append(calls, call)
				}
			}
		}
	}
	for _, call := range calls {
		part, program := call[0], call[1]
		switch {
		case program == "" || program == c.s.binary:
		case !exists(program):
			c.add(ProblemProgram, part, t.path, again, "%s calls %s, which is not there any more", c.s.short(t.path), program)
		default:
			c.add(ProblemProgram, part, t.path, again, "%s calls %s, and this is %s", c.s.short(t.path), program, c.s.binary)
		}
	}
}

// harness looks at what the harness itself says about hooks and servers.
func (c *checker) harness(st *Status) {
	has := func(part string) bool {
		return slices.ContainsFunc(st.Parts, func(p PartState) bool { return p.Part == part && p.State != Absent })
	}
	switch c.h.name {
	case "claude":
		c.claude(has)
	case "cursor":
		c.cursor(has)
	case "gemini":
		c.gemini(has)
	case "qwen":
		c.qwen(has)
	case "codex":
		c.codex()
	case "opencode":
		if root := readJSON(c.h.mcp(&c.s.place)); has(PartMCP) && root.at("mcp", serverName, "enabled").word(textOf(c.h.mcp(&c.s.place))) == "false" {
			c.add(ProblemDisabled, PartMCP, c.h.mcp(&c.s.place), "set enabled to true", "the MCP server is switched off in OpenCode")
		}
	}
}

// textOf is what a file holds, or nothing.
func textOf(path string) []byte {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	return b
}

// readJSON is what a file means, or nil, which means nothing.
func readJSON(path string) *node {
	root, err := parseJSON(textOf(path))
	if err != nil {
		return nil
	}
	return root
}

// isSet reports whether a file sets a path of names to a word such as true.
func isSet(path, word string, names ...string) bool {
	return readJSON(path).at(names...).word(textOf(path)) == word
}

// lists reports whether a list of strings has a text.
func lists(n *node, text string) bool {
	return n != nil && slices.ContainsFunc(n.items, func(it item) bool { return it.value.text() == text })
}

func (c *checker) claude(has func(string) bool) {
	paths := []string{c.s.claude("settings.json"), filepath.Join(c.root(), ".claude", "settings.json"), filepath.Join(c.root(), ".claude", "settings.local.json")}
	slices.Sort(paths)
	approved := false
	for _, path := range slices.Compact(paths) {
		if has(PartHooks) && isSet(path, "true", "disableAllHooks") {
			c.add(ProblemDisabled, PartHooks, path, "remove disableAllHooks, or set it to false", "hooks are switched off in Claude Code by %s", c.s.short(path))
		}
		root := readJSON(path)
		approved = approved || isSet(path, "true", "enableAllProjectMcpServers") || lists(root.at("enabledMcpjsonServers"), serverName)
		if has(PartMCP) && lists(root.at("disabledMcpjsonServers"), serverName) {
			c.add(ProblemMCP, PartMCP, path, "take it out of disabledMcpjsonServers", "the MCP server is refused by %s", c.s.short(path))
			approved = true
		}
	}
	if c.s.project != "" && has(PartMCP) && !approved {
		c.add(ProblemMCP, PartMCP, c.h.mcp(&c.s.place), "/mcp in Claude Code approves it", "the MCP server of the project is not approved yet")
	}
}

// cursorEvents are all that Cursor knows. One that it does not know makes it ignore the whole file.
var cursorEvents = strings.Fields(`sessionStart sessionEnd beforeSubmitPrompt preToolUse postToolUse postToolUseFailure beforeShellExecution afterShellExecution
	beforeMCPExecution afterMCPExecution beforeReadFile afterFileEdit beforeTabFileRead afterTabFileEdit stop afterAgentResponse
	afterAgentThought preCompact subagentStart subagentStop workspaceOpen`)

func (c *checker) cursor(has func(string) bool) {
	path := c.h.hooks(&c.s.place)
	if root := readJSON(path); has(PartHooks) && root.at("hooks") != nil {
		for _, m := range root.at("hooks").items {
			if !slices.Contains(cursorEvents, m.key) {
				c.add(ProblemIgnored, PartHooks, path, "remove it", "Cursor knows no event %q, and ignores the whole file because of it", m.key)
			}
			for _, e := range m.value.items {
				if line := e.value.at("command").text(); strings.Contains(line, "://") {
					c.add(ProblemIgnored, PartHooks, path, "put the address into a script", "a command holds an address (%s), and Cursor ignores the whole file because of it", line)
				}
			}
		}
	}
	if info, err := os.Lstat(path); c.s.project != "" && err == nil && info.Mode()&os.ModeSymlink != 0 {
		c.add(ProblemIgnored, PartHooks, path, "put the file itself there", "Cursor does not read the file of a project that is a link")
	}
	if !has(PartMCP) {
		return
	}
	slug := strings.Trim(strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '-'
	}, c.root()), "-")
	approvals := filepath.Join(c.s.home, ".cursor", "projects", slug, "mcp-approvals.json")
	if !strings.Contains(string(textOf(approvals)), `"`+serverName+"-") {
		c.add(ProblemMCP, PartMCP, approvals, "`cursor-agent mcp enable "+serverName+"`, in this directory", "the MCP server is not approved for %s in Cursor's command line", c.root())
	}
}

// root is the project that the user works in.
func (c *checker) root() string {
	if c.s.project != "" {
		return c.s.project
	}
	root, err := ProjectRoot(c.dir)
	if err != nil {
		return c.dir
	}
	return root
}

func (c *checker) gemini(has func(string) bool) {
	path := filepath.Join(c.s.home, ".gemini", "settings.json")
	for _, path := range slices.Compact([]string{path, c.h.hooks(&c.s.place)}) {
		if has(PartHooks) && (isSet(path, "false", "hooksConfig", "enabled") || lists(readJSON(path).at("hooksConfig", "disabled"), serverName)) {
			c.add(ProblemDisabled, PartHooks, path, "`/hooks enable` in Gemini CLI", "the hooks are switched off in Gemini CLI by %s", c.s.short(path))
		}
	}
	if c.s.env("GEMINI_CLI_TRUST_WORKSPACE") != "true" && !isSet(path, "false", "security", "folderTrust", "enabled") {
		c.folder(filepath.Join(c.s.home, ".gemini", "trustedFolders.json"))
	}
}

func (c *checker) qwen(has func(string) bool) {
	path := filepath.Join(c.s.home, ".qwen", "settings.json")
	for _, path := range slices.Compact([]string{path, c.h.hooks(&c.s.place)}) {
		if has(PartHooks) && isSet(path, "true", "disableAllHooks") {
			c.add(ProblemDisabled, PartHooks, path, "remove disableAllHooks, or set it to false", "hooks are switched off in Qwen Code by %s", c.s.short(path))
		}
	}
	if isSet(path, "true", "security", "folderTrust", "enabled") {
		c.folder(filepath.Join(c.s.home, ".qwen", "trustedFolders.json"))
	}
}

// folder looks whether the folder is trusted that the user works in: by its own line or that of one around it; the nearest counts.
func (c *checker) folder(path string) {
	root := readJSON(path)
	dir, err := resolve(c.dir)
	if err != nil {
		dir = c.dir
	}
	best, trusted := -1, false
	if root != nil {
		for _, m := range root.items {
			at := filepath.Clean(m.key)
			if m.value.text() == "TRUST_PARENT" {
				at = filepath.Dir(at)
			}
			if rel, err := filepath.Rel(at, dir); err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator)) && len(at) > best {
				best, trusted = len(at), m.value.text() != "DO_NOT_TRUST"
			}
		}
	}
	if !trusted {
		c.add(ProblemTrust, PartHooks, path, "start it there and trust the folder", "%s does not trust %s, and runs no hooks there", c.h.title, dir)
	}
}

func (c *checker) codex() {
	user := c.s.place
	user.project = ""
	path := user.codex("config.toml")
	meaning, _, err := parseTOML(textOf(path))
	if err != nil {
		return
	}
	if features := sub(meaning, "features"); features["hooks"] == false || features["codex_hooks"] == false {
		c.add(ProblemDisabled, PartHooks, path, "remove hooks = false from [features]", "hooks are switched off in Codex by %s", c.s.short(path))
	}
	reasons := map[string][]string{}
	for key, hash := range c.s.trustNow(c.h).after {
		if why := switchedOff(sub(meaning, "hooks", stateTable), key, hash); why != "" {
			parts := strings.Split(key, ":")
			reasons[why] = append(reasons[why], parts[len(parts)-3])
		}
	}
	for why, events := range reasons {
		slices.Sort(events)
		c.add(ProblemTrust, PartHooks, path, "`board setup codex`, or /hooks in Codex", "hooks that Codex does not run, since they are %s: %s", why, strings.Join(events, ", "))
	}
}
