package memorycmd

import (
	"github.com/urfave/cli/v2"

	"blackboard/board/op"
	"blackboard/hooks/ops"
)

func (p *program) memoryTalkCommands() []*cli.Command {
	return []*cli.Command{
		p.group("channel", "topics: list, create, describe, rm",
			`Conversations about one topic share a channel of the workspace, and the items in
it. The channel general always exists.`,
			&ops.Channels, &ops.ChannelCreate, &ops.ChannelDescribe, &ops.ChannelRemove),
		p.group("conversation", "start, list, show, invite, idle, archive, reopen",
			`A conversation is active while an agent works, idle when it has ended, and
archived when it is put away; reopening makes it active again. Its participants
can read it: the agent that started it, invited agents, and processes that were
started with its ref code:

  export BOARD_CONVERSATION=$(board memory conversation start -q)`,
			&ops.TalkStart, &ops.Talks, &ops.TalkShow, &ops.TalkInvite, &ops.TalkIdle, &ops.TalkArchive,
			&ops.TalkReopen),
		p.group("scratch", "working notes: write, read, list, clear",
			`JSON values under keys, of one agent in one conversation. Reads and searches do
not return them; only their agent gets them, by key. They are kept when the
conversation is archived. All participants can read a shared note.`,
			&ops.ScratchWrite, &ops.ScratchRead, &ops.Scratches, &ops.ScratchClear),
	}
}

func (p *program) group(name, usage, description string, all ...op.Any) *cli.Command {
	c := &cli.Command{Name: name, Usage: usage, Description: description}
	for _, o := range all {
		c.Subcommands = append(c.Subcommands, p.operation(o))
	}
	return c
}
