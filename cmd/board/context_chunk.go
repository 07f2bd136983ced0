package main

import (
	"errors"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"blackboard/board/fault"
	"blackboard/kb/chunks"
)

func (p *program) contextChunkCommands() []*cli.Command {
	filters := func() []cli.Flag {
		return []cli.Flag{
			&cli.StringSliceFlag{Name: "tag", Aliases: []string{"tags"}, Usage: "has this `TAG`, repeatable or with commas: one of them"},
			&cli.StringFlag{Name: "agent", Usage: "`WHO` has written it"},
		}
	}
	return []*cli.Command{
		{
			Name: "search", Usage: "find chunks by words and by meaning", ArgsUsage: "QUERY | -",
			Description: `Without a model, or where nothing is embedded yet, by words alone, which is
said. Scores are comparable within an answer only.`,
			Flags: flags(filters(), useFlags(
				&cli.IntFlag{Name: "top-k", Aliases: []string{"n"}, Usage: "at most `N`, 1 to " + strconv.Itoa(chunks.MaxTopK), Value: chunks.DefaultTopK},
				&cli.Float64Flag{Name: "min-score", Usage: "leave out what has a lower `SCORE`", Value: chunks.DefaultMinScore},
				&cli.StringFlag{Name: "mode", Aliases: []string{"m"}, Usage: "`MODE`: " + strings.Join(chunks.Modes, ", "), Value: chunks.ModeHybrid},
				quietIDs())),
			Action: p.contextSearch,
		},
		{
			Name: "write", Usage: "store a chunk", ArgsUsage: "TOPIC [CONTENT | -]",
			Description: `The topic is a short line that says what it is about, the content markdown with
the reason, not only the outcome. To correct a chunk, delete it and write another.`,
			Flags: useFlags(
				&cli.StringFlag{Name: "content", Usage: "the `TEXT`, if it is neither an argument nor piped in"},
				&cli.StringFlag{Name: "agent", Usage: "`WHO` writes it; default $BOARD_WORKER, else " + chunks.DefaultAgent},
				&cli.StringSliceFlag{Name: "tags", Aliases: []string{"tag"}, Usage: "`TAG`, repeatable or with commas"},
				&cli.StringFlag{Name: "importance", Aliases: []string{"i"}, Usage: "`LEVEL`: " + strings.Join(chunks.Importances, ", "), Value: chunks.Medium},
				&cli.StringFlag{Name: "ttl-days", Usage: "expires after so many `DAYS`, such as 30 or 0.5 (default never)"},
				&cli.BoolFlag{Name: "no-embed", Usage: "store it without an embedding; `board context reembed` adds it"},
				quietFlag(),
			),
			Action: p.contextWrite,
		},
		{
			Name: "read", Usage: "show a chunk", ArgsUsage: "ID",
			Flags: useFlags(), Action: p.contextRead,
		},
		{
			Name: "list", Usage: "list chunks, the newest first",
			Flags: flags(filters(), useFlags(
				&cli.IntFlag{Name: "limit", Aliases: []string{"n"}, Usage: "at most `N`, 1 to " + strconv.Itoa(chunks.MaxLimit), Value: chunks.DefaultLimit},
				&cli.IntFlag{Name: "offset", Usage: "skip the first `N`"},
				quietIDs())),
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
		return usagef("`board context search 'what you want to know'`", "no query is given")
	}
	text := strings.Join(c.Args().Slice(), " ")
	if text == "-" {
		var err error
		if text, err = p.textArg(c, "query", []string{"-"}); err != nil {
			return err
		}
	}
	q := chunks.Query{Text: text, Tags: list(c, "tag"), Agent: c.String("agent"), TopK: new(c.Int("top-k")), MinScore: new(c.Float64("min-score")), Mode: c.String("mode")}
	s, done, err := p.openContext(c, q.Mode != chunks.ModeBM25)
	if err != nil {
		return err
	}
	defer done()
	r, err := s.Search(c.Context, q)
	if err != nil {
		return err
	}
	switch {
	case c.Bool("json"):
		return p.json("hits", r.Hits, "mode", r.Mode, "degraded", r.Degraded)
	case c.Bool("quiet"):
		for i := range r.Hits {
			p.printf("%s\n", safe(r.Hits[i].ID))
		}
	default:
		p.document(chunks.SearchText(r))
	}
	for _, d := range r.Degraded {
		p.talk("note: %s", safe(d))
	}
	return nil
}

func (p *program) contextWrite(c *cli.Context) error {
	if c.NArg() == 0 {
		return usagef("`board context write TOPIC CONTENT`", "no topic is given")
	}
	content, err := p.content(c, c.Args().Tail())
	if err != nil {
		return err
	}
	n := chunks.NewChunk{Topic: c.Args().First(), Content: content, Agent: c.String("agent"), Tags: list(c, "tags"), Importance: c.String("importance")}
	if !c.IsSet("agent") {
		n.Agent = p.env("BOARD_WORKER")
	}
	if c.IsSet("ttl-days") {
		days, err := strconv.ParseFloat(c.String("ttl-days"), 64)
		if err != nil {
			return usagef("give a number of days, such as 30 or 0.5", "--ttl-days %q is not a number", c.String("ttl-days"))
		}
		n.TTLDays = &days
	}
	s, done, err := p.openContext(c, !c.Bool("no-embed"))
	if err != nil {
		return err
	}
	defer done()
	chunk, err := s.Write(c.Context, n)
	if err != nil {
		return err
	}
	warnings := chunks.Warnings(&chunk)
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
		return p.json("chunk", chunk, "warnings", warnings)
	case c.Bool("quiet"):
		p.printf("%s\n", chunk.ID)
	default:
		p.document(chunks.WriteText(chunk))
	}
	p.warnings(warnings)
	return nil
}

