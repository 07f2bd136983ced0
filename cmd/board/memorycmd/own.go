package memorycmd

import (
	"errors"

	"github.com/urfave/cli/v2"

	"blackboard/board/fault"
	"blackboard/cmd/board/base"
	"blackboard/hooks/ops"
	"blackboard/kb/memory"
)

// The author's own items are the named entries; an agent's own are its journal and its
// core memories.
func (p *program) memoryOwnCommands() []*cli.Command {
	tier := func(more string) cli.Flag { return tierFlag("`TIER`: workspace or account" + more) }
	return []*cli.Command{
		{
			Name: "named", Usage: "author's entries: list, show, edit, rm",
			Description: `VOICE describes the style of texts in a workspace; SOUL describes the agent, in
all workspaces; other entries have any name. They are always loaded first, and
are not ranked. Agents can read them. They can write them only if
$BOARD_MEMORY_GRANTS contains named.`,
			Subcommands: []*cli.Command{
				{Name: "list",
					Usage: "list them", Flags: memoryFlags(tier(" (default both)")),
					Action: p.inMemory(p.namedList)},
				{
					Name: "show", Usage: "print one unchanged", ArgsUsage: "NAME",
					Flags: memoryFlags(tier(" (default workspace; SOUL's is account)"),
						&cli.BoolFlag{Name: "all", Aliases: []string{"revisions"}, Usage: "print its revisions instead, " +
							"the oldest first"}),
					Action: p.inMemory(p.namedShow),
				},
				{
					Name: "edit", Usage: "write one", ArgsUsage: "NAME [TEXT | -]",
					Description: `The text is the argument, standard input (-), or a file. Without a text, on a
terminal, the entry opens in $VISUAL or $EDITOR. Revisions are kept.`,
					Flags: memoryFlags(
						tier(" (default workspace; SOUL's is account)"),
						&cli.StringFlag{Name: "file", Usage: "take the text from `FILE`"},
						&cli.StringFlag{Name: "if-version", Aliases: []string{"if-revision"},
							Usage: "only if it still has this `REVISION`, 0 for none; else exit 6"},
						secretFlag(),
					),
					Action: p.namedEdit,
				},
				{Name: "rm", Usage: "remove one; revisions are kept", ArgsUsage: "NAME",
					Flags:  memoryFlags(tier(" (default workspace; SOUL's is account)")),
					Action: p.inMemory(p.namedRemove)},
			},
		},
		p.operation(&ops.JournalNote), p.operation(&ops.CoreNote),
		{
			Name: "context", Usage: "print core and journal for a prompt",
			Description: `Prints the agent's core memories and its journal of the last seven days as one
block: a line for each note, the newest within the budget. Without notes it
prints nothing.`,
			Flags: memoryFlags(budgetFlag()), Action: p.inMemory(p.memoryContext),
		},
	}
}

func (p *program) namedList(c *cli.Context, s *memory.Store) error {
	var tiers []string
	if c.IsSet("tier") {
		tiers = []string{c.String("tier")}
	}
	all, err := s.Named(c.Context, tiers...)
	return p.Answer(c, err, func() {
		for i := range all {
			n := &all[i]
			if n.Revision == 0 {
				p.Printf("%-12s  %-9s  %s\n", n.Name, n.Tier, p.Paint(base.Dim, "empty"))
				continue
			}
			p.Printf("%-12s  %-9s  %s  revision %d  %s\n", n.Name, n.Tier, n.Updated.Format("2006-01-02"),
				n.Revision, base.Line(n.Body, 100))
		}
	}, "named", all)
}

func (p *program) namedShow(c *cli.Context, s *memory.Store) error {
	name, err := base.OneArg(c, "name")
	if err != nil {
		return err
	}
	n, err := s.GetNamed(c.Context, name, c.String("tier"))
	if err != nil && !c.Bool("all") {
		return err
	}
	revisions, rerr := s.NamedRevisions(c.Context, name, c.String("tier"))
	if rerr != nil {
		return rerr
	}
	if err != nil && len(revisions) == 0 { // one that was removed still has them
		return err
	}
	if c.Bool("json") {
		return p.JSON("entry", n, "revisions", revisions)
	}
	if c.Bool("all") {
		for i := range revisions {
			if i > 0 {
				p.Printf("\n")
			}
			p.Printf("revision %d, %s\n%s\n", revisions[i].Revision,
				base.FormatTime(revisions[i].Updated), base.Indent(revisions[i].Body, "  | "))
		}
		if len(revisions) == 0 {
			p.Messagef("it has no earlier revisions")
		}
		return nil
	}
	if n.Body == "" {
		p.Messagef("%s is empty; `board memory named edit %s` writes it", n.Name, n.Name)
		return nil
	}
	p.PrintDocument(n.Body)
	return nil
}

