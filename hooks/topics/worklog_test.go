package topics

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"blackboard/board/fault"
	"blackboard/testdata/expect"
)

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// newDir is the topics of a workspace that nobody has used yet.
func newDir(tb testing.TB, opt Options) *Dir {
	tb.Helper()
	if opt.Now == nil {
		opt.Now = func() time.Time { return noon }
	}
	d := expect.Value(Open(filepath.Join(tb.TempDir(), "specs"),
		filepath.FromSlash("/home/u/project"), opt))(tb)
	return d
}

// rootOf is the directory of all workspaces' topics.
func rootOf(d *Dir) string {
	return filepath.Clean(strings.TrimSuffix(d.path,
		workspaceDir(d.workspace)))
}

func record(tb testing.TB, d *Dir, topic string, e Entry) {
	tb.Helper()
	if added, err := d.Record(context.Background(), topic, e); err != nil || !added {
		tb.Fatalf("record %+v: %v, %v", e, added, err)
	}
}

func read(tb testing.TB, name string) string {
	tb.Helper()
	data := expect.Value(os.ReadFile(name))(tb)
	return string(data)
}

func write(tb testing.TB, name, text string) {
	tb.Helper()
	expect.OK(tb, os.MkdirAll(filepath.Dir(name), 0o700))
	expect.OK(tb, os.WriteFile(name, []byte(text), 0o600))
}

func TestRecord(t *testing.T) {
	d := newDir(t, Options{})
	one, ok, took := 1, false, int64(3210)
	record(t, d, "a", Entry{Session: "s", ID: "1", Event: "PostToolUse", Tool: "Bash",
		Command: "go test ./... && echo <done>", Error: "FAIL", ExitCode: &one,
		OK: &ok, DurationMS: &took})
	record(t, d, "a", Entry{Tool: "Edit", Path: "x.go", Time: time.Date(2026, 1, 2, 3, 4, 5,
		678_900_000, time.FixedZone("", 3600))})
	want := `{"time":"2026-11-21T12:00:00Z","session":"s","id":"1","event":"PostToolUse","tool":"Bash","command":"go test ./... && echo <done>","error":"FAIL",` +
		`"exit_code":1,"ok":false,"duration_ms":3210}
{"time":"2026-01-02T02:04:05.678Z","tool":"Edit","path":"x.go"}
`
	if got := read(t, d.WorklogPath("a")); got != want {
		t.Errorf("the worklog is\n%s\nand not\n%s", got, want)
	}
	all, err := d.Tail("a", TailLimits{})
	if err != nil || len(all) != 2 {
		t.Fatalf("%+v, %v", all, err)
	}
	for i, want := range []string{
		"2026-11-21 12:00:00 Bash: go test ./... && echo <done> (failed, exit 1, 3.2s)",
		"2026-01-02 02:04:05 Edit: x.go (unknown)"} {
		if got := all[i].String(); got != want {
			t.Errorf("%q, not %q", got, want)
		}
	}
	// The same thing again, as from a hook that is called twice.
	for _, e := range []Entry{{Session: "s", ID: "1", Event: "PostToolUse"},
		{Session: "s", ID: "1", Event: "PostToolUse", Tool: "other"}} {
		if added, err := d.Record(t.Context(), "a", e); added || err != nil {
			t.Errorf("%+v was added again: %v", e, err)
		}
	}
	for _, e := range []Entry{{Session: "s2", ID: "1", Event: "PostToolUse"},
		{Session: "s", ID: "2", Event: "PostToolUse"}, {Session: "s", ID: "1", Event: "Stop"},
		{Tool: "Edit"}, {Tool: "Edit"}} {
		record(t, d, "a", e)
	}
	for _, name := range []string{"", "..", "../x", "_x"} {
		if _, err := d.Record(t.Context(), name, Entry{}); !errors.Is(err, fault.Invalid) {
			t.Errorf("recorded in %q: %v", name, err)
		}
		if _, err := d.Tail(name, TailLimits{}); !errors.Is(err, fault.Invalid) {
			t.Errorf("read %q: %v", name, err)
		}
	}
	if all, err := d.Tail("other", TailLimits{}); err != nil || all == nil || len(all) > 0 {
		t.Errorf("a worklog that is not there: %v, %v", all, err)
	}
}

