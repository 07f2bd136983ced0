package memorycmd

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"blackboard/cmd/board/base"
	"blackboard/kb/memory"
)

// memoryFilters are the flags that filter items.
func memoryFilters() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "channel", Usage: "of the channel `NAME`"},
		&cli.StringSliceFlag{Name: "tag", Aliases: []string{"tags"},
			Usage: "has this `TAG`, repeatable or with commas: one of them"},
		&cli.StringSliceFlag{Name: "curator",
			Usage: "`CURATOR`, repeatable or with commas: " + strings.Join(memory.Curators, ", ")},
		&cli.StringSliceFlag{Name: "source", Usage: "from this `SOURCE`, repeatable: one of them"},
	}
}

func archivedFlag(usage string) cli.Flag { return &cli.BoolFlag{Name: "archived", Usage: usage} }

func (p *program) memoryReadCommands() []*cli.Command {
	return []*cli.Command{
		{
			Name: "read", Aliases: []string{"search"}, Usage: "read tiers, by question or relevance",
			ArgsUsage: "[QUERY | -]",
			Description: `Reads each named tier separately: none inherits from another. With a question,
items are ranked by words, meaning and relevance; without one by relevance
alone, and in a conversation by time. Duplicates are left out. Reading an item
keeps it relevant, unless it is a weak match.`,
			Flags: base.JoinFlags([]cli.Flag{tiersFlag(" (default workspace)")}, memoryFilters(), memoryFlags(
				conversationFlag("the conversation, for its tier and its channel"),
				&cli.StringFlag{Name: "min-importance",
					Usage: "at least this `LEVEL`: " + strings.Join(levelNames(), ", ") + ", or 0 to 1"},
				&cli.IntFlag{Name: "limit", Aliases: []string{"n"},
					Usage: "at most `N` of each tier", Value: memory.DefaultLimit},
				archivedFlag("read the archive instead: items that nobody read for long"),
				&cli.BoolFlag{Name: "full", Usage: "print full contents"},
				base.QuietIDsFlag())),
			Action: p.memoryRead,
		},
		{
			Name: "list", Usage: "list items, newest first",
			Flags: base.JoinFlags([]cli.Flag{tiersFlag(" (default all)")}, memoryFilters(), memoryFlags(
				&cli.StringFlag{Name: "conversation",
					Usage: "`REF` of the conversation that they belong to, or come from"},
				&cli.StringSliceFlag{Name: "lifetime",
					Usage: "`LIFETIME`, repeatable or with commas: " +
						strings.Join(memory.Lifetimes, ", ")},
				&cli.BoolFlag{Name: "private", Usage: "only the agent's own"},
				archivedFlag("only archived items"),
				&cli.BoolFlag{Name: "forgotten", Usage: "include archived, forgotten and expired items"},
				&cli.StringFlag{Name: "before", Usage: "only those older than this `ID`: the next page"},
				base.LimitFlag(), base.QuietIDsFlag())),
			Action: p.inMemory(p.memoryList),
		},
		{
			Name: "get", Usage: "show an item, archived and forgotten ones too", ArgsUsage: "ID",
			Flags:  memoryFlags(&cli.BoolFlag{Name: "revisions", Usage: "with its revisions"}),
			Action: p.inMemory(p.memoryGet),
		},
		{
			Name: "orient", Usage: "print the memory for a turn, as one document",
			ArgsUsage: "[QUERY | -]",
			Description: `Prints the named entries first; then critical items of any tier, items about the
question, those of the conversation and its channel, and the newest; then the
agent's own core memories and journal. Each line has an item's id, its age, and
its author if that is somebody else. The document is Markdown for a prompt; it
is empty if the memory is. Items beyond the budget are counted.`,
			Flags: memoryFlags(
				budgetFlag(),
				conversationFlag("the conversation"),
				&cli.StringFlag{Name: "channel", Usage: "`NAME` of the channel; default the " +
					"conversation's"},
				&cli.IntFlag{Name: "limit", Aliases: []string{"n"},
					Usage: "at most `N` items in a section (default as the budget has room)"},
				tiersFlag(" (default all)"),
			),
			Action: p.memoryOrient,
		},
	}
}

// memoryQuestion is the question, "" for none. Only "-" reads stdin: a read needs no
// question.
func (p *program) memoryQuestion(c *cli.Context) (string, error) {
	if c.NArg() == 0 {
		return "", nil
	}
	if c.NArg() == 1 && c.Args().First() == "-" {
		return p.Text(c, "question", []string{"-"})
	}
	return strings.Join(c.Args().Slice(), " "), nil
}

