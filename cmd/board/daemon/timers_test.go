package daemon

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fsnotify/fsnotify"

	"blackboard/board"
	"blackboard/kb"
	"blackboard/testdata/expect"
)

// watched is a watcher whose looking is noted.
type watched struct {
	*watcher
	mu    sync.Mutex
	start time.Time
	saw   []string // what was looked at, and when
	fails bool
}

func newWatched() *watched {
	w := &watched{watcher: newWatcher(slog.New(slog.DiscardHandler)), start: time.Now()}
	note := func(what string) {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.saw = append(w.saw, fmt.Sprintf("%s %v", what, time.Since(w.start)))
	}
	w.pickUp = func(_ context.Context, id string) error {
		note(id)
		if w.fails {
			return errors.New("no luck")
		}
		return nil
	}
	w.lookAt = func(context.Context) (kb.Synced, error) { note("all"); return kb.Synced{}, nil }
	return w
}

func (w *watched) took() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	s := strings.Join(w.saw, ", ")
	w.saw = nil
	return s
}

// restart counts the time from now on.
func (w *watched) restart() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.start = time.Now()
}

// TestWatcherGathersABurst plays the timers of the watcher.
func TestWatcherGathersABurst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWatched()
		events, errs := make(chan fsnotify.Event), make(chan error)
		go w.run(events, errs)
		time.Sleep(time.Second)
		if got := w.took(); got != "all 100ms" { // what happened before the watching began
			t.Errorf("at first: %s", got)
		}
		// An editor that writes in pieces, for a while: it is looked at once, when it is quiet.
		for range 5 {
			events <- fsnotify.Event{Name: "/x/k1.md", Op: fsnotify.Write}
			events <- fsnotify.Event{Name: "/x/.k1.md.tmp", Op: fsnotify.Create}
			time.Sleep(60 * time.Millisecond)
		}
		time.Sleep(time.Minute)
		if got := w.took(); got != "k1 1.34s" {
			t.Errorf("after a burst: %s", got)
		}
		// A search does not wait for quiet.
		events <- fsnotify.Event{Name: "/x/k2.md", Op: fsnotify.Write}
		synctest.Wait()
		w.settle()
		if got := w.took(); got != "k2 1m1.3s" {
			t.Errorf("before a search: %s", got)
		}
		// A file that is gone is judged by all of them.
		events <- fsnotify.Event{Name: "/x/k3.md", Op: fsnotify.Remove}
		time.Sleep(time.Second)
		if got := w.took(); got != "k3 1m1.4s, all 1m1.4s" {
			t.Errorf("after a removal: %s", got)
		}
		// Many at once, an overflow, and one that cannot be picked up: all of them, once each.
		for i := range manyChanged + 5 {
			events <- fsnotify.Event{Name: fmt.Sprintf("/x/m%d.md", i), Op: fsnotify.Create}
		}
		time.Sleep(time.Second)
		if got := strings.Count(w.took(), ","); got != manyChanged {
			t.Errorf("of many, %d were looked at", got)
		}
		errs <- fsnotify.ErrEventOverflow
		time.Sleep(time.Second)
		if got := w.took(); !strings.HasPrefix(got, "all ") || strings.Contains(got, ",") {
			t.Errorf("after an overflow: %s", got)
		}
		w.fails = true
		events <- fsnotify.Event{Name: "/x/k4.md", Op: fsnotify.Write}
		time.Sleep(time.Second)
		if got := w.took(); strings.Count(got, "k4") != 1 || strings.Count(got, "all") != 1 {
			t.Errorf("of one that cannot be picked up: %s", got)
		}
		w.watcher.close()
	})
}

// TestWatcherWithoutEvents plays a system that cannot watch.
func TestWatcherWithoutEvents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWatched()
		go w.run(nil, nil)
		time.Sleep(unwatched + time.Second)
		if got := w.took(); got != "all 100ms, all 30s" {
			t.Error(got)
		}
		time.Sleep(10 * unwatched)
		if got := strings.Count(w.took(), "all"); got != 10 {
			t.Errorf("in ten turns it looked %d times", got)
		}
		w.watcher.close()
	})
}

// TestWatcherLosesItsDirectory plays a directory that is removed, or renamed, and comes back some
// time later.
func TestWatcherLosesItsDirectory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWatched()
		var there atomic.Bool
		w.dir, w.add = "/x/capsules", func() error {
			if !there.Load() {
				return errors.New("no such directory")
			}
			return nil
		}
		events := make(chan fsnotify.Event)
		go w.run(events, nil)
		time.Sleep(time.Second)
		w.took()
		// Something of the same name in it is no loss.
		events <- fsnotify.Event{Name: "/x/capsules/capsules", Op: fsnotify.Remove}
		time.Sleep(time.Hour)
		if got := w.took(); got != "" {
			t.Errorf("after a file of that name: %s", got)
		}
		for _, op := range []fsnotify.Op{fsnotify.Remove, fsnotify.Rename} {
			there.Store(false)
			w.restart()
			events <- fsnotify.Event{Name: "/x/capsules", Op: op}
			time.Sleep(2*unwatched + time.Second)
			if got := w.took(); got != "all 100ms, all 30.1s, all 1m0.1s" {
				t.Errorf("%v, while it is gone: %s", op, got)
			}
			// It is watched again, and what happened before is looked for; from then on only what
			// happens is.
			there.Store(true)
			time.Sleep(time.Hour)
			if got := w.took(); got != "all 1m30.1s, all 1m30.2s" {
				t.Errorf("%v, when it is back: %s", op, got)
			}
			events <- fsnotify.Event{Name: "/x/capsules/k1.md", Op: fsnotify.Write}
			time.Sleep(time.Second)
			if got := w.took(); got != "k1 1h1m1.1s" {
				t.Errorf("%v, after it: %s", op, got)
			}
			// One that is replaced at once is watched at once.
			w.restart()
			events <- fsnotify.Event{Name: "/x/capsules", Op: op}
			time.Sleep(time.Hour)
			if got := w.took(); got != "all 100ms, all 200ms" {
				t.Errorf("%v, replaced at once: %s", op, got)
			}
		}
		w.watcher.close()
	})
}

