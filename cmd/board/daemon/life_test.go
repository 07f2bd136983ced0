package daemon

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"blackboard/kb"
	"blackboard/testdata/cost"
	"blackboard/testdata/expect"
	"blackboard/testdata/wait"
)

// TestOneWins starts daemons at once, many times: one serves, the others say so.
func TestOneWins(t *testing.T) {
	dir := home(t)
	for round := range 50 {
		var won, lost atomic.Int32
		ctx, cancel := context.WithCancel(context.Background())
		var wg sync.WaitGroup
		const racers = 3
		ended := make(chan struct{}, racers)
		for range racers {
			wg.Go(func() {
				err := Run(ctx, Config{Place: placeOf(t, dir), Build: "test", OpenModel: noModel}, func() { won.Add(1) })
				if errors.Is(err, ErrRunning) {
					lost.Add(1)
				} else if err != nil {
					t.Errorf("round %d: %v", round, err)
				}
				ended <- struct{}{}
			})
		}
		for range racers - 1 {
			<-ended
		}
		c := patient(placeOf(t, dir), "test", "")
		if _, err := c.WaitReady(t.Context()); err != nil {
			t.Errorf("round %d: %v", round, err)
		}
		c.Close()
		cancel()
		wg.Wait()
		if won.Load() != 1 || lost.Load() != racers-1 {
			t.Fatalf("round %d: %d won, %d lost", round, won.Load(), lost.Load())
		}
		if exists(placeOf(t, dir).Socket) {
			t.Fatalf("round %d: the socket is left behind", round)
		}
	}
}

func TestWhatIsAtTheSocketsPlace(t *testing.T) {
	for what, put := range map[string]func(path string) error{
		"a socket that was left behind": func(path string) error {
			l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
			if err != nil {
				return err
			}
			l.SetUnlinkOnClose(false)
			return l.Close()
		},
		"an empty file": func(path string) error { return os.WriteFile(path, nil, 0o600) },
		"a file":        func(path string) error { return os.WriteFile(path, []byte("somebody's"), 0o600) },
		"a directory":   func(path string) error { return os.Mkdir(path, 0o700) },
	} {
		dir := home(t)
		place := placeOf(t, dir)
		expect.OK(t, place.prepare())
		expect.OK(t, put(place.Socket))
		c := NewClient(place, "test", "")
		if _, err := c.Search(t.Context(), kb.Query{Text: "x"}); !errors.Is(err, ErrNone) {
			t.Errorf("%s answers: %v", what, err)
		}
		c.Close()
		r := start(t, dir, nil)
		if _, err := r.client(t).Status(t.Context()); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		r.end(t)
		if b, err := os.ReadFile(place.Socket + ".aside"); what == "a file" && string(b) != "somebody's" {
			t.Errorf("what was in the file is lost: %v", err)
		}
	}
}

func TestEndsWhenItCannotBeReached(t *testing.T) {
	cost.SkipQuick(t)
	for what, do := range map[string]func(p Place) error{
		"the socket became a file": func(p Place) error {
			return errors.Join(os.Remove(p.Socket), os.WriteFile(p.Socket, []byte("x"), 0o600))
		},
		"the socket is gone":    func(p Place) error { return os.Remove(p.Socket) },
		"the data home is gone": func(p Place) error { return os.RemoveAll(p.Home) },
	} {
		dir := home(t)
		remember(t, dir, 2)
		r := start(t, dir, nil)
		expect.Value(r.client(t).Search(t.Context(), kb.Query{Text: "capsule"}))(t)
		expect.OK(t, do(r.place))
		r.wait(t)
		if !strings.Contains(r.log.String(), "is gone") {
			t.Errorf("%s: the log does not say so:\n%s", what, r.log)
		}
	}
}

