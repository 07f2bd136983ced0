package mcp

import (
	"encoding/json"
	"fmt"

	"blackboard/kb/memory"
)

func (s *Server) addOwnMemoryTools() {
	add(s, tool{Tool: "save_to_journal", Short: "Write into your journal", Rare: true,
		Profile: ProfileMemory, Kind: writes, Need: WorkspaceWrite,
		About: "Note what happened and how you see it. Yours alone; it is with you for a week."},
		(*call).journal)
	add(s, tool{Tool: "save_to_core", Short: "Keep as a core memory", Rare: true,
		Profile: ProfileMemory, Kind: writes, Need: WorkspaceWrite,
		About: "Keep who you are and what you hold to. Yours alone, and permanent: few and short."},
		(*call).core)
	add(s, tool{Tool: "scratch_write", Short: "Write a working note", Profile: ProfileTalk,
		Kind: writes, Need: WorkspaceWrite,
		About: "Set a value in your working notes of a conversation: partial results, what is " +
			"left to do. Nothing finds it but its key."}, (*call).scratchWrite)
	add(s, tool{Tool: "scratch_read", Short: "Read a working note", Profile: ProfileTalk,
		Kind: reads, Need: WorkspaceRead, Budget: usualTokens,
		About: "Read a value of your working notes."}, (*call).scratchRead)
	add(s, tool{Tool: "scratch_list", Short: "List working notes", Profile: ProfileTalk,
		Kind: reads, Need: WorkspaceRead, Budget: usualTokens,
		About: "List your working notes of a conversation."}, (*call).scratchList)
	add(s, tool{Tool: "scratch_clear", Short: "Clear working notes", Profile: ProfileTalk,
		Kind: writes, Need: WorkspaceWrite, About: "Remove your working notes of a " +
			"conversation, or one of them."}, (*call).scratchClear)
}

type noteIn struct {
	Content string `json:"content"`
	Tier    string `json:"tier,omitempty" enum:"own_tiers" default:"workspace" jsonschema:"account: with you in every project"`
	keepSecret
}

type noteOut struct {
	ID            string `json:"id"`
	Kind          string `json:"memory_type"`
	Tier          string `json:"tier"`
	ExpiresAround string `json:"expires_around,omitempty"`
	Note          string `json:"note,omitempty"`
}

func (c *call) journal(in noteIn) (noteOut, string, error) { return c.note(memory.Journal, in) }

func (c *call) core(in noteIn) (noteOut, string, error) { return c.note(memory.Core, in) }

func (c *call) note(kind string, in noteIn) (out noteOut, text string, err error) {
	err = c.cfg.Grants.writeTier(in.Tier)
	if err == nil {
		err = c.own("what is yours alone")
	}
	if err != nil {
		return out, "", err
	}
	n, err := got(c.onQuietMemory, func(m *memory.Store) (memory.Note, error) {
		return m.SaveNote(c.ctx, kind, in.Tier, in.Content, false)
	})
	out = noteOut{ID: n.ID, Kind: n.Kind, Tier: n.Tier, ExpiresAround: n.ExpiresAround,
		Note: "It is with you from now on, in every session"}
	if n.Kind == memory.Journal {
		out.Note = "It is with you until " + n.ExpiresAround
	}
	return out, fmt.Sprintf("Kept in your %s memories as %s. %s.", n.Kind, n.ID, out.Note), err
}

// inConversation names the conversation of working notes.
type inConversation struct {
	Conversation string `json:"conversation" jsonschema:"ref code, from conversation"`
}

type scratchWriteIn struct {
	inConversation
	Key    string          `json:"key"`
	Value  json.RawMessage `json:"value" jsonschema:"any JSON value"`
	Shared bool            `json:"shared,omitempty" jsonschema:"whoever takes part in the conversation may read it"`
	keepSecret
}

type scratchKeyIn struct {
	inConversation
	Key string `json:"key"`
}

type scratchClearIn struct {
	inConversation
	Key string `json:"key,omitempty" jsonschema:"default: all of them"`
}

// onOwn is onMemory for working notes, which are their writer's alone.
func (c *call) onOwn(fn func(*memory.Store) error) error {
	if err := c.own("a working note"); err != nil {
		return err
	}
	return c.onMemory(false, fn)
}

type scratchOut struct {
	Key     string          `json:"key"`
	Value   json.RawMessage `json:"value,omitempty"`
	Long    bool            `json:"value_left_out,omitempty" jsonschema:"the value is too long; max_tokens asks for more"`
	Updated string          `json:"updated"`
	Shared  bool            `json:"shared,omitempty"`
	By      string          `json:"by,omitempty" jsonschema:"whose it is, of a shared one"`
}

func (k cut) scratch(s *memory.Scratch) scratchOut {
	value := k.value(s.Value)
	out := scratchOut{Key: s.Key, Value: value, Long: value == nil, Updated: timeText(s.Updated),
		Shared: s.Shared}
	if s.Shared {
		out.By = s.Agent
	}
	return out
}

