package kbcmd

import (
	"strings"

	"github.com/urfave/cli/v2"

	"blackboard/board/check"
	"blackboard/cmd/board/base"
	"blackboard/kb"
	"blackboard/kb/home"
)

func (p *program) kbProjectCommand() *cli.Command {
	return &cli.Command{
		Name: "project", Usage: "show or set the project that this workspace belongs to",
		ArgsUsage: "[NAME]",
		Description: `Sessions and briefs in this workspace get the capsules of that project (scope
project), from all its repositories. Several repositories of one project take the same name.
A board.yaml may name one (project: NAME), but it comes with a repository, and whoever wrote
it could pull another project's capsules into your sessions: the name counts once you have
set it here. It is kept in the data home, for this clone, while the same repository lies here.`,
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "none", Usage: "it belongs to no project"},
			&cli.BoolFlag{Name: "yes", Aliases: []string{"y"},
				Usage: "set it though nobody is at a terminal"},
			base.WorkspaceFlag("the `DIRECTORY` it is about"), base.JSONFlag(),
		},
		Action: p.kbProject,
	}
}

func (p *program) kbProject(c *cli.Context) error {
	ws, err := p.Workspace(c)
	if err != nil {
		return err
	}
	if ws == "" {
		return base.Usagef("go to a project's directory", "this directory belongs to no workspace")
	}
	data, err := p.DataHome()
	if err != nil {
		return err
	}
	known := home.Lookup(data, ws)
	if c.NArg() == 0 && !c.Bool("none") {
		_, says, err := check.PolicyProject(ws)
		return p.Answer(c, err, func() { p.showProject(known.Project, says) },
			"workspace", ws, "project", known.Project, "policy", says)
	}
	name := ""
	if c.Bool("none") {
		err = base.NoArgs(c)
	} else if name, err = base.OneArg(c, "project"); err == nil {
		name = strings.TrimSpace(name)
		err = kb.CheckText("the project", name, kb.MaxField, true)
	}
	if err == nil && !c.Bool("yes") && (!p.Terminal || !base.IsTerminal(p.In)) {
		err = base.Usagef("add --yes if the owner of this clone agrees",
			"capsules of another project in sessions here must be agreed to")
	}
	if err != nil {
		return err
	}
	known.Project = name
	return p.Answer(c, home.Store(c.Context, data, known), func() { p.showProject(name, "") },
		"workspace", ws, "project", name, "policy", "")
}

// showProject prints a workspace's project, and what its board.yaml says beside it.
func (p *program) showProject(name, says string) {
	if name == "" {
		p.Printf("it belongs to no project\n")
	} else {
		p.Printf("%s\n", base.Safe(name))
	}
	if says != "" && says != name {
		p.Messagef("board.yaml says %s, which counts after: board kb project %s",
			base.Safe(says), base.Safe(says))
	}
}
