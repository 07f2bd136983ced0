package base

import (
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/urfave/cli/v2"

	"blackboard/board/fault"
	"blackboard/board/op"
	"blackboard/embed"
	"blackboard/hooks/ops"
)

// Operation is an operation's command. host is what it works with, more the host's flags.
func (p *Program) Operation(o op.Any, host func(*cli.Context) any, more ...cli.Flag) *cli.Command {
	about := o.Tells()
	words := strings.Fields(about.Command)
	c := &cli.Command{Name: words[len(words)-1], Aliases: about.Aliases, Category: about.Group,
		Usage: about.Short}
	if len(p.Wanted) > 0 && !slices.ContainsFunc(p.Wanted, c.HasName) {
		return c
	}
	c.Description = strings.TrimSpace(about.About + "\n" + about.Long)
	for _, f := range op.Fields(o.Takes()) {
		if f.Tag.Get("only") != "mcp" {
			c.ArgsUsage = strings.TrimSpace(c.ArgsUsage + " " + f.Tag.Get("arg"))
			p.list(about.Command, &f)
		}
	}
	c.Flags = FlagsOf(o.Takes())
	if _, lists := reflect.New(o.Gives()).Interface().(interface{ IDs() []string }); lists {
		c.Flags = append(c.Flags, QuietFlag())
	}
	c.Flags = append(append(c.Flags, more...), JSONFlag())
	c.Action = func(c *cli.Context) error {
		a, err := p.Call(c, o, host(c))
		return p.AnswerWith(c, a, err)
	}
	return c
}

func (p *Program) Call(c *cli.Context, o op.Any, host any) (op.Answer, error) {
	in := reflect.New(o.Takes()).Interface()
	if err := p.Arguments(c, o, in); err != nil {
		return op.Answer{}, err
	}
	if _, masks := in.(interface{ KeepsSecret() bool }); masks {
		p.MaskSecrets(c)
	}
	return o.Call(c.Context, host, in)
}

func FlagsOf(input reflect.Type) (all []cli.Flag) {
	for _, f := range op.Fields(input) {
		if f.Tag.Get("only") != "mcp" {
			all = append(all, flagOf(&f)...)
		}
	}
	return all
}

// list notes the words that a flag takes, for completion.
func (p *Program) list(command string, f *op.Field) {
	words := ops.Lists()[f.Tag.Get("enum")]
	if p.Listed == nil {
		p.Listed = map[string][]string{}
	}
	for _, name := range f.Flags() {
		p.Listed[command+" "+name] = words
	}
}

// flagOf is the flag of an argument, if it has one.
func flagOf(f *op.Field) []cli.Flag {
	names := f.Flags()
	switch {
	case len(names) == 0:
		return nil
	case f.Name == "run":
		return commonFlags()[:1]
	case f.Name == "worker":
		return []cli.Flag{WorkerFlag()}
	}
	name, also, hidden := names[0], names[1:], f.Tag.Get("hidden") != ""
	usage := f.Usage(ops.Lists())
	if usual := f.Tag.Get("default"); f.Type.Kind() != reflect.Int && usual != "" && !strings.Contains(usage, "default") {
		usage += " (default " + usual + ")"
	}
	value := "`" + cmp.Or(f.Tag.Get("value"), strings.ToUpper(name)) + "`: "
	usual, _ := strconv.Atoi(f.Tag.Get("default"))
	switch kind := f.Type.Kind(); {
	case kind == reflect.Bool:
		return []cli.Flag{&cli.BoolFlag{Name: name, Aliases: also, Usage: usage, Hidden: hidden}}
	case f.IsList():
		return []cli.Flag{&cli.StringSliceFlag{Name: name, Aliases: also, Hidden: hidden,
			Usage: value + usage + ", repeatable"}}
	case f.Tag.Get("nth") != "":
		return []cli.Flag{&cli.StringSliceFlag{Name: name, Aliases: also, Usage: value + usage, KeepSpace: true}}
	case kind == reflect.Int && usual != 0:
		return []cli.Flag{&cli.IntFlag{Name: name, Aliases: also, Usage: value + usage, Value: usual}}
	case kind == reflect.Int || kind == reflect.Int64:
		return []cli.Flag{&cli.Int64Flag{Name: name, Aliases: also, Usage: value + usage}}
	}
	return []cli.Flag{&cli.StringFlag{Name: name, Aliases: also, Usage: value + usage,
		Hidden: hidden}}
}

