package runcmd

import (
	"github.com/urfave/cli/v2"

	"blackboard/hooks/ops"
)

func (p *program) showCommands() []*cli.Command {
	show := p.operation(&ops.Show)
	one := show.Action
	show.ArgsUsage = "[ID]"
	show.Flags = append([]cli.Flag{&cli.Int64Flag{Name: "at",
		Usage: "as it was after the event `SEQ`, rebuilt from the log alone"}}, show.Flags...)
	show.Action = func(c *cli.Context) error {
		switch {
		case c.IsSet("at"):
			return p.replay(c)
		case c.NArg() > 0:
			return one(c)
		}
		out, err := ops.ShowRun.Do(c.Context, &host{p, c}, ops.GlanceIn{Log: true})
		return p.AnswerWith(c, ops.ShowRun.Answer(out), err)
	}
	return []*cli.Command{show, p.operation(&ops.Query), p.operation(&ops.Signals)}
}
