package minilm

import (
	"cmp"
	"context"
	"math"
	"path/filepath"
	"slices"

	"blackboard/board/fault"
	"blackboard/embed"
)

// Files is a model as its small files describe it: what every engine needs besides the
// weights, so that all make the same vectors. It is immutable and safe for concurrent
// use.
type Files struct {
	Name    string // the directory's name
	Dir     string
	Weights string // the path of the ONNX file, or of a static model's table
	Limit   int    // number of tokens that are read of a text
	Dim     int    // numbers in a vector; 0 if these files do not tell
	config  *config
	tokens  *tokenizer
}

// Read reads the small files of the model in dir and checks whether weights exist. Its
// errors match fault.NoModel or fault.BadModel and name the file and the next step, or
// they are those of the context.
func Read(ctx context.Context, dir string) (*Files, error) {
	f, err := describe(ctx, dir)
	if err == nil {
		f.tokens, err = f.config.readTokenizer()
	}
	if err != nil {
		return nil, err
	}
	return f, ctx.Err()
}

// describe is Read without the tokenizer.
func describe(ctx context.Context, dir string) (*Files, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	abs, err := filepath.Abs(dir)
	if err != nil || dir == "" {
		return nil, noModel(hintNoSuch, err, "no directory of an embedding model is named")
	}
	c, err := readConfig(abs)
	if err != nil {
		return nil, err
	}
	weights, err := c.findWeights(abs)
	if err != nil {
		return nil, err
	}
	return &Files{
		Name: filepath.Base(abs), Dir: abs, Weights: weights, Limit: c.limit,
		Dim: cmp.Or(c.pooled, c.hidden), config: c,
	}, nil
}

// Static reports whether the model is a table of vectors, which needs no engine.
func (f *Files) Static() bool { return f.config.static }

// Encode returns the tokens of a text, at most Limit, perhaps none.
func (f *Files) Encode(text string) []uint32 { return f.tokens.encode(text) }

// Fit checks that the engine can run the model: inputs are the names of its inputs,
// outputs the dimensions of its outputs, with numbers below 1 for open ones. It returns
// the index of the output to read and the size of a vector. That size is the declared
// one; Vector checks it.
func (f *Files) Fit(inputs []string, outputs [][]int) (output, dim int, err error) {
	hint := fault.Steps("use an export of the model as feature extraction: input_ids in, last_hidden_state out")
	if !slices.Contains(inputs, "input_ids") {
		return 0, 0, badModel(hint, nil, "%s has the inputs %q, and input_ids is not among them", f.Weights, inputs)
	}
	for _, name := range inputs {
		if name != "input_ids" && name != "attention_mask" && name != "token_type_ids" {
			return 0, 0, badModel(hint, nil, "%s has the input %q, which is not supported", f.Weights, name)
		}
	}
	output = -1
	for rank := 3; rank >= 2 && output < 0; rank-- {
		output = slices.IndexFunc(outputs, func(o []int) bool { return len(o) == rank })
	}
	if output < 0 {
		return 0, 0, badModel(hint, nil, "%s has no output of one vector per token or per text", f.Weights)
	}
	dim = max(0, outputs[output][len(outputs[output])-1])
	if dim = cmp.Or(dim, f.config.hidden); dim <= 0 {
		return 0, 0, badModel(fault.Steps("add hidden_size to the model's config.json"), nil, "neither %s nor config.json says how many numbers a vector has", f.Weights)
	}
	if f.config.pooled > 0 && f.config.pooled != dim {
		return 0, 0, badModel(hintFetch, nil, "%s gives %d numbers, and the pooling of %s expects %d", f.Weights, dim, f.Dir, f.config.pooled)
	}
	return output, dim, nil
}

// Vector makes the vector of a text from the model's output: the numbers of each token,
// without padding, or of the text. It does not keep the slice.
func (f *Files) Vector(numbers []float32, dim int) (embed.Vector, error) {
	v := f.config.pooling.pool(slices.Collect(slices.Chunk(numbers, dim)), dim)
	v.Normalize()
	for _, x := range v {
		if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
			return nil, badModel(hintFetch, nil, "%s returned numbers that are not finite", f.Weights)
		}
	}
	return v, nil
}

// Bad returns the error for weights that cannot be used, because of err.
func (f *Files) Bad(what string, err error) error {
	return badModel(hintFetch, err, "%s %s", f.Weights, what)
}
