package setup

import (
	"os"
	"slices"
	"strings"
	"testing"

	"blackboard/hooks/harness"
	"blackboard/testdata/expect"
)

// TestPiNamesTools: an entry of ours without what pi needs to name the tools to its
// model gets it, and nothing else of it changes.
func TestPiNamesTools(t *testing.T) {
	b := newBench(t)
	path := b.write(".pi/agent/mcp.json",
		`{"mcpServers": {"board": {"command": "/opt/board tools/board", "args": ["mcp"], "timeout": 9}}}`)
	status := func() string {
		st := expect.Value(b.setup().Status([]string{"pi"}))(t)
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

// TestCodexPassesVariables: Codex starts a server with an empty environment, but for the
// variables that its entry lists. An entry of an earlier version gets ours; what the user
// lists stays.
func TestCodexPassesVariables(t *testing.T) {
	entry := func(program, more string) string {
		return "[mcp_servers.board]\ncommand = " + quoteJSON(program) + "\nargs = [\"mcp\"]\n" + more
	}
	with := func(first ...string) []string {
		for _, name := range harness.ServerVariables {
			if !slices.Contains(first, name) {
				first = append(first, name)
			}
		}
		return first
	}
	binary := newBench(t).binary
	if !slices.Contains(harness.ServerVariables, "BOARD_WORKSPACE") {
		t.Error("the project that was named is not passed on")
	}
	for before, want := range map[string][]string{
		"":                harness.ServerVariables,
		entry(binary, ""): harness.ServerVariables,
		entry(binary, `env_vars = ["MINE", "BOARD_RUN"]`): with("MINE", "BOARD_RUN"),
		entry("/old/board", `env_vars = ["BOARD_HOME"]`):  with("BOARD_HOME"),
	} {
		b := newBench(t)
		path := b.write(".codex/config.toml", before)
		for range 2 { // the second time, nothing changes
			b.must(Request{Parts: []string{harness.PartMCP}}, "codex")
			text := expect.Value(os.ReadFile(path))(t)
			meaning, _ := expect.Values(parseTOML(text))(t)
			if passed, missing := passedVariables(meaning); !slices.Equal(passed, want) || missing != nil {
				t.Errorf("%q passes on %q: %s", before, passed, text)
			}
			if now := subtable(meaning, "mcp_servers", "board"); now["command"] != b.binary {
				t.Errorf("%q calls %v", before, now["command"])
			}
		}
	}
}
