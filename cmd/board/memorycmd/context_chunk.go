package memorycmd

import (
	"bytes"
	"context"
	"errors"
	"os"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"blackboard/board"
	"blackboard/board/fault"
	"blackboard/cmd/board/base"
	"blackboard/kb/chunks"
)

func (p *program) contextChunkCommands() []*cli.Command {
	filters := func() []cli.Flag {
		return []cli.Flag{
			&cli.StringSliceFlag{Name: "tag", Aliases: []string{"tags"},
				Usage: "has this `TAG`, repeatable or with commas: one of them"},
			&cli.StringFlag{Name: "agent", Usage: "`WHO` wrote it"},
		}
	}
	return []*cli.Command{
		{
			Name: "search", Usage: "find chunks by words and by meaning", ArgsUsage: "QUERY | -",
			Description: `Without a model or embeddings it searches by words alone, and says so. Compare
scores only within one answer.`,
			Flags: base.JoinFlags(filters(), useFlags(
				&cli.IntFlag{Name: "limit", Aliases: []string{"n", "top-k"},
					Usage: "at most `N`, 1 to " + strconv.Itoa(chunks.MaxTopK),
					Value: chunks.DefaultTopK},
				&cli.Float64Flag{Name: "min-score",
					Usage: "leave out hits with a lower `SCORE`", Value: chunks.DefaultMinScore},
				&cli.StringFlag{Name: "mode", Aliases: []string{"m"},
					Usage: "`MODE`: " + strings.Join(chunks.Modes, ", "), Value: chunks.ModeHybrid},
				base.QuietIDsFlag())),
			Action: p.contextSearch,
		},
		{
			Name: "write", Usage: "store a chunk", ArgsUsage: "TEXT | -",
			Description: `The text is markdown with the reason, not only the outcome. --topic is a
short line that says what it is about; without it, the text's first line does. To correct
a chunk, delete it and write another. TOPIC and TEXT as two arguments still work.`,
			Flags: useFlags(
				&cli.StringFlag{Name: "topic",
					Usage: "what it is about, in one `LINE`; default the first line of the text"},
				&cli.StringFlag{Name: "content",
					Usage: "the `TEXT`, if it is neither an argument nor piped in"},
				&cli.StringFlag{Name: "agent",
					Usage: "`WHO` writes it; default $BOARD_WORKER, else " + chunks.DefaultAgent},
				&cli.StringSliceFlag{Name: "tag", Aliases: []string{"tags"},
					Usage: "`TAG`, repeatable or with commas"},
				&cli.StringFlag{Name: "importance", Aliases: []string{"i"},
					Usage: "`LEVEL`: " + strings.Join(chunks.Importances, ", "), Value: chunks.Medium},
				&cli.StringFlag{Name: "ttl-days",
					Usage: "expires after so many `DAYS`, such as 30 or 0.5 (default never)"},
				&cli.BoolFlag{Name: "no-embed",
					Usage: "store it without an embedding; `board context reembed` adds it"},
				base.QuietFlag(), base.KeepSecretFlag(),
			),
			Action: p.contextWrite,
		},
		{
			Name: "read", Usage: "show a chunk", ArgsUsage: "ID",
			Flags: useFlags(), Action: p.contextRead,
		},
		{
			Name: "list", Usage: "list chunks, the newest first",
			Flags: base.JoinFlags(filters(), useFlags(
				&cli.IntFlag{Name: "limit", Aliases: []string{"n"},
					Usage: "at most `N`, 1 to " + strconv.Itoa(chunks.MaxLimit),
					Value: chunks.DefaultLimit},
				&cli.IntFlag{Name: "offset", Usage: "skip the first `N`"},
				base.QuietIDsFlag())),
			Action: p.contextList,
		},
		{
			Name: "delete", Usage: "delete chunks for good", ArgsUsage: "ID…",
			Flags: useFlags(), Action: p.contextDelete,
		},
	}
}

func (p *program) contextSearch(c *cli.Context) error {
	if c.NArg() == 0 {
		return base.Usagef("`board context search 'what you want to know'`", "no query is given")
	}
	text := strings.Join(c.Args().Slice(), " ")
	if text == "-" {
		var err error
		if text, err = p.Text(c, "query", []string{"-"}); err != nil {
			return err
		}
	}
	q := chunks.Query{Text: text, Tags: base.List(c, "tag"), Agent: c.String("agent"),
		TopK: new(c.Int("limit")), MinScore: new(c.Float64("min-score")), Mode: c.String("mode")}
	return base.With(p.openContext(c, q.Mode != chunks.ModeBM25))(func(s *chunks.Store) error {
		r, err := s.Search(c.Context, q)
		if err != nil {
			return err
		}
		switch {
		case c.Bool("json"):
			return p.JSON("hits", r.Hits, "mode", r.Mode, "degraded", r.Degraded)
		case c.Bool("quiet"):
			for i := range r.Hits {
				p.Printf("%s\n", base.Safe(r.Hits[i].ID))
			}
		default:
			p.PrintDocument(chunks.SearchText(r))
		}
		p.Notes(r.Degraded)
		return nil
	})
}

