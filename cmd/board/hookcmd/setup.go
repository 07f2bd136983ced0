package hookcmd

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"blackboard/cmd/board/base"
	"blackboard/hooks/harness"
	"blackboard/hooks/setup"
)

func (p *program) setupCommand() *cli.Command {
	return &cli.Command{
		Name: "setup", Category: base.CategoryProgram,
		Usage:     "install hooks, the MCP server and the skill in harnesses, or remove them",
		ArgsUsage: "[HARNESS…]",
		Description: `Installs hooks unless --no-hooks is given, the MCP server with --mcp, the skill with
--skill. With --pointer it adds some lines between two markers to the file of
instructions that the agent reads (AGENTS.md, CLAUDE.md). Without a name it
configures every harness on this machine. It shows what would change and asks; --yes
answers. Other settings are kept byte for byte; the old file is kept as
FILE.board-backup-TIME; a second run changes nothing. --uninstall removes exactly
what setup has installed. If you have edited a file since, its backups stay, and it
names them. --list, --check and --uninstall are about the user's settings, or with
--project about those of the project.

` + harnessTable() + `
Restart OpenCode and pi afterwards. Codex passes no environment to an MCP server:
--mcp has it pass on BOARD_HOME and the like, so that server and hooks work in the
same data home; --check and board doctor say where they do not. It runs only
approved hooks. Setup approves its own hooks there, and says so before it does;
with --no-trust you approve them yourself, with /hooks in Codex.`,
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "all", Usage: "every harness on this machine, the same as naming none"},
			&cli.BoolFlag{Name: "list", Usage: "list the harnesses, and what is installed in each"},
			&cli.BoolFlag{Name: "check", Usage: "check what is installed; exit 1 if anything is wrong"},
			&cli.BoolFlag{Name: "uninstall",
				Usage: "remove what setup installed for the user (--project: for the project): all of it, " +
					"or what --mcp, --skill and --pointer name"},
			&cli.BoolFlag{Name: "mcp", Usage: "also the MCP server"},
			&cli.BoolFlag{Name: "skill", Usage: "also the skill"},
			&cli.BoolFlag{Name: "pointer",
				Usage: "also a pointer to board in AGENTS.md, CLAUDE.md or the like"},
			&cli.BoolFlag{Name: "no-hooks", Usage: "no hooks"},
			&cli.BoolFlag{Name: "no-trust", Usage: "do not approve the hooks in Codex"},
			&cli.BoolFlag{Name: "project", Usage: "for the project around the working directory, not for the user"},
			base.DryRunFlag(),
			&cli.BoolFlag{Name: "yes", Aliases: []string{"y"}, Usage: "do not ask"},
			base.JSONFlag(),
		},
		Action: p.setup,
	}
}

func harnessTable() string {
	var speaks, untried []string
	for _, h := range harness.All {
		if h.Untried {
			untried = append(untried, h.Name)
		} else {
			speaks = append(speaks, h.Name)
		}
	}
	return fmt.Sprintf("  speaks in each session   %s\n  the same, but untried    %s\n",
		strings.Join(speaks, ", "), strings.Join(untried, ", "))
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
	if c.Bool("list") || c.Bool("check") || c.Bool("uninstall") {
		defer p.tellProject(c, dir, names)
	}
	if len(names) == 0 { // to be uninstalled also what is left of a harness that is gone
		names = setup.Names()
		if !c.Bool("list") && !c.Bool("check") && !c.Bool("uninstall") {
			names = s.Found()
		}
	}
	switch {
	case c.Bool("list"):
		return p.setupList(c, s, names)
	case c.Bool("check"):
		return p.setupCheck(c, s, names, dir)
	case len(names) == 0:
		return fmt.Errorf("no harness was found on this machine (looked for %s); name one to set it "+
			"up anyway", strings.Join(setup.Names(), ", "))
	}
	return p.setupRun(c, s, names)
}

