package daemon

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"os"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gofrs/flock"

	"blackboard/board/disk"
	"blackboard/board/fault"
	"blackboard/board/sqlite"
	"blackboard/embed"
	"blackboard/embed/minilm"
	"blackboard/hooks/mcp"
	"blackboard/kb/memory"
)

// IdleAfter is after how long without a request a daemon ends.
const IdleAfter = 30 * time.Minute

// finishWithin is how long what is under way may take once a daemon is to end.
const finishWithin = 10 * time.Second

type Config struct {
	Place Place // where it is to be found
	// Boards is where the runs are; "": in the data home.
	Boards   string
	Build    string
	ModelDir string
	// Idle is the time without a request after which it ends; 0 is IdleAfter, below 0 never.
	Idle time.Duration
	// Ended, if not nil, is told why the daemon ends by itself, not by its context.
	Ended func(why string)
	Log   *slog.Logger // where it tells what it does; nil: nowhere
	// Rates are those by which memories fade; the zero value is the usual ones.
	Rates memory.Rates
	// Specs is the directory of topics, which is archived once a day; "": none.
	Specs string
	// Curate is how often capsules that say the same are made one; 0: only on demand.
	Curate time.Duration
	// Words are how errors say their next steps over HTTP; nil: without operations.
	Words fault.Words
	// TCP is a listener beside the socket; nil: none.
	TCP *TCP
	// Web is where the pages are shown from the start; "": when somebody asks for them.
	Web string
	// WebReady is called with their address then.
	WebReady func(Web)
	// OpenModel replaces the opening of the embedding model, for tests.
	OpenModel func(ctx context.Context, dir string) (embed.Embedder, func() error, error)
	// Now is the wall clock, for tests. What waits goes by time that passes, whatever it says.
	Now func() time.Time
}

type Server struct {
	cfg     Config
	log     *slog.Logger
	mux     *http.ServeMux
	started time.Time
	warm    warm
	stores  *sqlite.Keeper // what requests and jobs use besides
	slots   chan struct{}  // how many requests are worked on at once

	active   atomic.Int64 // requests and streams
	served   atomic.Int64
	failed   atomic.Int64
	lastUse  atomic.Int64  // nanoseconds after the start: a clock that is set must not end it
	stopping chan struct{} // closed when it shall end
	whenIdle atomic.Bool   // it shall end when nobody needs it
	stopOnce sync.Once
	why      string
	tcp      net.Listener // nil: none
	token    string
	webMu    sync.Mutex
	web      *web // the pages; nil: nobody has asked for them
	upkeep   *upkeep
	clock    *clock
	streams  context.Context // ends with the server: streams would keep it from ending
	end      context.CancelFunc
}

// ErrRunning is that another daemon serves the data home.
var ErrRunning = errors.New("a daemon is running already")

// Run serves until ctx ends, somebody stops it, or nobody has needed it for a while.
// ready, if it is not nil, is called once it can be reached.
func Run(ctx context.Context, cfg Config, ready func()) error {
	cfg.Idle = cmp.Or(cfg.Idle, IdleAfter)
	if cfg.OpenModel == nil {
		cfg.OpenModel = openModel
	}
	if err := cfg.Place.prepare(); err != nil {
		return err
	}
	lock := flock.New(cfg.Place.Lock, flock.SetPermissions(0o600))
	if err := acquireLock(ctx, cfg, lock); err != nil {
		return err
	}
	defer os.Truncate(cfg.Place.Lock+"-start", 0) // the next may be started at once
	// the file stays: a waiter for a removed file would share its turn with a new one's maker
	defer lock.Unlock()
	s := newServer(cfg)
	if cfg.TCP != nil {
		token, err := Token(cfg.Place)
		if err != nil {
			return err
		}
		if s.tcp, err = listenTCP(*cfg.TCP); err != nil {
			return err
		}
		defer s.tcp.Close()
		cfg.TCP.Addr = s.tcp.Addr().String() // with the port that the system chose for 0
		s.token = token
	}
	if cfg.Web != "" {
		at, err := s.openWeb(ctx, webRequest{cfg.Web})
		if err != nil {
			return err
		}
		defer s.end()
		if cfg.WebReady != nil {
			cfg.WebReady(at)
		}
	}
	l, err := listen(cfg.Place.Socket)
	if err != nil {
		return err
	}
	if err := disk.WriteUnsynced(cfg.Place.Note, []byte(cfg.Place.Socket), 0o600); err != nil {
		l.Close()
		return err
	}
	defer os.Remove(cfg.Place.Note)
	return s.serve(ctx, l, ready)
}

