package transport

import (
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	// MaxSessions is how many clients over HTTP are remembered. Another has the place of
	// the one that has said nothing for longest.
	MaxSessions = 256
	// idleSession is how long one that says nothing and listens to nothing is remembered.
	idleSession = time.Hour
)

type Config struct {
	Server *sdk.Server
	Life   context.Context // ends with the server, and every call with it
	Log    *slog.Logger    // what the SDK has to say
	Leave  func(session string)
}

// Clients are those who speak over HTTP.
type Clients struct {
	cfg      Config
	mu       sync.Mutex
	sessions map[string]*session // by what the SDK calls them
	opening  int                 // sessions that are being opened
	working  int                 // requests with calls
	requests map[string]*underWay
}

// session is a client of a revision of the protocol that has sessions.
type session struct {
	id       string
	life     context.Context // ends with it, and its calls before it
	cancel   context.CancelFunc
	requests int // under way
	calls    int
	none     chan struct{} // closed when there are none any more, and it is to end; nil: not yet
	used     time.Time
	idle     *time.Timer
}

// underWay is a request.
type underWay struct {
	name    string
	ctx     context.Context
	session *session // nil: it is of none, or of one that there is not
	calls   int
}

func NewClients(cfg Config) *Clients {
	return &Clients{cfg: cfg, sessions: map[string]*session{}, requests: map[string]*underWay{}}
}

func (c *Clients) Sessions() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.sessions)
}

func (c *Clients) open() *problem {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.sessions)+c.opening >= MaxSessions {
		var oldest *session
		for _, s := range c.sessions {
			if s.requests == 0 && (oldest == nil || s.used.Before(oldest.used)) {
				oldest = s
			}
		}
		if oldest == nil {
			return &problem{http.StatusServiceUnavailable, codeBusy,
				fmt.Sprintf("%d clients are being served, and none is idle: try again later",
					MaxSessions)}
		}
		c.forget(oldest)
	}
	c.opening++
	return nil
}

// opened ends what open began: the session is there now, or could not be opened.
func (c *Clients) opened() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.opening--
}

// add notes a session that is there.
func (c *Clients) add(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.sessions[id] != nil {
		return
	}
	s := &session{id: id, used: time.Now()}
	s.life, s.cancel = context.WithCancel(context.Background())
	s.idle = time.AfterFunc(idleSession, func() { c.expire(s) })
	c.sessions[id] = s
}

func (c *Clients) expire(s *session) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if s.requests == 0 && c.sessions[s.id] == s {
		c.forget(s)
	}
}

// forget ends a session without requests. The lock is held.
func (c *Clients) forget(s *session) {
	delete(c.sessions, s.id)
	s.idle.Stop()
	s.cancel()
	go c.closeSession(s.id)
}

// closeSession has the SDK end a session, once its calls have ended.
func (c *Clients) closeSession(id string) {
	c.cfg.Leave(id)
	for there := range c.cfg.Server.Sessions() {
		if there.ID() == id {
			there.Close()
		}
	}
}

// begin notes a request, with so many calls, in a session or in none ("").
func (c *Clients) begin(ctx context.Context, id string, calls int) (*underWay, *problem) {
	c.mu.Lock()
	defer c.mu.Unlock()
	u := &underWay{name: strings.ToLower(rand.Text()), ctx: ctx, session: c.sessions[id], calls: calls}
	switch s := u.session; {
	case calls > 0 && c.working >= MaxRequests:
		return nil, &problem{http.StatusServiceUnavailable, codeBusy,
			fmt.Sprintf("%d requests are under way: try again when some have been answered",
				MaxRequests)}
	case s != nil && calls > 0 && s.calls+calls > MaxCalls:
		return nil, &problem{http.StatusTooManyRequests, codeBusy,
			fmt.Sprintf("the session has %d calls under way, and may have %d: wait for answers, "+
				"or cancel some", s.calls, MaxCalls)}
	}
	if calls > 0 {
		c.working++
	}
	c.requests[u.name] = u
	if s := u.session; s != nil {
		s.requests++
		s.calls += calls
		s.idle.Stop()
	}
	return u, nil
}

// done says that a request is answered, or that nobody waits for it any more.
func (c *Clients) done(u *underWay) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.requests, u.name)
	if u.calls > 0 {
		c.working--
	}
	s := u.session
	if s == nil {
		return
	}
	s.calls -= u.calls
	s.used = time.Now()
	if s.requests--; s.requests > 0 {
		s.tell()
		return
	}
	if c.sessions[s.id] == s {
		s.idle.Reset(idleSession)
	}
}

// tell wakes end once all requests but its own are answered. The lock is held.
func (s *session) tell() {
	if s.none != nil && s.requests == 1 {
		close(s.none)
		s.none = nil
	}
}

// end ends the calls of a session, and waits until they are answered, or stop. The caller
// has one of the session's requests, with which the SDK ends it.
func (c *Clients) end(s *session, stop <-chan struct{}) {
	if s == nil {
		return
	}
	s.cancel()
	c.mu.Lock()
	if c.sessions[s.id] != s { // somebody else does
		c.mu.Unlock()
		return
	}
	delete(c.sessions, s.id)
	c.cfg.Leave(s.id)
	none := make(chan struct{})
	s.none = none
	s.tell()
	c.mu.Unlock()
	select {
	case <-none:
	case <-stop:
	}
}

// over has ended already.
var over = func() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}()

// until returns the contexts with which a call ends: those of its request and of its session.
func (c *Clients) until(request, id string) []context.Context {
	c.mu.Lock()
	defer c.mu.Unlock()
	u := c.requests[request]
	if u == nil { // the client has gone before its call began
		return []context.Context{over}
	}
	ends := []context.Context{u.ctx}
	if s := c.sessions[id]; s != nil {
		ends = append(ends, s.life)
	} else if u.session != nil {
		ends = append(ends, u.session.life)
	}
	return ends
}

func (c *Clients) Close() {
	c.mu.Lock()
	var ids []string
	for id, s := range c.sessions {
		s.idle.Stop()
		s.cancel()
		ids = append(ids, id)
	}
	clear(c.sessions)
	c.mu.Unlock()
	for _, id := range ids {
		c.closeSession(id)
	}
}
