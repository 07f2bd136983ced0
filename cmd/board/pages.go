package main

import (
	"embed"
	"fmt"
	"strings"
	"sync"

	"blackboard/testdata/clients"
)

// pages are help texts about subjects of several commands: `board help PAGE`. The list
// of pages shows the first line of each. A line that begins with "$ " after its
// indentation is an example; a test runs them, page by page, and "# exit 3" is its
// expected exit code. The pages on languages are programs that can be saved and run;
// tests do so.
//
//go:embed pages/*.txt
var pages embed.FS

// clientPages are the pages that are the programs of package clients.
var clientPages = map[string]string{"python": "python/board_client/__init__.py",
	"javascript": "typescript/index.mjs"}

// trustPage is the page on trust, who is defended against what; a test holds it against the tests
// that it names.
//
//go:embed trust.txt
var trustPage string

// pageOrder is the order of the list of pages: what newcomers need first comes first.
var pageOrder = []string{"run", "check", "gate", "verify", "survival", "trace", "ci", "agents",
	"search", "capsules", "memory",
	"topic", "hooks", "mcp", "tui", "api", "json", "python", "javascript", "output", "model",
	"daemon", "database", "trust"}

var pageAliases = sync.OnceValue(func() map[string]string {
	return map[string]string{
		"protocol": "run", "policies": "gate", "policy": "check", "board.yaml": "check",
		"source": "verify", "sources": "verify", "quotes": "verify", "prompts": "agents",
		"modes": "search", "capsule": "capsules", "tiers": "memory", "worklog": "topic",
		"github": "ci", "gitlab": "ci", "action": "ci", "actions": "ci", "sarif": "ci", "junit": "ci",
		"embeddings": "model", "context": "mcp", "figures": "search",
		"http": "api", "rest": "api", "server": "api", "fields": "json", "py": "python",
		"node": "javascript", "js": "javascript",
		"typescript": "javascript", "ts": "javascript", "postgres": "database", "postgresql": "database",
		"exit": "output", "exit-codes": "output", "retries": "output", "retry": "output",
		"security": "trust", "privacy": "trust", "threats": "trust",
	}
})

func pageName(name string) string {
	name = strings.ToLower(name)
	if other := pageAliases()[name]; other != "" {
		return other
	}
	return name
}

// helpPage is the text of a help page; ok reports whether it exists.
func helpPage(name string) (text string, ok bool) {
	switch name = pageName(name); name {
	case "topics":
		return pageList(), true
	case "trust":
		return trustPage, true
	}
	if data, err := clients.Files.ReadFile(clientPages[name]); err == nil {
		return string(data), true
	}
	data, err := pages.ReadFile("pages/" + name + ".txt")
	switch {
	case err == nil && name == "json":
		data = append(data, jsonCommandList()...)
	case err == nil && name == "mcp":
		data = append(data, mcpPrograms()...)
	}
	return string(data), err == nil
}

// mcpPrograms are programs that call tools, as the page on MCP shows them.
func mcpPrograms() (text string) {
	for _, p := range [][2]string{{"JavaScript, with @modelcontextprotocol/sdk (npm)", "mcp.mjs"},
		{"Python, with mcp (PyPI)", "mcp_client.py"}} {
		code, _ := clients.Files.ReadFile(p[1]) // embedded
		text += "\n" + p[0] + ":\n\n"
		for line := range strings.Lines(string(code)) {
			text += strings.TrimRight("  "+line, " \n") + "\n"
		}
	}
	return text
}

// pageList is the output of `board help topics`: each page with its first line.
func pageList() string {
	var b strings.Builder
	b.WriteString("What concerns several commands: board help PAGE\n\n")
	for _, name := range pageOrder {
		text, _ := helpPage(name)
		first, _, _ := strings.Cut(text, "\n")
		fmt.Fprintf(&b, "  %-12s%s\n", name, strings.TrimLeft(first, "#/ "))
	}
	b.WriteString("\nThe flags of a command: board COMMAND --help. All commands: board help all.\n")
	return b.String()
}
