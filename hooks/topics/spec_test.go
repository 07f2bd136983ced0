package topics

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"blackboard/board/fault"
	"blackboard/testdata/expect"
)

func environment(pairs ...string) func(string) string {
	return func(name string) string {
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1]
			}
		}
		return ""
	}
}

func TestRoot(t *testing.T) {
	for _, c := range []struct {
		env  []string
		want string
	}{
		{[]string{"HOME", "/h"}, "/h/.local/state/blackboard/specs"},
		{[]string{"HOME", "/h", "XDG_STATE_HOME", "/s"}, "/s/blackboard/specs"},
		{[]string{"HOME", "/h", "XDG_STATE_HOME", "relative"}, "/h/.local/state/blackboard/specs"},
		{[]string{"HOME", "/h", "XDG_STATE_HOME", "/s", "BOARD_SPEC_ROOT", "/r/"}, "/r"},
	} {
		if got, err := Root(environment(c.env...)); err != nil || filepath.ToSlash(got) != c.want {
			t.Errorf("%v: %s, %v, not %s", c.env, got, err, c.want)
		}
	}
	if got, err := Root(environment("BOARD_SPEC_ROOT", "rel")); err != nil ||
		!filepath.IsAbs(got) {
		t.Errorf("a relative root: %s, %v", got, err)
	}
}

func TestOpen(t *testing.T) {
	for _, workspace := range []string{"", "/", "relative", "."} {
		if _, err := Open("/root", workspace, Options{}); !errors.Is(err, fault.Invalid) {
			t.Errorf("%q was opened: %v", workspace, err)
		}
	}
	d, err := Open("/root", "/home/u/../u/mein Büro/", Options{})
	if err != nil || filepath.ToSlash(d.Path()) != "/root/home/u/mein Büro" ||
		filepath.ToSlash(d.SpecPath("a")) != "/root/home/u/mein Büro/a.txt" {
		t.Errorf("%+v, %v", d, err)
	}
	if rel, err := filepath.Rel(rootOf(d), d.path); err != nil ||
		workspaceOf(rel) != d.Workspace() {
		t.Errorf("the way back leads to %s, %v", workspaceOf(rel), err)
	}
}

// TestUse: what is pinned is every session's topic, on any branch, until it is not.
func TestUse(t *testing.T) {
	d := newDir(t, Options{})
	feature, shared := Place{Branch: "fix", Head: HeadBranch},
		Place{Branch: "main", Head: HeadBranch}
	u, err := d.Use(t.Context(), "Auth-Refactor", "tokens  must\nexpire")
	if err != nil || !u.Seeded || u.Was != "" || u.Topic.Name != "Auth-Refactor" ||
		!u.Topic.Explicit {
		t.Fatalf("%+v, %v", u, err)
	}
	if got := read(t, u.Spec); got != "# Auth-Refactor\n\nGoal: tokens must expire\nScope:\n" {
		t.Errorf("the spec is %q", got)
	}
	if got := read(t, filepath.Join(d.Path(), activeFile)); got != "Auth-Refactor\n" {
		t.Errorf("the pin is %q", got)
	}
	for _, at := range []Place{feature, shared, {Head: HeadNone}} {
		for _, session := range []string{"", "s"} {
			if topic := d.Resolve(session, at); topic.Name != "Auth-Refactor" ||
				topic.Kind != KindNamed || !topic.Explicit {
				t.Errorf("in %+v: %+v", at, topic)
			}
		}
	}
	// Another case is the same topic; another topic takes the pin, and nothing of the
	// first.
	if u, err = d.Use(t.Context(), "auth-refactor", "ignored"); err != nil || u.Seeded ||
		u.Topic.Name != "Auth-Refactor" || u.Was != "Auth-Refactor" {
		t.Errorf("%+v, %v", u, err)
	}
	if u, err = d.Use(t.Context(), "other", ""); err != nil || !u.Seeded ||
		u.Was != "Auth-Refactor" {
		t.Errorf("%+v, %v", u, err)
	}
	if s, err := d.Spec("other"); err != nil || !s.Exists || !s.Seeded ||
		s.Bytes != int64(len(s.Text)) || s.Changed == nil {
		t.Errorf("a seeded spec: %+v, %v", s, err)
	}
	if s, err := d.Spec("Auth-Refactor"); err != nil || s.Seeded {
		t.Errorf("one with a goal: %+v, %v", s, err)
	}
	for _, name := range []string{"current", "CURRENT", "session-1", "../x", "", "_x"} {
		if _, err := d.Use(t.Context(), name, ""); !errors.Is(err, fault.Invalid) {
			t.Errorf("%q was pinned: %v", name, err)
		}
	}
	if was, err := d.Unpin(t.Context()); err != nil || was != "other" {
		t.Errorf("unpinned %q, %v", was, err)
	}
	if was, err := d.Unpin(t.Context()); err != nil || was != "" {
		t.Errorf("unpinned twice: %q, %v", was, err)
	}
	if topic := d.Resolve("s", feature); topic.Name != Current || topic.Explicit {
		t.Errorf("unpinned: %+v", topic)
	}
	if topic := d.Resolve("s", shared); topic.Name != "session-s" || topic.Explicit {
		t.Errorf("unpinned: %+v", topic)
	}
}

