package main

import (
	"bytes"
	"strings"
	"testing"

	"blackboard/testdata/expect"
)

func TestWrap(t *testing.T) {
	for _, test := range []struct{ in, want string }{
		{"short\n", "short\n"},
		{"\n\n", "\n\n"},
		{"twelve chars and more\n", "twelve chars\n    and more\n"},
		{"  | content that is long\n", "  | content\n  | that is\n  | long\n"},
		{"  s1 a list item that is long\n", "  s1 a list\n      item\n      that\n      is\n      long\n"},
		{"averyveryverylongword\n", "averyveryver\n    ylongwor\n    d\n"},
		{"\x1b[31mred text\x1b[0m more words\n", "\x1b[31mred text\x1b[0m\n    more\n    words\n"},
		{"日本語日本語日本語\n", "日本語日本語\n    日本語\n"},
		{"no line end but long enough", "no line end\n    but long\n    enough"},
	} {
		var out bytes.Buffer
		w := &wrapper{w: &out, width: 12}
		for _, part := range strings.SplitAfter(test.in, "e") { // in pieces, as programs write
			expect.Value(w.Write([]byte(part)))(t)
		}
		expect.OK(t, w.flush())
		if got := out.String(); got != test.want {
			t.Errorf("%q: got %q, want %q", test.in, got, test.want)
		}
	}
}

// FuzzWrap: it ends, no line is too wide unless it cannot be helped, and only white space and
// marks are added or dropped.
func FuzzWrap(f *testing.F) {
	f.Add("  | content that is long", 12)
	f.Add("\x1b[31m\x1b", 3)
	f.Add(strings.Repeat(" ", 50)+"x y", 20)
	f.Fuzz(func(t *testing.T, s string, width int) {
		if width < 20 || width > 200 || strings.ContainsAny(s, "\n\r") || len(s) > 5000 {
			return
		}
		plain := func(s string) string { return strings.NewReplacer(" ", "", "\n", "", "|", "", ">", "").Replace(s) }
		if got := wrapLine(s, width); plain(got) != plain(s) {
			t.Fatalf("%q at %d: %q", s, width, got)
		}
	})
}
