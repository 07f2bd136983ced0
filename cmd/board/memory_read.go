package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"blackboard/kb/memory"
)

// memoryFilters are the flags that say which items count.
func memoryFilters() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "channel", Usage: "of the channel `NAME`"},
		&cli.StringSliceFlag{Name: "tag", Aliases: []string{"tags"}, Usage: "has this `TAG`, repeatable or with commas: one of them"},
		&cli.StringSliceFlag{Name: "curator", Usage: "`CURATOR`, repeatable or with commas: " + strings.Join(memory.Curators, ", ")},
		&cli.StringSliceFlag{Name: "source", Usage: "from this `SOURCE`, repeatable: one of them"},
	}
}

func archivedFlag(usage string) cli.Flag { return &cli.BoolFlag{Name: "archived", Usage: usage} }

func (p *program) memoryReadCommands() []*cli.Command {
	return []*cli.Command{
		{
			Name: "read", Usage: "read tiers, by question or relevance", ArgsUsage: "[QUERY | -]",
			Description: `Each tier that is named is read by itself: none inherits from another. With a
question, by words and by meaning, and by relevance; without one by relevance
alone, a conversation by recency. What says the same as something nearer is left
out. To be read keeps an item relevant.`,
			Flags: flags([]cli.Flag{tiersFlag("; one at least")}, memoryFilters(), memoryFlags(
				conversationFlag("the conversation, for its tier and its channel"),
				&cli.StringFlag{Name: "min-importance", Usage: "at least this `LEVEL`: " + strings.Join(levelNames, ", ") + ", or 0 to 1"},
				&cli.IntFlag{Name: "limit", Aliases: []string{"n"}, Usage: "at most `N` of each tier", Value: memory.DefaultLimit},
				archivedFlag("read the archive instead: what nobody read for long"),
				&cli.BoolFlag{Name: "full", Usage: "print contents whole"},
				quietIDs())),
			Action: p.memoryRead,
		},
		{
			Name: "list", Usage: "list items, newest first",
			Flags: flags([]cli.Flag{tiersFlag(" (default all)")}, memoryFilters(), memoryFlags(
				&cli.StringFlag{Name: "conversation", Usage: "`REF` of the conversation that they are of, or come from"},
				&cli.StringSliceFlag{Name: "lifetime", Usage: "`LIFETIME`, repeatable or with commas: " + strings.Join(memory.Lifetimes, ", ")},
				&cli.BoolFlag{Name: "private", Usage: "only the agent's own"},
				archivedFlag("only what is archived"),
				&cli.BoolFlag{Name: "forgotten", Usage: "archived, forgotten and expired ones too"},
				&cli.StringFlag{Name: "before", Usage: "only those older than this `ID`: the next page"},
				limitFlag(), quietIDs())),
			Action: p.inMemory(p.memoryList),
		},
		{
			Name: "get", Usage: "show an item, archived and forgotten ones too", ArgsUsage: "ID",
			Flags:  memoryFlags(&cli.BoolFlag{Name: "revisions", Usage: "what it said before, too"}),
			Action: p.inMemory(p.memoryGet),
		},
		{
			Name: "orient", Usage: "print one document for a turn", ArgsUsage: "[QUERY | -]",
			Description: `The named entries first; then what is critical in any tier, what is about the
question, the conversation and its channel, and what is newest; then the agent's
own core memories and journal. Each line has an item's id, its age, and who noted
it if that was somebody else. Markdown, for a prompt; nothing if nothing is
remembered. What has no room is counted.`,
			Flags: memoryFlags(
				budgetFlag(),
				conversationFlag("the conversation"),
				&cli.StringFlag{Name: "channel", Usage: "`NAME` of the channel; default the conversation's"},
				&cli.IntFlag{Name: "limit", Aliases: []string{"n"}, Usage: "at most `N` items in a section (default as the budget has room)"},
				tiersFlag(" (default all)"),
			),
			Action: p.memoryOrient,
		},
	}
}

// memoryQuestion is what is asked, "" for nothing. Only "-" reads standard input: without a question there is an answer too.
func (p *program) memoryQuestion(c *cli.Context) (string, error) {
	if c.NArg() == 0 {
		return "", nil
	}
	if c.NArg() == 1 && c.Args().First() == "-" {
		return p.textArg(c, "question", []string{"-"})
	}
	return strings.Join(c.Args().Slice(), " "), nil
}

