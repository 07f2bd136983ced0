package hooks

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"blackboard/board"
	"blackboard/hooks/topics"
	"blackboard/kb/memory"
	"blackboard/testdata/expect"
)

// branch puts the project on a branch.
func (w *world) branch(name string) {
	w.t.Helper()
	git := filepath.Join(w.project, ".git")
	if err := os.MkdirAll(git, 0o700); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(git, "HEAD"), []byte("ref: refs/heads/"+name+"\n"),
		0o600); err != nil {
		w.t.Fatal(err)
	}
}

// TestStartOfABranch: a branch that nobody has pinned a topic for, but written a spec,
// starts with what is known about it; no word of the template is asked for, and none is
// shown.
func TestStartOfABranch(t *testing.T) {
	w := newWorld(t)
	w.branch("fix/retry-backoff")
	w.searcher = found(hit("k1", "Rotation", "Keys rotate daily.", 1))
	if got := w.tell("SessionStart", nil); strings.Contains(got, "k1") ||
		strings.Contains(got, "## Topic") {
		t.Errorf("without a spec: %s", got)
	}
	expect.Value(w.topicsDir().Note(t.Context(), "current",
		"the ledger waits for a lock"))(t)
	got := w.tell("SessionStart", nil)
	if !strings.Contains(got,
		"## Topic current, branch fix/retry-backoff\n| ## Notes\n|\n| - 2026-11-21 12:00 the ledger waits") || !strings.Contains(got, "(k1)") {
		t.Errorf("with a note: %s", got)
	}
	if strings.Contains(got, "Goal:") || strings.Contains(got, "Scope:") ||
		strings.Contains(got, "# current") {
		t.Errorf("the template is shown: %s", got)
	}
	for _, q := range w.searcher.(*answering).asked {
		if q.Text != "retry backoff\nthe ledger waits for a lock" {
			t.Errorf("%q was asked for", q.Text)
		}
	}
}

// TestStartWithoutASpec: what the memory has about the branch, or the topic, is found
// by its name where nobody has written what it is about; a review still starts without.
func TestStartWithoutASpec(t *testing.T) {
	for _, c := range []struct {
		branch, topic string
		about         bool
	}{{"feature/ledger-migration", "", true}, {"main", "ledger-migration", true},
		{"main", "ledger", true}, {"main", "", false}, {"main", "ledger-review", false}} {
		w := newWorld(t)
		w.withMemory = true
		w.branch(c.branch)
		if c.topic != "" {
			w.named(c.topic, "")
		}
		m := expect.Value(memory.Open(w.home, memory.Options{Workspace: real(t, w.project),
			Now: func() time.Time { return w.now }}))(t)
		put := func(text string) {
			t.Helper()
			expect.Value(m.Put(t.Context(), memory.Item{Tier: memory.Workspace, Content: text},
				memory.PutOptions{}))(t)
		}
		put("The pg-ledger takes a lock on each table for a migration")
		for i := range 60 {
			put(fmt.Sprintf("Shelf %d of the warehouse is counted on day %d of the month",
				i, i%28))
		}
		m.Close()
		_, found, _ := strings.Cut(w.tell("SessionStart", nil), "### About this")
		if got := strings.Contains(found, "pg-ledger takes a lock"); got != c.about ||
			strings.Contains(found, "### About this\n- m") && !c.about {
			t.Errorf("on %s, topic %q, about it is: %s", c.branch, c.topic, found)
		}
	}
}

// TestStartPage: what keeps the gate closed comes first, then what is critical, what the work
// is about, what was done and what is known, then what holds in each session; nothing is said twice, and no heading
// has nothing below it.
func TestStartPage(t *testing.T) {
	w := worked(t)
	t.Cleanup(openBoards.Wait)
	w.env["BOARD_RUN"] = "audit"
	b := expect.Value(board.Create(t.Context(), filepath.Join(w.home, "boards"), "audit", "", "lead", nil))(t)
	defer b.Close()
	w.searcher = found(hit("k1", "Keys", "Rotate  the keys.", 1),
		hit("k2", "Ledger", "It is slow.", 0.9))
	w.named("auth", "# Auth\nGoal: Rotate the keys.\n\n## Decisions\n\n## Notes\n- 2026-11-20 10:00 cents\n- 2026-11-21 10:00 cents\n")
	got := w.tell("SessionStart", nil)
	last := -1
	for _, s := range []string{"## Run audit", "## From memory", "Never force-push",
		"## Topic auth", "Goal: Rotate", "21 10:00 cents",
		"## Recent work", "make generate", "## Known about", "(k2)",
		"Verified means", "`board kb search` before"} {
		if at := strings.Index(got, s); at <= last {
			t.Errorf("%q is at %d, after %d, in %s", s, at, last, got)
		} else {
			last = at
		}
	}
	for _, s := range []string{"(k1)", "20 10:00 cents", "Decisions"} {
		if strings.Contains(got, s) {
			t.Errorf("there is %q in %s", s, got)
		}
	}
	lines := strings.Split(got, "\n")
	for i, l := range lines {
		if strings.HasPrefix(l, "#") && (i+1 == len(lines) || lines[i+1] == "" &&
			strings.HasPrefix(l, "## ") && !strings.HasPrefix(l, "## From memory") && l != "## Your own notes") {
			t.Errorf("nothing follows %q in %s", l, got)
		}
	}
}

