package main

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// allowedImports is who may import what besides the standard library and package fault. Test files
// may use the test libraries as well. A package that is not listed may not exist.
var allowedImports = map[string][]string{
	"board/lazyregexp": {},
	"board/replace":    {},
	"board/store":      {},
	"board/sqlite":     {"blackboard/board/store", "modernc.org/sqlite", "github.com/rogpeppe/go-internal/lockedfile", "golang.org/x/sys/unix", "github.com/fsnotify/fsnotify"},
	"board":            {"blackboard/board/conflicts", "blackboard/board/documents", "blackboard/board/files", "blackboard/board/foreign", "blackboard/board/similar", "blackboard/board/text", "blackboard/board/sqlite", "blackboard/board/store", "blackboard/board/survival", "blackboard/board/trace", "blackboard/board/verify", "blackboard/board/words", "blackboard/board/postgres"},
	"board/postgres":   {"blackboard/board/lazyregexp", "blackboard/board/store", "blackboard/board/sqlite", "github.com/jackc/pgx/v5"}, // sqlite: full text, in memory
	"board/check":      {"blackboard/board", "blackboard/board/documents", "blackboard/board/policy", "blackboard/board/survival", "blackboard/board/text", "blackboard/board/trace", "blackboard/board/verify", "blackboard/embed"},
	"board/report":     {"blackboard/board", "blackboard/board/survival", "blackboard/board/text", "blackboard/board/trace"},
	"board/policy":     {"blackboard/board", "go.yaml.in/yaml/v4"},
	"board/documents":  {"blackboard/board/sqlite"}, // opens files, which may be anything, as sqlite does
	"board/survival":   {"blackboard/board/documents", "blackboard/board/trace", "blackboard/board/words", "blackboard/embed"},
	"board/verify":     {"blackboard/board/documents", "blackboard/board/trace", "blackboard/board/words", "golang.org/x/text"}, // one form of each character
	"board/trace":      {"blackboard/board/documents", "blackboard/board/words"},
	"embed":            {},
	"embed/embedtest":  {"blackboard/embed"},
	"embed/minilm":     {"blackboard/embed", "blackboard/board/replace", "github.com/gomlx", "golang.org/x/text", "golang.org/x/sys/cpu", "github.com/gofrs/flock"}, // the lock: two pulls at once
	"embed/ort":        {"blackboard/embed", "blackboard/embed/minilm", "github.com/ebitengine/purego", "golang.org/x/sys/unix"},
	"kb/rank":          {"blackboard/embed"},
	"kb/index":         {"blackboard/embed", "blackboard/board/sqlite", "blackboard/board/words"},
	"hooks/mcp":        {"blackboard/hooks/mcp/schema", "blackboard/hooks/mcp/transport", "blackboard/board/report", "blackboard/kb/brief", "blackboard/board/check", "blackboard/board/documents", "blackboard/board/policy", "blackboard/board/text", "blackboard/board", "blackboard/embed", "blackboard/kb", "blackboard/kb/memory", "blackboard/kb/chunks", "blackboard/kb/secret", "github.com/modelcontextprotocol/go-sdk", "github.com/google/jsonschema-go"},
	"kb/kbtest":        {"blackboard/embed", "blackboard/embed/embedtest", "blackboard/kb"},
	"kb/secret":        {},
	"cmd/board/daemon": {"blackboard/board", "blackboard/board/sqlite", "blackboard/embed", "blackboard/embed/minilm", "blackboard/embed/ort", "blackboard/kb", "blackboard/kb/index", "blackboard/kb/memory", "blackboard/hooks/mcp", "blackboard/hooks/topics", "github.com/fsnotify/fsnotify", "github.com/gofrs/flock"},
	"kb/memory":        {"blackboard/board/sqlite", "blackboard/embed", "blackboard/board/clash", "blackboard/kb/evidence", "blackboard/kb/rank", "blackboard/kb/index", "blackboard/kb/memory/exchange", "blackboard/kb/memory/orient", "blackboard/kb/secret", "blackboard/kb/store", "blackboard/board/words"},
	"kb/chunks":        {"blackboard/board/sqlite", "blackboard/embed", "blackboard/kb/rank", "blackboard/kb/index", "blackboard/kb/secret", "go.yaml.in/yaml/v4", "blackboard/kb/store"},
	"hooks":            {"blackboard/board/text", "blackboard/board/policy", "blackboard/board", "blackboard/kb", "blackboard/kb/workspace", "blackboard/kb/memory", "blackboard/kb/secret", "blackboard/hooks/harness", "blackboard/hooks/shell", "blackboard/hooks/topics"},
	"hooks/harness":    {},
	"hooks/shell":      {"mvdan.cc/sh/v3/syntax"},                                                                                                      // the grammar of shells
	"hooks/topics":     {"blackboard/board/replace", "blackboard/hooks/shell", "github.com/rogpeppe/go-internal/lockedfile", "blackboard/board/words"}, // the lock: many hooks at once
	"hooks/setup":      {"blackboard/board/replace", "blackboard/hooks/harness", "github.com/pelletier/go-toml/v2"},
	"kb":               {"blackboard/board/text", "blackboard/board/replace", "blackboard/board/sqlite", "blackboard/embed", "blackboard/kb/rank", "blackboard/kb/index", "blackboard/board/clash", "blackboard/kb/evidence", "blackboard/kb/markdown", "blackboard/kb/secret", "go.yaml.in/yaml/v4", "golang.org/x/text", "blackboard/kb/store", "blackboard/board/words"}, // titles in one Unicode form, without case
	"cmd/board":        {"blackboard/...", "github.com/urfave/cli/v2", "golang.org/x/term", "github.com/rogpeppe/go-internal/diff", "github.com/modelcontextprotocol/go-sdk"},
	"tui/cells":        {"blackboard/board", "blackboard/board/text", "github.com/charmbracelet/x/ansi"},
	"tui/dark":         {}, // of the standard library os alone: see its doc
	"tui/prose":        {"blackboard/tui/cells", "blackboard/tui/styles", "github.com/charmbracelet/lipgloss", "github.com/charmbracelet/x/ansi", "github.com/yuin/goldmark"},
	"tui/styles":       {"blackboard/board", "blackboard/tui/cells", "github.com/charmbracelet/lipgloss"},
	"tui/checks":       {"blackboard/board", "blackboard/tui/cells", "blackboard/tui/keys", "blackboard/tui/page", "blackboard/tui/prose", "blackboard/tui/styles", "github.com/charmbracelet/bubbles", "github.com/charmbracelet/bubbletea", "github.com/charmbracelet/lipgloss"},
	"tui/knowledge":    {"blackboard/board", "blackboard/kb", "blackboard/tui/cells", "blackboard/tui/keys", "blackboard/tui/memories", "blackboard/tui/page", "blackboard/tui/prose", "blackboard/tui/styles", "github.com/charmbracelet/bubbles", "github.com/charmbracelet/bubbletea", "github.com/charmbracelet/lipgloss"}, // a search finds in the memory too
	"tui/memories":     {"blackboard/kb/memory", "blackboard/tui/cells", "blackboard/tui/keys", "blackboard/tui/page", "blackboard/tui/prose", "blackboard/tui/styles", "github.com/charmbracelet/bubbles", "github.com/charmbracelet/bubbletea"},
	"tui/page":         {"blackboard/board", "blackboard/embed", "blackboard/kb", "blackboard/kb/memory", "blackboard/tui/cells", "blackboard/tui/keys", "blackboard/tui/prose", "blackboard/tui/styles", "github.com/charmbracelet/bubbles", "github.com/charmbracelet/bubbletea", "github.com/charmbracelet/lipgloss", "github.com/charmbracelet/x/ansi"},
	"tui/runs":         {"blackboard/board", "blackboard/kb", "blackboard/tui/cells", "blackboard/tui/keys", "blackboard/tui/page", "blackboard/tui/prose", "blackboard/tui/styles", "github.com/charmbracelet/bubbles", "github.com/charmbracelet/bubbletea", "github.com/charmbracelet/lipgloss", "github.com/charmbracelet/x/ansi"},
	"tui/tuitest":      {"blackboard/board", "blackboard/tui/page", "github.com/charmbracelet/bubbletea"},
	"tui":              {"blackboard/board", "blackboard/kb", "blackboard/tui/cells", "blackboard/tui/checks", "blackboard/tui/dark", "blackboard/tui/keys", "blackboard/tui/knowledge", "blackboard/tui/memories", "blackboard/tui/page", "blackboard/tui/runs", "blackboard/tui/styles", "github.com/charmbracelet/bubbles", "github.com/charmbracelet/bubbletea", "github.com/charmbracelet/lipgloss", "github.com/charmbracelet/x/ansi"},
	"kb/store":         {"blackboard/embed", "blackboard/board/postgres", "blackboard/board/sqlite", "blackboard/kb/index", "blackboard/kb/rank"},
	"board/words":      {"github.com/kljensen/snowball", "golang.org/x/text"}, // stems, Unicode forms
	"tui/keys":         {"github.com/charmbracelet/bubbles/key", "github.com/charmbracelet/bubbletea"},
	"kb/workspace":     {"blackboard/board/replace", "blackboard/board/sqlite"}, // reads files of git, which may be anything
	"kb/brief":         {"blackboard/board/text", "blackboard/kb"},
	"kb/learn":         {"blackboard/board/text", "blackboard/kb", "blackboard/kb/secret"},
	"kb/importers":     {"blackboard/board/sqlite", "blackboard/board/text", "blackboard/kb", "blackboard/kb/markdown", "blackboard/kb/workspace", "go.yaml.in/yaml/v4"},
	"kb/markdown":      {"blackboard/board/sqlite", "blackboard/board/text", "blackboard/board/words", "go.yaml.in/yaml/v4"},
	"board/conflicts":  {"blackboard/board/clash", "blackboard/board/words"},
	"board/clash":      {"blackboard/board/words"},
	"kb/evidence":      {"blackboard/board/words", "blackboard/kb/index"},
	"kb/eval":          {"blackboard/board/sqlite", "blackboard/board/words", "blackboard/embed", "blackboard/kb", "blackboard/kb/memory", "blackboard/kb/rank"},
	"board/fault":      {},
	"board/text":       {},
	// The commands: main imports their packages, which do not import each other, and all import
	// base.
	"cmd/board/base":      {"blackboard/board", "blackboard/cmd/board/daemon", "blackboard/embed", "blackboard/hooks/harness", "blackboard/hooks/topics", "blackboard/kb", "github.com/urfave/cli/v2", "golang.org/x/term"},
	"cmd/board/hookcmd":   {"blackboard/board/text", "blackboard/cmd/board/base", "blackboard/cmd/board/daemon", "blackboard/hooks", "blackboard/kb", "github.com/rogpeppe/go-internal/diff", "github.com/urfave/cli/v2"},
	"cmd/board/kbcmd":     {"blackboard/board", "blackboard/cmd/board/base", "blackboard/embed", "blackboard/hooks/harness", "blackboard/kb", "github.com/urfave/cli/v2"},
	"cmd/board/memorycmd": {"blackboard/board", "blackboard/cmd/board/base", "blackboard/embed", "blackboard/kb", "github.com/urfave/cli/v2"},
	"cmd/board/runcmd":    {"blackboard/board", "blackboard/cmd/board/base", "blackboard/cmd/board/ci", "blackboard/embed", "github.com/urfave/cli/v2"},
	"cmd/board/ci":        {"blackboard/board", "blackboard/board/text"},
	"cmd/board/doctor":    {"blackboard/board", "blackboard/cmd/board/daemon", "blackboard/embed", "blackboard/hooks", "blackboard/kb", "github.com/modelcontextprotocol/go-sdk"}, // the last asks the servers of a self-test

	"board/files":           {"blackboard/board/sqlite", "blackboard/board/store"},
	"board/foreign":         {"blackboard/board/sqlite"}, // files of other programs
	"board/postgres/pgtest": {},
	"board/similar":         {},
	"hooks/mcp/schema":      {"github.com/google/jsonschema-go"},
	"hooks/mcp/transport":   {"github.com/modelcontextprotocol/go-sdk"},
	"kb/memory/exchange":    {},
	"kb/memory/orient":      {},
}

