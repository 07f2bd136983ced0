package daemon

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"

	"blackboard/kb"
)

// watcher picks up edits of capsules' files by hand as they happen.
type watcher struct {
	pickUp func(context.Context, string) error      // looks at the file of one capsule
	lookAt func(context.Context) (kb.Synced, error) // looks at all files
	log    *slog.Logger
	fs     *fsnotify.Watcher // nil: the system cannot watch
	dir    string            // that is watched
	add    func() error      // has it watched again
	ctx    context.Context
	stop   context.CancelFunc
	ended  chan struct{}
	every  time.Duration // unwatched

	settling sync.Mutex // held while files are looked at one by one

	mu      sync.Mutex
	changed map[string]bool // ids of files that were written and not looked at yet
	full    bool            // look at all of them
}

const (
	// debounceDelay is how long edits gather: an editor's to one file, git's to many.
	debounceDelay = 100 * time.Millisecond
	// manyChanged is how many files are looked at one by one; beyond, all are, beside searches.
	manyChanged = 200
	// unwatched is how often all files are looked at while they cannot be watched.
	unwatched = 30 * time.Second
)

func (w *watcher) watch(k *kb.KB, dir string) *watcher {
	w.pickUp, w.lookAt, w.dir = k.PickUp, k.Sync, filepath.Clean(dir)
	f, err := fsnotify.NewWatcher()
	if err == nil {
		if err = os.MkdirAll(dir, 0o700); err == nil {
			err = f.Add(dir)
		}
		if err != nil {
			f.Close()
			f = nil
		}
	}
	if err != nil {
		w.log.Warn("no file notifications; files are checked regularly", "error", err)
	}
	if w.fs = f; f == nil {
		go w.run(nil, nil)
	} else {
		w.add = func() error { return f.Add(dir) }
		go w.run(f.Events, f.Errors)
	}
	return w
}

func newWatcher(log *slog.Logger) *watcher {
	// what happened before the watching began
	w := &watcher{log: log, every: unwatched, ended: make(chan struct{}), changed: map[string]bool{}, full: true}
	w.ctx, w.stop = context.WithCancel(context.Background())
	return w
}

// run looks at files on events, else now and then. The system watches a directory, not a name:
// what takes a removed or renamed one's place is watched anew.
func (w *watcher) run(events <-chan fsnotify.Event, errs <-chan error) {
	defer close(w.ended)
	if w.fs != nil {
		defer w.fs.Close()
	}
	every := time.Duration(1<<63 - 1)
	if events == nil {
		every = w.every
	}
	again := time.NewTicker(every)
	defer again.Stop()
	timer := time.NewTimer(debounceDelay)
	defer timer.Stop()
	lost := false // nothing is watched any more
	syncNow := func() {
		if w.sync(); !lost {
			return
		}
		if err := w.add(); err != nil {
			w.log.Warn("file notifications have stopped; files are checked regularly", "error", err)
			again.Reset(w.every)
			return
		}
		lost = false
		again.Stop()
		w.lookAtAll() // what happened before it was watched again
		timer.Reset(debounceDelay)
	}
	for {
		select {
		case e := <-events:
			if w.isLoss(e) {
				lost = true
				w.lookAtAll()
			} else {
				w.note(e)
			}
			timer.Reset(debounceDelay)
		case err := <-errs: // more happened than it could keep
			w.log.Debug("watching files", "error", err)
			w.lookAtAll()
			timer.Reset(debounceDelay)
		case <-again.C:
			w.lookAtAll()
			syncNow()
		case <-timer.C:
			w.settle()
			syncNow()
		case <-w.ctx.Done():
			return
		}
	}
}

func (w *watcher) isLoss(e fsnotify.Event) bool {
	return (e.Has(fsnotify.Remove) || e.Has(fsnotify.Rename)) && filepath.Clean(e.Name) == w.dir
}

// note remembers which file something happened to.
func (w *watcher) note(e fsnotify.Event) {
	name := filepath.Base(e.Name)
	id, ok := strings.CutSuffix(name, ".md")
	// a file that is being written; its last name comes too
	if !ok || strings.HasPrefix(name, ".") {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if e.Has(fsnotify.Remove) || e.Has(fsnotify.Rename) || len(w.changed) >= manyChanged {
		// whether a file that is gone was removed by somebody is judged by all of them
		w.full = true
	}
	if len(w.changed) < manyChanged {
		w.changed[id] = true
	}
}

func (w *watcher) lookAtAll() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.full = true
}

// settle picks up the edits that are known of. It is called before each search, and
// mostly has nothing to do; while another does it, it waits.
func (w *watcher) settle() {
	w.settling.Lock()
	defer w.settling.Unlock()
	w.mu.Lock()
	changed := w.changed
	w.changed = map[string]bool{}
	w.mu.Unlock()
	for id := range changed {
		if err := w.pickUp(w.ctx, id); err != nil && w.ctx.Err() == nil {
			w.log.Warn("an edit by hand could not be picked up", "capsule", id, "error", err)
			w.lookAtAll()
		}
	}
}

// sync looks at all files, if that is due. Searches do not wait for it.
func (w *watcher) sync() {
	w.mu.Lock()
	full := w.full
	w.full = false
	w.mu.Unlock()
	if !full {
		return
	}
	if s, err := w.lookAt(w.ctx); err != nil && w.ctx.Err() == nil {
		w.log.Warn("edits by hand could not be picked up", "error", err)
	} else if n := len(s.PickedUp) + len(s.Added) + len(s.Quarantined); n > 0 {
		w.log.Info("edits by hand picked up", "picked_up", len(s.PickedUp), "added", len(s.Added), "quarantined", len(s.Quarantined))
	}
}

func (w *watcher) close() {
	w.stop()
	<-w.ended
}
