package minilm

import (
	"fmt"
	"slices"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/gobackend"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"
	"github.com/gomlx/onnx-gomlx/onnx/parser"

	"blackboard/embed"
)

// session is a loaded model.
type session struct {
	files   *Files
	backend compute.Backend
	weights *model.Store
	exec    *model.Exec
	inputs  []string
	lengths []int   // inputs are padded to one of these
	output  int     // the index of the output to read
	dim     int     // numbers per vector
	table   *static // if not nil, used instead of all but files and dim
}

// Each new length of input compiles the model again, so texts are padded to these
// lengths. Up to MiniLM's 256 tokens the steps are those measured as the best compromise;
// above, they double.
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

// load reads the weights.
func load(f *Files) (r *session, err error) {
	defer func() { // the libraries panic on some damaged files
		if p := recover(); p != nil {
			r, err = nil, f.Bad("cannot be loaded", fmt.Errorf("%v", p))
		}
	}()
	if f.Static() {
		return loadStatic(f)
	}
	parsed, err := parser.ParseFile(f.Weights)
	if err != nil {
		return nil, f.Bad("cannot be loaded", err)
	}
	defer parsed.Close() // it has read the files beside the weights by then
	r = &session{files: f, weights: model.NewStore(), lengths: buckets(f.Limit)}
	r.inputs, _ = parsed.Inputs()
	outputs, declared := parsed.Outputs()
	var dims [][]int
	for _, o := range declared {
		dims = append(dims, o.Dimensions)
	}
	if r.output, r.dim, err = f.Fit(r.inputs, dims); err != nil {
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
		return nil, f.Bad("cannot be loaded", err)
	}
	r.exec.SetMaxCache(len(r.lengths))
	return r, nil
}

// run computes the vector of one text. ids is not empty and not longer than the last
// bucket. It cannot be interrupted.
func (r *session) run(ids []uint32) (v embed.Vector, err error) {
	defer func() {
		if p := recover(); p != nil {
			v, err = nil, r.files.Bad("cannot be run", fmt.Errorf("%v", p))
		}
	}()
	if r.table != nil {
		if v, err = r.table.vector(ids); err != nil {
			return nil, r.files.Bad("cannot be run", err)
		}
		return v, nil
	}
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
		defer inputs[i].FinalizeAll() // no caller can handle this error
	}
	outputs, err := r.exec.Exec(inputs)
	if err != nil {
		return nil, r.files.Bad("cannot be run", err)
	}
	defer outputs[0].FinalizeAll()
	numbers, err := tensors.CopyFlatData[float32](outputs[0])
	if err != nil {
		return nil, r.files.Bad("cannot be run", err)
	}
	switch got := outputs[0].Shape(); {
	// text, token, number
	case got.Rank() == 3 && got.Dim(0) == 1 && got.Dim(1) >= len(ids) && got.Dim(2) == r.dim:
		return r.files.Vector(numbers[:len(ids)*r.dim], r.dim)
	case got.Rank() == 2 && got.Dim(0) == 1 && got.Dim(1) == r.dim:
		return r.files.Vector(numbers, r.dim)
	}
	return nil, badModel(hintFetch, nil, "%s did not return %d numbers for each of %d tokens", r.files.Weights, r.dim, len(ids))
}

// destroy releases the memory. Nothing may run then or later.
func (r *session) destroy() {
	if r.table != nil {
		return
	}
	r.exec.Finalize()
	r.weights.Finalize()
	r.backend.Finalize()
}
