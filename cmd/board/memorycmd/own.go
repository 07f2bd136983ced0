package memorycmd

import (
	"cmp"
	"errors"

	"github.com/urfave/cli/v2"

	"blackboard/board/fault"
	"blackboard/cmd/board/base"
	"blackboard/hooks/ops"
	"blackboard/kb/memory"
)

// namedAndAgentCommands returns the commands of named entries, which belong to the author, and of an agent's own items:
// its journal, its core memories and its context.
func (p *program) namedAndAgentCommands() []*cli.Command {
	named := p.group("named", "author's entries: list, show, edit, rm",
		`VOICE describes the style of texts in a workspace; SOUL describes the agent, in
all workspaces; other entries have any name. They are always loaded first, and
are not ranked. Agents can read them. They can write them only if
$BOARD_MEMORY_GRANTS contains named.`, &ops.NamedList, &ops.NamedShow, &ops.NamedRemove)
	edit := p.operation(&ops.Named)
	write := edit.Action
	edit.Action = func(c *cli.Context) error {
		if c.NArg() == 1 && !c.IsSet("file") {
			return p.editNamed(c, c.Args().First())
		}
		return write(c)
	}
	named.Subcommands = append(named.Subcommands, edit)
	return []*cli.Command{named, p.operation(&ops.JournalNote), p.operation(&ops.CoreNote), p.operation(&ops.OwnContext)}
}

func (p *program) editNamed(c *cli.Context, name string) error {
	h, was := &host{p, c}, memory.Named{}
	in := ops.NamedIn{Name: name, Tier: c.String("tier"), KeepSecrets: ops.KeepSecrets{KeepSecret: c.Bool("force")}}
	return p.Edit(c.Context, "named", "give the text as an argument, - or --file; on a terminal, with "+
		"$EDITOR set, the entry is opened", func() (_ string, err error) {
		if in.Revision, err = base.IfRevision(c); err != nil {
			return "", err
		}
		err = h.Memory(c.Context, false, func(m *memory.Store) error {
			was, err = m.GetNamed(c.Context, name, in.Tier)
			if err != nil && !errors.Is(err, fault.NotFound) { // else it is a new one
				return err
			}
			if _, err := m.EditNamed(c.Context, name, in.Tier, "", memory.AnyRevision); errors.Is(err, fault.Denied) {
				return err // before anything is written in vain; a text that is empty is not taken
			}
			return nil
		})
		in.Revision = cmp.Or(in.Revision, &was.Revision) // what somebody else wrote meanwhile is not lost
		return was.Body, err
	}, func(text string) error {
		in.Body = &text
		out, err := ops.Named.Do(c.Context, h, in)
		return p.AnswerWith(c, ops.Named.Answer(out), err)
	})
}
