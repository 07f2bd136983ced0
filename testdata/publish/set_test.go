package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const makefile = `MODULE = blackboard
REPOSITORY = https://github.com/OWNER/board
MAINTAINER = The authors <a@example.com>
NPM = @owner/board
PYPI = owner-board
build: ; go build ./cmd/board
`

// tree writes a small tree like ours, and returns its root.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func TestSet(t *testing.T) {
	before := map[string]string{
		"Makefile":  makefile,
		"go.mod":    "module blackboard\n\ngo 1.26\n",
		"README.md": "A **blackboard**, in `~/.local/share/blackboard/boards`; `replace blackboard => ../board`; https://github.com/OWNER/board/releases.\n",
		"kb/kb.go": "package kb\n\n// See blackboard/board, and blackboard.py.\nimport (\n\t\"blackboard/board\"\n\t\"blackboard/kb/rank\"\n)\n\n" +
			"var paths = []string{\"blackboard/...\", \"blackboard/\", \"/run/blackboard/kb\", \"$HOME/blackboard/kb\", \"blackboard\", rank.X, board.X}\n",
		"board/x.go":              "package board\n",
		"testdata/secrets/go.mod": "module blackboard/testdata/secrets\n\nrequire (\n\tblackboard v0.0.0\n\tx.y/z v1.0.0\n)\n\nreplace blackboard => ../..\n",
		"dist/old.txt":            "https://github.com/OWNER/board\n",
	}
	root := tree(t, before)
	check := func(want map[string]string) {
		t.Helper()
		for name, text := range want {
			got, err := os.ReadFile(filepath.Join(root, name))
			if err != nil || string(got) != text {
				t.Errorf("%s: %v\n%s\nwant\n%s", name, err, got, text)
			}
		}
	}
	if err := set(root, []string{"MODULE=github.com/me/board", "REPOSITORY=https://github.com/me/board", "NPM=@me/board", "MAINTAINER=Me, of us <me@example.com>"}); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"Makefile": strings.NewReplacer("blackboard", "github.com/me/board", "OWNER", "me", "@owner", "@me", "The authors <a@example.com>", "Me, of us <me@example.com>").
			Replace(makefile),
		"go.mod": "module github.com/me/board\n\ngo 1.26\n",
		"README.md": "A **blackboard**, in `~/.local/share/blackboard/boards`; `replace github.com/me/board => ../board`; " +
			"https://github.com/me/board/releases.\n",
		"kb/kb.go": "package kb\n\n// See github.com/me/board/board, and blackboard.py.\nimport (\n\t\"github.com/me/board/board\"\n\t\"github.com/me/board/kb/rank\"\n)\n\n" +
			"var paths = []string{\"github.com/me/board/...\", \"github.com/me/board/\", \"/run/blackboard/kb\", \"$HOME/blackboard/kb\", \"blackboard\", rank.X, board.X}\n",
		"testdata/secrets/go.mod": "module github.com/me/board/testdata/secrets\n\nrequire (\n\tgithub.com/me/board v0.0.0\n\tx.y/z v1.0.0\n)\n\nreplace github.com/me/board => ../..\n",
		"dist/old.txt":            before["dist/old.txt"],
	}
	check(want)

	// A repository of the module's name is another thing than the module.
	if err := set(root, []string{"REPOSITORY=https://github.com/them/board"}); err != nil {
		t.Fatal(err)
	}
	check(map[string]string{"go.mod": want["go.mod"], "kb/kb.go": want["kb/kb.go"]})
	if err := set(root, []string{"MODULE=blackboard", "REPOSITORY=https://github.com/OWNER/board", "NPM=@owner/board", "MAINTAINER=The authors <a@example.com>"}); err != nil {
		t.Fatal(err)
	}
	check(before)
}

func TestSetRefuses(t *testing.T) {
	root := tree(t, map[string]string{"Makefile": makefile})
	for _, c := range [][2]string{
		{"MODULE=zed.dev/board", "sorts before text/template"},
		{"MODULE=a b", "invalid MODULE"},
		{"MODULE=", "invalid MODULE"},
		{"REPOSITORY=github.com/me/board", "invalid REPOSITORY"},
		{"MAINTAINER=me", "invalid MAINTAINER"},
		{"NPM=@Me/board", "invalid NPM"},
		{"PYPI=a_b", "invalid PYPI"},
		{"NAME=x", "invalid choice"},
		{"MODULE", "invalid choice"},
	} {
		if err := set(root, []string{c[0]}); err == nil || !strings.Contains(err.Error(), c[1]) {
			t.Errorf("%s: %v, want %s", c[0], err, c[1])
		}
	}
	if got, err := os.ReadFile(filepath.Join(root, "Makefile")); err != nil ||
		string(got) != makefile {
		t.Errorf("the Makefile was changed: %v\n%s", err, got)
	}
	if _, err := readChoices(t.TempDir()); err == nil ||
		!strings.Contains(err.Error(), "at the top of the repository") {
		t.Errorf("without a Makefile: %v", err)
	}
}

// TestChoices: those of our Makefile are valid.
func TestChoices(t *testing.T) {
	if _, err := readChoices("../.."); err != nil {
		t.Error(err)
	}
}

func TestVersion(t *testing.T) {
	for tag, want := range map[string]version{
		"v1.2.3":               {"v1.2.3", "1.2.3", "1.2.3"},
		"v1.2.3-rc.1":          {"v1.2.3-rc.1", "1.2.3-rc.1", "1.2.3rc1"},
		"v1.0.0-beta.12":       {"v1.0.0-beta.12", "1.0.0-beta.12", "1.0.0b12"},
		"84ddc83":              {"84ddc83", "0.0.0-dev.g84ddc83", "0.0.0.dev0+84ddc83"},
		"v1.2.3-4-gABC1-dirty": {"v1.2.3-4-gABC1-dirty", "0.0.0-dev.gv1.2.3.4.gABC1.dirty", "0.0.0.dev0+v1.2.3.4.gabc1.dirty"},
	} {
		if got, err := parseVersion(tag); err != nil || got != want {
			t.Errorf("%s: %+v, %v, want %+v", tag, got, err, want)
		}
	}
	for _, tag := range []string{"", "../x", "v1 2", "-v"} {
		if v, err := parseVersion(tag); err == nil {
			t.Errorf("%q is %+v", tag, v)
		}
	}
}
