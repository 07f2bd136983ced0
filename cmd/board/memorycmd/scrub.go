package memorycmd

import (
	"github.com/urfave/cli/v2"

	"blackboard/cmd/board/base"
	"blackboard/hooks/ops"
)

// memoryScrubCommand returns the command `scrub`. On a terminal it first shows what would be deleted, and asks.
func (p *program) memoryScrubCommand() *cli.Command {
	scrub := p.operation(&ops.MemoryScrub)
	once := scrub.Action
	scrub.Action = func(c *cli.Context) error {
		if !base.IsTerminal(p.In) || c.Bool("json") || c.Bool("dry-run") || c.IsSet("confirm") || c.Bool("execute") {
			return once(c)
		}
		a, err := p.Call(c, &ops.MemoryScrub, &host{p, c})
		if err != nil {
			return err
		}
		p.PrintText(a)
		out := a.Data.(ops.ScrubOut)
		if out.Manifest.Empty() {
			return nil
		}
		if err := p.ConfirmDelete(c, "this"); err != nil {
			return err
		}
		if err := c.Set("confirm", out.Manifest.Hash); err != nil {
			return err
		}
		return once(c)
	}
	return scrub
}
