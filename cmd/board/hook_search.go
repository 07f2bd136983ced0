package main

import (
	"context"
	"os"
	"sync"

	"blackboard/cmd/board/daemon"
	"blackboard/hooks/harness"
	"blackboard/kb"
	"blackboard/kb/memory"
)

// hookSearcher answers a hook's questions. It loads no model, and the file is opened by
// the first question that it must answer.
type hookSearcher struct {
	source *daemon.Source
	wrong  error // why there is no source
	home   string

	mu     sync.Mutex
	k      *kb.KB
	failed error // why there is no k
}

var _ kb.Searcher = (*hookSearcher)(nil)

func (p *program) hookSearcher(home string) *hookSearcher {
	s := &hookSearcher{home: home}
	s.source, s.wrong = p.newSource(daemon.OwnNever, false)
	return s
}

// Search answers a question; see kb.Searcher.
func (s *hookSearcher) Search(ctx context.Context, q kb.Query) (kb.Result, error) {
	if s.wrong != nil {
		return kb.Result{}, s.wrong
	}
	res, _, err := s.source.Search(ctx, q, s.open)
	return res, err
}

// open is the knowledge base of the data home. What was edited by hand a moment ago is
// left to those who have time.
func (s *hookSearcher) open(ctx context.Context, _ bool) (*kb.KB, func(), error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.k == nil && s.failed == nil {
		opt := kb.Options{Actor: "hook", Sync: kb.SyncNever, Embedder: s.source.Model()}
		s.k, s.failed = kb.OpenExisting(ctx, s.home, opt)
	}
	return s.k, func() {}, s.failed
}

// memory opens the memory. Meanings are the daemon's work, if there is one that can say how sure
// they are.
func (s *hookSearcher) memory(opt memory.Options) (*memory.Store, error) {
	if s.wrong == nil {
		opt.Embedder, opt.Threshold = s.source.Model(), s.threshold
	}
	return memory.Open(s.home, opt)
}

// threshold is that of the knowledge base, which has measured the model.
func (s *hookSearcher) threshold(ctx context.Context, model string) (float64, bool) {
	k, done, err := s.open(ctx, false)
	if err != nil {
		return 0, false
	}
	defer done()
	c, ok, err := k.Threshold(ctx, model)
	return c.AmongOne(), ok && err == nil
}

// afterwards starts a daemon for the next hook, which will have something to ask. A
// hook that ran out of time, which has no kind, leaves everything as it is: what hung
// then would hang here.
func (s *hookSearcher) afterwards(kind string) {
	if kind != harness.Prompt && kind != harness.SessionStart {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.k != nil {
		s.k.Close()
	}
	for _, file := range []string{kb.Path(s.home), memory.Dir(s.home)} {
		if _, err := os.Stat(file); err == nil && s.wrong == nil {
			s.source.Start()
			return
		}
	}
}
