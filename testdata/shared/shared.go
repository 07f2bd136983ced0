// Package shared finds, for tests, what lies in the folder of shared files: real inputs and a
// small real model, which are no part of the project.
package shared

import (
	"os"
	"path/filepath"
	"runtime"
)

// File returns the path of a file in the folder of shared files, or "" where it is absent. The
// folder is $BOARD_SHARED, else shared beside the project.
func File(elem ...string) string {
	dir := os.Getenv("BOARD_SHARED")
	if dir == "" {
		_, here, _, _ := runtime.Caller(0)
		dir = filepath.Join(filepath.Dir(here), "..", "..", "..", "shared")
	}
	path := filepath.Join(append([]string{dir}, elem...)...)
	if _, err := os.Stat(path); err != nil {
		return ""
	}
	return path
}
