package learn

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"blackboard/kb"
)

func harvest(tb testing.TB, lines ...string) HarvestSet {
	tb.Helper()
	set, err := Harvest(strings.NewReader(strings.Join(lines, "\n")))
	if err != nil {
		tb.Fatal(err)
	}
	return set
}

// ran is an entry of a command, in our own form.
func ran(command string, exit int, output string) string {
	b, _ := json.Marshal(map[string]any{"tool": "shell", "command": command, "exit_code": exit,
		"output": output, "cwd": "/w"})
	return string(b)
}

func edited(file string) string {
	return fmt.Sprintf(
		`{"tool":"edit","file":%q,"cwd":"/w"}`, file)
}

// TestHarvestFix: a failure and what was different when it passed.
func TestHarvestFix(t *testing.T) {
	const boom = "=== RUN TestA\nkb/a.go:7:2: undefined: foo\nFAIL"
	filler := func(n int) (out []string) {
		for i := range n {
			out = append(out, ran(fmt.Sprintf("cat %d.txt", i), 0, "x"))
		}
		return out
	}
	for _, c := range []struct {
		name  string
		lines []string
		body  []string // what the body says; nil: no candidate
	}{
		{"an edit", []string{ran("go test ./kb", 1, boom), edited("/w/kb/a.go"),
			ran("go test ./kb", 0, "ok")},
			[]string{"`go test ./kb` failed: kb/a.go:7:2: undefined: foo", "edited: kb/a.go"}},
		{"another form", []string{ran("go test -race ./kb", 1, boom),
			ran("CGO_ENABLED=1 go test -race ./kb", 0, "ok")},
			[]string{"changed to `CGO_ENABLED=1 go test -race ./kb`"}},
		{"another directory prefix is no other form", []string{ran("go test ./kb", 1, boom),
			ran("cd /w && go test ./kb", 0, "ok")}, nil},
		{"another version of the program",
			[]string{ran("python foo.py", 1, "ModuleNotFoundError: no"), ran("python3.11 foo.py",
				0, "ok")}, []string{"python3.11 foo.py"}},
		{"something installed", []string{ran("npm test", 1, "Error: Cannot find module 'x'"),
			ran("npm install x", 0, ""), ran("npm test", 0, "ok")},
			[]string{"`npm install x` was run"}},
		{"a directory made", []string{ran("make dist", 2, "cannot open out/x"),
			ran("mkdir -p out", 0, ""), ran("make dist", 0, "ok")},
			[]string{"`mkdir -p out` was run"}},
		{"failed twice", []string{ran("make", 2, boom), edited("a"), ran("make", 2, boom),
			edited("b"), ran("make", 0, "")}, []string{"failed 2 times", "edited: b"}},
		{"by itself", []string{ran("make", 2, boom), ran("make", 0, "")}, nil},
		{"another target", []string{ran("make a", 2, boom), edited("x"),
			ran("make b", 0, "")}, nil},
		{"in another place",
			[]string{`{"command":"make","exit_code":1,"cwd":"/a","error":"boom it is"}`,
				edited("x"), `{"command":"make","exit_code":0,"cwd":"/b"}`}, nil},
		{"trivial", []string{ran("ls x", 2, "ls: no such file"), edited("x"),
			ran("ls x", 0, "")}, nil},
		{"too long ago", slices.Concat([]string{ran("make", 2, boom), edited("a")}, filler(30),
			[]string{ran("make", 0, "")}), nil},
		{"just in time", slices.Concat([]string{ran("make", 2, boom), edited("a")}, filler(28),
			[]string{ran("make", 0, "")}), []string{"edited: a"}},
		{"a file read", []string{ran("make", 2, boom), `{"tool":"Read","file":"a"}`,
			ran("make", 0, "")}, nil},
		{"numbers and temporary paths", []string{ran("tool /tmp/x1/in.txt 7", 2, boom),
			edited("a"), ran("tool /tmp/y2/in.txt 8", 0, "")}, []string{"edited: a"}},
		{"Claude Code", []string{
			`{"hook_event_name":"PostToolUseFailure","tool_name":"Bash","tool_input":{"command":"go vet ./..."},"error":"Exit code 1\n# example.com/proj\n./main.go:7:2: declared and not used: x","cwd":"/w"}`,
			`{"hook_event_name":"PostToolUse","tool_name":"Edit","tool_input":{"file_path":"/w/main.go"},"tool_response":{"filePath":"/w/main.go"},"cwd":"/w"}`,
			`{"hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":{"command":"go vet ./..."},"tool_response":{"stdout":"","stderr":""},"cwd":"/w"}`,
		}, []string{"./main.go:7:2: declared and not used: x", "edited: main.go"}},
		{"Cursor", []string{
			`{"tool_name":"Shell","tool_input":{"command":"make x"},"error_message":"command failed","hook_event_name":"postToolUseFailure"}`, `{"hook_event_name":"afterFileEdit","file_path":"/w/m.go"}`,
			`{"tool_name":"Shell","tool_input":{"command":"make x"},"tool_output":"{\"output\":\"done\",\"exitCode\":0}","hook_event_name":"postToolUse"}`,
		}, []string{"edited: /w/m.go"}},
		{"Gemini and Codex", []string{
			`{"hook_event_name":"AfterTool","tool_name":"run_shell_command","tool_input":{"command":"make x"},"tool_response":{"llmContent":"<untrusted_context>\nOutput: fatal: no\nExit Code: 3\n</untrusted_context>"}}`,
			`{"hook_event_name":"PostToolUse","tool_name":"apply_patch","tool_input":{"command":"*** Begin Patch\n*** Update File: p.go\n+x\n*** End Patch"},"tool_response":"Success"}`,
			`{"hook_event_name":"AfterTool","tool_input":{"command":"make x"},"tool_response":{"llmContent":"Output: done"}}`,
		}, []string{"failed: Output: fatal: no", "edited: p.go"}},
		{"Codex does not tell the outcome", []string{ran("make x", 1, "error: it broke"),
			edited("a"),
			`{"hook_event_name":"PostToolUse","tool_input":{"command":"make x"},"tool_response":"what it printed","cwd":"/w"}`}, nil},
		{"other names", []string{`{"cmd":["bash","-lc","make x"],"status":"failed","stderr":"fatal: no"}`, `{"filePath":"q.c"}`, `{"cmd":["bash","-lc","make x"],"ok":true}`}, []string{"fatal: no", "edited: q.c"}},
	} {
		set := harvest(t, c.lines...)
		if (len(set.Candidates) == 1) != (c.body != nil) || len(set.Candidates) > 1 {
			t.Errorf("%s: %+v", c.name, set)
			continue
		}
		for _, words := range c.body {
			got := set.Candidates[0]
			if got.Capsule.Kind != "gotcha" || !strings.Contains(got.Capsule.Body, words) ||
				got.Why == "" || len(got.Evidence) < 2 ||
				!strings.HasPrefix(got.Evidence[0], "line 1: failed: ") {
				t.Errorf("%s: no %q in %+v", c.name, words, got)
			}
		}
	}
}

