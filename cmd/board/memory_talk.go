package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"blackboard/board"
	"blackboard/board/fault"
	"blackboard/kb/memory"
)

func (p *program) memoryTalkCommands() []*cli.Command {
	ref := func() cli.Flag { return conversationFlag("the conversation") }
	summary := func() cli.Flag {
		return &cli.StringFlag{Name: "summary", Usage: "`WHAT` it came to, kept in its channel"}
	}
	return []*cli.Command{
		{
			Name: "channel", Usage: "topics: list, create, describe, rm",
			Description: `Conversations of a workspace that are about one topic share a channel, and what
is remembered in it. There is always the channel general.`,
			Subcommands: []*cli.Command{
				{Name: "list", Usage: "list them", Flags: memoryFlags(), Action: p.inMemory(p.channelList)},
				{
					Name: "create", Usage: "make one", ArgsUsage: "NAME",
					Flags: memoryFlags(&cli.StringFlag{Name: "description", Usage: "what it is about, in one `LINE`"}, secretFlag()), Action: p.inMemory(p.channelCreate),
				},
				{
					Name: "describe", Usage: "say anew what one is about", ArgsUsage: "NAME [LINE | -]",
					Description: `With '' it says nothing. What it said before is gone from the file for good.`,
					Flags:       memoryFlags(secretFlag()), Action: p.inMemory(p.channelDescribe),
				},
				{
					Name: "rm", Usage: "remove one that holds nothing", ArgsUsage: "NAME",
					Description: `One that holds items or conversations is scrubbed first, and they are purged:
board memory scrub --help.`,
					Flags: memoryFlags(), Action: p.inMemory(p.channelRemove),
				},
			},
		},
		{
			Name: "conversation", Usage: "start, list, show, invite, idle, archive",
			Description: `A conversation is active while an agent is at work, idle once it has ended, and
archived once it is put away. It is read by those who take part: who began it,
who was invited, and whoever was started with its ref code:

  export BOARD_CONVERSATION=$(board memory conversation start -q)`,
			Subcommands: []*cli.Command{
				{
					Name: "start", Usage: "begin one, or go on with the one of a --thread",
					Flags: memoryFlags(
						&cli.StringFlag{Name: "channel", Usage: "`NAME` of the channel that it belongs to (default " + memory.DefaultChannel + ")"},
						&cli.StringFlag{Name: "thread", Usage: "what the harness calls it, `NAME`: the same name is the same conversation"},
						secretFlag(),
						&cli.BoolFlag{Name: "quiet", Aliases: []string{"q"}, Usage: "print only the ref code"},
					),
					Action: p.inMemory(p.conversationStart),
				},
				{
					Name: "list", Usage: "list them, newest first",
					Flags: memoryFlags(
						&cli.StringFlag{Name: "channel", Usage: "of the channel `NAME`"},
						&cli.StringSliceFlag{Name: "status", Usage: "`STATUS`, repeatable or with commas: active, idle, archived"},
						&cli.BoolFlag{Name: "all", Usage: "archived ones too, which are left out else"},
						limitFlag(), &cli.BoolFlag{Name: "quiet", Aliases: []string{"q"}, Usage: "print only the ref codes"},
					),
					Action: p.inMemory(p.conversationList),
				},
				{Name: "show", Usage: "show one", ArgsUsage: "[REF]", Flags: memoryFlags(), Action: p.conversationShow},
				{Name: "invite", Usage: "let other agents take part", ArgsUsage: "REF AGENT…", Flags: memoryFlags(), Action: p.inMemory(p.conversationInvite)},
				{Name: "idle", Usage: "end an active one", ArgsUsage: "[REF]", Flags: memoryFlags(summary()), Action: p.conversationIdle},
				{
					Name: "archive", Usage: "put an idle one away", ArgsUsage: "[REF]",
					Flags: memoryFlags(summary(), &cli.BoolFlag{Name: "force", Usage: "an active one too"}), Action: p.conversationArchive,
				},
			},
		},
		{
			Name: "scratch", Usage: "working notes: write, read, list, clear",
			Description: `JSON values under keys, of one agent in one conversation. No read and no search
finds them: only their key does, and only for the agent that wrote them. They
stay when the conversation is archived. A shared one is read by all who take part.`,
			Subcommands: []*cli.Command{
				{
					Name: "write", Usage: "set a note", ArgsUsage: "KEY [VALUE | -]",
					Flags: memoryFlags(ref(), &cli.BoolFlag{Name: "text", Usage: "VALUE is a text, not JSON"},
						&cli.BoolFlag{Name: "shared", Usage: "whoever takes part in the conversation may read it"}, secretFlag()),
					Action: p.inMemory(p.scratchWrite),
				},
				{
					Name: "read", Usage: "print a note's value", ArgsUsage: "KEY",
					Flags: memoryFlags(ref(), &cli.BoolFlag{Name: "text", Usage: "print a text without its quotes"}), Action: p.inMemory(p.scratchRead),
				},
				{Name: "list", Usage: "list the notes", Flags: memoryFlags(ref()), Action: p.inMemory(p.scratchList)},
				{Name: "clear", Usage: "remove a note, or all", ArgsUsage: "[KEY]", Flags: memoryFlags(ref()), Action: p.inMemory(p.scratchClear)},
			},
		},
	}
}

