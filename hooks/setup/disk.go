package setup

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"blackboard/board/replace"
)

// This file reads and writes files. Whatever happens, a file has its old or its new content.

// maxFile is how large a configuration may be, in bytes. A larger one is none.
const maxFile = 64 << 20

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// onDisk is a file as it is.
type onDisk struct {
	real   string // with links resolved
	text   []byte
	exists bool
	mode   fs.FileMode
	info   fs.FileInfo
}

// look reads a file. One that is not there is an empty one; one that cannot be written is an error.
func look(path string) (*onDisk, error) {
	real, err := resolve(path)
	if err != nil {
		return nil, err
	}
	f := &onDisk{real: real, mode: 0o644}
	info, err := os.Stat(real)
	if errors.Is(err, fs.ErrNotExist) {
		return f, nil
	}
	named := path
	if real != path {
		named += ", a link to " + real + ","
	}
	switch {
	case err != nil:
		return nil, fileError(fmt.Sprintf("%s cannot be read: %v", path, cause(err)), "see to its permissions, then set up again")
	case info.IsDir():
		return nil, fileError(named+" is a directory, not a file", "move it away, then set up again")
	case !info.Mode().IsRegular():
		return nil, fileError(named+" is no regular file", "move it away, then set up again")
	case info.Mode().Perm()&0o200 == 0:
		return nil, fileError(fmt.Sprintf("%s is read-only (%v)", named, info.Mode().Perm()), "make it writable, or change what generates it, then set up again")
	case info.Size() > maxFile:
		return nil, fileError(fmt.Sprintf("%s has %d MB, too much for a configuration", named, info.Size()>>20), "see what it is; if it is no configuration, move it away, then set up again")
	}
	f.exists, f.mode, f.info = true, info.Mode().Perm(), info
	if f.text, err = os.ReadFile(real); err != nil {
		return nil, fileError(fmt.Sprintf("%s cannot be read: %v", path, cause(err)), "see to its permissions, then set up again")
	}
	return f, nil
}

// resolve follows the links of a path, of which the end need not be there. A link that leads nowhere is an error: what it should lead to is not ours to make.
func resolve(path string) (string, error) {
	real, err := filepath.EvalSymlinks(path)
	if err == nil {
		return real, nil
	}
	switch {
	case !errors.Is(err, fs.ErrNotExist):
		return "", fileError(fmt.Sprintf("%s cannot be reached: %v", path, cause(err)), "see where its links lead, and to its permissions")
	case exists(path):
		return "", fileError(path+" is a link to a file that is not there", "remove the link, or put the file in its place, then set up again")
	}
	parent := filepath.Dir(path)
	if parent == path {
		return path, nil
	}
	dir, err := resolve(parent)
	return filepath.Join(dir, filepath.Base(path)), err
}

// cause is an error without the path, which the message has already.
func cause(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}

// missingDirs are the directories that a file needs and that are not there, the outermost first.
func missingDirs(path string) (dirs []string) {
	for dir := filepath.Dir(path); !exists(dir); dir = filepath.Dir(dir) {
		dirs = append([]string{dir}, dirs...)
	}
	return dirs
}

// prepare writes a text beside the file that it is to replace, with that file's mode and owner.
func prepare(path string, text []byte, mode fs.FileMode, like fs.FileInfo) (temp string, err error) {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".new-*")
	if err != nil {
		return "", err
	}
	return f.Name(), replace.Fill(f, func(f *os.File) error {
		_, err := f.Write(text)
		if err == nil {
			err = f.Chmod(mode)
		}
		if err == nil && like != nil {
			err = keepOwner(f, like)
		}
		return err
	})
}

// writeWhole replaces a file at once.
func writeWhole(path string, text []byte, mode fs.FileMode, like fs.FileInfo) error {
	temp, err := prepare(path, text, mode, like)
	if err != nil {
		return err
	}
	if err := replace.Put(temp, path); err != nil {
		return err
	}
	return replace.SyncDir(filepath.Dir(path))
}
