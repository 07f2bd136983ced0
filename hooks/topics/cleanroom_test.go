package topics

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"blackboard/board/fault"
	"blackboard/testdata/expect"
)

// TestCleanRoom: in each spec, lines with ✓ stay and lines with ✗ do not; of the rest
// nothing is said.
func TestCleanRoom(t *testing.T) {
	for name, spec := range map[string]string{
		"a full one": `# auth-review ✓

Goal: find what breaks logins ✓
and say where ✓
Verdict so far: ✗

Scope: internal/auth ✓

It looks broken ✗

## Scope ✓
- internal/auth ✓
- cmd/login ✓
### Out of scope ✓
the tests ✓
### Findings there ✗
one ✗

## Verified facts ✗
- tokens never expire ✗
### Scope ✗
of the facts ✗
## Findings ✗
## Verdict ✗
## Inline comments ✗
- auth.go:12 ✗
## Acceptance criteria ✓
- [x] ✓ logins work
## Something else ✗
Goal: still ✓

✗
### Goal ✓
text ✓
## Notes ✗
- 2026-11-21 12:00 ✗`,
		"no structure":                     "It is broken ✗\nauth.go:12 ✗",
		"a title that tells":               "# Auth review: findings ✗\nGoal: ✓\n## Scope\n✓",
		"a title that is a section":        "# Findings ✗\nGoal: ✗\n## Scope ✗\n✗\n# Goal ✓\n✓",
		"a title that is a goal":           "# Goal ✓\n✓\n## Details ✓\n✓\n## Findings\n✗",
		"a title with a neutral word":      "# File upload review ✓\n✗\n## Details ✗\n✗",
		"a finding with a neutral word":    "## Path traversal in uploads ✗\n✗\n## Files to review\n✓",
		"no title":                         "## Details\n✗\n### Goals and scope ✓\n✓\n## Scope (verified) ✗\n✗",
		"two titles":                       "# T\n# Other ✗\n✗\n# Goal\n✓",
		"underlined headings":              "auth-review ✓\n===========\n\n✗\n\nGoal\n----\n✓\n\nFindings\n--------\n✗",
		"a rule is no heading":             "## Goal\n- one ✓\n---\ntwo ✓\n\n---\nthree ✓",
		"bold headings":                    "## Goal\n✓\n\n**Findings**\n\n✗\n\n- ✗\n\n**Scope**\n\n✓",
		"headings of HTML":                 "## Goal\n✓\n<h3>Findings</h3>\n✗\n<h2>Scope</h2>\n✓\n<details><summary>Findings</summary>\n✗",
		"headings in lists and quotes":     "## Goal\n✓\n> ## Findings ✗\n> ✗\n## Scope\n✓\n- ### Verdict ✗\n  ✗",
		"headings without a blank":         "##Goal ✓\n✓\n##Findings ✗\n✗",
		"headings with an end":             "## Goal ##\n✓\n## Findings ##\n✗",
		"headings far to the right":        "## Goal\n✓\n        ## Findings\n✗",
		"capitals":                         "## GOAL\n✓\nFINDINGS\n✗\nLGTM ✗\n## VERDICT\n✗",
		"labels in a neutral section":      "## Scope\n✓\n- auth: the tokens ✓\n- **Verdict:** approve ✗\n- ✗\n\n✗\nFiles: ✓\n✓",
		"labels with a dash":               "## Goal\n✓\nVerdict — approve ✗\n✗",
		"labels without a value":           "Goal:\n\n- one ✓\n- auth: two ✓\n\nthree ✓\nOther: ✗\n✗",
		"a label below what was left out":  "## Goal\nFindings: ✗\nauth: ✗\n\nother: ✗\nScope: ✓",
		"bold labels":                      "**Goal:** ✓\n\n**Goal**: ✓\n__Scope__: ✓\n\n`Branch`: ✓",
		"an address is no label":           "## Links\nhttps://example.com/findings ✓\n✓",
		"code":                             "## Goal\n```go\n# Findings ✓\nVerdict: ✓\n```\n✓\n## Findings\n```\n## Goal ✗\n```\n✗",
		"code in tildes":                   "## Goal\n~~~~\n## Findings ✓\n~~~\n✓\n~~~~\n✓\n## Findings\n✗",
		"code without an end is none":      "## Goal\n```\n✓\n## Findings\n✗",
		"a longer fence has no end":        "## Goal\n````\n## Findings\n✗\n```",
		"no code: the mark is in the line": "## Goal\n``` x ``` ✓\n## Findings\n✗",
		"comments":                         "# T ✓\n<!-- Goal: ✗\n✗ -->\nGoal: ✓\n## Scope\n✓ <!-- found: -->\n<!-- ✗",
		"line ends of Windows":             "# T ✓\r\nGoal: ✓\r\n\r\n✗\r\n## Findings\r\n✗\r\n## Scope\r\n✓",
		"front matter":                     "---\ngoal: ✓\nfiles:\n  - ✓\n- ✓\nverdict: ✗\nnotes:\n  - ✗\nbranch: ✓\n---\n✗\n# T ✓\n✗\nGoal: ✓",
		"front matter without an end":      "---\ngoal: ✓\n## Findings\n✗",
		"letters of all kinds":             "# Größe ✓\nZiel: ✗\nGoal: größer ✓",
	} {
		got := CleanRoom(spec)
		lines := map[string]bool{}
		for _, l := range strings.Split(got, "\n") {
			lines[l] = true
		}
		for _, l := range strings.Split(strings.ReplaceAll(spec, "\r\n", "\n"), "\n") {
			want, _, _ := strings.Cut(strings.ReplaceAll(l, "[x]", "[ ]"), "<!--")
			if strings.Contains(l, "✓") && !lines[want] {
				t.Errorf("%s: %q is left out:\n%s", name, l, got)
			}
		}
		if strings.Contains(got, "✗") || strings.Contains(got, "\r") ||
			strings.Contains(got, "\n\n\n") || strings.Trim(got, "\n") != got {
			t.Errorf("%s: there remains\n%s", name, got)
		}
	}
	if got := CleanRoom(""); got != "" {
		t.Errorf("nothing became %q", got)
	}
	if got := CleanRoom(seed("auth-review",
		"tokens")); got != "# auth-review\n\nGoal: tokens\nScope:" {
		t.Errorf("what Use writes became %q", got)
	}
}