// TestNothingIsLeft asks for a while, with clients that come and go and one that never reads, and
// looks at what is left afterwards.
func TestNothingIsLeft(t *testing.T) {
	dir := home(t)
	remember(t, dir, 50)
	r := start(t, dir, nil)
	c := r.client(t)
	expect.Value(c.Search(t.Context(), kb.Query{Text: "pane"}))(t)
	base := runtime.NumGoroutine()
	deaf := expect.Value(net.Dial("unix", r.place.Socket))(t)
	fmt.Fprintf(deaf, "GET /v1/events HTTP/1.1\r\nHost: board\r\nBoard-Build: test\r\n\r\n")
	e := expect.Value(c.Embedder(t.Context()))(t)
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			own := patient(r.place, "test", filepath.Join(dir, "model"))
			defer own.Close()
			for j := range 30 {
				var err error
				if (i+j)%3 == 0 {
					_, err = e.Embed(t.Context(), []string{fmt.Sprint("text ", i, j)})
				} else {
					_, err = own.Search(t.Context(), kb.Query{Text: fmt.Sprint("topic ", j)})
				}
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	deaf.Close()
	c.Close()
	noMoreThan(t, base)
}

// noMoreThan waits until there are as many goroutines as before.
func noMoreThan(t *testing.T, before int) {
	t.Helper()
	wait.For(t, func() bool { return runtime.NumGoroutine() <= before+2 }, func() string {
		buf := make([]byte, 1<<20)
		return fmt.Sprintf("%d goroutines, %d before\n%s", runtime.NumGoroutine(), before, buf[:runtime.Stack(buf, true)])
	})
}

func TestPlaces(t *testing.T) {
	env := func(dir string) func(string) string {
		return func(name string) string { return map[string]string{"XDG_RUNTIME_DIR": dir}[name] }
	}
	a, err := PlaceOf("/home/a/data", env("/run/user/7"))
	if err != nil || a.Socket != "/run/user/7/blackboard/"+filepath.Base(a.Socket) || a.Lock != "/home/a/data/run/daemon.lock" || a.Log != "/home/a/data/log/daemon.log" {
		t.Errorf("%+v, %v", a, err)
	}
	b, err := PlaceOf("/home/b/data", env("/run/user/7"))
	if err != nil || b.Socket == a.Socket {
		t.Errorf("two data homes have one socket: %+v, %v", b, err)
	}
	for _, long := range []string{"/" + strings.Repeat("x", 120), "/" + strings.Repeat("x/", 60)} {
		p, err := PlaceOf(long, noEnv)
		if err != nil || len(p.Socket) > maxSocket {
			t.Errorf("a long path: %+v, %v", p, err)
		}
	}
	if p, err := PlaceOf("/home/a/data", env("relative")); err != nil || p.Socket != "/home/a/data/run/"+filepath.Base(p.Socket) {
		t.Errorf("a relative directory: %+v, %v", p, err)
	}
}

// TestStuckDaemon asks one that takes the call and does not answer.
func TestStuckDaemon(t *testing.T) {
	cost.SkipQuickUnlessRace(t)
	place := placeOf(t, home(t))
	expect.OK(t, place.prepare())
	l := expect.Value(listen(place.Socket))(t)
	defer l.Close()
	c := NewClient(place, "test", "")
	defer c.Close()
	if _, err := c.Search(t.Context(), kb.Query{Text: "x"}); !errors.Is(err, ErrNone) || !Unusable(err) {
		t.Errorf("a search: %v", err)
	}
	if _, err := c.Status(t.Context()); !errors.Is(err, ErrNone) {
		t.Errorf("how it is: %v", err)
	}
}

// TestOneForAHomeInWhateverEnvironment starts a daemon as a session has it, and looks from where
// there is none.
func TestOneForAHomeInWhateverEnvironment(t *testing.T) {
	dir, runtime := home(t), home(t)
	there := expect.Value(PlaceOf(dir, func(name string) string { return map[string]string{"XDG_RUNTIME_DIR": runtime}[name] }))(t)
	r := start(t, dir, func(c *Config) { c.Place = there })
	link := filepath.Join(home(t), "link")
	expect.OK(t, os.Symlink(dir, link))
	for what, path := range map[string]string{"without the variable": dir, "by a link": link} {
		place := placeOf(t, path)
		if place.Socket != there.Socket {
			t.Errorf("%s: the socket is %s, not %s", what, place.Socket, there.Socket)
		}
		if err := Run(t.Context(), Config{Place: place, Build: "test", OpenModel: noModel}, nil); !errors.Is(err, ErrRunning) {
			t.Errorf("%s: a second one: %v", what, err)
		}
	}
	r.end(t)
	if place := placeOf(t, dir); place.Socket == there.Socket {
		t.Error("the note is left behind")
	}
}

// TestListenerTakesOver: one that listens for agents takes the place of one that was started on
// demand, and of no other.
func TestListenerTakesOver(t *testing.T) {
	dir := home(t)
	onDemand := start(t, dir, nil)
	listens := start(t, dir, func(c *Config) { c.TCP, c.Idle = &TCP{Addr: "127.0.0.1:0"}, -1 })
	if err := <-onDemand.done; err != nil {
		t.Error(err)
	}
	onDemand.done <- nil
	st, err := listens.client(t).Status(t.Context())
	if err != nil || st.Listen == "" {
		t.Error(st, err)
	}
	second := Config{Place: placeOf(t, dir), Build: "test", OpenModel: noModel, TCP: &TCP{Addr: "127.0.0.1:0"}}
	if err := Run(t.Context(), second, nil); !errors.Is(err, ErrRunning) {
		t.Errorf("beside one that listens: %v", err)
	}
	listens.end(t)
	lasting := start(t, dir, func(c *Config) { c.Idle = -1 })
	if err := Run(t.Context(), second, nil); !errors.Is(err, ErrRunning) {
		t.Errorf("beside one that somebody has started to stay: %v", err)
	}
	lasting.end(t)
}

// TestKilledLeavesItsSocket: a socket where nobody listens is no daemon, and the next command
// starts one.
func TestKilledLeavesItsSocket(t *testing.T) {
	dir := home(t)
	place := placeOf(t, dir)
	expect.OK(t, place.prepare())
	c := NewClient(place, "test", "")
	defer c.Close()
	if c.There() || Held(place) {
		t.Error("there is one before there is any")
	}
	l := expect.Value(net.Listen("unix", place.Socket))(t)
	l.(*net.UnixListener).SetUnlinkOnClose(false)
	if !c.There() {
		t.Error("one that listens is none")
	}
	l.Close()
	if !exists(place.Socket) || c.There() {
		t.Error("one that was killed is one")
	}
	r := start(t, dir, nil)
	if !Held(place) {
		t.Error("nobody holds the lock of one that runs")
	}
	r.end(t)
	if Held(place) {
		t.Error("somebody holds the lock of one that has ended")
	}
}
