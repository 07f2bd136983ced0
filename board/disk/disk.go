// Package disk reads and writes files.
//
// A directory is a stranger: what lies in it may be a pipe that nobody writes to, a link
// to a device without an end, or a file of gigabytes. So files are read here only: regular
// ones, up to a limit, without a wait. Files that the user names one by one may be pipes
// as well, see OpenNamed.
//
//	disk.go    reading within limits
//	held.go    reading files that may be databases of this process
//	write.go   replacing files atomically
//	lock.go    a lock between processes
//
// Only SQLite reads and writes what is in a database, see package sqlite.
package disk

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

var (
	// ErrNotRegular is for a directory, device, pipe or socket in place of a file.
	ErrNotRegular = errors.New("not a regular file")
	// ErrTooLarge is for a file above the limit.
	ErrTooLarge = errors.New("the file is too large")
)

// Open opens a regular file for reading, without waiting for another process. The file may be a
// database, see File. Errors are those of os.Open, or match ErrNotRegular.
func Open(path string) (*File, error) {
	info, err := os.Stat(path) // to open some devices does something
	if err == nil {
		err = checkRegular(path, info)
	}
	if err != nil {
		return nil, err
	}
	f, err := open(path, os.O_RDONLY|syscall.O_NONBLOCK)
	if err != nil {
		return nil, err
	}
	if info, err = f.Stat(); err == nil { // another file may have the name by now
		err = checkRegular(path, info)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// OpenNamed opens a file that the user names, which may be a pipe.
func OpenNamed(path string) (*File, error) { return open(path, os.O_RDONLY) }

func checkRegular(path string, info fs.FileInfo) error {
	switch {
	case !info.Mode().IsRegular():
		return &fs.PathError{Op: "read", Path: path, Err: notRegular(Kind(info.Mode()))}
	case info.Size() == 0 && IsSystem(path): // a read of some of those waits
		return &fs.PathError{Op: "read", Path: path, Err: notRegular("a file of the system")}
	}
	return nil
}

// notRegular is ErrNotRegular with the kind of file that it is.
type notRegular string

func (kind notRegular) Error() string     { return "it is " + string(kind) + ", not a regular file" }
func (kind notRegular) Is(err error) bool { return err == ErrNotRegular }

// Kind names the kind of a file that is not regular.
func Kind(m fs.FileMode) string {
	switch {
	case m.IsDir():
		return "a directory"
	case m&fs.ModeNamedPipe != 0:
		return "a named pipe"
	case m&fs.ModeSocket != 0:
		return "a socket"
	case m&fs.ModeDevice != 0:
		return "a device"
	}
	return "a special file"
}

// IsSystem reports whether a path, or the target of a link, is below /dev, /proc or /sys, other
// than /dev/shm. /dev/stdin counts too, even if it is a regular file.
func IsSystem(path string) bool {
	for range 40 {
		abs, err := filepath.Abs(path)
		if err != nil {
			return false
		}
		if dir, err := filepath.EvalSymlinks(filepath.Dir(abs)); err == nil {
			abs = filepath.Join(dir, filepath.Base(abs))
		}
		for _, root := range []string{"/dev/", "/proc/", "/sys/"} {
			if in := abs + "/"; strings.HasPrefix(in, root) &&
				!strings.HasPrefix(in, "/dev/shm/") {
				return true
			}
		}
		target, err := os.Readlink(abs)
		if err != nil {
			return false
		}
		if path = target; !filepath.IsAbs(target) {
			path = filepath.Join(filepath.Dir(abs), target)
		}
	}
	return true
}

// Read reads a regular file of at most max bytes. A larger one is not read: the error matches
// ErrTooLarge.
func Read(path string, max int64) ([]byte, error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.ReadAll(max)
}

// ReadAll reads the rest of a file of at most max bytes. For a larger one the error matches
// ErrTooLarge.
func (f *File) ReadAll(max int64) ([]byte, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if info.Size() > max {
		return nil, f.tooLarge(max)
	}
	var b bytes.Buffer
	b.Grow(int(info.Size()) + bytes.MinRead)
	if _, err := b.ReadFrom(io.LimitReader(f, max+1)); err != nil {
		return nil, err
	}
	if int64(b.Len()) > max { // it has grown
		return nil, f.tooLarge(max)
	}
	return b.Bytes(), nil
}

func (f *File) tooLarge(max int64) error {
	return &fs.PathError{Op: "read", Path: f.f.Name(), Err: tooLarge(max)}
}

// tooLarge is ErrTooLarge with the limit.
type tooLarge int64

func (max tooLarge) Error() string {
	if max >= 1<<20 {
		return fmt.Sprintf("it has more than %d MB", max>>20)
	}
	return fmt.Sprintf("it has more than %d bytes", int64(max))
}

func (tooLarge) Is(err error) bool { return err == ErrTooLarge }

// ReadEnd reads the last bytes of a regular file, at most max, and returns the offset at
// which they begin.
func ReadEnd(path string, max int64) (data []byte, start int64, err error) {
	f, err := Open(path)
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, 0, err
	}
	if start = info.Size() - max; start < 0 {
		start = 0
	}
	data, err = io.ReadAll(io.NewSectionReader(f, start, max))
	return data, start, err
}

// Exists reports whether anything has this path, even a link to nothing.
func Exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// IsDir reports whether a path, or the target of a link, is a directory.
func IsDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// Cause returns an error without the path, for a message that names it.
func Cause(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}

// globSigns have a meaning in a pattern.
var globSigns = strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`)

// Glob returns the paths that begin with path, taken literally, and go on as pattern says.
func Glob(path, pattern string) []string {
	if filepath.Separator == '/' { // elsewhere it cannot be escaped
		path = globSigns.Replace(path)
	}
	found, _ := filepath.Glob(path + pattern) // the patterns of the program are valid
	return found
}
