package minilm

import (
	"fmt"
	"math"
	"slices"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/gobackend"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/onnx-gomlx/onnx/parser"

	"blackboard/board/fault"
	"blackboard/embed"
)

// session is a loaded model.
type session struct {
	path    string // of the weights, for messages
	backend compute.Backend
	weights *model.Store
	exec    *model.Exec
	inputs  []string
	lengths []int // to which inputs are padded
	output  int   // which of the model's outputs is read
	dim     int   // numbers per vector
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
	parsed, err := parser.ParseFile(path)
	if err != nil {
		return nil, badModel(hintFetch, err, "%s cannot be loaded", path)
	}
	defer parsed.Close() // what it reads beside the file is read by then
	r = &session{path: path, weights: model.NewStore(), lengths: buckets(limit)}
	r.inputs, _ = parsed.Inputs()
	outputs, declared := parsed.Outputs()
	if err := r.checkShape(declared, hidden); err != nil {
		return nil, err
	}
	compute := func(scope *model.Scope, inputs []*graph.Node) []*graph.Node {
		named := map[string]*graph.Node{}
		for i, name := range r.inputs {
			named[name] = inputs[i]
		}
		return parsed.CallGraph(scope, inputs[0].Graph(), named, outputs[r.output])
	}
	if err = parsed.VariablesToScope(r.weights.RootScope()); err == nil {
		r.backend, err = gobackend.New("")
	}
	if err == nil {
		r.exec, err = model.NewExec(r.backend, r.weights, compute)
	}
	if err != nil {
		return nil, badModel(hintFetch, err, "%s cannot be loaded", path)
	}
	r.exec.SetMaxCache(len(r.lengths))
	return r, nil
}

// checkShape sees to it that the model takes what we have and gives what we can use. The size of
// the output is believed as it is declared; run holds the model to it.
func (r *session) checkShape(outputs []shapes.Shape, hidden int) error {
	hint := fault.Steps("use an export of the model as feature extraction: input_ids in, last_hidden_state out")
	if !slices.Contains(r.inputs, "input_ids") {
		return badModel(hint, nil, "%s has the inputs %q, and input_ids is not among them", r.path, r.inputs)
	}
	for _, name := range r.inputs {
		if name != "input_ids" && name != "attention_mask" && name != "token_type_ids" {
			return badModel(hint, nil, "%s has the input %q, which is not supported", r.path, name)
		}
	}
	r.output = -1
	for rank := 3; rank >= 2 && r.output < 0; rank-- {
		r.output = slices.IndexFunc(outputs, func(o shapes.Shape) bool { return o.Rank() == rank })
	}
	if r.output < 0 {
		return badModel(hint, nil, "%s has no output of one vector per token or per text", r.path)
	}
	if r.dim = outputs[r.output].Dim(-1); r.dim <= 0 {
		r.dim = hidden
	}
	if r.dim <= 0 {
		return badModel(fault.Steps("add hidden_size to the model's config.json"), nil, "neither %s nor config.json says how many numbers a vector has", r.path)
	}
	return nil
}

// run computes the vector of one text. ids is not empty and no longer than the last bucket. It
// cannot be interrupted.
func (r *session) run(ids []uint32, how pooling) (v embed.Vector, err error) {
	defer func() {
		if p := recover(); p != nil {
			v, err = nil, badModel(hintFetch, fmt.Errorf("%v", p), "%s cannot be run", r.path)
		}
	}()
	n, _ := slices.BinarySearch(r.lengths, len(ids))
	inputs := make([]*tensors.Tensor, len(r.inputs))
	for i, name := range r.inputs {
		padded := make([]int64, r.lengths[n])
		for j, id := range ids {
			switch name {
			case "input_ids":
				padded[j] = int64(id)
			case "attention_mask":
				padded[j] = 1
			}
		}
		inputs[i] = tensors.FromFlatDataAndDimensions(padded, 1, len(padded))
		defer inputs[i].FinalizeAll() // there is nobody to tell when that fails
	}
	outputs, err := r.exec.Exec(inputs)
	if err != nil {
		return nil, badModel(hintFetch, err, "%s cannot be run", r.path)
	}
	defer outputs[0].FinalizeAll()
	numbers, err := tensors.CopyFlatData[float32](outputs[0])
	if err != nil {
		return nil, badModel(hintFetch, err, "%s cannot be run", r.path)
	}
	switch got := outputs[0].Shape(); {
	case got.Rank() == 3 && got.Dim(0) == 1 && got.Dim(1) >= len(ids) && got.Dim(2) == r.dim: // text, token, number
		v = how.pool(slices.Collect(slices.Chunk(numbers[:len(ids)*r.dim], r.dim)), r.dim)
	case got.Rank() == 2 && got.Dim(0) == 1 && got.Dim(1) == r.dim:
		v = numbers
	default:
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
	r.exec.Finalize()
	r.weights.Finalize()
	r.backend.Finalize()
}
