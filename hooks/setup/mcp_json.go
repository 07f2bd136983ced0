package setup

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tailscale/hujson"

	"blackboard/hooks/harness"
)

// serverProgram is an MCP server's program if the entry is ours, that is, calls `board mcp`.
func (p *place) serverProgram(entry *hujson.Value) *hujson.Value {
	command, args := at(entry, "command"), elements(at(entry, "args"))
	if list := elements(command); len(list) == 2 { // program and arguments in one list
		command, args = &list[0], list[1:]
	}
	if len(args) != 1 || textOf(&args[0]) != "mcp" || !isProgram(textOf(command), p.binary) {
		return nil
	}
	return command
}

// addServer adds or updates our MCP server's entry. One that calls the right program stays.
func (p *place) addServer(b []byte, h *harness.Harness, path string) ([]byte, addition, error) {
	add := addition{fresh: true}
	d, err := parseJSON(b)
	if err != nil {
		return nil, add, parseError(err, path)
	}
	servers, st := at(d.root, h.MCPPath...), d.style()
	for _, v := range []*hujson.Value{d.root, servers} {
		if k := kindOf(v); k != 0 && k != '{' {
			return nil, add, fileError(fmt.Sprintf("%s has %s instead of an object for the MCP "+
				"servers; nothing was changed", path, kindName(v)),
				"correct the file, then set up again")
		}
	}
	old, server := at(servers, harness.ServerName), object{{harness.ServerName, ordered(h.Server(p.binary))}}
	switch {
	case old != nil:
		program := p.serverProgram(old)
		if program == nil {
			return nil, add, foreignServer(path)
		}
		add.fresh = false
		if textOf(program) != p.binary {
			program.Value = hujson.Literal(quoteJSON(p.binary))
		}
		st.insert(old, needed(h, old, p.binary)...)
	case servers != nil:
		st.insert(servers, anys(server)...)
		add.made = append(add.made, append(slices.Clone(h.MCPPath), harness.ServerName))
	default:
		d.insertTop(st, object{{h.MCPPath[0], server}})
		add.made = append(add.made, append(slices.Clone(h.MCPPath), harness.ServerName), h.MCPPath)
	}
	return d.bytes(), add, nil
}

// needed returns the members that the harness needs and our entry lacks.
func needed(h *harness.Harness, entry *hujson.Value, binary string) (lacks []any) {
	for _, m := range ordered(h.Server(binary)) {
		if _, i := member(entry, m.key); i < 0 && slices.Contains(h.MCPNeeds, m.key) {
			lacks = append(lacks, m)
		}
	}
	return lacks
}

func foreignServer(path string) error {
	return conflict(fmt.Sprintf("%s has an MCP server %q that setup did not write; "+
		"nothing was changed",
		path, harness.ServerName), "rename that server, or set up without the MCP server")
}

func (p *place) stripServer(b []byte, h *harness.Harness, path string, made [][]string) ([]byte,
	error) {
	d, err := parseJSON(b)
	if err != nil {
		return nil, parseError(err, path)
	}
	servers := at(d.root, h.MCPPath...)
	old, i := member(servers, harness.ServerName)
	if p.serverProgram(old) == nil {
		return b, nil
	}
	remove(servers, i)
	d.prune(h.MCPPath, made)
	return d.bytes(), nil
}

// serverIn returns the program that our entry calls, or "".
func (p *place) serverIn(root *hujson.Value, h *harness.Harness) string {
	return textOf(p.serverProgram(at(root, append(slices.Clone(h.MCPPath), harness.ServerName)...)))
}

func isTOML(path string) bool { return strings.HasSuffix(path, ".toml") }
