package main

import (
	"flag"
	"strings"

	"github.com/urfave/cli/v2"

	"blackboard/board/text"
	"blackboard/cmd/board/base"
	"blackboard/cmd/board/hookcmd"
	"blackboard/cmd/board/memorycmd"
	"blackboard/cmd/board/runcmd"
)

// helpFlag is the library's --help, for programs that run in one process at once: the library
// stores the value in the shared flag, a data race.
type helpFlag struct{ *cli.BoolFlag }

func init() {
	if f, ok := cli.HelpFlag.(*cli.BoolFlag); ok {
		cli.HelpFlag = helpFlag{f}
	}
}

func (f helpFlag) Apply(set *flag.FlagSet) error {
	own := *f.BoolFlag
	return own.Apply(set)
}

func (p *program) app(commands []*cli.Command) *cli.App {
	return &cli.App{
		Name:            "board",
		Usage:           "a shared, typed, auditable blackboard for multi-agent runs",
		HideHelpCommand: true,
		HideVersion:     true,
		Writer:          p.Out,
		ErrWriter:       p.Err,
		Reader:          p.In,
		// Exit codes are ours alone: urfave would call os.Exit under the tests.
		ExitErrHandler: func(*cli.Context, error) {},
		OnUsageError: func(_ *cli.Context, err error, _ bool) error {
			return base.Usagef("`board help all` lists the commands", "%v", err)
		},
		CustomAppHelpTemplate: rootHelp,
		// Lists are split by list(), only where commas cannot be part of a value.
		DisableSliceFlagSeparator: true,
		Action: func(c *cli.Context) error {
			return cli.ShowAppHelp(c)
		},
		Commands: commands,
	}
}

func (p *program) commands() []*cli.Command {
	var all []*cli.Command
	for _, group := range p.groups() {
		all = append(all, group()...)
	}
	finish(all, "")
	return all
}

func (p *program) groups() []func() []*cli.Command {
	room := func(command func(*base.Program) *cli.Command) func() []*cli.Command {
		return one(func() *cli.Command { return command(p.Program) })
	}
	return append(runcmd.Groups(p.Program),
		one(p.tuiCommand), one(p.webCommand), one(p.kbCommand), room(memorycmd.Command), room(memorycmd.ContextCommand),
		room(hookcmd.TopicCommand), room(hookcmd.HookCommand), one(p.modelCommand), one(p.mcpCommand),
		room(hookcmd.SetupCommand), one(p.daemonCommand), one(p.databaseCommand), one(p.doctorCommand),
		one(p.backupCommand),
		p.programCommands,
	)
}

// one returns a group of one command.
func one(command func() *cli.Command) func() []*cli.Command {
	return func() []*cli.Command { return []*cli.Command{command()} }
}

// commandsFor are the commands that a line needs: the one that it names, else all.
// Constructing all commands takes longer than most commands do.
func (p *program) commandsFor(args []string) []*cli.Command {
	often := []func() []*cli.Command{
		one(func() *cli.Command { return hookcmd.HookCommand(p.Program) }),
		func() []*cli.Command { return runcmd.JudgeCommands(p.Program) },
		p.programCommands,
	}
	p.Wanted = args[:min(len(args), 3)]
	defer func() { p.Wanted = nil }()
	for _, group := range append(often, p.groups()...) {
		if c := byWholeName(group(), args); c != nil {
			found := []*cli.Command{c}
			finish(found, "")
			return found
		}
	}
	p.Wanted = nil
	return p.commands()
}

// byWholeName is the command of a group whose full name begins a line; nil if there is none.
func byWholeName(group []*cli.Command, line []string) *cli.Command {
	if len(line) == 0 {
		return nil
	}
	c := byName(group, line[0])
	switch {
	case c == nil, len(c.Subcommands) > 0 && byWholeName(c.Subcommands, line[1:]) == nil,
		len(c.Subcommands) == 0 && c.Action == nil: // Operation has left it out
		return nil
	}
	return c
}

// finish adds what all commands have: our usage errors, and refusing surplus arguments.
func finish(commands []*cli.Command, parent string) {
	for _, c := range commands {
		name := strings.TrimSpace(parent + " " + c.Name)
		c.HideHelpCommand, c.Hidden = true, c.Hidden || merged[name] != ""
		c.OnUsageError = func(_ *cli.Context, err error, _ bool) error {
			return flagError(name, err)
		}
		if len(c.Subcommands) > 0 {
			if c.Action == nil {
				c.Action = func(ctx *cli.Context) error {
					return base.Usagef("`board "+name+" --help` lists them",
						"`board %s` needs one of its commands", name)
				}
			}
		}
		if c.ArgsUsage == "" && len(c.Subcommands) == 0 {
			action := c.Action
			c.Action = func(ctx *cli.Context) error {
				if err := base.NoArgs(ctx); err != nil {
					return err
				}
				return action(ctx)
			}
		}
		finish(c.Subcommands, name)
	}
}

// badSwitch is the flag package's message for a value of a flag that takes none.
var badSwitch = text.NewRegexp(`^invalid boolean value "(.*)" for -([a-z-]+): `)

// badValue is the flag package's message for an invalid value.
var badValue = text.NewRegexp(`^invalid value "(.*)" for flag -([a-z-]+): `)

// flagError describes an invalid flag value without the names of Go's functions.
func flagError(command string, err error) error {
	m := badValue.FindStringSubmatch(err.Error())
	switch flag := badSwitch.FindStringSubmatch(err.Error()); {
	case flag != nil:
		return base.Usagef("write --"+flag[2]+" without a value", "--%s takes no value, but got %q",
			flag[2], flag[1])
	case m == nil:
		return base.Usagef("`board "+command+" --help` lists its flags", "%v", err)
	case m[2] == "since":
		return base.Usagef("give the number of an event, as 12: `board watch --since 0` prints them all",
			"--since %q is not a number", m[1])
	case m[2] == "timeout" || m[2] == "lease":
		return base.Usagef("give a number with its unit: 30s, 5m, 1h", "--%s %q is not a duration", m[2],
			m[1])
	default:
		return base.Usagef("`board "+command+" --help` says what it takes", "--%s %q is not a number",
			m[2], m[1])
	}
}

func (p *program) programCommands() []*cli.Command {
	return []*cli.Command{
		p.manCommand(),
		{
			Name: "demo", Category: base.CategoryProgram,
			Usage: "play a small run of several workers, in seconds, in a data home of its own",
			Flags: []cli.Flag{
				&cli.BoolFlag{Name: "keep", Usage: "keep the data home and say where it is"},
				&cli.BoolFlag{Name: "fast", Usage: "do not pause between the steps"},
			},
			Action: func(c *cli.Context) error { return p.demo(c) },
		},
		{
			Name: "completion", Category: base.CategoryProgram,
			Usage: "print the completion script of a shell", ArgsUsage: "bash|zsh|fish",
			Description: "bash: source <(board completion bash)\nzsh:  source <(board completion " +
				"zsh)\nfish: board completion fish | source",
			Action: func(c *cli.Context) error { return p.completion(c) },
		},
		{
			Name: "version", Category: base.CategoryProgram,
			Usage: "print the version", Flags: []cli.Flag{base.JSONFlag()},
			Action: func(c *cli.Context) error {
				if err := base.NoArgs(c); err != nil {
					return err
				}
				if c.Bool("json") {
					return p.JSON("version", base.Version())
				}
				return p.version()
			},
		},
	}
}

func (p *program) version() error {
	p.Printf("board %s\n", base.Version())
	return nil
}
