// Package minilm embeds texts with a sentence-embedding model in this process, by hugot's
// Go backend and without cgo. It is named after all-MiniLM-L6-v2, for which it is tuned.
// Any directory with a BERT-like model in ONNX form works; its files say how to use it.
//
//	model.onnx or onnx/model.onnx            the weights: input_ids in, one vector per token (or per text) out
//	tokenizer.json                           WordPiece; the special tokens
//	tokenizer_config.json, config.json       the greatest length of a text, the size of the model
//	sentence_bert_config.json                the length for which the model was tuned
//	modules.json, 1_Pooling/config.json      how the token vectors become one
//
// Weights and tokenizer are required. Open downloads and writes nothing; Pull downloads.
//
// MiniLM on one core with AVX-512 needs 300 ms from Open to the first vector, then 15 ms for a short
// text and 160 ms for a long one with GOEXPERIMENT=simd, five times as much without; 350 MB of
// memory. ONNX Runtime is four times as fast, but needs cgo and a tokenizer library in Rust.
package minilm

import (
	"cmp"
	"context"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"blackboard/board/fault"
	"blackboard/embed"
)

// Embedder embeds texts with one model. It follows the contract of embed.Embedder.
type Embedder struct {
	model   embed.Model
	session *session
	// one for each text computed at the same time: two have 1.9 times the throughput on two cores
	slots chan struct{}
	// for calls with one text, which are questions: they do not wait for others' long texts
	questions chan struct{}
	asked     atomic.Int64 // when the last question began; 0: none was asked
	asking    sync.RWMutex // read while one is computed
	alone     sync.Mutex   // held by another text that is computed soon after one
	many      spare        // for other calls, once questions are asked

	mu      sync.Mutex // guards closed
	closed  bool
	running sync.WaitGroup // calls, and texts that are still computed for cancelled calls
	release func()         // frees the model, once
}

var _ embed.Embedder = (*Embedder)(nil)

// Open loads the model in dir. Its errors match fault.NoModel or fault.BadModel and name the file
// and the next step, or they are those of the context, which is checked between the steps.
func Open(ctx context.Context, dir string) (*Embedder, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	c, err := describe(dir)
	if err != nil {
		return nil, err
	}
	var name string
	var unread error
	var hashing sync.WaitGroup
	hashing.Go(func() {
		r, _ := readRecord(c.top) // without one, the files are read
		name, unread = c.identify(r)
	})
	s, err := c.load()
	hashing.Wait()
	if err = cmp.Or(err, unread, ctx.Err()); err != nil {
		s.destroy()
		return nil, err
	}
	return &Embedder{
		model:   embed.Model{Name: name, Dim: s.dim, MaxTokens: c.limit},
		session: s, slots: make(chan struct{}, runtime.GOMAXPROCS(0)),
		questions: make(chan struct{}, runtime.GOMAXPROCS(0)),
		release:   sync.OnceFunc(s.destroy),
	}, nil
}

func (e *Embedder) Model() embed.Model { return e.model }

func (e *Embedder) enter() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return fault.Closed.New("the model "+e.model.Name+" was closed", "")
	}
	e.running.Add(1)
	return nil
}

// Embed returns one vector of length 1 for each text. The texts of a call are computed
// one by one, as many at the same time as there are slots. Calls take turns text by text,
// so a long call delays a short one only by a text or two, and a question by none.
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
		// the model fails on an input of length 0
		if ids[i] = e.session.tokens.encode(text); len(ids[i]) == 0 {
			out[i] = make(embed.Vector, e.model.Dim)
			continue
		}
		order = append(order, i)
	}
	// Longest first: no slot ends with a long text while the others are idle.
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(len(ids[b]), len(ids[a])) })

	type result struct {
		index  int
		vector embed.Vector
		err    error
	}
	free := e.slots
	if len(texts) == 1 {
		free = e.questions
	}
	// buffered for all, so that no worker blocks after a cancellation
	results := make(chan result, len(order))
	for sent, received := 0, 0; received < len(order); {
		slots := free
		if sent == len(order) {
			slots = nil // only wait from now on
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
			if err := ctx.Err(); err != nil { // select picks any ready case
				<-free
				return nil, err
			}
			i := order[sent]
			sent++
			e.running.Go(func() {
				defer func() { <-free }()
				v, err := e.compute(ids[i], len(texts) == 1)
				results <- result{i, v, err}
			})
		}
	}
	return out, nil
}

// compute computes the vector of one text. hugot computes all texts of a session with one
// pool of workers, in which a question waits, operation by operation, for those of long
// texts. So once questions are asked, other texts have a session of their own. None of them
// begins while a question is computed, and for a second after one they go one by one.
func (e *Embedder) compute(ids []uint32, question bool) (embed.Vector, error) {
	if question {
		e.asked.Store(time.Now().UnixNano())
		e.asking.RLock()
		defer e.asking.RUnlock()
		return e.session.run(ids)
	}
	e.asking.Lock()
	asked := e.asked.Load()
	e.asking.Unlock()
	if asked == 0 || e.session.table != nil {
		return e.session.run(ids)
	}
	if time.Since(time.Unix(0, asked)) < time.Second {
		e.alone.Lock()
		defer e.alone.Unlock()
	}
	s, err := e.many.take(e.session.load)
	if err != nil {
		return nil, err
	}
	defer e.many.give()
	return s.run(ids)
}

// keepSpare is how long an unused session is kept: batches of a backfill follow each other.
const keepSpare = 20 * time.Second

// spare is a session that is loaded when it is needed, and freed afterwards.
type spare struct {
	mu      sync.Mutex
	session *session
	users   int
	timer   *time.Timer
}

func (p *spare) take(load func() (*session, error)) (s *session, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.session == nil {
		if p.session, err = load(); err != nil {
			return nil, err
		}
		p.timer = time.AfterFunc(keepSpare, p.release)
	}
	p.users++
	return p.session, nil
}

func (p *spare) give() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.users--
	p.timer.Reset(keepSpare)
}

func (p *spare) release() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.users == 0 {
		p.session.destroy()
		p.session = nil
	}
}

// Close waits for running calls. Later calls fail with fault.Closed.
func (e *Embedder) Close() error {
	e.mu.Lock()
	e.closed = true
	e.mu.Unlock()
	e.running.Wait()
	e.many.release()
	e.release()
	return nil
}
