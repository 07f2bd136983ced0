package topics

import (
	"strings"
	"testing"
)

// TestWritten: of a spec all stays that somebody has written, and nothing of the
// template.
func TestWritten(t *testing.T) {
	for _, c := range []struct{ spec, want string }{
		{seed("auth", ""), ""},
		{seed("auth", "rotate the keys"), "Goal: rotate the keys"},
		{"# auth\n\nGoal:\nScope: all of it\n", "Scope: all of it"},
		{"# auth\n\nGoal:\nrotate the keys\nScope:\n", "Goal:\nrotate the keys"},
		{"# Auth\n\nGoal: a\n\n## Decisions\n\n## Notes\n- 2026-11-21 14:03 x\n",
			"# Auth\n\nGoal: a\n\n## Notes\n- 2026-11-21 14:03 x"},
		{"# Rotate the keys", "# Rotate the keys"},
		{"Rotate\n======\n\nPlan\n----\n\nLater\n-----\nnow",
			"Rotate\n======\n\nLater\n-----\nnow"},
		{"## A\n### B\n\n## C\ntext", "## C\ntext"},
		{"## A\n### B\ntext", "## A\n### B\ntext"},
		{"```\n# auth\nGoal:\n```", "```\n# auth\nGoal:\n```"},
		{"## Notes\n- 2026-11-21 14:03 same\n- 2026-11-21 14:04 other\n- 2026-11-22 09:00 same\n",
			"## Notes\n- 2026-11-21 14:04 other\n- 2026-11-22 09:00 same"},
		{"- same\n- same", "- same\n- same"},
		{"", ""},
	} {
		if got := writtenText(c.spec, "auth"); got != c.want {
			t.Errorf("%q: %q, not %q", c.spec, got, c.want)
		}
	}
}

// TestAbout: a topic is asked for by what somebody has written, and by no word of the
// template.
func TestAbout(t *testing.T) {
	for _, c := range []struct{ topic, branch, spec, want string }{
		{"auth-keys", "", seed("auth-keys", ""), ""},
		{"current", "fix/retry-backoff", seed("current", ""), ""},
		{"auth-keys", "", seed("auth-keys", "rotate them"), "auth-keys\nrotate them"},
		{"current", "ada/ABC-123-retry-backoff", seed("current", "be patient") +
			"\n## Notes\n- 2026-11-21 14:03 the ledger waits\n",
			"abc retry backoff\nbe patient\nthe ledger waits"},
		{"session-7", "", "# session-7\n\nGoal:\nScope:\n\n## Notes\n- 2026-11-21 14:03 the ledger waits\n", "the ledger waits"},
		{"auth", "", "# The retry problem\n\n## Verified facts\n- Redis evicts\nOwner: Ada",
			"auth\nThe retry problem\n- Redis evicts\nOwner: Ada"},
	} {
		if got := (Topic{Name: c.topic, Kind: KindOf(c.topic)}).Query(c.spec,
			c.branch); got != c.want {
			t.Errorf("%s, %q: %q, not %q", c.topic, c.spec, got, c.want)
		}
	}
}

// TestOutline: of a spec that is too long its goal, decisions and open questions are
// shown.
func TestOutline(t *testing.T) {
	spec := "# Auth\n\nGoal: rotate the keys\nevery day\n\nMuch else.\n\n## Plan\n" +
		strings.Repeat("x ", 4000) +
		"\n## Decisions\n- HMAC\n### Why\nspeed\n\n## Open questions\n- who?\n\n## Log\nx\n"
	want := "Goal: rotate the keys\nevery day\n\n## Decisions\n- HMAC\n### Why\nspeed\n\n## Open questions\n- who?"
	if got := outline(spec, 1000); got != want {
		t.Errorf("%q, not %q", got, want)
	}
	if got := outline(spec, 50); got != "Goal: rotate the keys\nevery day" {
		t.Errorf("%q", got)
	}
	if got := outline("a\na\n", 60); got != "" {
		t.Errorf("%q", got)
	}
}
