package runcmd

import (
	"github.com/urfave/cli/v2"

	"blackboard/cmd/board/base"
	"blackboard/hooks/ops"
)

func (p *program) stateCommands() []*cli.Command {
	return []*cli.Command{{
		Name: "state", Category: base.CategoryWrite,
		Usage:       "run variables: phase, counters, flags; with compare-and-set",
		Description: "Values are JSON. Every change raises the version.",
		Subcommands: []*cli.Command{p.operation(&ops.VarGet), p.operation(&ops.VarSet, noCreateFlag())},
	}}
}
