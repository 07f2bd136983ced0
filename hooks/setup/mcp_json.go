package setup

import (
	"fmt"
	"slices"
	"strings"

	"blackboard/hooks/harness"
)

// asServer is the string of the program in an entry of an MCP server, if the entry is ours: it calls `board mcp`.
func (p *place) asServer(entry *node) *node {
	command, args := entry.at("command"), entry.at("args")
	if command != nil && command.kind == '[' { // program and arguments in one list
		if len(command.items) != 2 {
			return nil
		}
		command, args = command.items[0].value, command
	} else if args == nil || len(args.items) != 1 {
		return nil
	}
	if command.text() == "" || args.items[len(args.items)-1].value.text() != "mcp" || !isProgram(command.str, p.binary) {
		return nil
	}
	return command
}

// addServer brings the entry of the MCP server in a text to what it is to be. An entry of ours that calls the right program is left alone.
func (p *place) addServer(b []byte, h *harness.Harness, path string) ([]byte, addition, error) {
	add := addition{fresh: true}
	root, err := parseJSON(b)
	if err != nil {
		return nil, add, described(err, path)
	}
	servers := root.at(h.MCPPath...)
	for _, n := range []*node{root, servers} {
		if n != nil && n.kind != '{' {
			return nil, add, fileError(fmt.Sprintf("%s has %s where the MCP servers should be in an object; nothing was changed", path, n.called(b)), "correct the file, then set up again")
		}
	}
	if old, _ := servers.member(harness.ServerName); old != nil {
		program := p.asServer(old)
		if program == nil {
			return nil, add, foreignServer(path)
		}
		add.fresh = false
		var edits []edit
		if program.str != p.binary {
			edits = append(edits, edit{program.start, program.end - program.start, quoteJSON(p.binary)})
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

// needed are the members that an entry of ours lacks and the harness needs.
func needed(h *harness.Harness, entry *node, binary string) (members []any) {
	for _, m := range ordered(h.Server(binary)) {
		if _, i := entry.member(m.key); i < 0 && slices.Contains(h.MCPNeeds, m.key) {
			members = append(members, m)
		}
	}
	return members
}

func foreignServer(path string) error {
	return conflict(fmt.Sprintf("%s has an MCP server %q that is not ours; nothing was changed", path, harness.ServerName), "give that one another name, or set up without the MCP server")
}

// stripServer takes the entry of the MCP server out of a text.
func (p *place) stripServer(b []byte, h *harness.Harness, path string, made [][]string) ([]byte, error) {
	root, err := parseJSON(b)
	if err != nil {
		return nil, described(err, path)
	}
	servers := root.at(h.MCPPath...)
	old, i := servers.member(harness.ServerName)
	if old == nil || p.asServer(old) == nil {
		return b, nil
	}
	return prune(apply(b, sortEdits(remove(b, servers, i))), h.MCPPath, made), nil
}

// serverIn is the program that the entry of ours calls, or "" if there is none.
func (p *place) serverIn(root *node, h *harness.Harness) string {
	if program := p.asServer(root.at(append(slices.Clone(h.MCPPath), harness.ServerName)...)); program != nil {
		return program.str
	}
	return ""
}

// isTOML reports whether a file is in TOML rather than JSON.
func isTOML(path string) bool { return strings.HasSuffix(path, ".toml") }
