package memorycmd

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"blackboard/board/fault"
	"blackboard/cmd/board/base"
	"blackboard/kb/memory"
)

// levelNames are the names of the levels of importance.
func levelNames() (names []string) {
	for _, l := range memory.Levels {
		names = append(names, l.Name)
	}
	return names
}

func (p *program) memoryItemCommands() []*cli.Command {
	importance := strings.Join(levelNames(), ", ") + ", or 0 to 1"
	return []*cli.Command{
		{
			Name: "put", Usage: "store an item in a tier", ArgsUsage: "[CONTENT | -]",
			Description: `Store one thing in each item, in a sentence or two, so that it can be found,
replaced and forgotten separately; at most 10,000 characters. If the same text
exists, its time is renewed instead of storing it twice.`,
			Flags: memoryFlags(
				&cli.StringFlag{Name: "content",
					Usage: "the `TEXT`, if it is neither an argument nor piped in"},
				tierFlag("`TIER`: "+strings.Join(memory.Tiers, ", ")+" (default workspace)"),
				&cli.StringFlag{Name: "channel",
					Usage: "`NAME` of the channel; default the conversation's, else " +
						memory.DefaultChannel},
				conversationFlag("the conversation that it belongs to, or comes from"),
				&cli.StringFlag{Name: "title", Usage: "title, one `LINE`"},
				&cli.StringFlag{Name: "importance", Aliases: []string{"i"},
					Usage: "`LEVEL`: " + importance, Value: "medium"},
				&cli.StringFlag{Name: "lifetime",
					Usage: "`HOW` long: " + strings.Join(memory.Lifetimes, ", ") +
						" (default short_term; conversation in its tier)"},
				&cli.StringSliceFlag{Name: "tags", Aliases: []string{"tag"},
					Usage: "`TAG`, repeatable or with commas"},
				&cli.StringFlag{Name: "source", Usage: "`SOURCE` that produced it: researcher, " +
					"user, a tool"},
				&cli.StringFlag{Name: "ttl", Usage: "expires after this `SPAN`: 7d, 12h, 1d12h"},
				&cli.StringFlag{Name: "expires",
					Usage: "expires at this `TIME`: 2026-12-24, 2026-12-24 18:00 (UTC)"},
				&cli.StringFlag{Name: "derived-from",
					Usage: "`LINK` to its origin: a file, a URL, kb:CAPSULE, board:RUN/ENTRY, memory:ID"},
				&cli.BoolFlag{Name: "private", Usage: "only this agent sees it"},
				&cli.BoolFlag{Name: "force", Usage: "store it even if it seems to hold a secret"},
				&cli.BoolFlag{Name: "no-embed",
					Usage: "store it without an embedding; `board memory reembed` adds it"},
				base.QuietFlag(),
			),
			Action: p.memoryPut,
		},
		{
			Name: "update", Usage: "change an item; revisions are kept", ArgsUsage: "ID [CONTENT | -]",
			Description: `The flags say what changes; the content is the argument or --content. With
neither, on a terminal, the content opens in $VISUAL or $EDITOR. Its tier and
its owner do not change.`,
			Flags: memoryFlags(
				&cli.StringFlag{Name: "content", Usage: "the `TEXT`, or - to read it from " +
					"standard input"},
				&cli.StringFlag{Name: "title", Usage: "title, one `LINE`"},
				&cli.StringFlag{Name: "importance", Aliases: []string{"i"}, Usage: "`LEVEL`: " +
					importance},
				&cli.StringFlag{Name: "lifetime",
					Usage: "`HOW` long: " + strings.Join(memory.Lifetimes, ", ")},
				&cli.StringSliceFlag{Name: "tags",
					Usage: "`TAG`, repeatable or with commas: in place of those it has; '' for none"},
				&cli.StringSliceFlag{Name: "add-tag", Usage: "`TAG` to add, repeatable"},
				&cli.StringSliceFlag{Name: "remove-tag", Usage: "`TAG` to remove, repeatable"},
				&cli.StringFlag{Name: "source", Usage: "`SOURCE` that produced it"},
				&cli.StringFlag{Name: "ttl", Usage: "expires after this `SPAN` from now: 7d, 12h"},
				&cli.StringFlag{Name: "expires", Usage: "expires at this `TIME`, or never"},
				&cli.StringFlag{Name: "derived-from", Usage: "`LINK` to its origin"},
				&cli.StringFlag{Name: "why", Usage: "the `REASON`; it is kept with the old revision"},
				&cli.StringFlag{Name: "if-revision",
					Usage: "only if it still has this `REVISION`; else exit 6"},
				&cli.BoolFlag{Name: "force", Usage: "store it even if it seems to hold a secret"},
				&cli.BoolFlag{Name: "no-embed", Usage: "keep no embedding; `board memory " +
					"reembed` adds it"},
				base.QuietFlag(),
			),
			Action: p.memoryUpdate,
		},
		{
			Name: "forget", Usage: "forget items: no read returns them", ArgsUsage: "ID…",
			Description: `The item stays in the file with the reason: board memory get and
board memory list --forgotten still show it. Only a scrub deletes it.`,
			Flags: memoryFlags(
				&cli.StringFlag{Name: "why", Usage: "the `REASON`; it is kept with the old revision"},
				&cli.StringFlag{Name: "replaced-by", Usage: "the `ID` of the item that takes its place"},
				&cli.BoolFlag{Name: "force", Usage: "store the reason even if it seems to hold a secret"},
			),
			Action: p.memoryForget,
		},
	}
}

