package secret

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"
)

// marked returns text with its findings between « and ».
func marked(text string, found []Finding) string {
	var b strings.Builder
	at := 0
	for _, f := range found {
		b.WriteString(text[at:f.Start] + "«" + text[f.Start:f.End] + "»")
		at = f.End
	}
	return b.String() + text[at:]
}

func TestFind(t *testing.T) {
	for _, s := range append(samples(), harmlessSamples()...) {
		t.Run(s.name, func(t *testing.T) {
			found := Find(s.plain())
			if got := marked(s.plain(), found); got != s.text {
				t.Errorf("got  %q, %+v\nwant %q", got, found, s.text)
			}
			for _, f := range found {
				if f.Rule != s.rule || f.Description == "" {
					t.Errorf("%+v, want the rule %s", f, s.rule)
				}
				checkPosition(t, s.plain(), f)
			}
		})
	}
}

// checkPosition counts lines and columns the slow way.
func checkPosition(t *testing.T, text string, f Finding) {
	t.Helper()
	before := text[:f.Start]
	line := 1 + strings.Count(before, "\n")
	column := 1 + utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:])
	if f.Line != line || f.Column != column {
		t.Errorf("%+v is at %d:%d", f, line, column)
	}
}

// TestTogether: the harmless texts do not hide the others, whatever surrounds them.
func TestTogether(t *testing.T) {
	var text, want []string
	for i, s := range samples() {
		text = append(text, harmlessSamples()[i].text, s.plain())
		for _, part := range strings.Split(s.text, "«")[1:] {
			secret, _, _ := strings.Cut(part, "»")
			want = append(want, s.rule+" "+secret)
		}
	}
	all := strings.Join(text, "\n\n")
	var got []string
	for _, f := range Find(all) {
		got = append(got, f.Rule+" "+all[f.Start:f.End])
		checkPosition(t, all, f)
	}
	for i, w := range want {
		if !slices.Contains(got, w) {
			t.Errorf("%d is not there: %s", i, w)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d findings, want %d", len(got), len(want))
	}
}

// TestBase64 looks for chance hits in what is long and random, such as images.
func TestBase64(t *testing.T) {
	m := newMaker(3)
	for i := range 100 {
		text := "The key of the image, a token: data:image/png;base64," + m.base64(3000) + " and so on"
		if found := Find(text); len(found) > 0 {
			t.Errorf("%d: %+v", i, found)
		}
	}
}

func TestMask(t *testing.T) {
	m := newMaker(4)
	token, other, short := "gh"+"p_"+m.of(mixed, 36), "gh"+"p_"+m.of(mixed, 36), "q7!x_P2"
	url := func(p string) string { return "redis://u:" + p + "@cache" }
	for name, test := range map[string]struct{ text, want string }{
		"nothing":    {"the token expires", "the token expires"},
		"empty":      {"", ""},
		"one":        {"a " + token + " b", "a ghp_**** b"},
		"two":        {token + " " + other, "ghp_**** ghp_****"},
		"elsewhere":  {"token=" + token + "\n(x" + token + "x)", "token=ghp_****\n(xghp_****x)"},
		"short":      {url(short), url("q****")},
		"runes":      {url("äö7ü-ßé8à"), url("äö****")},
		"private":    {"x\n" + m.pem("RSA ", 3) + "\ny", "x\n----****\ny"},
		"masked":     {url("q7!x****"), url("q7!x****")},
		"start, end": {token, "ghp_****"},
		"one holds the other": {url("q7!x_P") + " " + url("q7!x_P2v8-9wkk3") + " q7!x_P2v8-9wkk3",
			url("q****") + " " + url("q****") + " q****"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := Mask(test.text); got != test.want {
				t.Errorf("got  %q\nwant %q", got, test.want)
			}
		})
	}
}

// TestMaskLines: a text keeps its lines, and each place is told.
func TestMaskLines(t *testing.T) {
	m := newMaker(5)
	token := "gh" + "p_" + m.of(mixed, 36)
	got, all := MaskLines("x\n" + m.pem("RSA ", 3) + "\ny\n" + token + " " + token + "\n")
	if want := "x\n----****\n\n\n\n\ny\nghp_**** ghp_****\n"; got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if len(all) != 3 || all[0].Line != 2 || all[1].Line != 8 || all[2] != (Masking{"github-pat", 8}) {
		t.Errorf("%+v", all)
	}
	if got, all := MaskLines("no secret"); got != "no secret" || all != nil {
		t.Errorf("%q, %+v", got, all)
	}
}

// TestMaskSamples: nothing is found in what Mask returns, so it is idempotent, and harmless texts
// stay.
func TestMaskSamples(t *testing.T) {
	for _, s := range append(samples(), harmlessSamples()...) {
		text := s.plain()
		got := Mask(text)
		if found := Find(got); len(found) > 0 {
			t.Errorf("%s: %q has %+v", s.name, got, found)
		}
		if s.rule == "" && got != text {
			t.Errorf("%s: %q became %q", s.name, text, got)
		}
	}
}

func TestMerge(t *testing.T) {
	special, other, generic := &rule{ID: "a", order: 1}, &rule{ID: "b", order: 2}, &rule{ID: "generic-x", order: 0}
	for name, test := range map[string]struct {
		in   []span
		want string
	}{
		"none":                   {nil, ""},
		"apart":                  {[]span{{5, 9, other}, {1, 5, special}}, "1-5 a, 5-9 b"},
		"the same, generic last": {[]span{{1, 5, generic}, {1, 5, special}}, "1-5 a"},
		"longer wins":            {[]span{{1, 5, special}, {1, 9, other}}, "1-9 b"},
		"even as generic":        {[]span{{1, 5, special}, {1, 9, generic}}, "1-9 a"},
		"overlap":                {[]span{{1, 5, special}, {4, 10, other}}, "1-10 b"},
		"chain":                  {[]span{{1, 5, special}, {4, 10, generic}, {9, 12, other}}, "1-12 a"},
		"inside":                 {[]span{{1, 20, special}, {4, 10, other}, {12, 15, generic}}, "1-20 a"},
		"equals in file order":   {[]span{{1, 5, other}, {1, 5, special}}, "1-5 a"},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, s := range merge(test.in) {
				got = append(got, fmt.Sprintf("%d-%d %s", s.start, s.end, s.rule.ID))
			}
			if got := strings.Join(got, ", "); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

func TestConcurrent(t *testing.T) {
	var wg sync.WaitGroup
	for _, s := range samples() {
		wg.Go(func() {
			if got := marked(s.plain(), Find(s.plain())); got != s.text {
				t.Errorf("got %q", got)
			}
			Mask(s.plain())
		})
	}
	wg.Wait()
}
