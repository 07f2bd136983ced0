package daemon

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"blackboard/board/disk"
	"blackboard/board/fault"
	"blackboard/embed"
	"blackboard/kb"
)

// Modes of a source.
const (
	Auto    = "auto"    // a daemon if one answers, and one is started for the next question
	Off     = "off"     // none is asked
	Require = "require" // no answer without one
)

// Own says when a source loads the model into its own process.
type Own int

// What a process can afford.
const (
	OwnInstead Own = iota // where no daemon answers
	OwnAlone              // where none can have it: none may be asked, or it has another model
	OwnNever              // loading takes longer than there is time
)

type SourceConfig struct {
	Home     string              // the data home
	Env      func(string) string // as PlaceOf needs it
	Build    string              // of this program
	ModelDir string              // of the model, whether there is one or not
	Mode     string              // Auto, Off or Require
	// Shared is set if the knowledge base is in a database: a daemon, which has that of
	// the data home, is asked for embeddings alone.
	Shared bool
	Own    Own
	// Lives is for a process with many questions: a missing daemon starts at once, not at its end.
	Lives bool
	Spawn func(Place) error
	// OpenModel replaces the opening of the embedding model, for tests.
	OpenModel func(ctx context.Context, dir string) (embed.Embedder, func() error, error)
	// Patience comes on top of the time for an answer, for tests that wait for one however long.
	Patience time.Duration
}

const (
	// avoidFor is how long a useless daemon is left alone: each try of a hung one takes seconds.
	avoidFor = 30 * time.Second
	// startWithin is a question's wait for a daemon just started, if only that has the model.
	startWithin = 1500 * time.Millisecond
	// requiredPatience is what a daemon has beyond the time for an answer in mode Require.
	requiredPatience = 30 * time.Second
)

// Source is the knowledge and the model of a data home: a warm daemon's, else the
// file's, or the database's. It alone decides which.
//
//   - A daemon has half of the time that the caller has left, and never longer than its
//     answers take at most (see Client), but for mode Require. The rest is for the file.
//   - One that was of no use is not asked again by this process for half a minute, unless
//     another takes its place.
//   - Where none listens and a question needs the model, one is started in the background:
//     at once by a process that lives, else when it ends. Nobody waits for it but one who
//     has the model from nowhere else.
//   - Without it the file answers. What that lacks is said where what is degraded is said:
//     by the model, whose Embed fails with a NoAnswer. In mode Require that is all there is.
//
// It is safe for concurrent use.
type Source struct {
	cfg SourceConfig

	mu     sync.Mutex
	client *Client // for the place where a daemon was last looked for
	avoid  avoided
	missed bool // a daemon would have spared the loading of the model

	loading  sync.Mutex // guards what follows
	own      embed.Embedder
	closeOwn func() error
}

// avoided is a daemon that is skipped for a while, or the lack of one.
type avoided struct {
	state string // of the client that found it so
	until time.Time
	why   error
}

// NewSource returns a source. It asks nobody anything yet.
func NewSource(cfg SourceConfig) *Source {
	return &Source{cfg: cfg}
}

// Close gives back what the source has, and starts the daemon that it has missed.
func (s *Source) Close() {
	s.mu.Lock()
	missed, c := s.missed, s.client
	s.mu.Unlock()
	if missed {
		s.Start()
	}
	if c != nil {
		c.Close()
	}
	s.loading.Lock()
	defer s.loading.Unlock()
	if s.own != nil {
		s.closeOwn()
	}
}

// Listens reports whether a daemon may be asked and listens.
func (s *Source) Listens() bool {
	c, err := s.at()
	return err == nil && s.cfg.Mode != Off && c.There()
}

// Start starts a daemon in the background, and reports whether it did: only in mode Auto, if none listens, and if there
// is a model that it would keep warm.
func (s *Source) Start() bool {
	if s.cfg.Mode != Auto || !disk.IsDir(s.cfg.Home) || !disk.IsDir(s.cfg.ModelDir) {
		return false
	}
	c, err := s.at()
	return err == nil && !c.There() && s.cfg.Spawn(c.place) == nil
}

// errOff is why no daemon answers in mode Off.
var errOff = fmt.Errorf("%w may be asked", ErrNone)

// NoAnswer is the error of a daemon that was wanted and did not answer. A model that only it has embeds nothing then.
type NoAnswer struct {
	Why      error
	required bool
}

func (e *NoAnswer) Error() string { return fmt.Sprintf("the daemon did not answer: %v", e.Why) }

