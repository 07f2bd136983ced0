// Package markdown finds markdown files, splits off front matter, and cuts sections.
package markdown

import (
	"path/filepath"
	"strings"
)

func Is(path string) bool {
	ext := strings.ToLower(filepath.Ext(path))
	return ext == ".md" || ext == ".markdown"
}

// LeadsOutWhy is why no such link is followed: a folder could expose any file of this user.
const LeadsOutWhy = "it is a link to a file outside the folder, which is not followed"

// LeadsOut reports whether a link below dir leads out of it. A broken link does not.
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

// RealPath returns an absolute path without links.
func RealPath(path string) (string, error) {
	path, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", err
	}
	return filepath.Abs(path)
}
