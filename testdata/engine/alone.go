package main

import (
	"context"

	"github.com/knights-analytics/hugot"
	"github.com/knights-analytics/hugot/backends"
	"github.com/knights-analytics/hugot/options"
	"github.com/knights-analytics/hugot/pipelines"
)

// alone is hugot's own pipeline.
type alone struct {
	session *hugot.Session
	pipe    *pipelines.FeatureExtractionPipeline
}

func openAlone(dir string) (*alone, error) {
	session, err := hugot.NewGoSession(context.Background(), options.WithGoMLXBatchBuckets([]int{1}),
		options.WithGoMLXSequenceBuckets([]int{16, 32, 48, 64, 96, 128, 192, 256}))
	if err != nil {
		return nil, err
	}
	pipe, err := hugot.NewPipeline(session, hugot.FeatureExtractionConfig{
		Name: "alone", ModelPath: dir, OnnxFilename: "model.onnx",
		Options: []hugot.FeatureExtractionOption{pipelines.WithNormalization()},
	})
	return &alone{session, pipe}, err
}

func (a *alone) Close() error { return a.session.Destroy() }

func (a *alone) embed(ctx context.Context, text string) error {
	_, err := a.pipe.RunPipeline(ctx, []string{text})
	return err
}

func (a *alone) embedAll(ctx context.Context, texts []string) error {
	return parallel(texts, func(text string) error { return a.embed(ctx, text) })
}

func (a *alone) tokens(text string) int {
	batch := backends.NewBatch(1)
	backends.TokenizeInputs(batch, a.pipe.Model.Tokenizer, []string{text})
	return len(batch.Input[0].TokenIDs)
}
