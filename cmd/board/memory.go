package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"blackboard/board/lazyregexp"
	"blackboard/hooks/harness"
	"blackboard/kb/memory"
)

func (p *program) memoryCommand() *cli.Command {
	return &cli.Command{
		Name: "memory", Aliases: []string{"mem"}, Category: catKnow, Usage: "what agents remember: put, read, journal, orient, consolidate and more",
		Description: `Four tiers: conversation, channel, workspace, account. Each agent's own journal
and core memories; conversations with their working notes. board help memory
says what goes where, who sees it, and what becomes of it.`,
		Subcommands: slices.Concat(p.memoryItemCommands(), p.memoryReadCommands(), p.memoryOwnCommands(), p.memoryTalkCommands(), p.memoryUpkeepCommands(), p.memoryMoveCommands()),
	}
}

// memoryFlags are those that every memory command has: who asks, where, and in what form.
func memoryFlags(more ...cli.Flag) []cli.Flag {
	return flags(more, []cli.Flag{
		&cli.StringFlag{Name: "agent", Usage: "`WHO` asks; default $BOARD_WORKER, else the harness, else a person at a terminal"},
		&cli.BoolFlag{Name: "author", Usage: "a person asks, though this is no terminal; it takes --reason"},
		&cli.StringFlag{Name: "reason", Usage: "`WHY` the author does it from here; the log keeps it"},
		workspaceFlag("the `DIRECTORY` whose memory it is"), jsonFlag(),
	})
}

func secretFlag() cli.Flag {
	return &cli.BoolFlag{Name: "force", Usage: "store it though it holds what looks like a secret"}
}

func budgetFlag() cli.Flag {
	return &cli.IntFlag{Name: "budget", Usage: "`TOKENS` that it may have, 4 bytes each", Value: memory.DefaultBudget}
}

func tierFlag(usage string) cli.Flag {
	return &cli.StringFlag{Name: "tier", Aliases: []string{"t"}, Usage: usage}
}

func tiersFlag(usage string) cli.Flag {
	return &cli.StringSliceFlag{Name: "tier", Aliases: []string{"t", "tiers"}, Usage: "`TIER`, repeatable or with commas: " + strings.Join(memory.Tiers, ", ") + usage}
}

func conversationFlag(usage string) cli.Flag {
	return &cli.StringFlag{Name: "conversation", Usage: "`REF` of " + usage + "; default $BOARD_CONVERSATION"}
}

// openedMemory is the memory of a command, and what says how it stands with what its items were derived from.
type openedMemory struct {
	*memory.Store
	links *resolver
}

// openMemory opens the memory as its caller reaches it (see speaker); what is granted
// comes from the environment, which whoever starts an agent sets. With a model, if one is
// wanted and can be used.
func (p *program) openMemory(c *cli.Context, withModel bool) (*openedMemory, func(), error) {
	opt, err := p.memoryOptions(c)
	if err != nil {
		return nil, nil, err
	}
	home, err := p.dataHome()
	if err != nil {
		return nil, nil, err
	}
	if withModel {
		if opt.Embedder, err = p.usableEmbedder(c.Context); err != nil {
			return nil, nil, err
		}
	}
	r := &resolver{program: p, home: home, workspace: opt.Workspace}
	opt.Resolve = r.resolve
	s, err := memory.Open(home, opt)
	if err != nil {
		return nil, nil, err
	}
	r.memory = s
	return &openedMemory{s, r}, func() { r.close(); s.Close() }, nil
}

// inMemory is the action of a command that needs the memory and no model.
func (p *program) inMemory(fn func(*cli.Context, *openedMemory) error) cli.ActionFunc {
	return func(c *cli.Context) error {
		s, done, err := p.openMemory(c, false)
		if err != nil {
			return err
		}
		defer done()
		return fn(c, s)
	}
}

func (p *program) memoryOptions(c *cli.Context) (opt memory.Options, err error) {
	if opt.Workspace, err = p.workspace(c); err != nil {
		return opt, err
	}
	opt.Session = cmp.Or(p.env("BOARD_SESSION"), p.env("BOARD_CONVERSATION"))
	if err = p.speaker(c, &opt); err != nil {
		return opt, err
	}
	opt.KeepSecrets = c.Bool("force")
	return opt, p.memoryEnvironment(&opt)
}

// plainScript is who speaks where neither a harness nor a person does, and nobody gave a
// name.
const plainScript = "script"

