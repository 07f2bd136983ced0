package main

import (
	_ "embed"
	"errors"
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"blackboard/board/fault"
	"blackboard/embed"
)

// contextSkill teaches agents the store's tools.
//
//go:embed context_skill.md
var contextSkill string

func (p *program) contextUpkeepCommands() []*cli.Command {
	return []*cli.Command{
		{
			Name: "skill", Usage: "print the skill that teaches agents the seven tools",
			Description: `When to read and when to write, what a new project begins with, how to hand
over. Keep it where a harness reads skills, or paste it into AGENTS.md:

  board context skill > .claude/skills/agent-memory/SKILL.md`,
			Action: func(c *cli.Context) error {
				if err := noArgs(c); err != nil {
					return err
				}
				p.printf("%s", contextSkill)
				return nil
			},
		},
		{
			Name: "import", Usage: "take over what is new in agent-memory-store's files",
			Description: `From its store.db in the store's directory or, if there is none or nothing in it,
from the folders chunks and state: what is not here, and what is newer than here.
What was deleted here stays deleted. The files stay as they are. The first use
of a store does the same by itself.`,
			Flags: contextFlags(), Action: p.contextImport,
		},
		{
			Name: "status", Usage: "count what there is",
			Flags: contextFlags(), Action: p.contextStatus,
		},
		{
			Name: "reembed", Usage: "embed what has no embedding yet",
			Description: `Those that were written without a model, and all of them after a change of
model. It goes in small steps, each of them kept, so an interrupted run is
continued by the same command.`,
			Flags: useFlags(), Action: p.contextReembed,
		},
	}
}

func (p *program) contextImport(c *cli.Context) error {
	s, done, err := p.openContextAs(c, true, false)
	if err != nil {
		return err
	}
	defer done()
	r, err := s.Import(c.Context)
	return p.answer(c, err, func() {
		p.printf("%s\n", importText(&r))
		p.importNotes(&r)
	}, "import", r)
}

func (p *program) contextStatus(c *cli.Context) error {
	s, done, err := p.openContextAs(c, false, false)
	if err != nil {
		return err
	}
	defer done()
	st, err := s.Status(c.Context)
	return p.answer(c, err, func() {
		size := "not made yet"
		if st.There {
			size = megabytes(st.Bytes)
		}
		row := func(name, text string) { p.printf("  %-10s  %s\n", name, text) }
		p.printf("%s  %s\n", safe(st.Path), size)
		row("chunks", fmt.Sprint(st.Chunks))
		row("state", count(int64(st.State), "key", "keys"))
		with := ""
		if st.Model != "" {
			with = " with " + safe(st.Model)
		}
		row("embedded", fmt.Sprintf("%d of %d%s", st.Embedded, st.Chunks, with))
		if st.There {
			row("index", fmt.Sprintf("%s, %d in the tail, %s", count(int64(st.Index.Segments), "segment", "segments"), st.Index.Tail, megabytes(st.Index.Bytes)))
		}
		if st.Import != nil && st.Import.Source != "" {
			row("import", clock(st.Import.At)+"  "+importText(&st.Import.ImportResult))
		} else if len(st.Originals) > 0 {
			row("import", "none; "+safe(strings.Join(st.Originals, ", "))+": board context import takes over what is there")
		}
	}, "status", st)
}

func (p *program) contextReembed(c *cli.Context) error {
	p.embedsMuch = true
	s, done, err := p.openContext(c, true)
	if err != nil {
		return err
	}
	defer done()
	bar := p.stepBar()
	r, err := s.Reembed(c.Context, func(done, of int) { bar.show("embedding", done, of) })
	bar.clear()
	if err != nil {
		if errors.Is(err, fault.NoModel) {
			return embed.NoModel()
		}
		if r.Embedded > 0 {
			p.talk("%s have theirs; the same command continues", count(int64(r.Embedded), "chunk", "chunks"))
		}
		return err
	}
	return p.answer(c, nil, func() { p.printf("%s embedded with %s\n", count(int64(r.Embedded), "chunk", "chunks"), safe(r.Model)) }, "reembed", r)
}
