package main

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"blackboard/cmd/board/daemon"
	"blackboard/testdata/expect"
	"blackboard/testdata/wait"
)

// loopStep is one line of testdata/mcp/loop.jsonl: a call of an agent, or the end of one
// that began before.
type loopStep struct {
	Who     string
	Tool    string
	Args    json.RawMessage
	Begins  string   // the call goes on, under this name
	Ends    string   // the call that began under this name is answered
	Says    []string // what the answer has
	Refused bool
}

// bearer shows a token with each request.
type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}

// TestThreeAgents does a run from the first post to a check that passes: three agents
// that have nothing but MCP over HTTP, of both eras of the protocol.
func TestThreeAgents(t *testing.T) {
	t.Parallel()
	url, token := listening(t, "--grant", "run:write", "--run", "refunds")
	agents := map[string]*sdk.ClientSession{}
	for who, era := range map[string]string{"lead": "", "reader-1": "2025-11-25",
		"reader-2": "2025-06-18"} {
		transport := &sdk.StreamableClientTransport{Endpoint: url,
			HTTPClient: &http.Client{Transport: token}}
		c, err := sdk.NewClient(&sdk.Implementation{Name: who, Version: "1"},
			nil).Connect(t.Context(), transport, &sdk.ClientSessionOptions{ProtocolVersion: era})
		if err != nil {
			t.Fatalf("%s: %v", who, err)
		}
		defer c.Close()
		agents[who] = c
	}
	call := func(s loopStep) *sdk.CallToolResult {
		r, err := agents[s.Who].CallTool(t.Context(), &sdk.CallToolParams{Name: s.Tool,
			Arguments: s.Args})
		if err != nil {
			t.Errorf("%s: %s %s: %v", s.Who, s.Tool, s.Args, err)
			return &sdk.CallToolResult{}
		}
		return r
	}
	script := expect.Value(os.ReadFile(filepath.Join("..", "..", "testdata", "mcp", "loop.jsonl")))(t)
	begun := map[string]chan *sdk.CallToolResult{}
	for line := range strings.Lines(string(script)) {
		var s loopStep
		if err := json.Unmarshal([]byte(line), &s); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		if s.Begins != "" {
			done := make(chan *sdk.CallToolResult, 1)
			begun[s.Begins] = done
			go func() { done <- call(s) }()
			continue
		}
		var r *sdk.CallToolResult
		if s.Ends != "" {
			r = <-begun[s.Ends]
		} else {
			r = call(s)
		}
		text := ""
		for _, part := range r.Content {
			text += part.(*sdk.TextContent).Text + "\n"
		}
		if r.IsError != s.Refused {
			t.Errorf("%s: %s", strings.TrimSpace(line), text)
		}
		for _, want := range s.Says {
			if !strings.Contains(text, want) {
				t.Errorf("%s: %q is not in\n%s", strings.TrimSpace(line), want, text)
			}
		}
	}
}

// listening is a daemon that listens on loopback, as a process of its own: its address
// for MCP, and its token.
func listening(t *testing.T, args ...string) (url string, token bearer) {
	t.Helper()
	home := expect.Value(os.MkdirTemp("", "loop"))(t)
	t.Cleanup(func() { os.RemoveAll(home) })
	env := map[string]string{"BOARD_HOME": home, "XDG_RUNTIME_DIR": home,
		"BOARD_MODEL_DIR": filepath.Join(home, "none"), "BOARD_WORKER": "", "BOARD_RUN": "",
		"BOARD_WORKSPACE": home}
	cmd := exec.Command(os.Args[0])
	// by this name the test binary is the program too
	cmd.Args = append([]string{"board", "daemon", "run", "--listen", "127.0.0.1:0"}, args...)
	cmd.Env = os.Environ()
	for name, value := range env {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	expect.OK(t, cmd.Start())
	place := expect.Value(daemon.PlaceOf(home, func(name string) string { return env[name] }))(t)
	client := daemon.NewClient(place, "", "")
	t.Cleanup(func() {
		if client.Stop(context.Background(), false) != nil {
			cmd.Process.Kill()
		}
		cmd.Wait()
		client.Close()
	})
	ctx, cancel := context.WithTimeout(t.Context(), wait.Limit(t))
	defer cancel()
	st := expect.Value(client.WaitReady(ctx))(t)
	shown := expect.Value(daemon.Token(place))(t)
	return "http://" + st.Listen + "/mcp", bearer(shown)
}

// TestListenLasts: a daemon that listens does not end while its clients are silent.
func TestListenLasts(t *testing.T) {
	t.Parallel()
	url, token := listening(t)
	body := sent(t, token, strings.TrimSuffix(url, "/mcp")+"/v1/status", "{}", nil)
	if !strings.Contains(body, `"idle_in_seconds":-1`) {
		t.Error(body)
	}
}

// TestPageCurl sends what the curl on the page mcp sends, and a daemon posts it.
func TestPageCurl(t *testing.T) {
	t.Parallel()
	text, _ := helpPage("mcp")
	_, curl, _ := strings.Cut(text, "  curl https://HOST:8765/mcp ")
	curl, _, _ = strings.Cut(curl, "}}}'\n")
	line, data, ok := strings.Cut(curl+"}}}", "-d '")
	if !ok {
		t.Fatalf("the page shows no curl: %q", curl)
	}
	headers := http.Header{}
	for _, h := range regexp.MustCompile(`-H '([^:']*): ([^']*)'`).FindAllStringSubmatch(line, -1) {
		headers.Set(h[1], h[2])
	}
	url, token := listening(t, "--grant", "run:audit-7")
	if body := sent(t, token, url, data, headers); !strings.Contains(body, "e1 observation posted to audit-7") {
		t.Errorf("%s\nis answered by\n%s", data, body)
	}
}

// sent posts a body with the token, and returns the answer.
func sent(t *testing.T, token bearer, url, body string, headers http.Header) string {
	t.Helper()
	r := expect.Value(http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body)))(t)
	for name, values := range headers {
		r.Header[name] = values
	}
	answer := expect.Value(token.RoundTrip(r))(t)
	defer answer.Body.Close()
	got := expect.Value(io.ReadAll(answer.Body))(t)
	return string(got)
}
