package page

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"blackboard/testdata/expect"
)

// TestMentions: what a text names, and nothing that only looks like it.
func TestMentions(t *testing.T) {
	for text, want := range map[string]string{
		"See entry:e21, s3 and (e4).":                                  "e21 s3 e4",
		"kb:ktmx000001 says memory:m000000001":                         "ktmx000001 m000000001",
		"tui/keys/keys.go:42 and main.go, or doc.go#L7-9":              "tui/keys/keys.go@42 main.go@ doc.go@7",
		"at https://example.org/a_(b)?x=1, or <http://x.test/>.":       "https://example.org/a_(b)?x=1, http://x.test/",
		"`e12` [s9] **e7** e12x xe12 E5 e0 s03":                        "e12 s9 e7",
		"docs/日本語.md:3":                                                "docs/日本語.md@3",
		"../../etc/passwd.d:1 ~/x.txt":                                 "../../etc/passwd.d@1 ~/x.txt@",
		"no id in a word such as membership or kettledrum but seldom":  "",
		"nothing 3.1 1.2.3 §4 12:30":                                   "",
		"1 of 2 at 10 ms; (https://example.org/x). https://e.test/?q=": "https://example.org/x). https://e.test/?q=",
	} {
		var got []string
		for _, m := range mention.FindAllStringSubmatch(text, -1) {
			switch {
			case m[1] != "":
				got = append(got, m[1])
			case m[2] != "":
				got = append(got, m[2]+"@"+m[3])
			case CapsuleID.MatchString(m[4]) || ItemID.MatchString(m[4]) || EntryOrSignalID.MatchString(m[4]):
				got = append(got, m[4])
			}
		}
		if s := strings.Join(got, " "); s != want && want != "" || want == "" && strings.ContainsAny(s, "@:") {
			t.Errorf("%q names %q, not %q", text, s, want)
		}
	}
	a := NewApp(context.Background(), Config{})
	for url, want := range map[string]string{"https://x.test/a).": "https://x.test/a", "https://x.test/a_(b)": "https://x.test/a_(b)", "https://x.test/**,": "https://x.test/"} {
		if got := a.urlLink(url).Name; got != want {
			t.Errorf("%q is %q", url, got)
		}
	}
}

func TestSourceFile(t *testing.T) {
	dir := t.TempDir()
	expect.OK(t, os.WriteFile(filepath.Join(dir, "auth.go"), []byte("package auth\n"), 0o600))
	expect.OK(t, os.WriteFile(filepath.Join(dir, "-c.go"), nil, 0o600))
	a := NewApp(context.Background(), Config{Files: dir})
	for _, c := range []struct {
		doc, ref string
		name     string // "": an error
		line     int
	}{
		{"auth.go", "L42", "auth.go", 42}, {"auth.go", "line 7", "auth.go", 7}, {"auth.go", "12-20", "auth.go", 12}, {"auth.go", ":3", "auth.go", 3},
		{"auth.go:9", "", "auth.go", 9}, {"auth.go", "§ 3.1", "auth.go", 0}, {"auth.go", "", "auth.go", 0}, {"auth.go", "the 3rd paragraph", "auth.go", 0},
		{"-c.go", "", "-c.go", 0}, {filepath.Join(dir, "auth.go"), "p. 4, lines 8 to 9", "auth.go", 8},
		{"", "L1", "", 0}, {"gone.go", "L1", "", 0}, {"https://example.org/x", "", "", 0}, {".", "", "", 0},
	} {
		path, line, err := a.sourceFile(c.doc, c.ref)
		switch {
		case c.name == "" && err == nil:
			t.Errorf("%q %q: %s is opened", c.doc, c.ref, path)
		case c.name != "" && (err != nil || path != filepath.Join(dir, c.name) || line != c.line):
			t.Errorf("%q %q: %s line %d, %v", c.doc, c.ref, path, line, err)
		}
	}
}