// reader reads a stream, and notes when what came.
type reader struct {
	header http.Header
	start  time.Time
	mu     sync.Mutex
	got    []string
}

func (r *reader) Header() http.Header              { return r.header }
func (r *reader) WriteHeader(int)                  {}
func (r *reader) Flush()                           {}
func (r *reader) SetWriteDeadline(time.Time) error { return nil }
func (r *reader) SetReadDeadline(time.Time) error  { return nil }
func (r *reader) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	line, _, _ := strings.Cut(string(p), "\n")
	r.got = append(r.got, fmt.Sprintf("%s %v", line, time.Since(r.start)))
	return len(p), nil
}

func (r *reader) took() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := strings.Join(r.got, "; ")
	r.got = nil
	return s
}

// TestStreamTimers plays a stream: the beat where nothing happens, a board that comes, and its
// end.
func TestStreamTimers(t *testing.T) {
	dir := t.TempDir()
	place := placeOf(t, dir)
	t.Setenv("BOARD_WATCH", "poll") // time does not go on while a goroutine waits for the system
	synctest.Test(t, func(t *testing.T) {
		s := newServer(Config{Place: place, Build: "test", Idle: time.Hour})
		r := &reader{header: http.Header{}, start: time.Now()}
		req := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/v1/events", nil)
		req.Header.Set(headerBuild, "test")
		done := make(chan struct{})
		go func() { s.events(r, req); close(done) }()
		time.Sleep(40 * time.Second)
		if got := r.took(); got != ": events 0s; : still here 15s; : still here 30s" {
			t.Errorf("where nothing happens: %s", got)
		}
		b := expect.Value(board.Create(t.Context(), filepath.Join(dir, "boards"), "r", "", "w", nil))(t)
		time.Sleep(lookForRuns + time.Second)
		if got := r.took(); !strings.Contains(got, "event: gate 40s") && !strings.Contains(got, "event: gate 42s") {
			t.Errorf("a board that came: %s", got)
		}
		if err := b.Close(); err != nil {
			t.Error(err)
		}
		if s.idle() < 40*time.Second || s.active.Load() != 1 {
			t.Errorf("idle for %v with %d active", s.idle(), s.active.Load())
		}
		s.end() // the server ends
		<-done
		if s.idle() != 0 || s.active.Load() != 0 {
			t.Errorf("after it: idle for %v with %d active", s.idle(), s.active.Load())
		}
	})
}

// TestPlaceIsWatched plays the timer that ends a daemon nobody can reach.
func TestPlaceIsWatched(t *testing.T) {
	dir := t.TempDir()
	place := placeOf(t, dir)
	place.Socket = filepath.Join(dir, "socket")
	for _, gone := range []string{place.Socket, dir} {
		expect.OK(t, os.WriteFile(place.Socket, nil, 0o600))
		synctest.Test(t, func(t *testing.T) {
			s := newServer(Config{Place: place, Idle: -1})
			defer s.end()
			start := time.Now()
			go s.watchPlace(t.Context())
			time.Sleep(time.Hour)
			select {
			case <-s.stopping:
				t.Fatalf("it ends: %s", s.why)
			default:
			}
			expect.OK(t, os.RemoveAll(gone))
			<-s.stopping
			if took := time.Since(start) - time.Hour; took > 2*time.Second {
				t.Errorf("it ends after %v", took)
			}
		})
	}
}

// TestClockThatIsSet plays a clock on the wall that jumps: nothing is done by it for an hour, and
// the daemon neither ends nor stays for it.
func TestClockThatIsSet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var off time.Duration
		c := newClock(func() time.Time { return time.Now().Add(off) })
		want := func(steady bool, when string) {
			t.Helper()
			if c.isSteady() != steady {
				t.Errorf("%s: steady %v", when, !steady)
			}
		}
		want(true, "at first")
		time.Sleep(48 * time.Hour)
		off = jump / 2 // corrected a little
		want(true, "after two days")
		off = 10 * 365 * 24 * time.Hour
		want(false, "ten years ahead")
		time.Sleep(settled - time.Minute)
		want(false, "an hour later, nearly")
		off = -20 * 365 * 24 * time.Hour
		want(false, "and back")
		time.Sleep(settled - time.Minute)
		want(false, "an hour after the first time")
		time.Sleep(2 * time.Minute)
		want(true, "an hour after the second")
	})
}
