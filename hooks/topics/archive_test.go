package topics

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"blackboard/board/fault"
	"blackboard/testdata/expect"
)

// archiveOf is a root with two workspaces, and a place for its archive.
func archiveOf(t *testing.T) (d, other *Dir, into string) {
	t.Helper()
	d = newDir(t, Options{})
	other = expect.Value(Open(rootOf(d), filepath.FromSlash("/srv/mein Büro"), Options{}))(t)
	expect.Value(d.Use(t.Context(), "pinned", ""))(t)
	record(t, d, "pinned", Entry{Tool: "x"})
	record(t, other, "session-1", Entry{Tool: "y"})
	write(t, other.SpecPath("old"), "old\n")
	write(t, filepath.Join(other.Path(), "old.no_context"), "")
	write(t, filepath.Join(other.Path(), "mute.no_context"), "")
	write(t, filepath.Join(other.Path(), "remarks.md"), "by hand")
	write(t, filepath.Join(other.Path(), unfinished+"x.txt"), "half")
	return d, other, ArchiveDir(filepath.Join(filepath.Dir(rootOf(d)), "home"))
}

// age sets the time of each file of a topic.
func age(t *testing.T, d *Dir, topic string, at time.Time) {
	t.Helper()
	for _, ext := range []string{specExt, worklogExt, noContextExt} {
		if err := os.Chtimes(filepath.Join(d.Path(), topic+ext), at, at); err != nil &&
			!errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
	}
}

func archive(t *testing.T, d *Dir, into string, opt ArchiveOptions) ArchiveResult {
	t.Helper()
	r, err := Archive(t.Context(), rootOf(d), into, opt)
	if err != nil || len(r.Problems) > 0 {
		t.Fatalf("%+v, %v", r, err)
	}
	return r
}

// files are the files below a directory, with their content.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	expect.OK(t, filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		rel, err := filepath.Rel(dir, name)
		all[filepath.ToSlash(rel)] = read(t, name)
		return err
	}))
	return all
}