// TestPinnedByHand: what stands in the file is believed if it makes sense, and named if
// it does not.
func TestPinnedByHand(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "\n": "", "current\n": "", "Current": "", "auth": "auth", "  auth \r\n": "auth",
		"../../x": "!", "a b": "!", "con": "!", "a\nb": "!", "\x00": "!",
	} {
		d := newDir(t, Options{})
		write(t, filepath.Join(d.Path(), activeFile), text)
		got, problem := d.Pinned()
		if (problem != "") != (want == "!") || want != "!" && got != want {
			t.Errorf("%q pins %q, %q", text, got, problem)
		}
		if topic := d.Resolve("s", Place{Head: HeadNone}); want == "!" &&
			(topic.Name != "session-s" || !strings.Contains(topic.Why, "no valid topic name")) {
			t.Errorf("%q: %+v", text, topic)
		}
	}
	d := newDir(t, Options{})
	expect.OK(t, os.MkdirAll(filepath.Join(d.Path(), activeFile), 0o700))
	if got, problem := d.Pinned(); got != "" || problem == "" {
		t.Errorf("a directory pins %q, %q", got, problem)
	}
}

func TestNote(t *testing.T) {
	d := newDir(t, Options{})
	line, err := d.Note(t.Context(), "a", "  staging is\r\nread-only ")
	if err != nil || line != "- 2026-11-21 12:00 staging is\n  read-only" {
		t.Fatalf("%q, %v", line, err)
	}
	expect.Value(d.Note(t.Context(), "a", "second"))(t)
	want := "# a\n\nGoal:\nScope:\n\n## Notes\n\n- 2026-11-21 12:00 staging is\n  read-only\n- 2026-11-21 12:00 second\n"
	if got := read(t, d.SpecPath("a")); got != want {
		t.Errorf("the spec is %q, not %q", got, want)
	}
	for have, want := range map[string]string{
		"":                               "## Notes\n\n- N\n",
		"# T\n\n## Notes\nx\n\n\n":       "# T\n\n## Notes\nx\n- N\n",
		"# T\n\n## notes ##\n":           "# T\n\n## notes ##\n- N\n",
		"Notes\n-----\nx":                "Notes\n-----\nx\n- N\n",
		"# Notes\n## Goal\nx":            "# Notes\n## Goal\nx\n\n## Notes\n\n- N\n",
		"## Goal\n```\n## Notes\n```\nx": "## Goal\n```\n## Notes\n```\nx\n\n## Notes\n\n- N\n",
		// what is there stays as it is
		"a\xffb": "a\xffb\n\n## Notes\n\n- N\n",
	} {
		write(t, d.SpecPath("b"), have)
		expect.Value(d.Note(t.Context(), "b", "N"))(t)
		if got := strings.ReplaceAll(read(t, d.SpecPath("b")),
			"2026-11-21 12:00 ", ""); got != want {
			t.Errorf("%q became %q, not %q", have, got, want)
		}
	}
	for _, text := range []string{"", " \n", "\xff", "a\x00b", strings.Repeat("x", MaxNote+1)} {
		if _, err := d.Note(t.Context(), "a", text); !errors.Is(err, fault.Invalid) {
			t.Errorf("%.20q was noted: %v", text, err)
		}
	}
	for _, have := range []int{MaxSpec - 10, MaxSpec, MaxSpec + 1} {
		write(t, d.SpecPath("c"), strings.Repeat("x", have))
		if _, err := d.Note(t.Context(), "c", "N"); !errors.Is(err, fault.Invalid) ||
			!strings.Contains(err.Error(), d.SpecPath("c")) {
			t.Errorf("a spec of %d bytes got longer: %v", have, err)
		}
		if got := len(read(t, d.SpecPath("c"))); got != have {
			t.Errorf("a spec of %d bytes has %d", have, got)
		}
	}
	if s, err := d.Spec("c"); err != nil || !s.TooLong || s.Text != "" || s.Bytes != MaxSpec+1 {
		t.Errorf("a spec that is too long: %d bytes, %v, %v", s.Bytes, s.TooLong, err)
	}
}