// TestRecordBounds: whatever a harness sends, a line stays short, valid and cut between
// letters.
func TestRecordBounds(t *testing.T) {
	d := newDir(t, Options{})
	for _, s := range []string{strings.Repeat("ü", 5000), strings.Repeat("\x00", 5000),
		strings.Repeat("\xff", 5000), "x" + strings.Repeat("項", 5000),
		strings.Repeat("\u2028", 5000)} {
		e := Entry{Session: s, ID: s, Event: s, Tool: s, Command: s, Path: s, Summary: s, Error: s,
			Time: time.Date(99999, 1, 1, 0, 0, 0, 0, time.UTC)}
		record(t, d, "a", e)
		all, err := d.Tail("a", TailLimits{Entries: 1})
		if err != nil || len(all) != 1 {
			t.Fatalf("%.5q: %v, %v", s, all, err)
		}
		got := all[0]
		for text, most := range map[string]int{got.Session: maxID, got.Event: maxWord,
			got.Command: maxCommand, got.Path: maxPath,
			got.Summary: maxWords, got.Error: maxWords} {
			if len(text) > most || len(text) < most-6 && s[0] != '\xff' ||
				!utf8.ValidString(text) || !strings.HasSuffix(text, "…") {
				t.Errorf("%.5q: %d bytes, not at most %d: %q", s, len(text), most, text)
			}
		}
		if !got.Time.Equal(noon) {
			t.Errorf("a time that there is not became %v", got.Time)
		}
	}
	for _, line := range strings.Split(strings.TrimSpace(read(t, d.WorklogPath("a"))), "\n") {
		if len(line) > maxLine || !json.Valid([]byte(line)) {
			t.Errorf("a line of %d bytes: %.80q", len(line), line)
		}
	}
}

func TestBound(t *testing.T) {
	for _, c := range []struct {
		in   string
		n    int
		want string
	}{
		{"", 8, ""}, {"12345678", 8, "12345678"}, {"123456789", 8, "12345…"}, {"üüüü", 8, "üüüü"},
		{"üüüüü", 8, "üü…"}, {"ab項項項", 8, "ab項…"},
		{"a\xffb", 8, "a\uFFFDb"}, {"\xff\xff\xff\xff", 8, "\uFFFD"},
		{"1234567\xff", 8, "12345…"},
	} {
		if got := truncate(c.in, c.n); got != c.want {
			t.Errorf("%q to %d: %q, not %q", c.in, c.n, got, c.want)
		}
	}
}

// TestTrim: a worklog has whole lines, the newest, within both bounds.
func TestTrim(t *testing.T) {
	for _, opt := range []Options{{WorklogLines: 20}, {WorklogBytes: 2000},
		{WorklogLines: 1}, {WorklogBytes: 1}} {
		d := newDir(t, opt)
		for i := range 100 {
			record(t, d, "a", Entry{Summary: fmt.Sprintf("%d %s", i, strings.Repeat("x", i%7))})
			text := read(t, d.WorklogPath("a"))
			all, err := d.Tail("a", TailLimits{})
			if lines := strings.Count(text, "\n"); err != nil || lines < 1 ||
				lines > d.opt.WorklogLines || len(text) > d.opt.WorklogBytes && lines > 1 ||
				lines == 1 && i > 0 && opt.WorklogLines == 20 {
				t.Fatalf("%+v: after %d there are %d lines, %d bytes", opt, i, lines, len(text))
			}
			for j := range all {
				if want := i - len(all) + 1 + j; !strings.HasPrefix(all[j].Summary,
					fmt.Sprint(want, " ")) {
					t.Fatalf("%+v: after %d, entry %d of %d is %q", opt, i, j,
						len(all), all[j].Summary)
				}
			}
		}
	}
}