// speaker says who asks. The author is who types at a terminal, in no harness's shell,
// and under no name that was given to a worker; everybody else says so, and why.
func (p *program) speaker(c *cli.Context, opt *memory.Options) error {
	opt.Agent = p.worker()
	switch {
	case c.IsSet("author") && c.IsSet("agent"):
		return usagef("leave one out: the author is no agent", "both --author and --agent are given")
	case c.Bool("author"):
		opt.Reason = strings.TrimSpace(c.String("reason"))
		if opt.Reason == "" {
			return usagef("add --reason 'who wants it, and why'", "--author takes a reason, which the log keeps")
		}
		opt.Actor = cmp.Or(opt.Agent, p.workerName(c))
		opt.Agent, opt.Author = "", true
		return nil
	case c.IsSet("reason"):
		return usagef("leave it out, or add --author", "--reason is given, but it is not the author who asks")
	case c.IsSet("agent"):
		// An agent whose name went missing is no person.
		if opt.Agent = c.String("agent"); opt.Agent == "" {
			return usagef("name the agent; without --agent it is $BOARD_WORKER, the harness, or whoever is at the terminal", "--agent is empty")
		}
	case opt.Agent == "" && p.terminal && isTerminal(p.in):
		opt.Author, opt.Actor = true, p.workerName(c)
		return nil
	}
	opt.Agent = cmp.Or(opt.Agent, plainScript)
	opt.Actor = opt.Agent
	return nil
}

// worker is the agent that the environment names: $BOARD_WORKER, else the harness whose
// shell this is, "" if it is none.
func (p *program) worker() string { return cmp.Or(p.env("BOARD_WORKER"), harness.Speaking(p.env)) }

// memoryEnvironment reads what whoever set the caller up has decided.
func (p *program) memoryEnvironment(opt *memory.Options) (err error) {
	opt.Grants, _ = p.envList("BOARD_MEMORY_GRANTS")
	for _, g := range opt.Grants {
		if err := memory.CheckGrant(g); err != nil {
			return fmt.Errorf("$BOARD_MEMORY_GRANTS: %w", err)
		}
	}
	if ref := p.env("BOARD_CONVERSATION"); ref != "" {
		opt.Grants = append(opt.Grants, memory.GrantConversation(ref))
	}
	if tiers, set := p.envList("BOARD_MEMORY_TIERS"); set {
		opt.Tiers = tiers
		for _, t := range tiers {
			if !slices.Contains(memory.Tiers, t) {
				return usagef("choose among "+strings.Join(memory.Tiers, ", "), "$BOARD_MEMORY_TIERS: there is no tier %q", t)
			}
		}
	}
	if opt.Rates, err = memory.ParseRates(p.env("BOARD_MEMORY_DECAY")); err != nil {
		return fmt.Errorf("$BOARD_MEMORY_DECAY: %w", err)
	}
	return nil
}

// envList is a list in the environment, with commas. One that is set and names nothing is an empty one, not an absent one.
func (p *program) envList(name string) (all []string, set bool) {
	all = []string{}
	value := p.env(name)
	for v := range strings.SplitSeq(value, ",") {
		if v = strings.TrimSpace(v); v != "" {
			all = append(all, v)
		}
	}
	return all, value != ""
}

// conversation is the ref code of the conversation that a command is about: --conversation, else $BOARD_CONVERSATION.
func (p *program) conversation(c *cli.Context) string {
	if c.IsSet("conversation") {
		return c.String("conversation")
	}
	return p.env("BOARD_CONVERSATION")
}

// conversationIn is the same for commands that do without one. Where there is no workspace there are no conversations, so the environment means none.
func (p *program) conversationIn(c *cli.Context, s *openedMemory) string {
	if s.Workspace() == "" && !c.IsSet("conversation") {
		return ""
	}
	return p.conversation(c)
}

// mostText is the most bytes that are read of a text; each kind of text has a limit of its own far below.
const mostText = 1 << 20

// textArg is oneText where "show" is the name of a command beside this one.
func (p *program) textArg(c *cli.Context, what string, args []string) (string, error) {
	if len(args) == 1 && args[0] == "show" {
		return "", notText(c, what, args[0])
	}
	return p.oneText(c, what, args)
}

// oneText is the text that a command takes: its one argument, or standard input if that is "-" or, where a text must be, if there is none.
func (p *program) oneText(c *cli.Context, what string, args []string) (string, error) {
	switch {
	case len(args) > 1:
		return "", usagef("quote the text as one argument; a flag that takes several values is repeated", "one %s is needed, but %d are given: %q, %q", what, len(args), line(args[0], 40), line(args[1], 40))
	case len(args) == 1 && (args[0] == "list" || args[0] == "help"):
		return "", notText(c, what, args[0])
	case len(args) == 1 && args[0] != "-":
		return args[0], nil
	case len(args) == 0 && isTerminal(p.in):
		return "", usagef("give it as an argument, or pipe it in", "no %s is given", what)
	}
	data, err := p.readAll(c.Context, p.in, mostText+1)
	if err != nil {
		return "", err
	}
	if len(data) > mostText {
		return "", usagef("keep what matters, and name the file that has the rest", "the %s has more than a megabyte", what)
	}
	return strings.TrimSuffix(strings.TrimSuffix(string(data), "\n"), "\r"), nil
}

