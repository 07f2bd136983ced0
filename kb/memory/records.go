package memory

import (
	"encoding/json"
	"slices"
	"time"

	"blackboard/board/sqlite"
	"blackboard/kb/store"
)

// ExportVersion is the version of the format of exports. It is raised when the meaning
// of a field changes, and not when a field is added.
const ExportVersion = 1

// hintExport is the next step for a document that is not an export.
const hintExport = "give a file that an export of memory has written"

// exportDocument is an export without its lists.
func exportDocument(at *time.Time, workspace *string, tiers *[]string) *store.Document {
	return &store.Document{What: "memory", Hint: hintExport, Version: ExportVersion,
		Most: store.MaxDocument, Fields: []store.Field{{Name: "exported_at", Value: at},
			{Name: "workspace", Value: workspace}, {Name: "tiers", Value: tiers}}}
}

// Lists of an export.
const (
	listChannels      = "channels"
	listConversations = "conversations"
	listItems         = "items"
	listNamed         = "named"
	listNotes         = "notes"
	listScratch       = "scratch"
)

// lists names them in their order: records come after those that they refer to.
var lists = []string{
	listChannels, listConversations, listItems, listNamed, listNotes, listScratch}

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

// eachRecord runs fn for every row that from selects, after it was read into the
// columns. Without a file there are none.
func eachRecord(tx *sqlite.Tx, to store.Columns, from string, fn func() error,
	args ...any) error {
	if tx == nil {
		return nil
	}
	return tx.Each(to.Dest(""), fn, `SELECT `+to.Names("", "")+` FROM `+from, args...)
}

// sameRecord reports whether two records have the same exported form.
func sameRecord(a, b any) bool {
	x, errX := json.Marshal(a)
	y, errY := json.Marshal(b)
	return errX == nil && errY == nil && slices.Equal(x, y)
}

// sameItem compares items, ignoring what reading changes.
func sameItem(a, b Item) bool {
	a.Accesses, a.Accessed = b.Accesses, b.Accessed
	// imported by an agent; see storeItem
	if a.Curator == CuratorAuthor && b.Curator == CuratorImport {
		a.Curator = b.Curator
	}
	return sameRecord(itemRecord{Item: a}, itemRecord{Item: b})
}
