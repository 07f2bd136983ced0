package ops

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"blackboard/board/fault"
	"blackboard/board/op"
	"blackboard/board/text"
	"blackboard/kb/memory"
)

type Nothing struct{}

type ChannelsOut struct {
	Channels []memory.ChannelInfo `json:"channels"`
}

var Channels = op.Op[Memories, Nothing, ChannelsOut]{
	Info: op.Info{Command: "memory channel list", Tool: "channel_list", Profile: "conversation",
		Need: WorkspaceRead, Budget: 4000, Short: "list them",
		About: "The workspace's channels: topics that conversations share."},
	Do: onMemory(func(ctx context.Context, _ Memories, m *memory.Store, _ Nothing) (ChannelsOut, error) {
		all, err := m.Channels(ctx)
		return ChannelsOut{all}, err
	}),
	Text: func(p *op.Page, o ChannelsOut) {
		listed(p, o.Channels, false, "channels", func(c *memory.ChannelInfo) string {
			return fmt.Sprintf("%-16s  %s, %s%s", p.Line(c.Name, 200), text.Count(int64(c.Conversations),
				"conversation", "conversations"), text.Count(int64(c.Items), "item", "items"),
				about(p, c.Description))
		})
	},
}

// about is what somebody says of a thing, behind the rest of its line.
func about(p *op.Page, s string) string {
	if s == "" {
		return ""
	}
	return "  " + p.Text(s, 160, "", "")
}

type ChannelIn struct {
	Name        string `json:"name" arg:"NAME"`
	Description string `json:"description,omitempty" value:"LINE" jsonschema:"what it is about, in a line"`
	KeepSecrets
}

type ChannelOut struct {
	Channel memory.ChannelInfo `json:"channel"`
}

var ChannelCreate = op.Op[Memories, ChannelIn, ChannelOut]{
	Info: op.Info{Command: "memory channel create", Tool: "channel_create", Profile: "conversation",
		Need: WorkspaceWrite, Kind: op.Writes, Short: "make one",
		About: "Create a channel for a topic that several conversations will share."},
	Do: onMemory(func(ctx context.Context, _ Memories, m *memory.Store, in ChannelIn) (ChannelOut, error) {
		c, err := m.CreateChannel(ctx, in.Name, in.Description)
		return ChannelOut{c}, err
	}),
	Text: func(p *op.Page, o ChannelOut) { p.Printf("%s created\n", p.Line(o.Channel.Name, 200)) },
}

type DescribeIn struct {
	Name string `json:"name" arg:"NAME"`
	Line string `json:"description" arg:"[LINE | -]" as:"note"`
	KeepSecrets
}

// ChannelNotes is what is to be said of a channel that was changed.
type ChannelNotes struct {
	Channel string   `json:"channel"`
	Notes   []string `json:"notes"`
	done    string
}

var ChannelDescribe = op.Op[Memories, DescribeIn, ChannelNotes]{
	Info: op.Info{Command: "memory channel describe", Short: "change its description",
		Long: "'' removes the description. The old one is deleted from the file for good."},
	Do: onMemory(func(ctx context.Context, _ Memories, m *memory.Store, in DescribeIn) (ChannelNotes, error) {
		notes, err := m.DescribeChannel(ctx, in.Name, in.Line)
		return ChannelNotes{in.Name, notes, "has a new description"}, err
	}),
	Text: channelNotes,
}

type ChannelNameIn struct {
	Name string `json:"name" arg:"NAME"`
}

var ChannelRemove = op.Op[Memories, ChannelNameIn, ChannelNotes]{
	Info: op.Info{Command: "memory channel rm", Short: "remove an empty channel",
		Long: `If a channel holds items or conversations, scrub it first:
board memory scrub --help.`},
	Do: onMemory(func(ctx context.Context, _ Memories, m *memory.Store, in ChannelNameIn) (ChannelNotes, error) {
		notes, err := m.RemoveChannel(ctx, in.Name)
		return ChannelNotes{in.Name, notes, "is removed"}, err
	}),
	Text: channelNotes,
}

