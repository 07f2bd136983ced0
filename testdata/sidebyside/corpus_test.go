package sidebyside

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

// vocabulary is how many words there are; the first of them are the most frequent.
const vocabulary = 50_000

// corpus makes chunks and questions. The same seed gives the same ones, on every machine.
type corpus struct {
	r *rand.Rand
	z *rand.Zipf
}

func newCorpus(seed uint64) *corpus {
	r := rand.New(rand.NewPCG(seed, seed))
	return &corpus{r, rand.NewZipf(r, 1.1, 4, vocabulary-1)}
}

// word spells a word of the vocabulary: three syllables, of letters only, so that every tokeniser
// takes it as one.
func word(n uint64) string {
	const consonants, vowels = "bdfghjklmnprtvz", "aeiou"
	var b strings.Builder
	for range 3 {
		b.WriteByte(consonants[n%15])
		b.WriteByte(vowels[n/15%5])
		n /= 75
	}
	return b.String()
}

// words gives words as often as a language does: few of them most of the time.
func (c *corpus) words(n int) string { return join(n, c.z.Uint64) }

// rare gives words of which each is in less than one chunk in a hundred, and in some of a
// thousand.
func (c *corpus) rare(n int) string {
	return join(n, func() uint64 { return 1000 + c.r.Uint64N(2000) })
}

func join(n int, next func() uint64) string {
	words := make([]string, n)
	for i := range words {
		words[i] = word(next())
	}
	return strings.Join(words, " ")
}

// tag is one of 200.
func (c *corpus) tag() string { return "tag-" + word(c.r.Uint64N(200)) }

// tags are two of them.
func (c *corpus) tags() []string {
	n := c.r.Uint64N(200)
	return []string{"tag-" + word(n), "tag-" + word((n+1+c.r.Uint64N(199))%200)}
}

// chunk is what both stores hold, as peer.mjs takes it.
type chunk struct {
	ID      string   `json:"id"`
	Topic   string   `json:"topic"`
	Agent   string   `json:"agent"`
	Tags    []string `json:"tags"`
	Content string   `json:"content"`
	At      string   `json:"at"`
}

// chunk makes the chunk of a number, of 80 words, a second newer than the one before.
func (c *corpus) chunk(i int) chunk {
	at := time.Date(2025, 1, 1, 0, 0, i, 0, time.UTC).Format("2006-01-02T15:04:05.000Z")
	return chunk{ID: chunkID(i), Topic: c.words(5), Agent: fmt.Sprint("agent", i%10), Tags: c.tags(), Content: c.words(75), At: at}
}

// chunkID is the id of a chunk by its number: 10 hexadecimal digits in no order, as both programs
// make them. An odd factor keeps numbers below 2^40 apart.
func chunkID(i int) string { return fmt.Sprintf("%010x", uint64(i)*0x9E3779B97F4A7C15&(1<<40-1)) }

// TestCorpus holds what the comparison rests on: words and ids are distinct, and a seed gives what
// it gave.
func TestCorpus(t *testing.T) {
	words, ids := map[string]bool{}, map[string]bool{}
	for i := range vocabulary {
		words[word(uint64(i))], ids[chunkID(i)] = true, true
	}
	if len(words) != vocabulary || len(ids) != vocabulary {
		t.Errorf("of %d words %d are distinct, of as many ids %d", vocabulary, len(words), len(ids))
	}
	a, b := newCorpus(1), newCorpus(1)
	for i := range 100 {
		one, other := a.chunk(i), b.chunk(i)
		if fmt.Sprint(one) != fmt.Sprint(other) {
			t.Fatalf("%v is another one the second time: %v", one, other)
		}
		if n := len(strings.Fields(one.Topic + " " + one.Content)); n != 80 {
			t.Errorf("%s has %d words", one.ID, n)
		}
	}
}