func (p *program) channelList(c *cli.Context, s *openedMemory) error {
	all, err := s.Channels(c.Context)
	return p.answer(c, err, func() {
		for i := range all {
			p.printf("%-16s  %s, %s%s\n", all[i].Name, count(int64(all[i].Conversations), "conversation", "conversations"), count(int64(all[i].Items), "item", "items"), about(all[i].Description))
		}
	}, "channels", all)
}

func about(text string) string {
	if text == "" {
		return ""
	}
	return "  " + line(text, 160)
}

func (p *program) channelCreate(c *cli.Context, s *openedMemory) error {
	name, err := onlyOne(c, "name")
	if err != nil {
		return err
	}
	ch, err := s.CreateChannel(c.Context, name, c.String("description"))
	return p.answer(c, err, func() { p.printf("%s created\n", ch.Name) }, "channel", ch)
}

func (p *program) channelDescribe(c *cli.Context, s *openedMemory) error {
	if c.NArg() == 0 {
		return usagef("`board memory channel describe NAME LINE`", "no name is given")
	}
	name := c.Args().First()
	text, err := p.textArg(c, "description", c.Args().Tail())
	if err != nil {
		return err
	}
	notes, err := s.DescribeChannel(c.Context, name, text)
	return p.answer(c, err, func() {
		p.printf("%s is described anew\n", name)
		p.warnings(notes)
	}, "channel", name, "notes", notes)
}

func (p *program) channelRemove(c *cli.Context, s *openedMemory) error {
	name, err := onlyOne(c, "name")
	if err != nil {
		return err
	}
	notes, err := s.RemoveChannel(c.Context, name)
	return p.answer(c, err, func() {
		p.printf("%s is removed\n", name)
		p.warnings(notes)
	}, "channel", name, "notes", notes)
}

func (p *program) conversationStart(c *cli.Context, s *openedMemory) error {
	conv, again, err := s.StartConversation(c.Context, c.String("channel"), c.String("thread"))
	if err != nil {
		return err
	}
	switch {
	case c.Bool("json"):
		return p.json("conversation", conv, "again", again)
	case c.Bool("quiet"):
		p.printf("%s\n", conv.Ref)
	case again:
		p.printf("%s is there already, %s in %s\n", conv.Ref, conv.Status, conv.Channel)
	default:
		p.printf("%s started in %s\n", conv.Ref, conv.Channel)
	}
	return nil
}

func (p *program) conversationList(c *cli.Context, s *openedMemory) error {
	limit, err := listLimit(c)
	if err != nil {
		return err
	}
	statuses := list(c, "status")
	if c.Bool("all") {
		if len(statuses) > 0 {
			return usagef("leave one out", "both --all and --status are given")
		}
		statuses = memory.Statuses
	}
	ask := limit
	if limit > 0 {
		ask++
	}
	all, err := s.Conversations(c.Context, c.String("channel"), statuses, ask)
	if err != nil {
		return err
	}
	more := limit > 0 && len(all) > limit
	if more {
		all = all[:limit]
	}
	if c.Bool("json") {
		return p.json("conversations", all, "more", more)
	}
	for i := range all {
		v := &all[i]
		if c.Bool("quiet") {
			p.printf("%s\n", v.Ref)
			continue
		}
		text := fmt.Sprintf("%s  %-8s  %s  %s  %s", v.Ref, v.Status, clock(v.Started), v.Channel, count(int64(v.Items), "item", "items"))
		if v.Scratch > 0 {
			text += ", " + count(int64(v.Scratch), "note", "notes")
		}
		if v.Agent != "" {
			text += "  by " + line(v.Agent, 40)
		}
		p.printf("%s%s\n", text, about(v.Thread))
	}
	p.listEnd(len(all), more, "conversations")
	return nil
}

