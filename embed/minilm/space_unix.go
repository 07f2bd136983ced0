//go:build linux || darwin

package minilm

import (
	"errors"
	"syscall"
)

// freeSpace returns how many bytes a user may still write to the disk of dir.
func freeSpace(dir string) (int64, bool) {
	var st syscall.Statfs_t
	if err := syscall.Statfs(dir, &st); err != nil {
		return 0, false
	}
	return int64(st.Bavail) * int64(st.Bsize), true
}

func isFull(err error) bool { return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) }

func isReadOnly(err error) bool { return errors.Is(err, syscall.EROFS) }
