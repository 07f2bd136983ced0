package setup

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"blackboard/board/disk"
)

// This file reads and writes files. At any moment a file has its old or its new content.

const maxFile = 64 << 20

type onDisk struct {
	real   string // with links resolved
	text   []byte
	exists bool
	mode   fs.FileMode
	info   fs.FileInfo
}

// readDisk reads a file. A missing one is empty; one that cannot be written is an error.
func readDisk(path string) (*onDisk, error) {
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
		return nil, fileError(fmt.Sprintf("cannot read %s: %v", path, disk.Cause(err)),
			"check its permissions, then set up again")
	case info.IsDir():
		return nil, fileError(named+" is a directory, not a file",
			"move it away, then set up again")
	case !info.Mode().IsRegular():
		return nil, fileError(named+" is not a regular file", "move it away, then set up again")
	case info.Mode().Perm()&0o200 == 0:
		return nil, fileError(fmt.Sprintf("%s is read-only (%v)", named, info.Mode().Perm()),
			"make it writable, or change what generates it, then set up again")
	case info.Size() > maxFile:
		return nil, fileError(fmt.Sprintf("%s has %d MB, which is too large for a configuration",
			named, info.Size()>>20),
			"check what it is; if it is no configuration, move it away, then set up again")
	}
	f.exists, f.mode, f.info = true, info.Mode().Perm(), info
	if f.text, err = disk.Read(real, maxFile); err != nil {
		return nil, fileError(fmt.Sprintf("cannot read %s: %v", path, disk.Cause(err)),
			"check its permissions, then set up again")
	}
	return f, nil
}

// resolve follows the links of a path whose target may not exist. A dangling link is an
// error, because its target is not ours to create.
func resolve(path string) (string, error) {
	real, err := filepath.EvalSymlinks(path)
	if err == nil {
		return real, nil
	}
	switch {
	case !errors.Is(err, fs.ErrNotExist):
		return "", fileError(fmt.Sprintf("cannot open %s: %v", path, disk.Cause(err)),
			"check its links and its permissions")
	case disk.Exists(path):
		return "", fileError(path+" is a link to a file that does not exist",
			"remove the link or create the file, then set up again")
	}
	parent := filepath.Dir(path)
	if parent == path {
		return path, nil
	}
	dir, err := resolve(parent)
	return filepath.Join(dir, filepath.Base(path)), err
}

func missingDirs(path string) (dirs []string) {
	for dir := filepath.Dir(path); !disk.Exists(dir); dir = filepath.Dir(dir) {
		dirs = append([]string{dir}, dirs...)
	}
	return dirs
}

// prepare writes a text beside the file that it replaces, with its mode and owner.
func prepare(path string, text []byte, mode fs.FileMode, like fs.FileInfo) (temp string,
	err error) {
	f, err := disk.Temp(path, 0o600)
	if err != nil {
		return "", err
	}
	return f.Name(), disk.Fill(f, func(f *os.File) error {
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

func writeWhole(path string, text []byte, mode fs.FileMode, like fs.FileInfo) error {
	temp, err := prepare(path, text, mode, like)
	if err != nil {
		return err
	}
	if err := disk.Put(temp, path); err != nil {
		return err
	}
	return disk.SyncDir(filepath.Dir(path))
}
