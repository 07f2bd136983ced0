package setup

import "blackboard/hooks/harness"

// Bundle is what a plugin for one harness holds, each as the text of a file.
type Bundle struct{ Hooks, Server, Skill []byte }

// Bundled returns what setup writes for a harness, for a plugin that calls the program by
// its name alone. Plugins name their servers alike, wherever the harness itself keeps them.
func Bundled(name string) (b Bundle, err error) {
	p := &place{harness.Place{Env: func(string) string { return "" }}, harness.ServerName}
	h := *byName(name)
	h.MCPPath = []string{"mcpServers"}
	if b.Hooks, _, err = p.addHooks(nil, &h, name); err != nil {
		return b, err
	}
	b.Server, _, err = p.addServer(nil, &h, name)
	b.Skill = p.skillFile()
	return b, err
}
