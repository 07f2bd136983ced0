package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"blackboard/kb/memory"
)

func (p *program) memoryConsolidateCommands() []*cli.Command {
	return []*cli.Command{
		{
			Name: "consolidate", Usage: "promote, archive, merge, rewrite items",
			Description: `A pass makes long-term what three sessions asked for, archives what nobody has
read for a year, forgets what has expired, and merges what makes the same
statement word for word. What is important (high, critical) is not archived for
its age. It can be interrupted: the same command continues. At the end of a
session the hooks make one if 20 items are new, at most once a day.

What is archived is out of sight: board memory read --archived finds it, and
board memory restore brings it back. --undo takes a pass back whole, or not at
all if somebody has changed since what it did.

To rewrite several items into one, list those that are about one thing, and
pairs that may not both hold,

  board memory consolidate --plan --json >groups.json

add a "title" and a "content" to each group that one text can say better, and

  board memory consolidate --apply groups.json

puts it in the place of the group's items. Those are forgotten, and point to it.`,
			Flags: memoryFlags(
				&cli.StringSliceFlag{Name: "scope", Usage: "`SCOPE`, repeatable or with commas: workspace, account, channel:NAME, conversation:REF (default all)"},
				&cli.BoolFlag{Name: "due", Usage: "only scopes where enough has happened since the last pass"},
				&cli.BoolFlag{Name: "dry-run", Usage: "only say what would be done"},
				&cli.BoolFlag{Name: "plan", Usage: "list items that one better text could replace, and contradictions; nothing is changed"},
				&cli.BoolFlag{Name: "passes", Usage: "list passes, newest first"},
				&cli.StringFlag{Name: "undo", Usage: "take back the pass or the rewrite `PASS`; exit 6 if it cannot be taken back whole"},
				&cli.IntFlag{Name: "limit", Aliases: []string{"n"}, Usage: "with --plan or --passes, at most `N`; 0: all", Value: 20},
				&cli.StringFlag{Name: "apply", Usage: "do the rewrites in `FILE`, - for standard input; exit 6 if some cannot be done"},
			),
			Action: p.memoryConsolidate,
		},
		{
			Name: "restore", Usage: "bring an item back that is archived or forgotten", ArgsUsage: "ID",
			Flags: memoryFlags(), Action: p.memoryRestore,
		},
		p.memoryScrubCommand(),
	}
}

func (p *program) memoryConsolidate(c *cli.Context) error {
	var modes []string
	for _, name := range []string{"dry-run", "plan", "apply", "passes", "undo"} {
		if c.IsSet(name) {
			modes = append(modes, "--"+name)
		}
	}
	switch {
	case len(modes) > 1:
		return usagef("do one after the other", "%s and %s do not go together", modes[0], modes[1])
	case len(modes) == 1 && slices.Contains([]string{"--apply", "--passes", "--undo"}, modes[0]) && (c.IsSet("scope") || c.Bool("due")):
		return usagef("leave --scope and --due out", "%s", map[string]string{"--apply": "--apply takes the items that its groups name", "--passes": "--passes lists passes over all scopes", "--undo": "--undo takes the scope of its pass"}[modes[0]])
	case c.IsSet("scope") && c.Bool("due"):
		return usagef("leave one out", "both --scope and --due are given")
	case c.IsSet("limit") && !c.Bool("plan") && !c.Bool("passes"):
		return usagef("add one of them, or leave it out", "--limit is for --plan and --passes")
	}
	var scopes []memory.Scope
	for _, text := range list(c, "scope") {
		sc, err := memory.ParseScope(text)
		if err != nil {
			return err
		}
		scopes = append(scopes, sc)
	}
	s, done, err := p.openMemory(c, c.IsSet("apply") || c.IsSet("undo"))
	if err != nil {
		return err
	}
	defer done()
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
	case c.Bool("passes"):
		return p.memoryPasses(c, s)
	case c.IsSet("undo"):
		return p.undoPass(c, s)
	}
	bar := p.stepBar()
	all, err := s.Consolidate(c.Context, scopes, func(done, of int) { bar.show("consolidating", done, of) })
	bar.clear()
	if err != nil {
		if len(all) > 0 {
			p.talk("%s done; the same command continues", count(int64(len(all)), "scope is", "scopes are"))
		}
		return err
	}
	return p.answer(c, nil, func() {
		for i := range all {
			x := &all[i]
			undo := ""
			if x.Pass != "" {
				undo = p.paint(dim, "  --undo "+x.Pass)
			}
			p.printf("%s: %s%s\n", x.Scope, consolidatedText(x), undo)
			p.notes(x.Scope, x.Notes)
		}
		p.noScopes(c, len(all))
	}, "consolidated", all, "dry_run", false)
}

func (p *program) notes(scope string, notes []string) {
	for _, n := range notes {
		p.talk("note: %s: %s", scope, safe(n))
	}
}

// noScopes says why there was nothing to look at.
func (p *program) noScopes(c *cli.Context, n int) {
	switch {
	case n > 0:
	case c.Bool("due"):
		p.talk("nothing is due")
	default:
		p.talk("nothing is remembered yet")
	}
}

func consolidatedText(x *memory.Consolidated) string {
	var parts []string
	for _, part := range []struct {
		n    int
		name string
	}{{x.Promoted, "promoted"}, {x.Merged, "merged"}, {x.Pruned, "pruned"}, {x.Archived, "archived"}, {x.Ended, "archived with their conversation"}, {x.Capped, "archived over the cap"}, {x.Expired, "expired"}, {x.Skipped, "left alone, since they had changed meanwhile"}} {
		if part.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", part.n, part.name))
		}
	}
	if len(parts) == 0 {
		parts = []string{"nothing to do"}
	}
	return strings.Join(parts, ", ") + "; " + count(int64(x.Live), "item", "items") + " now"
}