// AnswerWith ends a command with an answer, unless it failed: as JSON, as ids alone, or as text.
func (p *Program) AnswerWith(c *cli.Context, a op.Answer, err error) error {
	if err != nil {
		return err
	}
	if x, is := a.Data.(interface{ Conflict() bool }); is && x.Conflict() { // in part
		err = ExitError(ExitConflict)
	} else if x, is := a.Data.(interface{ Failed() bool }); is && x.Failed() {
		err = ExitError(ExitFailure)
	}
	if c.Bool("json") {
		return cmp.Or(p.PrintJSON(a), err)
	}
	if ids, is := a.Data.(interface{ IDs() []string }); is && c.Bool("quiet") {
		for _, id := range ids.IDs() {
			p.Printf("%s\n", id)
		}
		a.Text(p.Page()) // its notes are told all the same
		return nil
	}
	p.PrintText(a)
	return err
}

func (p *Program) PrintJSON(a op.Answer) error {
	return p.JSON(pairsOf(reflect.Indirect(reflect.ValueOf(a.Data)))...)
}

// PrintText prints an answer for people, then its notes.
func (p *Program) PrintText(a op.Answer) {
	page, notes := p.Page(), []string(nil)
	tell := page.Tell
	page.Tell = func(s string) { notes = append(notes, s) }
	a.Text(page)
	p.Printf("%s", page)
	for _, n := range notes {
		tell(n)
	}
}

// What hosts of operations have in common when a command was typed.

func (p *Program) IsToolCall() bool             { return false }
func (p *Program) Room(asked, _ int) int        { return asked }
func (p *Program) Note(text string)             { p.Messagef("%s", Safe(text)) }
func (p *Program) Words(step fault.Step) string { return CommandFor(step) }

// Page is where an answer is written for the person at the keyboard.
func (p *Program) Page() *op.Page {
	return &op.Page{Color: p.Color, Safe: p.Terminal, Words: CommandFor,
		Tell: func(s string) {
			if said, is := strings.CutPrefix(s, "note: "+embed.NoModelInstalled); is {
				p.Notes([]string{embed.NoModelInstalled + said})
				return
			}
			p.Messagef("%s", Safe(s))
		}}
}

// pairsOf are the names and values of an answer, as JSON takes them.
func pairsOf(v reflect.Value) (pairs []any) {
	for i := range v.NumField() {
		f := v.Type().Field(i)
		name, rest, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous && reflect.Indirect(v.Field(i)).IsValid():
			pairs = append(pairs, pairsOf(reflect.Indirect(v.Field(i)))...)
		case f.Anonymous || !f.IsExported() || name == "-" ||
			strings.Contains(rest, "omitempty") && v.Field(i).IsZero():
		default:
			pairs = append(pairs, name, v.Field(i).Interface())
		}
	}
	return pairs
}

// Arguments reads a command line into the input of an operation.
func (p *Program) Arguments(c *cli.Context, o op.Any, into any) error {
	s, err := op.SchemaOf(o.Takes(), true, ops.Lists())
	if err != nil {
		return err
	}
	given, err := p.given(c, op.Fields(o.Takes()))
	if err != nil {
		return err
	}
	say := map[string]string{}
	for _, f := range op.Fields(o.Takes()) {
		say[f.Name] = f.Name
		if names := f.Flags(); len(names) > 0 {
			say[f.Name] = "--" + names[0]
		}
	}
	for name, v := range given {
		if p := s.Properties[name]; p.AnyOf == nil { // else it is a value as it is
			given[name] = op.Value(name, v, p)
		}
	}
	raw, err := json.Marshal(given)
	if err != nil {
		return err
	}
	if err := op.Decode(raw, s, func(name string) string { return say[name] }, into); err != nil {
		return fault.With(err, "`board "+CommandName(c)+" --help` says what it takes")
	}
	return nil
}