func (p *program) memoryPut(c *cli.Context) error {
	content, err := p.content(c, c.Args().Slice())
	if err != nil {
		return err
	}
	it := memory.Item{Tier: c.String("tier"), Channel: c.String("channel"), Title: c.String("title"),
		Content: content, Lifetime: c.String("lifetime"),
		Tags: base.DropBlank(base.List(c, "tags")), Source: c.String("source"),
		DerivedFrom: c.String("derived-from")}
	if !c.IsSet("tier") {
		it.Tier = memory.Workspace
	}
	if c.IsSet("channel") && it.Tier != memory.Channel {
		return base.Usagef("add --tier channel, or leave --channel out",
			"--channel is given, but the tier is %s", base.Line(it.Tier, 40))
	}
	if it.Importance, err = memory.ParseImportance(c.String("importance")); err != nil {
		return err
	}
	if it.Expires, err = expiry(c, false); err != nil {
		return err
	}
	return base.With(p.openMemory(c, !c.Bool("no-embed")))(func(s *openedMemory) error {
		it.Conversation = p.conversationIn(c, s)
		r, err := s.Put(c.Context, it, memory.PutOptions{Private: c.Bool("private"),
			Force: c.Bool("force"), NoEmbedding: c.Bool("no-embed")})
		return p.Answer(c, err, func() {
			switch {
			case c.Bool("quiet"):
				p.Printf("%s\n", r.Item.ID)
			case r.Confirmed:
				p.Printf("%s exists already, and its time is renewed: %s\n", r.Item.ID,
					base.Line(headline(&r.Item), 80))
			default:
				until := ""
				if r.Item.Expires != nil {
					until = " until " + base.FormatTime(*r.Item.Expires)
				}
				p.Printf("%s remembered in %s%s: %s%s\n", r.Item.ID, r.Item.Scope(), until,
					base.Line(headline(&r.Item), 80), p.itemMarks(&r.Item))
			}
			p.warnings(r.Warnings)
		}, "item", r.Item, "warnings", r.Warnings, "confirmed", r.Confirmed)
	})
}

// errSame ends an update that would change nothing.
var errSame = errors.New("unchanged")

