package report

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"flag"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"blackboard/board"
	"blackboard/board/check"
	"blackboard/board/documents"
	"blackboard/board/survival"
	"blackboard/testdata/expect"
)

var updateGolden = flag.Bool("update", false, "rewrite the golden files")

const nasty = "50% of <b>rent</b> & \"more\" | a\r\n::error::forged\n##[add-mask]x ##vso[task] \x1b[31mred\x00\u202e ![i](http://x.example) `c` $1$ @team 🙂 ]]>"

func number(n int64) *int64 { return &n }

// samples are judgements of each kind, with contents that try to break out of each format.
func samples() map[string]CI {
	gate := board.Verdict{Run: "lease-1", Seq: 42, Policy: board.Policy{Block: []string{"critical", "high"}, MaxOpen: number(1), MaxDisputed: number(0), RequireSource: true},
		Reasons: []board.Reason{
			{Rule: board.RuleOpenSignal, ID: "s2", Priority: "critical", Content: nasty, Worker: "asker, 1: one", Claimed: "checker\n::x", Clear: "board address s2, or board waive s2 --reason …"},
			{Rule: board.RuleOpenSignal, ID: "s5", Priority: "high", Content: strings.Repeat("漢字 🙂 long ", 1000), Worker: "asker", Clear: "board address s5, or board waive s5 --reason …"},
			{Rule: board.RuleMaxOpen, Content: "2 questions are open; at most 1 may be", Clear: "address or waive 1 of them: board signals --status open"},
			{Rule: board.RuleMaxDisputed, ID: "e1", Content: "Rent is $4,500 a month.", Worker: "reader", Clear: "board post … --supersedes e1 (or the entry that contradicts it)"},
		}}
	open := board.Verdict{Run: "lease-1", Seq: 43, Open: true, Policy: gate.Policy, Reasons: []board.Reason{}}
	missing := survival.Result{Run: "lease-1", Seq: 42, Reports: []string{"out/final report.md"}, Checked: 4, Missing: 3, Items: []survival.ItemResult{
		{Item: survival.Item{ID: "e2", Why: survival.WhyMustSurface, Type: board.Calculation, Worker: "reader", Content: "A year costs $54,000."}, Present: true, Coverage: 1,
			Passage: &survival.Passage{Report: "out/final report.md", Line: 12, Text: "The year costs $54,000."}},
		{Item: survival.Item{ID: "e3", Why: survival.WhyContradiction, Type: board.Contradiction, Worker: "checker", Content: "The annex says $5,400, the lease $4,500."}, Cause: survival.MissNumber,
			Coverage: .8, MissingTokens: []string{"annex"}, MissingNumbers: []string{"5,400"}, Passage: &survival.Passage{Report: "out/final report.md", Line: 7, Text: nasty}},
		{Item: survival.Item{ID: "s1", Why: survival.WhyOpen, Priority: "low", Worker: "asker", Content: nasty}, Cause: survival.MissAbsent},
		{Item: survival.Item{ID: "s3", Why: survival.WhyWaived, Priority: "high", Worker: "asker", Content: strings.Repeat("x", 10_000), Reason: "the page | is lost"}, Cause: survival.MissScattered, Coverage: .625},
	}}
	passed := survival.Result{Run: "lease-1", Seq: 43, Reports: []string{"-"}, Passed: true, Checked: 1, Items: []survival.ItemResult{missing.Items[0]}}
	waiting := board.Verdict{Run: "lease-1", Seq: 2, Policy: board.Policy{Block: []string{"critical", "high"}, MinEntries: 2}, Reasons: []board.Reason{
		{Rule: board.RuleMinEntries, Content: "0 entries were posted; at least 2 are needed", Clear: "board post …"},
		{Rule: board.RuleExpected, Worker: nasty, Content: nasty + " has not finished yet", Clear: "board done"},
		{Rule: board.RuleExpected, Worker: "reader-2", Content: "reader-2 has not finished yet", Clear: "board done reader-2, or board expect --drop reader-2 --reason …"},
	}}
	nothing := survival.Check(nil, documents.New("final.md", "x"))
	nothing.Run, nothing.Seq, nothing.Dropped = "lease-1", 9, []survival.Dropped{{ID: "e1", By: "e2", Worker: nasty, Reason: nasty, Content: nasty}}
	nothing.Demand(false, 0)
	empty := nothing
	empty.Demand(true, 0)
	const version = "v0.0.0-test"
	return map[string]CI{
		"gate_closed": ofGate(gate, version), "gate_open": ofGate(open, version), "survival_failed": ofSurvival(missing, version), "survival_passed": ofSurvival(passed, version),
		"gate_waiting": ofGate(waiting, version), "survival_nothing": ofSurvival(nothing, version), "survival_empty": ofSurvival(empty, version),
	}
}