func channelNotes(p *op.Page, o ChannelNotes) {
	p.Printf("%s %s\n", p.Line(o.Channel, 200), o.done)
	warnings(p, o.Notes)
}

func warnings(p *op.Page, all []string) {
	for _, w := range all {
		p.Note("  note: " + w)
	}
}

type TalkIn struct {
	Ref string `json:"ref,omitempty" arg:"[REF]" jsonschema:"the ref code"`
}

type TalkOut struct {
	Conversation memory.ConversationInfo `json:"conversation"`
	Again        *bool                   `json:"again,omitempty"`
	Invited      []string                `json:"invited,omitempty"`
	message      string                  // printed instead of the details
	noSummary    bool                    // it ended without a summary
}

type StartedOut struct{ TalkOut }

func (o StartedOut) IDs() []string { return []string{o.Conversation.Ref} }

// onTalk does something to the conversation that a call means.
func onTalk(ctx context.Context, h Memories, named string,
	fn func(m *memory.Store, ctx context.Context, ref string) (memory.ConversationInfo, error)) (TalkOut, error) {
	ref := h.Talk(named)
	if ref == "" {
		return TalkOut{}, fault.Usage.New("no conversation is named", "",
			fault.Do("memory.conversation.list", "give its ref code; {} lists them"))
	}
	return inMemory(ctx, h, func(m *memory.Store) (TalkOut, error) {
		v, err := fn(m, ctx, ref)
		return TalkOut{Conversation: v, message: "is " + v.Status}, err
	})
}

type StartTalkIn struct {
	Channel string `json:"channel,omitempty" value:"NAME" cli:"of the channel that it belongs to (default general)"`
	Thread  string `json:"thread,omitempty" value:"NAME" cli:"the harness's name for it: the same name is the same conversation"`
	KeepSecrets
}

var TalkStart = op.Op[Memories, StartTalkIn, StartedOut]{
	Info: op.Info{Command: "memory conversation start",
		Short: "start one, or continue the one of a --thread"},
	Do: func(ctx context.Context, h Memories, in StartTalkIn) (StartedOut, error) {
		out, err := startTalk(ctx, h, in.Channel, in.Thread)
		return StartedOut{out}, err
	},
	Text: func(p *op.Page, o StartedOut) { talkText(p, o.TalkOut) },
}

func startTalk(ctx context.Context, h Memories, channel, thread string) (TalkOut, error) {
	return inMemory(ctx, h, func(m *memory.Store) (TalkOut, error) {
		v, again, err := m.StartConversation(ctx, channel, thread)
		said := "started in " + v.Channel
		if again {
			said = "exists already, " + v.Status + " in " + v.Channel
		}
		return TalkOut{Conversation: v, Again: &again, message: said}, err
	})
}

var TalkShow = op.Op[Memories, TalkIn, TalkOut]{
	Info: op.Info{Command: "memory conversation show", Short: "show one"},
	Do: func(ctx context.Context, h Memories, in TalkIn) (TalkOut, error) {
		out, err := onTalk(ctx, h, in.Ref, (*memory.Store).Conversation)
		out.message = ""
		return out, err
	},
	Text: talkText,
}

type InviteIn struct {
	Ref    string   `json:"ref" arg:"REF"`
	Agents []string `json:"agents" arg:"AGENT…" as:"words"`
}

var TalkInvite = op.Op[Memories, InviteIn, TalkOut]{
	Info: op.Info{Command: "memory conversation invite", Short: "add agents to a conversation"},
	Do: func(ctx context.Context, h Memories, in InviteIn) (TalkOut, error) {
		out, err := onTalk(ctx, h, in.Ref, func(m *memory.Store, ctx context.Context,
			ref string) (memory.ConversationInfo, error) {
			return m.Invite(ctx, ref, in.Agents...)
		})
		out.Invited = in.Agents
		return out, err
	},
	Text: func(p *op.Page, o TalkOut) {
		p.Printf("%s can read %s now\n", p.Line(strings.Join(o.Invited, ", "), 200),
			o.Conversation.Ref)
	},
}