// acquireLock takes the lock. One that ends without answering is waited for a little; one started
// on demand makes way for one that listens to more than the socket.
func acquireLock(ctx context.Context, cfg Config, lock *flock.Flock) error {
	c := NewClient(cfg.Place, cfg.Build, cfg.ModelDir)
	defer c.Close()
	const again = 20 * time.Millisecond
	patience, told := 2*time.Second, 0
	for begin := time.Now(); ; {
		got, err := lock.TryLock()
		if err != nil {
			return fmt.Errorf("lock %s: %w", cfg.Place.Lock, err)
		}
		if got {
			return nil
		}
		st, err := c.Status(ctx)
		switch {
		case err != nil:
			if time.Since(begin) > patience {
				return ErrRunning
			}
		case cfg.TCP == nil || st.Listen != "" || st.IdleIn < 0:
			return ErrRunning
		case st.PID != told:
			told, begin, patience = st.PID, time.Now(), 2*finishWithin
			if err := c.Stop(ctx, false); err != nil && cfg.Log != nil {
				cfg.Log.Warn("the daemon that was started on demand cannot be told to end", "pid", st.PID, "error", err)
			}
		case time.Since(begin) > patience:
			return ErrRunning
		}
		if !sleep(ctx, again) {
			return ctx.Err()
		}
	}
}

// sleep waits, and reports whether ctx has not ended meanwhile.
func sleep(ctx context.Context, d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-ctx.Done():
		return false
	}
}

func openModel(ctx context.Context, dir string) (embed.Embedder, func() error, error) {
	m, err := minilm.Open(ctx, dir)
	if err != nil {
		return nil, nil, err
	}
	return m, m.Close, nil
}

// listen makes the socket. The caller has the lock, so what is there was left behind.
func listen(path string) (net.Listener, error) {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, err
	case info.Mode()&fs.ModeSocket != 0 || info.Mode().IsRegular() && info.Size() == 0:
		err = os.Remove(path)
	default: // not ours, whatever it is
		err = os.Rename(path, path+".aside")
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	l, err := net.Listen("unix", path)
	if err != nil {
		return nil, err
	}
	if err := os.Chmod(path, 0o600); err != nil { // its directory lets nobody else in anyway
		l.Close()
		return nil, err
	}
	return l, nil
}

// maxConns is how many connections a listener has at once; who comes then waits.
const maxConns = 128

// limited is a listener with a bound. When it is closed, what waits for a slot gets one:
// the server closes all connections.
type limited struct {
	net.Listener
	slots chan struct{}
}

func (l limited) Accept() (net.Conn, error) {
	l.slots <- struct{}{}
	c, err := l.Listener.Accept()
	if err != nil {
		<-l.slots
		return nil, err
	}
	return &limitedConn{c, sync.OnceFunc(func() { <-l.slots })}, nil
}

type limitedConn struct {
	net.Conn
	free func()
}

func (c *limitedConn) Close() error {
	c.free()
	return c.Conn.Close()
}

func newServer(cfg Config) *Server {
	s := &Server{cfg: cfg, log: cfg.Log, mux: http.NewServeMux(), started: time.Now(), stopping: make(chan struct{}), slots: make(chan struct{}, 4*runtime.GOMAXPROCS(0))}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	s.warm.cfg, s.warm.log = &s.cfg, s.log
	const maxOpen, idleTimeout = 32, time.Minute
	s.stores = sqlite.NewKeeper(maxOpen, idleTimeout)
	s.streams, s.end = context.WithCancel(context.Background())
	s.clock = newClock(cfg.Now)
	s.upkeep = newUpkeep(s.jobs(), s.log)
	handle(s, "search", s.search)
	handle(s, "embed", s.embed)
	handle(s, "status", s.status)
	handle(s, "stop", s.stop)
	handle(s, "web", s.openWeb)
	s.mux.HandleFunc("GET /v1/events", s.events)
	return s
}

// httpServer serves with what the daemon keeps open, for requests within a context.
func (s *Server) httpServer(h http.Handler, errors slog.Level, within context.Context) *http.Server {
	return &http.Server{Handler: h, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 30 * time.Second,
		IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 16 << 10,
		ErrorLog:    slog.NewLogLogger(s.log.Handler(), errors),
		BaseContext: func(net.Listener) context.Context { return s.stores.Keeping(within) }}
}

