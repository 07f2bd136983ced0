package sqlite

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"blackboard/board/fault"
	"blackboard/testdata/expect"
)

// openForReading opens a file as Open does where it cannot be written to, or there is no space.
func openForReading(t *testing.T, path string) *DB {
	t.Helper()
	db := expect.Value(openOnce(t.Context(), path, testSchema, ReadWrite, true))(t)
	t.Cleanup(func() { db.Close() })
	return db
}

func TestOutdated(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.sqlite3")
	writer := open(t, path, testSchema, Create)
	expect.OK(t, insert(writer, "first"))
	if writer.Outdated(t.Context()) {
		t.Error("a file that can be written to is outdated")
	}
	writer.Close()
	// It could be written to: whoever holds it for reading only has less than there is.
	if !openForReading(t, path).Outdated(t.Context()) {
		t.Error("a file that can be written to by now is not outdated")
	}
	// Nobody can write beside a lock file that cannot be opened. Then it matters whether somebody
	// has.
	reader := openForReading(t, path)
	writer = open(t, path, testSchema, ReadWrite)
	lock := path + "-lock"
	expect.OK(t, os.Remove(lock))
	expect.OK(t, os.Mkdir(lock, 0o700))
	if reader.Outdated(t.Context()) || countRows(t, reader) != 1 {
		t.Error("what nobody has changed is outdated")
	}
	expect.OK(t, os.Remove(lock))
	if err := insert(writer, "second"); err != nil { // which is beside the file, not yet in it
		t.Fatal(err)
	}
	expect.OK(t, os.Remove(lock))
	expect.OK(t, os.Mkdir(lock, 0o700))
	if !reader.Outdated(t.Context()) {
		t.Error("a file with changes beside it is not outdated")
	}
	writer.Close()
	if !reader.Outdated(t.Context()) {
		t.Error("a file that was written to is not outdated")
	}
	// Who reads it all the same is told to do so again, and looks for no lock.
	err := reader.Read(t.Context(), func(*Tx) error { return nil })
	var own *fault.Error
	if !errors.As(err, &own) || own.Kind != fault.Busy || fault.Try(own, nil) != "repeat the command" {
		t.Errorf("reading it: %v", err)
	}
	if try := fault.Try(Fault(fault.Busy, path, "", nil), nil); !strings.Contains(try, lock) {
		t.Errorf("for a file that is locked: %s", try)
	}
	again := openForReading(t, path)
	if again.Outdated(t.Context()) || countRows(t, again) != 2 {
		t.Error("opened anew, it is outdated")
	}
	expect.OK(t, os.Remove(path))
	if !again.Outdated(t.Context()) {
		t.Error("a file that is gone is not outdated")
	}
}

// TestCloseUnused: who has the file in hand goes on reading, and what nobody has is closed.
func TestCloseUnused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.sqlite3")
	db := expect.Value(Open(t.Context(), path, testSchema, Create))(t)
	conn := db.sql
	db.CloseUnused()
	for range 5 {
		runtime.GC()
		expect.OK(t, insert(db, "x"))
	}
	runtime.KeepAlive(db)
	for conn.PingContext(t.Context()) == nil { // a test that hangs here has found that it stays open
		runtime.GC()
		time.Sleep(time.Millisecond)
	}
}