func (p *program) memoryUpdate(c *cli.Context) error {
	if c.NArg() == 0 {
		return base.Usagef("`board memory update ID --content …`", "no id is given")
	}
	id, args := c.Args().First(), c.Args().Tail()
	fields := []string{"content", "title", "importance", "lifetime", "tags", "add-tag", "remove-tag",
		"source", "ttl", "expires", "derived-from"}
	isSet := func(name string) bool { return c.IsSet(name) }
	if !slices.ContainsFunc(fields, isSet) && len(args) == 0 {
		return p.editItem(c, id)
	}
	content, newContent := "", c.IsSet("content") || len(args) > 0
	opt, err := updateOptions(c)
	if err != nil {
		return err
	}
	if newContent {
		if content, err = p.content(c, args); err != nil {
			return err
		}
	}
	importance := 0.0
	if c.IsSet("importance") {
		if importance, err = memory.ParseImportance(c.String("importance")); err != nil {
			return err
		}
	}
	expires, err := expiry(c, true)
	if err != nil {
		return err
	}
	return base.With(p.openMemory(c, (newContent || c.IsSet("title")) &&
		!c.Bool("no-embed")))(func(s *openedMemory) error {
		return p.update(c, s, id, opt, func(it *memory.Item) error {
			for _, f := range []struct {
				name string
				to   *string
			}{{"title", &it.Title}, {"lifetime", &it.Lifetime}, {"source", &it.Source},
				{"derived-from", &it.DerivedFrom}} {
				if c.IsSet(f.name) {
					*f.to = c.String(f.name)
				}
			}
			if newContent {
				it.Content = content
			}
			if c.IsSet("importance") {
				it.Importance = importance
			}
			if c.IsSet("ttl") || c.IsSet("expires") {
				it.Expires = expires
			}
			if c.IsSet("tags") {
				it.Tags = base.DropBlank(base.List(c, "tags"))
			}
			it.Tags = append(it.Tags, base.DropBlank(base.List(c, "add-tag"))...)
			for _, t := range base.List(c, "remove-tag") {
				if !slices.Contains(it.Tags, t) {
					return fault.Usage.New(fmt.Sprintf("%s has no tag %q", id, t),
						"`board memory get "+id+"` shows its tags")
				}
				it.Tags = slices.DeleteFunc(it.Tags, func(s string) bool { return s == t })
			}
			return nil
		})
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

func updateOptions(c *cli.Context) (memory.UpdateOptions, error) {
	revision, err := base.IfRevision(c)
	return memory.UpdateOptions{Revision: revision, Why: c.String("why"), Force: c.Bool("force"),
		NoEmbedding: c.Bool("no-embed")}, err
}

// update changes an item and prints the result. An update without a change makes no
// revision.
func (p *program) update(c *cli.Context, s *openedMemory, id string, opt memory.UpdateOptions,
	fn func(*memory.Item) error) error {
	var was memory.Item
	r, err := s.Update(c.Context, id, opt, func(it *memory.Item) error {
		was = *it
		was.Tags = slices.Clone(it.Tags)
		if err := fn(it); err != nil {
			return err
		}
		if reflect.DeepEqual(was, *it) && it.Forgotten == nil && (opt.Revision == nil ||
			*opt.Revision == it.Revision) {
			return errSame
		}
		return nil
	})
	same := errors.Is(err, errSame)
	if same {
		r.Item, err = was, nil
	}
	if err != nil {
		return err
	}
	return p.Answer(c, nil, func() {
		switch {
		case c.Bool("quiet"):
			p.Printf("%s\n", r.Item.ID)
		case same:
			p.Printf("%s is unchanged\n", r.Item.ID)
		default:
			p.Printf("%s is at revision %d: %s%s\n", r.Item.ID, r.Item.Revision,
				base.Line(headline(&r.Item), 80), p.itemMarks(&r.Item))
		}
		p.warnings(r.Warnings)
	}, "item", r.Item, "warnings", r.Warnings, "unchanged", same)
}

// editItem opens an item's content in the editor.
func (p *program) editItem(c *cli.Context, id string) error {
	opt, err := updateOptions(c)
	if err != nil {
		return err
	}
	editor, err := p.Editor("`board memory update " + id +
		" --content …`; on a terminal, with $EDITOR set, its content is opened")
	if err != nil {
		return err
	}
	return base.With(p.openMemory(c, !c.Bool("no-embed")))(func(s *openedMemory) error {
		it, err := s.Peek(c.Context, id)
		if err != nil {
			return err
		}
		edited, name, err := p.Edit(c.Context, editor, id, it.Content)
		if err != nil {
			return err
		}
		if opt.Revision == nil {
			opt.Revision = &it.Revision // what somebody else wrote meanwhile is not lost
		}
		return p.EndEdit(name, p.update(c, s, id, opt, func(it *memory.Item) error {
			it.Content = strings.TrimSpace(edited)
			return nil
		}))
	})
}

func (p *program) memoryForget(c *cli.Context) error {
	ids := base.DistinctArgs(c)
	if len(ids) == 0 {
		return base.Usagef("`board memory forget ID`", "no id is given")
	}
	by := c.String("replaced-by")
	for _, id := range ids {
		if by != "" && strings.HasPrefix(id, "j") {
			return base.Usagef("leave --replaced-by out", "%s is a journal entry, which cannot "+
				"be replaced", base.Line(id, 40))
		}
	}
	return base.With(p.openMemory(c, false))(func(s *openedMemory) error {
		all, err := s.ForgetAll(c.Context, ids, c.String("why"), by)
		items, notes := []memory.Item{}, []string{}
		for i, it := range all {
			if it.ID == "" {
				notes = append(notes, ids[i])
			} else {
				items = append(items, it)
			}
		}
		return p.Answer(c, err, func() {
			for i, it := range all {
				text := ids[i] + " is forgotten"
				if it.ID != "" {
					text += ": " + base.Line(headline(&it), 80)
				}
				if by != "" {
					text += "; " + by + " takes its place"
				}
				p.Printf("%s\n", text)
			}
		}, "items", items, "notes", notes)
	})
}
