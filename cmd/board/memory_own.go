package main

import (
	"errors"

	"github.com/urfave/cli/v2"

	"blackboard/board/fault"
	"blackboard/kb/memory"
)

// What is an author's own, the named entries, and what is an agent's own: its journal and its core memories.
func (p *program) memoryOwnCommands() []*cli.Command {
	tier := func(more string) cli.Flag { return tierFlag("`TIER`: workspace or account" + more) }
	note := func(name, usage, description string) *cli.Command {
		return &cli.Command{
			Name: name, Usage: usage, ArgsUsage: "[TEXT | -]", Description: description,
			Flags: memoryFlags(
				tier(" (default workspace, and account where there is none); without a text, only those of it"),
				&cli.BoolFlag{Name: "force", Usage: "keep it though it holds what looks like a secret"},
				&cli.BoolFlag{Name: "full", Usage: "print entries whole"},
				limitFlag(), quietIDs(),
			),
			Action: func(c *cli.Context) error { return p.memoryNote(c, name) },
		}
	}
	return []*cli.Command{
		{
			Name: "named", Usage: "author's entries: list, show, edit, rm",
			Description: `VOICE is how texts for a workspace sound, SOUL how the agent is, everywhere;
others have names at will. They are always loaded first, and never ranked.
Agents read them, and write them only where $BOARD_MEMORY_GRANTS has named.`,
			Subcommands: []*cli.Command{
				{Name: "list", Usage: "list them", Flags: memoryFlags(tier(" (default both)")), Action: p.inMemory(p.namedList)},
				{
					Name: "show", Usage: "print one, as it is written", ArgsUsage: "NAME",
					Flags:  memoryFlags(tier(" (default workspace; SOUL's is account)"), &cli.BoolFlag{Name: "revisions", Usage: "print what it said before instead, the oldest first"}),
					Action: p.inMemory(p.namedShow),
				},
				{
					Name: "edit", Usage: "write one", ArgsUsage: "NAME [TEXT | -]",
					Description: `The text is the argument, standard input (-), or a file. With none of them, on
a terminal, the entry is opened in $VISUAL or $EDITOR. What it said stays among
its revisions.`,
					Flags: memoryFlags(
						tier(" (default workspace; SOUL's is account)"),
						&cli.StringFlag{Name: "file", Usage: "take the text from `FILE`"},
						&cli.StringFlag{Name: "if-revision", Usage: "only if it still has this `REVISION`, 0 for none; else exit 6"},
						secretFlag(),
					),
					Action: p.namedEdit,
				},
				{Name: "rm", Usage: "remove one; revisions are kept", ArgsUsage: "NAME", Flags: memoryFlags(tier(" (default workspace; SOUL's is account)")), Action: p.inMemory(p.namedRemove)},
			},
		},
		note("journal", "write the agent's journal, or list it", `What happened, and what to do differently. An entry counts for seven days, and
is listed as expired after that. With a text it is written, without one the
journal is listed. No other agent sees it.`),
		note("core", "write its core memories, or list them", `Permanent, and no other agent sees it. With a text it is written, without one
the core memories are listed; board memory forget takes one back.`),
		{
			Name: "context", Usage: "print core and journal for a prompt",
			Description: `Its core memories, and its journal of the last seven days, as one block: each
note on a line, the newest as far as the budget goes. Nothing if there is nothing.`,
			Flags: memoryFlags(budgetFlag()), Action: p.inMemory(p.memoryContext),
		},
	}
}

func (p *program) namedList(c *cli.Context, s *openedMemory) error {
	var tiers []string
	if c.IsSet("tier") {
		tiers = []string{c.String("tier")}
	}
	all, err := s.Named(c.Context, tiers...)
	return p.answer(c, err, func() {
		for i := range all {
			n := &all[i]
			if n.Revision == 0 {
				p.printf("%-12s  %-9s  %s\n", n.Name, n.Tier, p.paint(dim, "nothing is written yet"))
				continue
			}
			p.printf("%-12s  %-9s  %s  revision %d  %s\n", n.Name, n.Tier, n.Updated.Format("2006-01-02"), n.Revision, line(n.Body, 100))
		}
	}, "named", all)
}