// Unwrap returns the error for callers that wanted an embedding: fault.Closed, with the next steps. Why is not
// unwrapped, as that is about the daemon.
func (e *NoAnswer) Unwrap() error {
	next := []fault.Step{fault.Do("daemon.start", "{} starts one")}
	if e.required {
		next = append(next, fault.Step{Text: "without BOARD_DAEMON=require, commands work without a daemon"})
	}
	return &fault.Error{Kind: fault.Closed, Msg: e.Error(), Next: next}
}

// at returns a client for where a daemon is to be found, there or not.
func (s *Source) at() (*Client, error) {
	place, err := PlaceOf(s.cfg.Home, s.cfg.Env)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.client == nil || s.client.place != place {
		if s.client != nil {
			s.client.Close()
		}
		s.client = NewClient(place, s.cfg.Build, s.cfg.ModelDir)
		s.client.patience = s.cfg.Patience
		if s.cfg.Mode == Require { // nothing else answers
			s.client.patience += requiredPatience
		}
	}
	return s.client, nil
}

// find returns a client for a useful listening daemon, started if a model needs one.
func (s *Source) find(ctx context.Context, model bool) (*Client, error) {
	c, err := s.at()
	if err != nil {
		return nil, err
	}
	there := c.There()
	s.mu.Lock()
	s.missed = s.missed || model && !there && !s.cfg.Lives
	avoid := s.avoid
	s.mu.Unlock()
	if time.Now().Before(avoid.until) && avoid.state == c.state(there) {
		return nil, avoid.why
	}
	if there {
		return c, nil
	}
	if model && s.cfg.Lives && s.Start() {
		if s.cfg.Own == OwnAlone {
			asking, cancel := patience(ctx)
			defer cancel()
			asking, cancel = context.WithTimeout(asking, startWithin)
			defer cancel()
			if _, err := c.WaitReady(asking); err == nil {
				return c, nil
			}
		}
		s.markUnavailable(ctx, c, false, ErrNone) // the next question need not wait
	}
	return nil, ErrNone
}

// patience bounds what a daemon may take of the time that a caller has.
func patience(ctx context.Context) (context.Context, context.CancelFunc) {
	until, ok := ctx.Deadline()
	if !ok {
		return context.WithCancel(ctx)
	}
	return context.WithDeadline(ctx, until.Add(-time.Until(until)/2))
}

// markUnavailable makes later calls skip this daemon, or that there is none, for avoidFor. It ignores errors that are
// about the query alone, and asks a daemon of another build to end once it is idle.
func (s *Source) markUnavailable(ctx context.Context, c *Client, there bool, why error) {
	other := errors.Is(why, ErrOtherBuild)
	if !other && !errors.Is(why, ErrNone) {
		return
	}
	s.mu.Lock()
	s.avoid = avoided{c.state(there), time.Now().Add(avoidFor), why}
	s.mu.Unlock()
	if other {
		stopping, cancel := patience(ctx)
		defer cancel()
		c.Stop(stopping, true) // then one of this build can be started
	}
}

// state tells a daemon, or none, from the one that takes its place.
func (c *Client) state(there bool) string {
	socket, err := os.Lstat(c.place.Socket)
	if err != nil {
		return "none"
	}
	return fmt.Sprint(there, socket.ModTime())
}

// ask has a daemon answer. If none does, it reports false and a NoAnswer, and the
// caller does without; in mode Require that counts as the answer.
func (s *Source) ask(
	ctx context.Context, model bool, fn func(context.Context, *Client) error,
) (answered bool, err error) {
	if s.cfg.Mode == Off {
		return false, &NoAnswer{Why: errOff}
	}
	c, why := s.find(ctx, model)
	if why == nil {
		asking, cancel := patience(ctx)
		why = fn(asking, c)
		late := asking.Err() != nil
		cancel()
		if why == nil || ctx.Err() == nil && !late && !Unusable(why) {
			return true, why
		}
		if late {
			why = fmt.Errorf("%w: %w", ErrNone, why)
		}
		if ctx.Err() == nil {
			s.markUnavailable(ctx, c, true, why)
		}
	}
	if ctx.Err() != nil {
		return true, ctx.Err()
	}
	required := s.cfg.Mode == Require
	return required, &NoAnswer{why, required}
}

// Opener opens the file, with the source's model or without.
type Opener func(ctx context.Context, model bool) (k *kb.KB, done func(), err error)

