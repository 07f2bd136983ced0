package chunks

import (
	"crypto/rand"
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// Levels of importance, the lowest first.
const (
	Low      = "low"
	Medium   = "medium"
	High     = "high"
	Critical = "critical"
)

// Importances lists them.
var Importances = []string{Low, Medium, High, Critical}

// DefaultAgent is who has written a chunk if nobody says so.
const DefaultAgent = "global"

// Limits of what is written. What is imported was held to none, and is taken up to
// maxImported.
const (
	MaxTopic   = 500       // characters
	MaxContent = 256 << 10 // bytes
	MaxTags    = 50        // of one chunk
	MaxTag     = 100       // characters
	MaxAgent   = 200       // characters
	MaxKey     = 500       // characters
	MaxValue   = 1 << 20   // bytes of a value, as JSON
	MaxTTLDays = 36_500    // a hundred years
)

// Meta is a chunk without its content.
type Meta struct {
	ID         string     `json:"id"` // 10 hexadecimal digits; an imported one may be anything
	Topic      string     `json:"topic"`
	Agent      string     `json:"agent"` // who wrote it
	Tags       []string   `json:"tags"`
	Importance string     `json:"importance"`
	Created    time.Time  `json:"created_at"`
	Updated    time.Time  `json:"updated_at"`
	Expires    *time.Time `json:"expires_at"`      // null: never
	Model      string     `json:"embedding_model"` // "": it has no embedding yet

	n int64
}

// Chunk is the unit of what is remembered: it is written once, and found by search. A
// correction is a new chunk, and the old one is deleted.
type Chunk struct {
	Meta
	Content string `json:"content"` // markdown
}

// NewChunk is what a chunk is made of.
type NewChunk struct {
	Topic      string
	Content    string
	Agent      string // "": DefaultAgent
	Tags       []string
	Importance string   // "": Medium
	TTLDays    *float64 // after how many days it expires, parts of a day too; nil: never
}

// chunk makes the chunk, without id and times, or says what is wrong with it.
func (c *NewChunk) chunk() (Chunk, error) {
	out := Chunk{Meta: Meta{Topic: strings.TrimSpace(text(c.Topic)), Agent: strings.TrimSpace(text(c.Agent)), Importance: c.Importance}, Content: text(c.Content)}
	if out.Agent == "" {
		out.Agent = DefaultAgent
	}
	if out.Importance == "" {
		out.Importance = Medium
	}
	if out.Topic == "" {
		return out, invalid("the topic is blank", "say in a short line what the chunk is about")
	}
	if strings.TrimSpace(out.Content) == "" {
		return out, invalid("the content is blank", "give a topic, and then what is to be remembered, with its reason")
	}
	if len(out.Content) > MaxContent {
		return out, invalid(fmt.Sprintf("the content has %d bytes; at most %d are allowed", len(out.Content), MaxContent), "keep what matters, or split it")
	}
	if err := atMost("the topic", out.Topic, MaxTopic, "say the rest in the content"); err != nil {
		return out, err
	}
	if err := atMost("the agent's name", out.Agent, MaxAgent, "shorten it"); err != nil {
		return out, err
	}
	if !slices.Contains(Importances, out.Importance) {
		return out, unknown("the importance", out.Importance, Importances)
	}
	if d := c.TTLDays; d != nil && !(*d > 0 && *d <= MaxTTLDays) { // nor NaN
		return out, invalid(fmt.Sprintf("ttl_days is %g; it must be greater than 0, and at most %d", *d, MaxTTLDays), "leave it out for what has no end")
	}
	for _, t := range c.Tags {
		if err := atMost("a tag", text(t), MaxTag, "tags are short words"); err != nil {
			return out, err
		}
	}
	if out.Tags = tagList(c.Tags); len(out.Tags) > MaxTags {
		return out, invalid(fmt.Sprintf("%d tags are given; at most %d are allowed", len(out.Tags), MaxTags), "keep those that others will look for")
	}
	return out, nil
}

// expiry is when a chunk that is written at a time expires.
func (c *NewChunk) expiry(now time.Time) *time.Time {
	if c.TTLDays == nil {
		return nil
	}
	// the least is a millisecond
	ms := math.Ceil(*c.TTLDays * float64(24*time.Hour/time.Millisecond))
	return new(now.Add(time.Duration(ms) * time.Millisecond))
}

// expired reports whether the chunk's time is over.
func (m *Meta) expired(now time.Time) bool { return m.Expires != nil && !m.Expires.After(now) }

// tagList is a list of tags as it is stored: without blanks around them, none empty, none
// twice.
func tagList(tags []string) []string {
	out := []string{}
	for _, t := range tags {
		if t = strings.TrimSpace(text(t)); t != "" && !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	return out
}

// text makes a string one that can be stored and sent as JSON: valid UTF-8 without NUL.
func text(s string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\ufffd"), "\x00", "\ufffd")
}

func atMost(what, s string, most int, hint string) error {
	if n := utf8.RuneCountInString(s); n > most {
		return invalid(fmt.Sprintf("%s has %d characters; at most %d are allowed", what, n, most), hint)
	}
	return nil
}

// newID makes an id as the other program does: the first 10 hexadecimal digits of a hash
// over who, what, when and something random. They are 40 bits, so the caller sees to it
// that none is there twice.
func newID(agent, topic string, now time.Time) string {
	sum := sha1.Sum(fmt.Appendf(nil, "%s:%s:%d:%s", agent, topic, now.UnixMilli(), rand.Text()))
	return hex.EncodeToString(sum[:])[:10]
}
