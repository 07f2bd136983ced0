package text

import "testing"

func TestVisible(t *testing.T) {
	for in, want := range map[string]string{
		"plain, ü, 漢字 🙂":      "plain, ü, 漢字 🙂",
		"two\nlines\tand tab": "two\nlines\tand tab",
		"\x1b[31mred\x07":     "�[31mred�",
		"a\u202eb":            "a�b",
		"a\U000e0041b":        "a�b",
		"cr\r":                "cr�",
	} {
		if got := Visible(in); got != want {
			t.Errorf("%q becomes %q, want %q", in, got, want)
		}
	}
}

func TestCount(t *testing.T) {
	for n, want := range map[int64]string{0: "0 entries", 1: "1 entry", 2: "2 entries"} {
		if got := Count(n, "entry", "entries"); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestClipBytes(t *testing.T) {
	if got := ClipBytes("naïve", -1) + ClipWords("naïve", 2); got != "" {
		t.Errorf("no room at all: %q", got)
	}
	for want, got := range map[string]string{"naïve": ClipBytes("naïve", 6),
		"na…": ClipBytes("naïve", 5), "…": ClipBytes("naïve", 3), "": ClipBytes("naïve", 2), "a b c": OneLine(" a\n\tb \x00c"),
		"a\ufffd": UTF8("a\xff")} {
		if got != want {
			t.Errorf("%q, not %q", got, want)
		}
	}
}
