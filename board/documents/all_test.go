package documents

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"blackboard/board/fault"
	"blackboard/testdata/cost"
	"blackboard/testdata/expect"
)

// tree writes files below a new directory.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		expect.OK(t, os.MkdirAll(filepath.Dir(path), 0o755))
		expect.OK(t, os.WriteFile(path, []byte(text), 0o644))
	}
	return dir
}

func TestOpenAll(t *testing.T) {
	dir := tree(t, map[string]string{"b.md": "b", "a.txt": "a", "sub/c.html": "<p>c",
		"sub/deep/d.csv": "d", "z.png": "\x89PNG\x00", "empty.md": "", ".hidden.md": "h",
		".git/config": "g", "bad.rtf": "{\\rtf1"})
	if err := os.Symlink("b.md", filepath.Join(dir, "link.md")); err != nil {
		t.Skip("no links here")
	}
	at := func(name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }
	for _, c := range []struct {
		paths   []string
		want    string
		skipped string
	}{
		{[]string{dir}, "a.txt b.md sub/c.html sub/deep/d.csv", "bad.rtf empty.md link.md z.png"},
		{[]string{at("sub"), at("a.txt"), at("sub/c.html")},
			"sub/c.html sub/deep/d.csv a.txt", ""},
		{[]string{at("*.md")}, "b.md link.md", "empty.md"}, // as a shell would
		{[]string{at(".git")}, ".git/config", ""},          // named itself
		{[]string{at("s*")}, "sub/c.html sub/deep/d.csv", ""},
		{[]string{at("link.md"), at("link.md")}, "link.md", ""},
		{nil, "", ""},
	} {
		all, skipped, err := OpenAll(c.paths)
		if err != nil {
			t.Errorf("%v: %v", c.paths, err)
		}
		var got, left []string
		for _, d := range all {
			name, _ := filepath.Rel(dir, d.Name)
			got = append(got, filepath.ToSlash(name))
		}
		for _, s := range skipped {
			name, _ := filepath.Rel(dir, s.File)
			if left = append(left, filepath.ToSlash(name)); s.Reason == "" {
				t.Errorf("%s has no reason", name)
			}
		}
		if strings.Join(got, " ") != c.want || strings.Join(left, " ") != c.skipped {
			t.Errorf("%v: read %v, skipped %v", c.paths, got, left)
		}
	}
	for _, c := range []struct {
		path, want string
		kind       error
	}{
		{at("none.md"), "there is no file", fault.NotFound},
		{at("*.docx"), "no document found in", fault.NotFound},
		{t.TempDir(), "no document found in", fault.NotFound},
		{at("bad.rtf"), "RTF file", fault.Invalid},
		{at("z.png"), "binary", fault.Invalid},
		{at("z.*"), "cannot read anything in", fault.Invalid},
		{at("[a"), "pattern", fault.Invalid},
		{"/dev", "system's own", fault.Invalid},
	} {
		if _, _, err := OpenAll([]string{at("a.txt"), c.path}); c.kind == fault.NotFound &&
			!errors.Is(err, fault.NotFound) || err == nil ||
			!strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), c.path) {
			t.Errorf("%s: %v", c.path, err)
		}
	}
}

func TestOpenAllIsBounded(t *testing.T) {
	cost.SkipTable(t)
	files := map[string]string{}
	for i := range MaxFiles + 1 {
		files[fmt.Sprintf("%d.txt", i)] = "x"
	}
	if _, _, err := OpenAll([]string{tree(t, files)}); !errors.Is(err, fault.Invalid) ||
		!strings.Contains(err.Error(), "more than 2000 files") {
		t.Errorf("%v", err)
	}
	g := newGatherer()
	g.bytes = MaxTotal
	if err := g.path(filepath.Join(tree(t, map[string]string{"a": "x"}), "a")); !errors.Is(err,
		fault.Invalid) || !strings.Contains(err.Error(), "MiB of text") {
		t.Errorf("%v", err)
	}
	g = newGatherer()
	g.entries = maxEntries
	if err := g.path(t.TempDir()); !errors.Is(err, fault.Invalid) ||
		!strings.Contains(err.Error(), "files and directories") {
		t.Errorf("%v", err)
	}
}

// TestOnlyRegularFiles: nothing else is opened, as that may block, or take what another
// is to read.
func TestOnlyRegularFiles(t *testing.T) {
	dir := tree(t, map[string]string{"a.md": "a"})
	socket := filepath.Join(dir, "s")
	if l, err := net.Listen("unix", socket); err == nil {
		defer l.Close()
	} else {
		t.Skip("no sockets here")
	}
	for link, target := range map[string]string{"in": "/dev/stdin", "again": "in",
		"device": "/dev/null"} {
		expect.OK(t, os.Symlink(target, filepath.Join(dir, link)))
	}
	paths := []string{"/dev/stdin", "/dev/fd/0", "/proc/self/fd/0", "/dev/null",
		"/dev/../dev/stdin", "/proc/self/cmdline", "/proc/self/environ"}
	for _, name := range append([]string{"s", "in", "again", "device"}, namedPipe(t, dir)...) {
		paths = append(paths, filepath.Join(dir, name))
	}
	for _, path := range paths {
		if _, err := os.Lstat(path); err != nil {
			continue // not on this system
		}
		for name, open := range map[string]func() error{
			"Open":    func() error { _, err := Open(path); return err },
			"OpenAll": func() error { _, _, err := OpenAll([]string{path}); return err },
		} {
			if err := open(); !errors.Is(err, fault.Invalid) ||
				!strings.Contains(err.Error(), path) ||
				!strings.Contains(err.Error(), "not a regular file") {
				t.Errorf("%s %s: %v", name, path, err)
			}
		}
	}
	all, skipped, err := OpenAll([]string{dir})
	if err != nil || len(all) != 1 || len(skipped) < 4 {
		t.Errorf("a directory with them: %v, %v, %v", all, skipped, err)
	}
}

// TestFind: what verify and trace call sources is walked as reports are.
func TestFind(t *testing.T) {
	dir := tree(t, map[string]string{"a.md": "a", "sub/b.txt": "b", ".git/c": "c",
		"sub/.d": "d", "e.bin": "\x00"})
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Skip(err)
	}
	if err := os.Symlink(filepath.Join(dir, "a.md"), filepath.Join(dir, "twin.md")); err != nil {
		t.Skip(err)
	}
	for _, root := range []string{dir, link} {
		found, err := Find(root, filepath.Join(root, "*.md"), filepath.Join(root, "a.md"))
		var names []string
		for _, f := range found {
			rel, _ := filepath.Rel(root, f)
			names = append(names, filepath.ToSlash(rel))
		}
		if got := strings.Join(names, " "); err != nil || got != "a.md e.bin sub/b.txt twin.md" {
			t.Errorf("%s: %s, %v", root, got, err)
		}
		var read []string
		err = Each(found, []string{filepath.Join(dir, "sub", "b.txt")}, func(d *Document) error {
			read = append(read, filepath.Base(d.Name))
			return nil
		})
		if got := strings.Join(read, " "); err != nil || got != "a.md twin.md" {
			t.Errorf("%s: %s was read, %v", root, got, err)
		}
	}
	if _, err := Find(filepath.Join(dir, "none")); !errors.Is(err, fault.NotFound) {
		t.Error(err)
	}
	if _, err := Find("/dev"); !errors.Is(err, fault.Invalid) {
		t.Error(err)
	}
}
