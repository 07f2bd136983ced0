package mcp

import (
	"context"
	"errors"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"

	"blackboard/embed"
	"blackboard/kb/chunks"
	kbhome "blackboard/kb/home"
)

// contextStore is the store of chunks, opened when it is first needed, with the model
// that there is then. When there is another, it is opened anew beside the calls that
// still have the old one.
type contextStore struct {
	mu      sync.Mutex // guards what follows; nobody waits for anything while holding it
	now     *openStore
	opening *opening // nil: nobody is opening it
	ended   bool
	all     sync.WaitGroup // of those that are open, or being opened
}

// opening is one attempt to open the store, which all calls wait for that need it. It may
// have to take over what another tool has left, so no call owns it: it goes on when the
// call that began it has ended.
type opening struct {
	done chan struct{}
	err  error // once it is done
}

// openStore is one opening of the store.
type openStore struct {
	*chunks.Store
	model  string // that it was opened with
	users  sync.WaitGroup
	life   context.Context // ends when it is closed
	cancel context.CancelFunc
	back   func() // gives the model back
	log    *slog.Logger
}

// embedWithin is how long a chunk may take to get its embedding after it was written.
// What takes longer gets it when the store is opened the next time.
const embedWithin = 30 * time.Second

// backfillWithin is how long what has no embedding yet may take to get it, when the store
// is opened.
const backfillWithin = 10 * time.Minute

// onStore calls fn with the context store.
func (c *call) onStore(fn func(*openStore) error) error {
	if c.cfg.Store == "" {
		return badArgument("the operator of the server can configure one",
			"the server has no context store")
	}
	store, err := c.useStore()
	if err != nil {
		return err
	}
	defer store.users.Done()
	return fn(store)
}

// onStoreAsItIs is onStore for what needs no model: to look whether there is another
// takes longer than to read a chunk.
func (c *call) onStoreAsItIs(fn func(*openStore) error) error {
	s := &c.context
	s.mu.Lock()
	store := s.now
	if store == nil || s.ended {
		s.mu.Unlock()
		return c.onStore(fn)
	}
	store.users.Add(1)
	s.mu.Unlock()
	defer store.users.Done()
	return fn(store)
}

// useStore returns the store, opened with the model that there is now, and counts the
// caller as one who uses it. Only a caller without any store waits for another's opening,
// and no longer than its own context lets it.
func (c *call) useStore() (*openStore, error) {
	s := &c.context
	e, back := c.embedder(c.ctx)
	defer func() { back() }()
	model := nameOf(e)
	for mine := false; ; {
		if err := c.ctx.Err(); err != nil {
			return nil, err
		}
		s.mu.Lock()
		if s.ended {
			s.mu.Unlock()
			return nil, context.Canceled
		}
		if store := s.now; store != nil && (store.model == model || s.opening != nil || mine) {
			store.users.Add(1)
			s.mu.Unlock()
			return store, nil
		}
		if s.opening == nil {
			s.opening = &opening{done: make(chan struct{})}
			s.all.Add(1)
			go c.openStore(s.opening, e, back)
			mine, back = true, func() {} // the model is the store's now
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

// nameOf is the name of a model that is at hand, "" for none: the dimension of one is
// known.
func nameOf(e embed.Embedder) string {
	if e == nil || e.Model().Dim == 0 {
		return ""
	}
	return e.Model().Name
}

// openStore opens the store with a model, in the place of the one that was open.
func (s *Server) openStore(o *opening, e embed.Embedder, back func()) {
	cs := &s.context
	var opened *chunks.Store
	var imported chunks.ImportResult
	err := errors.New("opening the context store " + failedBadly) // unless it comes to its end
	func() {
		defer s.survive("opening the context store")
		opened, imported, err = kbhome.Context(s.life, s.cfg.Store, chunks.Options{Embedder: e,
			Import: !s.cfg.NoImport, Warm: true, Now: s.cfg.Now})
	}()
	if err == nil && imported.Source != "" {
		s.log.Info("the context store was taken over", "from", imported.Source, "chunks",
			imported.Chunks, "state", imported.State)
	}
	cs.mu.Lock()
	defer cs.mu.Unlock()
	defer close(o.done)
	cs.opening, o.err = nil, err
	if err != nil {
		back()
		cs.all.Done()
		return
	}
	cs.retire()
	cs.now = &openStore{Store: opened, back: back, log: s.log}
	cs.now.life, cs.now.cancel = context.WithCancel(context.Background())
	if cs.now.model = nameOf(e); cs.now.model != "" {
		cs.now.embed(backfillWithin, func(ctx context.Context) error {
			_, err := opened.Backfill(ctx, 0)
			return err
		})
	}
	if cs.ended {
		cs.retire()
	}
}

// survive is deferred by what runs outside of a call: a panic is logged, and the server
// goes on.
func (s *Server) survive(what string) {
	if r := recover(); r != nil {
		s.log.Error(what+" panicked", "panic", r, "stack", string(debug.Stack()))
	}
}

// retire has the store closed once its last user is done. The lock is held.
func (s *contextStore) retire() {
	store := s.now
	if s.now = nil; store == nil {
		return
	}
	store.cancel()
	go func() {
		defer s.all.Done()
		store.users.Wait()
		if err := store.Close(); err != nil {
			store.log.Warn("closing the context store", "error", err)
		}
		store.back()
	}()
}

// close waits for the calls that use the store, and closes it. What is being embedded is
// called off, and done when the store is opened the next time.
func (s *contextStore) close() {
	s.mu.Lock()
	s.ended = true
	s.retire()
	s.mu.Unlock()
	s.all.Wait()
}

// embed embeds something while the client goes on. The caller uses the store.
func (o *openStore) embed(within time.Duration, fn func(context.Context) error) {
	ctx, cancel := context.WithTimeout(o.life, within)
	o.users.Add(1)
	go func() {
		defer o.users.Done()
		defer cancel()
		if err := fn(ctx); err != nil && o.life.Err() == nil {
			o.log.Debug("chunks have no embedding yet", "error", err)
		}
	}()
}
