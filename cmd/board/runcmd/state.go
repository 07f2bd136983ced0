package runcmd

import (
	"slices"

	"github.com/urfave/cli/v2"

	"blackboard/board/op"
	"blackboard/cmd/board/base"
	"blackboard/hooks/ops"
)

func (p *program) stateCommands() []*cli.Command {
	return []*cli.Command{{
		Name: "state", Category: base.CategoryWrite,
		Usage:       "run variables: phase, counters, flags; with compare-and-set",
		Description: "Values are JSON. Every change raises the version.",
		Subcommands: []*cli.Command{p.operation(&ops.VarGet), p.operation(&ops.VarSet, noCreateFlag()),
			p.once(&ops.VarGet, "list", ""), p.once(&ops.VarSet, "delete", "unset")},
	}}
}

// once is a command under the name that it had, when what a flag now says went without it.
func (p *program) once(o op.Any, name, flag string) *cli.Command {
	wanted := p.Wanted
	if slices.Contains(wanted, name) {
		p.Wanted = nil
	}
	c := p.operation(o)
	p.Wanted = wanted
	act := c.Action
	c.Name, c.Aliases = name, nil
	c.Action = func(c *cli.Context) error {
		if flag != "" {
			if err := c.Set(flag, "true"); err != nil {
				return err
			}
		}
		return act(c)
	}
	return c
}