func (c *call) scratchWrite(in scratchWriteIn) (out scratchOut, text string, err error) {
	n, err := got(c.onOwn, func(m *memory.Store) (memory.Scratch, error) {
		return m.WriteScratch(c.ctx, in.Conversation, in.Key, in.Value, in.Shared)
	})
	if err != nil {
		return out, "", err
	}
	out, text = fitted(c, func(k cut) (scratchOut, string) {
		return k.scratch(&n), "Noted under " + inLine(n.Key)
	})
	return out, text, nil
}

func (c *call) scratchRead(in scratchKeyIn) (out scratchOut, text string, err error) {
	n, err := got(c.onOwn, func(m *memory.Store) (memory.Scratch, error) {
		return m.ReadScratch(c.ctx, in.Conversation, in.Key)
	})
	if err != nil {
		return out, "", err
	}
	out, text = fitted(c, func(k cut) (scratchOut, string) {
		return k.scratch(&n), jsonLine(k.text(string(n.Value), "", ""))
	})
	return out, text, nil
}

type scratchListOut struct {
	Notes []scratchOut `json:"notes"`
}

func (c *call) scratchList(in inConversation) (out scratchListOut, text string, err error) {
	all, err := got(c.onOwn, func(m *memory.Store) ([]memory.Scratch, error) {
		return m.ListScratch(c.ctx, in.Conversation)
	})
	out, text = fitted(c, func(k cut) (scratchListOut, string) {
		shown := some(k, all)
		text := lines(shown, "\n", "There are no working notes.", func(n *memory.Scratch) string {
			by := ""
			if n.Shared {
				by = " (shared by " + inLine(n.Agent) + ")"
			}
			return fmt.Sprintf("- %s = %s%s", inLine(n.Key),
				jsonLine(k.text(string(n.Value), "scratch_read", n.Key)), by)
		})
		return scratchListOut{each(shown, k.scratch)}, further(text, len(shown), len(all))
	})
	return out, text, err
}

type clearedOut struct {
	Removed int `json:"removed"`
}

func (c *call) scratchClear(in scratchClearIn) (out clearedOut, text string, err error) {
	n, err := got(c.onOwn, func(m *memory.Store) (int, error) {
		return m.ClearScratch(c.ctx, in.Conversation, in.Key)
	})
	return clearedOut{n}, fmt.Sprintf("Removed: %d", n), err
}

// What conversation does.
const (
	actStart   = "start"
	actGet     = "get"
	actIdle    = "idle"
	actArchive = "archive"
)

var conversationActs = []string{actStart, actGet, actIdle, actArchive}

func (s *Server) addConversationTools() {
	add(s, tool{Tool: "conversation", Short: "Begin and end a conversation", Profile: ProfileTalk,
		Kind: writes, Need: WorkspaceRead,
		About: "A conversation has a ref code of its own, its memories and working notes. start " +
			"at the beginning (the same thread gives the same one again), idle at the end, " +
			"archive to put it away; get shows its state."}, (*call).conversation)
	add(s, tool{Tool: "conversation_list", Short: "List conversations", Profile: ProfileTalk,
		Kind: reads, Need: WorkspaceRead, Budget: usualTokens,
		About: "Conversations of a channel, or of all, the newest first; archived ones only if " +
			"they are asked for."}, (*call).conversationList)
	add(s, tool{Tool: "channel_list", Short: "List channels", Profile: ProfileTalk, Kind: reads,
		Need: WorkspaceRead, Budget: usualTokens, About: "The workspace's channels: topics that " +
			"conversations share."}, (*call).channelList)
	add(s, tool{Tool: "channel_create", Short: "Create a channel", Profile: ProfileTalk, Kind: writes,
		Need: WorkspaceWrite, About: "Create a channel for a topic that several conversations " +
			"will share."}, (*call).channelCreate)
}

type conversationIn struct {
	Do      string `json:"do" enum:"conversation_acts"`
	Ref     string `json:"ref,omitempty" jsonschema:"the ref code; for get, idle and archive"`
	Channel string `json:"channel,omitempty" jsonschema:"for start; default general"`
	Thread  string `json:"thread,omitempty" jsonschema:"for start: what you call it"`
	Force   bool   `json:"force,omitempty" jsonschema:"for archive: an active one too"`
	Summary string `json:"summary,omitempty" jsonschema:"for idle and archive: what was decided and what is open; kept in the channel"`
}

// conversationOut is a conversation as agents need it.
type conversationOut struct {
	Ref     string `json:"ref"`
	Channel string `json:"channel"`
	Thread  string `json:"thread,omitempty"`
	Agent   string `json:"agent"`
	Status  string `json:"status" enum:"conversation_statuses"`
	Started string `json:"started"`
	Items   int    `json:"items"`
	Notes   int    `json:"notes" jsonschema:"your working notes"`
}

