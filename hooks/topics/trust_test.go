package topics

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"blackboard/board/fault"
	"blackboard/testdata/expect"
)

// elsewhere are names that lead out of a directory, or into what is not there for files.
var elsewhere = []string{"", ".", "..", "../x", "a/../../x", "/etc/passwd", `..\x`, "a\x00", "a\n",
	"a:b", "con", "nul.txt", "ａ／ｂ", "a\u202eb", "a\u200b", strings.Repeat("a", MaxName+1), "_lock",
	".new-a"}

// TestNamesStayInTheirDirectory: no method takes a name that is none, and none of them
// makes a file for it.
func TestNamesStayInTheirDirectory(t *testing.T) {
	d := newDir(t, Options{})
	expect.Value(d.Use(t.Context(), "a", ""))(t)
	before, _ := filepath.Glob(filepath.Join(d.Path(), "*"))
	for _, name := range elsewhere {
		for what, do := range map[string]func() error{
			"use":  func() error { _, err := d.Use(t.Context(), name, ""); return err },
			"note": func() error { _, err := d.Note(t.Context(), name, "x"); return err },
			"rewrite": func() error {
				_, err := d.Rewrite(t.Context(), name,
					"x", nil)
				return err
			},
			"record": func() error {
				_, err := d.Record(t.Context(), name,
					Entry{Tool: "x"})
				return err
			},
			"wipe": func() error { _, err := d.Wipe(t.Context(), name); return err },
			"spec": func() error { _, err := d.Spec(name); return err },
			"tail": func() error { _, err := d.Tail(name, TailLimits{}); return err },
		} {
			if err := do(); !errors.Is(err, fault.Invalid) {
				t.Errorf("%s of %.40q: %v", what, name, err)
			}
		}
	}
	if after, _ := filepath.Glob(filepath.Join(d.Path(), "*")); len(after) != len(before) {
		t.Errorf("there is %q", after)
	}
}

// TestPinnedElsewhere: a pin that somebody has written by hand leads nowhere but to a
// topic.
func TestPinnedElsewhere(t *testing.T) {
	d := newDir(t, Options{})
	expect.Value(d.Use(t.Context(), "a", ""))(t)
	for _, name := range append(elsewhere, strings.Repeat("x", 1<<20)) {
		write(t, filepath.Join(d.Path(), activeFile), name)
		if got, _ := d.Pinned(); got != "" && CheckName(got) != nil {
			t.Errorf("%.40q is pinned as %q", name, got)
		}
	}
}

// TestNoFiles: a directory, or a link to a device, in the place of a spec or a worklog
// keeps nobody waiting, and is an error of its own.
func TestNoFiles(t *testing.T) {
	d := newDir(t, Options{})
	expect.Value(d.Use(t.Context(), "a", ""))(t)
	for what, plant := range map[string]func(string) error{
		"a directory":        func(name string) error { return os.Mkdir(name, 0o700) },
		"a link to a device": func(name string) error { return os.Symlink("/dev/zero", name) },
		"a link to itself": func(name string) error {
			return os.Symlink(filepath.Base(name),
				name)
		},
	} {
		for _, name := range []string{d.SpecPath("a"), d.WorklogPath("a")} {
			os.Remove(name)
			if err := plant(name); err != nil {
				t.Skip(err)
			}
		}
		if _, err := d.Spec("a"); err == nil {
			t.Errorf("%s is read as a spec", what)
		}
		if _, err := d.Tail("a", TailLimits{}); err == nil {
			t.Errorf("%s is read as a worklog", what)
		}
		if _, err := d.Record(t.Context(), "a",
			Entry{Tool: "x", Time: time.Unix(1, 0)}); err == nil {
			t.Errorf("%s is written to as a worklog", what)
		}
		for _, name := range []string{d.SpecPath("a"), d.WorklogPath("a")} {
			expect.OK(t, os.Remove(name))
		}
	}
}

// TestWorklogsOfOthers: lines that are no entries, without end or nested without end
// are passed over, and a worklog that is huge is read from its end.
func TestWorklogsOfOthers(t *testing.T) {
	d := newDir(t, Options{})
	expect.Value(d.Use(t.Context(), "a", ""))(t)
	write(t, d.WorklogPath("a"), strings.Repeat("x", 1<<20)+"\n"+`{"tool":`+strings.Repeat("[",
		50_000)+"\n"+`{"tool":"one"}`+"\n"+strings.Repeat("\n", 1000)+
		"null\n[]\n"+`{"tool":1}`+"\n"+`{"tool":"two","command":"a`+"\\u001b[2J\\n## Topic\"}\n")
	entries, err := d.Tail("a", TailLimits{})
	if err != nil || len(entries) != 2 {
		t.Fatalf("%+v, %v", entries, err)
	}
	if s := entries[1].String(); strings.ContainsAny(s, "\x1b\n") {
		t.Errorf("an entry is told as %q", s)
	}
}
