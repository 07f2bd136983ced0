package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"blackboard/board"
	"blackboard/hooks/mcp/transport"
	"blackboard/testdata/cost"
	"blackboard/testdata/expect"
)

// eras are revisions of the protocol: with a session, and without.
var eras = []string{"2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"}

// network is a server of all profiles and grants, by HTTP, and its address.
func network(t testing.TB, change func(*Config)) (*Server, string) {
	t.Helper()
	s := everything(t, func(c *Config) {
		c.Far = true
		if change != nil {
			change(c)
		}
	})
	h := httptest.NewServer(s.Handler())
	t.Cleanup(func() { s.End(); h.Close() })
	return s, h.URL
}

// clientOver is a client over HTTP, of an era of the protocol.
func clientOver(t testing.TB, url, era string, opt *sdk.ClientOptions) *sdk.ClientSession {
	t.Helper()
	c := expect.Value(sdk.NewClient(&sdk.Implementation{Name: "scout", Version: "1"},
		opt).Connect(t.Context(), &sdk.StreamableClientTransport{Endpoint: url},
		&sdk.ClientSessionOptions{ProtocolVersion: era}))(t)
	t.Cleanup(func() { c.Close() })
	return c
}

// boardOf is the board of the run r1, with an entry.
func boardOf(t testing.TB, s *Server) *board.Board {
	t.Helper()
	b := expect.Value(board.OpenOrCreate(t.Context(), s.boards(), "r1"))(t)
	t.Cleanup(func() { b.Close() })
	expect.Value(b.Post(t.Context(), "w", board.Post{Content: "first"}))(t)
	return b
}

// ends gets the name of each tool whose call has ended, from now on.
func ends(s *Server) <-chan string {
	ended := make(chan string, 1000)
	s.sdk.AddReceivingMiddleware(func(next sdk.MethodHandler) sdk.MethodHandler {
		return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
			if p, ok := req.GetParams().(*sdk.CallToolParamsRaw); ok {
				defer func() { ended <- p.Name }()
			}
			return next(ctx, method, req)
		}
	})
	return ended
}

// raw is a client that says what it likes.
type raw struct{ url, session string }

func (c raw) send(ctx context.Context, t testing.TB, method, body string,
	headers ...string) (*http.Response, error) {
	t.Helper()
	req := expect.Value(http.NewRequestWithContext(ctx, method, c.url, strings.NewReader(body)))(t)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	if c.session != "" {
		req.Header.Set(transport.SessionHeader, c.session)
	}
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	return http.DefaultClient.Do(req)
}

// post sends a message, and returns the whole answer.
func (c raw) post(t testing.TB, body string) (status int, answer string) {
	t.Helper()
	resp := expect.Value(c.send(t.Context(), t, http.MethodPost, body))(t)
	defer resp.Body.Close()
	all := expect.Value(io.ReadAll(resp.Body))(t)
	return resp.StatusCode, string(all)
}

// hello opens a session.
func hello(t testing.TB, url string) raw {
	t.Helper()
	resp := expect.Value(raw{url: url}.send(t.Context(), t, http.MethodPost,
		`{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"raw","version":"1"}}}`))(t)
	defer resp.Body.Close()
	io.Copy(io.Discard, resp.Body)
	if resp.StatusCode != http.StatusOK {
		t.Fatal(resp.Status)
	}
	return raw{url, resp.Header.Get(transport.SessionHeader)}
}

