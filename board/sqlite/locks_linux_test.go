package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"blackboard/board/disk"
	"blackboard/board/fault"
	"blackboard/testdata/expect"
)

// What an open connection in WAL mode has locked all the time (SQLite's os_unix.c): the
// shared range of the database, and the byte of the -shm that says that somebody uses
// it.
const (
	sharedFirst, sharedLast = 0x40000002, 0x40000002 + 509
	shmInUse                = 128
)

// hasLock reports whether this process has a POSIX lock on all these bytes of a file. It
// asks for the locks of each descriptor, since /proc/locks, which lists those of all
// processes, leaves some out when others come and go.
func hasLock(t *testing.T, path string, first, last uint64) bool {
	t.Helper()
	file := expect.Value(os.Stat(path))(t)
	fds, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skipf("this system does not list descriptors: %v", err)
	}
	for _, fd := range fds {
		if of, err := os.Stat("/proc/self/fd/" + fd.Name()); err != nil || !os.SameFile(of, file) {
			continue
		}
		locks, err := os.ReadFile("/proc/self/fdinfo/" + fd.Name())
		if err != nil {
			continue // closed meanwhile
		}
		// lock: 1: POSIX ADVISORY READ 1234 08:01:5678 128 128
		for line := range strings.Lines(string(locks)) {
			f := strings.Fields(line)
			if len(f) != 9 || f[2] != "POSIX" {
				continue
			}
			from, errFrom := strconv.ParseUint(f[7], 10, 64)
			to, errTo := strconv.ParseUint(f[8], 10, 64)
			if errFrom == nil && errTo == nil && from <= first && last <= to {
				return true
			}
		}
	}
	return false
}

// checkLocks fails unless this process has the locks of an open database.
func checkLocks(t *testing.T, path string) {
	t.Helper()
	if !hasLock(t, path, sharedFirst, sharedLast) {
		t.Errorf("the lock on %s is lost", path)
	}
	if !hasLock(t, path+"-shm", shmInUse, shmInUse) {
		t.Errorf("the lock on %s-shm is lost", path)
	}
}

// inUse makes a file that stays open, with a row that is still in the WAL.
func inUse(t *testing.T) (path string, db *DB) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "x.sqlite3")
	db = open(t, path, testSchema, Create)
	expect.OK(t, insert(db, "x"))
	checkLocks(t, path)
	return path, db
}

// descriptors counts the descriptors that this process has of a file.
func descriptors(t *testing.T, path string) (n int) {
	t.Helper()
	all := expect.Value(os.ReadDir("/proc/self/fd"))(t)
	for _, fd := range all {
		if to, err := os.Readlink("/proc/self/fd/" + fd.Name()); err == nil && to == path {
			n++
		}
	}
	return n
}

// whileOpen is what this package does with a file that is open in this process.
var whileOpen = map[string]func(t *testing.T, path string) error{
	"open again and close": func(t *testing.T, path string) error {
		db := open(t, path, testSchema, Create)
		return errors.Join(insert(db, "x"), db.Close())
	},
	"open as another kind of file": func(t *testing.T, path string) error {
		other := testSchema
		other.ApplicationID++
		_, err := Open(t.Context(), path, other, ReadWrite)
		return wantError(err, fault.Corrupt)
	},
	"open with an older program": func(t *testing.T, path string) error {
		old := testSchema
		old.Migrations = old.Migrations[:1]
		_, err := Open(t.Context(), path, old, ReadWrite)
		return wantError(err, fault.Newer)
	},
	"open and be called off": func(t *testing.T, path string) error {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err := Open(ctx, path, testSchema, Create)
		return wantError(err, context.Canceled)
	},
	"open for reading": func(t *testing.T, path string) error {
		reader := openForReading(t, path)
		if countRows(t, reader) != 1 || !reader.Outdated(t.Context()) {
			return errors.New("the row is not there, or the file is not outdated")
		}
		return reader.Close()
	},
	"more connections than are kept": func(t *testing.T, path string) error {
		db := open(t, path, testSchema, ReadWrite)
		var conns []io.Closer
		for range 20 {
			conn, err := db.Conn(t.Context())
			if err != nil {
				return err
			}
			conns = append(conns, conn)
		}
		for _, conn := range conns {
			conn.Close()
		}
		return db.Close()
	},
	"check and checkpoint": func(t *testing.T, path string) error {
		db := open(t, path, testSchema, ReadWrite)
		return errors.Join(db.Check(t.Context()), db.Checkpoint(t.Context()), db.Close())
	},
	"open as a foreign file": func(t *testing.T, path string) error {
		return openForeign(t, path).Close()
	},
	"rename another onto it": func(t *testing.T, path string) error {
		other := filepath.Join(t.TempDir(), "other.sqlite3")
		open(t, other, testSchema, Create).Close()
		return wantError(Rename(t.Context(), other, path, nil), fs.ErrExist)
	},
	"remove another": func(t *testing.T, path string) error {
		other := open(t, filepath.Join(filepath.Dir(path), "other.sqlite3"), testSchema, Create)
		return errors.Join(insert(other, "x"), Remove(t.Context(), other.path, nil), other.Close())
	},
	"read its bytes":           reading("", nil),
	"read its -wal":            reading("-wal", nil),
	"read its -shm":            reading("-shm", nil),
	"read a link to it":        reading("", os.Symlink),
	"read a link to its -shm":  reading("-shm", os.Symlink),
	"read it by another name":  reading("", os.Link),
	"read -shm by other names": reading("-shm", os.Link),
	"read -shm of a link": func(t *testing.T, path string) error {
		db := open(t, link(t, os.Symlink, path), testSchema, ReadWrite)
		return errors.Join(insert(db, "x"), readAll(path+"-shm"), db.Close())
	},
}