func ofGate(v board.Verdict, version string) CI {
	return CIOfStep(&check.Step{Name: check.Gate, Gate: &v, Passed: v.Open}, nil, version)
}

func ofSurvival(s survival.Result, version string) CI {
	return CIOfStep(&check.Step{Name: check.Survival, Survival: &s, Passed: s.Passed}, nil, version)
}

func written(t *testing.T, write func(io.Writer) error) string {
	t.Helper()
	var b bytes.Buffer
	expect.OK(t, write(&b))
	if !utf8.Valid(b.Bytes()) {
		t.Error("the output is not UTF-8")
	}
	return b.String()
}

func TestGolden(t *testing.T) {
	t.Setenv("GITHUB_WORKSPACE", "")
	for name, r := range samples() {
		for ext, write := range map[string]func(io.Writer) error{"junit.xml": r.JUnit, "sarif.json": r.SARIF, "github.txt": r.GitHub, "summary.md": r.Markdown} {
			got := written(t, write)
			path := filepath.Join("..", "..", "testdata", "golden", "ci_"+name+"."+ext)
			if *updateGolden {
				expect.OK(t, os.WriteFile(path, []byte(got), 0o644))
			}
			want := expect.Value(os.ReadFile(path))(t)
			if got != string(want) {
				t.Errorf("%s differs; go test ./board/report -update rewrites it. Got:\n%s", path, got)
			}
			for line := range strings.Lines(got) {
				if ext != "github.txt" && strings.HasPrefix(strings.TrimSpace(line), "::") {
					t.Errorf("%s: a runner would obey %q", path, line)
				}
				if regexp.MustCompile(`##\w*\[`).MatchString(line) || strings.ContainsAny(line, "\x00\x1b\u202e\r") {
					t.Errorf("%s: a command or control character is left in %q", path, line)
				}
			}
		}
	}
}

func TestJUnit(t *testing.T) {
	for name, r := range samples() {
		var doc junitSuites
		dec := xml.NewDecoder(strings.NewReader(written(t, r.JUnit)))
		if err := dec.Decode(&doc); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if len(doc.Suites) != 1 {
			t.Fatalf("%s: %d suites", name, len(doc.Suites))
		}
		s := doc.Suites[0]
		failures := 0
		for _, c := range s.Cases {
			if c.Name == "" || c.ClassName == "" || c.Time == "" {
				t.Errorf("%s: %+v", name, c)
			}
			if c.Failure != nil {
				failures++
				if c.Failure.Message == "" || c.Failure.Type == "" || !strings.Contains(c.Failure.Text, "to clear: ") {
					t.Errorf("%s: %+v", name, c.Failure)
				}
			}
		}
		if s.Tests != len(s.Cases) || s.Tests == 0 || s.Failures != failures || doc.Tests != s.Tests || doc.Failures != failures || (failures == 0) != r.ok {
			t.Errorf("%s: tests %d of %d, failures %d of %d", name, s.Tests, len(s.Cases), s.Failures, failures)
		}
	}
}

