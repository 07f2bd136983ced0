package cells

import (
	"strings"
	"testing"
)

func TestCertain(t *testing.T) {
	for _, c := range []struct{ s, want string }{
		{"", ""},
		{"plain text, 日本語, é", "plain text, 日本語, é"},
		{"the 👩‍👩‍👧‍👦 family", "the 👩 family"},
		{"👍🏽 and 👩🏿‍🚀", "👍 and 👩"},
		{"🏽 alone", "🏽 alone"},
		{"I ❤️ it, ☠︎ not", "I ❤ it, ☠ not"},
		{"🇩🇪🇫🇷", "DEFR"},
		{"1️⃣ #️⃣", "1 #"},
		{"🏳️‍🌈", "🏳"},
		{"e\u0301 a\u0308", "e\u0301 a\u0308"},
		{"z" + strings.Repeat("\u0300", 40), "z" + strings.Repeat("\u0300", maxMarks-1)},
		{"zero\u200bblank soft\u00adhyphen \ufeffmark", "zeroblank softhyphen mark"},
		{"\u200d", ""},
		{"\u0915\u094d\u200d\u0937", "\u0915\u094d\u200d\u0937"}, // a joined letter of Hindi
	} {
		got := simplifyClusters(c.s)
		if got != c.want {
			t.Errorf("%q became %q instead of %q", c.s, got, c.want)
		}
		if simplifyClusters(got) != got {
			t.Errorf("%q does not stay as it is", got)
		}
	}
}

// FuzzCertain: terminals that take each character for itself and those that take clusters agree
// about emoji.
func FuzzCertain(f *testing.F) {
	for _, s := range []string{"👩‍👩‍👧‍👦", "🇩🇪", "❤️", "👍🏽", "1️⃣", "日本"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		s = Clean(s)
		for _, r := range s {
			if r == keycap || r >= firstVariant && r <= lastVariant || r >= firstLetter && r <= lastLetter {
				t.Errorf("%q is left in %q", r, s)
			}
		}
	})
}

// TestWrap: a line breaks at blanks and after hyphens, but not in an option.
func TestWrap(t *testing.T) {
	for _, c := range []struct {
		s    string
		w    int
		want string
	}{
		{"name one with --workspace", 16, "name one with|--workspace"},
		{"search (--no-rerank) again", 14, "search|(--no-rerank)|again"},
		{"use `--dry-run` first", 9, "use|`--dry-ru|n` first"},
		{"a well-known one", 9, "a well-|known one"},
		{"- a list with -x", 13, "- a list with|-x"},
		{"--much-too-long", 6, "--much|-too-l|ong"},
	} {
		if got := strings.Join(Wrap(c.s, c.w), "|"); got != c.want {
			t.Errorf("%q at %d: %q, want %q", c.s, c.w, got, c.want)
		}
	}
}
