package transport

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	MaxRequest = 4 << 20
	// MaxRequests is how many requests over HTTP are worked on at once, streams among
	// them. What calls nothing is not counted.
	MaxRequests = 384
	// MaxCalls is the most calls a session has under way, and the most messages of a request.
	MaxCalls   = 64
	bodyWithin = 15 * time.Second
	// restWithin is how long the rest of one may take once the server is to end. It is not
	// at once: a deadline that has passed also ends a request that has just been read whole.
	restWithin = time.Second
	// readWithin is how long a client may take to read a piece of an answer.
	readWithin = 10 * time.Second
	// pieceOfAnswer is how many bytes such a piece has.
	pieceOfAnswer = 64 << 10
)

// Headers of the protocol, and since when it has no sessions.
const (
	VersionHeader = "Mcp-Protocol-Version"
	SessionHeader = "Mcp-Session-Id"
	Sessionless   = "2026-07-28"
)

// Handler serves clients over streamable HTTP. Those of the protocol's revision
// 2026-07-28 say with each request who they are; of an older one it is the session that
// knows. Who may come, and from where, is a matter of whoever mounts it.
func (c *Clients) Handler() http.Handler {
	serve := func(stateless bool) http.Handler {
		return sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server {
			return c.cfg.Server
		}, &sdk.StreamableHTTPOptions{Stateless: stateless,
			Logger: c.cfg.Log, MaxRequestBodyBytes: MaxRequest,
			PropagateRequestCancellation: true})
	}
	return http.NewCrossOriginProtection().Handler(&front{c, serve(false), serve(true)})
}

// front looks at each request before the SDK's handlers do: it bounds what a client may
// take up, and notes which calls end with which request and which session.
type front struct {
	*Clients
	inSession, alone http.Handler
}

type asked struct {
	id    json.RawMessage // of its first call
	calls int             // which may last
	opens bool            // a session
}

func (f *front) ServeHTTP(out http.ResponseWriter, r *http.Request) {
	w := newPaced(out)
	defer w.more() // what is in the buffers is written after this
	q, problem := f.read(w, r)
	if problem != nil {
		problem.write(w, q.id)
		return
	}
	id := r.Header.Get(SessionHeader)
	if r.Header.Get(VersionHeader) >= Sessionless {
		id = ""
	}
	if q.opens && id == "" {
		if problem := f.open(); problem != nil {
			problem.write(w, q.id)
			return
		}
		defer f.opened()
	}
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	u, problem := f.begin(ctx, id, q.calls)
	if problem != nil {
		problem.write(w, q.id)
		return
	}
	defer f.done(u)
	switch r.Method {
	case http.MethodDelete: // its calls are answered before it ends
		f.end(u.session, ctx.Done())
	case http.MethodGet: // it has nothing to answer
		defer context.AfterFunc(f.cfg.Life, cancel)()
		if u.session != nil {
			defer context.AfterFunc(u.session.life, cancel)()
		}
	}
	r = r.WithContext(ctx)
	r.Header = r.Header.Clone()
	r.Header.Set(carrier, u.name)
	if id != "" || q.opens && r.Header.Get(VersionHeader) < Sessionless {
		f.inSession.ServeHTTP(w, r)
		return
	}
	f.alone.ServeHTTP(w, r)
}

