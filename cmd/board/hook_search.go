package main

import (
	"context"
	"os"
	"sync"
	"time"

	"blackboard/cmd/board/daemon"
	"blackboard/hooks"
	"blackboard/hooks/harness"
	"blackboard/kb"
)

// stopWithin is how long a daemon of another build has to hear that it is to end.
const stopWithin = 30 * time.Millisecond

// hookSearcher answers a hook's questions: the daemon if there is one, else the file, by words alone. It loads no model. It is opened by the first question, and a daemon that fails is not asked
// again.
type hookSearcher struct {
	p    *program
	home string

	mu     sync.Mutex
	asked  bool // whether there is a daemon
	client *daemon.Client
	refuse error // why there must not be an answer without the daemon
	k      *kb.KB
	failed error // why there is no k
}

var _ kb.Searcher = (*hookSearcher)(nil)

// Search answers a question; see kb.Searcher. A daemon that hangs has half of the time; the rest is for the file.
func (s *hookSearcher) Search(ctx context.Context, q kb.Query) (kb.Result, error) {
	client, err := s.daemon()
	if err != nil {
		return kb.Result{}, err
	}
	if client != nil {
		until, ok := ctx.Deadline()
		if !ok {
			until = time.Now().Add(hooks.DefaultTimeout)
		}
		asking, cancel := context.WithTimeout(ctx, time.Until(until)/2)
		res, err := client.Search(asking, q)
		gaveUp := asking.Err() != nil && ctx.Err() == nil
		cancel()
		if err == nil || !gaveUp && !daemon.Unusable(err) {
			return res, err
		}
		if err := s.without(ctx, err); err != nil {
			return kb.Result{}, err
		}
	}
	k, err := s.open(ctx)
	if err != nil {
		return kb.Result{}, err
	}
	return k.Search(ctx, q)
}

// daemon is the daemon's client, nil if there is none. It is an error if there must be one.
func (s *hookSearcher) daemon() (*daemon.Client, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.asked {
		client, err := s.p.askDaemon()
		if err != nil {
			return nil, err
		}
		s.asked, s.client = true, client
	}
	return s.client, s.refuse
}

// without notes that the daemon is of no use, which is an error if the user does not want to do without.
func (s *hookSearcher) without(ctx context.Context, why error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.client != nil { // else another question has noted it
		stopping, cancel := context.WithTimeout(ctx, stopWithin)
		defer cancel()
		s.refuse = s.p.daemonFailed(stopping, s.client, why)
		s.client = nil
	}
	return s.refuse
}

// open is the knowledge base of the data home. What was edited by hand a moment ago is left to those who have time.
func (s *hookSearcher) open(ctx context.Context) (*kb.KB, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.k == nil && s.failed == nil {
		s.k, s.failed = kb.OpenExisting(ctx, s.home, kb.Options{Actor: "hook", Sync: kb.SyncNever})
	}
	return s.k, s.failed
}

// afterwards starts a daemon for the next hook, if one would profit: it will have something to ask, there is a model, and nobody was there. A hook that ran out of time, which has no kind, leaves
// everything as it is: what hung then would hang here.
func (s *hookSearcher) afterwards(kind string) {
	if kind != harness.Prompt && kind != harness.SessionStart {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.k != nil {
		s.k.Close()
	}
	if s.client != nil || s.home == "" || !dirExists(s.p.usedModelDir(s.home)) {
		return
	}
	if _, err := os.Stat(kb.Path(s.home)); err == nil {
		s.p.startForNext()
	}
}
