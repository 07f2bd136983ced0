package setup

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pelletier/go-toml/v2"

	"blackboard/board/disk"
	"blackboard/board/fault"
	"blackboard/hooks/harness"
	"blackboard/testdata/cost"
	"blackboard/testdata/expect"
)

func TestMain(m *testing.M) { os.Exit(cost.Main(m)) }

// bench is a home directory and a program to be set up in it.
type bench struct {
	t       *testing.T
	home    string
	project string
	data    string
	binary  string
	env     map[string]string
	now     time.Time
}

func newBench(t *testing.T) *bench {
	dir := t.TempDir()
	b := &bench{t: t, home: filepath.Join(dir, "home"), data: filepath.Join(dir, "data"),
		binary: "/opt/board tools/board", env: map[string]string{}, now: time.Unix(1e9, 0)}
	expect.OK(t, os.Mkdir(b.home, 0o755))
	return b
}

func (b *bench) setup() *Setup {
	b.t.Helper()
	b.now = b.now.Add(time.Second)
	s, err := New(Options{
		Home: b.home, Project: b.project, Machine: filepath.Join(b.home, "machine"),
		DataHome: b.data, Binary: b.binary, Version: "v1",
		Env:      func(k string) string { return b.env[k] },
		LookPath: func(string) (string, error) { return "", errors.New("none") },
		Now:      func() time.Time { return b.now },
	})
	if err != nil {
		b.t.Fatal(err)
	}
	return s
}

// run plans and does it, and returns the works.
func (b *bench) run(r Request, names ...string) []*Work {
	b.t.Helper()
	s := b.setup()
	works, err := s.Plan(names, r)
	if err != nil {
		b.t.Fatal(err)
	}
	for _, w := range works {
		if w.Err == nil {
			w.Err = s.Apply(w)
		}
	}
	return works
}

// must is run without failures.
func (b *bench) must(r Request, names ...string) []*Work {
	b.t.Helper()
	works := b.run(r, names...)
	for _, w := range works {
		if w.Err != nil {
			b.t.Fatalf("%s: %v", w.Harness, w.Err)
		}
	}
	return works
}

func (b *bench) write(name, text string) string {
	b.t.Helper()
	path := filepath.Join(b.home, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o640); err != nil {
		b.t.Fatal(err)
	}
	return path
}

// snapshot is everything below the home directory: names, modes, links, texts.
func (b *bench) snapshot() map[string]string {
	b.t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(b.home, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		text := info.Mode().String()
		switch {
		case d.Type()&fs.ModeSymlink != 0:
			link, err := os.Readlink(path)
			if err != nil {
				return err
			}
			text += " " + link
		case d.Type().IsRegular():
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			text += " " + string(data)
		}
		all[strings.TrimPrefix(path, b.home)] = text
		return nil
	})
	if err != nil {
		b.t.Fatal(err)
	}
	return all
}

func (b *bench) same(want map[string]string, when string) {
	b.t.Helper()
	got := b.snapshot()
	for path, text := range got {
		if want[path] != text {
			b.t.Errorf("%s: %s is %q, was %q", when, path, text, want[path])
		}
	}
	for path := range want {
		if _, ok := got[path]; !ok {
			b.t.Errorf("%s: %s is gone", when, path)
		}
	}
}

var everything = Request{Parts: Parts}

// TestForeignBytesStay: whatever the file, setting up only puts text in, a second run
// changes nothing, and taking away brings every byte back.
func TestForeignBytesStay(t *testing.T) {
	cost.SkipUnlessLong(t)
	for i, c := range configurations {
		for shape, change := range shapes {
			t.Run(fmt.Sprintf("%d %s %s", i, c.harness, shape), func(t *testing.T) {
				b := newBench(t)
				path := b.write(c.file, change(c.text))
				before := b.snapshot()
				if what, _ := (target{h: byName(c.harness),
					path: path}).refusedSyntax([]byte(change(c.text))); what != "" {
					if works := b.run(everything, c.harness); works[0].Err == nil ||
						!strings.Contains(works[0].Err.Error(), what) {
						t.Errorf("%s was not refused: %v", what, works[0].Err)
					}
					b.same(before, "refused")
					return
				}
				b.must(everything, c.harness)
				after := expect.Value(os.ReadFile(path))(t)
				holds(t, change(c.text), string(after))
				meansTheSame(t, path, []byte(change(c.text)), after)
				set := b.snapshot()
				for _, w := range b.must(everything, c.harness) {
					if len(w.Changes) > 0 {
						t.Errorf("a second run changes %s", w.Changes[0].Path)
					}
				}
				b.same(set, "a second run")
				b.must(Request{Uninstall: true}, c.harness)
				b.same(before, "taken away")
				if disk.Exists(b.data) {
					t.Error("the data home is still there")
				}
			})
		}
	}
}

