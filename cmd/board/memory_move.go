package main

import (
	"io"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"blackboard/kb/memory"
)

func (p *program) memoryMoveCommands() []*cli.Command {
	return []*cli.Command{
		{
			Name: "export", Usage: "write all as one JSON document", ArgsUsage: "[FILE | -]",
			Description: `What everybody may see and what is the agent's own: items, named entries,
journals, channels, conversations, working notes; with --everything, for a
person, what is any agent's own too. Embeddings are left out: board memory
reembed makes them. A file is written whole or not at all.`,
			Flags: memoryFlags(
				tiersFlag(" (default all)"),
				&cli.BoolFlag{Name: "forgotten", Usage: "forgotten and expired items too, and what items said before"},
				&cli.BoolFlag{Name: "everything", Usage: "what is any agent's own too: a person's backup"},
			),
			Action: p.inMemory(p.memoryExport),
		},
		{
			Name: "import", Usage: "take in what export has written", ArgsUsage: "FILE | -",
			Description: `Everything comes as it was: ids, times, who noted it, what was forgotten. What
is here already stays as it is. It goes into this workspace, whichever it is
from. A record that makes no sense, or that this caller may not bring, is
listed, and the exit code is 1 once all else is done.`,
			Flags: memoryFlags(
				tiersFlag(" (default all that are in it)"),
				&cli.BoolFlag{Name: "dry-run", Usage: "only say what would be done"},
				&cli.BoolFlag{Name: "force", Usage: "take what looks like a secret"},
			),
			Action: p.inMemory(p.memoryImport),
		},
	}
}

// exportedLists are the lists of an export, in its order, and what their records are called.
var exportedLists = []struct{ list, one, many string }{
	{"items", "item", "items"}, {"named", "named entry", "named entries"}, {"notes", "journal entry or core memory", "journal entries and core memories"}, {"channels", "channel", "channels"},
	{"conversations", "conversation", "conversations"}, {"scratch", "working note", "working notes"}, {"revisions", "revision", "revisions"},
}

func (p *program) memoryExport(c *cli.Context, s *openedMemory) error {
	if c.NArg() > 1 {
		return usagef("`board memory export FILE`", "one file is needed, but %d are given", c.NArg())
	}
	var out memory.Exported
	name := c.Args().First()
	if err := p.writeFileAs(name, 0o600, func(w io.Writer) (err error) { // as private as the memory is
		out, err = s.Export(c.Context, w, memory.ExportOptions{Tiers: list(c, "tier"), Forgotten: c.Bool("forgotten"), Everything: c.Bool("everything")})
		return err
	}); err != nil {
		return err
	}
	if c.Bool("json") && name != "" && name != "-" { // else the document itself is the answer
		return p.json("export", out)
	}
	var parts []string
	for _, l := range exportedLists {
		if n := out.Counts[l.list]; n > 0 {
			parts = append(parts, count(int64(n), l.one, l.many))
		}
	}
	if len(parts) == 0 {
		parts = []string{"nothing"}
	}
	p.talk("%s written", strings.Join(parts, ", "))
	return nil
}

func (p *program) memoryImport(c *cli.Context, s *openedMemory) error {
	name, err := onlyOne(c, "file")
	if err != nil {
		return err
	}
	in, closeInput, err := p.named(name, "document")
	if err != nil {
		return err
	}
	defer closeInput()
	out, err := s.Import(c.Context, in, memory.ImportOptions{Tiers: list(c, "tier"), DryRun: c.Bool("dry-run"), Force: c.Bool("force")})
	if err != nil {
		return err
	}
	if c.Bool("json") {
		if err := p.json("import", out); err != nil {
			return err
		}
	} else {
		p.printImported(&out)
	}
	if len(out.Refused) > 0 {
		return verdictError(exitFailure)
	}
	return nil
}

func (p *program) printImported(out *memory.Imported) {
	would := wouldBe(out.DryRun)
	any := false
	for _, l := range exportedLists {
		n := out.Counts[l.list]
		if n == (memory.ImportCounts{}) {
			continue
		}
		any = true
		text := l.list + ": " + strconv.Itoa(n.Stored) + " " + would + "stored"
		for _, part := range []struct {
			n    int
			name string
		}{{n.Unchanged, "here already"}, {n.Kept, "here already and different: kept as they are"}, {n.Refused, "refused"}} {
			if part.n > 0 {
				text += ", " + strconv.Itoa(part.n) + " " + part.name
			}
		}
		p.printf("%s\n", text)
	}
	if !any {
		p.talk("there is nothing in it")
	}
	for _, r := range out.Refused {
		p.talk("refused: %s: %s", safe(r.Place), line(r.Reason, 300))
	}
	for _, n := range out.Notes {
		p.talk("note: %s", safe(n))
	}
}
