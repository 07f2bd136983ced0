package kbcmd

import (
	"slices"

	"github.com/urfave/cli/v2"

	"blackboard/cmd/board/base"
	"blackboard/hooks/ops"
)

func (p *program) kbCommand() *cli.Command {
	return &cli.Command{
		Name: "kb", Category: base.CategoryKnow,
		Usage: "the knowledge base: remember, search, get, list, edit, ingest, learn, curate and more",
		Description: `Capsules of durable knowledge, shared by all agents and runs. Each is a
file in the data home (kb/capsules), which you may edit. A database finds them by words,
and with an embedding model (board model pull) also by meaning. board help capsules
explains what belongs in a capsule.`,
		Subcommands: slices.Concat(p.kbCoreCommands(), p.kbEditCommands(), p.kbCurateCommands(),
			p.kbLearnCommands(), p.kbMoveCommands(), []*cli.Command{p.operation(&calibrate)}),
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