// read reads a request, and puts what it has read in the place of its body.
func (f *front) read(w http.ResponseWriter, r *http.Request) (q asked, p *problem) {
	rc := http.NewResponseController(w)
	rc.SetReadDeadline(time.Now().Add(bodyWithin))
	hurried := make(chan struct{})
	stop := context.AfterFunc(f.cfg.Life, func() {
		rc.SetReadDeadline(time.Now().Add(restWithin))
		close(hurried)
	})
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, MaxRequest))
	if !stop() {
		<-hurried // so that its deadline is not set after the one below
	}
	var long *http.MaxBytesError
	switch {
	case errors.As(err, &long):
		return q, &problem{http.StatusRequestEntityTooLarge, codeInvalid,
			fmt.Sprintf("the request is longer than %d MB", MaxRequest>>20)}
	case errors.Is(err, os.ErrDeadlineExceeded) && f.cfg.Life.Err() != nil:
		return q, &problem{http.StatusServiceUnavailable, codeBusy, "the server is ending"}
	case errors.Is(err, os.ErrDeadlineExceeded):
		return q, &problem{http.StatusRequestTimeout, codeInvalid,
			fmt.Sprintf("the request has not come within %s", bodyWithin)}
	case err != nil:
		return q, &problem{http.StatusBadRequest, codeInvalid, "the request cannot be read"}
	}
	// a call may wait on the board for minutes, and a subscription for hours
	rc.SetReadDeadline(time.Time{})
	r.Body = io.NopCloser(bytes.NewReader(body))
	switch r.Method {
	case http.MethodGet:
		return asked{calls: 1}, nil // it lasts like one
	case http.MethodPost:
	default:
		return q, nil
	}
	var batch []json.RawMessage
	if !bytes.HasPrefix(bytes.TrimSpace(body), []byte("[")) {
		batch = append(batch, body)
	} else if json.Unmarshal(body, &batch) != nil {
		batch = nil // what is no message is refused by the SDK
	}
	switch {
	case len(batch) > MaxCalls:
		return q, &problem{http.StatusBadRequest, codeInvalid,
			fmt.Sprintf("the request holds %d messages, and may hold %d", len(batch), MaxCalls)}
	case deep(body):
		return q, &problem{http.StatusBadRequest, codeInvalid,
			fmt.Sprintf("the message is nested deeper than %d levels", maxDepth)}
	}
	for _, raw := range batch {
		m, ok := readMessage(raw)
		if !ok || m.Method == "" || len(m.ID) == 0 {
			continue
		}
		if q.calls++; q.id == nil {
			q.id = m.ID
		}
		q.opens = q.opens || m.Method == "initialize"
	}
	return q, nil
}

// problem is why a request is not looked at.
type problem struct {
	status, code int
	text         string
}

func (p *problem) write(w http.ResponseWriter, id json.RawMessage) {
	w.Header().Set("Content-Type", "application/json")
	if p.status == http.StatusServiceUnavailable || p.status == http.StatusTooManyRequests {
		w.Header().Set("Retry-After", "1")
	}
	w.WriteHeader(p.status)
	w.Write(refusalOf(id, p.code, p.text)) // who cannot be written to is gone
}

// paced is an answer that goes on as long as somebody reads it.
type paced struct {
	http.ResponseWriter
	rc *http.ResponseController
}

func newPaced(w http.ResponseWriter) *paced { return &paced{w, http.NewResponseController(w)} }

func (p *paced) Unwrap() http.ResponseWriter { return p.ResponseWriter }

// more gives the client time for another piece.
func (p *paced) more() { p.rc.SetWriteDeadline(time.Now().Add(readWithin)) }

// Write writes a piece at a time, and gives the client time for each.
func (p *paced) Write(b []byte) (n int, err error) {
	for {
		p.more()
		m, err := p.ResponseWriter.Write(b[n:min(len(b), n+pieceOfAnswer)])
		if n += m; err != nil || n == len(b) {
			return n, err
		}
	}
}

// carrier is the header that ties a call to its HTTP request, of which the SDK gives calls only
// the headers. A client's own value is replaced.
const carrier = "Board-Request"

// Bound is the middleware that ends calls with the server, and over HTTP with request and session.
func (c *Clients) Bound(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		if strings.HasPrefix(method, "notifications/") {
			return next(ctx, method, req)
		}
		deepen(0)
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		defer context.AfterFunc(c.cfg.Life, cancel)()
		if x := req.GetExtra(); x != nil && x.Header.Get(carrier) != "" {
			id := req.GetSession().ID()
			if method == "initialize" && id != "" {
				c.add(id)
			}
			for _, until := range c.until(x.Header.Get(carrier), id) {
				defer context.AfterFunc(until, cancel)()
			}
		}
		return next(ctx, method, req)
	}
}

// deepen makes a goroutine's stack as large as SQLite is going to need it. Each request
// has a goroutine of its own, and a stack that grows within SQLite, with much on it to be
// moved, takes a tenth of a small call.
//
//go:noinline
func deepen(i int) byte {
	var room [8 << 10]byte
	return room[i]
}
