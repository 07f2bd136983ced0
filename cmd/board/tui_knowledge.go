package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"time"

	"blackboard/cmd/board/daemon"
	"blackboard/embed"
	"blackboard/embed/minilm"
	"blackboard/kb"
	"blackboard/tui"
)

// screenKnowledge is the knowledge base as the screen has it: searches go to the daemon where there is one, else to the file, which is opened when it is first needed and kept open. It is
// safe for concurrent use, and prints nothing: what there is to say is kept until the terminal is everybody's again.
type screenKnowledge struct {
	p            *program
	home, worker string
	model        screenModel

	mu     sync.Mutex
	k      *kb.KB // nil: not opened yet
	as     openedAs
	opened []*kb.KB // all that were opened: one that is replaced may still be searched
	given  []*kb.KB // those that their receiver closes
	notes  []string
	avoid  time.Time // until when no daemon is asked, since one was of no use
	sync   time.Time // when edits by hand are looked for again
	count  int64     // of capsules that stand, -1 if there is no knowledge base
	again  time.Time // when they are counted again
}

// openedAs is how the file was opened. It is opened anew for what needs more, and when a model has come or gone.
type openedAs struct{ model, warm bool }

const (
	// avoidFor is how long a daemon that was of no use is left alone: each try of one that hangs takes seconds.
	avoidFor = 30 * time.Second
	// lookEvery is how often edits by hand are looked for, and statusEvery how often capsules are counted, but for so many that it would take more than a fiftieth of the time.
	lookEvery   = 2 * time.Second
	statusEvery = 5 * time.Second
	lookShare   = 50
	// lookWithin is how long a search waits for edits by hand to be picked up: the next one will find them.
	lookWithin = time.Second
	// mostNotes bounds what is kept to be said at the end.
	mostNotes = 50
)

// Search answers a question; see kb.Searcher.
func (s *screenKnowledge) Search(ctx context.Context, q kb.Query) (kb.Result, error) {
	if err := q.Check(); err != nil {
		return kb.Result{}, err
	}
	client, err := s.daemon()
	if err != nil {
		return kb.Result{}, err
	}
	if client != nil {
		defer client.Close()
		res, notes, err := client.SearchNotes(ctx, q)
		if !daemon.Unusable(err) || ctx.Err() != nil {
			s.note(notes...)
			return res, err
		}
		if err := s.useless(ctx, client, err); err != nil {
			return kb.Result{}, err
		}
	}
	k, err := s.open(ctx, true)
	if err != nil {
		return kb.Result{}, err
	}
	res, err := k.Search(ctx, q)
	s.note(k.TakeNotes()...)
	return res, err
}

// daemon is a client for a daemon that listens; nil if there is none, or none is to be asked now. It is an error if there must be one.
func (s *screenKnowledge) daemon() (*daemon.Client, error) {
	mode, err := s.p.daemonMode()
	if err != nil || mode == daemonOff {
		return nil, err
	}
	s.mu.Lock()
	avoid := time.Now().Before(s.avoid)
	s.mu.Unlock()
	if avoid && mode != daemonRequire {
		return nil, nil
	}
	client, _, err := s.p.daemonClient()
	if err == nil {
		if client.There() {
			return client, nil
		}
		client.Close()
		err = daemon.ErrNone
	}
	if mode == daemonRequire {
		return nil, daemonRequired(err)
	}
	return nil, nil
}

