package setup

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tailscale/hujson"

	"blackboard/board/disk"
	"blackboard/board/fault"
	"blackboard/hooks/harness"
)

// Kinds of problems. Package harness has those of the harness's own settings.
const (
	ProblemFile     = "file"       // the file cannot be read, written or parsed
	ProblemMissing  = "incomplete" // some of our hooks are missing
	ProblemProgram  = "program"    // the called program is missing, or is another one
	ProblemStale    = "stale"      // a file of ours has another version
	ProblemHome     = "home"       // the MCP server works in another data home than the hooks
	ProblemMemories = "memories"   // the harness keeps memories of its own
	ProblemVersion  = "version"    // another version of the program wrote the entries
)

type Problem struct {
	Kind string `json:"kind"`    // ProblemFile, …
	Part string `json:"part"`    // one of Parts
	Path string `json:"path"`    // the file
	Msg  string `json:"message"` // what is wrong
	Hint string `json:"try"`     // the next step
}

type Report struct {
	Status
	Problems []Problem `json:"problems"` // empty: no problem
}

type checker struct {
	s        *Setup
	h        *harness.Harness
	dir      string // the user's directory
	problems []Problem
}

func (c *checker) report(kind, part, path, hint, format string, a ...any) {
	c.problems = append(c.problems, Problem{kind, part, path, fmt.Sprintf(format, a...), hint})
}

// Check returns these harnesses' problems, if anything is set up there. dir, the user's directory,
// decides whether folders and projects are trusted.
func (s *Setup) Check(names []string, dir string) ([]Report, error) {
	all, err := s.Status(names)
	if err != nil {
		return nil, err
	}
	reports := []Report{}
	for _, st := range all {
		h := byName(st.Name)
		broken := slices.ContainsFunc(st.Parts,
			func(p PartState) bool { return p.State == Broken })
		if !s.isSetUp(h) && !(broken && st.Found) {
			continue
		}
		c := &checker{s: s, h: h, dir: dir, problems: []Problem{}}
		c.files(&st)
		c.harness(&st)
		reports = append(reports, Report{st, c.problems})
	}
	return reports, nil
}

// isSetUp reports whether any part is set up for this harness, beyond a file that serves another.
func (s *Setup) isSetUp(h *harness.Harness) bool {
	trust := s.trustNow(h)
	for _, t := range s.targets(h) {
		disk, err := readDisk(t.path)
		if err != nil {
			continue
		}
		present, err := s.present(t, disk.text, disk.exists, trust)
		if err == nil && len(present) > 0 && (!t.isShared() ||
			serves(s.manifest.of(disk.real), h)) {
			return true
		}
	}
	return false
}

// SetUp returns the titles of those of these harnesses in which anything is set up.
func (s *Setup) SetUp(names []string) (titles []string, err error) {
	chosen, err := Named(names)
	for _, h := range chosen {
		if s.isSetUp(h) {
			titles = append(titles, h.Title)
		}
	}
	return titles, err
}

const again = "set up again to update it"

func (c *checker) files(st *Status) {
	trust := c.s.trustNow(c.h)
	for _, t := range c.s.targets(c.h) {
		disk, err := readDisk(t.path)
		var e *fault.Error
		if errors.As(err, &e) {
			c.report(ProblemFile, t.parts[0], t.path, fault.Try(err, nil), "%s", e.Msg)
			continue
		} else if err != nil || !disk.exists {
			continue
		}
		if t.own != nil && !c.s.isOwnFile(t.path, disk.text) {
			continue
		}
		present, err := c.s.present(t, disk.text, true, trust)
		if errors.As(err, &e) {
			c.report(ProblemFile, t.parts[0], t.path, fault.Try(err, nil), "%s", e.Msg)
			continue
		}
		if what, line := t.refusedSyntax(disk.text); what != "" && len(present) > 0 {
			c.report(harness.ProblemIgnored, present[0], t.path, "remove it",
				"%s ignores %s because it has %s in line %d", c.h.Title,
				c.s.Short(t.path), what, line)
		}
		c.programs(t, disk.text)
		if r := c.s.manifest.of(disk.real); r != nil && r.Version != c.s.version &&
			slices.Contains(r.Harnesses, c.h.Name) {
			c.report(ProblemVersion, t.parts[0], t.path, again,
				"%s was set up by version %s of board; this is %s", c.s.Short(t.path), r.Version,
				c.s.version)
		}
	}
	for _, p := range st.Parts {
		if p.State == Outdated && !slices.ContainsFunc(c.problems,
			func(o Problem) bool { return o.Part == p.Part }) &&
			!(c.h.Trusts && p.Part == harness.PartHooks && c.complete()) {
			kind, msg := ProblemMissing, "are incomplete"
			if c.h.Own != nil && p.Part == harness.PartHooks ||
				p.Part == harness.PartSkill || p.Part == harness.PartPointer {
				kind, msg = ProblemStale, "differ from what this version writes"
			}
			c.report(kind, p.Part, p.Paths[0], again, "the %s of %s %s", p.Part, c.h.Title, msg)
		}
	}
}