func (p *program) namedShow(c *cli.Context, s *openedMemory) error {
	name, err := onlyOne(c, "name")
	if err != nil {
		return err
	}
	n, err := s.GetNamed(c.Context, name, c.String("tier"))
	if err != nil && !c.Bool("revisions") {
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
		return p.json("entry", n, "revisions", revisions)
	}
	if c.Bool("revisions") {
		for i := range revisions {
			if i > 0 {
				p.printf("\n")
			}
			p.printf("revision %d, %s\n%s\n", revisions[i].Revision, clock(revisions[i].Updated), indent(revisions[i].Body, "  | "))
		}
		if len(revisions) == 0 {
			p.talk("it has never said anything else")
		}
		return nil
	}
	if n.Body == "" {
		p.talk("nothing is written in %s yet; `board memory named edit %s` writes it", n.Name, n.Name)
		return nil
	}
	p.document(n.Body)
	return nil
}

func (p *program) namedEdit(c *cli.Context) error {
	if c.NArg() == 0 {
		return usagef("`board memory named edit NAME TEXT`", "no name is given")
	}
	name, args := c.Args().First(), c.Args().Tail()
	revision, err := namedRevision(c)
	if err != nil {
		return err
	}
	if c.IsSet("file") && len(args) > 0 {
		return usagef("give the text once", "both --file and an argument are given")
	}
	var text string
	switch {
	case c.IsSet("file"):
		in, closeInput, err := p.named(c.String("file"), "text")
		if err != nil {
			return err
		}
		defer closeInput()
		data, err := p.readAll(c.Context, in, mostText+1)
		if err != nil {
			return err
		}
		if len(data) > mostText {
			return usagef("it is read in every turn: keep what matters", "%s has more than a megabyte", c.String("file"))
		}
		text = string(data)
	case len(args) > 0:
		if text, err = p.textArg(c, "text", args); err != nil {
			return err
		}
	default:
		return p.editNamed(c, name, revision)
	}
	s, done, err := p.openMemory(c, false)
	if err != nil {
		return err
	}
	defer done()
	return p.writeNamed(c, s, name, text, revision)
}

// ifRevision reads --if-revision, nil if it is not given.
func ifRevision(c *cli.Context) (*int, error) {
	if !c.IsSet("if-revision") {
		return nil, nil
	}
	n, err := wholeNumber(c, "if-revision")
	return &n, err
}

func namedRevision(c *cli.Context) (int, error) {
	n, err := ifRevision(c)
	if n == nil {
		return memory.AnyRevision, err
	}
	return *n, err
}

func (p *program) writeNamed(c *cli.Context, s *openedMemory, name, text string, revision int) error {
	n, err := s.EditNamed(c.Context, name, c.String("tier"), text, revision)
	if tokens := n.Tokens(); err == nil && tokens > memory.NamedTokens {
		p.talk("note: it has %d tokens, and a turn has %d for all named entries: it is cut where there is more to say", tokens, memory.NamedTokens)
	}
	return p.answer(c, err, func() { p.printf("%s is at revision %d: %s\n", n.Name, n.Revision, line(n.Body, 80)) }, "entry", n)
}

func (p *program) editNamed(c *cli.Context, name string, revision int) error {
	editor, err := p.editor("give the text as an argument, - or --file; on a terminal, with $EDITOR set, the entry is opened")
	if err != nil {
		return err
	}
	s, done, err := p.openMemory(c, false)
	if err != nil {
		return err
	}
	defer done()
	was, err := s.GetNamed(c.Context, name, c.String("tier"))
	if err != nil && !errors.Is(err, fault.NotFound) { // else it is a new one
		return err
	}
	if _, err := s.EditNamed(c.Context, name, c.String("tier"), "", memory.AnyRevision); errors.Is(err, fault.Denied) {
		return err // before anything is written in vain; a text that is empty is not taken
	}
	if revision == memory.AnyRevision {
		revision = was.Revision // what somebody else wrote meanwhile is not lost
	}
	text, file, err := p.edit(c.Context, editor, "named", was.Body)
	if err != nil {
		return err
	}
	return p.edited(file, p.writeNamed(c, s, name, text, revision))
}

