package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"blackboard/board"
	"blackboard/cmd/board/daemon"
	"blackboard/testdata/cost"
	"blackboard/testdata/expect"
)

// built is the program, built once for benchmarks.
var built = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "board-built-*")
	if err != nil {
		return "", err
	}
	exe := filepath.Join(dir, "board")
	build := exec.Command("go", "build", "-o", exe, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	return exe, nil
})

// server is an MCP server as a process of its own, with what it has written to standard
// error.
func server(t testing.TB, exe string, env []string, args ...string) (
	*sdk.ClientSession, *strings.Builder) {
	t.Helper()
	cmd := exec.Command(exe)
	// by this name the test binary is the program too
	cmd.Args = append([]string{"board", "mcp"}, args...)
	said := &strings.Builder{}
	cmd.Env, cmd.Stderr = append(os.Environ(), env...), said
	c, err := sdk.NewClient(&sdk.Implementation{Name: "scout", Version: "1"},
		nil).Connect(context.Background(), &sdk.CommandTransport{Command: cmd}, nil)
	if err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	return c, said
}

// TestManyServers has twenty servers write to one run, remember and search at once:
// nothing is lost, nothing is locked, and the model is in memory once. BOARD_LOAD_ENTRIES
// says how many entries each posts.
func TestManyServers(t *testing.T) {
	cost.SkipQuick(t)
	t.Parallel()
	if shared() == "" {
		t.Skip("the folder of real inputs is absent (set BOARD_SHARED)")
	}
	servers, entries := 20, 40
	if !cost.Long() {
		servers, entries = 5, 20
	}
	if n, err := strconv.Atoi(os.Getenv("BOARD_LOAD_ENTRIES")); err == nil {
		entries = n
	}
	home := expect.Value(os.MkdirTemp("", "mcp"))(t)
	defer os.RemoveAll(home)
	env := []string{"BOARD_HOME=" + home, "XDG_RUNTIME_DIR=" + home, "BOARD_MODEL_DIR=" +
		filepath.Join(shared(), "models", "potion-base-2M"), "BOARD_DAEMON=auto", "BOARD_WORKER=",
		"BOARD_RUN=", "BOARD_WORKSPACE="}
	defer func() {
		stop := exec.Command(os.Args[0])
		stop.Args, stop.Env = []string{"board", "daemon", "stop"}, append(os.Environ(), env...)
		stop.Run()
	}()
	var wg sync.WaitGroup
	for n := range servers {
		wg.Go(func() {
			c, said := server(t, os.Args[0], env, "--run", "many", "--agent", fmt.Sprint("w", n))
			defer c.Close()
			call := func(tool string, args map[string]any) string {
				r, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: tool, Arguments: args})
				if err != nil {
					t.Errorf("%s: %v\n%s", tool, err, said)
					return ""
				}
				text := r.Content[0].(*sdk.TextContent).Text
				if r.IsError {
					t.Errorf("%s: %s", tool, text)
				}
				return text
			}
			for i := range entries {
				call("board_post", map[string]any{"content": fmt.Sprintf("finding %d of worker %d",
					i, n), "key": fmt.Sprintf("%d-%d", n, i)})
				if i%20 == 0 {
					word := fmt.Sprintf("quokka%dx%d", n, i)
					call("kb_remember", map[string]any{"title": "About " + word, "body": "It is " +
						word + ".", "source": "test", "scope": "universal", "force": true})
					if got := call("kb_search",
						map[string]any{"query": word}); !strings.Contains(got, word) {
						t.Errorf("%s was remembered, and is not found: %s", word, got)
					}
				}
			}
			if said.Len() > 0 {
				t.Errorf("standard error: %s", said)
			}
		})
	}
	wg.Wait()
	b := expect.Value(board.Open(t.Context(), filepath.Join(home, "boards"), "many"))(t)
	defer b.Close()
	if st, err := b.State(t.Context()); err != nil || st.Entries.Total != int64(servers*entries) ||
		len(st.Workers) != servers {
		t.Errorf("%d entries of %d workers, %v", st.Entries.Total, len(st.Workers), err)
	}
	if err := b.Check(t.Context()); err != nil {
		t.Error(err)
	}
	place := expect.Value(daemon.PlaceOf(home, func(name string) string {
		return map[string]string{"XDG_RUNTIME_DIR": home}[name]
	}))(t)
	client := daemon.NewClient(place, "", "")
	defer client.Close()
	if st, err := client.Status(t.Context()); err != nil || !strings.HasPrefix(st.Model, "model-") ||
		st.Served == 0 {
		t.Errorf("the daemon: %+v, %v", st, err)
	}
}

// BenchmarkMCP measures a server as a process: from its start to the first list of tools,
// and the round trip of a post.
func BenchmarkMCP(b *testing.B) {
	exe := expect.Value(built())(b)
	env := []string{"BOARD_HOME=" + b.TempDir(), "BOARD_DAEMON=off", "BOARD_RUN=bench",
		"BOARD_WORKER="}
	b.Run("start to tools", func(b *testing.B) {
		var took []time.Duration
		for b.Loop() {
			begin := time.Now()
			cmd := exec.Command(exe, "mcp")
			cmd.Env = append(os.Environ(), env...)
			in, _ := cmd.StdinPipe()
			out, _ := cmd.StdoutPipe()
			expect.OK(b, cmd.Start())
			io.WriteString(in, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`+"\n"+`{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n"+`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`+"\n")
			lines := bufio.NewReaderSize(out, 1<<20)
			for {
				line := expect.Value(lines.ReadBytes('\n'))(b)
				var m struct{ ID int }
				if json.Unmarshal(line, &m) == nil && m.ID == 2 {
					break
				}
			}
			took = append(took, time.Since(begin))
			in.Close()
			cmd.Wait()
		}
		cost.Percentiles(b, took)
	})
	c, _ := server(b, exe, env)
	defer c.Close()
	for _, op := range []struct {
		tool string
		args map[string]any
	}{{"board_post", map[string]any{"content": "Tokens never expire", "source_doc": "auth.go"}},
		{"board_gate", map[string]any{}}} {
		b.Run(op.tool, func(b *testing.B) {
			var took []time.Duration
			for b.Loop() {
				begin := time.Now()
				if r, err := c.CallTool(b.Context(), &sdk.CallToolParams{Name: op.tool,
					Arguments: op.args}); err != nil || r.IsError {
					b.Fatal(err, r)
				}
				took = append(took, time.Since(begin))
			}
			cost.Percentiles(b, took)
		})
	}
}
