package kb

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"blackboard/board/fault"
)

// FindWorkspace returns the workspace of a directory: the root of the git repository that it lies in, the same for all worktrees that the
// repository names as its own, else the directory itself. It is "" for what is nobody's project: the home directory, the file system's root. Links are resolved, so a
// project has one name whatever way it was reached. The data home keeps which directory a git directory elsewhere is checked out into; "": nothing is kept.
func FindWorkspace(dir, home, data string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return "", fault.Invalid.New("the workspace "+dir+" does not exist", "name an existing directory")
		}
		return "", err
	}
	if info, err := os.Stat(real); err != nil {
		return "", err
	} else if !info.IsDir() {
		real = filepath.Dir(real)
	}
	if home, err = filepath.EvalSymlinks(home); err != nil {
		home = ""
	}
	nobodys := func(d string) bool { return d == home || d == filepath.Dir(d) }
	for at := real; ; at = filepath.Dir(at) {
		root, found, err := repository(at, data)
		if err != nil {
			return "", err
		}
		if found {
			switch {
			case !nobodys(root):
				return root, nil
			case !nobodys(at): // a worktree elsewhere of what is kept in git at home
				return at, nil
			}
			break // dotfiles kept in git do not make a project of all that lies below
		}
		if at == filepath.Dir(at) {
			break
		}
	}
	if nobodys(real) {
		return "", nil
	}
	return real, nil
}

// repository reports whether a directory is the top of a git working tree, and the root that all its worktrees share.
func repository(dir, data string) (root string, found bool, err error) {
	git := filepath.Join(dir, ".git")
	info, err := os.Stat(git)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrPermission):
		return "", false, nil
	case err != nil:
		return "", false, err
	case info.IsDir():
		if _, err := os.Stat(filepath.Join(git, "HEAD")); err != nil {
			return "", false, nil // an empty .git is none for git either
		}
		return dir, true, nil
	}
	b, err := os.ReadFile(git)
	if err != nil || !strings.HasPrefix(string(b), gitdir) {
		return "", false, err
	}
	if own := namedIn(git, gitdir); own != "" {
		return rootOf(own, dir, data), true, nil
	}
	return dir, true, nil // it leads nowhere
}