// TestHarvestRecurring: errors that come again, and commands that are run again.
func TestHarvestRecurring(t *testing.T) {
	var lines []string
	for i := range 4 {
		lines = append(lines, ran(fmt.Sprintf("deploy --id %d", i), 1,
			fmt.Sprintf("starting\nERROR: lock /tmp/l%d is held by 0f3a9c%d77\nbye", i, i)),
			ran("cat x", 1, "FAIL"), "no json at all", "")
	}
	set := harvest(t, lines...)
	if len(set.Candidates) != 1 || set.NotJSON != 4 || set.Failures != 8 ||
		set.Entries != 8 || set.Lines != 15 {
		t.Fatalf("%+v", set)
	}
	c := set.Candidates[0]
	if c.Capsule.Kind != "gotcha" ||
		c.Capsule.Title != "Recurring error: ERROR: lock /tmp/l0 is held by 0f3a9c077" ||
		c.Why != "the same error came 4 times" || len(c.Evidence) != 4 ||
		c.Capsule.Source != "worklog, lines 1 to 13" ||
		!slices.Equal(c.Capsule.Tags, []string{"harvested", "deploy"}) {
		t.Errorf("%+v", c)
	}

	lines = nil
	for range 5 {
		lines = append(lines,
			`{"tool_name":"Bash","tool_input":{"command":"cd /w && make check 2>&1 | tail -5","description":"Run all checks"},"exit_code":0,"cwd":"/w"}`,
			ran("git status", 0, ""), ran("grep -rn x .", 0, ""), ran("ls && pwd", 0, ""),
			ran("make unknown", 0, "")[:20]+"}", `{"command":"make untold"}`)
	}
	set = harvest(t, lines...)
	if len(set.Candidates) != 1 || set.NotJSON != 5 {
		t.Fatalf("%+v", set)
	}
	if c := set.Candidates[0].Capsule; c.Kind != "recipe" ||
		c.Title != "Run all checks: `make check 2>&1 | tail -5`" ||
		!strings.Contains(c.Body, "5 times, in /w") {
		t.Errorf("%+v", c)
	}
}

