package disk

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
)

// This file puts files in the place of others, so that a name has its old or its new
// content, whatever happens meanwhile: a crash, a full disk, a loss of power.

// Write replaces the content of a file atomically and syncs it to the disk. It creates the
// directory, for its owner alone. A link is followed. The mode is that of a new file, before the
// umask.
func Write(path string, data []byte, mode fs.FileMode) error {
	return replace(path, data, mode, (*os.File).Sync)
}

// WriteUnsynced is Write for content that may be lost with the machine's power: it does
// not wait for the disk.
func WriteUnsynced(path string, data []byte, mode fs.FileMode) error {
	return replace(path, data, mode, func(*os.File) error { return nil })
}

func replace(path string, data []byte, mode fs.FileMode, sync func(*os.File) error) error {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := Temp(path, mode)
	if err != nil {
		return err
	}
	err = fill(f, func(f *os.File) error { _, err := f.Write(data); return err }, sync)
	if err != nil {
		return err
	}
	return Put(f.Name(), path)
}

// TempPrefix begins the names of unfinished files.
const TempPrefix = ".new-"

// Temp creates a file beside the one that it is to replace. `board doctor` knows its
// name, should it stay behind.
func Temp(path string, mode fs.FileMode) (*os.File, error) {
	dir, name := filepath.Split(path)
	for {
		temp := fmt.Sprintf("%s%s%s-%d", dir, TempPrefix, name, rand.Uint32())
		f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
		if !errors.Is(err, fs.ErrExist) {
			return f, err
		}
	}
}

// Fill calls write for a new file, syncs it to the disk, and closes it. After an error the file is
// gone.
func Fill(f *os.File, write func(*os.File) error) error {
	return fill(f, write, (*os.File).Sync)
}

func fill(f *os.File, write, sync func(*os.File) error) error {
	err := write(f)
	if err == nil {
		err = sync(f)
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}

// Put renames file to name, and so replaces what had that name. After an error file is removed, and
// what has the name is as it was.
func Put(file, name string) error {
	err := rename(file, name)
	if err != nil {
		os.Remove(file)
	}
	return err
}

// SyncDir makes the names in a directory last on the disk. It is no error if the file system
// cannot.
func SyncDir(dir string) error {
	if runtime.GOOS == "windows" { // where directories cannot be synced, and need not be
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	if err := d.Sync(); err != nil && !errors.Is(err, syscall.EINVAL) && !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	return nil
}

// OpenLog opens a log for its owner, to be appended to. One of more than max bytes is begun
// anew; the one before is kept as PATH.1.
func OpenLog(path string, max int64) (*os.File, error) {
	info, err := os.Stat(path)
	if err == nil {
		err = checkRegular(path, info)
	}
	if err == nil && info.Size() > max {
		err = os.Rename(path, path+".1")
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
}
