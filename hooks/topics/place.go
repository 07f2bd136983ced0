package topics

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// Place is the place where a session works.
type Place struct {
	// Workspace is the root of the git working tree, or else the directory itself, with
	// links resolved. It is "" for the home directory and the root of the file system,
	// which are no projects.
	Workspace string `json:"workspace"`
	// Branch is "" unless Head is HeadBranch.
	Branch string `json:"branch"`
	Head   string `json:"head"` // HeadBranch, HeadDetached, HeadUnknown or HeadNone
}

// States of HEAD.
const (
	HeadBranch   = "branch"   // it names a branch
	HeadDetached = "detached" // a commit, outside of a rebase or bisect of a branch
	// HeadUnknown: the repository's HEAD cannot be read or names no branch.
	HeadUnknown = "unknown"
	HeadNone    = "none" // no git repository
)

// SharedBranches are branches that unrelated sessions share.
var SharedBranches = []string{"main", "master", "dev", "develop", "trunk"}

// Find returns the place of a directory; for a file, of its directory. It reads .git
// and HEAD and does not run git. It ignores $GIT_DIR and $GIT_WORK_TREE, because
// programs inside a git hook inherit those of another repository. It fails if the
// directory does not exist.
func Find(dir, home string) (Place, error) {
	abs, err := filepath.Abs(dir)
	if err != nil { // the working directory was deleted
		return Place{}, invalid("the working directory does not exist any more",
			"go to a directory that exists",
			otherPlace)
	}
	real, err := filepath.EvalSymlinks(abs)
	if errors.Is(err, fs.ErrNotExist) {
		return Place{}, invalid("the workspace "+abs+" does not exist",
			"name an existing directory")
	}
	if err != nil {
		return Place{}, err
	}
	info, err := os.Stat(real)
	if err != nil {
		return Place{}, err
	}
	if !info.IsDir() {
		real = filepath.Dir(real)
	}
	if home, err = filepath.EvalSymlinks(home); err != nil {
		home = ""
	}
	nobodys := func(d string) bool { return d == home || d == filepath.Dir(d) }
	for at := real; ; at = filepath.Dir(at) {
		if git, found := findWorkTree(at); found {
			if nobodys(at) {
				break // dotfiles kept in git do not make everything below one project
			}
			return newPlace(at, git), nil
		}
		if at == filepath.Dir(at) {
			break
		}
	}
	// A bare repository counts only without a working tree around it.
	for at := real; !nobodys(at); at = filepath.Dir(at) {
		if isBareRepo(at) {
			return newPlace(at, at), nil
		}
	}
	if nobodys(real) {
		return Place{Head: HeadNone}, nil
	}
	return Place{Workspace: real, Head: HeadNone}, nil
}

func newPlace(workspace, git string) Place {
	p := Place{Workspace: workspace}
	p.Branch, p.Head = readHead(git)
	return p
}

// findWorkTree reports whether a directory is the top of a git working tree, and the
// path of its repository; "" if that cannot be read.
func findWorkTree(dir string) (git string, found bool) {
	git = filepath.Join(dir, ".git")
	info, err := os.Stat(git)
	switch {
	case err != nil:
		return "", false
	case info.IsDir():
		_, err := os.Lstat(filepath.Join(git, "HEAD"))
		return git, !errors.Is(err, fs.ErrNotExist) // git ignores an empty .git too
	case !info.Mode().IsRegular():
		return "", false
	}
	// A file "gitdir: PATH", as in worktrees, submodules, after git init --separate-git-dir.
	text, err := readSmall(git)
	if err != nil {
		return "", true
	}
	path, ok := strings.CutPrefix(strings.TrimRight(text, "\r\n"), "gitdir: ")
	if !ok {
		return "", false
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	return path, true
}

// isBareRepo reports whether a directory is a repository without a working tree.
func isBareRepo(dir string) bool {
	for _, name := range []string{"objects", "refs"} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || !info.IsDir() {
			return false
		}
	}
	_, err := os.Lstat(filepath.Join(dir, "HEAD"))
	return err == nil
}

// OwnBranch returns the branch if it is for one task, "" if unrelated sessions share it.
func (p Place) OwnBranch() string {
	if shared, _ := p.shared(); shared {
		return ""
	}
	return p.Branch
}

// shared reports whether unrelated sessions work in this place, and why.
func (p Place) shared() (bool, string) {
	switch {
	case p.Head == HeadNone:
		return true, "there is no git repository, so unrelated sessions cannot be told apart"
	case p.Head == HeadDetached:
		return true, "HEAD is detached, so unrelated sessions cannot be told apart"
	case p.Head != HeadBranch:
		return true, "the branch is unknown, so unrelated sessions cannot be told apart"
	case slices.Contains(SharedBranches, p.Branch):
		return true, "unrelated sessions share the branch " + p.Branch
	}
	return false, "branch " + clip(p.Branch, 100) + " is for one task"
}

// workspaceDir returns a workspace's directory relative to the root: its path without
// the first slash, or, on Windows, without the colon of its drive.
func workspaceDir(workspace string) string {
	volume := filepath.VolumeName(workspace)
	return filepath.Join(strings.Trim(strings.ReplaceAll(volume, ":", ""), `\/`),
		workspace[len(volume):])
}

// workspaceOf returns the workspace of such a directory.
func workspaceOf(rel string) string {
	if runtime.GOOS != "windows" {
		return string(filepath.Separator) + rel
	}
	drive, rest, _ := strings.Cut(rel, string(filepath.Separator))
	if len(drive) == 1 {
		return drive + `:\` + rest
	}
	return `\\` + rel
}
