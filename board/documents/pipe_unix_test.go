//go:build unix

package documents

import (
	"path/filepath"
	"syscall"
	"testing"
)

// namedPipe makes a named pipe, to which nobody ever writes.
func namedPipe(t *testing.T, dir string) []string {
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	return []string{"pipe"}
}
