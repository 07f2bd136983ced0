package main

import (
	"embed"
	"fmt"
	"strings"
	"sync"
)

// pages are help texts on what belongs to no single command: `board help PAGE`. The first line of each is what the list of them says of it.
// A line that begins with "$ " after its indentation is an example; a test runs them all, page by page, and "# exit 3" says how one ends.
//
//go:embed pages/*.txt
var pages embed.FS

// The page on trust is the documentation of this package that trust.go holds: one text, for `go doc` and `board help trust`.
//
//go:embed trust.go
var trustPage string

// pageOrder is how the list shows the pages: what a newcomer needs first stands first.
var pageOrder = []string{"run", "check", "gate", "verify", "survival", "trace", "agents", "search", "capsules", "memory", "topic", "hooks", "api", "output", "database", "trust"}

// pageAliases are words under which somebody may look for a page.
var pageAliases = sync.OnceValue(func() map[string]string {
	return map[string]string{
		"protocol": "run", "policies": "gate", "policy": "check", "board.yaml": "check", "source": "verify", "sources": "verify", "quotes": "verify", "prompts": "agents", "modes": "search", "capsule": "capsules", "tiers": "memory", "worklog": "topic",
		"http": "api", "rest": "api", "server": "api",
		"postgres": "database", "postgresql": "database", "json": "output", "exit": "output", "exit-codes": "output", "security": "trust", "privacy": "trust", "threats": "trust",
	}
})

// pageName is the name under which a help page is kept that somebody asks for.
func pageName(name string) string {
	name = strings.ToLower(name)
	if other := pageAliases()[name]; other != "" {
		return other
	}
	return name
}

// page is the text of a help page; ok says whether there is one of that name.
func page(name string) (text string, ok bool) {
	switch name = pageName(name); name {
	case "topics":
		return pageList(), true
	case "trust":
		return commentText(trustPage), true
	}
	data, err := pages.ReadFile("pages/" + name + ".txt")
	return string(data), err == nil
}

// pageList is what `board help topics` prints: each page with its first line.
func pageList() string {
	var b strings.Builder
	b.WriteString("What belongs to no single command: board help PAGE\n\n")
	for _, name := range pageOrder {
		text, _ := page(name)
		first, _, _ := strings.Cut(text, "\n")
		fmt.Fprintf(&b, "  %-10s%s\n", name, first)
	}
	b.WriteString("\nThe flags of a command: board COMMAND --help. All commands: board --help.\n")
	return b.String()
}

// commentText is the text of the comment that a Go file begins with, without its slashes.
func commentText(file string) string {
	var b strings.Builder
	for line := range strings.Lines(file) {
		text, ok := strings.CutPrefix(line, "//")
		if !ok {
			break
		}
		text = strings.TrimPrefix(text, " ")
		text = strings.TrimPrefix(text, "# ") // a heading
		b.WriteString(text)
	}
	return b.String()
}
