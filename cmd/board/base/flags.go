package base

import (
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"blackboard/board"
)

// Categories of the command list, in the order of the help.
const (
	CategoryRun     = "Runs"
	CategoryWrite   = "Post and settle"
	CategoryRead    = "Look"
	CategoryJudge   = "Judge"
	CategoryMove    = "Move"
	CategoryKnow    = "Know"
	CategoryProgram = "The program"
)

// Flags of many commands, new ones at each call, since urfave/cli writes into them.

// ReadFlags are the flags of a command that reads a board.
func ReadFlags(more ...cli.Flag) []cli.Flag { return append(more, commonFlags()...) }

// WriteFlags are the flags of a command that changes a board.
func WriteFlags(more ...cli.Flag) []cli.Flag {
	return slices.Concat(more, []cli.Flag{WorkerFlag()}, commonFlags())
}

func commonFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "run", Aliases: []string{"r", "board"},
			Usage: "the `RUN`; default $BOARD_RUN"},
		JSONFlag(),
	}
}

// JSONFlag is --json; Answer obeys it.
func JSONFlag() cli.Flag {
	return &cli.BoolFlag{Name: "json", Usage: "print one JSON object (or JSON lines) instead of text"}
}

// KeepSecretFlag is --force of what masks secrets; see MaskSecrets.
func KeepSecretFlag() cli.Flag {
	return &cli.BoolFlag{Name: "force", Usage: "store it as it is even if it seems to hold a secret"}
}

func WorkerFlag() cli.Flag {
	return &cli.StringFlag{Name: "worker", Aliases: []string{"w"},
		Usage: "`WHO` does it; default $BOARD_WORKER, else the login name"}
}

// WorkspaceFlag is --workspace; see Workspace. usage says what it is for.
func WorkspaceFlag(usage string) cli.Flag {
	return &cli.StringFlag{Name: "workspace",
		Usage: usage + "; default $BOARD_WORKSPACE, else the repository of the working directory"}
}

func QuietFlag() cli.Flag {
	return &cli.BoolFlag{Name: "quiet", Aliases: []string{"q"}, Usage: "print only the ids"}
}

func LimitFlag() cli.Flag {
	return &cli.IntFlag{Name: "limit", Aliases: []string{"n"},
		Usage: "at most `N`; 0: all", Value: 50}
}

func DryRunFlag() cli.Flag {
	return &cli.BoolFlag{Name: "dry-run", Usage: "show what would be done, and change nothing"}
}

func DeleteFlags() []cli.Flag {
	return []cli.Flag{&cli.BoolFlag{Name: "yes", Aliases: []string{"y"},
		Usage: "do not ask"}, DryRunFlag()}
}

func List(c *cli.Context, name string) []string {
	var out []string
	for _, v := range c.StringSlice(name) {
		out = append(out, strings.Split(v, ",")...)
	}
	return out
}

// Limit is the value of --limit: the most rows of a list, 0 for all.
func Limit(c *cli.Context) (int, error) {
	n := c.Int("limit")
	if n < 0 {
		return 0, Usagef("give 1 or more; 0 lists all", "the limit %d is negative", n)
	}
	return n, nil
}

// IfRevision is the value of --if-version, nil if it is not given.
func IfRevision(c *cli.Context) (*int, error) {
	if !c.IsSet("if-version") {
		return nil, nil
	}
	n, err := strconv.Atoi(c.String("if-version"))
	if err != nil || n < 0 {
		return nil, Usagef("`board "+CommandName(c)+" --help` says what it takes",
			"--if-version %q is not a number of 0 or more", c.String("if-version"))
	}
	return &n, nil
}

func NoArgs(c *cli.Context) error {
	if c.NArg() > 0 {
		name, arg := CommandName(c), board.Line(c.Args().First(), 60)
		try := "`board " + name + " --help` shows what it takes"
		ofRun := func(f cli.Flag) bool { return f.Names()[0] == "run" }
		if slices.ContainsFunc(c.Command.Flags, ofRun) && board.CheckRun(arg) == nil {
			try = "for a run, `board " + name + " --run " + arg + "`; " + try
		}
		return Usagef(try, "`board %s` takes no arguments, but got %q", name, arg)
	}
	return nil
}

func OneArg(c *cli.Context, what string) (string, error) {
	if c.NArg() != 1 {
		return "", Usagef("`board "+CommandName(c)+" "+c.Command.ArgsUsage+"`",
			"one %s is needed, but %d are given", what, c.NArg())
	}
	return c.Args().First(), nil
}

// CommandName is the full name of the running command, such as "memory named edit".
func CommandName(c *cli.Context) string { return strings.TrimPrefix(c.Command.HelpName, "board ") }

// CutFlag splits --name=value. name is empty if a cannot be a flag.
func CutFlag(a string) (name, value string, hasValue bool) {
	if len(a) < 2 || a[0] != '-' {
		return "", "", false
	}
	name, value, hasValue = strings.Cut(strings.TrimPrefix(a[1:], "-"), "=")
	return name, value, hasValue
}