func conversationOf(v *memory.ConversationInfo) conversationOut {
	return conversationOut{v.Ref, v.Channel, v.Thread, v.Agent, v.Status, timeText(v.Started),
		v.Items, v.Scratch}
}

func (o *conversationOut) line() string {
	return fmt.Sprintf("%s [%s] in %s, by %s since %s: %d memories, %d notes", o.Ref, o.Status,
		inLine(o.Channel), inLine(o.Agent), o.Started, o.Items, o.Notes)
}

func (c *call) conversation(in conversationIn) (out conversationOut, text string, err error) {
	if in.Do != actGet {
		if err := c.cfg.Grants.need(WorkspaceWrite, "changing a conversation"); err != nil {
			return out, "", err
		}
	}
	if (in.Do == actStart) == (in.Ref != "") {
		return out, "", badArgument("start takes a channel and a thread; get, idle and archive "+
			"take a ref", "%s with ref=%q", in.Do, in.Ref)
	}
	err = c.onMemory(false, func(m *memory.Store) (err error) {
		var v memory.ConversationInfo
		ends := in.Do == actIdle || in.Do == actArchive
		if ends && in.Summary != "" {
			if _, err := m.Summarise(c.ctx, in.Ref, in.Summary); err != nil {
				return err
			}
			if v, err = m.Conversation(c.ctx, in.Ref); err == nil && in.Do == actIdle &&
				v.Status == memory.StatusIdle {
				in.Do = actGet // it has ended already; now somebody says what it came to
			}
		}
		switch in.Do {
		case actStart:
			if err := c.own("a conversation"); err != nil {
				return err
			}
			v, _, err = m.StartConversation(c.ctx, in.Channel, in.Thread)
		case actIdle:
			v, err = m.IdleConversation(c.ctx, in.Ref)
		case actArchive:
			v, err = m.ArchiveConversation(c.ctx, in.Ref, in.Force)
		default:
			v, err = m.Conversation(c.ctx, in.Ref)
		}
		if err != nil {
			return err
		}
		out = conversationOf(&v)
		text = out.line()
		if said, err := m.Summarised(c.ctx, v.Ref); ends && err == nil && !said {
			text += "\nNothing says what it came to. Call this once more with a summary: what " +
				"was decided, what is open. The next conversation of the channel begins with it."
		}
		return nil
	})
	return out, text, err
}

type conversationListIn struct {
	Channel  string   `json:"channel,omitempty"`
	Statuses []string `json:"statuses,omitempty" enum:"conversation_statuses" jsonschema:"default active and idle"`
	Limit    int      `json:"limit,omitempty" min:"1" max:"200" default:"50"`
}

type conversationListOut struct {
	Conversations []conversationOut `json:"conversations"`
}

func (c *call) conversationList(in conversationListIn) (
	out conversationListOut, text string, err error) {
	all, err := got(c.onQuietMemory, func(m *memory.Store) ([]memory.ConversationInfo, error) {
		return m.Conversations(c.ctx, in.Channel, in.Statuses, in.Limit)
	})
	out, text = fitted(c, func(k cut) (conversationListOut, string) {
		out := conversationListOut{each(some(k, all), conversationOf)}
		text := lines(out.Conversations, "\n", "There is no such conversation.",
			func(o *conversationOut) string { return "- " + o.line() })
		return out, further(text, len(out.Conversations), len(all))
	})
	return out, text, err
}

type noneIn struct{}

// channelOut is a channel as agents need it.
type channelOut struct {
	Name          string `json:"name"`
	Description   string `json:"description,omitempty"`
	IsDefault     bool   `json:"is_default"`
	Conversations int    `json:"conversations"`
	Items         int    `json:"items"`
}

type channelListOut struct {
	Channels []channelOut `json:"channels"`
}

func channelOf(v *memory.ChannelInfo) channelOut {
	return channelOut{v.Name, v.Description, v.IsDefault, v.Conversations, v.Items}
}

func (c *call) channelList(noneIn) (out channelListOut, text string, err error) {
	all, err := got(c.onQuietMemory, func(m *memory.Store) ([]memory.ChannelInfo, error) {
		return m.Channels(c.ctx)
	})
	out, text = fitted(c, func(k cut) (channelListOut, string) {
		shown := some(k, all)
		text := lines(shown, "\n", "", func(o *memory.ChannelInfo) string {
			return fmt.Sprintf("- %s: %d conversations, %d memories. %s", inLine(o.Name),
				o.Conversations, o.Items, inLine(k.text(o.Description, "", "")))
		})
		return channelListOut{each(shown, channelOf)}, further(text, len(shown), len(all))
	})
	return out, text, err
}

type channelCreateIn struct {
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
}

func (c *call) channelCreate(in channelCreateIn) (out channelOut, text string, err error) {
	ch, err := got(c.onQuietMemory, func(m *memory.Store) (memory.ChannelInfo, error) {
		return m.CreateChannel(c.ctx, in.Name, in.Description)
	})
	return channelOf(&ch), "Created the channel " + inLine(ch.Name), err
}
