// Package home finds the project that a directory belongs to, and opens the stores of a data home.
package home

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"blackboard/board/disk"
	"blackboard/board/fault"
)

// Find returns the workspace of a directory, links resolved: the root of its git repository, which
// all its worktrees share, or the workspace that it is a clone of, as the data home says ("": none),
// or else the directory itself; "" for the home directory and the root of the file system.
func Find(dir, home, data string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return "", fault.Invalid.New("workspace "+dir+" does not exist",
				"name an existing directory")
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
		root, found, err := repository(at)
		if err != nil {
			return "", err
		}
		if found {
			switch {
			case !nobodys(root):
				return resolveClone(data, root), nil
			case !nobodys(at): // a worktree elsewhere of a repository in the home directory
				return at, nil
			}
			break // a repository of dotfiles does not make everything below it one project
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

// SharedPath names a file by its repository and its path there; "" outside of one.
func SharedPath(file, data string) string {
	for at := filepath.Dir(file); at != filepath.Dir(at); at = filepath.Dir(at) {
		root, found, err := repository(at)
		if err != nil {
			return ""
		}
		if rel, err := filepath.Rel(at, file); found && err == nil {
			return resolveClone(data, root) + string(filepath.ListSeparator) + rel
		}
	}
	return ""
}

// repository reports whether a directory is the top of a git working tree, and its root.
func repository(dir string) (root string, found bool, err error) {
	git := filepath.Join(dir, ".git")
	info, err := os.Stat(git)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrPermission):
		return "", false, nil
	case err != nil:
		return "", false, err
	case info.IsDir():
		if _, err := os.Stat(filepath.Join(git, "HEAD")); err != nil {
			return "", false, nil // git ignores an empty .git too
		}
		return dir, true, nil
	}
	b, err := disk.Read(git, maxGitFile)
	if err != nil || !strings.HasPrefix(string(b), gitdir) {
		return "", false, nil // no repository, as for git
	}
	if own := namedIn(git, gitdir); own != "" {
		return rootOf(own, dir), true, nil
	}
	return dir, true, nil // a broken link
}
