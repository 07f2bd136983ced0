package kbcmd

import (
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"blackboard/cmd/board/base"
	"blackboard/hooks/ops"
	"blackboard/kb"
)

// kbPlaces are the filters by kind, scope, tags and project.
func kbPlaces() []cli.Flag {
	return []cli.Flag{
		&cli.StringSliceFlag{Name: "kind",
			Usage: "`KIND`, repeatable or with commas: " + strings.Join(kb.Kinds, ", ")},
		&cli.StringSliceFlag{Name: "scope",
			Usage: "`SCOPE`, repeatable or with commas: " + strings.Join(kb.Scopes, ", ")},
		&cli.StringSliceFlag{Name: "tag", Aliases: []string{"tags"},
			Usage: "has this `TAG`; repeated: all of them"},
		&cli.StringSliceFlag{Name: "domain",
			Usage: "has this domain `TAG`, repeatable or with commas: one of them"},
		&cli.StringSliceFlag{Name: "project", Usage: "of this `PROJECT`, repeatable: one of them"},
		&cli.BoolFlag{Name: "here", Usage: "only capsules of this workspace"},
	}
}

func (p *program) kbCommand() *cli.Command {
	return &cli.Command{
		Name: "kb", Category: base.CategoryKnow,
		Usage: "the knowledge base: remember, search, get, list, edit, ingest, learn, curate and more",
		Description: `Capsules of durable knowledge, shared by all agents and runs. Each is a
file in the data home (kb/capsules), which you may edit. A database finds them by words,
and with an embedding model (board model pull) also by meaning. board help capsules
explains what belongs in a capsule.`,
		Subcommands: slices.Concat(p.kbCoreCommands(), p.kbEditCommands(), p.kbCurateCommands(),
			p.kbLearnCommands(), p.kbMoveCommands(), p.kbMeasureCommands()),
	}
}

func (p *program) kbCoreCommands() []*cli.Command {
	noEmbed := &cli.BoolFlag{Name: "no-embed",
		Usage: "store it without an embedding; `board kb reembed` adds it"}
	place := base.WorkspaceFlag("the `DIRECTORY` that it is about")
	return []*cli.Command{
		p.operation(&ops.Remember, noEmbed, place, base.WorkerFlag()),
		p.operation(&ops.KBSearch, place, base.WorkerFlag()),
		p.operation(&ops.KBGet), p.operation(&ops.KBList, place), p.kbProjectCommand(),
	}
}

func (p *program) kbMeasureCommands() []*cli.Command {
	return []*cli.Command{
		{
			Name:  "calibrate",
			Usage: "measure the threshold of a confident match, and store it",
			Description: `Words and the models that board knows have a threshold already. It is
measured here with 240 prompts about other things, and raised if too many of them get an
answer. Of another model these prompts tell the threshold: the least evidence that leaves
95 % of them without an answer. That takes 30 capsules; words alone judge until then. The
threshold rises with the number of capsules. The titles of up to 100 capsules are asked
too, to tell how many of them find their capsule.`,
			Flags: []cli.Flag{base.JSONFlag()}, Action: p.kbCalibrate,
		},
	}
}

// listQuery is which capsules the filters mean.
func (p *program) listQuery(c *cli.Context) (q kb.ListQuery, err error) {
	q = kb.ListQuery{Kinds: base.List(c, "kind"), Scopes: base.List(c, "scope"),
		Tags: base.List(c, "tag"), DomainTags: base.List(c, "domain"),
		Projects: c.StringSlice("project")}
	if !c.Bool("here") {
		return q, nil
	}
	place, err := p.Workspace(c)
	if err == nil && place == "" {
		err = base.Usagef("--workspace names a directory",
			"--here: the working directory is nobody's project")
	}
	q.Workspaces = []string{place}
	return q, err
}
