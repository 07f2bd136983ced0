package runcmd

import (
	"encoding/json"
	"errors"
	"strconv"

	"github.com/urfave/cli/v2"

	"blackboard/board"
	"blackboard/board/fault"
	"blackboard/cmd/board/base"
)

func (p *program) stateCommands() []*cli.Command {
	match := func() cli.Flag {
		return &cli.StringFlag{Name: "if-match",
			Usage: "only if the variable has this `VERSION` now; 0: only if it does not exist"}
	}
	return []*cli.Command{{
		Name: "state", Category: base.CategoryWrite,
		Usage: "run variables: phase, counters, flags; with compare-and-set",
		Description: "Values are JSON. Every change raises the version; `set --if-match VERSION` " +
			"fails (exit 6) if another writer was faster.",
		Subcommands: []*cli.Command{
			{
				Name: "get", Usage: "print a variable's value", ArgsUsage: "KEY",
				Flags: base.ReadFlags(&cli.StringFlag{Name: "default",
					Usage: "print this `JSON` when it is not set, instead of exit 5"},
					&cli.BoolFlag{Name: "raw",
						Usage: "print a string without its quotes, for the shell"}), Action: p.stateGet,
			},
			{
				Name: "set", Usage: "set a variable", ArgsUsage: "KEY VALUE|-",
				Description: "VALUE is JSON; a plain word that is not JSON is taken as a string, and " +
					"--string takes anything as one.",
				Flags: base.WriteFlags(match(), &cli.BoolFlag{Name: "string",
					Usage: "VALUE is a string, whatever it looks like"}, base.KeepSecretFlag(),
					noCreateFlag()),
				Action: p.stateSet,
			},
			{Name: "list", Usage: "list all variables", Flags: base.ReadFlags(), Action: p.stateList},
			{Name: "delete",
				Usage: "delete a variable", ArgsUsage: "KEY", Flags: base.WriteFlags(match()),
				Action: p.stateDelete},
		},
	}}
}

func oneKey(c *cli.Context) (string, error) {
	if c.NArg() != 1 {
		return "", base.Usagef("`board state "+c.Command.Name+" phase`",
			"one variable is needed, but %d are given", c.NArg())
	}
	return c.Args().First(), nil
}

func (p *program) stateGet(c *cli.Context) error {
	key, err := oneKey(c)
	if err != nil {
		return err
	}
	return base.OnBoard(p.OpenRun(c))(func(b *board.Board) error {
		v, err := b.Get(c.Context, key)
		if errors.Is(err, fault.NotFound) && c.IsSet("default") {
			value, verr := base.JSONValue(c.String("default"), false)
			if verr != nil {
				return verr
			}
			v, err = board.Variable{Key: key, Value: value}, nil
		}
		if err != nil {
			return err
		}
		if c.Bool("json") {
			return p.JSON("variable", v)
		}
		var text string
		if c.Bool("raw") && json.Unmarshal(v.Value, &text) == nil {
			p.Printf("%s\n", base.Safe(text))
			return nil
		}
		p.Printf("%s\n", base.Safe(string(v.Value)))
		return nil
	})
}

func versionFlag(c *cli.Context) (int64, error) {
	if !c.IsSet("if-match") {
		return board.AnyVersion, nil
	}
	n, err := strconv.ParseInt(c.String("if-match"), 10, 64)
	if err != nil || n < 0 {
		return 0, base.Usagef("`board state list` shows the versions", "--if-match %q is not a version",
			c.String("if-match"))
	}
	return n, nil
}

func (p *program) stateSet(c *cli.Context) error {
	if c.NArg() == 0 {
		return base.Usagef("`board state set phase drafting`", "no variable is given")
	}
	key := c.Args().First()
	text, err := p.Content(c, "value", c.Args().Tail())
	if err != nil {
		return err
	}
	value, err := base.JSONValue(text, c.Bool("string"))
	if err != nil {
		return err
	}
	match, err := versionFlag(c)
	if err != nil {
		return err
	}
	return base.OnBoard(p.OpenOrCreateRun(c))(func(b *board.Board) error {
		v, err := b.Set(c.Context, p.WorkerName(c), key, value, match)
		if err != nil {
			return err
		}
		p.noteCreated(b)
		return p.variable(c, v)
	})
}

func (p *program) variable(c *cli.Context, v board.Variable) error {
	return p.Answer(c, nil, func() {
		p.Printf("%s = %s  %s\n", base.Safe(v.Key), base.Safe(string(v.Value)),
			p.Paint(base.Dim, "(version "+strconv.FormatInt(v.Version, 10)+")"))
	}, "variable", v)
}

func (p *program) stateList(c *cli.Context) error {
	return base.OnBoard(p.OpenRun(c))(func(b *board.Board) error {
		vars, err := b.Variables(c.Context)
		if err != nil {
			return err
		}
		if c.Bool("json") {
			return p.JSON("variables", vars)
		}
		for _, v := range vars {
			if err := p.variable(c, v); err != nil {
				return err
			}
		}
		if len(vars) == 0 {
			p.Messagef("no variables are set")
		}
		return nil
	})
}

func (p *program) stateDelete(c *cli.Context) error {
	key, err := oneKey(c)
	if err != nil {
		return err
	}
	match, err := versionFlag(c)
	if err != nil {
		return err
	}
	return base.OnBoard(p.OpenRun(c))(func(b *board.Board) error {
		v, err := b.Delete(c.Context, p.WorkerName(c), key, match)
		return p.Answer(c, err, func() {
			p.Printf("%s deleted; it was %s\n", base.Safe(v.Key),
				base.Line(string(v.Value), 120))
		}, "deleted", v)
	})
}
