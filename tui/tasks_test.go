package tui

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"blackboard/kb"
)

// mostKeys is how many keys a task may take beside the text that is typed.
const mostKeys = 8

// taskKeys plays a task, and notes its keys.
type taskKeys struct {
	*harness
	keys []string
}

// does presses keys that count.
func (k *taskKeys) does(keys ...string) {
	k.t.Helper()
	k.keys = append(k.keys, keys...)
	k.press(keys...)
}

// says types what does not.
func (k *taskKeys) says(text string) {
	k.t.Helper()
	k.keys = append(k.keys, "…")
	k.typeText(text)
}

// count is how many keys it took.
func (k *taskKeys) count() (n int) {
	for _, key := range k.keys {
		if key != "…" {
			n++
		}
	}
	return n
}

// tasks are what people come for. Each ends with what they came for on the screen.
var tasks = []struct {
	name string
	play func(k *taskKeys)
}{
	{"what blocks, and why", func(k *taskKeys) {
		k.does("enter", "2", "enter")
		k.wants("Is the refresh endpoint rate limited?", "keeps the gate closed", "raised by reader-2")
	}},
	{"who contradicts whom", func(k *taskKeys) {
		k.does("enter", ":")
		k.says("disputed")
		k.does("enter", "enter")
		k.wants("never expire", "← contradicted by", "Tokens do expire")
	}},
	{"the moment of most open questions", func(k *taskKeys) {
		k.does("enter", "^")
		k.wants("back event 8", "the most there were at once")
	}},
	{"an entry by a phrase, and what is around it", func(k *taskKeys) {
		k.does("enter", "/")
		k.says(`"ignores exp"`)
		k.does("enter", "enter")
		k.wants("if claims.Exp", "← supported by", "← raised")
	}},
	{"waive a question, and undo that", func(k *taskKeys) {
		k.does("enter", "2", "w")
		k.says("the CDN does it")
		k.does("enter")
		k.wants("s2 is waived")
		k.does("u", "enter")
		k.wants("s2 is open again", "gate closed: 2")
	}},
	{"promote, find again, edit, retire, restore", func(k *taskKeys) {
		k.does("enter", "P", "ctrl+s")
		k.wants("e6 is capsule")
		k.does("K")
		k.says("expiry check parser")
		k.does("ctrl+o") // the screen is the editor's then, and its keys are not ours
		k.wants("$EDITOR")
		k.edits(`sed -i.bak 's/into the parser/into both/' "$1"`)
		k.wants("is at revision 2")
		k.does("d", "enter")
		k.wants("is retired")
		k.does("O")
		k.wants("is what it was at revision 2", "into both")
	}},
	{"an earlier revision of a capsule, restored", func(k *taskKeys) {
		must(k.openKB().Edit(context.Background(), capsulePlain, func(c *kb.Capsule) error { c.Body = "Wrong."; return nil }, kb.EditOptions{}))
		k.does("K")
		k.says("addressed by session")
		k.does("enter", "O", "enter", "O")
		k.wants("is what it was at revision 1", "session:window.pane")
	}},
	{"what is known, the retired too", func(k *taskKeys) {
		k.does("K", "tab", "f")
		k.wants("capsules, the newest first, retired ones too")
	}},
	{"an item of the memory by words, of any tier", func(k *taskKeys) {
		k.does("K")
		k.says("report by noon")
		k.does("enter")
		k.wants("m000000031 · conversation", "The person wants the report by noon.")
	}},
	{"forget an item, and undo that", func(k *taskKeys) {
		k.does("M", "d", "enter")
		k.wants("is forgotten")
		k.does("u", "enter")
		k.wants("is remembered again")
	}},
	{"what is missing in a report", func(k *taskKeys) {
		k.does("enter", "S")
		k.says("report.md")
		k.does("enter", "n", "enter")
		k.wants("survival › e3", "Tokens do expire", "← supported by")
	}},
	{"a file that a text names, at its line", func(k *taskKeys) {
		k.does("enter", "G", "o")
		k.wants("$EDITOR") // none is known to the harness
	}},
	{"make a run, and delete it for good", func(k *taskKeys) {
		k.does("+")
		k.says("zebra")
		k.does("ctrl+s", "esc", "D")
		k.says("zebra")
		k.does("enter")
		k.wants("deleted run zebra")
	}},
}

// TestTasks plays each task from the list of runs on the smaller of the usual screens, as somebody
// would who knows the footer and the help: few keys, and as many as the documentation says.
func TestTasks(t *testing.T) {
	said := string(must(os.ReadFile("doc.go")))
	var table strings.Builder
	for _, task := range tasks {
		t.Run(task.name, func(t *testing.T) {
			k := &taskKeys{harness: newHarness(t, func(h *harness) {
				fillAudit(h)
				fillCapsules(h)
				fillMemory(h)
				for name, text := range map[string]string{"report.md": "# Report\n\nAccess tokens never expire: the parser ignores exp.\n", "auth.go": "package auth\n"} {
					if err := os.WriteFile(filepath.Join(h.cfg.Files, name), []byte(text), 0o600); err != nil {
						t.Fatal(err)
					}
				}
			})}
			task.play(k)
			if k.count() > mostKeys {
				t.Errorf("it takes %d keys: %q", k.count(), k.keys)
			}
			line := fmt.Sprintf("//\t%d  %-52s %s\n", k.count(), task.name, strings.Join(k.keys, " "))
			table.WriteString(line)
			if !strings.Contains(said, line) {
				t.Errorf("doc.go does not say:\n%s", line)
			}
		})
	}
	if t.Failed() {
		t.Logf("the table is\n%s", table.String())
	}
}