func TestRewrite(t *testing.T) {
	d := newDir(t, Options{})
	none, first := "", "# one\n"
	if s, err := d.Rewrite(t.Context(), "a", first, &none); err != nil || s.Text != first {
		t.Fatalf("%+v, %v", s, err)
	}
	if _, err := d.Rewrite(t.Context(), "a", "# two\n", &none); !errors.Is(err, fault.Conflict) {
		t.Errorf("written over what somebody else wrote: %v", err)
	}
	if _, err := d.Rewrite(t.Context(), "a", "# two\n", &first); err != nil {
		t.Error(err)
	}
	if _, err := d.Rewrite(t.Context(), "a", "# three\n", nil); err != nil {
		t.Error(err)
	}
	if got := read(t, d.SpecPath("a")); got != "# three\n" {
		t.Errorf("the spec is %q", got)
	}
	for _, text := range []string{"", "\n", "\xff", "\x00", strings.Repeat("x", MaxSpec+1)} {
		if _, err := d.Rewrite(t.Context(), "a", text, nil); !errors.Is(err, fault.Invalid) {
			t.Errorf("%.20q was taken: %v", text, err)
		}
	}
	// A link is followed, and stays one.
	target := filepath.Join(t.TempDir(), "elsewhere.txt")
	write(t, target, "old")
	if err := os.Symlink(target, d.SpecPath("linked")); err != nil {
		t.Skip(err)
	}
	expect.Value(d.Rewrite(t.Context(), "linked", "new", nil))(t)
	if _, err := os.Readlink(d.SpecPath("linked")); err != nil || read(t, target) != "new" {
		t.Errorf("the link: %v, its file: %q", err, read(t, target))
	}
	if left, _ := filepath.Glob(filepath.Join(d.Path(), unfinished+"*")); len(left) > 0 {
		t.Errorf("left over: %v", left)
	}
}

// TestModes: nobody else can read any of it.
func TestModes(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("modes are another thing there")
	}
	d := newDir(t, Options{})
	expect.Value(d.Use(t.Context(), "a", ""))(t)
	record(t, d, "a", Entry{Tool: "x"})
	files := 0
	for dir := d.Path(); dir != filepath.Dir(rootOf(d)); dir = filepath.Dir(dir) {
		entries := expect.Value(os.ReadDir(dir))(t)
		for _, e := range append(entries, nil) {
			name, want := dir, os.FileMode(0o700)
			if e != nil && !e.IsDir() {
				name, want = filepath.Join(dir, e.Name()), 0o600
				files++
			}
			if info, err := os.Stat(name); err != nil || info.Mode().Perm() != want {
				t.Errorf("%s: %v, %v", name, info.Mode(), err)
			}
		}
	}
	if files != 4 { // the pin, the spec, the worklog and the lock
		t.Errorf("there are %d files", files)
	}
}

func names(all []Info) (names []string) {
	for i := range all {
		names = append(names, all[i].Name)
	}
	return names
}

