package mcp

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"blackboard/testdata/expect"
)

// TestMeant makes calls as models write them, testdata/mcp/meant.jsonl: what is clear
// passes, and the answer to the others names what is wrong. A row's want is what the
// answer has; one that begins with "!" is of a call that fails.
func TestMeant(t *testing.T) {
	c := connect(t, everything(t, nil), nil)
	call := func(tool, args string) *sdk.CallToolResult {
		t.Helper()
		r, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: tool,
			Arguments: json.RawMessage(args)})
		if err != nil {
			t.Fatalf("%s %s: %v", tool, args, err)
		}
		return r
	}
	call("board_post", `{"content":"one"}`)
	call("board_post", `{"content":"two","contradicts":["e1"]}`)
	call("board_signal", `{"content":"who","priority":"high"}`)
	call("board_signal", `{"content":"when","priority":"low"}`)
	var kept struct{ Capsule struct{ ID string } }
	body, _ := json.Marshal(call("kb_remember", `{"title":"Keyed","body":"Refunds are."}`).StructuredContent)
	if err := json.Unmarshal(body, &kept); err != nil || kept.Capsule.ID == "" {
		t.Fatalf("%v: %s", err, body)
	}
	f := expect.Value(os.Open(filepath.Join("..", "..", "testdata", "mcp", "meant.jsonl")))(t)
	defer f.Close()
	rows := 0
	for sc := bufio.NewScanner(f); sc.Scan(); rows++ {
		var row struct {
			Tool, Want string
			Args       json.RawMessage
		}
		expect.OK(t, json.Unmarshal(sc.Bytes(), &row))
		r := call(row.Tool, strings.ReplaceAll(string(row.Args), "{{capsule}}", kept.Capsule.ID))
		want, fails := strings.CutPrefix(row.Want, "!")
		if text := textOf(r); r.IsError != fails || !strings.Contains(text, want) {
			t.Errorf("%s %s: %s", row.Tool, row.Args, text)
		}
	}
	if rows != 60 {
		t.Errorf("%d calls", rows)
	}
}