// topicAndContent are the parts of a new chunk: the text, and as the topic --topic or
// its first line. The old form TOPIC TEXT works too, with the text from stdin if it is
// missing.
func (p *program) topicAndContent(c *cli.Context) (topic, content string, err error) {
	args := c.Args().Slice()
	before := !c.IsSet("topic") && len(args) > 0 && (len(args) > 1 || c.IsSet("content") ||
		args[0] != "-" && p.hasInput(c.Context))
	if before {
		topic, args = args[0], args[1:]
	}
	if content, err = p.content(c, args); err != nil {
		return "", "", err
	}
	switch {
	case before:
		p.Messagef("note: `board context write TOPIC TEXT` is `board context write TEXT --topic " +
			"TOPIC` now")
	case c.IsSet("topic"):
		topic = c.String("topic")
	case strings.TrimSpace(content) == "":
		return "", "", fault.Invalid.New("the content is blank", "give it as an argument, or pipe it in")
	default:
		first, _, _ := strings.Cut(strings.TrimSpace(content), "\n")
		topic = board.Line(strings.TrimLeft(first, "# "), 120)
	}
	return topic, content, nil
}

// hasInput reports whether stdin is a file or a pipe with content. It reads all of it,
// and replaces p.In for the next reader.
func (p *program) hasInput(ctx context.Context) bool {
	if f, ok := p.In.(*os.File); ok {
		info, err := f.Stat()
		if err != nil || info.Mode()&os.ModeCharDevice != 0 {
			return false
		}
	}
	data, err := p.ReadAll(ctx, p.In, base.MaxText+1)
	p.In = bytes.NewReader(data)
	return err == nil && len(data) > 0
}

func (p *program) contextWrite(c *cli.Context) error {
	topic, content, err := p.topicAndContent(c)
	if err != nil {
		return err
	}
	n := chunks.NewChunk{Topic: topic, Content: content, Agent: c.String("agent"),
		Tags: base.List(c, "tag"), Importance: c.String("importance")}
	if !c.IsSet("agent") {
		n.Agent = p.Env("BOARD_WORKER")
	}
	if c.IsSet("ttl-days") {
		days, err := strconv.ParseFloat(c.String("ttl-days"), 64)
		if err != nil {
			return base.Usagef("give a number of days, such as 30 or 0.5",
				"--ttl-days %q is not a number", c.String("ttl-days"))
		}
		n.TTLDays = &days
	}
	return base.With(p.openContext(c, !c.Bool("no-embed")))(func(s *chunks.Store) error {
		chunk, err := s.Write(c.Context, n)
		if err != nil {
			return err
		}
		warnings := []string{}
		if !c.Bool("no-embed") {
			_, err := s.Embed(c.Context, chunk.ID)
			if err != nil && !errors.Is(err, fault.NoModel) { // it is stored all the same
				warnings = append(warnings, "it has no embedding: "+err.Error())
			}
			if now, err := s.Read(c.Context, chunk.ID); err == nil {
				chunk = now
			}
		}
		switch {
		case c.Bool("json"):
			return p.JSON("chunk", chunk, "warnings", warnings)
		case c.Bool("quiet"):
			p.Printf("%s\n", chunk.ID)
		default:
			p.PrintDocument(chunks.WriteText(chunk))
		}
		p.warnings(warnings)
		return nil
	})
}

func (p *program) contextRead(c *cli.Context) error {
	id, err := base.OneArg(c, "id")
	if err != nil {
		return err
	}
	return base.With(p.openContext(c, false))(func(s *chunks.Store) error {
		chunk, err := s.Read(c.Context, id)
		return p.Answer(c, err, func() { p.PrintDocument(chunks.ReadText(chunk)) }, "chunk", chunk)
	})
}

func (p *program) contextList(c *cli.Context) error {
	q := chunks.ListQuery{Agent: c.String("agent"), Tags: base.List(c, "tag"),
		Limit: new(c.Int("limit")), Offset: c.Int("offset")}
	return base.With(p.openContext(c, false))(func(s *chunks.Store) error {
		l, err := s.List(c.Context, q)
		if err != nil {
			return err
		}
		switch {
		case c.Bool("json"):
			return p.JSON("chunks", l.Chunks, "total", l.Total)
		case c.Bool("quiet"):
			for i := range l.Chunks {
				p.Printf("%s\n", base.Safe(l.Chunks[i].ID))
			}
		default:
			p.PrintDocument(chunks.ListText(l))
		}
		if next := q.Offset + len(l.Chunks); next < l.Total {
			p.Messagef("%d of %d are listed; --offset %d lists the next", len(l.Chunks), l.Total, next)
		}
		return nil
	})
}

func (p *program) contextDelete(c *cli.Context) error {
	ids := base.DistinctArgs(c)
	if len(ids) == 0 {
		return base.Usagef("`board context delete ID`", "no id is given")
	}
	return base.With(p.openContext(c, false))(func(s *chunks.Store) error {
		err := s.Delete(c.Context, ids...)
		return p.Answer(c, err, func() {
			for _, id := range ids {
				p.PrintDocument(chunks.DeleteText(id))
			}
		}, "deleted", ids)
	})
}

// content is the content of an item: --content, or the argument, or stdin.
func (p *program) content(c *cli.Context, args []string) (string, error) {
	if c.IsSet("content") {
		if len(args) > 0 {
			return "", base.Usagef("give the content once", "both --content and an argument are given")
		}
		args = []string{c.String("content")}
	}
	return p.Text(c, "content", args)
}