func TestList(t *testing.T) {
	d := newDir(t, Options{})
	if all, err := d.List(); err != nil || all == nil || len(all) > 0 {
		t.Errorf("nothing: %v, %v", all, err)
	}
	if latest, err := d.Latest(); err != nil || latest.Name != "" {
		t.Errorf("the latest of nothing: %+v, %v", latest, err)
	}
	expect.Value(d.Use(t.Context(), "auth-review", ""))(t)
	for i, file := range []string{"session-old.txt", "session-new.worklog.jsonl",
		"current.worklog.jsonl", "auth-review.txt", "session-mute.no_context"} {
		name := filepath.Join(d.Path(), file)
		write(t, name, "12345")
		expect.OK(t, os.Chtimes(name, noon, noon.Add(time.Duration(i)*time.Hour)))
	}
	// What is no topic's.
	for _, file := range []string{"_no_session_context", "_x.txt", ".new-a.txt", "notes.md",
		"a b.txt", "con.txt", "nested.txt/x.txt"} {
		write(t, filepath.Join(d.Path(), file), "x")
	}
	all, err := d.List()
	if err != nil || !slices.Equal(names(all), []string{"session-mute", "auth-review", "current",
		"session-new", "session-old"}) {
		t.Fatalf("%v, %v", names(all), err)
	}
	review, mute := all[1], all[0]
	if !review.Pinned || review.Kind != KindReview || review.Spec != 5 || review.Worklog != 0 ||
		!review.Changed.Equal(noon.Add(3*time.Hour)) || review.NoContext ||
		!mute.NoContext || mute.Pinned {
		t.Errorf("%+v, %+v", review, mute)
	}
	if latest, err := d.Latest(); err != nil || latest.Name != "session-mute" ||
		latest.Kind != KindSession || latest.Explicit {
		t.Errorf("the latest: %+v, %v", latest, err)
	}
	other := expect.Value(Open(rootOf(d), filepath.FromSlash("/srv/other"), Options{}))(t)
	expect.Value(other.Use(t.Context(), "there", ""))(t)
	every, err := All(t.Context(), rootOf(d))
	if err != nil || len(every) != 7 || every[6].Name != "there" ||
		every[6].Workspace != other.Workspace() || every[0].Workspace != d.Workspace() {
		// with nested.txt, which could be the workspace of a topic x
		t.Errorf("everywhere: %v, %v", every, err)
	}
	if every, err := All(t.Context(), filepath.Join(rootOf(d), "gone")); err != nil ||
		every == nil || len(every) > 0 {
		t.Errorf("below nothing: %v, %v", every, err)
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := All(cancelled, rootOf(d)); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
}

// TestWipe: the topic goes, and nothing else.
func TestWipe(t *testing.T) {
	d := newDir(t, Options{})
	if _, err := d.Wipe(t.Context(), "a"); !errors.Is(err, fault.NotFound) {
		t.Errorf("wiped nothing: %v", err)
	}
	if _, err := os.Stat(rootOf(d)); err == nil {
		t.Error("wiping nothing has made files")
	}
	expect.Value(d.Use(t.Context(), "a", ""))(t)
	for _, file := range []string{"a.worklog.jsonl", "a.no_context", "ab.txt", "a.b.txt",
		"a-b.worklog.jsonl", "_no_session_context", "a.md"} {
		write(t, filepath.Join(d.Path(), file), "12345")
	}
	removed, err := d.Wipe(t.Context(), "a")
	if err != nil || len(removed) != 3 || removed[0].Path != d.SpecPath("a") ||
		removed[1].Bytes != 5 {
		t.Errorf("removed %+v, %v", removed, err)
	}
	var left []string
	entries, err := os.ReadDir(d.Path())
	for _, e := range entries {
		left = append(left, e.Name())
	}
	if want := []string{"_active_topic.txt", "_lock", "_no_session_context", "a-b.worklog.jsonl",
		"a.b.txt", "a.md", "ab.txt"}; err != nil || !slices.Equal(left, want) {
		t.Errorf("left are %v, %v, not %v", left, err, want)
	}
	for _, name := range []string{"a", "gone"} {
		if _, err := d.Wipe(t.Context(), name); !errors.Is(err, fault.NotFound) {
			t.Errorf("%s was wiped again: %v", name, err)
		}
	}
	if _, err := d.Wipe(t.Context(), "../x"); !errors.Is(err, fault.Invalid) {
		t.Errorf("wiped ../x: %v", err)
	}
}

// TestBusy: a writer that does not get its turn in time says so, and writes nothing.
// Lines of a worklog are another matter: TestRecordWithoutTurn.
func TestBusy(t *testing.T) {
	d := newDir(t, Options{})
	unlock := expect.Value(d.lock(t.Context()))(t)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := d.Note(ctx, "a", "x"); !errors.Is(err, fault.Busy) {
		t.Errorf("noted out of turn: %v", err)
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := d.Note(cancelled, "a", "x"); !errors.Is(err, context.Canceled) {
		t.Errorf("noted though interrupted: %v", err)
	}
	unlock()
	if _, err := os.Stat(d.SpecPath("a")); err == nil {
		t.Error("something was written")
	}
	record(t, d, "a", Entry{Tool: "x"})
}
