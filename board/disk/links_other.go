//go:build !unix

package disk

import "io/fs"

// Links returns 1: this system does not tell the number of a file's names with its size.
func Links(fs.FileInfo) uint64 { return 1 }

// Node returns 0.
func Node(fs.FileInfo) uint64 { return 0 }
