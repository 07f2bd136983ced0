package memory

import (
	"time"

	"blackboard/board/sqlite"
	"blackboard/kb/store"
)

// ExportVersion is the version of the format of exports. It is raised when the meaning
// of a field changes, and not when a field is added.
const ExportVersion = 1

const hintExport = "give a file that an export of memory has written"

// exportDocument is an export without its lists.
func exportDocument(at *time.Time, workspace *string, tiers *[]string) *store.Document {
	return &store.Document{What: "memory", Hint: hintExport, Version: ExportVersion,
		Most: store.MaxDocument, Fields: []store.Field{{Name: "exported_at", Value: at},
			{Name: "workspace", Value: workspace}, {Name: "tiers", Value: tiers}}}
}

const (
	listChannels      = "channels"
	listConversations = "conversations"
	listItems         = "items"
	listNamed         = "named"
	listNotes         = "notes"
	listScratch       = "scratch"
)

// recordList is a list of an export, which is called like the table with its records.
type recordList struct {
	name string
	make func(tier string) record // a record of a tier
}

// lists are in their order: records come after those that they refer to.
var lists = []recordList{
	{listChannels, func(string) record { return new(channelRecord) }},
	{listConversations, func(string) record { return new(conversationRecord) }},
	{listItems, func(string) record { return new(itemRecord) }},
	{listNamed, func(tier string) record { return &Named{Tier: tier} }},
	{listNotes, func(tier string) record { return &noteRecord{Note: Note{Tier: tier}} }},
	{listScratch, func(string) record { return new(scratchRecord) }},
}

type record interface {
	columns() store.Columns
	// check normalises a record that is imported, and says what is wrong with it by itself.
	check(*importer) error
	place() place
	// content is what tells two records of one place apart.
	content() any
}

type place struct {
	scope   Scope
	subject string // in the log
	agent   string // whose it is alone
	key     string // one record of an export has it
	label   string // what messages call it
	where   string // the SQL condition of its row
	args    []any
}

// The records of an export are those of the answers, without what is derived.
type (
	channelRecord struct {
		ChannelInfo
		Conversations derived `json:"conversations,omitzero"`
		Items         derived `json:"items,omitzero"`
	}
	conversationRecord struct {
		ConversationInfo
		Items   derived `json:"items,omitzero"`
		Scratch derived `json:"scratch,omitzero"`
	}
	itemRecord struct {
		Item
		Model derived `json:"embedding_model,omitzero"`
		Dim   derived `json:"dim,omitzero"`
	}
	noteRecord struct {
		Note
		Expired       derived    `json:"expired,omitzero"`
		ExpiresAround derived    `json:"expires_around,omitzero"`
		Forgotten     *time.Time `json:"forgotten"`
	}
	scratchRecord struct {
		Conversation string `json:"conversation"`
		Scratch
	}
)

// derived hides a field of an answer: it is neither written nor read.
type derived struct{}

func (derived) UnmarshalJSON([]byte) error { return nil }

func (r *channelRecord) columns() store.Columns {
	return store.Columns{"name", &r.Name, "description", &r.Description,
		"is_default", &r.IsDefault, "created", &r.Created}
}

func (c *ConversationInfo) columns() store.Columns {
	return store.Columns{"ref", &c.Ref, "channel", &c.Channel, "thread", &c.Thread,
		"agent", &c.Agent, "status", &c.Status, "started", &c.Started, "ended", &c.Ended,
		"archived", &c.Archived}
}

func (n *Named) columns() store.Columns {
	return store.Columns{"name", &n.Name, "body", &n.Body, "curator", &n.Curator,
		"revision", &n.Revision, "created", &n.Created, "updated", &n.Updated}
}

func (r *noteRecord) columns() store.Columns {
	return store.Columns{"id", &r.ID, "agent", &r.Agent, "kind", &r.Kind,
		"content", &r.Content, "created", &r.Created, "forgotten", &r.Forgotten}
}

func (r *scratchRecord) columns() store.Columns {
	return store.Columns{"conversation", &r.Conversation, "agent", &r.Agent, "key", &r.Key,
		"value", &r.Value, "created", &r.Created, "updated", &r.Updated, "shared", &r.Shared}
}

// eachRecord runs fn for every row that from selects, read into the columns; without a file, none.
func eachRecord(tx *sqlite.Tx, to store.Columns, from string, fn func() error,
	args ...any) error {
	if tx == nil {
		return nil
	}
	return tx.Each(to.Dest("a record %s whose tags"), fn, `SELECT `+to.Names("", "")+` FROM `+from, args...)
}

func (r *channelRecord) place() place {
	return place{scope: Scope{Tier: Channel, Channel: r.Name}, subject: r.Name, key: r.Name,
		label: "channel " + r.Name, where: `name = ?`, args: []any{r.Name}}
}

func (r *conversationRecord) place() place {
	return place{scope: Scope{Tier: Conversation, Conversation: r.Ref}, subject: r.Ref, key: r.Ref,
		label: "conversation " + r.Ref, where: `ref = ?`, args: []any{r.Ref}}
}

func (r *itemRecord) place() place {
	return place{scope: r.Scope(), subject: r.ID, agent: r.Agent, key: r.ID, label: "item " + r.ID,
		where: `id = ?`, args: []any{r.ID}}
}

func (n *Named) place() place {
	return place{scope: Scope{Tier: n.Tier}, subject: namedSubject(n.Name),
		key: n.Tier + " " + namedSubject(n.Name), label: "named entry " + n.Name,
		where: `name = ?`, args: []any{n.Name}}
}

func (r *noteRecord) place() place {
	return place{scope: Scope{Tier: r.Tier}, subject: r.ID, agent: r.Agent, key: r.ID,
		label: "note " + r.ID, where: `id = ?`, args: []any{r.ID}}
}

// An event is about all of a conversation, as keys are private.
func (r *scratchRecord) place() place {
	return place{scope: Scope{Tier: Conversation, Conversation: r.Conversation},
		subject: r.Conversation, key: r.Conversation + " " + r.Key + " " + r.Agent,
		label: "working note " + r.Key + " of " + r.Conversation,
		where: `conversation = ? AND key = ? AND agent = ?`, args: []any{r.Conversation, r.Key, r.Agent}}
}

func (r *channelRecord) content() any      { return r.Description }
func (r *conversationRecord) content() any { return r }
func (n *Named) content() any              { return n.Body }
func (r *noteRecord) content() any         { return r }
func (r *scratchRecord) content() any      { return r.Value }

// content ignores what reading changes, and who the author of an imported item is.
func (r *itemRecord) content() any {
	it := *r
	it.Accesses, it.Accessed = 0, time.Time{}
	if it.Curator == CuratorAuthor {
		it.Curator = CuratorImport
	}
	return &it
}
