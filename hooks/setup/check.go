package setup

import (
	"errors"
	"fmt"
	"os"
	"slices"

	"blackboard/board/fault"
	"blackboard/hooks/harness"
)

// Kinds of what can be wrong, besides what the harness itself has against it (package harness).
const (
	ProblemFile    = "file"       // it cannot be read, written or understood
	ProblemMissing = "incomplete" // some of our hooks are gone
	ProblemProgram = "program"    // the program that is called is not there, or another one
	ProblemStale   = "stale"      // a file of ours is of another version
	ProblemVersion = "version"    // what was written is of another version of the program
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
	h        *harness.Harness
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
		h := find(st.Name)
		broken := slices.ContainsFunc(st.Parts, func(p PartState) bool { return p.State == Broken })
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

// isSetUp reports whether any part is there for the harness itself: a file that only serves another one does not count.
func (s *Setup) isSetUp(h *harness.Harness) bool {
	trust := s.trustNow(h)
	for _, t := range s.targets(h) {
		disk, err := look(t.path)
		if err != nil {
			continue
		}
		present, err := s.present(t, disk.text, disk.exists, trust)
		if err == nil && len(present) > 0 && (!t.isShared() || serves(s.manifest.of(disk.real), h)) {
			return true
		}
	}
	return false
}

const again = "setting up again brings it up to date"

// files looks at the files that parts of ours lie in.
func (c *checker) files(st *Status) {
	trust := c.s.trustNow(c.h)
	for _, t := range c.s.targets(c.h) {
		disk, err := look(t.path)
		var e *fault.Error
		if errors.As(err, &e) {
			c.add(ProblemFile, t.parts[0], t.path, fault.Try(err, nil), "%s", e.Msg)
			continue
		} else if err != nil || !disk.exists {
			continue
		}
		if t.own != nil && !c.s.isOwnFile(t.path, disk.text) {
			continue
		}
		present, err := c.s.present(t, disk.text, true, trust)
		if errors.As(err, &e) {
			c.add(ProblemFile, t.parts[0], t.path, fault.Try(err, nil), "%s", e.Msg)
			continue
		}
		if what, line := t.unread(disk.text); what != "" && len(present) > 0 {
			c.add(harness.ProblemIgnored, present[0], t.path, "take it out", "%s does not read %s: it has %s in line %d", c.h.Title, c.s.Short(t.path), what, line)
		}
		c.programs(t, disk.text)
		if r := c.s.manifest.of(disk.real); r != nil && r.Version != c.s.version && slices.Contains(r.Harnesses, c.h.Name) {
			c.add(ProblemVersion, t.parts[0], t.path, again, "%s was set up by version %s of board, and this is %s", c.s.Short(t.path), r.Version, c.s.version)
		}
	}
	for _, p := range st.Parts {
		if p.State == Outdated && !slices.ContainsFunc(c.problems, func(o Problem) bool { return o.Part == p.Part }) && !(c.h.Trusts && p.Part == harness.PartHooks && c.complete()) {
			kind, msg := ProblemMissing, "are not complete"
			if hooksOf(c.h).Own != nil && p.Part == harness.PartHooks || p.Part == harness.PartSkill || p.Part == harness.PartPointer {
				kind, msg = ProblemStale, "are not as this version writes them"
			}
			c.add(kind, p.Part, p.Paths[0], again, "the %s of %s %s", p.Part, c.h.Title, msg)
		}
	}
}

// complete reports whether all hooks of Codex are in their file, whether trusted or not.
func (c *checker) complete() bool {
	for _, t := range c.s.targets(c.h) {
		if slices.Contains(t.parts, harness.PartHooks) && !t.trust {
			return c.s.stateOf(t, harness.PartHooks, trusting{}) == Ready
		}
	}
	return false
}

// programs looks whether what is called is this program, and there.
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
		root, err := parseJSON(b)
		if err != nil {
			return
		}
		if slices.Contains(t.parts, harness.PartMCP) {
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
		case !exists(program):
			c.add(ProblemProgram, part, t.path, again, "%s calls %s, which is not there any more", c.s.Short(t.path), program)
		default:
			c.add(ProblemProgram, part, t.path, again, "%s calls %s, and this is %s", c.s.Short(t.path), program, c.s.binary)
		}
	}
}

// harness looks at what the harness itself says about hooks and servers.
func (c *checker) harness(st *Status) {
	if c.h.Trusts {
		c.codex()
	}
	if c.h.Check == nil {
		return
	}
	l := &harness.Look{Place: &c.s.Place, Harness: c.h, Root: c.s.Project, Dir: c.dir, Read: c.read, Found: c.add}
	if root, err := ProjectRoot(c.dir); l.Root == "" && err == nil {
		l.Root = root
	} else if l.Root == "" {
		l.Root = c.dir
	}
	if dir, err := resolve(c.dir); err == nil {
		l.Dir = dir
	}
	l.Has = func(part string) bool {
		return slices.ContainsFunc(st.Parts, func(p PartState) bool { return p.Part == part && p.State != Absent })
	}
	c.h.Check(l)
}

// read is what a file says to the harness, or nothing.
func (c *checker) read(path string) map[string]any {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	root, err := parseJSON(b)
	if what, _ := unread(b, c.h.Refuses); err != nil || root == nil || what != "" {
		return nil
	}
	o, _ := root.meaning(b).(map[string]any)
	return o
}
