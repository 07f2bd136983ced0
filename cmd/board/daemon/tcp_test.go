package daemon

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"blackboard/board"
	"blackboard/board/fault"
	"blackboard/hooks/mcp"
	"blackboard/testdata/cost"
	"blackboard/testdata/expect"
	"blackboard/testdata/wait"
)

func TestTokenIsMadeOnce(t *testing.T) {
	place := placeOf(t, home(t))
	var mu sync.Mutex
	tokens := map[string]bool{}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			token, err := Token(place)
			if err != nil || len(token) < 32 {
				t.Errorf("%q, %v", token, err)
			}
			mu.Lock()
			defer mu.Unlock()
			tokens[token] = true
		})
	}
	wg.Wait()
	if len(tokens) != 1 {
		t.Errorf("%d tokens", len(tokens))
	}
	if info, err := os.Stat(place.Token); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	expect.OK(t, os.Chmod(place.Token, 0o644))
	if _, err := Token(place); err == nil || !strings.Contains(err.Error(), "readable by others") {
		t.Errorf("a token that others can read: %v", err)
	}
}

func TestTCP(t *testing.T) {
	dir := home(t)
	remember(t, dir, 3)
	r := start(t, dir, func(c *Config) { c.TCP = &TCP{Addr: "127.0.0.1:0"} })
	st, err := r.client(t).Status(t.Context())
	if err != nil || st.Listen == "" {
		t.Fatal(st, err)
	}
	token := expect.Value(Token(r.place))(t)
	for _, tc := range []struct {
		what, method, path, body string
		change                   func(*http.Request)
		want                     int
	}{
		{"a search", "POST", "/v1/search", `{"Query":{"Text":"capsule","Mode":"bm25"}}`, nil, 200},
		{"how it is", "POST", "/v1/status", `{}`, nil, 200},
		{"no token", "POST", "/v1/status", `{}`, func(r *http.Request) { r.Header.Del("Authorization") }, 401},
		{"a wrong token", "POST", "/v1/status", `{}`, func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+token+"x") }, 401},
		{"another scheme", "POST", "/v1/status", `{}`, func(r *http.Request) { r.Header.Set("Authorization", "Basic "+token) }, 401},
		{"a name that leads here", "POST", "/v1/status", `{}`, func(r *http.Request) { r.Host = "evil.example" }, 403},
		{"a page elsewhere", "POST", "/v1/status", `{}`, func(r *http.Request) { r.Header.Set("Origin", "https://evil.example") }, 403},
		{"a page of ours", "POST", "/v1/status", `{}`, func(r *http.Request) { r.Header.Set("Origin", "http://localhost:1") }, 200},
		{"the scheme in small letters", "POST", "/v1/status", `{}`, func(r *http.Request) { r.Header.Set("Authorization", "bearer "+token) }, 200},
		{"the scheme in capitals", "POST", "/v1/status", `{}`, func(r *http.Request) { r.Header.Set("Authorization", "BEARER "+token) }, 200},
		{"to stop", "POST", "/v1/stop", `{}`, nil, 404},
		{"to embed", "POST", "/v1/embed", `{}`, nil, 404},
		{"pprof", "GET", "/debug/pprof/heap", ``, nil, 404},
		{"too much", "POST", "/v1/search", `{"Query":{"Text":"` + strings.Repeat("x", maxTCPRequest) + `"}}`, nil, 400},
	} {
		req := expect.Value(http.NewRequestWithContext(t.Context(), tc.method, "http://"+st.Listen+tc.path, strings.NewReader(tc.body)))(t)
		req.Header.Set("Authorization", "Bearer "+token)
		if tc.change != nil {
			tc.change(req)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Errorf("%s: %v", tc.what, err)
			continue
		}
		resp.Body.Close()
		if resp.StatusCode != tc.want {
			t.Errorf("%s: %s, want %d", tc.what, resp.Status, tc.want)
		}
	}
	http.DefaultClient.CloseIdleConnections()
}

