package main

import (
	"fmt"
	"slices"

	"github.com/urfave/cli/v2"

	"blackboard/kb/chunks"
)

func (p *program) contextCommand() *cli.Command {
	c := &cli.Command{
		Name: "context", Aliases: []string{"ctx"}, Category: catKnow, Usage: "a project's context store: search, write, read, list, delete, get, set and more",
		Description: `Chunks of text that are written once and found by search, and state, which is
values under keys: what agent-memory-store does, with its answers. The store is
a directory: --store, else $AGENT_STORE_PATH, else .agent-memory-store here; its
file is board.sqlite3. The first use takes over what agent-memory-store has left
there, and changes none of it.`,
		Subcommands: slices.Concat(p.contextChunkCommands(), p.contextStateCommands(), p.contextUpkeepCommands()),
	}
	return c
}

// contextFlags are those that every context command has: which store, and in what form.
func contextFlags(more ...cli.Flag) []cli.Flag {
	return flags(more, []cli.Flag{
		&cli.StringFlag{Name: "store", Usage: "the `DIRECTORY` of the store; default $AGENT_STORE_PATH, else .agent-memory-store"},
		jsonFlag(),
	})
}

// useFlags are contextFlags of commands that may be the first use of a store.
func useFlags(more ...cli.Flag) []cli.Flag {
	return contextFlags(append(more, &cli.BoolFlag{Name: "no-import", Usage: "a first use takes nothing over from agent-memory-store"})...)
}

// openContext opens the store, with the installed model if it is wanted and can be used. What a first use has taken over is said.
func (p *program) openContext(c *cli.Context, withModel bool) (*chunks.Store, func(), error) {
	return p.openContextAs(c, withModel, !c.Bool("no-import"))
}

func (p *program) openContextAs(c *cli.Context, withModel, firstUse bool) (*chunks.Store, func(), error) {
	if err := notEmpty(c, "store", "agent", "mode", "importance"); err != nil {
		return nil, nil, err
	}
	dir := c.String("store")
	if dir == "" {
		dir = chunks.DefaultDir(p.env)
	}
	opt := chunks.Options{Import: firstUse}
	if withModel {
		var err error
		if opt.Embedder, err = p.usableEmbedder(c.Context); err != nil {
			return nil, nil, err
		}
	}
	s, res, err := chunks.Open(c.Context, dir, opt)
	if err != nil {
		return nil, nil, err
	}
	if res.Source != "" {
		p.talk("note: %s", importText(&res))
		p.importNotes(&res)
	}
	return s, func() { s.Close() }, nil
}

// notEmpty refuses flags that are given and empty: what was to stand there went missing.
func notEmpty(c *cli.Context, names ...string) error {
	for _, n := range names {
		if c.IsSet(n) && c.String(n) == "" {
			return usagef("name it, or leave the flag out", "--%s is empty", n)
		}
	}
	return nil
}

// importText says what was taken over.
func importText(r *chunks.ImportResult) string {
	part := func(c chunks.ImportCount, one, many string) string {
		s := count(int64(c.Added), one, many)
		if c.Updated > 0 {
			s += fmt.Sprintf(", %d updated", c.Updated)
		}
		if c.Kept > 0 {
			s += fmt.Sprintf(", %d here already", c.Kept)
		}
		return s
	}
	s := fmt.Sprintf("imported from %s: %s; %s", r.Source, part(r.Chunks, "chunk", "chunks"), part(r.State, "value", "values"))
	for _, left := range []struct {
		n   int
		why string
	}{{r.Expired, "expired, left out"}, {r.Deleted, "deleted here, left out"}, {len(r.Refused), "refused"}} {
		if left.n > 0 {
			s += fmt.Sprintf("; %d %s", left.n, left.why)
		}
	}
	return safe(s)
}

// importNotes says what else there is to say of an import.
func (p *program) importNotes(r *chunks.ImportResult) {
	for _, n := range r.Notes {
		p.talk("  note: %s", safe(n))
	}
	for _, refused := range r.Refused {
		p.talk("  refused: %s: %s", line(refused.From, 300), line(refused.Why, 300))
	}
}