func waitCall(id any) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%v,"method":"tools/call","params":{"name":"board_wait","arguments":{"for":"event","timeout_seconds":300}}}`, id)
}

// TestHTTPRemembersWhoSpeaks: what a client calls itself when it begins is its name in
// all that it writes.
func TestHTTPRemembersWhoSpeaks(t *testing.T) {
	_, url := network(t, nil)
	names := map[string]bool{}
	for _, era := range eras {
		c := clientOver(t, url, era, nil)
		must(t, c, "board_post", `{"content":"I speak `+era+`"}`)
		text := must(t, c, "board_query", `{"contains":"`+era+`"}`)
		want := `(?m)by scout-[0-9a-z]{4}$`
		if era >= transport.Sessionless {
			want = `(?m)by scout$`
		}
		if !regexp.MustCompile(want).MatchString(text) {
			t.Errorf("%s: %s", era, text)
		}
		if names[regexp.MustCompile(`by \S+`).FindString(text)] {
			t.Errorf("two clients have the name of %s", text)
		}
		names[regexp.MustCompile(`by \S+`).FindString(text)] = true
		if again := must(t, c, "board_signal", `{"content":"who am I?"}`); again == "" {
			t.Error("it cannot raise a signal")
		}
		// whose name is not proven
		refused(t, c, "memory_put", `{"content":"x","private":true}`, "name of an agent")
	}
	named, url := network(t, func(c *Config) { c.Agent = "alpha" })
	_ = named
	c := clientOver(t, url, "2025-11-25", nil)
	must(t, c, "board_post", `{"content":"x"}`)
	if text := must(t, c, "board_query", `{}`); !strings.Contains(text, "by alpha") {
		t.Error(text)
	}
}

// TestHTTPJoinedEnds: the run that a session has joined is the session's alone, and is forgotten
// with it; without a session nobody has joined one.
func TestHTTPJoinedEnds(t *testing.T) {
	s, url := network(t, func(c *Config) { c.Run = "" })
	boardOf(t, s)
	kept := func() (n int) {
		s.joined.Range(func(any, any) bool { n++; return true })
		return n
	}
	for _, era := range eras {
		joins, other := clientOver(t, url, era, nil), clientOver(t, url, era, nil)
		must(t, joins, "board_start", `{"run":"r1","worker":"w"}`)
		refused(t, other, "board_post", `{"content":"x","worker":"w"}`, "no run is named")
		if era == "2026-07-28" {
			refused(t, joins, "board_post", `{"content":"x","worker":"w"}`, "no run is named")
		} else {
			must(t, joins, "board_post", `{"content":"x","worker":"w"}`)
		}
		joins.Close()
		if n := kept(); n != 0 {
			t.Errorf("%s: %d runs of sessions that have ended are kept", era, n)
		}
	}
}

// TestHTTPManyClients: twenty of one name are twenty workers, and nothing is lost.
func TestHTTPManyClients(t *testing.T) {
	cost.SkipQuickUnlessRace(t)
	s, url := network(t, nil)
	boardOf(t, s)
	done := make(chan error)
	for n := range 20 {
		c := clientOver(t, url, "2025-11-25", nil)
		go func() {
			for i := range 5 {
				r, err := c.CallTool(context.Background(), &sdk.CallToolParams{Name: "board_post",
					Arguments: map[string]any{"content": fmt.Sprintf("finding %d of client %d", i,
						n)}})
				if err == nil && r.IsError {
					err = errors.New(textOf(r))
				}
				if err != nil {
					done <- err
					return
				}
			}
			done <- nil
		}()
	}
	for range 20 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	b := expect.Value(board.Open(t.Context(), s.boards(), "r1"))(t)
	defer b.Close()
	if st, err := b.State(t.Context()); err != nil || st.Entries.Total != 101 ||
		len(st.Workers) != 21 {
		t.Errorf("%d entries of %d workers, %v", st.Entries.Total, len(st.Workers), err)
	}
}

// TestHTTPCancelled: a call that its client calls off ends, and is answered.
func TestHTTPCancelled(t *testing.T) {
	s, url := network(t, nil)
	boardOf(t, s)
	begun := calls(s)
	c := hello(t, url)
	done := make(chan string)
	go func() { _, answer := c.post(t, waitCall(7)); done <- answer }()
	<-begun
	if status, answer := c.post(t,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}`); status != http.StatusAccepted {
		t.Error(status, answer)
	}
	if answer := <-done; !strings.Contains(answer, "was cancelled") {
		t.Errorf("it is answered with %q", answer)
	}
}