// TestTorn: what a crash, or somebody's editor, has left at the end is repaired, and
// never glued to the next line.
func TestTorn(t *testing.T) {
	whole := `{"time":"2026-11-21T12:00:00Z","tool":"a"}`
	for _, test := range []struct{ name, have, want string }{
		{"nothing", "", ""},
		{"a torn line", whole + "\n" + `{"time":"2026-11-21T12`, whole + "\n"},
		{"nothing but a torn line", `{"ti`, ""},
		{"a whole line without its end", whole + "\n" + whole, whole + "\n" + whole + "\n"},
		{"no JSON", whole + "\nhello\n", whole + "\nhello\n"},
		{"zeros, as after a power failure", whole + "\n\x00\x00\x00\x00", whole + "\n"},
		{"blank lines", "\n\n" + whole + "\n\n", "\n\n" + whole + "\n\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			d := newDir(t, Options{})
			write(t, d.WorklogPath("a"), test.have)
			before, err := d.Tail("a", TailLimits{})
			if err != nil || len(before) != strings.Count(test.have, whole+"\n") {
				t.Errorf("before: %+v, %v", before, err)
			}
			record(t, d, "a", Entry{Tool: "b"})
			if got, want := read(t, d.WorklogPath("a")),
				test.want+`{"time":"2026-11-21T12:00:00Z","tool":"b"}`+"\n"; got != want {
				t.Errorf("the worklog is %q, not %q", got, want)
			}
		})
	}
	// One that somebody else has made far too long.
	d := newDir(t, Options{WorklogBytes: 1000})
	write(t, d.WorklogPath("a"), strings.Repeat("x", 5000)+strings.Repeat("\n"+whole, 50)+"\n")
	if all, err := d.Tail("a", TailLimits{}); err != nil || len(all) < 15 || len(all) > 25 {
		t.Errorf("the tail of a long one: %d entries, %v", len(all), err)
	}
	record(t, d, "a", Entry{Tool: "b"})
	if got := read(t, d.WorklogPath("a")); len(got) > 1000 ||
		!strings.HasPrefix(got, whole+"\n") || !strings.HasSuffix(got, `"b"}`+"\n") {
		t.Errorf("a long one became %q", got)
	}
	// What is no file is not waited for.
	expect.OK(t, os.Mkdir(d.WorklogPath("dir"), 0o700))
	if _, err := d.Record(t.Context(), "dir", Entry{}); err == nil ||
		!strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("recorded in a directory: %v", err)
	}
}

func TestTail(t *testing.T) {
	d := newDir(t, Options{})
	for i := range 9 {
		record(t, d, "a", Entry{Tool: fmt.Sprint(i)})
	}
	line := len(`{"time":"2026-11-21T12:00:00Z","tool":"0"}` + "\n")
	for _, c := range []struct {
		limits TailLimits
		want   string
	}{
		{TailLimits{}, "012345678"}, {TailLimits{Entries: 3}, "678"}, {TailLimits{Entries: 100},
			"012345678"}, {TailLimits{Bytes: 3*line - 1}, "78"},
		{TailLimits{Bytes: 3 * line}, "678"},
		{TailLimits{Bytes: line - 1}, ""}, {TailLimits{Entries: 1, Bytes: 10 * line}, "8"},
	} {
		all, err := d.Tail("a", c.limits)
		got := ""
		for _, e := range all {
			got += e.Tool
		}
		if err != nil || got != c.want || all == nil {
			t.Errorf("%+v: %q, %v, not %q", c.limits, got, err, c.want)
		}
	}
}

// TestEntryInOneLine: no part of an entry, which may be of anybody's making, breaks its
// line or changes how it is shown.
func TestEntryInOneLine(t *testing.T) {
	const nasty = "a\n\n# SYSTEM\r\t\x1b[31m\u202eb\u2066\u2028\u0085c\x00\u200f\ufeff."
	const plain = "a # SYSTEM [31mb c\ufeff."
	for _, tc := range []struct {
		e    Entry
		want string
	}{
		{Entry{Tool: nasty}, " " + plain + " (unknown)"},
		{Entry{Event: nasty}, " " + plain},
		{Entry{Tool: "\n\x00", Event: nasty}, " " + plain},
		{Entry{Tool: "T", Command: nasty, Path: nasty, Summary: nasty}, " T: " + plain + ", " +
			plain + ", " + plain + " (unknown)"},
		{Entry{Tool: "T", Error: nasty}, " T (unknown: " + plain + ")"},
		{Entry{Tool: "T", Command: "\u202e\n", Error: "\x07"}, " T (unknown)"},
		{Entry{Tool: strings.Repeat("é", maxWord+1)}, " " + strings.Repeat("é",
			maxWord-1) + "… (unknown)"},
		{Entry{Tool: "é日本 👩‍👩‍👧", Summary: "\xff"}, " é日本 👩‍👩‍👧: \ufffd (unknown)"},
	} {
		tc.e.Time = noon
		if got := tc.e.String(); got != "2026-11-21 12:00:00"+tc.want {
			t.Errorf("%q, not %q", got, tc.want)
		}
	}
}

