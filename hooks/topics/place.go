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

// Place is where a session works.
type Place struct {
	// Workspace is the root of the git working tree, else the directory itself, links resolved. It is "" for what is nobody's project: the home directory, the file system's root.
	Workspace string `json:"workspace"`
	// Branch is "" unless Head is HeadBranch.
	Branch string `json:"branch"`
	Head   string `json:"head"` // one of HeadBranch, HeadDetached, HeadUnknown and HeadNone
}

// What HEAD says.
const (
	HeadBranch   = "branch"   // it names a branch
	HeadDetached = "detached" // a commit, and no rebase or bisect that began on a branch
	HeadUnknown  = "unknown"  // there is a repository, but its HEAD cannot be read, or names no branch
	HeadNone     = "none"     // no git
)

// SharedBranches are the branches that unrelated sessions share.
var SharedBranches = []string{"main", "master", "dev", "develop", "trunk"}

// Find returns the place of a directory; a file stands for the directory that it is in. Git is not run: only .git and HEAD are read. The variables $GIT_DIR and $GIT_WORK_TREE are not looked at,
// since what runs inside a git hook inherits those of another repository. It fails for a directory that is not there.
func Find(dir, home string) (Place, error) {
	abs, err := filepath.Abs(dir)
	if err != nil { // the working directory was deleted
		return Place{}, invalid("the working directory is gone", "go to a directory that exists", otherPlace)
	}
	real, err := filepath.EvalSymlinks(abs)
	if errors.Is(err, fs.ErrNotExist) {
		return Place{}, invalid("the workspace "+abs+" does not exist", "name an existing directory")
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
		if git, found := workTree(at); found {
			if nobodys(at) {
				break // dotfiles kept in git do not make a project of all that lies below
			}
			return place(at, git), nil
		}
		if at == filepath.Dir(at) {
			break
		}
	}
	// A bare repository counts where there is no working tree around it.
	for at := real; !nobodys(at); at = filepath.Dir(at) {
		if bare(at) {
			return place(at, at), nil
		}
	}
	if nobodys(real) {
		return Place{Head: HeadNone}, nil
	}
	return Place{Workspace: real, Head: HeadNone}, nil
}

func place(workspace, git string) Place {
	p := Place{Workspace: workspace}
	p.Branch, p.Head = readHead(git)
	return p
}

// workTree reports whether a directory is the top of a git working tree, and where its repository is: "" if that cannot be read.
func workTree(dir string) (git string, found bool) {
	git = filepath.Join(dir, ".git")
	info, err := os.Stat(git)
	switch {
	case err != nil:
		return "", false
	case info.IsDir():
		_, err := os.Lstat(filepath.Join(git, "HEAD"))
		return git, !errors.Is(err, fs.ErrNotExist) // an empty .git is none for git either
	case !info.Mode().IsRegular():
		return "", false
	}
	// A file: "gitdir: PATH". So it is in worktrees, in submodules, and where the repository was put elsewhere.
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

// bare reports whether a directory is a repository without a working tree.
func bare(dir string) bool {
	for _, name := range []string{"objects", "refs"} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || !info.IsDir() {
			return false
		}
	}
	_, err := os.Lstat(filepath.Join(dir, "HEAD"))
	return err == nil
}

// OwnBranch is the branch if it is one piece of work, "" if unrelated sessions share it.
func (p Place) OwnBranch() string {
	if shared, _ := p.shared(); shared {
		return ""
	}
	return p.Branch
}

// shared says whether unrelated sessions work in this place, and why.
func (p Place) shared() (bool, string) {
	switch {
	case p.Head == HeadNone:
		return true, "there is no git repository, so nothing tells unrelated sessions apart"
	case p.Head == HeadDetached:
		return true, "HEAD is detached, so nothing tells unrelated sessions apart"
	case p.Head != HeadBranch:
		return true, "the branch cannot be told, so nothing tells unrelated sessions apart"
	case slices.Contains(SharedBranches, p.Branch):
		return true, "unrelated sessions share the branch " + p.Branch
	}
	return false, "the branch " + clip(p.Branch, 100) + " is one piece of work"
}

// below is where a workspace's directory lies below the root: its path without the first slash, or, on Windows, without the colon of its drive.
func below(workspace string) string {
	volume := filepath.VolumeName(workspace)
	return filepath.Join(strings.Trim(strings.ReplaceAll(volume, ":", ""), `\/`), workspace[len(volume):])
}

// above is the workspace of a directory that lies there.
func above(rel string) string {
	if runtime.GOOS != "windows" {
		return string(filepath.Separator) + rel
	}
	drive, rest, _ := strings.Cut(rel, string(filepath.Separator))
	if len(drive) == 1 {
		return drive + `:\` + rest
	}
	return `\\` + rel
}
