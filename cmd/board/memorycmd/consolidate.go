package memorycmd

import (
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"blackboard/cmd/board/base"
	"blackboard/hooks/ops"
	"blackboard/kb/memory"
)

func (p *program) memoryConsolidateCommands() []*cli.Command {
	return []*cli.Command{
		{
			Name: "consolidate", Usage: "promote, archive, merge, rewrite items",
			Description: `A pass makes items long-term that three sessions asked for, archives items that
nobody has read for a year, forgets expired items, and merges items that make
the same statement word for word. Important items (high, critical) are not
archived for their age. If it is interrupted, run the same command again. Hooks
make a pass at the end of a session if 20 items are new, at most once a day.

Archived items are not read: board memory read --archived finds them, and
board memory restore brings them back. --undo PASS restores what a pass has
archived or forgotten; --list lists them. What a merge has added to the kept
item stays. It is refused if an item was scrubbed or forgotten since.

To rewrite several items into one, list groups of items that are about one
thing, and pairs that may contradict each other,

  board memory consolidate --plan --json >groups.json

add a "title" and a "content" to each group that one text can say better, and

  board memory consolidate --apply groups.json

replaces the group's items with it. They are forgotten, and point to it.`,
			Flags: memoryFlags(
				&cli.StringSliceFlag{Name: "scope",
					Usage: "`SCOPE`, repeatable or with commas: workspace, account, channel:NAME, " +
						"conversation:REF (default all)"},
				&cli.BoolFlag{Name: "due", Usage: "only scopes with enough changes since the last pass"},
				base.DryRunFlag(),
				&cli.BoolFlag{Name: "plan",
					Usage: "list items that one text could replace, and contradictions; change nothing"},
				&cli.BoolFlag{Name: "list", Aliases: []string{"passes"}, Usage: "list passes, newest first"},
				&cli.StringFlag{Name: "undo",
					Usage: "restore what the pass or rewrite `PASS` took away (--list lists them); " +
						"exit 6 if a part cannot be restored"},
				&cli.IntFlag{Name: "limit", Aliases: []string{"n"},
					Usage: "with --plan or --list, at most `N`; 0: all", Value: 20},
				&cli.StringFlag{Name: "apply",
					Usage: "do the rewrites in `FILE`, - for standard input; exit 6 if some " +
						"cannot be done"},
			),
			Action: p.memoryConsolidate,
		},
		p.operation(&ops.MemoryRestore),
		p.memoryScrubCommand(),
	}
}

func (p *program) memoryConsolidate(c *cli.Context) error {
	var modes []string
	for _, name := range []string{"dry-run", "plan", "apply", "list", "undo"} {
		if c.IsSet(name) {
			modes = append(modes, "--"+name)
		}
	}
	switch {
	case len(modes) > 1:
		return base.Usagef("do one after the other", "%s and %s do not go together", modes[0], modes[1])
	case len(modes) == 1 && slices.Contains([]string{"--apply", "--list", "--undo"}, modes[0]) &&
		(c.IsSet("scope") || c.Bool("due")):
		return base.Usagef("leave --scope and --due out", "%s",
			map[string]string{"--apply": "--apply takes the items that its groups name",
				"--list": "--list lists passes over all scopes",
				"--undo": "--undo has the scope of its pass"}[modes[0]])
	case c.IsSet("scope") && c.Bool("due"):
		return base.Usagef("leave one out", "both --scope and --due are given")
	case c.IsSet("limit") && !c.Bool("plan") && !c.Bool("list"):
		return base.Usagef("add one of them, or leave it out", "--limit is for --plan and --list")
	}
	var scopes []memory.Scope
	for _, text := range base.List(c, "scope") {
		sc, err := memory.ParseScope(text)
		if err != nil {
			return err
		}
		scopes = append(scopes, sc)
	}
	return base.With(p.openMemory(c, c.IsSet("apply") ||
		c.IsSet("undo")))(func(s *openedMemory) (err error) {
		if c.Bool("due") {
			if scopes, err = s.Due(c.Context); err != nil {
				return err
			}
		}
		switch {
		case c.IsSet("apply"):
			return p.applyRewrites(c, s)
		case c.Bool("plan"):
			return p.planRewrites(c, s, scopes)
		case c.Bool("dry-run"):
			return p.planConsolidation(c, s, scopes)
		case c.Bool("list"):
			return p.memoryPasses(c, s)
		case c.IsSet("undo"):
			return p.undoPass(c, s)
		}
		bar := p.StepBar()
		all, err := s.Consolidate(c.Context, scopes,
			func(done, of int) { bar.Show("consolidating", done, of) })
		bar.Clear()
		if err != nil {
			if len(all) > 0 {
				p.Messagef("%s done; the same command continues", base.Count(int64(len(all)), "scope is",
					"scopes are"))
			}
			return err
		}
		return p.Answer(c, nil, func() {
			for i := range all {
				x := &all[i]
				undo := ""
				if x.Pass != "" {
					undo = p.Paint(base.Dim, "  --undo "+x.Pass)
				}
				p.Printf("%s: %s%s\n", x.Scope, consolidatedText(x), undo)
				p.notes(x.Scope, x.Notes)
			}
			p.noScopes(c, len(all))
		}, "consolidated", all, "dry_run", false)
	})
}

