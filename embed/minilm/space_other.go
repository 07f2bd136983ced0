//go:build !linux && !darwin

package minilm

import (
	"errors"
	"runtime"
	"syscall"
)

// freeSpace is not known here; a full disk shows when it is written to.
func freeSpace(string) (int64, bool) { return 0, false }

func isFull(err error) bool {
	const handleDiskFull, diskFull = syscall.Errno(39), syscall.Errno(112) // Windows
	if runtime.GOOS == "windows" {
		return errors.Is(err, handleDiskFull) || errors.Is(err, diskFull)
	}
	return errors.Is(err, syscall.ENOSPC)
}

func isReadOnly(error) bool { return false }