// holds checks that a text is another one with something put in: all its lines are
// there, in their order, but for commas that had to follow a value, and blanks in what
// was empty.
func holds(t *testing.T, before, after string) {
	t.Helper()
	rest := after
	for _, r := range strings.Trim(before, " \t\r\n") {
		i := strings.IndexRune(rest, r)
		if i < 0 {
			t.Fatalf("%q of what was there is gone:\n%s", r, after)
		}
		rest = rest[i+1:]
	}
	if strings.HasSuffix(before, "\n") != strings.HasSuffix(after, "\n") &&
		strings.Trim(before, " \t\r\n\uFEFF") != "" &&
		!strings.HasPrefix(strings.TrimPrefix(before, string(bom)), "//") {
		t.Errorf("the last line's end changed:\n%q\n%q", before, after)
	}
	if strings.Contains(before, "\r\n") &&
		strings.Contains(strings.ReplaceAll(after, "\r\n", ""), "\n") {
		t.Errorf("line ends are mixed:\n%q", after)
	}
}

// meansTheSame checks that everything that a file said it still says.
func meansTheSame(t *testing.T, path string, before, after []byte) {
	t.Helper()
	if isTOML(path) {
		a, b := map[string]any{}, map[string]any{}
		expect.OK(t, errors.Join(toml.Unmarshal(bytes.TrimPrefix(before, bom), &a),
			toml.Unmarshal(bytes.TrimPrefix(after, bom), &b)))
		within(t, "", a, b)
		return
	}
	within(t, "", meaning(t, before), meaning(t, after))
}

// within checks that b is a with members and elements added.
func within(t *testing.T, at string, a, b any) {
	t.Helper()
	switch a := a.(type) {
	case nil:
	case map[string]any:
		m, _ := b.(map[string]any)
		for k, v := range a {
			within(t, at+"/"+k, v, m[k])
		}
	case []any:
		l, _ := b.([]any)
		if len(l) < len(a) {
			t.Fatalf("%s has lost elements: %v", at, l)
		}
		for i, v := range a {
			within(t, fmt.Sprintf("%s/%d", at, i), v, l[i])
		}
	default:
		if a != b {
			t.Errorf("%s is %v, was %v", at, b, a)
		}
	}
}

// meaning is what a JSON text says, by the standard library, which knows no comments.
func meaning(t *testing.T, b []byte) any {
	t.Helper()
	d := expect.Value(parseJSON(b))(t)
	if d.root == nil {
		return nil
	}
	var v any
	if err := json.Unmarshal(d.standard(), &v); err != nil {
		t.Fatalf("%v:\n%s", err, b)
	}
	return v
}

// TestAlsoWithoutManifest: what is ours is known by what it calls, and everything else
// stays. Only what was empty before may be gone.
func TestAlsoWithoutManifest(t *testing.T) {
	for i, c := range configurations {
		t.Run(fmt.Sprintf("%d %s", i, c.harness), func(t *testing.T) {
			b := newBench(t)
			path := b.write(c.file, c.text)
			if what, _ := (target{h: byName(c.harness),
				path: path}).refusedSyntax([]byte(c.text)); what != "" {
				t.Skipf("%s is refused", what)
			}
			b.must(everything, c.harness)
			expect.OK(t, os.RemoveAll(b.data))
			b.must(Request{Uninstall: true}, c.harness)
			got := expect.Value(os.ReadFile(path))(t)
			for _, gone := range []string{"\"hooks\": {}", "\"hooks\": { },",
				"\"mcpServers\": {},", "\"servers\": {}", "{\n}", "{ }"} {
				if strings.Contains(c.text, gone) {
					return
				}
			}
			if strings.TrimSpace(c.text) != "" && !strings.HasPrefix(c.text, "//") &&
				string(got) != c.text {
				t.Errorf("taken away without a manifest:\n%s\nwas:\n%s", got, c.text)
			}
		})
	}
}

