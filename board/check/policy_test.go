package check

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"blackboard/board"
	"blackboard/board/fault"
	"blackboard/testdata/expect"
)

func write(t *testing.T, path, text string) string {
	t.Helper()
	expect.OK(t, os.MkdirAll(filepath.Dir(path), 0o755))
	expect.OK(t, os.WriteFile(path, []byte(text), 0o644))
	return path
}

// TestTemplate: the file that is written for somebody has every key, and changes
// nothing.
func TestTemplate(t *testing.T) {
	f := expect.Value(ReadPolicy(write(t, filepath.Join(t.TempDir(), PolicyName), PolicyTemplate)))(t)
	want := Policy{UsedPolicy: f.UsedPolicy, Text: PolicyTemplate, root: f.root, Sources: []string{}, Reports: []string{},
		Gate: board.Policy{Block: []string{"critical", "high"}, Expect: []string{}, RequireRan: []string{},
			RequireRanBy: map[string][]string{}}, Accept: board.AcceptPolicy{Checks: AcceptableChecks}}
	want.Gate.Accept = want.Accept
	if !reflect.DeepEqual(f, want) {
		t.Errorf("%+v, want %+v", f, want)
	}
	var keys func(typ reflect.Type, indent string)
	keys = func(typ reflect.Type, indent string) {
		for i := range typ.NumField() {
			field := typ.Field(i)
			name := field.Tag.Get("yaml")
			if name == "-" || !field.IsExported() {
				continue
			}
			if name == "" || name != field.Tag.Get("json") {
				t.Errorf("%s is called %q in YAML and %q in JSON", field.Name,
					name, field.Tag.Get("json"))
			}
			if !strings.Contains(PolicyTemplate, "\n"+indent+name+":") {
				t.Errorf("the template lacks %s", name)
			}
			if field.Type.Kind() == reflect.Struct {
				keys(field.Type, indent+"  ")
			}
		}
	}
	keys(reflect.TypeFor[Policy](), "")
}

func TestRead(t *testing.T) {
	dir := t.TempDir()
	abs := filepath.Join(dir, "abs")
	text := `steps: [gate, trace]
sources: [docs, '` + abs + `']
reports: ["out/*.md"]
gate: {block: [], expect: [reader-1], max_open: 3, require_source: true}
conflicts:
  max: 0
survival: {min_items: 2, min_cosine: 0.9}
verify:
trace: {max_unsupported: 4}
`
	f := expect.Value(ReadPolicy(write(t, filepath.Join(dir, "my.yaml"), text)))(t)
	root := filepath.Dir(f.Path)
	if !filepath.IsAbs(f.Path) {
		t.Errorf("%s is neither below nor above the working directory", f.Path)
	}
	if f.Sources[0] != filepath.Join(root, "docs") || f.Sources[1] != abs ||
		f.Reports[0] != filepath.Join(root, "out", "*.md") {
		t.Errorf("%q %q", f.Sources, f.Reports)
	}
	if !f.Does(Trace) || f.Does(Verify) || f.Gate.Block == nil || len(f.Gate.Block) != 0 ||
		*f.Gate.MaxOpen != 3 || !f.Gate.RequireSource ||
		f.Gate.MaxDisputed != nil || *f.Conflicts.Max != 0 || f.Survival.MinItems != 2 ||
		f.Survival.MinCosine != 0.9 || *f.Trace.MaxUnsupported != 4 {
		t.Errorf("%+v", f)
	}
	for _, empty := range []string{"", "# nothing\n", "\n---\n"} {
		f, err := ReadPolicy(write(t, filepath.Join(dir, "empty.yaml"), empty))
		if err != nil || !reflect.DeepEqual(f, Policy{UsedPolicy: f.UsedPolicy, Text: empty,
			root: f.root}) {
			t.Errorf("%q: %+v, %v", empty, f, err)
		}
	}
}

func TestRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), PolicyName)
	for text, want := range map[string]string{
		"gates:\n  block: []":                   "line 1: unknown key gates; the keys are steps, sources,",
		"# x\ngate:\n  blocks: [high]":          "line 3: unknown key gate.blocks; the keys are gate.block, gate.expect,",
		"gate: [high]":                          "line 1: gate must have keys",
		"- gate":                                "line 1: a policy must have keys",
		"gate:\n  block: [urgent]":              `gate: unknown priority "urgent": choose one of`,
		"gate: {max_open: -1}":                  "gate: -1 is not a number",
		"gate: {expect: ['a\\nb', '']}":         "gate: ",
		"gate: {max_open: many}":                "line 1",
		"steps: [gates]":                        `steps: unknown step "gates"; choose from gate, verify,`,
		"verify: {max_doubted: -1}":             "verify.max_doubted: -1 is less than 0",
		"conflicts: {max: -1}":                  "conflicts.max",
		"trace: {max_unsupported: -2}":          "trace.max_unsupported",
		"survival: {min_items: -2}":             "survival.min_items",
		"survival: {min_cosine: 1.5}":           "survival.min_cosine: 1.5 is not between 0 and 1",
		"survival: {min_cosine: .nan}":          "survival.min_cosine",
		"gate: {block: [high]}\ngate: {}":       "gate",
		"gate: {block: [high]":                  "line 2: invalid YAML in the part that begins at line 1: did not find",
		"a: &a [x]\nb: [*a, *a]":                "it is not a policy",
		"root:x:0:0:root:/root:/bin/sh":         "it is not a policy",
		"AWS_SECRET=x: y":                       "it is not a policy",
		"token: \"s3cr3t":                       "it is not a policy",
		"steps: [gate]\n---\nsteps: [conflict]": "",
	} {
		_, err := ReadPolicy(write(t, path, text))
		if !errors.Is(err, fault.Invalid) || !strings.Contains(err.Error(), want) ||
			strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	for _, text := range []string{"db_pass: s3cr3t\n", "- s3cr3t", "s3cr3t", "{s3cr3t: [", "s3cr3t: |\n x"} {
		if _, err := ReadPolicy(write(t, path, text)); err == nil || strings.Contains(err.Error(), "s3cr3t") {
			t.Errorf("%q is quoted: %v", text, err)
		}
	}
	if _, err := ReadPolicy(write(t, path, strings.Repeat("#", maxFile+1))); !errors.Is(err,
		fault.Invalid) {
		t.Error(err)
	}
	if _, err := ReadPolicy(path + ".none"); !errors.Is(err, fault.NotFound) {
		t.Error(err)
	}
	if _, err := ReadPolicy(t.TempDir()); !errors.Is(err, fault.Invalid) {
		t.Error(err)
	}
}

func TestFind(t *testing.T) {
	root := t.TempDir()
	deep := filepath.Join(root, "repo", "a", "b")
	expect.OK(t, os.MkdirAll(deep, 0o755))
	items := func() int {
		t.Helper()
		f := expect.Value(FindPolicy(deep))(t)
		if (f.Path == "") != (f.Survival.MinItems == 0) {
			t.Errorf("the path is %q", f.Path)
		}
		return f.Survival.MinItems
	}
	write(t, filepath.Join(root, PolicyName), "survival: {min_items: 1}")
	if items() != 1 {
		t.Error("a directory above is not looked in")
	}
	write(t, filepath.Join(root, "repo", ".git", "HEAD"), "")
	if items() != 0 {
		t.Error("it is looked for above the repository")
	}
	write(t, filepath.Join(root, "repo", PolicyName), "survival: {min_items: 2}")
	if items() != 2 {
		t.Error("the repository's own is not found")
	}
	write(t, filepath.Join(deep, PolicyName), "survival: {min_items: 3}")
	if items() != 3 {
		t.Error("the nearest does not count")
	}
	write(t, filepath.Join(deep, PolicyName), "survive: {}")
	if _, err := FindPolicy(deep); !errors.Is(err, fault.Invalid) {
		t.Errorf("a policy that is wrong is passed over: %v", err)
	}
	// What is near is named as seen from the working directory.
	t.Chdir(filepath.Join(root, "repo"))
	write(t, filepath.Join(root, "repo", PolicyName), "sources: [docs]")
	if f, err := FindPolicy("."); err != nil || f.Path != PolicyName || f.Sources[0] != "docs" {
		t.Errorf("%+v, %v", f, err)
	}
	t.Chdir(filepath.Join(root, "repo", "a"))
	if f, err := FindPolicy("."); err != nil || f.Path != filepath.Join("..", PolicyName) ||
		f.Sources[0] != filepath.Join("..", "docs") {
		t.Errorf("%+v, %v", f, err)
	}
}

// FuzzRead: a policy is taken, or refused with one line that says why.
func FuzzRead(f *testing.F) {
	f.Add(PolicyTemplate)
	f.Add("gate: {block: [high], max_open: 1}\nsteps: [gate]")
	f.Add("a: &a [*a]")
	f.Add("gate: !!map {<<: {block: []}}")
	f.Add("gate: {o\n\nck: VVVVVV, max_open: 1}\nsteps: [gate]")
	f.Fuzz(func(t *testing.T, text string) {
		file, err := parse([]byte(text))
		if err != nil {
			if err.Error() == "" || strings.Contains(err.Error(), "\n") {
				t.Errorf("%q", err)
			}
			return
		}
		if err := file.check(); err != nil {
			t.Error(err)
		}
	})
}

// TestReadMarked: a byte order mark, which Windows writes, is no part of a policy.
func TestReadMarked(t *testing.T) {
	path := filepath.Join(t.TempDir(), PolicyName)
	expect.OK(t, os.WriteFile(path, []byte("\ufeffverify:\n  max_doubted: 1\n"), 0o600))
	f, err := ReadPolicy(path)
	if err != nil || f.Verify.MaxDoubted != 1 {
		t.Errorf("%+v, %v", f, err)
	}
}
