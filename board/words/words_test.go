package words

import (
	"reflect"
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

func TestSpelled(t *testing.T) {
	for _, c := range []struct {
		words string
		value int64
		used  int
	}{
		{"one million five hundred thousand", 1_500_000, 5},
		{"twenty three", 23, 2},
		{"twenty thirty", 20, 1},
		{"two hundred and five", 205, 4},
		{"two hundred and more", 200, 2},
		{"million", 0, 0},
		{"one two", 1, 1},
		{"nineteen hundred", 1900, 2},
	} {
		if value, used := spelled(strings.Fields(c.words)); value != c.value || used != c.used {
			t.Errorf("%q is %d of %d words, want %d of %d", c.words, value, used, c.value, c.used)
		}
	}
}

func TestUngroup(t *testing.T) {
	for in, want := range map[string]string{
		"1,234,567.50": "1234567.50", "1.234.567,50": "1234567.50", "1,23": "", "1.2.3": "",
		"12,34,567": "1234567", "1,2345": "", "": "", "5.": "", "0.5": "0.5",
	} {
		if got := ungroup(in); got != want {
			t.Errorf("ungroup(%q) = %q, want %q", in, got, want)
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

func TestScan(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", ""},
		{"The company's terminated liens", "the compan termin lien"},
		{"Façade ŒUVRE Đà ħal", "facad oeuvr da hal"},
		{"файл ещё οδός исте\u0308к", "фаил еще οδοσ истек"},
		{"$4.5 million", "n:4500000 mill"},
		{"fifteen percent", "p:15 percent"},
		{"at 2:17 p.m.", "at t:14:17 p m"},
		{"March 23, 2026", "d:2026-03-23 n:23 n:2026"},
		{"OH-2021-0109 v1.2.3", "i:oh20210109 i:v1.2.3"},
		{"十日 OK", "c:十日 ok"},
	} {
		var got []string
		for _, l := range new(Scanner).Scan(c.text) {
			key := l.Keys[0]
			if len(l.Want) > 0 {
				key = l.Want[0]
			}
			got = append(got, strings.TrimPrefix(key, "w:"))
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
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

// FuzzRead: any text can be read, in each of the three ways. (FuzzAnalyze says more of
// terms.)
func FuzzRead(f *testing.F) {
	for _, s := range []string{
		"The lien lapses March 23, 2026 at 2:17 p.m., $4.5 million (15%), OH-2021-0109455",
		"抵押权于2026年3月23日失效 450万", "one million five hundred thousand",
		"Retries are not enabled before v1.2, at most 30 s.",
		"\xff 1.2.3.4 v 1e999 2026-99-99 March 99, 2026",
		"99999999999999999999999999999999 kb -1 $ € v1..2",
		"before after, not not without n't", "don’t a\u0301 ŉŀŧ İ ſ",
		"1 h 30 min, 10-15 %, half an hour, one and a half days, two dozen, 1 000 000, 5 pm 1h30m 1½ 12-14 June 2025", "3-5 3–5 1,000,00 4'500'000 4.500.000,00 ١٢٣",
	} {
		f.Add(s)
	}
	var warm Scanner
	f.Fuzz(func(t *testing.T, text string) {
		for _, w := range Split(text, ".'") {
			if w == "" || strings.Trim(w, ".'") != w || strings.ContainsFunc(w, unicode.IsSpace) {
				t.Fatalf("the word %q", w)
			}
		}
		fresh := new(Scanner).Scan(text)
		at := 0
		for i, l := range warm.Scan(text) {
			if l.Start < at || l.End <= l.Start || l.End > len(text) || len(l.Keys) == 0 ||
				l.Kind == Number && len(l.Want) == 0 || !reflect.DeepEqual(l, fresh[i]) {
				t.Fatalf("%+v after %d; without memory %+v", l, at, fresh[i])
			}
			at = l.Start
		}
	})
}
