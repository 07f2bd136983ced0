package embedtest

import (
	"context"
	"testing"

	"blackboard/embed"
)

func TestHash(t *testing.T) {
	TestEmbedder(t, func(*testing.T) embed.Embedder { return NewHash(64) })
}

func TestHashKnowsWords(t *testing.T) {
	v, err := NewHash(256).Embed(context.Background(), []string{
		"how do I rotate the signing keys", "Keys: rotate them, signing as well", "lunch is served at noon", "rotating keys",
	})
	if err != nil {
		t.Fatal(err)
	}
	same, parts, other := embed.Cosine(v[0], v[1]), embed.Cosine(v[0], v[3]), embed.Cosine(v[0], v[2])
	if same < 0.4 || parts < other || other > 0.2 {
		t.Errorf("shared words %.2f, shared parts %.2f, nothing shared %.2f", same, parts, other)
	}
}