// TestAPIErrors: errors by TCP have the form of the contract, and the words of JSON.
func TestAPIErrors(t *testing.T) {
	dir := home(t)
	remember(t, dir, 3)
	r := start(t, dir, func(c *Config) {
		c.TCP, c.Words = &TCP{Addr: "127.0.0.1:0"}, func(s fault.Step) string { return s.Op }
	})
	st := expect.Value(r.client(t).Status(t.Context()))(t)
	token := expect.Value(Token(r.place))(t)
	for shown, want := range map[string]string{"": "daemon.token prints the token", token: "help.show lists the paths"} {
		req := expect.Value(http.NewRequestWithContext(t.Context(), "GET", "http://"+st.Listen+"/v2/search", nil))(t)
		resp := expect.Value(shows{shown}.RoundTrip(req))(t)
		var got struct{ Error struct{ Try string } }
		err := json.NewDecoder(resp.Body).Decode(&got)
		resp.Body.Close()
		if err != nil || !strings.HasSuffix(got.Error.Try, want) {
			t.Errorf("try says %q %v, want %q", got.Error.Try, err, want)
		}
	}
	for _, tc := range []struct {
		method, path, body string
		status             int
		code, message      string
	}{
		{"POST", "/v1/search", `{"query":{"text":7}}`, 400, "usage", "query.text is of the wrong type, number"},
		{"POST", "/v1/search", `[]`, 400, "usage", "the whole is of the wrong type, array"},
		{"POST", "/v1/search", `{"query":`, 400, "usage", "ends in the middle"},
		{"POST", "/v1/search", `abc`, 400, "usage", "invalid JSON at byte 1"},
		{"POST", "/v1/search", ``, 400, "usage", "empty"},
		{"POST", "/v1/search", `{}{}`, 400, "usage", "more than one value"},
		{"POST", "/v1/search", `{"query":{"text":""}}`, 400, "invalid", ""},
		{"POST", "/v1/search", `{"query":{"text":"` + strings.Repeat("x", maxTCPRequest) + `"}}`, 400, "usage", "more than"},
		{"GET", "/v1/events?run=none", ``, 404, "not_found", "no run none"},
		{"GET", "/v1/events?run=../x", ``, 400, "invalid", "run"},
		{"GET", "/v1/events?since=x", ``, 400, "usage", "since"},
		{"GET", "/v1/search", ``, 405, "usage", "takes POST"},
		{"GET", "/v2/search", ``, 404, "not_found", "/v2/search"},
	} {
		req := expect.Value(http.NewRequestWithContext(t.Context(), tc.method, "http://"+st.Listen+tc.path, strings.NewReader(tc.body)))(t)
		resp := expect.Value(shows{token}.RoundTrip(req))(t)
		body, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		var got struct {
			V     int
			Error struct {
				Code, Message string
				Try           *string
				Next          *[]fault.Step
			}
		}
		if err := json.Unmarshal(body, &got); err != nil || got.V != 1 || got.Error.Try == nil || got.Error.Next == nil || resp.Header.Get("Content-Type") != "application/json" {
			t.Errorf("%s %s: %v %s", tc.method, tc.path, err, body)
		}
		if resp.StatusCode != tc.status || got.Error.Code != tc.code || !strings.Contains(got.Error.Message, tc.message) || strings.Contains(string(body), "Go ") {
			t.Errorf("%s %s %.60s: %s %s", tc.method, tc.path, tc.body, resp.Status, body)
		}
	}
	req := expect.Value(http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+st.Listen+"/v1/search", strings.NewReader(`{"query":{"text":"capsule","limit":2}}`)))(t)
	resp := expect.Value(shows{token}.RoundTrip(req))(t)
	defer resp.Body.Close()
	body, _ := io.ReadAll(resp.Body)
	if resp.StatusCode != http.StatusOK || strings.Count(string(body), `"snippet"`) != 2 || !strings.HasPrefix(string(body), `{"v":1,"result":{`) {
		t.Errorf("%s %.300s", resp.Status, body)
	}
}

