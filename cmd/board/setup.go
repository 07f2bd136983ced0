package main

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"blackboard/hooks/harness"
	"blackboard/hooks/setup"
)

func (p *program) setupCommand() *cli.Command {
	return &cli.Command{
		Name: "setup", Category: catProgram, Usage: "put hooks, the MCP server and the skill into agents' harnesses, or take them out", ArgsUsage: "[HARNESS…]",
		Description: `Hooks are set up always, the MCP server with --mcp, the skill with --skill, and
with --pointer some lines in the file of instructions that the agent reads (AGENTS.md,
CLAUDE.md), between two markers. Without a name it is for every harness that is on
this machine. It shows what would change and asks. What is not ours stays as it is,
byte for byte; what was there is kept as FILE.board-backup-TIME; a second run
changes nothing. --uninstall takes out what is ours, and only that.

` + harnessTable() + `
Some restart first: OpenCode, pi. Codex runs only hooks that are approved: the
change shown has that too; --no-trust leaves it to /hooks in Codex.`,
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "all", Usage: "every harness that is on this machine, as without a name"},
			&cli.BoolFlag{Name: "list", Usage: "which harnesses there are, and what is set up in each"},
			&cli.BoolFlag{Name: "check", Usage: "what is wrong with what is set up; exit 1 if anything is"},
			&cli.BoolFlag{Name: "uninstall", Usage: "take out what is ours: all of it, or what --mcp, --skill and --pointer name"},
			&cli.BoolFlag{Name: "mcp", Usage: "the MCP server too"},
			&cli.BoolFlag{Name: "skill", Usage: "the skill too"},
			&cli.BoolFlag{Name: "pointer", Usage: "a pointer to board in AGENTS.md, CLAUDE.md or the like too"},
			&cli.BoolFlag{Name: "no-hooks", Usage: "not the hooks"},
			&cli.BoolFlag{Name: "no-trust", Usage: "do not approve the hooks in Codex"},
			&cli.BoolFlag{Name: "user", Usage: "for the user, in the home directory; the default"},
			&cli.BoolFlag{Name: "project", Usage: "for the project around the working directory"},
			&cli.BoolFlag{Name: "dry-run", Usage: "show what would change, and change nothing"},
			&cli.BoolFlag{Name: "yes", Aliases: []string{"y"}, Usage: "do not ask"},
			jsonFlag(),
		},
		Action: p.setup,
	}
}

// harnessTable tells in which harnesses board speaks.
func harnessTable() string {
	var speaks, untried, records []string
	for _, h := range harness.All {
		switch {
		case h.Records() && h.Untried:
			records = append(records, h.Name+" (untried)")
		case h.Records():
			records = append(records, h.Name)
		case h.Untried:
			untried = append(untried, h.Name)
		default:
			speaks = append(speaks, h.Name)
		}
	}
	return fmt.Sprintf("  speaks in each session   %s\n  the same, but untried    %s\n  only records             %s\n",
		strings.Join(speaks, ", "), strings.Join(untried, ", "), strings.Join(records, ", "))
}

func (p *program) setup(c *cli.Context) error {
	if err := setupFlags(c); err != nil {
		return err
	}
	s, dir, err := p.openSetup(c.Bool("project"))
	if err != nil {
		return err
	}
	names := c.Args().Slice()
	if _, err := setup.Named(names); err != nil {
		return err
	}
	switch everything := len(names) == 0; {
	case c.Bool("list"):
		if everything {
			names = setup.Names()
		}
		return p.setupList(c, s, names)
	case c.Bool("check"):
		if everything {
			names = setup.Names()
		}
		return p.setupCheck(c, s, names, dir)
	case everything && c.Bool("uninstall"): // also what is left of a harness that is gone
		names = setup.Names()
	case everything:
		if names = s.Found(); len(names) == 0 {
			return fmt.Errorf("no harness was found on this machine: looked for %s; name one to set it up all the same", strings.Join(setup.Names(), ", "))
		}
	}
	return p.setupRun(c, s, names)
}

