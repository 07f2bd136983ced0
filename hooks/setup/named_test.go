package setup

import (
	"encoding/json"
	"testing"

	"github.com/pelletier/go-toml/v2"

	"blackboard/hooks/harness"
	"blackboard/testdata/expect"
)

// TestServerKnowsItsHarness: the entry of the MCP server says whose server it is,
// whatever form it has.
func TestServerKnowsItsHarness(t *testing.T) {
	p := &place{harness.Place{Home: "/h", Env: func(string) string { return "" }}, "/opt/board"}
	for _, h := range harness.All {
		var entry map[string]any
		if isTOML(h.MCP(&p.Place)) {
			b, _ := expect.Values(p.addCodexServer(nil, "config.toml"))(t)
			var all map[string]any
			expect.OK(t, toml.Unmarshal(b, &all))
			entry = subtable(all, "mcp_servers", harness.ServerName)
		} else {
			b, _ := expect.Values(p.addServer([]byte("{}"), h, "x.json"))(t)
			var all map[string]any
			expect.OK(t, json.Unmarshal(b, &all))
			entry = subtable(all, append(h.MCPPath, harness.ServerName)...)
		}
		name := "env"
		if h.MCPEnv != "" {
			name = h.MCPEnv
		}
		if env := subtable(entry, name); env[harness.Variable] != h.Name {
			t.Errorf("%s: %v", h.Name, entry)
		}
	}
}
