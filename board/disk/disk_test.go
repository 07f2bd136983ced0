package disk

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"blackboard/testdata/expect"
)

func TestRead(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	expect.OK(t, os.WriteFile(path, []byte("1234567890"), 0o600))
	if data, err := Read(path, 10); err != nil || string(data) != "1234567890" {
		t.Errorf("read %q, %v", data, err)
	}
	if data, err := Read(path, 9); !errors.Is(err, ErrTooLarge) || data != nil ||
		!strings.Contains(err.Error(), path) {
		t.Errorf("a file above the limit: %q, %v", data, err)
	}
	if data, start, err := ReadEnd(path, 4); err != nil || string(data) != "7890" || start != 6 {
		t.Errorf("the end is %q at %d, %v", data, start, err)
	}
	if data, start, err := ReadEnd(path, 40); err != nil || len(data) != 10 || start != 0 {
		t.Errorf("the end is %q at %d, %v", data, start, err)
	}
	if _, err := Read(filepath.Join(dir, "gone"), 9); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that is missing: %v", err)
	}
	if _, err := Read(dir, 9); !errors.Is(err, ErrNotRegular) {
		t.Errorf("a directory: %v", err)
	}
}

// TestReadSystem: files of the system have no size, and some never end.
func TestReadSystem(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the names are those of Linux")
	}
	link := filepath.Join(t.TempDir(), "link")
	expect.OK(t, os.Symlink("/proc/self/environ", link))
	for _, path := range []string{link, "/proc/self/environ", "/dev/null", "/dev/zero"} {
		if _, err := Read(path, 1<<20); !errors.Is(err, ErrNotRegular) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// TestWrite: a name has its old or its new content, and a link stays one.
func TestWrite(t *testing.T) {
	dir := t.TempDir()
	path, link := filepath.Join(dir, "new", "file"), filepath.Join(dir, "link")
	if err := os.Symlink(path, link); err != nil {
		t.Skip(err)
	}
	for _, write := range []func(string, []byte, fs.FileMode) error{Write, WriteUnsynced} {
		expect.OK(t, write(path, []byte("first"), 0o600))
		expect.OK(t, write(link, []byte("second"), 0o600))
		holds(t, filepath.Dir(path), map[string]string{"file": "second"})
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("the link became %v, %v", info.Mode(), err)
	}
}

// TestLock: one has the turn, and another waits no longer than its context.
func TestLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	unlock := expect.Value(Lock(t.Context(), path))(t)
	ctx, cancel := context.WithCancel(t.Context())
	waited := make(chan error)
	go func() { _, err := Lock(ctx, path); waited <- err }()
	cancel()
	if err := <-waited; !errors.Is(err, context.Canceled) {
		t.Errorf("the second got %v", err)
	}
	unlock()
	again := expect.Value(Lock(t.Context(), path))(t)
	again()
}