func (p *program) namedRemove(c *cli.Context, s *openedMemory) error {
	name, err := onlyOne(c, "name")
	if err != nil {
		return err
	}
	n, err := s.RemoveNamed(c.Context, name, c.String("tier"))
	return p.answer(c, err, func() {
		p.printf("%s is removed; `board memory named show %s --tier %s --revisions` shows what it said\n", n.Name, n.Name, n.Tier)
	}, "entry", n)
}

// memoryNote writes a note of the agent's own, or lists those of its kind.
func (p *program) memoryNote(c *cli.Context, kind string) error {
	if c.NArg() == 0 {
		return p.noteList(c, kind)
	}
	text, err := p.textArg(c, "text", c.Args().Slice())
	if err != nil {
		return err
	}
	s, done, err := p.openMemory(c, false)
	if err != nil {
		return err
	}
	defer done()
	n, err := s.SaveNote(c.Context, kind, c.String("tier"), text, c.Bool("force"))
	if err != nil {
		return err
	}
	switch {
	case c.Bool("json"):
		return p.json("note", n)
	case c.Bool("quiet"):
		p.printf("%s\n", n.ID)
	default:
		until := ""
		if n.ExpiresAround != "" {
			until = ", counts until " + n.ExpiresAround
		}
		p.printf("%s %s of %s, %s: %s%s\n", n.ID, map[string]string{memory.Journal: "journal", memory.Core: "core memory"}[kind], line(n.Agent, 40), n.Tier, line(n.Content, 80), until)
	}
	return nil
}

func (p *program) noteList(c *cli.Context, kind string) error {
	limit, err := listLimit(c)
	if err != nil {
		return err
	}
	s, done, err := p.openMemory(c, false)
	if err != nil {
		return err
	}
	defer done()
	found, err := s.Notes(c.Context, kind, 0)
	if err != nil {
		return err
	}
	all := []memory.Note{}
	for _, n := range found {
		if !c.IsSet("tier") || n.Tier == c.String("tier") {
			all = append(all, n)
		}
	}
	if t := c.String("tier"); c.IsSet("tier") && t != memory.Workspace && t != memory.Account {
		return usagef("choose workspace or account", "notes are in the workspace or the account, not in %q", t)
	}
	all, more := cutList(all, limit)
	if c.Bool("json") {
		return p.json("notes", all, "more", more)
	}
	for i := range all {
		n := &all[i]
		if c.Bool("quiet") {
			p.printf("%s\n", n.ID)
			continue
		}
		mark := ""
		if n.Expired {
			mark = p.paint(yellow, "  expired")
		}
		if c.Bool("full") {
			p.printf("%s  %s  %-9s%s\n%s\n", n.ID, n.Created.Format("2006-01-02"), n.Tier, mark, indent(n.Content, "       | "))
			continue
		}
		p.printf("%s  %s  %-9s  %s%s\n", n.ID, n.Created.Format("2006-01-02"), n.Tier, line(n.Content, 160), mark)
	}
	switch {
	case len(all) == 0:
		p.talk("%s has no %s yet", line(s.Agent(), 40), map[string]string{memory.Journal: "journal", memory.Core: "core memories"}[kind])
	case more:
		p.talk("the newest %d are shown; --limit 0 shows all", len(all))
	}
	return nil
}

func (p *program) memoryContext(c *cli.Context, s *openedMemory) error {
	if err := atLeastOne(c, "budget"); err != nil {
		return err
	}
	block, leftOut, err := s.AgentContext(c.Context, c.Int("budget"))
	return p.answer(c, err, func() {
		if block != "" {
			p.document(block)
		}
		if leftOut > 0 {
			p.talk("note: the budget of %d tokens has no room for %s; `board memory core` and `board memory journal` list all", c.Int("budget"), count(int64(leftOut), "more note", "more notes"))
		}
	}, "agent", s.Agent(), "block", block, "left_out", leftOut)
}
