package setup

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"blackboard/hooks/harness"
)

// rewritten changes the first place of a text in a file.
func rewritten(name, from, to string) func(*bench) {
	return func(b *bench) {
		b.t.Helper()
		text, err := os.ReadFile(filepath.Join(b.home, name))
		if err != nil || !bytes.Contains(text, []byte(from)) {
			b.t.Fatalf("%s has no %q: %v", name, from, err)
		}
		b.write(name, strings.Replace(string(text), from, to, 1))
	}
}

// trustingHome has Gemini trust the home directory besides.
func trustingHome(change func(*bench)) func(*bench) {
	return func(b *bench) {
		b.write(".gemini/trustedFolders.json", fmt.Sprintf("{%q: \"TRUST_FOLDER\"}", b.home))
		change(b)
	}
}

// managedClaude is a file of Claude's managed settings, below the home directory of a
// bench.
func managedClaude(name string) string {
	switch runtime.GOOS {
	case "darwin":
		return filepath.Join("machine/Library/Application Support/ClaudeCode", name)
	case "windows":
		return filepath.Join("machine", `C:\Program Files\ClaudeCode`, name)
	}
	return filepath.Join("machine/etc/claude-code", name)
}

// TestCheck: each thing that can be wrong is found, and nothing else.
func TestCheck(t *testing.T) {
	tests := []struct {
		name, harness string
		make          func(*bench)
		want          []string
	}{
		{"well", "claude", func(*bench) {}, nil},
		{"switched off", "claude", func(b *bench) {
			b.write("work/.claude/settings.json",
				`{"disableAllHooks": true}`)
		}, []string{harness.ProblemDisabled}},
		{"the program moved", "qwen", func(b *bench) { b.binary = "/new/board" },
			[]string{ProblemProgram, ProblemProgram}},
		{"an old plugin", "pi", func(b *bench) {
			path := filepath.Join(b.home, ".pi/agent/extensions/board.ts")
			text, _ := os.ReadFile(path)
			os.WriteFile(path, append(text, "// changed\n"...), 0o644)
		}, []string{ProblemStale}},
		{"not approved", "cursor", func(*bench) {}, []string{harness.ProblemMCP}},
		{"an unknown event", "cursor", func(b *bench) {
			path := filepath.Join(b.home, ".cursor/hooks.json")
			text, _ := os.ReadFile(path)
			os.WriteFile(path, bytes.Replace(text, []byte(`"hooks": {`),
				[]byte(`"hooks": {"notification": [],`), 1), 0o644)
		}, []string{harness.ProblemIgnored, harness.ProblemMCP}},
		{"no trust in the folder", "gemini", func(*bench) {}, []string{harness.ProblemTrust}},
		{"trust in a folder around it", "gemini",
			func(b *bench) {
				b.write(".gemini/trustedFolders.json",
					fmt.Sprintf("{%q: \"TRUST_FOLDER\"}", b.home))
			}, nil},
		{"hooks switched off", "codex", func(b *bench) {
			path := filepath.Join(b.home, ".codex/config.toml")
			text, _ := os.ReadFile(path)
			os.WriteFile(path, append(text, "\n[features]\nhooks = false\n"...), 0o644)
		}, []string{harness.ProblemDisabled}},
		{"memories of its own", "codex", func(b *bench) {
			path := filepath.Join(b.home, ".codex/config.toml")
			text, _ := os.ReadFile(path)
			os.WriteFile(path, append(text, "\n[features]\nmemories = true\n"...), 0o644)
		}, []string{ProblemMemories}},
		{"not trusted any more", "codex", func(b *bench) {
			path := filepath.Join(b.home, ".codex/hooks.json")
			text, _ := os.ReadFile(path)
			os.WriteFile(path, bytes.Replace(text, []byte(`"timeout": 5`),
				[]byte(`"timeout": 6`), 1), 0o644)
		}, []string{harness.ProblemTrust}},
		{"an entry of an earlier version", "codex", rewritten(".codex/config.toml",
			"\n"+passedOn(nil), ""), []string{ProblemHome, ProblemMissing}},
		{"one variable is not passed on", "codex", rewritten(".codex/config.toml",
			`"BOARD_HOME", `, ""), []string{ProblemHome, ProblemMissing}},
		{"another home for the server", "codex", rewritten(".codex/config.toml",
			"env = { ", `env = { BOARD_HOME = "/elsewhere", `), []string{ProblemHome}},
		{"another home for the server", "claude", rewritten(".claude.json",
			`"BOARD_HARNESS"`, `"BOARD_HOME": "/elsewhere", "BOARD_HARNESS"`), []string{ProblemHome}},
		{"a hook is gone", "factory", func(b *bench) {
			path := filepath.Join(b.home, ".factory/hooks.json")
			text, _ := os.ReadFile(path)
			os.WriteFile(path, bytes.Replace(text, []byte("\"PostToolUse\""),
				[]byte("\"PreToolUse\""), 1), 0o644)
		}, []string{ProblemMissing}},
		{"a comment", "claude", rewritten(".claude/settings.json", "{", "{ // mine"),
			[]string{harness.ProblemIgnored}},
		{"a trailing comma", "claude", rewritten(".claude/settings.json", "\n}\n", ",\n}\n"),
			[]string{harness.ProblemIgnored}},
		{"a byte order mark", "claude", rewritten(".claude/settings.json", "{", string(bom)+"{"),
			[]string{harness.ProblemIgnored}},
		{"a comment in the servers", "claude", rewritten(".claude.json", "{", "{ // mine"),
			[]string{harness.ProblemIgnored}},
		{"a comment", "codex", rewritten(".codex/hooks.json", "{", "{ /* mine */"),
			[]string{harness.ProblemIgnored}},
		{"a trailing comma", "codex", rewritten(".codex/hooks.json", "\n}\n", ",\n}\n"),
			[]string{harness.ProblemIgnored}},
		{"a byte order mark", "codex", rewritten(".codex/hooks.json", "{", string(bom)+"{"),
			[]string{harness.ProblemIgnored}},
		{"a trailing comma", "gemini", trustingHome(rewritten(".gemini/settings.json", "\n}\n",
			",\n}\n")), []string{harness.ProblemIgnored}},
		{"a byte order mark", "gemini", trustingHome(rewritten(".gemini/settings.json", "{",
			string(bom)+"{")), []string{harness.ProblemIgnored}},
		{"a comment, which it reads", "gemini", trustingHome(rewritten(".gemini/settings.json",
			"{", "{ // mine")), nil},
		{"a trailing comma", "qwen", rewritten(".qwen/settings.json", "\n}\n", ",\n}\n"),
			[]string{harness.ProblemIgnored}},
		{"a comment, which it reads", "qwen", rewritten(".qwen/settings.json",
			"{", "{ // mine"), nil},
		{"a comment", "pi", rewritten(".pi/agent/mcp.json", "{", "{ // mine"),
			[]string{harness.ProblemIgnored}},
		{"a trailing comma", "pi", rewritten(".pi/agent/mcp.json", "\n}\n", ",\n}\n"),
			[]string{harness.ProblemIgnored}},
		{"only managed hooks", "claude",
			func(b *bench) {
				b.write(managedClaude("managed-settings.json"),
					`{"allowManagedHooksOnly": true}`)
			}, []string{harness.ProblemDisabled}},
		{"only managed hooks, in a file beside", "claude",
			func(b *bench) {
				b.write(managedClaude("managed-settings.d/x.json"),
					`{"allowManagedHooksOnly": true}`)
			}, []string{harness.ProblemDisabled}},
		{"switched off in what is not read", "claude",
			func(b *bench) {
				b.write("work/.claude/settings.json",
					`{"disableAllHooks": true, }`)
			}, nil},
		{"broken", "factory", func(b *bench) { b.write(".factory/hooks.json", "{") },
			[]string{ProblemFile}},
	}
	for _, test := range tests {
		t.Run(test.harness+" "+test.name, func(t *testing.T) {
			b := newBench(t)
			b.binary = b.write("bin/board", "")
			b.write("work/x", "")
			b.must(everything, test.harness)
			test.make(b)
			reports, err := b.setup().Check([]string{test.harness}, filepath.Join(b.home, "work"))
			if err != nil || len(reports) != 1 {
				t.Fatal(reports, err)
			}
			var got []string
			for _, p := range reports[0].Problems {
				if p.Msg == "" || p.Hint == "" || p.Path == "" {
					t.Errorf("%+v says too little", p)
				}
				got = append(got, p.Kind)
			}
			slices.Sort(got)
			if !slices.Equal(got, test.want) {
				t.Errorf("problems %v, want %v: %+v", got, test.want, reports[0].Problems)
			}
		})
	}
}
