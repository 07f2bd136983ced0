package daemon

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"blackboard/board"
	"blackboard/board/check"
	"blackboard/board/fault"
	"blackboard/board/report"
	kbhome "blackboard/kb/home"
)

// web serves pages to watch the runs by, to browsers on this machine. It only reads.
type web struct {
	server *Server
	port   string
	token  string // opens the pages, and nothing else

	mu    sync.Mutex
	runs  board.Runs
	shown map[string]*shownRun // by run
}

// shownRun is a run that somebody looks at. It stays open: who did what in it is read once.
type shownRun struct {
	b       *board.Board
	seq     int64     // of the page
	written time.Time // when
	html    []byte
}

const (
	// pageAge is how long a page is shown without being written anew though its run has
	// not changed: who is silent depends on the time.
	pageAge = 30 * time.Second
	// maxShown is how many runs stay open.
	maxShown = 32
	// tellEvery is how often a browser is told of changes at most. It reads the page then.
	tellEvery = 250 * time.Millisecond
	// maxWebConns is how many connections the pages have; each watched one has one.
	maxWebConns = 256
)

// WebAddr is where the pages are if nobody says otherwise; port 0 takes any free one.
const WebAddr = "127.0.0.1:0"

type webRequest struct {
	Addr string `json:"addr"` // host:port on loopback; "": where they are, else WebAddr
}

// Web is where the pages are.
type Web struct {
	URL string `json:"url"` // with the token
}

// Web serves the daemon's pages, at addr if it does not yet, and returns their address.
func (c *Client) Web(ctx context.Context, addr string) (Web, error) {
	return call[webRequest, Web](ctx, c, "web", statusWithin, webRequest{addr})
}

// openWeb serves the pages until the daemon ends, once; it returns their address.
func (s *Server) openWeb(_ context.Context, req webRequest) (Web, error) {
	s.webMu.Lock()
	defer s.webMu.Unlock()
	if s.web != nil {
		if _, port, err := net.SplitHostPort(cmp.Or(req.Addr, WebAddr)); err != nil ||
			port != "0" && port != s.web.port {
			return Web{}, fault.Conflict.New("the pages are at port "+s.web.port+" already",
				"leave the address out, or stop the daemon first")
		}
		return s.web.address(), nil
	}
	addr := cmp.Or(req.Addr, WebAddr)
	host, _, err := net.SplitHostPort(addr)
	if err != nil || !loopback(host) {
		return Web{}, fault.Usage.New(fmt.Sprintf("the pages are for browsers on this machine, not at %q",
			fault.Clip(addr, 60)), "write 127.0.0.1:8080; for another machine forward the port with ssh -L")
	}
	secret, err := Token(s.cfg.Place)
	if err != nil {
		return Web{}, err
	}
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return Web{}, fault.Failure.New(err.Error(), "name another port")
	}
	_, port, _ := net.SplitHostPort(l.Addr().String())
	w := &web{server: s, port: port, token: webToken(secret), shown: map[string]*shownRun{},
		runs: board.Runs{Dir: s.boards()}}
	h := s.httpServer(w, slog.LevelDebug, s.streams)
	go h.Serve(limited{l, make(chan struct{}, maxWebConns)})
	context.AfterFunc(s.streams, func() {
		h.Close()
		w.mu.Lock()
		defer w.mu.Unlock()
		w.letGo()
	})
	s.web = w
	s.log.Info("showing pages", "addr", l.Addr().String())
	return w.address(), nil
}

// webToken derives what opens the pages from the daemon's token. A browser sends it to
// every server of this machine, so it must open nothing else.
func webToken(secret string) string {
	m := hmac.New(sha256.New, []byte(secret))
	m.Write([]byte("pages"))
	return base64.RawURLEncoding.EncodeToString(m.Sum(nil))
}

func (w *web) address() Web {
	return Web{URL: "http://127.0.0.1:" + w.port + "/?token=" + w.token}
}