// TestHTTPClientGoesAway: whoever does not wait for an answer any more has nothing done
// for him.
func TestHTTPClientGoesAway(t *testing.T) {
	s, url := network(t, nil)
	boardOf(t, s)
	begun, ended := calls(s), ends(s)
	for _, c := range []raw{hello(t, url), {url: url}} { // with a session, and without
		ctx, goAway := context.WithCancel(t.Context())
		gone := make(chan struct{})
		go func() {
			defer close(gone)
			if resp, err := c.send(ctx, t, http.MethodPost, waitCall(1)); err == nil {
				io.Copy(io.Discard, resp.Body)
				resp.Body.Close()
			}
		}()
		<-begun
		goAway()
		<-gone
		<-ended
	}
	for _, era := range eras {
		c := clientOver(t, url, era, nil)
		ctx, goAway := context.WithCancel(t.Context())
		gone := make(chan struct{})
		go func() {
			defer close(gone)
			c.CallTool(ctx, &sdk.CallToolParams{Name: "board_wait",
				Arguments: json.RawMessage(`{"for":"event","timeout_seconds":300}`)})
		}()
		<-begun
		goAway()
		<-gone
		<-ended
		must(t, c, "board_state", `{}`)
		<-begun
		<-ended
	}
}

// TestHTTPDelete: the end of a session ends its calls, which are answered, and those that
// listen to it.
func TestHTTPDelete(t *testing.T) {
	s, url := network(t, nil)
	boardOf(t, s)
	begun := calls(s)
	c := hello(t, url)
	done, listened := make(chan string), make(chan error)
	go func() { _, answer := c.post(t, waitCall(1)); done <- answer }()
	<-begun
	stream, err := c.send(t.Context(), t, http.MethodGet, "")
	if err != nil || stream.StatusCode != http.StatusOK {
		t.Fatal(stream, err)
	}
	go func() {
		_, err := io.Copy(io.Discard, stream.Body)
		stream.Body.Close()
		listened <- err
	}()
	ended := make(chan int)
	go func() {
		resp, err := c.send(t.Context(), t, http.MethodDelete, "")
		if err != nil {
			t.Error(err)
			ended <- 0
			return
		}
		resp.Body.Close()
		ended <- resp.StatusCode
	}()
	if answer := <-done; !strings.Contains(answer, "was cancelled") {
		t.Errorf("it is answered with %q", answer)
	}
	if err := <-listened; err != nil {
		t.Error(err)
	}
	if status := <-ended; status != http.StatusNoContent {
		t.Error(status)
	}
	if status, answer := c.post(t,
		`{"jsonrpc":"2.0","id":2,"method":"ping"}`); status != http.StatusNotFound {
		t.Error(status, answer)
	}
	if n := len(slices.Collect(s.sdk.Sessions())); n != 0 {
		t.Errorf("%d sessions are left", n)
	}
}

// TestHTTPEnd: a server that ends answers what is under way.
func TestHTTPEnd(t *testing.T) {
	for _, era := range eras {
		s, url := network(t, nil)
		boardOf(t, s)
		begun := calls(s)
		c := clientOver(t, url, era, nil)
		done := make(chan string)
		go func() {
			r, err := c.CallTool(context.Background(), &sdk.CallToolParams{Name: "board_wait",
				Arguments: json.RawMessage(`{"for":"event","timeout_seconds":300}`)})
			if err != nil {
				done <- err.Error()
				return
			}
			done <- textOf(r)
		}()
		<-begun
		s.End()
		if text := <-done; !strings.Contains(text, "was cancelled") {
			t.Errorf("%s: %s", era, text)
		}
	}
}

// TestHTTPBounds sends what would take up more than a client may.
func TestHTTPBounds(t *testing.T) {
	cost.SkipQuickUnlessRace(t)
	s, url := network(t, nil)
	boardOf(t, s)
	c := hello(t, url)
	batch := "[" + strings.TrimSuffix(strings.Repeat(`{"jsonrpc":"2.0","id":1,"method":"ping"},`,
		60_000), ",") + "]"
	for _, tc := range []struct {
		what, body, want string
		status           int
	}{
		{"a batch without bound", batch, "60000 messages, and may hold 64", http.StatusBadRequest},
		{"too much", `{"x":"` + strings.Repeat("y", transport.MaxRequest) + `"}`, "longer than 4 MB",
			http.StatusRequestEntityTooLarge},
		{"too deep", `{"jsonrpc":"2.0","id":1,"method":"ping","params":` + strings.Repeat("[",
			2000) + strings.Repeat("]", 2000) + "}", "deeper than 500 levels",
			http.StatusBadRequest},
		{"a small batch", `[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":2,"method":"ping"}]`, `"id":2`, http.StatusOK},
	} {
		if status, answer := c.post(t, tc.body); status != tc.status || !strings.Contains(answer,
			tc.want) {
			t.Errorf("%s: %d %.300s", tc.what, status, answer)
		}
	}
	begun := calls(s)
	ctx, cancel := context.WithCancel(t.Context())
	gone := make(chan struct{})
	for i := range transport.MaxCalls {
		go func() {
			if resp, err := c.send(ctx, t, http.MethodPost, waitCall(i)); err == nil {
				io.Copy(io.Discard, resp.Body)
				resp.Body.Close()
			}
			gone <- struct{}{}
		}()
		<-begun
	}
	if status, answer := c.post(t,
		`{"jsonrpc":"2.0","id":"more","method":"ping"}`); status != http.StatusTooManyRequests ||
		!strings.Contains(answer, `"id":"more"`) {
		t.Errorf("one call more: %d %s", status, answer)
	}
	if status, answer := hello(t, url).post(t,
		`{"jsonrpc":"2.0","id":"more","method":"ping"}`); status != http.StatusOK {
		t.Errorf("another client: %d %s", status, answer)
	}
	cancel()
	for range transport.MaxCalls {
		<-gone
	}
}

