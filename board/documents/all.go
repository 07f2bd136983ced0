package documents

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"blackboard/board/fault"
)

// gatherer collects documents.
type gatherer struct {
	walker
	all   []*Document
	seen  map[string]bool
	bytes int
	found int // documents, those that were read before as well
}

func newGatherer() *gatherer {
	g := &gatherer{seen: map[string]bool{}}
	g.file = g.open
	return g
}

// OpenAll reads files, directories with everything below them, and patterns such as
// out/*.md, each in the order of names. It reads a file once, and leaves out hidden
// files and links in directories. Unreadable files of a directory or pattern are
// skipped, with the reason. A file that is named itself must be readable, and each path
// must give a document.
func OpenAll(paths []string) ([]*Document, []Skipped, error) {
	g := newGatherer()
	for _, path := range paths {
		before := g.found
		if err := g.path(path); err != nil {
			return nil, nil, err
		}
		if g.found == before {
			return nil, nil, g.nothingFound(path)
		}
	}
	return g.all, g.skipped, nil
}

// nothingFound returns the error for a path that gave no document.
func (g *gatherer) nothingFound(path string) error {
	for i := len(g.skipped) - 1; i >= 0; i-- {
		if s := g.skipped[i]; strings.HasPrefix(s.File, strings.TrimRight(path, "/*")) {
			return invalid(fmt.Sprintf("cannot read anything in %s: %s", path, s.Reason),
				"give the path of the report or source file")
		}
	}
	return fault.NotFound.New(fmt.Sprintf("no document found in %s", path),
		"check the path; hidden files are ignored")
}

// open reads a file. Named itself, it has to be readable.
func (g *gatherer) open(path string, named bool) error {
	key := filepath.Clean(path)
	if g.seen[key] {
		g.found++
		return nil
	}
	if len(g.all) == MaxFiles {
		return invalid(fmt.Sprintf("more than %d files to read", MaxFiles),
			"give fewer files")
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
			"give fewer files")
	}
	if d.Undecoded > 0 {
		g.skip(path, errors.New(d.Unread()))
	}
	g.seen[key] = true
	g.found++
	g.all = append(g.all, d)
	return nil
}
