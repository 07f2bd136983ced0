package main

import (
	"bufio"
	"context"
	"io"
	"strings"
	"testing"

	"blackboard/board"
	"blackboard/cmd/board/base"
	"blackboard/testdata/expect"
)

// TestMCPIsTerminated tells a server to end that waits for something: it answers, and
// ends.
func TestMCPIsTerminated(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	b := expect.Value(board.OpenOrCreate(t.Context(), home+"/boards", "r"))(t)
	defer b.Close()
	expect.Value(b.Post(t.Context(), "w", board.Post{Content: "there is something"}))(t)
	ctx, terminate := context.WithCancel(t.Context())
	defer terminate()
	stdin, in := io.Pipe()
	defer in.Close()
	out, stdout := io.Pipe()
	env := func(name string) string {
		return map[string]string{"BOARD_HOME": home, "BOARD_DAEMON": "off"}[name]
	}
	code := make(chan int)
	go func() {
		code <- run(ctx, []string{"mcp", "--run", "r", "--workspace", home}, env, stdin, stdout,
			io.Discard)
		stdout.Close()
	}()
	answers := bufio.NewReader(out)
	go func() {
		for _, m := range []string{
			`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`,
			`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"board_wait","arguments":{"for":"event","timeout_seconds":300}}}`,
			`{"jsonrpc":"2.0","id":3,"method":"ping"}`,
		} {
			if _, err := io.WriteString(in, m+"\n"); err != nil {
				t.Error(err)
			}
		}
	}()
	next := func() string {
		t.Helper()
		line, err := answers.ReadString('\n')
		if err != nil {
			t.Error(line, err)
		}
		return line
	}
	for !strings.Contains(next(), `"id":3`) {
		if t.Failed() {
			return
		}
	}
	terminate()
	if line := next(); !strings.Contains(line, `"id":2,"result"`) ||
		!strings.Contains(line, "was cancelled") {
		t.Errorf("what was under way is answered with %s", line)
	}
	if got := <-code; got != base.ExitOK {
		t.Errorf("it ended with %d", got)
	}
}
