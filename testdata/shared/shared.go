// Package shared finds, for tests, what lies in the folder of shared files: real inputs and a
// small real model, which are no part of the project.
package shared

import (
	"os"
	"path/filepath"
)

// File returns the path of a file in the folder of shared files, or "" where it is absent. The
// folder is $BOARD_SHARED, else shared beside the project.
func File(elem ...string) string {
	dir := os.Getenv("BOARD_SHARED")
	if dir == "" {
		dir = filepath.Join(project(), "..", "shared")
	}
	path := filepath.Join(append([]string{dir}, elem...)...)
	if _, err := os.Stat(path); err != nil {
		return ""
	}
	return path
}

// project returns the directory with go.mod at or above the working directory, which is a
// test's package; so tests built with -trimpath find it too.
func project() string {
	dir, err := os.Getwd()
	for ; err == nil && dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			break
		}
	}
	return dir
}
