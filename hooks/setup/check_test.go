package setup

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"blackboard/hooks/harness"
)

// TestCheck: each thing that can be wrong is found, and nothing else.
func TestCheck(t *testing.T) {
	tests := []struct {
		name, harness string
		make          func(*bench)
		want          []string
	}{
		{"well", "claude", func(*bench) {}, nil},
		{"switched off", "claude", func(b *bench) { b.write("work/.claude/settings.json", `{"disableAllHooks": true}`) }, []string{harness.ProblemDisabled}},
		{"the program moved", "qwen", func(b *bench) { b.binary = "/new/board" }, []string{ProblemProgram, ProblemProgram}},
		{"an old plugin", "pi", func(b *bench) {
			path := filepath.Join(b.home, ".pi/agent/extensions/board.ts")
			text, _ := os.ReadFile(path)
			os.WriteFile(path, append(text, "// changed\n"...), 0o644)
		}, []string{ProblemStale}},
		{"not approved", "cursor", func(*bench) {}, []string{harness.ProblemMCP}},
		{"an unknown event", "cursor", func(b *bench) {
			path := filepath.Join(b.home, ".cursor/hooks.json")
			text, _ := os.ReadFile(path)
			os.WriteFile(path, bytes.Replace(text, []byte(`"hooks": {`), []byte(`"hooks": {"notification": [],`), 1), 0o644)
		}, []string{harness.ProblemIgnored, harness.ProblemMCP}},
		{"no trust in the folder", "gemini", func(*bench) {}, []string{harness.ProblemTrust}},
		{"trust in a folder around it", "gemini", func(b *bench) { b.write(".gemini/trustedFolders.json", fmt.Sprintf("{%q: \"TRUST_FOLDER\"}", b.home)) }, nil},
		{"hooks switched off", "codex", func(b *bench) {
			path := filepath.Join(b.home, ".codex/config.toml")
			text, _ := os.ReadFile(path)
			os.WriteFile(path, append(text, "\n[features]\nhooks = false\n"...), 0o644)
		}, []string{harness.ProblemDisabled}},
		{"not trusted any more", "codex", func(b *bench) {
			path := filepath.Join(b.home, ".codex/hooks.json")
			text, _ := os.ReadFile(path)
			os.WriteFile(path, bytes.Replace(text, []byte(`"timeout": 5`), []byte(`"timeout": 6`), 1), 0o644)
		}, []string{harness.ProblemTrust}},
		{"a hook is gone", "windsurf", func(b *bench) {
			path := filepath.Join(b.home, ".codeium/windsurf/hooks.json")
			text, _ := os.ReadFile(path)
			os.WriteFile(path, bytes.Replace(text, []byte("post_run_command"), []byte("pre_run_command"), 1), 0o644)
		}, []string{ProblemMissing}},
		{"broken", "factory", func(b *bench) { b.write(".factory/hooks.json", "{") }, []string{ProblemFile}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
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