type IdleIn struct {
	TalkIn
	Summary string `json:"summary,omitempty" value:"RESULT" cli:"what it came to, kept in its channel"`
	op.Given
}

var TalkIdle = op.Op[Memories, IdleIn, TalkOut]{
	Info: op.Info{Command: "memory conversation idle", Short: "end an active one"},
	Do: func(ctx context.Context, h Memories, in IdleIn) (TalkOut, error) {
		return endTalk(ctx, h, in, memory.StatusIdle, false)
	},
	Text: talkText,
}

type ArchiveIn struct {
	IdleIn
	Force bool `json:"force,omitempty" cli:"also if it is active"`
}

var TalkArchive = op.Op[Memories, ArchiveIn, TalkOut]{
	Info: op.Info{Command: "memory conversation archive", Short: "archive an idle one"},
	Do: func(ctx context.Context, h Memories, in ArchiveIn) (TalkOut, error) {
		return endTalk(ctx, h, in.IdleIn, memory.StatusArchived, in.Force)
	},
	Text: talkText,
}

var TalkReopen = op.Op[Memories, TalkIn, TalkOut]{
	Info: op.Info{Command: "memory conversation reopen", Short: "reopen an idle or archived one",
		Long: "Items that were archived with it are restored."},
	Do: func(ctx context.Context, h Memories, in TalkIn) (TalkOut, error) {
		return onTalk(ctx, h, in.Ref, (*memory.Store).ReopenConversation)
	},
	Text: talkText,
}

// endTalk ends a conversation with its summary, and adds to one that has ended.
func endTalk(ctx context.Context, h Memories, in IdleIn, status string, force bool) (TalkOut, error) {
	said := strings.TrimSpace(in.Summary)
	if said == "" && in.Has("summary") {
		return TalkOut{}, fault.Usage.New("the summary is empty",
			"say what was decided and what is open, or leave it out")
	}
	unsaid := false
	out, err := onTalk(ctx, h, in.Ref, func(m *memory.Store, ctx context.Context,
		ref string) (v memory.ConversationInfo, err error) {
		if said != "" {
			if _, err := m.Summarise(ctx, ref, "", said); err != nil {
				return v, err
			}
			if v, err = m.Conversation(ctx, ref); err != nil || v.Status == status {
				return v, err
			}
		}
		if status == memory.StatusIdle {
			v, err = m.IdleConversation(ctx, ref)
		} else {
			v, err = m.ArchiveConversation(ctx, ref, force)
		}
		if err == nil && m.Reaches(memory.Channel) {
			found, _, err := m.List(ctx, memory.ListQuery{Tiers: []string{memory.Channel}, Conversation: ref,
				Tags: []string{memory.TagSummary}, Limit: 1})
			unsaid = err == nil && len(found) == 0
		}
		return v, err
	})
	out.noSummary = unsaid
	return out, err
}

func talkText(p *op.Page, o TalkOut) {
	v := &o.Conversation
	if o.message != "" {
		p.Printf("%s %s\n", v.Ref, p.Line(o.message, 400))
		if o.noSummary {
			p.Note("note: nothing says what it came to" + p.Step(fault.Give("summary",
				"'what was decided, what is open'", "; {} keeps that in the channel "+
					p.Line(v.Channel, 100))))
		}
		return
	}
	p.Printf("%s  %s\n", p.Paint(op.Bold, v.Ref), v.Status)
	row(p, "channel", p.Line(v.Channel, 200))
	row(p, "thread", p.Text(v.Thread, 300, "", ""))
	row(p, "by", p.Line(v.Agent, 60))
	row(p, "started", seconds(v.Started))
	for _, at := range []struct {
		name string
		when *time.Time
	}{{"ended", v.Ended}, {"archived", v.Archived}} {
		if at.when != nil {
			row(p, at.name, seconds(*at.when))
		}
	}
	row(p, "holds", text.Count(int64(v.Items), "item", "items")+", "+text.Count(int64(v.Scratch),
		"working note", "working notes"))
}

