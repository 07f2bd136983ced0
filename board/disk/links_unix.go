//go:build unix

package disk

import (
	"io/fs"
	"syscall"
)

// Links returns how many names a file has: 1, unless there are hard links to it.
func Links(info fs.FileInfo) uint64 {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(s.Nlink)
	}
	return 1
}

// Node returns the inode number of a file, 0 if unknown. A file that takes its place has another.
func Node(info fs.FileInfo) uint64 {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(s.Ino)
	}
	return 0
}