// setupFlags refuses what does not go together.
func setupFlags(c *cli.Context) error {
	for _, pair := range [][2]string{{"list", "check"}, {"list", "uninstall"}, {"check", "uninstall"}, {"list", "dry-run"}, {"check", "dry-run"}, {"user", "project"}} {
		if c.Bool(pair[0]) && c.Bool(pair[1]) {
			return usagef("give one of them", "--%s and --%s do not go together", pair[0], pair[1])
		}
	}
	switch {
	case c.Bool("all") && c.NArg() > 0:
		return usagef("leave one of them out", "--all is given, and harnesses are named")
	case c.Bool("no-hooks") && !c.Bool("mcp") && !c.Bool("skill") && !c.Bool("pointer"):
		return usagef("add --mcp, --skill or --pointer", "--no-hooks leaves nothing to do")
	}
	return nil
}

// openSetup finds where the configurations lie and which program they are to call. dir is the working directory.
func (p *program) openSetup(project bool) (s *setup.Setup, dir string, err error) {
	o := setup.Options{Home: p.userHome(), Version: versionString(), Env: p.env, LookPath: exec.LookPath, Now: time.Now}
	if o.DataHome, err = p.dataHome(); err != nil {
		return nil, "", err
	}
	if dir, err = os.Getwd(); err != nil {
		return nil, "", fmt.Errorf("the working directory is not known: %w", err)
	}
	if project {
		if o.Project, err = setup.ProjectRoot(dir); err != nil {
			return nil, "", err
		}
		if o.Project == o.Home {
			return nil, "", usagef("change to a project, or leave --project out", "the home directory is no project")
		}
	}
	if o.Binary, err = thisProgram(); err != nil {
		return nil, "", err
	}
	s, err = setup.New(o)
	return s, dir, err
}

// thisProgram is the path by which this program can be called for long: the one on $PATH if it leads here, since what a package manager has behind it moves.
func thisProgram() (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("the path of this program is not known: %w", err)
	}
	if named, err := exec.LookPath("board"); err == nil && filepath.IsAbs(named) && sameFile(named, self) {
		return named, nil
	}
	if strings.HasPrefix(self, filepath.Join(os.TempDir(), "go-build")) {
		return "", usagef("`make install`, then `board setup`", "this program is a temporary one (%s), which will be gone when the harnesses call it", self)
	}
	return self, nil
}

func sameFile(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}

// setupParts are the parts that the flags name; for taking out, none means all.
func setupParts(c *cli.Context) (parts []string) {
	named := c.Bool("mcp") || c.Bool("skill") || c.Bool("pointer")
	if !c.Bool("no-hooks") && !(c.Bool("uninstall") && named) {
		parts = append(parts, harness.PartHooks)
	}
	for _, part := range []string{harness.PartMCP, harness.PartSkill, harness.PartPointer} {
		if c.Bool(part) {
			parts = append(parts, part)
		}
	}
	if c.Bool("uninstall") && !named {
		parts = nil
	}
	return parts
}

// setupRun plans, shows, asks and does it.
func (p *program) setupRun(c *cli.Context, s *setup.Setup, names []string) error {
	works, err := s.Plan(names, setup.Request{Parts: setupParts(c), Uninstall: c.Bool("uninstall"), NoTrust: c.Bool("no-trust")})
	if err != nil {
		return err
	}
	if c.Bool("uninstall") && c.NArg() == 0 { // of what is not set up there is nothing to say
		works = slices.DeleteFunc(works, func(w *setup.Work) bool { return w.Err == nil && len(w.Changes) == 0 && len(w.Notes) == 0 })
	}
	changes := 0
	for _, w := range works {
		changes += len(w.Changes)
	}
	if !c.Bool("json") {
		p.showWorks(c, s, works)
	}
	do := !c.Bool("dry-run")
	if do && changes > 0 && !c.Bool("yes") {
		if !isTerminal(p.in) || c.Bool("json") {
			return usagef("add --yes to do it, or --dry-run to see it", "there is nobody to ask: standard input is no terminal, or --json is given")
		}
		if do = p.agreed(fmt.Sprintf("%s? [y/N] ", count(int64(changes), "file to change: go on", "files to change: go on"))); !do {
			p.talk("nothing was changed")
			return nil
		}
	}
	for _, w := range works {
		if do && w.Err == nil {
			w.Err = s.Apply(w)
		}
	}
	return p.setupDone(c, works, do, changes)
}

// agreed asks a question on the terminal.
func (p *program) agreed(question string) bool {
	fmt.Fprint(p.err, question)
	line, _ := bufio.NewReader(p.in).ReadString('\n')
	line = strings.ToLower(strings.TrimSpace(line))
	return line == "y" || line == "yes"
}
