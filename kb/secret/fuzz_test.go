package secret

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func FuzzFind(f *testing.F) {
	for _, s := range append(samples(), harmlessSamples()...) {
		f.Add(s.plain())
	}
	all := samples()
	for i := range all {
		f.Add(all[i].plain() + " " + all[(i+7)%len(all)].plain())
	}
	f.Fuzz(func(t *testing.T, text string) {
		found := Find(text)
		end := 0
		for _, x := range found {
			if x.Start < end || x.End <= x.Start || x.End > len(text) || x.Rule == "" || x.Description == "" {
				t.Fatalf("%q: %+v", text, found)
			}
			if utf8.ValidString(text) && !utf8.ValidString(text[x.Start:x.End]) {
				t.Fatalf("%q: %+v cuts a character", text, x)
			}
			end = x.End
			checkPosition(t, text, x)
		}
		masked := Mask(text)
		if len(found) == 0 {
			if masked != text {
				t.Fatalf("%q became %q without a finding", text, masked)
			}
			return
		}
		if utf8.ValidString(text) && !utf8.ValidString(masked) {
			t.Fatalf("%q became %q, which is not UTF-8", text, masked)
		}
		for _, x := range found {
			// With stars of its own, a secret could come to be from what Mask puts there.
			if s := text[x.Start:x.End]; !strings.Contains(s, "*") && strings.Contains(masked, s) {
				t.Fatalf("%q became %q, which has %q", text, masked, s)
			}
		}
		// What hid behind a secret may come to light: then, and only then, Mask goes on.
		if again := Mask(masked); len(Find(masked)) == 0 && again != masked {
			t.Fatalf("%q became %q, then %q", text, masked, again)
		}
	})
}
