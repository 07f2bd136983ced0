package ort

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"blackboard/board/fault"
	"blackboard/embed"
	"blackboard/embed/minilm"
)

// Model is a model that was opened by Open, with the engine that computes it.
type Model interface {
	embed.Embedder
	Engine() Engine
	// Resident is how much memory the engine's own process has at most had; 0 if it has
	// none, or the system does not say.
	Resident() int64
	Close() error
}

// Open opens the model in dir with ONNX Runtime, if there is a library that can be used,
// else with hugot; a static model needs neither. say is told once what is wrong with a
// library that was found, or with how it ended; a model that is at fault is an error, as
// in minilm.Open.
//
// The library runs in a process of its own. If that crashes it is started again, and if
// it crashes again hugot goes on.
func Open(
	ctx context.Context, dir string, getenv func(string) string, say func(problem string),
) (Model, error) {
	f, err := minilm.Read(ctx, dir)
	if err != nil {
		return nil, err
	}
	if f.Static() {
		e, err := minilm.Open(ctx, dir)
		if err != nil {
			return nil, err
		}
		engine := Engine{Name: Table, Why: "a static model needs no engine"}
		return &fallback{dir: dir, say: say, engine: engine, now: e}, nil
	}
	var native *Embedder
	engine, err := choose(getenv, func(path string) (string, error) {
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		var err error
		if native, err = open(f, path, threads()); err != nil {
			return "", err
		}
		return native.Version(), nil
	}, func(error) bool { return ctx.Err() != nil })
	if err != nil {
		return nil, err
	}
	m := &fallback{dir: dir, say: say, engine: engine}
	if native != nil {
		m.reopen = func() (*Embedder, error) { return open(f, engine.Library, threads()) }
		m.use(native)
		return m, nil
	}
	reference, err := minilm.Open(ctx, dir)
	if err != nil {
		return nil, err
	}
	if engine.Problem != "" {
		say("ONNX Runtime is not used: " + engine.Problem)
	}
	m.use(reference)
	return m, nil
}

// closer is what fallback falls back from and to.
type closer interface {
	embed.Embedder
	Close() error
}

// fallback is a model whose engine may crash.
type fallback struct {
	dir    string
	say    func(string)
	reopen func() (*Embedder, error) // nil once there is nothing to open again

	mu      sync.RWMutex // written to replace what follows
	now     closer
	engine  Engine
	crashes int
	closed  bool
}

func (m *fallback) use(e closer) { m.now = e }

// Model describes the model; see embed.Embedder.
func (m *fallback) Model() embed.Model { e, _ := m.current(); return e.Model() }

func (m *fallback) Engine() Engine { _, engine := m.current(); return engine }

func (m *fallback) current() (closer, Engine) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.now, m.engine
}

func (m *fallback) Resident() int64 {
	if e, _ := m.current(); e != nil {
		if native, ok := e.(*Embedder); ok {
			return native.resident()
		}
	}
	return 0
}

// Embed embeds texts; see embed.Embedder.
func (m *fallback) Embed(ctx context.Context, texts []string) ([]embed.Vector, error) {
	for {
		e, _ := m.current()
		vectors, err := e.Embed(ctx, texts)
		if !errors.Is(err, errGone) {
			return vectors, err
		}
		if err := m.replace(ctx, e, err); err != nil {
			return nil, err
		}
	}
}

// maxCrashes is how often a process of the library is started again.
const maxCrashes = 1

// replace puts another engine in the place of one that has crashed, unless somebody has
// done so already.
func (m *fallback) replace(ctx context.Context, crashed closer, why error) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.now != crashed {
		return nil
	}
	if m.closed {
		return fault.Closed.New("the model "+crashed.Model().Name+" was closed", "")
	}
	if m.crashes++; m.crashes <= maxCrashes {
		if again, err := m.reopen(); err == nil {
			go crashed.Close() // waits for calls, which have yet to see the crash
			m.now = again
			return nil
		}
	}
	reference, err := minilm.Open(ctx, m.dir)
	if err != nil {
		return err
	}
	go crashed.Close()
	m.now = reference
	problem := fmt.Sprintf("%s: %v", m.engine.Library, why)
	m.engine = Engine{Name: Hugot, Why: "ONNX Runtime has crashed", Problem: problem}
	m.say("ONNX Runtime is not used any more: " + m.engine.Problem)
	return nil
}

// Close waits for the calls that are under way and releases the model.
func (m *fallback) Close() error {
	m.mu.Lock()
	m.closed = true
	now := m.now
	m.mu.Unlock()
	return now.Close()
}