// given are the arguments of a command line as they stand there.
func (p *Program) given(c *cli.Context, fields []op.Field) (map[string]json.RawMessage, error) {
	all, rest := map[string]json.RawMessage{}, c.Args().Slice()
	set := c.LocalFlagNames()               // once: IsSet goes through all flags
	more, times := []map[string]string{}, 0 // sources behind the first, and how many there are
	foreign := ""                           // what is no UTF-8, which encoding/json would replace
	put := func(name string, v any) {
		if !utf8.ValidString(fmt.Sprint(v)) {
			foreign = name
		}
		all[name], _ = json.Marshal(v) // words of a line
	}
	for i := range fields {
		f := &fields[i]
		flags := f.Flags()
		if slices.Equal(flags, []string{"why"}) && !slices.Contains(set, "why") && slices.Contains(set, "reason") {
			put(f.Name, c.String("reason")) // where the author has a reason, too
		}
		if f.Tag.Get("only") == "mcp" || len(flags) == 0 || !slices.Contains(set, flags[0]) {
			continue
		}
		said := c.StringSlice(flags[0])
		if !f.IsList() && f.Tag.Get("nth") == "" {
			said = []string{c.String(flags[0])}
		}
		if f.Tag.Get("blank") == "no" && strings.TrimSpace(strings.Join(said, "")) == "" {
			return nil, Usagef("name what is meant, or leave the flag out", // $CMD is not set
				"--%s is empty", flags[0])
		}
		switch kind := f.Type.Kind(); {
		case f.Tag.Get("nth") != "":
			if put(f.Name, said[0]); times > 0 && len(said) != times {
				return nil, Usagef("give each its own; \"\" is none", "%d --%s for %d sources",
					len(said), f.Name, times)
			}
			for times = len(said); len(more) < times-1; {
				more = append(more, map[string]string{})
			}
			for i, v := range said[1:] {
				more[i][f.Name] = v
			}
		case kind == reflect.Bool:
			put(f.Name, c.Bool(flags[0]))
		case f.IsList():
			list := c.StringSlice(flags[0])
			if f.Tag.Get("commas") != "no" {
				list = List(c, flags[0])
			}
			put(f.Name, slices.DeleteFunc(slices.Clone(list), func(s string) bool { return s == "" }))
		case kind == reflect.Int || kind == reflect.Int64:
			put(f.Name, c.Value(flags[0]))
		case kind == reflect.Slice:
			v, err := JSONValue(c.String(flags[0]), false)
			if err != nil {
				return nil, err
			}
			all[f.Name] = v
		default:
			if put(f.Name, c.String(flags[0])); f.Tag.Get("arg") != "" && c.String(flags[0]) == "-" {
				delete(all, f.Name)
				rest = append(rest, "-") // as the argument
			}
		}
	}
	if len(more) > 0 {
		put("more_sources", more)
	}
	for i := range fields {
		f := &fields[i]
		arg := f.Tag.Get("arg")
		if arg == "" || f.Tag.Get("only") == "mcp" ||
			len(all[f.Name]) > len(`""`) { // a flag has given it
			continue
		}
		what := strings.ToLower(strings.Trim(strings.Fields(arg)[0], "([…])"))
		if what == "text" {
			what = f.Name
		}
		as := f.Tag.Get("as")
		reads := map[string]func(*cli.Context, string, []string) (string, error){
			"text": p.Content, "note": p.Text, "json": p.Content}[as]
		switch {
		case reads != nil && (f.Required || len(rest) > 0 ||
			f.Tag.Get("unless") != "" && all[f.Tag.Get("unless")] == nil):
			text, err := reads(c, what, rest)
			if err != nil {
				return nil, err
			}
			put(f.Name, text)
			if rest = nil; as == "json" {
				if all[f.Name], err = JSONValue(text, c.Bool("string") || c.Bool("text")); err != nil {
					return nil, err
				}
			}
		case as == "question":
			text, there, cut, err := p.Question(c, rest)
			if err != nil {
				return nil, err
			}
			if rest = nil; there {
				put(f.Name, strings.ToValidUTF8(text, "\ufffd"))
			}
			if cut {
				put("cut", true)
			}
		case as == "ask" && len(rest) == 1 && rest[0] == "-":
			text, err := p.Text(c, "question", rest)
			if err != nil {
				return nil, err
			}
			put(f.Name, text)
			rest = nil
		case (as == "line" || as == "ask") && len(rest) > 0:
			put(f.Name, strings.Join(rest, " "))
			rest = nil
		case as == "words" && len(rest) > 0:
			put(f.Name, rest)
			rest = nil
		case len(rest) > 0:
			put(f.Name, rest[0])
			rest = rest[1:]
		case f.Required:
			return nil, Usagef("`board "+CommandName(c)+" "+c.Command.ArgsUsage+"`",
				"no %s is given", what)
		}
	}
	if foreign != "" {
		return nil, Usagef("convert it to UTF-8 first", "the %s is not valid UTF-8", foreign)
	}
	if len(rest) > 0 {
		return nil, Usagef("`board "+CommandName(c)+" "+c.Command.ArgsUsage+"`",
			"%q is one argument too many", Line(rest[0], 40))
	}
	return all, nil
}