// Search answers a question to the knowledge base, with what it has to say; see kb.Searcher.
func (s *Source) Search(
	ctx context.Context, q kb.Query, open Opener,
) (res kb.Result, notes []string, err error) {
	if err := q.Check(); err != nil {
		return res, nil, err
	}
	model := q.Mode != kb.ModeBM25
	if !s.cfg.Shared {
		answered, err := s.ask(ctx, model, func(ctx context.Context, c *Client) (err error) {
			res, notes, err = c.SearchNotes(ctx, q)
			return err
		})
		if answered {
			return res, notes, err
		}
	}
	k, done, err := open(ctx, model)
	if err != nil {
		return kb.Result{}, nil, err
	}
	defer done()
	res, err = k.Search(ctx, q)
	return res, k.TakeNotes(), err
}

// Model is the installed model, or nil. Its holder is asked when there is something to embed.
func (s *Source) Model() embed.Embedder {
	if !disk.IsDir(s.cfg.ModelDir) {
		return nil
	}
	return &model{s: s}
}

// Embedder is Model, but checks at once that the daemon or this process can embed; nil if no model is installed. After
// an error the embedder is still valid: Embed tries again.
func (s *Source) Embedder(ctx context.Context) (embed.Embedder, error) {
	if !disk.IsDir(s.cfg.ModelDir) && s.cfg.Mode != Require {
		return nil, nil
	}
	m := &model{s: s}
	_, err := m.Embed(ctx, nil)
	var none *NoAnswer
	switch {
	case errors.As(err, &none) && !none.required:
		err = nil // it is said by what lacks the embedding
	case errors.Is(err, fault.NoModel):
		return nil, nil
	}
	return m, err
}

// OwnModel returns the installed model, loaded here, nil if none is. For what embeds a
// great deal it is better than the daemon's, which others need meanwhile.
func (s *Source) OwnModel(ctx context.Context) (embed.Embedder, error) {
	e, err := s.load(ctx)
	if errors.Is(err, fault.NoModel) {
		return nil, nil
	}
	return e, err
}

func (s *Source) load(ctx context.Context) (embed.Embedder, error) {
	s.loading.Lock()
	defer s.loading.Unlock()
	if s.own != nil {
		return s.own, nil
	}
	if s.cfg.OpenModel == nil {
		s.cfg.OpenModel = openModel
	}
	e, done, err := s.cfg.OpenModel(ctx, s.cfg.ModelDir)
	if err != nil {
		return nil, err
	}
	s.own, s.closeOwn = e, done
	return e, nil
}

// loadLocal loads the model into this process after a daemon has failed, or returns why it failed if the setting Own
// forbids to load.
func (s *Source) loadLocal(ctx context.Context, why error) (embed.Embedder, error) {
	var none *NoAnswer
	never := errors.As(why, &none) &&
		(errors.Is(none.Why, errOff) || errors.Is(none.Why, ErrOtherModel))
	if none != nil && none.required || s.cfg.Own == OwnNever || s.cfg.Own == OwnAlone && !never {
		return nil, why
	}
	return s.load(ctx)
}

// model is a source's model: the daemon's, or the one that is loaded here.
type model struct {
	s *Source

	mu   sync.Mutex
	told embed.Model // as who has it describes it; zero: nobody was asked yet, or nobody answered
}

var _ embed.Embedder = (*model)(nil)

// Model describes the model; see embed.Embedder. Until its holder answers only the name is known.
func (m *model) Model() embed.Model {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.told.Dim == 0 {
		return embed.Model{Name: filepath.Base(m.s.cfg.ModelDir)}
	}
	return m.told
}

// Embed embeds; see embed.Embedder. If the daemon goes away, the model is loaded here, if allowed.
func (m *model) Embed(ctx context.Context, texts []string) (vs []embed.Vector, err error) {
	m.s.loading.Lock()
	own := m.s.own
	m.s.loading.Unlock()
	if own == nil {
		answered, err := m.s.ask(ctx, true, func(ctx context.Context, c *Client) error {
			is, got, err := c.Embed(ctx, texts)
			if err == nil {
				vs, err = got, m.same(is)
			}
			return err
		})
		switch {
		case answered && err == nil:
			return vs, nil
		case ctx.Err() != nil:
			return nil, ctx.Err()
		}
		if own, err = m.s.loadLocal(ctx, err); err != nil {
			return nil, err
		}
	}
	if err := m.same(own.Model()); err != nil {
		return nil, err
	}
	return own.Embed(ctx, texts)
}

// same notes what model it is, and refuses another later on.
func (m *model) same(is embed.Model) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.told.Dim == 0 {
		m.told = is
	}
	if is.Name != m.told.Name || is.Dim != m.told.Dim {
		return fmt.Errorf("%w: it was replaced meanwhile: %s with %d dimensions was there, "+
			"now it is %s with %d", fault.BadModel, m.told.Name, m.told.Dim, is.Name, is.Dim)
	}
	return nil
}