func TestOffLoopbackNeedsACertificate(t *testing.T) {
	for _, addr := range []string{"0.0.0.0:0", ":0", "[::]:0", "192.0.2.1:0", "example.org:0", "8765", ""} {
		if l, err := listenTCP(TCP{Addr: addr}); err == nil {
			l.Close()
			t.Errorf("%q is listened on without a certificate", addr)
		}
	}
	if _, err := listenTCP(TCP{Addr: "127.0.0.1:0", Cert: "x"}); err == nil {
		t.Error("a certificate without a key")
	}
	dir := home(t)
	cert, key := certificate(t, dir)
	port, token, pool := startTLS(t, dir, cert, key)
	c := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}}}
	defer c.CloseIdleConnections()
	req := expect.Value(http.NewRequestWithContext(t.Context(), "POST",
		"https://localhost:"+port+"/v1/status", strings.NewReader("{}")))(t)
	req.Header.Set("Authorization", "Bearer "+token)
	resp, err := c.Do(req)
	if err != nil || resp.StatusCode != 200 {
		t.Fatalf("by TLS: %v, %v", resp, err)
	}
	resp.Body.Close()
}

// startTLS starts a daemon that listens everywhere. It returns its port, its token and the pool
// with its certificate.
func startTLS(t *testing.T, dir, cert, key string) (port, token string, pool *x509.CertPool) {
	t.Helper()
	r := start(t, dir, func(c *Config) { c.TCP = &TCP{Addr: "0.0.0.0:0", Cert: cert, Key: key} })
	st := expect.Value(r.client(t).Status(t.Context()))(t)
	_, port = expect.Values(net.SplitHostPort(st.Listen))(t)
	token = expect.Value(Token(r.place))(t)
	raw := expect.Value(os.ReadFile(cert))(t)
	pool = x509.NewCertPool()
	pool.AppendCertsFromPEM(raw)
	return port, token, pool
}

// certificate makes one for localhost, and more names.
func certificate(t *testing.T, dir string, names ...string) (cert, key string) {
	t.Helper()
	k := expect.Value(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))(t)
	tmpl := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "localhost"}, DNSNames: append([]string{"localhost"}, names...), NotBefore: time.Now().Add(-time.Hour),
		NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign}
	der := expect.Value(x509.CreateCertificate(rand.Reader, tmpl, tmpl, &k.PublicKey, k))(t)
	kb := expect.Value(x509.MarshalPKCS8PrivateKey(k))(t)
	cert, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	for name, block := range map[string]*pem.Block{cert: {Type: "CERTIFICATE", Bytes: der}, key: {Type: "PRIVATE KEY", Bytes: kb}} {
		expect.OK(t, os.WriteFile(name, pem.EncodeToMemory(block), 0o600))
	}
	return cert, key
}

