package hooks

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"blackboard/hooks/topics"
	"blackboard/kb/memory"
)

// day is a working day in one clone: its events in their order, as Claude Code sends them.
type day struct {
	*world
	events int
	spent  map[string]int // tokens by session
}

func (d *day) send(session, event string, fields map[string]any) string {
	d.now = d.now.Add(7 * time.Minute)
	d.events++
	p := map[string]any{"session_id": session, "tool_use_id": fmt.Sprint("t", d.events)}
	for k, v := range fields {
		p[k] = v
	}
	got := d.tell(event, p)
	d.spent[session] += tokens(got)
	return got
}

func (d *day) prompt(session, text string) string {
	return d.send(session, "UserPromptSubmit", map[string]any{"prompt": text})
}

func (d *day) run(session, command string, fails string) {
	event, p := "PostToolUse", map[string]any{"tool_name": "Bash",
		"tool_input": map[string]any{"command": command}, "tool_response": map[string]any{"stdout": "ok"}}
	if fails != "" {
		event, p["error"] = "PostToolUseFailure", "Exit code 1\n"+fails
	}
	d.send(session, event, p)
}

func (d *day) edit(session, file string) {
	d.send(session, "PostToolUse", map[string]any{"tool_name": "Edit",
		"tool_input": map[string]any{"file_path": d.project + "/" + file, "old_string": "a", "new_string": "b"}})
}

// useful is what a careful colleague would hand over, by page: each line of a page has to
// match one of these with its reason, or it is noise.
var useful = []map[string]string{{ // a new session on login
	`board notes|^$`: "the frame",
	`^#+ (From memory|Critical|About this|Lately|Topic|Recent work|Your own|Core|Journal|This channel)`: "a heading of what follows",
	`Never force-push`:               "critical for everybody",
	`Node 22.*replaces`:              "the fact that holds, in place of the one that does not",
	`CSRF token`:                     "a note of this branch",
	`I read a failing test`:          "the agent's own principle",
	`Edit: .*login/form.go`:          "what was changed here",
	`go test ./login \(.*failed`:     "what went wrong here, and whether it was repaired",
	`go test ./login`:                "the state of the tests",
	`git commit -m "Check the token`: "what was kept",
	`^\| (## Notes)?$`:               "the spec's layout",
	`notes of other branches`:        "that there are more",
	`Verified means|board kb search`: "the rules",
}, { // a new session on export-csv
	`quotes columns`: "a note of this branch", `Edit: .*export/csv.go`: "what was changed here",
	`go test ./export`: "the state of the tests", `git push`: "what was published",
}, { // a review of login
	`A review: judge afresh`: "why there is nothing else", `Verified means|board kb search`: "the rules",
}}

