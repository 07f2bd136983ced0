package chunks

import (
	"cmp"
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

// The importance levels, lowest first.
const (
	Low      = "low"
	Medium   = "medium"
	High     = "high"
	Critical = "critical"
)

var Importances = []string{Low, Medium, High, Critical}

// DefaultAgent is the author of a chunk that names none.
const DefaultAgent = "global"

// Limits for what is written here; imports accept up to maxImported.
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
	ID         string     `json:"id"` // 10 hexadecimal digits; an imported id may differ
	Topic      string     `json:"topic"`
	Agent      string     `json:"agent"` // the author
	Tags       []string   `json:"tags"`
	Importance string     `json:"importance"`
	Created    time.Time  `json:"created_at"`
	Updated    time.Time  `json:"updated_at"`
	Expires    *time.Time `json:"expires_at"`      // null: never
	Model      string     `json:"embedding_model"` // "": it has no embedding yet

	n int64
}

// Chunk is a text that is written once and found by search.
type Chunk struct {
	Meta
	Content string `json:"content"` // markdown
}

type NewChunk struct {
	Topic      string
	Content    string
	Agent      string // "": DefaultAgent
	Tags       []string
	Importance string   // "": Medium
	TTLDays    *float64 // days until it expires, fractions allowed; nil: never
}

// toChunk validates the input and returns the chunk, without id and times.
func (c *NewChunk) toChunk() (Chunk, error) {
	out := Chunk{Meta: Meta{Topic: strings.TrimSpace(text(c.Topic)), Agent: strings.TrimSpace(text(c.Agent)), Importance: c.Importance}, Content: text(c.Content)}
	out.Agent = cmp.Or(out.Agent, DefaultAgent)
	out.Importance = cmp.Or(out.Importance, Medium)
	if out.Topic == "" {
		return out, invalid("the topic is blank", "say in a short line what the chunk is about")
	}
	if strings.TrimSpace(out.Content) == "" {
		return out, invalid("the content is blank", "give a topic, and then what is to be remembered, with its reason")
	}
	if len(out.Content) > MaxContent {
		return out, invalid(fmt.Sprintf("the content has %d bytes; at most %d are allowed", len(out.Content), MaxContent), "keep what matters, or split it")
	}
	if err := checkLength("the topic", out.Topic, MaxTopic, "say the rest in the content"); err != nil {
		return out, err
	}
	if err := checkLength("the agent's name", out.Agent, MaxAgent, "shorten it"); err != nil {
		return out, err
	}
	if !slices.Contains(Importances, out.Importance) {
		return out, unknown("the importance", out.Importance, Importances)
	}
	if d := c.TTLDays; d != nil && !(*d > 0 && *d <= MaxTTLDays) { // also refuses NaN
		return out, invalid(fmt.Sprintf("ttl_days is %g; it must be greater than 0, and at most %d", *d, MaxTTLDays), "leave it out if the chunk shall not expire")
	}
	for _, t := range c.Tags {
		if err := checkLength("a tag", text(t), MaxTag, "tags are short words"); err != nil {
			return out, err
		}
	}
	if out.Tags = normaliseTags(c.Tags); len(out.Tags) > MaxTags {
		return out, invalid(fmt.Sprintf("%d tags are given; at most %d are allowed", len(out.Tags), MaxTags), "keep those that others will look for")
	}
	return out, nil
}

func (c *NewChunk) expiry(now time.Time) *time.Time {
	if c.TTLDays == nil {
		return nil
	}
	// at least a millisecond
	ms := math.Ceil(*c.TTLDays * float64(24*time.Hour/time.Millisecond))
	return new(now.Add(time.Duration(ms) * time.Millisecond))
}

func (m *Meta) isExpired(now time.Time) bool { return m.Expires != nil && !m.Expires.After(now) }

// normaliseTags normalises tags for storage: trimmed, not empty, no duplicates.
func normaliseTags(tags []string) []string {
	out := []string{}
	for _, t := range tags {
		if t = strings.TrimSpace(text(t)); t != "" && !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	return out
}

// text returns s in a form that can be stored and sent as JSON: valid UTF-8 without NUL.
func text(s string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\ufffd"), "\x00", "\ufffd")
}

func checkLength(what, s string, most int, hint string) error {
	if n := utf8.RuneCountInString(s); n > most {
		return invalid(fmt.Sprintf("%s has %d characters; at most %d are allowed", what, n, most), hint)
	}
	return nil
}

// newID makes an id in the way of the other program: the first 10 hexadecimal digits of a hash with
// a random part, which may be taken already.
func newID(agent, topic string, now time.Time) string {
	sum := sha1.Sum(fmt.Appendf(nil, "%s:%s:%d:%s", agent, topic, now.UnixMilli(), rand.Text()))
	return hex.EncodeToString(sum[:])[:10]
}