func (p *program) contextRead(c *cli.Context) error {
	id, err := onlyOne(c, "id")
	if err != nil {
		return err
	}
	s, done, err := p.openContext(c, false)
	if err != nil {
		return err
	}
	defer done()
	chunk, err := s.Read(c.Context, id)
	return p.answer(c, err, func() { p.document(chunks.ReadText(chunk)) }, "chunk", chunk)
}

func (p *program) contextList(c *cli.Context) error {
	q := chunks.ListQuery{Agent: c.String("agent"), Tags: list(c, "tag"), Limit: new(c.Int("limit")), Offset: c.Int("offset")}
	s, done, err := p.openContext(c, false)
	if err != nil {
		return err
	}
	defer done()
	l, err := s.List(c.Context, q)
	if err != nil {
		return err
	}
	switch {
	case c.Bool("json"):
		return p.json("chunks", l.Chunks, "total", l.Total)
	case c.Bool("quiet"):
		for i := range l.Chunks {
			p.printf("%s\n", safe(l.Chunks[i].ID))
		}
	default:
		p.document(chunks.ListText(l))
	}
	if next := q.Offset + len(l.Chunks); next < l.Total {
		p.talk("%d of %d are listed; --offset %d lists the next", len(l.Chunks), l.Total, next)
	}
	return nil
}

func (p *program) contextDelete(c *cli.Context) error {
	ids := c.Args().Slice()
	if len(ids) == 0 {
		return usagef("`board context delete ID`", "no id is given")
	}
	s, done, err := p.openContext(c, false)
	if err != nil {
		return err
	}
	defer done()
	deleted := []string{}
	for _, id := range ids {
		if err = s.Delete(c.Context, id); err != nil {
			break
		}
		deleted = append(deleted, id)
		if !c.Bool("json") {
			p.document(chunks.DeleteText(id))
		}
	}
	if c.Bool("json") && (err == nil || len(deleted) > 0) { // what was done before it failed is said too
		if e := p.json("deleted", deleted); err == nil {
			err = e
		}
	}
	return err
}
