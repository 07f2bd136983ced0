package sqlite

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"blackboard/board/fault"
	"blackboard/testdata/expect"
)

// This file is about names of files that change hands, and about the writers' turn in
// which they do.

// childDoes has TestChild do something to the file childPath.
const childDoes, childPath = "SQLITE_TEST_CHILD", "SQLITE_TEST_PATH"

// child is another process at work on a file.
type child struct {
	t   *testing.T
	cmd *exec.Cmd
	in  io.Closer
	out *bufio.Reader
}

// startChild starts a process and waits until it is ready. The process goes on when its
// input is closed.
func startChild(t *testing.T, does, path string) *child {
	t.Helper()
	c := &child{t: t, cmd: exec.Command(os.Args[0], "-test.run", "^TestChild$")}
	c.cmd.Env = append(os.Environ(), childDoes+"="+does, childPath+"="+path)
	in := expect.Value(c.cmd.StdinPipe())(t)
	out := expect.Value(c.cmd.StdoutPipe())(t)
	c.in, c.out = in, bufio.NewReader(out)
	expect.OK(t, c.cmd.Start())
	t.Cleanup(func() { c.in.Close(); c.cmd.Wait() })
	if line, err := c.out.ReadString('\n'); line != "ready\n" {
		t.Fatalf("%s: %q, %v", does, line, err)
	}
	return c
}

// end lets the process go on, waits for its end and returns what it has said.
func (c *child) end() string {
	c.t.Helper()
	c.in.Close()
	said, err := io.ReadAll(c.out)
	if err = errors.Join(err, c.cmd.Wait()); err != nil {
		c.t.Fatalf("%s%v", said, err)
	}
	answer, _, _ := strings.Cut(string(said), "PASS\n")
	return strings.TrimSpace(answer)
}

// rows asks another process how many rows a file has.
func rows(t *testing.T, path string) string {
	t.Helper()
	return startChild(t, "count", path).end()
}

// TestChild is what other tests have another process do. By itself it does nothing.
func TestChild(t *testing.T) {
	path := os.Getenv(childPath)
	goOn := func() { fmt.Println("ready"); io.Copy(io.Discard, os.Stdin) }
	switch os.Getenv(childDoes) {
	case "count":
		goOn()
		fmt.Println(countRows(t, open(t, path, testSchema, ReadWrite)))
	case "take the turn":
		unlock := expect.Value(lockWrites(t.Context(), path))(t)
		goOn()
		unlock()
	case "create":
		goOn()
		createByMany(t, path)
	case "read again and again":
		fmt.Println("ready")
		for end := atEnd(os.Stdin); !end(); time.Sleep(time.Millisecond) {
			readOnce(t, path)
		}
	}
}

// many is how many goroutines of a process create a file.
const many = 8