// TestOthersChangedIt: what others have written since stays, and what is ours goes.
func TestOthersChangedIt(t *testing.T) {
	b := newBench(t)
	path := b.write(".claude/settings.json", "{\n  \"model\": \"opus\"\n}\n")
	b.must(everything, "claude")
	text := expect.Value(os.ReadFile(path))(t)
	changed := strings.Replace(string(text), `"opus"`, `"sonnet"`, 1)
	changed = strings.Replace(changed, `"UserPromptSubmit": [`,
		`"UserPromptSubmit": [{"hooks": [{"type": "command", "command": "theirs"}]},`, 1)
	b.write(".claude/settings.json", changed)
	b.must(Request{Uninstall: true}, "claude")
	got := expect.Value(os.ReadFile(path))(t)
	want := "{\n  \"model\": \"sonnet\",\n  \"hooks\": {\n    \"UserPromptSubmit\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"theirs\"}]}\n    ]\n  }\n}\n"
	if string(got) != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestEarlierPath: entries that call the program where it lay before are changed in
// their place, never doubled, and what a user has changed about them stays.
func TestEarlierPath(t *testing.T) {
	for _, h := range harness.All {
		t.Run(h.Name, func(t *testing.T) {
			b := newBench(t)
			before := b.snapshot()
			b.binary = "/old/board"
			b.must(everything, h.Name)
			b.binary = "/new/bin/board"
			b.must(everything, h.Name)
			for path, text := range b.snapshot() {
				if strings.Contains(text, "/old/") && !strings.Contains(path, backupMark) {
					t.Errorf("%s still calls the old path:\n%s", path, text)
				}
			}
			st := expect.Value(b.setup().Status([]string{h.Name}))(t)
			for _, p := range st[0].Parts {
				if p.State != Ready {
					t.Errorf("%s is %s", p.Part, p.State)
				}
			}
			b.must(Request{Uninstall: true}, h.Name)
			b.same(before, "taken away")
		})
	}
	b := newBench(t)
	mine := `{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "/old/board hook Stop --harness claude"}]}], "SessionStart": [` +
		`{"hooks": [{"type": "command", "command": "theirs"}, {"type": "command", "command": "'/old dir/board' hook SessionStart --harness claude", "timeout": 77}]},` +
		`{"hooks": [{"type": "command", "command": "/x/board hook SessionStart --harness claude"}]}, {"hooks": [{"type": "command", "command": "/x/keyboard hook SessionStart --harness claude"}]}]}}`
	path := b.write(".claude/settings.json", mine)
	b.must(Request{Parts: []string{harness.PartHooks}}, "claude")
	got := expect.Value(os.ReadFile(path))(t)
	for text, n := range map[string]int{"hook SessionStart --harness claude": 2, "theirs": 1,
		`"timeout": 77`: 1, "/x/keyboard": 1, "/x/board": 0, "hook Stop": 0, "/old": 0} {
		if strings.Count(string(got), text) != n {
			t.Errorf("%q is there %d times, not %d:\n%s", text,
				strings.Count(string(got), text), n, got)
		}
	}
}

// TestLinks: the file behind a link is changed, and the link stays; mode and text come
// back.
func TestLinks(t *testing.T) {
	b := newBench(t)
	real := b.write("dotfiles/claude.json", "{\n  \"a\": 1\n}\n")
	b.write("dotfiles/skills/x/SKILL.md", "# x")
	b.write(".claude/x", "")
	for link, to := range map[string]string{".claude/settings.json": "../dotfiles/claude.json",
		".claude/skills": "../dotfiles/skills"} {
		if err := os.Symlink(to, filepath.Join(b.home, link)); err != nil {
			t.Skip(err)
		}
	}
	before := b.snapshot()
	b.must(everything, "claude")
	if text, _ := os.ReadFile(real); !strings.Contains(string(text), "hook SessionStart") {
		t.Errorf("the file behind the link was not changed:\n%s", text)
	}
	if info, err := os.Lstat(filepath.Join(b.home, ".claude/settings.json")); err != nil ||
		info.Mode()&fs.ModeSymlink == 0 {
		t.Error("the link is gone")
	}
	if info, err := os.Stat(real); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("the mode is %v", info.Mode())
	}
	if !disk.Exists(filepath.Join(b.home, "dotfiles/skills/board/SKILL.md")) {
		t.Error("the skill is not behind the link")
	}
	b.must(Request{Uninstall: true}, "claude")
	b.same(before, "taken away")
}