// What Talk does.
const (
	talkStart   = "start"
	talkGet     = "get"
	talkIdle    = "idle"
	talkArchive = "archive"
)

type TalkToolIn struct {
	Do      string `json:"do" enum:"conversation_acts" jsonschema:"what to do"`
	Channel string `json:"channel,omitempty" jsonschema:"for start; default general"`
	Thread  string `json:"thread,omitempty" jsonschema:"for start: what you call it"`
	Force   bool   `json:"force,omitempty" jsonschema:"for archive: an active one too"`
	Ref     string `json:"ref,omitempty" jsonschema:"the ref code; for get, idle and archive"`
	Summary string `json:"summary,omitempty" jsonschema:"for idle and archive: what was decided, what is open"`
	op.Given
}

// Talk is one tool for what are several commands.
var Talk = op.Op[Memories, TalkToolIn, TalkOut]{
	Info: op.Info{Tool: "conversation", Profile: "conversation", Need: WorkspaceRead,
		Kind: op.Writes, Short: "begin and end a conversation",
		About: "A conversation has a ref code of its own, its memories and working notes. start " +
			"at the beginning (the same thread gives the same one again), idle at the end, " +
			"archive to put it away; get shows its state."},
	Do: func(ctx context.Context, h Memories, in TalkToolIn) (out TalkOut, err error) {
		if in.Do != talkGet {
			err = h.MayWrite(memory.Workspace)
		}
		if err == nil && (in.Do == talkStart) == (in.Ref != "") {
			err = fault.Usage.New(fmt.Sprintf("%s with ref=%q", in.Do, in.Ref),
				"start takes a channel and a thread; get, idle and archive take a ref")
		}
		if err == nil && in.Do == talkStart {
			err = h.Owns("a conversation")
		}
		end := IdleIn{TalkIn{in.Ref}, in.Summary, in.Given}
		switch {
		case err != nil:
			return out, err
		case in.Do == talkStart:
			return startTalk(ctx, h, in.Channel, in.Thread)
		case in.Do == talkGet:
			return TalkShow.Do(ctx, h, end.TalkIn)
		case in.Do == talkIdle:
			return endTalk(ctx, h, end, memory.StatusIdle, false)
		}
		return endTalk(ctx, h, end, memory.StatusArchived, in.Force)
	},
	Text: talkText,
}

type TalksIn struct {
	Channel  string   `json:"channel,omitempty" value:"NAME" cli:"only of this one"`
	Statuses []string `json:"statuses,omitempty" enum:"conversation_statuses" flag:"status" jsonschema:"of these" cli:"of these"`
	All      bool     `json:"all,omitempty" only:"cli" cli:"archived ones too"`
	Limit    int      `json:"limit,omitempty" min:"0" flag:"limit,n" value:"N" default:"50" cli:"at most this many; 0: all"`
}

type TalksOut struct {
	Conversations []memory.ConversationInfo `json:"conversations"`
	More          bool                      `json:"more"`
}

func (o TalksOut) IDs() []string {
	return op.Each(o.Conversations, func(x *memory.ConversationInfo) string { return x.Ref })
}

