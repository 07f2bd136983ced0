//lint:file-ignore SA1019 roots are asked for as long as the protocol has them

package mcp

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	kbhome "blackboard/kb/home"
	"blackboard/testdata/expect"
)

// TestWorkspaceOfCall: a client's first root goes before a guess, and not before what the
// server was told; where no project is known, a call says which one it is about.
func TestWorkspaceOfCall(t *testing.T) {
	base := expect.Value(filepath.EvalSymlinks(t.TempDir()))(t)
	dir := func(name string) string {
		at := filepath.Join(base, name)
		expect.OK(t, os.MkdirAll(at, 0o700))
		return at
	}
	home := dir("home")
	find := func(at string) (string, error) { return kbhome.Find(at, home, "") }
	ask := func(c *sdk.ClientSession, args string) string {
		t.Helper()
		res := expect.Value(c.CallTool(t.Context(), &sdk.CallToolParams{Name: "memory_put",
			Arguments: json.RawMessage(args)}))(t)
		return res.Content[0].(*sdk.TextContent).Text
	}
	reads := func(s *Server, workspace string) string {
		t.Helper()
		s.cfg.Workspace, s.cfg.Guessed = workspace, false
		return must(t, connect(t, s, nil), "memory_read", `{"query":"ledger cents"}`)
	}
	asked := 0
	rooted := func(s *Server, roots ...string) *sdk.ClientSession {
		t.Helper()
		near, far := sdk.NewInMemoryTransports()
		ctx, cancel := context.WithCancel(context.Background())
		done := make(chan struct{})
		go func() { s.Serve(ctx, far); close(done) }()
		client := sdk.NewClient(&sdk.Implementation{Name: "scout", Version: "1"}, nil)
		for _, root := range roots {
			client.AddRoots(&sdk.Root{URI: "file://" + filepath.ToSlash(root), Name: "x"})
		}
		client.AddReceivingMiddleware(func(next sdk.MethodHandler) sdk.MethodHandler {
			return func(ctx context.Context, method string, r sdk.Request) (sdk.Result, error) {
				if method == "roots/list" {
					asked++
				}
				return next(ctx, method, r)
			}
		})
		c := expect.Value(client.Connect(ctx, near, &sdk.ClientSessionOptions{ProtocolVersion: "2025-11-25"}))(t)
		t.Cleanup(func() { c.Close(); cancel(); <-done })
		return c
	}
	const put = `{"content":"The ledger counts in cents"}`
	s := everything(t, func(c *Config) { c.Workspace, c.Guessed, c.Find = dir("guess"), true, find })
	c := rooted(s, home, dir("project"))
	ask(c, put)
	ask(c, `{"content":"The ledger rounds half up"}`)
	if asked != 1 {
		t.Errorf("the roots were asked for %d times", asked)
	}
	if got := reads(s, dir("project")); !strings.Contains(got, "counts in cents") {
		t.Errorf("the root does not have it: %s", got)
	}
	if got := reads(s, dir("guess")); strings.Contains(got, "counts in cents") {
		t.Errorf("the guess has it: %s", got)
	}

	told := everything(t, func(c *Config) { c.Workspace, c.Find = dir("told"), find })
	ask(rooted(told, dir("project")), put)
	if got := reads(told, dir("told")); !strings.Contains(got, "counts in cents") {
		t.Errorf("what the server was told does not hold: %s", got)
	}

	none := everything(t, func(c *Config) { c.Workspace, c.Guessed, c.Find = "", true, find })
	lost := connect(t, none, nil)
	if got := ask(lost, put); !strings.Contains(got, "which project? pass workspace: /path") {
		t.Errorf("without a project: %s", got)
	}
	if got := ask(lost, `{"content":"x y z","workspace":`+quote(home)+`}`); !strings.Contains(got,
		"nobody's project") {
		t.Errorf("the home directory: %s", got)
	}
	ask(lost, `{"content":"The ledger counts in cents","workspace":`+quote(dir("named"))+`}`)
	if got := reads(none, dir("named")); !strings.Contains(got, "counts in cents") {
		t.Errorf("the named project does not have it: %s", got)
	}
	if got := ask(connect(t, told, nil), `{"content":"other","workspace":`+
		quote(dir("named"))+`}`); !strings.Contains(got, "workspace") {
		t.Errorf("a server with a project takes another: %s", got)
	}
}

func quote(s string) string { b, _ := json.Marshal(s); return string(b) }
