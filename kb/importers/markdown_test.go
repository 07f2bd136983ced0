package importers

import (
	"fmt"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"blackboard/kb"
	"blackboard/kb/markdown"
	"blackboard/testdata/cost"
	"blackboard/testdata/expect"
)

// importMarkdown reads one markdown file called note.md.
func importMarkdown(tb testing.TB, text string) *kb.ImportSet {
	tb.Helper()
	return importSet(tb, filepath.Join(importFiles(tb, map[string]string{"note.md": text}),
		"note.md"), "markdown")
}

func TestImportMarkdown(t *testing.T) {
	conf := 0.8
	at := func(s string) time.Time {
		at, ok := parseTime(s)
		if !ok {
			t.Fatal(s)
		}
		return at
	}
	for name, tc := range map[string]struct {
		text  string
		want  kb.Capsule
		notes []string
	}{
		"plain": {"just text\n", kb.Capsule{Title: "note", Body: "just text"}, nil},
		"heading": {"\n# A title #\n\ntext\n\n## Part\nmore",
			kb.Capsule{Title: "A title", Body: "text\n\n## Part\nmore"}, nil},
		"CRLF and BOM": {"\ufeff# A title\r\n\r\ntext\r\nmore\r\n",
			kb.Capsule{Title: "A title", Body: "text\nmore"}, nil},
		"setext": {"A title\n=======\ntext",
			kb.Capsule{Title: "A title", Body: "text"}, nil},
		"later heading": {"text\n```\n# code\n```\n\n# Part\nmore", kb.Capsule{Title: "Part",
			Body: "text\n```\n# code\n```\n\n# Part\nmore"}, nil},
		"lower heading": {"#### Notes\n- the pump starts at 40 degrees", kb.Capsule{Title: "note",
			Body: "#### Notes\n- the pump starts at 40 degrees"}, nil},
		"a hash": {"#no heading\ntext", kb.Capsule{Title: "note",
			Body: "#no heading\ntext"}, nil},
		"rule at top": {"---\nText between rules.\n---\n\n# T\nmore", kb.Capsule{Title: "T",
			Body: "---\nText between rules.\n---\n\n# T\nmore"}, []string{"has no front matter"}},
		"never closed": {"---\ntitle: x\n\ntext", kb.Capsule{Title: "note",
			Body: "---\ntitle: x\n\ntext"}, []string{"has no front matter"}},
		"empty": {"---\n---\n# T\ntext", kb.Capsule{Title: "T", Body: "text"}, nil},
		"comments": {"---\n# nothing\n---\n# T\ntext",
			kb.Capsule{Title: "T", Body: "text"}, nil},
		"own names": {
			"---\ntitle: T\nkind: recipe\nscope: domain\ntags: [b, a]\ndomain_tags: x, y\nsource: s\nconfidence: 0.8\nverified_by: v\nsupersedes: [k000000000]\nrefs: [r, q]\nworkspace: /w\nproject: p\n---\ntext", kb.Capsule{Title: "T", Body: "text", Kind: "recipe", Scope: "domain", Tags: []string{"a", "b"}, DomainTags: []string{"x", "y"}, Source: "s", Confidence: &conf, VerifiedBy: "v", Supersedes: []string{"k000000000"}, Refs: []string{"r", "q"}, Workspace: "/w", Project: "p"}, nil},
		"workspace": {"---\nworkspace: /w\n---\ntext", kb.Capsule{Title: "note",
			Body: "text", Scope: "workspace", Workspace: "/w"}, nil},
		"no workspace": {"---\nscope: workspace\n---\ntext", kb.Capsule{Title: "note",
			Body: "text\n\nscope: workspace"}, []string{"scope"}},
		"aliases": {
			"---\nname: T\ntype: anti-pattern\nLabels: '#b, a'\nkeywords: [c]\ndate: 2025-06-01\nupdated_at: 2025-06-02 10:00\n---\ntext", kb.Capsule{Title: "T", Body: "text", Kind: "anti_pattern", Tags: []string{"a", "b", "c"}, Created: at("2025-06-01"), Updated: at("2025-06-02 10:00")}, nil},
		"two of a kind": {
			"---\nname: N\ntitle: T\ndate: 2025-06-01\ncreated: 2025-06-02\n---\ntext",
			kb.Capsule{Title: "T", Body: "text\n\nname: N\ndate: 2025-06-01",
				Created: at("2025-06-02")}, []string{"name, date"}},
		"unknown type": {"---\ntype: meeting\n---\ntext", kb.Capsule{Title: "note",
			Body: "text", Tags: []string{"meeting"}}, []string{`unknown kind "meeting"`}},
		"description": {"---\ntitle: T\ndescription: What it is\n---\ntext",
			kb.Capsule{Title: "T", Body: "What it is\n\ntext"}, nil},
		"it is there": {"---\ntitle: T\ndescription: What it is\n---\nThis is What\nit is.",
			kb.Capsule{Title: "T", Body: "This is What\nit is."}, nil},
		"as the title": {"---\ndescription: What it is\n---\ntext",
			kb.Capsule{Title: "What it is", Body: "text"}, nil},
		"heading first": {"---\ndescription: What it is\n---\n# T\ntext",
			kb.Capsule{Title: "T", Body: "What it is\n\ntext"}, nil},
		"only description": {"---\ndescription: What it is\n---\n",
			kb.Capsule{Title: "What it is", Body: "What it is"}, nil},
		"other keys": {
			"---\ntitle: T\nid: 42\nversion: 1.10\nnothing:\nlist: [a, {b: 'c, d'}]\ntext: |\n  one\n  two\nrevision: 3\n---\ntext", kb.Capsule{Title: "T", Body: "text\n\nid: 42\nversion: 1.10\nlist: [a, {b: \"c, d\"}]\ntext: one\n  two\nrevision: 3"}, []string{"id, version, list, text, revision"}},
		"bad values": {
			"---\ntitle: T\nscope: galaxy\nconfidence: 80\ncreated: soon\ntags: {a: b}\nsupersedes: x\nsource: [a, b]\n---\ntext", kb.Capsule{Title: "T", Body: "text\n\nscope: galaxy\nconfidence: 80\ncreated: soon\ntags: {a: b}\nsupersedes: x\nsource: [a, b]"}, []string{"scope, confidence"}},
		"aliased value": {"---\ntitle: &a T\nsource: *a\ntags: &l [x]\nother: *l\n---\ntext",
			kb.Capsule{Title: "T", Body: "text\n\nother: [x]", Source: "T", Tags: []string{"x"}},
			[]string{"other"}},
		"a title of lines": {"---\ntitle: |\n  one\n  two\n---\ntext",
			kb.Capsule{Title: "one two", Body: "text"}, []string{"replaced by spaces"}},
		"a key that is one": {"---\n? [a, b]\n: c\n---\ntext", kb.Capsule{Title: "note",
			Body: "text\n\n[a, b]: c"}, []string{"[a, b]"}},
		"retired": {"---\nretired: 2025-06-01\nretired_why: old\n---\ntext",
			kb.Capsule{Title: "note", Body: "text", Retired: ptr(at("2025-06-01")),
				RetiredWhy: "old"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			it := importOne(t, importMarkdown(t, tc.text))
			expect.OK(t, tc.want.Normalise())
			if !reflect.DeepEqual(it.Capsule, tc.want) {
				t.Errorf("read\n%+v, want\n%+v", it.Capsule, tc.want)
			}
			if len(it.Notes) != len(tc.notes) {
				t.Errorf("notes %q, want %q", it.Notes, tc.notes)
			}
			for _, n := range tc.notes {
				if !noted(it.Notes, n) {
					t.Errorf("notes %q, want %q", it.Notes, n)
				}
			}
		})
	}
}

