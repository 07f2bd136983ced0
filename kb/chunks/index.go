package chunks

import (
	"crypto/sha256"
	"strings"

	"blackboard/embed"
	"blackboard/kb/index"
	"blackboard/kb/store"
)

// indexConfig indexes topic, tags, agent and content, in this order.
var indexConfig = index.Config{Name: "chunk_index", Weights: []float64{1.5, 1, 0.5, 1}, K1: 0.9, B: 0.4}

const (
	kwTag   = "tag:" // in lower case
	kwAgent = "agent:"
)

func keyword(prefix, value string) string {
	return store.Keyword(prefix, value, 360, func(s string) []byte {
		sum := sha256.Sum256([]byte(s))
		return sum[:]
	})
}

// document leaves out the default agent.
func document(c *Chunk, v embed.Vector) index.Doc {
	agent := c.Agent
	if agent == DefaultAgent {
		agent = ""
	}
	d := index.Doc{ID: c.n, Text: []string{c.Topic, strings.Join(c.Tags, "\n"), agent, c.Content}, Keywords: []string{keyword(kwAgent, c.Agent)}, Vector: v}
	for _, t := range foldTags(c.Tags) {
		d.Keywords = append(d.Keywords, keyword(kwTag, t))
	}
	return d
}

const embeddedContent = 800

func embeddingText(c *Chunk) string {
	content, n := c.Content, 0
	for i := range c.Content {
		if n++; n > embeddedContent {
			content = c.Content[:i]
			break
		}
	}
	return strings.TrimSpace(c.Topic + " " + strings.Join(c.Tags, " ") + " " + content)
}