func TestArchive(t *testing.T) {
	d, other, into := archiveOf(t)
	today := ArchiveOptions{Now: noon}
	if r := archive(t, d, into, ArchiveOptions{Now: noon, DryRun: true}); r.Copied != 8 {
		t.Errorf("a dry run: %+v", r)
	}
	if _, err := os.Stat(into); err == nil {
		t.Fatal("a dry run has made files")
	}
	before := files(t, rootOf(d))
	r := archive(t, d, into, today)
	if r.Files != 8 || r.Copied != 8 || len(r.Moved) != 0 || r.CopiedBytes == 0 {
		t.Errorf("%+v", r)
	}
	// All of it is there, as it was, and nothing that is not finished.
	copied := files(t, filepath.Join(into, "2026-11-21"))
	for name, text := range before {
		_, ok := copied[name]
		if want := filepath.Base(name) != lockFile && !strings.HasPrefix(filepath.Base(name),
			unfinished); ok != want || want && copied[name] != text {
			t.Errorf("%s: %v, %q", name, ok, copied[name])
		}
	}
	if len(copied) != 8 {
		t.Errorf("there are %d copies", len(copied))
	}
	if beside, err := os.ReadDir(into); err != nil || len(beside) != 2 { // the day, and the lock
		t.Errorf("the archive holds %v, %v", beside, err)
	}
	from, err := os.Stat(other.SpecPath("old"))
	to, err2 := os.Stat(filepath.Join(into, "2026-11-21", "srv", "mein Büro", "old.txt"))
	if err != nil || err2 != nil || !from.ModTime().Equal(to.ModTime()) {
		t.Errorf("the copy is of %v, not of %v", to.ModTime(), from.ModTime())
	}
	// Again: nothing to do. A new time alone is no change, another text of the same
	// size is.
	if r := archive(t, d, into, today); r.Copied != 0 || r.Files != 8 {
		t.Errorf("again: %+v", r)
	}
	age(t, other, "old", noon)
	if r := archive(t, d, into, ArchiveOptions{Now: noon.Add(24 * time.Hour)}); r.Copied != 0 {
		t.Errorf("with new times: %+v", r)
	}
	for _, text := range []string{"OLD\n", "Old\n"} {
		write(t, other.SpecPath("old"), text)
		if r := archive(t, d, into, today); r.Copied != 1 {
			t.Errorf("changed to %q: %+v", text, r)
		}
	}
	for name, want := range map[string]string{"2026-11-21": "old\n", "2026-11-21.2": "OLD\n",
		"2026-11-21.3": "Old\n"} {
		if got := read(t, filepath.Join(into, name, "srv", "mein Büro", "old.txt")); got != want {
			t.Errorf("%s has %q, not %q", name, got, want)
		}
	}
	if r := archive(t, d, into, ArchiveOptions{Now: noon.Add(48 * time.Hour)}); r.Copied != 0 {
		t.Errorf("the latest copy was not found: %+v", r)
	}
	all, err := Archived(t.Context(), into, other.Workspace())
	var got []string
	for _, f := range all {
		got = append(got, f.Snapshot+" "+f.Topic+" "+filepath.Base(f.Path))
	}
	slices.Sort(got)
	want := []string{
		"2026-11-21 mute mute.no_context", "2026-11-21 old old.no_context",
		"2026-11-21 old old.txt", "2026-11-21 session-1 session-1.worklog.jsonl",
		"2026-11-21.2 old old.txt", "2026-11-21.3 old old.txt",
	}
	if err != nil || !slices.Equal(got, want) || all[0].Snapshot != "2026-11-21.3" {
		t.Errorf("archived are %v, %v, not %v", got, err, want)
	}
	if all, err := Archived(t.Context(), into, ""); err != nil || len(all) != len(want)+2 {
		t.Errorf("archived everywhere: %d, %v", len(all), err)
	}
	if all, err := Archived(t.Context(), filepath.Join(into, "gone"), ""); err != nil ||
		all == nil || len(all) > 0 {
		t.Errorf("archived nowhere: %v, %v", all, err)
	}
}

// TestArchiveMoves: what is old is taken away, once it is in the archive, but for what
// is pinned, and a sentinel alone.
func TestArchiveMoves(t *testing.T) {
	d, other, into := archiveOf(t)
	now := time.Now()
	for _, name := range []string{"old", "mute"} {
		age(t, other, name, now.Add(-31*24*time.Hour))
	}
	age(t, d, "pinned", now.Add(-90*24*time.Hour))
	opt := ArchiveOptions{Now: now, OlderThan: 30 * 24 * time.Hour, DryRun: true}
	moved := func(r ArchiveResult) string {
		var names []string
		for _, m := range r.Moved {
			names = append(names, m.Workspace+" "+m.Topic)
		}
		return fmt.Sprint(names)
	}
	before := files(t, rootOf(d))
	if r := archive(t, d, into, opt); moved(r) != "[/srv/mein Büro old]" {
		t.Errorf("a dry run: %s", moved(r))
	}
	if after := files(t, rootOf(d)); len(after) != len(before) {
		t.Error("a dry run has taken something away")
	}
	opt.DryRun = false
	if r := archive(t, d, into, opt); moved(r) != "[/srv/mein Büro old]" {
		t.Errorf("moved are %s", moved(r))
	}
	after := files(t, rootOf(d))
	for name := range before {
		_, ok := after[name]
		if want := !strings.HasPrefix(filepath.Base(name), "old."); ok != want {
			t.Errorf("%s is left: %v", name, ok)
		}
	}
	day := filepath.Join(into, now.UTC().Format(time.DateOnly))
	if got := read(t, filepath.Join(day, "srv", "mein Büro", "old.txt")); got != "old\n" {
		t.Errorf("the archive has %q", got)
	}
	if r := archive(t, d, into, opt); len(r.Moved)+r.Copied != 0 {
		t.Errorf("again: %+v", r)
	}
	// Brought back as the help says, it is a topic again, and no news.
	write(t, other.SpecPath("old"), "old\n")
	if r := archive(t, d, into, opt); len(r.Moved)+r.Copied != 0 {
		t.Errorf("brought back: %+v", r)
	}
}

