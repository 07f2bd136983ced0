package daemon

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"blackboard/board/fault"
	"blackboard/embed"
	"blackboard/kb"
)

// dialTimeout is a client's wait for a daemon to take the call; on this machine longer is none.
const dialTimeout = 200 * time.Millisecond

// How long a daemon has to answer: a stuck one must not keep anybody, the file takes less.
const (
	searchWithin = 3 * time.Second
	statusWithin = 2 * time.Second
	modelWithin  = 3 * time.Second // it may have to be loaded
	textWithin   = 500 * time.Millisecond
)

// Client talks to the daemon of a data home. It is safe for concurrent use.
type Client struct {
	place    Place
	build    string
	modelDir string
	http     *http.Client
	// patience comes on top of the time for an answer: none but in tests, and in mode Require.
	patience time.Duration
}

// NewClient returns a client for a place, of a build of the program, with the directory
// of its model. It connects when it is asked something.
func NewClient(place Place, build, modelDir string) *Client {
	dialer := net.Dialer{Timeout: dialTimeout}
	return &Client{place: place, build: build, modelDir: modelDir, http: &http.Client{Transport: &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return dialer.DialContext(ctx, "unix", place.Socket)
		},
		MaxIdleConnsPerHost: 8, IdleConnTimeout: time.Minute, DisableCompression: true,
	}}}
}

func (c *Client) Close() { c.http.CloseIdleConnections() }

// There reports whether somebody listens at a socket that others cannot have made, without asking:
// a killed daemon leaves one where nobody listens.
func (c *Client) There() bool {
	if !exists(c.place.Socket) || c.place.private() != nil {
		return false
	}
	conn, err := net.DialTimeout("unix", c.place.Socket, dialTimeout)
	if err != nil {
		return false
	}
	conn.Close()
	return true
}

// Held reports whether a daemon has the data home's lock, whether it answers or not.
func Held(place Place) bool {
	if !exists(place.Lock) {
		return false
	}
	lock := flock.New(place.Lock, flock.SetPermissions(0o600))
	got, err := lock.TryLock()
	if got {
		lock.Unlock()
	}
	return err == nil && !got
}

// SearchNotes asks the daemon what kb.KB.Search would answer, with its notes. An Unusable error
// says nothing of the question: ask it of the file.
func (c *Client) SearchNotes(ctx context.Context, q kb.Query) (kb.Result, []string, error) {
	if err := q.Check(); err != nil { // also of what JSON cannot carry
		return kb.Result{}, nil, err
	}
	q.Text = strings.ToValidUTF8(q.Text, " ") // as Search does; JSON would do it otherwise
	res, err := call[searchRequest, searchResponse](ctx, c, "search", searchWithin, searchRequest{q, c.modelDir})
	return res.Result, res.Notes, err
}

// Unusable reports whether an error says that the daemon is of no use, and the question
// is still open. On a full disk a file can be read once, but not kept open.
func Unusable(err error) bool {
	return errors.Is(err, ErrNone) || errors.Is(err, ErrOtherBuild) || errors.Is(err, ErrOtherModel) || errors.Is(err, ErrBadRequest) || errors.Is(err, fault.Full)
}

// Status asks the daemon how it is, of whatever build it is.
func (c *Client) Status(ctx context.Context) (Status, error) {
	return call[struct{}, Status](ctx, c, "status", statusWithin, struct{}{})
}

// Stop has the daemon end when idle or done with what it is at, without waiting; see WaitGone.
func (c *Client) Stop(ctx context.Context, whenIdle bool) error {
	_, err := call[stopRequest, struct{}](ctx, c, "stop", statusWithin, stopRequest{whenIdle})
	return err
}

// WaitGone waits until there is no daemon: until nobody answers, and its lock is free
// too, which is the last that it gives up.
func (c *Client) WaitGone(ctx context.Context) error {
	for {
		if _, err := c.Status(ctx); errors.Is(err, ErrNone) && ctx.Err() == nil && !Held(c.place) {
			return nil
		}
		if !sleep(ctx, 20*time.Millisecond) {
			return ctx.Err()
		}
	}
}

func (c *Client) WaitReady(ctx context.Context) (Status, error) {
	for {
		st, err := c.Status(ctx)
		if err == nil {
			return st, nil
		}
		if !sleep(ctx, 20*time.Millisecond) {
			return st, fmt.Errorf("%w: %w", ErrNone, ctx.Err())
		}
	}
}

// Embed embeds texts with the model that the daemon has loaded, and says which that is,
// also of no texts. Many are sent a few at a time, so that no request is too long.
func (c *Client) Embed(ctx context.Context, texts []string) (m embed.Model, vs []embed.Vector, err error) {
	vs = make([]embed.Vector, 0, len(texts))
	for m.Dim == 0 || len(texts) > 0 {
		req := embedRequest{ModelDir: c.modelDir}
		n, size := 0, 0
		for n < len(texts) && n < 64 {
			t := texts[n]
			if len(t) > maxText { // no model reads so much of it
				t = t[:maxText]
			}
			if size += len(t); n > 0 && size > maxRequest/4 {
				break
			}
			req.Texts = append(req.Texts, []byte(t))
			n++
		}
		res, err := call[embedRequest, embedResponse](ctx, c, "embed", modelWithin+time.Duration(n)*textWithin, req)
		switch {
		case err != nil:
			return m, nil, err
		case m.Dim > 0 && res.Model != m:
			return m, nil, fmt.Errorf("%w: the daemon has another model now", fault.Closed)
		case res.Model.Dim <= 0 || len(res.Data) != 4*n*res.Model.Dim:
			return m, nil, fmt.Errorf("%w: the daemon's answer has %d bytes for %d vectors", fault.BadModel, len(res.Data), n)
		}
		m = res.Model
		for i := range n {
			v := make(embed.Vector, m.Dim)
			// there are enough
			binary.Decode(res.Data[4*i*m.Dim:], binary.LittleEndian, []float32(v))
			vs = append(vs, v)
		}
		texts = texts[n:]
	}
	return m, vs, nil
}

// maxText is how many bytes of a text are sent: a model reads some hundred tokens.
const maxText = 1 << 20
