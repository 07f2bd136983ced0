package topics

import (
	"errors"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"blackboard/board/fault"
)

func TestCheckName(t *testing.T) {
	for _, name := range []string{
		"auth", "auth-refactor", "PROJ-123", "v1.2_x", "größe", "項目", "हिन्दी", "a", "1",
		"current", "session-x", "a.txt", "a.worklog", "conx", "com10", "x.con",
		strings.Repeat("x", MaxName),
	} {
		if err := CheckName(name); err != nil {
			t.Errorf("%q: %v", name, err)
		}
	}
	for _, name := range []string{
		"", ".", "..", ".hidden", "_active_topic", "-flag", "a/b", `a\b`, "../x", "a b", "a\nb",
		"a\x00b", "a:b", "a*", "a.", "a..", "con", "CON.x", "nul", "Com1", "lpt9.log", "com¹",
		"a\u202eb", "a\u200bb", "\u3164", "a\ufe0f", "\u0301a", "\xff", "a\u00a0b", "😀",
		strings.Repeat("x", MaxName+1), strings.Repeat("項", MaxName/3+1),
	} {
		if err := CheckName(name); !errors.Is(err, fault.Invalid) {
			t.Errorf("%q is taken: %v", name, err)
		} else if e := (*fault.Error)(nil); !errors.As(err, &e) || len(e.Next) == 0 {
			t.Errorf("%q: %v has no next step", name, err)
		}
	}
}

func TestKinds(t *testing.T) {
	for name, want := range map[string]string{
		"current": KindCurrent, "Current": KindCurrent, "currents": KindNamed,
		"session-1": KindSession, "SESSION-1": KindSession, "session": KindNamed,
		"session-": KindNamed, "sessions-1": KindNamed,
		"review": KindReview, "review-auth": KindReview, "Review.auth": KindReview,
		"reviewing-auth": KindReview, "re-review-auth": KindReview,
		"rereview_auth": KindReview, "auth-review": KindReview,
		"auth-re-review": KindReview, "pr-12-review": KindReview, "auth-review-2": KindReview,
		"auth_review_v3": KindReview, "auth-review-round-2": KindReview,
		"auth-rereview":       KindReview,
		"fix-review-comments": KindNamed, "preview-page": KindNamed, "auth-preview": KindNamed,
		"auth": KindNamed, "v2": KindNamed, "2": KindNamed, "re-auth": KindNamed,
		"session-review":   KindSession,
		"auth-review-tool": KindNamed,
	} {
		if got := KindOf(name); got != want {
			t.Errorf("%s is %s, not %s", name, got, want)
		}
	}
	for _, name := range []string{"current", "CURRENT", "session-1", "Session-1", "../x", ""} {
		if err := checkPinned(name); !errors.Is(err, fault.Invalid) {
			t.Errorf("%q may be pinned: %v", name, err)
		}
	}
}

func TestSessionTopic(t *testing.T) {
	for id, want := range map[string]string{
		"": `^$`, "abc": `^session-abc$`,
		"0b7e8f9c-1234-4abc-9def-000000000001": `^session-0b7e8f9c-1234-4abc-9def-000000000001$`,
		"ses_7fK.2":                            `^session-ses_7fK\.2$`,
		"a/b":                                  `^session-ab-[0-9a-f]{16}$`,
		"..":                                   `^session-[0-9a-f]{16}$`,
		"call_x\nctc_y":                        `^session-call_xctc_y-[0-9a-f]{16}$`,
		"a.":                                   `^session-a-[0-9a-f]{16}$`,
		"項目":                                   `^session-[0-9a-f]{16}$`,
	} {
		if got := SessionTopic(id); !regexp.MustCompile(want).MatchString(got) {
			t.Errorf("%q: %s, not %s", id, got, want)
		}
	}
	long := strings.Repeat("x", 1000)
	if a, b := SessionTopic(long+"1"), SessionTopic(long+"2"); a == b || len(a) > MaxName {
		t.Errorf("long ids: %s, %s", a, b)
	}
	if SessionTopic("a/b") == SessionTopic("ab") || SessionTopic("a/b") == SessionTopic("a//b") {
		t.Error("two ids have one topic")
	}
}

// FuzzName: a name that is taken is one file of the directory, and is found again by
// it; any session's id makes such a name.
func FuzzName(f *testing.F) {
	for _, s := range []string{
		"auth", "../../etc/passwd", `..\x`, "a/../..", "con", "a.worklog", "a.no_context", "項目",
		"\xff", "a\x00", "_lock", ".new-x", "x.", "C:x", "a\u3164",
		strings.Repeat("a", 200),
	} {
		f.Add(s)
	}
	dir := filepath.FromSlash("/root/dir")
	f.Fuzz(func(t *testing.T, s string) {
		session := SessionTopic(s)
		if (session == "") != (s == "") || session != "" && (CheckName(session) != nil ||
			KindOf(session) != KindSession) {
			t.Fatalf("the session %q has the topic %q: %v", s, session, CheckName(session))
		}
		for _, name := range []string{s, session} {
			if CheckName(name) != nil {
				continue
			}
			for _, ext := range []string{specExt, worklogExt, noContextExt} {
				file := filepath.Join(dir, name+ext)
				if filepath.Dir(file) != dir || !filepath.IsLocal(name+ext) ||
					strings.ContainsAny(name, `/\:`) || len(filepath.Base(file)) > 200 {
					t.Fatalf("%q is the file %q", name, file)
				}
				if topic, of := topicOf(filepath.Base(file)); topic != name || of != ext {
					t.Fatalf("%q: %s is taken for %q%s", name, file, topic, of)
				}
				if base := filepath.Base(file); base == lockFile || base == activeFile ||
					base == noSessionContextFile || strings.HasPrefix(base, unfinished) {
					t.Fatalf("%q is %s", name, base)
				}
			}
		}
	})
}