func ptr[T any](v T) *T { return &v }

func TestImportMarkdownRefuses(t *testing.T) {
	cost.SkipUnlessLong(t)
	bomb := "a0: &a0 [" + strings.Repeat("x,", 9) + "x]\n"
	for i := 1; i < 30; i++ {
		bomb += fmt.Sprintf("a%d: &a%d [%s]\n", i, i,
			strings.Repeat(fmt.Sprintf("*a%d,", i-1), 10))
	}
	for name, tc := range map[string]struct{ text, words string }{
		"not YAML": {"---\ntitle: T\ndescription: a: b\n---\ntext", "not YAML: line 3:"},
		"unclosed": {"---\ntitle: \"T\n---\ntext", "not YAML: line 2:"},
		"tab":      {"---\ntitle: T\n\tx: y\n---\ntext", "not YAML: line 3:"},
		"twice": {"---\ntitle: T\ntitle: U\n---\ntext",
			`line 3: its front matter has the key "title" already in line 2`},
		"bomb":   {"---\n" + bomb + "---\ntext", "the front matter expands to more than"},
		"itself": {"---\na: &a [*a]\n---\ntext", "the front matter expands to more than"},
		"deep": {"---\na: " + strings.Repeat("[", 100_000) + "\n---\ntext",
			"not YAML: line 2: exceeded max depth"},
		"deep block": {"---\n" + strings.Repeat("- ", 100_000) + "\n---\ntext",
			"not YAML: line 2: exceeded max depth"},
		"large": {"---\na: " + strings.Repeat("b", markdown.MaxFront) + "\n---\ntext",
			"the limit is 262144"},
		"much": {"---\na: " + strings.Repeat("b", kb.MaxBody) + "\n---\ntext",
			"the body has 65545 bytes"},
		"several":        {"---\na: b\n--- \nc: d\n---\n", ""},
		"unknown anchor": {"---\na: *b\n---\ntext", "not YAML"},
	} {
		t.Run(name, func(t *testing.T) {
			set := importMarkdown(t, tc.text)
			if tc.words == "" {
				importOne(t, set)
				return
			}
			importRefused(t, set, "note.md", tc.words)
		})
	}
}