var Talks = op.Op[Memories, TalksIn, TalksOut]{
	Info: op.Info{Command: "memory conversation list", Tool: "conversation_list",
		Profile: "conversation", Need: WorkspaceRead, Budget: 4000, Short: "list them, newest first",
		About: "Conversations of a channel, or of all, the newest first; archived ones only if " +
			"they are asked for."},
	Do: func(ctx context.Context, h Memories, in TalksIn) (TalksOut, error) {
		if in.All && len(in.Statuses) > 0 {
			return TalksOut{}, fault.Usage.New("all of them and those of a status are asked for",
				"leave one out")
		}
		if in.All {
			in.Statuses = memory.Statuses
		}
		ask := in.Limit
		if ask > 0 {
			ask++
		}
		return inMemory(ctx, h, func(m *memory.Store) (out TalksOut, err error) {
			out.Conversations, err = m.Conversations(ctx, in.Channel, in.Statuses, ask)
			if out.More = ask > 0 && len(out.Conversations) == ask; out.More {
				out.Conversations = out.Conversations[:in.Limit]
			}
			return out, err
		})
	},
	Text: func(p *op.Page, o TalksOut) {
		listed(p, o.Conversations, o.More, "conversations", func(v *memory.ConversationInfo) string {
			line := fmt.Sprintf("%s  %-8s  %s  %s  %s", v.Ref, v.Status, seconds(v.Started),
				p.Line(v.Channel, 100), text.Count(int64(v.Items), "item", "items"))
			if v.Scratch > 0 {
				line += ", " + text.Count(int64(v.Scratch), "note", "notes")
			}
			if v.Agent != "" {
				line += "  by " + p.Line(v.Agent, 40)
			}
			return line + about(p, v.Thread)
		})
	},
}

type InTalk struct {
	Conversation string `json:"conversation,omitempty" needs:"mcp" value:"REF" jsonschema:"its ref code" cli:"of the conversation; default $BOARD_CONVERSATION"`
}

func (in InTalk) conversation() string { return in.Conversation }

// inScratch is an operation on the working notes of a conversation. It is an error if there is none, or if the
// caller is not known to be one agent.
func inScratch[In interface{ conversation() string }, Out any](
	fn func(ctx context.Context, m *memory.Store, ref string, in In) (Out, error),
) func(context.Context, Memories, In) (Out, error) {
	return func(ctx context.Context, h Memories, in In) (none Out, err error) {
		if err := h.Owns("a working note"); err != nil {
			return none, err
		}
		ref := h.Talk(in.conversation())
		if ref == "" {
			return none, fault.Usage.New("working notes need a conversation, but none is named", "",
				fault.Give("conversation", "REF", "name it with {}, or $BOARD_CONVERSATION"),
				fault.Do("memory.conversation.start", "{} starts one"))
		}
		return inMemory(ctx, h, func(m *memory.Store) (Out, error) { return fn(ctx, m, ref, in) })
	}
}

type ScratchWriteIn struct {
	InTalk
	Key    string          `json:"key" arg:"KEY" jsonschema:"its name"`
	Value  json.RawMessage `json:"value" arg:"[VALUE | -]" as:"json" jsonschema:"any JSON value"`
	Text   bool            `json:"text,omitempty" only:"cli" jsonschema:"VALUE is a string, whatever it looks like"`
	Shared bool            `json:"shared,omitempty" jsonschema:"others of the conversation may read it"`
	KeepSecrets
}

type ScratchOut struct {
	Note  memory.Scratch `json:"note"`
	alone bool           // the value, and nothing else
	text  bool           // a string without its quotes
}

var ScratchWrite = op.Op[Memories, ScratchWriteIn, ScratchOut]{
	Info: op.Info{Command: "memory scratch write", Tool: "scratch_write", Profile: "conversation",
		Need: WorkspaceWrite, Kind: op.Writes, Short: "set a note",
		About: "Set a value in your working notes of a conversation: partial results, what is " +
			"left to do. Nothing finds it but its key."},
	Do: inScratch(func(ctx context.Context, m *memory.Store, ref string, in ScratchWriteIn) (ScratchOut, error) {
		n, err := m.WriteScratch(ctx, ref, in.Key, in.Value, in.Shared)
		return ScratchOut{Note: n}, err
	}),
	Text: scratchText,
}