var testImports = []string{"blackboard/...", "github.com/jackc/pgx/v5", "github.com/charmbracelet/x/exp/teatest", "github.com/rogpeppe/go-internal/testscript", "modernc.org/sqlite", "github.com/modelcontextprotocol/go-sdk"}

// everywhere is what every package may import.
var everywhere = []string{"blackboard/board/lazyregexp"}

// topLevel is all that may lie at the top.
var topLevel = []string{".ci", ".git", ".gitignore", "CHANGELOG.md", "LICENSE", "Makefile", "README.md", "board", "cmd", "embed", "go.mod", "go.sum", "hooks", "kb", "testdata", "tui"}

// TestImports reads the files instead of asking the go command, whose answers a cached test would
// never see change.
func TestImports(t *testing.T) {
	root := filepath.Join("..", "..")
	tops, err := filepath.Glob(filepath.Join(root, "*"))
	if err != nil {
		t.Fatal(err)
	}
	hidden, err := filepath.Glob(filepath.Join(root, ".*"))
	if err != nil {
		t.Fatal(err)
	}
	ignore, err := os.ReadFile(filepath.Join(root, ".gitignore"))
	if err != nil {
		t.Fatal(err)
	}
	allowed := append([]string{".", ".."}, topLevel...)
	for line := range strings.Lines(string(ignore)) { // what git ignores is no part of the layout
		allowed = append(allowed, strings.Trim(line, "/\n"))
	}
	for _, top := range append(tops, hidden...) {
		name := filepath.Base(top)
		if !slices.ContainsFunc(allowed, func(pattern string) bool {
			ok, _ := filepath.Match(pattern, name)
			return ok
		}) {
			t.Errorf("%s does not belong at the top level", name)
		}
	}
	files := 0
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == ".git" || d.Name() == "testdata") {
			return filepath.SkipDir
		}
		if d.IsDir() || filepath.Ext(path) != ".go" {
			return nil
		}
		files++
		rel, err := filepath.Rel(root, filepath.Dir(path))
		if err != nil {
			return err
		}
		allowed, known := allowedImports[filepath.ToSlash(rel)]
		if !known {
			t.Errorf("%s: the package %s is not in the import table", path, rel)
			return nil
		}
		allowed = append(slices.Clone(allowed), everywhere...)
		if strings.HasSuffix(path, "_test.go") {
			allowed = append(allowed, testImports...)
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, spec := range file.Imports {
			name, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			if !mayImport(name, allowed) {
				t.Errorf("%s may not import %s", path, name)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if files < 10 {
		t.Errorf("only %d Go files were found: the test looks in the wrong place", files)
	}
}

func mayImport(name string, allowed []string) bool {
	first, _, _ := strings.Cut(name, "/")
	if !strings.Contains(first, ".") && first != "blackboard" || name == "blackboard/board/fault" {
		return true // the standard library, and the one error
	}
	for _, a := range allowed {
		if prefix, ok := strings.CutSuffix(a, "/..."); ok && strings.HasPrefix(name, prefix+"/") || name == a || strings.HasPrefix(name, a+"/") {
			return true
		}
	}
	return false
}
