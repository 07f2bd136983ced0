package minilm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/knights-analytics/hugot"
	"github.com/knights-analytics/hugot/backends"
	"github.com/knights-analytics/hugot/options"
	"github.com/knights-analytics/hugot/pipelines"

	"blackboard/board/fault"
	"blackboard/embed"
)

// session is a loaded model: a pipeline of hugot or, of a static model, a table.
type session struct {
	*config
	tokens *tokenizer
	dim    int // numbers in a vector
	hugot  *hugot.Session
	pipe   *pipelines.FeatureExtractionPipeline
	output int     // the index of the pipeline's output to read
	table  *static // if not nil, used instead of the pipeline
}

// buckets returns the lengths to which texts are padded, since each compiles the model again. Up to
// 256 they are the best measured; above, they double.
func buckets(limit int) []int {
	steps := []int{16, 32, 48, 64, 96, 128, 192, 256, 384, 512}
	for step := 1024; step < limit; step *= 2 {
		steps = append(steps, step)
	}
	return append(slices.DeleteFunc(steps, func(n int) bool { return n >= limit }), limit)
}

func (c *config) load() (s *session, err error) {
	s = &session{config: c}
	defer func() { // the libraries panic on some damaged files
		if p := recover(); p != nil {
			err = c.bad("cannot be loaded", fmt.Errorf("%v", p))
		}
		if err != nil {
			s.destroy()
			s = nil
		}
	}()
	if c.static {
		return s, s.loadStatic()
	}
	for _, dir := range []string{c.dir, filepath.Dir(c.weights)} { // afs, by which hugot reads, opens them to all
		if info, err := os.Stat(dir); err == nil {
			defer os.Chmod(dir, info.Mode())
		}
	}
	// one text at a time: in Go a batch gains less than its padding costs
	s.hugot, err = hugot.NewGoSession(context.Background(),
		options.WithGoMLXBatchBuckets([]int{1}),
		options.WithGoMLXSequenceBuckets(buckets(c.limit)))
	if err != nil {
		return s, err
	}
	s.pipe, err = hugot.NewPipeline(s.hugot, hugot.FeatureExtractionConfig{
		Name: "embed", ModelPath: c.dir, OnnxFilename: filepath.Base(c.weights),
	})
	if err != nil {
		return s, c.bad("cannot be loaded", err)
	}
	if got := filepath.Join(c.dir, s.pipe.Model.OnnxPath); got != c.weights {
		hint := fault.Steps("remove one of them")
		return s, badModel(hint, nil, "two files may be the model: %s and %s", c.weights, got)
	}
	if s.tokens, err = c.newTokenizer(s.pipe.Model); err != nil {
		return s, err
	}
	return s, s.fit()
}

// fit checks that the model has the inputs and an output of an embedding model.
func (s *session) fit() error {
	hint := fault.Steps("use an export of the model as feature extraction: input_ids in, last_hidden_state out")
	model := s.pipe.Model
	inputs := backends.GetNames(model.InputsMeta)
	if !slices.Contains(inputs, "input_ids") {
		return badModel(hint, nil, "%s has the inputs %q, and input_ids is not among them", s.weights, inputs)
	}
	for _, name := range inputs {
		if name != "input_ids" && name != "attention_mask" && name != "token_type_ids" {
			return badModel(hint, nil, "%s has the input %q, which is not supported", s.weights, name)
		}
	}
	s.output = -1
	for rank := 3; rank >= 2 && s.output < 0; rank-- {
		s.output = slices.IndexFunc(model.OutputsMeta, func(o backends.InputOutputInfo) bool {
			return len(o.Dimensions) == rank
		})
	}
	if s.output < 0 {
		return badModel(hint, nil, "%s has no output of one vector per token or per text", s.weights)
	}
	dims := model.OutputsMeta[s.output].Dimensions
	last := &dims[len(dims)-1]
	// hugot panics in ReshapeOutput if the declaration leaves it open
	if *last = cmp.Or(max(*last, 0), int64(s.hidden)); *last == 0 {
		return badModel(fault.Steps("add hidden_size to the model's config.json"), nil, "neither %s nor config.json says how many numbers a vector has", s.weights)
	}
	if s.dim = int(*last); s.pooled > 0 && s.pooled != s.dim {
		return badModel(hintFetch, nil, "%s gives %d numbers, and the pooling of %s expects %d", s.weights, s.dim, s.config.dir, s.pooled)
	}
	return nil
}

// run computes one vector, of ids within the limit. hugot goes on after its context is done.
func (s *session) run(ids []uint32) (v embed.Vector, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%v", p)
		}
		if err != nil {
			v, err = nil, s.bad("cannot be run", err)
		}
	}()
	if s.table != nil {
		return s.table.vector(ids)
	}
	batch := backends.NewBatch(1)
	defer batch.Destroy() // no caller can handle this error
	batch.MaxSequenceLength = len(ids)
	batch.Input = []backends.TokenizedInput{{
		TokenIDs: ids, TypeIDs: make([]uint32, len(ids)), AttentionMask: slices.Repeat([]uint32{1}, len(ids)),
	}}
	if err = backends.CreateInputTensors(batch, s.pipe.Model, s.pipe.Runtime); err != nil {
		return nil, err
	}
	if err = backends.RunSessionOnBatch(context.Background(), batch, s.pipe.BasePipeline); err != nil {
		return nil, err
	}
	rows, _ := batch.OutputValues[s.output].([][]float32) // of a text
	if texts, ok := batch.OutputValues[s.output].([][][]float32); ok && len(texts) == 1 {
		rows = texts[0] // of its tokens
	}
	if len(rows) == 0 || len(rows[0]) != s.dim {
		return nil, errors.New("it did not return a vector")
	}
	return normalizeFinite(s.pooling.pool(rows, s.dim))
}

// destroy releases the memory. Nothing may run then or later.
func (s *session) destroy() {
	if s != nil && s.hugot != nil {
		s.hugot.Destroy() // no caller can handle this error
	}
}
