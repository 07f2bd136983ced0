package setup

import (
	"fmt"
	"slices"
	"strings"

	"blackboard/hooks/harness"
)

// serverProgram returns the program's string in an MCP server's entry if it is ours,
// that is, calls `board mcp`.
func (p *place) serverProgram(entry *node) *node {
	command, args := entry.at("command"), entry.at("args")
	if command != nil && command.kind == '[' { // program and arguments in one list
		if len(command.items) != 2 {
			return nil
		}
		command, args = command.items[0].value, command
	} else if args == nil || len(args.items) != 1 {
		return nil
	}
	if command.text() == "" || args.items[len(args.items)-1].value.text() != "mcp" ||
		!isProgram(command.str, p.binary) {
		return nil
	}
	return command
}

// addServer adds or updates the entry of the MCP server in a text. Our entry stays as
// it is if it calls the right program.
func (p *place) addServer(b []byte, h *harness.Harness, path string) ([]byte, addition, error) {
	add := addition{fresh: true}
	root, err := parseJSON(b)
	if err != nil {
		return nil, add, parseError(err, path)
	}
	servers := root.at(h.MCPPath...)
	for _, n := range []*node{root, servers} {
		if n != nil && n.kind != '{' {
			return nil, add, fileError(fmt.Sprintf("%s has %s instead of an object for the MCP "+
				"servers; nothing was changed", path, n.kindName(b)),
				"correct the file, then set up again")
		}
	}
	if old, _ := servers.member(harness.ServerName); old != nil {
		program := p.serverProgram(old)
		if program == nil {
			return nil, add, foreignServer(path)
		}
		add.fresh = false
		var edits []edit
		if program.str != p.binary {
			edits = append(edits, edit{program.start, program.end - program.start,
				quoteJSON(p.binary)})
		}
		edits = append(edits, styleOf(b, root).insert(b, old, needed(h, old, p.binary))...)
		return apply(b, sortEdits(edits)), add, nil
	}
	member := pair{harness.ServerName, ordered(h.Server(p.binary))}
	st := styleOf(b, root)
	add.made = append(add.made, append(slices.Clone(h.MCPPath), harness.ServerName))
	var edits []edit
	if servers != nil {
		edits = st.insert(b, servers, []any{member})
	} else {
		add.made = append(add.made, h.MCPPath)
		edits = st.insertTop(b, root, []any{pair{h.MCPPath[0], object{member}}})
	}
	add.undo = inverse(b, edits)
	return apply(b, edits), add, nil
}

// needed returns the members that the harness needs and our entry lacks.
func needed(h *harness.Harness, entry *node, binary string) (members []any) {
	for _, m := range ordered(h.Server(binary)) {
		if _, i := entry.member(m.key); i < 0 && slices.Contains(h.MCPNeeds, m.key) {
			members = append(members, m)
		}
	}
	return members
}

func foreignServer(path string) error {
	return conflict(fmt.Sprintf("%s has an MCP server %q that setup did not write; "+
		"nothing was changed",
		path, harness.ServerName), "rename that server, or set up without the MCP server")
}

// stripServer removes the entry of the MCP server from a text.
func (p *place) stripServer(b []byte, h *harness.Harness, path string, made [][]string) ([]byte,
	error) {
	root, err := parseJSON(b)
	if err != nil {
		return nil, parseError(err, path)
	}
	servers := root.at(h.MCPPath...)
	old, i := servers.member(harness.ServerName)
	if old == nil || p.serverProgram(old) == nil {
		return b, nil
	}
	return prune(apply(b, sortEdits(remove(b, servers, i))), h.MCPPath, made), nil
}

// serverIn returns the program that our entry calls, or "".
func (p *place) serverIn(root *node, h *harness.Harness) string {
	if program := p.serverProgram(root.at(append(slices.Clone(h.MCPPath),
		harness.ServerName)...)); program != nil {
		return program.str
	}
	return ""
}

// isTOML reports whether a file is in TOML rather than JSON.
func isTOML(path string) bool { return strings.HasSuffix(path, ".toml") }