func (p *program) notes(scope string, notes []string) {
	for _, n := range notes {
		p.Messagef("note: %s: %s", scope, base.Safe(n))
	}
}

// noScopes tells why no scope was consolidated.
func (p *program) noScopes(c *cli.Context, n int) {
	switch {
	case n > 0:
	case c.Bool("due"):
		p.Messagef("nothing is due")
	default:
		p.Messagef("the memory is empty")
	}
}

func consolidatedText(x *memory.Consolidated) string {
	var parts []string
	for _, part := range []struct {
		n    int
		name string
	}{{x.Promoted, "promoted"}, {x.Merged, "merged"}, {x.Archived, "archived"},
		{x.Ended, "archived with their conversation"}, {x.Capped, "archived over the cap"},
		{x.Expired, "expired"}, {x.Skipped, "skipped, since they had changed meanwhile"}} {
		if part.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", part.n, part.name))
		}
	}
	if len(parts) == 0 {
		parts = []string{"nothing to do"}
	}
	return strings.Join(parts, ", ") + "; " + base.Count(int64(x.Live), "item", "items") + " now"
}

func (p *program) planConsolidation(c *cli.Context, s *openedMemory, scopes []memory.Scope) error {
	all, err := s.PlanConsolidation(c.Context, scopes)
	return p.Answer(c, err, func() {
		for i := range all {
			x := &all[i]
			p.Printf("%s: %s would be done; %s now\n", x.Scope, base.Count(int64(len(x.Steps)), "step",
				"steps"), base.Count(int64(x.Live), "item", "items"))
			for _, st := range x.Steps {
				p.Printf("  %-7s  %s  %s\n", st.Op, st.Item, base.Line(st.Text, 120))
				if st.Into != "" {
					p.Printf("  %7s  %s  %s\n", "into", st.Into, base.Line(st.IntoText, 120))
				}
				p.Printf("  %7s  %s\n", "", p.Paint(base.Dim, fmt.Sprintf("relevance %.2f; %s",
					st.Relevance, base.Line(st.Why, 300))))
			}
			p.memoryContradictions(x.Contradictions)
			p.notes(x.Scope, x.Notes)
		}
		p.noScopes(c, len(all))
	}, "plans", all, "dry_run", true)
}

