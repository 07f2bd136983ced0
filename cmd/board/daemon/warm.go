package daemon

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"blackboard/board/fault"
	"blackboard/embed"
	"blackboard/kb"
	kbhome "blackboard/kb/home"
)

// warm is what the daemon keeps open: the model, and the knowledge base with it.
type warm struct {
	cfg *Config
	log *slog.Logger

	mu         sync.RWMutex // read while in use, written to replace it
	loaded     bool
	model      embed.Embedder // nil: none is installed, or it is broken
	closing    func() error
	modelStamp string // of the files that the model was loaded from
	modelErr   error
	kb         *kb.KB // nil: there is none yet
	watch      *watcher
}

// cachingEmbedder is a model that remembers the vector of the text it was asked for last: a
// prompt asks the knowledge base, and then the memory.
type cachingEmbedder struct {
	embed.Embedder

	mu     sync.Mutex
	text   string
	vector embed.Vector
}

func (l *cachingEmbedder) Embed(ctx context.Context, texts []string) ([]embed.Vector, error) {
	if len(texts) != 1 {
		return l.Embedder.Embed(ctx, texts)
	}
	l.mu.Lock()
	text, v := l.text, l.vector
	l.mu.Unlock()
	if v != nil && text == texts[0] {
		return []embed.Vector{slices.Clone(v)}, nil
	}
	vs, err := l.Embedder.Embed(ctx, texts)
	if err == nil && len(vs) == 1 {
		l.mu.Lock()
		l.text, l.vector = texts[0], slices.Clone(vs[0])
		l.mu.Unlock()
	}
	return vs, err
}

// load opens everything before it is asked for. An error is only logged, as the first request gets it, too.
func (w *warm) load(ctx context.Context) {
	if err := w.use(ctx, true, func(*held) error { return nil }); err != nil && !errors.Is(err, fault.NotFound) {
		w.log.Warn("nothing to keep warm yet", "error", err)
	}
}

type held struct {
	kb    *kb.KB
	model embed.Embedder
	notes []string
}

// use calls fn with the model, and with the knowledge base if it is needed, as they are
// on the disk now. They stay open until fn returns.
func (w *warm) use(ctx context.Context, needKB bool, fn func(*held) error) error {
	for {
		used, err := w.tryUse(needKB, fn)
		if used && !errors.Is(err, fault.Gone) { // it was removed, and maybe made anew, just now
			return err
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err := w.refresh(ctx, needKB); err != nil {
			return err
		}
	}
}

// tryUse calls fn if what is open is what is on the disk.
func (w *warm) tryUse(needKB bool, fn func(*held) error) (used bool, err error) {
	w.mu.RLock()
	defer w.mu.RUnlock() // also of a panic that the server survives
	if !w.isCurrent(needKB) {
		return false, nil
	}
	h := &held{model: w.model}
	if w.modelErr != nil {
		h.notes = append(h.notes, fmt.Sprintf("the embedding model cannot be used: %v", w.modelErr))
	}
	if needKB {
		h.kb = w.kb
		w.watch.settle()
		h.notes = append(h.notes, w.kb.TakeNotes()...)
	}
	return true, fn(h)
}

// withModel calls fn with the model. It returns fault.NoModel if there is none.
func (w *warm) withModel(ctx context.Context, fn func(embed.Embedder) error) error {
	return w.use(ctx, false, func(h *held) error {
		if h.model == nil {
			return fault.NoModel
		}
		return fn(h.model)
	})
}

// isCurrent reports whether what is open is what is on the disk.
func (w *warm) isCurrent(needKB bool) bool {
	if !w.loaded || w.modelStamp != modelStamp(w.cfg.ModelDir) {
		return false
	}
	return !needKB || w.kb != nil && w.kb.CheckFile() == nil
}

func (w *warm) refresh(ctx context.Context, needKB bool) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.isCurrent(needKB) {
		return nil
	}
	if stamp := modelStamp(w.cfg.ModelDir); !w.loaded || stamp != w.modelStamp {
		w.closeAll()
		w.modelErr = nil
		m, closing, err := w.cfg.OpenModel(ctx, w.cfg.ModelDir)
		switch {
		case err == nil:
			w.model, w.closing = &cachingEmbedder{Embedder: m}, closing
			w.log.Info("model loaded", "model", m.Model().Name, "dir", w.cfg.ModelDir)
		case ctx.Err() != nil:
			return ctx.Err()
		case !errors.Is(err, fault.NoModel):
			w.modelErr = err
			w.log.Warn("the model cannot be used", "dir", w.cfg.ModelDir, "error", err)
		}
		w.modelStamp, w.loaded = stamp, true
	}
	if !needKB || w.kb != nil && w.kb.CheckFile() == nil {
		return nil
	}
	w.closeKB()
	opt := kb.Options{Warm: true, Actor: "daemon", Now: w.cfg.Now}
	if w.model != nil {
		opt.Embedder = w.model
	}
	// A request that is called off must not leave the opening half done for the others.
	k, err := kbhome.Knowledge(context.WithoutCancel(ctx), w.cfg.Place.Home, opt)
	if err != nil {
		return err
	}
	w.kb, w.watch = k, newWatcher(w.log).watch(k, kb.Sidecars(w.cfg.Place.Home))
	return nil
}

func (w *warm) closeKB() {
	if w.kb == nil {
		return
	}
	w.watch.close()
	const patience = 2 * time.Second
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := w.kb.Checkpoint(ctx); err != nil && !errors.Is(err, fault.Gone) {
		w.log.Debug("checkpoint", "error", err)
	}
	if err := w.kb.Close(); err != nil {
		w.log.Warn("closing the knowledge base", "error", err)
	}
	w.kb, w.watch = nil, nil
}

func (w *warm) closeAll() {
	w.closeKB()
	if w.closing != nil {
		if err := w.closing(); err != nil {
			w.log.Warn("closing the model", "error", err)
		}
	}
	w.model, w.closing, w.loaded = nil, nil, false
}

func (w *warm) close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.closeAll()
}

func modelStamp(dir string) string {
	return stampOf([]string{dir, filepath.Join(dir, "onnx")}, func(fs.FileInfo) bool { return true })
}

// stampOf has names, sizes and times of the files that count, to see whether any changed.
func stampOf(dirs []string, counts func(fs.FileInfo) bool) (s string) {
	for _, dir := range dirs {
		entries, err := os.ReadDir(dir)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			s += err.Error() + "\n"
		}
		for _, e := range entries {
			if info, err := e.Info(); err == nil && info.Mode().IsRegular() && counts(info) {
				s += fmt.Sprintf("%s %d %d\n", e.Name(), info.Size(), info.ModTime().UnixNano())
			}
		}
	}
	return s
}
