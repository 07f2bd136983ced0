package embedtest

import (
	"context"
	"hash/fnv"
	"strings"
	"sync/atomic"
	"unicode"
	"unicode/utf8"

	"blackboard/board/fault"
	"blackboard/embed"
)

// Hash is an embedder for tests that needs no model. It hashes words and their trigrams
// into Dim numbers. Texts that share words are close, texts that share parts of words a
// little; meaning has no effect. Its vectors are the same on every machine.
type Hash struct {
	dim    int
	closed atomic.Bool
}

var _ embed.Embedder = (*Hash)(nil)

// NewHash returns a Hash with vectors of dim numbers; fewer than 8 become 8.
func NewHash(dim int) *Hash { return &Hash{dim: max(dim, 8)} }

// Model describes the embedder.
func (h *Hash) Model() embed.Model { return embed.Model{Name: "hash", Dim: h.dim} }

// Close makes every later Embed fail with fault.Closed.
func (h *Hash) Close() error {
	h.closed.Store(true)
	return nil
}

// Embed follows the contract of embed.Embedder.
func (h *Hash) Embed(ctx context.Context, texts []string) ([]embed.Vector, error) {
	out := make([]embed.Vector, len(texts))
	for i, text := range texts {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		out[i] = h.vector(text)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if h.closed.Load() {
		return nil, fault.Closed.New("the hash embedder is closed", "")
	}
	return out, nil
}

func (h *Hash) vector(text string) embed.Vector {
	v := make(embed.Vector, h.dim)
	text = strings.ToLower(strings.ToValidUTF8(text, " "))
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		h.add(v, word, 1)
		for i := range word { // every index at which a letter starts
			end := i
			for range 3 {
				_, n := utf8.DecodeRuneInString(word[end:])
				end += n
			}
			if end-i < len(word) && end > i && utf8.RuneCountInString(word[i:end]) == 3 {
				h.add(v, word[i:end], 0.25)
			}
		}
	}
	v.Normalize()
	return v
}

// add adds weight at an index and with a sign that are both derived from the feature, so
// that unrelated features cancel out on average.
func (h *Hash) add(v embed.Vector, feature string, weight float32) {
	sum := fnv.New64a()
	sum.Write([]byte(feature)) // a hash never fails
	x := sum.Sum64()
	if x>>63 == 1 {
		weight = -weight
	}
	v[x%uint64(h.dim)] += weight
}