func (s *Server) serve(ctx context.Context, l net.Listener, ready func()) error {
	h := s.httpServer(s.mux, slog.LevelWarn, context.Background())
	done := make(chan error, 2)
	servers := []*http.Server{h}
	var agents *mcp.Server
	go func() { done <- h.Serve(limited{l, make(chan struct{}, maxConns)}) }()
	if s.tcp != nil {
		var t *http.Server
		t, agents = s.tcpServer(*s.cfg.TCP, s.token)
		servers = append(servers, t)
		go func() { done <- t.Serve(limited{s.tcp, make(chan struct{}, maxTCPConns)}) }()
		s.log.Info("listening", "addr", s.tcp.Addr().String(), "tls", s.cfg.TCP.Cert != "")
	}
	s.log.Info("started", "pid", os.Getpid(), "build", s.cfg.Build, "home", s.cfg.Place.Home, "socket", s.cfg.Place.Socket)
	work, stopWork := context.WithCancel(s.stores.Keeping(ctx))
	var wg sync.WaitGroup
	wg.Go(func() { s.untilIdle(work) })
	wg.Go(func() { s.watchPlace(work) })
	wg.Go(func() { s.warm.load(work) })
	wg.Go(func() { s.upkeep.run(work) })
	if ready != nil {
		ready()
	}
	var err error
	select {
	case err = <-done:
		s.log.Error("the listener ended", "error", err)
	case <-ctx.Done():
		s.log.Info("told to stop")
	case <-s.stopping:
		s.log.Info("stopping", "why", s.why)
		if s.cfg.Ended != nil {
			s.cfg.Ended(s.why)
		}
	}
	s.end()
	if agents != nil {
		agents.End() // a call may wait on a board for minutes
	}
	// Requests are finished, but for those that take too long.
	late, cancel := context.WithTimeout(context.WithoutCancel(ctx), finishWithin)
	defer cancel()
	stopWork() // upkeep goes on with the next daemon
	for _, h := range servers {
		if e := h.Shutdown(late); e != nil {
			s.log.Warn("requests were cut off", "error", e)
			h.Close()
		}
	}
	wg.Wait()
	if agents != nil {
		agents.Close()
	}
	s.warm.close()
	if err := s.stores.Close(); err != nil {
		s.log.Warn("closing the stores", "error", err)
	}
	s.log.Info("ended", "served", s.served.Load(), "failed", s.failed.Load(), "up", time.Since(s.started).Round(time.Second))
	return err
}

func (s *Server) finish(why string) {
	s.stopOnce.Do(func() {
		s.why = why
		close(s.stopping)
	})
}

func (s *Server) used() { s.lastUse.Store(int64(time.Since(s.started))) }

// stream counts something long as use until done is called. Its context ends with the server.
func (s *Server) stream(parent context.Context) (ctx context.Context, done func()) {
	s.active.Add(1)
	ctx, cancel := context.WithCancel(parent)
	stop := context.AfterFunc(s.streams, cancel)
	return ctx, func() {
		stop()
		cancel()
		s.active.Add(-1)
		s.used()
	}
}

func (s *Server) idle() time.Duration { return time.Since(s.started) - time.Duration(s.lastUse.Load()) }

// untilIdle ends the server when nobody has needed it for a while.
func (s *Server) untilIdle(ctx context.Context) {
	for wait := time.Duration(0); sleep(ctx, wait); {
		left := s.cfg.Idle - s.idle()
		switch {
		case s.whenIdle.Load() && s.active.Load() == 0:
			s.finish("asked to, and idle")
			return
		case s.cfg.Idle > 0 && left <= 0 && s.active.Load() == 0:
			s.finish(fmt.Sprintf("%v without use", s.cfg.Idle))
			return
		}
		wait = time.Second
		if !s.whenIdle.Load() {
			wait = max(wait, min(left, 5*time.Second))
		}
	}
}

// watchPlace ends a server nobody can reach: its socket was replaced, or its data home is gone.
func (s *Server) watchPlace(ctx context.Context) {
	paths := []string{s.cfg.Place.Socket, s.cfg.Place.Home}
	begun := map[string]fs.FileInfo{}
	for wait := time.Duration(0); sleep(ctx, wait); wait = 2 * time.Second {
		for i, path := range paths {
			now, err := os.Lstat(path)
			if err != nil || begun[path] != nil && !os.SameFile(now, begun[path]) {
				s.finish([]string{"its socket", "its data home"}[i] + " is gone")
				return
			}
			begun[path] = now
		}
	}
}

// admit refuses clients of another build, but for the verbs that any may use.
func (s *Server) admit(r *http.Request, verb string) error {
	if r.Context().Value(overTCP{}) == nil && verb != "stop" && verb != "status" && r.Header.Get(headerBuild) != s.cfg.Build {
		return ErrOtherBuild
	}
	return nil
}

// run works on a request: so many at once, and none takes the server with it.
func (s *Server) run(ctx context.Context, verb string, fn func(context.Context) error) (err error) {
	use := verb != "status" && verb != "stop"
	s.active.Add(1)
	defer func() {
		s.active.Add(-1)
		if use {
			s.used()
		}
		if r := recover(); r != nil {
			s.log.Error("a request panicked", "verb", verb, "panic", r, "stack", string(debug.Stack()))
			err = fmt.Errorf("the daemon failed: %v", r)
		}
		s.served.Add(1)
		if err != nil && !errors.Is(err, context.Canceled) {
			s.failed.Add(1)
			s.log.Debug("a request failed", "verb", verb, "error", err)
		}
	}()
	if use {
		select {
		case s.slots <- struct{}{}:
			defer func() { <-s.slots }()
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return fn(ctx)
}
