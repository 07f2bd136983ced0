package markdown

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestReadFront(t *testing.T) {
	for text, want := range map[string]Front{
		"no front matter": {},
		"---\ncustomer: Halvorsen\nfee: 4500\ntags: [billing, halvorsen]\n---\nSent.": {Tags: []string{"billing", "halvorsen"}, Fields: "customer: Halvorsen\nfee: 4500"},
		"---\nname: N\ntitle: T\ntag: '#a #b/c'\n---\n":                               {Title: "T", Tags: []string{"a", "b/c"}},
		"---\nname: N\ntags: a, two words\n---\n":                                     {Title: "N", Tags: []string{"a", "two words"}},
		"---\ntags:\n- x\n- x\nempty:\nof:\n  part: 3\n  list: [1, 2]\n---\n":         {Tags: []string{"x"}, Fields: "of: part: 3, list: 1, 2"},
		"---\nnote: 'a\n  b'\n---\n":                                                  {Fields: "note: a b"},
		"---\na: [\n---\nx":                                                           {Fields: "a: ["},
		"---\njust text\n---\nx":                                                      {Fields: "just text"},
	} {
		if got := ReadFront(text); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%q: %+v, want %+v", text, got, want)
		}
	}
}

// TestNothingIsLost: each word of a document is in a section, or in the title of one.
func TestNothingIsLost(t *testing.T) {
	long := strings.Repeat("word ", 400)
	for text, titles := range map[string][]string{
		"# Rules\n\n## Drop idle ones after 300 s\n\n## Retry once\n\n## Never log\n\nText.": {"Rules › Drop idle ones after 300 s", "Rules › Retry once", "Rules › Never log"},
		"# Only":                                  {"Only"},
		"# A\n# B\n## C\n":                        {"n › A", "n › B › C"},
		"# A\n\n## B":                             {"A › B"},
		"## B\n# A\n":                             {"n › B", "n › A"},
		"---\nfee: 4500\n---\n":                   {"n"},
		"---\nfee: 4500\n---\nSent on Friday.":    {"n"},
		"---\nfee: 4500\n---\n# Bill\n## To\nyou": {"Bill › To"},
		"---\nabstract: " + long + "\n---\nText.": {"n", "n"},
	} {
		var got []string
		all := ""
		for _, s := range Sections("n.md", text) {
			got = append(got, s.Title)
			all += s.Title + " " + s.Body + " "
			if lines := strings.Split(text, "\n"); s.Line < 1 || s.Line > len(lines) {
				t.Errorf("%q: line %d", text, s.Line)
			}
		}
		if !slices.Equal(got, titles) {
			t.Errorf("%.60q: %q, want %q", text, got, titles)
		}
		for _, word := range strings.Fields(strings.NewReplacer("#", "", "---", "").Replace(text)) {
			if !strings.Contains(all, word) {
				t.Errorf("%.60q: %q is in no section", text, word)
			}
		}
	}
}