// oneRef is the conversation that a command is about: its argument, else $BOARD_CONVERSATION.
func (p *program) oneRef(c *cli.Context) (string, error) {
	if c.NArg() == 0 && p.env("BOARD_CONVERSATION") != "" {
		return p.env("BOARD_CONVERSATION"), nil
	}
	return onlyOne(c, "ref code")
}

// withConversation runs what a command does with a conversation, and prints what has become of it.
func (p *program) withConversation(c *cli.Context, fn func(s *openedMemory, ref string) (memory.ConversationInfo, error)) error {
	ref, err := p.oneRef(c)
	if err != nil {
		return err
	}
	s, done, err := p.openMemory(c, false)
	if err != nil {
		return err
	}
	defer done()
	v, err := fn(s, ref)
	if err != nil {
		return err
	}
	if c.Bool("json") {
		return p.json("conversation", v)
	}
	if c.Command.Name != "show" {
		p.printf("%s is %s\n", v.Ref, v.Status)
		return nil
	}
	p.printf("%s  %s\n", p.paint(bold, v.Ref), v.Status)
	row := func(name, value string) {
		if value != "" {
			p.printf("%-10s %s\n", name, value)
		}
	}
	row("channel", v.Channel)
	row("thread", line(v.Thread, 300))
	row("by", line(v.Agent, 60))
	row("started", clock(v.Started))
	if v.Ended != nil {
		row("ended", clock(*v.Ended))
	}
	if v.Archived != nil {
		row("archived", clock(*v.Archived))
	}
	row("holds", count(int64(v.Items), "item", "items")+", "+count(int64(v.Scratch), "working note", "working notes"))
	return nil
}

func (p *program) conversationShow(c *cli.Context) error {
	return p.withConversation(c, func(s *openedMemory, ref string) (memory.ConversationInfo, error) {
		return s.Conversation(c.Context, ref)
	})
}

func (p *program) conversationInvite(c *cli.Context, s *openedMemory) error {
	if c.NArg() < 2 {
		return usagef("`board memory conversation invite REF AGENT`", "a conversation and an agent are needed")
	}
	agents := c.Args().Tail()
	v, err := s.Invite(c.Context, c.Args().First(), agents...)
	return p.answer(c, err, func() {
		p.printf("%s take part in %s now\n", line(strings.Join(agents, ", "), 200), v.Ref)
	}, "conversation", v, "invited", agents)
}

func (p *program) conversationIdle(c *cli.Context) error {
	return p.withConversation(c, func(s *openedMemory, ref string) (memory.ConversationInfo, error) {
		return p.closing(c, s, ref, memory.StatusIdle, s.IdleConversation)
	})
}

func (p *program) conversationArchive(c *cli.Context) error {
	return p.withConversation(c, func(s *openedMemory, ref string) (memory.ConversationInfo, error) {
		return p.closing(c, s, ref, memory.StatusArchived, func(ctx context.Context, ref string) (memory.ConversationInfo, error) {
			return s.ArchiveConversation(ctx, ref, c.Bool("force"))
		})
	})
}

