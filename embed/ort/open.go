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

// Model is a model that Open has opened, with its engine.
type Model interface {
	embed.Embedder
	Engine() Engine
	// Resident returns the peak memory of the engine's own process; 0 if it has none, or
	// if it is unknown.
	Resident() int64
	Close() error
}

// Open opens the model in dir with ONNX Runtime if a usable library exists, else with
// hugot. A static model needs neither. say is called once if a library that was found
// cannot be used or has crashed. Errors of the model itself are returned, as by
// minilm.Open.
//
// The library runs in a process of its own. After a first crash it is started again,
// after a second one hugot takes over.
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

// closer is a model that can be closed.
type closer interface {
	embed.Embedder
	Close() error
}

// fallback is a model whose engine may crash.
type fallback struct {
	dir    string
	say    func(string)
	reopen func() (*Embedder, error) // nil if the library is not started again

	mu      sync.RWMutex // guards the fields below; locked for writing to replace them
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

// maxCrashes is how often the library's process is started again.
const maxCrashes = 1

// replace replaces an engine that has crashed, unless another call has done so.
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
			go crashed.Close() // waits for calls that have not noticed the crash yet
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

// Close waits for running calls and releases the model.
func (m *fallback) Close() error {
	m.mu.Lock()
	m.closed = true
	now := m.now
	m.mu.Unlock()
	return now.Close()
}
