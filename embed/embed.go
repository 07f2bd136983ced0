// Package embed says what an embedder is: something that turns texts into vectors whose
// angle tells how close in meaning the texts are. The package holds the contract and the
// little arithmetic that everybody needs; it loads no model.
//
// Implementations: blackboard/embed/minilm runs a sentence-embedding model in this
// process, blackboard/embed/ort the same models by ONNX Runtime, where that is installed.
// Package blackboard/embed/embedtest has the suite that every implementation passes and a
// small one for tests, which needs no model.
package embed

import (
	"context"
	"math"

	"blackboard/board/fault"
)

// Vector is the embedding of one text. Embedders return vectors of length 1 (or all zero,
// see Embedder), so the dot product of two of them is their cosine.
type Vector []float32

// Model describes what made a vector. Name and Dim are stored with every vector: vectors
// of different models mean nothing to each other and are never compared.
type Model struct {
	Name string `json:"name"` // the directory's name
	// Dim is how many numbers a vector has; 0: whoever has the model has not answered
	// yet.
	Dim int `json:"dim"`
	// MaxTokens is how many tokens of a text are read, the special ones included; 0: no
	// limit. The rest of the text is ignored.
	MaxTokens int `json:"max_tokens"`
}

// Embedder turns texts into vectors. The contract, which embedtest.TestEmbedder checks:
//
//   - Embed returns one vector per text, in the order of the texts, each Model().Dim
//     long.
//   - A vector has length 1 within 1e-3, and no NaN or infinity. A text in which the
//     model finds nothing that it knows (none at all in "" for a model without special
//     tokens) gives a vector of zeros, whose cosine with everything is 0.
//   - The same text gives the same vector, alone or in company, within 1e-5 in every
//     number.
//   - An empty list gives an empty result and no error.
//   - Every string is allowed: empty, white space, invalid UTF-8, megabytes. What lies
//     beyond Model().MaxTokens is ignored, and the time for it grows at most with the
//     length.
//   - When ctx is done before the result is there, Embed returns soon, with an error that
//     matches ctx.Err() and no vectors. Work that cannot be interrupted may end a little
//     later in the background; it does not count as an answer.
//   - Any other error matches fault.Closed, fault.NoModel or fault.BadModel with
//     errors.Is. With an error there are no vectors: never a part.
//   - All methods may be called from many goroutines. The slice of texts is not kept or
//     changed; the vectors belong to the caller.
//   - Nothing panics.
type Embedder interface {
	// Model describes the model. It costs nothing and does not change.
	Model() Model
	// Embed embeds texts; see the contract above.
	Embed(ctx context.Context, texts []string) ([]Vector, error)
}

// Normalize scales v in place to length 1. A vector of zeros stays as it is.
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
// for the same direction, 0 for nothing in common, -1 for opposite. It is 0 when one of
// them is empty or all zero, or when their lengths differ, since vectors of different
// models have nothing to say about each other.
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

// NoModel is the error of what needs a model where there is none.
func NoModel(next ...fault.Step) error {
	return fault.NoModel.New("no embedding model is installed", "", append([]fault.Step{fault.Do("model.pull", "{} fetches one")}, next...)...)
}
