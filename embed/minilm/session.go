package minilm

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"

	"github.com/knights-analytics/hugot"
	"github.com/knights-analytics/hugot/backends"
	"github.com/knights-analytics/hugot/options"

	"blackboard/board/fault"
	"blackboard/embed"
)

// session is a model loaded by hugot. hugot's own pipelines are not used: they would load the tokenizer a second time (75 ms of the
// start, measured with a vocabulary of 30,000) and cannot do without tokenizer.json.
type session struct {
	path   string // of the weights, for messages
	base   *backends.BasePipeline
	output int // which of the model's outputs is read
	dim    int // numbers per vector; 0 when the files don't say
}

// Every new length of input compiles the model anew, so texts are padded to these lengths. Up to MiniLM's 256 tokens the steps are
// those measured as the best compromise; beyond, they double.
var bucketSteps = []int{16, 32, 48, 64, 96, 128, 192, 256, 384, 512}

func buckets(limit int) []int {
	var out []int
	for _, step := range bucketSteps {
		if step < limit {
			out = append(out, step)
		}
	}
	for step := 1024; step < limit; step *= 2 {
		out = append(out, step)
	}
	return append(out, limit)
}

// load reads the weights. hidden is what config.json says of the numbers per token, or 0.
func load(path string, limit, hidden int) (r *session, err error) {
	defer func() { // the libraries below panic on some broken files
		if p := recover(); p != nil {
			r, err = nil, badModel(hintFetch, fmt.Errorf("%v", p), "%s cannot be loaded", path)
		}
	}()
	r = &session{path: path}
	opts := options.Defaults()
	opts.Backend = "GO"
	for _, set := range []options.WithOption{options.WithGoMLXBatchBuckets([]int{1}), options.WithGoMLXSequenceBuckets(buckets(limit))} {
		if err := set(opts); err != nil {
			return nil, err
		}
	}
	ctx := context.Background() // the model outlives whichever call opened it
	model := &backends.Model{ID: path, Path: filepath.Dir(path), OnnxFilename: filepath.Base(path), Pipelines: map[string]backends.Pipeline{}}
	// hugot looks for the file's name in the whole tree and may find another one first. Then it gets ours opened, which costs twice the
	// time to read.
	if err := backends.GetOnnxModelPath(ctx, model); err != nil || model.OnnxPath != model.OnnxFilename {
		weights, err := os.Open(path)
		if err != nil {
			return nil, badModel(hintFetch, err, "%s cannot be loaded", path)
		}
		defer weights.Close()
		model.OnnxReader = weights
	}
	if err = backends.CreateModelBackend(ctx, model, opts); err == nil {
		r.base, err = backends.NewBasePipeline(ctx, hugot.FeatureExtractionConfig{}, opts, model)
	}
	if err != nil {
		return nil, badModel(hintFetch, err, "%s cannot be loaded", path)
	}
	if err := r.checkShape(hidden); err != nil {
		r.destroy()
		return nil, err
	}
	return r, nil
}

// checkShape sees to it that the model takes what we have and gives what we can use. The size of the output is believed as it is
// declared: hugot cuts the output by it and shows nothing by which a wrong one could be told.
func (r *session) checkShape(hidden int) error {
	hint := fault.Steps("use an export of the model as feature extraction: input_ids in, last_hidden_state out")
	model := r.base.Model
	names := backends.GetNames(model.InputsMeta)
	if !slices.Contains(names, "input_ids") {
		return badModel(hint, nil, "%s has the inputs %q, and input_ids is not among them", r.path, names)
	}
	for _, name := range names {
		if name != "input_ids" && name != "attention_mask" && name != "token_type_ids" {
			return badModel(hint, nil, "%s has the input %q, which is not supported", r.path, name)
		}
	}
	r.output = -1
	for rank := 3; rank >= 2 && r.output < 0; rank-- {
		r.output = slices.IndexFunc(model.OutputsMeta, func(o backends.InputOutputInfo) bool { return len(o.Dimensions) == rank })
	}
	if r.output < 0 {
		return badModel(hint, nil, "%s has no output of one vector per token or per text", r.path)
	}
	for i, output := range model.OutputsMeta {
		if n := len(output.Dimensions); n == 3 && output.Dimensions[n-1] <= 0 && hidden > 0 {
			model.OutputsMeta[i].Dimensions[n-1] = int64(hidden) // hugot needs it to cut the output into vectors
		}
	}
	last := model.OutputsMeta[r.output].Dimensions
	if r.dim = int(last[len(last)-1]); r.dim <= 0 {
		r.dim = hidden
	}
	if r.dim <= 0 {
		return badModel(fault.Steps("add hidden_size to the model's config.json"), nil, "neither %s nor config.json says how many numbers a vector has", r.path)
	}
	return nil
}

// run computes the vector of one text. ids is not empty and no longer than the last bucket. It cannot be interrupted: hugot would
// return from a cancelled call while the model still computes with the tensors that it has already released.
func (r *session) run(ids []uint32, how pooling) (v embed.Vector, err error) {
	defer func() {
		if p := recover(); p != nil {
			v, err = nil, badModel(hintFetch, fmt.Errorf("%v", p), "%s cannot be run", r.path)
		}
	}()
	mask := slices.Repeat([]uint32{1}, len(ids))
	batch := backends.NewBatch(1)
	batch.Input = []backends.TokenizedInput{{TokenIDs: ids, TypeIDs: make([]uint32, len(ids)), AttentionMask: mask, MaxAttentionIndex: len(ids) - 1}}
	batch.MaxSequenceLength = len(ids)
	defer batch.Destroy() // releases the inputs; there is nobody to tell when that fails
	err = backends.CreateInputTensors(batch, r.base.Model, r.base.Runtime)
	if err == nil {
		err = backends.RunSessionOnBatch(context.Background(), batch, r.base)
	}
	if err != nil {
		return nil, badModel(hintFetch, err, "%s cannot be run", r.path)
	}
	switch out := batch.OutputValues[r.output].(type) {
	case [][][]float32: // text, token without padding, number
		if len(out) == 1 && len(out[0]) == len(ids) && len(out[0][0]) == r.dim {
			v = how.pool(out[0], r.dim)
		}
	case [][]float32:
		if len(out) == 1 && len(out[0]) == r.dim {
			v = embed.Vector(out[0])
		}
	}
	if v == nil {
		return nil, badModel(hintFetch, nil, "%s gave something else than %d numbers for each of %d tokens", r.path, r.dim, len(ids))
	}
	v.Normalize()
	for _, x := range v {
		if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
			return nil, badModel(hintFetch, nil, "%s gave numbers that are none", r.path)
		}
	}
	return v, nil
}

// destroy releases the memory. Nothing may run then or later.
func (r *session) destroy() {
	if model := r.base.Model.GoMLXModel; model != nil {
		model.Destroy()
	}
}