// closing ends a conversation, and keeps what it came to; who does not say it is asked.
func (p *program) closing(c *cli.Context, s *openedMemory, ref, status string, end func(context.Context, string) (memory.ConversationInfo, error)) (v memory.ConversationInfo, err error) {
	if text := strings.TrimSpace(c.String("summary")); text != "" {
		if _, err := s.Summarise(c.Context, ref, text); err != nil {
			return v, err
		}
		if v, err = s.Conversation(c.Context, ref); err != nil || v.Status == status {
			return v, err
		}
	} else if c.IsSet("summary") {
		return v, usagef("say what was decided and what is open, or leave it out", "the summary is empty")
	}
	if v, err = end(c.Context, ref); err != nil {
		return v, err
	}
	if said, err := s.Summarised(c.Context, ref); err == nil && !said && s.Reaches(memory.Channel) {
		p.talk("note: nothing says what it came to; board memory conversation idle REF --summary 'what was decided, what is open' keeps it in the channel %s", v.Channel)
	}
	return v, nil
}

// scratchRef is the conversation whose working notes are meant.
func (p *program) scratchRef(c *cli.Context) (string, error) {
	ref := p.conversation(c)
	if ref == "" {
		return "", usagef("name it with --conversation REF, or $BOARD_CONVERSATION; `board memory conversation start` begins one", "working notes belong to a conversation, and none is named")
	}
	return ref, nil
}

func (p *program) scratchWrite(c *cli.Context, s *openedMemory) error {
	if c.NArg() == 0 {
		return usagef("`board memory scratch write KEY VALUE`", "no key is given")
	}
	ref, err := p.scratchRef(c)
	if err != nil {
		return err
	}
	text, err := p.textArg(c, "value", c.Args().Tail())
	if err != nil {
		return err
	}
	value := json.RawMessage(text)
	switch {
	case c.Bool("text"):
		if value, err = jsonValue(text, true); err != nil {
			return err
		}
	case !json.Valid(value):
		return usagef("--text takes it as a text; quote JSON for the shell: '{\"a\":1}'", "%q is not valid JSON", board.Line(text, 80))
	}
	n, err := s.WriteScratch(c.Context, ref, c.Args().First(), value, c.Bool("shared"))
	if err != nil {
		return err
	}
	return p.scratchNote(c, n)
}

func (p *program) scratchNote(c *cli.Context, n memory.Scratch) error {
	return p.answer(c, nil, func() { p.printf("%s = %s%s\n", n.Key, line(string(n.Value), 200), sharedBy(&n, n.Agent)) }, "note", n)
}

// sharedBy says that a working note is shared, and whose it is if it is not the reader's.
func sharedBy(n *memory.Scratch, reader string) string {
	switch {
	case n.Agent != reader:
		return "  shared by " + line(n.Agent, 60)
	case n.Shared:
		return "  shared"
	}
	return ""
}

func (p *program) scratchRead(c *cli.Context, s *openedMemory) error {
	key, err := onlyOne(c, "key")
	if err != nil {
		return err
	}
	ref, err := p.scratchRef(c)
	if err != nil {
		return err
	}
	n, err := s.ReadScratch(c.Context, ref, key)
	return p.answer(c, err, func() {
		var text string
		if !c.Bool("text") || json.Unmarshal(n.Value, &text) != nil {
			text = string(n.Value)
		}
		p.document(text)
	}, "note", n)
}

func (p *program) scratchList(c *cli.Context, s *openedMemory) error {
	ref, err := p.scratchRef(c)
	if err != nil {
		return err
	}
	all, err := s.ListScratch(c.Context, ref)
	return p.answer(c, err, func() {
		for _, n := range all {
			p.printf("%s = %s%s\n", n.Key, line(string(n.Value), 200), sharedBy(&n, s.Agent()))
		}
		p.listEnd(len(all), false, "working notes")
	}, "notes", all)
}

func (p *program) scratchClear(c *cli.Context, s *openedMemory) error {
	key := ""
	if c.NArg() > 0 {
		var err error
		if key, err = onlyOne(c, "key"); err != nil {
			return err
		}
		if key == "" {
			return usagef("leave it out to remove all", "the key is empty")
		}
	}
	ref, err := p.scratchRef(c)
	if err != nil {
		return err
	}
	n, err := s.ClearScratch(c.Context, ref, key)
	if err != nil {
		return err
	}
	if key != "" && n == 0 {
		return fault.NotFound.New(fmt.Sprintf("there is no working note %s in %s", line(key, 60), ref), "`board memory scratch list` shows the caller's")
	}
	return p.answer(c, nil, func() { p.printf("%s removed\n", count(int64(n), "working note", "working notes")) }, "cleared", n)
}