func (p *program) namedEdit(c *cli.Context) error {
	if c.NArg() == 0 {
		return base.Usagef("`board memory named edit NAME TEXT`", "no name is given")
	}
	name, args := c.Args().First(), c.Args().Tail()
	revision, err := namedRevision(c)
	if err != nil {
		return err
	}
	if c.IsSet("file") && len(args) > 0 {
		return base.Usagef("give the text once", "both --file and an argument are given")
	}
	var text string
	switch {
	case c.IsSet("file"):
		in, closeInput, err := p.OpenNamed(c.String("file"), "text")
		if err != nil {
			return err
		}
		defer closeInput()
		data, err := p.ReadAll(c.Context, in, base.MaxText+1)
		if err != nil {
			return err
		}
		if len(data) > base.MaxText {
			return base.Usagef("it is read in every turn: keep what matters", "%s is larger than 1 MiB",
				c.String("file"))
		}
		text = string(data)
	case len(args) > 0:
		if text, err = p.Text(c, "text", args); err != nil {
			return err
		}
	default:
		return p.editNamed(c, name, revision)
	}
	return base.With(p.openMemory(c, false))(func(s *memory.Store) error {
		return p.writeNamed(c, s, name, text, revision)
	})
}

func namedRevision(c *cli.Context) (int, error) {
	n, err := base.IfRevision(c)
	if n == nil {
		return memory.AnyRevision, err
	}
	return *n, err
}

func (p *program) writeNamed(c *cli.Context, s *memory.Store, name, text string,
	revision int) error {
	n, err := s.EditNamed(c.Context, name, c.String("tier"), text, revision)
	if tokens := n.Tokens(); err == nil && tokens > memory.NamedTokens {
		p.Messagef("note: it has %d tokens, but a turn has %d for all named entries; the rest is cut",
			tokens, memory.NamedTokens)
	}
	return p.Answer(c, err, func() {
		p.Printf("%s is at revision %d: %s\n", n.Name, n.Revision,
			base.Line(n.Body, 80))
	}, "entry", n)
}

func (p *program) editNamed(c *cli.Context, name string, revision int) error {
	editor, err := p.Editor("give the text as an argument, - or --file; on a terminal, with " +
		"$EDITOR set, the entry is opened")
	if err != nil {
		return err
	}
	return base.With(p.openMemory(c, false))(func(s *memory.Store) error {
		was, err := s.GetNamed(c.Context, name, c.String("tier"))
		if err != nil && !errors.Is(err, fault.NotFound) { // else it is a new one
			return err
		}
		if _, err := s.EditNamed(c.Context, name, c.String("tier"), "",
			memory.AnyRevision); errors.Is(err, fault.Denied) {
			return err // before anything is written in vain; a text that is empty is not taken
		}
		if revision == memory.AnyRevision {
			revision = was.Revision // what somebody else wrote meanwhile is not lost
		}
		text, file, err := p.Edit(c.Context, editor, "named", was.Body)
		if err != nil {
			return err
		}
		return p.EndEdit(file, p.writeNamed(c, s, name, text, revision))
	})
}

func (p *program) namedRemove(c *cli.Context, s *memory.Store) error {
	name, err := base.OneArg(c, "name")
	if err != nil {
		return err
	}
	n, err := s.RemoveNamed(c.Context, name, c.String("tier"))
	return p.Answer(c, err, func() {
		p.Printf("%s is removed; `board memory named show %s --tier %s --all` shows its "+
			"revisions\n", n.Name, n.Name, n.Tier)
	}, "entry", n)
}

func (p *program) memoryContext(c *cli.Context, s *memory.Store) error {
	if err := atLeastOne(c, "budget"); err != nil {
		return err
	}
	block, leftOut, err := s.AgentContext(c.Context, c.Int("budget"))
	return p.Answer(c, err, func() {
		if block != "" {
			p.PrintDocument(block)
		}
		if leftOut > 0 {
			p.Messagef("note: the budget of %d tokens leaves out %s; `board memory core` and `board "+
				"memory journal` list all", c.Int("budget"), base.Count(int64(leftOut), "more note",
				"more notes"))
		}
	}, "agent", s.Agent(), "block", block, "left_out", leftOut)
}