func (p *program) planRewrites(c *cli.Context, s *openedMemory, scopes []memory.Scope) error {
	all, clashing, err := s.Groups(c.Context, scopes, c.Int("limit"))
	return p.Answer(c, err, func() {
		for i := range all {
			g := &all[i]
			p.Printf("%s  %s  %s\n", p.Paint(base.Bold, g.ID), g.Scope,
				base.Count(int64(len(g.Items)), "item", "items"))
			for _, it := range g.Items {
				text := it.Content
				if it.Title != "" {
					text = it.Title + ": " + text
				}
				p.Printf("  %s  %s  %s\n", it.ID, it.Created.Format("2006-01-02"), base.Line(text, 160))
			}
		}
		if len(all) == 0 {
			p.Messagef("no items are about the same thing")
		} else {
			p.Messagef("note: --json prints them as --apply reads them, once a group has a title and a " +
				"content")
		}
		p.memoryContradictions(clashing)
	}, "groups", all, "contradictions", clashing)
}

// memoryContradictions lists pairs for a person to judge.
func (p *program) memoryContradictions(all []memory.Contradiction) {
	for i := range all {
		c := &all[i]
		p.Printf("%s  %s  %s\n", p.Paint(base.Yellow, "contradiction"), c.Scope,
			base.Line(strings.Join(c.Why, "; "), 200))
		for _, it := range c.Items {
			p.Printf("  %s  %s  %s\n", it.ID, it.Created.Format("2006-01-02"),
				base.Line(strings.TrimSpace(it.Title+" "+it.Content), 160))
		}
	}
}

func (p *program) memoryPasses(c *cli.Context, s *openedMemory) error {
	all, err := s.Passes(c.Context, c.Int("limit"))
	return p.Answer(c, err, func() {
		for i := range all {
			x := &all[i]
			state := ""
			switch {
			case x.Undone != nil:
				state = p.Paint(base.Yellow, "  undone")
			case x.Ended == nil:
				state = p.Paint(base.Yellow, "  interrupted")
			}
			p.Printf("%s  %s  %s  %s  %s%s\n", x.ID, base.FormatTime(x.Began), x.Scope,
				base.Line(x.Actor, 30), tallyMap(x.Steps), state)
		}
		if len(all) == 0 {
			p.Messagef("no pass has changed anything yet")
		}
	}, "passes", all)
}

func (p *program) undoPass(c *cli.Context, s *openedMemory) error {
	u, err := s.Undo(c.Context, c.String("undo"))
	return p.Answer(c, err, func() {
		p.Printf("%s is undone: %s restored", u.Pass, base.Count(int64(len(u.Restored)+u.Private),
			"item is", "items are"))
		if u.ShortTerm > 0 {
			p.Printf(", %d short-term again", u.ShortTerm)
		}
		p.Printf("\n")
		p.warnings(u.Warnings)
	}, "undone", u)
}

func (p *program) applyRewrites(c *cli.Context, s *openedMemory) error {
	if c.String("apply") == "" {
		return base.Usagef("name a file, or - for standard input", "--apply is empty")
	}
	in, closeInput, err := p.OpenNamed(c.String("apply"), "rewrite")
	if err != nil {
		return err
	}
	defer closeInput()
	done, refused, err := s.ApplyRewrites(c.Context, in)
	if err != nil {
		if len(done) > 0 {
			p.Messagef("%s done", base.Count(int64(len(done)), "rewrite is", "rewrites are"))
		}
		return err
	}
	if c.Bool("json") {
		if err := p.JSON("rewritten", done, "refused", refused); err != nil {
			return err
		}
	} else {
		for i := range done {
			p.Printf("%s replaces %s: %s%s\n", done[i].Item.ID, strings.Join(done[i].Replaced, ", "),
				base.Line(headline(&done[i].Item), 100), p.Paint(base.Dim, "  --undo "+done[i].Pass))
		}
		for _, r := range refused {
			p.Messagef("refused: %s: %s", base.Safe(r.From), base.Safe(r.Why))
		}
		if len(done)+len(refused) == 0 {
			p.Messagef("no group has a content: nothing is done")
		}
	}
	if len(refused) > 0 {
		return base.ExitError(base.ExitConflict)
	}
	return nil
}
