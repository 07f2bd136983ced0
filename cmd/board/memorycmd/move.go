package memorycmd

import (
	"io"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"blackboard/cmd/board/base"
	"blackboard/hooks/ops"
	"blackboard/kb/memory"
)

func (p *program) memoryMoveCommands() []*cli.Command {
	return []*cli.Command{
		{
			Name: "export", Usage: "export all as one JSON document", ArgsUsage: "[FILE | -]",
			Description: `Exports shared items and the agent's own: items, named entries, journals,
channels, conversations, working notes. With --everything, for a person, also
those of all agents. Embeddings are left out: board kb reembed adds them. So are
earlier revisions: board backup copies all. A file is written completely or not at
all.`,
			Flags: memoryFlags(
				&cli.StringSliceFlag{Name: "tier", Aliases: []string{"tiers"},
					Usage: "`TIER`, repeatable or with commas: " + strings.Join(memory.Tiers, ", ") + " (default all)"},
				&cli.BoolFlag{Name: "forgotten", Usage: "include forgotten and expired items"},
				&cli.BoolFlag{Name: "everything", Usage: "include what belongs to agents: a person's backup"},
			),
			Action: p.inMemory(p.memoryExport),
		},
		{
			Name: "import", Usage: "import what export has written", ArgsUsage: "FILE | -",
			Description: `Ids, times, authors and the state of items are kept. What exists here is not
changed. Everything goes into this workspace, whichever it is from. Records that
are invalid, or that this caller may not import, are listed; the exit code is 1
after the rest is done.`,
			Flags: memoryFlags(
				base.DryRunFlag(),
				&cli.BoolFlag{Name: "force", Usage: "import also what looks like a secret"},
			),
			Action: p.inMemory(p.memoryImport),
		},
	}
}

// exportedLists are the lists of an export in their order, and the names of one record and of several.
var exportedLists = ops.Kinds{
	{"items", "item", "items"}, {"named", "named entry", "named entries"},
	{"notes", "journal entry or core memory", "journal entries and core memories"},
	{"channels", "channel", "channels"},
	{"conversations", "conversation", "conversations"}, {"scratch", "working note", "working notes"},
}

func (p *program) memoryExport(c *cli.Context, s *memory.Store) error {
	if c.NArg() > 1 {
		return base.Usagef("`board memory export FILE`", "one file is needed, but %d are given",
			c.NArg())
	}
	var out memory.Exported
	name := c.Args().First()
	// as private as the memory is
	if err := p.WriteFileMode(name, 0o600, func(w io.Writer) (err error) {
		out, err = s.Export(c.Context, w, memory.ExportOptions{Tiers: base.List(c, "tier"),
			Forgotten: c.Bool("forgotten"), Everything: c.Bool("everything")})
		return err
	}); err != nil {
		return err
	}
	if c.Bool("json") && name != "" && name != "-" { // else the document itself is the answer
		return p.JSON("export", out)
	}
	p.Messagef("%s written", ops.Counted(exportedLists, out.Counts))
	return nil
}

func (p *program) memoryImport(c *cli.Context, s *memory.Store) error {
	name, err := base.OneArg(c, "file")
	if err != nil {
		return err
	}
	in, closeInput, err := p.OpenNamed(name, "document")
	if err != nil {
		return err
	}
	defer closeInput()
	out, err := s.Import(c.Context, in, memory.ImportOptions{
		DryRun: c.Bool("dry-run"), Force: c.Bool("force")})
	if err != nil {
		return err
	}
	return p.AnswerFailed(c, len(out.Refused) > 0, func() { p.printImported(&out) }, "import", out)
}

func (p *program) printImported(out *memory.Imported) {
	would := base.WouldBe(out.DryRun)
	any := false
	for _, l := range exportedLists {
		n := out.Counts[l.Name]
		if n == (memory.ImportCounts{}) {
			continue
		}
		any = true
		text := l.Name + ": " + strconv.Itoa(n.Stored) + " " + would + "stored"
		for _, part := range []struct {
			n    int
			name string
		}{{n.Unchanged, "here already"}, {n.Kept, "exist here with other content: not changed"},
			{n.Refused, "refused"}} {
			if part.n > 0 {
				text += ", " + strconv.Itoa(part.n) + " " + part.name
			}
		}
		p.Printf("%s\n", text)
	}
	if !any {
		p.Messagef("the file has nothing to import")
	}
	for _, r := range out.Refused {
		p.Messagef("refused: %s: %s", base.Safe(r.Place), base.Line(r.Reason, 300))
	}
	for _, n := range out.Notes {
		p.Messagef("note: %s", base.Safe(n))
	}
}
