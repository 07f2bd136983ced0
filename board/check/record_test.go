package check

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"blackboard/board/documents"
	"blackboard/testdata/expect"
)

func document(t *testing.T, name, text string) *documents.Document {
	t.Helper()
	d := expect.Value(documents.Read(name, strings.NewReader(text)))(t)
	return d
}

// TestRecordNamesNoPlace: a record names a report by its path in the project, whoever is where.
func TestRecordNamesNoPlace(t *testing.T) {
	dir := t.TempDir()
	project := filepath.Join(dir, "project")
	expect.OK(t, os.MkdirAll(filepath.Join(project, "docs"), 0o755))
	link := filepath.Join(dir, "link")
	if err := os.Symlink(project, link); err != nil {
		t.Skip(err)
	}
	expect.OK(t, os.Symlink(filepath.Join(dir, "elsewhere.md"), filepath.Join(project, "linked.md")))
	t.Chdir(filepath.Join(project, "docs"))
	for file, want := range map[string]string{
		"a.md":                              "docs/a.md",
		"../a.md":                           "a.md",
		"../docs/../a.md":                   "a.md",
		filepath.Join(project, "a.md"):      "a.md",
		filepath.Join(link, "docs/a.md"):    "docs/a.md",
		filepath.Join(project, "linked.md"): "linked.md",
		"../../elsewhere.md":                "elsewhere.md",
		"/gone/a.md":                        "a.md",
	} {
		for _, root := range []string{project, link, ".."} {
			if got := relPath(root, file); got != want {
				t.Errorf("%s below %s: %s instead of %s", file, root, got, want)
			}
		}
	}
	if DirDigest(project) != DirDigest(link) || DirDigest(project) == DirDigest(dir) || len(DirDigest(dir)) != 16 {
		t.Errorf("%s, %s, %s", DirDigest(project), DirDigest(link), DirDigest(dir))
	}
}

// TestRecordNeedsAReport: what did not check a report, or may not write, is not on record.
func TestRecordNeedsAReport(t *testing.T) {
	b, in := newRun(t, true)
	whole := in
	whole.Worker, whole.Dir = "ci", t.TempDir()
	whole.Reports = []*documents.Document{document(t, "report.md", "Nothing")}
	looks, unnamed, without := whole, whole, whole
	looks.Worker, unnamed.Dir, without.Reports = "", "", nil
	for _, c := range []struct {
		what  string
		in    Input
		steps []string
		want  int
	}{
		{"a look", looks, nil, 0},
		{"a text without a name", unnamed, nil, 0},
		{"no report", without, nil, 0},
		{"steps that read no report", whole, []string{Gate, Verify, Conflicts}, 0},
		{"a report", whole, []string{Survival}, 1},
	} {
		r := run(t, b, Policy{Steps: c.steps}, c.in)
		if err := Record(t.Context(), b, &r, &c.in); err != nil {
			t.Error(err)
		}
		st, err := b.State(t.Context())
		if err != nil || len(st.Checks) != c.want {
			t.Errorf("%s: %d records, %v", c.what, len(st.Checks), err)
		}
	}
}
