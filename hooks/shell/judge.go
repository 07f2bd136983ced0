package shell

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Verdicts on a command that somebody says to have run.
const (
	HasPassed = "passed"
	HasFailed = "failed"
	IsStale   = "stale"     // it passed, and a file was edited since
	IsUntold  = "untold"    // it ran, and nobody knows its exit code
	NotFound  = "not found" // it did not run, or its exit code was lost
)

// Verdicts lists them, the worst first.
var Verdicts = []string{NotFound, HasFailed, IsStale, IsUntold, HasPassed}

// Seen is what a worker was seen to do: a command, or an edit.
type Seen struct {
	Command string
	Path    string // of an edited file
	Dir     string // where the session was
	Root    string // of the project that the session works in; "" if unknown
	Exit    *int   // nil: nobody knows it

	ran  []Ran // what the command has run, once somebody has asked
	read bool
}

// commands lists what was run. It is read once, however many claims are held against it.
func (s *Seen) commands() []Ran {
	if !s.read {
		s.ran, s.read = Commands(s.Command, s.Dir, s.Exit), true
	}
	return s.ran
}

// Claim is a command that somebody says to have run, or that has to be run.
type Claim struct {
	Command string
	// Dir is where; "": in the root of the project.
	Dir string
}

// Finding is the verdict on a claim.
type Finding struct {
	Verdict string
	At      int    // what was seen that decides, -1 for nothing
	Why     string // what comes nearest, if it was not found
}

// Check says why a claim can never hold: nobody can read it, or its exit code tells nothing. It returns "" for a good
// one.
func (c *Claim) Check() string {
	zero := 0
	all := c.tasks("/", &zero)
	switch {
	case strings.TrimSpace(c.Command) == "":
		return "it is empty"
	case len(all) == 0:
		return "it runs nothing that a shell could read"
	case slices.ContainsFunc(all, func(r Ran) bool { return r.Outcome == Hidden }):
		return "its exit code does not tell whether it passed"
	}
	return ""
}

// tasks are the commands that a claim is about: those that do more than print.
func (c *Claim) tasks(dir string, exit *int) []Ran {
	all := slices.DeleteFunc(Commands(c.Command, dir, exit), func(r Ran) bool { return len(r.Words) == 0 })
	real := slices.DeleteFunc(slices.Clone(all), func(r Ran) bool {
		return set("echo printf true tail head tee cat grep :").has(r.Words[0])
	})
	if len(real) == 0 {
		return all
	}
	return real
}

// Judge holds a claim against what its worker was seen to do, in order. A claim of several
// commands is as good as the worst of them.
func Judge(c Claim, seen []Seen) Finding {
	zero := 0
	worst := Finding{Verdict: NotFound, At: -1}
	for i := range c.tasks("/", &zero) {
		f := c.judge(i, seen)
		if i == 0 || slices.Index(Verdicts, f.Verdict) < slices.Index(Verdicts, worst.Verdict) {
			worst = f
		}
	}
	return worst
}

// judge looks for one command of a claim.
func (c *Claim) judge(nth int, seen []Seen) Finding {
	zero := 0
	f := Finding{Verdict: NotFound, At: -1}
	goals := map[string][]Ran{} // what the claim means, by the directory that it is about
	for at := range seen {
		s := &seen[at]
		base := c.Dir
		base = cmp.Or(base, s.base())
		if s.Path != "" {
			if f.Verdict == HasPassed && within(s.Path, s, base) {
				f.Verdict = IsStale
			}
			continue
		}
		mine, known := goals[base]
		if !known {
			mine = c.tasks(base, &zero)
			goals[base] = mine
		}
		if nth >= len(mine) {
			continue
		}
		goal := taskOf(mine[nth].Words, mine[nth].Dir)
		for _, r := range s.commands() {
			if r.Edits && f.Verdict == HasPassed && within(r.Dir, s, base) {
				f.Verdict = IsStale
			}
			if len(r.Words) == 0 {
				continue
			}
			have := taskOf(r.Words, r.Dir)
			if !have.covers(&goal) {
				if f.Verdict == NotFound && f.Why == "" && have.name == goal.name && !r.Edits {
					f.Why = fmt.Sprintf("it ran as another command: %s", strings.Join(r.Words, " "))
				}
				continue
			}
			verdict := ""
			switch {
			case !sameDir(have.dir, goal.dir):
				f.why(fmt.Sprintf("it ran in %s", have.dir))
				continue
			case r.Outcome == Hidden:
				f.why("its exit code was lost: " + oneLine(s.Command))
				continue
			case r.Outcome == Untold:
				verdict = IsUntold
			case r.Outcome == Passed:
				verdict = HasPassed
			case r.Outcome == Failed:
				verdict = HasFailed
			}
			f = Finding{Verdict: verdict, At: at}
		}
	}
	return f
}

func (f *Finding) why(why string) {
	if f.Verdict == NotFound {
		f.Why = why
	}
}

// base is the directory that a claim without one is about.
func (s *Seen) base() string {
	return cmp.Or(s.Root, s.Dir)
}

// within reports whether a file belongs to the project of what was seen.
func within(file string, s *Seen, base string) bool {
	file = slashed(file)
	if !strings.HasPrefix(file, "/") && !windows.MatchString(file) {
		return true
	}
	for _, dir := range []string{s.Root, s.Dir, base} {
		dir = slashed(dir)
		if dir != "" && (file == dir || strings.HasPrefix(file, strings.TrimSuffix(dir, "/")+"/")) {
			return true
		}
	}
	return false
}