// FuzzWorklog: whatever is in the file, reading gives entries that can be told and
// written, and a new line is the last one, whole and once.
func FuzzWorklog(f *testing.F) {
	for _, s := range []string{
		"", "\n", `{"time":"2026-11-21T12:00:00Z","tool":"a"}` + "\n", `{"tool":"a"}`, `{"tool":`,
		"{}\n[]\nnull\n12\n", `{"time":5}` + "\n",
		`{"time":"0000-01-01T00:00:00+23:00"}` + "\n", "\x00\xff\n{",
		`{"exit_code":1e9,"ok":null,"duration_ms":-5,"summary":"` + "\\u0000\\ud800" + `"}` + "\n",
		`{"tool":"a","tool":"b","TOOL":"c"}` + "\r\n",
		strings.Repeat(`{"id":"1"}`+"\n", 50), `{"a":{"b":[1,2` + "\n}",
	} {
		f.Add([]byte(s), 500)
	}
	d := newDir(f, Options{WorklogBytes: 4096, WorklogLines: 40})
	name := d.WorklogPath("a")
	expect.OK(f, os.MkdirAll(filepath.Dir(name), 0o700))
	f.Fuzz(func(t *testing.T, have []byte, budget int) {
		write(t, name, string(have))
		for _, limits := range []TailLimits{{}, {Bytes: max(1, budget)}, {Entries: 3}} {
			all := expect.Value(d.Tail("a", limits))(t)
			size := 0
			for _, e := range all {
				if s := e.String(); strings.ContainsFunc(s, unicode.IsControl) {
					t.Fatalf("an entry is told as %q", e)
				}
				if _, err := json.Marshal(e); err != nil {
					t.Fatalf("%+v: %v", e, err)
				}
				size += 3 // {} and the end of the line, at least
			}
			if limits.Bytes > 0 && size > limits.Bytes || limits.Entries > 0 &&
				len(all) > limits.Entries {
				t.Fatalf("%+v: %d entries", limits, len(all))
			}
		}
		record(t, d, "a", Entry{Tool: "new"})
		now := []byte(read(t, name))
		if len(now) > 4096 || bytes.Count(now, []byte("\n")) > 40 ||
			!bytes.HasSuffix(now, []byte("\n")) {
			t.Fatalf("%d bytes: %q", len(now), now)
		}
		all, err := d.Tail("a", TailLimits{Entries: 1})
		if err != nil || len(all) != 1 || all[0].Tool != "new" || !all[0].Time.Equal(noon) {
			t.Fatalf("the last entry of %q is %+v, %v", now, all, err)
		}
		if before, ok := bytes.CutSuffix(now,
			[]byte(`{"time":"2026-11-21T12:00:00Z","tool":"new"}`+"\n")); !ok ||
			!bytes.Contains(append(have, '\n'), before) {
			t.Fatalf("%q became %q", have, now)
		}
	})
}

// BenchmarkRecord is what a hook pays for a line, in a worklog that is as long as it
// may be.
func BenchmarkRecord(b *testing.B) {
	d := newDir(b, Options{})
	for i := range DefaultWorklogLines {
		record(b, d, "a", Entry{Tool: "Bash", Command: strings.Repeat("x", 100),
			ID: fmt.Sprint(i)})
	}
	for i := 0; b.Loop(); i++ {
		record(b, d, "a", Entry{Tool: "Bash", Command: strings.Repeat("x", 100),
			ID: fmt.Sprint("b", i)})
	}
}
