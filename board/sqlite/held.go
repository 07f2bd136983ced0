package sqlite

import (
	"io"
	"os"
	"slices"
	"sync"
)

// SQLite locks a database with POSIX record locks, and closing any descriptor of a file drops all such locks
// that the process holds on it (https://sqlite.org/howtocorrupt.html, 2.2). Another process then believes that
// nobody uses the file, and removes its WAL with what was acknowledged. So a process must not open a database
// except through SQLite. What a user names may be one all the same: it is opened by OpenFile.

// held counts what this process has open: connections of SQLite by the file they are of, and files whose closing
// has to wait for them.
var held struct {
	sync.Mutex
	conns  map[*conn]os.FileInfo
	parked []*os.File
}

// hold registers a connection before SQLite opens its file.
func hold(c *conn, path string) {
	info, err := os.Stat(path)
	if err != nil {
		return // SQLite fails to open it too, since it may not create files
	}
	held.Lock()
	defer held.Unlock()
	if held.conns == nil {
		held.conns = map[*conn]os.FileInfo{}
	}
	held.conns[c] = info
}

// release forgets a connection that SQLite has closed, and closes the files that waited for it.
func release(c *conn) {
	held.Lock()
	defer held.Unlock()
	delete(held.conns, c)
	held.parked = slices.DeleteFunc(held.parked, func(f *os.File) bool {
		info, err := f.Stat()
		if err == nil && isHeld(info) {
			return false
		}
		f.Close()
		return true
	})
}

// isHeld reports whether a connection of this process is open on a file. The caller holds the lock of held.
func isHeld(file os.FileInfo) bool {
	for _, info := range held.conns {
		if os.SameFile(info, file) {
			return true
		}
	}
	return false
}

// File is a file that is read as bytes, whatever it is. If it is a database that this process has open, Close
// keeps its descriptor until SQLite is done with the file, so that no lock is lost.
type File struct{ f *os.File }

// OpenFile opens a file that may be a database for reading. Every path that a user names, and every byte copy of
// a database, goes through it. Errors are those of os.Open.
func OpenFile(path string) (*File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	return &File{f}, nil
}

// ReadFile reads the whole of a file that may be a database, see OpenFile.
func ReadFile(path string) ([]byte, error) {
	f, err := OpenFile(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(f)
}

// Read reads as of os.File.
func (f *File) Read(p []byte) (int, error) { return f.f.Read(p) }

// ReadAt reads as of os.File.
func (f *File) ReadAt(p []byte, off int64) (int, error) { return f.f.ReadAt(p, off) }

// Stat describes the file that was opened.
func (f *File) Stat() (os.FileInfo, error) { return f.f.Stat() }

// Close closes the file, or has it closed once SQLite has closed it.
func (f *File) Close() error {
	held.Lock()
	defer held.Unlock()
	if info, err := f.f.Stat(); err == nil && isHeld(info) {
		held.parked = append(held.parked, f.f)
		f.f = nil // a second Close is an error, as of os.File
		return nil
	}
	return f.f.Close()
}