// TestCISARIF checks what the 2.1.0 schema requires of the objects that are used, and what code
// scanning requires on top.
func TestSARIF(t *testing.T) {
	for name, r := range samples() {
		var doc map[string]any
		if err := json.Unmarshal([]byte(written(t, r.SARIF)), &doc); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		get := func(from any, path ...any) any {
			for _, key := range path {
				ok := false
				switch k := key.(type) {
				case string:
					var m map[string]any
					if m, ok = from.(map[string]any); ok {
						from, ok = m[k]
					}
				case int:
					var a []any
					if a, ok = from.([]any); ok {
						if ok = k < len(a); ok {
							from = a[k]
						}
					}
				}
				if !ok {
					t.Fatalf("%s: there is no %v", name, path)
				}
			}
			return from
		}
		text := func(from any, path ...any) string {
			s, ok := get(from, path...).(string)
			if !ok || s == "" {
				t.Fatalf("%s: %v is no text", name, path)
			}
			return s
		}
		if text(doc, "version") != "2.1.0" || !strings.HasSuffix(text(doc, "$schema"), "sarif-2.1.0.json") {
			t.Errorf("%s: version or schema", name)
		}
		run := get(doc, "runs", 0)
		text(run, "tool", "driver", "name")
		text(run, "tool", "driver", "version")
		rules := get(run, "tool", "driver", "rules").([]any)
		ids := map[string]bool{}
		for _, rule := range rules {
			if id := text(rule, "id"); ids[id] {
				t.Errorf("%s: the rule %s is there twice", name, id)
			} else {
				ids[id] = true
			}
			text(rule, "shortDescription", "text")
			text(rule, "help", "text")
		}
		results := get(run, "results").([]any)
		if len(results) != len(r.failed())+len(r.warned()) {
			t.Errorf("%s: %d results", name, len(results))
		}
		prints := map[string]bool{}
		for i, res := range results {
			index := get(res, "ruleIndex").(float64)
			if text(res, "ruleId") != text(rules[int(index)], "id") {
				t.Errorf("%s: result %d has another rule than its index says", name, i)
			}
			if level := text(res, "level"); level != "error" && level != "warning" && level != "note" && level != "none" {
				t.Errorf("%s: level %s", name, level)
			}
			if message := text(res, "message", "text"); strings.Contains(message, "](") || utf8.RuneCountInString(message) > 3000 {
				t.Errorf("%s: message %q", name, message)
			}
			place := get(res, "locations", 0)
			uri := text(place, "physicalLocation", "artifactLocation", "uri")
			if u, err := url.Parse(uri); err != nil || u.String() != uri || strings.ContainsAny(uri, " \\") || u.IsAbs() {
				t.Errorf("%s: uri %q: %v", name, uri, err)
			}
			if line := get(place, "physicalLocation", "region", "startLine").(float64); line < 1 || line != float64(int(line)) {
				t.Errorf("%s: line %v", name, line)
			}
			if f := append(r.failed(), r.warned()...)[i]; f.id != "" && text(place, "logicalLocations", 0, "name") != f.id {
				t.Errorf("%s: result %d is not about %s", name, i, f.id)
			}
			print := text(res, "partialFingerprints", "boardItem/v1")
			if prints[print] {
				t.Errorf("%s: a fingerprint is there twice", name)
			}
			prints[print] = true
		}
	}
}

func TestGitHub(t *testing.T) {
	command := regexp.MustCompile(`^::(error|warning|notice) ((?:[a-z]+=[^:,\r\n]*,?)+)::[^\r\n]*$`)
	for name, r := range samples() {
		lines := strings.Split(strings.TrimSuffix(written(t, r.GitHub), "\n"), "\n")
		if want := max(1, len(r.failed())); len(lines) != want {
			t.Errorf("%s: %d lines, want %d", name, len(lines), want)
		}
		for _, l := range lines {
			m := command.FindStringSubmatch(l)
			if m == nil || (m[1] != "error") != r.ok || regexp.MustCompile(`%(?:$|[^0-9A-F]|[0-9A-F](?:$|[^0-9A-F]))`).MatchString(l) {
				t.Errorf("%s: %s", name, l)
			}
		}
	}
	if got, want := githubProperty("a:b,c%\r\n"), "a%3Ab%2Cc%25%0D%0A"; got != want {
		t.Errorf("property %s", got)
	}
	if got, want := githubData("a:b,c%\r\n"), "a:b,c%25%0D%0A"; got != want {
		t.Errorf("data %s", got)
	}
	many := board.Verdict{Run: "many"}
	for range 12 {
		many.Reasons = append(many.Reasons, board.Reason{Rule: board.RuleOpenSignal, ID: "s1", Content: "x"})
	}
	if got := written(t, ofGate(many, "").GitHub); !strings.HasPrefix(got, "::error title=board gate::gate closed: 12 of 14 checks to clear%0AGitHub shows 10") {
		t.Errorf("more than GitHub shows: %s", got)
	}
}

