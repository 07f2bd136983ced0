package hookcmd

import (
	"cmp"
	"context"
	"os"
	"runtime/debug"
	"sync"

	"blackboard/cmd/board/daemon"
	"blackboard/hooks/harness"
	"blackboard/kb"
	kbhome "blackboard/kb/home"
	"blackboard/kb/memory"
)

// Searcher answers a hook's questions. It loads no model, and opens the knowledge base
// at the first question that the daemon does not answer.
type Searcher struct {
	source func() (*daemon.Source, error) // made by the first question: most hooks have none
	home   string
	// stands for the database of the knowledge base; "": it is in the data home
	shared string

	mu     sync.Mutex
	k      *kb.KB
	failed error // why there is no k
}

var _ kb.Searcher = (*Searcher)(nil)

// NewSearcher asks what source returns, and the file in home where that has no answer.
func NewSearcher(source func() (*daemon.Source, error), home string) *Searcher {
	return &Searcher{source: sync.OnceValues(source), home: home}
}

func (p *program) hookSearcher(home string) *Searcher {
	var s *Searcher
	s = NewSearcher(func() (*daemon.Source, error) {
		// The process ends in milliseconds. To collect its garbage once takes a tenth of
		// what it costs, so that begins at 16 MB instead of 4.
		debug.SetGCPercent(400)
		if url, err := p.DatabaseURL("."); url != "" || err != nil {
			s.shared, s.failed = p.KBHome()
		}
		return p.NewSource(daemon.OwnNever, false)
	}, home)
	return s
}

func (s *Searcher) Search(ctx context.Context, q kb.Query) (kb.Result, error) {
	source, err := s.source()
	if err != nil {
		return kb.Result{}, err
	}
	res, _, err := source.Search(ctx, q, s.open)
	return res, err
}

// open returns the knowledge base, which it opens at the first call. The searcher keeps it, so the returned function
// does nothing. It does not read files that were edited by hand: hooks have no time for it.
func (s *Searcher) open(ctx context.Context, _ bool) (*kb.KB, func(), error) {
	source, err := s.source()
	if err != nil {
		return nil, nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.k == nil && s.failed == nil {
		opt := kb.Options{Actor: "hook", Sync: kb.SyncNever, Embedder: source.Model()}
		s.k, s.failed = kbhome.Knowledge(ctx, cmp.Or(s.shared, s.home), opt)
	}
	return s.k, func() {}, s.failed
}

// memory opens the memory, with meaning if a daemon runs and its model has a threshold.
func (s *Searcher) memory(opt memory.Options) (*memory.Store, error) {
	if source, err := s.source(); err == nil {
		opt.Embedder, opt.Threshold = source.Model(), s.threshold
	}
	return kbhome.Memory(s.home, opt)
}

// threshold returns the threshold that the knowledge base was calibrated to for a model, and whether there is one.
func (s *Searcher) threshold(ctx context.Context, model string) (float64, bool) {
	k, done, err := s.open(ctx, false)
	if err != nil {
		return 0, false
	}
	defer done()
	c, ok, err := k.Threshold(ctx, model)
	return c.AmongOne(), ok && err == nil
}

// startDaemon closes the knowledge base and, for prompts and session starts with something to
// search, starts a daemon for the next hook; not after a timeout: that would hang, too.
func (s *Searcher) startDaemon(kind string) {
	if kind != harness.Prompt && kind != harness.SessionStart {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.k != nil {
		s.k.Close()
	}
	for _, file := range []string{kb.Path(s.home), memory.Dir(s.home)} {
		if _, err := os.Stat(file); err != nil {
			continue
		}
		if source, err := s.source(); err == nil {
			source.Start()
		}
		return
	}
}