// atLeastOne refuses a number that would mean its default.
func atLeastOne(c *cli.Context, names ...string) error {
	for _, n := range names {
		if c.IsSet(n) && c.Int(n) < 1 {
			return usagef("give 1 or more, or leave it out", "--%s %d makes no sense", n, c.Int(n))
		}
	}
	return nil
}

func (p *program) memoryRead(c *cli.Context) error {
	text, err := p.memoryQuestion(c)
	if err != nil {
		return err
	}
	if err := atLeastOne(c, "limit"); err != nil {
		return err
	}
	q := memory.Query{Tiers: list(c, "tier"), Text: text, Channel: c.String("channel"), Limit: c.Int("limit"), Tags: list(c, "tag"), Curators: list(c, "curator"),
		Sources: c.StringSlice("source"), Archived: c.Bool("archived")}
	if c.IsSet("min-importance") {
		if q.MinImportance, err = memory.ParseImportance(c.String("min-importance")); err != nil {
			return err
		}
	}
	s, done, err := p.openMemory(c, text != "")
	if err != nil {
		return err
	}
	defer done()
	q.Conversation = p.conversationIn(c, s)
	res, err := s.Read(c.Context, q)
	if err != nil {
		return err
	}
	if c.Bool("json") {
		return p.json("tiers", res.Slices, "duplicates", res.Duplicates, "degraded", res.Degraded)
	}
	for i, sl := range res.Slices {
		switch {
		case c.Bool("quiet"):
			for j := range sl.Hits {
				p.printf("%s\n", sl.Hits[j].ID)
			}
			continue
		case i > 0:
			p.printf("\n")
		}
		p.printf("%s: %s\n", p.paint(bold, sl.Tier), map[bool]string{true: "nothing", false: count(int64(len(sl.Hits)), "item", "items")}[len(sl.Hits) == 0])
		for j := range sl.Hits {
			p.printMemoryHit(&sl.Hits[j], text != "", c.Bool("full"))
		}
	}
	if res.Duplicates > 0 {
		p.talk("note: %s the same and %s left out", count(int64(res.Duplicates), "more item says", "more items say"), map[bool]string{true: "is", false: "are"}[res.Duplicates == 1])
	}
	for _, d := range res.Degraded {
		p.talk("note: %s", safe(d))
	}
	return nil
}

// printMemoryHit prints what was read. The frame says whose word it is; with full, it stands below the content.
func (p *program) printMemoryHit(h *memory.Hit, asked, full bool) {
	score := ""
	if asked {
		score = fmt.Sprintf("score %.2f  ", h.Score)
	}
	title := "" // without one the frame says it all
	if h.Title != "" || full {
		title = "  " + p.paint(bold, line(headline(&h.Item), 100))
	}
	p.printf("%s  %srelevance %.2f%s%s\n", h.ID, score, h.Relevance, title, p.itemMarks(&h.Item))
	if !full {
		p.printf("       | %s\n", line(h.Frame, 1000))
		return
	}
	p.printf("%s\n", indent(h.Content, "       | "))
	// The content stands in the frame between quotes, which nothing in it can end.
	frame := h.Frame
	if before, rest, ok := strings.Cut(frame, ": “"); ok {
		frame = before
		if _, after, ok := strings.Cut(rest, "”"); ok {
			frame += after
		}
	}
	p.printf("       @ %s\n", p.paint(dim, line(frame, 600)))
}

func (p *program) memoryList(c *cli.Context, s *openedMemory) error {
	q := memory.ListQuery{Tiers: list(c, "tier"), Channel: c.String("channel"), Conversation: c.String("conversation"), Tags: list(c, "tag"), Curators: list(c, "curator"), Sources: c.StringSlice("source"),
		Lifetimes: list(c, "lifetime"), Private: c.Bool("private"), Forgotten: c.Bool("forgotten"), Archived: c.Bool("archived"), Before: c.String("before"), Limit: c.Int("limit")}
	all, more, err := s.List(c.Context, q)
	return p.answer(c, err, func() {
		width := 0
		for i := range all {
			width = max(width, len(all[i].Scope().String()))
		}
		for i := range all {
			it := &all[i]
			if c.Bool("quiet") {
				p.printf("%s\n", it.ID)
				continue
			}
			p.printf("%s  %s  %-*s  %s%s\n", it.ID, it.Created.Format("2006-01-02"), width, it.Scope(), line(headline(it), 100), p.itemMarks(it))
		}
		switch {
		case len(all) == 0:
			p.listEnd(0, false, "memories")
		case more:
			p.talk("the newest %d are shown; --before %s shows the next", len(all), all[len(all)-1].ID)
		}
	}, "items", all, "more", more)
}

