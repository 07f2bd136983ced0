// Package embed defines the Embedder interface. An embedder turns texts into vectors, and
// the angle between two vectors tells how close the texts are in meaning. The package has
// the contract and some arithmetic; it loads no model.
//
// Package blackboard/embed/minilm runs a sentence-embedding model in this process. Package
// blackboard/embed/embedtest has the test suite for implementations, and a small embedder
// for tests, which needs no model.
package embed

import (
	"context"
	"math"

	"blackboard/board/fault"
)

// Vector is the embedding of one text. Embedders return vectors of length 1 (or all zero,
// see Embedder), so the dot product of two of them is their cosine.
type Vector []float32

// Model describes the embedding model of a vector. Name and Dim are stored with every
// vector: vectors of different models cannot be compared.
type Model struct {
	// Name is the identity of the model: two with the same name make the same vectors. It is
	// that of the content, not of a directory: the published name if weights and tokenizer are
	// known, else a hash of them.
	Name string `json:"name"`
	// Dim is the number of numbers in a vector; 0: not known yet.
	Dim int `json:"dim"`
	// MaxTokens is the number of tokens that are read of a text, with the special ones;
	// 0: no limit. The rest is ignored.
	MaxTokens int `json:"max_tokens"`
}

// Embedder turns texts into vectors. The contract, which embedtest.TestEmbedder checks:
//
//   - Embed returns one vector for each text, in the order of the texts, of Model().Dim
//     numbers each.
//   - A vector has length 1 within 1e-3, and no NaN or infinity. A text without a known
//     token (such as "" for a model without special tokens) has a vector of zeros, whose
//     cosine with everything is 0.
//   - The same text always has the same vector, within 1e-5 in every number, whatever
//     other texts are in the call.
//   - An empty list returns an empty result and no error.
//   - Every string is allowed: empty, white space, invalid UTF-8, megabytes. Tokens
//     beyond Model().MaxTokens are ignored; their cost is at most linear in the length.
//   - If ctx is done before the result is ready, Embed returns soon, with an error that
//     matches ctx.Err() and without vectors. Work that cannot be interrupted may end a
//     little later in the background.
//   - Any other error matches fault.Closed, fault.NoModel or fault.BadModel. With an
//     error there are no vectors, not even some.
//   - All methods may be called concurrently. The slice of texts is not kept or changed;
//     the vectors belong to the caller.
//   - Nothing panics.
type Embedder interface {
	// Model describes the model. It is fast, and the result never changes.
	Model() Model
	// Embed embeds texts; see the contract above.
	Embed(ctx context.Context, texts []string) ([]Vector, error)
}

// Normalize scales v in place to length 1. A vector of zeros is not changed.
func (v Vector) Normalize() {
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	if sum == 0 {
		return
	}
	scale := 1 / math.Sqrt(sum)
	for i, x := range v {
		v[i] = float32(float64(x) * scale)
	}
}

// Cosine returns the cosine of the angle between a and b, which need not have length 1: 1
// for the same direction, 0 for unrelated, -1 for opposite. It is 0 if one of them is
// empty or all zero, or if their lengths differ, since they are of different models.
func Cosine(a, b Vector) float64 {
	if len(a) != len(b) {
		return 0
	}
	var dot, aa, bb float64
	for i, x := range a {
		y := b[i]
		dot += float64(x) * float64(y)
		aa += float64(x) * float64(x)
		bb += float64(y) * float64(y)
	}
	if aa == 0 || bb == 0 {
		return 0
	}
	return max(-1, min(1, dot/(math.Sqrt(aa)*math.Sqrt(bb))))
}

// NoModelInstalled is the notice of searches that compare words only, because there is no model.
const NoModelInstalled = "no embedding model is installed"

// NoModel is the error if an operation needs a model and none is installed.
func NoModel(next ...fault.Step) error {
	return fault.NoModel.New(NoModelInstalled, "", append([]fault.Step{fault.Do("model.pull", "{} fetches one")}, next...)...)
}
