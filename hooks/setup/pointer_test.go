package setup

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"blackboard/hooks/harness"
	"blackboard/testdata/expect"
)

// TestPointer: a pointer stands at the end of what there is, once, and goes byte for
// byte, with a manifest and without.
func TestPointer(t *testing.T) {
	texts := map[string]string{
		"none": "", "text": "# Mine\n\n- rule\n", "no final newline": "# Mine",
		"CRLF": "# Mine\r\n\r\ntext\r\n", "byte order mark": string(bom) + "# Mine\n",
		"empty lines": "\n\n# Mine\n\n\n", "a word of the pointer": "## Durable knowledge\n",
	}
	for name, text := range texts {
		for _, forget := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				b := newBench(t)
				if b.write(".claude/x", ""); text != "" {
					b.write(".claude/CLAUDE.md", text)
				}
				before := b.snapshot()
				b.must(Request{Parts: []string{harness.PartPointer}}, "claude")
				path := filepath.Join(b.home, ".claude/CLAUDE.md")
				got, err := os.ReadFile(path)
				if err != nil || !strings.HasPrefix(string(got), text) ||
					strings.Count(string(got), "board kb search") != 1 {
					t.Fatalf("%v:\n%s", err, got)
				}
				for _, w := range b.must(Request{Parts: []string{harness.PartPointer}}, "claude") {
					if len(w.Changes) > 0 {
						t.Error("a second run changes something")
					}
				}
				if forget {
					os.RemoveAll(b.data)
				}
				b.must(Request{Uninstall: true, Parts: []string{harness.PartPointer}}, "claude")
				after := b.snapshot()
				for file := range after {
					// whose they are nobody knows any more
					if forget && strings.Contains(file, backupMark) {
						delete(after, file)
					}
				}
				if after["/.claude/CLAUDE.md"] != before["/.claude/CLAUDE.md"] ||
					len(after) != len(before) {
					t.Errorf("taken out: %q, was %q", after, before)
				}
			})
		}
	}
}

// TestPointerStaysAmongOthers: what is written around a pointer since stays, and an
// older pointer is brought up to date in its place.
func TestPointerStaysAmongOthers(t *testing.T) {
	b := newBench(t)
	b.project = filepath.Join(b.home, "work")
	path := b.write("work/AGENTS.md", "# Mine\n")
	b.must(Request{Parts: []string{harness.PartPointer}}, "codex")
	text := expect.Value(os.ReadFile(path))(t)
	older := strings.Replace(string(text), "Before a task", "Before anything", 1)
	b.write("work/AGENTS.md", older+"\nMore of mine.\n")
	b.must(Request{Parts: []string{harness.PartPointer}}, "codex")
	if got, _ := os.ReadFile(path); string(got) != string(text)+"\nMore of mine.\n" {
		t.Errorf("brought up to date:\n%s", got)
	}
	b.must(Request{Uninstall: true}, "codex")
	if got, _ := os.ReadFile(path); string(got) != "# Mine\n\nMore of mine.\n" {
		t.Errorf("taken out:\n%s", got)
	}
}

// TestPointerOfSeveral: the pointer in a file that several harnesses read stays until
// the last of them is taken away.
func TestPointerOfSeveral(t *testing.T) {
	b := newBench(t)
	b.project = filepath.Join(b.home, "work")
	path := b.write("work/AGENTS.md", "# Mine")
	before := b.snapshot()
	b.must(Request{Parts: []string{harness.PartPointer}}, "codex", "opencode")
	b.must(Request{Parts: []string{harness.PartPointer}}, "cursor")
	for _, name := range []string{"codex", "cursor"} {
		works := b.must(Request{Uninstall: true}, name)
		if got, _ := os.ReadFile(path); !strings.Contains(string(got), "begin board") ||
			len(works[0].Notes) == 0 {
			t.Errorf("without %s: %v\n%s", name, works[0].Notes, got)
		}
	}
	b.must(Request{Uninstall: true}, "opencode")
	b.same(before, "taken out")
}

// TestPointerCutOff: a pointer whose end is gone is nobody's to guess.
func TestPointerCutOff(t *testing.T) {
	b := newBench(t)
	b.write(".claude/CLAUDE.md", "# Mine\n"+pointerLines()[0]+"\ntext\n")
	before := b.snapshot()
	for _, r := range []Request{{Parts: []string{harness.PartPointer}}, {Uninstall: true}} {
		if works := b.run(r, "claude"); works[0].Err == nil ||
			!strings.Contains(works[0].Err.Error(), "without the line that ends the pointer") {
			t.Errorf("%+v: %v", r, works[0].Err)
		}
		b.same(before, "refused")
	}
}
