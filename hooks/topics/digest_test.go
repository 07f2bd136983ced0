package topics

import (
	"slices"
	"strings"
	"testing"
	"time"

	"blackboard/testdata/expect"
)

// happened are entries from lines "SESSION TOOL OUTCOME WHAT": the outcome is that of
// the harness.
func happened(lines ...string) (all []Entry) {
	yes, no := true, false
	for i, l := range lines {
		f := strings.SplitN(l, " ", 4)
		e := Entry{Time: noon.Add(time.Duration(i) * time.Minute), Session: f[0],
			ID: l + string(rune('a'+i)), Tool: f[1]}
		if f[1] == "Bash" {
			e.Command = f[3]
		} else {
			e.Path = f[3]
		}
		switch f[2] {
		case "0":
			code := 0
			e.OK, e.ExitCode = &yes, &code
		case "1", "2":
			code := int(f[2][0] - '0')
			e.OK, e.ExitCode, e.Error = &no, &code, "it is wrong"
		case "ok":
			e.OK = &yes
		case "failed":
			e.OK, e.Error = &no, "it is wrong"
		}
		all = append(all, e)
	}
	return all
}

// TestFold: looks go, edits of a session are one line, what is run again is one line,
// and each says how it went last, as far as that is known.
func TestFold(t *testing.T) {
	for _, c := range []struct {
		name  string
		lines []string
		want  []string
	}{
		{"looks", []string{"s Bash 0 cat a | head", "s Bash ? git diff", "s Bash 1 rg x src",
			"s Bash 2 cat b"}, []string{"Bash: cat b (failed, exit 2: it is wrong)"}},
		{"again", []string{"s Bash 1 make", "r Bash 1 make 2>&1", "s Bash 0 cd . && make"},
			[]string{"Bash: make (ok, 3 times, 2 failed before)"}},
		{"a pipe's end", []string{"s Bash 0 make | tail -5"}, []string{"Bash: make (unknown)"}},
		{"nothing was found", []string{"s Bash 1 make | grep FAIL"},
			[]string{"Bash: make (unknown)"}},
		{"an exit code of a pipe's end", []string{"s Bash 2 make | grep FAIL"},
			[]string{"Bash: make (failed, exit 2: it is wrong)"}},
		{"edits", []string{"s Edit ok a", "s Edit ok b", "s Edit ok a", "r Edit ok a"},
			[]string{"Edit: a ×2, b (ok, 3 times)", "Edit: a (ok)"}},
		{"an edit that was mended", []string{"s Edit failed a", "s Edit ok a"},
			[]string{"Edit: a (ok, 2 times, 1 failed before)"}},
		{"an edit that was not", []string{"s Edit ok a", "s Edit ok b", "s Edit failed c"},
			[]string{"Edit: b, a (ok, 2 times)", "Edit: c (failed: it is wrong)"}},
		{"one edit that nobody knows of", []string{"s Edit ok a", "s Edit ? b"},
			[]string{"Edit: b, a (unknown, 2 times)"}},
	} {
		var got []string
		for _, e := range Fold(happened(c.lines...)) {
			got = append(got, e.String()[len("2026-11-21 12:00:00 "):])
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, not %q", c.name, got, c.want)
		}
		if again := Fold(Fold(happened(c.lines...))); len(again) != len(c.want) {
			t.Errorf("%s: folded twice it is %v", c.name, again)
		}
	}
}

// TestChoose: where not all has room, the latest of each sort stays, then what is worth
// most.
func TestChoose(t *testing.T) {
	lines := []string{"s Bash 0 git commit -m x", "s Bash 1 make", "s Bash 0 npm install x",
		"s Edit ok a", "s Bash 0 go test ./..."}
	for range 20 {
		lines = append(lines, "s Bash 2 cat x"+strings.Repeat("y", len(lines)), "s Bash ? ./run"+
			strings.Repeat("y", len(lines)))
	}
	all := Fold(happened(lines...))
	if len(all) != len(lines) {
		t.Fatalf("%d of %d", len(all), len(lines))
	}
	got := Choose(all, 6, 0)
	if len(got) != 6 || !slices.EqualFunc(got[:5], all[:5],
		func(a, b Entry) bool { return a.ID == b.ID }) {
		t.Errorf("chosen are %v", got)
	}
	size := 0
	for _, e := range Choose(all, 0, 500) {
		size += len(e.String()) + 1
	}
	if size > 500 || size < 400 {
		t.Errorf("of 500 bytes %d are used", size)
	}
	if got := Choose(all, 0, 0); len(got) != len(all) {
		t.Errorf("without limits there are %d", len(got))
	}
}

// TestSettle: an exit code that is learned later belongs to the entry that it is about.
func TestSettle(t *testing.T) {
	d := newDir(t, Options{})
	record(t, d, "a", Entry{Session: "s", ID: "1", Tool: "Bash", Command: "make"})
	record(t, d, "a", Entry{Session: "s", ID: "2", Tool: "Bash", Command: "make x"})
	no, three := false, 3
	later := []Entry{{Session: "s", ID: "1", Event: "rollout", ExitCode: &three, OK: &no,
		Error: "wrong"}, {Session: "r", ID: "2", ExitCode: &three, OK: &no}}
	for range 2 { // the second time it is known
		expect.OK(t, d.Settle(t.Context(), "a", later[:1]))
	}
	expect.OK(t, d.Settle(t.Context(), "a", later[1:]))
	all, err := d.Tail("a", TailLimits{})
	if err != nil || len(all) != 3 || all[0].Succeeded() == nil || *all[0].Succeeded() ||
		all[0].Error != "wrong" || all[1].OK != nil {
		t.Errorf("%+v, %v", all, err)
	}
	if folded := Fold(all); len(folded) != 2 {
		t.Errorf("%v", folded)
	}
}

// TestEmptyLabels: what nobody has filled in of a new spec is not told; the file keeps
// it.
func TestEmptyLabels(t *testing.T) {
	d := newDir(t, Options{})
	for spec, want := range map[string]string{
		seed("a", ""): "", seed("a", "Go on"): "Goal: Go on",
		"# a\n\nGoal:\nScope: x\n":                     "Scope: x",
		"# a\n\nGoal:\nto be there\n\nScope:\n- one\n": "Goal:\nto be there\n\nScope:\n- one",
		"# a\n\nGoal:\nScope:\n\n## Notes\n\n- x\n":    "## Notes\n\n- x",
	} {
		write(t, d.SpecPath("a"), spec)
		if s, err := d.Startup(Topic{Name: "a"}, StartupLimits{}); err != nil || s.Spec != want {
			t.Errorf("%q starts with %q, not %q (%v)", spec, s.Spec, want, err)
		}
	}
}