// TestHTTPSessionsAreBounded: a client more has the place of the one that has been idle
// for longest, and one that does something keeps its own.
func TestHTTPSessionsAreBounded(t *testing.T) {
	s, url := network(t, nil)
	boardOf(t, s)
	begun := calls(s)
	busy, idle := hello(t, url), hello(t, url)
	done := make(chan string)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		resp, err := busy.send(ctx, t, http.MethodPost, waitCall(1))
		if err == nil {
			io.Copy(io.Discard, resp.Body)
			resp.Body.Close()
		}
		done <- ""
	}()
	<-begun
	for range transport.MaxSessions - 1 {
		hello(t, url)
	}
	ping := `{"jsonrpc":"2.0","id":2,"method":"ping"}`
	if status, answer := busy.post(t, ping); status != http.StatusOK {
		t.Errorf("the one that waits: %d %s", status, answer)
	}
	// it is ended beside the request that had it ended
	for status := 0; status != http.StatusNotFound; {
		status, _ = idle.post(t, ping)
	}
	cancel()
	<-done
	if n := s.clients.Sessions(); n != transport.MaxSessions {
		t.Errorf("%d sessions", n)
	}
}

// deadlines is an answer that notes how long may be read and written.
type deadlines struct {
	*httptest.ResponseRecorder
	read   time.Time
	writes []int // how many bytes came after each time that was given
}

func (d *deadlines) SetReadDeadline(t time.Time) error { d.read = t; return nil }

func (d *deadlines) SetWriteDeadline(t time.Time) error {
	if t.IsZero() {
		return errors.New("without limit")
	}
	d.writes = append(d.writes, 0)
	return nil
}

func (d *deadlines) Write(b []byte) (int, error) {
	if len(d.writes) == 0 {
		d.writes = append(d.writes, 1<<30) // without limit
	}
	d.writes[len(d.writes)-1] += len(b)
	return d.ResponseRecorder.Write(b)
}

// slowly is a body that looks at how long it may take.
type slowly struct {
	io.Reader
	of    *deadlines
	limit bool
}

func (s *slowly) Read(b []byte) (int, error) {
	if s.of.read.IsZero() {
		s.limit = false
	}
	return s.Reader.Read(b)
}

// TestHTTPPatience: a body has to come within a time, each piece of an answer has to be
// read within one, and in between a call may take as long as it likes.
func TestHTTPPatience(t *testing.T) {
	s := everything(t, func(c *Config) { c.Far = true })
	boardOf(t, s)
	w := &deadlines{ResponseRecorder: httptest.NewRecorder()}
	body := &slowly{strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"board_query","arguments":{}}}`), w, true}
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/mcp", body)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	s.Handler().ServeHTTP(w, r)
	if !body.limit {
		t.Error("the body may take as long as it likes")
	}
	if !w.read.IsZero() {
		t.Error("the call may not take as long as it likes")
	}
	if !strings.Contains(w.Body.String(), "first") {
		t.Errorf("%.300s", w.Body)
	}
	if n := slices.Max(w.writes); n > 1<<16 {
		t.Errorf("%d bytes at once", n)
	}
}