// TestImportSidecars: a folder of our own files comes in whole.
func TestImportSidecars(t *testing.T) {
	full := fullCapsule()
	text := expect.Value(kb.EncodeSidecar(&full, map[string]any{"reviewer": "somebody"}))(t)
	small := kb.Capsule{ID: "k222222222", Kind: "fact", Scope: "universal",
		Title: "small", Body: "b", Revision: 1}
	other := expect.Value(kb.EncodeSidecar(&small, nil))(t)
	dir := importFiles(t, map[string]string{
		"kb/capsules/k3f9x0c2ma.md": string(text), "kb/capsules/small copy.md": string(other),
		"kb/capsules/small.md": string(other),
		"kb/capsules/k444444444.md": strings.Replace(strings.Replace(string(other), "k222222222",
			"k444444444", 1), "kind: fact", "kind: rumour", 1),
	})
	set := importSet(t, dir, "auto")
	if len(set.Items) != 2 || len(set.Refused) != 2 {
		t.Fatalf("%+v", set)
	}
	want := full
	// a sidecar has none of these
	want.DecayScore, want.Retrieved, want.Model, want.Dim = 0, nil, "", 0
	want.Body = strings.TrimSpace(want.Body) + "\n\nreviewer: somebody"
	expect.OK(t, want.Normalise())
	if got := set.Items[0]; !reflect.DeepEqual(got.Capsule, want) ||
		!noted(got.Notes, "reviewer") {
		t.Errorf("read\n%+v, want\n%+v", got, want)
	}
	if r := set.Refused; !strings.Contains(r[0].Why, `kind "rumour" is unknown`) ||
		!strings.Contains(r[1].Why, "k222222222") || !strings.Contains(r[1].Why, "small copy.md") {
		t.Errorf("%+v", r)
	}
}