// useless notes that the daemon could not answer, which is an error if the user does not want to do without.
func (s *screenKnowledge) useless(ctx context.Context, c *daemon.Client, why error) error {
	if errors.Is(why, daemon.ErrOtherBuild) {
		c.StopOther(ctx)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.avoid = time.Now().Add(avoidFor)
	if s.p.env("BOARD_DAEMON") == daemonRequire {
		return daemonRequired(why)
	}
	return nil
}

// open is the knowledge base of the data home: warm for searches, which keeps in memory what they read. What was edited by hand since is picked up.
func (s *screenKnowledge) open(ctx context.Context, warm bool) (*kb.KB, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	want := openedAs{model: dirExists(s.p.usedModelDir(s.home)), warm: warm || s.as.warm}
	if s.k != nil && s.as == want && s.k.StillThere() == nil {
		s.look(ctx)
		return s.k, nil
	}
	opt := kb.Options{Actor: s.worker, Warm: want.warm, Embedder: s.embedder(want.model)}
	// A question that is called off must not leave the opening half done for the next.
	k, err := kb.OpenExisting(context.WithoutCancel(ctx), s.home, opt)
	if err != nil {
		return nil, err
	}
	s.k, s.as, s.opened = k, want, append(s.opened, k)
	s.sync = time.Now().Add(lookEvery) // opening has looked
	return k, nil
}

// embedder is the model, which is loaded by the first text that it is given; nil if none is installed.
func (s *screenKnowledge) embedder(installed bool) embed.Embedder {
	if !installed {
		return nil
	}
	s.model.describe(s.p, s.home)
	return &s.model
}

// look picks up what was edited by hand, now and then.
func (s *screenKnowledge) look(ctx context.Context) {
	start := time.Now()
	if start.Before(s.sync) {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, lookWithin)
	defer cancel()
	done, err := s.k.Sync(ctx)
	s.keep(append(done.Quarantined, done.Notes...)...)
	if err != nil && ctx.Err() == nil {
		s.keep(fmt.Sprintf("what was changed by hand could not be picked up: %v", err))
	}
	now := time.Now()
	s.sync = now.Add(max(lookEvery, lookShare*now.Sub(start)))
}

// knowledge opens the knowledge base for all that is not a search, and with create makes it if there is none. Whoever asked closes it.
func (s *screenKnowledge) knowledge(ctx context.Context, create bool) (*kb.KB, error) {
	open := kb.OpenExisting
	if create {
		open = kb.Open
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	k, err := open(ctx, s.home, kb.Options{Actor: s.worker, Embedder: s.embedder(dirExists(s.p.usedModelDir(s.home)))})
	if err == nil {
		s.given = append(s.given, k)
	}
	return k, err
}

// status is what the status bar shows.
func (s *screenKnowledge) status(ctx context.Context) tui.Status {
	st := tui.Status{Capsules: s.capsules(ctx), Daemon: "off"}
	if dir := s.p.usedModelDir(s.home); dirExists(dir) {
		st.Model = s.model.describe(s.p, s.home).Name
	}
	if mode, err := s.p.daemonMode(); err != nil || mode == daemonOff {
		return st
	}
	if client, _, err := s.p.daemonClient(); err == nil {
		if client.There() {
			st.Daemon = "on"
		}
		client.Close()
	}
	return st
}

// capsules counts those that stand, now and then; -1 if there is no knowledge base, or it cannot be read.
func (s *screenKnowledge) capsules(ctx context.Context) int64 {
	start := time.Now()
	s.mu.Lock()
	n, due := s.count, !start.Before(s.again)
	s.mu.Unlock()
	if !due {
		return n
	}
	n = -1
	if _, err := os.Stat(kb.Path(s.home)); err == nil { // looking at it must not make one
		if k, err := s.open(ctx, false); err == nil {
			if st, err := k.Stats(ctx); err == nil {
				n = st.Standing
			}
		}
	}
	now := time.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.count, s.again = n, now.Add(max(statusEvery, lookShare*now.Sub(start)))
	return n
}

func (s *screenKnowledge) note(notes ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.keep(notes...)
}

// keep keeps what is to be said at the end, each thing once.
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
	for _, k := range append(s.given, s.opened...) {
		s.keep(k.TakeNotes()...)
	}
	for _, k := range s.opened {
		k.Close()
	}
	s.model.close()
	for _, n := range s.notes {
		s.p.talk("note: %s", safe(n))
	}
}

var _ kb.Searcher = (*screenKnowledge)(nil)

// screenModel is the embedding model as the screen has it. The first text loads it: the daemon's where there is one, else here.
type screenModel struct {
	mu   sync.Mutex
	p    *program
	told embed.Model // what the model's files say
	e    embed.Embedder
	done func()
}

var _ embed.Embedder = (*screenModel)(nil)

// describe reads the name of the model from its files, once.
func (m *screenModel) describe(p *program, home string) embed.Model {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.p == nil {
		info, _ := minilm.Inspect(p.usedModelDir(home)) // what is wrong with it is said to whoever uses it
		m.p, m.told = p, embed.Model{Name: info.Name, Dim: info.Dim, MaxTokens: info.MaxTokens}
	}
	return m.told
}

// Model describes the model; see embed.Embedder. Before the first text is embedded it is what its files say.
func (m *screenModel) Model() embed.Model {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.e != nil {
		return m.e.Model()
	}
	return m.told
}

// Embed embeds texts; see embed.Embedder.
func (m *screenModel) Embed(ctx context.Context, texts []string) ([]embed.Vector, error) {
	e, err := m.load(ctx)
	if err != nil {
		return nil, err
	}
	return e.Embed(ctx, texts)
}

func (m *screenModel) load(ctx context.Context) (embed.Embedder, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.e != nil {
		return m.e, nil
	}
	e, done, err := m.p.embedder(context.WithoutCancel(ctx)) // the next question wants it too
	if err != nil {
		return nil, err
	}
	if e == nil {
		return nil, errNoModel
	}
	m.e, m.done = e, done
	return e, nil
}

// close gives the model back.
func (m *screenModel) close() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.done != nil {
		m.done()
	}
}
