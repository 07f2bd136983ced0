package disk

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"blackboard/testdata/expect"
)

// create opens a new file beside the one that it is to replace.
func create(t *testing.T, dir string) *os.File {
	t.Helper()
	f := expect.Value(os.OpenFile(filepath.Join(dir, "new"), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600))(t)
	return f
}

// holds compares what is in a directory, names and content, with what should be.
func holds(t *testing.T, dir string, want map[string]string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != len(want) {
		t.Fatalf("there is %v (%v), not %v", entries, err, want)
	}
	for name, text := range want {
		if data, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(data) != text {
			t.Errorf("%s holds %q (%v), not %q", name, data, err, text)
		}
	}
}

func TestReplace(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "file")
	for _, text := range []string{"first", "second"} { // a new name, and one that is there
		f := create(t, dir)
		expect.OK(t, Fill(f, func(f *os.File) error { _, err := f.WriteString(text); return err }))
		expect.OK(t, Put(f.Name(), name))
		expect.OK(t, SyncDir(dir))
		holds(t, dir, map[string]string{"file": text})
	}
}

// TestFill: of a file that could not be written nothing stays behind, and the first error is the
// one that is told.
func TestFill(t *testing.T) {
	dir := t.TempDir()
	broken := errors.New("broken")
	if err := Fill(create(t, dir), func(f *os.File) error { f.WriteString("half"); return broken }); err != broken {
		t.Errorf("the error is %v", err)
	}
	holds(t, dir, nil)
	if err := Fill(create(t, dir), func(f *os.File) error { return f.Close() }); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("a file that cannot be synced: %v", err)
	}
	holds(t, dir, nil)
}

// TestPut: what cannot be put in place goes, and what is there stays.
func TestPut(t *testing.T) {
	dir := t.TempDir()
	taken := filepath.Join(dir, "taken")
	expect.OK(t, os.MkdirAll(filepath.Join(taken, "inner"), 0o700))
	f := create(t, dir)
	f.Close()
	if err := Put(f.Name(), taken); err == nil {
		t.Error("a directory was replaced")
	}
	if _, err := os.Stat(f.Name()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the file stayed: %v", err)
	}
	if _, err := os.Stat(filepath.Join(taken, "inner")); err != nil {
		t.Error(err)
	}
}

// TestFillSyncs: what cannot be made to last on the disk, such as what goes into a pipe, is no
// file that was written.
func TestFillSyncs(t *testing.T) {
	r, w := expect.Values(os.Pipe())(t)
	defer r.Close()
	if err := Fill(w, func(f *os.File) error { _, err := f.WriteString("x"); return err }); err == nil {
		t.Error("a pipe was synced")
	}
}

func TestSyncDir(t *testing.T) {
	if info, err := os.Stat("/proc"); err == nil && info.IsDir() && runtime.GOOS == "linux" { // a file system that cannot sync directories
		if err := SyncDir("/proc"); err != nil {
			t.Error(err)
		}
	}
	if err := SyncDir(filepath.Join(t.TempDir(), "gone")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a directory that is not there: %v", err)
	}
}
