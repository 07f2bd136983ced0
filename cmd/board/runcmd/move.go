package runcmd

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"blackboard/board"
	"blackboard/board/check"
	"blackboard/board/report"
	"blackboard/board/text"
	"blackboard/board/trace"
	"blackboard/cmd/board/base"
	"blackboard/hooks/ops"
)

// exportFormats maps a format to the extensions of its files.
func exportFormats() map[string][]string {
	return map[string][]string{"jsonl": {".jsonl", ".ndjson"}, "md": {".md", ".markdown"},
		"html": {".html", ".htm"}}
}

func (p *program) moveCommands() []*cli.Command {
	return []*cli.Command{
		{
			Name: "export", Category: base.CategoryMove,
			Usage: "write everything as JSONL, a markdown digest for synthesis, or an HTML report",
			Description: `jsonl  everything, the event log included; ` + "`board import`" + ` rebuilds the board from it
md     a digest for the author of the synthesis: blockers, must-surface entries, then
       all by document, with quotes; --budget limits it.
       --appendix: must-surface entries and open questions, to append to a report,
       which then passes survival
html   one file to read and pass on: entries, links, questions and their timeline.
       --report: also the passages of the report, with links to their entries, and
       facts that no entry supports
With --output, --json prints what was written. Without, jsonl is JSON already, and md
is one object, which has the text.`,
			Flags: base.ReadFlags(
				&cli.StringFlag{Name: "format", Aliases: []string{"f"},
					Usage: "`FORMAT`: jsonl, md or html (default: by the file's extension, else jsonl)"},
				&cli.StringFlag{Name: "output", Aliases: []string{"o"},
					Usage: "write to `FILE`, whole or not at all"},
				&cli.IntFlag{Name: "budget", Usage: "md: at most `N` tokens; 0: no limit"},
				&cli.BoolFlag{Name: "appendix",
					Usage: "md: only what survival looks for, word for word, as the end of a report"},
				&cli.StringSliceFlag{Name: "report", Usage: "html: trace `REPORT` on the page, " +
					"repeatable"},
				&cli.StringSliceFlag{Name: "sources",
					Usage: "html: with --report, look below `DIR` for what no entry supports, " +
						"repeatable; " + "default those of board.yaml"},
				policyFlag(), outsideFlag()),
			Action: p.export,
		},
		{
			Name: "digest", Category: base.CategoryJudge,
			Usage: "all findings for the author of the report",
			Description: `Questions and disputes first, then by document, with quotes. What --budget leaves out is named;
what must be in the report is left out last.`,
			Flags: base.ReadFlags(
				&cli.IntFlag{Name: "budget", Usage: "at most `N` tokens; 0: no limit"},
				&cli.StringFlag{Name: "tag", Usage: "only findings with this `TAG`"},
				&cli.StringFlag{Name: "output", Aliases: []string{"o"},
					Usage: "write to `FILE`, whole or not at all"}, policyFlag()),
			Action: p.export,
		},
		{
			Name: "import", Category: base.CategoryMove,
			Usage:     "create a run from a board export, an Irys board or a board of blackboard.py",
			ArgsUsage: "FILE|-",
			Description: `A board export keeps its name unless --run gives another. An Irys board
needs --run; its ids are kept as external ids, its expired questions become waived ones with
the reason "expired", and it does not say what must surface: --must-surface does. A board
of blackboard.py (BOARD.sqlite3) keeps the name of its file unless --run gives another.
Ids, times, authors, statuses and links are those of the file. A note names what has no
counterpart here.`,
			Flags: base.WriteFlags(&cli.StringSliceFlag{Name: "must-surface",
				Usage: "Irys: mark the entries that address questions of this `PRIORITY`, repeatable"},
				base.KeepSecretFlag()),
			Action: p.imports,
		},
	}
}

// minBudget is a digest's least, in tokens: for its head and the note on what is left out.
const minBudget = 200

func (p *program) export(c *cli.Context) error {
	f, err := p.exportFormat(c)
	if err != nil {
		return err
	}
	out := c.String("output")
	return base.OnBoard(p.OpenRun(c))(func(b *board.Board) error {
		done := exportedFile{File: out, Format: f, OmittedMust: []string{}}
		write := func(w io.Writer) error { return b.Export(c.Context, w) }
		if text := ""; f == "md" {
			text, err = p.exportMarkdown(c, b, &done)
			write = func(w io.Writer) error {
				_, err := io.WriteString(w, text)
				return err
			}
		} else if f == "html" {
			write, err = p.exportHTML(c, b)
		}
		if err != nil {
			return err
		}
		if err := p.WriteFile(out, write); err != nil || !toFile(c) {
			return err // else the document itself was the answer
		}
		st, err := b.State(c.Context)
		done.Entries, done.Signals = st.Entries.Total, st.Signals.Total
		return p.Answer(c, err, func() {
			left := ""
			if done.Omitted > 0 {
				left = fmt.Sprintf("; %d left out", done.Omitted)
			}
			p.Messagef("%s written: %s, %s%s", base.Safe(out),
				base.Count(done.Entries, "entry", "entries"),
				base.Count(done.Signals, "question", "questions"), left)
		}, "export", done)
	})
}

type exportedFile struct {
	File    string `json:"file"`
	Format  string `json:"format"`  // jsonl, md or html
	Entries int64  `json:"entries"` // of the run
	Signals int64  `json:"signals"` // of the run
	Omitted int    `json:"omitted"` // entries and signals that the budget left out
	// OmittedMust are the ids of what the report must carry and the file leaves out, or
	// shortens.
	OmittedMust []string `json:"omitted_must"`
}

