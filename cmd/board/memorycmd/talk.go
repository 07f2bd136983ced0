package memorycmd

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"blackboard/board"
	"blackboard/board/fault"
	"blackboard/cmd/board/base"
	"blackboard/kb/memory"
)

// memoryTalkCommands are the commands of topics, conversations and working notes.
func (p *program) memoryTalkCommands() []*cli.Command {
	return []*cli.Command{p.channelCommand(), p.conversationCommand(), p.scratchCommand()}
}

func (p *program) channelCommand() *cli.Command {
	return &cli.Command{
		Name: "channel", Usage: "topics: list, create, describe, rm",
		Description: `Conversations about one topic share a channel of the workspace, and the items in
it. The channel general always exists.`,
		Subcommands: []*cli.Command{
			{Name: "list", Usage: "list them", Flags: memoryFlags(), Action: p.inMemory(p.channelList)},
			{
				Name: "create", Usage: "make one", ArgsUsage: "NAME",
				Flags: memoryFlags(&cli.StringFlag{Name: "description",
					Usage: "what it is about, in one `LINE`"}, secretFlag()),
				Action: p.inMemory(p.channelCreate),
			},
			{
				Name: "describe", Usage: "change its description", ArgsUsage: "NAME [LINE | -]",
				Description: `'' removes the description. The old one is deleted from the file for good.`,
				Flags:       memoryFlags(secretFlag()), Action: p.inMemory(p.channelDescribe),
			},
			{
				Name: "rm", Usage: "remove an empty channel", ArgsUsage: "NAME",
				Description: `If a channel holds items or conversations, scrub it first:
board memory scrub --help.`,
				Flags: memoryFlags(), Action: p.inMemory(p.channelRemove),
			},
		},
	}
}

func (p *program) conversationCommand() *cli.Command {
	summary := func() cli.Flag {
		return &cli.StringFlag{Name: "summary", Usage: "its `RESULT`, kept in its channel"}
	}
	return &cli.Command{
		Name: "conversation", Usage: "start, list, show, invite, idle, archive, reopen",
		Description: `A conversation is active while an agent works, idle when it has ended, and
archived when it is put away; reopening makes it active again. Its participants
can read it: the agent that started it, invited agents, and processes that were
started with its ref code:

  export BOARD_CONVERSATION=$(board memory conversation start -q)`,
		Subcommands: []*cli.Command{
			{
				Name: "start", Usage: "start one, or continue the one of a --thread",
				Flags: memoryFlags(
					&cli.StringFlag{Name: "channel",
						Usage: "`NAME` of the channel that it belongs to (default " + memory.DefaultChannel + ")"},
					&cli.StringFlag{Name: "thread",
						Usage: "the harness's `NAME` for it: the same name is the same conversation"},
					secretFlag(),
					&cli.BoolFlag{Name: "quiet", Aliases: []string{"q"}, Usage: "print only the ref code"},
				),
				Action: p.inMemory(p.conversationStart),
			},
			{
				Name: "list", Usage: "list them, newest first",
				Flags: memoryFlags(
					&cli.StringFlag{Name: "channel", Usage: "of the channel `NAME`"},
					&cli.StringSliceFlag{Name: "status",
						Usage: "`STATUS`, repeatable or with commas: active, idle, archived"},
					&cli.BoolFlag{Name: "all", Usage: "include archived ones"},
					base.LimitFlag(), &cli.BoolFlag{Name: "quiet", Aliases: []string{"q"},
						Usage: "print only the ref codes"},
				),
				Action: p.inMemory(p.conversationList),
			},
			{Name: "show", Usage: "show one", ArgsUsage: "[REF]",
				Flags: memoryFlags(), Action: p.conversationShow},
			{Name: "invite", Usage: "add agents to a conversation", ArgsUsage: "REF AGENT…",
				Flags:  memoryFlags(),
				Action: p.inMemory(p.conversationInvite)},
			{Name: "idle", Usage: "end an active one", ArgsUsage: "[REF]",
				Flags:  memoryFlags(summary()),
				Action: p.conversationIdle},
			{
				Name: "archive", Usage: "archive an idle one", ArgsUsage: "[REF]",
				Flags: memoryFlags(summary(), &cli.BoolFlag{Name: "force",
					Usage: "also if it is active"}), Action: p.conversationArchive,
			},
			{
				Name: "reopen", Usage: "reopen an idle or archived one", ArgsUsage: "[REF]",
				Description: "Items that were archived with it are restored.",
				Flags:       memoryFlags(), Action: p.conversationReopen,
			},
		},
	}
}

