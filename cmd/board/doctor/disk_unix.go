//go:build linux || darwin

package doctor

import (
	"io/fs"
	"os"
	"syscall"
)

// freeSpace is how many bytes this user may write to a path's disk, and whether that is known.
func freeSpace(path string) (int64, bool) {
	var st syscall.Statfs_t
	if err := syscall.Statfs(path, &st); err != nil {
		return 0, false
	}
	return int64(st.Bavail) * int64(st.Bsize), true
}

// ownFile reports whether a file is the caller's; to root every file is.
func ownFile(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return !ok || int(st.Uid) == os.Geteuid() || os.Geteuid() == 0
}
