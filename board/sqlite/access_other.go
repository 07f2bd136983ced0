//go:build !unix

package sqlite

import "os"

// mayWrite reports whether this process may write to a file. Locks belong to handles on
// this system, so closing another handle drops no lock.
func mayWrite(path string) bool {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return false
	}
	f.Close()
	return true
}
