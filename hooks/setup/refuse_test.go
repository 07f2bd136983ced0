package setup

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"blackboard/board/fault"
	"blackboard/hooks/harness"
	"blackboard/testdata/expect"
)

// TestRefusals: what cannot be changed safely is named, and nothing of that harness is
// written; the others go on.
func TestRefusals(t *testing.T) {
	tests := []struct {
		name, harness, want string
		make                func(*bench)
	}{
		{"broken JSON", "claude", "line 2",
			func(b *bench) { b.write(".claude/settings.json", "{\n  \"a\" 1\n}") }},
		{"cut off", "gemini", "cannot parse",
			func(b *bench) { b.write(".gemini/settings.json", `{"a": [1, 2`) }},
		{"two values", "cursor", "after top-level value",
			func(b *bench) { b.write(".cursor/mcp.json", `{} {}`) }},
		{"a comment", "claude", "has a comment in line 2, which Claude Code cannot read",
			func(b *bench) { b.write(".claude/settings.json", "{\n  // mine\n}\n") }},
		{"a trailing comma", "claude", "has a comma behind the last item in line 2",
			func(b *bench) { b.write(".claude/settings.json", "{\n  \"a\": 1,\n}\n") }},
		{"a byte order mark", "codex", "has a byte order mark in line 1, which Codex",
			func(b *bench) { b.write(".codex/hooks.json", string(bom)+"{}") }},
		{"a comment in pi's servers", "pi", "has a comment in line 1",
			func(b *bench) { b.write(".pi/agent/mcp.json", "{} // mine") }},
		{"a trailing comma", "qwen", "has a comma behind the last item in line 1",
			func(b *bench) { b.write(".qwen/settings.json", `{"a": [1,]}`) }},
		{"hooks are no object", "claude", "hooks of",
			func(b *bench) { b.write(".claude/settings.json", `{"hooks": null}`) }},
		{"an event is no list", "qwen", "SessionStart of",
			func(b *bench) { b.write(".qwen/settings.json", `{"hooks": {"SessionStart": {}}}`) }},
		{"no object", "gemini", "holds an array",
			func(b *bench) { b.write(".gemini/settings.json", `[]`) }},
		{"broken TOML", "codex", "config.toml: ",
			func(b *bench) { b.write(".codex/config.toml", "a = = 1\n") }},
		{"an inline table", "codex", "in a form", func(b *bench) {
			b.write(".codex/config.toml",
				"hooks = { x = 1 }\n")
		}},
		{"a foreign server", "cursor", `"board" that setup did not write`,
			func(b *bench) {
				b.write(".cursor/mcp.json",
					`{"mcpServers": {"board": {"command": "chess"}}}`)
			}},
		{"a foreign server in TOML", "codex", `"board" that setup did not write`,
			func(b *bench) {
				b.write(".codex/config.toml",
					"[mcp_servers.board]\ncommand = \"chess\"\n")
			}},
		{"a foreign plugin", "opencode", "not written by setup",
			func(b *bench) { b.write(".config/opencode/plugins/board.ts", "export {}") }},
		{"a foreign skill", "pi", "not written by setup",
			func(b *bench) { b.write(".agents/skills/board/SKILL.md", "# chess") }},
		{"a foreign file of hooks", "copilot", "not written by setup",
			func(b *bench) {
				b.write(".copilot/hooks/board.json",
					`{"hooks":{"sessionStart":[{"bash":"x"}]}}`)
			}},
		{"read-only", "claude", "read-only",
			func(b *bench) { os.Chmod(b.write(".claude/settings.json", "{}"), 0o444) }},
		{"a directory", "cursor", "is a directory",
			func(b *bench) { b.write(".cursor/hooks.json/x", "") }},
		{"a loop of links", "gemini", "cannot open", func(b *bench) {
			b.write(".gemini/x", "")
			os.Symlink("settings.json", filepath.Join(b.home, ".gemini/settings.json"))
		}},
		{"a link to nothing", "gemini", "does not exist", func(b *bench) {
			b.write(".gemini/x", "")
			os.Symlink("nowhere", filepath.Join(b.home, ".gemini/settings.json"))
		}},
		{"a file in place of a directory", "factory", "cannot open",
			func(b *bench) { b.write(".factory", "") }},
		{"deep", "claude", "nested deeper", func(b *bench) {
			b.write(".claude/settings.json",
				strings.Repeat("[", maxDepth+1))
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			b := newBench(t)
			test.make(b)
			before := b.snapshot()
			works := b.run(everything, test.harness)
			var e *fault.Error
			if !errors.As(works[0].Err, &e) || !strings.Contains(e.Msg, test.want) ||
				len(e.Next) == 0 {
				t.Fatalf("the error is %v, and should say %q and what to do",
					works[0].Err, test.want)
			}
			b.same(before, "refused")
			other := "factory"
			if test.harness == other {
				other = "copilot"
			}
			if works := b.run(everything, test.harness, other); works[0].Err == nil ||
				works[1].Err != nil || len(works[1].Changes) < 3 {
				t.Errorf("the other one did not go on: %v", works[1].Err)
			}
			b.must(Request{Uninstall: true}, other)
			b.same(before, "the other one taken away")
		})
	}
}

// TestTwoAtOnce: two that were planned before either was done both stay known, so that
// all of it can be taken away to the byte.
func TestTwoAtOnce(t *testing.T) {
	b := newBench(t)
	b.write(".claude/settings.json", "{ \"model\":   \"opus\" }\n")
	b.write(".gemini/settings.json", "{ \"theme\":   \"dark\" }\n")
	before := b.snapshot()
	one, other := b.setup(), b.setup()
	plan := func(s *Setup, name string) *Work {
		works, err := s.Plan([]string{name}, Request{Parts: []string{harness.PartHooks}})
		if err != nil || len(works) != 1 {
			t.Fatal(works, err)
		}
		return works[0]
	}
	first, second := plan(one, "claude"), plan(other, "gemini")
	expect.OK(t, one.Apply(first))
	expect.OK(t, other.Apply(second))
	if m, err := readManifest(b.data); err != nil || len(m.Files) != 2 {
		t.Errorf("%d files are known, %v", len(m.Files), err)
	}
	b.must(Request{Uninstall: true}, "claude", "gemini")
	b.same(before, "after both were taken out")
}
