package transport

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"blackboard/testdata/expect"
)

// pieces is an answer that notes how many bytes came after each time that was given.
type pieces struct {
	*httptest.ResponseRecorder
	writes []int
}

func (p *pieces) SetWriteDeadline(t time.Time) error {
	if t.IsZero() {
		return errors.New("without limit")
	}
	p.writes = append(p.writes, 0)
	return nil
}

func (p *pieces) Write(b []byte) (int, error) {
	if len(p.writes) == 0 {
		p.writes = append(p.writes, 1<<30) // without limit
	}
	p.writes[len(p.writes)-1] += len(b)
	return p.ResponseRecorder.Write(b)
}

// TestPaced: a client has a time for each piece of a long answer.
func TestPaced(t *testing.T) {
	w := &pieces{ResponseRecorder: httptest.NewRecorder()}
	long := strings.Repeat("long ", 100_000)
	if n, err := newPaced(w).Write([]byte(long)); err != nil || n != len(long) ||
		w.Body.String() != long {
		t.Error(n, err)
	}
	if n := slices.Max(w.writes); n > 1<<16 {
		t.Errorf("%d bytes at once", n)
	}
}

// late is an answer whose request gets each deadline but the first somewhat later than it is set.
type late struct {
	http.ResponseWriter
	deadlines *int
	set       chan struct{} // gets one for each
}

func (l late) Unwrap() http.ResponseWriter { return l.ResponseWriter }

func (l late) SetReadDeadline(t time.Time) error {
	if *l.deadlines++; *l.deadlines == 2 {
		close(l.set)
		time.Sleep(20 * time.Millisecond)
	}
	return http.NewResponseController(l.ResponseWriter).SetReadDeadline(t)
}

// lastByte is a body that says when it has been read whole.
type lastByte struct {
	io.ReadCloser
	read func()
}

func (b lastByte) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err == io.EOF {
		b.read()
	}
	return n, err
}

// TestEndWhileReading: a call that has come whole is answered, though the server was told to end
// before it had noticed that.
func TestEndWhileReading(t *testing.T) {
	life, end := context.WithCancel(t.Context())
	server := sdk.NewServer(&sdk.Implementation{Name: "s"}, nil)
	c := NewClients(Config{Server: server, Life: life, Log: slog.New(slog.DiscardHandler), Leave: func(string) {}})
	defer c.Close()
	server.AddReceivingMiddleware(c.Bound)
	sdk.AddTool(server, &sdk.Tool{Name: "wait"}, func(ctx context.Context, _ *sdk.CallToolRequest, _ struct{}) (*sdk.CallToolResult, any, error) {
		<-ctx.Done()
		time.Sleep(50 * time.Millisecond) // for a request that nobody would wait for to be given up
		return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: "called off"}}}, nil, nil
	})
	serve := c.Handler()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		l := late{w, new(int), make(chan struct{})}
		r.Body = lastByte{r.Body, func() {
			end()
			<-l.set
		}}
		serve.ServeHTTP(l, r)
	}))
	defer s.Close()
	req := expect.Value(http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL, strings.NewReader(
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wait","arguments":{},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"far","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}`)))(t)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	req.Header.Set("Mcp-Method", "tools/call")
	req.Header.Set("Mcp-Name", "wait")
	req.Header.Set(VersionHeader, Sessionless)
	res := expect.Value(s.Client().Do(req))(t)
	defer res.Body.Close()
	if b, err := io.ReadAll(res.Body); err != nil || !strings.Contains(string(b), "called off") {
		t.Errorf("%d, %q, %v", res.StatusCode, b, err)
	}
}
