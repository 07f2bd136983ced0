package topics

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"blackboard/testdata/expect"
)

// onBranch opens the topics of one workspace as seen from a branch.
func onBranch(t *testing.T, root, branch string, now *time.Time) *Dir {
	t.Helper()
	d := expect.Value(Open(root, "/project", Options{Branch: branch,
		Now: func() time.Time { *now = now.Add(time.Minute); return *now }}))(t)
	return d
}

func did(t *testing.T, d *Dir, command string, ok bool) {
	t.Helper()
	expect.Value(d.Record(t.Context(), Current, Entry{Tool: "Bash", Command: command, OK: &ok}))(t)
}

// TestBranches: after git switch in one clone a page has what belongs to the branch, and
// says whose it is where it shows another's.
func TestBranches(t *testing.T) {
	root, now := t.TempDir(), time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	login, export := onBranch(t, root, "login", &now), onBranch(t, root, "export-csv", &now)
	topic := Topic{Name: Current, Kind: KindCurrent}
	did(t, login, "go test ./login", false)
	expect.Value(login.Note(t.Context(), Current, "the form needs a token\nof its own"))(t)
	s, err := export.Startup(topic, StartupLimits{})
	if err != nil || len(s.Worklog) != 1 || strings.Contains(s.Spec, "token") ||
		!strings.Contains(s.Spec, "(notes of other branches: 1, of login)") ||
		!strings.Contains(s.Worklog[0].String(), "[branch login] Bash: go test ./login") {
		t.Errorf("before anything is done here: %+v, %v", s, err)
	}
	did(t, export, "go build ./export", true)
	expect.Value(export.Note(t.Context(), Current, "columns are quoted"))(t)
	s, err = export.Startup(topic, StartupLimits{})
	if err != nil || len(s.Worklog) != 1 || strings.Contains(s.Worklog[0].String(), "login") ||
		!strings.Contains(s.Spec, ":04 columns are quoted") || strings.Contains(s.Spec, "of its own") {
		t.Errorf("what belongs here: %+v, %v", s, err)
	}
	if q := topic.Query("- 2026-11-21 12:00 [login] form\n- 2026-11-21 12:00 [x] csv", "x"); q != "x\ncsv" {
		t.Errorf("asked for %q", q)
	}
}

// TestNewestNotesStay: a spec beyond the room keeps its goal and the newest notes, whole.
func TestNewestNotesStay(t *testing.T) {
	root, now := t.TempDir(), time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	d := onBranch(t, root, "", &now)
	expect.Value(d.Rewrite(t.Context(), "auth", "# auth\n\nGoal: rotate the keys\n", nil))(t)
	last := 0
	for i := range 200 {
		expect.Value(d.Note(t.Context(), "auth", fmt.Sprintf("note %d says %s", i,
			strings.Repeat("something long ", 10))))(t)
		s, err := d.Startup(Topic{Name: "auth", Kind: KindNamed}, StartupLimits{})
		if err != nil || !strings.Contains(s.Spec, fmt.Sprintf("note %d says", i)) ||
			!strings.Contains(s.Spec, "Goal: rotate the keys") || len(s.Spec) > DefaultSpecBytes {
			t.Fatalf("after note %d: %d bytes, %v\n%s", i, len(s.Spec), err, s.Spec)
		}
		n := strings.Count(s.Spec, " says ")
		if n < min(last, 20) {
			t.Errorf("after note %d there are %d, and before %d", i, n, last)
		}
		last = n
	}
}

// TestReviewBranch: a branch for a review starts as a review, whatever its topic.
func TestReviewBranch(t *testing.T) {
	root, now := t.TempDir(), time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	for branch, review := range map[string]bool{"review/login": true, "login-review": true,
		"fix/review-comments": false, "feature/preview": false, "main": false} {
		d := onBranch(t, root, branch, &now)
		if got := d.Resolve("s1", Place{Branch: branch, Head: HeadBranch}); got.CleanRoom() != review {
			t.Errorf("%s: %+v", branch, got)
		}
	}
}

// TestLineWorthItsTokens: no seconds, no word twice, no trailer, no command of this program.
func TestLineWorthItsTokens(t *testing.T) {
	at := time.Date(2026, 11, 21, 14, 3, 5, 0, time.UTC)
	no, yes := false, true
	in := []Entry{
		{Time: at, Tool: "Bash", Command: "board topic note \"x\"", OK: &yes},
		{Time: at, Tool: "Bash", Command: "go test ./a", OK: &no, Error: "FAIL\nFAIL\tblackboard/a 0.1s\nFAIL"},
		{Time: at, Tool: "Bash", Command: "git commit -m \"Fix it\n\nCo-Authored-By: A <a@b.c>\"", OK: &yes},
		{Time: at, Tool: "Bash", Command: "go test ./...", OK: &yes},
	}
	var got []string
	before := time.Time{}
	for _, e := range Fold(in) {
		got = append(got, e.Brief(before))
		before = e.Time
	}
	want := "11-21 14:03 Bash: go test ./a (failed, passed later: blackboard/a 0.1s)\n" +
		"14:03 Bash: git commit -m \"Fix it\" (ok)\n14:03 Bash: go test ./... (ok)"
	if strings.Join(got, "\n") != want {
		t.Errorf("%s", strings.Join(got, "\n"))
	}
}
