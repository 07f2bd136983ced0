//go:build unix

package sqlite

import "golang.org/x/sys/unix"

// mayWrite reports whether this process may write to a file. It opens nothing, see held.
func mayWrite(path string) bool {
	return unix.Faccessat(unix.AT_FDCWD, path, unix.W_OK, unix.AT_EACCESS) == nil
}