// toFile reports whether the export goes to a file, so that stdout has the answer.
func toFile(c *cli.Context) bool { return c.String("output") != "" && c.String("output") != "-" }

// exportMarkdown is the digest or the appendix. It notes in done what the budget left out.
func (p *program) exportMarkdown(c *cli.Context, b *board.Board, done *exportedFile) (string,
	error) {
	if c.Bool("appendix") {
		return report.Appendix(c.Context, b)
	}
	s, err := b.Snapshot(c.Context)
	if err != nil {
		return "", err
	}
	follow, err := p.policy(c, b)
	if err != nil {
		return "", err
	}
	d, err := report.NewDigest(s, follow.Gate,
		report.DigestOptions{Budget: c.Int("budget"), Tag: c.String("tag"), Words: base.CommandFor})
	if err != nil {
		return "", err
	}
	if len(d.OmittedMust) > 0 {
		p.Messagef("warning: the budget is too small: %s or shortened (%s)",
			base.Count(int64(len(d.OmittedMust)), "item that must surface is left out",
				"items that must surface are left out"),
			board.Line(strings.Join(d.OmittedMust, ", "), 200))
		done.OmittedMust = d.OmittedMust
	}
	if done.Omitted = d.Omitted; !c.Bool("json") || toFile(c) {
		return d.Text, nil
	}
	var answer strings.Builder
	err = (&program{&base.Program{Out: &base.CheckedWriter{W: &answer},
		Answered: p.Answered}}).JSON("digest", d)
	return answer.String(), err
}

// exportFormat is --format, else by the output's name. It refuses other formats' flags.
func (p *program) exportFormat(c *cli.Context) (f string, err error) {
	out := c.String("output")
	ending := "." + c.String("format") // markdown names md, as the ending of a file does
	switch f = c.String("format"); {
	case c.Command.Name == "digest":
		f, ending = "md", ".md"
	case f == "":
		f, ending = "jsonl", filepath.Ext(out)
	}
	for name, endings := range exportFormats() {
		if slices.Contains(endings, strings.ToLower(ending)) {
			f = name
		}
	}
	if ext := filepath.Ext(out); !c.IsSet("format") && f == "jsonl" && ext != "" &&
		!slices.Contains(exportFormats()[f], strings.ToLower(ext)) {
		p.Messagef("note: the name %s implies no format, so it is JSONL; --format md and --format "+
			"html are the others", base.Safe(ext))
	}
	if exportFormats()[f] == nil {
		return "", base.Usagef("choose one of jsonl, md, html", "unknown format %q", f)
	}
	if c.IsSet("budget") && f != "md" {
		return "", base.Usagef("add --format md", "--budget is for the markdown digest")
	}
	if c.IsSet("report") && f != "html" || c.IsSet("sources") && !c.IsSet("report") {
		return "", base.Usagef("`board export --format html --report report.md`",
			"--report is for the HTML report, and --sources goes with it")
	}
	if c.Bool("appendix") && (f != "md" || c.IsSet("budget")) {
		return "", base.Usagef("`board export --format md --appendix`",
			"--appendix needs --format md, without --budget")
	}
	if c.Bool("json") && !toFile(c) && (f == "html" || c.Bool("appendix")) {
		return "", base.Usagef("add -o FILE", "this document is not JSON: with --json it needs a file")
	}
	if n := c.Int("budget"); n != 0 && n < minBudget {
		return "", base.Usagef("give more, or 0 for no limit",
			"a budget of %d tokens is too small for a digest; the minimum is %d", n, minBudget)
	}
	return f, nil
}

func (p *program) exportHTML(c *cli.Context, b *board.Board) (func(io.Writer) error, error) {
	follow, err := p.policy(c, b)
	if err != nil {
		return nil, err
	}
	var traced *trace.Result
	if names := c.StringSlice("report"); len(names) > 0 {
		in, _, err := (&host{p, c}).Gather(c.Context, b, &follow, ops.Material{Reports: names,
			Sources: c.StringSlice("sources")})
		if err != nil {
			return nil, err
		}
		r, err := check.TraceRun(c.Context, b, in)
		if err != nil {
			return nil, err
		}
		traced = &r
	}
	return func(w io.Writer) error {
		return report.WriteHTML(c.Context, w, b, follow.Gate, traced)
	}, nil
}

func (p *program) imports(c *cli.Context) error {
	if c.NArg() != 1 {
		return base.Usagef("`board import board.jsonl`; - is standard input",
			"one file is needed, but %d are given", c.NArg())
	}
	dir, err := p.BoardsDir()
	if err != nil {
		return err
	}
	in, name := p.In, c.Args().First()
	opt := board.ImportOptions{Run: c.String("run"), Source: filepath.Base(name),
		MustSurface: base.List(c, "must-surface")}
	if name != "-" {
		f, err := base.OpenInput(name)
		if err != nil {
			return err
		}
		defer f.Close()
		in, opt.Path = f, name
	}
	p.MaskSecrets(c)
	got, err := board.Import(c.Context, dir, p.WorkerName(c), text.Reader(in), opt)
	if err != nil {
		return err
	}
	for _, n := range got.Notes {
		p.Messagef("note: %s", base.Safe(n))
	}
	return p.Answer(c, nil, func() {
		p.Printf("run %s imported: %s\n", got.Run,
			strings.Join([]string{base.Count(int64(got.Entries), "entry", "entries"),
				base.Count(int64(got.Signals), "question", "questions"),
				base.Count(int64(got.Links), "link", "links"), base.Count(int64(got.Variables),
					"variable", "variables"), base.Count(got.Events, "event", "events")}, ", "))
	}, "imported", got)
}