func TestMarkdownCells(t *testing.T) {
	for name, r := range samples() {
		for line := range strings.Lines(written(t, r.Markdown)) {
			line = regexp.MustCompile(`\\.`).ReplaceAllString(line, "")
			if strings.HasPrefix(line, "|") {
				if n := strings.Count(line, "|"); n != 6 {
					t.Errorf("%s: %d bars in %s", name, n, line)
				}
			}
			if strings.Contains(line, "<b>") || strings.Contains(line, "](http") {
				t.Errorf("%s: markup is left in %s", name, line)
			}
		}
	}
}

func TestNeverGreenByMistake(t *testing.T) {
	for name, r := range map[string]CI{"gate": ofGate(board.Verdict{Run: "r"}, ""), "survival": ofSurvival(survival.Result{Run: "r"}, "")} {
		if len(r.failed()) == 0 {
			t.Errorf("%s: it failed, but has no failed finding", name)
		}
		if strings.Contains(written(t, r.Markdown), "✅") || !strings.HasPrefix(written(t, r.GitHub), "::error ") {
			t.Errorf("%s: it looks green", name)
		}
	}
	if r := ofSurvival(survival.Check(nil), ""); !r.ok || len(r.findings) != 1 || !r.findings[0].ok || len(r.warned()) != 1 {
		t.Errorf("nothing to check: %+v", r.findings)
	}
}

func TestRepositoryPath(t *testing.T) {
	here := expect.Value(os.Getwd())(t)
	up := filepath.Dir(here)
	for _, c := range []struct{ root, path, want string }{
		{"", "out/r.md", "out/r.md"},
		{"", filepath.Join(here, "out", "r.md"), "out/r.md"},
		{"", "./a/../r.md", "r.md"},
		{"", filepath.Join(up, "r.md"), filepath.ToSlash(filepath.Join(up, "r.md"))},
		{up, "r.md", filepath.Base(here) + "/r.md"},
		{up, filepath.Join(up, "r.md"), "r.md"},
		{"", "-", "stdin"},
		{"", "standard input", "stdin"},
	} {
		t.Setenv("GITHUB_WORKSPACE", c.root)
		if got := repositoryPath(c.path); got != c.want {
			t.Errorf("%q below %q is %q, want %q", c.path, c.root, got, c.want)
		}
	}
	for path, want := range map[string]string{"a b%.md": "a%20b%25.md", "/x/é.md": "file:///x/%C3%A9.md", "board/run": "board/run", "a:b.md": "./a:b.md"} {
		if got := fileURI(path); got != want {
			t.Errorf("%q is %q, want %q", path, got, want)
		}
	}
}

// TestPlaceOfGate: a reason of the gate is found in the policy that asks for it, if there is one.
func TestPlaceOfGate(t *testing.T) {
	r := ofGate(board.Verdict{Run: "r", Reasons: []board.Reason{{Rule: board.RuleOpenSignal, ID: "s1", Content: "x"}}}, "")
	for policy, want := range map[string]string{"": `"uri": "board/r"`, "ci/board.yaml": `"uri": "ci/board.yaml"`} {
		if got := written(t, r.Under(policy).SARIF); !strings.Contains(got, want) {
			t.Errorf("%q: %s", policy, got)
		}
	}
}