func (p *program) memoryGet(c *cli.Context, s *openedMemory) error {
	id, err := onlyOne(c, "id")
	if err != nil {
		return err
	}
	it, err := s.Get(c.Context, id)
	if err != nil {
		return err
	}
	derived := s.links.resolve(c.Context, &it)
	revisions, err := s.Revisions(c.Context, id)
	if err != nil {
		return err
	}
	if c.Bool("json") {
		return p.json("item", it, "derived_note", derived, "revisions", revisions)
	}
	p.printItem(&it, derived)
	if !c.Bool("revisions") {
		return nil
	}
	for i := range revisions {
		r := &revisions[i]
		p.printf("\nrevision %d, %s\n", r.Revision, clock(r.Updated))
		if r.Title != "" {
			p.printf("title      %s\n", line(r.Title, 300))
		}
		p.printf("%s\n", indent(r.Content, "  | "))
	}
	if len(revisions) == 0 {
		p.talk("it has never been changed")
	}
	return nil
}

func (p *program) printItem(it *memory.Item, derived string) {
	title := it.ID
	if it.Title != "" {
		title += "  " + p.paint(bold, line(it.Title, 300))
	}
	p.printf("%s\n", title)
	row := func(name, value string) {
		if value != "" {
			p.printf("%-12s %s\n", name, line(value, 400))
		}
	}
	row("scope", it.Scope().String())
	row("private to", it.Agent)
	if it.Tier != memory.Conversation {
		row("conversation", it.Conversation)
	}
	row("curator", it.Curator)
	row("source", it.Source)
	row("importance", fmt.Sprintf("%g (%s)", it.Importance, memory.Level(it.Importance)))
	row("lifetime", it.Lifetime)
	row("tags", strings.Join(it.Tags, ", "))
	if it.DerivedFrom != "" {
		from := line(it.DerivedFrom, 300)
		if derived != "" {
			from += p.paint(yellow, "  "+line(derived, 100))
		}
		p.printf("%-12s %s\n", "derived from", from)
	}
	row("created", clock(it.Created))
	if it.Revision > 1 {
		row("updated", fmt.Sprintf("%s, revision %d", clock(it.Updated), it.Revision))
	}
	row("accessed", fmt.Sprintf("%s, %s", clock(it.Accessed), count(int64(it.Accesses), "time", "times")))
	if it.Expires != nil {
		row("expires", clock(*it.Expires))
	}
	if it.Archived != nil {
		p.printf("%-12s %s\n", "archived", p.paint(yellow, clock(*it.Archived)+": "+line(it.Why, 200)))
	}
	if it.Forgotten != nil {
		gone := clock(*it.Forgotten) + ": " + it.Rule
		if it.ReplacedBy != "" {
			gone += ", replaced by " + it.ReplacedBy
		}
		if it.Why != "" {
			gone += "; " + line(it.Why, 200)
		}
		p.printf("%-12s %s\n", "forgotten", p.paint(yellow, gone))
	}
	row("embedding", it.Model)
	p.printf("\n%s\n", indent(it.Content, "  | "))
}

func (p *program) memoryOrient(c *cli.Context) error {
	text, err := p.memoryQuestion(c)
	if err != nil {
		return err
	}
	if err := atLeastOne(c, "limit", "budget"); err != nil {
		return err
	}
	for _, t := range list(c, "tier") {
		if !slices.Contains(memory.Tiers, t) {
			return usagef("choose among "+strings.Join(memory.Tiers, ", "), "tier %q is unknown", line(t, 60))
		}
	}
	s, done, err := p.openMemory(c, text != "")
	if err != nil {
		return err
	}
	defer done()
	o, err := s.Orient(c.Context, memory.OrientQuery{Text: text, Conversation: p.conversationIn(c, s), Channel: c.String("channel"), Budget: c.Int("budget"), Limit: c.Int("limit"), Tiers: list(c, "tier"), Words: words})
	return p.answer(c, err, func() {
		switch text := o.Text(); {
		case text != "":
			p.document(text)
		case o.LeftOut == 0:
			p.talk("nothing is remembered yet")
		}
		for _, d := range o.Degraded {
			p.talk("note: %s", safe(d))
		}
		if o.LeftOut > 0 {
			p.talk("note: the budget of %d tokens has no room for %s", o.Budget, count(int64(o.LeftOut), "more item", "more items"))
		}
	}, "orientation", o)
}
