package hooks

import (
	"strings"
	"testing"

	"blackboard/board/text"
	"blackboard/kb/secret"
)

func TestDropPrivate(t *testing.T) {
	for in, want := range map[string]string{
		"":                                              "",
		"nothing here":                                  "nothing here",
		"a private matter":                              "a private matter",
		"a <private>b</private> c":                      "a «private» c",
		"a <PRIVATE>b</Private > c":                     "a «private» c",
		"a <private why=\"x\">b</private> c":            "a «private» c",
		"a <private>b never closed":                     "a «private»",
		"the end of it</private> c":                     "«private» c",
		"a <private>b <private>c</private> d":           "a «private»",
		"a <private>b<private>c</private>d</private> e": "a «private» e",
		"<private>a</private>b<private>c</private>":     "«private»b«private»",
		"a &lt;private&gt;b&lt;/private&gt; c":          "a «private» c",
		"a < private >b< / private > c":                 "a «private» c",
		"a <private>b</private> c</private> d":          "«private» d",
	} {
		if got := dropPrivate(in); got != want {
			t.Errorf("%q becomes %q, not %q", in, got, want)
		}
	}
}

// token looks like a secret. It stands here in pieces, so that nothing takes it for a
// real one.
const token = "ghp_" + "x7Kq2LmZ9" + "vR4tYwB8n" + "Jc5HdFs3P" + "aGeU6iQoT"

// TestMask: a secret goes wherever it stands, and the rule that found it is told.
func TestMask(t *testing.T) {
	got := secret.Redact("export GITHUB_TOKEN=" + token + "; again " + token)
	if strings.Contains(got, token) || strings.Count(got, "«secret: github-pat»") != 2 {
		t.Errorf("it became %q", got)
	}
	if s := "go test ./... -run TestTokens"; secret.Redact(s) != s {
		t.Errorf("%q became %q", s, secret.Redact(s))
	}
}

// TestHarmless: what closes or imitates the frame, or a harness's own tags, loses its
// mark; other text stays as it is.
func TestHarmless(t *testing.T) {
	for _, in := range []string{
		"</system-reminder>", "<system-reminder>", "< / system_reminder >",
		"<SYSTEM-REMINDER a=b>", "<sys\u200btem-reminder>",
		"<\u202esystem-reminder>", "<hook_context>", "</hook_context>", "<user_query>",
		"<qwen:user-prompt-submit-context>", "</user-prompt-submit-hook>", "<system>", "</human>",
		"<tool_result>", "<function_calls>", "<invoke name=x>",
		"<|im_start|>", "<|endoftext|>",
		"<local-command-stdout>", "<untrusted_context>", "<im_start>",
	} {
		if got := text.Harmless("a " + in + " b"); strings.Contains(got, "<") ||
			!strings.Contains(got, "‹") {
			t.Errorf("%q becomes %q", in, got)
		}
	}
	for _, in := range []string{text.FrameBegin, text.FrameEnd, "=== END OF  board notes",
		"====== board notes"} {
		if got := text.Harmless(in); got == in || text.Harmless(got) != got {
			t.Errorf("%q becomes %q", in, got)
		}
	}
	for _, in := range []string{"a < b && c > d", "func F[T any](x <-chan T)", "List<String>",
		"<div class=x>", "1 == 2 === 3", "über 中文\tא\n\nx", "🙂"} {
		if got := text.Harmless(in); got != in {
			t.Errorf("%q becomes %q", in, got)
		}
	}
	if got := text.Harmless("a\x1b[31m\x00\u202e\ufeff\U000e0041\u2028b\r\n"); got != "a[31mb\n" {
		t.Errorf("it becomes %q", got)
	}
	if got := quoted("# a\n\nb\n"); got != "| # a\n|\n| b" {
		t.Errorf("quoted: %q", got)
	}
}

func TestTrivial(t *testing.T) {
	for _, p := range []string{"", "y", "yes", "Yes, please continue.", "continue", "go ahead",
		"ok", "OK, do it again!",
		"thanks, looks good", "/compact", "/review the code", "!ls -la", "fix it", "why?",
		"«private»", "好", "..."} {
		if !trivial(p) {
			t.Errorf("%q is not trivial", p)
		}
	}
	for _, p := range []string{"fix the retry bug", "why do tests fail",
		"/home/dev/main.go panics", "deployment", "重试逻辑的错误", "yes, and rotate the keys"} {
		if trivial(p) {
			t.Errorf("%q is trivial", p)
		}
	}
}

func TestClip(t *testing.T) {
	for _, c := range []struct {
		in   string
		n    int
		want string
	}{{"abc", 3, "abc"}, {"abcdef", 5, "ab…"}, {"ééé", 5, "é…"}, {"abc", 0, ""}} {
		if got := clip(c.in, c.n); got != c.want {
			t.Errorf("clip(%q, %d) = %q", c.in, c.n, got)
		}
	}
}

// TestPasswordsByName: what a command is given as a password is not kept, whatever word
// it is.
func TestPasswordsByName(t *testing.T) {
	for _, line := range []string{
		"PGPASSWORD=hunter2 psql -h db", "mysql -u root -phunter2 shop",
		`export DB_PASSWORD="hunter2 it is"`, "docker login -u me -p hunter2",
		"MY_TOKEN='hunter2' make", "curl --password hunter2 x", "vault --secret=hunter2",
		"api_key = hunter2", "docker login -p dckr_pat_hunter2abcDEF123456ghiJKL",
		"sshpass -p hunter2 ssh x",
	} {
		if got := clean(line); strings.Contains(got, "hunter2") ||
			!strings.Contains(got, "«secret") {
			t.Errorf("%s is kept as %s", line, got)
		}
	}
	for _, line := range []string{"go test -p 2 ./...", "mkdir -p a/b", "docker run -p",
		"ssh -p 22 host", "echo $PASSWORD", "grep token file", "cp -p a b",
		"the password is not here", "if token == nil {"} {
		if got := clean(line); got != line {
			t.Errorf("%s became %s", line, got)
		}
	}
}

// TestEmojiStayWhole: what joins several into one is no character that nobody sees.
func TestEmojiStayWhole(t *testing.T) {
	if got := text.Harmless("👩‍👩‍👧 and ❤️\u200b\u202e"); got != "👩‍👩‍👧 and ❤️" {
		t.Errorf("%q", got)
	}
}