// TestArchiveResumes: a run that was interrupted has whole copies, and the next one
// makes the others.
func TestArchiveResumes(t *testing.T) {
	d, other, into := archiveOf(t)
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Archive(cancelled, rootOf(d), into, ArchiveOptions{Now: noon}); !errors.Is(err,
		context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
	// Half of a run: one copy is there, one was being written, one has no time yet.
	day := filepath.Join(into, "2026-11-21")
	write(t, filepath.Join(day, "srv", "mein Büro", "old.txt"), "old\n")
	write(t, filepath.Join(day, "srv", "mein Büro", unfinished+"session-1.worklog.jsonl"),
		`{"time"`)
	r := archive(t, d, into, ArchiveOptions{Now: noon})
	if r.Copied != 7 {
		t.Errorf("%+v", r)
	}
	copied := files(t, day)
	if len(copied) != 8 || copied["srv/mein Büro/session-1.worklog.jsonl"] != read(t,
		other.WorklogPath("session-1")) {
		t.Errorf("the archive has %q", copied)
	}
}

// TestArchiveProblems: one file that cannot be read does not keep the others.
func TestArchiveProblems(t *testing.T) {
	d, other, into := archiveOf(t)
	if err := os.Symlink(filepath.Join(rootOf(d), "gone"), other.SpecPath("broken")); err != nil {
		t.Skip(err)
	}
	if err := os.Symlink(rootOf(d), other.SpecPath("directory")); err != nil {
		t.Skip(err)
	}
	r, err := Archive(t.Context(), rootOf(d), into, ArchiveOptions{Now: noon})
	if err != nil || r.Copied != 8 || len(r.Problems) != 1 || !strings.Contains(r.Problems[0],
		other.SpecPath("directory")) {
		t.Errorf("%+v, %v", r, err)
	}
	// What could not be copied is not taken away.
	blocked := filepath.Join(t.TempDir(), "archive")
	write(t, filepath.Join(blocked, "2026-11-21", "srv"), "no directory")
	age(t, other, "old", noon.Add(-48*time.Hour))
	r, err = Archive(t.Context(), rootOf(d), blocked, ArchiveOptions{Now: noon,
		OlderThan: 24 * time.Hour})
	if err != nil || r.Copied == 0 || len(r.Moved) != 0 || len(r.Problems) < 5 ||
		read(t, other.SpecPath("old")) != "old\n" {
		t.Errorf("with a place that cannot be written to: %+v, %v", r, err)
	}
	for _, place := range []string{rootOf(d), filepath.Join(rootOf(d), "archive"),
		filepath.Dir(rootOf(d))} {
		if _, err := Archive(t.Context(), rootOf(d), place,
			ArchiveOptions{Now: noon}); !errors.Is(err, fault.Invalid) {
			t.Errorf("archived into %s: %v", place, err)
		}
	}
	if r, err := Archive(t.Context(), filepath.Join(rootOf(d), "gone"), filepath.Join(t.TempDir(),
		"a"), ArchiveOptions{Now: noon}); err != nil || r.Files != 0 ||
		r.Moved == nil || r.Problems == nil {
		t.Errorf("nothing to archive: %+v, %v", r, err)
	}
	unlock := expect.Value(lock(t.Context(), into))(t)
	defer unlock()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := Archive(ctx, rootOf(d), into, ArchiveOptions{Now: noon}); !errors.Is(err,
		fault.Busy) {
		t.Errorf("two runs at once: %v", err)
	}
}