// lifespan is days, hours and minutes: "7d", "12h", "1d12h".
var lifespan = lazyregexp.New(`^(?:([0-9]{1,6})d)?(?:([0-9]{1,7})h)?(?:([0-9]{1,8})m)?$`)

// expiry reads --ttl or --expires, nil if neither is given. never says whether there may be an end to an end.
func expiry(c *cli.Context, never bool) (*time.Time, error) {
	if c.IsSet("ttl") && c.IsSet("expires") {
		return nil, usagef("leave one out", "both --ttl and --expires are given")
	}
	if c.IsSet("ttl") {
		m := lifespan.FindStringSubmatch(c.String("ttl"))
		if m == nil || c.String("ttl") == "" {
			return nil, usagef("give days and hours: 7d, 12h, 1d12h", "--ttl %q is no span of time", c.String("ttl"))
		}
		var d time.Duration
		for i, unit := range []time.Duration{24 * time.Hour, time.Hour, time.Minute} {
			n, _ := strconv.Atoi("0" + m[i+1]) // digits, and few of them
			if time.Duration(n) > (100*365*24*time.Hour-d)/unit {
				return nil, usagef("leave it out for what has no end", "--ttl %s is more than a hundred years", c.String("ttl"))
			}
			d += time.Duration(n) * unit
		}
		if d == 0 {
			return nil, usagef("give days and hours: 7d, 12h, 1d12h", "--ttl %s is no time at all", c.String("ttl"))
		}
		t := time.Now().Add(d)
		return &t, nil
	}
	if !c.IsSet("expires") || never && c.String("expires") == "never" {
		return nil, nil
	}
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02T15:04", "2006-01-02 15:04", time.DateOnly} {
		if t, err := time.Parse(layout, c.String("expires")); err == nil {
			return &t, nil
		}
	}
	return nil, usagef("write 2026-12-24, 2026-12-24 18:00 (UTC) or 2026-12-24T18:00:00+01:00; --ttl 7d counts from now", "--expires %q is no time", c.String("expires"))
}

// headline is what an item says in a list.
func headline(it *memory.Item) string {
	if it.Title != "" {
		return it.Title
	}
	return it.Content
}

// itemMarks are what one should know of an item at a glance.
func (p *program) itemMarks(it *memory.Item) string {
	var marks []string
	if it.Agent != "" {
		marks = append(marks, "private")
	}
	if it.Lifetime == memory.LongTerm {
		marks = append(marks, it.Lifetime)
	}
	if it.Expires != nil && it.Forgotten == nil && !it.Expires.After(time.Now()) {
		marks = append(marks, "expired")
	}
	if it.Archived != nil {
		marks = append(marks, "archived")
	}
	if it.Forgotten != nil {
		mark := "forgotten: " + it.Rule
		if it.ReplacedBy != "" {
			mark += " → " + it.ReplacedBy
		}
		marks = append(marks, mark)
	}
	if len(marks) == 0 {
		return ""
	}
	return "  " + p.paint(yellow, strings.Join(marks, ", "))
}

func (p *program) warnings(all []string) {
	for _, w := range all {
		p.talk("  note: %s", safe(w))
	}
}

// document prints a text that is to be taken as it is: to the byte, but on a terminal, which must not obey what agents wrote.
func (p *program) document(text string) {
	if p.terminal {
		text = safe(text)
	}
	p.printf("%s\n", text)
}

// onlyOne is the one argument that a command takes.
func onlyOne(c *cli.Context, what string) (string, error) {
	if c.NArg() != 1 {
		return "", usagef("`board "+commandName(c)+" "+c.Command.ArgsUsage+"`", "one %s is needed, but %d are given", what, c.NArg())
	}
	return c.Args().First(), nil
}

// named opens a file that a flag or an argument names, "-" for standard input.
func (p *program) named(name, what string) (io.Reader, func(), error) {
	if name == "-" {
		if isTerminal(p.in) {
			return nil, nil, usagef("pipe it in, or name its file", "no %s is given", what)
		}
		return p.in, func() {}, nil
	}
	f, err := openInput(name)
	if err != nil {
		return nil, nil, err
	}
	return f, func() { f.Close() }, nil
}

// wholeNumber is a flag's value that counts from 0.
func wholeNumber(c *cli.Context, name string) (int, error) {
	n, err := strconv.Atoi(c.String(name))
	if err != nil || n < 0 {
		return 0, usagef("`board "+commandName(c)+" --help` says what it takes", "--%s %q is no number from 0 up", name, c.String(name))
	}
	return n, nil
}