func (p *program) planConsolidation(c *cli.Context, s *openedMemory, scopes []memory.Scope) error {
	all, err := s.PlanConsolidation(c.Context, scopes)
	return p.answer(c, err, func() {
		for i := range all {
			x := &all[i]
			p.printf("%s: %s would be done; %s now\n", x.Scope, count(int64(len(x.Steps)), "step", "steps"), count(int64(x.Live), "item", "items"))
			for _, st := range x.Steps {
				p.printf("  %-7s  %s  %s\n", st.Op, st.Item, line(st.Text, 120))
				if st.Into != "" {
					p.printf("  %7s  %s  %s\n", "into", st.Into, line(st.IntoText, 120))
				}
				p.printf("  %7s  %s\n", "", p.paint(dim, fmt.Sprintf("relevance %.2f; %s", st.Relevance, line(st.Why, 300))))
			}
			p.memoryContradictions(x.Contradictions)
			p.notes(x.Scope, x.Notes)
		}
		p.noScopes(c, len(all))
	}, "plans", all, "dry_run", true)
}

func (p *program) planRewrites(c *cli.Context, s *openedMemory, scopes []memory.Scope) error {
	all, err := s.Groups(c.Context, scopes, c.Int("limit"))
	if err != nil {
		return err
	}
	clashing, err := s.Contradictions(c.Context, scopes)
	return p.answer(c, err, func() {
		for i := range all {
			g := &all[i]
			p.printf("%s  %s  %s\n", p.paint(bold, g.ID), g.Scope, count(int64(len(g.Items)), "item", "items"))
			for _, it := range g.Items {
				text := it.Content
				if it.Title != "" {
					text = it.Title + ": " + text
				}
				p.printf("  %s  %s  %s\n", it.ID, it.Created.Format("2006-01-02"), line(text, 160))
			}
		}
		if len(all) == 0 {
			p.talk("no items are about the same thing")
		} else {
			p.talk("note: --json prints them as --apply reads them, once a group has a title and a content")
		}
		p.memoryContradictions(clashing)
	}, "groups", all, "contradictions", clashing)
}

// memoryContradictions lists pairs that somebody has to judge.
func (p *program) memoryContradictions(all []memory.Contradiction) {
	for i := range all {
		c := &all[i]
		p.printf("%s  %s  %s\n", p.paint(yellow, "contradiction"), c.Scope, line(strings.Join(c.Why, "; "), 200))
		for _, it := range c.Items {
			p.printf("  %s  %s  %s\n", it.ID, it.Created.Format("2006-01-02"), line(strings.TrimSpace(it.Title+" "+it.Content), 160))
		}
	}
}

func (p *program) memoryPasses(c *cli.Context, s *openedMemory) error {
	all, err := s.Passes(c.Context, c.Int("limit"))
	return p.answer(c, err, func() {
		for i := range all {
			x := &all[i]
			state := ""
			switch {
			case x.Undone != nil:
				state = p.paint(yellow, "  undone")
			case x.Ended == nil:
				state = p.paint(yellow, "  interrupted")
			}
			p.printf("%s  %s  %s  %s  %s%s\n", x.ID, clock(x.Began), x.Scope, line(x.Actor, 30), tallyMap(x.Steps), state)
		}
		if len(all) == 0 {
			p.talk("no pass has changed anything yet")
		}
	}, "passes", all)
}

func (p *program) undoPass(c *cli.Context, s *openedMemory) error {
	u, err := s.Undo(c.Context, c.String("undo"))
	return p.answer(c, err, func() {
		p.printf("%s is undone: %s live again\n", u.Pass, count(int64(len(u.Restored)+u.Private), "item is", "items are"))
		p.warnings(u.Warnings)
	}, "undone", u)
}

func (p *program) memoryRestore(c *cli.Context) error {
	id, err := onlyOne(c, "id")
	if err != nil {
		return err
	}
	s, done, err := p.openMemory(c, true)
	if err != nil {
		return err
	}
	defer done()
	r, err := s.Restore(c.Context, id)
	return p.answer(c, err, func() {
		p.printf("%s is back in %s: %s\n", r.Item.ID, r.Item.Scope(), line(headline(&r.Item), 100))
		p.warnings(r.Warnings)
	}, "restored", r.Item, "warnings", r.Warnings)
}

func (p *program) applyRewrites(c *cli.Context, s *openedMemory) error {
	if c.String("apply") == "" {
		return usagef("name a file, or - for standard input", "--apply is empty")
	}
	in, closeInput, err := p.named(c.String("apply"), "rewrite")
	if err != nil {
		return err
	}
	defer closeInput()
	done, refused, err := s.ApplyRewrites(c.Context, in)
	if err != nil {
		if len(done) > 0 {
			p.talk("%s done", count(int64(len(done)), "rewrite is", "rewrites are"))
		}
		return err
	}
	if c.Bool("json") {
		if err := p.json("rewritten", done, "refused", refused); err != nil {
			return err
		}
	} else {
		for i := range done {
			p.printf("%s replaces %s: %s%s\n", done[i].Item.ID, strings.Join(done[i].Replaced, ", "), line(headline(&done[i].Item), 100), p.paint(dim, "  --undo "+done[i].Pass))
		}
		for _, r := range refused {
			p.talk("refused: %s: %s", safe(r.From), safe(r.Why))
		}
		if len(done)+len(refused) == 0 {
			p.talk("no group has a content: nothing is done")
		}
	}
	if len(refused) > 0 {
		return verdictError(exitConflict)
	}
	return nil
}
