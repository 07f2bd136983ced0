package words

import (
	"strings"
	"testing"
	"unicode"
)

func TestStem(t *testing.T) {
	for _, same := range []string{
		"lapse lapses lapsed lapsing", "terminate terminates terminated terminating termination",
		"subordinate subordination subordinated",
		"commit committed commits", "filing filings filed files file", "party parties",
		"verify verified verifies verification", "liability liabilities",
		"gap gaps", "dilute dilution diluted", "continue continued continues",
		"agree agreed agrees", "expire expired expires",
	} {
		words := strings.Fields(same)
		for _, w := range words[1:] {
			if Stem(w) != Stem(words[0]) {
				t.Errorf("%s → %s, but %s → %s", words[0], Stem(words[0]), w, Stem(w))
			}
		}
	}
	for _, pair := range [][2]string{{"lien", "line"}, {"agree", "agreement"},
		{"status", "state"}, {"notice", "note"}} {
		if Stem(pair[0]) == Stem(pair[1]) {
			t.Errorf("%s and %s are both %s", pair[0], pair[1], Stem(pair[0]))
		}
	}
}

func TestBase(t *testing.T) {
	for _, same := range []string{
		"retry retries retried", "enable enables enabled enabling", "cache caches cached",
		"limit limits limited", "stop stopped stopping", "deny denied denies",
		"class classes", "box boxes", "branch branches", "service service's", "read-only readonly",
	} {
		forms := strings.Fields(same)
		for _, w := range forms[1:] {
			if Base(w) != Base(forms[0]) {
				t.Errorf("%s → %s, but %s → %s", forms[0], Base(forms[0]), w, Base(w))
			}
		}
	}
	for _, w := range []string{"100ms", "foo.js", "status", "basis", "class",
		"v1.2s", "src/files", ""} {
		if Base(w) != w {
			t.Errorf("%s → %s", w, Base(w))
		}
	}
	if Base("terminate") == Base("termination") {
		t.Error("a word made of another is a form of it")
	}
}

func TestSplit(t *testing.T) {
	for _, c := range []struct{ text, inside, want string }{
		{"", "", ""},
		{" .,'’ ", ".'", ""},
		{"Don’t split foo.go. It's 1.5!", ".'", "don't split foo.go it's 1.5"},
		{"Don’t split foo.go. It's 1.5!", "", "don t split foo go it s 1 5"},
		{"capturePane snake_case kebab-case a/b", "", "capturepane snake case kebab case a b"},
		{"cafe\u0301 हिन्दी ÉTÉ", "", "cafe\u0301 हिन्दी été"},
		{"a\xffb", "", "a b"},
	} {
		if got := strings.Join(Split(c.text, c.inside), " "); got != c.want {
			t.Errorf("%q, %q: %q, want %q", c.text, c.inside, got, c.want)
		}
	}
}

func TestNegates(t *testing.T) {
	for word, want := range map[string]bool{"not": true, "cannot": true, "couldn't": true,
		"without": true, "avoids": true, "hardly": true, "note": false, "n": false,
		"cant": false, "": false} {
		if Negates(word) != want {
			t.Errorf("%q: %v", word, !want)
		}
	}
}

// FuzzRead: any text can be split. (FuzzAnalyze says more of terms.)
func FuzzRead(f *testing.F) {
	for _, s := range []string{"The lien lapses March 23, 2026 at 2:17 p.m., $4.5 million (15%), OH-2021-0109455",
		"抵押权于2026年3月23日失效 450万", "\xff 1.2.3.4 v 1e999 2026-99-99 March 99, 2026",
		"before after, not not without n't", "don’t a\u0301 ŉŀŧ İ ſ"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, w := range Split(text, ".'") {
			if w == "" || strings.Trim(w, ".'") != w || strings.ContainsFunc(w, unicode.IsSpace) {
				t.Fatalf("the word %q", w)
			}
		}
	})
}
