package home

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"blackboard/testdata/expect"
)

// git runs git in a directory and returns what it prints.
func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git here")
	}
	cmd := exec.Command("git", append([]string{"-c", "user.name=t", "-c", "user.email=t@example.org",
		"-c", "protocol.file.allow=always", "-c", "init.defaultBranch=main"}, args...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %q: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// newRepo is a repository of some commits with a remote, and its first commit.
func newRepo(t *testing.T, name string) (dir, root string) {
	t.Helper()
	dir = filepath.Join(plantRoot(t), name)
	expect.OK(t, os.Mkdir(dir, 0o700))
	git(t, dir, "init", "-q")
	for i := range 30 {
		git(t, dir, "commit", "-q", "--allow-empty", "-m",
			fmt.Sprintf("commit %d %s", i, strings.Repeat("the same words ", 40)))
	}
	git(t, dir, "remote", "add", "origin", "https://me:pass@Example.org/shop/web.git")
	return dir, git(t, dir, "rev-list", "--max-parents=0", "HEAD")
}

// TestRoot reads the first commit as git does, from loose files and from packs with
// commits that are differences.
func TestRoot(t *testing.T) {
	dir, want := newRepo(t, "p")
	for _, pack := range [][]string{nil, {"repack", "-adfq", "--depth=20", "--window=50"},
		{"pack-refs", "--all"}, {"checkout", "-q", "--detach"},
		{"-c", "pack.depth=0", "repack", "-adfq"}} {
		if pack != nil {
			git(t, dir, pack...)
		}
		r := openRepo(dir)
		if got := r.root(t.Context()); got != want || !r.hasRoot(want) || r.hasRoot(r.head()) {
			t.Errorf("after %q the first commit is %q, not %s", pack, got, want)
		}
		if got := r.remote(); got != "example.org/shop/web" {
			t.Errorf("the remote is %q", got)
		}
		r.close()
	}
}

// TestElsewhere: a moved repository and a second clone are known again, a fork, a shallow
// clone and a planted .git are not.
func TestElsewhere(t *testing.T) {
	dir, _ := newRepo(t, "p")
	data, beside := t.TempDir(), filepath.Dir(dir)
	expect.OK(t, Recognise(t.Context(), data, dir))
	at := func(name string) string { return filepath.Join(beside, name) }
	clone := func(name string, args ...string) string {
		git(t, beside, append(append([]string{"clone", "-q"}, args...), "file://"+dir, name)...)
		git(t, at(name), "remote", "set-url", "origin", "git@example.org:shop/web")
		return at(name)
	}
	knows := func(what, where string, want ...string) {
		t.Helper()
		if got := Elsewhere(data, where); !slices.Equal(got, want) {
			t.Errorf("%s is known as %q, not %q", what, got, want)
		}
	}
	second := clone("second")
	knows("a second clone", second, dir)
	fork := clone("fork")
	git(t, fork, "remote", "set-url", "origin", "https://example.org/evil/web")
	knows("a fork", fork)
	knows("a shallow clone", clone("shallow", "--depth=1"))
	link := func(to, from string) {
		t.Helper()
		expect.OK(t, os.MkdirAll(filepath.Dir(at(from)), 0o700))
		if err := os.Symlink(to, at(from)); err != nil {
			t.Skip(err)
		}
	}
	link(filepath.Join(dir, ".git"), "link/.git")
	knows("a .git that is a link", at("link"))
	for _, name := range []string{"HEAD", "config", "objects", "refs"} {
		link(filepath.Join(dir, ".git", name), "links/.git/"+name)
	}
	knows("a .git of links", at("links"))
	expect.OK(t, os.Mkdir(at("file"), 0o700))
	expect.OK(t, os.WriteFile(filepath.Join(at("file"), ".git"), []byte("gitdir: "+dir+"/.git\n"),
		0o600))
	knows("a .git file that names it", at("file"))

	expect.OK(t, os.Rename(dir, at("moved")))
	knows("the moved one", at("moved"), dir)
	expect.OK(t, os.Mkdir(dir, 0o700))
	knows("the moved one whose place is another's", at("moved"))
}

// TestCloneOf: what the owner has agreed to holds while that repository lies there.
func TestCloneOf(t *testing.T) {
	dir, _ := newRepo(t, "p")
	data, second := t.TempDir(), filepath.Join(filepath.Dir(dir), "second")
	git(t, filepath.Dir(dir), "clone", "-q", dir, second)
	find := func(want string) {
		t.Helper()
		if got, err := Find(second, "/", data); got != want || err != nil {
			t.Errorf("the workspace is %s (%v), not %s", got, err, want)
		}
	}
	find(second)
	expect.OK(t, Store(t.Context(), data, Known{Path: second, CloneOf: dir, Project: "shop"}))
	find(dir)
	if got := SharedPath(filepath.Join(second, "a.md"), data); got != dir+
		string(filepath.ListSeparator)+"a.md" {
		t.Errorf("a file of the clone is %s", got)
	}
	git(t, second, "remote", "set-url", "origin", "https://example.org/another")
	find(second)
	if k := Lookup(data, second); k.Project != "" {
		t.Errorf("another repository has the project %s", k.Project)
	}
}

// TestPlainRemote: one project by all protocols, and never a password.
func TestPlainRemote(t *testing.T) {
	for _, url := range []string{"https://example.org/a/b", "https://me:pw@EXAMPLE.org/a/b.git",
		"git@example.org:a/b.git", "ssh://git@example.org/a/b/", "example.org:/a/b"} {
		if got := plainRemote(url); got != "example.org/a/b" {
			t.Errorf("%s is %s", url, got)
		}
	}
}

// FuzzPack reads damaged packs: nothing panics or runs on, and what is no pack has no
// commit.
func FuzzPack(f *testing.F) {
	f.Add([]byte("\xfftOc\x00\x00\x00\x02"), []byte("PACK"), []byte("name"))
	f.Add(bytes.Repeat([]byte{0, 0, 0, 1}, 300), []byte{0x70, 1, 2, 3}, []byte{0x90, 3, 1})
	f.Fuzz(func(t *testing.T, index, body, delta []byte) {
		name := filepath.Join(t.TempDir(), "pack")
		expect.OK(t, os.WriteFile(name, body, 0o600))
		file := expect.Value(os.Open(name))(t)
		defer file.Close()
		p := &pack{file: file, index: append([]byte("\xfftOc\x00\x00\x00\x02"), index...)}
		id := make([]byte, idBytes)
		copy(id, delta)
		p.object(p.find(id), maxDeltas)
		if out := patch(body, delta); len(out) > 2*maxCommit {
			t.Errorf("a difference of %d bytes made %d", len(delta), len(out))
		}
	})
}