func (p *program) scratchCommand() *cli.Command {
	ref := func() cli.Flag { return conversationFlag("the conversation") }
	return &cli.Command{
		Name: "scratch", Usage: "working notes: write, read, list, clear",
		Description: `JSON values under keys, of one agent in one conversation. Reads and searches do
not return them; only their agent gets them, by key. They are kept when the
conversation is archived. All participants can read a shared note.`,
		Subcommands: []*cli.Command{
			{
				Name: "write", Usage: "set a note", ArgsUsage: "KEY [VALUE | -]",
				Flags: memoryFlags(ref(), &cli.BoolFlag{Name: "text", Usage: "VALUE is text, not JSON"},
					&cli.BoolFlag{Name: "shared",
						Usage: "all participants of the conversation may read it"}, secretFlag()),
				Action: p.inMemory(p.scratchWrite),
			},
			{
				Name: "read", Usage: "print a note's value", ArgsUsage: "KEY",
				Flags: memoryFlags(ref(), &cli.BoolFlag{Name: "text",
					Usage: "print text without its quotes"}), Action: p.inMemory(p.scratchRead),
			},
			{Name: "list", Usage: "list the notes",
				Flags: memoryFlags(ref()), Action: p.inMemory(p.scratchList)},
			{Name: "clear", Usage: "remove a note, or all", ArgsUsage: "[KEY]",
				Flags:  memoryFlags(ref()),
				Action: p.inMemory(p.scratchClear)},
		},
	}
}

func (p *program) channelList(c *cli.Context, s *openedMemory) error {
	all, err := s.Channels(c.Context)
	return p.Answer(c, err, func() {
		for i := range all {
			p.Printf("%-16s  %s, %s%s\n", all[i].Name, base.Count(int64(all[i].Conversations),
				"conversation", "conversations"), base.Count(int64(all[i].Items), "item", "items"),
				about(all[i].Description))
		}
	}, "channels", all)
}

func about(text string) string {
	if text == "" {
		return ""
	}
	return "  " + base.Line(text, 160)
}

func (p *program) channelCreate(c *cli.Context, s *openedMemory) error {
	name, err := base.OneArg(c, "name")
	if err != nil {
		return err
	}
	ch, err := s.CreateChannel(c.Context, name, c.String("description"))
	return p.Answer(c, err, func() { p.Printf("%s created\n", ch.Name) }, "channel", ch)
}

func (p *program) channelDescribe(c *cli.Context, s *openedMemory) error {
	if c.NArg() == 0 {
		return base.Usagef("`board memory channel describe NAME LINE`", "no name is given")
	}
	name := c.Args().First()
	text, err := p.Text(c, "description", c.Args().Tail())
	if err != nil {
		return err
	}
	notes, err := s.DescribeChannel(c.Context, name, text)
	return p.Answer(c, err, func() {
		p.Printf("%s has a new description\n", name)
		p.warnings(notes)
	}, "channel", name, "notes", notes)
}

