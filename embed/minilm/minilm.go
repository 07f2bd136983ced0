// Package minilm embeds texts with a sentence-embedding model that runs in this process:
// GoMLX's pure Go backend, without cgo. It is named after all-MiniLM-L6-v2, for which it
// is tuned, and knows no model by name: any directory with a BERT-like model in ONNX form
// will do, and its files say how to use it.
//
//	model.onnx or onnx/model.onnx            the weights: input_ids in, one vector per token (or per text) out
//	tokenizer.json, or vocab.txt             WordPiece, or Unigram; the special tokens
//	tokenizer_config.json, config.json       the length of a text, the size of the model
//	sentence_bert_config.json                the length of a text that the model was tuned for
//	modules.json, 1_Pooling/config.json      how the vectors of the tokens become one
//
// Of these, weights and vocabulary are necessary. Open downloads nothing and writes
// nothing; Pull does, Verify says whether a model is what it should be, and Measure how
// fast it is here.
//
// Costs, MiniLM on one core with AVX-512: 300 ms from Open to the first vector, then 15
// ms for a short text and 160 ms for a long one when built with GOEXPERIMENT=simd, five
// times as much without; 350 MB of memory.
package minilm

import (
	"cmp"
	"context"
	"runtime"
	"slices"
	"sync"

	"blackboard/board/fault"
	"blackboard/embed"
)

// Embedder embeds texts with one model. It follows the contract of embed.Embedder.
type Embedder struct {
	model   embed.Model
	files   *Files
	session *session
	// one for each text that is computed at the same time, whichever call it belongs to:
	// two have 1.9 times the throughput of one on two cores
	slots chan struct{}

	mu      sync.Mutex // for the two below
	closed  bool
	running sync.WaitGroup // calls, and texts that are still computed for calls that were cancelled
	release func()         // frees the model, once
}

var _ embed.Embedder = (*Embedder)(nil)

// Open loads the model in dir. The small files are checked before the weights are read.
// Its errors match fault.NoModel or fault.BadModel, name the file, and say with Try what
// to do next; or they are the context's, which is looked at between the steps.
func Open(ctx context.Context, dir string) (*Embedder, error) {
	f, err := Read(ctx, dir)
	if err != nil {
		return nil, err
	}
	e := &Embedder{files: f, slots: make(chan struct{}, runtime.GOMAXPROCS(0))}
	if e.session, err = load(f); err != nil {
		return nil, err
	}
	e.model = embed.Model{Name: f.Name, Dim: e.session.dim, MaxTokens: f.Limit}
	e.release = sync.OnceFunc(e.session.destroy)
	return e, nil
}

// Model describes the model.
func (e *Embedder) Model() embed.Model { return e.model }

// enter registers something that uses the model.
func (e *Embedder) enter() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return fault.Closed.New("the model "+e.model.Name+" was closed", "")
	}
	e.running.Add(1)
	return nil
}

// Embed returns one vector of length 1 per text. The texts of one call are computed one
// by one, as many at the same time as there are slots, and calls take turns for the slots
// text by text: a long call does not keep a short one waiting for more than a text or
// two.
func (e *Embedder) Embed(ctx context.Context, texts []string) ([]embed.Vector, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := e.enter(); err != nil {
		return nil, err
	}
	defer e.running.Done()
	out := make([]embed.Vector, len(texts))
	ids := make([][]uint32, len(texts))
	var order []int
	for i, text := range texts {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		// the model would not survive an input of length 0
		if ids[i] = e.files.Encode(text); len(ids[i]) == 0 {
			out[i] = make(embed.Vector, e.model.Dim)
			continue
		}
		order = append(order, i)
	}
	// The longest first, so that at the end no slot works on a long text while the others
	// have nothing left to do.
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(len(ids[b]), len(ids[a])) })

	type result struct {
		index  int
		vector embed.Vector
		err    error
	}
	// has room for all, so that nobody is stuck when the call has been cancelled
	results := make(chan result, len(order))
	for sent, received := 0, 0; received < len(order); {
		slots := e.slots
		if sent == len(order) {
			slots = nil // only wait
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case r := <-results:
			if r.err != nil {
				return nil, r.err
			}
			out[r.index] = r.vector
			received++
		case slots <- struct{}{}:
			if err := ctx.Err(); err != nil { // select picks any case that is ready
				<-slots
				return nil, err
			}
			i := order[sent]
			sent++
			e.running.Go(func() {
				defer func() { <-slots }()
				v, err := e.session.run(ids[i])
				results <- result{i, v, err}
			})
		}
	}
	return out, nil
}

// Close waits for the calls that are under way and releases the model. Every later call
// fails with fault.Closed; closing again does nothing.
func (e *Embedder) Close() error {
	e.mu.Lock()
	e.closed = true
	e.mu.Unlock()
	e.running.Wait()
	e.release()
	return nil
}