// createByMany has many handles of this process create one file and write to it.
func createByMany(t *testing.T, path string) {
	var all sync.WaitGroup
	for range many {
		all.Go(func() {
			db, err := Open(t.Context(), path, testSchema, Create)
			if err != nil {
				t.Error(err)
				return
			}
			if err := errors.Join(insert(db, "x"), db.Close()); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
}

// atEnd tells whether a reader has come to its end.
func atEnd(r io.Reader) func() bool {
	done := make(chan struct{})
	go func() { io.Copy(io.Discard, r); close(done) }()
	return func() bool {
		select {
		case <-done:
			return true
		default:
			return false
		}
	}
}

// readOnce opens a file that comes and goes, and reads it.
func readOnce(t *testing.T, path string) {
	db, err := Open(t.Context(), path, testSchema, ReadWrite)
	if err == nil {
		err = db.Read(t.Context(), func(tx *Tx) error {
			_, err := Column[string](tx, `SELECT text FROM a`)
			return err
		})
		db.Close()
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fault.Gone) {
		t.Error(err)
	}
}

// TestRemovedWhileOpened: a file that is removed and made anew again and again is sound each time,
// though others are opening what has the name at every moment.
func TestRemovedWhileOpened(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.sqlite3")
	for range 6 {
		c := startChild(t, "read again and again", path)
		defer c.end()
	}
	for i := range 150 {
		db, err := Open(t.Context(), path, testSchema, Create)
		if err != nil {
			t.Fatalf("round %d: %v", i, err)
		}
		const writes = 4
		for j := range writes {
			if err := insert(db, "x"); err != nil {
				t.Fatalf("round %d, write %d: %v", i, j, err)
			}
		}
		again := open(t, path, testSchema, ReadWrite)
		if n := countRows(t, again); n != writes {
			t.Fatalf("round %d: %d rows", i, n)
		}
		again.Close()
		db.Close()
		if err := Remove(t.Context(), path, nil); err != nil {
			t.Fatalf("round %d: %v", i, err)
		}
	}
}

// TestRemovalCutShort: what a removal that was killed has left beside a file, and somebody still
// uses, is not taken for what belongs to the new file of that name.
func TestRemovalCutShort(t *testing.T) {
	path, old := inUse(t)
	expect.OK(t, os.Remove(path))
	db := open(t, path, testSchema, Create)
	expect.OK(t, errors.Join(insert(db, "one"), insert(db, "two")))
	if n := rows(t, path); n != "2" {
		t.Errorf("another process finds %s rows", n)
	}
	if err := insert(old, "x"); !errors.Is(err, fault.Gone) {
		t.Errorf("writing to the removed file: %v", err)
	}
}

// exists reports whether there is a file.
func exists(path string) bool {
	_, err := os.Stat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

// TestCreateByMany: of many goroutines and processes that create one file, none loses
// what it writes, and nobody but the owner can ever read it.
func TestCreateByMany(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "home")
	path := filepath.Join(dir, "x.sqlite3")
	var children []*child
	for range 3 {
		children = append(children, startChild(t, "create", path))
	}
	for _, c := range children {
		c.in.Close()
	}
	createByMany(t, path)
	for _, c := range children {
		c.end()
	}
	if n, want := rows(t, path), fmt.Sprint(many*(len(children)+1)); n != want {
		t.Errorf("%s rows, want %s", n, want)
	}
	entries := expect.Value(os.ReadDir(dir))(t)
	for _, e := range entries {
		suffix, _ := strings.CutPrefix(e.Name(), "x.sqlite3")
		info, err := e.Info()
		known := slices.Contains([]string{"", "-lock", "-wal", "-shm"}, suffix)
		if err != nil || info.Mode().Perm() != 0o600 || !known {
			t.Errorf("there is %s with mode %v, %v", e.Name(), info.Mode(), err)
		}
	}
}

// TestCreateInTurn: a file that somebody makes first is not made again.
func TestCreateInTurn(t *testing.T) {
	made := filepath.Join(t.TempDir(), "made")
	db := open(t, made, testSchema, Create)
	expect.OK(t, errors.Join(insert(db, "first"), db.Close()))
	path := filepath.Join(filepath.Dir(made), "x.sqlite3")
	expect.OK(t, whileTaken(t, path, func() (err error) {
		db, err = Open(t.Context(), path, testSchema, Create)
		return err
	}, func() { os.Rename(made, path) }))
	defer db.Close()
	if n := countRows(t, db); n != 1 {
		t.Errorf("%d rows", n)
	}
}

// TestRemovedAndCreated: who closes a file that was removed leaves the WAL alone that
// has its name by now.
func TestRemovedAndCreated(t *testing.T) {
	for name, closeIt := range map[string]func(*DB) error{
		"close":        (*DB).Close,
		"close unused": func(db *DB) error { return db.sql.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			path, old := inUse(t)
			expect.OK(t, Remove(t.Context(), path, nil))
			db := open(t, path, testSchema, Create)
			for _, text := range []string{"one", "two"} {
				expect.OK(t, insert(db, text))
			}
			before, err := os.Stat(path + "-wal")
			if err != nil || before.Size() == 0 {
				t.Fatalf("the test needs rows in the WAL: %v", err)
			}
			if err := closeIt(old); err != nil {
				t.Error(err)
			}
			after, err := os.Stat(path + "-wal")
			if err != nil || !os.SameFile(before, after) || after.Size() != before.Size() {
				t.Errorf("the WAL is not what it was: %v", err)
			}
			checkLocks(t, path)
			if n := rows(t, path); n != "2" {
				t.Errorf("another process finds %s rows", n)
			}
			err = errors.Join(insert(db, "three"), db.Check(t.Context()))
			if n := countRows(t, db); err != nil || n != 3 {
				t.Errorf("%d rows, %v", n, err)
			}
		})
	}
}

// TestReusedInode: a file that was made anew is another one, even if it has the inode number of
// the first.
func TestReusedInode(t *testing.T) {
	path, db := inUse(t)
	if birth(path) == 0 {
		t.Skip("this file system does not say when a file was created")
	}
	db.sql.SetMaxIdleConns(0) // with a connection, the first file keeps its number
	for range 20 {
		expect.OK(t, Remove(t.Context(), path, nil))
		again := open(t, path, testSchema, Create)
		if os.SameFile(again.file, db.file) {
			if err := db.CheckFile(); !errors.Is(err, fault.Gone) {
				t.Errorf("the first file is said to be there: %v", err)
			}
			if err := insert(db, "x"); !errors.Is(err, fault.Gone) {
				t.Errorf("writing to it: %v", err)
			}
			return
		}
		again.Close()
	}
	t.Skip("this file system does not use inode numbers again")
}

// TestCloseInTurn: a file's last user removes the WAL only if nobody else has the
// writers' turn, who may be about to give its name to another file.
func TestCloseInTurn(t *testing.T) {
	path, db := inUse(t)
	writer := startChild(t, "take the turn", path)
	expect.OK(t, db.Close())
	if info, err := os.Stat(path + "-wal"); err != nil || info.Size() == 0 {
		t.Errorf("the WAL is gone, or empty: %v", err)
	}
	if n := rows(t, path); n != "1" {
		t.Errorf("another process finds %s rows", n)
	}
	writer.end()
	db = open(t, path, testSchema, ReadWrite)
	if n := countRows(t, db); n != 1 {
		t.Errorf("%d rows", n)
	}
	if err := db.Close(); err != nil || exists(path+"-wal") {
		t.Errorf("the WAL is there after everybody has closed the file: %v", err)
	}
}

// TestRename: a file is complete under its new name, and who had it open under the old
// one writes no more.
func TestRename(t *testing.T) {
	path, old := inUse(t)
	to := filepath.Join(filepath.Dir(path), "a")
	expect.OK(t, Rename(t.Context(), path, to, nil))
	for _, name := range []string{path, path + "-wal", path + "-shm", to + "-wal", to + "-shm"} {
		if exists(name) {
			t.Errorf("there is %s", name)
		}
	}
	if err := insert(old, "x"); !errors.Is(err, fault.Gone) {
		t.Errorf("writing under the old name: %v", err)
	}
	db := open(t, path, testSchema, Create)
	expect.OK(t, errors.Join(insert(db, "one"), insert(db, "two"), old.Close()))
	if n, new := rows(t, to), rows(t, path); n != "1" || new != "2" {
		t.Errorf("%s rows were moved, want 1; %s are in the new file, want 2", n, new)
	}
	if err := Rename(t.Context(), path, to, nil); !errors.Is(err, fs.ErrExist) {
		t.Errorf("over another file: %v", err)
	}
	none := path + "-none"
	if err := Rename(t.Context(), none, to, nil); !errors.Is(err, fs.ErrNotExist) || exists(none+"-lock") {
		t.Errorf("of nothing: %v", err)
	}
	if n, new := rows(t, to), rows(t, path); n != "1" || new != "2" {
		t.Errorf("after an attempt to overwrite it, %s and %s rows", n, new)
	}
}

// TestRenameInTurn: a file is not moved while somebody has the writers' turn of the old
// name or of the new one.
func TestRenameInTurn(t *testing.T) {
	for _, name := range []string{"a", "z"} { // the turns are taken in the order of the names
		path, _ := inUse(t)
		to := filepath.Join(filepath.Dir(path), name)
		for _, turn := range []string{path, to} {
			ctx, cancel := context.WithCancel(t.Context())
			err := whileTaken(t, turn, func() error { return Rename(ctx, path, to, nil) }, cancel)
			if !errors.Is(err, context.Canceled) || !exists(path) || exists(to) {
				t.Errorf("called off while it waits for the turn of %s: %v", turn, err)
			}
		}
	}
}

// whileTaken takes the writers' turn of a file, begins to do something, and once that
// waits for the turn does something else before it gives the turn back. If nothing
// waits, it does that at the end.
func whileTaken(t *testing.T, path string, do func() error, waits func()) error {
	t.Helper()
	unlock := expect.Value(lockWrites(t.Context(), path))(t)
	done := make(chan error, 1)
	go func() { done <- do() }()
	for len(done) == 0 && !isWaitedFor(t, path+"-lock") {
		runtime.Gosched()
	}
	waits()
	unlock()
	return <-done
}

// isWaitedFor reports whether somebody waits for the lock on a file.
func isWaitedFor(t *testing.T, path string) bool {
	t.Helper()
	file := expect.Value(os.Stat(path))(t)
	locks, err := os.ReadFile("/proc/locks") // 1: -> FLOCK ADVISORY WRITE 1234 08:01:5678 0 EOF
	if err != nil {
		t.Skipf("this system does not list its locks: %v", err)
	}
	inode := fmt.Sprint(":", file.Sys().(*syscall.Stat_t).Ino, " ")
	for line := range strings.Lines(string(locks)) {
		if strings.Contains(line, " -> ") && strings.Contains(line, inode) {
			return true
		}
	}
	return false
}
