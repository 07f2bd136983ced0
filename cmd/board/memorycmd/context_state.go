package memorycmd

import (
	"github.com/urfave/cli/v2"

	"blackboard/cmd/board/base"
	"blackboard/kb/chunks"
)

func (p *program) contextStateCommands() []*cli.Command {
	return []*cli.Command{
		{
			Name: "get", Usage: "print the value under a key", ArgsUsage: "KEY",
			Description: "A string as it is, anything else as JSON. Exit 5 if nothing was set.",
			Flags:       useFlags(), Action: p.contextGet,
		},
		{
			Name: "set", Usage: "put a value under a key", ArgsUsage: "KEY VALUE|-",
			Description: "VALUE is JSON; a plain word that is not JSON is taken as a string, and " +
				"--string takes anything as one.",
			Flags: useFlags(&cli.BoolFlag{Name: "string",
				Usage: "VALUE is a string, whatever it looks like"}, base.KeepSecretFlag()),
			Action: p.contextSet,
		},
	}
}

func (p *program) contextGet(c *cli.Context) error {
	key, err := base.OneArg(c, "key")
	if err != nil {
		return err
	}
	return base.With(p.openContext(c, false))(func(s *chunks.Store) error {
		v, err := s.State(c.Context, key)
		return p.Answer(c, err, func() { p.PrintDocument(chunks.StateText(v)) }, "state", v)
	})
}

func (p *program) contextSet(c *cli.Context) error {
	if c.NArg() == 0 {
		return base.Usagef("`board context set current_phase drafting`", "no key is given")
	}
	text, err := p.Text(c, "value", c.Args().Tail())
	if err != nil {
		return err
	}
	value, err := base.JSONValue(text, c.Bool("string"))
	if err != nil {
		return err
	}
	return base.With(p.openContext(c, false))(func(s *chunks.Store) error {
		v, err := s.SetState(c.Context, c.Args().First(), value)
		return p.Answer(c, err, func() { p.PrintDocument(chunks.SetStateText(v)) }, "state", v)
	})
}
