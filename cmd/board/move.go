package main

import (
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"blackboard/board"
	"blackboard/board/trace"
)

// exportFormats maps a format to the endings of its files.
var exportFormats = map[string][]string{"jsonl": {".jsonl", ".ndjson"}, "md": {".md", ".markdown"}, "html": {".html", ".htm"}}

func (p *program) moveCommands() []*cli.Command {
	return []*cli.Command{
		{
			Name: "export", Category: catMove, Usage: "write everything as JSONL, a markdown digest for synthesis, or an HTML report",
			Description: `jsonl  everything, the event log included; ` + "`board import`" + ` rebuilds the board from it
md     a digest for whoever writes the synthesis: what blocks, what must surface, then the strongest; --budget bounds it;
       --appendix: what must surface and the questions left open, to append to a report, which then passes survival
html   one file to read and pass on: entries, links, signals and their timeline; --report: also the passages of the report, with
       links to the entries that they stand on, and what nothing supports`,
			Flags: readFlags(
				&cli.StringFlag{Name: "format", Aliases: []string{"f"}, Usage: "`FORMAT`: jsonl, md or html (default: from the file's ending, else jsonl)"},
				&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "write to `FILE`, whole or not at all"},
				&cli.IntFlag{Name: "budget", Usage: "md: at most `N` tokens; 0: no limit"},
				&cli.BoolFlag{Name: "appendix", Usage: "md: only what survival looks for, word for word, as the end of a report"},
				&cli.StringSliceFlag{Name: "report", Usage: "html: trace `REPORT` on the page, repeatable"},
				&cli.StringSliceFlag{Name: "sources", Usage: "html: with --report, look below `DIR` for what no entry supports, repeatable; default those of board.yaml"},
				policyFlag()),
			Action: p.export,
		},
		{
			Name: "import", Category: catMove, Usage: "make a run from a board export, an Irys board or a board of blackboard.py", ArgsUsage: "FILE|-",
			Description: `A board export keeps its name unless --run gives another. An Irys board needs --run; its ids are kept as external ids, its
expired signals become waived ones with the reason "expired", and it does not say what must surface: --must-surface does.
A board of blackboard.py (BOARD.sqlite3) is called as its file is unless --run gives another name. Ids, times, authors, statuses and links
are those of the file. Whatever has no place here is named in a note.`,
			Flags: writeFlags(&cli.StringSliceFlag{Name: "must-surface", Aliases: []string{"must"},
				Usage: "Irys: mark the entries that address signals of this `PRIORITY`, repeatable"}),
			Action: p.imports,
		},
	}
}

// minBudget is the least budget of a digest, in tokens: below it not even the head and the note on what is left out have room.
const minBudget = 200

func (p *program) export(c *cli.Context) error {
	f, out := c.String("format"), c.String("output")
	if f == "" {
		f = "jsonl"
		for name, endings := range exportFormats {
			for _, e := range endings {
				if strings.EqualFold(filepath.Ext(out), e) {
					f = name
				}
			}
		}
	}
	if ext := filepath.Ext(out); !c.IsSet("format") && f == "jsonl" && ext != "" && !slices.Contains(exportFormats[f], strings.ToLower(ext)) {
		p.talk("note: %s says nothing about the format, so it is JSONL; --format md and --format html are the others", safe(ext))
	}
	if exportFormats[f] == nil {
		return usagef("choose one of jsonl, md, html", "unknown format %q", f)
	}
	if c.IsSet("budget") && f != "md" {
		return usagef("add --format md", "--budget is for the markdown digest")
	}
	if c.IsSet("report") && f != "html" || c.IsSet("sources") && !c.IsSet("report") {
		return usagef("`board export --format html --report report.md`", "--report is for the HTML report, and --sources goes with it")
	}
	if c.Bool("appendix") && (f != "md" || c.IsSet("budget") || c.Bool("json")) {
		return usagef("`board export --format md --appendix`", "--appendix is Markdown, whole")
	}
	if n := c.Int("budget"); n != 0 && n < minBudget {
		return usagef("give more, or 0 for no limit", "a budget of %d tokens is too small for a digest: %d is the least", n, minBudget)
	}
	b, err := p.open(c)
	if err != nil {
		return err
	}
	defer b.Close()
	switch f {
	case "jsonl":
		return p.writeFile(out, func(w io.Writer) error { return b.Export(c.Context, w) })
	case "html":
		return p.exportHTML(c, b)
	}
	if c.Bool("appendix") {
		text, err := b.Appendix(c.Context)
		if err != nil {
			return err
		}
		return p.writeFile(out, func(w io.Writer) error { _, err := io.WriteString(w, text); return err })
	}
	s, err := b.Snapshot(c.Context)
	if err != nil {
		return err
	}
	follow, err := p.policy(c)
	if err != nil {
		return err
	}
	d, err := s.Digest(follow.Gate, c.Int("budget"), words)
	if err != nil {
		return err
	}
	if len(d.OmittedMust) > 0 {
		p.talk("board: the budget is too small: %s or shortened (%s)", count(int64(len(d.OmittedMust)), "item that must surface is left out", "items that must surface are left out"),
			board.Line(strings.Join(d.OmittedMust, ", "), 200))
	}
	if c.Bool("json") {
		return p.writeFile(out, func(w io.Writer) error { return (&program{out: &checkedWriter{w: w}}).json("digest", d) })
	}
	return p.writeFile(out, func(w io.Writer) error { _, err := io.WriteString(w, d.Text); return err })
}

// exportHTML writes the page, with what the reports of --report stand on.
func (p *program) exportHTML(c *cli.Context, b *board.Board) error {
	follow, err := p.policy(c)
	if err != nil {
		return err
	}
	var traced *trace.Result
	if names := c.StringSlice("report"); len(names) > 0 {
		r, err := p.traceReports(c, b, names, follow.Sources)
		if err != nil {
			return err
		}
		traced = &r
	}
	return p.writeFile(c.String("output"), func(w io.Writer) error { return b.ExportHTML(c.Context, w, follow.Gate, traced) })
}

func (p *program) imports(c *cli.Context) error {
	if c.NArg() != 1 {
		return usagef("`board import board.jsonl`; - is standard input", "one file is needed, but %d are given", c.NArg())
	}
	dir, err := p.boardsDir()
	if err != nil {
		return err
	}
	in, name := p.in, c.Args().First()
	opt := board.ImportOptions{Run: c.String("run"), Source: filepath.Base(name), MustSurface: list(c, "must-surface")}
	if name != "-" {
		f, err := openInput(name)
		if err != nil {
			return err
		}
		defer f.Close()
		in, opt.Path = f, name
	}
	got, err := board.Import(c.Context, dir, p.workerName(c), in, opt)
	if err != nil {
		return err
	}
	for _, n := range got.Notes {
		p.talk("note: %s", safe(n))
	}
	return p.answer(c, nil, func() {
		p.printf("run %s imported: %s\n", got.Run, strings.Join([]string{count(int64(got.Entries), "entry", "entries"), count(int64(got.Signals), "signal", "signals"),
			count(int64(got.Links), "link", "links"), count(int64(got.Variables), "variable", "variables"), count(got.Events, "event", "events")}, ", "))
	}, "imported", got)
}