// TestMCP asks a daemon as an agent does that comes over the network: it reads, and is told what
// it would need to write.
func TestMCP(t *testing.T) {
	dir := home(t)
	remember(t, dir, 3)
	grants := expect.Value(mcp.ParseGrants(mcp.NetworkGrants))(t)
	r := start(t, dir, func(c *Config) {
		c.TCP = &TCP{Addr: "127.0.0.1:0", MCP: &mcp.Config{Grants: grants, Run: "r", Workspace: dir, Profiles: mcp.Profiles}}
	})
	st, err := r.client(t).Status(t.Context())
	if err != nil || st.Listen == "" {
		t.Fatal(st, err)
	}
	token := expect.Value(Token(r.place))(t)
	b := expect.Value(board.OpenOrCreate(t.Context(), filepath.Join(dir, "boards"), "r"))(t)
	defer b.Close()
	expect.Value(b.Post(t.Context(), "w", board.Post{Content: "there is something"}))(t)
	connect := func(token string) (*sdk.ClientSession, error) {
		return sdk.NewClient(&sdk.Implementation{Name: "far"}, nil).Connect(t.Context(), &sdk.StreamableClientTransport{Endpoint: "http://" + st.Listen + "/mcp", HTTPClient: &http.Client{Transport: shows{token}}}, nil)
	}
	if _, err := connect("wrong"); err == nil {
		t.Error("a wrong token is as good as the right one")
	}
	c := expect.Value(connect(token))(t)
	defer c.Close()
	for _, q := range []struct {
		tool, args, want string
		refused          bool
	}{
		{"kb_search", `{"query":"capsule about topic"}`, "Capsule 1 about topic 1", false},
		{"kb_search", `{"query":"pane","mode":"vector"}`, "Capsule", false},
		{"board_state", `{}`, "entries    1", false},
		{"board_post", `{"content":"x"}`, "can grant run:r", true},
		{"kb_remember", `{"title":"x","body":"y"}`, "can grant kb:write", true},
		{"memory_read", `{"tiers":["account"]}`, "can grant account:read", true},
		{"kb_ingest", `{"paths":["/etc"]}`, "can grant files", true},
		{"board_survival", `{"files":["/etc/passwd"]}`, "can grant files", true},
	} {
		res, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: q.tool, Arguments: json.RawMessage(q.args)})
		if err != nil {
			t.Errorf("%s: %v", q.tool, err)
		} else if text := res.Content[0].(*sdk.TextContent).Text; res.IsError != q.refused || !strings.Contains(text, q.want) {
			t.Errorf("%s %s: %s", q.tool, q.args, text)
		}
	}
	if got, err := c.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "board://run/r/entry/e1"}); err != nil || !strings.Contains(got.Contents[0].Text, "there is something") {
		t.Errorf("%+v, %v", got, err)
	}
	// The token opens the listener, and no run beyond the grants.
	for path, want := range map[string]int{"/v1/events?run=r": 200, "/v1/events?run=secret": 404, "/v1/events": 200} {
		if got := status(t, "http://"+st.Listen+path, token); got != want {
			t.Errorf("%s: %d", path, got)
		}
	}
	// A call that waits does not keep the daemon from ending, and is answered.
	waiting := make(chan string, 2)
	old := expect.Value(sdk.NewClient(&sdk.Implementation{Name: "old"}, nil).Connect(t.Context(), &sdk.StreamableClientTransport{Endpoint: "http://" + st.Listen + "/mcp", HTTPClient: &http.Client{Transport: shows{token}}}, &sdk.ClientSessionOptions{ProtocolVersion: "2025-11-25"}))(t)
	defer old.Close()
	untilActive(t, r.client(t), 1) // the session's stream is there, and those that were asked for above have ended
	for _, c := range []*sdk.ClientSession{c, old} {
		go func() {
			res, err := c.CallTool(context.Background(), &sdk.CallToolParams{Name: "board_wait", Arguments: json.RawMessage(`{"for":"event","timeout_seconds":300}`)})
			if err != nil {
				waiting <- err.Error()
				return
			}
			waiting <- res.Content[0].(*sdk.TextContent).Text
		}()
	}
	untilActive(t, r.client(t), 3) // a waiting call counts as use, so that the daemon does not end as idle
	r.end(t)
	if strings.Contains(r.log.String(), "requests were cut off") {
		t.Errorf("it has waited for the call:\n%s", r.log)
	}
	for range 2 {
		if text := <-waiting; !strings.Contains(text, "was cancelled") {
			t.Errorf("what was under way is answered with %s", text)
		}
	}
}