// TestDay: a day of 60 events on two branches, with a review and a resumed session. Its
// three pages are printed with a reason for each line; at most a tenth of their tokens is
// noise, and no session has more than its budget.
func TestDay(t *testing.T) {
	d := &day{world: newWorld(t), spent: map[string]int{}}
	d.env["BOARD_WORKER"] = "claude"
	d.now = time.Date(2026, 11, 20, 8, 0, 0, 0, time.UTC)
	d.branch("login")
	m := d.remembers(1, "Never force-push to main")
	for _, it := range []memory.Item{{Content: "The front end needs Node 20", Importance: .75},
		{Content: "The canteen closes at two", Importance: .25}, {Content: "Tabs are wider than spaces", Importance: .25}} {
		it.Tier = memory.Workspace
		if _, err := m.Put(t.Context(), it, memory.PutOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := m.SaveNote(t.Context(), memory.Core, "", "I read a failing test before I change it", false); err != nil {
		t.Fatal(err)
	}
	d.now = d.now.Add(24 * time.Hour)
	d.send("s1", "SessionStart", map[string]any{"source": "startup"})
	d.prompt("s1", "Let the login form check its CSRF token")
	note := func(branch, text string) {
		dir, err := topics.Open(d.specs, real(t, d.project), topics.Options{Now: d.clock, Branch: branch})
		if err == nil {
			_, err = dir.Note(t.Context(), topics.Current, text)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	note("login", "the login form sends its CSRF token in a header")
	for range 6 {
		d.edit("s1", "login/form.go")
		d.run("s1", "cat login/form.go", "")
		d.run("s1", "go test ./login", "--- FAIL: TestForm\nFAIL\nFAIL\tproj/login 0.2s\nFAIL")
	}
	if _, err := m.Put(t.Context(), memory.Item{Tier: memory.Workspace, Importance: .75,
		Content: "The front end builds with Node 22 now"}, memory.PutOptions{}); err != nil {
		t.Fatal(err)
	}
	d.run("s1", "board kb search csrf", "")
	d.run("s1", "go test ./login", "")
	d.run("s1", "git commit -m \"Check the token\n\nCo-Authored-By: Helper <h@example.com>\"", "")
	d.prompt("s1", "Which Node does the front end need?")
	d.send("s1", "SessionEnd", map[string]any{"reason": "other"})

	d.branch("export-csv")
	d.send("s2", "SessionStart", map[string]any{"source": "startup"})
	d.prompt("s2", "Quote the columns of the export")
	d.prompt("s2", "What do the columns of the export mean?")
	note("export-csv", "the export quotes columns with commas")
	for range 5 {
		d.edit("s2", "export/csv.go")
		d.run("s2", "git status", "")
		d.run("s2", "go test ./export", "")
	}
	d.run("s2", "board topic show", "")
	d.run("s2", "git push origin export-csv", "")
	d.send("s2", "SessionEnd", map[string]any{"reason": "other"})
	d.branch("login") // the first session goes on
	d.send("s1", "SessionStart", map[string]any{"source": "resume"})
	d.prompt("s1", "go on")
	for range 4 {
		d.edit("s1", "login/form.go")
		d.run("s1", "go test ./login", "")
	}
	d.send("s1", "SessionEnd", map[string]any{"reason": "other"})

	pages := []string{d.send("s3", "SessionStart", map[string]any{"source": "startup"})}
	d.branch("export-csv")
	pages = append(pages, d.send("s4", "SessionStart", map[string]any{"source": "startup"}))
	d.branch("review/login")
	pages = append(pages, d.send("s5", "SessionStart", map[string]any{"source": "startup"}))
	if d.events != 60 {
		t.Errorf("%d events", d.events)
	}
	noise, all := 0, 0
	for i, page := range pages {
		t.Logf("page %d, %d tokens", i+1, tokens(page))
		for _, line := range strings.Split(page, "\n") {
			why := reasonFor(i, line)
			if all += tokens(line); why == "" {
				noise, why = noise+tokens(line), "NOISE"
			}
			t.Logf("  %-100s  ← %s", line, why)
		}
	}
	t.Logf("noise %d of %d tokens; by session %v", noise, all, d.spent)
	if noise*10 > all {
		t.Errorf("%d of %d tokens are noise", noise, all)
	}
	for _, wants := range []struct {
		page int
		text string
		has  bool
	}{{0, "Never force-push", true}, {0, "Node 22", true}, {0, "Node 20", false}, {0, "csv.go", false},
		{1, "form.go", false}, {1, "quotes columns", true}, {2, "Node", false}, {2, "form.go", false},
		{0, "Co-Authored", false}, {0, "board kb search csrf", false}, {0, "canteen", false}} {
		if strings.Contains(pages[wants.page], wants.text) != wants.has {
			t.Errorf("page %d, %q: want %t", wants.page+1, wants.text, wants.has)
		}
	}
	for session, n := range d.spent {
		if n > Depths[0].SessionBudget {
			t.Errorf("session %s has %d tokens", session, n)
		}
	}
}

// reasonFor says why a line of a page is useful. What is useful in the first page for
// everybody is so in the second; a review has its own.
func reasonFor(page int, line string) string {
	lists := []map[string]string{useful[page]}
	if page == 1 {
		lists = append(lists, useful[0])
	} else if page == 2 {
		lists = append(lists, map[string]string{`board notes|^$|^## Topic`: "the frame"})
	}
	for _, list := range lists {
		for pattern, why := range list {
			if page == 1 && strings.Contains(line, "login") &&
				!strings.Contains(line, "other branches") {
				continue
			}
			if regexp.MustCompile(pattern).MatchString(line) {
				return why
			}
		}
	}
	return ""
}
