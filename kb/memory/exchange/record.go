package exchange

import (
	"bytes"
	"encoding/json"
	"time"
)

// SchemaVersion is the version of the format. It is raised when the meaning of a field
// changes, and not when a field is added.
const SchemaVersion = 1

// Lists of an export, in order: records come after those that they refer to.
const (
	ListChannels      = "channels"
	ListConversations = "conversations"
	ListItems         = "items"
	ListNamed         = "named"
	ListNotes         = "notes"
	ListScratch       = "scratch"
	ListRevisions     = "revisions"
)

// Lists names the lists in their order.
var Lists = []string{
	ListChannels, ListConversations, ListItems, ListNamed, ListNotes, ListScratch, ListRevisions}

// The records have types of their own, so that the API of memory and the format can
// change independently. Derived fields are left out: embeddings, counts, expiry of notes.

// Channel is a channel of a workspace.
type Channel struct {
	Name        string    `json:"name"`
	Description string    `json:"description"`
	IsDefault   bool      `json:"is_default"`
	Created     time.Time `json:"created"`
}

// Conversation is one exchange with an agent.
type Conversation struct {
	Ref      string     `json:"ref_code"`
	Channel  string     `json:"channel"`
	Thread   string     `json:"thread"`
	Agent    string     `json:"agent"`
	Status   string     `json:"status"`
	Started  time.Time  `json:"started"`
	Ended    *time.Time `json:"ended"`
	Archived *time.Time `json:"archived"`
}

// Item is a remembered text.
type Item struct {
	ID           string     `json:"id"`
	Tier         string     `json:"tier"`
	Channel      string     `json:"channel"`
	Conversation string     `json:"conversation"`
	Agent        string     `json:"agent"`
	Title        string     `json:"title"`
	Content      string     `json:"content"`
	Curator      string     `json:"curator"`
	Source       string     `json:"source"`
	Importance   float64    `json:"importance"`
	Lifetime     string     `json:"lifetime"`
	Tags         []string   `json:"tags"`
	Accesses     int        `json:"access_count"`
	Created      time.Time  `json:"created"`
	Updated      time.Time  `json:"updated"`
	Accessed     time.Time  `json:"accessed"`
	Expires      *time.Time `json:"expires"`
	DerivedFrom  string     `json:"derived_from"`
	Revision     int        `json:"revision"`
	Archived     *time.Time `json:"archived"`
	Forgotten    *time.Time `json:"forgotten"`
	Rule         string     `json:"rule"`
	ReplacedBy   string     `json:"replaced_by"`
	Why          string     `json:"why"`
}

// Named is a named entry.
type Named struct {
	Name     string    `json:"name"`
	Tier     string    `json:"tier"`
	Body     string    `json:"body"`
	Curator  string    `json:"curator"`
	Revision int       `json:"revision"`
	Created  time.Time `json:"created"`
	Updated  time.Time `json:"updated"`
}

// Note is an entry of a journal or a core memory.
type Note struct {
	ID        string     `json:"id"`
	Agent     string     `json:"agent"`
	Kind      string     `json:"memory_type"`
	Tier      string     `json:"tier"`
	Content   string     `json:"content"`
	Created   time.Time  `json:"created"`
	Forgotten *time.Time `json:"forgotten"`
}

// Scratch is a working note.
type Scratch struct {
	Conversation string          `json:"conversation"`
	Agent        string          `json:"agent"`
	Key          string          `json:"key"`
	Shared       bool            `json:"shared"`
	Value        json.RawMessage `json:"value"`
	Created      time.Time       `json:"created"`
	Updated      time.Time       `json:"updated"`
}

// Revision is an earlier version of an item or a named entry.
type Revision struct {
	Subject string `json:"subject"` // an item's id, or named:NAME
	// account; or workspace for everything in a workspace's file
	Tier     string          `json:"tier"`
	Revision int             `json:"revision"`
	At       time.Time       `json:"at"`
	Actor    string          `json:"actor"`
	Before   json.RawMessage `json:"before"` // the version, as memory stores it
}

// Same reports whether two records have the same exported form.
func Same(a, b any) bool {
	x, errX := json.Marshal(a)
	y, errY := json.Marshal(b)
	return errX == nil && errY == nil && bytes.Equal(x, y)
}

// SameText reports whether stored JSON says the same, whichever version of the program has
// written it.
func SameText(a string, b []byte) bool {
	if a == string(b) {
		return true
	}
	var x, y any
	return json.Unmarshal([]byte(a), &x) == nil && json.Unmarshal(b, &y) == nil && Same(x, y)
}

// AgentOf returns the owner of an earlier version of an item.
func AgentOf(before []byte) string {
	var it struct{ Agent string }
	_ = json.Unmarshal(before, &it) // validated before
	return it.Agent
}
