//go:build !windows

package disk

import "os"

// rename works at once, whoever has the files open.
func rename(from, to string) error { return os.Rename(from, to) }
