package setup

import (
	"encoding/json"
	"testing"

	"github.com/pelletier/go-toml/v2"

	"blackboard/hooks/harness"
)

// TestServerKnowsItsHarness: the entry of the MCP server says whose server it is,
// whatever form it has.
func TestServerKnowsItsHarness(t *testing.T) {
	p := &place{harness.Place{Home: "/h", Env: func(string) string { return "" }}, "/opt/board"}
	for _, h := range harness.All {
		var entry map[string]any
		if isTOML(h.MCP(&p.Place)) {
			b, _, err := p.addCodexServer(nil, "config.toml")
			if err != nil {
				t.Fatal(err)
			}
			var all map[string]any
			if err := toml.Unmarshal(b, &all); err != nil {
				t.Fatal(err)
			}
			entry = subtable(all, "mcp_servers", harness.ServerName)
		} else {
			b, _, err := p.addServer([]byte("{}"), h, "x.json")
			if err != nil {
				t.Fatal(err)
			}
			var all map[string]any
			if err := json.Unmarshal(b, &all); err != nil {
				t.Fatal(err)
			}
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
