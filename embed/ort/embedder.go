//go:build linux || darwin

package ort

import (
	"cmp"
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"

	"blackboard/board/fault"
	"blackboard/embed"
	"blackboard/embed/minilm"
)

// Embedder embeds texts with one model, following the contract of embed.Embedder.
//
// One batch is computed at a time, by all threads. A call with one text is a question for
// which somebody waits. It goes before all batches of longer calls, and interrupts a
// running one, which is computed again later. Longer calls take turns batch by batch.
type Embedder struct {
	model   embed.Model
	files   *minilm.Files
	session *session
	batch   int // tokens in a batch, with padding, unless one text has more
	release func()
	ended   chan struct{} // closed when the worker has ended

	mu        sync.Mutex
	wake      *sync.Cond
	questions []*call
	lists     []*call
	closed    bool           // no new calls are accepted
	running   sync.WaitGroup // number of calls
	over      bool           // no calls are left
}

var _ embed.Embedder = (*Embedder)(nil)

// call is one call of Embed.
type call struct {
	ctx   context.Context
	ids   [][]uint32
	order []int // indexes of the texts to compute, longest first
	out   []embed.Vector
	tries int        // of the next batch: how often it was interrupted
	done  chan error // buffered for the only result
}

// tokensPerThread limits a batch, so that questions do not wait long. Larger batches are
// not faster: see the table in the package's comment.
const tokensPerThread = 128

// maxTries is how often a batch may be interrupted, so that a long call makes progress
// whatever questions come.
const maxTries = 8

// threads returns the number of threads for a model: 0, one for each core as the library
// counts them, unless this process may use fewer.
func threads() int {
	if n := runtime.GOMAXPROCS(0); n < runtime.NumCPU() {
		return n
	}
	return 0
}

// probe loads a library to read its version.
func probe(path string) (string, error) {
	l, err := loadLibrary(path, 0, minAPI)
	if err != nil {
		return "", err
	}
	l.close()
	return l.version, nil
}

// open loads a library and a model with this number of threads; 0 means one for each
// core.
func open(f *minilm.Files, library string, threads int) (*Embedder, error) {
	e := &Embedder{
		files: f, batch: tokensPerThread * cmp.Or(threads, runtime.NumCPU()),
		ended: make(chan struct{}),
	}
	var err error
	if e.session, err = openSession(f, library, threads, e.batch); err != nil {
		return nil, err
	}
	if ids := f.Encode("a trial"); len(ids) > 0 { // detect a model that cannot run
		if _, err := e.session.run([][]uint32{ids}, true); err != nil {
			e.session.close()
			return nil, err
		}
	}
	e.model = embed.Model{Name: f.Name, Dim: e.session.dim, MaxTokens: f.Limit}
	e.release = sync.OnceFunc(e.session.close)
	e.wake = sync.NewCond(&e.mu)
	go e.work()
	return e, nil
}

// Model describes the model.
func (e *Embedder) Model() embed.Model { return e.model }

// Version returns the library's version.
func (e *Embedder) Version() string { return e.session.version }

// Embed returns one vector of length 1 for each text.
func (e *Embedder) Embed(ctx context.Context, texts []string) ([]embed.Vector, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	e.mu.Lock()
	if e.closed {
		e.mu.Unlock()
		return nil, fault.Closed.New("the model "+e.model.Name+" was closed", "")
	}
	e.running.Add(1)
	e.mu.Unlock()
	defer e.running.Done()
	c := &call{
		ctx: ctx, ids: make([][]uint32, len(texts)), out: make([]embed.Vector, len(texts)),
		done: make(chan error, 1),
	}
	for i, text := range texts {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		c.ids[i] = e.files.Encode(text)
		if len(c.ids[i]) == 0 { // the model fails on an input of length 0
			c.out[i] = make(embed.Vector, e.model.Dim)
			continue
		}
		c.order = append(c.order, i)
	}
	if len(c.order) == 0 {
		return c.out, nil
	}
	// By length, since the texts of a batch are padded to the longest.
	slices.SortStableFunc(c.order, func(a, b int) int {
		return cmp.Compare(len(c.ids[b]), len(c.ids[a]))
	})
	e.mu.Lock()
	if len(texts) == 1 {
		e.questions = append(e.questions, c)
		e.session.interrupt()
	} else {
		e.lists = append(e.lists, c)
	}
	e.wake.Signal()
	e.mu.Unlock()
	select {
	case err := <-c.done:
		if err != nil {
			return nil, err
		}
		return c.out, nil
	case <-ctx.Done():
		return nil, ctx.Err() // the worker drops the call when its turn comes
	}
}

// next waits for the call that is next. It returns nil after Close.
func (e *Embedder) next() (c *call, urgent bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for {
		for _, queue := range []*[]*call{&e.questions, &e.lists} {
			if len(*queue) > 0 {
				c, *queue = (*queue)[0], (*queue)[1:]
				return c, queue == &e.questions
			}
		}
		if e.over {
			return nil, false
		}
		e.wake.Wait()
	}
}

// work computes batches until the model is closed.
func (e *Embedder) work() {
	defer close(e.ended)
	for {
		c, urgent := e.next()
		if c == nil {
			return
		}
		if c.ctx.Err() != nil {
			continue
		}
		n := e.batchOf(c)
		ids := make([][]uint32, n)
		for i, k := range c.order[:n] {
			ids[i] = c.ids[k]
		}
		vectors, err := e.session.run(ids, urgent || c.tries >= maxTries)
		switch {
		case errors.Is(err, errInterrupted):
			c.tries++
		case err != nil:
			c.done <- e.failed(err)
			continue
		default:
			for i, k := range c.order[:n] {
				c.out[k] = vectors[i]
			}
			c.order, c.tries = c.order[n:], 0
		}
		if len(c.order) == 0 {
			c.done <- nil
			continue
		}
		e.mu.Lock()
		if c.tries > 0 {
			e.lists = slices.Insert(e.lists, 0, c)
		} else {
			e.lists = append(e.lists, c)
		}
		e.mu.Unlock()
	}
}

// failed converts an error into one of the contract's kinds.
func (e *Embedder) failed(err error) error {
	if errors.Is(err, errGone) {
		return &fault.Error{Kind: fault.Closed, Msg: err.Error(), Cause: err}
	}
	return err
}

// batchOf returns how many of a call's texts are computed together. Without a mask texts
// cannot be padded.
func (e *Embedder) batchOf(c *call) int {
	longest, n := len(c.ids[c.order[0]]), 1
	for n < len(c.order) && (n+1)*longest <= e.batch &&
		(e.session.mask || len(c.ids[c.order[n]]) == longest) {
		n++
	}
	return n
}

// resident returns the peak memory of the library's process; 0 if unknown.
func (e *Embedder) resident() int64 { return minilm.Resident(e.session.cmd.Process.Pid) }

// Close waits for running calls and releases the model. Later calls fail with
// fault.Closed; closing again does nothing.
func (e *Embedder) Close() error {
	e.mu.Lock()
	e.closed = true
	e.mu.Unlock()
	e.running.Wait()
	e.mu.Lock()
	e.over = true
	e.wake.Broadcast()
	e.mu.Unlock()
	<-e.ended
	e.release()
	return nil
}
