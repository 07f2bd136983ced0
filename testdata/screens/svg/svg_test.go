package main

import (
	"bytes"
	"encoding/xml"
	"flag"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files anew")

// svgOf runs the program and returns what it prints; it must succeed.
func svgOf(t *testing.T, in string, args ...string) string {
	t.Helper()
	var out, errs bytes.Buffer
	if code := run(args, strings.NewReader(in), &out, &errs); code != exitOK || errs.Len() > 0 {
		t.Fatalf("svg %q ended with exit code %d and said %q", args, code, errs.String())
	}
	return out.String()
}

func TestGolden(t *testing.T) {
	dir := func(name string) string { return filepath.Join("testdata", name) }
	moves := []string{dir("move-1.ansi") + "@3", dir("move-1.ansi") + "@3.2", dir("move-2.ansi") + "@4.5", dir("move-3.ansi") + "@6"}
	for name, args := range map[string][]string{
		"still.svg": {"-columns", "60", "-title", `What "svg" <knows>`, dir("still.ansi")},
		"light.svg": {"-light", dir("still.ansi")},
		"move.svg":  append([]string{"-columns", "30", "-rows", "4", "-hold", "2"}, moves...),
	} {
		t.Run(name, func(t *testing.T) {
			got := svgOf(t, "", args...)
			if *update {
				if err := os.WriteFile(dir(name), []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(dir(name))
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("it is not what testdata/%s has; look at it, then: go test ./testdata/screens/svg -update", name)
			}
			if again := svgOf(t, "", args...); again != got {
				t.Error("the same screen makes another picture the second time")
			}
		})
	}
}

// element is one of an SVG, with its attributes and text.
type element struct {
	name, text string
	attrs      map[string]string
}

// elements reads an SVG, which must be well formed.
func elements(t *testing.T, svg string) []element {
	t.Helper()
	var all []element
	var open []int
	for d := xml.NewDecoder(strings.NewReader(svg)); ; {
		token, err := d.Token()
		if err == io.EOF {
			return all
		}
		if err != nil {
			t.Fatalf("it is no XML: %v\n%s", err, svg)
		}
		switch token := token.(type) {
		case xml.StartElement:
			e := element{name: token.Name.Local, attrs: map[string]string{}}
			for _, a := range token.Attr {
				e.attrs[a.Name.Local] = a.Value
			}
			open = append(open, len(all))
			all = append(all, e)
		case xml.EndElement:
			open = open[:len(open)-1]
		case xml.CharData:
			if len(open) > 0 {
				all[open[len(open)-1]].text += string(token)
			}
		}
	}
}

// texts are the text elements as "x:text".
func texts(t *testing.T, svg string) []string {
	t.Helper()
	var out []string
	for _, e := range elements(t, svg) {
		if e.name == "text" {
			out = append(out, e.attrs["x"]+":"+e.text)
		}
	}
	return out
}

func TestEveryCellIsAtItsColumn(t *testing.T) {
	for screen, want := range map[string][]string{
		"ab cd":                     {"0:ab cd"},
		"ab  cd":                    {"0:ab", "36:cd"},
		"  ab ":                     {"18:ab"},
		"会话ab":                      {"0:会", "18:话", "36:ab"},
		"a🔒b":                       {"0:a", "9:🔒", "27:b"},
		"a→b":                       {"0:a", "9:→", "18:b"},
		"e\u0301a":                  {"0:e\u0301", "9:a"},
		"│a│b":                      {"9:a", "27:b"},
		"a\x1b[1mb\x1b[0mc":         {"0:a", "9:b", "18:c"},
		"<&\">":                     {`0:<&">`},
		"a\x1b[8mb\x1b[28mc":        {"0:a", "18:c"},
		"\x1b[4ma  b\x1b[0m":        {"0:a  b"},
		"\x1b]8;;x\x07ab\x1b]8;;\a": {"0:ab"},
	} {
		if got := texts(t, svgOf(t, screen, "-")); !slices.Equal(got, want) {
			t.Errorf("%q: the texts are %q, not %q", screen, got, want)
		}
	}
	for _, e := range elements(t, svgOf(t, "four é → 会", "-")) {
		if e.name == "text" && e.text == "four é" && e.attrs["textLength"] != strconv.Itoa(6*cellWidth) {
			t.Errorf("six cells are stretched to %q pixels", e.attrs["textLength"])
		}
	}
}

func TestShapes(t *testing.T) {
	for screen, want := range map[string]string{
		"───":                                `<path d="M0 -4.5H27"/>`,
		"┌┐":                                 `<path d="M4.5 -4.5V5M13.5 -4.5V5M4 -4.5H14"/>`,
		"┃":                                  `<path class="s0" d="M4.5 -14V5"/>`,
		"╭":                                  `<path d="M4.5 5V0Q4.5 -4.5 9 -4.5"/>`,
		"─ ─":                                `<path d="M0 -4.5H9M18 -4.5H27"/>`,
		"███":                                `<rect x="0" y="-14" width="27" height="19"/>`,
		"▌":                                  `<rect x="0" y="-14" width="4.5" height="19"/>`,
		"▐":                                  `<rect x="4.5" y="-14" width="4.5" height="19"/>`,
		"▀":                                  `<rect x="0" y="-14" width="9" height="9.5"/>`,
		"▂":                                  `<rect x="0" y="0.25" width="9" height="4.75"/>`,
		"\x1b[41m a \x1b[0m":                 `<rect x="0" y="-14" width="27" height="19" class="s0"/><text x="9">a</text>`,
		"\x1b[41ma\x1b[44mb":                 `<rect x="0" y="-14" width="9" height="19" class="s0"/><rect x="9" y="-14" width="9" height="19" class="s1"/><text x="0">a</text><text x="9">b</text>`,
		"\x1b[7m \x1b[0m":                    `<rect x="0" y="-14" width="9" height="19" class="s0"/>`,
		"a \x1b[1m  \x1b[0m":                 `<text x="0">a</text>`, // blanks at the end
		"\x1b[41m\x1b[30ma\x1b[0m\x1b[31mb│": `<rect x="0" y="-14" width="9" height="19" class="s0"/><path class="s1" d="M22.5 -14V5"/><text x="0" class="s2">a</text><text x="9" class="s0">b</text>`,
	} {
		svg := svgOf(t, screen, "-")
		if !strings.Contains(svg, `<g transform="translate(0 0)">`+want+"</g>\n") {
			t.Errorf("%q is not drawn as %s\n%s", screen, want, svg)
		}
	}
}

func TestAnimation(t *testing.T) {
	dir := t.TempDir()
	var args []string
	for i, screen := range []string{"one\n", "one\ntwo\n", "one\ntwo\n", "two\none\n"} {
		name := filepath.Join(dir, strconv.Itoa(i))
		if err := os.WriteFile(name, []byte(screen), 0o600); err != nil {
			t.Fatal(err)
		}
		args = append(args, name+"@"+strconv.Itoa(10+i))
	}
	svg := svgOf(t, "", append([]string{"-hold", "1"}, args...)...)
	frames, uses := 0, 0
	for _, e := range elements(t, svg) {
		if e.attrs["class"] == "f" {
			frames++
		}
		if e.name == "use" {
			uses++
		}
	}
	if frames != 3 || uses != 5 {
		t.Errorf("%d frames of %d rows in all; three differ, and have five", frames, uses)
	}
	// Times count from the first screen's, 4 seconds in all.
	for _, want := range []string{
		".f{visibility:hidden}\n#f2{visibility:visible}\n@media (prefers-reduced-motion:no-preference){\n.f{animation:4s step-end infinite}\n",
		"@keyframes k0{0%{visibility:visible}25%{visibility:hidden}}\n",
		"@keyframes k1{0%{visibility:hidden}25%{visibility:visible}75%{visibility:hidden}}\n",
		"@keyframes k2{0%{visibility:hidden}75%{visibility:visible}}\n",
	} {
		if !strings.Contains(svg, want) {
			t.Errorf("there is no %s in\n%s", want, svg)
		}
	}
	if n := strings.Count(svg, ">one</text>"); n != 1 {
		t.Errorf("a row that comes again is written %d times", n)
	}
}

func TestErrors(t *testing.T) {
	two := filepath.Join(t.TempDir(), "two")
	if err := os.WriteFile(two, []byte("a\nbcd\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		in   string
		args string
		code int
		says string
	}{
		{"", "", exitUsage, "no screen is named"},
		{"", "a b", exitUsage, `"a" is not FILE@SECONDS`},
		{"", "a@1x b@2", exitUsage, `"a@1x" is not FILE@SECONDS`},
		{"", "@1 b@2", exitUsage, `"@1" is not FILE@SECONDS`},
		{"", "a@NaN b@2", exitUsage, `"a@NaN" is not FILE@SECONDS`},
		{"", two + "@2 " + two + "@2", exitUsage, "times must rise"},
		{"", "-hold 0 -", exitUsage, "-hold is a time"},
		{"", "-hold NaN -", exitUsage, "-hold is a time"},
		{"", "-rows -1 -", exitUsage, "-columns and -rows"},
		{"", "-wide -", exitUsage, "-wide"},
		{"", two + ".not", exitFailure, two + ".not"},
		{"", "-columns 2 " + two, exitFailure, two + ": a line takes 3 columns, and the terminal has 2"},
		{"", "-rows 1 " + two, exitFailure, two + ": it has 2 rows, and the terminal 1"},
		{"", "-o " + two + "/x " + two, exitFailure, two + "/x"},
		{"a\n\x1b[2Jb", "-", exitFailure, `-: line 2: "\x1b[2J" does not belong on a screen`},
		{"a\tb", "-", exitFailure, `line 1: "\t" does not belong`},
		{"a\u0085b", "-", exitFailure, `line 1: "\u0085" does not belong`},
		{"a\ufffeb", "-", exitFailure, `line 1: "\ufffe" does not belong`},
		{"\x1b[38;5m", "-", exitFailure, `line 1: the style \x1b[38;5m cannot be read`},
		{"\x1b[38;2;1;2;256m", "-", exitFailure, `cannot be read`},
		{"\x1b[1", "-", exitFailure, `"\x1b[1" does not belong`},
		{"\xff", "-", exitFailure, "it is not UTF-8"},
	} {
		var out, errs bytes.Buffer
		code := run(strings.Fields(test.args), strings.NewReader(test.in), &out, &errs)
		if code != test.code || !strings.Contains(errs.String(), test.says) || out.Len() > 0 {
			t.Errorf("svg %s of %q: exit code %d, %q and %d bytes; it should be %d, with %q", test.args, test.in, code, errs.String(), out.Len(), test.code, test.says)
		}
	}
}

func TestHelpAndOutput(t *testing.T) {
	var out, errs bytes.Buffer
	if code := run([]string{"-help"}, nil, &out, &errs); code != exitOK || !strings.Contains(errs.String(), "-columns N") {
		t.Errorf("-help: exit code %d, %q", code, errs.String())
	}
	name := filepath.Join(t.TempDir(), "it.svg")
	if printed := svgOf(t, "a", "-o", name, "-"); printed != "" {
		t.Errorf("with -o it printed %q", printed)
	}
	written, err := os.ReadFile(name)
	if err != nil || string(written) != svgOf(t, "a", "-") {
		t.Errorf("-o wrote something else than standard output is given (%v)", err)
	}
}

// FuzzScreen: whatever is read as a screen makes well-formed XML of that many columns.
func FuzzScreen(f *testing.F) {
	still, err := os.ReadFile(filepath.Join("testdata", "still.ansi"))
	if err != nil {
		f.Fatal(err)
	}
	for _, seed := range []string{string(still), "", "\n\n", "a\x1b[0;1;38:2::1:2:3mb", "\u0301", "👩‍👩‍👧 x", "\x1b[;m", "\x1b[58;5;1;4:3mx", "╭─┼╋▏▓"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := parseScreen(text)
		if err != nil {
			return
		}
		svg, err := (&picture{frames: []frame{{screen: s}}, theme: dark, hold: 1}).svg()
		if err != nil {
			t.Fatal(err)
		}
		if root := elements(t, svg)[0]; root.attrs["width"] != strconv.Itoa(s.columns()*cellWidth+2*margin) {
			t.Errorf("%d columns make a picture of %s pixels", s.columns(), root.attrs["width"])
		}
	})
}