// atLeastOne refuses numbers below 1, which would silently mean the default.
func atLeastOne(c *cli.Context, names ...string) error {
	for _, n := range names {
		if c.IsSet(n) && c.Int(n) < 1 {
			return base.Usagef("give 1 or more, or leave it out", "--%s %d is not a positive number", n,
				c.Int(n))
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
	q := memory.Query{Tiers: base.List(c, "tier"), Text: text, Channel: c.String("channel"),
		Limit: c.Int("limit"), Tags: base.List(c, "tag"), Curators: base.List(c, "curator"),
		Sources: c.StringSlice("source"), Archived: c.Bool("archived")}
	if !c.IsSet("tier") { // as put
		q.Tiers = []string{memory.Workspace}
	}
	if c.IsSet("min-importance") {
		if q.MinImportance, err = memory.ParseImportance(c.String("min-importance")); err != nil {
			return err
		}
	}
	return base.With(p.openMemory(c, text != ""))(func(s *openedMemory) error {
		q.Conversation = p.conversationIn(c, s)
		res, err := s.Read(c.Context, q)
		return p.Answer(c, err, func() {
			for i, sl := range res.Slices {
				switch {
				case c.Bool("quiet"):
					for j := range sl.Hits {
						p.Printf("%s\n", sl.Hits[j].ID)
					}
					continue
				case i > 0:
					p.Printf("\n")
				}
				p.Printf("%s: %s\n", p.Paint(base.Bold, sl.Tier), map[bool]string{true: "nothing",
					false: base.Count(int64(len(sl.Hits)), "item", "items")}[len(sl.Hits) == 0])
				for j := range sl.Hits {
					p.printMemoryHit(&sl.Hits[j], text != "", c.Bool("full"))
				}
				if sl.Tier == memory.Workspace && len(sl.Hits) == 0 {
					p.noteMemoryAbove(s)
				}
			}
			if res.Duplicates > 0 {
				p.Messagef("note: %s the same and %s left out", base.Count(int64(res.Duplicates),
					"more item says", "more items say"), map[bool]string{true: "is",
					false: "are"}[res.Duplicates == 1])
			}
			p.Notes(res.Degraded)
		}, "tiers", res.Slices, "duplicates", res.Duplicates, "degraded", res.Degraded)
	})
}

// noteMemoryAbove tells that a directory above the workspace has a memory, if the workspace has
// none: outside of a repository each directory is a workspace.
func (p *program) noteMemoryAbove(s *openedMemory) {
	has := func(dir string) bool {
		_, err := os.Stat(memory.WorkspacePath(s.links.home, dir))
		return err == nil
	}
	ws := s.Workspace()
	if ws == "" || has(ws) {
		return
	}
	for dir, up := ws, filepath.Dir(ws); up != dir; dir, up = up, filepath.Dir(up) {
		if has(up) {
			p.Messagef("note: this directory has no memory yet; %s has one: --workspace %[1]s reads it",
				base.Safe(up))
			return
		}
	}
}

// printMemoryHit prints a hit. Its frame names the author; with full, it stands below
// the content.
func (p *program) printMemoryHit(h *memory.Hit, asked, full bool) {
	score := ""
	if asked {
		score = fmt.Sprintf("score %.2f  ", h.Score)
	}
	title := "" // without one the frame says it all
	if h.Title != "" || full {
		title = "  " + p.Paint(base.Bold, base.Line(headline(&h.Item), 100))
	}
	weak := ""
	if asked && h.Weak {
		weak = p.Paint(base.Yellow, "  weak")
	}
	p.Printf("%s  %srelevance %.2f%s%s%s\n", h.ID, score, h.Relevance, title, p.itemMarks(&h.Item),
		weak)
	if !full {
		p.Printf("       | %s\n", base.Line(h.Frame, 1000))
		return
	}
	p.Printf("%s\n", base.Indent(h.Content, "       | "))
	// The content stands in the frame between quotes, which nothing in it can end.
	frame := h.Frame
	if before, rest, ok := strings.Cut(frame, ": “"); ok {
		frame = before
		if _, after, ok := strings.Cut(rest, "”"); ok {
			frame += after
		}
	}
	p.Printf("       @ %s\n", p.Paint(base.Dim, base.Line(frame, 600)))
}

func (p *program) memoryList(c *cli.Context, s *openedMemory) error {
	q := memory.ListQuery{Tiers: base.List(c, "tier"), Channel: c.String("channel"),
		Conversation: c.String("conversation"), Tags: base.List(c, "tag"),
		Curators: base.List(c, "curator"), Sources: c.StringSlice("source"),
		Lifetimes: base.List(c, "lifetime"), Private: c.Bool("private"), Forgotten: c.Bool("forgotten"),
		Archived: c.Bool("archived"), Before: c.String("before"), Limit: c.Int("limit")}
	all, more, err := s.List(c.Context, q)
	return p.Answer(c, err, func() {
		width := 0
		for i := range all {
			width = max(width, len(all[i].Scope().String()))
		}
		for i := range all {
			it := &all[i]
			if c.Bool("quiet") {
				p.Printf("%s\n", it.ID)
				continue
			}
			p.Printf("%s  %s  %-*s  %s%s\n", it.ID, it.Created.Format("2006-01-02"), width, it.Scope(),
				base.Line(headline(it), 100), p.itemMarks(it))
		}
		switch {
		case len(all) == 0:
			p.EndList(0, false, "memories")
			p.noteMemoryAbove(s)
		case more:
			p.Messagef("the newest %d are shown; --before %s shows the next", len(all),
				all[len(all)-1].ID)
		}
	}, "items", all, "more", more)
}

func (p *program) memoryGet(c *cli.Context, s *openedMemory) error {
	id, err := base.OneArg(c, "id")
	if err != nil {
		return err
	}
	it, err := s.Get(c.Context, id)
	if err != nil {
		return err
	}
	derived := s.links.Resolve(c.Context, &it)
	revisions, err := s.Revisions(c.Context, id)
	if err != nil {
		return err
	}
	if c.Bool("json") {
		return p.JSON("item", it, "derived_note", derived, "revisions", revisions)
	}
	p.printItem(&it, derived)
	if !c.Bool("revisions") {
		return nil
	}
	for i := range revisions {
		r := &revisions[i]
		p.Printf("\nrevision %d, %s\n", r.Revision, base.FormatTime(r.Updated))
		if r.Title != "" {
			p.Printf("title      %s\n", base.Line(r.Title, 300))
		}
		p.Printf("%s\n", base.Indent(r.Content, "  | "))
	}
	if len(revisions) == 0 {
		p.Messagef("it has no earlier revisions")
	}
	return nil
}

func (p *program) printItem(it *memory.Item, derived string) {
	title := it.ID
	if it.Title != "" {
		title += "  " + p.Paint(base.Bold, base.Line(it.Title, 300))
	}
	p.Printf("%s\n", title)
	row := func(name, value string) {
		if value != "" {
			p.Printf("%-12s %s\n", name, base.Line(value, 400))
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
		from := base.Line(it.DerivedFrom, 300)
		if derived != "" {
			from += p.Paint(base.Yellow, "  "+base.Line(derived, 100))
		}
		p.Printf("%-12s %s\n", "derived from", from)
	}
	row("created", base.FormatTime(it.Created))
	if it.Revision > 1 {
		row("updated", fmt.Sprintf("%s, revision %d", base.FormatTime(it.Updated), it.Revision))
	}
	row("accessed", fmt.Sprintf("%s, %s", base.FormatTime(it.Accessed),
		base.Count(int64(it.Accesses), "time", "times")))
	if it.Expires != nil {
		row("expires", base.FormatTime(*it.Expires))
	}
	if it.Archived != nil {
		p.Printf("%-12s %s\n", "archived", p.Paint(base.Yellow,
			base.FormatTime(*it.Archived)+": "+base.Line(it.Why, 200)))
	}
	if it.Forgotten != nil {
		gone := base.FormatTime(*it.Forgotten) + ": " + it.Rule
		if it.ReplacedBy != "" {
			gone += ", replaced by " + it.ReplacedBy
		}
		if it.Why != "" {
			gone += "; " + base.Line(it.Why, 200)
		}
		p.Printf("%-12s %s\n", "forgotten", p.Paint(base.Yellow, gone))
	}
	row("embedding", it.Model)
	p.Printf("\n%s\n", base.Indent(it.Content, "  | "))
}

func (p *program) memoryOrient(c *cli.Context) error {
	text, err := p.memoryQuestion(c)
	if err != nil {
		return err
	}
	if err := atLeastOne(c, "limit", "budget"); err != nil {
		return err
	}
	for _, t := range base.List(c, "tier") {
		if !slices.Contains(memory.Tiers, t) {
			return base.Usagef("choose among "+strings.Join(memory.Tiers, ", "), "tier %q is unknown",
				base.Line(t, 60))
		}
	}
	return base.With(p.openMemory(c, text != ""))(func(s *openedMemory) error {
		o, err := s.Orient(c.Context, memory.OrientQuery{Text: text, Conversation: p.conversationIn(c, s),
			Channel: c.String("channel"), Budget: c.Int("budget"), Limit: c.Int("limit"),
			Tiers: base.List(c, "tier"), Words: base.CommandFor})
		return p.Answer(c, err, func() {
			switch text := o.Text(); {
			case text != "":
				p.PrintDocument(text)
			case o.LeftOut == 0:
				p.Messagef("the memory is empty")
			}
			p.Notes(o.Degraded)
			if o.LeftOut > 0 {
				p.Messagef("note: the budget of %d tokens leaves out %s", o.Budget,
					base.Count(int64(o.LeftOut), "more item", "more items"))
			}
		}, "orientation", o)
	})
}
