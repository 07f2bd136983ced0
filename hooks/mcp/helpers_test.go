package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"blackboard/embed"
	"blackboard/testdata/embedtest"
	"blackboard/testdata/expect"
)

// everything is a server of all profiles and grants, with a model, in a data home and a
// project of its own.
func everything(t testing.TB, change func(*Config)) *Server {
	t.Helper()
	dir := t.TempDir()
	grants := expect.Value(ParseGrants([]string{"all"}))(t)
	project := filepath.Join(dir, "project")
	expect.OK(t, os.MkdirAll(filepath.Join(project, "docs"), 0o700))
	expect.OK(t, os.WriteFile(filepath.Join(project, "docs", "a.md"),
		[]byte("# Refunds\n\nThey need a key.\n"), 0o600))
	cfg := Config{Home: filepath.Join(dir, "home"), Workspace: project, Version: "test",
		Profiles: Profiles, Grants: grants, Run: "r1", Store: filepath.Join(dir, "store"),
		Embedder: func(context.Context) (embed.Embedder, func()) {
			return embedtest.NewHash(64), func() {}
		}}
	if change != nil {
		change(&cfg)
	}
	s := New(cfg)
	s.bothForms = true
	t.Cleanup(s.Close)
	return s
}

// connect is a client of a server in this process.
func connect(t testing.TB, s *Server, opt *sdk.ClientOptions) *sdk.ClientSession {
	t.Helper()
	near, far := sdk.NewInMemoryTransports()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { s.Serve(ctx, far); close(done) }()
	c := expect.Value(sdk.NewClient(&sdk.Implementation{Name: "scout", Version: "1"}, opt).Connect(ctx,
		near, nil))(t)
	t.Cleanup(func() { c.Close(); cancel(); <-done })
	return c
}

// calls gets the name of each tool that a server is asked for from now on, when it is
// asked.
func calls(s *Server) <-chan string {
	begun := make(chan string, 100)
	for name, answer := range s.answers {
		s.answers[name] = func(ctx context.Context, req *sdk.CallToolRequest) (
			*sdk.CallToolResult, error) {
			begun <- name
			return answer(ctx, req)
		}
	}
	s.sdk.AddReceivingMiddleware(func(next sdk.MethodHandler) sdk.MethodHandler {
		return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
			if p, ok := req.GetParams().(*sdk.CallToolParamsRaw); ok {
				begun <- p.Name
			}
			return next(ctx, method, req)
		}
	})
	return begun
}

func textOf(r *sdk.CallToolResult) string {
	var all []string
	for _, c := range r.Content {
		if t, ok := c.(*sdk.TextContent); ok {
			all = append(all, t.Text)
		}
	}
	return strings.Join(all, "\n")
}

// step is one call of testdata/mcp/calls.jsonl.
type step struct {
	Tool string            `json:"tool"`
	Args json.RawMessage   `json:"args"`
	Save map[string]string `json:"save"`
}

func steps(t testing.TB) (all []step) {
	t.Helper()
	f := expect.Value(os.Open(filepath.Join("..", "..", "testdata", "mcp", "calls.jsonl")))(t)
	defer f.Close()
	for sc := bufio.NewScanner(f); sc.Scan(); {
		var s step
		expect.OK(t, json.Unmarshal(sc.Bytes(), &s))
		all = append(all, s)
	}
	return all
}

type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *syncBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

func sharedDir() string {
	if dir := os.Getenv("BOARD_SHARED"); dir != "" {
		return dir
	}
	return filepath.Join("..", "..", "..", "shared")
}
