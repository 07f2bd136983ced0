package memory

import (
	"encoding/json"
	"time"

	"blackboard/board/sqlite"
)

// SchemaVersion is the version of the export. It is raised when what is there changes its meaning; a field that is added does not.
const SchemaVersion = 1

// Lists of the export, in the order in which it has them: what is referred to comes first.
const (
	listChannels      = "channels"
	listConversations = "conversations"
	listItems         = "items"
	listNamed         = "named"
	listNotes         = "notes"
	listScratch       = "scratch"
	listRevisions     = "revisions"
)

var exportLists = []string{listChannels, listConversations, listItems, listNamed, listNotes, listScratch, listRevisions}

// The records are types of their own, so that neither the export changes with the API nor the API with the export. What is derived is left out: embeddings, counts, what has expired.

type channelRecord struct {
	Name        string    `json:"name"`
	Description string    `json:"description"`
	IsDefault   bool      `json:"is_default"`
	Created     time.Time `json:"created"`
}

type conversationRecord struct {
	Ref      string     `json:"ref_code"`
	Channel  string     `json:"channel"`
	Thread   string     `json:"thread"`
	Agent    string     `json:"agent"`
	Status   string     `json:"status"`
	Started  time.Time  `json:"started"`
	Ended    *time.Time `json:"ended"`
	Archived *time.Time `json:"archived"`
}

type itemRecord struct {
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

func recordOf(it *Item) itemRecord {
	return itemRecord{it.ID, it.Tier, it.Channel, it.Conversation, it.Agent, it.Title, it.Content, it.Curator, it.Source, it.Importance, it.Lifetime, it.Tags, it.Accesses,
		it.Created, it.Updated, it.Accessed, it.Expires, it.DerivedFrom, it.Revision, it.Archived, it.Forgotten, it.Rule, it.ReplacedBy, it.Why}
}

func (r *itemRecord) item() Item {
	return Item{ID: r.ID, Tier: r.Tier, Channel: r.Channel, Conversation: r.Conversation, Agent: r.Agent, Title: r.Title, Content: r.Content, Curator: r.Curator, Source: r.Source,
		Importance: r.Importance, Lifetime: r.Lifetime, Tags: r.Tags, Accesses: r.Accesses, Created: r.Created, Updated: r.Updated, Accessed: r.Accessed, Expires: r.Expires,
		DerivedFrom: r.DerivedFrom, Revision: r.Revision, Archived: r.Archived, Forgotten: r.Forgotten, Rule: r.Rule, ReplacedBy: r.ReplacedBy, Why: r.Why}
}

type namedRecord struct {
	Name     string    `json:"name"`
	Tier     string    `json:"tier"`
	Body     string    `json:"body"`
	Curator  string    `json:"curator"`
	Revision int       `json:"revision"`
	Created  time.Time `json:"created"`
	Updated  time.Time `json:"updated"`
}

type noteRecord struct {
	ID        string     `json:"id"`
	Agent     string     `json:"agent"`
	Kind      string     `json:"memory_type"`
	Tier      string     `json:"tier"`
	Content   string     `json:"content"`
	Created   time.Time  `json:"created"`
	Forgotten *time.Time `json:"forgotten"`
}

// columns is where the columns of a note's row go.
func (r *noteRecord) columns() []any {
	return []any{&r.ID, &r.Agent, &r.Kind, &r.Content, sqlite.Time(&r.Created), sqlite.MaybeTime(&r.Forgotten)}
}

type scratchRecord struct {
	Conversation string          `json:"conversation"`
	Agent        string          `json:"agent"`
	Key          string          `json:"key"`
	Shared       bool            `json:"shared"`
	Value        json.RawMessage `json:"value"`
	Created      time.Time       `json:"created"`
	Updated      time.Time       `json:"updated"`
}

type revisionRecord struct {
	Subject  string          `json:"subject"` // an item's id, or named:NAME
	Tier     string          `json:"tier"`    // account, or workspace for all that is in a workspace's file
	Revision int             `json:"revision"`
	At       time.Time       `json:"at"`
	Actor    string          `json:"actor"`
	Before   json.RawMessage `json:"before"` // what Revisions and NamedRevisions give
}
