package harness

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"blackboard/testdata/expect"
)

// TestComplete: each harness says all that the others rely on, and people find it where
// they look.
func TestComplete(t *testing.T) {
	root := filepath.Join("..", "..")
	user := &Place{Home: root, Env: func(string) string { return "" }}
	sources := expect.Value(filepath.Glob("*.go"))(t)
	described := 0
	for _, name := range sources {
		text := expect.Value(os.ReadFile(name))(t)
		described += strings.Count(string(text), " = &Harness{\n")
	}
	if described != len(All) {
		t.Errorf("%d harnesses are described, and %d are among All", described, len(All))
	}
	names := map[string]string{}
	for _, h := range All {
		for _, n := range append([]string{h.Name}, h.Aliases...) {
			if names[Plain(n)] != "" {
				t.Errorf("%s is %s and %s", n, names[Plain(n)], h.Name)
			}
			names[Plain(n)] = h.Name
		}
		for _, e := range h.Events {
			if !slices.Contains(Kinds, e.Kind) {
				t.Errorf("%s: %+v", h.Name, e)
			}
		}
		for _, page := range []string{filepath.Join("cmd", "board", "pages", "hooks.txt")} {
			text := expect.Value(os.ReadFile(filepath.Join(root, page)))(t)
			if words := strings.Join(strings.Fields(string(text)), " "); !strings.Contains(words,
				h.Title) {
				t.Errorf("%s does not name %s", page, h.Title)
			}
		}
		if ByName(h.Name) != h || len(h.Binaries) == 0 || len(h.Dirs) == 0 {
			t.Errorf("%s is not found by its name, or nothing shows that it is installed", h.Name)
		}
		if (h.sign != nil || h.variable != "") != slices.Contains(tried, h) {
			t.Errorf("%s belongs among those that are tried just if it has a sign or a variable", h.Name)
		}
		if h.MCP == nil || h.MCP(user) == "" || h.Skills(user) == "" {
			t.Errorf("%s has no place for the MCP server, or none for the skill", h.Name)
		}
		switch {
		case h.Own != nil && (h.Own(user) == "" ||
			h.Plugin() == "" && h.OwnEntry == nil):
			t.Errorf("%s has no text for the file of hooks that is ours alone", h.Name)
		case h.Own == nil && (h.Hooked == nil || h.Hooked(user) == ""):
			t.Errorf("%s has no file for hooks", h.Name)
		}
		for _, hook := range h.Hooks() {
			if h.KindOf(hook.Event) == Other {
				t.Errorf("%s is asked for %s, of which nothing is known", h.Name, hook.Event)
			}
		}
	}
}

func TestOfClient(t *testing.T) {
	for client, want := range map[string]string{"claude-code": "claude", "claude": "claude",
		"codex-mcp-client": "codex", "cursor-vscode": "cursor", "gemini-cli-mcp-client": "gemini",
		"opencode": "opencode", "GitHub Copilot": "copilot", "Kilo Code": "kilo",
		"qwen-code-cli": "qwen", "my-tool": "my-tool", "": ""} {
		if got := OfClient(client); got != want {
			t.Errorf("%q is %q, not %q", client, got, want)
		}
	}
}

// TestSpeaking: whose agent's shell it is, by what harnesses set in it.
func TestSpeaking(t *testing.T) {
	for _, c := range []struct{ name, value, want string }{
		{"CLAUDECODE", "1", "claude"}, {"CURSOR_AGENT", "1", "cursor"},
		{"GEMINI_CLI", "1", "gemini"}, {"CODEX_THREAD_ID", "x", "codex"},
		{"OPENCODE", "1", "opencode"},
		{"PI_CODING_AGENT", "true", "pi"}, {"QWEN_CODE", "1", "qwen"}, {"COPILOT_CLI", "1",
			"copilot"}, {"FACTORY_PROJECT_DIR", "/p", "factory"},
		{"AI_AGENT", "claude-code@2.1", "claude"}, {"AI_AGENT", "some thing@1", "some-thing"},
		{Variable, "droid", "factory"}, {Variable, "aider", "aider"},
		{"CLAUDECODE", "", ""}, {"AI_AGENT", " ", ""}, {"CURSOR_TRACE_ID", "x", ""},
		{"TERM_PROGRAM", "vscode", ""},
	} {
		got := Speaking(func(name string) string {
			if name == c.name {
				return c.value
			}
			return ""
		})
		if got != c.want {
			t.Errorf("%s=%s: %q, not %q", c.name, c.value, got, c.want)
		}
	}
}
