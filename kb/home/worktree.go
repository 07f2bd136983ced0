package home

import (
	"iter"
	"maps"
	"os"
	"path/filepath"
	"strings"

	"blackboard/board/disk"
)

const gitdir = "gitdir: "

// Bytes of a file with a path, and of a repository's settings.
const (
	maxGitFile   = 64 << 10
	maxGitConfig = 4 << 20
)

// rootOf returns the root that all working trees of a repository share, for a tree whose .git is a
// file. Anybody can write such a file, so the repository must name the working tree too: commondir
// names the repository's own directory, gitdir the worktree's .git, and core.worktree the first
// working tree if the git directory lies elsewhere (always for a submodule). Otherwise, as after git
// init --separate-git-dir, the tree is a project of its own.
func rootOf(git, dir string) string {
	common := namedIn(filepath.Join(git, "commondir"), "")
	_, err := os.Lstat(filepath.Join(git, "commondir"))
	isWorktree := err == nil
	if !isWorktree {
		common = git
	} else if filepath.Dir(git) != filepath.Join(common, "worktrees") ||
		namedIn(filepath.Join(git, "gitdir"), "") != filepath.Join(dir, ".git") {
		return dir
	}
	c := readGitConfig(common)
	if first := c["core.worktree"]; first != "" {
		if !filepath.IsAbs(first) {
			first = filepath.Join(common, first)
		}
		switch first, _ = filepath.EvalSymlinks(first); {
		case !isWorktree && first != dir:
			return dir
		case first != "" && namedIn(filepath.Join(first, ".git"), gitdir) == common:
			return first
		}
		return common
	}
	beside := filepath.Dir(common)
	switch {
	case isWorktree && filepath.Base(common) == ".git":
		return beside
	case isWorktree && namedIn(filepath.Join(beside, ".git"), gitdir) == common:
		return beside // a bare repository in a hidden directory of the project
	case isWorktree:
		return common
	}
	return dir
}

// namedIn returns the path that a file of git contains, links resolved; "" if broken.
func namedIn(file, prefix string) string {
	b, err := disk.Read(file, maxGitFile)
	path, ok := strings.CutPrefix(strings.TrimSpace(string(b)), prefix)
	if err != nil || !ok || path == "" {
		return ""
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(filepath.Dir(file), path)
	}
	path, _ = filepath.EvalSymlinks(path)
	return path
}

// readGitConfig returns the settings of a repository as "section.key" in lower case.
func readGitConfig(common string) map[string]string {
	all := map[string]string{}
	for _, name := range []string{"config", "config.worktree"} {
		b, _ := disk.Read(filepath.Join(common, name), maxGitConfig)
		maps.Insert(all, gitConfig(b))
	}
	return all
}

// gitConfig gives the settings of a file in their order, as "section.key" in lower case.
func gitConfig(b []byte) iter.Seq2[string, string] {
	return func(yield func(key, value string) bool) {
		section := ""
		for line := range strings.Lines(string(b)) {
			line = strings.TrimSpace(line)
			if name, ok := strings.CutPrefix(line, "["); ok {
				section = strings.ToLower(strings.TrimSuffix(name, "]"))
				continue
			}
			key, value, ok := strings.Cut(line, "=")
			value = strings.NewReplacer(`\\`, `\`, `\"`, `"`, `"`, "").Replace(strings.TrimSpace(value))
			if ok && !yield(section+"."+strings.ToLower(strings.TrimSpace(key)), value) {
				return
			}
		}
	}
}