// ServeHTTP admits who has shown the token, once in the address and then by a cookie.
func (w *web) ServeHTTP(out http.ResponseWriter, r *http.Request) {
	for name, value := range map[string]string{
		"Content-Security-Policy": "default-src 'none'; style-src 'self'; script-src 'self'; " +
			"connect-src 'self'; img-src data:; form-action 'self'; base-uri 'none'; " +
			"frame-ancestors 'none'",
		"X-Content-Type-Options":       "nosniff",
		"Referrer-Policy":              "no-referrer",
		"Cache-Control":                "no-store",
		"Cross-Origin-Opener-Policy":   "same-origin",
		"Cross-Origin-Resource-Policy": "same-origin",
	} {
		out.Header().Set(name, value)
	}
	cookie := "board-" + w.port
	origin := r.Header.Get("Origin")
	host, _, _ := net.SplitHostPort(r.Host)
	switch {
	case !loopback(host) || origin != "" && origin != "http://"+r.Host:
		refuse(out, http.StatusForbidden, "This page is for this machine alone.")
		return
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		out.Header().Set("Allow", "GET, HEAD")
		refuse(out, http.StatusMethodNotAllowed, "These pages are only to read.")
		return
	}
	q := r.URL.Query()
	if shown := q.Get("token"); shown != "" && w.opens(shown) {
		http.SetCookie(out, &http.Cookie{Name: cookie, Value: shown, Path: "/", HttpOnly: true,
			SameSite: http.SameSiteStrictMode})
		q.Del("token")
		to := *r.URL
		to.RawQuery = q.Encode()
		// Not a redirect: a browser that comes from elsewhere would leave the cookie out.
		out.Header().Set("Content-Type", "text/html; charset=utf-8")
		out.Header().Set("Refresh", "0; url="+to.RequestURI())
		return
	}
	if c, err := r.Cookie(cookie); err != nil || !w.opens(c.Value) {
		refuse(out, http.StatusUnauthorized, "The address has no token, or an old one: "+
			fault.Try(fault.Denied.New("", "", fault.Do("web.open", "{} prints the address")),
				w.server.cfg.Words)+".")
		return
	}
	ctx, done := w.server.stream(r.Context())
	defer done()
	if err := w.answer(out, r.WithContext(ctx)); err != nil && ctx.Err() == nil {
		refuse(out, fault.KindOf(err).Status(), err.Error())
	}
}

func (w *web) opens(token string) bool {
	return sameSecret(token, w.token)
}

func refuse(out http.ResponseWriter, status int, text string) {
	out.Header().Set("Content-Type", "text/plain; charset=utf-8")
	out.WriteHeader(status)
	fmt.Fprintln(out, text)
}

func (w *web) answer(out http.ResponseWriter, r *http.Request) error {
	path := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	switch {
	case r.URL.Path == "/":
		return w.list(out, r)
	case len(path) == 1 && path[0] == "changes":
		return w.tell(out, r, func(ctx context.Context, told func() bool) error {
			return w.runsChange(ctx, told)
		})
	case len(path) == 1:
		if text, kind, ok := report.Asset(path[0]); ok {
			return send(out, r, kind, []byte(text))
		}
	case path[0] == "run" && len(path) <= 3 && board.CheckRun(path[1]) == nil:
		switch last := path[len(path)-1]; {
		case len(path) == 2:
			return w.run(out, r, path[1])
		case last == "report":
			return w.report(out, r, path[1])
		case last == "changes":
			return w.tell(out, r, func(ctx context.Context, told func() bool) error {
				return w.runChanges(ctx, path[1], r.URL.Query().Get("after"), told)
			})
		}
	}
	return fault.NotFound.New("there is no page "+fault.Clip(r.URL.Path, 60), "")
}

// send writes a page, compressed where the browser takes that.
func send(out http.ResponseWriter, r *http.Request, kind string, body []byte) error {
	out.Header().Set("Content-Type", kind)
	http.NewResponseController(out).SetWriteDeadline(time.Now().Add(readWithin))
	if !strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		out.Write(body) // the browser may be gone
		return nil
	}
	out.Header().Set("Content-Encoding", "gzip")
	z, _ := gzip.NewWriterLevel(out, gzip.BestSpeed) // the level is valid
	z.Write(body)
	z.Close()
	return nil
}

const htmlType = "text/html; charset=utf-8"

func (w *web) list(out http.ResponseWriter, r *http.Request) error {
	w.mu.Lock()
	infos, err := w.runs.List(r.Context(), board.Policy{})
	w.mu.Unlock()
	if err != nil {
		return err
	}
	var page bytes.Buffer
	if err := report.WriteRuns(&page, infos); err != nil {
		return err
	}
	return send(out, r, htmlType, page.Bytes())
}

