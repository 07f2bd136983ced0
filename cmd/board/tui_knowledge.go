package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"blackboard/board/disk"
	"blackboard/cmd/board/base"
	"blackboard/cmd/board/daemon"
	"blackboard/kb"
	kbhome "blackboard/kb/home"
	"blackboard/tui/page"
)

// screenKnowledge keeps the screen's knowledge base open from its first need. It is safe for
// concurrent use, and keeps what it would print until the terminal is free.
type screenKnowledge struct {
	p            *program
	source       *daemon.Source
	home, worker string

	knowledgeHome string // the data home, or what stands for the database

	open kbhome.KeptKnowledge

	mu    sync.Mutex
	given []*kb.KB // those that their receiver closes
	notes []string
	sync  time.Time // when edits by hand are looked for again
	count int64     // of capsules that stand, -1 if there is no knowledge base
	again time.Time // when they are counted again
}

const (
	// lookEvery is how often edits by hand are looked for; statusEvery how often capsules are
	// counted, unless they are so many that it takes over a fiftieth of the time.
	lookEvery   = 2 * time.Second
	statusEvery = 5 * time.Second
	lookShare   = 50
	// lookWithin is how long a search waits for edits by hand: the next one will find them.
	lookWithin = time.Second
	// mostNotes bounds what is kept to be said at the end.
	mostNotes = 50
)

func (s *screenKnowledge) Search(ctx context.Context, q kb.Query) (kb.Result, error) {
	res, notes, err := s.source.Search(ctx, q, func(ctx context.Context, _ bool) (*kb.KB, func(), error) {
		k, err := s.opened(ctx, true)
		return k, func() {}, err
	})
	s.note(notes...)
	return res, err
}

// opened is the knowledge base of the data home: warm for searches, which keeps in memory
// what they read. What was edited by hand since is picked up.
func (s *screenKnowledge) opened(ctx context.Context, warm bool) (*kb.KB, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	k, opened, err := s.open.Open(ctx, s.knowledgeHome, kb.Options{Actor: s.worker, Warm: warm, Embedder: s.source.Model()})
	switch {
	case err != nil:
		return nil, err
	case opened:
		s.sync = time.Now().Add(lookEvery) // opening has looked
	default:
		s.look(ctx, k)
	}
	return k, nil
}

// look picks up what was edited by hand, now and then.
func (s *screenKnowledge) look(ctx context.Context, k *kb.KB) {
	start := time.Now()
	if start.Before(s.sync) {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, lookWithin)
	defer cancel()
	done, err := k.Sync(ctx)
	s.keep(append(done.Quarantined, done.Notes...)...)
	if err != nil && ctx.Err() == nil {
		s.keep(fmt.Sprintf("edits by hand could not be read: %v", err))
	}
	now := time.Now()
	s.sync = now.Add(max(lookEvery, lookShare*now.Sub(start)))
}

// knowledge opens the knowledge base for all that is not a search, and with create makes
// it if there is none. Whoever asked closes it.
func (s *screenKnowledge) knowledge(ctx context.Context, create bool) (*kb.KB, error) {
	open := kbhome.Knowledge
	if create {
		open = kbhome.MakeKnowledge
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	k, err := open(ctx, s.knowledgeHome, kb.Options{Actor: s.worker, Embedder: s.source.Model()})
	if err == nil {
		s.given = append(s.given, k)
	}
	return k, err
}

func (s *screenKnowledge) status(ctx context.Context, anew bool) page.Status {
	st := page.Status{Capsules: s.capsules(ctx, anew), Daemon: "off"}
	if dir := s.p.ModelDir(s.home); disk.IsDir(dir) {
		st.Model = filepath.Base(dir)
	}
	if s.source.Listens() {
		st.Daemon = "on"
	}
	return st
}

// capsules counts those that stand, now and then, or anew; -1 if there are none to read.
func (s *screenKnowledge) capsules(ctx context.Context, anew bool) int64 {
	start := time.Now()
	s.mu.Lock()
	n, due := s.count, !start.Before(s.again)
	s.mu.Unlock()
	if !due && !anew {
		return n
	}
	n = -1
	// looking at it must not make one
	if _, err := os.Stat(kb.Path(s.home)); err == nil || kb.IsShared(s.knowledgeHome) {
		if k, err := s.opened(ctx, false); err == nil {
			if st, err := k.Stats(ctx); err == nil {
				n = st.Standing
			}
		}
	}
	now, pause := time.Now(), statusEvery
	// a failure may have waited long for a server, and says nothing of how long a count takes
	if n >= 0 {
		pause = max(pause, lookShare*now.Sub(start))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.count, s.again = n, now.Add(pause)
	return n
}

func (s *screenKnowledge) note(notes ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.keep(notes...)
}

// keep keeps what is to be said at the end, each thing once. The lock is held.
func (s *screenKnowledge) keep(notes ...string) {
	for _, n := range notes {
		if len(s.notes) < mostNotes && !slices.Contains(s.notes, n) {
			s.notes = append(s.notes, n)
		}
	}
}

// close ends it all, and says what there is to say.
func (s *screenKnowledge) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, k := range s.given {
		s.keep(k.TakeNotes()...)
	}
	s.keep(s.open.Close()...)
	s.source.Close()
	for _, n := range s.notes {
		s.p.Messagef("note: %s", base.Safe(n))
	}
}

var _ kb.Searcher = (*screenKnowledge)(nil)
