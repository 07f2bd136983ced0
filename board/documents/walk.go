package documents

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"blackboard/board/disk"
	"blackboard/board/fault"
)

// Limits of reading directories.
const (
	MaxFiles   = 2000    // documents that are kept
	MaxTotal   = 4 * Max // bytes of their text
	maxEntries = 200_000 // files and directories that are looked at
	maxEach    = 10_000  // documents that are read one after the other
	maxBytes   = 1 << 30 // of their files
)

// Skipped is a file of a directory or a pattern that is not read, or a file of which a
// part is not.
type Skipped struct {
	File   string `json:"file"`
	Reason string `json:"reason"` // why it was not read
}

// walker finds the files of paths: files, directories with everything below them, and
// patterns such as out/*.md, each in the order of names. It leaves out hidden files
// and, in directories, links and files that are not regular.
type walker struct {
	entries int
	skipped []Skipped
	// file is called for each; named says that a path names it itself.
	file func(path string, named bool) error
}

func (w *walker) path(path string) error {
	fi, err := os.Stat(path)
	switch {
	case err == nil && fi.IsDir():
		return w.directory(path)
	case errors.Is(err, fs.ErrNotExist) && strings.ContainsAny(path, "*?["):
		return w.pattern(path)
	}
	return w.file(path, true)
}

func (w *walker) pattern(pattern string) error {
	matches, err := filepath.Glob(pattern)
	if err != nil {
		return invalid(fmt.Sprintf("the pattern %s is not valid", pattern),
			"close its brackets; a directory stands for all files below it")
	}
	for _, match := range matches {
		if strings.HasPrefix(filepath.Base(match), ".") {
			continue
		}
		if fi, err := os.Stat(match); err == nil && fi.IsDir() {
			if err := w.directory(match); err != nil {
				return err
			}
		} else if err := w.file(match, false); err != nil {
			return err
		}
	}
	return nil
}

func (w *walker) directory(dir string) error {
	if disk.IsSystem(dir) {
		return invalid(fmt.Sprintf("%s is one of the system's own directories", dir),
			"give the directory of the reports or sources")
	}
	root := strings.TrimRight(dir, string(filepath.Separator)) + string(filepath.Separator)
	return filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if w.entries++; w.entries > maxEntries {
			return invalid(fmt.Sprintf("%s has more than %d files and directories", dir,
				maxEntries),
				"give a smaller directory")
		}
		switch {
		case path != root && strings.HasPrefix(d.Name(), "."):
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		case err != nil:
			if path == root {
				return err
			}
			w.skip(path, err)
			return nil
		case d.IsDir():
			return nil
		case d.Type()&fs.ModeSymlink != 0:
			w.skip(path, errors.New("it is a link; links inside directories are not followed"))
			return nil
		case !d.Type().IsRegular():
			w.skip(path, notRegular(path, disk.Kind(d.Type())))
			return nil
		}
		return w.file(path, false)
	})
}

func (w *walker) skip(path string, err error) {
	w.skipped = append(w.skipped, Skipped{path, err.Error()})
}

// Find returns the files of paths, each once: files, directories with everything below
// them, and patterns. A missing file or directory is fault.NotFound.
func Find(paths ...string) ([]string, error) {
	var all []string
	seen := map[string]bool{}
	w := walker{file: func(path string, named bool) error {
		if named {
			if _, err := os.Stat(path); err != nil {
				try := "give the directory that has the sources"
				if first, _, several := strings.Cut(path, ","); several {
					if _, err := os.Stat(first); err == nil {
						try = "name each by itself: the flag or argument once for each"
					}
				}
				return fault.NotFound.New(fmt.Sprintf("there is no file or directory %s", path), try)
			}
		}
		if key := filepath.Clean(path); !seen[key] {
			seen[key], all = true, append(all, path)
		}
		return nil
	}}
	for _, path := range paths {
		if err := w.path(path); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// Each calls read with the sources in files, one after the other. It skips the files in
// except, and those that are too large or have no text.
func Each(files, except []string, read func(*Document) error) error {
	var out []os.FileInfo
	for _, name := range except {
		if fi, err := os.Stat(name); err == nil {
			out = append(out, fi)
		}
	}
	n, bytes := 0, int64(0)
	for _, path := range files {
		fi, err := os.Stat(path)
		if err != nil || fi.Size() > Max || isAmong(fi, out) {
			continue
		}
		if n, bytes = n+1, bytes+fi.Size(); n > maxEach || bytes > maxBytes {
			return invalid(fmt.Sprintf("more than %d files or %d MiB of sources", maxEach,
				maxBytes>>20), "give only the directories of this run's sources")
		}
		d, err := OpenSource(path)
		if errors.Is(err, fault.Invalid) || errors.Is(err, fault.NotFound) {
			continue // no text, or gone meanwhile
		}
		if err == nil {
			err = read(d)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func isAmong(fi os.FileInfo, all []os.FileInfo) bool {
	return slices.ContainsFunc(all,
		func(other os.FileInfo) bool { return os.SameFile(fi, other) })
}