func (p *program) channelRemove(c *cli.Context, s *openedMemory) error {
	name, err := base.OneArg(c, "name")
	if err != nil {
		return err
	}
	notes, err := s.RemoveChannel(c.Context, name)
	return p.Answer(c, err, func() {
		p.Printf("%s is removed\n", name)
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
		return p.JSON("conversation", conv, "again", again)
	case c.Bool("quiet"):
		p.Printf("%s\n", conv.Ref)
	case again:
		p.Printf("%s exists already, %s in %s\n", conv.Ref, conv.Status, conv.Channel)
	default:
		p.Printf("%s started in %s\n", conv.Ref, conv.Channel)
	}
	return nil
}

func (p *program) conversationList(c *cli.Context, s *openedMemory) error {
	limit, err := base.Limit(c)
	if err != nil {
		return err
	}
	statuses := base.List(c, "status")
	if c.Bool("all") {
		if len(statuses) > 0 {
			return base.Usagef("leave one out", "both --all and --status are given")
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
	return p.Answer(c, nil, func() {
		for i := range all {
			v := &all[i]
			if c.Bool("quiet") {
				p.Printf("%s\n", v.Ref)
				continue
			}
			text := fmt.Sprintf("%s  %-8s  %s  %s  %s", v.Ref, v.Status, base.FormatTime(v.Started),
				v.Channel, base.Count(int64(v.Items), "item", "items"))
			if v.Scratch > 0 {
				text += ", " + base.Count(int64(v.Scratch), "note", "notes")
			}
			if v.Agent != "" {
				text += "  by " + base.Line(v.Agent, 40)
			}
			p.Printf("%s%s\n", text, about(v.Thread))
		}
		p.EndList(len(all), more, "conversations")
	}, "conversations", all, "more", more)
}

// oneRef is the conversation of a command: its argument, else $BOARD_CONVERSATION.
func (p *program) oneRef(c *cli.Context) (string, error) {
	if c.NArg() == 0 && p.Env("BOARD_CONVERSATION") != "" {
		return p.Env("BOARD_CONVERSATION"), nil
	}
	return base.OneArg(c, "ref code")
}

// withConversation runs an operation on a conversation, and prints the result.
func (p *program) withConversation(c *cli.Context, fn func(s *openedMemory,
	ref string) (memory.ConversationInfo, error)) error {
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
		return p.JSON("conversation", v)
	}
	if c.Command.Name != "show" {
		p.Printf("%s is %s\n", v.Ref, v.Status)
		return nil
	}
	p.Printf("%s  %s\n", p.Paint(base.Bold, v.Ref), v.Status)
	row := func(name, value string) {
		if value != "" {
			p.Printf("%-10s %s\n", name, value)
		}
	}
	row("channel", v.Channel)
	row("thread", base.Line(v.Thread, 300))
	row("by", base.Line(v.Agent, 60))
	row("started", base.FormatTime(v.Started))
	if v.Ended != nil {
		row("ended", base.FormatTime(*v.Ended))
	}
	if v.Archived != nil {
		row("archived", base.FormatTime(*v.Archived))
	}
	row("holds", base.Count(int64(v.Items), "item", "items")+", "+base.Count(int64(v.Scratch),
		"working note", "working notes"))
	return nil
}

func (p *program) conversationShow(c *cli.Context) error {
	return p.withConversation(c, func(s *openedMemory, ref string) (memory.ConversationInfo, error) {
		return s.Conversation(c.Context, ref)
	})
}

func (p *program) conversationInvite(c *cli.Context, s *openedMemory) error {
	if c.NArg() < 2 {
		return base.Usagef("`board memory conversation invite REF AGENT`",
			"a conversation and an agent are needed")
	}
	agents := c.Args().Tail()
	v, err := s.Invite(c.Context, c.Args().First(), agents...)
	return p.Answer(c, err, func() {
		p.Printf("%s can read %s now\n", base.Line(strings.Join(agents, ", "), 200), v.Ref)
	}, "conversation", v, "invited", agents)
}

func (p *program) conversationIdle(c *cli.Context) error {
	return p.withConversation(c, func(s *openedMemory, ref string) (memory.ConversationInfo, error) {
		return p.closing(c, s, ref, memory.StatusIdle, s.IdleConversation)
	})
}

func (p *program) conversationArchive(c *cli.Context) error {
	return p.withConversation(c, func(s *openedMemory, ref string) (memory.ConversationInfo, error) {
		return p.closing(c, s, ref, memory.StatusArchived, func(ctx context.Context,
			ref string) (memory.ConversationInfo, error) {
			return s.ArchiveConversation(ctx, ref, c.Bool("force"))
		})
	})
}

func (p *program) conversationReopen(c *cli.Context) error {
	return p.withConversation(c, func(s *openedMemory, ref string) (memory.ConversationInfo, error) {
		return s.ReopenConversation(c.Context, ref)
	})
}

// closing ends a conversation with its summary, and asks for a missing one.
func (p *program) closing(c *cli.Context, s *openedMemory, ref, status string,
	end func(context.Context, string) (memory.ConversationInfo, error)) (v memory.ConversationInfo,
	err error) {
	if text := strings.TrimSpace(c.String("summary")); text != "" {
		if _, err := s.Summarise(c.Context, ref, text); err != nil {
			return v, err
		}
		if v, err = s.Conversation(c.Context, ref); err != nil || v.Status == status {
			return v, err
		}
	} else if c.IsSet("summary") {
		return v, base.Usagef("say what was decided and what is open, or leave it out",
			"the summary is empty")
	}
	if v, err = end(c.Context, ref); err != nil {
		return v, err
	}
	if said, err := s.Summarised(c.Context, ref); err == nil && !said && s.Reaches(memory.Channel) {
		p.Messagef("note: it has no summary; board memory conversation idle REF --summary 'what was "+
			"decided, what is open' keeps one in the channel %s", v.Channel)
	}
	return v, nil
}

// scratchRef is the conversation of the working notes.
func (p *program) scratchRef(c *cli.Context) (string, error) {
	ref := p.conversation(c)
	if ref == "" {
		return "", base.Usagef("name it with --conversation REF, or $BOARD_CONVERSATION; `board "+
			"memory conversation start` starts one", "working notes need a conversation, but none is named")
	}
	return ref, nil
}

func (p *program) scratchWrite(c *cli.Context, s *openedMemory) error {
	if c.NArg() == 0 {
		return base.Usagef("`board memory scratch write KEY VALUE`", "no key is given")
	}
	ref, err := p.scratchRef(c)
	if err != nil {
		return err
	}
	text, err := p.Text(c, "value", c.Args().Tail())
	if err != nil {
		return err
	}
	value := json.RawMessage(text)
	switch {
	case c.Bool("text"):
		if value, err = base.JSONValue(text, true); err != nil {
			return err
		}
	case !json.Valid(value):
		return base.Usagef("--text takes it as text; quote JSON for the shell: '{\"a\":1}'",
			"%q is not valid JSON", board.Line(text, 80))
	}
	n, err := s.WriteScratch(c.Context, ref, c.Args().First(), value, c.Bool("shared"))
	if err != nil {
		return err
	}
	return p.scratchNote(c, n)
}

func (p *program) scratchNote(c *cli.Context, n memory.Scratch) error {
	return p.Answer(c, nil, func() {
		p.Printf("%s = %s%s\n", n.Key, base.Line(string(n.Value), 200),
			sharedBy(&n, n.Agent))
	}, "note", n)
}

// sharedBy tells that a working note is shared, and by whom if not by the reader.
func sharedBy(n *memory.Scratch, reader string) string {
	switch {
	case n.Agent != reader:
		return "  shared by " + base.Line(n.Agent, 60)
	case n.Shared:
		return "  shared"
	}
	return ""
}

func (p *program) scratchRead(c *cli.Context, s *openedMemory) error {
	key, err := base.OneArg(c, "key")
	if err != nil {
		return err
	}
	ref, err := p.scratchRef(c)
	if err != nil {
		return err
	}
	n, err := s.ReadScratch(c.Context, ref, key)
	return p.Answer(c, err, func() {
		var text string
		if !c.Bool("text") || json.Unmarshal(n.Value, &text) != nil {
			text = string(n.Value)
		}
		p.PrintDocument(text)
	}, "note", n)
}

func (p *program) scratchList(c *cli.Context, s *openedMemory) error {
	ref, err := p.scratchRef(c)
	if err != nil {
		return err
	}
	all, err := s.ListScratch(c.Context, ref)
	return p.Answer(c, err, func() {
		for _, n := range all {
			p.Printf("%s = %s%s\n", n.Key, base.Line(string(n.Value), 200), sharedBy(&n, s.Agent()))
		}
		p.EndList(len(all), false, "working notes")
	}, "notes", all)
}

func (p *program) scratchClear(c *cli.Context, s *openedMemory) error {
	key := ""
	if c.NArg() > 0 {
		var err error
		if key, err = base.OneArg(c, "key"); err != nil {
			return err
		}
		if key == "" {
			return base.Usagef("leave it out to remove all", "the key is empty")
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
		return fault.NotFound.New(fmt.Sprintf("working note %s not found in %s", base.Line(key, 60),
			ref), "`board memory scratch list` shows the caller's")
	}
	return p.Answer(c, nil, func() {
		p.Printf("%s removed\n", base.Count(int64(n), "working note",
			"working notes"))
	}, "cleared", n)
}