type ScratchReadIn struct {
	InTalk
	Key  string `json:"key" arg:"KEY" jsonschema:"its name"`
	Text bool   `json:"text,omitempty" only:"cli" jsonschema:"print a string without its quotes"`
}

var ScratchRead = op.Op[Memories, ScratchReadIn, ScratchOut]{
	Info: op.Info{Command: "memory scratch read", Tool: "scratch_read", Profile: "conversation",
		Need: WorkspaceRead, Budget: 4000, Short: "print a note's value",
		About: "Read a value of your working notes."},
	Do: inScratch(func(ctx context.Context, m *memory.Store, ref string, in ScratchReadIn) (ScratchOut, error) {
		n, err := m.ReadScratch(ctx, ref, in.Key)
		return ScratchOut{n, true, in.Text}, err
	}),
	Text: scratchText,
}

func scratchText(p *op.Page, o ScratchOut) {
	if !o.alone {
		p.Printf("%s\n", scratchLine(p, &o.Note, o.Note.Agent))
		return
	}
	said := string(o.Note.Value)
	if o.text {
		_ = json.Unmarshal(o.Note.Value, &said) // what is no string stays as it is
	}
	p.Document(said)
}

// scratchLine is a note in a list for a reader.
func scratchLine(p *op.Page, n *memory.Scratch, reader string) string {
	line := p.Line(n.Key, 200) + " = " + p.Text(string(n.Value), 200, "memory.scratch.read", n.Key)
	switch {
	case n.Agent != reader:
		line += "  shared by " + p.Line(n.Agent, 60)
	case n.Shared:
		line += "  shared"
	}
	return line
}

type ScratchesOut struct {
	Notes  []memory.Scratch `json:"notes"`
	reader string
}

var Scratches = op.Op[Memories, InTalk, ScratchesOut]{
	Info: op.Info{Command: "memory scratch list", Tool: "scratch_list", Profile: "conversation",
		Need: WorkspaceRead, Budget: 4000, Short: "list the notes",
		About: "List your working notes of a conversation."},
	Do: inScratch(func(ctx context.Context, m *memory.Store, ref string, _ InTalk) (ScratchesOut, error) {
		all, err := m.ListScratch(ctx, ref)
		return ScratchesOut{all, m.Agent()}, err
	}),
	Text: func(p *op.Page, o ScratchesOut) {
		listed(p, o.Notes, false, "working notes", func(n *memory.Scratch) string {
			return scratchLine(p, n, o.reader)
		})
	},
}

type ScratchClearIn struct {
	InTalk
	Key string `json:"key,omitempty" arg:"[KEY]" jsonschema:"default: all"`
	op.Given
}

type ClearedOut struct {
	Cleared int `json:"cleared"`
}

var ScratchClear = op.Op[Memories, ScratchClearIn, ClearedOut]{
	Info: op.Info{Command: "memory scratch clear", Tool: "scratch_clear", Profile: "conversation",
		Need: WorkspaceWrite, Kind: op.Writes, Short: "remove a note, or all",
		About: "Remove your working notes of a conversation, or one of them."},
	Do: inScratch(func(ctx context.Context, m *memory.Store, ref string, in ScratchClearIn) (ClearedOut, error) {
		if in.Has("key") && in.Key == "" {
			return ClearedOut{}, fault.Usage.New("the key is empty", "leave it out to remove all")
		}
		n, err := m.ClearScratch(ctx, ref, in.Key)
		if err == nil && in.Key != "" && n == 0 {
			err = fault.NotFound.New(fmt.Sprintf("working note %s not found in %s",
				fault.Clip(in.Key, 60), ref), "", fault.Do("memory.scratch.list",
				"{} shows the caller's"))
		}
		return ClearedOut{n}, err
	}),
	Text: func(p *op.Page, o ClearedOut) {
		p.Printf("%s removed\n", text.Count(int64(o.Cleared), "working note", "working notes"))
	},
}