// complete reports whether all hooks of Codex are in their file, trusted or not.
func (c *checker) complete() bool {
	for _, t := range c.s.targets(c.h) {
		if slices.Contains(t.parts, harness.PartHooks) && !t.trust {
			return c.s.stateOf(t, harness.PartHooks, trusting{}) == Ready
		}
	}
	return false
}

// programs checks that the called program exists and is this one.
func (c *checker) programs(t target, b []byte) {
	var calls [][2]string // part and program
	switch {
	case t.own != nil:
		if slices.Contains(t.parts, harness.PartHooks) {
			calls = append(calls, [2]string{harness.PartHooks, programIn(t.path, b)})
		}
	case isTOML(t.path):
		if meaning, _, err := parseTOML(b); err == nil {
			program, _ := c.s.codexServer(meaning)
			calls = append(calls, [2]string{harness.PartMCP, program})
		}
	default:
		d, err := parseJSON(b)
		if err != nil {
			return
		}
		root := d.root
		if slices.Contains(t.parts, harness.PartMCP) {
			c.serverHome(t.path, root)
			calls = append(calls, [2]string{harness.PartMCP, c.s.serverIn(root, c.h)})
		}
		if slices.Contains(t.parts, harness.PartHooks) {
			for _, f := range c.s.ownHooks(root, c.h) {
				if call := [2]string{harness.PartHooks, f.program}; !slices.Contains(calls, call) {
					calls = append(calls, call)
				}
			}
		}
	}
	for _, call := range calls {
		part, program := call[0], call[1]
		switch {
		case program == "" || program == c.s.binary:
		case !disk.Exists(program):
			c.report(ProblemProgram, part, t.path, again,
				"%s calls %s, which does not exist any more",
				c.s.Short(t.path), program)
		default:
			c.report(ProblemProgram, part, t.path, again, "%s calls %s, but this program is %s",
				c.s.Short(t.path), program, c.s.binary)
		}
	}
}

// serverHome checks that an entry does not give the MCP server another data home.
func (c *checker) serverHome(path string, root *hujson.Value) {
	env := "env"
	if c.h.MCPEnv != "" {
		env = c.h.MCPEnv
	}
	entry := slices.Concat(c.h.MCPPath, []string{harness.ServerName, env, "BOARD_HOME"})
	c.otherHome(path, textOf(at(root, entry...)))
}

// otherHome reports a data home that an entry names, if it is not that of the hooks.
func (c *checker) otherHome(path, home string) {
	if home == "" || filepath.Clean(home) == c.s.dataHome || strings.ContainsAny(home, "$~") {
		return
	}
	c.report(ProblemHome, harness.PartMCP, path, "remove BOARD_HOME there, or set it to the same "+
		"value where hooks run", "%s has the MCP server work in the data home %s, and hooks work in %s",
		c.s.Short(path), home, c.s.dataHome)
}

func (c *checker) harness(st *Status) {
	if c.h.Trusts {
		c.codex()
	}
	if c.h.Check == nil {
		return
	}
	l := &harness.Look{Place: &c.s.Place, Harness: c.h, Root: c.s.Project, Dir: c.dir,
		Read: c.read, Found: c.report}
	if root, err := ProjectRoot(c.dir); l.Root == "" && err == nil {
		l.Root = root
	} else if l.Root == "" {
		l.Root = c.dir
	}
	if dir, err := resolve(c.dir); err == nil {
		l.Dir = dir
	}
	l.Has = func(part string) bool {
		return slices.ContainsFunc(st.Parts, func(p PartState) bool {
			return p.Part == part &&
				p.State != Absent
		})
	}
	c.h.Check(l)
}

func (c *checker) read(path string) map[string]any {
	b, err := disk.Read(path, maxFile)
	if err != nil {
		return nil
	}
	d, err := parseJSON(b)
	if what, _ := refusedSyntax(b, c.h.Refuses); err != nil || what != "" {
		return nil
	}
	o, _ := d.meaning().(map[string]any)
	return o
}