// TestStartFillsItsBudget: where there is more to say than there is room, little room
// is left, and every kind of thing has a part of it.
func TestStartFillsItsBudget(t *testing.T) {
	for _, spec := range []string{"# Auth\nGoal: rotate.", "# Auth\nGoal: rotate.\n" +
		strings.Repeat("A line of the plan.\n", 150), "# Auth\nGoal: rotate.\n\n" +
		strings.Repeat("A line.\n", 2000)} {
		w := worked(t)
		w.named("auth", spec)
		for i := range 200 {
			w.now = t0.Add(time.Duration(i) * time.Minute)
			w.records("auth", "other",
				fmt.Sprintf("make part-%d of the whole thing, with all its tests, documents and examples, and tell how long each of them took", i))
		}
		got := w.tell("SessionStart", nil)
		if most := Depths[0].StartBudget; tokens(got) > most || tokens(got) < most*8/10 {
			t.Errorf("it has %d tokens of %d: %s", tokens(got), most, got)
		}
		for _, s := range append([]string{"part-199", "part-198"}, "Goal: rotate.", "(k1)",
			"Never force-push", "I run the tests", "Verified means", "`board kb search`") {
			if !strings.Contains(got, s) {
				t.Errorf("there is no %q in %s", s, got)
			}
		}
		if long := len(spec) > topics.DefaultSpecBytes; strings.Contains(got,
			w.topicsDir().SpecPath("auth")) != long {
			t.Errorf("with a spec of %d bytes: %s", len(spec), got)
		}
	}
}

// TestStartSaysWhereTheRestIs: of a named entry that has no room.
func TestStartSaysWhereTheRestIs(t *testing.T) {
	w := newWorld(t)
	w.withMemory = true
	m := expect.Value(memory.Open(w.home, memory.Options{Workspace: real(t, w.project), Author: true}))(t)
	expect.Value(m.EditNamed(t.Context(), memory.Voice, "", strings.Repeat("Short sentences.\n",
		900), memory.AnyRevision))(t)
	m.Close()
	if got := w.tell("SessionStart", nil); !strings.Contains(got,
		"… the rest: memory.named.show VOICE workspace") {
		t.Errorf("it starts with %s", got)
	}
}

// TestReviewStartsWithoutFindings: the memory, too, is not asked about what a review
// has found.
func TestReviewStartsWithoutFindings(t *testing.T) {
	w := worked(t)
	w.named("auth-review",
		"# Auth\n\nGoal: judge it.\n\n## Findings\nThe ledger counts wrongly.\n")
	w.searcher = found(hit("k1", "a", "b", 1))
	if got := w.tell("SessionStart", nil); strings.Contains(got, "### About this") ||
		strings.Contains(got, "(k1") || !strings.Contains(got, "judge it") {
		t.Errorf("it gave %s", got)
	}
}

// TestSpecWithoutRoom: a spec that has room as it is, but not with the marks before its
// lines, is told by its path.
func TestSpecWithoutRoom(t *testing.T) {
	w := newWorld(t)
	w.named("auth", strings.Repeat("a\n", 1700))
	got := w.tell("SessionStart", nil)
	if !strings.Contains(got, "## Topic auth") ||
		!strings.Contains(got, w.topicsDir().SpecPath("auth")) || strings.Contains(got, "| a\n") ||
		tokens(got) > Depths[0].StartBudget {
		t.Errorf("it starts with %d tokens: %s", tokens(got), got)
	}
}

// TestConfigDir: a place that is named goes first, and one that is not a whole path is
// none.
func TestConfigDir(t *testing.T) {
	home, config := t.TempDir(), t.TempDir()
	for _, c := range []struct {
		env  map[string]string
		want string
	}{
		{nil, ""},
		{map[string]string{"HOME": "relative"}, ""},
		{map[string]string{"HOME": home}, filepath.Join(home, ".config", "blackboard")},
		{map[string]string{"HOME": home, "XDG_CONFIG_HOME": "relative"},
			filepath.Join(home, ".config", "blackboard")},
		{map[string]string{"HOME": home, "XDG_CONFIG_HOME": config},
			filepath.Join(config, "blackboard")},
		{map[string]string{"HOME": home, "XDG_CONFIG_HOME": config, "BOARD_CONFIG_DIR": "mine"},
			"mine"},
	} {
		if got := ConfigDir(func(name string) string { return c.env[name] }); got != c.want {
			t.Errorf("%v: %q, not %q", c.env, got, c.want)
		}
	}
	if text, err := readPrefix(noEnv); err != nil || text != strings.TrimSpace(defaultPrefix) {
		t.Errorf("without a place for it the prefix is %q, %v", text, err)
	}
}

// TestAddedToASpec: a session that goes on is given what a spec has more, and all of it if
// anything else has changed.
func TestAddedToASpec(t *testing.T) {
	for _, c := range [][3]string{
		{"", "Goal: a\n- one", "Goal: a\n- one"},
		{"Goal: a\n\n- one", "Goal: a\n\n- one\n- two", "- two"},
		{"Goal: a\n- one", "Goal: b\n- one", "Goal: b\n- one"},
		{"Goal: a\n- one\n- two", "Goal: a\n- two\n- one", "Goal: a\n- two\n- one"},
		{"Goal: a\n- one\n- two", "Goal: a\n- two", "Goal: a\n- two"},
	} {
		var had []string
		if c[0] != "" {
			had = lineIDs(strings.Split(c[0], "\n"))
		}
		if got := added(had, c[1]); got != c[2] {
			t.Errorf("%q after %q: %q, not %q", c[1], c[0], got, c[2])
		}
	}
}
