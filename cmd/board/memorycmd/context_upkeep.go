package memorycmd

import (
	_ "embed"

	"github.com/urfave/cli/v2"

	"blackboard/cmd/board/base"
	"blackboard/kb/chunks"
)

// contextSkill teaches agents the store's tools.
//
//go:embed context_skill.md
var contextSkill string

func (p *program) contextUpkeepCommands() []*cli.Command {
	return []*cli.Command{
		{
			Name: "skill", Usage: "print a skill that teaches agents the seven tools",
			Description: `When to read and when to write, what a new project begins with, how to hand
over. Keep it where a harness reads skills, or paste it into AGENTS.md:

  board context skill > .claude/skills/agent-memory/SKILL.md`,
			Action: func(c *cli.Context) error {
				if err := base.NoArgs(c); err != nil {
					return err
				}
				p.Printf("%s", contextSkill)
				return nil
			},
		},
		{
			Name: "import", Usage: "import what is new in agent-memory-store's files",
			Description: `Reads store.db in the store's directory or, if that is missing or empty, the
folders chunks and state. It imports what is missing here and what is newer
there. What was deleted here stays deleted. The files are not changed. The first
use of a store imports automatically.`,
			Flags: []cli.Flag{storeFlag(), base.JSONFlag()}, Action: p.contextImport,
		},
	}
}

func (p *program) contextImport(c *cli.Context) error {
	return base.With(p.openContext(c, true, false))(func(s *chunks.Store) error {
		r, err := s.Import(c.Context)
		p.backfill(c, s)
		return p.Answer(c, err, func() {
			p.Printf("%s\n", importText(&r))
			p.importNotes(&r)
		}, "import", r)
	})
}