// TestParts: each part can be taken away alone, and the skill stays while another
// harness needs it.
func TestParts(t *testing.T) {
	b := newBench(t)
	b.write(".gemini/settings.json", "{\n  \"a\": 1\n}\n")
	before := b.snapshot()
	b.must(Request{Parts: []string{harness.PartHooks}}, "gemini")
	hooksOnly := b.snapshot()[("/.gemini/settings.json")]
	b.must(Request{Parts: []string{harness.PartHooks, harness.PartMCP}}, "gemini")
	b.must(Request{Uninstall: true, Parts: []string{harness.PartMCP}}, "gemini")
	if got := b.snapshot()["/.gemini/settings.json"]; got != hooksOnly {
		t.Errorf("without the server:\n%s\nwant\n%s", got, hooksOnly)
	}
	b.must(Request{Parts: []string{harness.PartSkill}}, "gemini", "codex")
	b.must(Request{Uninstall: true}, "gemini")
	skill := filepath.Join(b.home, ".agents/skills/board/SKILL.md")
	if !disk.Exists(skill) {
		t.Error("Codex has lost its skill")
	}
	b.must(Request{Uninstall: true}, "codex")
	if disk.Exists(skill) {
		t.Error("the skill is still there")
	}
	got := b.snapshot()
	for path := range got {
		if strings.Contains(path, backupMark) || strings.HasPrefix(path, "/.agents") {
			delete(got, path)
		}
	}
	if got["/.gemini/settings.json"] != before["/.gemini/settings.json"] {
		t.Errorf("taken away: %v", got)
	}
}

// TestChangedMeanwhile: a file that somebody changes between question and answer is not
// overwritten, and the files before it come back.
func TestChangedMeanwhile(t *testing.T) {
	b := newBench(t)
	b.write(".cursor/hooks.json", "{}")
	b.write(".cursor/mcp.json", "{}")
	s := b.setup()
	works := expect.Value(s.Plan([]string{"cursor"}, everything))(t)
	b.write(".cursor/mcp.json", `{"a": 1}`)
	before := b.snapshot()
	if err := s.Apply(works[0]); !errors.Is(err, fault.Conflict) ||
		!strings.Contains(err.Error(), ".json was changed by another process in the meantime") {
		t.Errorf("the error is %v", err)
	}
	b.same(before, "refused")
}

// TestProject: at the level of a project only its files change.
func TestProject(t *testing.T) {
	for _, h := range harness.All {
		b := newBench(t)
		b.project = filepath.Join(b.home, "work")
		b.write("work/x", "")
		before := b.snapshot()
		b.must(everything, h.Name)
		for path := range b.snapshot() {
			if _, old := before[path]; !old && !strings.HasPrefix(path, "/work/") &&
				!strings.HasPrefix(path, "/.codex") {
				t.Errorf("%s: %s is outside of the project", h.Name, path)
			}
		}
		b.must(Request{Uninstall: true}, h.Name)
		b.same(before, h.Name)
	}
}

// TestHuge: a file of megabytes takes a moment, and comes back.
func TestHuge(t *testing.T) {
	cost.SkipUnlessLong(t)
	b := newBench(t)
	var text strings.Builder
	text.WriteString("{\n  \"projects\": {\n")
	for i := range 20_000 {
		fmt.Fprintf(&text, "    \"/p/%d\": { \"history\": [{ \"display\": \"text %d\" }] },\n", i, i)
	}
	text.WriteString("    \"deep\": " + strings.Repeat("[", 1000) + strings.Repeat("]", 1000) +
		"\n  }\n}\n")
	b.write(".claude.json", text.String())
	before := b.snapshot()
	b.must(everything, "claude")
	b.must(Request{Uninstall: true}, "claude")
	b.same(before, "taken away")
}
