package documents

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"blackboard/board/fault"
)

// Bounds of what is read of directories at once.
const (
	MaxFiles   = 2000    // documents
	MaxTotal   = 4 * Max // bytes of their text
	maxEntries = 100_000 // files and directories that are looked at
)

// Skipped is a file of a directory or a pattern that is not read.
type Skipped struct {
	File   string `json:"file"`
	Reason string `json:"reason"`
}

// gatherer collects documents.
type gatherer struct {
	all     []*Document
	skipped []Skipped
	seen    map[string]bool
	bytes   int
	entries int
	found   int // documents, those that were read before as well
}

// OpenAll reads what the paths name: files, directories with all below them, and patterns such as
// out/*.md, each in the order of their names. A file is read once. Hidden files and links in
// directories are left out; what cannot be read in them, or of a pattern, is skipped, with the
// reason. A file that is named itself has to be readable, and each path has to give a document.
func OpenAll(paths []string) ([]*Document, []Skipped, error) {
	g := gatherer{seen: map[string]bool{}}
	for _, path := range paths {
		before := g.found
		if err := g.path(path); err != nil {
			return nil, nil, err
		}
		if g.found == before {
			return nil, nil, g.nothing(path)
		}
	}
	return g.all, g.skipped, nil
}

// path reads what one path names.
func (g *gatherer) path(path string) error {
	fi, err := os.Stat(path)
	switch {
	case err == nil && fi.IsDir():
		if device(path) {
			return invalid(fmt.Sprintf("%s is one of the system's own directories", path),
				"name the directory of the reports")
		}
		return g.directory(path)
	case errors.Is(err, fs.ErrNotExist) && strings.ContainsAny(path, "*?["):
		matches, err := filepath.Glob(path)
		if err != nil {
			return invalid(fmt.Sprintf("the pattern %s is not valid", path),
				"close its brackets; a directory stands for all files below it")
		}
		for _, match := range matches {
			if strings.HasPrefix(filepath.Base(match), ".") {
				continue
			}
			if fi, err := os.Stat(match); err == nil && fi.IsDir() {
				err = g.directory(match)
				if err != nil {
					return err
				}
			} else if err := g.file(match, false); err != nil {
				return err
			}
		}
		return nil
	}
	return g.file(path, true)
}

// nothing is the error for a path that gave no document.
func (g *gatherer) nothing(path string) error {
	for i := len(g.skipped) - 1; i >= 0; i-- {
		if s := g.skipped[i]; strings.HasPrefix(s.File, strings.TrimRight(path, "/*")) {
			return invalid(fmt.Sprintf("nothing in %s can be read: %s", path, s.Reason),
				"name the file that is the report or source")
		}
	}
	return fault.NotFound.New(fmt.Sprintf("there is no document in %s", path),
		"check the path; hidden files do not count")
}

func (g *gatherer) directory(dir string) error {
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if g.entries++; g.entries > maxEntries {
			return invalid(fmt.Sprintf("%s has more than %d files and directories", dir, maxEntries),
				"name a directory with less in it")
		}
		switch {
		case path != dir && strings.HasPrefix(d.Name(), "."):
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		case err != nil:
			if path == dir {
				return err
			}
			g.skip(path, err)
			return nil
		case d.IsDir():
			return nil
		case d.Type()&fs.ModeSymlink != 0:
			g.skip(path, errors.New("a link, which is not followed in a directory"))
			return nil
		}
		return g.file(path, false)
	})
}

func (g *gatherer) skip(path string, err error) {
	g.skipped = append(g.skipped, Skipped{path, err.Error()})
}

// file reads a file. Named itself, it has to be readable.
func (g *gatherer) file(path string, named bool) error {
	key := filepath.Clean(path)
	if g.seen[key] {
		g.found++
		return nil
	}
	if len(g.all) == MaxFiles {
		return invalid(fmt.Sprintf("there are more than %d files to read", MaxFiles),
			"name fewer of them")
	}
	d, err := Open(path)
	if err != nil {
		if named {
			return err
		}
		g.skip(path, err)
		return nil
	}
	if g.bytes += len(d.text); g.bytes > MaxTotal {
		return invalid(fmt.Sprintf("the files have more than %d MiB of text", MaxTotal>>20),
			"name fewer of them")
	}
	g.seen[key] = true
	g.found++
	g.all = append(g.all, d)
	return nil
}
