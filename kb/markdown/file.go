// Package markdown reads what all markdown files have: the front matter, and where they lie.
package markdown

import (
	"path/filepath"
	"strings"
)

// Is reports whether a file is markdown by its name.
func Is(path string) bool {
	ext := strings.ToLower(filepath.Ext(path))
	return ext == ".md" || ext == ".markdown"
}

// LeadsOutWhy is why such a link is not followed: a folder that somebody else made could take in any file of this user's.
const LeadsOutWhy = "it is a link to a file outside of the folder, which is not followed"

// LeadsOut reports whether a link below dir leads to something that is not below it. One that leads nowhere does not.
func LeadsOut(dir, link string) bool {
	target, err := RealPath(link)
	if err != nil {
		return false
	}
	root, err := RealPath(dir)
	if err != nil {
		return true
	}
	rel, err := filepath.Rel(root, target)
	return err != nil || !filepath.IsLocal(rel)
}

// RealPath is a path from the root, without links.
func RealPath(path string) (string, error) {
	path, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", err
	}
	return filepath.Abs(path)
}