func setupFlags(c *cli.Context) error {
	for _, pair := range [][2]string{{"list", "check"}, {"list", "uninstall"}, {"check", "uninstall"},
		{"list", "dry-run"}, {"check", "dry-run"}} {
		if c.Bool(pair[0]) && c.Bool(pair[1]) {
			return base.Usagef("give one of them", "--%s and --%s do not go together", pair[0], pair[1])
		}
	}
	switch {
	case c.Bool("all") && c.NArg() > 0:
		return base.Usagef("leave one of them out", "--all is given, and harnesses are named")
	case c.Bool("no-hooks") && !c.Bool("mcp") && !c.Bool("skill") && !c.Bool("pointer"):
		return base.Usagef("add --mcp, --skill or --pointer", "--no-hooks leaves nothing to do")
	}
	return nil
}

// openSetup finds the configurations and the path of the program they call, from dir on.
func (p *program) openSetup(project bool) (s *setup.Setup, dir string, err error) {
	o := setup.Options{Home: p.UserHome(), Version: base.Version(), Env: p.Env,
		LookPath: exec.LookPath, Now: time.Now}
	if o.DataHome, err = p.DataHome(); err != nil {
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
			return nil, "", base.Usagef("change to a project, or leave --project out",
				"the home directory is not a project")
		}
	}
	if o.Binary, err = thisProgram(); err != nil {
		return nil, "", err
	}
	s, err = setup.New(o)
	return s, dir, err
}

// tellProject notes that the project has a setup of its own, when the command is about the user's level.
func (p *program) tellProject(c *cli.Context, dir string, names []string) {
	root, err := setup.ProjectRoot(dir)
	if err != nil || c.Bool("project") || root == p.UserHome() {
		return
	}
	s, _, err := p.openSetup(true)
	if err != nil {
		return // the user's level was what they asked for
	}
	if len(names) == 0 {
		names = setup.Names()
	}
	if titles, err := s.SetUp(names); err == nil && len(titles) > 0 {
		p.Messagef("note: this project has a setup of its own, for %s: add --project",
			strings.Join(titles, ", "))
	}
}

// thisProgram is a path of this program that stays valid: the one on $PATH if it leads
// here, since the target behind it may move with an update.
func thisProgram() (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("the path of this program is not known: %w", err)
	}
	if named, err := exec.LookPath("board"); err == nil && filepath.IsAbs(named) &&
		sameFile(named, self) {
		return named, nil
	}
	if strings.HasPrefix(self, filepath.Join(os.TempDir(), "go-build")) {
		return "", base.Usagef("`make install`, then `board setup`",
			"this program is temporary (%s), and will be gone when the harnesses call it", self)
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

// setupParts are the parts that the flags name; for --uninstall, none means all.
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

func (p *program) setupRun(c *cli.Context, s *setup.Setup, names []string) error {
	works, err := s.Plan(names, setup.Request{Parts: setupParts(c), Uninstall: c.Bool("uninstall"),
		NoTrust: c.Bool("no-trust")})
	if err != nil {
		return err
	}
	if c.Bool("uninstall") && c.NArg() == 0 { // of what is not set up there is nothing to say
		works = slices.DeleteFunc(works, func(w *setup.Work) bool {
			return w.Err == nil && len(w.Changes) == 0 && len(w.Notes) == 0
		})
	}
	changes := 0
	for _, w := range works {
		changes += len(w.Changes)
	}
	if !c.Bool("json") {
		p.printPlan(c, s, works)
	}
	do := !c.Bool("dry-run")
	if do && changes > 0 && !c.Bool("yes") {
		if err := p.Asks(c, "add --yes to do it, or --dry-run to see it"); err != nil {
			return err
		}
		if do, err = p.Ask(c.Context, base.Count(int64(changes), "file to change: continue?",
			"files to change: continue?")); err != nil {
			return err
		}
		if !do {
			p.Messagef("nothing was changed")
			return nil
		}
	}
	for _, w := range works {
		if do && w.Err == nil {
			w.Err = s.Apply(w)
		}
	}
	return p.printSetup(c, works, do, changes)
}
