package disk

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
)

// SQLite locks a database with POSIX record locks. Closing any descriptor of a file drops
// all such locks that the process holds on it (https://sqlite.org/howtocorrupt.html,
// 2.2). Another process then believes that no one uses the file, and removes its WAL with
// acknowledged writes. So a process must open a database through SQLite only. A path that
// is given may be a database too, so each is opened by this package.

// held has what this process has open: the databases of SQLite's connections, and the
// files whose closing must wait for them.
var held struct {
	sync.Mutex
	databases map[*Database]bool
	parked    []*os.File
}

// Database is a file that a connection of SQLite has open.
type Database struct {
	path string // absolute
	file os.FileInfo
}

// Hold registers a database before a connection of SQLite opens it.
func Hold(path string) *Database {
	db := &Database{}
	info, err := os.Stat(path)
	if err != nil {
		return db // SQLite fails to open it too, since it may not create files
	}
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	db.path, db.file = path, info
	held.Lock()
	defer held.Unlock()
	if held.databases == nil {
		held.databases = map[*Database]bool{}
	}
	held.databases[db] = true
	return db
}

// Release forgets a database that a connection has closed, and closes the files that
// waited for it.
func (db *Database) Release() {
	held.Lock()
	defer held.Unlock()
	delete(held.databases, db)
	held.parked = slices.DeleteFunc(held.parked, func(f *os.File) bool {
		info, err := f.Stat()
		if err == nil && isHeld(info) {
			return false
		}
		f.Close()
		return true
	})
}

// isHeld reports whether a connection of this process has locks on a file. The caller
// holds the lock of held.
func isHeld(file os.FileInfo) bool {
	for db := range held.databases {
		if os.SameFile(db.file, file) {
			return true
		}
		// A -shm without a name belongs to a removed database, to which no one writes any
		// more. SQLite puts it beside the file, not beside a link to the file.
		path, err := filepath.EvalSymlinks(db.path)
		if err != nil {
			continue
		}
		if shm, err := os.Stat(path + "-shm"); err == nil && os.SameFile(shm, file) {
			return true
		}
	}
	return false
}

// unpark returns a descriptor of the file that still waits to be closed, or nil. So a
// database that is read again and again needs only one.
func unpark(path string) *os.File {
	held.Lock()
	defer held.Unlock()
	if len(held.parked) == 0 {
		return nil
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil
	}
	for i, f := range held.parked {
		parked, err := f.Stat()
		if err != nil || !os.SameFile(parked, info) {
			continue
		}
		if _, err := f.Seek(0, io.SeekStart); err == nil {
			held.parked = slices.Delete(held.parked, i, i+1)
			return f
		}
	}
	return nil
}

// File is a file that is read as bytes. If it is a database that this process has open,
// or its -shm, Close keeps the descriptor until SQLite has closed the file, so that no
// lock is lost.
type File struct {
	f      *os.File
	closed atomic.Bool
}

func open(path string, flag int) (*File, error) {
	if f := unpark(path); f != nil {
		return &File{f: f}, nil
	}
	f, err := os.OpenFile(path, flag, 0)
	if err != nil {
		return nil, err
	}
	return &File{f: f}, nil
}

// Read implements io.Reader.
func (f *File) Read(p []byte) (int, error) {
	if f.closed.Load() {
		return 0, fs.ErrClosed
	}
	return f.f.Read(p)
}

// ReadAt implements io.ReaderAt.
func (f *File) ReadAt(p []byte, off int64) (int, error) {
	if f.closed.Load() {
		return 0, fs.ErrClosed
	}
	return f.f.ReadAt(p, off)
}

// Stat describes the file that was opened.
func (f *File) Stat() (os.FileInfo, error) { return f.f.Stat() }

// Close closes the file, at once or when SQLite has closed it.
func (f *File) Close() error {
	if f.closed.Swap(true) {
		return fs.ErrClosed
	}
	held.Lock()
	defer held.Unlock()
	if info, err := f.f.Stat(); err == nil && isHeld(info) {
		held.parked = append(held.parked, f.f)
		return nil
	}
	return f.f.Close()
}
