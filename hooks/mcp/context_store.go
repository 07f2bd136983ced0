package mcp

import (
	"context"
	"errors"
	"runtime/debug"
	"sync"
	"time"

	"blackboard/embed"
	"blackboard/kb/chunks"
	kbhome "blackboard/kb/home"
)

// contextStore is the store of chunks, opened when first needed; each call uses the model of then.
type contextStore struct {
	mu      sync.Mutex // guards what follows; nobody waits for anything while holding it
	store   *chunks.Store
	model   string   // whose missing embeddings were begun to be made
	opening *opening // nil: nobody is opening it
	ended   bool
	users   sync.WaitGroup // calls, and what is being opened or embedded
}

// opening is one attempt to open the store, for all calls that need it. It may take over what
// another tool left, so it outlives the call that began it.
type opening struct {
	done chan struct{}
	err  error // once it is done
}

// embedWithin is how long a chunk may take to get its embedding after it was written.
// What takes longer gets it when the store is opened the next time.
const embedWithin = 30 * time.Second

// backfillWithin limits the embedding at opening the store, or when there is another model.
const backfillWithin = 10 * time.Minute

// Context calls fn with the context store. To look for a model takes longer than to read a chunk.
func (c *call) Context(_ context.Context, meaning bool, fn func(*chunks.Store) error) error {
	if c.cfg.Store == "" {
		return badArgument("the operator of the server can configure one",
			"the server has no context store")
	}
	store, err := c.useStore()
	if err != nil {
		return err
	}
	defer c.context.users.Done()
	if meaning {
		e, back := c.embedder(c.ctx)
		defer back()
		c.backfill(nameOf(e))
		store = store.With(e)
	}
	return fn(store)
}

// useStore returns the store, and counts the caller as one who uses it. Only a caller
// without a store waits for another's opening, and no longer than its own context lets it.
func (c *call) useStore() (*chunks.Store, error) {
	s := &c.context
	for {
		if err := c.ctx.Err(); err != nil {
			return nil, err
		}
		s.mu.Lock()
		switch {
		case s.ended:
			s.mu.Unlock()
			return nil, context.Canceled
		case s.store != nil:
			s.users.Add(1)
			s.mu.Unlock()
			return s.store, nil
		case s.opening == nil:
			s.opening = &opening{done: make(chan struct{})}
			s.users.Add(1)
			go c.openStore(s.opening)
		}
		o := s.opening
		s.mu.Unlock()
		select {
		case <-o.done:
			if o.err != nil {
				return nil, o.err
			}
		case <-c.ctx.Done():
			return nil, c.ctx.Err()
		}
	}
}

// nameOf is the name of a model at hand, "" for none: one's dimension is known.
func nameOf(e embed.Embedder) string {
	if e == nil || e.Model().Dim == 0 {
		return ""
	}
	return e.Model().Name
}

// openStore opens the store, with the model that decides which embeddings it takes over.
func (s *Server) openStore(o *opening) {
	defer s.context.users.Done()
	var opened *chunks.Store
	var imported chunks.ImportResult
	err := errors.New("opening the context store " + failedBadly) // unless it comes to its end
	func() {
		defer s.survive("opening the context store")
		e, back := s.embedder(s.life)
		defer back()
		opened, imported, err = kbhome.Context(s.life, s.cfg.Store, chunks.Options{Embedder: e,
			Import: !s.cfg.NoImport, Warm: true, Now: s.cfg.Now})
	}()
	if err == nil && imported.Source != "" {
		s.log.Info("the context store was taken over", "from", imported.Source, "chunks",
			imported.Chunks, "state", imported.State)
	}
	s.context.mu.Lock()
	defer s.context.mu.Unlock()
	s.context.opening, o.err, s.context.store = nil, err, opened
	close(o.done)
}

// survive is deferred by what runs outside of a call: it logs a panic, and the server goes on.
func (s *Server) survive(what string) {
	if r := recover(); r != nil {
		s.log.Error(what+" panicked", "panic", r, "stack", string(debug.Stack()))
	}
}

// closeStore waits for the calls that use the store, and closes it. What is being embedded ends with the server, and is
// done when the store is opened the next time.
func (s *Server) closeStore() {
	c := &s.context
	c.mu.Lock()
	c.ended = true
	c.mu.Unlock()
	c.users.Wait()
	if c.store != nil {
		if err := c.store.Close(); err != nil {
			s.log.Warn("closing the context store", "error", err)
		}
	}
}

// backfill makes the missing embeddings, once for each model. The caller uses the store.
func (s *Server) backfill(model string) {
	c := &s.context
	c.mu.Lock()
	has := model == "" || model == c.model
	if !has {
		c.model = model
	}
	c.mu.Unlock()
	if !has {
		s.embedLater(backfillWithin, func(ctx context.Context, store *chunks.Store) error {
			_, err := store.Backfill(ctx, 0)
			return err
		})
	}
}

// embedLater embeds something while the client goes on. The caller uses the store.
func (s *Server) embedLater(within time.Duration, fn func(context.Context, *chunks.Store) error) {
	ctx, cancel := context.WithTimeout(s.life, within)
	s.context.users.Add(1)
	go func() {
		defer s.context.users.Done()
		defer cancel()
		defer s.survive("embedding chunks")
		e, back := s.embedder(ctx)
		defer back()
		if nameOf(e) == "" {
			return
		}
		if err := fn(ctx, s.context.store.With(e)); err != nil && s.life.Err() == nil {
			s.log.Debug("chunks have no embedding yet", "error", err)
		}
	}()
}

// Embed gives a chunk its embedding while the client goes on.
func (c *call) Embed(_ context.Context, _ *chunks.Store, chunk *chunks.Chunk) string {
	id := chunk.ID
	c.embedLater(embedWithin, func(ctx context.Context, store *chunks.Store) error {
		_, err := store.Embed(ctx, id)
		return err
	})
	return ""
}
