package main

import (
	"crypto/rand"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"

	"github.com/urfave/cli/v2"

	"blackboard/board"
	"blackboard/board/fault"
	"blackboard/board/lazyregexp"
	"blackboard/board/replace"
	"blackboard/board/sqlite"
)

// Categories of the command list, in the order of the help.
const (
	catRun     = "Runs"
	catWrite   = "Post and settle"
	catRead    = "Look"
	catJudge   = "Judge"
	catMove    = "Move"
	catKnow    = "Know"
	catProgram = "The program"
)

// helpFlag is the library's --help as every program of one process can have it: the library keeps what one program found in the flag itself,
// which two that run at once would both write.
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

// app is the program with the given commands.
func (p *program) app(commands []*cli.Command) *cli.App {
	return &cli.App{
		Name:            "board",
		Usage:           "a shared, typed, auditable blackboard for multi-agent runs",
		HideHelpCommand: true,
		HideVersion:     true,
		Writer:          p.out,
		ErrWriter:       p.err,
		Reader:          p.in,
		// Exit codes are ours alone: urfave would call os.Exit under the tests.
		ExitErrHandler: func(*cli.Context, error) {},
		OnUsageError: func(_ *cli.Context, err error, _ bool) error {
			return usagef("`board --help` lists the commands", "%v", err)
		},
		CustomAppHelpTemplate: appHelp,
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

// groups are the makers of the commands, in their order.
func (p *program) groups() []func() []*cli.Command {
	return []func() []*cli.Command{
		p.runCommands, p.postCommands, p.signalCommands, p.expectCommands, p.showCommands, one(p.stateCommand),
		p.judgeCommands, p.verifyCommands, p.conflictCommands, p.watchCommands, one(p.tuiCommand), p.moveCommands,
		one(p.kbCommand), one(p.memoryCommand), one(p.contextCommand), one(p.topicCommand), one(p.hookCommand), one(p.modelCommand),
		one(p.mcpCommand), one(p.setupCommand), one(p.daemonCommand), one(p.databaseCommand), one(p.doctorCommand), p.programCommands,
	}
}

// one makes a group of one command.
func one(command func() *cli.Command) func() []*cli.Command {
	return func() []*cli.Command { return []*cli.Command{command()} }
}

// commandsFor are the commands that a line needs: the one that it begins with, if all of its name
// stands there, else all of them. To make them all takes longer than what most commands do.
func (p *program) commandsFor(args []string) []*cli.Command {
	often := []func() []*cli.Command{one(p.hookCommand), p.judgeCommands, p.programCommands}
	for _, group := range append(often, p.groups()...) {
		if c := byWholeName(group(), args); c != nil {
			found := []*cli.Command{c}
			finish(found, "")
			return found
		}
	}
	return p.commands()
}

// byWholeName is the command of a group whose name, with that of its own command if it has some,
// begins a line; nil if there is none.
func byWholeName(group []*cli.Command, line []string) *cli.Command {
	if len(line) == 0 {
		return nil
	}
	c := byName(group, line[0])
	if c == nil || len(c.Subcommands) > 0 && byWholeName(c.Subcommands, line[1:]) == nil {
		return nil
	}
	return c
}

// finish gives each command what all have: usage errors of our kind, and a refusal of arguments beyond what it takes.
func finish(commands []*cli.Command, parent string) {
	for _, c := range commands {
		name := strings.TrimSpace(parent + " " + c.Name)
		c.HideHelpCommand = true
		c.OnUsageError = func(_ *cli.Context, err error, _ bool) error {
			return flagError(name, err)
		}
		if len(c.Subcommands) > 0 {
			if c.Action == nil {
				c.Action = func(ctx *cli.Context) error {
					return usagef("`board "+name+" --help` lists them", "`board %s` needs one of its commands", name)
				}
			}
		}
		if c.ArgsUsage == "" && len(c.Subcommands) == 0 {
			action := c.Action
			c.Action = func(ctx *cli.Context) error {
				if err := noArgs(ctx); err != nil {
					return err
				}
				return action(ctx)
			}
		}
		finish(c.Subcommands, name)
	}
}

// badValue is how the flag package complains about a value.
var badValue = lazyregexp.New(`^invalid value "(.*)" for flag -([a-z-]+): `)

// flagError says what is wrong with a flag's value, without the names of Go's functions.
func flagError(command string, err error) error {
	m := badValue.FindStringSubmatch(err.Error())
	switch {
	case m == nil:
		return usagef("`board "+command+" --help` lists its flags", "%v", err)
	case m[2] == "timeout" || m[2] == "lease":
		return usagef("give a number with its unit: 30s, 5m, 1h", "--%s %q is not a duration", m[2], m[1])
	default:
		return usagef("`board "+command+" --help` says what it takes", "--%s %q is not a number", m[2], m[1])
	}
}

// commandName is the whole name of the command that runs: "memory named edit".
func commandName(c *cli.Context) string { return strings.TrimPrefix(c.Command.HelpName, "board ") }

// noArgs refuses arguments, for commands that take none.
func noArgs(c *cli.Context) error {
	if c.NArg() > 0 {
		name := commandName(c)
		return usagef("`board "+name+" --help` shows what it takes", "`board %s` takes no arguments, but got %q", name, board.Line(c.Args().First(), 60))
	}
	return nil
}

// Flags that many commands have. Each call makes new ones: urfave writes into them.

func commonFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "run", Aliases: []string{"r", "board"}, Usage: "the `RUN`; default $BOARD_RUN"},
		jsonFlag(),
	}
}

func jsonFlag() cli.Flag {
	return &cli.BoolFlag{Name: "json", Usage: "print one JSON object (or JSON lines) instead of text"}
}

