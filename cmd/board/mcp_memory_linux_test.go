package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"blackboard/testdata/cost"
	"blackboard/testdata/expect"
)

// resident is how many bytes of memory a process has.
func resident(t *testing.T, pid int) int {
	t.Helper()
	f := expect.Value(os.Open(fmt.Sprintf("/proc/%d/status", pid)))(t)
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if f := strings.Fields(lines.Text()); len(f) > 1 && f[0] == "VmRSS:" {
			n, _ := strconv.Atoi(f[1])
			return n << 10
		}
	}
	t.Fatal("no VmRSS")
	return 0
}

// TestMCPMemory: a server that is called for a long time does not grow: of many mixed
// calls on a knowledge base of 1,000 capsules, at most half of what it had after the
// first 100. With BOARD_TEST_LONG these are 4,000 calls.
func TestMCPMemory(t *testing.T) {
	if cost.Race {
		t.Skip("the race detector has memory of its own")
	}
	calls := 4_000
	if !cost.Long() {
		calls = 1_000
	}
	dir := t.TempDir()
	r := rand.New(rand.NewPCG(1, 1))
	words := func(n int) string {
		var b strings.Builder
		for range n {
			fmt.Fprintf(&b, "w%dx ", r.IntN(3000))
		}
		return b.String()
	}
	var capsules bytes.Buffer
	fmt.Fprintln(&capsules, `{"v":1,"schema":"blackboard.capsules"}`)
	for range 1000 {
		fmt.Fprintf(&capsules, `{"kind":"fact","scope":"universal","title":"%s","body":"%s","source":"s"}`+"\n",
			words(6), words(60))
	}
	env := map[string]string{"BOARD_HOME": filepath.Join(dir, "home"), "BOARD_DAEMON": "off",
		"BOARD_WORKSPACE": dir, "BOARD_RUN": "r", "BOARD_MODEL_DIR": filepath.Join(dir, "none")}
	file := filepath.Join(dir, "capsules.jsonl")
	expect.OK(t, os.WriteFile(file, capsules.Bytes(), 0o600))
	var out bytes.Buffer
	if code := run(context.Background(), []string{"kb", "import", file},
		func(k string) string { return env[k] }, nil, &out, &out); code != 0 {
		t.Fatalf("exit %d: %s", code, &out)
	}
	cmd := exec.Command(os.Args[0])
	cmd.Args, cmd.Dir, cmd.Env = []string{"board", "mcp"}, dir, os.Environ()
	for k, v := range env {
		cmd.Env = append(cmd.Env, k+"="+v)
	}
	c := expect.Value(sdk.NewClient(&sdk.Implementation{Name: "scout", Version: "1"},
		nil).Connect(t.Context(), &sdk.CommandTransport{Command: cmd}, nil))(t)
	defer c.Close()
	after100 := 0
	for i := range calls {
		name, args := "kb_search", map[string]any{"query": words(4)}
		switch i % 8 {
		case 1:
			name, args = "kb_remember", map[string]any{"title": words(6), "body": words(30), "source": "s"}
		case 2:
			name, args = "memory_put", map[string]any{"content": words(12)}
		case 3, 7:
			name, args = "memory_read", map[string]any{"query": words(3)}
		case 4:
			name, args = "board_post", map[string]any{"content": words(12)}
		case 5:
			name, args = "board_query", map[string]any{"match": words(1)}
		}
		got, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: name, Arguments: args})
		if err != nil || got.IsError {
			t.Fatalf("%s: %v %v", name, err, got)
		}
		if i == 99 {
			after100 = resident(t, cmd.Process.Pid)
		}
	}
	now := resident(t, cmd.Process.Pid)
	t.Logf("%d MB after 100 calls, %d MB after %d", after100>>20, now>>20, calls)
	if now > after100*3/2 {
		t.Errorf("%d MB after 100 calls, %d MB after %d", after100>>20, now>>20, calls)
	}
}
