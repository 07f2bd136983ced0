// Package replace puts files in the place of others, so that a name has its old or its new
// content, whatever happens meanwhile: a crash, a full disk, a loss of power.
//
// Where a file is made until then, and with which mode, is up to the caller, who opens it; it must
// be in the same directory.
package replace

import (
	"errors"
	"os"
	"runtime"
	"syscall"
)

// Fill writes a new file with write, makes its content last on the disk, and closes it. After an
// error the file is gone.
func Fill(f *os.File, write func(*os.File) error) error {
	err := write(f)
	if err == nil {
		err = f.Sync()
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}

// Put gives a file the name of another one, which is gone then. After an error the file is gone,
// and the other as it was.
func Put(file, name string) error {
	err := rename(file, name)
	if err != nil {
		os.Remove(file)
	}
	return err
}

// SyncDir makes the names in a directory last on the disk. File systems that cannot do so are left
// to themselves.
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