func workerFlag() cli.Flag {
	return &cli.StringFlag{Name: "worker", Aliases: []string{"w"}, Usage: "`WHO` does it; default $BOARD_WORKER, else the login name"}
}

func quietFlag() cli.Flag {
	return &cli.BoolFlag{Name: "quiet", Aliases: []string{"q"}, Usage: "print only the id"}
}

// noCreateFlag is for commands whose first write creates the run.
func noCreateFlag() cli.Flag {
	return &cli.BoolFlag{Name: "no-create", Usage: "fail if the run does not exist, instead of creating it; $BOARD_CREATE=off does so for all commands"}
}

// list is the values of a repeatable flag that takes commas too: ids, types, priorities, tags.
func list(c *cli.Context, name string) []string {
	var out []string
	for _, v := range c.StringSlice(name) {
		out = append(out, strings.Split(v, ",")...)
	}
	return out
}

// flags joins groups of flags.
func flags(groups ...[]cli.Flag) []cli.Flag {
	var all []cli.Flag
	for _, g := range groups {
		all = append(all, g...)
	}
	return all
}

// writeFlags are those of a command that changes the board.
func writeFlags(more ...cli.Flag) []cli.Flag {
	return flags(more, []cli.Flag{workerFlag()}, commonFlags())
}

func readFlags(more ...cli.Flag) []cli.Flag { return flags(more, commonFlags()) }

// version of the program, stamped by the release build; else what the module's build says.
var version = ""

func versionString() string {
	if version != "" {
		return version
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		v := info.Main.Version
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" && len(s.Value) >= 12 && !strings.Contains(v, s.Value[:12]) {
				v += " " + s.Value[:12]
			}
		}
		return v
	}
	return "(devel)"
}

func (p *program) programCommands() []*cli.Command {
	return []*cli.Command{
		p.manCommand(),
		{
			Name: "demo", Category: catProgram, Usage: "play a small run of several workers, in seconds, in a data home of its own",
			Flags: []cli.Flag{
				&cli.BoolFlag{Name: "keep", Usage: "keep the data home and say where it is"},
				&cli.BoolFlag{Name: "fast", Usage: "do not pause between the steps"},
			},
			Action: func(c *cli.Context) error { return p.demo(c) },
		},
		{
			Name: "completion", Category: catProgram, Usage: "print the completion script of a shell", ArgsUsage: "bash|zsh|fish",
			Description: "bash: source <(board completion bash)\nzsh:  source <(board completion zsh)\nfish: board completion fish | source",
			Action:      func(c *cli.Context) error { return p.completion(c) },
		},
		{
			Name: "version", Category: catProgram, Usage: "print the version", Flags: []cli.Flag{jsonFlag()},
			Action: func(c *cli.Context) error {
				if err := noArgs(c); err != nil {
					return err
				}
				if c.Bool("json") {
					return p.json("version", versionString())
				}
				p.printf("board %s\n", versionString())
				return nil
			},
		},
	}
}

// writeFile writes a whole file or nothing: to a temporary file beside it, then by rename. "-" and "" mean standard output. A link is followed; what is
// not a regular file, such as a pipe, is written to as it is.
func (p *program) writeFile(name string, write func(io.Writer) error) error {
	return p.writeFileAs(name, 0o666, write)
}

// writeFileAs is writeFile with the mode of a file that is new, less the umask.
func (p *program) writeFileAs(name string, perm os.FileMode, write func(io.Writer) error) error {
	if name == "" || name == "-" {
		return write(p.out)
	}
	fail := func(err error) error {
		var path *os.PathError
		if errors.As(err, &path) {
			err = path.Err // the path is that of a temporary file
		}
		return fault.With(fmt.Errorf("write %s: %w", name, err), "name a file in a directory that is there and that you may write to")
	}
	target, mode := name, os.FileMode(0)
	if real, err := filepath.EvalSymlinks(name); err == nil {
		target = real
	}
	if err := notADatabase(target); err != nil {
		return err
	}
	if info, err := os.Stat(target); err == nil {
		if mode = info.Mode().Perm(); !info.Mode().IsRegular() {
			f, err := os.OpenFile(target, os.O_WRONLY, 0)
			if err != nil {
				return fail(err)
			}
			if err := write(f); err != nil {
				f.Close()
				return err
			}
			return f.Close()
		}
	}
	// Made without CreateTemp, which ignores the umask. The name is never one that a process has left behind that was killed.
	tmp, err := os.OpenFile(filepath.Join(filepath.Dir(target), fmt.Sprintf(".%s.%s.tmp", filepath.Base(target), rand.Text())), os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return fail(err)
	}
	var unwritten error // as the caller says it
	err = replace.Fill(tmp, func(f *os.File) error {
		if unwritten = write(f); unwritten != nil || mode == 0 {
			return unwritten
		}
		return f.Chmod(mode)
	})
	if unwritten != nil {
		return unwritten
	}
	if err == nil {
		err = replace.Put(tmp.Name(), target)
	}
	if err != nil {
		return fail(err)
	}
	return nil
}

// notADatabase refuses to write over a database: it may be a run, or a store, that others have open.
func notADatabase(name string) error {
	if info, err := os.Stat(name); err != nil || !info.Mode().IsRegular() {
		return nil
	}
	f, err := sqlite.OpenFile(name)
	if err != nil {
		return nil // writing to it says what is wrong
	}
	defer f.Close()
	const magic = "SQLite format 3\x00"
	head := make([]byte, len(magic))
	if _, err := io.ReadFull(f, head); err != nil || string(head) != magic {
		return nil
	}
	return usagef("name another file", "%s is a database; nothing was written to it", name)
}