func wantError(err, want error) error {
	if !errors.Is(err, want) {
		return fmt.Errorf("got the error %v, want %v", err, want)
	}
	return nil
}

func readAll(path string) error {
	_, err := disk.Read(path, 1<<30)
	return err
}

// reading reads the database, or what lies beside it, under its name or another one.
func reading(suffix string, by func(from, to string) error) func(*testing.T, string) error {
	return func(t *testing.T, path string) error {
		if by == nil {
			return readAll(path + suffix)
		}
		name := link(t, by, path+suffix)
		return errors.Join(readAll(name), os.Remove(name)) // with it, nothing is written
	}
}

// link gives a file a second name.
func link(t *testing.T, by func(from, to string) error, path string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "link")
	expect.OK(t, by(path, name))
	return name
}

// TestLocksAreKept: whatever this package does with a file that is open in this process,
// no lock on it is lost, and no descriptor is left once it is closed.
func TestLocksAreKept(t *testing.T) {
	for name, do := range whileOpen {
		t.Run(name, func(t *testing.T) {
			path, db := inUse(t)
			if err := do(t, path); err != nil {
				t.Error(err)
			}
			checkLocks(t, path)
			if err := insert(db, "y"); err != nil {
				t.Error(err)
			}
			checkLocks(t, path)
			err := db.Close()
			if n := descriptors(t, path) + descriptors(t, path+"-shm"); err != nil || n != 0 {
				t.Errorf("%d descriptors are left, %v", n, err)
			}
		})
	}
}

// TestLostLocksAreSeen: checkLocks can fail.
func TestLostLocksAreSeen(t *testing.T) {
	path, _ := inUse(t)
	read(t, path)
	if hasLock(t, path, sharedFirst, sharedLast) || !hasLock(t, path+"-shm", shmInUse, shmInUse) {
		t.Error("a descriptor of the database was closed, and not just the lock on it is lost")
	}
	path, _ = inUse(t)
	read(t, path+"-shm")
	if !hasLock(t, path, sharedFirst, sharedLast) || hasLock(t, path+"-shm", shmInUse, shmInUse) {
		t.Error("a descriptor of the -shm was closed, and not just the lock on it is lost")
	}
}

// TestOpenFile: the descriptor of a database waits until SQLite is done with it, and no
// second one beside it.
func TestOpenFile(t *testing.T) {
	path, db := inUse(t)
	other := open(t, filepath.Join(t.TempDir(), "other.sqlite3"), testSchema, Create)
	for _, name := range []string{path, path + "-shm"} {
		before := descriptors(t, name)
		for range 3 {
			f := expect.Value(disk.Open(name))(t)
			b, err := io.ReadAll(f)
			info, statErr := f.Stat()
			if err != nil || statErr != nil || len(b) == 0 || int64(len(b)) != info.Size() {
				t.Fatalf("%d bytes of %s, %v %v", len(b), name, err, statErr)
			}
			first := make([]byte, 16)
			if _, err := f.ReadAt(first, 0); err != nil || string(first) != string(b[:16]) {
				t.Errorf("%s begins with %q and %q, %v", name, first, b[:16], err)
			}
			opened, err := descriptors(t, name), f.Close()
			if closed := descriptors(t, name); opened != before+1 || closed != before+1 || err != nil {
				t.Errorf("%d descriptors of %s, %d with a file, %d after it was closed, %v",
					before, name, opened, closed, err)
			}
			_, err = f.Read(b)
			if closeErr := f.Close(); !errors.Is(err, fs.ErrClosed) || !errors.Is(closeErr, fs.ErrClosed) {
				t.Errorf("reading and closing what is closed: %v, %v", err, closeErr)
			}
		}
	}
	again := open(t, path, testSchema, ReadWrite)
	expect.OK(t, db.Close())
	checkLocks(t, path) // of the second
	again.Close()
	err := readAll(path)
	if n := descriptors(t, path) + descriptors(t, path+"-shm"); err != nil || n != 0 {
		t.Errorf("%d descriptors of what nobody has open, %v", n, err)
	}
	checkLocks(t, other.path)
}