// TestHarvestOrder: the strongest first, never more than MaxCandidates, and always the
// same.
func TestHarvestOrder(t *testing.T) {
	var lines []string
	for i := range 30 {
		name := string(rune('a'+i%26)) + string(rune('a'+i/26))
		for range 4 {
			lines = append(lines, ran("make "+name, 0, ""))
		}
	}
	lines = append(lines, ran("go test ./q", 1, "error: it broke"), edited("q.go"),
		ran("go test ./q", 0, ""))
	first := harvest(t, lines...)
	if len(first.Candidates) != MaxCandidates || first.Left != 11 ||
		first.Candidates[0].Capsule.Kind != "gotcha" ||
		first.Candidates[1].Capsule.Title != "Command in use: `make aa`" {
		t.Errorf("%d, %d left, %+v", len(first.Candidates), first.Left, first.Candidates[:2])
	}
	for range 5 {
		again := harvest(t, lines...)
		for i := range again.Candidates {
			if again.Candidates[i].Capsule.Title != first.Candidates[i].Capsule.Title {
				t.Fatal("change the order")
			}
		}
	}
	set := harvest(t, "{}", `{"command":7}`, `[]`, `null`, strings.Repeat("x", maxLearnLine+5),
		`{"command":""}`)
	if set.Entries != 3 || set.NotJSON != 2 || len(set.Refused) != 1 ||
		set.Refused[0].From != "line 5" || set.Candidates == nil {
		t.Errorf("%+v", set)
	}
	if _, err := Harvest(failing{strings.NewReader("{}")}); err == nil ||
		!strings.Contains(err.Error(), "worklog") {
		t.Error(err)
	}
}

// shell gives the words that a POSIX shell makes of a line, by way of a board that
// prints them.
func shell(tb testing.TB, line string) []string {
	tb.Helper()
	sh, err := exec.LookPath("sh")
	if err != nil {
		tb.Skip("no sh")
	}
	cmd := exec.Command(sh, "-s")
	cmd.Stdin = strings.NewReader("board() { for a; do printf '%s\\0' \"$a\"; done; }\n" +
		line + "\n")
	cmd.Env = []string{"LC_ALL=C"}
	out, err := cmd.CombinedOutput()
	if err != nil {
		tb.Fatalf("%v: %s\n%s", err, out, line)
	}
	return strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
}

// TestRememberLine: a shell gives back what was put in, whatever it is.
func TestRememberLine(t *testing.T) {
	v := 0.5
	for _, s := range []string{
		"plain", "two words", "it's", "''", `\`, `a\'b`, "$HOME `id` $(id) !! ~ * ? [a] {b,c}",
		"line\nbreak\n", "\ttab\r", `"double"`, "--flag", "-", "#no comment", "a;b&c|d>e<f",
		"=x", "naïve 漢字 😀", "\xff\xfe", "'\n'",
		strings.Repeat("'", 500), strings.Repeat("long ", 5000),
	} {
		c := Candidate{Capsule: kb.Capsule{Title: s, Kind: "gotcha", Body: s + "body",
			Tags: []string{"a", "b c"}, Source: s, Confidence: &v, Refs: []string{s, "r"}}}
		want := []string{"kb", "remember", "--title=" + s, "--kind=gotcha", "--tags=a,b c",
			"--source=" + s, "--confidence=0.5", "--ref=" + s, "--ref=r", "--body=" + s + "body"}
		if got := shell(t, c.RememberLine()); !slices.Equal(got, want) {
			t.Errorf("%.60q: got %.200q", s, got)
		}
	}
}

// FuzzHarvest: whatever the worklog, what it suggests can be stored, by the line that
// it gives.
func FuzzHarvest(f *testing.F) {
	for _, s := range []string{
		ran("go test ./kb", 1, "undefined: foo") + "\n" + edited("a.go") + "\n" +
			ran("go test ./kb", 0, ""), strings.Repeat(ran("make it's", 0, "")+"\n", 4),
		strings.Repeat(ran("x y", 1, "error: \x00\x1b[1m it's")+"\n", 3),
		strings.Repeat(`{"command":"a\u0000b 'c'","ok":true}`+"\n", 4),
		"{}\n[]\nnull\n\"x\"\n{\"tool_input\":[],\"error\":{\"message\":7}}",
		strings.Repeat(`{"tool":"T","error":"cannot do it"}`+"\n", 3),
		strings.Repeat(`{"command":"漢字 漢字","ok":false,"error":"`+strings.Repeat("漢",
			300)+`"}`+"\n", 3), strings.Repeat("{\"command\":\"\xff\xfe x\",\"ok\":true}\n", 4),
		strings.Repeat(`{"command":"sudo timeout","ok":true}`+"\n", 4),
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		set, err := Harvest(strings.NewReader(text))
		if err != nil || len(set.Candidates) > MaxCandidates {
			t.Fatal(err, len(set.Candidates))
		}
		for i, c := range set.Candidates {
			if err := c.Capsule.Check(); err != nil || c.Why == "" || len(c.Evidence) == 0 ||
				strings.ContainsAny(c.RememberLine(), "\x00\x1b\r\x7f") {
				t.Fatalf("%q: %v, %+v", text, err, c)
			}
			if i > 0 {
				continue // a shell for each would be slow
			}
			got := shell(t, c.RememberLine())
			if len(got) < 6 || got[2] != "--title="+c.Capsule.Title ||
				got[len(got)-1] != "--body="+c.Capsule.Body {
				t.Fatalf("%q: %q", c.RememberLine(), got)
			}
		}
	})
}
