package page

import (
	"fmt"
	"testing"
	"time"
)

func TestParseTerms(t *testing.T) {
	for text, want := range map[string]string{
		`pane kind:got tag:"two words"`: "[pane] map[kind:[got] tag:[two words]]",
		`kind: pane`:                    "[pane] map[]",
		`other:x "a b" kind`:            "[other:x a b kind] map[]",
		`"open`:                         "[open] map[]",
		``:                              "[] map[]",
	} {
		got := ParseTerms(text, "kind", "tag")
		if s := fmt.Sprint(got.Words, got.Filters); s != want {
			t.Errorf("%q: %s instead of %s", text, s, want)
		}
	}
	q := ParseTerms("kind:got kind:f kind:zz", "kind")
	if got := fmt.Sprint(q.In("kind", []string{"gotcha", "fact", "fix"})); got != "[gotcha f zz]" {
		t.Error(got)
	}
}

func TestMomentOf(t *testing.T) {
	now := time.Date(2026, 1, 31, 11, 0, 0, 0, time.Local)
	for text, want := range map[string]string{
		"90m": "2026-01-31 09:30", "2d": "2026-01-29 11:00", "10:15": "2026-01-31 10:15", "noon": "2026-01-30 12:00",
		"2026-01-02": "2026-01-02 00:00", "2026-01-02 03:04": "2026-01-02 03:04", "tomorrow": "", "-2h": "", "d": "", "0d": "",
	} {
		got := ""
		if at, ok := MomentOf(text, now); ok {
			got = at.Format("2006-01-02 15:04")
		}
		if got != want {
			t.Errorf("%q: %q instead of %q", text, got, want)
		}
	}
}