func (w *web) run(out http.ResponseWriter, r *http.Request, run string) error {
	at := int64(0)
	if text := r.URL.Query().Get("at"); text != "" {
		var err error
		if at, err = strconv.ParseInt(text, 10, 64); err != nil || at < 1 {
			return badRequest("events count from 1", "at=%q is not the number of an event", fault.Clip(text, 60))
		}
	}
	html, err := w.page(r.Context(), run, at)
	if err != nil {
		// of a run that was replaced, the new one is asked
		w.mu.Lock()
		w.forget(run)
		w.mu.Unlock()
		html, err = w.page(r.Context(), run, at)
	}
	if err != nil {
		return err
	}
	return send(out, r, htmlType, html)
}

// page is a run's page, after event at if not 0. All who look at a run as it is share one.
func (w *web) page(ctx context.Context, run string, at int64) ([]byte, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	seen := w.shown[run]
	if seen == nil {
		b, err := kbhome.Run(w.server.stores.Keeping(w.server.streams), w.server.boards(), run)
		if err != nil {
			return nil, err
		}
		if len(w.shown) >= maxShown {
			w.letGo()
		}
		seen = &shownRun{b: b}
		w.shown[run] = seen
	}
	state, err := seen.b.State(ctx)
	if err != nil {
		return nil, err
	}
	if at == 0 && seen.seq == state.Seq && time.Since(seen.written) < pageAge {
		return seen.html, nil
	}
	by, err := check.PolicyOf(ctx, seen.b, "")
	if err != nil {
		return nil, err
	}
	var page bytes.Buffer
	if err := report.WriteLive(ctx, &page, seen.b, by.Gate, by.Note, at); err != nil {
		return nil, err
	}
	if at == 0 {
		seen.seq, seen.written, seen.html = state.Seq, time.Now(), page.Bytes()
	}
	return page.Bytes(), nil
}

// forget closes a run; w.mu is held.
func (w *web) forget(run string) {
	if seen := w.shown[run]; seen != nil {
		seen.b.Close()
		delete(w.shown, run)
	}
}

// letGo closes all runs; w.mu is held.
func (w *web) letGo() {
	for run := range w.shown {
		w.forget(run)
	}
}

// report writes what the export as HTML has.
func (w *web) report(out http.ResponseWriter, r *http.Request, run string) error {
	var page bytes.Buffer
	if err := kbhome.OnRun(r.Context(), w.server.boards(), run, func(b *board.Board) error {
		by, err := check.PolicyOf(r.Context(), b, "")
		if err != nil {
			return err
		}
		return report.WriteHTML(r.Context(), &page, b, by.Gate, nil)
	}); err != nil {
		return err
	}
	// It brings its style and its script, and has a policy of its own that allows them.
	out.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; "+
		"script-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
	return send(out, r, htmlType, page.Bytes())
}

// tell streams that there is something new, until the browser leaves.
func (w *web) tell(out http.ResponseWriter, r *http.Request,
	follow func(ctx context.Context, told func() bool) error) error {
	ctx, stop := context.WithCancel(r.Context())
	messages := make(chan string)
	var following sync.WaitGroup
	defer following.Wait()
	defer stop()
	following.Go(func() {
		defer stop()
		err := follow(ctx, func() bool {
			return offer(ctx, messages, "event: change\ndata:\n\n") && sleep(ctx, tellEvery)
		})
		if err != nil && ctx.Err() == nil {
			w.server.log.Debug("a page cannot be followed", "path", r.URL.Path, "error", err)
		}
	})
	writeStream(ctx, out, "retry: 1000\n\n", messages)
	return nil // the stream has begun: the browser asks again
}

// runChanges tells of events of a run after one.
func (w *web) runChanges(ctx context.Context, run, after string, told func() bool) error {
	seq, err := strconv.ParseInt(after, 10, 64)
	if err != nil {
		seq = 0
	}
	return kbhome.OnRun(ctx, w.server.boards(), run, func(b *board.Board) error {
		for {
			events, err := b.WaitEvents(ctx, seq, 1000)
			if err != nil {
				return err
			}
			if len(events) > 0 {
				seq = events[len(events)-1].Seq
				if !told() {
					return nil
				}
			}
		}
	})
}

// runsChange tells of changes to any run, and once at its start, as the page may be old by then.
func (w *web) runsChange(ctx context.Context, told func() bool) error {
	changed, stop := board.RunsChange(w.server.boards())
	defer func() { stop() }()
	if !told() {
		return nil
	}
	for {
		const unseen = 5 * time.Second // where the system does not tell
		if changed == nil {
			if !sleep(ctx, unseen) || !told() {
				return nil
			}
			stop()
			changed, stop = board.RunsChange(w.server.boards())
			continue
		}
		select {
		case <-changed:
			if !told() {
				return nil
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
