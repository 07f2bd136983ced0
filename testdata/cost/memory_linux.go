package cost

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// Main runs a package's tests, with their temporary files in memory if there is room: stores
// that wait for the disk at each commit cost a third more there. Where $TMPDIR is set files are
// below it, and tests that may take long ($BOARD_TEST_LONG) keep theirs on the disk. Quick tests
// collect less garbage.
func Main(m *testing.M) int {
	collectLess()
	if dir := inMemory(); dir != "" {
		defer os.RemoveAll(dir)
		os.Setenv("TMPDIR", dir)
	}
	return m.Run()
}

// inMemory makes a directory in memory. Its name is short, as sockets are below it.
func inMemory() string {
	const (
		shm    = "/dev/shm"
		tmpfs  = 0x01021994
		noexec = 8
		room   = 2 << 30
	)
	var fs syscall.Statfs_t
	switch err := syscall.Statfs(shm, &fs); {
	case err != nil || fs.Type != tmpfs || fs.Flags&noexec != 0 || fs.Bavail*uint64(fs.Bsize) < room:
		return ""
	case os.Getenv("TMPDIR") != "" || os.Getenv("BOARD_TEST_LONG") != "":
		return ""
	}
	left, _ := filepath.Glob(filepath.Join(shm, "bt-*")) // by tests that were killed
	for _, dir := range left {
		if info, err := os.Stat(dir); err == nil && time.Since(info.ModTime()) > 24*time.Hour {
			os.RemoveAll(dir)
		}
	}
	dir := filepath.Join(shm, fmt.Sprintf("bt-%d", os.Getpid()))
	if os.Mkdir(dir, 0o711) != nil || os.Chmod(dir, 0o711) != nil { // some tests become another user
		return ""
	}
	return dir
}
