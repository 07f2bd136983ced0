package setup

import (
	"os"
	"strings"
	"testing"

	"blackboard/hooks/harness"
)

// TestPiNamesTools: an entry of ours without what pi needs to name the tools to its
// model gets it, and nothing else of it changes.
func TestPiNamesTools(t *testing.T) {
	b := newBench(t)
	path := b.write(".pi/agent/mcp.json",
		`{"mcpServers": {"board": {"command": "/opt/board tools/board", "args": ["mcp"], "timeout": 9}}}`)
	status := func() string {
		st, err := b.setup().Status([]string{"pi"})
		if err != nil {
			t.Fatal(err)
		}
		return st[0].Parts[1].State
	}
	if got := status(); got != Outdated {
		t.Errorf("without it the server is %s", got)
	}
	b.must(Request{Parts: []string{harness.PartMCP}}, "pi")
	want := `{"mcpServers": {"board": {"command": "/opt/board tools/board", "args": ["mcp"], "timeout": 9, "exposure": "direct"}}}`
	if got, err := os.ReadFile(path); err != nil || string(got) != want || status() != Ready {
		t.Errorf("%s is %s, %v", got, status(), err)
	}
	b.write(".pi/agent/mcp.json", strings.Replace(want, "direct", "codemode", 1))
	if got := status(); got != Ready {
		t.Errorf("with one that the user has chosen it is %s", got)
	}
}
