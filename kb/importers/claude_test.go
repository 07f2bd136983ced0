package importers

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"blackboard/kb"
	"blackboard/testdata/cost"
	"blackboard/testdata/expect"
)

// claudeProject makes the folder of a project's memories, named after a directory, as
// Claude Code does.
func claudeProject(tb testing.TB, projects, work string, files map[string]string) string {
	tb.Helper()
	dir := filepath.Join(projects, escapeClaude(work))
	for name, text := range files {
		path := filepath.Join(dir, "memory", name)
		expect.OK(tb, os.MkdirAll(filepath.Dir(path), 0o700))
		expect.OK(tb, os.WriteFile(path, []byte(text), 0o600))
	}
	return dir
}

// claudeWork makes a directory to work in.
func claudeWork(t *testing.T, name string) string {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("names of directories are not decoded here")
	}
	root := expect.Value(filepath.EvalSymlinks(t.TempDir()))(t)
	work := filepath.Join(root, name)
	expect.OK(t, os.MkdirAll(work, 0o700))
	return work
}

func TestImportClaude(t *testing.T) {
	work := claudeWork(t, "my-app_2.0 ü")
	projects := t.TempDir()
	project := claudeProject(t, projects, work, map[string]string{
		"MEMORY.md":    "# Memory\n\n- [Tests](tests.md) — run them often\n* [[role]]\n\n## Empty\n- [a b](<a b.md>)\n## Loose\n- Deploys are on Fridays\n- [Gone](gone.md) is kept\n",
		"tests.md":     "---\nname: Run the tests\ndescription: before each commit\ntype: feedback\n---\n\nAlways `make check`.\n\n**Why:** it broke once.",
		"role.md":      "---\nname: role\ndescription: who\nmetadata:\n  node_type: memory\n  type: user\n---\nA physicist.",
		"a b.md":       "---\nname: where\ndescription: Bugs: see the tracker\ntype: reference\n---\nhttps://tracker.example",
		"sub/state.md": "---\nname: state\ntype: project\n---\nmigrating",
		"plain.md":     "# Plain\nno front matter",
	})
	expect.OK(t, os.WriteFile(filepath.Join(project, "session.jsonl"),
		[]byte("{}"), 0o600))
	expect.OK(t, os.Mkdir(filepath.Join(projects, "-no-memory"), 0o700))
	for _, path := range []string{projects, project, filepath.Join(project, "memory")} {
		set := importSet(t, path, "auto")
		if set.Format != formatClaude || len(set.Items) != 6 || len(set.Refused) != 0 {
			t.Fatalf("%s: %+v", path, set)
		}
		got := map[string]kb.Incoming{}
		for _, it := range set.Items {
			got[it.Capsule.Title] = it
			if it.Capsule.Workspace != work || it.Capsule.Scope != "workspace" ||
				it.Capsule.Project != "" {
				t.Errorf("%+v", it.Capsule)
			}
		}
		for title, want := range map[string]struct{ kind, tags, body string }{
			"Run the tests": {"principle", "feedback",
				"before each commit\n\nAlways `make check`.\n\n**Why:** it broke once."},
			"role": {"fact", "user",
				"who\n\nA physicist.\n\nmetadata.node_type: memory"},
			"where": {"fact", "reference",
				"Bugs: see the tracker\n\nhttps://tracker.example"},
			"state": {"fact", "project", "migrating"},
			"Plain": {"fact", "", "no front matter"},
			"MEMORY.md of my-app_2.0 ü": {"fact", "memory",
				"# Memory\n\n\n## Loose\n- Deploys are on Fridays\n- [Gone](gone.md) is kept"},
		} {
			c := got[title].Capsule
			if c.Kind != want.kind || strings.Join(c.Tags, ",") != want.tags ||
				c.Body != want.body {
				t.Errorf("%q: %+v", title, c)
			}
		}
		if !noted(got["where"].Notes, "line 3: mapping values are not allowed") ||
			!noted(got["MEMORY.md of my-app_2.0 ü"].Notes, "3 lines that list the files") {
			t.Errorf("%+v", set)
		}
	}
}

func TestImportClaudeWithoutWorkspace(t *testing.T) {
	work := claudeWork(t, "a/b")
	expect.OK(t, os.Mkdir(filepath.Join(filepath.Dir(filepath.Dir(work)), "a-b"), 0o700))
	projects := t.TempDir()
	files := map[string]string{"x.md": "---\nname: x\ntype: other\n---\ntext",
		"MEMORY.md": "- [x](x.md)\n"}
	for dir, why := range map[string]string{
		claudeProject(t, projects, work, files):                   "several directories",
		claudeProject(t, projects, "/nowhere/to/be/found", files): "no directory here",
		claudeProject(t, projects, "elsewhere", files):            "not the name of a directory",
	} {
		set := importSet(t, dir, "claude-memory")
		it := importOne(t, set)
		if c := it.Capsule; c.Scope != "universal" || c.Workspace != "" ||
			c.Project != filepath.Base(dir) || strings.Join(c.Tags, ",") != "other" ||
			!noted(it.Notes, why) {
			t.Errorf("%+v", it)
		}
		if !noted(set.Notes, "only an index of the files") {
			t.Errorf("%q", set.Notes)
		}
	}
}

func TestImportClaudeRefuses(t *testing.T) {
	dir := claudeProject(t, t.TempDir(), "/nowhere", map[string]string{
		"MEMORY.md": "a\x00b", "bad.md": "---\nname: x\n- y\n---\ntext",
		"twice.md": "---\nname: x: y\nname: z\n---\ntext", "empty.md": "---\nname: x\n---\n",
	})
	set := importSet(t, dir, "claude-memory")
	if len(set.Items) != 0 || len(set.Refused) != 4 {
		t.Fatalf("%+v", set)
	}
	for i, words := range []string{"binary", "not YAML: line 3",
		"the body is empty", "not YAML: line 2"} {
		if !strings.Contains(set.Refused[i].Why, words) {
			t.Errorf("%+v, want %q", set.Refused[i], words)
		}
	}
	projects := t.TempDir()
	if err := os.Symlink(filepath.Dir(dir), filepath.Join(projects, "-link")); err != nil {
		t.Skip(err)
	}
	expect.OK(t, os.Mkdir(filepath.Join(projects, "-p"), 0o700))
	expect.OK(t, os.Symlink(filepath.Join(dir, "memory"), filepath.Join(projects, "-p",
		"memory")))
	importRefused(t, importSet(t, projects, "claude-memory"), "memory", "links are not followed")
}

func TestUnlinkedOfLongIndex(t *testing.T) {
	cost.SkipUnlessLong(t)
	text := "# a\n" + strings.Repeat("###### b\n", 200_000) + "words"
	if rest, n := removeLinks(text, func(string) bool { return false }); n != 0 ||
		rest != "# a\n###### b\nwords" {
		t.Errorf("%d %q", n, rest)
	}
}