// FuzzCleanRoom: a clean room has nothing of its own, and what is in it stays when it
// is cleaned again, but for what was said to go.
func FuzzCleanRoom(f *testing.F) {
	for _, s := range []string{
		"# T\nGoal: x\n## Findings\ny", "---\na: b\n---\nx", "```\n~~~\n```",
		"> - ## Goal\n===\n---", "<!--", "**x**\n<h2>", "Goal:\n\n- [x] a",
		strings.Repeat("```a\n~~~b\n", 100), "\xff: \n# \xff",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, spec string) {
		got := CleanRoom(spec)
		if len(got) > len(spec) {
			t.Fatalf("%q grew to %q", spec, got)
		}
		for _, l := range strings.Split(got, "\n") {
			if plain, _, _ := strings.Cut(l,
				"[ ]"); !strings.Contains(withoutComments(strings.ReplaceAll(spec, "\r\n", "\n")),
				plain) {
				t.Fatalf("%q is not in %q", l, spec)
			}
		}
		lastHeading(spec)
	})
}

func TestStartup(t *testing.T) {
	d := newDir(t, Options{})
	topic := func(name string) Topic { return Topic{Name: name, Kind: KindOf(name)} }
	if s, err := d.Startup(topic("a"), StartupLimits{}); err != nil || s.Spec != "" ||
		s.Pointer != "" || s.Worklog == nil || len(s.Worklog) > 0 {
		t.Errorf("nothing: %+v, %v", s, err)
	}
	for _, name := range []string{"a", "a-review"} {
		write(t, d.SpecPath(name), "# "+name+"\n\nGoal: x\n\n## Findings\nleaks\xff\n")
		for i := range 20 {
			record(t, d, name, Entry{Tool: "Bash", Command: "make " + string(rune('a'+i)),
				Time: noon})
		}
	}
	s, err := d.Startup(topic("a"), StartupLimits{})
	if err != nil || s.CleanRoom || s.Spec != "Goal: x\n\n## Findings\nleaks\uFFFD" ||
		s.Pointer != "" || len(s.Worklog) != 20 {
		t.Errorf("%+v, %v", s, err)
	}
	line := len("2026-11-21 12:00:00 Bash: make a (unknown)\n")
	for _, c := range []struct {
		limits StartupLimits
		want   int
	}{
		{StartupLimits{TailEntries: 2}, 2}, {StartupLimits{TailBytes: 3 * line}, 3},
		{StartupLimits{TailBytes: 3*line - 1}, 2}, {StartupLimits{TailBytes: 1}, 0},
		{StartupLimits{TailEntries: 100, TailBytes: 10_000}, 20},
	} {
		if s, err := d.Startup(topic("a"), c.limits); err != nil || len(s.Worklog) != c.want {
			t.Errorf("%+v: %d entries, %v", c.limits, len(s.Worklog), err)
		}
	}
	if s, err = d.Startup(topic("a-review"), StartupLimits{}); err != nil || !s.CleanRoom ||
		s.Spec != "Goal: x" || len(s.Worklog) > 0 {
		t.Errorf("a review: %+v, %v", s, err)
	}
	// A spec that is too long is never cut.
	text := strings.Repeat("x", DefaultSpecBytes)
	for name, long := range map[string]string{"b": "# b\n" + text + "x", "b-review": "## Goal\n" +
		text, "c": strings.Repeat("x", MaxSpec+1)} {
		write(t, d.SpecPath(name), long)
		s, err := d.Startup(topic(name), StartupLimits{})
		if err != nil || s.Spec != "" || !strings.Contains(s.Pointer, d.SpecPath(name)) ||
			!strings.Contains(s.Pointer, " bytes") ||
			strings.Contains(s.Pointer, "a review reads") != s.CleanRoom {
			t.Errorf("%s: %+v, %v", name, s, err)
		}
	}
	write(t, d.SpecPath("d-review"), "# d\n\nGoal: x\n\n## Findings\n"+text)
	if s, err := d.Startup(topic("d-review"), StartupLimits{}); err != nil ||
		s.Spec != "# d\n\nGoal: x" || s.Pointer != "" {
		t.Errorf("a review with long findings: %+v, %v", s, err)
	}
	if _, err := d.Startup(Topic{}, StartupLimits{}); !errors.Is(err, fault.Invalid) {
		t.Errorf("without a topic: %v", err)
	}
}

