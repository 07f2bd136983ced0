package importers

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"

	"blackboard/board/fault"
	"blackboard/kb"
	"blackboard/kb/markdown"
	"blackboard/testdata/expect"
)

// importWhole fails on what can only be a mistake of the reader.
func importWhole(t *testing.T, im *importer, err error) {
	t.Helper()
	var e *fault.Error
	if err != nil && !errors.As(err, &e) {
		t.Fatalf("%v names no next step", err)
	}
	importSound(t, im.set)
	expect.Value(json.Marshal(im.set))(t)
}

// linesOf counts the lines that are not blank.
func linesOf(text string) (n int) {
	for l := range strings.Lines(strings.TrimPrefix(text, "\ufeff")) {
		if strings.TrimSpace(l) != "" {
			n++
		}
	}
	return n
}

func FuzzImportJSONL(f *testing.F) {
	var b bytes.Buffer
	expect.Value(WriteExport(&b, exported([]kb.Capsule{fullCapsule()}, nil)))(f)
	_, full, _ := strings.Cut(b.String(), "\n")
	for _, s := range []string{full, full + full, `{"title":"t","body":"b"}`,
		`{"title":"t","body":"b","confidence":7}` + "\n\n{",
		`{"id":"k000000000","title":"\u0000\ud800","body":"b","created":"9999-12-31T23:59:59-12:00"}`, "\xff", "[]"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		im := newImporter(context.Background())
		err := im.readExport("x", strings.NewReader(jsonlHeader+text))
		importWhole(t, im, err)
		expect.OK(t, err)
		if n := linesOf(text); len(im.set.Items)+len(im.set.Refused) != n {
			t.Fatalf("%d lines, %d items and %d refused", n,
				len(im.set.Items), len(im.set.Refused))
		}
		// What was read can be written, and read again as it was.
		var caps []kb.Capsule
		for _, it := range im.set.Items {
			caps = append(caps, it.Capsule)
		}
		var b bytes.Buffer
		if n, err := WriteExport(&b, exported(caps, nil)); err != nil || n != len(caps) {
			t.Fatal(n, err)
		}
		again := newImporter(context.Background())
		if err := again.readExport("x", &b); err != nil || len(again.set.Items) != len(caps) {
			t.Fatalf("%v: %+v", err, again.set)
		}
		for i, it := range again.set.Items {
			if !reflect.DeepEqual(it.Capsule, caps[i]) {
				t.Fatalf("read\n%+v, wrote\n%+v", it.Capsule, caps[i])
			}
		}
	})
}

var markdownSeeds = []string{
	"# T\ntext", "---\ntitle: T\ntags: [a, b]\ncreated: 2025-06-01\nother: {a: [b]}\n---\ntext",
	"---\na: &a [*a]\n---\n", "---\n- a\n---\n", "---\n? [a]\n: b\n---\n",
	"---\n~: 1\n!!binary x: y\n---\nz",
	"---\nname: x: y\ntype: feedback\nmetadata:\n  type: user\n---\ntext",
	"---\nmetadata: &m {type: *m, a: b}\n---\nx", "---\n<<: {a: b}\n? \n---\nx",
	"\ufeff---\r\ntitle: a\r\n...\r\n# b\r\nc", "T\n===\nx",
	"---\ntitle: \"\\0\\x07\"\n---\nx",
	"---\nid: k000000000\nkind: fact\nscope: universal\ntitle: t\ncreated: 2025-06-01T00:00:00Z\nupdated: 2025-06-01T00:00:00Z\nextra: 1\n---\nb",
}

func FuzzImportMarkdown(f *testing.F) {
	for _, s := range markdownSeeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		im := newImporter(context.Background())
		im.takeMarkdown("a/b.md", text, markdownSource{})
		importWhole(t, im, nil)
		if len(im.set.Items)+len(im.set.Refused) != 1 {
			t.Fatalf("%+v", im.set)
		}
	})
}

func FuzzImportClaude(f *testing.F) {
	for _, s := range append(markdownSeeds, "# M\n- [a](a.md) x\n- [[b]]\n## P\nfree", "#\v",
		"[a](../x.md)\n[a](<a b.md>)\n1. **[a](a.md#x)**: y\n[](%zz.md)", " \ufeff") {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		im := newImporter(context.Background())
		im.takeMarkdown("a/b.md", text, markdownSource{claude: true, workspace: "/w"})
		im.takeMarkdown("a/c.md", text, markdownSource{claude: true,
			project: "-p", notes: []string{"n"}})
		importWhole(t, im, nil)
		if len(im.set.Items)+len(im.set.Refused) != 2 {
			t.Fatalf("%+v", im.set)
		}
		// All lines of an index are there, or were counted, but for headings and blank
		// lines. A byte order mark goes once: a second one, or one within, is text.
		rest, linked := removeLinks(text, func(file string) bool { return len(file)%2 == 0 })
		words := func(s string) (n int) {
			for l := range strings.Lines(markdown.LineEnds.ReplaceAllString(s, "\n")) {
				// what is left is trimmed at its ends, whatever blanks those are
				if l = strings.TrimRight(l, "\n"); strings.TrimSpace(l) != "" &&
					!mdHeading.MatchString(strings.TrimSpace(l)) {
					n++
				}
			}
			return n
		}
		whole := words(strings.TrimPrefix(text, "\ufeff"))
		if words(rest)+linked != whole {
			t.Fatalf("%q has %d lines, %q has %d, and %d are linked", text, whole,
				rest, words(rest), linked)
		}
		if esc := escapeClaude(text); strings.Trim(esc,
			"-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz") != "" {
			t.Fatal(esc)
		}
	})
}

// FuzzFrontMatter: front matter is read, or said to be wrong, without following it
// anywhere; what this program writes, it reads.
func FuzzFrontMatter(f *testing.F) {
	for _, s := range markdownSeeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		meta, body, found := markdown.Split(text)
		if !found && (meta != "" ||
			body != markdown.LineEnds.ReplaceAllString(strings.TrimPrefix(text, "\ufeff"), "\n")) {
			t.Fatalf("%q was changed to %q and %q", text, meta, body)
		}
		if again, rest, ok := markdown.Split("---\n" + meta + "---\n" + body); found &&
			(meta == "" || strings.HasSuffix(meta, "\n")) &&
			(!ok || again != meta || rest != body) {
			t.Fatalf("%q and %q become %q and %q", meta, body, again, rest)
		}
		fields, _, err := markdown.ReadFields(text)
		values := map[string]string{}
		for _, m := range fields {
			left := maxExpanded
			s, ok := m.Text(&left)
			if ok && len(s) > 8*maxExpanded || m.Line < 2 {
				t.Fatalf("%q is %d bytes, of line %d", m.Key, len(s), m.Line)
			}
			values[m.Key] = s
		}
		if err != nil || len(values) == 0 {
			return
		}
		out, err := yaml.Dump(values)
		if err != nil {
			return // texts that YAML cannot hold
		}
		again, rest, err := markdown.ReadFields("---\n" + string(out) + "---\nbody")
		if err != nil || rest != "body" || len(again) != len(values) {
			t.Fatalf("%q is read as %v %q %v", out, again, rest, err)
		}
		for _, m := range again {
			left := maxExpanded
			if s, _ := m.Text(&left); s != values[m.Key] {
				t.Fatalf("%q is read as %q, not %q", m.Key, s, values[m.Key])
			}
		}
	})
}
