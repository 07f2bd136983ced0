package main

import (
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/urfave/cli/v2"

	"blackboard/board"
	"blackboard/board/fault"
)

func (p *program) stateCommand() *cli.Command {
	match := func() cli.Flag {
		return &cli.StringFlag{Name: "if-match", Usage: "only if the variable has this `VERSION` now; 0: only if it does not exist"}
	}
	return &cli.Command{
		Name: "state", Category: catWrite, Usage: "run variables: phase, counters, flags; with compare-and-set",
		Description: "Values are JSON. Every change raises the version; `set --if-match VERSION` fails (exit 6) when somebody was faster.",
		Subcommands: []*cli.Command{
			{
				Name: "get", Usage: "print a variable's value", ArgsUsage: "KEY",
				Flags: readFlags(&cli.StringFlag{Name: "default", Usage: "print this `JSON` when it is not set, instead of exit 5"},
					&cli.BoolFlag{Name: "raw", Usage: "print a string without its quotes, for the shell"}), Action: p.stateGet,
			},
			{
				Name: "set", Usage: "set a variable", ArgsUsage: "KEY VALUE|-",
				Description: "VALUE is JSON; a plain word that is not JSON is taken as a string, and --string takes anything as one.",
				Flags:       writeFlags(match(), &cli.BoolFlag{Name: "string", Usage: "VALUE is a string, whatever it looks like"}, noCreateFlag()), Action: p.stateSet,
			},
			{Name: "list", Usage: "list all variables", Flags: readFlags(), Action: p.stateList},
			{Name: "delete", Usage: "delete a variable", ArgsUsage: "KEY", Flags: writeFlags(match()), Action: p.stateDelete},
		},
	}
}

func oneKey(c *cli.Context) (string, error) {
	if c.NArg() != 1 {
		return "", usagef("`board state "+c.Command.Name+" phase`", "one variable is needed, but %d are given", c.NArg())
	}
	return c.Args().First(), nil
}

func (p *program) stateGet(c *cli.Context) error {
	key, err := oneKey(c)
	if err != nil {
		return err
	}
	b, err := p.open(c)
	if err != nil {
		return err
	}
	defer b.Close()
	v, err := b.Get(c.Context, key)
	if errors.Is(err, fault.NotFound) && c.IsSet("default") {
		value, verr := jsonValue(c.String("default"), false)
		if verr != nil {
			return verr
		}
		v, err = board.Variable{Key: key, Value: value}, nil
	}
	if err != nil {
		return err
	}
	if c.Bool("json") {
		return p.json("variable", v)
	}
	var text string
	if c.Bool("raw") && json.Unmarshal(v.Value, &text) == nil {
		p.printf("%s\n", safe(text))
		return nil
	}
	p.printf("%s\n", safe(string(v.Value)))
	return nil
}

// jsonValue reads a value from the command line: JSON, or a plain word as a string. What begins like JSON but is not is an error.
func jsonValue(s string, asString bool) (json.RawMessage, error) {
	if !utf8.ValidString(s) {
		return nil, usagef("convert it to UTF-8 first", "the value is not valid UTF-8")
	}
	if !asString && json.Valid([]byte(s)) {
		return json.RawMessage(s), nil
	}
	if !asString && (strings.TrimSpace(s) == "" || strings.ContainsRune(`{["`, rune(strings.TrimSpace(s)[0]))) {
		return nil, usagef("quote it for the shell ('{\"a\":1}'), or take it as a string with --string", "%q is not valid JSON", board.Line(s, 80))
	}
	data, err := json.Marshal(s)
	return data, err
}

func versionFlag(c *cli.Context) (int64, error) {
	if !c.IsSet("if-match") {
		return board.AnyVersion, nil
	}
	n, err := strconv.ParseInt(c.String("if-match"), 10, 64)
	if err != nil || n < 0 {
		return 0, usagef("`board state list` shows the versions", "--if-match %q is not a version", c.String("if-match"))
	}
	return n, nil
}

func (p *program) stateSet(c *cli.Context) error {
	if c.NArg() == 0 {
		return usagef("`board state set phase drafting`", "no variable is given")
	}
	key := c.Args().First()
	text, err := p.text(c, "value", c.Args().Tail())
	if err != nil {
		return err
	}
	value, err := jsonValue(text, c.Bool("string"))
	if err != nil {
		return err
	}
	match, err := versionFlag(c)
	if err != nil {
		return err
	}
	b, err := p.openToPost(c)
	if err != nil {
		return err
	}
	defer b.Close()
	v, err := b.Set(c.Context, p.workerName(c), key, value, match)
	if err != nil {
		return err
	}
	p.sayMade(b)
	return p.variable(c, v)
}

func (p *program) variable(c *cli.Context, v board.Variable) error {
	return p.answer(c, nil, func() {
		p.printf("%s = %s  %s\n", safe(v.Key), safe(string(v.Value)), p.paint(dim, "(version "+strconv.FormatInt(v.Version, 10)+")"))
	}, "variable", v)
}

func (p *program) stateList(c *cli.Context) error {
	b, err := p.open(c)
	if err != nil {
		return err
	}
	defer b.Close()
	vars, err := b.Variables(c.Context)
	if err != nil {
		return err
	}
	if c.Bool("json") {
		return p.json("variables", vars)
	}
	for _, v := range vars {
		if err := p.variable(c, v); err != nil {
			return err
		}
	}
	if len(vars) == 0 {
		p.talk("no variables are set")
	}
	return nil
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
	b, err := p.open(c)
	if err != nil {
		return err
	}
	defer b.Close()
	v, err := b.Delete(c.Context, p.workerName(c), key, match)
	return p.answer(c, err, func() { p.printf("%s deleted; it was %s\n", safe(v.Key), line(string(v.Value), 120)) }, "deleted", v)
}