// TestAbandonedWaits: however many clients go away while they wait, those that stay are served.
func TestAbandonedWaits(t *testing.T) {
	cost.SkipQuickUnlessRace(t)
	dir := home(t)
	grants := expect.Value(mcp.ParseGrants(mcp.NetworkGrants))(t)
	b := expect.Value(board.OpenOrCreate(t.Context(), filepath.Join(dir, "boards"), "r"))(t)
	defer b.Close()
	expect.Value(b.Post(t.Context(), "w", board.Post{Content: "there is something"}))(t)
	r := start(t, dir, func(c *Config) {
		c.TCP = &TCP{Addr: "127.0.0.1:0", MCP: &mcp.Config{Grants: grants, Run: "r", Workspace: dir}}
	})
	client := r.client(t)
	st := expect.Value(client.Status(t.Context()))(t)
	token := expect.Value(Token(r.place))(t)
	patience, stop := context.WithTimeout(t.Context(), wait.Limit(t))
	defer stop()
	ask := func(ctx context.Context, tool, args string) (*http.Response, error) {
		req := expect.Value(http.NewRequestWithContext(ctx, http.MethodPost, "http://"+st.Listen+"/mcp", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"`+tool+`","arguments":`+args+`}}`)))(t)
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Accept", "application/json, text/event-stream")
		return shows{token}.RoundTrip(req)
	}
	for range 200 {
		ctx, goAway := context.WithCancel(patience)
		gone := make(chan struct{})
		go func() {
			defer close(gone)
			if resp, err := ask(ctx, "board_wait", `{"for":"event","timeout_seconds":300}`); err == nil {
				io.Copy(io.Discard, resp.Body)
				resp.Body.Close()
			}
		}()
		untilActive(t, client, 1)
		goAway()
		<-gone
	}
	resp, err := ask(patience, "board_state", `{}`)
	if err != nil {
		t.Fatal("nobody is served any more: ", err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		t.Error(resp.Status)
	}
	untilActive(t, client, 0)
}

// shows is a client that shows a token.
type shows struct{ token string }

func (s shows) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+s.token)
	return http.DefaultTransport.RoundTrip(r)
}

// untilActive returns when the daemon has exactly n requests and streams under way.
func untilActive(t *testing.T, c *Client, n int) {
	t.Helper()
	for {
		if st, err := c.Status(t.Context()); err != nil {
			t.Fatal(err)
		} else if int(st.Active) == n {
			return
		}
	}
}

// status asks for something, and returns the status of the answer.
func status(t *testing.T, url, token string) int {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel() // a stream has no end
	req := expect.Value(http.NewRequestWithContext(ctx, http.MethodGet, url, nil))(t)
	resp := expect.Value(shows{token}.RoundTrip(req))(t)
	defer resp.Body.Close()
	return resp.StatusCode
}

// TestTokenOpensWhatIsGranted asks for events and searches that are not granted.
func TestTokenOpensWhatIsGranted(t *testing.T) {
	dir := home(t)
	remember(t, dir, 1)
	grants := expect.Value(mcp.ParseGrants([]string{"run:mine:read"}))(t)
	r := start(t, dir, func(c *Config) { c.TCP = &TCP{Addr: "127.0.0.1:0", MCP: &mcp.Config{Grants: grants}} })
	st := expect.Value(r.client(t).Status(t.Context()))(t)
	token := expect.Value(Token(r.place))(t)
	b := expect.Value(board.OpenOrCreate(t.Context(), filepath.Join(dir, "boards"), "mine"))(t)
	expect.Value(b.Post(t.Context(), "w", board.Post{Content: "x"}))(t)
	b.Close()
	for path, want := range map[string]int{"/v1/events?run=mine": 200, "/v1/events?run=secret": 403, "/v1/events?run=mine&run=secret": 403, "/v1/events": 403} {
		if got := status(t, "http://"+st.Listen+path, token); got != want {
			t.Errorf("%s: %d instead of %d", path, got, want)
		}
	}
	req := expect.Value(http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+st.Listen+"/v1/search", strings.NewReader(`{"Query":{"Text":"capsule","Mode":"bm25"}}`)))(t)
	resp := expect.Value(shows{token}.RoundTrip(req))(t)
	resp.Body.Close()
	if resp.StatusCode != http.StatusForbidden {
		t.Errorf("a search: %s", resp.Status)
	}
}

// TestOurHost asks which hosts a request may be for: those that nobody else can have a name lead
// to.
func TestOurHost(t *testing.T) {
	cert := &x509.Certificate{DNSNames: []string{"box.local", "*.boxes.example"}, IPAddresses: []net.IP{net.ParseIP("203.0.113.7"), net.ParseIP("2001:db8::7")}}
	wildcard, plain := hosts{"0.0.0.0", cert}, hosts{"127.0.0.1", nil}
	for _, tc := range []struct {
		header string
		own    hosts
		at     string // the address that the request has come to
		want   bool
	}{
		{"192.168.1.5:8765", wildcard, "192.168.1.5", true},
		{"192.168.1.5", wildcard, "192.168.1.5", true},
		{"192.168.1.6:8765", wildcard, "192.168.1.5", false},
		{"[fd00::5]:8765", hosts{"", cert}, "fd00::5", true},
		{"[fd00::6]:8765", hosts{"", cert}, "fd00::5", false},
		{"box.local:8765", hosts{"", cert}, "192.168.1.5", true},
		{"Box.Local:8765", hosts{"192.168.1.5", cert}, "192.168.1.5", true},
		{"a.boxes.example", wildcard, "192.168.1.5", true},
		{"a.b.boxes.example", wildcard, "192.168.1.5", false},
		{"203.0.113.7:8765", wildcard, "172.17.0.2", true}, // forwarded to a container
		{"[2001:db8::7]:8765", wildcard, "172.17.0.2", true},
		{"evil.example:8765", wildcard, "192.168.1.5", false},
		{"", wildcard, "192.168.1.5", false},
		{":8765", hosts{"", cert}, "192.168.1.5", false},
		{"box.local:8765", hosts{"box.local", &x509.Certificate{}}, "192.168.1.5", true},
		{"localhost:8765", wildcard, "192.168.1.5", true},
		{"127.0.0.1:8765", plain, "127.0.0.1", true},
		{"box.local:8765", plain, "127.0.0.1", false},
		{"192.168.1.5:8765", plain, "127.0.0.1", false},
	} {
		r := httptest.NewRequest(http.MethodPost, "/", nil)
		r = r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey, &net.TCPAddr{IP: net.ParseIP(tc.at), Port: 8765}))
		if got := ourHost(tc.header, tc.own, r); got != tc.want {
			t.Errorf("%q, listening on %q, at %s: %v", tc.header, tc.own.listen, tc.at, got)
		}
	}
}

// TestNamesOfTheCertificate asks a daemon that listens everywhere by a name that its certificate
// is for, as other machines do.
func TestNamesOfTheCertificate(t *testing.T) {
	dir := home(t)
	cert, key := certificate(t, dir, "box.local")
	port, token, pool := startTLS(t, dir, cert, key)
	// Every name leads to the daemon, and all but one are another's.
	dial := func(ctx context.Context, network, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, network, "127.0.0.1:"+port)
	}
	c := &http.Client{Transport: &http.Transport{DialContext: dial, TLSClientConfig: &tls.Config{RootCAs: pool, ServerName: "box.local"}}}
	defer c.CloseIdleConnections()
	for _, tc := range []struct {
		host, origin string
		want         int
	}{{"box.local", "", 200}, {"box.local", "https://BOX.local:" + port, 200}, {"box.local", "https://evil.example", 403}, {"evil.example", "", 403}, {"192.0.2.1", "", 403}} {
		req := expect.Value(http.NewRequestWithContext(t.Context(), "POST", "https://"+tc.host+":"+port+"/v1/status", strings.NewReader("{}")))(t)
		req.Header.Set("Authorization", "Bearer "+token)
		if tc.origin != "" {
			req.Header.Set("Origin", tc.origin)
		}
		resp := expect.Value(c.Do(req))(t)
		resp.Body.Close()
		if resp.StatusCode != tc.want {
			t.Errorf("for %s, from %q: %s, want %d", tc.host, tc.origin, resp.Status, tc.want)
		}
	}
}