func TestSuppressed(t *testing.T) {
	d := newDir(t, Options{})
	for _, v := range []string{"0", "off", "False", "no", " 0 "} {
		if why := d.Suppressed("a", environment("BOARD_HOOK_CONTEXT", v)); !strings.HasPrefix(why,
			"$BOARD_HOOK_CONTEXT is ") {
			t.Errorf("%q: %q", v, why)
		}
	}
	for _, v := range []string{"", "1", "full", "00", "nothing"} {
		if why := d.Suppressed("a", environment("BOARD_HOOK_CONTEXT", v)); why != "" {
			t.Errorf("%q: %q", v, why)
		}
	}
	none := environment()
	own, all := filepath.Join(d.Path(), "a.no_context"),
		filepath.Join(d.Path(), "_no_session_context")
	write(t, own, "")
	if d.Suppressed("a", none) != own+" exists" || d.Suppressed("b", none) != "" ||
		d.Suppressed("", none) != "" || d.Suppressed("../a", none) != "" {
		t.Error("the sentinel of a topic")
	}
	write(t, all, "")
	for _, name := range []string{"a", "b", ""} {
		if why := d.Suppressed(name, none); why != all+" exists" {
			t.Errorf("the sentinel of the workspace, %q: %q", name, why)
		}
	}
	expect.OK(t, errors.Join(os.Remove(own), os.Remove(all)))
	if why := d.Suppressed("a", none); why != "" {
		t.Errorf("without sentinels: %q", why)
	}
}

// TestFenceEnds: once a sort of fence has no end, longer ones are not looked for, so
// that no text takes long.
func TestFenceEnds(t *testing.T) {
	lines := []string{"~~~", "````", "x", "```", "````x", "~~~", "```"}
	var f fenceEnds
	for _, c := range []struct {
		from, end int
		none      [2]int
	}{{2, 2, [2]int{}}, {4, 4, [2]int{4}}, {1, 1, [2]int{4}}, {3, 6, [2]int{4}}, {6, 6, [2]int{3}},
		{3, 3, [2]int{3}}, {0, 5, [2]int{3}}, {5, 5, [2]int{3, 3}}} {
		if end := f.end(lines, c.from); end != c.end || f.none != c.none {
			t.Errorf("from %d: to %d, %v, not %d, %v", c.from, end, f.none, c.end, c.none)
		}
	}
}
