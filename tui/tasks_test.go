package tui

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"blackboard/board"
	"blackboard/testdata/expect"
	"blackboard/tui/runs"
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
	{"which run needs me", func(k *taskKeys) {
		k.wants("1 of 1 run needs you")
	}},
	{"what blocks its gate", func(k *taskKeys) {
		k.does("enter", "2", "enter")
		k.wants("Is the refresh endpoint rate limited?", "keeps the gate closed", "raised by reader-2")
	}},
	{"answer that question, with a quote", func(k *taskKeys) {
		k.does("enter", "2", "a")
		k.says("10 a minute")
		k.does("tab")
		k.says("nginx.conf:12")
		k.does("tab")
		k.says("limit_req zone=one")
		k.does("ctrl+s")
		k.wants("s2 is addressed by e7")
	}},
	{"who is silent", func(k *taskKeys) {
		b := k.openRun("audit-7")
		b.SetNow(func() time.Time { return testNow.Add(-23 * time.Minute) })
		must(b.Expect(context.Background(), "lead", []string{"reader-9"}, false))
		k.do(k.m.pages[0].(*runs.List).Resume())
		k.wants("reader-9 silent 23m")
	}},
	{"which report failed, and what its check finds", func(k *taskKeys) {
		b := k.openRun("audit-7")
		k.write("report.md", "# Audit\n\nNothing.\n", 3)
		must("", b.RecordCheck(context.Background(), "ci", failedCheck(k.harness, "report.md")))
		k.do(k.m.pages[0].(*runs.List).Resume())
		k.wants("report.md FAILED: survival 2, trace 1")
		k.does("C")
		k.wants("✗ not passed", "survival", "report.md")
	}},
	{"which worker found a thing", func(k *taskKeys) {
		k.does("enter", "/")
		k.says("ignores exp")
		k.does("enter")
		k.wants("reader-1")
	}},
	{"to the capsule that a finding names, and back", func(k *taskKeys) {
		must(k.openRun("audit-7").Post(context.Background(), "ada", board.Post{Content: "As kb:" + capsuleTmux + " says"}))
		k.does("enter", "o")
		k.wants("Capsule " + capsuleTmux)
		k.does("esc")
		k.wants("entries")
	}},
	{"both sides of a contradiction, and settle it", func(k *taskKeys) {
		for _, n := range []string{"98", "99"} {
			must(k.openRun("audit-7").Post(context.Background(), "ada", board.Post{Content: "Ironworks has " + n + " sites in Iowa"}))
		}
		k.does("enter", ":")
		k.says("conflicts")
		k.does("enter", "n", "enter")
		k.wants("98 sites", "99 sites")
		k.does("b")
		k.says("one is of 2024")
		k.does("enter")
		k.wants("are settled")
	}},
	{"what changed in the last hour", func(k *taskKeys) {
		k.does("enter", ":")
		k.says("1h")
		k.does("enter")
		k.wants("What has changed", "new entr")
	}},
	{"the run as it was at a time", func(k *taskKeys) {
		k.does("enter", ":")
		k.says("14:34")
		k.does("enter")
		k.wants("back event")
	}},
	{"knowledge by kind", func(k *taskKeys) {
		k.does("K")
		k.says("kind:gotcha")
		k.wants("tmux kill-server ends")
	}},
	{"is a hit weak", func(k *taskKeys) {
		k.does("K")
		k.says("only panes in Iowa have a gateway")
		k.wants("weak")
	}},
	{"the memory of a channel", func(k *taskKeys) {
		k.does("M", "2")
		k.wants("Items in channels", "general")
	}},
	{"export a run", func(k *taskKeys) {
		k.m.app.Command = func(context.Context, string, ...string) (string, error) { return "", nil }
		k.does("enter", ":")
		k.says("export")
		k.does("enter", "enter")
		k.wants("audit-7 is exported to audit-7.md")
	}},
	{"copy an id", func(k *taskKeys) {
		k.does("enter", "y")
		k.wants("e6 copied")
	}},
	{"follow a run, and keep one's place", func(k *taskKeys) {
		k.does("enter", "j")
		p := k.m.top().(*runs.Page)
		chosen := p.Chosen()
		must(k.openRun("audit-7").Post(context.Background(), "ada", board.Post{Content: "It goes on"}))
		k.do(p.Look())
		if k.wants("3 of 7"); p.Chosen() != chosen {
			k.t.Errorf("%s is chosen, not %s", p.Chosen(), chosen)
		}
	}},
	{"leave", func(k *taskKeys) {
		if k.does("q"); !k.quit {
			k.t.Error("it goes on")
		}
	}},
	{"who contradicts whom", func(k *taskKeys) {
		k.does("enter", ":")
		k.says("disputed")
		k.does("enter", "enter")
		k.wants("never expire", "← contradicted by", "Tokens do expire")
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
		k.wants("survival › e3", "Tokens do expire", "→ contradicts")
	}},
	{"accept a doubt, and leave the report as it is", func(k *taskKeys) {
		k.does("enter", "S")
		k.says("report.md")
		k.does("enter", "n", "n", "b")
		k.wants("what you compared")
		k.says("it is for another report")
		k.does("enter")
		k.wants("is accepted, until s2")
	}},
	{"a file that a text names, at its line", func(k *taskKeys) {
		k.does("enter", "G", "o")
		k.wants("$EDITOR") // none is known to the harness
	}},
}

// TestTasks plays each task from the list of runs on the smaller of the usual screens, as somebody
// would who knows the footer and the help: few keys, and as many as the documentation says.
func TestTasks(t *testing.T) {
	said := string(must(os.ReadFile("testdata/tasks.md")))
	var table strings.Builder
	for _, task := range tasks {
		t.Run(task.name, func(t *testing.T) {
			k := &taskKeys{harness: newHarness(t, func(h *harness) {
				fillAudit(h)
				fillCapsules(h)
				fillMemory(h)
				for name, text := range map[string]string{"report.md": "# Report\n\nAccess tokens never expire: the parser ignores exp.\n", "auth.go": "package auth\n"} {
					expect.OK(t, os.WriteFile(filepath.Join(h.cfg.Files, name), []byte(text), 0o600))
				}
			})}
			task.play(k)
			if k.count() > mostKeys {
				t.Errorf("it takes %d keys: %q", k.count(), k.keys)
			}
			line := fmt.Sprintf("    %d  %-52s %s\n", k.count(), task.name, cmp.Or(strings.Join(k.keys, " "), "–"))
			table.WriteString(line)
			if !strings.Contains(said, line) {
				t.Errorf("tasks.md does not say:\n%s", line)
			}
		})
	}
	if t.Failed() {
		t.Logf("the table is\n%s", table.String())
	}
}
